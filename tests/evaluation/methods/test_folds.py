"""Folds: the same as scikit-learn's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.folds import plain_folds, shuffled, stratified_folds


def as_folds(splitter, labels):
    folds = np.empty(len(labels), int)
    for fold, (_, held_out) in enumerate(splitter.split(np.zeros(len(labels)), labels)):
        folds[held_out] = fold
    return folds


@pytest.mark.parametrize("n", [10, 11, 19, 103])
@pytest.mark.parametrize("seed", [None, 0, 1234])
def test_plain_folds_are_those_of_kfold(n, seed):
    selection = pytest.importorskip("sklearn.model_selection")
    splitter = selection.KFold(10, shuffle=seed is not None, random_state=seed)
    assert np.array_equal(plain_folds(n, 10, seed), as_folds(splitter, np.zeros(n)))


@pytest.mark.parametrize("seed", [0, 1111])
@pytest.mark.parametrize("labels", ["sorted", "mixed", "rare", "late"])
def test_stratified_folds_are_those_of_stratifiedkfold(labels, seed):
    selection = pytest.importorskip("sklearn.model_selection")
    y = {
        "sorted": np.repeat([1, 0], [53, 31]),
        "mixed": np.random.default_rng(3).integers(0, 6, 101),
        "rare": np.array([2] * 40 + [0] * 3 + [1] * 20),
        "late": np.array([9, 9, 9, 3, 3, 9, 9, 3, 1, 1, 1, 1, 9, 3] * 3),
    }[labels]
    splitter = selection.StratifiedKFold(5, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the class with three members
        expected = as_folds(splitter, y)
    assert np.array_equal(stratified_folds(y, 5, seed), expected)


def test_shuffled_folds_are_the_folds_of_shuffled_rows():
    order = shuffled(57, 1234)
    folds = np.empty(57, int)
    folds[order] = plain_folds(57, 10)
    assert np.array_equal(folds, plain_folds(57, 10, 1234))
    assert np.array_equal(shuffled(5, None), np.arange(5))


def test_folds_that_cannot_be_made_are_refused():
    with pytest.raises(SettingsError, match="10 folds of 9 rows"):
        plain_folds(9, 10)
    with pytest.raises(SettingsError, match="1 folds of 9 rows"):
        plain_folds(9, 1)
    with pytest.raises(SettingsError, match="no class has 3 rows, one for each fold"):
        stratified_folds(np.array([0, 0, 1, 1]), 3, 0)
