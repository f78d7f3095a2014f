"""Word n-gram rows against a literal scalar implementation and the released program's own lists."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.text.ngrams import (
    NO_ROW,
    feature_lists,
    hash_step,
    ngram_rows,
    placeholder_rows,
    row_of,
)

MULTIPLIER = 116049371


def examples(n):
    return settings(max_examples=n, deadline=None, derandomize=True)


def arrays(sentences):
    ids = np.array([word for sentence in sentences for word in sentence], np.uint32)
    return ids, np.cumsum([0, *map(len, sentences)], dtype=np.int64)


def lists(rows, offsets):
    return [rows[a:b].tolist() for a, b in pairwise(offsets)]


# The definition, word by word, with the integers of Python.


def row_of_words(words, n_words, buckets):
    h = words[0]
    for word in words[1:]:
        h = (h * MULTIPLIER + word) % 2**64
    return n_words + h % buckets


def features_of(sentence, n_words, ngrams, buckets):
    features = list(sentence)
    for i in range(len(sentence)):
        h = sentence[i]
        for j in range(i + 1, min(len(sentence), i + ngrams)):
            h = (h * MULTIPLIER + sentence[j]) % 2**64
            features.append(n_words + h % buckets)
    return features


def placeholder_features_of(sentence, position, n_words, ngrams, buckets):
    words = list(sentence)
    words[position] = n_words
    rows = []
    for order in range(2, ngrams + 1):
        for before in range(order):
            start = position - before
            inside = start >= 0 and start + order <= len(words)
            gram = words[start : start + order] if inside else []
            rows.append(row_of_words(gram, n_words, buckets) if inside else NO_ROW)
    return rows


word_ids = st.one_of(st.integers(0, 5), st.integers(0, 2**32 - 1))
corpora = st.lists(st.lists(word_ids, max_size=9), max_size=6)
shapes = st.fixed_dictionaries(
    {
        "n_words": st.sampled_from([1, 6, 94, 2**31]),
        "ngrams": st.integers(1, 4),
        "buckets": st.one_of(
            st.integers(1, 9), st.sampled_from([500, 2_000_000, 2**31 - 1, 2**40])
        ),
    }
)


@examples(200)
@given(sentences=corpora, shape=shapes)
def test_feature_lists_are_those_of_the_scalar_definition(sentences, shape):
    rows, offsets = feature_lists(*arrays(sentences), **shape)
    assert lists(rows, offsets) == [features_of(sentence, **shape) for sentence in sentences]
    assert (rows.dtype, offsets.dtype) == (np.int64, np.int64)


@examples(200)
@given(sentences=corpora, shape=shapes)
def test_ngram_rows_are_those_of_the_scalar_definition(sentences, shape):
    ids, offsets = arrays(sentences)
    rows = ngram_rows(ids, offsets, **shape)
    expected = [
        [
            row_of_words(sentence[i : i + order], shape["n_words"], shape["buckets"])
            if i + order <= len(sentence)
            else NO_ROW
            for order in range(2, shape["ngrams"] + 1)
        ]
        for sentence in sentences
        for i in range(len(sentence))
    ]
    assert rows.tolist() == expected
    assert (rows.shape, rows.dtype) == ((len(ids), shape["ngrams"] - 1), np.int64)


@examples(200)
@given(sentences=corpora, shape=shapes)
def test_placeholder_rows_are_those_of_the_scalar_definition(sentences, shape):
    ids, offsets = arrays(sentences)
    rows = placeholder_rows(ids, offsets, **shape)
    expected = [
        placeholder_features_of(sentence, position, **shape)
        for sentence in sentences
        for position in range(len(sentence))
    ]
    assert rows.tolist() == expected
    assert (len(rows), rows.dtype) == (len(ids), np.int64)


@examples(60)
@given(sentences=corpora, shape=shapes)
def test_the_features_of_a_sentence_do_not_depend_on_its_neighbours(sentences, shape):
    together = lists(*feature_lists(*arrays(sentences), **shape))
    alone = [feature_lists(*arrays([sentence]), **shape)[0].tolist() for sentence in sentences]
    assert together == alone


def test_the_hash_goes_over_2_to_the_64_and_wraps():
    words = [4_000_000_000, 3_999_999_999, 5, 4_294_967_295]
    assert words[0] * MULTIPLIER**3 > 2**64
    rows = ngram_rows(*arrays([words]), n_words=10, ngrams=4, buckets=2**40)
    assert rows[0].tolist() == [row_of_words(words[:k], 10, 2**40) for k in (2, 3, 4)]


def test_one_step_of_the_hash_is_that_of_python():
    h = np.array([0, 1, 2**63, 2**64 - 1], np.uint64)
    expected = [(int(x) * MULTIPLIER + 7) % 2**64 for x in h]
    assert hash_step(h, 7).tolist() == expected
    assert row_of(h, 5, 3).tolist() == [5 + int(x) % 3 for x in h]


def test_repeated_words_and_ngrams_count_again():
    rows, _ = feature_lists(*arrays([[1, 2, 1, 2]]), n_words=3, ngrams=2, buckets=1000)
    words, grams = rows[:4].tolist(), rows[4:].tolist()
    assert words == [1, 2, 1, 2]
    assert grams[0] == grams[2] != grams[1]


def test_the_order_of_the_words_matters():
    rows = ngram_rows(*arrays([[1, 2], [2, 1]]), n_words=3, ngrams=2, buckets=1000)
    assert rows[0, 0] != rows[2, 0]


def test_one_bucket_takes_every_ngram():
    rows, _ = feature_lists(*arrays([[0, 1, 2]]), n_words=3, ngrams=3, buckets=1)
    assert rows.tolist() == [0, 1, 2, 3, 3, 3]


@pytest.mark.parametrize("ngrams", [1, 2, 3])
@pytest.mark.parametrize("sentences", [[], [[]], [[], []], [[3]], [[], [3], []]])
def test_sentences_of_no_or_one_word_have_no_ngrams(sentences, ngrams):
    shape = {"n_words": 5, "ngrams": ngrams, "buckets": 7}
    assert lists(*feature_lists(*arrays(sentences), **shape)) == sentences
    assert (placeholder_rows(*arrays(sentences), **shape) == NO_ROW).all()


def test_ngrams_longer_than_every_sentence_add_nothing():
    short = feature_lists(*arrays([[1, 2, 3]]), n_words=5, ngrams=3, buckets=99)[0]
    long = feature_lists(*arrays([[1, 2, 3]]), n_words=5, ngrams=9, buckets=99)[0]
    assert short.tolist() == long.tolist()


@pytest.mark.parametrize(("model", "buckets"), [("uni", 1), ("bi", 500), ("tri", 700)])
def test_the_features_are_those_of_the_released_program(shared, model, buckets):
    folder = shared / "fixtures" / "sent2vec"
    header = json.loads((folder / "headers.json").read_text())[model]
    cases = json.loads((folder / "features.json").read_text())[model]
    assert header["bucket"] == buckets
    shape = {"n_words": header["nwords"], "ngrams": header["wordNgrams"], "buckets": buckets}
    ids, offsets = arrays([case["ids"] for case in cases])
    assert len(ids) > 10
    assert lists(*feature_lists(ids, offsets, **shape)) == [case["features"] for case in cases]
