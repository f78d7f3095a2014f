"""TF-IDF and SIF: against scikit-learn and a plain definition, and on whole tasks."""

from __future__ import annotations

import re
import sys
from collections import Counter

import numpy as np
import pytest

from sentvec import Tokenizer, load
from sentvec.baselines.counts import read_counts
from sentvec.baselines.opening import open_baseline
from sentvec.baselines.sif import Sif
from sentvec.baselines.tfidf import TfIdf
from sentvec.errors import FormatError, MissingExtraError, SettingsError, SourceError
from support.behaviour import train_sent2vec

WORDS = ["the", "cat", "sat", "on", "mat", "dog", "ran", "2000"]
TEXTS = ["the cat sat", "the dog ran on the mat", "cat 2000", "unseen words", "", "the mat the mat"]
COUNTS = {"the": 60, "cat": 5, "sat": 4, "on": 20, "dog": 3, "unseen": 8}  # neither "mat" nor "ran"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("baselines")


@pytest.fixture(scope="module")
def vectors(folder):
    """A GloVe file, and its rows by word."""
    random = np.random.default_rng(4)
    rows = random.standard_normal((len(WORDS), 6)).astype(np.float32).round(4)
    lines = [" ".join([word, *map(str, row)]) for word, row in zip(WORDS, rows, strict=True)]
    path = folder / "glove.txt"
    path.write_text("\n".join(lines) + "\n")
    return path, dict(zip(WORDS, rows.astype(np.float64), strict=True))


@pytest.fixture(scope="module")
def counts_file(folder):
    path = folder / "counts.txt"
    path.write_text("".join(f"{word} {count}\n" for word, count in COUNTS.items()))
    return path


def plain_sif(texts, fitted, rows, counts, a=1e-3):
    """The definition: weighted means, less their projection on the first singular vector."""
    total = sum(counts.values())

    def mean(text):
        known = [word for word in text.split() if word in rows]
        weights = [a / (a + max(counts.get(word, 0), 1) / total) for word in known]
        terms = [weight * rows[word] for weight, word in zip(weights, known, strict=True)]
        return np.sum(terms, axis=0) / len(known) if known else np.zeros(6)

    first = np.linalg.svd(np.array([mean(text) for text in fitted]))[2][0]
    means = np.array([mean(text) for text in texts])
    return means - np.outer(means @ first, first)


# --- SIF ----------------------------------------------------------------------------------------


def test_sif_is_the_weighted_mean_less_the_first_component_of_the_fitted_texts(
    vectors, counts_file
):
    path, rows = vectors
    model = open_baseline(f"sif:{path}", counts=counts_file).fit(TEXTS)
    expected = plain_sif(TEXTS, TEXTS, rows, COUNTS)
    with pytest.warns(UserWarning, match="no known word"):
        found, known = model.encode(TEXTS, return_known=True)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert known.tolist() == [3, 6, 2, 0, 0, 4]
    assert not found[3:5].any()
    # the component is that of `fit`, whatever is encoded later, in whatever company
    np.testing.assert_allclose(model.encode("the cat sat"), expected[0], atol=1e-6)
    assert model.fit(TEXTS[:2]) is model
    other = plain_sif(TEXTS[:3], TEXTS[:2], rows, COUNTS)
    np.testing.assert_allclose(model.encode(TEXTS[:3]), other, atol=1e-6)
    assert np.abs(other - expected[:3]).max() > 0.01


def test_the_common_component_counts_each_text_once(vectors, counts_file):
    model = open_baseline(f"sif:{vectors[0]}", counts=counts_file)
    once = model.fit(TEXTS).encode("the cat")
    assert np.array_equal(model.fit([*TEXTS, *TEXTS[:2] * 5]).encode("the cat"), once)


def test_without_fit_the_component_is_that_of_the_encoded_texts_if_there_are_three(
    vectors, counts_file
):
    path, rows = vectors
    model = open_baseline(f"sif:{path}", counts=counts_file)
    three = [TEXTS[0], TEXTS[1], TEXTS[2]]
    np.testing.assert_allclose(
        model.encode(three), plain_sif(three, three, rows, COUNTS), atol=1e-6
    )
    weight = 1e-3 / (1e-3 + 5 / 100)
    np.testing.assert_allclose(model.encode("cat"), weight * rows["cat"], atol=1e-6)


def test_the_smoothing_is_an_argument(vectors):
    path, rows = vectors
    model = Sif(load(path), COUNTS, a=0.5).fit(TEXTS)
    expected = plain_sif(TEXTS[:3], TEXTS, rows, COUNTS, a=0.5)
    np.testing.assert_allclose(model.encode(TEXTS[:3]), expected, atol=1e-6)
    with pytest.raises(SettingsError, match="a is 0 - expected a positive number"):
        Sif(load(path), COUNTS, a=0)


def test_texts_without_a_known_word_have_no_component(vectors, counts_file):
    model = open_baseline(f"sif:{vectors[0]}", counts=counts_file).fit(["no", "such", "word"])
    weight = 1e-3 / (1e-3 + 5 / 100)
    np.testing.assert_allclose(model.encode("cat"), weight * vectors[1]["cat"], atol=1e-6)


def test_sif_takes_the_counts_of_a_model(vectors, folder):
    path, rows = vectors
    model = train_sent2vec(TEXTS, epochs=1, min_count=1, tokenizer="whitespace")
    model.save(folder / "model")
    given = open_baseline(f"sif:{path}", counts=folder / "model").fit(TEXTS)
    counts = Counter(" ".join(TEXTS).split())
    np.testing.assert_allclose(
        given.encode(TEXTS[:3]), plain_sif(TEXTS[:3], TEXTS, rows, counts), atol=1e-6
    )


