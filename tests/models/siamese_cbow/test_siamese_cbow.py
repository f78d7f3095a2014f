"""Training Siamese CBOW: what it takes, what it refuses, what it repeats to the bit."""

from __future__ import annotations

import dataclasses
import math
import os
import random
import signal

import numpy as np
import pytest

from sentvec import Listener, SiameseCBOW, SiameseCBOWSettings, load, resume
from sentvec.errors import (
    CorpusError,
    DivergedError,
    InputTypeError,
    NotEnoughMemoryError,
    SettingsError,
    SourceError,
)
from sentvec.kernels import setup
from sentvec.models.export import to_word2vec
from sentvec.models.siamese_cbow import worker as siamese_worker
from sentvec.models.siamese_cbow.pairs import Pairs
from sentvec.models.siamese_cbow.trainer import memory_of
from sentvec.models.siamese_cbow.worker import Shared, Worker, slots_of
from sentvec.text.encoded import encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training import batches, loop, matrices
from sentvec.training.batches import Batches, Schedule
from sentvec.training.trainer import HeldOut
from support.behaviour import planted_corpus, train_sent2vec, train_siamese

LINES = planted_corpus()[:220]
HELD_OUT = planted_corpus()[220:330]
OWN_NEGATIVES = {"shared_negatives": False, "batch": 7, "negatives": 3}


class Heard(Listener):
    """Collects what is said; stops the run at a share of it."""

    def __init__(self, stop_at=2.0, stop=None):
        self.stop_at, self.stop = stop_at, stop
        self.losses, self.progresses, self.summaries, self.warnings = [], [], [], []

    def progress(self, progress):
        self.progresses.append(progress)
        if self.stop_at <= progress.done < 1:
            self.stop_at = 2.0
            if self.stop is not None:
                self.stop()
            raise KeyboardInterrupt

    def validation(self, epoch, loss):
        self.losses.append(loss)

    def summary(self, summary):
        self.summaries.append(summary)

    def warning(self, message):
        self.warnings.append(message)


@pytest.fixture
def small_steps(monkeypatch):
    """Many batches an epoch, looked at after each."""
    monkeypatch.setattr(batches, "BATCH_TOKENS", 60)
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.0001)


def train(lines=LINES, **changes):
    return train_siamese(lines, **{"epochs": 4, **changes})


def same_bits(one, other):
    return np.array_equal(one.input_vectors, other.input_vectors)


def encoded(tmp_path, lines, min_count=1):
    return encode_corpus(open_corpus(lines), Tokenizer("whitespace"), tmp_path, min_count=min_count)


# --- what is learned ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"threads": 2},
        {"positives": 1},
        {"edges": "skip"},
        {"max_tokens": 4},
        {"subsample": 0.01, "epochs": 24},
        {"dtype": "float16"},
        {"shuffle": False},
        {"shared_negatives": False, "batch": 1, "negatives": 4},
        {"shared_negatives": False, "batch": 20, "negatives": 4, "batch_gradient": "mean"},
        {"optimizer": "sgd", "lr": 1.0, "shared_negatives": False, "batch": 1, "negatives": 4},
        {"optimizer": "sgd", "lr": 0.5, "batch_gradient": "sum"},
    ],
    ids=str,
)
def test_every_way_to_train_learns_which_sentences_stand_together(changes):
    model = train(planted_corpus(), **{"epochs": 12, **changes})
    pairs = [
        ("harbour sail anchor", "captain storm deck", "oven flour butter"),
        ("judge trial lawyer", "jury crime oath", "rose soil seed"),
        ("joy delight smile", "very good praise cheer applause", "grief anger tears"),
    ]
    for text, near, far in pairs:
        [[to_near, to_far]] = model.similarity([text], [near, far])
        assert to_near > to_far


