"""Interrupted, killed, damaged: a run goes on where it was, to the bit, or says why it cannot."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sentvec import Listener, load, resume
from sentvec.errors import (
    CorpusError,
    DivergedError,
    FormatError,
    SettingsError,
    SourceError,
    StorageError,
)
from sentvec.models.base import packing
from sentvec.models.sent2vec import trainer as sent2vec_trainer
from sentvec.models.sent2vec import worker as sent2vec_worker
from sentvec.storage import checkpoint, folder
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.training import batches, loop
from sentvec.training.runs import run as run_module
from sentvec.training.runs.interval import Interval, Timer
from support import program
from support.behaviour import planted_corpus, train_sent2vec

CORPUS = planted_corpus()
LINES, HELD_OUT = CORPUS[:220], CORPUS[220:330]
EPOCHS = 30
EVERY = "3%"
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


class Heard(Listener):
    """Collects what is said; stops the run at a share of it."""

    def __init__(self, stop_at=2.0, in_epoch=False):
        self.stop_at, self.in_epoch = stop_at, in_epoch
        self.warnings, self.losses, self.done = [], [], []

    def progress(self, progress):
        self.done.append(progress.done)
        midway = 0.01 < progress.done * EPOCHS % 1 < 0.7
        if self.stop_at <= progress.done < 1 and (midway or not self.in_epoch):
            self.stop_at = 2.0
            self.stop()

    def stop(self):
        raise KeyboardInterrupt

    def validation(self, epoch, loss):
        self.losses.append((epoch, loss))

    def warning(self, message):
        self.warnings.append(message)


class Killed(Heard):
    def stop(self):
        kill()


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Many batches an epoch, and a listener that is asked after each few of them."""
    monkeypatch.setattr(batches, "BATCH_TOKENS", 30)
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.001)


def slow_down(monkeypatch, seconds):
    """Let each batch take so long, so that an epoch is not over before anybody looks."""
    train_batch = sent2vec_worker.Worker.__call__

    def slow(self, batch):
        time.sleep(seconds)
        return train_batch(self, batch)

    monkeypatch.setattr(sent2vec_worker.Worker, "__call__", slow)


def train(output=None, **changes):
    return train_sent2vec(LINES, **{"epochs": EPOCHS, "output": output, **changes})


def interrupted(output, at=0.4, in_epoch=False, **changes):
    """Start a run and stop it; a checkpoint is left."""
    with pytest.raises(KeyboardInterrupt):
        train(output, listener=Heard(at, in_epoch), **changes)
    assert CheckpointFolder(output).exists()
    return output


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
    assert os.WTERMSIG(status) == signal.SIGKILL


def same_bits(one, other):
    """Whether two models have the same matrices, of the same type."""
    assert set(one.tensors) == set(other.tensors)
    return all(
        tensor.dtype == other.tensors[name].dtype and np.array_equal(tensor, other.tensors[name])
        for name, tensor in one.tensors.items()
    )


def checkpoints_of(output):
    return sorted(path.name for path in (output / "checkpoints").iterdir())


def latest(output):
    return sorted((output / "checkpoints").glob("checkpoint-*"))[-1]


@pytest.fixture(scope="session")
def plain():
    # the size of a batch changes no bit with one thread: learning rate and draws go by the word
    return train()


@pytest.fixture(scope="session")
def stopped(tmp_path_factory):
    """A run that was interrupted, for copies to be made of."""
    patch = pytest.MonkeyPatch()
    patch.setattr(batches, "BATCH_TOKENS", 30)
    patch.setattr(loop, "_REPORT_SECONDS", 0.001)
    slow_down(patch, 0.0003)
    output = tmp_path_factory.mktemp("stopped") / "model"
    interrupted(output, in_epoch=True, validate=HELD_OUT)
    patch.undo()
    return output


@pytest.fixture
def broken(stopped, tmp_path):
    """A copy of that run, to be damaged."""
    return shutil.copytree(stopped, tmp_path / "broken")


# --- interrupted and resumed --------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [{}, {"dtype": "float16"}, {"variant": "released"}, {"l1": 0.001}, {"validate": HELD_OUT},
     {"shuffle": False, "ngrams": 3}, {"dtype": "float16", "l1": 0.001, "validate": HELD_OUT}],
    ids=lambda settings: "+".join(settings) or "default",
)  # fmt: skip
def test_interrupted_twice_and_resumed_is_the_same_to_the_bit(tmp_path, settings):
    whole = train(**settings)
    output = interrupted(tmp_path / "model", 0.25, **settings)
    with pytest.raises(KeyboardInterrupt):
        resume(output, listener=Heard(0.6))
    resumed = resume(output)
    assert same_bits(resumed, whole)
    assert same_bits(load(output), whole)
    assert resumed.config["training"]["loss"] == whole.config["training"]["loss"]
    assert resumed.config["settings"] == whole.config["settings"]
    assert resumed.config["corpus"] == whole.config["corpus"]
    assert dict(resumed.vocabulary) == dict(whole.vocabulary)


