"""Released Skip-Thought models: from an opened folder of their files to a model of ours.

Their word tables, of gigabytes, stay mapped. The end of a sentence and the unknown word stand
anywhere in them, so `word_rows` says where the rows of our order are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sentvec.formats.skip_thoughts.released import (
    END_OF_SENTENCE,
    UNKNOWN,
    ReleasedPart,
    ReleasedSkipThoughts,
    open_released,
)
from sentvec.models.skip_thought.encoder import WORD_ROWS
from sentvec.models.skip_thought.model import SkipThought
from sentvec.models.skip_thought.parts import Part
from sentvec.networks.shape import Shape
from sentvec.storage.config import ModelConfig
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.vocabulary import Vocabulary
from sentvec.version import VERSION


def from_released(folder: Path, tokenizer: Tokenizer | None = None) -> SkipThought:
    """The model of a folder of released files: uni, bi, or both side by side (combine-skip).

    Texts are read without the end of a sentence, and each part's vector has length 1, as their
    program does; `encode` has options for both. They are cut at white space unless a tokenizer is
    given; the program cuts with the tokenizer of the Penn Treebank (`ptb`).

    Raises:
        SourceError, FormatError, StorageError: As `open_released`.
    """
    opened = open_released(folder)
    chosen = tokenizer or Tokenizer("whitespace")
    words = [word for word in opened.words if word not in (END_OF_SENTENCE, UNKNOWN)]
    several = len(opened.parts) > 1
    parts, tensors = [], {WORD_ROWS: _rows(opened)}
    for number, part in enumerate(opened.parts):
        described, arrays = _part(part, f"{number}." if several else "")
        parts.append(described)
        tensors.update(arrays)
    dims = [part.shape.dim for part in parts]
    config = ModelConfig.from_json({
        "model": SkipThought.KIND,
        "sentvec_version": VERSION,
        "settings": {
            "encoder": "+".join(part.name for part in opened.parts),
            "dim": sum(dims),
            "word_dim": parts[0].shape.word_dim,
            "gru": "released",
            "tokenizer": chosen.name,
        },
        "tokenizer": chosen.to_config(),
        "sizes": {"dim": sum(dims), "vocabulary": len(words),
                  "word_dim": parts[0].shape.word_dim, "trained_words": len(words)},
        "parts": [part.to_config() for part in parts],
        "encoding": {"end_token": False, "normalize_parts": True},
        "source": {
            "file": folder.name,
            "layout": "released Skip-Thought parameters",
            "bytes": sum(entry.stat().st_size for entry in folder.iterdir() if entry.is_file()),
        },
    })  # fmt: skip
    vocabulary = Vocabulary(words, np.zeros(len(words), np.int64))
    return SkipThought(
        vocabulary=lambda: vocabulary, tokenizer=chosen, tensors=tensors, config=config,
        origin=folder.absolute(), reopen=from_released,
    )  # fmt: skip


def _rows(opened: ReleasedSkipThoughts) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Where in their tables the rows of our order are: end, unknown, then the words."""
    special = [opened.words.index(word) for word in (END_OF_SENTENCE, UNKNOWN)]
    rest = np.delete(np.arange(len(opened.words)), special)
    rows = np.concatenate([special, rest]).astype(np.int64)
    rows.flags.writeable = False
    return rows


def _part(opened: ReleasedPart, prefix: str) -> tuple[Part, dict[str, Any]]:
    """A part without decoders: no released file says which words theirs predict."""
    word_dim = opened.word_vectors.shape[1]
    dim = sum(len(a) // 3 for name, a in opened.arrays.items() if _is_encoder(name, ".bias"))
    shape = Shape(
        len(opened.word_vectors), word_dim, dim, "encoder_reverse.bias" in opened.arrays,
        "released", conditioned=False,
    )  # fmt: skip
    kept = {name: array for name, array in opened.arrays.items() if _is_encoder(name)}
    tensors = {"word_vectors": opened.word_vectors, **kept}
    return Part(shape, prefix, decoders=False), {prefix + n: a for n, a in tensors.items()}


def _is_encoder(name: str, end: str = "") -> bool:
    return name.startswith("encoder") and name.endswith(end)
