"""A model of half precision: half the disk, encoded from the rows it needs, in float32."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
import safetensors.numpy

from sentvec import Sent2Vec, load
from support.behaviour import MODELS, planted_corpus, train_sent2vec, unseen_sentences

LINES = planted_corpus()[:220]
TEXTS = ["the captain and the storm", "not good", "flour", "flour flour sugar"]


@pytest.fixture(scope="session")
def model():
    return train_sent2vec(LINES, epochs=4, dtype="float16")


@pytest.fixture
def saved(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


def unpacked(model):
    """The same model with its matrices in single precision."""
    tensors = {name: tensor.astype(np.float32) for name, tensor in model.tensors.items()}
    return Sent2Vec(
        vocabulary=lambda: model.vocabulary, tokenizer=model.tokenizer, tensors=tensors,
        config=model.config,
    )  # fmt: skip


def test_the_matrices_are_half_as_big_and_so_is_the_folder(model, saved, tmp_path):
    assert {tensor.dtype for tensor in model.tensors.values()} == {np.dtype(np.float16)}
    single = train_sent2vec(LINES, epochs=4)
    single.save(tmp_path / "single")
    sizes = [
        sum(path.stat().st_size for path in folder.iterdir())
        for folder in (saved, tmp_path / "single")
    ]
    assert 0.49 < sizes[0] / sizes[1] < 0.55


def test_the_safetensors_library_reads_it(model, saved):
    read = safetensors.numpy.load_file(saved / "model.safetensors")
    for name, tensor in model.tensors.items():
        assert read[name].dtype == np.float16
        assert np.array_equal(read[name], tensor)


def test_encoding_is_the_mean_in_single_precision_of_the_rows(model):
    single = unpacked(model)
    texts = [*TEXTS, *(line for line in LINES if line)]
    vectors = model.encode(texts)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, single.encode(texts), rtol=1e-6, atol=1e-9)
    flour = model.vocabulary.ids["flour"]
    assert np.array_equal(model.encode("flour"), model.input_vectors[flour].astype(np.float32))
    rows = model.encode("flour not")  # two words and their bigram, divided in float32
    assert not np.array_equal(rows, rows.astype(np.float16))


def test_it_answers_as_its_copy_in_single_precision_does(model):
    single = unpacked(model)
    np.testing.assert_allclose(
        model.similarity(TEXTS, TEXTS), single.similarity(TEXTS, TEXTS), atol=1e-6
    )
    np.testing.assert_allclose(
        model.similarity_pairwise(TEXTS, TEXTS), np.ones(len(TEXTS)), atol=1e-6
    )
    hits = [[hit.index for hit in m.neighbors("storm", LINES, k=5)] for m in (model, single)]
    assert hits[0] == hits[1]
    for one, other in zip(model.explain(TEXTS[0]), single.explain(TEXTS[0]), strict=True):
        assert (one.text, one.row, one.count) == (other.text, other.row, other.count)
        assert one.share == pytest.approx(other.share, abs=1e-3)
    word = model.word_vector("flour")
    assert word.dtype == np.float32
    assert np.array_equal(word, single.word_vector("flour"))


def test_texts_without_a_known_word_are_as_ever(model):
    assert np.isnan(model.encode(["qwerty", "flour"], on_empty="nan")).any(axis=1).tolist() == [
        True, False,
    ]  # fmt: skip
    assert model.encode([]).shape == (0, 16)


def test_saved_loaded_and_pickled_it_is_the_same(model, saved):
    loaded = load(saved)
    assert isinstance(loaded.input_vectors, np.memmap)
    assert not loaded.input_vectors.flags.writeable
    for copy in (loaded, pickle.loads(pickle.dumps(loaded)), pickle.loads(pickle.dumps(model))):
        assert copy.input_vectors.dtype == np.float16
        assert np.array_equal(copy.input_vectors, model.input_vectors)
        assert np.array_equal(copy.encode(TEXTS), model.encode(TEXTS))
    assert loaded.config["settings"]["dtype"] == "float16"


def test_encoding_does_not_unpack_the_matrix():
    model = train_sent2vec(LINES, epochs=1, dtype="float16", dim=64, buckets=50_000)
    texts = TEXTS * 10
    model.encode(texts)  # loads SciPy
    tracemalloc.start()
    try:
        model.encode(texts)
        model.similarity(texts, "storm")
        model.explain(TEXTS[0])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert model.input_vectors.nbytes > 6_000_000
    assert peak < 500_000


@pytest.mark.parametrize("settings", [{"variant": "released"}, {"l1": 0.001}, {"ngrams": 1}, {"threads": 2}], ids=str)  # fmt: skip
def test_any_setting_goes_with_it(settings):
    model = train_sent2vec(LINES, dtype="float16", epochs=3, **settings)
    single = train_sent2vec(LINES, epochs=3, **settings)
    assert model.input_vectors.shape == single.input_vectors.shape
    assert model.config["training"]["loss"] == pytest.approx(
        single.config["training"]["loss"], rel=0.02
    )


def test_the_same_seed_gives_the_same_bits_and_another_does_not(model):
    again = train_sent2vec(LINES, epochs=4, dtype="float16")
    assert np.array_equal(again.input_vectors, model.input_vectors)
    other = train_sent2vec(LINES, epochs=4, dtype="float16", seed=2)
    assert not np.array_equal(other.input_vectors, model.input_vectors)


# Skip-Thought has another low precision, that of its products.
HALF = [maker for maker in MODELS if maker.name != "skip-thought"]


@pytest.mark.parametrize("maker", HALF, ids=lambda maker: maker.name)
def test_it_finds_the_planted_topics_as_well(maker):
    model = maker.train(planted_corpus(), dtype="float16")
    pairs = unseen_sentences()
    vectors = model.encode([text for _, text in pairs], normalize=True)
    scores = vectors @ vectors.T
    np.fill_diagonal(scores, -1)
    topics = [topic for topic, _ in pairs]
    right = [topics[near] == topic for near, topic in zip(scores.argmax(1), topics, strict=True)]
    assert np.mean(right) > 0.9