def test_a_checkpoint_is_in_the_middle_of_an_epoch_and_progress_goes_on_from_there(stopped):
    state = json.loads((latest(stopped) / "position.json").read_text())["position"]
    assert 0 < state["sentence"] < 200
    assert 0 < state["epoch"] < EPOCHS
    assert 0.4 <= state["tokens"] / (EPOCHS * 1290) < 0.6


def test_progress_of_a_resumed_run_begins_where_it_was_and_ends_at_1(broken):
    heard = Heard()
    resume(broken, listener=heard)
    assert heard.done[0] >= 0.4
    assert heard.done == sorted(heard.done)
    assert heard.done[-1] == 1


def test_ctrl_c_between_training_and_the_next_epoch_measures_that_epoch_after_all(
    tmp_path, monkeypatch
):
    whole = Heard()
    train(validate=HELD_OUT, listener=whole)
    evaluate, calls = sent2vec_worker.Worker.evaluate, []

    def stop_once(self, corpus):
        calls.append(corpus)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return evaluate(self, corpus)

    monkeypatch.setattr(sent2vec_worker.Worker, "evaluate", stop_once)
    before, after = Heard(), Heard()
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "model", validate=HELD_OUT, listener=before)
    resume(tmp_path / "model", listener=after)
    assert before.losses + after.losses == whole.losses


def test_a_second_ctrl_c_does_not_tear_the_checkpoint(tmp_path, monkeypatch, plain):
    ended, wait = [], loop.wait

    def impatient(futures, *args):
        if not args and len(ended) < 3:  # the loop waits for its workers to end
            ended.append(futures)
            raise KeyboardInterrupt
        return wait(futures, *args)

    monkeypatch.setattr(loop, "wait", impatient)
    slow_down(monkeypatch, 0.002)
    output = interrupted(tmp_path / "model", 0.1, in_epoch=True)
    assert ended
    monkeypatch.undo()
    assert same_bits(resume(output), plain)


def test_ctrl_c_while_a_checkpoint_is_written_writes_it_again(tmp_path, monkeypatch, plain):
    write, calls = checkpoint.write_tensors, []

    def stop_once(path, arrays):
        calls.append(path)
        if len(calls) == 2:
            raise KeyboardInterrupt
        write(path, arrays)

    monkeypatch.setattr(checkpoint, "write_tensors", stop_once)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "model", checkpoint_every=EVERY)
    assert len(calls) == 3
    assert checkpoints_of(tmp_path / "model") == [
        "checkpoint-000002", "corpus", "metrics.jsonl", "run.json",
    ]  # fmt: skip
    assert same_bits(resume(tmp_path / "model"), plain)


def test_several_threads_can_be_interrupted_and_resumed(tmp_path):
    output = interrupted(tmp_path / "model", threads=3)
    model = resume(output)
    assert model.config["training"]["threads"] == 3
    assert model.config["training"]["loss"] < 4


def test_what_a_resume_needs_of_the_machine_is_in_the_checkpoint(tmp_path, monkeypatch):
    settings = {"threads": None, "deterministic": True, "buckets": None}
    monkeypatch.setattr(sent2vec_trainer, "processors", lambda: 2)
    whole = train(**settings)
    output = interrupted(tmp_path / "model", **settings)
    monkeypatch.setattr(sent2vec_trainer, "processors", lambda: 3)
    monkeypatch.setattr(sent2vec_trainer, "MIN_BUCKETS", 77)
    assert same_bits(resume(output), whole)


# --- killed -------------------------------------------------------------------------------------


@needs_fork
@pytest.mark.parametrize("settings", [{}, {"dtype": "float16"}], ids=["float32", "float16"])
def test_killed_at_any_moment_and_resumed_is_the_same_to_the_bit(tmp_path, settings):
    output = tmp_path / "model"
    killed(partial(train, output, checkpoint_every=EVERY, listener=Killed(0.2), **settings))
    for at in (0.45, 0.46, 0.9):
        killed(partial(resume, output, checkpoint_every=EVERY, listener=Killed(at)))
    assert same_bits(resume(output), train(**settings))


