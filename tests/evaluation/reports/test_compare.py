"""Two reports: their differences, with intervals and tests, and figures of them."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from sentvec import Report, evaluate
from sentvec.errors import SettingsError
from sentvec.evaluation.methods.correlation import pearson
from sentvec.evaluation.reports.compare import compare, compare_tables, names_of
from sentvec.evaluation.reports.figures import (
    check_plotting,
    comparison_figure,
    figure_format,
    norms_figure,
    save,
)
from support.learnable import WORDS, Answering, Counting, learnable_tree

TASKS = "MR,MSRP,SICK-R,STS14,SICK,COCO"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return learnable_tree(tmp_path_factory.mktemp("learnable"))


@pytest.fixture(scope="module")
def good(tree):
    return evaluate(Counting(), data=tree, tasks=TASKS, name="good", threads=1)


@pytest.fixture(scope="module")
def bad(tree):
    """A model that knows every fourth word."""
    report = evaluate(Counting(WORDS[::4]), data=tree, tasks=TASKS, name="bad", threads=1)
    return Report.from_json(report.to_json())


def differences(first, second, **options):
    return {one.key: one for one in compare(first, second, samples=300, **options)}


def test_each_figure_has_its_difference(good, bad):
    found = differences(good, bad)
    assert [*found] == [f"{name}/{one}" for name in good for one in good[name].figures]
    for key, one in found.items():
        assert one.first == good.value(key)
        assert one.second == pytest.approx(bad.value(key))
        assert one.difference == pytest.approx(bad.value(key) - good.value(key))


@pytest.mark.parametrize("key", ["STS14/pearson", "STS14/spearman", "SICK/pearson",
                                 "SICK/spearman", "SICK-R/pearson", "MR/accuracy"])  # fmt: skip
def test_the_interval_of_a_clear_difference_is_on_one_side(good, bad, key):
    one = differences(good, bad)[key]
    assert one.interval.difference == pytest.approx(one.difference, abs=1e-6)
    assert one.interval.low < one.difference < one.interval.high < 0
    assert one.is_clear
    assert one.test is None


def test_the_headline_of_sts_is_a_mean_over_its_subsets_and_that_of_sick_is_over_all_pairs(good):
    items = good["SICK"].items
    scores, gold = (np.concatenate(list(one.values())) for one in (items.scores, items.gold))
    assert pearson(scores, gold) == pytest.approx(good["SICK"].pearson, abs=1e-6)
    means = [pearson(items.scores[name], items.gold[name]) for items in [good["STS14"].items]
             for name in items.scores]  # fmt: skip
    assert np.mean(means) == pytest.approx(good["STS14"].pearson, abs=1e-6)


def test_accuracies_on_a_test_part_are_tested_by_who_was_right(good, bad):
    one = differences(good, bad)["MSRP/accuracy"]
    first, second = good["MSRP"].items.correct, bad["MSRP"].items.correct
    assert one.test.only_first == np.sum(first & ~second)
    assert one.test.only_second == np.sum(~first & second)
    assert one.interval is None


def test_a_report_does_not_differ_from_itself(good):
    for one in differences(good, good).values():
        assert one.difference == 0
        assert not one.is_clear
        assert one.interval is None or (one.interval.low, one.interval.high) == (0, 0)


def test_what_has_no_test_says_so(good, bad):
    found = differences(good, bad)
    for key in ("MSRP/f1", "SICK-R/mse", "COCO/search r@1"):
        assert found[key].mark == "no test for this figure"


def test_runs_of_other_data_or_protocols_are_marked_and_not_tested(tree, good, tmp_path):
    shutil.copytree(tree, tmp_path, dirs_exist_ok=True)
    with (tmp_path / "MR" / "rt-polarity.pos").open("a") as file:
        file.write("ba be\n")
    other = evaluate(Counting(), data=tmp_path, tasks="MR,MSRP", protocol="senteval", name="other")
    found = differences(good, other)
    assert found["MR/accuracy"].mark == "different data"
    assert found["MSRP/accuracy"].mark == "different protocol"
    assert found["SICK/pearson"].mark == "not run"
    for one in found.values():
        assert one.interval is one.test is None
        assert not one.is_clear
    text = "\n".join(" ".join(row) for one in compare_tables([good, other]) for row in one.rows)
    assert "different data" in text
    assert "different protocol" in text


def test_a_correlation_that_does_not_exist_has_no_clear_difference(tree, good):
    constant = Answering(lambda rows: np.ones((len(rows), 2)))
    other = evaluate(constant, data=tree, tasks="STS14,SICK", name="constant")
    one = differences(good, other)["STS14/pearson"]
    assert np.isnan(one.difference)
    assert not one.is_clear
    _, against = compare_tables([good, other], samples=100)
    assert {row[0]: row[1:] for row in against.rows}["STS14 pearson"] == ("none", "", "-")
    assert "nan" not in str(against)


def test_a_task_that_failed_is_told_from_one_that_was_not_run(tree, good):
    # the 270 sentences of STS 2014 go to the model at once
    failing = Answering(lambda rows: rows * np.nan if len(rows) == 270 else rows)
    other = evaluate(failing, data=tree, tasks="STS14,SICK", name="failing")
    found = differences(good, other)
    assert found["STS14/pearson"].mark == "error"
    assert found["MR/accuracy"].mark == "not run"
    figures, against = compare_tables([good, other], samples=100)
    assert {row[0]: row[2] for row in figures.rows}["STS14 pearson"] == "error"
    assert {row[0]: row[1] for row in against.rows}["STS14 pearson"] == "error"


def test_tables_show_all_reports_and_each_against_the_first(good, bad):
    tables = compare_tables([good, bad, good], samples=100)
    assert [one.title for one in tables] == [
        "Figures",
        "bad against good (1)",
        "good (3) against good (1)",
    ]
    assert tables[0].headings == ("figure", "good (1)", "bad", "good (3)")
    rows = {row[0]: row[1:] for row in tables[1].rows}
    assert rows["STS14 pearson"][2] == "yes"
    assert re.fullmatch(r"-0\.\d{4} \.\. -0\.\d{4}", rows["STS14 pearson"][1])
    assert re.fullmatch(r"-\d+\.\d", rows["MR accuracy"][0])
    assert rows["MSRP accuracy"][1].startswith("p = ")
    assert {row[3] for row in tables[2].rows} == {"no", "-"}
    assert {row[1] for row in tables[2].rows} <= {"+0.0000", "+0.0"}


def test_the_same_comparison_twice_is_the_same(good, bad):
    assert compare_tables([good, bad], samples=100) == compare_tables([good, bad], samples=100)
    other = compare_tables([good, bad], samples=100, seed=3)
    assert other != compare_tables([good, bad], samples=100)


def test_what_cannot_be_compared_is_refused(tree, good):
    with pytest.raises(SettingsError, match="1 report - expected two or more"):
        compare_tables([good])
    other = evaluate(Counting(), data=tree, tasks="STS13", name="other")
    message = r"no task in common \(good: MR, .*; other: STS13\)"
    with pytest.raises(SettingsError, match=message):
        compare_tables([good, other])


def test_models_of_one_name_are_numbered(good, bad):
    assert names_of([good, bad]) == ["good", "bad"]
    assert names_of([good, bad, good]) == ["good (1)", "bad", "good (3)"]


# --- figures ------------------------------------------------------------------------------------


def test_the_format_of_a_figure_is_the_end_of_its_name():
    assert figure_format("a/b.PNG") == "png"
    for name in ("a", "a.gif", "png"):
        with pytest.raises(SettingsError, match="expected one of png, svg, pdf"):
            figure_format(name)


def test_without_matplotlib_the_extra_is_named():
    code = """
