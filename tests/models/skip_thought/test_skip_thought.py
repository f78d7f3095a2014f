"""Skip-Thought: what it learns and repeats to the bit, what it refuses, what encoding promises."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import signal
import time
from functools import partial

import numpy as np
import pytest
import torch

import sentvec.networks
from sentvec import Listener, SkipThought, SkipThoughtSettings, load, resume
from sentvec.errors import (
    CorpusError,
    DivergedError,
    EmptyTextError,
    EmptyTextWarning,
    FormatError,
    InputTypeError,
    MissingExtraError,
    NotEnoughMemoryError,
    SettingsError,
)
from sentvec.models.skip_thought import settings as skip_thought_settings
from sentvec.models.skip_thought.trainer import memory_of, shape_of
from sentvec.models.skip_thought.worker import Worker, rows_of_ids
from sentvec.networks import learner as learner_module
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.training import batches, loop
from sentvec.training.trainer import HeldOut
from support.behaviour import planted_corpus, train_skip_thought

CORPUS = planted_corpus()
LINES, HELD_OUT = CORPUS[:110], CORPUS[220:264]
TRIPLES = 80  # eight of the ten sentences of each document
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


class Heard(Listener):
    """Collects what is said; stops the run at a share of it."""

    def __init__(self, stop_at=2.0, stop=None):
        self.stop_at, self.stop = stop_at, stop
        self.losses, self.held, self.progresses, self.estimates = [], [], [], []

    def progress(self, progress):
        self.progresses.append(progress)
        if self.stop_at <= progress.done < 1:
            self.stop_at = 2.0
            if self.stop is not None:
                self.stop()
            raise KeyboardInterrupt

    def memory(self, estimate):
        self.estimates.append(estimate)

    def validation(self, epoch, loss):
        self.losses.append(loss)

    def held_out(self, done, loss, parts):
        self.held.append((done, loss, parts))


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def small_steps(monkeypatch):
    """A listener that is asked after each few batches."""
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.002)


@pytest.fixture
def clusters(monkeypatch):
    """The adaptive softmax for a small vocabulary too."""
    monkeypatch.setattr(skip_thought_settings, "_MIN_WORDS", 10)


def train(lines=LINES, **changes):
    return train_skip_thought(
        lines, **{"dim": 8, "word_dim": 6, "epochs": 3, "batch": 16, **changes}
    )


def same_bits(one, other):
    assert set(one.tensors) == set(other.tensors)
    return all(np.array_equal(one.tensors[name], other.tensors[name]) for name in one.tensors)


@pytest.fixture(scope="module")
def trained():
    return train()


# --- what is learned ----------------------------------------------------------------------------

# Which of two animals did it is told by the order of the words alone.
ANIMALS = ["dog", "cat", "owl"]
STORY = [
    line
    for one in ANIMALS for other in ANIMALS if one != other
    for line in (f"{one} saw {other}", f"{one} bites {other}", f"{other} cries", "")
]  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [{}, {"encoder": "uni", "gru": "paper"}, {"decoder": "released"}],
    ids=str,
)
def test_the_order_of_words_is_read(changes):
    """By a bag of words, the one who cries is a guess between two: a loss of ln 2 a sentence."""
    heard = Heard()
    settings = {"dim": 16, "word_dim": 8, "batch": 6, "epochs": 150, "lr": 0.05, **changes}
    model = train(STORY, listener=heard, **settings)
    words = 3  # who, cries, and the end
    assert words * heard.progresses[-1].parts["next"] < 0.5 * math.log(2)
    assert model.similarity_pairwise("dog bites cat", "cat bites dog")[0] < 0.9


def test_the_held_out_loss_falls_from_that_of_chance():
    heard = Heard()
    model = train(validate=HELD_OUT, listener=heard, epochs=8, batch=8)
    n_words = len(model.vocabulary) + 2
    assert len(heard.losses) == 8
    assert heard.losses[0] < 1.05 * math.log(n_words)
    assert heard.losses[-1] < 0.95 * math.log(n_words)
    assert heard.losses[-1] < heard.losses[3] < heard.losses[0]


def test_a_measured_text_has_the_loss_that_is_trained_on():
    """With a step too small to move anything, the loss of the training is that of its text."""
    heard = Heard()
    model = train(validate=LINES, listener=heard, epochs=1, lr=1e-12)
    assert heard.losses[0] == pytest.approx(model.config["training"]["loss"], rel=1e-5)
    assert heard.progresses[-1].loss == pytest.approx(heard.losses[0], rel=0.02)


def test_words_beyond_the_vocabulary_are_read_and_predicted_as_one():
    rare = [f"{line} rare{i}" if line else "" for i, line in enumerate(LINES)]
    model = train(rare, min_count=2)
    assert "rare1" not in model.vocabulary
    known = "oven flour"
    assert not np.array_equal(model.encode(known), model.encode(f"{known} rare1"))
    assert np.array_equal(model.encode(f"{known} rare1"), model.encode(f"{known} neverseen"))
    start = train(rare, min_count=2, lr=1e-12, epochs=1)
    assert np.abs(start.tensors["word_vectors"][1] - model.tensors["word_vectors"][1]).max() > 1e-3


def test_rows_of_ids_are_behind_those_of_the_end_and_the_unknown_word():
    assert rows_of_ids(np.array([0, 5, 3, 5], np.uint32), 5).tolist() == [2, 1, 5, 1]


@pytest.mark.parametrize("encoder", ["uni", "bi"])
@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_the_tensors_are_those_of_the_shape(encoder, softmax, clusters):
    model = train(encoder=encoder, softmax=softmax, decoder="released", epochs=1)
    settings = SkipThoughtSettings.from_config(model.config["settings"])
    shape = shape_of(settings, len(model.vocabulary))
    assert {name: tensor.shape for name, tensor in model.tensors.items()} == shape.tensors()
    assert bool(shape.cutoffs) == (softmax == "adaptive")
    assert model.parts[0].shape == shape
    assert repr(model) == f"<SkipThought: {len(model.vocabulary)} words, dim 8>"


# --- the same again -----------------------------------------------------------------------------

WAYS = [
    {},
    {"encoder": "uni", "gru": "paper", "decoder": "released"},
    {"softmax": "adaptive", "decay": False},
    {"precision": "bfloat16"},
    {"shuffle": False, "validate": HELD_OUT},
]


def test_a_run_repeats_to_the_bit_and_another_seed_gives_others(trained):
    assert same_bits(train(), trained)
    assert not same_bits(train(seed=2), trained)


def test_training_touches_no_random_state_of_the_caller():
    state = torch.random.get_rng_state()
    train(epochs=1)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_measuring_changes_no_bit(trained, small_steps):
    assert same_bits(train(validate=HELD_OUT, validate_every="10%"), trained)


@pytest.mark.parametrize("changes", WAYS, ids="+".join)
def test_interrupted_twice_and_resumed_is_the_same_to_the_bit(
    tmp_path, small_steps, clusters, changes
):
    whole, output = train(**changes), tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        train(output=output, listener=Heard(0.1), **changes)
    [state] = (output / "checkpoints").glob("checkpoint-*/position.json")
    position = json.loads(state.read_text())["position"]
    assert 0 < position["sentence"] < TRIPLES  # in the middle of an epoch
    again = Heard(0.6)
    with pytest.raises(KeyboardInterrupt):
        resume(output, listener=again)
    assert again.progresses[0].done >= 0.1
    resumed = resume(output)
    assert same_bits(resumed, whole)
    assert same_bits(load(output), whole)
    assert resumed.config["training"]["loss"] == whole.config["training"]["loss"]
    assert resumed.config["settings"] == whole.config["settings"]
    assert not CheckpointFolder(output).exists()


@needs_fork
def test_killed_twice_and_resumed_is_the_same_to_the_bit(tmp_path, small_steps, trained):
    output = tmp_path / "model"
    killed(partial(train, output=output, checkpoint_every="5%", listener=Heard(0.4, kill)))
    killed(partial(resume, output, checkpoint_every="5%", listener=Heard(0.7, kill)))
    assert same_bits(resume(output), trained)


def killed(action):
    """Do something in a process of its own that is killed while at it."""
    child = os.fork()
    if child == 0:
        try:
            action()
        finally:
            os._exit(7)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "it was not killed in time"


def test_a_checkpoint_of_another_network_is_refused(tmp_path, small_steps):
    output = tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        train(output=output, listener=Heard(0.4))
    path = output / "checkpoints" / "run.json"
    path.write_text(path.read_text().replace('"dim": 8', '"dim": 10'))
    with pytest.raises(FormatError):
        resume(output)


# --- held-out text ------------------------------------------------------------------------------


def test_metrics_have_the_loss_and_perplexity_of_both_directions(
    tmp_path, small_steps, monkeypatch
):
    monkeypatch.setattr("sentvec.training.runs.metrics.MetricsWriter.SECONDS", 0.0)
    train(output=tmp_path / "model", validate=HELD_OUT, validate_every="10%")
    records = [json.loads(line) for line in metrics_of(tmp_path / "model")]
    for event in ("progress", "held-out"):
        found = [r for r in records if r["event"] == event and "parts" in r]
        assert len(found) >= 5
        for record in found:
            assert set(record["parts"]) == {"previous", "next"}
            for name, loss in record["parts"].items():
                assert record["perplexity"][name] == pytest.approx(math.exp(loss))
            low, high = sorted(record["parts"].values())
            assert event == "progress" or low <= record["loss"] <= high
    done = [r["done"] for r in records if r["event"] == "held-out"]
    assert done == sorted(done)
    assert done[-1] == pytest.approx(1)
    assert sum(r["event"] == "validation" for r in records) == 3


def metrics_of(folder):
    return (folder / "metrics.jsonl").read_text().splitlines()


PLANNED = [5.0, 4.0, 3.0, 3.5, 3.2, 9.0, 9.0, 9.0]  # from the third on nothing better


@pytest.fixture
def planned_losses(monkeypatch):
    """Have held-out losses that are planned; collects the tensors of each epoch."""
    seen = []

    def evaluate(self, corpus):
        self.collect(self.arrays)
        seen.append({name: array.copy() for name, array in self.arrays.items()})
        return HeldOut(PLANNED[len(seen) - 1], {})

    monkeypatch.setattr(Worker, "evaluate", evaluate)
    return seen


def is_of(model, arrays):
    return all(
        np.array_equal(tensor, arrays[name].reshape(tensor.shape))
        for name, tensor in model.tensors.items()
    )


def test_patience_keeps_the_best_parameters(planned_losses):
    model = train(validate=HELD_OUT, patience=2, epochs=8)
    assert len(planned_losses) == 5
    assert is_of(model, planned_losses[2])
    assert not is_of(model, planned_losses[4])


def test_an_interrupted_run_remembers_its_best(tmp_path, planned_losses, small_steps):
    output = tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        train(output=output, validate=HELD_OUT, patience=2, epochs=8, listener=Heard(0.45))
    assert len(planned_losses) == 3
    model = resume(output)
    assert len(planned_losses) == 5
    assert is_of(model, planned_losses[2])


# --- what cannot work ---------------------------------------------------------------------------

FEW = "no sentence is between two others: {} has {} - expected documents of three sentences"


@pytest.mark.parametrize(
    ("lines", "changes", "message"),
    [
        (["a b", "b a", "", "a a b", "", "b b"], {}, FEW.format("the corpus", "4 sentences in 3 documents")),
        (["a b"], {}, FEW.format("the corpus", "1 sentences in 1 documents")),
        (["a b", "a b c d", "b a"] * 3, {"max_tokens": 3},
         r"no three sentences in a row have at most max_tokens=3 words each \(the corpus has 9 "),
        ([], {}, "the corpus is empty"),
        (["word", "word"], {}, "the vocabulary has one word, 'word'"),
        (["a b", "b a", "a b"], {"validate": ["a b", "b a", "", "a"]},
         FEW.format("the held-out text", "3 sentences in 2 documents")),
    ],
)  # fmt: skip
def test_a_text_without_triples_is_an_error_that_says_so(tmp_path, lines, changes, message):
    with pytest.raises(CorpusError, match=message):
        train(lines, output=tmp_path / "model", **changes)
    assert os.listdir(tmp_path) == []


def test_three_sentences_are_enough():
    assert np.isfinite(train(["a b", "b", "a c"]).encode("a b")).all()


REFUSED = {
    "encoder": ["combine", None],
    "dim": [0, 1.5, True, 20_001],
    "word_dim": [0, "10"],
    "epochs": [0],
    "lr": [0, -1.0, 1.1, math.nan, True],
    "decay": [1],
    "clip": [0, math.inf],
    "batch": [0, 1.5],
    "max_tokens": [0, None],
    "min_count": [0],
    "max_vocab": [1],
    "gru": ["torch"],
    "decoder": ["none"],
    "softmax": ["sampled"],
    "device": ["gpu", 0],
    "precision": ["float16"],
    "tokenizer": ["spacy"],
    "shuffle": ["no"],
    "threads": [0],
    "seed": [-1],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in REFUSED.items() for value in values]
)
def test_a_setting_that_cannot_work_is_refused_by_name_and_value(name, value):
    with pytest.raises(SettingsError, match="expected") as caught:
        SkipThoughtSettings(**{name: value})
    if name != "tokenizer":
        assert f"{name} is {value!r}" in str(caught.value)


def test_every_setting_is_in_the_table_of_refused_values():
    assert set(REFUSED) == {field.name for field in dataclasses.fields(SkipThoughtSettings)}


def test_an_odd_dim_has_no_halves():
    with pytest.raises(SettingsError, match="dim is 7 with encoder='bi' - expected an even number"):
        train(dim=7)
    assert train(dim=7, encoder="uni", epochs=1).dim == 7


def test_the_presets_are_what_the_paper_states():
    expected = {"dim": 2400, "word_dim": 620, "batch": 128, "clip": 10.0, "max_vocab": 20_000,
                "softmax": "full", "decoder": "paper"}  # fmt: skip
    for name, encoder in (("paper/uni-skip", "uni"), ("paper/bi-skip", "bi")):
        settings = SkipThoughtSettings.make(name)
        assert {**expected, "encoder": encoder}.items() <= settings.to_config().items()
        assert SkipThoughtSettings.from_config(settings.to_config()) == settings
    with pytest.raises(SettingsError, match="unknown preset"):
        train(preset="paper/wiki-bigrams")


def test_a_gpu_that_is_not_there_is_said_before_anything_is_done(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SettingsError, match="device is 'cuda', and torch finds none here"):
        train("nowhere.txt", device="cuda", output=tmp_path / "model")
    assert os.listdir(tmp_path) == []
    assert train(device="auto", epochs=1).config["settings"]["device"] == "cpu"


def test_without_torch_training_and_encoding_name_what_to_install(tmp_path, trained, monkeypatch):
    trained.save(tmp_path / "model")
    monkeypatch.setattr(sentvec.networks, "find_spec", lambda name: None)
    model = load(tmp_path / "model")  # what it is can be seen
    assert model.dim == 8
    for action in (train, lambda: model.encode("the captain"), lambda: model.encode(["flour"])):
        with pytest.raises(MissingExtraError, match=r"pip install 'sentvec\[torch\]'"):
            action()


def test_a_loss_that_grows_is_divergence(monkeypatch):
    """Gates, states and the steps of Adam are bounded: it would take long to reach the limit."""
    monkeypatch.setattr(batches, "DIVERGED_LOSS", 1.5)
    with pytest.raises(DivergedError, match=r"training diverged at .* lr 1\) - lower lr"):
        train(lr=1.0, decay=False, epochs=40)


def test_a_run_that_diverges_keeps_its_last_checkpoint(tmp_path, small_steps, monkeypatch):
    work, calls = Worker.__call__, []

    def diverging(self, batch):
        calls.append(batch)
        time.sleep(0.005)
        loss, words = work(self, batch)
        return (math.inf if len(calls) > 20 else loss), words

    monkeypatch.setattr(Worker, "__call__", diverging)
    left = r"diverged.*; checkpoint-\d+ \(.*of the run\) is left: `sentvec train --resume"
    with pytest.raises(DivergedError, match=left):
        train(output=tmp_path / "model", epochs=6, checkpoint_every="10%")
    monkeypatch.undo()
    assert same_bits(resume(tmp_path / "model"), train(epochs=6))


def test_what_is_not_finite_is_divergence(monkeypatch):
    step = learner_module.Learner.step

    def poisoned(self, batch, lr):
        losses = step(self, batch, lr)
        with torch.no_grad():
            self._parameters["previous.bias"][0] = math.nan
        return losses

    monkeypatch.setattr(learner_module.Learner, "step", poisoned)
    with pytest.raises(DivergedError, match="diverged at"):
        train()
    # where only the last step spoils it, no loss shows it
    with pytest.raises(
        DivergedError, match=r"previous.bias is not finite at the end .* - lower lr"
    ):
        train(["a b", "b a", "a b c"], epochs=1, batch=100)


def test_memory_is_estimated_before_it_is_taken(monkeypatch):
    monkeypatch.setattr("sentvec.training.memory.available_memory", lambda: 10_000)
    with pytest.raises(NotEnoughMemoryError, match=r"needs at least .* lower batch, dim, word_dim"):
        train()


def test_memory_that_the_vocabulary_needs_is_estimated_too(monkeypatch):
    heard = Heard()
    train(listener=heard, epochs=1)
    [need] = heard.estimates
    monkeypatch.setattr("sentvec.training.memory.available_memory", lambda: need.total - 1)
    with pytest.raises(NotEnoughMemoryError, match=r"training needs \d.* lower batch, dim, word_"):
        train()


def test_the_estimate_covers_parameters_gradients_and_moments():
    settings = SkipThoughtSettings.make(dim=40, word_dim=30, softmax="full")
    shape = shape_of(settings, 1000)
    parameters = sum(math.prod(size) for size in shape.tensors().values())
    assert memory_of(settings, 1000).matrices >= 4 * 4 * parameters
    assert memory_of(settings.with_values(batch=256), 1000).rest > memory_of(settings, 1000).rest


@pytest.mark.parametrize(
    ("words", "peak", "settings"),
    [
        (20_000, 792, {"dim": 300, "word_dim": 150, "softmax": "full"}),
        (20_000, 964, {}),
        (20_000, 1322, {"softmax": "full"}),
        (5_000, 708, {"encoder": "bi"}),
        (20_000, 838, {"decoder": "released", "gru": "paper"}),
        (20_000, 571, {"batch": 16}),
        (5_000, 603, {"dim": 100, "word_dim": 100, "softmax": "full", "batch": 256}),
        (20_000, 595, {"max_tokens": 6}),
        (20_000, 1420, {"precision": "bfloat16"}),
    ],
)
def test_the_memory_that_is_announced_is_near_what_was_measured(words, peak, settings):
    """Peaks in MB as benchmarks/memory/skip_thought_memory.py reads them, of two to eight batches."""
    announced = memory_of(SkipThoughtSettings(**settings), words).total / 1e6
    assert 0.98 * peak < announced < 1.4 * peak


def test_memory_that_runs_out_all_the_same_names_the_settings(tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8")

    monkeypatch.setattr(learner_module, "losses", fail)
    message = r"does not fit the memory \(Def.*\) - lower batch, dim, word_dim, max_vocab or max_to"
    with pytest.raises(NotEnoughMemoryError, match=message):
        train(output=tmp_path / "model")
    assert os.listdir(tmp_path) == []


# --- encoding -----------------------------------------------------------------------------------


def test_a_text_without_known_words_is_a_row_of_zeros(trained):
    texts = ["the captain", "", "qwerty asdf", "flour", " \n "]
    with pytest.warns(EmptyTextWarning, match=r"3 of 5 texts have no known word \(the first: 1\)"):
        vectors, known = trained.encode(texts, return_known=True)
    assert known.tolist() == [2, 0, 0, 1, 0]
    assert vectors.any(axis=1).tolist() == [True, False, False, True, False]
    assert np.isnan(trained.encode(texts, on_empty="nan")[[1, 2, 4]]).all()
    with pytest.raises(EmptyTextError):
        trained.encode(texts, on_empty="raise")
    with pytest.warns(EmptyTextWarning):
        assert not trained.encode("qwerty").any()


def test_known_words_are_counted_without_the_unknown(trained):
    assert trained.encode("the qwerty captain", return_known=True)[1] == 2


def test_texts_keep_their_order_whatever_their_lengths(trained):
    texts = [" ".join(["oven", "flour", "the"][: 1 + i % 3] * (1 + i % 7)) for i in range(40)]
    alone = np.stack([trained.encode(text) for text in texts])
    np.testing.assert_allclose(trained.encode(texts), alone, rtol=0, atol=1e-6)
    stream = trained.encode(text for text in texts)
    assert np.array_equal(stream, trained.encode(texts))


def test_the_end_of_a_sentence_is_read_unless_it_is_left_out(trained):
    text = "the captain"
    assert np.array_equal(trained.encode(text), trained.encode(text, end_token=True))
    without = trained.encode([text, "flour"], end_token=False)
    assert np.abs(trained.encode([text, "flour"]) - without).max(axis=1).min() > 1e-3


def test_normalized_parts_have_length_1(trained):
    texts = ["the captain", "flour"]
    scaled = trained.encode(texts, normalize_parts=True)
    np.testing.assert_allclose(np.linalg.norm(scaled, axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(scaled, trained.encode(texts, normalize=True), rtol=1e-5, atol=1e-7)
    with pytest.warns(EmptyTextWarning):
        assert not trained.encode([""], normalize_parts=True).any()


def test_threads_give_the_same_but_for_rounding_and_are_set_back(trained):
    texts = [line for line in LINES if line]
    before = torch.get_num_threads()
    np.testing.assert_allclose(
        trained.encode(texts, threads=3), trained.encode(texts), rtol=0, atol=1e-6
    )
    assert torch.get_num_threads() == before


def test_a_long_text_is_read_to_its_end(trained):
    long = "oven flour " * 1000
    vector, known = trained.encode(long, return_known=True)
    assert known == 2000
    assert np.isfinite(vector).all()
    assert np.abs(trained.encode(long + "captain harbour") - vector).max() > 1e-3


def test_the_order_of_words_changes_the_vector(trained):
    one, other = trained.encode(["very good", "good very"])
    assert np.abs(one - other).max() > 1e-3


@pytest.mark.parametrize(
    "texts", [b"bytes", None, {"a", "b"}, ["a", 1]], ids=["bytes", "None", "set", "number"]
)
def test_what_is_no_text_is_refused(trained, texts):
    with pytest.raises(InputTypeError):
        trained.encode(texts)


def test_what_only_averages_of_words_have_is_refused(trained):
    with pytest.raises(SettingsError, match="is a skip-thought model, which has no word vectors"):
        trained.word_vector("oven")
    with pytest.raises(SettingsError, match="no vectors that can be taken apart"):
        trained.explain("oven")


def test_a_folder_that_lacks_a_tensor_or_has_another_is_refused(trained, tmp_path):
    folder = tmp_path / "model"
    for name in ("encoder.recurrent", "next.condition", "word_vectors"):
        for tensor in (None, np.zeros((3, 3), np.float32)):
            tensors = {**trained.tensors, name: tensor}
            if tensor is None:
                del tensors[name]
            broken = SkipThought(
                vocabulary=lambda: trained.vocabulary, tokenizer=trained.tokenizer,
                tensors=tensors, config=trained.config,
            )  # fmt: skip
            broken.save(folder)
            with pytest.raises(FormatError, match=f"{name} is (absent|float32 ..?3, 3)"):
                load(folder)
    config = {**trained.config, "parts": []}
    SkipThought(
        vocabulary=lambda: trained.vocabulary, tokenizer=trained.tokenizer,
        tensors=trained.tensors, config=config,
    ).save(folder)  # fmt: skip
    with pytest.raises(FormatError, match="does not describe a model"):
        load(folder)


def test_a_model_card_says_what_it_is(trained, tmp_path):
    trained.save(tmp_path / "model")
    card = (tmp_path / "model" / "README.md").read_text()
    assert "Sentence vectors by skip-thought" in card