@needs_fork
def test_killed_from_outside_while_it_is_at_anything_it_resumes_too(tmp_path, plain):
    output, random = tmp_path / "model", np.random.default_rng(3)
    actions = [partial(train, output, checkpoint_every=EVERY)]
    actions += [partial(resume, output, checkpoint_every=EVERY)] * 4
    kills = 0
    for action in actions:
        seen = set(output.glob("checkpoints/checkpoint-*"))
        child = os.fork()
        if child == 0:
            try:
                action()
            finally:
                os._exit(0)
        while not set(output.glob("checkpoints/checkpoint-*")) - seen:
            if os.waitpid(child, os.WNOHANG)[0]:  # it is over
                break
        else:
            time.sleep(random.uniform(0, 0.01))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            kills += 1
        if not CheckpointFolder(output).exists():
            break
    assert kills
    model = resume(output) if CheckpointFolder(output).exists() else load(output)
    assert same_bits(model, plain)


def half_written(path, arrays):
    if len(list(path.parent.parent.glob("checkpoint-000002"))):
        path.write_bytes(b"half")
        kill()
    return WRITE(path, arrays)


WRITE, RENAME, RMTREE = checkpoint.write_tensors, Path.replace, shutil.rmtree


def killed_before_renaming(self, target):
    if self.name == ".new" and target.name.endswith("3"):
        kill()
    return RENAME(self, target)


def killed_after_renaming(self, target):
    RENAME(self, target)
    if self.name == ".new" and target.name.endswith("3"):
        kill()


def killed_while_deleting(path, *args, **kwargs):
    if path.name == "checkpoint-000002":
        (path / "matrices.safetensors").unlink()
        kill()
    return RMTREE(path, *args, **kwargs)


MOMENTS = {
    "while matrices are written": (checkpoint, "write_tensors", half_written),
    "before it has its name": (Path, "replace", killed_before_renaming),
    "when it has its name": (Path, "replace", killed_after_renaming),
    "while the one before is deleted": (shutil, "rmtree", killed_while_deleting),
}


@needs_fork
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_while_a_checkpoint_is_written_it_resumes(tmp_path, monkeypatch, plain, moment):
    output = tmp_path / "model"
    monkeypatch.setattr(*MOMENTS[moment])
    killed(partial(train, output, checkpoint_every=EVERY))
    monkeypatch.setattr(checkpoint, "write_tensors", WRITE)
    monkeypatch.setattr(Path, "replace", RENAME)
    monkeypatch.setattr(shutil, "rmtree", RMTREE)
    left = [name for name in checkpoints_of(output) if name.startswith("checkpoint")]
    assert left[-1] == ("checkpoint-000002" if "written" in moment or "before it" in moment else "checkpoint-000003")  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        resume(output, listener=Heard(0.7))
    [only] = [name for name in checkpoints_of(output) if name.startswith("checkpoint")]
    assert only > left[-1]
    assert same_bits(resume(output), plain)


