"""Training Sent2Vec: repeatability, settings, limits, what is checked before and reported during."""

from __future__ import annotations

import dataclasses
import math
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from sentvec import PRESETS, Listener, Sent2Vec, Sent2VecSettings, load
from sentvec.errors import (
    CorpusError,
    DivergedError,
    NotEnoughMemoryError,
    SettingsError,
    StorageError,
)
from sentvec.models.sent2vec import trainer as sent2vec_trainer
from sentvec.models.sent2vec import worker as sent2vec_worker
from sentvec.models.sent2vec.trainer import check_negatives, keep_probabilities
from sentvec.text.vocabulary import Vocabulary
from sentvec.training import loop, matrices, memory
from sentvec.training.batches import Position, Schedule, Units
from sentvec.training.trainer import HeldOut, Worker
from support.behaviour import planted_corpus, train_sent2vec

LINES = planted_corpus()[:220]
UNTRAINED_LOSS = 6 * math.log(2)  # of a word and five negatives


def train(**changes):
    return train_sent2vec(LINES, **{"epochs": 3, **changes})


def tensors_of(model):
    return model.tensors["input_vectors"], model.tensors["output_vectors"]


def same_bits(one, other):
    return all(map(np.array_equal, tensors_of(one), tensors_of(other)))


@pytest.fixture(scope="session")
def plain():
    return train()


# --- repeatability ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings", [{}, {"shuffle": False}, {"ngrams": 3}, {"l1": 0.001}, {"variant": "released"}]
)
def test_one_thread_and_one_seed_give_the_same_bits_twice(settings):
    assert same_bits(train(**settings), train(**settings))


def test_another_seed_gives_other_vectors(plain):
    assert not same_bits(train(seed=2), plain)


def test_the_order_of_sentences_matters_and_can_be_left_as_it_is(plain):
    assert not same_bits(train(shuffle=False), plain)
    # Without shuffling, what is drawn and the rate belong to the place of a sentence in the file.
    assert same_bits(train(shuffle=False), train_sent2vec([*LINES, ""], epochs=3, shuffle=False))


def test_the_global_random_state_does_not_matter(plain):
    np.random.seed(5)  # noqa: NPY002
    assert same_bits(train(), plain)


def test_initial_matrices_are_the_same_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(matrices, "_BLOCK", 64)
    one = matrices.uniform(1000, 7, seed=3, threads=1)
    for threads in (2, 5):
        assert np.array_equal(matrices.uniform(1000, 7, seed=3, threads=threads), one)
    assert not np.array_equal(matrices.uniform(1000, 7, seed=4, threads=1), one)
    assert np.abs(one).max() <= 1 / 7
    assert np.abs(one).max() > 0.99 / 7
    assert abs(one.mean()) < 0.01 / 7
    assert len(np.unique(one)) > 0.99 * one.size


def test_matrices_begin_at_a_cache_line():
    for rows, dim in ((1, 1), (3, 7), (1000, 16)):
        assert matrices.zeros(rows, dim).ctypes.data % 64 == 0


def test_two_threads_learn_too():
    two = train(threads=2, epochs=12)
    assert np.isfinite(two.input_vectors).all()
    assert two.config["training"]["loss"] < 0.8 * UNTRAINED_LOSS
    assert two.config["training"]["threads"] == two.config["settings"]["threads"] == 2


def test_more_threads_than_sentences_are_no_trouble():
    model = Sent2Vec.train(["a b", "b a"], dim=4, min_count=1, threads=8, epochs=2, subsample=0)
    assert np.isfinite(model.input_vectors).all()


def test_without_a_number_of_threads_there_is_one_per_processor(monkeypatch):
    monkeypatch.setattr(sent2vec_trainer, "processors", lambda: 3)
    assert train(threads=None, epochs=1).config["settings"]["threads"] == 3


def test_training_lowers_the_loss(plain):
    assert plain.config["training"]["loss"] < UNTRAINED_LOSS
    assert train(epochs=12).config["training"]["loss"] < plain.config["training"]["loss"]