import sys
sys.modules["matplotlib"] = None
from sentvec.errors import MissingExtraError
from sentvec.evaluation.reports.figures import check_plotting
try:
    check_plotting()
except MissingExtraError as error:
    print(error)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert (
        result.stdout == "figures need matplotlib - install it with: pip install 'sentvec[plot]'\n"
    )


@pytest.fixture
def matplotlib():
    pytest.importorskip("matplotlib", reason="figures need the extra plot")
    check_plotting()


def written(figure, kind="png"):
    file = io.BytesIO()
    save(figure, file, kind)
    return file.getvalue()


def bars(axes):
    return {one.get_label(): [bar.get_height() for bar in one] for one in axes.containers}


def test_the_comparison_figure_has_a_bar_for_each_figure_of_each_report(matplotlib, good, bad):
    figure = comparison_figure([good, bad])
    accuracies, correlations = map(bars, figure.axes)
    assert list(accuracies) == ["good", "bad", "Sent2Vec uni.+bi. (paper)"]
    assert accuracies["bad"] == pytest.approx([100 * bad[name].accuracy for name in ("MR", "MSRP")])
    assert accuracies["Sent2Vec uni.+bi. (paper)"] == [75.8, 72.5]
    assert len(correlations["good"]) == 8  # six subsets, SICK, SICK-R
    assert correlations["Sent2Vec uni.+bi. (paper)"][:7] == [
        0.67,
        0.51,
        0.68,
        0.75,
        0.79,
        0.62,
        0.70,
    ]
    for kind, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        assert written(comparison_figure([good, bad]), kind).startswith(start)


def test_a_figure_of_one_kind_of_task_has_one_half(matplotlib, tree):
    report = evaluate(Counting(), data=tree, tasks="MR", protocol="quick", name="one")
    left, right = comparison_figure([report]).axes
    assert list(bars(left)) == ["one"]  # the paper's accuracies are of another protocol
    assert not right.axison
    with pytest.raises(SettingsError, match="no accuracy and no correlation"):
        comparison_figure([evaluate(Counting(), data=tree, tasks="COCO")])


def test_the_figure_of_norms_has_a_point_a_word_and_the_weights(matplotlib):
    counts, norms = np.array([1000, 100, 10, 1, 0]), np.array([1.0, 4.0, 3.0, 2.0, 9.0])
    figure = norms_figure(counts, norms, "model")
    left, right = figure.axes
    points = left.collections[0].get_offsets()
    assert np.asarray(points) == pytest.approx(np.c_[counts[:4] / 1111, norms[:4]])
    x, y = right.lines[0].get_data()
    assert y == pytest.approx(1e-3 / (1e-3 + x))
    assert left.get_xscale() == "log"
    assert written(figure).startswith(b"\x89PNG")
    for unknown in ([0, 0], [1, 1]):
        with pytest.raises(
            SettingsError, match="has no word counts, or equal ones - expected counts"
        ):
            norms_figure(unknown, [1.0, 1.0], "vectors.txt")