def test_with_the_mean_of_a_large_batch_and_the_papers_rate_the_vectors_hardly_move(tmp_path):
    model = SiameseCBOW.train(
        LINES, preset="paper/siamese-cbow", dim=20, min_count=1, threads=1, seed=3
    )
    start = matrices.normal(len(model.vocabulary), 20, deviation=0.01, seed=3, threads=1)
    moved = np.linalg.norm(model.input_vectors - start, axis=1)
    assert 0 < moved.max() < 0.01 * np.linalg.norm(start, axis=1).mean()


def test_the_start_is_normal_and_depends_on_seed_and_place_alone():
    one = matrices.normal(20_000, 11, deviation=0.01, seed=1, threads=2)
    assert np.array_equal(one, matrices.normal(20_000, 11, deviation=0.01, seed=1, threads=1))
    assert np.array_equal(one[:500], matrices.normal(500, 11, deviation=0.01, seed=1, threads=1))
    assert not np.array_equal(one, matrices.normal(20_000, 11, deviation=0.01, seed=2, threads=1))
    z = one.astype(np.float64) / 0.01
    assert abs(z.mean()) < 0.01
    assert abs(z.std() - 1) < 0.01
    assert abs((np.abs(z) > 1.96).mean() - 0.05) < 0.003
    assert abs((z**4).mean() - 3) < 0.1
    assert np.abs(np.corrcoef(z.T) - np.eye(11)).max() < 0.04
    assert np.isfinite(one).all()
    later = np.empty((3, 11), np.float32)
    setup.fill_normal(later, 497, 0.01, 1)
    assert np.array_equal(later, one[497:500])


# --- batches ------------------------------------------------------------------------------------


def pairs_of(tmp_path, lines, **changes):
    settings = SiameseCBOWSettings.make(**changes)
    corpus = encoded(tmp_path, lines)
    return Pairs.of(corpus, settings), settings, corpus


@pytest.mark.parametrize("shuffle", [True, False])
def test_batches_of_middles_are_of_the_size_asked_for_but_for_the_last(
    tmp_path, monkeypatch, shuffle
):
    monkeypatch.setattr(batches, "BATCH_TOKENS", 200)
    rng = random.Random(3)
    lines = []
    for _ in range(150):  # documents of 1 to 5 sentences: those of one have no role
        lines += [*(" ".join(rng.choices("abcdef", k=rng.randint(1, 9)))
                    for _ in range(rng.randint(1, 5))), ""]  # fmt: skip
    pairs, _, corpus = pairs_of(tmp_path, lines, shared_negatives=False, batch=10)
    sizes, seen = [], []
    for batch in Batches(pairs.units, Schedule(1, 1.0, shuffle, 1, 1)):
        sizes.append(int((pairs.text.roles[batch.sentences] != 0).sum()))
        seen += batch.sentences.tolist()
    assert len(sizes) > 5
    assert all(size % 10 == 0 for size in sizes[:-1])
    assert sum(sizes) == pairs.examples < len(corpus.offsets) - 1
    assert sorted(seen) == list(range(len(corpus.offsets) - 1))


def test_an_epoch_of_runs_goes_through_every_sentence_once(tmp_path):
    pairs, _, corpus = pairs_of(tmp_path, LINES, batch=3)
    starts = pairs.text.starts
    seen = []
    for batch in Batches(pairs.units, Schedule(1, 1.0, True, 1, 1)):
        for run in batch.sentences:
            seen += range(starts[run], starts[run + 1])
    assert sorted(seen) == list(range(len(corpus.offsets) - 1))
    assert seen != sorted(seen)


def test_every_sentence_with_neighbours_is_an_example_of_every_epoch():
    for changes in ({}, OWN_NEGATIVES):
        heard = Heard()
        train([*LINES, "", "joy", "", "grief tears"], listener=heard, epochs=3, **changes)
        [summary] = heard.summaries
        assert summary.predicted == 3 * 200
        assert summary.unit == "neighbourhoods"
        assert summary.skipped == {"blank": 22, "no_known_word": 0, "no_neighbour": 2}
        assert summary.sentences == 202


