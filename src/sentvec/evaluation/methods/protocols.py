"""The protocols of classification: how folds are made, which C are tried, which one wins.

`PAPER` follows the released programs of the Skip-Thought paper, which the Sent2Vec paper used too.
C is one of 2^0 .. 2^8; the first of equal results wins. Nested: the rows are shuffled once, then 10
outer and 10 inner folds in order. TREC: train shuffled once, 10 folds in order, by accuracy. MSRP:
10 shuffled folds of train in the order given, by F1 (`select="f1"`). Differences from them: means
that differ by rounding only are equal; the solver is exact where theirs stops at a tolerance of
1e-4; folds with an undefined F1 count as 0; and they drop blank sentences, which `readers` keeps.

`SENTEVAL` follows SentEval's logistic regression (not its PyTorch classifier), with the 10 folds
its documentation recommends for reports (its code falls back to 5): stratified shuffled folds of
seed 1111; C is 2^-2 .. 2^3 when nested or with a development part, 2^-1 .. 2^5 with train and test;
mean accuracies are rounded to 0.01 points before the first best is taken, and C is chosen by
accuracy for MSRP too. SentEval sorts the items by length and label before it makes folds: pass
`lengths` for that. Differences: the stratified folds are those of today's scikit-learn, which draws
other folds from a seed than that of 2018; one-vs-rest liblinear (the default of scikit-learn then)
also for several classes; and reported means are not rounded.

`QUICK` is ours, for a result in seconds: 5 stratified folds, not nested, the C of the best mean
accuracy. Its accuracies are slightly too high, since C is chosen on the rows that are reported, and
cannot be compared with those of the papers.

Not here: what runs them (`classify`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.folds import plain_folds, shuffled, stratified_folds

Ids: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Select: TypeAlias = Literal["accuracy", "f1"]
Floats: TypeAlias = NDArray[np.float64]

_DIGITS = 12  # means that agree in these digits are equal


@dataclass(frozen=True, slots=True)
class Protocol:
    """How folds are made and which C are tried.

    Attributes:
        name: The value of `--protocol`.
        folds: The number of folds of every cross-validation.
        seed: The seed of every shuffle.
        stratified: Whether folds are stratified and shuffled; otherwise the rows are shuffled once
            and cut in order.
        split: The values of C tried with a development part or nested.
        cross: The values of C tried by cross-validation on a train part.
        digits: The digits of a mean accuracy (0 to 1) that count in the choice of C.
    """

    name: str
    folds: int
    seed: int
    stratified: bool
    split: tuple[float, ...]
    cross: tuple[float, ...]
    digits: int = _DIGITS


_POWERS = tuple(2.0**power for power in range(-2, 9))  # 2^-2 .. 2^8
PAPER = Protocol("paper", 10, 1234, False, _POWERS[2:], _POWERS[2:])
SENTEVAL = Protocol("senteval", 10, 1111, True, _POWERS[:6], _POWERS[1:8], digits=4)
QUICK = Protocol("quick", 5, 1234, True, _POWERS[2:], _POWERS[2:])


@dataclass(frozen=True, slots=True)
class Classification:
    """The result of a protocol.

    Attributes:
        accuracy: The share of items classified correctly, 0 to 1: the mean over the folds, or that
            of the test part.
        f1: F1 of the larger of two labels, on the test part; `None` with more classes, or without
            a test part.
        fold_accuracies: The accuracy of each (outer) fold; empty with a test part.
        penalties: The chosen C: one for each fold of a nested cross-validation, otherwise one.
        selection: The mean score by which each of them was chosen.
        predictions: The predicted label of each item, in the order given: by the fold that held it
            out, or of the test part.
        protocol: The protocol in words.
    """

    accuracy: float
    f1: float | None
    fold_accuracies: tuple[float, ...]
    penalties: tuple[float, ...]
    selection: tuple[float, ...]
    predictions: Ids
    protocol: str


def order_of(labels: Ids, protocol: Protocol, seed: int | None, lengths: ArrayLike | None) -> Ids:
    """The order in which a protocol sees the items."""
    if not protocol.stratified:
        return shuffled(len(labels), protocol.seed if seed is None else seed)
    if lengths is None:
        return np.arange(len(labels))
    columns = np.asarray(lengths).reshape(len(labels), -1)
    return np.lexsort([labels, *columns.T[::-1]])


def folds_of(labels: Ids, protocol: Protocol, seed: int | None) -> Ids:
    """The fold of each item, for items in the order of the protocol."""
    if protocol.stratified:
        return stratified_folds(labels, protocol.folds, protocol.seed if seed is None else seed)
    return plain_folds(len(labels), protocol.folds)


def nested_rows(labels: Ids, outer: Ids, protocol: Protocol, seed: int | None) -> Mask:
    """The rows to train on, (outer, 1 + inner, n): the whole training part, then its folds."""
    rows = np.zeros((protocol.folds, 1 + protocol.folds, len(labels)), np.bool_)
    for fold in range(protocol.folds):
        part = np.flatnonzero(outer != fold)
        inner = folds_of(labels[part], protocol, seed)
        rows[fold][:, part] = inner != np.arange(-1, protocol.folds)[:, None]
    return rows


def mean_scores(predicted: Ids, labels: Ids, held_out: Mask, select: Select) -> Floats:
    """The mean score over the folds for each C, from predictions (c, f, n).

    Raises:
        SettingsError: C is chosen by F1 and there are not two classes.
    """
    classes = np.unique(labels)
    if select == "f1" and len(classes) != 2:
        msg = f"C chosen by F1 with the classes {classes.tolist()} - expected two classes; "
        raise SettingsError(msg + "choose by accuracy")

    def score(gold: Ids, answer: Ids) -> float:
        if select == "f1":
            return f1_score(gold, answer, int(classes[1]))
        return float((gold == answer).mean())

    means = [
        np.mean([score(labels[mask], row[mask]) for row, mask in zip(rows, held_out, strict=True)])
        for rows in predicted
    ]
    return np.array(means, np.float64)


def first_best(scores: Floats, digits: int) -> int:
    """The index of the first best score, where scores that agree in `digits` digits are equal."""
    return int(np.argmax(np.round(scores, digits)))


def f1_score(labels: Ids, predictions: Ids, positive: int = 1) -> float:
    """F1 of one label; 0 if neither the labels nor the predictions contain it.

    >>> f1_score(np.array([1, 1, 0]), np.array([1, 0, 1]))
    0.5
    """
    gold, found = labels == positive, predictions == positive
    right, total = int((gold & found).sum()), int(gold.sum() + found.sum())
    return 2 * right / total if total else 0.0


def folds_in_words(protocol: Protocol, seed: int | None) -> str:
    """How the folds of a protocol are made."""
    how = "stratified shuffled" if protocol.stratified else "of rows shuffled once"
    return f"{protocol.folds} folds, {how} (seed {protocol.seed if seed is None else seed})"


def in_words(name: str, plan: str, grid: tuple[float, ...], select: Select) -> str:
    """A protocol in words. Reports are comparable only where they are equal: do not change them."""
    return (
        f"{name}: {plan}; one-vs-rest L2 logistic regression (liblinear), features as they are, "
        f"C of {grid[0]:g}, {grid[1]:g} .. {grid[-1]:g} by {select}"
    )
