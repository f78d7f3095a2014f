"""The compiled kernel against the definition, and the definition against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.definitions import sent2vec as reference
from sentvec.kernels.logistic import logistic_table
from sentvec.kernels.sent2vec import choices
from sentvec.kernels.sent2vec import update as sent2vec
from support.sent2vec_kernel import make_problem, run_kernel, run_reference, start_matrices


def assert_agree(sentences, problem, tolerance=2e-5):
    V, U = start_matrices(problem)
    V64, U64 = V.astype(np.float64), U.astype(np.float64)
    loss, targets = run_kernel(sentences, problem, V, U)
    expected, expected_targets = run_reference(sentences, problem, V64, U64)
    assert targets == expected_targets
    assert loss == pytest.approx(expected, rel=1e-5, abs=1e-4)
    np.testing.assert_allclose(V, V64, atol=tolerance)
    np.testing.assert_allclose(U, U64, atol=tolerance)
    return targets


sentences_of = st.lists(
    st.lists(st.integers(0, 6), min_size=0, max_size=14), min_size=1, max_size=4
)


@settings(max_examples=60, deadline=None)
@given(
    sentences=sentences_of,
    ngrams=st.integers(1, 4),
    buckets=st.sampled_from([1, 3, 50]),
    drop=st.sampled_from([0, 1, 3, 20]),
    shared=st.booleans(),
    released=st.booleans(),
)
def test_kernel_agrees_with_reference_with_repeats_and_collisions(
    sentences, ngrams, buckets, drop, shared, released
):
    problem = make_problem(
        ngrams=ngrams, buckets=buckets, drop=drop, shared=shared, released=released
    )
    assert_agree(sentences, problem)


def test_kernel_agrees_on_a_long_line_that_redraws_its_negatives():
    rng = np.random.default_rng(3)
    sentence = rng.integers(0, 40, 400).tolist()
    problem = make_problem(n_words=40, buckets=60, shared=True, drop=5)
    assert assert_agree([sentence], problem, tolerance=1e-4) > 2 * sent2vec.TARGETS_PER_DRAW


@pytest.mark.parametrize(("ngrams", "drop"), [(3, 4), (2, 8), (2, 512), (2, 513)])
def test_a_line_of_many_sentences_leaves_out_ngrams_near_the_target(ngrams, drop):
    rng = np.random.default_rng(4)
    n = 600 if ngrams == 3 else 1100
    assert (ngrams - 1) * n - 3 > choices.NEAREST == reference.NEAREST
    keep = np.array([0.05] * 40, np.float32)
    problem = make_problem(n_words=40, buckets=60, ngrams=ngrams, drop=drop, keep=keep)
    assert assert_agree([rng.integers(0, 40, n).tolist()], problem, tolerance=1e-4) > 20


@pytest.mark.parametrize("place", [0, 100, 1500, 2999])
def test_near_the_target_means_within_a_thousand_ngrams(place):
    problem = make_problem(n_words=40, buckets=60, ngrams=2, drop=400)
    grams = reference._NGrams([0] * 3000, problem, 99)
    dropped = grams._dropped(place, {place - 1, place}, reference.Stream(1, 2, 3))
    first = min(max(place - 512, 0), 2999 - 1024)
    assert len(dropped) == 400
    assert not dropped & {place - 1, place}
    assert first <= min(dropped) < first + 30
    assert first + 1024 - 30 <= max(dropped) < first + 1024


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("released", [False, True])
def test_kernel_agrees_with_l1_where_a_sentence_has_one_target(released, shared):
    # Word 6 is the only one that becomes a target, and it stands once in each sentence.
    keep = np.array([-1.0] * 6 + [1.0], np.float32)
    problem = make_problem(
        keep=keep,
        tau=0.02,
        drop=2,
        ngrams=3,
        buckets=4,
        released=released,
        shared=shared,
        negatives=9,
    )
    sentences = [[0, 1, 1, 6, 2, 1, 1], [6, 3], [4, 5, 4, 5, 4, 5, 6]]
    assert assert_agree(sentences, problem) == 3


def test_l1_thresholds_are_collected_over_a_sentence_of_many_targets():
    problem = make_problem(tau=0.01, negatives=3)
    V, U = start_matrices(problem)
    V64, U64 = V.astype(np.float64), U.astype(np.float64)
    sentence = [[0, 1, 2, 3, 4, 5, 6, 0]]
    run_kernel(sentence, problem, V, U)
    run_reference(sentence, problem, V64, U64)
    # Not equal (a stated deviation), but the same to the order of the thresholds.
    assert np.abs(V - V64).max() < 0.01


def test_sentences_of_fewer_than_two_words_change_nothing():
    problem = make_problem(keep=np.ones(7, np.float32))
    V, U = start_matrices(problem)
    before = V.copy(), U.copy()
    assert run_kernel([[], [3], []], problem, V, U) == (0.0, 0)
    assert np.array_equal(V, before[0])
    assert np.array_equal(U, before[1])


def test_a_word_never_chosen_as_target_still_stands_in_contexts():
    keep = np.ones(7, np.float32)
    keep[0] = -1.0
    problem = make_problem(keep=keep, negatives=1, ngrams=1)
    V, U = start_matrices(problem)
    before = V[0].copy()
    _, targets = run_kernel([[0, 1]], problem, V, U)
    assert targets == 1
    assert not np.array_equal(V[0], before)


def test_loss_is_nan_and_nothing_crashes_where_a_matrix_holds_nan():
    problem = make_problem(keep=np.ones(7, np.float32))
    V, U = start_matrices(problem)
    V[2, 3] = np.nan
    loss, _ = run_kernel([[1, 2, 3]], problem, V, U)
    assert np.isnan(loss)


def test_gradient_of_reference_agrees_with_finite_differences():
    rng = np.random.default_rng(1)
    V, U = rng.normal(0, 0.5, (9, 5)), rng.normal(0, 0.5, (6, 5))
    context, target, negatives = [0, 3, 3, 7, 8], 1, [2, 4, 5]
    moved_v, moved_u = V.copy(), U.copy()
    rate, h = 1e-6, 1e-6
    reference.update(moved_v, moved_u, context, target, negatives, rate)
    for matrix, moved in ((V, moved_v), (U, moved_u)):
        for index in np.ndindex(matrix.shape):
            kept = matrix[index]
            matrix[index] = kept + h
            above = reference.loss(V, U, context, target, negatives)
            matrix[index] = kept - h
            below = reference.loss(V, U, context, target, negatives)
            matrix[index] = kept
            slope = (above - below) / (2 * h)
            assert (moved[index] - kept) / rate == pytest.approx(-slope, abs=1e-5)


def test_soft_threshold_minimises_the_penalised_distance():
    # prox(x) = argmin_z (z - x)^2 / 2 + amount |z|, checked on a grid.
    x = np.array([[-2.0, -0.3, 0.0, 0.2, 1.7]])
    grid = np.linspace(-3, 3, 60001)
    best = [grid[np.argmin((grid - value) ** 2 / 2 + 0.5 * np.abs(grid))] for value in x[0]]
    reference.soft_threshold(x, 0, 0.5)
    np.testing.assert_allclose(x[0], best, atol=1e-4)


def test_logistic_table_is_as_exact_as_it_says():
    x = np.linspace(-17, 17, 20001).astype(np.float32)
    table = logistic_table()
    from sentvec.kernels.logistic import logistic

    values = np.array([logistic(value, table) for value in x], np.float64)
    exact = x.astype(np.float64)
    assert np.abs(values[:, 0] - reference.sigmoid(exact)).max() < 1e-6
    assert np.abs(values[:, 1] - np.logaddexp(0, exact)).max() < 3e-6
