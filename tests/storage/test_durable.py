"""What takes a place was forced to the disk before, so that a power cut leaves the old or the new."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from sentvec import load
from sentvec.errors import StorageError
from sentvec.storage import durable
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.training import batches, loop
from support.behaviour import planted_corpus, train_sent2vec

LINES = planted_corpus()[:110]
BROKEN = OSError(errno.EIO, "Input/output error")
needs_inodes = pytest.mark.skipif(os.name != "posix", reason="needs inode numbers")


def train(output, **changes):
    settings = {"epochs": 12, "buckets": 300, "checkpoint_every": "20%", **changes}
    return train_sent2vec(LINES, output=output, **settings)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    monkeypatch.setattr(batches, "BATCH_TOKENS", 30)
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.0001)


class Disk:
    """Notes what is forced, and what was not by the time its folder took its place."""

    def __init__(self, monkeypatch):
        self.forced, self.missing, self.placed, self.deleted = set(), [], [], []
        fsync, rmtree = os.fsync, shutil.rmtree

        def forcing(descriptor):
            self.forced.add(os.fstat(descriptor).st_ino)
            return fsync(descriptor)

        def deleting(path, *args, **kwargs):
            if Path(path).is_dir() and self.placed:
                self.deleted.append((Path(path).name, self.is_forced(Path(path).parent)))
            return rmtree(path, *args, **kwargs)

        for name in ("rename", "replace"):
            monkeypatch.setattr(Path, name, self.noting(getattr(Path, name)))
        monkeypatch.setattr(os, "fsync", forcing)
        monkeypatch.setattr(shutil, "rmtree", deleting)

    def noting(self, rename):
        def noted(path, target):
            if ".new" in path.name:
                inside = [path, *path.rglob("*")]
                self.missing += [entry for entry in inside if not self.is_forced(entry)]
                self.placed.append(Path(target).name)
                self.forced.discard(Path(target).parent.stat().st_ino)
            return rename(path, target)

        return noted

    def is_forced(self, path):
        return path.stat().st_ino in self.forced


@needs_inodes
def test_a_model_is_on_the_disk_before_it_has_its_name_and_the_old_goes_after(
    tmp_path, monkeypatch
):
    model = train(tmp_path / "model", checkpoint_every=None)
    disk = Disk(monkeypatch)
    model.save(tmp_path / "model")
    assert disk.placed == ["model"]
    assert disk.missing == []
    assert disk.deleted == [(".model.old", True)]


@needs_inodes
def test_a_checkpoint_is_on_the_disk_with_its_corpus_before_it_has_its_name(tmp_path, monkeypatch):
    disk, incomplete = Disk(monkeypatch), []
    write = CheckpointFolder.write

    def written(self, *args):
        result = write(self, *args)
        needed = [self.path / "run.json", *self.corpus.rglob("*")]
        incomplete.extend(path for path in needed if not disk.is_forced(path))
        return result

    monkeypatch.setattr(CheckpointFolder, "write", written)
    train(tmp_path / "model", validate=LINES[:20], patience=12)
    assert "checkpoint-000002" in disk.placed
    assert any(name.startswith("best-") for name in disk.placed)
    assert disk.missing == incomplete == []
    assert ("checkpoint-000001", True) in disk.deleted


def test_a_run_without_checkpoints_does_not_wait_for_its_corpus(tmp_path, monkeypatch):
    forced = []
    monkeypatch.setattr("sentvec.storage.checkpoint.fsync_path", forced.append)
    train(tmp_path / "model", checkpoint_every=None)
    assert forced == []


def test_a_disk_that_fails_when_it_is_forced_is_noticed_in_time(tmp_path, monkeypatch):
    old = train(tmp_path / "model", checkpoint_every=None)

    def broken(descriptor):
        raise BROKEN

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        with pytest.raises(StorageError, match="Input/output error - what stood there is unchan"):
            old.save(tmp_path / "model")
        folder = CheckpointFolder(tmp_path / "model")
        folder.start()
        folder.write_run({})
        with pytest.raises(StorageError, match=r"no checkpoint was written .*Input/output error"):
            folder.write({}, old.tensors)
    assert [path.name for path in folder.path.glob("*")] == ["corpus", "run.json"]
    folder.remove()
    assert os.listdir(tmp_path) == ["model"]
    assert load(tmp_path / "model").encode("flour") == pytest.approx(old.encode("flour"))


def test_a_disk_that_cannot_be_forced_at_all_is_used_as_it_is(tmp_path, monkeypatch):
    def cannot(descriptor):
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", cannot)
    train(tmp_path / "model")
    assert load(tmp_path / "model").dim == 16


def test_a_system_that_opens_no_folders_does_without(tmp_path, monkeypatch):
    def no_folders(path, mode):
        if os.path.isdir(path):
            raise PermissionError(errno.EACCES, "Permission denied")
        return os.open(path, mode)

    own = {name: getattr(os, name) for name in ("name", "O_RDONLY", "O_RDWR", "fsync", "close")}
    monkeypatch.setattr(durable, "os", SimpleNamespace(**own, open=no_folders))
    train(tmp_path / "model")
    assert load(tmp_path / "model").dim == 16
