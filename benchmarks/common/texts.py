"""The first N words of texts, so that runs on different machines read the same."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import BinaryIO


def copy_words(source: Path, file: BinaryIO, words: float) -> int:
    """Copy the first N words, as whole lines; return the number of words copied."""
    copied = 0
    with source.open("rb") as lines:
        while copied < words and (block := list(islice(lines, 1000))):
            file.writelines(block)
            copied += sum(len(line.split()) for line in block)
    return copied


def join(sources: list[Path], target: Path, words: float) -> None:
    """Write the first N words of each text, as whole lines, with a blank line between texts."""
    with target.open("wb") as file:
        for source in sources:
            copy_words(source, file, words)
            file.write(b"\n")
