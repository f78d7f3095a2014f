"""Graded relatedness: gradients, against L-BFGS, planted scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from sentvec.errors import SettingsError
from sentvec.evaluation.methods import relatedness as module
from sentvec.evaluation.methods.correlation import correlate
from sentvec.evaluation.methods.design import DenseDesign, pair_features
from sentvec.evaluation.methods.relatedness import (
    fit_softmax,
    objective,
    relatedness,
    soft_labels,
    softmax,
)


def scored_pairs(n, seed, noise=0.0, low=1, high=5):
    """Pairs whose distance decides their score."""
    random = np.random.default_rng(seed)
    u = random.standard_normal((n, 6))
    v = u + random.uniform(0, 1, (n, 1)) * random.standard_normal((n, 6))
    far = np.abs(u - v).mean(axis=1) + noise * random.standard_normal(n)
    score = high - (high - low) * np.clip(far, 0, 1)
    return pair_features(u, v), np.round(score, 1)


def test_soft_labels_have_the_score_as_their_mean():
    scores = np.round(np.linspace(0, 5, 51), 1)
    labels = soft_labels(scores, (0, 5))
    assert labels.shape == (6, 51)
    np.testing.assert_allclose(labels.sum(axis=0), 1)
    np.testing.assert_allclose(np.arange(6) @ labels, scores)
    assert ((labels > 0).sum(axis=0) <= 2).all()
    # as the released program writes them: y - floor(y) to the grade above, the rest to floor(y)
    for score, column in zip(scores[:-1], labels.T[:-1], strict=True):
        floor = int(np.floor(score))
        assert column[floor + 1] == pytest.approx(score - floor)
        assert column[floor] == pytest.approx(floor + 1 - score)


@pytest.mark.parametrize("penalty", [0.5, 64.0])
def test_the_solution_is_where_the_numerical_gradient_vanishes(penalty):
    x, y = scored_pairs(60, 0, noise=0.2)
    design, targets = DenseDesign(x), soft_labels(y, (1, 5))
    shape = (5, design.shape[1])

    def value(flat):
        weights = flat.reshape(shape)
        return objective(weights, design.scores(weights), targets, penalty)

    found = fit_softmax(design, targets, penalty, np.zeros(shape))
    other = minimize(
        value, np.zeros(found.size), method="L-BFGS-B", options={"maxiter": 20_000, "maxfun": 10**7}
    )
    assert value(found.ravel()) <= other.fun + 1e-9
    assert np.abs(approx_fprime(found.ravel(), value, 1e-6)).max() < 1e-3 * penalty
    start = np.random.default_rng(0).standard_normal(shape)
    np.testing.assert_allclose(fit_softmax(design, targets, penalty, start), found, atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-6)  # no grade is special


def test_planted_relatedness_is_learned():
    parts = [scored_pairs(size, seed, noise=0.03) for seed, size in enumerate((400, 80, 200))]
    shares = []
    found = relatedness(*parts, threads=1, progress=shares.append)
    assert found.pearson > 0.9
    assert found.spearman > 0.9
    assert found.mse < 0.2
    gold = parts[2][1]
    expected = correlate(found.predictions, gold)
    assert (found.pearson, found.spearman) == (expected.pearson, expected.spearman)
    assert found.mse == pytest.approx(np.mean((found.predictions - gold) ** 2))
    assert shares[-1] == 1.0
    assert len(shares) == len(module.PENALTIES)
    assert found.penalty in module.PENALTIES
    again = relatedness(*parts, threads=1)
    assert np.array_equal(found.predictions, again.predictions)


def test_the_penalty_is_the_best_on_the_development_part():
    parts = [scored_pairs(size, seed, noise=0.3) for seed, size in enumerate((60, 80, 50))]
    found = relatedness(*parts)
    design = DenseDesign(parts[0][0])
    scores = []
    for penalty in module.PENALTIES:
        weights = fit_softmax(
            design, soft_labels(parts[0][1], (1, 5)), penalty, np.zeros((5, design.shape[1]))
        )
        answer = np.arange(1, 6) @ softmax(DenseDesign(parts[1][0]).scores(weights))
        scores.append(correlate(answer, parts[1][1]).pearson)
    assert found.penalty == module.PENALTIES[int(np.argmax(np.round(scores, 4)))]
    assert found.dev_pearson == pytest.approx(max(scores), abs=1e-4)


def test_another_scale_has_its_own_grades():
    parts = [scored_pairs(200, seed, low=0) for seed in range(3)]
    found = relatedness(*parts, scale=(0, 5))
    assert found.predictions.min() < 1
    assert "grades 0 to 5" in found.protocol
    assert any((part[1] < 1).any() for part in parts)
    with pytest.raises(SettingsError, match=r"gold score .* from 1 to 5; check the scale"):
        relatedness(*parts)


def test_constant_features_give_nan_and_the_error_of_the_mean():
    parts = [(np.zeros((50, 4)), scored_pairs(50, seed)[1]) for seed in range(3)]
    found = relatedness(*parts)
    assert np.isnan([found.pearson, found.spearman, found.dev_pearson]).all()
    assert np.isfinite(found.mse)


def test_scores_that_do_not_fit_are_refused():
    x, y = scored_pairs(20, 0)
    with pytest.raises(SettingsError, match="expected 20"):
        relatedness((x, y), (x, y[:3]), (x, y))
    bad = x.copy()
    bad[3] = np.nan
    with pytest.raises(SettingsError, match="row 3"):
        relatedness((x, y), (x, y), (bad, y))
    y[4] = np.nan
    with pytest.raises(SettingsError, match="gold score nan of pair 4"):
        relatedness((x, y), (x, y), (x, y))


def test_vectors_too_large_for_products_of_pairs_are_called_large():
    """In float32 their products were infinite, and the error was about NaN."""
    huge = np.full((3, 2), 1e25, np.float32)
    features = pair_features(huge, -huge)
    np.testing.assert_allclose(
        features, np.repeat([[2e25, 2e25, -1e50, -1e50]], 3, axis=0), rtol=1e-6
    )
    with pytest.raises(SettingsError, match=r"largest feature is 1e\+50 .* scale the vectors"):
        relatedness(*[(features, [1.0, 2.0, 3.0])] * 3)
    assert pair_features(huge / 1e20, huge / 1e20).dtype == np.float32
