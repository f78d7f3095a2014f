"""What every reader of a foreign file returns. Not here: the readers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sentvec.text.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class ForeignModel:
    """A model file of another program that was opened: header read, matrices mapped."""

    path: Path
    layout: str
    kind: str
    settings: dict[str, Any]
    sizes: dict[str, int]
    tensors: dict[str, NDArray[Any]]
    vocabulary: Callable[[], Vocabulary]
