"""Means of rows: the same however a matrix is stored, and in no more memory than is needed."""

from __future__ import annotations

import numpy as np
import pytest

from sentvec.models.base import means as averaging
from sentvec.models.base.means import mean_rows, sum_rows
from sentvec.storage.rows import DenseRows


class Fetched:
    """Rows that have to be fetched, and how many were at a time."""

    def __init__(self, matrix):
        self.shape, self._matrix, self.most = matrix.shape, matrix, 0

    def take(self, rows):
        self.most = max(self.most, len(rows))
        return self._matrix[rows]


@pytest.mark.parametrize("n_rows", [1, 4, 7, 1000])
def test_rows_are_fetched_a_portion_at_a_time(monkeypatch, n_rows):
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(50, 3)).astype(np.float32)
    lengths = np.array([0, 3, 1, 0, 0, 9, 2, 2, 4, 0])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    rows = rng.permutation(50)[: offsets[-1]]
    monkeypatch.setattr(averaging, "_FETCHED_BYTES", 4 * 3 * n_rows)
    fetched = Fetched(matrix)
    expected = mean_rows(DenseRows(matrix), rows, offsets)
    np.testing.assert_array_equal(mean_rows(fetched, rows, offsets), expected)
    assert fetched.most <= max(n_rows, lengths.max())
    weights = rng.normal(size=len(rows)).astype(np.float32)
    np.testing.assert_array_equal(
        sum_rows(fetched, rows, offsets, weights),
        sum_rows(DenseRows(matrix), rows, offsets, weights),
    )


def test_no_groups_have_no_sums():
    fetched = Fetched(np.ones((5, 3), np.float32))
    assert sum_rows(fetched, np.zeros(0, np.int64), np.zeros(1, np.int64)).shape == (0, 3)
    assert not sum_rows(fetched, np.zeros(0, np.int64), np.zeros(4, np.int64)).any()
