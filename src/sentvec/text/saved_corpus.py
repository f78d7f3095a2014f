"""Save an encoded corpus, so that a later run can resume with it.

The files of the encoded corpus (see `encoded`) are joined by `vocabulary.txt`, and by `corpus.json`
with the totals and a checksum of all.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.text.corpus_files import storing_in
from sentvec.text.encoded import CorpusStats, EncodedCorpus, sentence_lengths
from sentvec.text.vocabulary import Vocabulary

_BLOCK = 1 << 24


def save_corpus(corpus: EncodedCorpus, folder: Path) -> str:
    """Write what is not yet in the folder of the corpus; returns the checksum of the corpus.

    Raises:
        StorageError: The folder cannot be written.
    """
    with storing_in(folder):
        corpus.vocabulary.save(folder / "vocabulary.txt")
        stats = asdict(corpus.stats)
        checksum = _checksum(folder, stats)
        state = {"stats": stats, "checksum": checksum}
        (folder / "corpus.json").write_text(json.dumps(state, indent=2) + "\n", encoding="utf-8")
    return checksum


def reopen_corpus(folder: Path, checksum: str) -> EncodedCorpus:
    """Map a saved corpus again.

    Args:
        folder: The folder of the corpus.
        checksum: What `save_corpus` returned.

    Raises:
        FormatError: The corpus is damaged, or its checksum is another.
    """
    try:
        state = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
        offsets = _map(folder / "offsets.bin", np.int64)
        _, empty, single = sentence_lengths(offsets)  # an earlier version did not save them
        counted = {"empty_sentences": empty, "single_sentences": single}
        stats = CorpusStats(**{**counted, **state["stats"]})
        found = _checksum(folder, state["stats"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"the corpus in {folder} cannot be read ({error}) - the checkpoint is damaged"
        raise FormatError(msg + "; delete it and train again") from error
    if not found == state["checksum"] == checksum:
        msg = f"the corpus in {folder} has checksum {found}, expected {checksum}"
        raise FormatError(msg + " - it is another corpus, or damaged, and cannot be resumed")
    name = folder / "vocabulary.txt"
    return EncodedCorpus(
        ids=_map(folder / "ids.bin", np.uint32),
        offsets=offsets,
        documents=_map(folder / "documents.bin", np.int64),
        vocabulary=Vocabulary.parse(name.read_bytes(), str(name)),
        stats=stats,
    )


def _map(path: Path, dtype: type[np.generic]) -> NDArray[Any]:
    return np.memmap(path, dtype, "r") if path.stat().st_size else np.zeros(0, dtype)


def _checksum(folder: Path, stats: dict[str, Any]) -> str:
    """CRC-32 over the totals and the four files."""
    value = zlib.crc32(json.dumps(stats, sort_keys=True).encode())
    for name in ("ids.bin", "offsets.bin", "documents.bin", "vocabulary.txt"):
        with (folder / name).open("rb") as file:
            while block := file.read(_BLOCK):
                value = zlib.crc32(block, value)
    return f"{value:08x}"
