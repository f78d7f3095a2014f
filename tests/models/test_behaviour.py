"""What every model must do, on a corpus whose right answers are known by construction."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sentvec import load
from sentvec.errors import EmptyTextWarning
from support.behaviour import (
    COMMON,
    GLAD,
    MODELS,
    SAD,
    TOPICS,
    VERDICTS,
    planted_corpus,
    unseen_sentences,
)
from support.program import SECONDS

TEXTS = ["the captain and the storm", "not good", "flour", "", "nothing known here at all?"]


@pytest.fixture(scope="session", params=MODELS, ids=lambda model: model.name)
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def trained(kind, trained_models):
    return trained_models(kind.name)


@pytest.fixture(scope="session")
def folder(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("behaviour") / "model"
    trained.save(path)
    return path


@pytest.fixture
def loaded(folder):
    return load(folder)


@pytest.fixture(params=["trained", "loaded"])
def either(request, trained, loaded):
    return {"trained": trained, "loaded": loaded}[request.param]


@pytest.fixture
def with_word_pairs(kind):
    if not kind.pairs:
        pytest.skip("a model that does not learn word pairs from this corpus")
    return kind


def vectors_of(model):
    return model.encode(TEXTS, on_empty="nan")


def moods(model):
    """For each verdict, whether it is nearer to the glad words than to the sad ones."""
    scores = model.similarity(list(VERDICTS), [" ".join(GLAD), " ".join(SAD)])
    return {verdict: glad > sad for verdict, (glad, sad) in zip(VERDICTS, scores, strict=True)}


RIGHT_MOODS = {verdict: words is GLAD for verdict, words in VERDICTS.items()}


def test_the_nearest_sentences_of_an_unseen_sentence_are_of_its_topic(trained):
    sentences = [line for line in planted_corpus() if line]
    pairs = unseen_sentences()
    for (topic, _), hits in zip(
        pairs, trained.neighbors([text for _, text in pairs], sentences, k=10), strict=True
    ):
        assert len(hits) == 10
        for hit in hits:
            assert set(hit.text.split()) <= {*TOPICS[topic].split(), *COMMON}


def test_sentences_of_one_topic_are_more_alike_than_sentences_of_two(trained):
    topics, texts = zip(*unseen_sentences(), strict=True)
    scores = trained.similarity(texts, texts)
    same = np.equal.outer(topics, topics) & ~np.eye(len(texts), dtype=bool)
    assert scores[same].min() > scores[~np.equal.outer(topics, topics)].max()


def test_not_good_is_sad_and_not_bad_is_glad(with_word_pairs, trained):
    assert moods(trained) == RIGHT_MOODS


def test_words_alone_cannot_tell_not_good_from_very_good(with_word_pairs):
    assert (
        moods(with_word_pairs.train(planted_corpus(), **with_word_pairs.without_pairs))
        != RIGHT_MOODS
    )


def test_encode_gives_a_vector_for_a_str_and_a_matrix_for_anything_else(trained):
    single = trained.encode("the captain")
    assert (single.shape, single.dtype) == ((trained.dim,), np.float32)
    for texts in (["the captain"], ("the captain",), (text for text in ["the captain"])):
        matrix = trained.encode(texts)
        assert (matrix.shape, matrix.dtype) == ((1, trained.dim), np.float32)
        assert np.array_equal(matrix[0], single)
    assert trained.encode([]).shape == (0, trained.dim)


def test_encode_gives_the_same_alone_and_among_others(kind, trained):
    texts = [text for _, text in unseen_sentences()]
    alone = np.stack([trained.encode(text) for text in texts])
    for together in (trained.encode(texts), trained.encode(texts[::-1])[::-1]):
        np.testing.assert_allclose(together, alone, rtol=0, atol=kind.rounding)


def test_encode_gives_the_same_bits_twice(trained):
    assert np.array_equal(vectors_of(trained), vectors_of(trained), equal_nan=True)


def test_encode_says_which_texts_have_no_known_word(trained):
    with pytest.warns(EmptyTextWarning, match="2 of 5 texts"):
        vectors, known = trained.encode(TEXTS, return_known=True)
    assert (known == 0).tolist() == [False, False, False, True, True]
    assert (~vectors.any(axis=1)).tolist() == [False, False, False, True, True]
    assert np.isfinite(vectors).all()


def test_vectors_cannot_be_changed_by_accident(either):
    for model in (either, copy.deepcopy(either), pickled(either)):
        for tensor in model.tensors.values():
            with pytest.raises(ValueError, match="read-only"):
                tensor[..., 0] = 1.0


def test_what_is_encoded_belongs_to_the_caller(trained):
    first = trained.encode(["flour"])
    first[:] = 7.0
    word = trained.encode("flour")
    word[:] = 7.0
    assert not np.array_equal(trained.encode("flour"), word)


def test_a_saved_model_gives_the_same_bits(trained, loaded):
    assert np.array_equal(vectors_of(loaded), vectors_of(trained), equal_nan=True)
    assert dict(loaded.vocabulary) == dict(trained.vocabulary)
    assert loaded.tokenizer == trained.tokenizer
    assert type(loaded) is type(trained)


def test_a_model_saved_again_is_the_same_to_the_byte(loaded, folder, tmp_path):
    again = tmp_path / folder.name
    loaded.save(again)
    assert {path.name for path in again.iterdir()} == {path.name for path in folder.iterdir()}
    for path in folder.iterdir():
        assert (again / path.name).read_bytes() == path.read_bytes(), path.name


def pickled(model):
    return pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, pickled])
def test_a_copied_or_pickled_model_gives_the_same_bits(either, copied):
    twin = copied(either)
    assert np.array_equal(vectors_of(twin), vectors_of(either), equal_nan=True)
    assert dict(twin.vocabulary) == dict(either.vocabulary)
    assert twin.config == either.config


def test_a_loaded_model_is_pickled_as_its_path(loaded):
    assert len(pickle.dumps(loaded)) < 4000 < sum(x.nbytes for x in loaded.tensors.values())


def test_many_threads_may_encode_with_one_model(loaded, trained):
    expected = vectors_of(trained)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: vectors_of(loaded), range(32)))
    assert all(np.array_equal(result, expected, equal_nan=True) for result in results)


# In a process of its own: one that has used threads of torch before cannot be forked, and another
# test may have used them here.
FORKED = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import numpy as np
from sentvec import load
from support.behaviour import MODELS, planted_corpus

def encode():
    return model.encode(TEXTS, threads=1, on_empty="nan")

TEXTS = ["the captain and the storm", "not good", "flour", "", "nothing known here at all?"]
folder, kind, which = sys.argv[1:]
if which == "loaded":
    model = load(folder)
else:
    [train] = [each.train for each in MODELS if each.name == kind]
    model = train(planted_corpus()[:110], epochs=1)
expected = encode()
with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
    print(np.array_equal(pool.submit(encode).result(), expected, equal_nan=True))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("which", ["trained", "loaded"])
def test_a_forked_process_may_encode_with_the_model_of_its_parent(kind, folder, which):
    done = subprocess.run(
        [sys.executable, "-c", FORKED, folder, kind.name, which], capture_output=True, text=True,
        timeout=SECONDS, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert done.stdout == "True\n", done.stderr


def test_training_draws_no_numbers_from_the_callers_generator(kind):
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    kind.train(planted_corpus()[:30], epochs=1)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs /proc")
def test_a_trained_model_does_not_keep_the_encoded_corpus_open(kind, tmp_path):
    model = kind.train(planted_corpus()[:30], epochs=1, work_dir=tmp_path)
    assert len(model.vocabulary) > 0
    with open("/proc/self/maps", encoding="utf-8") as maps:
        assert str(tmp_path) not in maps.read()
    assert not any(tmp_path.iterdir())