def test_a_model_of_words_alone_has_counts_of_its_own(folder):
    model = train_sent2vec(TEXTS, epochs=1, min_count=1, ngrams=1, tokenizer="whitespace")
    model.save(folder / "words")
    own = open_baseline(f"sif:{folder / 'words'}")
    given = Sif(model, Counter(" ".join(TEXTS).split()))
    assert np.array_equal(own.encode(TEXTS[:3]), given.encode(TEXTS[:3]))


def test_what_sif_cannot_use_is_refused(vectors, folder):
    with pytest.raises(
        SettingsError, match="without word counts, and SIF needs them - give counts"
    ):
        open_baseline(f"sif:{vectors[0]}")
    model = train_sent2vec(TEXTS, epochs=1, min_count=1)
    with pytest.raises(
        SettingsError, match="this model has n-grams - expected vectors of words alone"
    ):
        Sif(model)


def test_the_fingerprint_of_sif_is_of_vectors_and_weights(vectors, folder):
    def of(model):
        return model.provenance()["fingerprint"]

    model, random = load(vectors[0]), folder / "other.txt"
    random.write_text("the 1 2\ncat 3 4\n")
    assert of(Sif(model, COUNTS)) == of(Sif(load(vectors[0]), COUNTS))
    others = [Sif(model, COUNTS, a=1e-2), Sif(model, {"the": 9}), Sif(load(random), COUNTS)]
    assert len({of(Sif(model, COUNTS)), *map(of, others)}) == 4
    assert Sif(model, COUNTS).provenance()["counts"] == 100


# --- counts -------------------------------------------------------------------------------------


def written(folder, text):
    path = folder / "some.txt"
    path.write_bytes(text)
    return path


@pytest.mark.parametrize("text", [b"the 60\n2000 7\ncat\t5\n\n", b"60 the\r\n7 2000\r\n5 cat\r\n"])
def test_the_count_stands_before_or_behind_the_word_on_all_lines(folder, text):
    """`7 2000` could be read both ways: the other lines tell."""
    assert read_counts(written(folder, text)) == {"the": 60, "2000": 7, "cat": 5}


def test_words_that_stand_twice_are_summed_up_and_numbers_alone_are_word_and_count(folder):
    assert read_counts(written(folder, b"the 60\nthe 2\n")) == {"the": 62}
    assert read_counts(written(folder, b"1 2\n3 4\n")) == {"1": 2, "3": 4}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"the 60\ncat\n", "some.txt, line 2: expected a word and a count"),
        (b"the 60\n\ncat 5.5\n", "line 3: expected a word and a count"),
        (b"the 60\n7 cat\n", "line 2: expected a word and a count, or on all lines the reverse"),
        (b"the big cat 5\n", "got b'the big cat 5'"),
        (b"the -5\n", "line 1: expected"),
        (b"\n", "is empty - expected a word and a count"),
    ],
)
def test_a_file_that_holds_something_else_is_named_with_its_line(folder, text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        read_counts(written(folder, text))


def test_counts_that_are_not_there(folder):
    with pytest.raises(SourceError, match=r"cannot read .*gone"):
        read_counts(folder / "gone")


# --- TF-IDF -------------------------------------------------------------------------------------


def test_tfidf_is_that_of_scikit_learn_over_the_fitted_texts():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    found, known = TfIdf().fit(TEXTS).encode([*TEXTS[:2], "a cat"], return_known=True)
    oracle = text.TfidfVectorizer(token_pattern=r"\w+").fit(TEXTS)
    expected = oracle.transform([*TEXTS[:2], "a cat"]).toarray()
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-6)
    assert known.tolist() == [3, 6, 1]


def test_tfidf_uses_its_tokenizer():
    pytest.importorskip("sklearn")
    model = TfIdf(Tokenizer("whitespace")).fit(["The cat.", "the cat"])
    assert model.encode(["The cat.", "the", "cat!"]).getnnz(axis=1).tolist() == [2, 1, 0]
    assert TfIdf().fit(["The cat.", "the cat"]).encode(["THE", "cat!"]).getnnz() == 2


def test_tfidf_without_fit_counts_what_it_encodes_the_first_time():
    pytest.importorskip("sklearn")
    model = TfIdf()
    assert model.encode(["a b", "c"]).shape == (2, 3)
    assert model.encode(["a d"]).shape == (1, 3)
    with pytest.raises(SettingsError, match="none of 2 texts contains a word"):
        model.fit(["", " "])


def test_tfidf_without_scikit_learn_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'sentvec[evaluate]'")):
        open_baseline("tfidf")


# --- by name ------------------------------------------------------------------------------------


def test_baselines_by_name(vectors, counts_file):
    path = vectors[0]
    mean = open_baseline(f"mean:{path}")
    np.testing.assert_allclose(mean.encode("the the cat"), load(path).encode("the the cat"))
    assert open_baseline(f"mean:{path}", tokenizer="simple").tokenizer == Tokenizer("simple")
    sif = open_baseline(f"sif:{path}", counts=counts_file, tokenizer="simple")
    assert sif.encode("The CAT", return_known=True)[1] == 2


@pytest.mark.parametrize("name", ["tfidf:x", "mean", "mean:", "sif", "sif:", "bm25", "bm25:x", ""])
def test_other_names_are_refused(name):
    with pytest.raises(SettingsError, match=f"unknown baseline '{name}' - expected tfidf, sif:"):
        open_baseline(name)


@pytest.mark.parametrize("name", ["tfidf", "mean:vectors.txt"])
def test_counts_are_refused_where_they_would_be_ignored(name, counts_file):
    with pytest.raises(SettingsError, match=f"counts are for sif:VECTORS, not for '{name}'"):
        open_baseline(name, counts=counts_file)
