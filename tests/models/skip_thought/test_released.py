"""The released Skip-Thought files as a model: the vectors that their own program computes."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

import sentvec
from sentvec import SkipThought
from support import released

TEXTS = ["the cat sat", "on a mat .", "zeeën", "the dog sat"]  # `dog` is unknown


def expected(name, text, *, end=False):
    """The vector of the released program for words cut at white space, of length 1."""
    words = [word if word in released.WORDS else "UNK" for word in text.split()]
    rows = [released.WORDS.index(word) for word in words + ["<eos>"] * end]
    vectors = released.table(name, len(released.WORDS))[rows]
    vector = released.encode(released.parameters(name), name, vectors)
    return vector / np.linalg.norm(vector)


@pytest.fixture
def folder(tmp_path):
    return released.write_released(tmp_path, "uni", "bi")


@pytest.mark.parametrize("end", [False, True])
def test_a_text_has_the_vector_of_the_released_program(folder, end):
    model = sentvec.load(folder)
    assert isinstance(model, SkipThought)
    assert model.dim == 14
    rows = [np.concatenate([expected(name, text, end=end) for name in ("uni", "bi")])
            for text in TEXTS]  # fmt: skip
    options = {"end_token": True} if end else {}
    np.testing.assert_allclose(model.encode(TEXTS, **options), rows, atol=1e-6)


@pytest.mark.parametrize("name", ["uni", "bi"])
def test_one_of_the_two_models_is_enough_and_parts_need_not_be_scaled(tmp_path, name):
    model = sentvec.load(released.write_released(tmp_path, name, decoders=True))
    raw = model.encode(TEXTS, normalize_parts=False)
    rows = np.array([expected(name, text) for text in TEXTS])
    np.testing.assert_allclose(raw / np.linalg.norm(raw, axis=1, keepdims=True), rows, atol=1e-6)
    assert np.abs(np.linalg.norm(raw, axis=1) - 1).min() > 1e-3


def test_the_special_words_of_the_files_are_no_words_of_a_text(folder):
    model = sentvec.load(folder)
    assert "UNK" not in model.vocabulary
    assert "<eos>" not in model.vocabulary
    assert len(model.vocabulary) == len(released.WORDS) - 2


def test_a_saved_model_gives_the_same_vectors(folder, tmp_path):
    model = sentvec.load(folder, tokenizer="simple")
    model.save(tmp_path / "ours")
    again = sentvec.load(tmp_path / "ours")
    np.testing.assert_array_equal(again.encode(TEXTS), model.encode(TEXTS))
    assert again.config["source"]["layout"] == "released Skip-Thought parameters"
    assert again.tokenizer.name == "simple"


def test_word_tables_stay_on_disk(folder):
    model = sentvec.load(folder)
    assert is_mapped(model.tensors["0.word_vectors"])
    assert is_mapped(model.tensors["1.word_vectors"])


def is_mapped(array):
    whole = array
    while isinstance(whole, np.ndarray | memoryview):
        whole = whole.base if isinstance(whole, np.ndarray) else whole.obj
    return isinstance(whole, mmap.mmap)
