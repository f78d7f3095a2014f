"""Vectors of any model: each text once, every answer checked, nothing repaired."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from sentvec.errors import EncoderError, InputTypeError
from sentvec.evaluation.methods.vectors import Coverage, SentenceVectors, cosines
from support.learnable import WORDS, Answering, Counting

TEXTS = ["ba be", "bi", "ba be", "", "fa fa"]


def encoded(model, texts=TEXTS, **options):
    vectors = SentenceVectors(model, **options)
    vectors.prepare(texts)
    return vectors.of(texts)


def test_each_text_is_encoded_once_and_has_its_row():
    model = Counting()
    vectors = SentenceVectors(model)
    vectors.prepare(TEXTS)
    vectors.prepare([*TEXTS, "la"])
    assert model.asked == ["ba be", "bi", "", "fa fa", "la"]
    assert np.array_equal(vectors.of(TEXTS), Counting().encode(TEXTS))
    assert vectors.of([]).shape == (0, len(WORDS))
    assert vectors.dim == len(WORDS)


def test_earlier_texts_are_forgotten_where_there_is_no_room():
    model = Counting()
    vectors = SentenceVectors(model, max_bytes=3 * 4 * len(WORDS))
    vectors.prepare(["a", "b", "c"])
    vectors.prepare(["b", "d"])  # four vectors are too many: b is encoded again
    assert model.asked == ["a", "b", "c", "b", "d"]
    assert len(vectors.of(["b", "d"])) == 2
    with pytest.raises(KeyError):
        vectors.of(["a"])


def test_many_texts_are_encoded_in_batches_and_progress_is_told():
    texts, shares = [f"{number}" for number in range(10_000)], []
    vectors = SentenceVectors(Counting())
    vectors.prepare(texts, shares.append)
    assert shares == sorted(shares)
    assert len(shares) == 3
    assert shares[-1] == 1.0
    assert vectors.of(texts).shape == (10_000, len(WORDS))


class Tensor:
    """What looks like a tensor with a gradient, which NumPy cannot read before it is detached."""

    def __init__(self, rows, is_detached=False):
        self.rows, self.shape, self.is_detached = rows, rows.shape, is_detached

    def detach(self):
        return Tensor(self.rows, is_detached=True)

    def cpu(self):
        return self

    def __array__(self, dtype=None, copy=None):
        if not self.is_detached:
            msg = "cannot call numpy() on a tensor that requires grad"
            raise RuntimeError(msg)
        return self.rows


@pytest.mark.parametrize(
    "change",
    [list, np.ndarray.tolist, tuple, Tensor, lambda rows: [Tensor(row) for row in rows],
     lambda rows: rows.astype(np.int64), lambda rows: rows.astype(np.float16)],
    ids=["rows", "lists", "tuple", "tensor", "tensors", "integers", "half precision"],
)  # fmt: skip
def test_whatever_numpy_can_read_is_taken(change):
    found = encoded(Answering(change))
    assert found.dtype in (np.float32, np.float64)
    assert np.array_equal(found, Counting().encode(TEXTS))


def test_double_precision_is_kept():
    assert encoded(Answering(lambda rows: rows.astype(np.float64))).dtype == np.float64


def with_nan(rows):
    rows[1] = np.nan
    return rows


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_nan, "1 of 4 vectors contain NaN or infinity, the first is that of 'bi' - expected"),
        (lambda rows: rows / 0.0, "4 of 4 vectors contain NaN"),
        (lambda rows: rows[:-1], "shape (3, 60) for 4 texts - expected (4, dim), a row for each"),
        (lambda rows: rows[0], "shape (60,) for 4 texts"),
        (lambda rows: rows[:, :0], "shape (4, 0) for 4 texts"),
        (lambda rows: rows[None], "shape (1, 4, 60) for 4 texts"),
        (lambda rows: rows > 0, "array of type bool - expected floats"),
        (lambda rows: rows + 1j, "array of type complex"),
        (lambda rows: rows.astype(str), "array of type <U"),
        (lambda rows: None, "shape () for 4 texts"),
        (lambda rows: [rows[0], rows[1, :3]], "encode returned list, which is no array"),
        (lambda rows: 1 / 0, "encode raised ZeroDivisionError: division by zero - for 4 texts"),
    ],
)
def test_what_is_no_row_of_finite_numbers_for_each_text_is_an_error(change, message):
    with np.errstate(all="ignore"), pytest.raises(EncoderError, match=re.escape(message)):
        encoded(Answering(change))


def test_vectors_of_two_lengths_are_an_error():
    sizes = iter([60, 30])
    vectors = SentenceVectors(Answering(lambda rows: rows[:, : next(sizes)]))
    vectors.prepare(["ba"])
    with pytest.raises(EncoderError, match="vectors of length 30, and of 60 before"):
        vectors.prepare(["be"])


def test_a_model_that_uses_one_array_again_and_again_does_no_harm():
    buffer = np.zeros((1, 60), np.float32)

    def reuse(rows):
        buffer[:] = rows
        return buffer

    vectors = SentenceVectors(Answering(reuse))
    for text in ("ba", "be"):
        vectors.prepare([text])
    assert np.array_equal(vectors.of(["ba", "be"]), Counting().encode(["ba", "be"]))


def test_what_cannot_encode_is_refused():
    with pytest.raises(InputTypeError, match="an object of type dict has no method encode"):
        SentenceVectors({"encode": 1})


def test_equal_vectors_are_noticed():
    for model, texts, expected in (
        (Counting(), ["ba", "be"], False),
        (Counting(), ["ba be", "be ba", "be ba"], True),
        (Counting(), ["ba", "ba"], False),  # one text is no sign of anything
        (Answering(np.zeros_like), TEXTS, True),
    ):
        vectors = SentenceVectors(model)
        vectors.prepare(texts)
        assert vectors.are_equal(texts) is expected


# --- coverage -----------------------------------------------------------------------------------


def test_coverage_of_a_model_of_ours_counts_each_sentence_as_often_as_it_stands(small_sent2vec):
    model = small_sent2vec
    vectors = SentenceVectors(model)
    texts = ["captain of xyzzy", "xyzzy", "captain of xyzzy", ""]
    vectors.prepare(texts)
    assert vectors.coverage(texts) == Coverage(sentences=4, unknown=2, tokens=7, known=4)
    assert vectors.coverage(texts).share == 4 / 7
    assert vectors.remarks == []  # what the model says of empty texts is in the coverage


def test_coverage_of_another_object_is_unknown():
    vectors = SentenceVectors(Counting())
    vectors.prepare(TEXTS)
    assert vectors.coverage(TEXTS) == Coverage(sentences=5)
    assert vectors.coverage(TEXTS).share is None


def test_an_object_may_say_what_it_knows_without_a_tokenizer():
    class Saying(Counting):
        def encode(self, texts, return_known=False):
            rows = super().encode(texts)
            return (rows, rows.sum(axis=1)) if return_known else rows

    vectors = SentenceVectors(Saying())
    vectors.prepare(TEXTS)
    assert vectors.coverage(TEXTS) == Coverage(sentences=5, unknown=1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda rows: rows, "returned ndarray - expected a tuple of vectors and counts"),
        (lambda rows: (rows, [1]), "returned 1 counts of known words for 4 texts"),
    ],
)
def test_counts_that_do_not_fit_are_an_error(answer, message):
    class Wrong(Counting):
        def encode(self, texts, return_known=False):
            return answer(super().encode(texts))

    with pytest.raises(EncoderError, match=message):
        encoded(Wrong())


def test_threads_are_passed_on_where_they_are_taken():
    class Threaded(Counting):
        def encode(self, texts, threads=1):
            self.threads = threads
            return super().encode(texts)

    model = Threaded()
    encoded(model, threads=3)
    assert model.threads == 3


def test_what_a_model_warns_of_becomes_a_remark_said_once():
    class Warning(Counting):
        def encode(self, texts):
            warnings.warn("mind the gap", UserWarning, stacklevel=2)
            return super().encode(texts)

    vectors = SentenceVectors(Warning())
    for text in ("a", "b"):
        vectors.prepare([text])
    assert vectors.remarks == ["the model warned: mind the gap"]


# --- cosines ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_no_vector_is_too_long_or_too_short_for_its_cosine(scale):
    left = np.array([[3.0, 4.0], [1.0, 0.0], [0.0, 0.0]]) * scale
    right = np.array([[4.0, 3.0], [-1.0, 0.0], [1.0, 1.0]])
    assert cosines(left, right) == pytest.approx([0.96, -1.0, 0.0], abs=1e-12)