@needs_fork
def test_killed_while_the_model_takes_its_place_it_resumes(tmp_path, monkeypatch, plain):
    output, renamed = tmp_path / "model", Path.rename

    def rename(self, target):
        if self.name.startswith(".model.new"):
            kill()  # the old folder has made room, the new one has not its name
        return renamed(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    killed(partial(train, output, checkpoint_every=EVERY))
    monkeypatch.undo()
    assert not output.exists()
    assert same_bits(resume(output), plain)
    assert sorted(os.listdir(output)) == MODEL_FILES


@needs_fork
def test_killed_before_its_first_checkpoint_a_run_can_be_started_again(tmp_path, plain):
    output = tmp_path / "model"
    killed(partial(train, output, listener=Killed(0.3)))
    with pytest.raises(SourceError, match="nothing to resume"):
        resume(output)
    assert same_bits(train(output), plain)
    assert sorted(os.listdir(output)) == MODEL_FILES


# --- a checkpoint that cannot be used -----------------------------------------------------------

MODEL_FILES = ["README.md", "config.json", "metrics.jsonl", "model.safetensors", "vocabulary.txt"]
LISTED = ["run.json", "latest/position.json", "latest/matrices.safetensors", "corpus/corpus.json",
          "corpus/ids.bin", "corpus/offsets.bin", "corpus/documents.bin", "corpus/vocabulary.txt",
          "corpus/held-out/ids.bin", "corpus/held-out/corpus.json"]  # fmt: skip


def file_of(output, name):
    return output / "checkpoints" / name.replace("latest", latest(output).name)


def refused(output, match):
    """Resuming is an error of one line; the checkpoint is left as it is."""
    before = checkpoints_of(output)
    with pytest.raises(FormatError, match=match) as caught:
        resume(output)
    assert "\n" not in str(caught.value)
    assert checkpoints_of(output) == before


@pytest.mark.parametrize("name", LISTED)
def test_one_flipped_byte_anywhere_is_refused(broken, name):
    path = file_of(broken, name)
    data = bytearray(path.read_bytes())
    random = np.random.default_rng(len(name))
    places = [0, len(data) - 2, *random.integers(0, len(data), 6)]
    if path.suffix == ".safetensors":  # blanks after the header are no information
        places = [place for place in places if data[place] != ord(" ")]
    for place in places:
        changed = bytearray(data)
        changed[place] ^= 1
        path.write_bytes(changed)
        refused(broken, "damaged|another|no run|kind")


def test_one_changed_number_of_the_position_is_refused(broken):
    path = file_of(broken, "latest/position.json")
    state = json.loads(path.read_text())
    for name in ("epoch", "sentence", "tokens", "targets"):
        position = {**state["position"], name: state["position"][name] + 1}
        path.write_text(json.dumps({**state, "position": position}))
        refused(broken, "has checksum .* expected .* damaged")


@pytest.mark.parametrize("share", [0, 0.5, 0.99])
@pytest.mark.parametrize("name", LISTED)
def test_a_truncated_file_is_refused(broken, name, share):
    path = file_of(broken, name)
    os.truncate(path, int(path.stat().st_size * share))
    refused(broken, "damaged|truncated|another")


@pytest.mark.parametrize("name", LISTED[1:])
def test_a_missing_file_is_refused(broken, name):
    file_of(broken, name).unlink()
    refused(broken, "damaged")


def test_the_checkpoint_of_other_settings_is_refused(broken, tmp_path):
    other = interrupted(tmp_path / "other", lr=0.1)
    shutil.copy(other / "checkpoints" / "run.json", broken / "checkpoints")
    refused(broken, r"is from another run .* \(another corpus or other settings\)")


def test_settings_edited_by_hand_are_refused(broken):
    path = broken / "checkpoints" / "run.json"
    path.write_text(path.read_text().replace('"lr": 0.3', '"lr": 0.2'))
    refused(broken, "is from another run")


def test_the_checkpoint_of_another_corpus_is_refused(broken, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train_sent2vec(HELD_OUT, epochs=EPOCHS, output=tmp_path / "other", listener=Heard(0.3))
    corpus = broken / "checkpoints" / "corpus"
    shutil.rmtree(corpus)
    shutil.copytree(tmp_path / "other" / "checkpoints" / "corpus", corpus)
    refused(broken, "has checksum .* another corpus")


def test_the_run_of_a_kind_of_model_that_is_not_known_is_refused(broken):
    path = broken / "checkpoints" / "run.json"
    path.write_text(path.read_text().replace('"sent2vec"', '"sent9vec"'))
    refused(broken, "a run of a model of kind 'sent9vec', this sentvec knows sent2vec")


@pytest.mark.parametrize("make", ["nothing", "folder", "file", "model", "no checkpoint"])
def test_nothing_to_resume_is_said(tmp_path, plain, stopped, make):
    output = tmp_path / "there"
    if make == "folder":
        output.mkdir()
    elif make == "file":
        output.write_text("text")
    elif make == "model":
        plain.save(output)
    elif make == "no checkpoint":
        shutil.copytree(stopped, output)
        shutil.rmtree(latest(output))
    with pytest.raises(SourceError, match=r"there holds no .* - nothing to resume"):
        resume(output)
    assert output.exists() == (make != "nothing")


# --- the disk -----------------------------------------------------------------------------------


def fills_up(function, failures):
    """The function, failing with a full disk at the calls of these numbers, half done."""
    calls = []

    def failing(path, *args):
        calls.append(path)
        if len(calls) in failures:
            Path(path).write_bytes(b"half of it")
            raise OSError(errno.ENOSPC, "No space left on device")
        return function(path, *args)

    failing.calls = calls
    return failing


def test_a_disk_that_fills_up_during_a_checkpoint_ends_nothing(tmp_path, monkeypatch, plain):
    output, heard = tmp_path / "model", Heard(0.8)
    writing = fills_up(checkpoint.write_tensors, range(3, 1000))
    monkeypatch.setattr(checkpoint, "write_tensors", writing)
    with pytest.raises(KeyboardInterrupt):
        train(output, checkpoint_every=EVERY, listener=heard)
    assert len(heard.warnings) == len(writing.calls) - 2 > 2
    assert "No space left on device" in heard.warnings[0]
    assert "the previous one is still there" in heard.warnings[0]
    assert checkpoints_of(output) == [
        "checkpoint-000002", "corpus", "metrics.jsonl", "run.json",
    ]  # fmt: skip
    monkeypatch.undo()
    assert same_bits(resume(output), plain)


def test_a_disk_full_at_every_checkpoint_costs_no_bit_of_the_model(tmp_path, monkeypatch, plain):
    heard = Heard()
    monkeypatch.setattr(checkpoint, "write_tensors", fills_up(WRITE, range(1000)))
    assert same_bits(train(tmp_path / "m", checkpoint_every=EVERY, listener=heard), plain)
    assert heard.warnings
    records = (tmp_path / "m" / "metrics.jsonl").read_text().splitlines()
    assert any(record["event"] == "warning" for record in map(json.loads, records))


@pytest.mark.parametrize(
    ("owner", "name"),
    [(run_module, "save_corpus"), (CheckpointFolder, "write_run")],
)
def test_a_disk_full_before_training_begins_is_a_storage_error(tmp_path, monkeypatch, owner, name):
    write_text = Path.write_text

    def full(self, *args, **kwargs):
        if self.name == {"save_corpus": "corpus.json", "write_run": "run.json"}[name]:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write_text(self, *args, **kwargs)

    assert hasattr(owner, name)
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(StorageError, match="No space left on device"):
        train(tmp_path / "model")
    assert os.listdir(tmp_path) == []


# --- the end --------------------------------------------------------------------------------------


def cannot_be_saved(monkeypatch, error=None, checkpoints=True):
    """Let models not be saved, and from then on checkpoints either not or all the same."""

    def write_folder(*args):
        if not checkpoints:
            monkeypatch.setattr(checkpoint, "write_tensors", fills_up(WRITE, range(1000)))
        raise error or StorageError("the disk is full: cannot write it - make room")

    monkeypatch.setattr(packing, "write_folder", write_folder)


ENDS = {"default": {}, "float16": {"dtype": "float16"}, "released": {"variant": "released"},
        "patience": {"validate": HELD_OUT, "patience": 1, "lr": 1.0}, "threads": {"threads": 2}}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("every", [None, "40%"])
def test_a_model_that_cannot_be_saved_is_kept_as_a_checkpoint_of_the_end(
    tmp_path, monkeypatch, name, every
):
    output, before, after = tmp_path / "model", Heard(), Heard()
    with monkeypatch.context() as patch:
        cannot_be_saved(patch)
        with pytest.raises(StorageError) as caught:
            train(output, checkpoint_every=every, listener=before, **ENDS[name])
    assert str(caught.value) == (
        "the disk is full: cannot write it - make room; the end of the training is kept: "
        f"then save it with `sentvec train --resume {output}`"
    )
    assert os.listdir(tmp_path) == ["model"]
    assert os.listdir(output) == ["checkpoints"]
    model = resume(output, listener=after)
    assert after.losses == []  # nothing is trained or measured again
    assert len(after.done) == 1
    assert (0 < len(before.losses) < EPOCHS) == (name == "patience")  # it ended before its time
    if name != "threads":
        whole = train(**ENDS[name])
        assert same_bits(model, whole)
        assert model.config["training"]["loss"] == whole.config["training"]["loss"]
    assert sorted(os.listdir(output)) == MODEL_FILES


def test_a_model_that_cannot_be_saved_twice_is_still_kept(tmp_path, monkeypatch, plain):
    output = tmp_path / "model"
    with monkeypatch.context() as patch:
        cannot_be_saved(patch)
        for action in (partial(train, output), partial(resume, output)):
            with pytest.raises(StorageError, match="the end of the training is kept"):
                action()
    assert same_bits(resume(output), plain)


def test_where_no_more_checkpoint_can_be_written_the_one_before_is_kept(
    tmp_path, monkeypatch, plain
):
    output, heard = tmp_path / "model", Heard()
    with monkeypatch.context() as patch:
        cannot_be_saved(patch, checkpoints=False)
        message = (
            r"make room; checkpoint-0000\d\d \(\d+\.\d% of the run\) is left: then resume from it "
            rf"with `sentvec train --resume {output}`"
        )
        with pytest.raises(StorageError, match=message):
            train(output, checkpoint_every=EVERY, listener=heard)
    assert "the previous one is still there" in heard.warnings[-1]
    assert same_bits(resume(output), plain)


def test_where_nothing_can_be_kept_nothing_is_promised(tmp_path, monkeypatch):
    cannot_be_saved(monkeypatch, checkpoints=False)
    heard = Heard()
    with pytest.raises(StorageError, match="the training is lost: there is no checkpoint, and no"):
        train(tmp_path / "model", listener=heard)
    assert heard.warnings[0].endswith("No space left on device - make room")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_run_interrupted_while_its_model_is_saved_keeps_its_end(
    tmp_path, monkeypatch, plain, error
):
    with monkeypatch.context() as patch:
        cannot_be_saved(patch, error)
        with pytest.raises(error):
            train(tmp_path / "model")
    heard = Heard()
    assert same_bits(resume(tmp_path / "model", listener=heard), plain)
    assert len(heard.done) == 1


def test_a_disk_full_at_the_end_keeps_the_training(tmp_path, monkeypatch, plain):
    output = tmp_path / "model"
    monkeypatch.setattr(folder, "write_tensors", fills_up(folder.write_tensors, [1]))
    with pytest.raises(StorageError, match=r"the disk is full: .*; the end of the training is"):
        train(output, checkpoint_every=EVERY)
    assert os.listdir(tmp_path) == ["model"]
    assert same_bits(resume(output), plain)


# --- what stands in the folder ------------------------------------------------------------------


def test_starting_over_an_unfinished_run_is_refused_and_leaves_it(stopped):
    before = checkpoints_of(stopped)
    with pytest.raises(StorageError, match=r"holds an unfinished run - resume it .*or delete"):
        train(stopped)
    assert checkpoints_of(stopped) == before


@pytest.mark.parametrize("there", ["nothing", "empty folder", "model"])
@pytest.mark.parametrize("fails", ["encoding", "compiling", "training"])
def test_a_run_that_fails_before_its_first_checkpoint_leaves_all_as_it_was(
    tmp_path, plain, there, fails
):
    output = tmp_path / "model"
    if there == "empty folder":
        output.mkdir()
    elif there == "model":
        plain.save(output)
    before = sorted(tmp_path.rglob("*"))
    expected, changes = {
        "encoding": (CorpusError, {"min_count": 10**6}),
        "compiling": (CorpusError, {"min_target_count": 10**6}),
        "training": (DivergedError, {"lr": 1e6}),
    }[fails]
    with pytest.raises(expected):
        train(output, **changes)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_that_diverges_keeps_its_last_checkpoint(tmp_path, monkeypatch):
    train_batch, calls = sent2vec_worker.Worker.__call__, []

    def diverging(self, batch):
        calls.append(batch)
        loss, targets = train_batch(self, batch)
        return (float("nan"), targets) if len(calls) > 200 else (loss, targets)

    monkeypatch.setattr(sent2vec_worker.Worker, "__call__", diverging)
    output = tmp_path / "model"
    message = (
        r"diverged at \d+\.\d% \(loss nan a target, lr 0\.\d+\) - lower lr .*; checkpoint-0000\d\d "
        rf"\(\d+\.\d% of the run\) is left: `sentvec train --resume {output}` resumes from it with "
        "the same settings, others need another folder"
    )
    with pytest.raises(DivergedError, match=message):
        train(output, checkpoint_every="2%")
    with pytest.raises(DivergedError, match=message):
        resume(output)
    monkeypatch.undo()
    assert np.isfinite(resume(output).input_vectors).all()


def test_vectors_that_are_not_finite_never_take_the_place_of_a_checkpoint(tmp_path, monkeypatch):
    write, written = CheckpointFolder.write, []

    def writing(self, position, arrays):
        result = write(self, position, arrays)
        written.append(result.name)
        if len(written) == 3:
            arrays["input_vectors"][-1] = np.nan  # of a bucket that no n-gram has
        return result

    monkeypatch.setattr(CheckpointFolder, "write", writing)
    message = r"row \d+ of input_vectors is not finite at \d+\.\d% .*; checkpoint-000003 \("
    with pytest.raises(DivergedError, match=message):
        train(tmp_path / "model", checkpoint_every=EVERY, buckets=100_000)
    monkeypatch.undo()
    assert np.isfinite(resume(tmp_path / "model").input_vectors).all()


def test_an_old_model_stays_whole_until_the_new_one_is(tmp_path, plain):
    output = tmp_path / "model"
    old = train(output, seed=7, epochs=2)
    (output / "notes.txt").write_text("mine")
    interrupted(output)
    assert same_bits(load(output), old)
    assert load(output).encode("flour") == pytest.approx(old.encode("flour"))
    resume(output)
    assert same_bits(load(output), plain)
    assert sorted(os.listdir(output)) == sorted([*MODEL_FILES, "notes.txt"])


def test_a_folder_of_that_name_that_is_no_runs_is_left_alone(tmp_path, plain):
    for name in ("model", "other"):
        (tmp_path / name / "checkpoints").mkdir(parents=True)
        (tmp_path / name / "checkpoints" / "weights.pt").write_text("mine")
    (tmp_path / "other" / "notes.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(
        StorageError, match=r"weights\.pt is not from a run of sentvec - it is left alone"
    ):
        train(tmp_path / "model")
    with pytest.raises(StorageError, match="other exists and is not a model folder"):
        train(tmp_path / "other")
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_put_into_the_folder_while_training_stays_there(tmp_path, plain):
    listener = Heard(0.4)
    listener.memory = lambda _: (tmp_path / "model" / "notes.txt").write_text("mine")
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "model", listener=listener)
    assert same_bits(resume(tmp_path / "model"), plain)
    assert sorted(os.listdir(tmp_path / "model")) == sorted([*MODEL_FILES, "notes.txt"])


def test_checkpoints_are_written_under_way_and_gone_after_success(tmp_path, plain, monkeypatch):
    written = []
    write = CheckpointFolder.write

    def recorded(self, position, arrays):
        written.append(write(self, position, arrays))
        assert list(self.path.glob("checkpoint-*")) == written[-1:]
        return written[-1]

    monkeypatch.setattr(CheckpointFolder, "write", recorded)
    model = train(tmp_path / "model", checkpoint_every=EVERY)
    assert len(written) > 5
    assert sorted(os.listdir(tmp_path / "model")) == MODEL_FILES
    assert same_bits(model, plain)


def test_without_an_interval_no_checkpoint_is_written(tmp_path, monkeypatch):
    def refuse(*args):
        raise AssertionError

    monkeypatch.setattr(CheckpointFolder, "write", refuse)
    train(tmp_path / "model")


def test_an_output_that_is_a_link_stays_a_link(tmp_path, plain):
    (tmp_path / "disk").mkdir()
    link = tmp_path / "model"
    link.symlink_to("disk")
    interrupted(link)
    assert same_bits(resume(link), plain)
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path / "disk")) == MODEL_FILES


