"""What the documents show works."""

from __future__ import annotations

import dataclasses
import re
import shlex
import shutil

import pytest
from typer.testing import CliRunner

import sentvec
from sentvec import SiameseCBOWSettings, load
from sentvec.cli.app import app
from support.places import FIXTURES, ROOT
from support.program import succeed

DOCUMENTS = sorted(
    [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks" / "README.md"]
)


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus.txt").write_text("the cat sat on the mat\nthe dog sat on the rug\n" * 40)
    ours, theirs = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    names = {}
    with pytest.warns(UserWarning, match="1 of 2 texts have no known word"):
        exec(ours.replace("one sentence", "the mat"), names)
    assert (tmp_path / "my-model" / "model.safetensors").is_file()
    shutil.copy(FIXTURES / "bi.bin", "wiki_bigrams.bin")
    exec(theirs, names)
    assert names["model"].config["source"]["file"] == "wiki_bigrams.bin"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
        assert "://" in target or (document.parent / target).exists(), target


def test_the_presets_of_siamese_cbow_are_those_of_the_table():
    text = (ROOT / "docs" / "papers.md").read_text().split("### What the default changes")[1]
    text = text.split("\n## ")[0]
    rows = [[cell.strip(" `") for cell in line.split("|")[1:4]] for line in text.splitlines()
            if line.startswith("| `")]  # fmt: skip
    paper, default = (SiameseCBOWSettings.make(name) for name in ("paper/siamese-cbow", None))
    shown = {True: "on", False: "off", None: "all"}
    for name, *cells in rows:
        for settings, cell in zip((paper, default), cells, strict=True):
            value = getattr(settings, name)
            expected = shown[value] if value is None or isinstance(value, bool) else value
            assert cell == (expected if isinstance(expected, str) else f"{expected:g}"), name
    names = {name for name, *_ in rows}
    changed = {
        field.name
        for field in dataclasses.fields(SiameseCBOWSettings)
        if getattr(paper, field.name) != getattr(default, field.name)
    }
    assert changed <= names <= set(SiameseCBOWSettings.PRESETS["paper/siamese-cbow"])


# --- moving over from other programs ------------------------------------------------------------

MIGRATING = (ROOT / "docs" / "migrating.md").read_text(encoding="utf-8")
FORMATS = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
OURS = re.compile(r"`(sentvec [a-z][^`]*|--[a-z][^`]*)`")


def commands(text):
    """Whole commands of ours in a text, those that read a model."""
    codes = [code for code in OURS.findall(text) if len(code.split()) > 3]
    return [code for code in codes if code.split()[1] in ("encode", "convert", "neighbors")]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder where `M` is a Sent2Vec binary, and `T` and `corpus` are its text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "M").write_bytes((FIXTURES / "bi.bin").read_bytes())
    for name in ("T", "corpus", "TEXT"):
        (tmp_path / name).write_bytes((FIXTURES / "corpus.txt").read_bytes())
    return tmp_path


@pytest.mark.parametrize("command", commands(MIGRATING))
def test_the_commands_for_moving_over_work(place, command):
    if " M.bin " in command:  # of a model trained here
        load("M").save("folder")
        command = command.replace("convert M M.bin", "convert folder M.bin")
    succeed(*shlex.split(command)[1:])


def test_every_option_that_is_named_exists():
    runner = CliRunner(env={"COLUMNS": "200"})
    help_of = {
        name: runner.invoke(app, [*name.split(), "--help"]).output
        for name in (
            "train sent2vec",
            "train skip-thought",
            "train",
            "convert",
            "encode",
            "neighbors",
            "info",
            "combine",
            "expand",
            "generate",
            "evaluate",
        )
    }
    for code in OURS.findall(MIGRATING + FORMATS):
        named = [name for name in help_of if code.startswith(f"sentvec {name}")]
        texts = [help_of[named[0]]] if named else help_of.values()
        for flag in re.findall(r"(?<![\w-])--?[a-z][a-z0-9-]*", code):
            assert any(flag in text for text in texts), (flag, code)


def calls():
    """The Python of the table: what stands in its second column."""
    table = MIGRATING.split("## Python")[1].split("## What behaves")[0]
    for line in table.splitlines():
        if line.startswith("| `"):
            yield from re.findall(r"`([^`]*[(\[.][^`]*)`", line.split("|")[2])


@pytest.mark.parametrize("call", [call for call in calls() if call != "(dim,)"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_python_for_moving_over_works(place, call):
    names = {"sentvec": sentvec, "path": "M", "model": load("M"), "s": "the cat", "n": 2,
             "list": list, "words": ["the", "cat"]}  # fmt: skip
    if call.startswith("model.encode(list"):
        names["list"] = ["the cat", "the moon"]
    if "shape" in call or call in ("(dim,)", "(1, dim)"):
        return
    exec(call, names)


def test_the_python_of_the_tables_of_commands_works(place):
    for call in re.findall(r"`((?:list\()?sentvec\.load\(M\)[^`]*)`", MIGRATING):
        eval(call.replace('"word"', '"cat"'), {"sentvec": sentvec, "M": "M", "list": list})


def test_every_deliberate_difference_has_its_test():
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    named = re.findall(r"`(test_\w+)`", FORMATS)
    assert len(named) >= 10
    for name in named:
        assert f"def {name}(" in sources, name
