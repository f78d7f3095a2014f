"""Combined Skip-Thought models, and models without decoders."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from sentvec import load
from sentvec.errors import FormatError, SettingsError
from sentvec.models.base.fingerprint import fingerprint
from sentvec.models.convert import convert
from sentvec.models.skip_thought.combine import combine
from sentvec.models.skip_thought.model import SkipThought
from support.places import FIXTURES
from support.released import write_released
from support.skip_thoughts import made

WORDS = ["the", "cat", "dog", "sat", "ran", "mat"]
TEXTS = ["the cat sat", "dog", "the bird ran on the mat", "mat the"]


@pytest.fixture
def uni():
    return made(WORDS, dim=6, seed=1)


@pytest.fixture
def bi():
    return made(WORDS, dim=4, word_dim=3, encoder="bi", seed=2)


def test_vectors_are_those_of_the_models_in_the_order_given(uni, bi):
    one, two = uni.encode(TEXTS), bi.encode(TEXTS)
    assert combine([uni, bi]).dim == 10
    assert np.array_equal(combine([uni, bi]).encode(TEXTS), np.hstack([one, two]))
    assert np.array_equal(combine([bi, uni]).encode(TEXTS), np.hstack([two, one]))
    assert np.array_equal(combine([uni, bi, bi]).encode(TEXTS), np.hstack([one, two, two]))


def test_known_words_are_counted_once(uni, bi):
    vectors, known = combine([uni, bi]).encode([*TEXTS, "bird"], on_empty="nan", return_known=True)
    assert known.tolist() == [3, 1, 4, 2, 0]
    assert np.isnan(vectors[4]).all()


def test_parts_of_length_one_make_vectors_of_length_sqrt_two(uni, bi):
    model = combine([uni, bi])
    vectors = model.encode(TEXTS, normalize_parts=True)
    assert np.allclose(np.linalg.norm(vectors, axis=1), np.sqrt(2), rtol=0, atol=1e-6)
    assert np.allclose(vectors[:, :6], uni.encode(TEXTS, normalize=True), rtol=0, atol=1e-6)
    assert np.allclose(vectors[:, 6:], bi.encode(TEXTS, normalize=True), rtol=0, atol=1e-6)
    assert not np.allclose(np.linalg.norm(model.encode(TEXTS), axis=1), np.sqrt(2), atol=0.01)


def test_end_token_reaches_every_part(uni, bi):
    model = combine([uni, bi])
    other = np.hstack([part.encode(TEXTS, end_token=False) for part in (uni, bi)])
    assert np.array_equal(model.encode(TEXTS, end_token=False), other)
    assert not np.allclose(model.encode(TEXTS), other, atol=0.01)


def test_a_combined_model_is_stored_opened_and_pickled(uni, bi, tmp_path):
    model = combine([uni, bi])
    model.save(tmp_path / "both")
    opened = load(tmp_path / "both")
    assert type(opened) is SkipThought
    for other in (opened, pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(opened))):
        assert np.array_equal(other.encode(TEXTS), model.encode(TEXTS))
        assert fingerprint(other) == fingerprint(model)
    assert opened.parts == model.parts
    assert [part.prefix for part in opened.parts] == ["0.", "1."]
    assert opened.tensors["1.next.bias"].tolist() == bi.tensors["next.bias"].tolist()
    assert dict(opened.vocabulary) == dict(uni.vocabulary)


def test_what_is_known_of_the_models_stays(uni, bi, tmp_path):
    model = combine([uni, bi])
    assert model.config["settings"] == {"tokenizer": "whitespace"}
    assert model.config["corpus"] == uni.config["corpus"]
    assert "training" not in model.config
    assert model.config["sizes"] == {"dim": 10, "vocabulary": 6, "trained_words": 6}
    assert [record["settings"] for record in model.config["combined"]] == [
        uni.config["settings"], bi.config["settings"]
    ]  # fmt: skip
    model.save(tmp_path / "both")
    card = (tmp_path / "both" / "README.md").read_text()
    assert "combined of 2 models" in card
    assert (
        "| model 2 | encoder=bi, dim=4, trained on 1,000 sentences, 10 words, loss 7.0000 |" in card
    )
    assert "nan" not in card
    assert uni.config["sizes"]["dim"] == 6
    assert uni.parts[0].prefix == ""


def test_a_combined_model_is_combined_again(uni, bi, tmp_path):
    nested = combine([combine([uni, bi]), uni])
    assert np.array_equal(nested.encode(TEXTS), combine([uni, bi, uni]).encode(TEXTS))
    assert [part.prefix for part in nested.parts] == ["0.0.", "0.1.", "1."]
    assert len(nested.config["combined"]) == 3
    nested.save(tmp_path / "nested")
    assert np.array_equal(load(tmp_path / "nested").encode(TEXTS), nested.encode(TEXTS))


# --- what does not fit --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["the", "cat", "bird", "sat", "ran", "mat"], r"6 and 6 words, 5 .* 3 is 'dog' and 'bird'"),
        (["cat", "the", "dog", "sat", "ran", "mat"], r"6 and 6 words, 6 .* 1 is 'the' and 'cat'"),
        ([*WORDS, "rug"], r"6 and 7 words, 6 of them in common, and number 7 is none and 'rug'"),
        (WORDS[:4], r"6 and 4 words, 4 of them in common, and number 5 is 'ran' and none"),
    ],
)
def test_other_words_are_refused_and_the_first_difference_is_named(uni, words, said):
    with pytest.raises(SettingsError, match=said + r".* the same text with the same min_count"):
        combine([uni, made(words)])


def test_another_tokenizer_is_refused(uni):
    with pytest.raises(SettingsError, match=r"tokenizer .*name=whitespace.*name=simple"):
        combine([uni, made(WORDS, tokenizer="simple")])


def test_another_end_of_sentences_is_refused(uni):
    with pytest.raises(SettingsError, match=r"encoding .*end_token=True.*end_token=False"):
        combine([uni, uni, made(WORDS, end_token=False)])


def test_one_model_or_another_kind_is_refused(uni):
    with pytest.raises(SettingsError, match="1 models to combine - expected two"):
        combine([uni])
    with pytest.raises(SettingsError, match="a sent2vec model - expected Skip-Thought models"):
        combine([uni, load(FIXTURES / "uni.bin")])


# --- without decoders ---------------------------------------------------------------------------


def test_without_decoders_a_model_encodes_as_before(uni, bi, tmp_path):
    for number, model in enumerate((uni, combine([uni, bi]))):
        folder = tmp_path / str(number)
        convert(model, folder, targets=False)
        opened = load(folder)
        assert np.array_equal(opened.encode(TEXTS), model.encode(TEXTS))
        assert [part.decoders for part in opened.parts] == [False] * len(model.parts)
        assert all(part.decoders for part in model.parts)
        left_out = model.tensors.keys() - opened.tensors.keys()
        assert opened.tensors.keys() < model.tensors.keys()
        for name in model.tensors:
            is_decoder = any(f".{kind}." in f".{name}" for kind in ("previous", "next", "output"))
            assert (name in left_out) == is_decoder, name
        convert(opened, tmp_path / "again", targets=False)  # nothing is left to leave out
        assert load(tmp_path / "again").tensors.keys() == opened.tensors.keys()


def test_models_with_and_without_decoders_are_combined(uni, bi):
    model = combine([uni.without_targets(), bi])
    assert [part.decoders for part in model.parts] == [False, True]
    assert np.array_equal(model.encode(TEXTS), combine([uni, bi]).encode(TEXTS))


def test_a_folder_that_lacks_a_part_is_damaged(uni, bi, tmp_path):
    model = combine([uni, bi])
    del model.tensors["1.encoder_reverse.bias"]
    model.save(tmp_path / "both")
    with pytest.raises(FormatError, match=r"1\.encoder_reverse\.bias is absent"):
        load(tmp_path / "both")


# --- released files -----------------------------------------------------------------------------


def test_released_models_are_combined_and_stripped_in_our_order_of_words(tmp_path):
    for name, held in (("uni", ["uni"]), ("bi", ["bi"]), ("both", ["uni", "bi"])):
        (tmp_path / name).mkdir()
        write_released(tmp_path / name, *held)
    whole = load(tmp_path / "both")
    model = combine([load(tmp_path / name) for name in ("uni", "bi")])
    model.save(tmp_path / "saved")
    texts = ["the cat sat on a mat .", "zeeën"]
    for other in (model, load(tmp_path / "saved"), whole.without_targets()):
        assert np.array_equal(other.encode(texts), whole.encode(texts))
        assert dict(other.vocabulary) == dict(whole.vocabulary)
    assert "from `uni`" in (tmp_path / "saved" / "README.md").read_text()
