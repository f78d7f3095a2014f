"""Held-out loss: measured without a trace, and what stops a run that no longer gets better."""

from __future__ import annotations

import errno
import json
import math
import os
import time

import numpy as np
import pytest

from sentvec import Listener, load, resume
from sentvec.errors import CorpusError, FormatError, SettingsError, SourceError
from sentvec.models.sent2vec import worker as sent2vec_worker
from sentvec.training import batches, loop
from sentvec.training.runs import best as best_module
from sentvec.training.runs.interval import Interval
from sentvec.training.trainer import HeldOut
from support.behaviour import planted_corpus, train_sent2vec, train_siamese, train_skip_thought

CORPUS = planted_corpus()
LINES, HELD_OUT = CORPUS[:220], CORPUS[220:330]
UNTRAINED_LOSS = 6 * math.log(2)


class Heard(Listener):
    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.losses, self.warnings = [], []

    def validation(self, epoch, loss):
        self.losses.append(loss)
        assert epoch == len(self.losses) or self.stop_after is None
        if epoch == self.stop_after:
            raise KeyboardInterrupt

    def warning(self, message):
        self.warnings.append(message)


def train(**changes):
    return train_sent2vec(LINES, **{"epochs": 8, "validate": HELD_OUT, **changes})


def same_bits(one, other):
    return all(np.array_equal(one.tensors[name], other.tensors[name]) for name in one.tensors)


@pytest.fixture
def losses_of(monkeypatch):
    """Have held-out losses that are planned; collects the matrices of each epoch."""

    def plan(losses):
        seen = {}

        def evaluate(self, corpus):
            epoch = len(seen) + 1
            seen[epoch] = {name: array.copy() for name, array in self.arrays.items()}
            return HeldOut(losses[epoch - 1], {})

        monkeypatch.setattr(sent2vec_worker.Worker, "evaluate", evaluate)
        return seen

    return plan


def test_the_held_out_loss_starts_near_the_untrained_and_falls():
    heard = Heard()
    train(listener=heard, epochs=12, lr=0.1)
    assert len(heard.losses) == 12
    assert all(math.isfinite(loss) for loss in heard.losses)
    assert 0.7 * UNTRAINED_LOSS < heard.losses[0] < 1.05 * UNTRAINED_LOSS
    assert heard.losses[-1] < 0.9 * heard.losses[0]


def test_the_held_out_loss_is_the_same_twice():
    one, other = Heard(), Heard()
    train(listener=one)
    train(listener=other)
    assert one.losses == other.losses


@pytest.mark.parametrize(
    "settings",
    [{}, {"dtype": "float16"}, {"variant": "released"}, {"l1": 0.001},
     {"threads": 2, "deterministic": True}, {"shared_negatives": False, "ngrams": 3}],
    ids=lambda settings: "+".join(settings) or "default",
)  # fmt: skip
def test_measuring_changes_no_bit(settings):
    heard = Heard()
    assert same_bits(train(listener=heard, **settings), train(validate=None, **settings))
    assert len(heard.losses) == 8


def test_measuring_the_text_itself_agrees_with_the_training_loss():
    heard = Heard()
    model = train(validate=LINES, listener=heard, lr=0.001, epochs=1)
    assert heard.losses[0] == pytest.approx(model.config["training"]["loss"], rel=0.02)


def test_words_the_vocabulary_lacks_are_dropped_from_the_held_out_text():
    heard, same = Heard(), Heard()
    train(validate=[line + " unheard-of" if line else "" for line in HELD_OUT], listener=heard)
    train(listener=same)
    assert heard.losses == same.losses


@pytest.mark.parametrize(
    ("held_out", "error"),
    [("nowhere.txt", SourceError), ([], CorpusError), (["qwerty asdf"] * 3, CorpusError)],
    ids=str,
)
def test_held_out_text_that_is_none_is_refused(tmp_path, held_out, error):
    with pytest.raises(error):
        train(validate=held_out, output=tmp_path / "model")
    assert os.listdir(tmp_path) == []


