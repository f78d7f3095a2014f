"""Sent2Vec in plain NumPy: the definition, and the oracle of the compiled kernel.

`loss` is one term of eq. 3 of the paper, `update` one step of its stochastic gradient descent (in
place), and `train_sentence` the sequence of updates of one sentence, with every context rebuilt.
The random choices follow the same streams as the kernel, so both can be compared number by number.

Matrices may be float64 here; nothing is fast. Symbols as in `kernels.sent2vec.update`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.definitions.streams import Stream
from sentvec.text.ngrams import NO_ROW, ngram_rows, placeholder_rows

Matrix = NDArray[np.floating[Any]]

TARGETS_PER_DRAW = 8
NEAREST = 1024


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + np.exp(-x))


def mean_of_rows(V: Matrix, context: Sequence[int]) -> Matrix:
    """The sentence vector of a list of features (eq. 2); repeats count."""
    mean: Matrix = V[list(context)].mean(axis=0)
    return mean


def loss(
    V: Matrix, U: Matrix, context: Sequence[int], target: int, negatives: Sequence[int]
) -> float:
    """The logistic loss of a target and its negatives given the context (a term of eq. 3)."""
    h = mean_of_rows(V, context)
    positive = np.logaddexp(0.0, -(U[target] @ h))
    return float(positive + sum(np.logaddexp(0.0, U[word] @ h) for word in negatives))


def update(
    V: Matrix,
    U: Matrix,
    context: Sequence[int],
    target: int,
    negatives: Sequence[int],
    rate: float,
    tau: float = 0.0,
) -> float:
    """One step of SGD on `loss`, in place; returns the loss on the way.

    The target rows move one after the other (a word drawn twice sees its own first move); then
    every occurrence in the context gets its share of the gradient. With `tau`, the proximal steps
    of appendix B follow each: tau rate for target rows, tau rate / |context| an occurrence.
    """
    h = mean_of_rows(V, context)
    gradient = np.zeros_like(h)
    total = 0.0
    for word, label in [(target, 1.0), *((word, 0.0) for word in negatives)]:
        score = U[word] @ h
        total += float(np.logaddexp(0.0, score) - label * score)
        step = rate * (label - sigmoid(score))
        gradient += step * U[word]
        U[word] += step * h
    for word in [target, *negatives] if tau else []:
        soft_threshold(U, word, tau * rate)
    for row in context:
        V[row] += gradient / len(context)
    for row in context if tau else []:
        soft_threshold(V, row, tau * rate / len(context))
    return total


def soft_threshold(M: Matrix, row: int, amount: float) -> None:
    """The proximal operator of the L1 norm (eq. 6, with x where the paper prints |x_n|)."""
    M[row] = np.sign(M[row]) * np.maximum(np.abs(M[row]) - amount, 0.0)


@dataclass(frozen=True)
class Problem:
    """What a sentence is trained under. Fields as the settings of the same names.

    `keep` is q_p, `alias_keep` and `alias_other` draw q_n. In the released variant the last row of
    V is the placeholder's.
    """

    n_words: int
    ngrams: int
    buckets: int
    keep: NDArray[np.float32]
    alias_keep: NDArray[np.float32]
    alias_other: NDArray[np.uint32]
    negatives: int
    shared: bool = False
    drop: int = 0
    tau: float = 0.0
    released: bool = False


def train_sentence(
    V: Matrix, U: Matrix, ids: Sequence[int], problem: Problem, rate: float, rng: Stream
) -> tuple[float, int]:
    """Train on one sentence, in place; returns (sum of losses, number of targets)."""
    if len(ids) < 2:
        return 0.0, 0
    grams = _NGrams(ids, problem, len(V) - 1)
    chosen = [t for t, word in enumerate(ids) if rng.uniform() <= problem.keep[word]]
    negatives: list[int] = []
    total = 0.0
    for k, target in enumerate(chosen):
        if not problem.shared or k % TARGETS_PER_DRAW == 0:
            negatives = _draw_negatives(problem, ids[target], rng)
        context = grams.context(target, rng)
        kept = [word for word in negatives if word != ids[target]]
        total += update(V, U, context, ids[target], kept, rate, problem.tau)
    return total, len(chosen)


def _draw_negatives(problem: Problem, target: int, rng: Stream) -> list[int]:
    drawn: list[int] = []
    while len(drawn) < problem.negatives:
        word = rng.below(problem.n_words)
        if np.float32(rng.uniform()) >= problem.alias_keep[word]:
            word = int(problem.alias_other[word])
        if problem.shared or word != target:
            drawn.append(word)
    return drawn


class _NGrams:
    """The n-grams of a sentence: (start, order, row), and which of them a target's context has."""

    def __init__(self, ids: Sequence[int], problem: Problem, placeholder: int) -> None:
        self.ids, self.problem, self.placeholder = ids, problem, placeholder
        arguments = (np.array(ids, np.uint32), np.array([0, len(ids)]))
        shape: Any = {
            "n_words": problem.n_words,
            "ngrams": problem.ngrams,
            "buckets": problem.buckets,
        }
        self.rows = ngram_rows(*arguments, **shape)
        self.with_placeholder = placeholder_rows(*arguments, **shape)
        width = problem.ngrams - 1
        self.all = [
            (start, j + 2, int(self.rows[start, j]))
            for start in range(len(ids))
            for j in range(width)
            if self.rows[start, j] != NO_ROW
        ]
        self.deck = list(range(len(self.all)))

    def context(self, target: int, rng: Stream) -> list[int]:
        """The rows of the context of a target: the paper's, or the released program's."""
        words = [word for t, word in enumerate(self.ids) if t != target]
        touching = {i for i, gram in enumerate(self.all) if _touches(gram, target)}
        if self.problem.released:
            places = self._drawn_positions(rng)
            kept = [
                gram[2]
                for i, gram in enumerate(self.all)
                if i not in touching and not any(_touches(gram, place) for place in places)
            ]
            return [*words, self.placeholder, *kept, *self._placeholder_ngrams(target, places)]
        dropped = self._dropped(target, touching, rng)
        left_out = touching | dropped
        return [*words, *(gram[2] for i, gram in enumerate(self.all) if i not in left_out)]

    def _dropped(self, target: int, touching: set[int], rng: Stream) -> set[int]:
        dropped: set[int] = set()
        if len(self.all) > NEAREST and 2 * self.problem.drop <= NEAREST:
            middle = target * (self.problem.ngrams - 1)
            first = min(max(middle - NEAREST // 2, 0), len(self.all) - NEAREST)
            while len(dropped) < self.problem.drop:
                dropped |= {first + rng.below(NEAREST)} - touching
            return dropped
        dealt = 0
        while len(dropped) < self.problem.drop and dealt < len(self.deck):
            pick = dealt + rng.below(len(self.deck) - dealt)
            self.deck[dealt], self.deck[pick] = self.deck[pick], self.deck[dealt]
            if self.deck[dealt] not in touching:
                dropped.add(self.deck[dealt])
            dealt += 1
        return dropped

    def _drawn_positions(self, rng: Stream) -> set[int]:
        places: set[int] = set()
        while len(places) < self.problem.drop and len(self.ids) - len(places) > 2:
            places.add(rng.below(len(self.ids)))
        return places

    def _placeholder_ngrams(self, target: int, places: set[int]) -> list[int]:
        rows: list[int] = []
        column = 0
        for order in range(2, self.problem.ngrams + 1):
            for before in range(order):
                row = int(self.with_placeholder[target, column])
                column += 1
                positions = set(range(target - before, target - before + order))
                if row != NO_ROW and not positions & places:
                    rows.append(row)
        return rows


def _touches(gram: tuple[int, int, int], position: int) -> bool:
    start, order, _ = gram
    return start <= position < start + order
