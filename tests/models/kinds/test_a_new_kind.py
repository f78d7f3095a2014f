"""A kind of model that is made here, with one record: trained, saved, loaded, encoded, resumed.

It counts: the vector of a word is how often it was seen, times the direction of its id. It learns
nothing, but it has all that a kind has, and no other file knows of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from sentvec import load, resume
from sentvec.cli.app import app
from sentvec.errors import SettingsError
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.kinds.kind import KINDS, Kind, register
from sentvec.models.kinds.trainable import Trainable
from sentvec.storage.records import Sizes
from sentvec.training import batches, loop, matrices
from sentvec.training.batches import Units
from sentvec.training.memory import estimate
from sentvec.training.progress import Listener
from sentvec.training.settings import Settings, setting
from sentvec.training.summary import Trained
from sentvec.training.trainer import HeldOut, Needs, Trainer, Worker, schedule_of
from support.behaviour import planted_corpus

LINES = planted_corpus()[:220]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingSettings(Settings):
    dim: int = setting(4, "length of the vectors")
    epochs: int = setting(3, "passes over the corpus")
    lr: float = setting(1.0, "what a word adds each time")
    min_count: int = setting(1, "rarer words are unknown")
    max_vocab: int | None = setting(None, "keep at most N words")
    tokenizer: str = setting("simple", "name of a tokenizer")
    shuffle: bool = setting(True, "take sentences in random order")
    threads: int | None = setting(1, "worker threads")
    seed: int = setting(1, "of the order")


@dataclass(frozen=True)
class Sentences:
    units: Units
    vocabulary: object
    trained: Trained

    @property
    def words(self):
        return len(self.units.ids)

    def batches(self, *args, **kwargs):
        return self.units.batches(*args, **kwargs)


class CountingWorker(Worker):
    def __init__(self, arrays):
        self.arrays = arrays

    def __call__(self, batch):
        V = self.arrays["input_vectors"]
        np.add.at(V, (batch.ids, batch.ids % V.shape[1]), 1)
        return float(len(batch.ids)), len(batch.ids)

    def evaluate(self, data):
        return HeldOut(1.0, {})


class CountingTrainer(Trainer):
    KIND = "counting"
    SETTINGS = CountingSettings
    COMPILES = False

    def needs(self, size):
        return Needs.of(
            estimate(0, size.words), "no more", 4 * self.settings.dim * size.words, size
        )

    def data(self, corpus, name="the corpus"):
        units = Units(corpus.ids, corpus.offsets)
        return Sentences(units, corpus.vocabulary, Trained.on_words(corpus.stats))

    def memory(self, data):
        return estimate(0, len(data.vocabulary))

    def shapes(self, data):
        return {"input_vectors": (len(data.vocabulary), self.settings.dim, "float32")}

    def start(self, data, listener=None):
        return {name: matrices.zeros(*shape) for name, shape in self.shapes(data).items()}

    def workers(self, data, arrays):
        return [CountingWorker(each) for each in arrays]

    def untrained_loss(self, data):
        return 1.0

    def schedule(self):
        return schedule_of(self.settings)

    def config_fields(self, data):
        words = len(data.vocabulary)
        return {"sizes": Sizes.of(dim=self.settings.dim, vocabulary=words)}


class Counting(Trainable, SentenceEncoder):
    KIND = "counting"


@pytest.fixture(autouse=True)
def counting():
    register(Kind(Counting, CountingTrainer, "Count words."))
    yield
    del KINDS["counting"]


def test_it_is_trained_saved_loaded_and_encodes(tmp_path):
    model = Counting.train(LINES, dim=5, output=tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert type(loaded) is Counting
    assert loaded.config.kind == "counting"
    assert loaded.config.training.loss == 1.0
    assert np.array_equal(loaded.encode(LINES[:9]), model.encode(LINES[:9]))
    seen = {word: 3 * count for word, count in model.vocabulary.items()}
    assert {word: model.word_vector(word).sum() for word in seen} == seen
    assert "counting" in (tmp_path / "model" / "README.md").read_text()


def test_an_interrupted_run_is_resumed(tmp_path, monkeypatch):
    class Interrupting(Listener):
        def progress(self, progress):
            if progress.done > 0.3:
                raise KeyboardInterrupt

    whole = Counting.train(LINES)
    monkeypatch.setattr(batches, "BATCH_TOKENS", 60)
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.0001)
    with pytest.raises(KeyboardInterrupt):
        Counting.train(LINES, output=tmp_path / "model", listener=Interrupting())
    resumed = resume(tmp_path / "model")
    assert type(resumed) is Counting
    assert np.array_equal(resumed.input_vectors, whole.input_vectors)


def test_settings_and_what_it_starts_from_are_checked():
    with pytest.raises(SettingsError, match="unknown setting 'typo'"):
        Counting.train(LINES, typo=3)
    with pytest.raises(SettingsError, match="starts from no other model"):
        Counting.train(LINES, init_from=Counting.train(LINES))


def test_the_program_estimates_it_converts_it_and_tells_of_it(tmp_path, capsys):
    Counting.train(LINES, output=tmp_path / "model")
    (tmp_path / "corpus.txt").write_text("\n".join(LINES))
    app(["estimate", str(tmp_path / "corpus.txt"), "--model", "counting"], standalone_mode=False)
    assert "no more, dim 4" in capsys.readouterr().out
    app(["info", str(tmp_path / "model")], standalone_mode=False)
    assert "counting, format version 2" in capsys.readouterr().out
    convert = ["convert", str(tmp_path / "model"), str(tmp_path / "half"), "--dtype", "float16"]
    app(convert, standalone_mode=False)
    assert load(tmp_path / "half").tensors["input_vectors"].dtype == np.float16
