"""What each reader of another program's model file returns.

Not here: the readers, one room per format, and the encoders built from it (`models`).
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
    """An opened model file of another program: header read, matrices mapped.

    Attributes:
        path: The file.
        layout: Name and version of the layout, for people: "Sent2Vec v11".
        kind: The kind of encoder it needs: "sent2vec", "fasttext" or "word-vectors".
        settings: What the file says about its training, under our names, in types of JSON.
        sizes: "vocabulary" (words with a row), "buckets" (n-gram rows) and "dim".
        tensors: The matrices ("input_vectors" and so on), mapped and read-only, at any alignment.
        vocabulary: Reads the words and counts, which may take seconds for millions of words.
    """

    path: Path
    layout: str
    kind: str
    settings: dict[str, Any]
    sizes: dict[str, int]
    tensors: dict[str, NDArray[Any]]
    vocabulary: Callable[[], Vocabulary]
