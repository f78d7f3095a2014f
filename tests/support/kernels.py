"""The kernels of training, loaded before a process forks."""

from __future__ import annotations

from sentvec import Sent2Vec, SiameseCBOW


def load() -> None:
    """Train a little, so that the kernels are in memory."""
    for kind in (Sent2Vec, SiameseCBOW):
        kind.train(["one two three", "three four one"] * 9, min_count=1, dim=4, epochs=1, threads=1)