# --- the settings at work -----------------------------------------------------------------------


def test_words_alone_need_no_buckets():
    model = train(ngrams=1, buckets=500)
    assert model.config["sizes"]["buckets"] == 0
    assert model.input_vectors.shape == (len(model.vocabulary), 16)
    assert model.config["settings"]["buckets"] is None


def test_buckets_are_chosen_from_the_size_of_the_corpus(monkeypatch):
    lines = ["a b c d e f g h i j"] * 300  # 3000 tokens
    small = {"dim": 2, "epochs": 1, "min_count": 1, "threads": 1}
    for fewest, most, expected in ((100, 9000, 1500), (100, 1200, 1200), (1700, 9000, 1700)):
        monkeypatch.setattr(sent2vec_trainer, "MIN_BUCKETS", fewest)
        monkeypatch.setattr(sent2vec_trainer, "MAX_BUCKETS", most)
        model = Sent2Vec.train(lines, **small)
        assert model.config["sizes"]["buckets"] == expected
        assert model.config["settings"]["buckets"] == expected
        assert len(model.input_vectors) == 10 + expected
    assert Sent2Vec.train(lines, buckets=77, **small).config["sizes"]["buckets"] == 77


def test_the_bounds_of_the_chosen_buckets_are_those_of_the_documentation():
    assert (sent2vec_trainer.MIN_BUCKETS, sent2vec_trainer.MAX_BUCKETS) == (10_000, 2_000_000)


def test_subsampling_follows_the_formula_of_the_paper():
    counts = np.array([1000, 100, 10, 1], np.int64)
    settings = Sent2VecSettings.make(subsample=1e-3)
    shares = counts / 1111
    expected = [min(1.0, math.sqrt(1e-3 / share) + 1e-3 / share) for share in shares]
    np.testing.assert_allclose(keep_probabilities(counts, settings), expected, rtol=1e-6)


def test_subsample_0_predicts_every_word():
    counts = np.array([10**12, 1], np.int64)
    keep = keep_probabilities(counts, Sent2VecSettings.make(subsample=0))
    assert keep.tolist() == [1.0, 1.0]


def test_words_below_min_target_count_are_never_predicted():
    counts = np.array([9, 5, 4], np.int64)
    keep = keep_probabilities(counts, Sent2VecSettings.make(subsample=0, min_target_count=5))
    assert keep.tolist() == [1.0, 1.0, -1.0]


def test_words_below_min_target_count_still_get_vectors():
    lines = [*["a b c"] * 20, "a b rare", "b c rare"]
    model = Sent2Vec.train(lines, dim=8, min_count=1, min_target_count=5, threads=1, subsample=0)
    start = matrices.uniform(4, 8, seed=1, threads=1)
    assert not np.array_equal(model.word_vector("rare"), start[3])


def test_min_target_count_above_every_count_names_the_commonest():
    with pytest.raises(CorpusError, match=r"min_target_count=1000.*seen \d+ times - lower"):
        train(min_target_count=1000)


def test_min_count_and_max_vocab_cut_the_vocabulary(plain):
    counts = dict(plain.vocabulary)
    common = train(min_count=30)
    assert dict(common.vocabulary) == {word: n for word, n in counts.items() if n >= 30}
    few = train(max_vocab=5)
    assert list(few.vocabulary.items()) == list(counts.items())[:5]
    assert few.config["sizes"]["vocabulary"] == 5


def test_the_released_variant_saves_no_placeholder_row(tmp_path):
    model = train(variant="released", ngrams=3)
    rows = len(model.vocabulary) + 2000
    assert model.input_vectors.shape == (rows, 16)
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").input_vectors.shape == (rows, 16)
    assert model.config["settings"]["variant"] == "released"
    assert not same_bits(model, train(ngrams=3))


