"""Random numbers that depend on nothing but their key.

Each sentence of each epoch has its own stream, keyed by seed, epoch and sentence number, so its
draws do not depend on the number of threads or on where a run was resumed. The
generator is SplitMix64 (Steele, Lea and Flood 2014). `definitions.streams` is the same in
plain Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sentvec.kernels.jit import helper

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32, _40 = (np.uint64(n) for n in (30, 27, 31, 32, 40))
_ONE = np.uint64(1)
_TO_UNIT = np.float32(2.0**-24)


class Key(NamedTuple):
    """What the streams of one epoch have in common: the seed of the run, and the epoch."""

    seed: Any
    epoch: Any


@helper
def mix(z):
    """The finaliser of SplitMix64: a bijection of 64-bit numbers that looks random."""
    z = (z ^ (z >> _30)) * _M1
    z = (z ^ (z >> _27)) * _M2
    return z ^ (z >> _31)


@helper
def stream(seed, epoch, sentence):
    """The start of the stream of one sentence in one epoch."""
    return mix(mix(mix(np.uint64(seed)) + np.uint64(epoch)) + np.uint64(sentence))


@helper
def draw(rng):
    """The next 64 random bits of the stream in rng[0]."""
    rng[0] += GOLDEN
    return mix(rng[0])


@helper
def uniform(rng):
    """A float32 in [0, 1)."""
    return np.float32(draw(rng) >> _40) * _TO_UNIT


@helper
def below(rng, n):
    """An integer in 0..n-1, for n up to 2^32 (the bias is at most n / 2^32)."""
    return np.int64(((draw(rng) >> _32) * np.uint64(n)) >> _32)


@helper
def permuted(index, n, half_bits, key):
    """Where a random permutation of 0..n-1 sends an index, without storing the permutation.

    A Feistel network of four rounds permutes 0..4^half_bits-1; a result outside is permuted again
    until it falls inside (cycle walking), which keeps it a permutation.
    """
    bits = np.uint64(half_bits)
    mask = (_ONE << bits) - _ONE
    x = np.uint64(index)
    while True:
        left, right = x >> bits, x & mask
        for turn in range(4):
            left, right = right, left ^ (mix(right + key + np.uint64(turn) * GOLDEN) & mask)
        x = (left << bits) | right
        if x < np.uint64(n):
            return np.int64(x)