# --- the diary ----------------------------------------------------------------------------------


def test_metrics_are_in_the_model_folder_one_object_a_line(tmp_path):
    output = interrupted(tmp_path / "model", validate=HELD_OUT)
    resume(output)
    text = (output / "metrics.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line, parse_constant=pytest.fail) for line in text.splitlines()]
    assert [record["event"] for record in records if record["event"] != "progress"] == [
        "corpus", "memory",
        *["validation"] * sum(r["event"] == "validation" for r in records[: _second(records)]),
        "corpus", "memory",
        *["validation"] * sum(r["event"] == "validation" for r in records[_second(records) :]),
        "summary",
    ]  # fmt: skip
    assert records[0]["sentences"] == 200
    assert [r["epoch"] for r in records if r["event"] == "validation"] == list(range(1, EPOCHS + 1))
    last = records[-2]
    assert (last["event"], last["done"], last["epoch"]) == ("progress", 1, EPOCHS)
    seconds = [record["seconds"] for record in records if record["event"] == "progress"]
    assert seconds == sorted(seconds)


def _second(records):
    return [place for place, record in enumerate(records) if record["event"] == "corpus"][1]


# --- the interval -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30s", Interval(seconds=30)), ("10m", Interval(seconds=600)),
        ("2h", Interval(seconds=7200)), ("1.5h", Interval(seconds=5400)),
        (" 5 % ", Interval(share=0.05)), ("0.5%", Interval(share=0.005)),
        ("100%", Interval(share=1.0)),
    ],
)  # fmt: skip
def test_an_interval_is_a_time_or_a_share(text, expected):
    assert Interval.parse(text) == expected


