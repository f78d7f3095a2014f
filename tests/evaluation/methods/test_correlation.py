"""Correlations, their sums, and tests of differences: against scipy and by planted data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.correlation import aggregate, correlate, is_constant, ranks
from sentvec.evaluation.methods.significance import (
    _drawn_differences,
    bootstrap_difference,
    fold_difference,
    mcnemar,
)

COLUMN = st.lists(st.integers(-5, 5), min_size=12, max_size=12).filter(lambda c: len(set(c)) > 1)


@given(COLUMN, COLUMN)
@settings(max_examples=50)
def test_correlations_are_those_of_scipy_with_ties(x, y):
    found = correlate(x, y)
    assert found.pearson == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert found.spearman == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert ranks(np.array(x, float)).tolist() == stats.rankdata(x).tolist()


def test_an_offset_costs_no_digits():
    x = np.random.default_rng(0).standard_normal(100)
    y = x + np.random.default_rng(1).standard_normal(100)
    assert correlate(1e6 + x, y).pearson == pytest.approx(correlate(x, y).pearson, abs=1e-9)


@pytest.mark.parametrize("constant", [[1.0] * 5, [0.0] * 5, [1, 1 - 1e-16, 1, 1 + 2e-16, 1]])
def test_a_constant_has_no_correlation_and_no_warning(constant):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for found in (correlate(constant, range(5)), correlate(range(5), constant)):
            assert np.isnan([found.pearson, found.spearman]).all()
            assert found.n_pairs == 5
        sets = {"a": (range(5), range(5)), "b": (constant, range(5))}
        both = aggregate(sets)
        assert np.isnan([both.mean.pearson, both.weighted.spearman]).all()
        assert np.isfinite(both.concatenated.pearson)
        found = bootstrap_difference([(constant, range(5), range(5))], samples=10)
        assert np.isnan([found.difference, found.low, found.high]).all()
    assert not is_constant(np.array([1.0, 1.0 + 1e-6]))


def test_the_three_aggregates():
    random = np.random.default_rng(0)
    sets = {}
    for name, size, noise in (("a", 20, 0.1), ("b", 60, 2.0)):
        gold = random.standard_normal(size)
        sets[name] = (gold + noise * random.standard_normal(size) + (name == "b"), gold)
    one, other = (stats.pearsonr(*pair).statistic for pair in sets.values())
    found = aggregate(sets)
    assert found.mean.pearson == pytest.approx((one + other) / 2)
    assert found.weighted.pearson == pytest.approx((one * 20 + other * 60) / 80)
    whole = [np.concatenate([pair[side] for pair in sets.values()]) for side in (0, 1)]
    assert found.concatenated.pearson == pytest.approx(stats.pearsonr(*whole).statistic)
    assert found.concatenated.spearman == pytest.approx(stats.spearmanr(*whole).statistic)
    assert found.mean.n_pairs == found.weighted.n_pairs == found.concatenated.n_pairs == 80
    ranked = [stats.spearmanr(*pair).statistic for pair in sets.values()]
    assert found.weighted.spearman == pytest.approx((ranked[0] * 20 + ranked[1] * 60) / 80)


def test_what_cannot_be_correlated_is_refused():
    for x, y in (([1, 2], [1, 2, 3]), ([1], [1]), ([[1, 2]], [[1, 2]])):
        with pytest.raises(SettingsError, match="columns of equal length"):
            correlate(x, y)
    with pytest.raises(SettingsError, match=r"1 of 3 scores .* row 1 .* encoder"):
        correlate([1, np.nan, 2], [1, 2, 3])
    with pytest.raises(SettingsError, match="no sets"):
        aggregate({})


# --- differences --------------------------------------------------------------------------------


def two_models(n=200, seed=0):
    random = np.random.default_rng(seed)
    gold = np.round(random.uniform(0, 5, n) * 4) / 4
    return gold + 2 * random.standard_normal(n), gold + random.standard_normal(n), gold


@pytest.mark.parametrize("statistic", ["pearson", "spearman"])
def test_draws_by_counts_are_draws_of_rows(statistic):
    columns = two_models(n=30)
    columns[0][:10] = columns[0][10:20]  # ties
    found = _drawn_differences(*columns, statistic, 40, np.random.default_rng(5))
    measure = stats.pearsonr if statistic == "pearson" else stats.spearmanr
    for draw, rows in zip(found, np.random.default_rng(5).integers(30, size=(40, 30)), strict=True):
        one, other, gold = (column[rows] for column in columns)
        expected = measure(other, gold).statistic - measure(one, gold).statistic
        assert draw == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("statistic", ["pearson", "spearman"])
def test_a_planted_difference_is_found_and_none_where_there_is_none(statistic):
    one, other, gold = two_models()
    found = bootstrap_difference([(one, other, gold)], statistic)
    assert 0 < found.low < found.difference < found.high
    assert bootstrap_difference([(other, one, gold)], statistic).high < 0
    third = gold + 2 * np.random.default_rng(9).standard_normal(len(gold))
    found = bootstrap_difference([(one, third, gold)], statistic)
    assert found.low < 0 < found.high
    same = bootstrap_difference([(one, one, gold)], statistic)
    assert same.difference == same.low == same.high == 0


def test_intervals_of_the_bootstrap_hold_the_true_difference_as_often_as_they_say():
    held = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        gold = random.standard_normal(80)
        one, other = (gold + random.standard_normal(80) for _ in range(2))
        found = bootstrap_difference([(one, other, gold)], samples=300, level=0.9)
        held += found.low <= 0 <= found.high
    assert 80 <= held <= 98


def test_several_sets_give_the_difference_of_the_means():
    sets = [two_models(n=100, seed=seed) for seed in (1, 2)]
    found = bootstrap_difference(sets, samples=500)
    alone = [bootstrap_difference([columns], samples=500) for columns in sets]
    assert found.difference == pytest.approx(np.mean([part.difference for part in alone]))
    assert found.high - found.low < max(part.high - part.low for part in alone)
    assert found == bootstrap_difference(sets, samples=500)
    assert found != bootstrap_difference(sets, samples=500, seed=1)


def test_mcnemar_is_the_binomial_test_of_the_disagreements():
    gold = np.ones(30, int)
    one, other = np.ones(30, int), np.ones(30, int)
    one[:9], other[5:7], other[20:22] = 0, 0, 0
    found = mcnemar(one, other, gold)
    assert (found.only_first, found.only_second) == (2, 7)
    assert found.p_value == pytest.approx(stats.binomtest(2, 9).pvalue)
    assert mcnemar(gold, gold, gold).p_value == 1.0
    with pytest.raises(SettingsError, match="columns of equal length"):
        mcnemar(gold, gold, gold[:3])


def test_fold_differences_are_students_interval_wider_when_corrected():
    one = [0.70, 0.72, 0.71, 0.69, 0.73]
    other = [0.74, 0.73, 0.75, 0.70, 0.78]
    plain = fold_difference(one, other, corrected=False)
    expected = stats.ttest_rel(other, one).confidence_interval(0.95)
    assert (plain.low, plain.high) == pytest.approx((expected.low, expected.high))
    wide = fold_difference(one, other)
    assert wide.difference == plain.difference == pytest.approx(0.03)
    assert (wide.high - wide.low) / (plain.high - plain.low) == pytest.approx(1.5)


@pytest.mark.parametrize("level", [0, 1, 1.5])
def test_levels_outside_0_and_1_are_refused(level):
    with pytest.raises(SettingsError, match="level"):
        fold_difference([0.1, 0.2], [0.1, 0.3], level=level)
    with pytest.raises(SettingsError, match="level"):
        bootstrap_difference([two_models()], level=level)
