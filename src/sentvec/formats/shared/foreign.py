"""What every reader of another program's model file hands over.

Not here: the readers, one module a format, and the encoders that are made of it (`models`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sentvec.text.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class ForeignModel:
    """A model file of another program that was opened: header read, matrices mapped.

    Attributes:
        path: The file.
        layout: Name and version of the layout, for people: "Sent2Vec v11".
        kind: Which encoder it needs: "sent2vec", "fasttext" or "word-vectors".
        settings: What the file says about its training, by our names; fit for JSON.
        sizes: "vocabulary" (words with a row), "buckets" (n-gram rows) and "dim".
        tensors: The matrices ("input_vectors" and so on), mapped and read-only, at any address.
        vocabulary: Reads the words and counts; it may take seconds for millions of words.
    """

    path: Path
    layout: str
    kind: str
    settings: dict[str, Any]
    sizes: dict[str, int]
    tensors: dict[str, NDArray[Any]]
    vocabulary: Callable[[], Vocabulary]