def test_the_released_variant_draws_negatives_for_each_word_unless_told_otherwise():
    assert Sent2VecSettings.make(variant="released").shared_negatives is False
    assert Sent2VecSettings.make(variant="released", shared_negatives=True).shared_negatives is True


def test_l1_makes_exact_zeros(plain):
    assert all((matrix != 0).all() for matrix in tensors_of(plain))
    for matrix in tensors_of(train(l1=0.004, epochs=10, buckets=50)):
        assert (matrix == 0).mean() > 0.05
        assert (matrix != 0).any()


@pytest.mark.parametrize(
    "settings",
    [{"negatives": 1}, {"drop_ngrams": 0}, {"drop_ngrams": 99}, {"shared_negatives": False},
     {"buckets": 1}, {"dim": 1}, {"ngrams": 6}, {"tokenizer": "whitespace"}, {"lr": 0.001}],
    ids=str,
)  # fmt: skip
def test_any_setting_within_its_limits_trains(settings):
    model = train(epochs=1, **settings)
    assert all(np.isfinite(matrix).all() for matrix in tensors_of(model))
    assert {name: model.config["settings"][name] for name in settings} == settings


def test_numbers_of_numpy_are_settings_too(tmp_path):
    model = train(dim=np.int64(6), lr=np.float32(0.125), shuffle=np.bool_(False))
    assert model.dim == 6
    model.save(tmp_path / "model")
    settings = load(tmp_path / "model").config["settings"]
    assert (settings["dim"], settings["lr"], settings["shuffle"]) == (6, 0.125, False)


def test_a_model_knows_how_it_was_made(plain):
    settings, corpus = plain.config["settings"], plain.config["corpus"]
    assert settings == {
        **dataclasses.asdict(Sent2VecSettings()), "dim": 16, "epochs": 3, "min_count": 1,
        "subsample": 0.0, "negatives": 5, "drop_ngrams": 2, "buckets": 2000, "threads": 1,
    }  # fmt: skip
    assert (
        Sent2VecSettings.from_config({**settings, "of_a_later_version": 1}).to_config() == settings
    )
    assert corpus["sentences"] == sum(bool(line) for line in LINES)
    assert corpus["documents"] == 20
    assert corpus["tokens"] == corpus["known_tokens"] == sum(len(line.split()) for line in LINES)
    assert plain.config["tokenizer"] == {"name": "simple", "lowercase": True}
    assert set(plain.config["training"]) == {"loss", "seconds", "threads", "finished"}


# --- presets ------------------------------------------------------------------------------------

# Table 5 of the paper: dim, min count, min target count, epochs, subsampling, K; None is "-".
TABLE_5 = {
    "books-unigrams": (700, 5, 8, 13, 1e-5, None),
    "books-bigrams": (700, 5, 5, 12, 5e-6, 7),
    "wiki-unigrams": (600, 8, 20, 9, 1e-5, None),
    "wiki-bigrams": (700, 8, 20, 9, 5e-6, 4),
    "twitter-unigrams": (700, 20, 20, 3, 1e-6, None),
    "twitter-bigrams": (700, 20, 20, 3, 1e-6, 3),
}


@pytest.mark.parametrize("row", TABLE_5)
def test_a_preset_of_the_paper_is_its_row_of_table_5(row):
    dim, min_count, min_target_count, epochs, subsample, drop = TABLE_5[row]
    settings = Sent2VecSettings.make(preset=f"paper/{row}")
    assert (settings.dim, settings.min_count, settings.min_target_count) == (
        dim, min_count, min_target_count,
    )  # fmt: skip
    assert (settings.epochs, settings.subsample) == (epochs, subsample)
    assert (settings.lr, settings.negatives) == (0.2, 10)
    assert settings.ngrams == (1 if drop is None else 2)
    assert settings.drop_ngrams == (drop or 0)
    assert settings.variant == "paper"
    assert settings.shared_negatives is False
    assert settings.l1 == 0.0
    assert settings.shuffle is True