def test_means_are_of_the_first_words_where_there_are_too_many(tmp_path):
    tail = [f"{line} joy grief" if line else "" for line in LINES]
    cut = train(tail, max_tokens=2, min_count=1)
    moved = cut.word_vector("joy")
    start = matrices.normal(len(cut.vocabulary), 20, deviation=0.01, seed=1, threads=1)
    assert np.array_equal(moved, start[cut.vocabulary.ids["joy"]])
    assert cut.encode("joy").tolist() == moved.tolist()  # encoding cuts nothing


def test_one_batch_may_hold_sentences_of_very_different_lengths():
    rng = random.Random(5)
    words = [f"w{k}" for k in range(60)]
    lines = [" ".join(rng.choices(words, k=rng.choice([1, 2, 9, 4000]))) for _ in range(60)]
    for changes in ({}, OWN_NEGATIVES, {"max_tokens": 50}):
        model = train(lines, epochs=2, **changes)
        assert np.isfinite(model.input_vectors).all()


# --- the same again -----------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [{}, OWN_NEGATIVES, {"optimizer": "sgd"}], ids=str)
def test_one_thread_gives_the_same_bits_twice_and_another_seed_others(changes):
    assert same_bits(train(**changes), train(**changes))
    assert not same_bits(train(**changes), train(seed=2, **changes))


@pytest.mark.parametrize("changes", [{}, OWN_NEGATIVES], ids=str)
def test_how_much_is_handed_out_at_a_time_changes_no_bit(monkeypatch, changes):
    whole = train(**changes)
    monkeypatch.setattr(batches, "BATCH_TOKENS", 60)
    steps = train(**changes)
    # The learning rate of a batch depends on the tokens before it, rounded as they are added up.
    np.testing.assert_allclose(whole.input_vectors, steps.input_vectors, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        OWN_NEGATIVES,
        {"optimizer": "sgd"},
        {"dtype": "float16"},
        {"subsample": 0.01},
    ],
    ids=str,
)
@pytest.mark.parametrize("share", [0.2, 0.6])
def test_interrupted_and_resumed_is_the_same_to_the_bit(tmp_path, small_steps, changes, share):
    plain = train(**changes)
    with pytest.raises(KeyboardInterrupt):
        train(output=tmp_path / "model", listener=Heard(share), **changes)
    model = resume(tmp_path / "model")
    assert type(model) is SiameseCBOW
    assert same_bits(model, plain)
    assert same_bits(load(tmp_path / "model"), plain)
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
        "README.md", "config.json", "metrics.jsonl", "model.safetensors", "vocabulary.txt",
    ]  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_and_resumed_is_the_same_to_the_bit(tmp_path, small_steps):
    plain = train()
    child = os.fork()
    if child == 0:
        stop = Heard(0.5, lambda: os.kill(os.getpid(), signal.SIGKILL))
        train(output=tmp_path / "model", checkpoint_every="5%", listener=stop)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert same_bits(resume(tmp_path / "model"), plain)


def test_the_sums_of_squares_are_in_the_checkpoint_and_not_in_the_model(tmp_path, small_steps):
    with pytest.raises(KeyboardInterrupt):
        train(output=tmp_path / "model", listener=Heard(0.5))
    [kept] = (tmp_path / "model" / "checkpoints").glob("checkpoint-*")
    from sentvec.storage.tensors import map_tensors

    tensors = map_tensors(kept / "matrices.safetensors")
    n_words = len(tensors["input_vectors"])
    assert tensors["squares"].shape == (n_words, 1)
    assert (tensors["squares"] > 0).any()
    assert set(resume(tmp_path / "model").tensors) == {"input_vectors"}


# --- held-out text ------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [{}, OWN_NEGATIVES], ids=str)
def test_held_out_loss_is_measured_without_a_trace(changes):
    heard = Heard()
    model = train(validate=HELD_OUT, listener=heard, **changes)
    assert same_bits(model, train(**changes))
    assert len(heard.losses) == 4
    assert heard.losses[-1] < heard.losses[0]
    negatives = changes.get("negatives", 10)
    assert 0 < heard.losses[-1] < 8 * 2 + math.log(2 + negatives)


