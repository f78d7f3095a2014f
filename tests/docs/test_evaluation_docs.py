"""The tables of docs/evaluation-data.md are those of the code."""

from __future__ import annotations

from sentvec.evaluation.tasks.data import PROTOCOLS
from sentvec.evaluation.tasks.suites import SUITES, TASKS
from support.places import ROOT

DOCUMENT = ROOT / "docs" / "evaluation-data.md"


def described(file):
    """A file with its lines, and the gold or feature file that goes with it."""
    lines = "" if file.lines is None else f" {file.lines:,}"
    names = [file.names[0], *(name.rsplit("/", 1)[1] for name in file.companions[:1])]
    return " + ".join(f"`{name}`" for name in names) + lines


def described_subsets(task):
    """A year of STS: the two names once, then the subsets."""
    first, gold = task.files[0], task.files[0].companions[0]
    names = [
        name.replace(first.part, "SUBSET") for name in (first.names[0], gold.rsplit("/", 1)[1])
    ]
    counts = [
        f"{file.part} {file.lines:,}" + (f" ({file.rows:,} scored)" if file.rows != file.lines else "")
        for file in task.files
    ]  # fmt: skip
    return f"`{names[0]}` + `{names[1]}`: {', '.join(counts)}"


def row(task, earlier):
    """One task; files that stand in an earlier row are not named again."""
    same = next((name for name, files in earlier.items() if set(task.files) <= set(files)), None)
    if task.name.startswith("STS") and task.files[0].companions:
        files, flat = described_subsets(task), ""
    elif same:
        files, flat = f"files of {same}", ""
    else:
        files = "<br>".join(described(file) for file in task.files)
        flat = "<br>".join(f"`{file.flat}`" for file in task.files if file.flat)
    cells = [
        f"**{task.name}**<br>{task.title}",
        files,
        flat,
        task.line,
        task.citation,
        task.licence,
    ]
    return f"| {' | '.join(cells)} |"


def task_table():
    rows, earlier = [], {}
    for name, task in TASKS.items():
        rows.append(row(task, earlier))
        earlier[name] = task.files
    return rows


def protocol_table():
    return [
        f"| {', '.join(t.name for t in TASKS.values() if t.protocol == protocol)} | {words} | "
        f"{', '.join(dict.fromkeys(m for t in TASKS.values() if t.protocol == protocol for m in t.metrics))} |"
        for protocol, words in PROTOCOLS.items()
    ]  # fmt: skip


def suite_table():
    return [
        f"| `{suite.name}` | {suite.title} | "
        f"{'all' if suite.tasks == tuple(TASKS) else ' '.join(suite.tasks)} |"
        for suite in SUITES.values()
    ]


def assert_document_has(rows):
    text = DOCUMENT.read_text(encoding="utf-8")
    assert "\n".join(rows) in text, "expected in the document:\n" + "\n".join(rows)


def test_the_table_of_files_is_that_of_the_records():
    assert_document_has(task_table())


def test_the_table_of_protocols_is_that_of_the_records():
    assert_document_has(protocol_table())


def test_the_table_of_suites_is_that_of_the_code():
    assert_document_has(suite_table())


def test_the_notes_of_the_records_are_in_the_document():
    text = " ".join(DOCUMENT.read_text(encoding="utf-8").split())
    for task in TASKS.values():
        if task.note:
            assert f"- {task.name}: {task.note}" in text
