"""The vectors of the epoch with the lowest held-out loss, kept on disk until the run is over."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.storage.checkpoint import checksum
from sentvec.storage.durable import put_in_place
from sentvec.storage.tensors import map_tensors, write_tensors


@dataclass
class Best:
    """The best epoch so far.

    Attributes:
        folder: Where `best-N.safetensors` lies, N being the epoch.
        loss: Its held-out loss.
        epoch: Its number, from 1; 0 where there is none yet.
        checksum: Of its vectors, where they are kept.
    """

    folder: Path
    loss: float = math.inf
    epoch: int = 0
    checksum: str | None = None

    def state(self) -> dict[str, Any] | None:
        """What a checkpoint keeps; None before the first epoch is over."""
        if not self.epoch:
            return None
        return {"loss": self.loss, "epoch": self.epoch, "checksum": self.checksum}

    def keep(self, epoch: int, loss: float, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write the vectors of a better epoch; that before stays, for the last checkpoint.

        Raises:
            OSError: The disk does not take them; the epoch before stays the best.
        """
        target = self._path(epoch)
        fresh = target.with_suffix(".new")
        try:
            write_tensors(fresh, arrays)
            put_in_place(fresh, target)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise
        self.loss, self.epoch, self.checksum = loss, epoch, checksum(arrays)

    def forget_others(self) -> None:
        """Delete the vectors of earlier epochs."""
        for path in self.folder.glob("best-*"):
            if path != self._path(self.epoch):
                path.unlink(missing_ok=True)

    def read(self) -> dict[str, NDArray[Any]] | None:
        """The vectors, mapped; None where none are kept.

        Raises:
            FormatError: They are damaged.
        """
        if self.checksum is None:
            return None
        path = self._path(self.epoch)
        try:
            arrays = map_tensors(path)
        except OSError as error:
            msg = f"{path} cannot be read ({error}) - the checkpoint is damaged"
            raise FormatError(msg) from error
        got = checksum(arrays)
        if got != self.checksum:
            msg = f"{path} has checksum {got}, expected {self.checksum} - it is damaged"
            raise FormatError(msg)
        return arrays

    def _path(self, epoch: int) -> Path:
        return self.folder / f"best-{epoch}.safetensors"