# --- patience -----------------------------------------------------------------------------------

PLANNED = [5.0, 4.0, 3.0, 3.5, 3.0, 2.0, 1.0, 0.5]  # from 3, patience 2 ends after epoch 5


@pytest.mark.parametrize("output", [False, True])
def test_patience_ends_early_and_keeps_the_best_vectors(tmp_path, losses_of, output):
    seen, heard = losses_of(PLANNED), Heard()
    place = tmp_path / "model" if output else None
    model = train(patience=2, listener=heard, output=place, work_dir=tmp_path)
    assert heard.losses == PLANNED[:5]
    assert all(np.array_equal(seen[3][name], model.tensors[name]) for name in seen[3])
    assert not np.array_equal(seen[5]["input_vectors"], model.input_vectors)
    if output:
        assert same_bits(load(place), model)
        assert not [path for path in tmp_path.rglob("*") if path.name.startswith("best")]
        records = (place / "metrics.jsonl").read_text().splitlines()
        assert json.loads(records[-2])["done"] == pytest.approx(5 / 8)
    else:
        assert os.listdir(tmp_path) == []


def test_the_best_is_kept_where_patience_does_not_end_the_run(losses_of):
    seen, heard = losses_of([5.0, 1.0, 3.0, 2.0, 3.0, 2.0, 3.0, 2.0]), Heard()
    model = train(patience=7, listener=heard)
    assert len(heard.losses) == 8
    assert all(np.array_equal(seen[2][name], model.tensors[name]) for name in seen[2])