def test_patience_ends_a_run_and_keeps_the_best_epoch(monkeypatch):
    losses, seen = [3.0, 2.0, 2.5, 2.6, 9.0], []

    def evaluate(self, corpus):
        seen.append(self.arrays["input_vectors"].copy())
        return HeldOut(losses[len(seen) - 1], {})

    monkeypatch.setattr(siamese_worker.Worker, "evaluate", evaluate)
    model = train(validate=HELD_OUT, patience=2, epochs=5)
    assert len(seen) == 4
    assert np.array_equal(model.input_vectors, seen[1])


def test_held_out_text_without_neighbours_is_an_error_before_anything_is_trained():
    heard = Heard()
    with pytest.raises(CorpusError, match="neighbour: the held-out text has 2 sentences in 2 docu"):
        train(validate=["joy grief", "", "oven flour"], listener=heard)
    assert heard.progresses == []


def test_held_out_sentences_may_be_longer_than_those_of_the_corpus():
    heard = Heard()
    train(validate=["oven flour " * 500, "spoon dough"], listener=heard, epochs=1)
    assert math.isfinite(heard.losses[0])


# --- starting from word vectors -----------------------------------------------------------------


def test_words_that_both_have_start_with_the_vectors_given(tmp_path):
    old = train_sent2vec([*LINES, "unheard of words"], dim=12, epochs=1)
    path = tmp_path / "vectors.bin"
    to_word2vec(old, path)
    lines = [*LINES, "", "brandnew joy", "brandnew grief"]
    tiny = {"lr": 1e-30, "optimizer": "sgd", "epochs": 1, "dim": None}
    folder = tmp_path / "old"
    old.save(folder)
    for source in (old, folder, path):
        model = train(lines, init_from=source, **tiny)
        assert model.dim == 12
        assert "unheard" not in model.vocabulary
        for word in model.vocabulary:
            if word != "brandnew":
                np.testing.assert_array_equal(model.word_vector(word), old.word_vector(word))
        assert 0 < np.abs(model.word_vector("brandnew")).max() < 0.06


def test_vectors_for_less_than_half_of_the_words_are_said_to_be_few():
    old = train(LINES)
    n_new = len(old.vocabulary) + 1
    lines = [*LINES, *(f"new{k} joy" for k in range(n_new))]
    for given, warned in ((lines, True), (lines[:-2], False)):
        heard = Heard()
        model = train(given, init_from=old, dim=None, epochs=1, listener=heard)
        expected = f"only {n_new - 1} of the {len(model.vocabulary)} words of the corpus"
        assert [message.startswith(expected) for message in heard.warnings] == [True] * warned


def test_training_can_go_on_from_a_siamese_model_and_be_resumed(tmp_path, small_steps):
    first = train(seed=5)
    second = train(init_from=first)
    assert not same_bits(first, second)
    with pytest.raises(KeyboardInterrupt):
        train(init_from=first, output=tmp_path / "model", listener=Heard(0.4))
    assert same_bits(resume(tmp_path / "model"), second)


def test_vectors_of_another_length_or_none_of_the_words_are_refused(tmp_path):
    old = train(dim=20)
    with pytest.raises(SettingsError, match="dim is 30, the vectors in init_from have 20"):
        train(init_from=old, dim=30)
    with pytest.raises(SettingsError, match=r"none of the 3 words of the corpus has a vector"):
        train(["Q R S", "R S Q"], init_from=old, tokenizer="whitespace")
    with pytest.raises(SourceError):
        train(init_from=tmp_path / "nothing")
    for trainer in (train_siamese, train_sent2vec):
        with pytest.raises(InputTypeError, match="init_from is of type dict - expected a model"):
            trainer(LINES, init_from={"oven": [1.0, 2.0]})