@pytest.mark.parametrize("row", ["books-bigrams", "wiki-bigrams"])
def test_the_l1_presets_are_those_of_appendix_b(row):
    with_l1 = Sent2VecSettings.make(preset=f"paper/{row}-l1")
    assert with_l1.l1 == 0.0005
    assert with_l1.with_values(l1=0.0) == Sent2VecSettings.make(preset=f"paper/{row}")


def test_table_5_of_the_tests_is_that_of_the_paper(shared):
    card = (shared / "papers" / "sent2vec_card.md").read_text(encoding="utf-8")
    names = {"Toronto books": "books", "Wikipedia": "wiki", "Twitter": "twitter"}
    found = {}
    for line in card.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].startswith("Sent2Vec uni") and "(" in cells[0] and len(cells) == 9:
            corpus = names[cells[0].partition("(")[2].removesuffix(")")]
            grams = "bigrams" if "uni+bi" in cells[0] else "unigrams"
            dim, min_count, target, lr, epochs, subsample, drop, negatives = cells[1:]
            assert (lr, negatives) == ("0.2", "10")
            found[f"{corpus}-{grams}"] = (
                int(dim), int(min_count), int(target), int(epochs), float(subsample),
                None if drop == "-" else int(drop),
            )  # fmt: skip
    assert found == TABLE_5


def test_every_preset_makes_settings_and_there_are_no_others():
    expected = {f"paper/{row}" for row in TABLE_5}
    expected |= {"default", "paper/books-bigrams-l1", "paper/wiki-bigrams-l1"}
    assert set(PRESETS) == expected
    for name in PRESETS:
        assert isinstance(Sent2VecSettings.make(preset=name), Sent2VecSettings)
    assert Sent2VecSettings.make() == Sent2VecSettings.make(preset="default") == Sent2VecSettings()
    with pytest.raises(TypeError):
        PRESETS["mine"] = {}


def test_what_is_given_goes_before_the_preset_and_none_changes_nothing():
    settings = Sent2VecSettings.make(preset="paper/wiki-bigrams", epochs=2, dim=None)
    assert (settings.epochs, settings.dim, settings.drop_ngrams) == (2, 700, 4)


def test_a_preset_trains():
    model = Sent2Vec.train(
        LINES, preset="paper/books-bigrams-l1", dim=8, epochs=1, buckets=100, threads=1
    )
    assert (model.dim, model.config["settings"]["l1"]) == (8, 0.0005)


# --- settings that cannot work ------------------------------------------------------------------

NAN, INF = math.nan, math.inf
REFUSED = {
    "dim": [0, -1, 2.5, 100.0, True, "100", NAN, INF, 10**9],
    "epochs": [0, -1, 1.5, True, "5", INF],
    "lr": [0, 0.0, -0.1, NAN, INF, -INF, "0.2", True, 10**400],
    "min_count": [0, -1, 2.5, True],
    "min_target_count": [-1, 2.5, True],
    "max_vocab": [0, 1, -5, 2.5, True],
    "subsample": [-1e-5, NAN, INF, "1e-4", True],
    "negatives": [0, -1, 2.5, True, 10**6],
    "shared_negatives": [1, 0, "yes"],
    "ngrams": [0, -1, 2.5, True, 21],
    "buckets": [0, -1, 2.5, 1e6, True, INF],
    "drop_ngrams": [-1, 2.5, True],
    "l1": [-0.1, NAN, INF, True],
    "variant": ["epfml", 1, True],
    "tokenizer": ["simpel", 3, ["simple"]],
    "dtype": ["float64", "half", 16, np.float16],
    "shuffle": [1, "no"],
    "deterministic": [1, 0, "yes"],
    "threads": [0, -1, 1.5, True, "2", 10**6],
    "seed": [-1, 1.5, True, 2**63],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in REFUSED.items() for value in values]
)
def test_a_setting_that_cannot_work_is_refused_by_name_and_value(name, value):
    with pytest.raises(SettingsError) as caught:
        Sent2VecSettings.make(**{name: value})
    message = str(caught.value)
    assert name in message
    assert isinstance(caught.value, ValueError)
    assert "\n" not in message
    if name != "tokenizer":
        assert f"{name} is {value!r}" in message
        assert "expected" in message


