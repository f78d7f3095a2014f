"""The classification protocols: against the same protocol written with scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.classify import cv_then_test, dev_then_test, nested_cv, plain_cv
from sentvec.evaluation.methods.protocols import (
    PAPER,
    QUICK,
    SENTEVAL,
    f1_score,
    first_best,
    mean_scores,
    order_of,
)
from support.planted import planted

POWERS = [2.0**power for power in range(9)]


def sklearn_model(penalty):
    linear_model = pytest.importorskip("sklearn.linear_model")
    multiclass = pytest.importorskip("sklearn.multiclass")
    model = linear_model.LogisticRegression(
        solver="liblinear", C=penalty, tol=1e-10, max_iter=100_000
    )
    return multiclass.OneVsRestClassifier(model)


def sklearn_choice(x, y, splits, grid, metric, digits=12):
    """The C of the first best mean score, and that score."""
    metrics = pytest.importorskip("sklearn.metrics")
    score = {"accuracy": metrics.accuracy_score, "f1": metrics.f1_score}[metric]
    means = []
    for penalty in grid:
        scores = []
        for train, held_out in splits:
            model = sklearn_model(penalty).fit(x[train], y[train])
            scores.append(score(y[held_out], model.predict(x[held_out])))
        means.append(np.round(np.mean(scores), digits))
    return grid[int(np.argmax(means))], max(means)


def small(protocol, folds=4):
    grid = (1.0, 8.0, 64.0)
    return type(protocol)(
        protocol.name, folds, protocol.seed, protocol.stratified, grid, grid, protocol.digits
    )


def test_the_grids_and_folds_of_the_protocols():
    assert (PAPER.split, PAPER.cross) == (tuple(POWERS), tuple(POWERS))
    assert (PAPER.folds, PAPER.seed, PAPER.stratified) == (10, 1234, False)
    assert SENTEVAL.split == (0.25, 0.5, 1, 2, 4, 8)
    assert SENTEVAL.cross == (0.5, 1, 2, 4, 8, 16, 32)
    assert (SENTEVAL.folds, SENTEVAL.seed, SENTEVAL.stratified) == (10, 1111, True)
    assert (QUICK.folds, QUICK.stratified, QUICK.cross) == (5, True, tuple(POWERS))


def test_the_nested_paper_protocol_is_that_of_kfold_after_one_shuffle():
    selection = pytest.importorskip("sklearn.model_selection")
    x, y = planted(n=123, noise=1.0)
    protocol = small(PAPER)
    order = np.arange(123)
    np.random.RandomState(1234).shuffle(order)
    sx, sy = x[order].astype(float), y[order]
    accuracies, chosen, predictions = [], [], np.empty(123, int)
    for train, test in selection.KFold(4).split(sx):
        inner = list(selection.KFold(4).split(train))
        penalty, _ = sklearn_choice(sx[train], sy[train], inner, protocol.split, "accuracy")
        predicted = sklearn_model(penalty).fit(sx[train], sy[train]).predict(sx[test])
        accuracies.append(np.mean(predicted == sy[test]))
        chosen.append(penalty)
        predictions[order[test]] = predicted
    found = nested_cv(x, y, protocol)
    assert found.fold_accuracies == pytest.approx(accuracies)
    assert found.accuracy == pytest.approx(np.mean(accuracies))
    assert list(found.penalties) == chosen
    assert np.array_equal(found.predictions, predictions)
    assert found.f1 is None
    assert "4 folds, of rows shuffled once (seed 1234)" in found.protocol


def test_the_nested_senteval_protocol_is_stratified_and_sorted_by_length_and_label():
    selection = pytest.importorskip("sklearn.model_selection")
    x, y = planted(n=123, noise=1.0)
    lengths = np.random.default_rng(1).integers(3, 9, 123)
    protocol = small(SENTEVAL)
    order = np.array(sorted(range(123), key=lambda i: (lengths[i], y[i])))
    sx, sy = x[order].astype(float), y[order]
    splitter = selection.StratifiedKFold(4, shuffle=True, random_state=1111)
    accuracies, chosen = [], []
    for train, test in splitter.split(sx, sy):
        inner = list(splitter.split(train, sy[train]))
        penalty, _ = sklearn_choice(sx[train], sy[train], inner, protocol.split, "accuracy", 4)
        accuracies.append(
            sklearn_model(penalty).fit(sx[train], sy[train]).score(sx[test], sy[test])
        )
        chosen.append(penalty)
    found = nested_cv(x, y, protocol, lengths=lengths)
    assert found.fold_accuracies == pytest.approx(accuracies)
    assert list(found.penalties) == chosen
    assert nested_cv(x, y, protocol).fold_accuracies != pytest.approx(accuracies)


def test_pairs_are_sorted_by_the_left_length_then_the_right_then_the_label():
    lengths = np.array([[2, 5], [1, 9], [2, 4], [2, 4], [1, 9]])
    labels = np.array([0, 1, 1, 0, 0])
    assert order_of(labels, SENTEVAL, None, lengths).tolist() == [4, 1, 3, 2, 0]
    assert order_of(labels, SENTEVAL, None, None).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("select", ["accuracy", "f1"])
def test_train_and_test_by_shuffled_folds(select):
    selection = pytest.importorskip("sklearn.model_selection")
    metrics = pytest.importorskip("sklearn.metrics")
    x, y = planted(n=160, noise=1.0)
    protocol = small(PAPER)
    splits = list(selection.KFold(4, shuffle=True, random_state=1234).split(x[:120]))
    penalty, score = sklearn_choice(x[:120].astype(float), y[:120], splits, protocol.cross, select)
    predicted = sklearn_model(penalty).fit(x[:120].astype(float), y[:120]).predict(x[120:])
    found = cv_then_test((x[:120], y[:120]), (x[120:], y[120:]), protocol, select=select)
    assert found.penalties == (penalty,)
    assert found.selection == pytest.approx((score,))
    assert np.array_equal(found.predictions, predicted)
    assert found.accuracy == pytest.approx(np.mean(predicted == y[120:]))
    assert found.f1 == pytest.approx(metrics.f1_score(y[120:], predicted))
    assert found.fold_accuracies == ()


def test_several_classes_by_one_against_the_rest():
    selection = pytest.importorskip("sklearn.model_selection")
    x, y = planted(n=200, classes=4, noise=0.7)
    protocol = small(PAPER)
    splits = list(selection.KFold(4, shuffle=True, random_state=1234).split(x[:150]))
    wide = x.astype(float)
    penalty, score = sklearn_choice(wide[:150], y[:150], splits, protocol.cross, "accuracy")
    predicted = sklearn_model(penalty).fit(wide[:150], y[:150]).predict(wide[150:])
    found = cv_then_test((x[:150], y[:150]), (x[150:], y[150:]), protocol)
    assert (found.penalties, found.f1) == ((penalty,), None)
    assert found.selection == pytest.approx((score,))
    assert np.array_equal(found.predictions, predicted)


def test_a_development_part_chooses_c_and_is_not_trained_on():
    x, y = planted(n=200, classes=3, noise=0.7)
    protocol = small(PAPER)
    wide = x.astype(float)
    splits = [(np.arange(100), np.arange(100, 150))]
    penalty, score = sklearn_choice(wide[:150], y[:150], splits, protocol.split, "accuracy")
    predicted = sklearn_model(penalty).fit(wide[:100], y[:100]).predict(wide[150:])
    parts = [(x[a:b], y[a:b]) for a, b in ((0, 100), (100, 150), (150, 200))]
    found = dev_then_test(*parts, protocol)
    assert found.penalties == (penalty,)
    assert found.selection == pytest.approx((score,))
    assert np.array_equal(found.predictions, predicted)
    assert "development" in found.protocol
    assert "fold" not in found.protocol


def test_the_quick_protocol_reports_the_best_mean_of_stratified_folds():
    selection = pytest.importorskip("sklearn.model_selection")
    x, y = planted(n=123, noise=1.0)
    protocol = small(QUICK)
    splits = list(selection.StratifiedKFold(4, shuffle=True, random_state=1234).split(x, y))
    penalty, score = sklearn_choice(x.astype(float), y, splits, protocol.cross, "accuracy")
    found = plain_cv(x, y, protocol)
    assert found.penalties == (penalty,)
    assert found.accuracy == pytest.approx(score)
    assert np.mean(found.fold_accuracies) == pytest.approx(score)
    right = found.predictions == y
    assert [right[held_out].mean() for _, held_out in splits] == pytest.approx(
        found.fold_accuracies
    )


def test_planted_labels_are_found_and_random_ones_are_not():
    x, y = planted(n=400, noise=0.1)
    found = nested_cv(x, y)
    assert found.accuracy > 0.95
    assert len(found.fold_accuracies) == len(found.penalties) == len(found.selection) == 10
    coin = np.random.default_rng(5).integers(0, 2, 400)
    assert 0.4 < nested_cv(x, coin).accuracy < 0.6


def test_the_same_data_give_the_same_result_and_another_seed_other_folds():
    x, y = planted(n=150, noise=1.0)
    one, same, other = (nested_cv(x, y, seed=seed, threads=1) for seed in (None, 1234, 7))
    assert (one.fold_accuracies, one.penalties) == (same.fold_accuracies, same.penalties)
    assert np.array_equal(one.predictions, same.predictions)
    assert one.fold_accuracies != other.fold_accuracies
    assert "seed 7" in other.protocol


def test_naive_bayes_features_help_where_the_words_decide():
    random = np.random.default_rng(0)
    y = np.repeat([1, 0], 60)
    words = [["filler", "good" if label else "bad", f"w{random.integers(50)}"] for label in y]
    x = random.standard_normal((120, 4)).astype(np.float32)
    protocol = small(PAPER)
    shares = []
    with_words = nested_cv(x, y, protocol, tokens=words, threads=2, progress=shares.append)
    assert with_words.accuracy == 1.0
    assert nested_cv(x, y, protocol).accuracy < 0.8
    assert "naive-Bayes" in with_words.protocol
    assert max(shares) == 1.0
    with pytest.raises(SettingsError, match="3 sentences for 120 rows"):
        nested_cv(x, y, protocol, tokens=words[:3])


def test_the_first_of_equal_scores_wins():
    assert first_best(np.array([0.1, 0.1 + 0.2, 0.3]), 12) == 1
    assert first_best(np.array([0.80004, 0.80001, 0.8]), 4) == 0
    assert first_best(np.array([0.80001, 0.80009, 0.8]), 4) == 1


def test_f1_counts_the_positive_class():
    gold, answer = np.array([1, 1, 1, 0, 0]), np.array([1, 0, 1, 1, 0])
    metrics = pytest.importorskip("sklearn.metrics")
    assert f1_score(gold, answer) == pytest.approx(metrics.f1_score(gold, answer))
    assert f1_score(gold, answer, 0) == pytest.approx(metrics.f1_score(gold, answer, pos_label=0))
    assert f1_score(np.zeros(3, int), np.zeros(3, int)) == 0.0
    with pytest.raises(SettingsError, match="expected two classes"):
        mean_scores(np.zeros((1, 1, 3), int), np.arange(3), np.ones((1, 3), np.bool_), "f1")


def test_a_fold_with_one_class_is_refused():
    x, y = planted(n=40)
    lonely = np.zeros(40, int)
    lonely[0] = 1
    with pytest.raises(SettingsError, match="use fewer folds"):
        nested_cv(x, lonely)
    with pytest.raises(SettingsError, match="contain NaN"):
        plain_cv(np.full_like(x, np.nan), y)


def test_no_warning_comes_of_hard_data():
    x, y = planted(n=60, noise=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nested_cv(x * 50, y, small(PAPER)).accuracy > 0.9
        assert 0.3 < nested_cv(np.zeros_like(x), y, small(PAPER)).accuracy < 0.7
