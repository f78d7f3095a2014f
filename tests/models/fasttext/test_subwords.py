"""Hashed features of fastText: plain loops are the definition they are tested against."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sentvec.models.fasttext.subwords import (
    KeptBuckets,
    subword_hashes,
    subword_rows,
    token_ngram_rows,
    word_hash,
    word_hashes,
)

NO_ROW = -1
MIXED = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=12).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.text("aé文😀", max_size=40).map(str.encode),
)


def plain_hash(data):
    h = 2166136261
    for byte in data:
        signed = byte - 256 if byte > 127 else byte
        h = ((h ^ (signed & 0xFFFFFFFF)) * 16777619) % 2**32
    return h


def plain_ngrams(word, min_n, max_n):
    characters = []
    for byte in b"<" + word + b">":
        if byte & 0xC0 == 0x80:
            characters[-1] += bytes([byte])
        else:
            characters.append(bytes([byte]))
    for start in range(len(characters)):
        for n in range(1, max_n + 1):
            end = start + n
            if n < min_n or end > len(characters):
                continue
            if n > 1 or 0 < start < len(characters) - 1:
                yield b"".join(characters[start:end])


def test_the_hash_of_ascii_is_fnv1a():
    assert [word_hash(data) for data in (b"", b"a", b"foobar")] == [
        0x811C9DC5,
        0xE40C292C,
        0xBF9CF968,
    ]


def test_bytes_above_127_are_sign_extended():
    assert word_hash(b"\xc3") == ((2166136261 ^ 0xFFFFFFC3) * 16777619) % 2**32


@given(st.lists(MIXED, max_size=5))
def test_many_words_have_the_hashes_of_each(words):
    hashes = word_hashes(words)
    assert hashes.dtype == np.uint32
    assert hashes.tolist() == [plain_hash(word) for word in words] == [*map(word_hash, words)]


@given(MIXED, st.integers(0, 4), st.integers(0, 6))
def test_character_ngrams_come_by_start_and_then_by_length(word, min_n, max_n):
    expected = [plain_hash(gram) for gram in plain_ngrams(word, min_n, max_n)]
    assert subword_hashes(word, min_n, max_n).tolist() == expected


def test_a_word_of_one_character_has_no_ngram_of_its_ends():
    assert [*plain_ngrams("é".encode(), 1, 3)] == [
        b"<\xc3\xa9",
        b"<\xc3\xa9>",
        b"\xc3\xa9",
        b"\xc3\xa9>",
    ]
    assert len(subword_hashes("é".encode(), 1, 3)) == 4


@given(st.lists(MIXED, max_size=6), st.integers(1, 9), st.integers(1, 3))
def test_the_rows_of_many_words(words, buckets, min_n):
    rows, offsets = subword_rows(words, n_words=100, buckets=buckets, min_n=min_n, max_n=5)
    assert (rows.dtype, offsets.dtype, len(offsets)) == (np.int64, np.int64, len(words) + 1)
    for index, word in enumerate(words):
        expected = [100 + plain_hash(gram) % buckets for gram in plain_ngrams(word, min_n, 5)]
        assert rows[offsets[index] : offsets[index + 1]].tolist() == expected
    assert offsets[-1] == len(rows)


@given(st.lists(MIXED, max_size=6), st.dictionaries(st.integers(0, 8), st.none()))
def test_pruned_buckets_have_no_rows(words, kept):
    places = {bucket: place for place, bucket in enumerate(kept)}
    pairs = np.array([*places.items()], np.int32).reshape(-1, 2)
    rows, offsets = subword_rows(
        words, n_words=100, buckets=9, min_n=2, max_n=3, kept=KeptBuckets(pairs)
    )
    for index, word in enumerate(words):
        buckets = [plain_hash(gram) % 9 for gram in plain_ngrams(word, 2, 3)]
        expected = [100 + places[bucket] for bucket in buckets if bucket in places]
        assert rows[offsets[index] : offsets[index + 1]].tolist() == expected


def test_without_buckets_there_are_no_ngrams():
    rows, offsets = subword_rows([b"word"], n_words=100, buckets=0, min_n=2, max_n=3)
    assert (rows.tolist(), offsets.tolist()) == ([], [0, 0])
    hashes = word_hashes([b"a", b"b"])
    rows = token_ngram_rows(hashes, np.array([0, 2]), n_words=9, ngrams=2, buckets=0)
    assert rows.tolist() == [[NO_ROW], [NO_ROW]]


@given(
    st.lists(st.lists(MIXED, max_size=5), max_size=3),
    st.integers(1, 3),
    st.sampled_from([1, 7, 2_000_000]),
    st.booleans(),
)
def test_word_ngrams_are_hashed_over_the_signed_hashes_of_the_tokens(
    sentences, ngrams, buckets, pruned
):
    offsets = np.cumsum([0, *map(len, sentences)])
    tokens = [token for sentence in sentences for token in sentence]
    kept = KeptBuckets(np.array([[6, 0], [2, 1], [0, 2]])) if pruned else None
    rows = token_ngram_rows(
        word_hashes(tokens), offsets, n_words=50, ngrams=ngrams, buckets=buckets, kept=kept
    )
    expected = []
    for sentence in sentences:
        hashes = [plain_hash(token) for token in sentence]
        signed = [h - 2**32 if h >= 2**31 else h for h in hashes]
        for i in range(len(sentence)):
            line, h = [NO_ROW] * (ngrams - 1), signed[i] % 2**64
            for j in range(i + 1, min(len(sentence), i + ngrams)):
                h = (h * 116049371 + signed[j]) % 2**64
                bucket = h % buckets
                place = {6: 0, 2: 1, 0: 2}.get(bucket, NO_ROW) if pruned else bucket
                line[j - i - 1] = NO_ROW if place == NO_ROW else 50 + place
            expected.append(line)
    assert rows.reshape(-1).tolist() == [row for line in expected for row in line]


def test_long_words_that_are_not_utf8_take_no_time_in_square():
    word = b"\x80" * 300_000
    assert len(subword_hashes(word, 2, 3)) == 1  # `<` with all that follows, and `>`
    assert word_hashes([word]).tolist() == [word_hash(word)]
