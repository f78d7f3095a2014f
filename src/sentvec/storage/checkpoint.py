"""Checkpoints: what a run needs to go on exactly where it was, written whole or not at all.

    FOLDER/checkpoints/
        corpus/            the encoded corpus, written once: ids.bin, offsets.bin, corpus.json,
                           vocabulary.txt
        run.json           kind of model, settings, tokenizer, and the checksum of the corpus
        checkpoint-000007/ position.json and matrices.safetensors, with their checksum

A checkpoint is written under another name, then renamed; the one before is deleted only after. With
one thread, a run that was killed and resumed ends in the same bits as one that was not.
"""

from __future__ import annotations

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
from sentvec.storage.folder import CHECKPOINTS
from sentvec.storage.tensors import map_tensors, write_tensors

_BLOCK = 1 << 24


class CheckpointFolder:
    """The checkpoints of one run, in the folder where its model will be."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / CHECKPOINTS

    @property
    def corpus(self) -> Path:
        """Where the encoded corpus lies."""
        return self.path / "corpus"

    def exists(self) -> bool:
        """Whether there is a checkpoint to go on from."""
        return self._latest() is not None

    def start(self) -> None:
        """Make room for a new run.

        Raises:
            StorageError: There is an unfinished run, which is left alone, or no room.
        """
        if self.exists():
            msg = f"{self.path.parent} holds an unfinished run - resume it (sentvec train --resume "
            raise StorageError(msg + f"{self.path.parent}) or delete {self.path}")
        try:
            shutil.rmtree(self.path, ignore_errors=True)
            self.corpus.mkdir(parents=True)
        except OSError as error:
            msg = f"cannot write {self.path}: {error.strerror} - check the folder and its mode"
            raise StorageError(msg) from error

    def remove(self) -> None:
        """Delete everything: the run is over."""
        shutil.rmtree(self.path, ignore_errors=True)

    def write_run(self, run: Mapping[str, Any]) -> None:
        """Write what stays the same for the whole run."""
        text = json.dumps(run, indent=2)
        (self.path / "run.json").write_text(text + "\n", encoding="utf-8")

    def read_run(self) -> dict[str, Any]:
        """Read what `write_run` wrote.

        Raises:
            SourceError: There is no run.
            FormatError: The file is damaged.
        """
        if not self.exists():
            msg = f"{self.path.parent} holds no checkpoint - nothing to resume; check the folder"
            raise SourceError(msg)
        return _read_json(self.path / "run.json")

    def write(self, position: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Path:
        """Write a checkpoint, then delete the one before; returns its folder.

        Args:
            position: Where the run is, as JSON can hold it.
            arrays: The matrices.

        Raises:
            StorageError: The disk does not take it; the one before is still there.
        """
        latest = self._latest()
        number = 1 + (int(latest.name.rpartition("-")[2]) if latest else 0)
        target = self.path / f"checkpoint-{number:06}"
        fresh = self.path / ".new"
        try:
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir()
            write_tensors(fresh / "matrices.safetensors", arrays)
            state = {
                "position": dict(position),
                "checksum": checksum(arrays),
                "run": _digest(self.path / "run.json"),
            }
            (fresh / "position.json").write_text(json.dumps(state), encoding="utf-8")
            fresh.rename(target)
        except OSError as error:
            shutil.rmtree(fresh, ignore_errors=True)
            msg = f"no checkpoint was written to {self.path}: {error.strerror or error} - "
            raise StorageError(msg + "the one before is still there; make room") from error
        if latest:
            shutil.rmtree(latest, ignore_errors=True)
        return target

    def read(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The latest checkpoint: where the run was, and its matrices, mapped.

        Raises:
            SourceError: There is none.
            FormatError: It is damaged, or of a run on another corpus or with other settings.
        """
        latest = self._latest()
        if latest is None:
            msg = f"{self.path.parent} holds no checkpoint - nothing to resume; check the folder"
            raise SourceError(msg)
        state = _read_json(latest / "position.json")
        arrays = map_tensors(latest / "matrices.safetensors")
        try:
            position, expected, run = dict(state["position"]), state["checksum"], state["run"]
        except (KeyError, TypeError, ValueError) as error:
            msg = f"{latest / 'position.json'} cannot be read ({error!r}) - it is damaged"
            raise FormatError(msg) from error
        if run != _digest(self.path / "run.json"):
            msg = f"{latest} is of another run than {self.path / 'run.json'} describes"
            raise FormatError(msg + " (another corpus or other settings) - it cannot be resumed")
        found = checksum(arrays)
        if found != expected:
            msg = f"{latest / 'matrices.safetensors'} has checksum {found}, expected {expected}"
            raise FormatError(msg + " - the checkpoint is damaged and cannot be resumed")
        return position, arrays

    def _latest(self) -> Path | None:
        found = sorted(self.path.glob("checkpoint-??????"))
        return found[-1] if found else None


def checksum(arrays: Mapping[str, NDArray[Any]]) -> str:
    """CRC-32 over the arrays in the order of their names."""
    value = 0
    for name in sorted(arrays):
        flat = np.ascontiguousarray(arrays[name]).reshape(-1).view(np.uint8)
        for start in range(0, len(flat), _BLOCK):
            value = zlib.crc32(flat[start : start + _BLOCK].data, value)
    return f"{value:08x}"


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
