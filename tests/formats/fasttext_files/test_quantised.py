"""Quantised and pruned models."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from sentvec.errors import FormatError
from sentvec.formats.fasttext_files.reader import open_fasttext
from sentvec.models.fasttext.subwords import KeptBuckets
from sentvec.storage.rows import to_array
from sentvec.text.ngrams import feature_lists
from sentvec.text.unicode import decode, split_at_separators
from support.binaries import (
    WORDS,
    binary,
    check_consistent,
    dense,
    matrix,
    quantised,
    rows_of_opened,
)
from support.places import FIXTURES

N = len(WORDS)


@pytest.fixture
def opened(tmp_path):
    def opened(**parts):
        path = tmp_path / "model.ftz"
        path.write_bytes(binary(version=12, flags=(1, parts.pop("qout", 0)), **parts))
        return check_consistent(open_fasttext(path))

    return opened


def as_sentences(data):
    """Lines, cut once more at each literal `</s>`, as the released program reads them."""
    for line in data.split(b"\n"):
        sentence = []
        for token in split_at_separators(decode(line)):
            if token == "</s>":
                yield sentence
                sentence = []
            else:
                sentence.append(token)
        yield sentence


def test_a_quantised_model_gives_the_vectors_of_its_decoded_matrix():
    model = check_consistent(open_fasttext(FIXTURES / "bi.ftz"))
    expected = np.load(FIXTURES / "bi.ftz.derived_sentvec.npy")
    ids, rows = model.vocabulary().ids, rows_of_opened(model)
    sentences = list(as_sentences((FIXTURES / "probe.txt").read_bytes()))
    assert len(sentences) == len(expected)
    for sentence, vector in zip(sentences, expected, strict=True):
        known = np.array([ids[word] for word in sentence if word in ids], np.uint32)
        features, _ = feature_lists(
            known, np.array([0, len(known)]), n_words=len(ids), ngrams=2,
            buckets=model.sizes["buckets"],
        )  # fmt: skip
        mean = rows.take(features).mean(axis=0) if len(features) else np.zeros(16)
        np.testing.assert_allclose(mean, vector, atol=1e-6)


def test_the_decoded_rows_are_near_those_of_the_model_it_was_made_from():
    dense_rows = to_array(rows_of_opened(open_fasttext(FIXTURES / "bi.bin")))
    decoded = to_array(rows_of_opened(open_fasttext(FIXTURES / "bi.ftz")))
    cosines = (dense_rows * decoded).sum(axis=1) / np.maximum(
        np.linalg.norm(dense_rows, axis=1) * np.linalg.norm(decoded, axis=1), 1e-9
    )
    assert cosines.mean() > 0.99


@pytest.mark.parametrize("norms", [False, True])
@pytest.mark.parametrize("part", [1, 2, 3])
def test_parts_of_any_size_with_and_without_norms(opened, part, norms):
    model = opened(source=quantised(N + 6, part=part, norms=norms))
    parts = -(-3 // part)
    assert model.settings["quantiser"] == {
        "dim": 3, "nsubq": parts, "dsub": part, "lastdsub": 3 - (parts - 1) * part,
    }  # fmt: skip
    assert ("norm_codes" in model.tensors) == norms
    assert model.tensors["codes"].shape == (N + 6, parts)
    rows = rows_of_opened(model)
    codes, centroids = model.tensors["codes"], model.tensors["centroids"]
    for row in (0, 3, N + 5):
        # as the layout says, one part after the other
        vector = []
        for index, code in enumerate(codes[row].tolist()):
            width = min(part, 3 - index * part)
            begin = index * 256 * part + code * width
            vector += centroids[begin : begin + width].tolist()
        scale = model.tensors["norm_centroids"][model.tensors["norm_codes"][row]] if norms else 1
        np.testing.assert_allclose(rows.take(np.array([row]))[0], np.array(vector) * scale, 1e-6)


def test_a_quantised_output_matrix_is_checked_and_left_alone(opened):
    model = opened(source=quantised(N + 6), target=quantised(N), qout=1)
    assert "output_vectors" not in model.tensors
    with pytest.raises(FormatError, match=f"expected {N} rows of the output matrix, got {N + 1}"):
        opened(source=quantised(N + 6), target=quantised(N + 1), qout=1)


def test_pruned_models_keep_some_buckets(opened):
    pairs = [(5, 2), (0, 0), (3, 1)]
    model = opened(source=quantised(N + 3), pairs=pairs, model=3, labels=[(b"__label__x", 4)])
    assert model.layout == "fastText v12, quantised, pruned"
    assert model.settings["pruned"]
    assert model.sizes["buckets"] == 6
    kept = KeptBuckets(model.tensors["pruned_buckets"])
    assert kept.places(np.arange(6)).tolist() == [0, -1, -1, 1, -1, 2]


def test_a_pruned_model_may_keep_no_bucket(opened):
    model = opened(source=quantised(N), pruned=0, model=3, labels=[(b"__label__x", 4)])
    assert model.settings["pruned"]
    assert model.tensors["pruned_buckets"].shape == (0, 2)
    kept = KeptBuckets(model.tensors["pruned_buckets"])
    assert kept.places(np.arange(6)).tolist() == [-1] * 6


def test_the_output_rows_of_a_pruned_sent2vec_model_are_not_its_words(opened):
    target = dense(matrix(N + 40))
    model = opened(source=quantised(N + 1), pairs=[(1, 0)], target=target)
    assert "output_vectors" not in model.tensors


@pytest.mark.parametrize(
    "pairs",
    [
        [(-1, 0), (0, 1)],  # no bucket
        [(7, 0), (0, 1)],
        [(0, 0), (0, 1)],  # twice
        [(1, 0), (0, 0)],
        [(1, -1), (0, 0)],  # no place
        [(1, 1), (0, 2)],
    ],
)
def test_pairs_that_do_not_fit_are_an_error(opened, pairs):
    with pytest.raises(FormatError, match="2 pairs of a bucket below 7 and a row"):
        opened(source=quantised(N + 2), pairs=pairs)


def test_a_pruned_model_without_the_rows_of_its_pairs_is_an_error(opened):
    with pytest.raises(FormatError, match=f"expected {N + 2} rows"):
        opened(source=quantised(N + 1), pairs=[(1, 0), (0, 1)])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dim": 4}, "expected dim 3 of the quantiser"),
        ({"dsub": 0}, "expected dsub"),
        ({"dsub": -2}, "expected dsub"),
        ({"dsub": 4}, "expected dsub"),
        ({"nsubq": 3}, "expected 2 parts of 2 columns, the last of 1"),
        ({"nsubq": -2}, "expected 2 parts"),
        ({"lastdsub": 2}, "expected 2 parts"),
    ],
)
def test_numbers_of_a_quantiser_that_contradict_each_other_are_an_error(opened, wrong, message):
    with pytest.raises(FormatError, match=message):
        opened(source=quantised(N + 6, wrong=wrong))


def test_a_wrong_number_of_codes_is_an_error(opened):
    with pytest.raises(FormatError, match="expected 11 x 2 codes, got 20"):
        opened(source=quantised(N + 6, codes=20))
    with pytest.raises(FormatError, match="0 or more, got -1"):
        opened(source=quantised(N + 6, codes=-1))
    with pytest.raises(FormatError, match="expected 0 or 1"):
        opened(source=quantised(N + 6, norm=2))


def test_codes_that_sent2vec_lost_are_explained(opened):
    with pytest.raises(
        FormatError, match=r"loses codes when -dsub \(2\) does not divide dim \(3\)"
    ):
        opened(source=quantised(N + 6, codes=N + 6))


def test_damaged_norms_give_no_warning(opened):
    source = bytearray(quantised(N + 6, norms=True))
    source[-1024:] = struct.pack("<f", float("inf")) * 256
    model = opened(source=bytes(source))
    to_array(rows_of_opened(model))
