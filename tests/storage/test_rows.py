"""Rows of matrices in every form."""

from __future__ import annotations

import json
import mmap
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentvec.errors import FormatError
from sentvec.storage.records import Quantiser
from sentvec.storage.rows import (
    DenseRows,
    ProductRows,
    ScaledRows,
    advise_access,
    rows_of,
    to_array,
)


def matrix(rows=7, dim=5, dtype=np.float32):
    return np.random.default_rng(1).normal(size=(rows, dim)).astype(dtype)


def at_odd_address(array):
    data = b"x" + array.tobytes()
    moved = np.frombuffer(data, array.dtype, array.size, 1).reshape(array.shape)
    assert not moved.flags.aligned
    return moved


@given(st.lists(st.integers(0, 6)))
def test_rows_come_in_the_order_asked_for_at_any_address(ids):
    ids = np.array(ids, np.int64)
    for dtype in (np.float32, np.float16):
        array = matrix(dtype=dtype)
        for stored in (array, at_odd_address(array)):
            rows = DenseRows(stored)
            assert rows.shape == (7, 5)
            taken = rows.take(ids)
            assert taken.dtype == np.float32
            assert taken.shape == (len(ids), 5)
            np.testing.assert_array_equal(taken, array[ids].astype(np.float32))


def test_what_is_taken_is_a_copy():
    array = matrix()
    rows = DenseRows(array)
    rows.take(np.array([0]))[:] = 0
    assert array[0].any()


@pytest.mark.parametrize(
    "rows", [DenseRows(matrix()), ScaledRows(np.ones((7, 5), np.int8), np.ones(7, np.float32))]
)
def test_a_row_that_does_not_exist_is_an_error(rows):
    for row in (7, -8):
        with pytest.raises(IndexError):
            rows.take(np.array([row]))


def test_scaled_rows_at_odd_addresses():
    integers = np.random.default_rng(1).integers(-127, 128, (7, 5), np.int8)
    scales = matrix(7, 1)[:, 0]
    rows = ScaledRows(integers, at_odd_address(scales))
    expected = integers.astype(np.float32) * scales[:, None]
    np.testing.assert_array_equal(rows.take(np.array([6, 0, 0])), expected[[6, 0, 0]])
    np.testing.assert_array_equal(to_array(rows), expected)


def test_everything_unpacks_more_rows_than_fit_a_block():
    array = matrix(40_000, 2, np.float16)
    np.testing.assert_array_equal(to_array(DenseRows(array)), array.astype(np.float32))


CODES = np.zeros((7, 3), np.uint8)
CENTROIDS = np.zeros(256 * 5, np.float32)
QUANTISER = Quantiser.of(dim=5, dsub=2)


def test_the_form_follows_from_the_tensors():
    dense, scaled = (
        {"input_vectors": matrix()},
        {"input_vectors": np.ones((7, 5), np.int8), "input_scales": np.ones(7, np.float32)},
    )
    assert isinstance(rows_of(dense, dim=5), DenseRows)
    assert isinstance(rows_of(scaled, dim=5), ScaledRows)
    quantised = {"codes": CODES, "centroids": CENTROIDS}
    assert isinstance(rows_of(quantised, dim=5, quantiser=QUANTISER), ProductRows)


@pytest.mark.parametrize(
    ("tensors", "quantiser"),
    [
        ({}, None),
        ({"input_vectors": matrix().ravel()}, None),
        ({"input_vectors": np.ones((7, 5))}, None),
        ({"input_vectors": np.ones((7, 5), np.int8)}, None),
        ({"input_vectors": np.ones((7, 5), np.int8), "input_scales": np.ones(6, np.float32)}, None),
        ({"input_vectors": matrix(), "input_scales": np.ones(7, np.float32)}, None),
        ({"codes": CODES, "centroids": CENTROIDS}, None),
        ({"codes": CODES, "centroids": CENTROIDS}, Quantiser.of(dim=5, dsub=0)),
        ({"codes": CODES, "centroids": CENTROIDS}, Quantiser.of(dim=5, dsub=1)),
        ({"codes": CODES, "centroids": CENTROIDS[:-1]}, QUANTISER),
        ({"codes": CODES}, QUANTISER),
        ({"codes": CODES, "centroids": CENTROIDS, "norm_codes": np.zeros(6, np.uint8),
          "norm_centroids": np.ones(256, np.float32)}, QUANTISER),
        ({"codes": CODES, "centroids": CENTROIDS, "norm_codes": np.zeros(7, np.uint8),
          "norm_centroids": np.ones(255, np.float32)}, QUANTISER),
        ({"codes": CODES, "centroids": CENTROIDS, "norm_codes": np.zeros(7, np.uint8)}, QUANTISER),
    ],
)  # fmt: skip
def test_tensors_that_do_not_fit_are_an_error(tensors, quantiser):
    with pytest.raises(FormatError):
        rows_of(tensors, dim=5, quantiser=quantiser)


TAKE = """
import json, resource, sys
import numpy as np
from sentvec.storage.rows import DenseRows
array = np.memmap(sys.argv[1], np.float32, "r", 1, (int(sys.argv[2]), 256))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rows = DenseRows(array)
taken = rows.take(np.arange(0, len(array), len(array) // 100))
print(json.dumps([before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, float(taken.sum())]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts memory as Linux does")
def test_a_mapped_matrix_at_an_odd_address_is_never_copied_as_a_whole(tmp_path):
    n_rows = 1 << 20  # of 1 KB; no byte of them is stored
    path = tmp_path / "sparse"
    path.touch()
    os.truncate(path, 1 + n_rows * 1024)
    code = [sys.executable, "-c", TAKE, str(path), str(n_rows)]
    result = subprocess.run(code, capture_output=True, text=True, timeout=600, check=True)
    before, after, total = json.loads(result.stdout)
    assert total == 0
    assert after - before < 50_000  # KB


def test_advice_is_for_mapped_arrays_at_any_address(tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(bytes(3) + np.ones((3000, 4), np.float32).tobytes())
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    arrays = {
        "odd": np.frombuffer(mapped, np.float32, 12_000, 3).reshape(3000, 4),
        "tail": np.frombuffer(mapped, np.float32, 12_000, 3).reshape(3000, 4)[2900:],
        "memmap": np.memmap(path, np.uint8, "r", 5),
        "memory": np.ones(3),
        "empty": np.zeros((0, 4), np.float32),
    }
    for everywhere in (False, True):
        advise_access(arrays, everywhere=everywhere)
        assert arrays["odd"].sum() == 12_000
