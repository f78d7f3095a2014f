"""`sentvec evaluate` and `sentvec compare` as their users run them."""

from __future__ import annotations

import json
import shutil
from types import SimpleNamespace

import pytest

from sentvec import Report
from sentvec.evaluation.tasks.readers import load_task
from sentvec.evaluation.tasks.suites import TASKS
from support import program
from support.behaviour import train_sent2vec
from support.learnable import WORDS, learnable_tree


def run(*args, status=0, before=""):
    result = program.run(*args, before=before)
    assert result.returncode == status, result.err
    return SimpleNamespace(stdout=result.out, stderr=result.err)


def fail(*args):
    result = run(*args, status=1)
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    assert line.startswith("error: ")
    return line


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a tree, and a model of its sentences."""
    folder = tmp_path_factory.mktemp("evaluation")
    tree = learnable_tree(folder / "tree")
    (tree / "CR" / "custrev.neg").unlink()
    texts = load_task(TASKS["SUBJ"], tree, lowercase=True).parts["all"].texts
    texts.append(" ".join(WORDS))
    model = train_sent2vec(texts, epochs=1, min_count=1, tokenizer="whitespace")
    model.save(folder / "model")
    return folder


@pytest.fixture(scope="module")
def ran(place):
    """What `evaluate` printed, having written its files."""
    return run(
        "evaluate", place / "model", "--data", place / "tree", "--tasks", "MR,CR,MSRP,STS14",
        "--json", place / "a.json", "--markdown", place / "a.md", "--threads", "1",
    )  # fmt: skip


def test_evaluate_prints_tables_and_what_is_missing(ran):
    assert "model, protocol paper" in ran.stdout
    for name in ("MR ", "MSRP ", "STS14 ", "mean weighted by pairs", "concatenation", "75.8"):
        assert name in ran.stdout
    assert "1/3     MR done" in ran.stderr
    assert "not run: CR: CR/custrev.neg is missing" in ran.stderr
    assert "sentences were lower-cased: 100.0% of 60 words" in ran.stderr
    assert ": MR " in ran.stderr.splitlines()[-1]


def test_evaluate_writes_json_and_markdown(place, ran):
    report = Report.read(place / "a.json")
    assert list(report) == ["MR", "MSRP", "STS14"]
    assert report.name == "model"
    assert report["MR"].coverage.share == 1.0
    assert (place / "a.md").read_text() == report.to_markdown()


def test_options_reach_the_run(place):
    run(
        "evaluate", place / "model", "--data", place / "tree", "--suite", "quick", "--no-lowercase",
        "--seed", "7", "--json", place / "q.json", "--quiet",
    )  # fmt: skip
    values = json.loads((place / "q.json").read_text())
    assert values["suite"] == values["protocol"] == "quick"
    assert values["seed"] == 7
    assert values["lowercase"] is False
    assert set(values["missing"]) == {"CR"}
    assert values["tasks"]["MR"]["coverage"]["known"] < values["tasks"]["MR"]["coverage"]["tokens"]


def test_features_are_an_option(place):
    result = run(
        "evaluate", place / "model", "--data", place / "tree", "--tasks", "MSRP", "--with-features"
    )
    assert "accuracy +feats" in result.stdout


def test_baselines_are_named_by_kind_and_take_counts(place):
    rows = [f"{word} {number % 7} {number % 5 - 2}" for number, word in enumerate(WORDS)]
    (place / "glove.txt").write_text("\n".join(rows) + "\n")
    names = {}
    for kind in ("mean", "sif"):
        counts = ("--counts", place / "model") if kind == "sif" else ()
        run(
            "evaluate", f"{kind}:{place / 'glove.txt'}", "--data", place / "tree", "--tasks", "STS14",
            *counts, "--json", place / f"{kind}.json",
        )  # fmt: skip
        report = Report.read(place / f"{kind}.json")
        names[report.name] = report["STS14"].pearson
    assert list(names) == ["mean:glove.txt", "sif:glove.txt"]
    assert len(set(names.values())) == 2
    on_data = ("--data", place / "tree", "--tasks", "STS14")
    assert "give counts (--counts)" in fail("evaluate", f"sif:{place / 'glove.txt'}", *on_data)
    assert "not for 'tfidf'" in fail("evaluate", "tfidf", *on_data, "--counts", place / "model")
    assert "not for" in fail("evaluate", place / "model", *on_data, "--counts", place / "model")


def test_the_status_is_1_where_nothing_could_be_scored(place, tmp_path):
    shutil.copytree(place / "tree" / "TREC", tmp_path / "TREC")
    model = place / "model"
    assert "none of MR can be run" in fail("evaluate", model, "--data", tmp_path, "--tasks", "MR")
    (tmp_path / "TREC" / "TREC_10.label").write_text("NOSUCH:x who ?\n")
    result = run("evaluate", model, "--data", tmp_path, "--tasks", "TREC", status=1)
    assert "TREC failed: " in result.stderr
    assert result.stderr.splitlines()[-1].startswith("error: no task could be scored - ")


def test_what_would_fail_at_the_end_fails_at_the_beginning(place, tmp_path):
    arguments = ("evaluate", place / "model", "--data", place / "tree")
    for option in ("--json", "--markdown", "--plot", "--plot-norms"):
        line = fail(*arguments, option, tmp_path / "gone" / "file.png")
        assert "does not exist - create it, or choose another" in line
    assert "is a directory" in fail(*arguments, "--json", tmp_path)
    assert "expected one of png, svg, pdf" in fail(*arguments, "--plot", tmp_path / "figure.gif")


def test_mistakes_have_one_line(place):
    model = place / "model"
    assert "got no data - expected --data DIR" in fail("evaluate", model)
    assert "does not exist" in fail("evaluate", model, "--data", place / "gone")
    assert "did you mean 'quick'" in fail(
        "evaluate", model, "--data", place / "tree", "--suite", "quik"
    )
    assert "gone" in fail("evaluate", place / "gone", "--data", place / "tree")


def test_compare_prints_and_writes_tables(place, ran, tmp_path):
    shutil.copy(place / "a.json", tmp_path / "b.json")
    result = run("compare", place / "a.json", tmp_path / "b.json", "--markdown", tmp_path / "c.md")
    for text in ("model (1)", "model (2) against model (1)", "STS14 pearson", "p = 1"):
        assert text in result.stdout
    document = (tmp_path / "c.md").read_text()
    assert document.startswith("# Comparison\n\n## Figures\n")
    assert "| STS14 pearson | +0.0000 | +0.0000 .. +0.0000 | no |" in document
    (tmp_path / "no.json").write_text("{}")
    assert "no.json is no evaluation report" in fail(
        "compare", place / "a.json", tmp_path / "no.json"
    )
    assert "1 report - expected two or more" in fail("compare", place / "a.json")


def test_figures_are_drawn(place, ran, tmp_path):
    pytest.importorskip("matplotlib", reason="figures need the extra plot")
    run("evaluate", place / "model", "--plot-norms", tmp_path / "norms.svg")
    assert b"<svg" in (tmp_path / "norms.svg").read_bytes()
    run("compare", place / "a.json", place / "a.json", "--plot", tmp_path / "both.png")
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")
    run(
        "evaluate", place / "model", "--data", place / "tree", "--tasks", "STS13", "--plot",
        tmp_path / "one.pdf",
    )  # fmt: skip
    assert (tmp_path / "one.pdf").read_bytes().startswith(b"%PDF")


def test_without_matplotlib_evaluate_says_so_before_it_works(place, tmp_path):
    result = run(
        "evaluate", place / "model", "--data", place / "tree", "--plot", tmp_path / "a.png",
        status=1, before="import sys; sys.modules['matplotlib'] = None",
    )  # fmt: skip
    assert "pip install 'sentvec[plot]'" in result.stderr
    assert "done" not in result.stderr
