"""Generating: an overfitted model writes its corpus again; what cannot generate says why."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest
import torch

from sentvec import Generated, SkipThought, load
from sentvec.errors import EmptyTextError, InputTypeError, MissingExtraError, SettingsError
from sentvec.models.skip_thought.generation import generate
from sentvec.networks.shape import DECODERS
from sentvec.networks.skip_thought import Passages, Sentences, losses
from sentvec.text.vocabulary import Vocabulary
from support.behaviour import train_sent2vec

NEAR = [("next", 1), ("previous", -1)]


def ten_sentences():
    """Of words of their own, so many that an adaptive softmax has its clusters."""
    rng = random.Random(5)
    words = [f"w{number}" for number in range(100)]
    rng.shuffle(words)
    return [" ".join(words[start : start + 10]) for start in range(0, 100, 10)]


LINES = ten_sentences()


def overfitted(**changes):
    """A model that knows its ten sentences by heart."""
    settings = {"dim": 64, "word_dim": 32, "lr": 0.03, "epochs": 150, "min_count": 1, "threads": 1,
                "device": "cpu", "tokenizer": "whitespace", "softmax": "full"}  # fmt: skip
    return SkipThought.train(LINES, **{**settings, **changes})


@pytest.fixture(scope="module")
def model():
    return overfitted()


def with_config(model, tensors=None, vocabulary=None, **config):
    """The model with other parts."""
    return SkipThought(
        vocabulary=lambda: vocabulary or model.vocabulary, tokenizer=model.tokenizer,
        tensors=model.tensors if tensors is None else tensors, config={**model.config, **config},
    )  # fmt: skip


# --- what is written ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gru", "decoder", "softmax", "encoder"),
    [
        ("released", "paper", "full", "uni"),
        ("paper", "released", "full", "bi"),
        ("released", "released", "full", "uni"),
        ("paper", "paper", "full", "uni"),
        ("released", "paper", "adaptive", "bi"),
    ],
)
def test_ten_sentences_are_learned_by_heart_and_their_neighbours_written(
    gru, decoder, softmax, encoder
):
    model = overfitted(gru=gru, decoder=decoder, softmax=softmax, encoder=encoder)
    [part] = model.parts
    assert (part.shape.cutoffs != ()) == (softmax == "adaptive")
    # The loss of training, of all eight triples at once.
    rows = [model._rows_of(line) for line in LINES]
    middle, before, after = (
        Sentences(np.concatenate(rows[start : start + 8]), np.full(8, 10)) for start in (1, 0, 2)
    )
    p = {name: torch.tensor(np.asarray(array)) for name, array in model.tensors.items()}
    sums = [part.item() for part in losses(p, Passages(middle, before, after), part.shape)]
    for total, (direction, step) in zip(reversed(sums), NEAR, strict=True):
        assert total / (8 * 11) < 0.05  # of a word; an untrained model has log(102) = 4.6
        found = [model.generate(LINES[i], direction=direction)[0] for i in range(1, 9)]
        assert [one.text for one in found] == [LINES[i + step] for i in range(1, 9)]
        assert all(one.finished for one in found)
        assert -sum(one.log_probability for one in found) == pytest.approx(total, abs=1e-3)
        greedy = [model.generate(LINES[i], direction=direction, beam=1)[0] for i in range(1, 9)]
        assert [one.text for one in greedy] == [one.text for one in found]


def test_what_comes_back(model):
    found = model.generate(LINES[4], count=3)
    assert all(isinstance(one, Generated) for one in found)
    assert len(found) == 3
    assert all(one.text == " ".join(one.words) for one in found)
    assert all(word in model.vocabulary for one in found for word in one.words)
    scores = [one.log_probability for one in found if one.finished]
    assert scores == sorted(scores, reverse=True)
    assert model.generate(LINES[4], beam=5, count=3) == found
    assert model.generate(LINES[4], beam=np.int64(5), count=np.int64(3)) == found
    assert generate(model, LINES[4], count=3) == found
    assert len(model.generate(LINES[4], count=9)) == 9  # more than the beam of 5


def test_draws_follow_seed_and_temperature(model):
    cold = model.generate(LINES[4], sample=1e-3, count=3, seed=8)
    assert [one.text for one in cold] == [LINES[5]] * 3
    hot = model.generate(LINES[4], sample=3.0, count=3, seed=8)
    assert model.generate(LINES[4], sample=3, count=3, seed=8) == hot
    assert model.generate(LINES[4], sample=3.0, count=3, seed=9) != hot
    assert len({one.text for one in hot}) == 3


def test_a_sentence_is_cut_off_where_it_gets_too_long(model):
    [cut] = model.generate(LINES[4], beam=1, max_tokens=4)
    assert cut.words == tuple(LINES[5].split()[:4])
    assert not cut.finished
    [whole] = model.generate(LINES[4], beam=1, max_tokens=10)
    assert whole.text == LINES[5]
    assert whole.finished
    # Without a limit it is that of training, and the paper's where that is not known.
    settings = {**model.config["settings"], "max_tokens": 4}
    assert with_config(model, settings=settings).generate(LINES[4], beam=1) == [cut]
    del settings["max_tokens"]
    assert with_config(model, settings=settings).generate(LINES[4], beam=1) == [whole]


def test_the_vector_is_that_of_training_whatever_encoding_says(model):
    encoding = {"end_token": False, "normalize_parts": True}
    other = with_config(model, encoding=encoding)
    assert not np.allclose(other.encode(LINES[4]), model.encode(LINES[4]))
    assert other.generate(LINES[4]) == model.generate(LINES[4])


def test_unknown_words_are_read_and_never_written(model):
    text = LINES[4].replace(LINES[4].split()[3], "qwerty")
    found = model.generate(text, count=5)
    found += model.generate(text, sample=3.0, count=20)
    assert all(word in model.vocabulary for one in found for word in one.words)


def test_words_that_came_by_expansion_are_read_and_never_written(model):
    vocabulary = model.vocabulary
    more = Vocabulary([*vocabulary.words, "qwerty"], np.append(vocabulary.counts, 0))
    vectors = model.tensors["word_vectors"]
    tensors = {**model.tensors, "word_vectors": np.vstack([vectors, vectors[7]])}
    sizes = {**model.config["sizes"], "vocabulary": len(more)}
    expanded = with_config(model, tensors, more, sizes=sizes)
    assert expanded.generate(LINES[4], count=5) == model.generate(LINES[4], count=5)
    same = vocabulary.words[7 - 2]
    assert expanded.generate("qwerty w1") == model.generate(f"{same} w1")
    drawn = expanded.generate("qwerty", sample=50.0, count=30)
    assert "qwerty" not in {word for one in drawn for word in one.words}


def test_saved_loaded_and_pickled_models_write_the_same(model, tmp_path):
    found = model.generate(LINES[4], count=2)
    model.save(tmp_path / "model")
    opened = load(tmp_path / "model")
    assert opened.generate(LINES[4], count=2) == found
    assert pickle.loads(pickle.dumps(opened)).generate(LINES[4], count=2) == found
    assert pickle.loads(pickle.dumps(model)).generate(LINES[4], count=2) == found
    threads = torch.get_num_threads()
    opened.generate(LINES[4], sample=1.0)
    assert torch.get_num_threads() == threads


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"direction": "before"}, r"direction is 'before' - expected 'next' or 'previous'"),
        ({"direction": None}, r"direction is None"),
        ({"beam": 0}, r"beam is 0 - expected a whole number from 1 to 1,000"),
        ({"beam": 1001}, r"beam is 1001"),
        ({"beam": True}, r"beam is True"),
        ({"beam": 2.0}, r"beam is 2\.0"),
        ({"sample": 0.0}, r"sample is 0\.0 - expected a temperature above 0, up to 100"),
        ({"sample": -1}, r"sample is -1"),
        ({"sample": float("nan")}, r"sample is nan"),
        ({"sample": float("inf")}, r"sample is inf"),
        ({"sample": 10**400}, r"sample is 1000"),
        ({"sample": "1"}, r"sample is '1'"),
        ({"count": 0}, r"count is 0"),
        ({"count": 1001, "sample": 1.0}, r"count is 1001"),
        ({"max_tokens": 0}, r"max_tokens is 0"),
        ({"max_tokens": 10_001}, r"max_tokens is 10001"),
        ({"seed": -1, "sample": 1.0}, r"seed is -1"),
        ({"beam": 3, "sample": 0.5}, r"both beam=3 and sample=0\.5 are given - choose one"),
        ({"beam": 2, "count": 3}, r"count is 3 with beam=2, .* - raise beam, or lower count"),
    ],
)
def test_what_cannot_work_is_said(model, options, message):
    with pytest.raises(SettingsError, match=message):
        model.generate(LINES[4], **options)


@pytest.mark.parametrize("text", ["", "  ", "qwerty uiop"])
def test_a_text_without_a_known_word_has_no_neighbours(model, text):
    with pytest.raises(EmptyTextError, match=f"'{text}' has no known word"):
        model.generate(text)


@pytest.mark.parametrize("text", [b"w1", None, ["w1"], 3])
def test_what_is_no_text_is_refused(model, text):
    with pytest.raises(InputTypeError, match=f"text is a {type(text).__name__} - expected a str"):
        model.generate(text)


def test_a_model_without_decoders_says_so(model):
    [part] = model.config["parts"]
    encoder = {name: model.tensors[name] for name in model.parts[0].shape.encoder_tensors()}
    bare = with_config(model, encoder, parts=[{**part, "decoders": False}])
    assert bare.encode(LINES[4]) == pytest.approx(model.encode(LINES[4]))
    with pytest.raises(SettingsError, match=r"has no decoders: .* encoder only, .* --no-targets"):
        bare.generate(LINES[4])


def test_a_combined_model_says_which_can(model):
    [part] = model.config["parts"]
    prefixes = ["0.", "1."]
    tensors = {prefix + name: array for prefix in prefixes for name, array in model.tensors.items()}
    both = with_config(
        model, tensors, parts=[{**part, "prefix": prefix} for prefix in prefixes],
        sizes={**model.config["sizes"], "dim": 2 * model.dim},
    )  # fmt: skip
    assert both.encode(LINES[4]).shape == (2 * model.dim,)
    with pytest.raises(SettingsError, match=r"combined of 2, .* one of the models that were"):
        both.generate(LINES[4])
    alone = {name: array for name, array in tensors.items() if name.startswith("1.")}
    one = with_config(model, alone, parts=[{**part, "prefix": "1."}])
    assert one.generate(LINES[4]) == model.generate(LINES[4])


def test_models_of_other_kinds_write_nothing():
    other = train_sent2vec(["the cat sat on the mat"] * 20)
    with pytest.raises(SettingsError, match="is a sent2vec model, which writes no sentences"):
        generate(other, "the cat")


def test_without_torch_the_extra_is_named(model, monkeypatch):
    monkeypatch.setattr("sentvec.networks.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"sentvec\[torch\]"):
        with_config(model).generate(LINES[4])


def test_directions_are_the_decoders_of_the_network():
    assert {direction for direction, _ in NEAR} == set(DECODERS)
