"""One run at a time for one output, and nothing left to clean up where a run was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import sentvec
from sentvec import Listener, load, resume
from sentvec.errors import SourceError, StorageError
from sentvec.storage import lock
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.storage.lock import run_lock
from sentvec.training import batches, loop
from support.behaviour import planted_corpus, train_sent2vec

LINES = planted_corpus()[:110]
pytestmark = pytest.mark.skipif(lock.fcntl is None, reason="needs locks of files")


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    monkeypatch.setattr(batches, "BATCH_TOKENS", 30)
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.001)


def train(output, **changes):
    return train_sent2vec(LINES, output=output, **{"epochs": 12, "buckets": 300, **changes})


class During(Listener):
    """Does something while a run is at work, once."""

    def __init__(self, event, action):
        setattr(self, event, self.act)
        self.action, self.done = action, False

    def act(self, *_):
        if not self.done:
            self.done = True
            self.action()


def stop():
    raise KeyboardInterrupt


def refused(action, folder):
    message = rf"process {os.getpid()} is training to {folder} - wait until it ends, or end it"
    with pytest.raises(StorageError, match=message):
        action()


@pytest.mark.parametrize("event", ["corpus", "memory", "compiling", "progress"])
def test_a_second_run_to_one_output_is_refused_and_the_first_goes_on(tmp_path, event):
    output = tmp_path / "model"

    def both():
        refused(partial(train, output), output)
        refused(partial(resume, output), output)

    listener = During(event, both)
    train(output, listener=listener)
    assert listener.done
    assert load(output).dim == 16
    assert os.listdir(tmp_path) == ["model"]


def test_a_run_that_goes_on_is_not_disturbed_either(tmp_path):
    output = tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        train(output, listener=During("progress", stop))
    assert os.listdir(tmp_path) == ["model"]
    listener = During("progress", partial(refused, partial(resume, output), output))
    resume(output, listener=listener)
    assert listener.done
    train(output, epochs=1)
    assert os.listdir(tmp_path) == ["model"]


def test_a_link_and_what_it_leads_to_are_one_output(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "model").symlink_to("disk")
    link, real = tmp_path / "model", tmp_path / "disk"
    listener = During("memory", partial(refused, partial(train, real), real))
    train(link, listener=listener)
    assert listener.done
    train(tmp_path / "other", listener=During("memory", partial(train, real)))


def test_a_run_that_is_refused_leaves_a_second_run_of_another_folder_alone(tmp_path):
    with run_lock(tmp_path / "model"), run_lock(tmp_path / "model2"):
        refused(partial(train, tmp_path / "model"), tmp_path / "model")
    train(tmp_path / "model")


# Another process that holds an output, until it is killed.
HOLDING = """
import sys
from sentvec.storage.lock import run_lock
with run_lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_process_is_named_and_when_it_is_killed_the_run_goes_on(tmp_path):
    output = tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        train(output, listener=During("progress", stop))
    environment = {**os.environ, "PYTHONPATH": str(Path(sentvec.__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, output],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    ) as other:
        assert other.stdout.readline() == b"held\n"
        for action in (partial(train, output), partial(resume, output)):
            with pytest.raises(StorageError, match=f"process {other.pid} is training to {output}"):
                action()
        other.send_signal(signal.SIGKILL)
    assert sorted(os.listdir(tmp_path)) == [".model.lock", "model"]  # a file, but no lock
    resume(output)
    assert os.listdir(tmp_path) == ["model"]


def test_a_lock_whose_file_was_deleted_in_between_is_taken_again(tmp_path, monkeypatch):
    path, flock, calls = tmp_path / ".model.lock", lock.fcntl.flock, []

    def late(descriptor, how):
        if not calls:  # the run before ends between opening and locking
            path.unlink()
        calls.append(descriptor)
        return flock(descriptor, how)

    monkeypatch.setattr(lock.fcntl, "flock", late)
    with run_lock(tmp_path / "model"):
        assert len(calls) == 2
        assert path.read_text() == f"{os.getpid()}\n"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("why", ["system", "disk", "folder"])
def test_where_nothing_can_be_locked_there_is_no_lock(tmp_path, monkeypatch, why):
    def no_locks(*args):
        raise OSError(37, "No locks available")

    if why == "system":
        monkeypatch.setattr(lock, "fcntl", None)
    elif why == "disk":
        monkeypatch.setattr(lock.fcntl, "flock", no_locks)
    else:
        (tmp_path / ".model.lock").mkdir()
    with run_lock(tmp_path / "model"), run_lock(tmp_path / "model"):
        train(tmp_path / "model")
    assert load(tmp_path / "model").dim == 16


def test_nothing_to_resume_is_no_matter_of_locks(tmp_path):
    for folder in (tmp_path / "model", tmp_path / "no" / "such" / "place"):
        with pytest.raises(SourceError, match="nothing to resume"):
            resume(folder)
    assert os.listdir(tmp_path) == []
    assert not CheckpointFolder(tmp_path / "model").exists()
