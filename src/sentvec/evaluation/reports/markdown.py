"""A report as a Markdown document: figures, the papers' tables, and the provenance of both.

Not here: the contents of the tables (`tables`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sentvec.evaluation.reports.published import NOT_AVAILABLE
from sentvec.evaluation.reports.record import Record
from sentvec.evaluation.reports.sent2vec_tables import STS_2017
from sentvec.evaluation.reports.tables import Table, known_share, overview, paper_tables, set_tables


def to_markdown(report: Record) -> str:
    """The whole report."""
    parts = [
        f"# Evaluation of {report.name}",
        table_to_markdown(overview(report), level=2),
        *_failures(report),
        "## Similarity by cosine" if any(one.sets for one in report.results.values()) else "",
        *(table_to_markdown(table) for table in set_tables(report)),
        *_papers(report),
        "## Protocols",
        "\n".join(f"- {name}: {one.protocol}" for name, one in report.items() if one.protocol),
        "## Provenance",
        _list(report.provenance),
        *_details(report),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def tables_to_markdown(title: str, tables: Iterable[Table]) -> str:
    """A document of tables alone."""
    return "\n\n".join([f"# {title}", *(table_to_markdown(one, 2) for one in tables)]) + "\n"


def table_to_markdown(table: Table, level: int = 3) -> str:
    """A table with its title, source and note; our rows are bold."""
    lines = [
        f"{'#' * level} {table.title}",
        "",
        _line(table.headings),
        _line(["---", *["---:"] * (len(table.headings) - 1)]),
    ]
    for number, row in enumerate(table.rows):
        lines.append(_line([f"**{cell}**" if number < table.ours else cell for cell in row]))
    if table.source:
        lines += ["", f"Source of the other figures: {table.source}."]
    if table.note:
        lines += ["", f"{table.note.rstrip('.')}."]
    return "\n".join(lines)


def _line(cells: Any) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _failures(report: Record) -> Iterator[str]:
    errors = {name: one.error for name, one in report.items() if one.error}
    if errors:
        yield "## Tasks that failed"
        yield "\n".join(f"- {name}: {error}" for name, error in errors.items())
    if report.missing:
        yield "## Tasks without data"
        yield "\n".join(f"- {reason}" for reason in report.missing.values())


def _papers(report: Record) -> Iterator[str]:
    tables = paper_tables(report)
    if tables:
        yield "## Beside the papers"
        yield f"Other models: as printed, or {NOT_AVAILABLE!r} where we lack a figure. {STS_2017}."
        yield from map(table_to_markdown, tables)


def _list(values: dict[str, Any], indent: str = "") -> str:
    """Nested values as a Markdown list."""
    lines = []
    for key, value in values.items():
        name = key.replace("_", " ")
        if isinstance(value, dict):
            joined = ", ".join(f"{inner} {_plain(one)}" for inner, one in value.items())
            lines.append(f"{indent}- {name}: {joined}")
        elif isinstance(value, list):
            lines += [f"{indent}- {name}: {one}" for one in value]
        else:
            lines.append(f"{indent}- {name}: {_plain(value)}")
    return "\n".join(lines)


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key}={_plain(one)}" for key, one in value.items()) + ")"
    return str(value)


def _details(report: Record) -> Iterator[str]:
    """Rows, known words, chosen C, remarks and files of each task."""
    yield "## Tasks"
    for name, result in report.items():
        lines = [f"### {name}: {result.title}", ""]
        if result.counts:
            counts = ", ".join(f"{part} {count:,}" for part, count in result.counts.items())
            lines.append(f"- rows: {counts}")
        if result.coverage:
            lines.append(f"- known words: {known_share(result)}")
        if result.penalties:
            lines.append(f"- C chosen: {', '.join(f'{one:g}' for one in result.penalties)}")
        lines += [f"- {remark}" for remark in result.remarks]
        lines += [f"- `{file}`: BLAKE2b {checksum}" for file, checksum in result.files.items()]
        yield "\n".join(lines)
