"""Pack sentences of different lengths without padding: time-major, longest first.

    order    int64 (B,)   the sentences, longest first
    sizes    list of int  number of sentences that reach step t: sizes[0] = B, then never more
    first    int64 (T,)   where step t begins
    places   int64 (N,)   for each packed row, the position of its token in the flat text
    columns  int64 (N,)   for each packed row, the position of its sentence in `order`
    last     int64 (B,)   the packed row of the last token of each sentence of `order`

B sentences, T steps (the longest), N = all tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Packing:
    """The positions of the tokens of a batch (see the module)."""

    order: Integers
    sizes: list[int]
    first: Integers
    places: Integers
    columns: Integers
    last: Integers

    @classmethod
    def of(cls, lengths: Integers, *, backwards: bool = False) -> Packing:
        """Pack concatenated sentences of these lengths, each at least 1.

        Args:
            lengths: int64 (B,), tokens of each sentence.
            backwards: Read every sentence from its end.
        """
        order = np.argsort(-lengths, kind="stable")
        ordered = lengths[order]
        steps = int(ordered[0]) if len(ordered) else 0
        sizes = np.searchsorted(-ordered, -np.arange(steps), side="left")
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        time = np.repeat(np.arange(steps), sizes)
        columns = np.arange(first[-1]) - first[time]
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)[order]
        step = ordered[columns] - 1 - time if backwards else time
        last = first[ordered - 1] + np.arange(len(ordered))
        return cls(order, sizes.tolist(), first[:-1], starts[columns] + step, columns, last)
