"""Encoding, similarity, neighbours and explaining: what `SentenceEncoder` promises."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping

import numpy as np
import pytest

from sentvec import Feature, Hit
from sentvec.errors import (
    EmptyTextError,
    EmptyTextWarning,
    InputTypeError,
    SentvecError,
    SettingsError,
    UnknownWordError,
)
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.vocabulary import Vocabulary
from support.behaviour import planted_corpus, train_sent2vec


@pytest.fixture(scope="session")
def model():
    return train_sent2vec(planted_corpus(), epochs=2, ngrams=3)


@pytest.fixture(scope="session")
def compass():
    """Words whose vectors are known: cosines can be worked out by hand."""
    return by_hand({"east": (1, 0), "north": (0, 1), "west": (-1, 0), "nowhere": (0, 0)})


def by_hand(rows):
    vocabulary = Vocabulary(list(rows), np.arange(len(rows), 0, -1))
    return SentenceEncoder(
        vocabulary=lambda: vocabulary,
        tokenizer=Tokenizer("whitespace"),
        tensors={"input_vectors": np.array(list(rows.values()), np.float32)},
        config={
            "model": "by-hand",
            "settings": {"ngrams": 1},
            "tokenizer": {"name": "whitespace"},
            "sizes": {"dim": 2, "vocabulary": len(rows), "buckets": 0},
        },
    )


def feature_rows(model, text):
    """The rows of a text by the definition: known words, then n-grams hashed over their ids."""
    words = list(model.vocabulary)
    ids = [words.index(word) for word in text.lower().split() if word in words]
    rows = list(ids)
    for start in range(len(ids)):
        hashed = ids[start]
        for following in ids[start + 1 : start + model.config["settings"]["ngrams"]]:
            hashed = (hashed * 116049371 + following) % 2**64
            rows.append(len(words) + hashed % model.config["sizes"]["buckets"])
    return rows


# --- what may be encoded ------------------------------------------------------------------------


def test_a_str_gives_one_vector(model):
    vector = model.encode("the captain")
    assert (vector.shape, vector.dtype) == ((16,), np.float32)


@pytest.mark.parametrize(
    "texts",
    [
        ["the captain", "flour"],
        ("the captain", "flour"),
        (text for text in ["the captain", "flour"]),
        np.array(["the captain", "flour"]),
        np.array(["the captain", "flour"], dtype=object),
        iter({"the captain": 0, "flour": 1}),
        [np.str_("the captain"), np.str_("flour")],
    ],
    ids=["list", "tuple", "generator", "array of str", "array of objects", "iterator", "numpy str"],
)
def test_any_ordered_iterable_of_str_gives_a_matrix(model, texts):
    vectors = model.encode(texts)
    assert (vectors.shape, vectors.dtype) == ((2, 16), np.float32)
    assert np.array_equal(vectors, [model.encode("the captain"), model.encode("flour")])


@pytest.mark.parametrize("nothing", [[], (), iter([]), np.array([], str)])
def test_no_texts_give_a_matrix_of_no_rows(model, nothing):
    vectors, known = model.encode(nothing, return_known=True)
    assert (vectors.shape, vectors.dtype) == ((0, 16), np.float32)
    assert (known.shape, known.dtype) == ((0,), np.int64)


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        (b"the captain", "bytes"),
        (bytearray(b"the captain"), "bytearray"),
        (None, "NoneType"),
        (7, "int"),
        (1.5, "float"),
        ({"the captain"}, "set"),
        (frozenset(["the captain"]), "frozenset"),
        ({"the captain": 1}, "dict"),
        (np.array("the captain"), r"array of shape \(\)"),
        (np.array([["the captain"]]), r"array of shape \(1, 1\)"),
        (["the captain", None], r"item 1 .*NoneType"),
        (["the captain", "flour", b"flour"], r"item 2 .*bytes .*b'flour'"),
        ([["the captain"]], r"item 0 .*list"),
        (np.array([1.0, 2.0]), r"item 0 .*float64"),
        ((text for text in ["flour", 3]), r"item 1 .*int"),
    ],
    ids=lambda value: re.sub(r" at 0x\w+", "", repr(value)),
)
def test_what_is_no_text_is_refused_by_name(model, texts, named):
    with pytest.raises(InputTypeError, match=named) as caught:
        model.encode(texts)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, SentvecError)
    assert "expected" in str(caught.value)


def test_the_message_about_a_long_item_is_short(model):
    with pytest.raises(InputTypeError) as caught:
        model.encode([b"x" * 10_000])
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("blank", ["\n", "\r\n", "\t", "\n\n"])
def test_a_line_break_in_a_text_is_white_space(model, blank):
    joined = model.encode("the captain and the storm")
    assert np.array_equal(model.encode(f"the captain{blank}and the storm{blank}"), joined)


# --- the vectors --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["flour", "the captain", "not good not good not good", "the sugar of the Oven and storm"],
)
def test_a_vector_is_the_mean_of_the_rows_of_its_features(model, text):
    rows = feature_rows(model, text)
    expected = np.mean(model.input_vectors[rows].astype(np.float64), axis=0)
    np.testing.assert_allclose(model.encode(text), expected, rtol=1e-5, atol=1e-8)


def test_encode_drops_unknown_words_before_forming_bigrams(model):
    with_unknown = model.encode("the unheardof captain qwerty storm")
    assert np.array_equal(with_unknown, model.encode("the captain storm"))
    assert not np.array_equal(with_unknown, model.encode("captain the storm"))


def test_encode_keeps_the_order_over_the_borders_of_batches(model, monkeypatch):
    texts = [line for line in planted_corpus() if line][:300]
    expected = [model.encode(text) for text in texts]
    for size in (1, 7, 299, 300, 301):
        monkeypatch.setattr("sentvec.models.base.encoder._BATCH", size)
        assert np.array_equal(model.encode(texts), expected)


def test_encode_keeps_the_order_of_more_texts_than_a_batch_takes(model):
    texts = ["flour", "the captain", "joy", "not good", "judge"] * 1001
    pattern = np.stack([model.encode(text) for text in texts[:5]])
    assert np.array_equal(model.encode(texts), np.tile(pattern, (1001, 1)))


def test_encode_with_two_threads_gives_the_same_bits_as_with_one(model):
    texts = [line for line in planted_corpus() if line] * 5
    one = model.encode(texts)
    assert np.array_equal(model.encode(texts, threads=2), one)
    assert np.array_equal(model.encode(iter(texts), threads=5), one)


def test_normalize_scales_vectors_to_length_1_and_leaves_zero_alone(model):
    with pytest.warns(EmptyTextWarning):
        unit = model.encode(["the captain", "?!"], normalize=True)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), [1.0, 0.0], rtol=1e-6)
    plain = model.encode("the captain")
    np.testing.assert_allclose(unit[0], plain / np.linalg.norm(plain), rtol=1e-6)
    assert unit.dtype == np.float32
    assert np.array_equal(model.encode("the captain", normalize=True), unit[0])


def test_normalized_vectors_have_the_same_bits_alone_and_among_others(model):
    texts = [line for line in planted_corpus() if line][:500]
    alone = [model.encode(text, normalize=True) for text in texts]
    assert np.array_equal(model.encode(texts, normalize=True), alone)


# --- texts without a known word -----------------------------------------------------------------


def test_an_empty_text_is_zero_with_a_warning_that_counts_them_and_points_here(model):
    with pytest.warns(EmptyTextWarning, match=r"2 of 3 texts .*the first: 1") as caught:
        vectors = model.encode(["flour", "", "qwerty"])
    assert not vectors[1:].any()
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with pytest.warns(EmptyTextWarning):
        assert not model.encode("qwerty").any()


def test_on_empty_nan_gives_rows_of_nan_without_a_warning(model):
    vectors = model.encode(["flour", "", "qwerty"], on_empty="nan")
    assert np.isnan(vectors[1:]).all()
    assert np.isfinite(vectors[0]).all()
    assert np.isnan(model.encode("", on_empty="nan", normalize=True)).all()


def test_on_empty_raise_names_the_first(model):
    with pytest.raises(EmptyTextError, match=r"2 of 3 texts .*the first: 1"):
        model.encode(["flour", "", "qwerty"], on_empty="raise")
    with pytest.raises(EmptyTextError):
        model.encode("", on_empty="raise")
    model.encode(["flour"], on_empty="raise")


def test_texts_with_known_words_give_no_warning(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.encode(["flour", "the captain"])
        model.encode([])


def test_return_known_counts_the_known_words_of_each_text(model):
    with pytest.warns(EmptyTextWarning):
        _, known = model.encode(["the captain, the qwerty", "", "flour flour"], return_known=True)
    assert known.tolist() == [3, 0, 2]
    assert known.dtype == np.int64
    vector, single = model.encode("the captain", return_known=True)
    assert (vector.shape, single, type(single)) == ((16,), 2, int)


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ({"on_empty": "ignore"}, "on_empty is 'ignore'"),
        ({"on_empty": None}, "on_empty is None"),
        ({"threads": 0}, "threads is 0"),
        ({"threads": -1}, "threads is -1"),
        ({"threads": 1.5}, "threads is 1.5"),
        ({"threads": None}, "threads is None"),
    ],
)
def test_an_option_of_encode_that_cannot_work_is_refused(model, option, named):
    with pytest.raises(SettingsError, match=named):
        model.encode(["flour"], **option)


# --- similarity ---------------------------------------------------------------------------------


def test_similarity_is_the_cosine_of_each_with_each(compass):
    scores = compass.similarity(["east", "east north"], ["east", "north", "west"])
    half = np.sqrt(0.5)
    np.testing.assert_allclose(scores, [[1, 0, -1], [half, half, -half]], atol=1e-7)
    assert scores.dtype == np.float32


def test_similarity_takes_a_str_a_list_an_array_of_str_and_vectors(compass):
    expected = compass.similarity(["east north"], ["east", "west"])
    vectors = compass.encode(["east", "west"])
    for a in ("east north", ("east north",), np.array(["east north"])):
        for b in (["east", "west"], (text for text in ["east", "west"]), vectors, vectors * 3.0):
            np.testing.assert_allclose(compass.similarity(a, b), expected, atol=1e-7)
    assert compass.similarity(compass.encode("east"), "east").shape == (1, 1)
    assert compass.similarity([], ["east"]).shape == (0, 1)
    assert compass.similarity(vectors.astype(np.float64), np.array([[2, 0]])).dtype == np.float32


def test_similarity_takes_a_list_of_vectors(compass):
    expected = compass.similarity(["east north", "west"], ["east", "west"])
    texts = [compass.encode("east north"), compass.encode("west")]
    for a in (texts, tuple(texts), [vector.astype(np.float64) for vector in texts]):
        assert np.array_equal(compass.similarity(a, ["east", "west"]), expected)
    assert compass.similarity_pairwise(texts, ["east north", "west"]) == pytest.approx([1, 1])
    assert compass.similarity(texts[:1], texts).shape == (1, 2)


@pytest.mark.parametrize(
    ("side", "error", "message"),
    [
        ([np.zeros(2), np.zeros(3)], SettingsError, r"shape \(3,\) do not fit a model of dim 2"),
        ([np.zeros((1, 2))], SettingsError, r"item 0 .* the shape \(1, 2\) - expected \(2,\)"),
        ([np.zeros(2), "east"], InputTypeError, "item 1 of the vectors is of type str"),
        (["east", np.zeros(2)], InputTypeError, "item 1 of the texts is of type ndarray"),
        ([np.array(["a", "b"])], InputTypeError, "neither text nor vectors"),
        ([np.array(1.0)], InputTypeError, "item 0 of the texts"),
    ],
    ids=repr,
)
def test_a_list_of_what_are_no_vectors_is_refused(compass, side, error, message):
    with pytest.raises(error, match=message):
        compass.similarity(side, ["east"])


def test_the_cosine_with_a_text_without_a_known_word_is_0(compass):
    assert compass.similarity(["", "qwerty", "nowhere"], ["east", ""]).tolist() == [[0, 0]] * 3
    nan = compass.encode(["", "east"], on_empty="nan")
    assert compass.similarity(nan, "east").tolist() == [[0], [1]]
    assert compass.similarity_pairwise("", "").tolist() == [0]


def test_cosines_stay_within_minus_1_and_1(model):
    texts = [line for line in planted_corpus() if line][:200]
    scores = model.similarity(texts, texts)
    assert scores.max() == 1.0
    assert np.abs(scores).max() <= 1.0
    np.testing.assert_allclose(np.diag(scores), 1.0, atol=1e-6)
    assert np.abs(model.similarity_pairwise(texts, texts)).max() <= 1.0


def test_similarity_does_not_depend_on_the_length_of_huge_or_tiny_vectors(compass):
    for scale in (1e-30, 1e30):
        vectors = np.array([[scale, 0], [scale, scale]], np.float32)
        scores = compass.similarity(vectors, "east")
        np.testing.assert_allclose(scores[:, 0], [1, np.sqrt(0.5)], rtol=1e-6)


def test_pairwise_similarity_is_the_diagonal(model):
    a, b = ["the captain", "flour", "not good"], ["storm and wave", "the judge", "very good"]
    pairs = model.similarity_pairwise(a, b)
    assert (pairs.shape, pairs.dtype) == ((3,), np.float32)
    np.testing.assert_allclose(pairs, np.diag(model.similarity(a, b)), atol=1e-6)


def test_pairwise_similarity_of_unequal_numbers_is_refused(model):
    with pytest.raises(SettingsError, match="2 and 1 texts"):
        model.similarity_pairwise(["a", "b"], ["c"])


@pytest.mark.parametrize(
    ("side", "error"),
    [
        (np.zeros((2, 3)), SettingsError),
        (np.zeros((2, 2, 2)), SettingsError),
        (np.zeros((2, 2), bool), InputTypeError),
        (np.zeros((2, 2), complex), InputTypeError),
        (None, InputTypeError),
        (b"east", InputTypeError),
        ([None], InputTypeError),
    ],
    ids=["dim", "three axes", "bool", "complex", "None", "bytes", "list of None"],
)
def test_what_has_no_cosine_is_refused(compass, side, error):
    with pytest.raises(error):
        compass.similarity(side, "east")
    with pytest.raises(error):
        compass.similarity_pairwise("east", side)


# --- neighbours ---------------------------------------------------------------------------------

PLACES = ["west", "east east", "north", "east north", "east"]


def test_neighbors_are_hits_with_index_score_and_text_best_first(compass):
    hits = compass.neighbors("east", PLACES, k=3)
    assert [(hit.index, hit.text) for hit in hits] == [
        (1, "east east"),
        (4, "east"),
        (3, "east north"),
    ]
    assert hits[0] == Hit(index=1, score=1.0, text="east east")
    assert [type(hit.score) for hit in hits] == [float] * 3
    assert hits[2].score == pytest.approx(np.sqrt(0.5))


def test_k_may_be_larger_than_what_is_searched(compass):
    hits = compass.neighbors("east", PLACES, k=50)
    assert [hit.index for hit in hits] == [1, 4, 3, 2, 0]
    assert compass.neighbors("east", [], k=3) == []


def test_several_queries_give_a_list_of_hits_each(compass):
    both = compass.neighbors(["east", "west"], PLACES, k=2)
    assert both == [compass.neighbors("east", PLACES, k=2), compass.neighbors("west", PLACES, k=2)]
    assert compass.neighbors(("east",), PLACES, k=1) == [[Hit(1, 1.0, "east east")]]
    assert compass.neighbors([], PLACES) == []


def test_a_query_without_a_known_word_finds_nothing(compass):
    assert compass.neighbors("qwerty", PLACES) == []
    assert compass.neighbors(["", "east"], PLACES, k=1) == [[], [Hit(1, 1.0, "east east")]]


def test_a_sentence_without_a_direction_is_never_found(compass):
    hits = compass.neighbors("west", ["", "nowhere", "qwerty", "east", "east west"], k=5)
    assert [hit.index for hit in hits] == [3]


@pytest.mark.parametrize("n", [10, 1000, 5003])
@pytest.mark.parametrize("k", [1, 3, 60])
def test_equal_scores_are_ordered_by_index(model, n, k):
    sentences = ["flour and sugar", *["the captain of the storm"] * n, "joy"]
    hits = model.neighbors("a wave and the captain", sentences, k=k)
    assert [hit.index for hit in hits[: min(k, n)]] == list(range(1, min(k, n) + 1))
    assert len({hit.score for hit in hits[: min(k, n)]}) == 1


def test_neighbors_of_a_stream_are_those_of_a_list(model):
    sentences = [line for line in planted_corpus() if line] * 6  # more than one block
    queries = ["the captain and the storm", "not good"]
    expected = model.neighbors(queries, sentences, k=7)
    assert model.neighbors(iter(sentences), iter(sentences[:0])) == [[]] * len(sentences)
    assert model.neighbors(iter(queries), (text for text in sentences), k=7) == expected
    assert model.neighbors(queries, np.array(sentences), k=7) == expected


def test_neighbors_agree_with_a_sort_of_all_cosines(model):
    sentences = list(dict.fromkeys(line for line in planted_corpus() if line))
    scores = model.similarity("sugar and the oven", sentences)[0]
    hits = model.neighbors("sugar and the oven", sentences, k=20)
    np.testing.assert_allclose([hit.score for hit in hits], np.sort(scores)[::-1][:20], atol=1e-6)
    for hit in hits:
        assert hit.text == sentences[hit.index]
        assert hit.score == pytest.approx(scores[hit.index], abs=1e-6)


@pytest.mark.parametrize(
    ("query", "sentences", "named"),
    [
        ("east", "east west", "sentences is a str"),
        ("east", b"east west", "bytes"),
        ("east", None, "NoneType"),
        ("east", {"east", "west"}, "set"),
        ("east", {"east": 1}, "dict"),
        ("east", ["west"] * 5000 + [None], "item 5000 .*NoneType"),
        (None, ["east"], "NoneType"),
        (b"east", ["east"], "bytes"),
        (["east", 3], ["east"], "item 1 .*int"),
    ],
    ids=["str", "bytes", "None", "set", "dict", "item", "no query", "bytes query", "item of query"],
)
def test_what_cannot_be_searched_is_refused_by_name(compass, query, sentences, named):
    with pytest.raises(InputTypeError, match=named):
        compass.neighbors(query, sentences)


@pytest.mark.parametrize("k", [0, -1, 2.0, None, "3"])
def test_a_k_that_cannot_work_is_refused(compass, k):
    with pytest.raises(SettingsError, match="k is"):
        compass.neighbors("east", PLACES, k=k)


# --- explaining ---------------------------------------------------------------------------------


def test_shares_of_a_text_sum_to_1_largest_first(model):
    features = model.explain("the captain and the storm")
    shares = [feature.share for feature in features]
    assert sum(shares) == pytest.approx(1.0)
    assert shares == sorted(shares, reverse=True)


def test_features_of_a_text_are_its_words_and_ngrams_with_counts_and_weights(model):
    features = {feature.text: feature for feature in model.explain("not good qwerty not good")}
    counts = {
        "not": 2,
        "good": 2,
        "not good": 2,
        "good not": 1,
        "not good not": 1,
        "good not good": 1,
    }
    assert {text: feature.count for text, feature in features.items()} == counts
    for feature in features.values():
        assert feature.weight == pytest.approx(feature.count / 9)
        assert isinstance(feature, Feature)
    assert sorted(
        row for feature in features.values() for row in [feature.row] * feature.count
    ) == sorted(feature_rows(model, "not good not good"))


def test_the_vector_is_the_weighted_sum_of_the_features_rows(model):
    text = "flour and the captain of the storm and the captain"
    features = model.explain(text)
    total = sum(feature.weight * model.input_vectors[feature.row] for feature in features)
    np.testing.assert_allclose(total, model.encode(text), rtol=1e-4, atol=1e-7)


def test_the_share_of_a_feature_is_its_part_of_the_squared_length(compass):
    shares = {feature.text: feature.share for feature in compass.explain("east east north nowhere")}
    assert shares == pytest.approx({"east": 0.8, "north": 0.2, "nowhere": 0.0})
    assert [feature.share for feature in compass.explain("nowhere")] == [0.0]


@pytest.mark.parametrize("text", ["", " ", "qwerty unheardof"])
def test_a_text_without_a_known_word_has_no_features(model, text):
    assert model.explain(text) == []


@pytest.mark.parametrize("text", [None, b"flour", 3, ["flour"]])
def test_explain_takes_one_str_only(model, text):
    with pytest.raises(InputTypeError, match=type(text).__name__):
        model.explain(text)


# --- words --------------------------------------------------------------------------------------


def test_a_word_vector_is_a_copy_of_the_words_row(model):
    vector = model.word_vector("captain")
    row = list(model.vocabulary).index("captain")
    assert np.array_equal(vector, model.input_vectors[row])
    assert (type(vector), vector.dtype) == (np.ndarray, np.float32)
    vector[:] = 0.0
    assert model.input_vectors[row].any()


def test_an_unknown_word_is_a_key_error_that_names_near_words(model):
    with pytest.raises(KeyError) as caught:
        model.word_vector("captian")
    assert isinstance(caught.value, UnknownWordError)
    assert str(caught.value) == (
        "the word 'captian' is not in the vocabulary - did you mean 'captain'?"
    )
    with pytest.raises(UnknownWordError, match=r"see model.vocabulary"):
        model.word_vector("zzzzzzzz")


def test_the_vocabulary_is_a_read_only_mapping_from_word_to_count_in_id_order(model):
    vocabulary = model.vocabulary
    assert isinstance(vocabulary, Mapping)
    words = [word for line in planted_corpus() for word in line.split()]
    assert dict(vocabulary) == {word: words.count(word) for word in set(words)}
    assert list(vocabulary) == sorted(
        vocabulary, key=lambda word: (-vocabulary[word], word.encode())
    )
    assert "captain" in vocabulary
    assert "captian" not in vocabulary
    assert vocabulary.get("captian") is None
    assert type(vocabulary["captain"]) is int
    with pytest.raises(TypeError):
        vocabulary["captain"] = 1
    with pytest.raises(TypeError):
        del vocabulary["captain"]


def test_a_model_says_what_it_is(model):
    assert model.dim == 16
    size = f"{len(model.vocabulary)} words, 2000 buckets, dim 16"
    assert repr(model) == f"<Sent2Vec: {size}>"