def test_a_last_epoch_that_is_the_best_is_the_model(losses_of):
    losses_of([8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    assert same_bits(train(patience=1), train(validate=None))


def test_without_patience_the_last_epoch_is_the_model(losses_of):
    losses_of(PLANNED[:5] + [9.0] * 3)
    assert same_bits(train(), train(validate=None))


@pytest.mark.parametrize("epoch", [2, 3, 4])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_an_interrupted_run_remembers_its_best(tmp_path, monkeypatch, epoch, dtype):
    numbers = {}  # of the epochs, found by their vectors: a resumed run measures the last again

    def evaluate(self, corpus):
        vectors = self.arrays["input_vectors"].tobytes()
        return HeldOut(PLANNED[numbers.setdefault(vectors, len(numbers))], {})

    monkeypatch.setattr(sent2vec_worker.Worker, "evaluate", evaluate)
    settings = {"patience": 2, "dtype": dtype}
    whole = train(**settings)
    with pytest.raises(KeyboardInterrupt):
        train(output=tmp_path / "model", listener=Heard(stop_after=epoch), **settings)
    assert same_bits(resume(tmp_path / "model"), whole)
    assert len(numbers) == 5


@pytest.mark.parametrize("damage", ["flipped", "missing", "truncated"])
def test_damaged_vectors_of_the_best_epoch_are_refused(tmp_path, losses_of, damage):
    losses_of(PLANNED)
    output = tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        train(output=output, patience=2, listener=Heard(stop_after=4))
    [path] = output.rglob("best-*")
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.unlink()
    if damage != "missing":
        path.write_bytes(data if damage == "flipped" else data[:-9])
    with pytest.raises(FormatError, match=r"best-3.safetensors.*(damaged|truncated)"):
        resume(output)


def test_a_disk_too_full_for_the_best_is_said_and_the_best_that_fits_is_kept(
    losses_of, monkeypatch
):
    seen, heard = losses_of([5.0, 4.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), Heard()
    write, calls = best_module.write_tensors, []

    def full(path, arrays):
        calls.append(path)
        if len(calls) == 3:
            path.write_bytes(b"half of it")
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, arrays)

    monkeypatch.setattr(best_module, "write_tensors", full)
    model = train(patience=7, listener=heard)
    [warning] = heard.warnings
    assert "epoch 3" in warning
    assert "No space left on device" in warning
    assert all(np.array_equal(seen[2][name], model.tensors[name]) for name in seen[2])


# --- within an epoch ----------------------------------------------------------------------------

KINDS = {
    "sent2vec": (train_sent2vec, {"epochs": 2, "dim": 30}),
    "siamese-cbow": (train_siamese, {"epochs": 2}),
    "skip-thought": (train_skip_thought, {"epochs": 2, "batch": 8, "dim": 8, "word_dim": 6}),
}


class Looks(Listener):
    """Collects the looks at held-out text; stops the run at a share of it."""

    def __init__(self, stop_at=2.0):
        self.stop_at, self.looks, self.epochs = stop_at, [], []

    def progress(self, progress):
        if self.stop_at <= progress.done < 1:
            raise KeyboardInterrupt

    def held_out(self, done, loss, parts):
        self.looks.append((done, loss, parts))

    def validation(self, epoch, loss):
        self.epochs.append((epoch, loss))


@pytest.fixture(params=KINDS)
def kind(request, monkeypatch):
    """Trains a model of each kind in many batches, each a little slower than a look at the clock."""
    monkeypatch.setattr(batches, "BATCH_TOKENS", 30)
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.001)
    work = loop._work

    def slowly(state, worker, dealt):
        def slow(batch):
            time.sleep(0.01)
            return worker(batch)

        work(state, slow, dealt)

    monkeypatch.setattr(loop, "_work", slowly)
    train, settings = KINDS[request.param]

    def start(**changes):
        return train(LINES[:110], **{"validate": HELD_OUT[:33], **settings, **changes})

    start.name = request.param
    return start


def test_the_held_out_loss_is_measured_within_epochs_and_changes_no_bit(kind):
    heard, without = Looks(), Looks()
    model = kind(validate_every="10%", listener=heard)
    assert same_bits(model, kind(listener=without))
    assert heard.epochs == without.epochs
    inside = [done for done, _, _ in heard.looks if done not in (0.5, 1.0)]
    assert len(inside) >= 3
    assert min(np.diff(inside)) >= 0.1 - 1e-9
    assert len({done for done, _, _ in heard.looks}) == len(heard.looks)  # none twice
    assert not [done for done, _, _ in without.looks if done not in (0.5, 1.0)]
    parts = {"previous", "next"} if kind.name == "skip-thought" else set()
    for _, loss, found in heard.looks:
        assert math.isfinite(loss)
        assert set(found) == parts


def test_a_resumed_run_goes_on_measuring_within_epochs(kind, tmp_path):
    first, rest = Looks(stop_at=0.35), Looks()
    with pytest.raises(KeyboardInterrupt):
        kind(validate_every="10%", listener=first, output=tmp_path / "model")
    model = resume(tmp_path / "model", listener=rest)
    assert [done for done, _, _ in first.looks]
    assert [done for done, _, _ in rest.looks if done not in (0.5, 1.0)]
    assert same_bits(model, kind())
    records = [json.loads(line)
               for line in (tmp_path / "model" / "metrics.jsonl").read_text().splitlines()]  # fmt: skip
    written = [record["done"] for record in records if record["event"] == "held-out"]
    assert written == [done for done, _, _ in first.looks + rest.looks]


def test_looking_within_epochs_needs_held_out_text_and_an_interval(kind, tmp_path):
    with pytest.raises(SettingsError, match="validate_every needs held-out text - give validate"):
        kind(validate=None, validate_every="10%")
    with pytest.raises(SettingsError, match=r"validate_every is 'often' - expected a time \(30s"):
        kind(validate_every="often", output=tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_an_interval_names_the_option_it_is_of():
    with pytest.raises(SettingsError, match=r"^checkpoint_every is '0%'"):
        Interval.parse("0%")
    with pytest.raises(SettingsError, match=r"^validate_every is '5x'"):
        Interval.parse("5x", "validate_every")
    assert Interval.parse("5%", "validate_every") == Interval(share=0.05)
