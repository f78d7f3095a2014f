"""What a batch of Siamese CBOW is made of: slots filled with words, and examples made of slots.

A batch comes in one of two ways:

    shared      a run of consecutive sentences of a document; slots are the sentence before it, its
                sentences, the one after, and negatives that all its middles share
    otherwise   `batch` middles; slots of each are it, the sentences before and after, its negatives

Negatives are random sentences of the corpus that have words. One with the words of a sentence of
the run (of the middle or its neighbours), or of the one before or after it, is drawn again.

Not here: the update (`update`), which sentences are neighbours (`pairing`). The definition is
`definitions.siamese_cbow`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sentvec.kernels.jit import helper
from sentvec.kernels.random import below, stream, uniform
from sentvec.kernels.siamese_cbow.pairing import NEXT, PREVIOUS

# The columns of `examples`: slots, -1 for a neighbour that is not there; the negatives of an
# example are slots one after the other.
MIDDLE, BEFORE, AFTER, NEGATIVES = range(4)
EXAMPLE_COLUMNS = 4
MAX_REDRAWS = 10


class Text(NamedTuple):
    """The corpus: `ids`, `offsets` (see `text.encoded`), `roles`, and `starts` of runs.

    Run r is sentences starts[r]..starts[r + 1]; int64 (0,) where there are no runs.
    """

    ids: Any
    offsets: Any
    roles: Any
    starts: Any


class Batch(NamedTuple):
    """Runs or middle sentences: `numbers`, and the `places` where each begins among the tokens."""

    numbers: Any
    places: Any


class Method(NamedTuple):
    """How the update is done.

    batch: middles a batch; negatives: of an example; shared: whether a run shares them; longest:
    words of a sentence that are read; temperature: of the softmax; mean: whether a step follows the
    mean of the gradients of a batch, not their sum; keep float32 (words,): how often a word stays
    in a mean, (0,) for always.
    """

    batch: Any
    negatives: Any
    shared: Any
    longest: Any
    temperature: Any
    mean: Any
    keep: Any


class Scratch(NamedTuple):
    """What one thread works with, for S slots, E examples and N negatives.

    bounds int64 (S + 1,), words uint32 (S longest,): slot k has words[bounds[k] : bounds[k + 1]];
    sentences int64 (S,), -1 for none; units, gradients float32 (S, dim); inverse float32 (S,): 1 /
    |sum of rows|; examples int64 (E, 4); candidates int64 and scores float32 (N + 2,); steps
    float32 (longest,); rng uint64 (1,).
    """

    bounds: Any
    words: Any
    sentences: Any
    units: Any
    gradients: Any
    inverse: Any
    examples: Any
    candidates: Any
    scores: Any
    steps: Any
    rng: Any


def make_scratch(slots: int, examples: int, negatives: int, longest: int, dim: int) -> Scratch:
    """Scratch for batches of up to N slots and examples, and sentences of `longest` words."""
    return Scratch(
        bounds=np.zeros(slots + 1, np.int64),
        words=np.empty(slots * longest, np.uint32),
        sentences=np.empty(slots, np.int64),
        units=np.empty((slots, dim), np.float32),
        gradients=np.empty((slots, dim), np.float32),
        inverse=np.empty(slots, np.float32),
        examples=np.empty((examples, EXAMPLE_COLUMNS), np.int64),
        candidates=np.empty(negatives + 2, np.int64),
        scores=np.empty(negatives + 2, np.float32),
        steps=np.empty(longest, np.float32),
        rng=np.zeros(1, np.uint64),
    )


@helper
def collect_run(text, run, method, key, scratch):
    """Collect the slots and examples of a run; returns the number of each."""
    first, last = text.starts[run], text.starts[run + 1]
    busy = False
    for s in range(first, last):
        busy |= text.roles[s] != 0
    if not busy:
        return 0, 0
    scratch.rng[0] = stream(key.seed, key.epoch, run)
    _fill(text, first - 1 if text.roles[first] & PREVIOUS else -1, method, 0, scratch)
    for s in range(first, last):
        _fill(text, s, method, s - first + 1, scratch)
    edge = last - first + 1
    _fill(text, last if text.roles[last - 1] & NEXT else -1, method, edge, scratch)
    _fill_negatives(text, method, 0, edge + 1, scratch)
    n = 0
    for s in range(first, last):
        k, role = s - first + 1, text.roles[s]
        before = k - 1 if role & PREVIOUS else -1
        after = k + 1 if role & NEXT else -1
        n += _add_example(n, k, before, after, edge + 1, scratch)
    return edge + 1 + method.negatives, n


@helper
def collect_middles(text, numbers, i, method, key, scratch):
    """Collect the slots and examples of the next `batch` sentences that have a role.

    Returns (where to continue, slots, examples).
    """
    slots = n = taken = 0
    while i < len(numbers) and taken < method.batch:
        s = numbers[i]
        i += 1
        role = text.roles[s]
        if role == 0:
            continue
        taken += 1
        scratch.rng[0] = stream(key.seed, key.epoch, s)
        _fill(text, s, method, slots, scratch)
        _fill(text, s - 1 if role & PREVIOUS else -1, method, slots + 1, scratch)
        _fill(text, s + 1 if role & NEXT else -1, method, slots + 2, scratch)
        _fill_negatives(text, method, slots, slots + 3, scratch)
        n += _add_example(n, slots, slots + 1, slots + 2, slots + 3, scratch)
        slots += 3 + method.negatives
    return i, slots, n


@helper
def _fill(text, s, method, slot, scratch):
    """Put the words of a sentence into a slot (none for -1).

    Frequent words are left out at random; if none would stay, all stay.
    """
    n, keep = scratch.bounds[slot], method.keep
    if s >= 0:
        begin = text.offsets[s]
        end = min(text.offsets[s + 1], begin + method.longest)
        for k in range(begin, end):
            word = text.ids[k]
            if len(keep) == 0 or uniform(scratch.rng) <= keep[word]:
                scratch.words[n] = word
                n += 1
        if n == scratch.bounds[slot]:
            for k in range(begin, end):
                scratch.words[n] = text.ids[k]
                n += 1
    scratch.sentences[slot] = s
    scratch.bounds[slot + 1] = n


@helper
def _fill_negatives(text, method, avoid, slot, scratch):
    """Fill slots with random sentences that differ from those of the slots from `avoid` on."""
    for k in range(method.negatives):
        s = np.int64(-1)
        for _ in range(1 + MAX_REDRAWS):
            s = below(scratch.rng, len(text.offsets) - 1)
            while text.offsets[s] == text.offsets[s + 1]:  # one without a known word
                s = below(scratch.rng, len(text.offsets) - 1)
            if not _is_among(text, s, avoid, slot, scratch):
                break
        _fill(text, s, method, slot + k, scratch)


@helper
def _is_among(text, s, first, last, scratch):
    """Whether one of the slots first..last - 1 is of a sentence with the same words."""
    begin, n = text.offsets[s], text.offsets[s + 1] - text.offsets[s]
    for slot in range(first, last):
        other = scratch.sentences[slot]
        if other < 0 or text.offsets[other + 1] - text.offsets[other] != n:
            continue
        k, start = 0, text.offsets[other]
        while k < n and text.ids[begin + k] == text.ids[start + k]:
            k += 1
        if k == n:
            return True
    return False


@helper
def _add_example(n, middle, before, after, negatives, scratch):
    """Add an example, unless its words were left out; returns the number added."""
    bounds, example = scratch.bounds, scratch.examples[n]
    if before >= 0 and bounds[before] == bounds[before + 1]:
        before = -1
    if after >= 0 and bounds[after] == bounds[after + 1]:
        after = -1
    if bounds[middle] == bounds[middle + 1] or (before < 0 and after < 0):
        return 0
    example[MIDDLE], example[BEFORE], example[AFTER] = middle, before, after
    example[NEGATIVES] = negatives
    return 1