@pytest.mark.parametrize(
    "text", ["", "10", "m", "10 minutes", "-5m", "0s", "0%", "0.0%", "101%", "5d", "nan%", "1e3s",
             "5%5%", 600, 0.05, True],
)  # fmt: skip
def test_anything_else_is_refused_before_anything_is_done(tmp_path, text):
    with pytest.raises(SettingsError) as caught:
        train(tmp_path / "model", checkpoint_every=text)
    message = f"checkpoint_every is {text!r} - expected a time (30s, 10m, 2h) or a share (5%)"
    assert str(caught.value) == message
    assert os.listdir(tmp_path) == []


def test_an_interval_of_time_or_share_is_due_when_it_has_passed(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    timer = Timer(Interval(seconds=30))
    assert not timer.due(0.9)
    now[0] = 130.0
    assert timer.due(0.9)
    timer.reset(0.9)
    assert not timer.due(1.0)
    timer = Timer(Interval(share=0.1), 0.5)
    assert [timer.due(done) for done in (0.5, 0.59, 0.61)] == [False, False, True]
    assert not Timer(None).due(1.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"checkpoint_every": "5%"}, "checkpoint_every needs a place - give output"),
        ({"patience": 2}, "patience needs held-out text - give validate"),
        ({"patience": 0, "validate": HELD_OUT}, "patience is 0 - expected a whole number"),
        ({"patience": True, "validate": HELD_OUT}, "patience is True"),
        ({"patience": 1.5, "validate": HELD_OUT}, "patience is 1.5"),
    ],
    ids=str,
)
def test_what_surrounds_a_run_is_checked_first(changes, message):
    with pytest.raises(SettingsError, match=message):
        train(**changes)