def test_every_setting_is_in_the_table_of_refused_values():
    assert set(REFUSED) == {field.name for field in dataclasses.fields(Sent2VecSettings)}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"preset": "paper/wiki-bigram"}, "unknown preset 'paper/wiki-bigram' - did you mean 'paper/wiki-bigrams'"),
        ({"preset": "defualt"}, "did you mean 'default'?"),
        ({"preset": "xyz"}, "expected one of default, paper/books-unigrams"),
        ({"preset": 5}, "unknown preset 5"),
        ({"epoch": 3}, "unknown setting 'epoch' - did you mean 'epochs'?"),
        ({"word_ngrams": 2}, "did you mean 'drop_ngrams' or 'ngrams'?"),
        ({"learning": 2}, "unknown setting 'learning' - "),
        ({"tokenizer": "simpel"}, "unknown tokenizer 'simpel' - did you mean 'simple'?"),
        ({"tokenizer": "spacy"}, "expected one of whitespace, simple, tweet, ptb"),
    ],
    ids=str,
)  # fmt: skip
def test_an_unknown_name_is_answered_with_the_nearest(call, message):
    with pytest.raises(SettingsError) as caught:
        Sent2Vec.train(LINES, **call)
    assert message in str(caught.value)


def test_settings_cannot_be_changed_once_made():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Sent2VecSettings().dim = 5
    with pytest.raises(SettingsError):
        Sent2VecSettings().with_values(dim=0)


# --- runs that cannot end well ------------------------------------------------------------------


@pytest.mark.parametrize("where", [0, -1])
def test_nan_in_a_row_that_is_used_is_divergence(monkeypatch, where):
    uniform = matrices.uniform

    def with_nan(*args, **kwargs):
        matrix = uniform(*args, **kwargs)
        matrix[: len(matrix) if where else 1] = np.nan
        return matrix

    monkeypatch.setattr(matrices, "uniform", with_nan)
    with pytest.raises(DivergedError, match=r"diverged at .*% .*lr 0.* lower lr"):
        train()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["input_vectors", "output_vectors"])
def test_a_matrix_that_is_not_finite_at_the_end_is_divergence(monkeypatch, bad, name):
    made = []
    for make in ("uniform", "zeros"):
        monkeypatch.setattr(matrices, make, _recording(getattr(matrices, make), made))

    def no_training(*args, **kwargs):
        made[0 if name == "input_vectors" else -1][7, 3] = bad
        return Position(epoch=3, tokens=1, targets=1)

    monkeypatch.setattr(loop, "run", no_training)
    with pytest.raises(
        DivergedError, match=rf"row 7 of {name} is not finite at the end .* lower lr"
    ):
        train()


def _recording(make, made):
    def recorded(*args, **kwargs):
        made.append(make(*args, **kwargs))
        return made[-1]

    return recorded


def test_a_huge_learning_rate_is_divergence_even_on_sixty_lines():
    lines = [line for line in planted_corpus() if line][:60]
    for settings in ({}, {"ngrams": 1}, {"shared_negatives": False}, {"threads": 2}):
        with pytest.raises(DivergedError, match="lower lr"):
            train_sent2vec(lines, lr=1e6, **settings)


@pytest.mark.parametrize(
    "settings",
    [{}, {"ngrams": 1}, {"threads": 2}, {"dtype": "float16"}, {"variant": "released"},
     {"dim": 100, "epochs": 100}, {"subsample": 1e-4}, {"negatives": 1}],
    ids=str,
)  # fmt: skip
def test_a_learning_rate_of_10_on_sixty_lines_is_divergence(settings):
    lines = [line for line in planted_corpus() if line][:60]
    with pytest.raises(DivergedError, match=r"diverged at .*% \(loss .* lr \d.* lower lr"):
        train_sent2vec(lines, lr=10, **settings)