def test_vectors_that_are_not_finite_are_refused():
    old = train()
    bad = np.array(old.input_vectors)
    bad[old.vocabulary.ids["oven"]] = np.inf
    old.tensors["input_vectors"] = bad
    old.__dict__.pop("rows", None)
    with pytest.raises(DivergedError, match="vector of 'oven' in init_from is not finite"):
        train(init_from=old)


# --- corpora that cannot work -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "changes", "message"),
    [
        (["a b", "", "b a", "", "a a b"], {},
         "no sentence has a neighbour: the corpus has 3 sentences in 3 documents"),
        (["a b", "b a", "", "b b a", "a b"], {"edges": "skip"},
         "no sentence has two neighbours: the corpus has 4 sentences in 2 documents"),
        (["a b c d"], {}, "no sentence has a neighbour: the corpus has 1 sentences"),
        ([], {}, "the corpus is empty"),
        (["", ""], {}, "the corpus is empty"),
        (["word", "word"], {}, "the vocabulary has one word, 'word'"),
        (["a", "b", "a"], {}, "no sentence has two known words"),
        (["a b", "rare words", "a b", "", "b a"], {"min_count": 2}, "no sentence has a neighbour"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("own", [False, True])
def test_a_corpus_without_neighbours_is_an_error_that_says_so(lines, changes, message, own):
    with pytest.raises(CorpusError, match=message):
        train(lines, **(OWN_NEGATIVES if own else {}), **changes)


def test_two_sentences_are_enough():
    for changes in ({}, OWN_NEGATIVES):
        model = train(["a b", "b a c"], **changes)
        assert np.isfinite(model.input_vectors).all()


def test_a_sentence_without_known_words_separates_its_neighbours():
    heard = Heard()
    lines = ["a b", "a b a", "rare1 rare2", "b a", "a b"] * 3
    train([*lines, "rare"], min_count=2, listener=heard, epochs=1)
    # rare1 and rare2 are seen three times: known; "rare" is not
    assert heard.summaries[0].skipped["no_known_word"] == 1
    assert heard.summaries[0].predicted == 15


def test_more_words_than_sixteen_bits_can_number():
    n = 66_000
    words = [f"w{k}" for k in range(n)]
    lines = [" ".join(words[k : k + 100]) for k in range(0, n, 100)]
    start = matrices.normal(n, 4, deviation=0.01, seed=1, threads=1)
    for changes in ({}, OWN_NEGATIVES):
        model = train(lines, dim=4, epochs=1, min_count=1, **changes)
        assert len(model.vocabulary) == n
        # every word stands in a sentence that is a middle
        assert (model.input_vectors != start).any(axis=1).all()


# --- settings -----------------------------------------------------------------------------------

REFUSED = {
    "dim": [0, -1, 1.5, True, "10"],
    "epochs": [0, 2.5],
    "lr": [0, -1.0, math.nan, math.inf, True],
    "optimizer": ["adam", None, 1],
    "batch": [0, 1.5, 10_001, True],
    "batch_gradient": ["average", 1],
    "min_count": [0, 1.5],
    "max_vocab": [0, 1, 2.5],
    "positives": [0, 3, -1, True, 1.5, "2"],
    "negatives": [0, 1.5, True, 20_000],
    "shared_negatives": [1, "yes"],
    "temperature": [0, -1, math.nan, math.inf],
    "edges": ["wrap", True],
    "max_tokens": [0, -1, 1.5],
    "subsample": [-1e-5, math.nan],
    "init_std": [0, -0.1, math.inf],
    "tokenizer": ["spacy"],
    "dtype": ["float64", 16],
    "shuffle": [1, "no"],
    "threads": [0, 1.5, True],
    "seed": [-1, 1.5, 2**63],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in REFUSED.items() for value in values]
)
def test_a_setting_that_cannot_work_is_refused_by_name_and_value(name, value):
    with pytest.raises(SettingsError, match="expected") as caught:
        SiameseCBOWSettings(**{name: value})
    if name != "tokenizer":
        assert f"{name} is {value!r}" in str(caught.value)


def test_every_setting_is_in_the_table_of_refused_values():
    assert set(REFUSED) == {field.name for field in dataclasses.fields(SiameseCBOWSettings)}


def test_names_of_another_model_are_not_known():
    with pytest.raises(SettingsError, match="unknown setting 'ngrams'"):
        train(ngrams=2)
    with pytest.raises(SettingsError, match="unknown preset 'paper/wiki-bigrams'"):
        train(preset="paper/wiki-bigrams")
    with pytest.raises(SettingsError, match="unknown preset 'paper/siamese-cbow'"):
        train_sent2vec(LINES, preset="paper/siamese-cbow")


def test_the_papers_preset_is_what_the_paper_states():
    settings = SiameseCBOWSettings.make("paper/siamese-cbow")
    expected = {"dim": 300, "epochs": 1, "lr": 1e-4, "optimizer": "sgd", "batch": 100,
                "batch_gradient": "mean", "min_count": 5, "positives": 2, "negatives": 2,
                "shared_negatives": False, "temperature": 1.0, "subsample": 0.0,
                "init_std": 0.01, "edges": "skip", "max_tokens": 50}  # fmt: skip
    assert expected.items() <= settings.to_config().items()
    assert SiameseCBOWSettings.make() == SiameseCBOWSettings.make("siamese-cbow")
    assert SiameseCBOWSettings.from_config(settings.to_config()) == settings


# --- runs that cannot end well ------------------------------------------------------------------


def test_nan_is_divergence(monkeypatch):
    normal = matrices.normal

    def with_nan(*args, **kwargs):
        matrix = normal(*args, **kwargs)
        matrix[0] = np.nan
        return matrix

    monkeypatch.setattr(matrices, "normal", with_nan)
    with pytest.raises(DivergedError, match=r"diverged at .*% .*lr 0.* lower lr"):
        train()


def test_a_rate_far_too_high_is_divergence_not_a_crash():
    with pytest.raises(DivergedError, match="lower lr"):
        train(optimizer="sgd", lr=1e38)


def test_memory_is_estimated_before_it_is_taken(monkeypatch):
    monkeypatch.setattr("sentvec.training.memory.available_memory", lambda: 10_000)
    with pytest.raises(NotEnoughMemoryError, match="needs at least"):
        train()


def test_the_estimate_covers_the_matrices_and_the_scratch_of_all_threads(tmp_path):
    for changes in ({}, OWN_NEGATIVES, {"max_tokens": 3}):
        pairs, settings, corpus = pairs_of(tmp_path, LINES, threads=1, min_count=1, **changes)
        n_words = len(corpus.vocabulary)
        V, squares = np.zeros((n_words, 100), np.float32), np.zeros(n_words, np.float32)
        arrays = {"input_vectors": V, "squares": squares}
        worker = Worker(Shared(corpus.vocabulary.counts, pairs, settings), arrays)
        held = sum(array.nbytes for array in worker._scratch)
        held += pairs.text.roles.nbytes + pairs.text.starts.nbytes
        one = memory_of(settings, n_words, pairs.longest, len(corpus.offsets) - 1)
        none = memory_of(settings, n_words)
        assert one.matrices == V.nbytes + squares.nbytes
        assert held <= one.rest - none.rest + slots_of(settings) * 1000


# --- the model ----------------------------------------------------------------------------------


def test_the_model_has_one_row_a_word_and_says_what_it_is(tmp_path):
    model = train()
    assert model.input_vectors.shape == (len(model.vocabulary), 20)
    assert repr(model).startswith("<SiameseCBOW: ")
    np.testing.assert_allclose(
        model.encode("oven flour flour"),
        (model.word_vector("oven") + 2 * model.word_vector("flour")) / 3,
        rtol=1e-5, atol=1e-7,
    )  # fmt: skip
    model.save(tmp_path / "model")
    card = (tmp_path / "model" / "README.md").read_text()
    assert "Sentence vectors by siamese-cbow" in card
    assert "loss per sentence whose neighbours were predicted" in card
    assert {feature.text for feature in model.explain("oven flour")} == {"oven", "flour"}
