"""The model folder: what is in it, and how it is replaced without ever being half there.

    config.json        format version, kind, settings, tokenizer, corpus, sizes
    vocabulary.txt     word TAB count, in id order
    model.safetensors  the matrices
    README.md          a model card

A folder is written under another name beside its target and forced to the disk; then the old one is
moved aside, the new one takes its name, and the old one is deleted. Where a crash left only the old
one, the next load or save puts it back. No pickle anywhere.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError, SourceError, StorageError
from sentvec.storage.config import ModelConfig
from sentvec.storage.durable import fsync_directory, fsync_path
from sentvec.storage.tensors import Tensor, map_bytes, map_tensors, write_tensors
from sentvec.text.vocabulary import Vocabulary

# Version 2 adds packed matrices and models of other programs; what version 1 can hold is written as
# version 1, which earlier releases read.
FORMAT_VERSION = 2
_FIRST_DTYPES, _FIRST_KINDS = (np.float32, np.float16), ("sent2vec",)
CHECKPOINTS, RUN = "checkpoints", "run.json"  # a run in progress keeps its own there (`checkpoint`)
_TRIES = 5
CONFIG, VOCABULARY, TENSORS, CARD = (
    "config.json",
    "vocabulary.txt",
    "model.safetensors",
    "README.md",
)
# What a configuration must have, and of which type.
_PARTS = {"model": str, "settings": dict, "tokenizer": dict, "sizes": dict}


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that was opened: its configuration, its matrices and its vocabulary file, mapped.

    What is mapped stays what it was, even if another model takes the folder's place.
    """

    path: Path
    config: ModelConfig
    tensors: dict[str, NDArray[Any]]
    words: NDArray[np.uint8]

    def vocabulary(self) -> Vocabulary:
        """Read the vocabulary (the one part that takes time in proportion to its size).

        Raises:
            FormatError: It is damaged.
        """
        path = self.path / VOCABULARY
        data = self.words.tobytes()
        digest = self.config.vocabulary_digest
        if digest is not None and _digest(data) != digest:
            msg = f"{path} is not the vocabulary this model was saved with - it is damaged, or of"
            raise FormatError(msg + " another model; copy the whole folder again")
        vocabulary = Vocabulary.parse(data, str(path))
        expected = self.config.sizes.vocabulary
        if len(vocabulary) != expected:
            msg = f"{path} has {len(vocabulary)} words, expected {expected}"
            raise FormatError(msg + " - the file is damaged")
        return vocabulary


def open_folder(path: str | os.PathLike[str]) -> ModelFolder:
    """Open a model folder in milliseconds, whatever its size.

    Raises:
        SourceError: There is nothing at the path.
        FormatError: It is no model folder, of another version, or damaged.
    """
    folder = Path(path)
    for _ in range(_TRIES):
        before = _identity(folder)
        opened = _open(folder)
        if _identity(folder) == before:  # else a save replaced it in between: read the new one
            break
    return opened


def _open(folder: Path) -> ModelFolder:
    restore(folder, patient=True)
    if not folder.exists():
        msg = f"no model at {folder} - check the path and the working directory"
        raise SourceError(msg)
    if not folder.is_dir() or not (folder / CONFIG).is_file():
        msg = f"{folder} is not a model folder - expected a folder with {CONFIG}"
        raise FormatError(msg + ", as model.save writes")
    config = _read_config(folder / CONFIG)
    for name in (VOCABULARY, TENSORS):
        if not (folder / name).is_file():
            msg = f"{folder} has no {name} - the model is incomplete; copy it again"
            raise FormatError(msg)
    try:
        tensors = map_tensors(folder / TENSORS)
        words = map_bytes(folder / VOCABULARY)
    except PermissionError as error:
        raise _unreadable(folder) from error
    return ModelFolder(folder, config, tensors, words)


def write_folder(
    path: str | os.PathLike[str],
    config: ModelConfig,
    vocabulary: Vocabulary,
    tensors: Mapping[str, Tensor],
    card: str,
) -> None:
    """Write a model folder in place of what is there, or change nothing.

    Raises:
        StorageError: The target is no model folder, or the disk does not take it.
    """
    target = _real(path)
    check_target(target)
    fresh = beside(target, f"new-{os.getpid()}")

    def fill() -> None:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        vocabulary.save(fresh / VOCABULARY)
        write_tensors(fresh / TENSORS, tensors)
        digest = _digest((fresh / VOCABULARY).read_bytes())
        version = _version_of(config, tensors)
        whole = config.with_values(format_version=version, vocabulary_digest=digest)
        text = json.dumps(whole.to_json(), indent=2, allow_nan=False)
        (fresh / CONFIG).write_text(text + "\n", encoding="utf-8")
        (fresh / CARD).write_text(card, encoding="utf-8", errors="surrogateescape")
        _replace(fresh, target)

    _or_storage_error(fill, target, fresh)


def _version_of(config: ModelConfig, tensors: Mapping[str, Tensor]) -> int:
    """The earliest version that can hold a model."""
    is_first = config.kind in _FIRST_KINDS and all(
        tensor.dtype in _FIRST_DTYPES for tensor in tensors.values()
    )
    return 1 if is_first else FORMAT_VERSION