def test_a_vocabulary_with_nothing_to_draw_against_its_commonest_word_is_refused():
    old = train_sent2vec(["often rarely"] * 9, epochs=1, buckets=10)
    for counts in ([10**12, 1], [10**12, 0]):
        old.__dict__["vocabulary"] = Vocabulary(["often", "rarely"], np.array(counts))
        with pytest.raises(CorpusError, match=r"every negative would be the target: 'often' is se"):
            Sent2Vec.train(["often often often"], init_from=old, min_count=1, epochs=1)
    with pytest.raises(CorpusError, match="the vocabulary has one word, 'often'"):
        train_sent2vec(["often often often"])
    check_negatives(Vocabulary(["often", "rarely"], np.array([10**7, 1])))


def test_too_little_memory_is_known_before_anything_is_allocated(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError

    monkeypatch.setattr(memory, "available_memory", lambda: 300_000_000)
    monkeypatch.setattr(matrices, "zeros", refuse)
    monkeypatch.setattr(sent2vec_trainer, "MIN_BUCKETS", 20)
    words = [" ".join(f"w{number}" for number in range(1000))] * 2  # known by counting only
    with pytest.raises(NotEnoughMemoryError) as caught:
        train_sent2vec(words, dim=30_000, buckets=None)
    assert isinstance(caught.value, MemoryError)
    assert str(caught.value) == (
        "training needs 0.52 GB of memory, 0.30 GB are available - lower dim, buckets or max_vocab"
    )


@pytest.mark.parametrize(
    ("settings", "needed"),
    [
        ({"dim": 300, "buckets": 1_000_000}, "1.36"),
        ({"dim": 30_000, "buckets": None}, "1.36"),
        ({"dim": 300, "buckets": 1_000_000, "dtype": "float16"}, "0.76"),
        ({"dim": 300, "buckets": 100_000, "threads": 2, "deterministic": True}, "0.52"),
    ],
    ids=str,
)
def test_memory_that_the_settings_alone_ask_for_is_known_before_the_corpus_is_read(
    tmp_path, monkeypatch, settings, needed
):
    def refuse():
        raise AssertionError
        yield

    monkeypatch.setattr(memory, "available_memory", lambda: 300_000_000)
    with pytest.raises(NotEnoughMemoryError) as caught:
        train_sent2vec(refuse(), output=tmp_path / "model", **settings)
    assert str(caught.value) == (
        f"training needs at least {needed} GB of memory, 0.30 GB are available - "
        "lower dim, buckets or max_vocab"
    )
    assert os.listdir(tmp_path) == []


def test_the_words_of_the_model_a_run_starts_from_count_before_the_corpus_is_read(monkeypatch):
    old = train_sent2vec(planted_corpus(), epochs=1, dim=1000, ngrams=1, buckets=None)
    base = memory.BASE_BYTES + 60 * 250
    scratch = 7 * sent2vec_trainer.SCRATCH_BYTES
    monkeypatch.setattr(memory, "available_memory", lambda: base + 2 * 60 * 1000 * 4 + scratch)
    Sent2Vec.train(planted_corpus()[:4], epochs=1, init_from=old, threads=1, min_count=10**6)
    monkeypatch.setattr(memory, "available_memory", lambda: base + 2 * 60 * 1000 * 4 - 1)
    with pytest.raises(NotEnoughMemoryError, match="at least"):
        Sent2Vec.train(iter([]), init_from=old, threads=1)


def test_memory_the_system_refuses_is_said_in_words(monkeypatch):
    def refuse(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(matrices.np, "zeros", refuse)
    with pytest.raises(NotEnoughMemoryError, match=r"refuses 0\.40 GB .* 1,000,000 rows of 100"):
        matrices.zeros(1_000_000, 100)


def test_an_estimate_counts_both_matrices():
    estimate = memory.estimate((1000 + 100) * 50 * 4, words=100)
    assert estimate.matrices == 1100 * 50 * 4
    assert estimate.total == estimate.matrices + estimate.rest
    memory.MemoryEstimate(10, 5, None).check()
    memory.MemoryEstimate(10, 5, 15).check()
    with pytest.raises(NotEnoughMemoryError):
        memory.MemoryEstimate(10, 5, 14).check()


@pytest.mark.parametrize("make", ["missing", "file"])
def test_a_work_dir_that_is_none_is_refused(tmp_path, make):
    place = tmp_path / make
    if make == "file":
        place.write_text("")
    with pytest.raises(StorageError, match=make):
        train(work_dir=place)


# --- what a listener hears ----------------------------------------------------------------------


class Recorder(Listener):
    def __init__(self):
        self.calls = []

    def corpus(self, stats, vocabulary_size, seconds):
        self.calls.append(("corpus", stats, vocabulary_size, seconds))

    def memory(self, estimate):
        self.calls.append(("memory", estimate))

    def compiling(self):
        self.calls.append(("compiling",))

    def progress(self, progress):
        self.calls.append(("progress", progress))


def test_a_listener_hears_of_corpus_memory_and_progress_in_that_order(monkeypatch):
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.001)
    recorder = Recorder()
    model = train(listener=recorder, epochs=40)
    names = [call[0] for call in recorder.calls]
    assert names[:3] == ["corpus", "memory", "compiling"]
    assert set(names[3:]) == {"progress"}
    _, stats, vocabulary_size, seconds = recorder.calls[0]
    assert stats.sentences == 200
    assert vocabulary_size == len(model.vocabulary)
    assert seconds >= 0
    estimate = recorder.calls[1][1]
    assert estimate.matrices == sum(matrix.nbytes for matrix in tensors_of(model))


def test_progress_goes_from_0_to_1_and_ends_at_1(monkeypatch):
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.001)
    recorder = Recorder()
    train(listener=recorder, epochs=60, lr=0.1)
    steps = [call[1] for call in recorder.calls if call[0] == "progress"]
    done = [step.done for step in steps]
    assert done == sorted(done)
    last = steps[-1]
    assert (last.done, last.epoch, last.eta, last.lr) == (1, 60, 0, 0)
    assert last.loss > 0
    assert last.words_per_second > 0
    for step in steps:
        assert step.lr == pytest.approx(0.1 * (1 - step.done))
        assert 1 <= step.epoch <= 60


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError("of the listener")])
@pytest.mark.parametrize("method", ["corpus", "memory", "compiling", "progress"])
def test_an_interrupt_in_a_listener_stops_the_workers_and_comes_through(
    tmp_path, monkeypatch, method, error
):
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.001)
    listener = Recorder()

    def stop(*_):
        raise error

    setattr(listener, method, stop)
    with pytest.raises(error if isinstance(error, type) else type(error)):
        train(listener=listener, epochs=10**6, threads=2, work_dir=tmp_path)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("sentvec")]
    assert not any(tmp_path.iterdir())


