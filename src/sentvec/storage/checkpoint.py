"""Checkpoints: what a run needs to resume exactly where it was, written whole or not at all.

    FOLDER/checkpoints/
        corpus/            the encoded corpus, written once: ids.bin, offsets.bin, corpus.json,
                           vocabulary.txt; with patience, the vectors of the best epoch
        run.json           kind of model, settings, tokenizer, and the checksum of the corpus
        checkpoint-000007/ position.json and matrices.safetensors, with their checksum

A checkpoint is written under another name, forced to the disk, then renamed; only then is the
previous one deleted. With one thread, a run that was killed and resumed ends with the same bits as
one that was not.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError, SourceError, StorageError
from sentvec.storage.durable import fsync_path, put_in_place
from sentvec.storage.folder import CHECKPOINTS, RUN
from sentvec.storage.tensors import map_tensors, write_tensors

_BLOCK = 1 << 24
# What a run that ended before its first checkpoint may leave.
_LEFTOVERS = {"corpus", RUN, "metrics.jsonl", ".new"}


class CheckpointFolder:
    """The checkpoints of one run, in the folder where its model will be."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / CHECKPOINTS
        self._made_folder = False

    @property
    def corpus(self) -> Path:
        """The folder of the encoded corpus."""
        return self.path / "corpus"

    def exists(self) -> bool:
        """Whether there is a checkpoint to resume from."""
        return self._latest() is not None

    def latest(self) -> tuple[str, dict[str, Any]] | None:
        """The name of the last checkpoint and its position; None where there is none."""
        latest = self._latest()
        if latest is None:
            return None
        return latest.name, _read_json(latest / "position.json")["position"]

    def start(self) -> None:
        """Make room for a new run.

        Raises:
            StorageError: There is an unfinished run or something else, which is left alone, or the
                folder cannot be written.
        """
        if self.exists():
            msg = f"{self.path.parent} holds an unfinished run - resume it (sentvec train --resume "
            raise StorageError(msg + f"{self.path.parent}) or delete {self.path}")
        for entry in self.path.iterdir() if self.path.is_dir() else ():
            if entry.name not in _LEFTOVERS:
                msg = f"{entry} is not from a run of sentvec - it is left alone; "
                raise StorageError(msg + "choose another folder")
        try:
            shutil.rmtree(self.path, ignore_errors=True)
            self._made_folder = not self.path.parent.exists()
            self.corpus.mkdir(parents=True)
        except OSError as error:
            msg = f"cannot write {self.path}: {error.strerror} - check the folder and its mode"
            raise StorageError(msg) from error

    def remove(self) -> None:
        """Delete everything: the run is over. A folder made for it is deleted if it is empty."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._made_folder:
            with contextlib.suppress(OSError):
                self.path.parent.rmdir()

    def write_run(self, run: Mapping[str, Any]) -> None:
        """Write what stays the same for the whole run.

        Raises:
            StorageError: The folder cannot be written.
        """
        text = json.dumps(run, indent=2)
        try:
            (self.path / RUN).write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            msg = f"cannot write {self.path}: {error.strerror or error} - make room"
            raise StorageError(msg) from error

    def read_run(self) -> dict[str, Any]:
        """Read what `write_run` wrote.

        Raises:
            SourceError: There is no run.
            FormatError: The file is damaged.
        """
        if not self.exists():
            raise self._nothing_to_resume()
        return _read_json(self.path / RUN)

    def write(self, position: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Path:
        """Write a checkpoint, then delete the previous one; returns its folder.

        Args:
            position: Where the run is, in types of JSON.
            arrays: The matrices.

        Raises:
            StorageError: The folder cannot be written; the previous checkpoint is still there.
        """
        before = self._all()
        number = 1 + (int(before[-1].name.rpartition("-")[2]) if before else 0)
        target = self.path / f"checkpoint-{number:06}"
        fresh = self.path / ".new"
        try:
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir()
            write_tensors(fresh / "matrices.safetensors", arrays)
            state = {
                "position": dict(position),
                "checksum": _checksum(position, arrays),
                "run": _digest(self.path / RUN),
            }
            (fresh / "position.json").write_text(json.dumps(state), encoding="utf-8")
            if not before:  # all checkpoints need these; a run without any need not wait for them
                fsync_path(self.corpus)
                fsync_path(self.path / RUN)
            put_in_place(fresh, target)
        except OSError as error:
            shutil.rmtree(fresh, ignore_errors=True)
            msg = f"no checkpoint was written to {self.path}: {error.strerror or error} - "
            kept = "the previous one is still there; " if before else ""
            raise StorageError(f"{msg}{kept}make room") from error
        for old in before:
            shutil.rmtree(old, ignore_errors=True)
        return target

    def read(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The latest checkpoint: the position of the run, and its matrices, mapped.

        Raises:
            SourceError: There is none.
            FormatError: It is damaged, or from a run on another corpus or with other settings.
        """
        latest = self._latest()
        if latest is None:
            raise self._nothing_to_resume()
        state = _read_json(latest / "position.json")
        try:
            arrays = map_tensors(latest / "matrices.safetensors")
        except OSError as error:
            msg = f"{latest} has no matrices that can be read ({error}) - the checkpoint is damaged"
            raise FormatError(msg) from error
        try:
            position, expected, run = dict(state["position"]), state["checksum"], state["run"]
        except (KeyError, TypeError, ValueError) as error:
            msg = f"{latest / 'position.json'} cannot be read ({error!r}) - it is damaged"
            raise FormatError(msg) from error
        if run != _digest(self.path / RUN):
            msg = f"{latest} is from another run than {self.path / 'run.json'} describes"
            raise FormatError(msg + " (another corpus or other settings) - it cannot be resumed")
        found = _checksum(position, arrays)
        if found != expected:
            msg = f"{latest} has checksum {found}, expected {expected}"
            raise FormatError(msg + " - the checkpoint is damaged and cannot be resumed")
        return position, arrays

    def _nothing_to_resume(self) -> SourceError:
        msg = f"{self.path.parent} holds no checkpoint - nothing to resume; check the folder"
        return SourceError(msg)

    def _latest(self) -> Path | None:
        return next(reversed(self._all()), None)

    def _all(self) -> list[Path]:
        return sorted(self.path.glob("checkpoint-??????"))


def checksum(arrays: Mapping[str, NDArray[Any]], value: int = 0) -> str:
    """CRC-32 over the arrays in the order of their names, starting with a value."""
    for name in sorted(arrays):
        flat = np.ascontiguousarray(arrays[name]).reshape(-1).view(np.uint8)
        for start in range(0, len(flat), _BLOCK):
            value = zlib.crc32(flat[start : start + _BLOCK].data, value)
    return f"{value:08x}"


def _checksum(position: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    return checksum(arrays, zlib.crc32(json.dumps(dict(position), sort_keys=True).encode()))


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{path} cannot be read ({error}) - the checkpoint is damaged"
        raise FormatError(msg) from error
    if not isinstance(content, dict):
        msg = f"{path} holds a {type(content).__name__} - the checkpoint is damaged"
        raise FormatError(msg)
    return content


def _digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
