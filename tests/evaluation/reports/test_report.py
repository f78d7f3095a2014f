"""Reports: values there and back, documents, and the papers' figures as they are printed."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from sentvec import Report, evaluate
from sentvec.errors import FormatError, SettingsError, SourceError
from sentvec.evaluation.methods.correlation import Correlation
from sentvec.evaluation.reports.published import NOT_AVAILABLE
from sentvec.evaluation.reports.results import Items, TaskResult
from sentvec.evaluation.reports.sent2vec_tables import SENT2VEC_TABLES, TABLE_1, TABLE_2, TABLE_4
from sentvec.evaluation.reports.skip_thought_tables import COCO, SICK, SKIP_THOUGHT_TABLES
from sentvec.evaluation.reports.tables import (
    NOT_RUN,
    overview,
    paper_tables,
    set_tables,
    shown,
    style_of,
    value_of,
)
from sentvec.evaluation.tasks.suites import TASKS
from support.learnable import Counting, learnable_tree

PUBLISHED = (*SENT2VEC_TABLES, *SKIP_THOUGHT_TABLES)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    tree = learnable_tree(tmp_path_factory.mktemp("learnable"))
    (tree / "SST" / "fine" / "sentiment-dev").unlink()
    return evaluate(Counting(), data=tree, suite="all", name="counting | words", threads=1)


def made(tasks, **provenance):
    """A report of results that are made up."""
    results = {}
    for name, figures in tasks.items():
        sets = figures.pop("sets", {})
        results[name] = TaskResult(
            name, TASKS[name].title, TASKS[name].kind, figures=figures,
            sets={one: Correlation(*pair, 5) for one, pair in sets.items()},
        )  # fmt: skip
    return Report(results, {}, {"model": {"name": "ours"}, "protocol": "paper", **provenance})


# --- JSON ---------------------------------------------------------------------------------------


def test_a_report_survives_json(report):
    again = Report.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert again.provenance == report.provenance
    assert again.missing == report.missing
    assert list(again) == list(report)
    for name, result in report.items():
        other = again[name]
        assert other.figures == pytest.approx(result.figures, abs=1e-9)
        assert other.protocol == result.protocol
        assert other.remarks == result.remarks
        assert other.coverage == result.coverage
        assert other.penalties == result.penalties
        for one, two in ((other.items.scores, result.items.scores),
                         (other.items.gold, result.items.gold)):  # fmt: skip
            assert one.keys() == two.keys()
            assert all(np.array_equal(one[key], two[key]) for key in one)
        assert np.array_equal(other.items.correct, result.items.correct)
    assert again.to_markdown() == report.to_markdown()


def test_json_says_where_figures_are_from(report):
    values = json.loads(report.to_json())
    assert values["kind"] == "sentvec evaluation report"
    assert set(values["versions"]) == {"sentvec", "python", "numpy", "scipy"}
    assert values["protocol"] == "paper"
    assert values["seed"] == 1234
    assert values["model"]["name"] == "counting | words"
    files = values["tasks"]["MR"]["files"]
    assert list(files) == ["MR/rt-polarity.pos", "MR/rt-polarity.neg"]
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in files.values())
    assert "seconds" not in report.to_json()
    assert set(report.seconds) == set(report)


def test_json_is_valid_where_a_figure_does_not_exist():
    report = made({"SICK": {"pearson": math.nan, "sets": {"all": (math.nan, 0.5)}}})
    text = report.to_json()
    assert "NaN" not in text
    again = Report.from_json(text)
    assert math.isnan(again["SICK"].pearson)
    assert again["SICK"].sets["all"].spearman == 0.5


def test_figures_in_json_have_the_digits_that_do_not_depend_on_threads():
    result = TaskResult(name="MR", title="", kind="", figures={"accuracy": 1 / 3})
    assert result.to_json()["figures"] == {"accuracy": 0.3333333333}


def test_bits_are_as_many_as_items():
    for count in (1, 7, 8, 9, 1000):
        correct = np.arange(count) % 3 == 0
        result = TaskResult("MR", "title", "kind", items=Items(correct=correct))
        again = TaskResult.from_json("MR", json.loads(json.dumps(result.to_json())))
        assert np.array_equal(again.items.correct, correct)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '{"kind": "x"}',
     '{"kind": "sentvec evaluation report", "format": 99, "missing": {}, "tasks": {}}',
     '{"kind": "sentvec evaluation report", "format": 1, "missing": {}, "tasks": []}',
     '{"kind": "sentvec evaluation report", "format": 1, "missing": {}, "tasks": {"MR": 3}}',
     '{"kind": "sentvec evaluation report", "format": 1, "missing": {}, "tasks": {"MR": {}}}'],
)  # fmt: skip
def test_what_is_no_report_is_refused(text, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"report.json is no evaluation report .* expected what"):
        Report.read(path)


def test_a_report_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        Report.read(tmp_path / "gone.json")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="is not UTF-8 text"):
        Report.read(tmp_path / "binary")


# --- what is printed ----------------------------------------------------------------------------


def test_a_printed_report_fits_a_screen_and_has_the_figures_of_every_task(report):
    lines = str(report).splitlines()
    assert len(lines) < 40
    assert max(map(len, lines)) <= 100
    assert lines[0] == "Evaluation of counting | words, protocol paper"
    for name, result in report.items():
        [line] = [line for line in lines if line.split()[0] == name]
        assert shown(*next((v, style_of(k)) for k, v in result.figures.items())) in line
    assert "(mean of 6 subsets)" in str(report)
    assert "(set 'all')" in str(report)
    assert lines[-2:] == [
        "not run, without data: SST5",
        "lower-cased: no (the model's vocabulary is not known)",
    ]


def test_a_printed_report_says_what_failed_in_few_lines():
    failed = TaskResult("MR", "title", "classification", error="the encoder broke " * 50)
    report = Report({"MR": failed}, {}, {"model": {"name": "long " * 50}})
    lines = str(report).splitlines()
    assert any("failed: the encoder broke" in line for line in lines)
    assert len(lines) < 10
    assert max(map(len, lines)) <= 100
    assert str(Report({}, {}, {})) == "Evaluation of ?, protocol ?"


def test_records_are_short_in_an_interpreter(report):
    assert repr(report).startswith("<Report of 'counting | words', protocol paper: MR, CR, ")
    assert len(repr(report)) < 250
    accuracy = f"{report['MR'].accuracy:.4g}"
    assert repr(report["MR"]) == f"<TaskResult MR: accuracy {accuracy}>"
    assert repr(report["MR"].items) == "<Items: 75 correct, 10 folds>"
    assert all(len(repr(result)) < 250 for result in report.values())
    assert all(len(repr(result.items)) < 60 for result in report.values())
    assert repr(TaskResult("MR", "", "", error="broken")) == "<TaskResult MR: failed: broken>"
    assert repr(Items()) == "<Items: none>"


# --- figures ------------------------------------------------------------------------------------


def test_figures_have_names(report):
    result = report["MSRP"]
    assert result.figures == {"accuracy": result.accuracy, "f1": result.f1}
    relatedness = report["SICK-R"]
    assert relatedness.figures == {
        "pearson": relatedness.pearson, "spearman": relatedness.spearman, "mse": relatedness.mse,
    }  # fmt: skip
    with pytest.raises(SettingsError, match="MSRP has no pearson - expected accuracy, f1"):
        _ = result.pearson
    assert report.value("STS14/images/pearson") == report["STS14"].sets["images"].pearson
    assert report.value("STS14/mean/pearson") == report["STS14"].pearson
    for key in ("STS14/accuracy", "STS14/nothing/pearson", "STS17/pearson", "MR/images/pearson"):
        assert report.value(key) is None


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (0.82049, "per cent", "82.0"),
        (1.0, "per cent", "100.0"),
        (0.666, ".00", ".67"),
        (-0.1, ".00", "-.10"),
        (1.0, ".00", "1.00"),
        (0.7, "0.000", "0.700"),
        (0.26871, "0.0000", "0.2687"),
        (4.0, "whole", "4"),
        (math.nan, ".00", "none"),
        (None, ".00", NOT_RUN),
    ],
)
def test_figures_are_shown_as_the_papers_print_them(value, style, text):
    assert shown(value, style) == text


def test_a_report_read_from_json_shows_the_same_figures():
    # the mean of ten folds may miss a number that ends in 5 by the last digit of a float
    value = float(np.nextafter(0.8015, 0))
    again = Report.from_json(made({"MR": {"accuracy": value}}).to_json())
    assert shown(again["MR"].accuracy, "per cent") == shown(value, "per cent") == "80.2"


def test_metrics_have_styles():
    styles = {key: style_of(key) for key in ("MR/accuracy +NB", "MSRP/f1", "SICK/pearson",
              "SICK-R/mse", "COCO/search r@10", "COCO/search median rank")}  # fmt: skip
    assert list(styles.values()) == [
        "per cent", "per cent", "0.0000", "0.0000", "per cent", "whole",
    ]  # fmt: skip


def test_averages_are_those_of_the_paper():
    """From the cells of the paper, the averages the paper prints."""
    for model in ("Sent2Vec uni.", "Sent2Vec uni.+bi.", "SkipThought", "FastSent", "C-PHRASE"):
        tasks, subsets = {}, {}
        for column in TABLE_1.columns[:-1]:
            value = float(TABLE_1.cell(model, column.heading).split()[0]) / 100
            tasks[column.heading] = {"accuracy": value}
        for column in TABLE_2.columns[:-1]:
            pair = map(float, TABLE_2.cell(model, column.heading).split("/"))
            spearman, pearson = pair
            name = column.keys[0].removesuffix("/spearman").removeprefix("STS14/")
            subsets[name] = (pearson, spearman)
        sick = dict(zip(("pearson", "spearman"), subsets.pop("SICK"), strict=True))
        found = made({**tasks, "STS14": {"sets": subsets}, "SICK": sick})
        printed = {one[0]: one[1:] for one in SENT2VEC_TABLES[2].rows}
        names = {"Sent2Vec uni.": "Sent2Vec books uni. (Toronto books)",
                 "Sent2Vec uni.+bi.": "Sent2Vec books uni.+bi. (Toronto books)",
                 "C-PHRASE": "C-PHRASE (2.8B words, parse info)"}  # fmt: skip
        macro = printed[names.get(model, f"{model} (Toronto books)")]
        for key, text in zip(("supervised", "unsupervised", "macro"), macro, strict=True):
            # from rounded cells, so to a unit of the last digit
            value = value_of(found, f"average/{key}")
            assert 100 * value == pytest.approx(float(text), abs=0.11), (model, key)
        both = [value_of(found, f"average/{one}") for one in ("spearman", "pearson")]
        expected = [float(one) for one in TABLE_2.cell(model, "Avg.").split("/")]
        assert both == pytest.approx(expected, abs=0.0101)


def test_an_average_needs_all_its_figures():
    found = made({name: {"accuracy": 0.5} for name in ("MSRP", "MR", "CR", "SUBJ", "MPQA")})
    assert value_of(found, "average/supervised") is None
    assert value_of(found, "average/macro") is None


# --- tables -------------------------------------------------------------------------------------


def test_the_overview_has_every_task_with_the_papers_figure(report):
    rows = {row[0]: row[1:] for row in overview(report).rows}
    assert set(rows) == set(TASKS)
    assert rows["SST5"] == (NOT_RUN, "", "")
    assert rows["MR"][:2] == (f"accuracy {100 * report['MR'].accuracy:.1f}", "75.8")
    assert rows["MSRP"][1] == "72.5 / 80.8 accuracy / F1"
    assert rows["SICK"][1] == ".62/.70 Spearman/Pearson"
    assert rows["MR"][2] == "unknown"


def test_all_three_means_are_printed_and_named(report):
    (table,) = [one for one in set_tables(report) if one.title.startswith("STS14")]
    names = [row[0] for row in table.rows]
    assert names[-3:] == ["mean", "mean weighted by pairs", "concatenation"]
    assert table.note == "The summary uses the mean of the subsets"
    column = {row[0]: row[-1] for row in table.rows}
    assert column["tweet-news"] == "0.7315"
    assert column["images"] == NOT_AVAILABLE
    assert column["mean"] == ""


def test_our_row_stands_above_each_table_of_the_papers(report):
    tables = {one.source: one for one in paper_tables(report)}
    assert set(tables) == {one.source for one in PUBLISHED}
    for published in PUBLISHED:
        table = tables[published.source]
        assert table.rows[table.ours :] == published.rows
        assert table.rows[0][0] == report.name
        assert len(table.rows[0]) == len(published.rows[0])
        assert NOT_RUN not in table.rows[0]
    result = report["COCO"].figures
    expected = [shown(value, style_of(name)) for name, value in result.items()]
    assert list(tables[COCO.source].rows[0][1:]) == expected


def test_extra_features_have_a_row_of_their_own():
    tables = paper_tables(
        made({"MR": {"accuracy": 0.7, "accuracy +NB": 0.8}, "MSRP": {"accuracy": 0.6,
              "f1": 0.7, "accuracy +feats": 0.65, "f1 +feats": 0.75}})
    )  # fmt: skip
    by_source = {one.source.rpartition(", ")[2]: one for one in tables}
    rows = by_source["table 1"].rows[: by_source["table 1"].ours]
    assert [row[:3] for row in rows] == [
        ("ours", "60.0 / 70.0", "70.0"),
        ("ours +NB", NOT_RUN, "80.0"),
        ("ours +feats", "65.0 / 75.0", NOT_RUN),
    ]


def test_quick_accuracies_do_not_stand_beside_the_papers():
    tasks = {"MR": {"accuracy": 0.7}, "SICK": {"pearson": 0.7, "spearman": 0.6}}
    quick, paper = made(tasks, protocol="quick"), made(tasks)
    sources = [[one.source.rpartition(" ")[2] for one in paper_tables(each)] for each in
               (quick, paper)]  # fmt: skip
    assert sources[0] == ["2", "7"]
    assert set(sources[0]) < set(sources[1])
    assert overview(quick).rows[0][2] == ""
    assert overview(paper).rows[0][2] == "75.8"
    assert "cannot be compared with those of the papers" in quick.to_markdown()
    assert "cannot be compared with those of the papers" not in paper.to_markdown()
    senteval = made(tasks, protocol="senteval")
    assert "follow the protocol paper, ours follow senteval" in overview(senteval).note
    notes = {one.source.rpartition(" ")[2]: one.note for one in paper_tables(senteval)}
    for place, note in notes.items():
        is_marked = note.startswith(
            "Our accuracies follow the protocol senteval, not that of the papers"
        )
        assert is_marked == (place not in "27"), place
    assert "Avg. uses the accuracy of MSRP" in notes["1"]
    assert not any("Our accuracies" in one.note for one in paper_tables(paper))


def test_the_document_tells_all(report):
    text = report.to_markdown()
    for name in report:
        assert f"### {name}: {TASKS[name].title}" in text
        assert f"- {name}: {report[name].protocol}" in text
    for wanted in ("Tasks without data", "SST/fine/sentiment-dev is missing", "not available",
                   "STS 2017", "gives no figures", "mean weighted by pairs", "counting \\| words",
                   "lowercase because", "BLAKE2b", TABLE_4.source):  # fmt: skip
        assert wanted in text, wanted
    widths = [
        {row.replace("\\|", "").count("|") for row in block.split("\n") if row.startswith("|")}
        for block in text.split("\n\n")
    ]
    assert all(len(one) <= 1 for one in widths)


# --- the papers' figures ------------------------------------------------------------------------


def normal(text):
    return re.sub(r"\s+", " ", text.replace("–", "-").replace("\t", " | ")).strip()


def test_sent2vec_figures_stand_in_the_card_digit_by_digit(shared):
    card = normal((shared / "papers" / "sent2vec_card.md").read_text())
    for number in (0, 1, 4, 5):  # tables 1, 2, 6, 7
        for model, *cells in SENT2VEC_TABLES[number].rows:
            if set(cells) != {NOT_AVAILABLE}:
                row = " | ".join(cells)
                # between name and cells table 1 has a column for the training data
                assert re.search(rf"\| {re.escape(model)} \|[^|]*\|? ?{re.escape(row)} \|", card), (
                    model
                )
    for model, *cells in SENT2VEC_TABLES[2].rows:
        assert re.search(
            rf"{re.escape(model.partition(' (')[0])} \| {re.escape(' | '.join(cells))} \|", card
        )
    by_metric = zip(*(row[1:] for row in TABLE_4.rows), strict=True)
    for label, cells in zip(
        ("STS 2014", "SICK 2014", "Supervised average"), by_metric, strict=True
    ):
        assert f"| {label} | {' | '.join(cells)} |" in card


def test_skip_thought_figures_stand_in_the_summary_digit_by_digit(shared):
    card = normal(
        (shared / "papers" / "skip_thought_summary.txt").read_text().replace("\n", " \n ")
    )
    for table in SKIP_THOUGHT_TABLES:
        for row in table.rows:
            assert f" {' | '.join(row)} " in f" {card} ", row


def test_the_one_figure_of_siamese_cbow_is_that_of_its_paper(shared):
    card = (shared / "papers" / "siamese_cbow_summary.txt").read_text()
    assert "On 2014 tweet-news, it reaches 0.7315 Pearson" in card


def test_tables_of_the_papers_are_whole():
    for table in PUBLISHED:
        assert all(len(row) == len(table.columns) + 1 for row in table.rows)
        assert len({row[0] for row in table.rows}) == len(table.rows)
        for column in table.columns:
            for key in column.keys:
                task = key.partition("/")[0]
                assert task == "average" or task in TASKS
    assert SICK.cell("combine-skip", "r") == "0.8584"
    assert TABLE_2.cell("Siamese C-BOW", "SICK") == "-"
