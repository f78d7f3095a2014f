"""How numbers lie in memory: half precision, rounded at random but fairly."""

from __future__ import annotations

import numpy as np
import pytest

from sentvec.kernels import precision as storage
from sentvec.kernels.jit import kernel
from sentvec.kernels.precision import HalfMatrix, height, load, set_turn, start_row, store, width
from support.sent2vec_kernel import make_problem, run_kernel, start_matrices

NOISE = storage.noise_table(64, seed=4)


@kernel
def write_all(M, values, turn):
    set_turn(M, turn)
    for row in range(height(M)):
        at = start_row(M)
        for d in range(width(M)):
            store(M, row, d, values[row, d], at)


@kernel
def read_all(M, values):
    for row in range(height(M)):
        for d in range(width(M)):
            values[row, d] = load(M, row, d)


@kernel
def add_all(M, amount, turn):
    set_turn(M, turn)
    for row in range(height(M)):
        at = start_row(M)
        for d in range(width(M)):
            store(M, row, d, load(M, row, d) + amount, at)


def half(matrix):
    """A float16 matrix as kernels take it; both share the memory."""
    return HalfMatrix(matrix.view(np.uint16), NOISE, np.zeros(1, np.uint64))


def rounded(values, turn=1):
    matrix = np.zeros(values.shape, np.float16)
    write_all(half(matrix), values, np.uint64(turn))
    return matrix


def every_half():
    """All finite numbers of half precision, as rows of 64."""
    numbers = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    return numbers[np.isfinite(numbers)].reshape(-1, 64)


def test_every_number_of_half_precision_is_read_as_what_it_is():
    numbers = every_half()
    read = np.empty(numbers.shape, np.float32)
    read_all(half(numbers), read)
    assert np.array_equal(read, numbers.astype(np.float32))


def test_every_number_of_half_precision_stays_itself():
    numbers = every_half()
    for turn in (0, 1, 2**63):
        stored = rounded(numbers.astype(np.float32), turn)
        assert np.array_equal(stored.view(np.uint16), numbers.view(np.uint16))


def test_adding_zero_changes_no_bit():
    numbers = every_half()
    numbers = np.where(numbers == 0, np.float16(0), numbers)  # -0 + 0 is 0
    before = numbers.copy()
    add_all(half(numbers), np.float32(0), np.uint64(7))
    assert np.array_equal(numbers.view(np.uint16), before.view(np.uint16))


def neighbours(values):
    """The numbers of half precision at or next below, and next above in size."""
    nearest = values.astype(np.float16)
    exact = nearest.astype(np.float64) == values
    too_large = np.abs(nearest.astype(np.float64)) > np.abs(values)
    outward = np.sign(nearest) * np.float16(np.inf)
    lower = np.where(too_large, np.nextafter(nearest, np.float16(0)), nearest)
    upper = np.where(too_large, nearest, np.nextafter(nearest, outward))
    return lower, np.where(exact, lower, upper)


def test_a_number_becomes_one_of_its_two_neighbours():
    random = np.random.default_rng(0)
    size = 10.0 ** random.uniform(-4, 4, (400, 64))
    values = (size * random.choice([-1, 1], size.shape)).astype(np.float32)
    lower, upper = neighbours(values)
    stored = rounded(values)
    assert ((stored == lower) | (stored == upper)).all()
    assert (stored == lower).mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("value", [0.1, -0.1, 3.14159, 1e-3, -77.7, 0.0001234])
def test_rounding_is_right_on_average(value):
    values = np.full((20_000, 8), value, np.float32)
    lower, upper = (x.astype(np.float64)[0, 0] for x in neighbours(values))
    up = (rounded(values) == upper).mean()
    expected = (np.float64(np.float32(value)) - lower) / (upper - lower)
    # 160,000 numbers: four standard deviations, and rows that share noise
    assert up == pytest.approx(expected, abs=0.01)


