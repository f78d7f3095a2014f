"""The logistic regression: against its definition, against liblinear, and at the edges."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.errors import DivergedError, SettingsError
from sentvec.evaluation.methods import crossval, newton
from sentvec.evaluation.methods.crossval import fold_predictions
from sentvec.evaluation.methods.design import (
    DenseDesign,
    SparseDesign,
    blas_threads,
    checked_features,
    pair_features,
)
from sentvec.evaluation.methods.logistic import class_signs, fit, losses, solve_path
from support.planted import planted

GRID = [2.0**power for power in range(9)]


def gradient(x, y, weights, penalty):
    """Of the objective as its definition says, for labels 0 and 1."""
    rows = np.hstack([np.asarray(x, np.float64), np.ones((len(x), 1))])
    signs = np.where(np.asarray(y) == 1, 1.0, -1.0)
    pull = -signs / (1 + np.exp(signs * (rows @ weights)))
    return weights + penalty * rows.T @ pull


def liblinear(x, y, penalty):
    """scikit-learn's weights at a tight tolerance, the intercept last; one row a class."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    rows = []
    classes = np.unique(y)
    for label in classes[1:] if len(classes) == 2 else classes:
        model = linear_model.LogisticRegression(
            solver="liblinear", C=penalty, tol=1e-12, max_iter=100_000
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(np.asarray(x, np.float64), y == label)
        rows.append(np.append(model.coef_[0], model.intercept_))
    return np.array(rows)


def two_folds(n):
    rows = np.ones((3, n), np.bool_)
    rows[0, : n // 2] = rows[1, n // 2 :] = False
    return rows


@pytest.mark.parametrize("penalty", [0.01, 1.0, 256.0, 1e5])
def test_the_gradient_vanishes_at_the_solution(penalty):
    x, y = planted()
    found = fit(x, y, penalty).weights[0]
    assert np.linalg.norm(gradient(x, y, found, penalty)) < 1e-8 * max(1, np.linalg.norm(found)) * 2


@pytest.mark.parametrize("penalty", [0.25, 1.0, 16.0, 256.0])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_weights_are_those_of_liblinear(penalty, classes):
    x, y = planted(classes=classes)
    np.testing.assert_allclose(
        fit(x, y, penalty).weights, liblinear(x, y, penalty), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("penalty", [1.0, 256.0])
def test_fewer_rows_than_columns_give_the_weights_of_liblinear(penalty):
    x, y = planted(n=25, dim=60)
    np.testing.assert_allclose(
        fit(x, y, penalty).weights, liblinear(x, y, penalty), rtol=1e-5, atol=1e-5
    )


def test_separable_data_has_a_solution_too():
    x, y = planted(noise=0.0)
    found = fit(x, y, 1e4)
    assert (found.predict(x) == y).mean() > 0.99
    np.testing.assert_allclose(found.weights, liblinear(x, y, 1e4), rtol=1e-4)


def test_constant_features_are_like_a_second_intercept():
    x, y = planted()
    x = np.hstack([x, np.full((len(x), 1), 1, np.float32), np.zeros((len(x), 1), np.float32)])
    weights = fit(x, y, 4.0).weights[0]
    assert weights[-2] == 0
    assert weights[-3] == pytest.approx(weights[-1])
    np.testing.assert_allclose(weights[None], liblinear(x, y, 4.0), rtol=1e-5, atol=1e-6)


def test_the_intercept_is_regularised():
    x = np.zeros((100, 1))
    y = np.arange(100) < 90
    weights = fit(x, y.astype(int), 0.001).weights[0]
    assert 0 < weights[-1] < 0.1  # free, it would be log 9


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_every_small_problem_is_solved(seed):
    random = np.random.default_rng(seed)
    n, dim = random.integers(2, 30), random.integers(1, 12)
    x = random.standard_normal((n, dim)) * 10.0 ** random.integers(-3, 3, dim)
    y = np.append([0, 1], random.integers(0, 2, n - 2))
    penalty = 10.0 ** random.integers(-3, 5)
    found = fit(x, y, penalty).weights[0]
    lengths = np.linalg.norm(np.hstack([x, np.ones((n, 1))]), axis=1)
    noise = 1e-14 * penalty * (lengths.sum() + np.linalg.norm(found) * (lengths**2).sum())
    left = np.linalg.norm(gradient(x, y, found, penalty))
    assert left <= 2 * max(1e-8 * max(1, np.linalg.norm(found)), noise)


def test_folds_solved_side_by_side_along_c_are_those_solved_alone():
    x, y = planted(n=80, classes=3)
    rows = two_folds(80)
    classes, signs, groups = class_signs(y, rows)
    for penalty, (weights, scores) in zip(
        GRID, solve_path(DenseDesign(x), signs, GRID, groups), strict=True
    ):
        for fold, row in enumerate(rows):
            alone = fit(x[row], y[row], penalty).weights
            np.testing.assert_allclose(weights[3 * fold : 3 * fold + 3], alone, atol=1e-6)
        np.testing.assert_allclose(scores, DenseDesign(x).scores(weights))
    assert classes.tolist() == [0, 1, 2]


def test_what_a_fold_does_not_train_on_has_no_influence():
    x, y = planted(n=60)
    rows = two_folds(60)[:1]
    other_x, other_y = x.copy(), y.copy()
    other_x[:30] *= -3
    other_y[:30] = 1 - y[:30]
    one = fold_predictions(x, y, rows, GRID)
    other = fold_predictions(other_x, other_y, rows, GRID)
    assert np.array_equal(one[..., 30:], other[..., 30:])


def test_a_class_that_a_fold_did_not_see_is_never_predicted_there():
    x, y = planted(n=90, classes=3, noise=0.1)
    rows = np.array([y != 2, np.ones(90, np.bool_)])
    predicted = fold_predictions(x, y, rows, [1.0, 64.0])
    assert set(np.unique(predicted[:, 0])) == {0, 1}
    assert set(np.unique(predicted[:, 1])) == {0, 1, 2}


def test_labels_may_be_any_integers():
    x, y = planted(classes=3)
    names = np.array([-7, 40, 3])
    predicted = fit(x, names[y], 2.0).predict(x)
    order = np.argsort(names)
    same = fit(x, np.argsort(order)[y], 2.0).predict(x)
    assert np.array_equal(predicted, np.sort(names)[same])
    assert np.array_equal(fit(x, y == 1, 2.0).predict(x), fit(x, (y == 1) * 5, 2.0).predict(x) // 5)


def test_more_dimensions_than_rows_are_made_compact_without_changing_a_prediction():
    x, y = planted(n=40, dim=200)
    design = DenseDesign(x)
    small = design.compact()
    assert small.shape == (40, 40)
    np.testing.assert_allclose(small.x @ small.x.T, design.x @ design.x.T, atol=1e-9)
    predicted = fold_predictions(x, y, two_folds(40), GRID)
    assert np.array_equal(predicted[3, 0], fit(x[20:], y[20:], GRID[3]).predict(x))
    assert DenseDesign(x[:, :5]).compact().shape == (40, 6)


def test_blocks_of_folds_give_what_all_folds_at_once_give(monkeypatch):
    x, y = planted(n=60, classes=3)
    whole = fold_predictions(x, y, two_folds(60), GRID)
    shares = []
    monkeypatch.setattr(crossval, "_BLOCK", 1)
    parts = fold_predictions(x, y, two_folds(60), GRID, threads=1, progress=shares.append)
    assert np.array_equal(whole, parts)
    assert shares == sorted(shares)
    assert len(shares) == 3 * len(GRID)
    assert shares[-1] == 1.0


def test_sparse_features_beside_dense_ones_are_like_dense_ones():
    from scipy.sparse import csr_matrix

    x, y = planted(n=120, dim=30)
    wide = np.where(np.abs(x[:, 10:]) < 0.3, 0, x[:, 10:])
    sparse = SparseDesign(DenseDesign(x[:, :10]), csr_matrix(wide.astype(np.float64)))
    dense = DenseDesign(np.hstack([x[:, :10], wide]))
    _, signs, groups = class_signs(y, np.ones((1, 120), np.bool_))
    place = [*range(10), 30, *range(10, 30)]  # the intercept stands after the dense columns
    for (one, one_scores), (other, other_scores) in zip(
        solve_path(sparse, signs, GRID, groups), solve_path(dense, signs, GRID, groups), strict=True
    ):
        np.testing.assert_allclose(one, other[:, place], atol=1e-6)
        np.testing.assert_allclose(one_scores, other_scores, atol=1e-6)
    np.testing.assert_allclose(sparse.norms, dense.norms)
    assert sparse.shape == dense.shape


def test_scores_of_any_size_give_finite_losses_and_probabilities():
    signs = np.array([[1.0, 1, 1, -1, -1, 0]])
    scores = np.array([[-1e308, 800.0, 1.0, 0.0, 800.0, 5.0]])
    wrong, _ = losses(signs, scores)
    assert wrong[0].tolist() == pytest.approx([1, 0, 1 / (1 + np.e), 0.5, 1, 0])
    _, loss = losses(signs[:, 1:], scores[:, 1:])
    assert loss[0] == pytest.approx(np.log1p(np.exp(-1)) + np.log(2) + 800)


def test_the_number_of_threads_changes_nothing():
    x, y = planted(n=200, dim=30, noise=1.0)
    rows = np.arange(200) % 22 != np.arange(22)[:, None]
    one, other = (fold_predictions(x, y, rows, GRID, threads=count) for count in (1, 3))
    assert np.array_equal(one, other)


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_features_that_are_not_finite_are_refused(bad):
    x, y = planted(n=20)
    x[[7, 9], 2] = bad
    with pytest.raises(SettingsError, match=r"2 of 20 rows .* the first is row 7 .* encoder"):
        fit(x, y)


def test_features_of_another_shape_are_refused():
    with pytest.raises(SettingsError, match=r"shape \(3,\)"):
        checked_features([1.0, 2.0, 3.0])
    with pytest.raises(SettingsError, match="expected numbers"):
        checked_features([["a"]])
    with pytest.raises(SettingsError, match=r"\(2, 1\) and \(1, 1\)"):
        pair_features([[1.0], [2.0]], [[1.0]])


def test_one_class_is_refused_and_the_fold_named():
    x, y = planted(n=20)
    rows = np.array([np.ones(20, np.bool_), y == 1])
    count = int((y == 1).sum())
    with pytest.raises(SettingsError, match=rf"part 2 of 2 has {count} rows of the classes \[1\]"):
        fold_predictions(x, y, rows, [1.0])


@pytest.mark.parametrize("penalties", [[], [0.0], [1.0, -1.0], [np.inf], [np.nan]])
def test_a_penalty_that_is_not_positive_is_refused(penalties):
    x, y = planted(n=20)
    with pytest.raises(SettingsError, match="C is"):
        fold_predictions(x, y, np.ones((1, 20), np.bool_), penalties)


@pytest.mark.parametrize("labels", [[0, 1], [[0, 1, 0]], [0.0, 1.0, 0.5]])
def test_labels_that_do_not_fit_are_refused(labels):
    with pytest.raises(SettingsError, match="expected 3 integers"):
        fit(np.eye(3), labels)


@pytest.mark.parametrize("power", range(2, 31, 4))
def test_huge_features_are_solved_or_refused_but_never_wrong(power):
    x = planted()[0] * 10.0**power
    y = (x @ np.linspace(-1, 1, 8) > 0).astype(int)  # the intercept is of no use at such a scale
    try:
        found = fit(x, y, 1.0)
    except (DivergedError, SettingsError) as error:
        found = error
    if power < 10:
        assert (found.predict(x) == y).mean() > 0.99
    elif power >= 30:
        assert "largest feature" in str(found)
    else:
        assert "scale the vectors" in str(found) or (found.predict(x) == y).mean() > 0.99


def test_a_problem_that_is_not_solved_is_an_error(monkeypatch):
    x, y = planted()
    monkeypatch.setattr(newton, "_MAX_STEPS", 1)
    with pytest.raises(DivergedError, match="C = 256 did not converge"):
        fit(x, y, 256.0)


def test_the_number_of_threads_is_limited_where_it_can_be():
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def counts():
        found = threadpoolctl.threadpool_info()
        return {one["num_threads"] for one in found if one["user_api"] == "blas"}

    before = counts()
    with blas_threads(1):
        assert counts() == {1}
    assert counts() == before
