"""Naive-Bayes n-grams and surface features, against counts made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.naive_bayes import NgramTable, ngrams, surface_features

SENTENCES = [["a", "b"], ["a", "a", "c"], [], ["c", "d"]]


def test_ngrams_are_words_and_neighbours():
    assert list(ngrams(["x", "y", "z"])) == [("x",), ("y",), ("z",), ("x", "y"), ("y", "z")]
    assert list(ngrams(["x"])) == [("x",)]
    assert list(ngrams([])) == []


def test_values_are_log_ratios_of_smoothed_shares_of_the_counted_rows():
    labels = np.array([1, 0, 1, 0])
    rows = np.array([True, True, True, False])
    found = NgramTable.of(SENTENCES).features(labels, rows).toarray()
    # n-grams of the first three: a, b, "a b" (class 1); a twice, c, "a a", "a c" (class 0)
    counts = {"a": (1, 2), "b": (1, 0), "a b": (1, 0), "c": (0, 1), "a a": (0, 1), "a c": (0, 1)}
    totals = [sum(1 + count[side] for count in counts.values()) for side in (0, 1)]
    ratio = {
        gram: np.log((1 + one) / totals[0] / ((1 + other) / totals[1]))
        for gram, (one, other) in counts.items()
    }
    assert found.shape == (4, 6)
    for row, grams in enumerate([["a", "b", "a b"], ["a", "c", "a a", "a c"], [], ["c"]]):
        expected = sorted(ratio[gram] for gram in grams)
        assert sorted(found[row][found[row] != 0]) == pytest.approx(expected)


def test_other_classes_are_refused():
    with pytest.raises(SettingsError, match=r"classes \[0, 1, 2\] - expected two"):
        NgramTable.of(SENTENCES).features(np.array([0, 1, 2, 0]), np.ones(4, np.bool_))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("no numbers", "no numbers here", [1, 0, 1, 1, 2 / 3, (2 / 3 + 3 / 2) / 2]),
        ("5 men", "5 men", [1, 1, 1, 1, 1, 1]),
        ("5 men", "men", [0, 0, 1, 0.5, 1, (2 + 0.5) / 2]),
        ("5 men", "6 men", [0, 0, 0, 0.5, 0.5, 1]),
        ("5 6 5", "6 5", [1, 1, 1, 1, 1, (3 / 2 + 2 / 3) / 2]),
        ("nan 1e3", "inf", [0, 0, 0, 0, 0, (2 + 0.5) / 2]),
        ("", "5", [0, 0, 1, 0, 0, 0]),
        ("", "", [1, 0, 1, 0, 0, 0]),
    ],
)
def test_surface_features(left, right, expected):
    found = surface_features([left.split()], [right.split()])
    assert found.shape == (1, 6)
    assert found[0] == pytest.approx(expected)


def test_surface_features_of_no_pairs_and_of_odd_ones():
    assert surface_features([], []).shape == (0, 6)
    with pytest.raises(SettingsError, match="1 left and 0 right"):
        surface_features([["a"]], [])