def check_target(path: str | os.PathLike[str]) -> None:
    """Check that a model can be written to a path, before hours are spent on making it.

    Raises:
        StorageError: Something that is no model is there, or the place is not writable.
    """
    target = _real(path)
    if target in (Path.cwd(), target.parent):
        msg = f"a model cannot take the place of {target}, where this program runs"
        raise StorageError(msg + " - name a folder for it")
    restore(target)
    _sweep(target)
    is_ours = target.is_dir() and (
        _is_ours(target) or all(entry.name == CHECKPOINTS for entry in target.iterdir())
    )
    if target.exists() and not is_ours:
        msg = f"{target} exists and is not a model folder - it is left alone; choose another name"
        raise StorageError(msg)
    probe = beside(target, f"try-{os.getpid()}")

    def try_it() -> None:
        probe.mkdir(parents=True)
        probe.rmdir()

    _or_storage_error(try_it, target, probe)


def _or_storage_error(action: Callable[[], None], target: Path, scratch: Path) -> None:
    """Do something on disk; on failure remove what it left and raise a `StorageError`."""
    try:
        action()
    except BaseException as error:  # Ctrl-C too
        shutil.rmtree(scratch, ignore_errors=True)
        if not isinstance(error, OSError):
            raise
        kept = "what stood there is unchanged"
        if error.errno == errno.ENOSPC:
            msg = f"the disk is full: cannot write {target} - {kept}; make room and save again"
        elif isinstance(error, PermissionError):
            msg = f"no permission to write {target} - {kept}; check the folder's owner and mode"
        else:
            msg = f"cannot write {target}: {error.strerror or error} - {kept}; check the path"
        raise StorageError(msg) from error


def _replace(fresh: Path, target: Path) -> None:
    old = beside(target, "old")
    if old.exists() and target.exists():  # a crash came after the new one took its name
        if any(old.iterdir()) and not _is_ours(old):
            msg = f"{old} is in the way and is no model - it is left alone; move it and save again"
            raise StorageError(msg)
        _finish(old, target)
    fsync_path(fresh)  # before there is a moment without a model of that name
    for attempt in range(_TRIES):
        if target.exists():
            target.rename(old)
        try:
            fresh.rename(target)
        except BaseException as error:
            restore(target)
            # A load that finds no model puts the old one back; move it aside once more.
            taken = isinstance(error, OSError) and error.errno in (errno.ENOTEMPTY, errno.EEXIST)
            if not taken or attempt == _TRIES - 1:
                raise
        else:
            break
    fsync_directory(target.parent)
    if old.is_dir():
        _finish(old, target)


def _finish(old: Path, target: Path) -> None:
    """Move along what else the user kept in the old folder, then delete it."""
    for entry in old.iterdir():
        if (
            entry.name not in (CONFIG, VOCABULARY, TENSORS, CARD)
            and not (target / entry.name).exists()
        ):
            entry.rename(target / entry.name)
    shutil.rmtree(old, ignore_errors=True)


def restore(path: str | os.PathLike[str], *, patient: bool = False) -> None:
    """Put the old folder back where a crash came before the new one took its name."""
    target = _real(path)
    old = beside(target, "old")
    for _ in range(_TRIES if patient else 1):
        if target.exists() or not old.is_dir():
            return
        if patient:
            time.sleep(0.01)  # a save that is just between its two renames
    with contextlib.suppress(OSError):
        old.rename(target)


def _sweep(target: Path) -> None:
    """Delete what saves that were killed left behind."""
    for entry in target.absolute().parent.glob(f".{glob.escape(target.name)}.new-*"):
        number = entry.name.rpartition("-")[2]
        if number.isdigit() and int(number) != os.getpid() and not _is_running(int(number)):
            shutil.rmtree(entry, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _real(path: str | os.PathLike[str]) -> Path:
    """Where a path leads: what is there is replaced, a link to it stays."""
    return Path(os.path.realpath(path))


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _unreadable(path: Path) -> SourceError:
    return SourceError(f"no permission to read {path} - check its owner and mode")


def _is_model(folder: Path) -> bool:
    try:
        _read_config(folder / CONFIG)
    except (OSError, FormatError):
        return False
    return True


def _is_ours(folder: Path) -> bool:
    """Whether a folder holds a model, or the checkpoints of a run that will make one."""
    return _is_model(folder) or (folder / CHECKPOINTS / RUN).is_file()


def beside(target: Path, suffix: str) -> Path:
    """The path of what is kept beside a folder for it."""
    target = target.absolute()
    return target.with_name(f".{target.name}.{suffix}")


def _read_config(path: Path) -> ModelConfig:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        version = content["format_version"]
        wrong = [name for name, kind in _PARTS.items() if not isinstance(content.get(name), kind)]
    except PermissionError as error:
        raise _unreadable(path) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        msg = f"{path} is not the configuration of a model ({error!r}) - expected JSON with "
        raise FormatError(msg + "format_version, as model.save writes") from error
    if type(version) is not int or not 0 < version <= FORMAT_VERSION:
        msg = f"{path} has format version {version!r}, this sentvec reads up to {FORMAT_VERSION}"
        raise FormatError(msg + " - update sentvec")
    if wrong:
        msg = f"{path} lacks {', '.join(wrong)} - the file is damaged"
        raise FormatError(msg)
    try:
        return ModelConfig.from_json(content)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise undescribed(path, error) from error


def undescribed(path: Path, error: Exception) -> FormatError:
    """The error for a configuration that describes no model."""
    return FormatError(f"{path} does not describe a model ({error!r}) - it is damaged")
