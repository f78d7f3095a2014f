"""Graded relatedness with training: a softmax over the grades, and the expected grade.

A score of 3.4 becomes a distribution: 0.6 on grade 3 and 0.4 on grade 4 (Tai et al. 2015). One
linear softmax layer on [|u - v|, u * v] learns these by cross-entropy; the prediction is the
expected grade. Pearson, Spearman and the mean squared error on the test part are reported.

Differences from the released program of the Skip-Thought paper: its layer has no regulariser, and
Adam starts from random weights; training stops when Pearson on the development part does not
improve after a round, and a round is the default number of epochs of the installed Keras (100 in
2015, 10 and 1 later), so results depend on that version and on the start. Here the objective is
that of the classifiers, |W|^2 / 2 + C sum_i cross-entropy_i with a regularised intercept. It has
one solution, which is computed exactly, and C replaces early stopping: the value with the best
Pearson on the development part wins, the smallest of those equal to four digits. The data and the
model class are the same, but the result is a function of the data alone.

SentEval fits the same layer by squared error on the probabilities. It uses grades 1 to 5 for STS
Benchmark too, whose scores go from 0 to 5; here the grades are the scale of the task.

Not here: the solver (`newton`), and cosine similarity without training (`correlation`).

    n rows, d columns, g grades;  weights (g, d), scores and probabilities (g, n)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.correlation import correlate, pearson
from sentvec.evaluation.methods.design import (
    DenseDesign,
    Solve,
    blas_threads,
    dense_features,
    useful_threads,
)
from sentvec.evaluation.methods.logistic import checked_penalties
from sentvec.evaluation.methods.newton import Hessian, minimise
from sentvec.evaluation.methods.progress import Listen
from sentvec.evaluation.methods.protocols import first_best

Floats: TypeAlias = NDArray[np.float64]

PENALTIES = tuple(4.0**power for power in range(-3, 10))  # 1/64 .. 262144
_DIGITS = 4  # of Pearson that count in the choice of C, as papers print them
_ROUNDING = 8e-15  # relative to the sum of all gradient terms: no gradient is more exact


@dataclass(frozen=True, slots=True)
class Relatedness:
    """The result on the test part.

    Attributes:
        pearson: Pearson's correlation of predictions and gold scores; NaN if one is constant.
        spearman: Spearman's correlation of the same.
        mse: The mean squared error.
        penalty: The chosen C.
        dev_pearson: Pearson on the development part with that C.
        predictions: The expected grade of each test pair.
        protocol: The protocol in words.
    """

    pearson: float
    spearman: float
    mse: float
    penalty: float
    dev_pearson: float
    predictions: Floats
    protocol: str


def relatedness(
    train: tuple[ArrayLike, ArrayLike],
    dev: tuple[ArrayLike, ArrayLike],
    test: tuple[ArrayLike, ArrayLike],
    *,
    scale: tuple[int, int] = (1, 5),
    penalties: Sequence[float] = PENALTIES,
    threads: int | None = None,
    progress: Listen | None = None,
) -> Relatedness:
    """Learn graded relatedness on the train part, choose C on the development part, and test.

    Args:
        train: Features (see `pair_features`) and gold scores.
        dev: The same for the development part.
        test: The same for the test part.
        scale: The lowest and the highest grade: (1, 5) for SICK, (0, 5) for STS Benchmark.
        penalties: The values of C to try.
        threads: Threads for the linear algebra; all processors if `None`.
        progress: Called with the share that is done, 0 to 1.
    """
    parts = [dense_features(part[0]) for part in (train, dev, test)]
    gold = [
        _checked_gold(part[1], len(x), scale)
        for part, x in zip((train, dev, test), parts, strict=True)
    ]
    grid = checked_penalties(penalties)
    dev_scores, answers = [], []
    for on_dev, on_test in _path(parts, soft_labels(gold[0], scale), grid, scale, threads):
        dev_scores.append(pearson(on_dev, gold[1]))
        answers.append(on_test)
        if progress is not None:
            progress(len(answers) / len(grid))
    # A constant prediction has no correlation (NaN), and never wins against one that has.
    best = first_best(np.nan_to_num(dev_scores, nan=-2.0), _DIGITS)
    answer = answers[best]
    found = correlate(answer, gold[2])
    return Relatedness(
        pearson=found.pearson,
        spearman=found.spearman,
        mse=float(np.mean((answer - gold[2]) ** 2)),
        penalty=grid[best],
        dev_pearson=dev_scores[best],
        predictions=answer,
        protocol=f"softmax over the grades {scale[0]} to {scale[1]} on [|u-v|, u*v], L2, C of "
        f"{grid[0]:g} .. {grid[-1]:g} by Pearson on the development part, converged",
    )


def _path(
    parts: Sequence[NDArray[Any]],
    targets: Floats,
    grid: Sequence[float],
    scale: tuple[int, int],
    threads: int | None,
) -> Iterator[list[Floats]]:
    """The expected grades of the development and the test part, for each C in turn."""
    design, *held_out = map(DenseDesign, parts)
    grades = np.arange(scale[0], scale[1] + 1, dtype=np.float64)
    weights = np.zeros((len(grades), design.shape[1]))
    for penalty in grid:
        with blas_threads(useful_threads(design.shape, threads)):
            weights = fit_softmax(design, targets, penalty, weights)
            predicted = [grades @ softmax(part.scores(weights)) for part in held_out]
        yield predicted


def soft_labels(scores: ArrayLike, scale: tuple[int, int]) -> Floats:
    """The distribution over the grades whose mean is the score, on its two neighbours; (g, n).

    >>> soft_labels([1.0, 3.25, 5.0], (1, 5)).T.tolist()
    [[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.75, 0.25, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]]
    """
    values = np.asarray(scores, np.float64)
    grades = np.arange(scale[0], scale[1] + 1)
    labels: Floats = np.maximum(1 - np.abs(values - grades[:, None]), 0)
    return labels


def softmax(scores: Floats) -> Floats:
    """Probabilities of the grades, (g, n)."""
    powers = np.exp(scores - scores.max(axis=0))
    result: Floats = powers / powers.sum(axis=0)
    return result


def objective(weights: Floats, scores: Floats, targets: Floats, penalty: float) -> float:
    """|W|^2 / 2 + C times the sum of the cross-entropies."""
    highest = scores.max(axis=0)
    normaliser = highest + np.log(np.exp(scores - highest).sum(axis=0))
    return float(
        0.5 * np.vdot(weights, weights) + penalty * (normaliser.sum() - np.vdot(targets, scores))
    )


@dataclass(frozen=True, slots=True)
class _Softmax:
    """One problem for one C: the `Problems` of `newton`, a row of weights for each grade.

    Attributes:
        design: The rows.
        penalty: C.
        targets: The distribution of each row, (g, n).
        solve: The preconditioner.
        rounding: See `Problems`.
        weights: (g, d).
        scores: (g, n).
        chances: Probabilities of the grades, (g, n).
    """

    design: DenseDesign
    penalty: float
    targets: Floats
    solve: Solve
    rounding: tuple[Floats, Floats]
    weights: Floats
    scores: Floats
    chances: Floats

    def objectives(self) -> Floats:
        value = objective(self.weights, self.scores, self.targets, self.penalty)
        return np.array([value])

    def gradients(self) -> Floats:
        return self.weights + self.penalty * self.design.gather(self.chances - self.targets)

    def hessian(self) -> Hessian:
        chances = self.chances

        def product(direction: Floats, along: Floats) -> Floats:
            spread = chances * (along - (chances * along).sum(axis=0))
            return direction + self.penalty * self.design.gather(spread)

        return product

    def precondition(self, right: Floats) -> Floats:
        return self.solve(right)

    def dot(self, left: Floats, right: Floats) -> Floats:
        return np.array([np.vdot(left, right)])

    def moved(self, step: Floats, along: Floats) -> _Softmax:
        scores = self.scores + along
        return replace(self, weights=self.weights + step, scores=scores, chances=softmax(scores))

    def some(self, chosen: NDArray[np.bool_]) -> _Softmax:
        return self  # there is only one

    def in_words(self) -> str:
        return f"the softmax regression with C = {self.penalty:g}"


def fit_softmax(design: DenseDesign, targets: Floats, penalty: float, start: Floats) -> Floats:
    """Minimise the objective from some start.

    Raises:
        DivergedError: No solution was reached, because the features are too large or too small.
    """
    scores = design.scores(start)
    chances = softmax(scores)
    # One for all grades: so steps keep the sum over the grades at zero, where the Hessian is well
    # conditioned. With one for each grade, conjugate gradients hardly converge.
    solve = design.preconditioner(penalty * (chances * (1 - chances)).mean(axis=0))
    noise = [np.array([_ROUNDING * penalty * (design.norms**p).sum()]) for p in (1, 2)]
    return minimise(
        _Softmax(design, penalty, targets, solve, (noise[0], noise[1]), start, scores, chances)
    )


def _checked_gold(gold: ArrayLike, n_rows: int, scale: tuple[int, int]) -> Floats:
    values: NDArray[Any] = np.asarray(gold, np.float64)
    if values.shape != (n_rows,):
        msg = f"gold scores have shape {values.shape} - expected {n_rows:,}, one for each pair"
        raise SettingsError(msg)
    wrong = ~((values >= scale[0]) & (values <= scale[1]))
    if wrong.any():
        msg = f"gold score {values[wrong][0]:g} of pair {np.flatnonzero(wrong)[0]} - expected "
        raise SettingsError(msg + f"a number from {scale[0]} to {scale[1]}; check the scale")
    return values
