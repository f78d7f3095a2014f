"""Which sentences of a corpus are neighbours, and runs of consecutive ones.

A sentence pairs with the one before and the one after it in its document, where these have known
words. Its role says what it is trained to predict:

    0           nothing: it has no words, or no neighbours
    PREVIOUS    the sentence before it
    NEXT        the sentence after it; both bits for both

Legend:
    offsets     int64 (sentences + 1,)    where the words of each sentence begin
    documents   int64 (documents + 1,)    where the sentences of each document begin
    roles       uint8 (sentences,)        out
    starts      int64 (runs + 1,)         out: run r is sentences starts[r]..starts[r + 1]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sentvec.kernels.jit import kernel

PREVIOUS, NEXT = 1, 2


@kernel
def fill_roles(offsets, documents, positives, skip_edges, roles):
    """Fill the roles; returns the number of sentences that have one.

    `positives` is 2 for both neighbours or 1 for the next alone. With `skip_edges` a sentence that
    lacks one of them has no role.
    """
    wanted = PREVIOUS | NEXT if positives == 2 else NEXT
    n = 0
    for d in range(len(documents) - 1):
        first, end = documents[d], documents[d + 1]
        for s in range(first, end):
            role = 0
            if offsets[s] < offsets[s + 1]:
                if s > first and offsets[s - 1] < offsets[s]:
                    role |= PREVIOUS
                if s + 1 < end and offsets[s + 1] < offsets[s + 2]:
                    role |= NEXT
            role &= wanted
            if skip_edges and role != wanted:
                role = 0
            roles[s] = role
            n += role != 0
    return n


@kernel
def fill_starts(documents, length, starts):
    """Cut documents into runs of `length` sentences, the last of each document being shorter."""
    run = 0
    for d in range(len(documents) - 1):
        for s in range(documents[d], documents[d + 1], length):
            starts[run] = s
            run += 1
    starts[run] = documents[len(documents) - 1]


def count_runs(documents: NDArray[np.int64], length: int) -> int:
    """The number of runs that `fill_starts` cuts."""
    return int(np.sum(-(-np.diff(documents) // length)))
