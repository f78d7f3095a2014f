"""Choose and gather the sentences of a batch, in random order.

Legend:
    ids, offsets   the encoded corpus (uint32, int64)
    sentences      int64: out, the numbers of the sentences of the batch
    n, half_bits   number of sentences; 4^half_bits is at least n
    group          a batch has a multiple of `group` sentences, except the last of an epoch
    roles          uint8 (n,): only sentences whose role is not 0 count for `group`; (0,): all do
"""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import kernel
from sentvec.kernels.random import GOLDEN, mix, permuted


@kernel
def choose(offsets, position, shuffle, seed, epoch, half_bits, max_tokens, group, roles, sentences):
    """Take sentences from a position of the epoch's order until max_tokens or the array is full.

    Returns (number of sentences, number of tokens); at least 1 sentence unless the epoch is over.
    """
    n = len(offsets) - 1
    key = mix(mix(np.uint64(seed)) + np.uint64(epoch) * GOLDEN)
    taken = tokens = counted = 0
    while taken < len(sentences) and position + taken < n:
        sentence = position + taken
        if shuffle:
            sentence = permuted(sentence, n, half_bits, key)
        length = offsets[sentence + 1] - offsets[sentence]
        if taken > 0 and tokens + length > max_tokens and counted % group == 0:
            break
        sentences[taken] = sentence
        taken += 1
        counted += len(roles) == 0 or roles[sentence] != 0
        tokens += length
    return taken, tokens


@kernel
def gather(ids, offsets, sentences, out_ids, out_offsets):
    """Copy the tokens of the sentences one after the other."""
    position = 0
    out_offsets[0] = 0
    for s in range(len(sentences)):
        for k in range(offsets[sentences[s]], offsets[sentences[s] + 1]):
            out_ids[position] = ids[k]
            position += 1
        out_offsets[s + 1] = position
