"""Cut blocks of bytes into words, count them and give each a number in order of appearance.

The words seen so far lie in one byte arena. An open-addressing table of uint32 finds them by a
64-bit FNV-1a hash. Bytes are compared too, so two words never share a number.

Legend:
    state    int64 (4,)   position in the block, words, bytes used of the arena, words on the line
    table    uint32 (2^k) word number + 1, 0 where free; at most half full
    hashes   uint64 (c,)  hash of each word
    starts   int64 (c+1,) where each word begins in the arena
    counts   int64 (c,)   how often each occurred
    ids      uint32       out: the word number of each token of the block
    ends     int64        out: for each LF, the number of tokens so far, -1 for a line of no words

Not here: growing the arrays (the caller does, by the status), the final order, cut-offs.
"""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import helper, kernel

POSITION, WORDS, ARENA, LINE = 0, 1, 2, 3
DONE, WORDS_FULL, ARENA_FULL = 0, 1, 2

_FNV_START = np.uint64(14695981039346656037)
_FNV_PRIME = np.uint64(1099511628211)
_HIGH = np.uint64(32)
_LF = 10


@helper
def _is_separator(byte):
    # NUL, TAB, LF, VT, FF, CR, space
    return byte == 32 or (byte <= 13 and (byte >= 9 or byte == 0))


@helper
def _same(arena, start, block, begin, length):
    k = 0
    while k < length and arena[start + k] == block[begin + k]:
        k += 1
    return k == length


@kernel
def rebuild_table(table, hashes, n_words):
    """Fill an empty table from the hashes of the words, after a change of its size."""
    mask = np.uint64(len(table) - 1)
    for word in range(n_words):
        slot = hashes[word] & mask
        while table[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = word + 1


@kernel
def count_block(block, state, table, hashes, starts, arena, counts, ids, ends):
    """Count the words of a block from `state[POSITION]`; the block's end also ends a word.

    Returns (status, tokens written, lines written). With a status other than DONE the caller
    enlarges what is full and calls again with the outputs moved on.
    """
    mask = np.uint64(len(table) - 1)
    n = len(block)
    i, n_words, n_ids, n_ends = state[POSITION], state[WORDS], 0, 0
    status = DONE
    while i < n:
        if _is_separator(block[i]):
            if block[i] == _LF:
                ends[n_ends] = n_ids if state[LINE] else -1
                n_ends += 1
                state[LINE] = 0
            i += 1
            continue
        begin, h = i, _FNV_START
        while i < n and not _is_separator(block[i]):
            h = (h ^ np.uint64(block[i])) * _FNV_PRIME
            i += 1
        h ^= h >> _HIGH  # the low bits choose the slot: let the high ones take part
        slot = h & mask
        while table[slot] != 0:
            word = np.int64(table[slot]) - 1
            start = starts[word]
            if (
                hashes[word] == h
                and starts[word + 1] - start == i - begin
                and _same(arena, start, block, begin, i - begin)
            ):
                break
            slot = (slot + np.uint64(1)) & mask
        else:
            word = n_words
            status = WORDS_FULL if n_words == len(counts) else DONE
            if state[ARENA] + i - begin > len(arena):
                status = ARENA_FULL
            if status != DONE:
                i = begin
                break
            for k in range(i - begin):
                arena[state[ARENA] + k] = block[begin + k]
            state[ARENA] += i - begin
            starts[word + 1] = state[ARENA]
            hashes[word], counts[word] = h, 0
            table[slot] = word + 1
            n_words += 1
        counts[word] += 1
        ids[n_ids] = word
        n_ids += 1
        state[LINE] += 1
    state[POSITION], state[WORDS] = i, n_words
    return status, n_ids, n_ends