def test_ctrl_c_while_training_stops_the_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.001)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    listener = Recorder()
    listener.progress = lambda _: signal.raise_signal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            train(listener=listener, epochs=10**6, work_dir=tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not any(tmp_path.iterdir())


# --- errors come before the compiler ------------------------------------------------------------

ERRORS = """
import sys
from sentvec import Sent2Vec, Sent2VecSettings, load
from sentvec import errors

lines = ["one two three"] * 10
cases = [
    (errors.SettingsError, lambda: Sent2Vec.train(lines, dim=0)),
    (errors.SettingsError, lambda: Sent2Vec.train(lines, lr=float("nan"))),
    (errors.SettingsError, lambda: Sent2Vec.train(lines, threads=0)),
    (errors.SettingsError, lambda: Sent2Vec.train(lines, preset="paper/wiki")),
    (errors.SettingsError, lambda: Sent2Vec.train(lines, tokenizer="simpel")),
    (errors.SettingsError, lambda: Sent2Vec.train(lines, epoch=3)),
    (errors.SourceError, lambda: Sent2Vec.train("no/such/file.txt")),
    (errors.SourceError, lambda: Sent2Vec.train("no/such/*.txt")),
    (errors.SourceError, lambda: Sent2Vec.train(sys.prefix)),
    (errors.StorageError, lambda: Sent2Vec.train(lines, work_dir="no/such/folder")),
    (errors.InputTypeError, lambda: Sent2Vec.train(None)),
    (errors.InputTypeError, lambda: Sent2Vec.train(b"bytes")),
    (errors.InputTypeError, lambda: Sent2Vec.train(["a b", None])),
    (errors.CorpusError, lambda: Sent2Vec.train([])),
    (errors.CorpusError, lambda: Sent2Vec.train(["", " "])),
    (errors.CorpusError, lambda: Sent2Vec.train(lines, min_count=11)),
    (errors.CorpusError, lambda: Sent2Vec.train(lines, min_target_count=11)),
    (errors.CorpusError, lambda: Sent2Vec.train(["one"] * 10)),
    (errors.CorpusError, lambda: Sent2Vec.train(["one", "two"] * 10)),
    (errors.NotEnoughMemoryError, lambda: Sent2Vec.train(lines, dim=100000, buckets=2**30)),
    (errors.SourceError, lambda: load("no/such/model")),
    (errors.FormatError, lambda: load(sys.prefix)),
]
for number, (error, case) in enumerate(cases):
    try:
        case()
    except error as found:
        assert str(found) and "\\n" not in str(found), (number, found)
    else:
        raise AssertionError(f"case {number} raised nothing")
    assert "numba" not in sys.modules, number
print(len(cases))
"""


def test_errors_the_input_alone_shows_come_before_numba_is_imported(tmp_path):
    result = subprocess.run(
        [sys.executable, "-c", ERRORS], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert result.stderr == ""
    assert result.stdout.strip() == "22"


# --- what a mutation of the code once got past -----------------------------------------------------


def test_negatives_are_drawn_in_proportion_to_the_square_root_of_the_count():
    counts = np.array([400, 100, 25, 1], np.int64)
    settings = Sent2VecSettings.make(buckets=5)
    keep = keep_probabilities(counts, settings)
    tables = sent2vec_worker.Shared(counts, keep, settings, 526).tables
    share = np.bincount(tables.alias_other, 1 - tables.alias_keep, 4) + tables.alias_keep
    np.testing.assert_allclose(share / 4, np.array([20, 10, 5, 1]) / 36, atol=1e-6)


def test_a_loss_that_is_finite_but_far_above_that_of_untrained_vectors_has_diverged():
    with pytest.raises(DivergedError, match=r"diverged at .*lr .*lower lr"):
        run_with_loss(1e6)


def test_an_ordinary_loss_has_not_diverged():
    assert run_with_loss(3.0).mean_loss == 3.0


def run_with_loss(loss):
    """The loop over a small corpus with a worker that reports one loss for every batch."""
    corpus = Units(np.zeros(6, np.uint32), np.array([0, 3, 6]))
    schedule = Schedule(1, 0.2, True, 1, 1)
    return loop.run(corpus, schedule, [Constant(loss)], Listener(), untrained_loss=10.0)


class Constant(Worker):
    """Reports one loss for every batch."""

    def __init__(self, loss):
        self.loss = loss

    def __call__(self, batch):
        return self.loss, 1

    def evaluate(self, data):
        return HeldOut(self.loss, {})


def test_a_run_that_never_predicts_a_word_is_an_error_not_a_model():
    with pytest.raises(CorpusError, match="nothing was ever predicted"):
        Sent2Vec.train(["a b c", "b c a"] * 20, dim=4, subsample=1e-12)