def test_many_small_updates_are_not_lost():
    matrix = np.ones((64, 64), np.float16)
    for turn in range(2000):
        add_all(half(matrix), np.float32(1e-5), np.uint64(turn * 12345))
    assert matrix.astype(np.float64).mean() == pytest.approx(1.02, abs=0.0005)
    nearest = np.float16(1)
    assert np.float16(nearest + np.float16(1e-5)) == nearest  # as they would be


def test_the_same_turn_rounds_the_same_way_and_another_does_not():
    values = np.random.default_rng(1).normal(size=(20, 64)).astype(np.float32)
    assert np.array_equal(rounded(values, 5), rounded(values, 5))
    assert (rounded(values, 5) != rounded(values, 6)).mean() > 0.2


def test_rows_do_not_share_their_noise():
    stored = rounded(np.full((200, 64), 0.1, np.float32))
    assert len(np.unique(stored, axis=0)) > 190


def test_the_noise_has_every_number_equally_often_at_every_column():
    for dim in (1, 64, 70_000):
        noise = storage.noise_table(dim, seed=1)
        assert len(noise) >= storage.NOISE_PLACES + dim
        for column in (0, dim - 1):
            counts = np.bincount(noise[column : column + storage.NOISE_PLACES])
            assert counts.tolist() == [8] * 8192
    assert not np.array_equal(storage.noise_table(64, seed=1), storage.noise_table(64, seed=2))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e6, -1e6])
def test_what_is_not_finite_or_too_large_is_not_finite_after(value):
    assert not np.isfinite(rounded(np.full((50, 64), value, np.float32))).any()


def test_a_matrix_of_float32_is_written_as_it_is():
    values = np.random.default_rng(2).normal(size=(5, 64)).astype(np.float32)
    matrix, read = np.zeros_like(values), np.zeros_like(values)
    write_all(matrix, values, np.uint64(1))
    read_all(matrix, read)
    assert np.array_equal(matrix, values)
    assert np.array_equal(read, values)


def test_python_without_the_compiler_does_the_same_for_float32():
    matrix = np.zeros((2, 3), np.float32)
    assert (storage.height(matrix), storage.width(matrix), storage.start_row(matrix)) == (2, 3, 0)
    storage.set_turn(matrix, 5)
    storage.store(matrix, 1, 2, 0.5, 0)
    assert storage.load(matrix, 1, 2) == 0.5


# --- the kernel of training ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{}, {"released": True, "drop": 1}, {"shared": True}, {"ngrams": 3, "drop": 2}, {"tau": 0.001},
     {"ngrams": 1}],
    ids=str,
)  # fmt: skip
def test_the_kernel_agrees_with_float32_to_half_precision(changes):
    problem = make_problem(**changes)
    random = np.random.default_rng(9)
    sentences = [random.integers(0, 7, random.integers(2, 12)).tolist() for _ in range(6)]
    V16, U16 = (matrix.astype(np.float16) for matrix in start_matrices(problem))
    V, U = V16.astype(np.float32), U16.astype(np.float32)
    before = V16.copy()
    loss, targets = run_kernel(sentences, problem, half(V16), half(U16))
    expected, expected_targets = run_kernel(sentences, problem, V, U)
    assert targets == expected_targets > 0
    assert loss == pytest.approx(expected, rel=2e-3)
    np.testing.assert_allclose(V16.astype(np.float32), V, atol=8e-3)
    np.testing.assert_allclose(U16.astype(np.float32), U, atol=8e-3)
    assert (before != V16).mean() > 0.3


def test_a_rate_of_zero_changes_no_bit_of_half_precision():
    problem = make_problem(drop=1)
    V, U = (matrix.astype(np.float16) for matrix in start_matrices(problem))
    before = V.tobytes(), U.tobytes()
    loss, targets = run_kernel([[0, 1, 2, 3, 4, 5, 6]] * 5, problem, half(V), half(U), rate=0.0)
    assert loss > 0
    assert targets > 0
    assert (V.tobytes(), U.tobytes()) == before
