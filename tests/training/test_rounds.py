"""Several threads that give one answer: rounds, and the merge after each."""

from __future__ import annotations

import numpy as np
import pytest

from sentvec import Listener, Sent2VecSettings, resume
from sentvec.errors import SettingsError
from sentvec.kernels.merge import merge_rows
from sentvec.training import batches, loop
from sentvec.training.batches import Batches
from support.behaviour import planted_corpus, train_sent2vec

LINES = planted_corpus()[:220]


class StopsAt(Listener):
    def __init__(self, done):
        self.stop_at = done

    def progress(self, progress):
        if self.stop_at <= progress.done < 1:
            raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    monkeypatch.setattr(batches, "BATCH_TOKENS", 60)
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.001)


def train(threads, output=None, **changes):
    settings = {"epochs": 10, "deterministic": True, "threads": threads, "output": output}
    return train_sent2vec(LINES, **{**settings, **changes})


def same_bits(one, other):
    return all(np.array_equal(one.tensors[name], other.tensors[name]) for name in one.tensors)


@pytest.mark.parametrize("threads", [2, 3])
def test_the_same_seed_and_number_of_threads_give_the_same_bits(threads):
    once = train(threads)
    for _ in range(3):
        assert same_bits(train(threads), once)
    assert not same_bits(train(threads, seed=2), once)


def test_the_result_depends_on_the_number_of_threads():
    assert not same_bits(train(2), train(3))


def test_one_thread_is_deterministic_anyway():
    assert same_bits(train(1), train(1, deterministic=False))


@pytest.mark.parametrize("threads", [2, 3])
def test_interrupted_and_resumed_the_bits_are_the_same_too(tmp_path, threads):
    with pytest.raises(KeyboardInterrupt):
        train(threads, tmp_path / "model", listener=StopsAt(0.3), checkpoint_every="10%")
    with pytest.raises(KeyboardInterrupt):
        resume(tmp_path / "model", listener=StopsAt(0.7))
    assert same_bits(resume(tmp_path / "model"), train(threads))


@pytest.mark.parametrize("call", [2, 150])
def test_ctrl_c_while_batches_are_dealt_loses_none(tmp_path, monkeypatch, call):
    next_batch, calls = Batches.next_batch, []

    def stop_once(self):
        calls.append(1)
        if len(calls) == call:
            raise KeyboardInterrupt
        return next_batch(self)

    monkeypatch.setattr(Batches, "next_batch", stop_once)
    with pytest.raises(KeyboardInterrupt):
        train(2, tmp_path / "model")
    assert same_bits(resume(tmp_path / "model"), train(2))


def test_it_learns_too():
    untrained = 6 * np.log(2)
    for threads in (2, 3):
        assert train(threads, epochs=40).config["training"]["loss"] < 0.9 * untrained


def test_progress_is_reported_and_checkpoints_written_though_rounds_are_short(
    tmp_path, monkeypatch
):
    heard, written = [], []
    listener = Listener()
    listener.progress = lambda progress: heard.append(progress.done)
    monkeypatch.setattr(
        "sentvec.storage.checkpoint.CheckpointFolder.write", lambda *args: written.append(args)
    )
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.005)
    train(2, tmp_path / "model", epochs=40, listener=listener, checkpoint_every="20%")
    assert len(heard) > 3
    assert len(written) > 1


def test_half_precision_cannot_be_merged():
    with pytest.raises(SettingsError, match=r"deterministic needs dtype='float32', not 'float16'"):
        train(2, dtype="float16")
    with pytest.raises(SettingsError, match="deterministic is 1"):
        Sent2VecSettings.make(deterministic=1)


# --- the merge ----------------------------------------------------------------------------------


def merged(base, copies):
    """What `merge_rows` should make of a base, in plain NumPy."""
    changes = copies - base
    whole = changes.sum(axis=0)
    apart, together = (changes**2).sum(axis=(0, 2)), (whole**2).sum(axis=1)
    share = np.minimum(1.0, apart / np.maximum(together, 1e-30))
    return base + share[:, None] * whole


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_rows_are_merged_as_defined(workers):
    random = np.random.default_rng(workers)
    base = random.normal(size=(40, 7)).astype(np.float32)
    copies = np.stack([base] * workers)
    changed = random.random((workers, 40)) < 0.4
    copies[changed] += random.normal(size=(changed.sum(), 7)).astype(np.float32)
    copies[0, 39, 3] += 1  # one number is a change
    before, expected = base.copy(), merged(base.astype(np.float64), copies.astype(np.float64))
    merge_rows(base, copies, 0, 40)
    np.testing.assert_allclose(base, expected, atol=1e-6)
    untouched = ~changed.any(axis=0)
    untouched[39] = False
    assert untouched.any()
    assert np.array_equal(base[untouched], before[untouched])
    assert all(np.array_equal(copy, base) for copy in copies)


@pytest.mark.parametrize("workers", [2, 3])
def test_equal_changes_are_averaged_and_unrelated_ones_added(workers):
    base = np.zeros((3, 4), np.float32)
    copies = np.zeros((workers, 3, 4), np.float32)
    copies[:, 0] = [1, 2, 3, 4]
    copies[:, 1, :workers] = np.eye(workers)
    copies[0, 2] = [1e-30, 0, 0, 0]  # its square is 0 in float32
    merge_rows(base, copies, 0, 3)
    np.testing.assert_allclose(base[0], [1, 2, 3, 4], rtol=1e-6)
    assert base[1, :workers].tolist() == [1] * workers
    assert base[2, 0] > 0
    assert all(np.array_equal(copy, base) for copy in copies)


def test_changes_that_cancel_out_leave_the_row():
    base = np.zeros((1, 2), np.float32)
    copies = np.array([[[1, 0]], [[-1, 0]]], np.float32)
    merge_rows(base, copies, 0, 1)
    assert base.tolist() == [[0, 0]]


def test_rows_outside_of_the_range_are_left_alone():
    base = np.zeros((10, 3), np.float32)
    copies = np.ones((2, 10, 3), np.float32)
    merge_rows(base, copies, 4, 6)
    assert base[:, 0].tolist() == [0, 0, 0, 0, 1, 1, 0, 0, 0, 0]


def test_nan_of_one_worker_is_not_lost():
    base = np.zeros((2, 3), np.float32)
    copies = np.zeros((2, 2, 3), np.float32)
    copies[1, 1, 2] = np.nan
    merge_rows(base, copies, 0, 2)
    assert np.isnan(base[1, 2])
    assert np.isfinite(base[0]).all()
