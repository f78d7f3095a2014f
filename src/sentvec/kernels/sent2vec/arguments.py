"""What the Sent2Vec update takes: the batch, the tables, the method, and scratch memory.

Not here: the update and the legend of its symbols (`update`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Batch(NamedTuple):
    """Sentences one after the other, and the rows of their n-grams.

    ids uint32 (tokens,); offsets int64 (B + 1,): where each sentence begins; sentences int64 (B,):
    their numbers in the corpus; grams int64 (tokens, ngrams - 1) and placeholder_grams int64
    (tokens, columns): what `text.ngrams` gives, -1 where there is no n-gram.
    """

    ids: Any
    offsets: Any
    sentences: Any
    grams: Any
    placeholder_grams: Any


class Sentence(NamedTuple):
    """The part of a batch that is one sentence."""

    ids: Any
    grams: Any
    placeholder_grams: Any


class Tables(NamedTuple):
    """What is known of every word, and the logistic function.

    keep float32 (words,): the probability q_p that a word becomes a target, -1 for never;
    alias_keep float32 and alias_other uint32 (words,): the distribution q_n of negatives;
    logistic: what `logistic_table` gives.
    """

    keep: Any
    alias_keep: Any
    alias_other: Any
    logistic: Any


class Method(NamedTuple):
    """How the update is done.

    negatives: drawn for a target; shared: whether TARGETS_PER_DRAW targets share them; drop:
    n-grams dropped from a context, or positions in the released variant; tau: strength of L1;
    released: whether the released program's variant is trained, not the paper's.
    """

    negatives: Any
    shared: Any
    drop: Any
    tau: Any
    released: Any


class Scratch(NamedTuple):
    """What one thread works with, for sentences of up to R features and N negatives.

    Of the sentence, int64 (R,): rows, mult: the feature rows (-1 where there is none) and how often
    each row occurs; listed: the rows there are; deck: the n-grams there are; chosen: the positions
    that become targets. slots int64 (4 R + 4,): the table from row to feature (`features`).

    Of a target: mark, places int64 (R,): what is excluded, and what positions are dropped, for the
    target of that stamp; stamp int64 (1,): runs on from target to target.

    Of a target and the next one, int64 (2, R): excluded, out: the excluded features and their rows;
    extra: the extra rows; drawn, same (2, N + 1): the target word and its negatives, and where each
    was drawn before.

    Numbers, float32: steps (2 N + 2,); exempt (R,): what a feature is not owed of L1; S, P, h, g
    (dim,). rng uint64 (1,): the stream of the sentence.
    """

    rows: Any
    mult: Any
    listed: Any
    deck: Any
    chosen: Any
    slots: Any
    mark: Any
    places: Any
    stamp: Any
    excluded: Any
    out: Any
    extra: Any
    drawn: Any
    same: Any
    steps: Any
    exempt: Any
    S: Any
    P: Any
    h: Any
    g: Any
    rng: Any


def make_scratch(features: int, negatives: int, dim: int) -> Scratch:
    """Scratch for sentences of up to `features` features, the longest sentence's words * ngrams."""
    return Scratch(
        rows=np.zeros(features, np.int64),
        mult=np.zeros(features, np.int64),
        listed=np.zeros(features, np.int64),
        deck=np.zeros(features, np.int64),
        chosen=np.zeros(features, np.int64),
        slots=np.empty(4 * features + 4, np.int64),
        mark=np.zeros(features, np.int64),
        places=np.zeros(features, np.int64),
        stamp=np.zeros(1, np.int64),
        excluded=np.zeros((2, features), np.int64),
        out=np.zeros((2, features), np.int64),
        extra=np.zeros((2, features), np.int64),
        drawn=np.zeros((2, negatives + 1), np.int64),
        same=np.zeros((2, negatives + 1), np.int64),
        steps=np.empty(2 * negatives + 2, np.float32),
        exempt=np.empty(features, np.float32),
        S=np.empty(dim, np.float32),
        P=np.empty(dim, np.float32),
        h=np.empty(dim, np.float32),
        g=np.empty(dim, np.float32),
        rng=np.zeros(1, np.uint64),
    )
