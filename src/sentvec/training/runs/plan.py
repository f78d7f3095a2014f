"""Output, checkpoint and validation options of a run, and the folders that it works in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypedDict

from sentvec.errors import SettingsError, StorageError
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.storage.folder import check_target
from sentvec.storage.lock import run_lock
from sentvec.text.sources import CorpusLike, Source, open_corpus
from sentvec.training.progress import Listener
from sentvec.training.runs.interval import Interval


class RunOptions(TypedDict, total=False):
    """Arguments of `train` beside the settings, for type checkers; `Trainable.train` has them."""

    preset: str | None
    output: str | os.PathLike[str] | None
    checkpoint_every: str | None
    validate: CorpusLike | None
    validate_every: str | None
    patience: int | None
    listener: Listener | None
    work_dir: str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Output, checkpoint and validation options of a run. Fields as the arguments of `train`.

    Attributes:
        interval: How often to write a checkpoint.
    """

    output: Path | None = None
    interval: Interval | None = None
    validate: list[Source] | None = None
    patience: int | None = None
    work_dir: str | os.PathLike[str] | None = None
    validate_every: str | None = None

    @property
    def look(self) -> Interval | None:
        """How often to measure the held-out loss within an epoch."""
        text = self.validate_every
        return None if text is None else Interval.parse(text, "validate_every")

    @classmethod
    def make(
        cls,
        *,
        output: str | os.PathLike[str] | None = None,
        checkpoint_every: str | None = None,
        validate: CorpusLike | None = None,
        patience: int | None = None,
        work_dir: str | os.PathLike[str] | None = None,
        validate_every: str | None = None,
    ) -> Self:
        """Check the arguments of `train`, before anything is done.

        Raises:
            SettingsError: One cannot work.
            StorageError: The output cannot be written.
        """
        if checkpoint_every is not None and output is None:
            msg = "checkpoint_every needs a place - give output, the folder of the model"
            raise SettingsError(msg)
        if patience is not None and (type(patience) is not int or patience < 1):
            msg = f"patience is {patience!r} - expected a whole number of epochs from 1"
            raise SettingsError(msg)
        if patience is not None and validate is None:
            msg = "patience needs held-out text - give validate"
            raise SettingsError(msg)
        if validate_every is not None:
            Interval.parse(validate_every, "validate_every")
            if validate is None:
                msg = "validate_every needs held-out text - give validate"
                raise SettingsError(msg)
        interval = Interval.parse(checkpoint_every) if checkpoint_every is not None else None
        if output is not None:
            check_target(output)
        return cls(
            output=Path(output) if output else None,
            interval=interval,
            validate=open_corpus(validate) if validate is not None else None,
            patience=patience,
            work_dir=work_dir,
            validate_every=validate_every,
        )


@contextmanager
def work_folder(plan: Plan) -> Iterator[tuple[Path, CheckpointFolder | None]]:
    """Where the encoded corpus lies while training: with the checkpoints, or for the time being.

    With an output, it stays where the run ends before its time and left a checkpoint; no other run
    works there meanwhile.

    Raises:
        StorageError: The folder cannot be written to, or another run has it.
    """
    if plan.output is None:
        with _temporary_folder(plan.work_dir) as folder:
            yield Path(folder), None
        return
    with run_lock(plan.output):
        checkpoints = CheckpointFolder(plan.output)
        checkpoints.start()
        try:
            yield checkpoints.corpus, checkpoints
        finally:
            if not checkpoints.exists():
                checkpoints.remove()


def _temporary_folder(place: str | os.PathLike[str] | None) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="sentvec-", dir=place)
    except OSError as error:
        msg = (
            f"cannot work in {place or 'the folder for temporary files'}: {error.strerror or error}"
        )
        raise StorageError(msg + " - expected a folder that can be written to") from error