# --- the program --------------------------------------------------------------------------------

# Signals itself, or has its checkpoints as often as the kill below needs them.
SIGNALLED = """
import glob, os, signal
from sentvec.cli.terminal.training_display import TrainingDisplay
from sentvec.training import loop
loop._REPORT_SECONDS = 0.01
def progress(self, progress):
    if progress.done > 0.1 and ("{0}" != "SIGKILL" or glob.glob("{1}/checkpoints/checkpoint-*")):
        os.kill(os.getpid(), signal.{0})
TrainingDisplay.progress = progress
"""
SMALL = ["--dim", "16", "--epochs", str(EPOCHS * 4), "--min-count", "1", "--threads", "1",
         "--buckets", "2000", "--subsample", "0", "--negatives", "5", "--drop-ngrams", "2"]  # fmt: skip


def run_program(*args, status=0, before=""):
    result = program.run(*args, before=before)
    assert result.returncode == status, result.err
    return result


@pytest.fixture(scope="session")
def corpus_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join([*LINES, ""]), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def whole_of_program():
    return train(epochs=EPOCHS * 4)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_the_program_is_signalled_and_goes_on_with_resume(
    tmp_path, corpus_file, whole_of_program, name
):
    output = tmp_path / "model"
    every = ["--checkpoint-every", "1%"] if name == "SIGKILL" else []
    statuses = {"SIGTERM": 143, "SIGINT": 130, "SIGKILL": -signal.SIGKILL}
    stopped = run_program(
        "train", "sent2vec", corpus_file, "-o", output, *SMALL, *every, status=statuses[name],
        before=SIGNALLED.format(name, output),
    )  # fmt: skip
    if name != "SIGKILL":
        advice = f"a checkpoint was written; resume with: sentvec train --resume {output}"
        assert advice in stopped.err.splitlines()
    assert [path.name for path in output.iterdir()] == ["checkpoints"]
    resumed = run_program("train", "--resume", output)
    lines = resumed.err.splitlines()
    assert lines[0].startswith("corpus ")
    assert lines[-1].startswith(f"saved       {output}")
    assert resumed.stdout == b""
    assert sorted(os.listdir(output)) == MODEL_FILES
    assert same_bits(load(output), whole_of_program)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_a_signal_before_training_begins_leaves_nothing_and_advises_nothing(
    tmp_path, corpus_file, name, status
):
    at_once = f"TrainingDisplay.memory = lambda *_: os.kill(os.getpid(), signal.{name})"
    before = SIGNALLED.format(name, tmp_path) + at_once
    args = ["train", "sent2vec", corpus_file, "-o", tmp_path / "model", *SMALL]
    stopped = run_program(*args, before=before, status=status)
    assert "go on with" not in stopped.err
    assert os.listdir(tmp_path) == []


def test_the_program_says_when_there_is_nothing_to_resume(tmp_path):
    assert "nothing to resume" in program.fail("train", "--resume", tmp_path / "none")


@pytest.mark.parametrize(
    "args", [["--quiet"], ["--checkpoint-every", "5%"], ["--quiet", "sent2vec", "x", "-o", "y"]]
)
def test_options_of_resuming_without_it_are_wrong_usage(args, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run_program("train", *args, status=2)
    assert "need --resume" in " ".join(result.err.split())
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "damage",
    [
        {"settings": None}, {"settings": 3}, {"tokenizer": 3}, {"tokenizer": {"name": "axe"}},
        {"model": ["sent2vec"]}, {"model": None}, {"settings": {"dim": "9"}},
    ],
    ids=str,
)  # fmt: skip
def test_a_damaged_record_of_a_run_is_refused_whatever_is_wrong_with_it(stopped, tmp_path, damage):
    output = tmp_path / "model"
    shutil.copytree(stopped, output)
    path = output / "checkpoints" / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **damage}))
    with pytest.raises(FormatError):
        resume(output)
