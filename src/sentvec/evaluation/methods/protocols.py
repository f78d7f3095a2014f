"""The protocols of classification: how folds are made, which C are tried, which one wins.

`PAPER` follows the released programs of the Skip-Thought paper, which the Sent2Vec paper used too.
C is one of 2^0 .. 2^8; the first of equal results wins. Nested: the rows are shuffled once, then 10
outer and 10 inner folds in order. TREC: train shuffled once, 10 folds in order, by accuracy. MSRP:
10 shuffled folds of train in the order given, by F1 (`select="f1"`). What differs from them: equal
means that differ by rounding only count as equal; the solver is exact where theirs stopped at a
tolerance of 1e-4; folds whose F1 is undefined count 0; and they drop blank sentences, which
`readers` keeps.

`SENTEVAL` follows SentEval's logistic regression (not its PyTorch classifier), with the 10 folds
its documentation recommends for reports (its code falls back to 5): stratified shuffled folds of
seed 1111; C is 2^-2 .. 2^3 when nested or with a development part, 2^-1 .. 2^5 with train and test;
mean accuracies are rounded to 0.01 points before the first best is taken, and MSRP too chooses by
accuracy. SentEval sorts the items by length and label before it makes folds: give `lengths` for
that. What differs: the stratified folds are those of today's scikit-learn, which draws others from
the same seed than that of 2018; one-vs-rest liblinear (scikit-learn's default then) also for
several classes; and reported means are not rounded.

`QUICK` is ours, for a verdict in seconds: 5 stratified folds, not nested, the C of the best mean
accuracy. Its result is a little too good, since C is chosen on the rows that are reported; it does
not belong beside the papers' tables.

Not here: what runs them (`classify.py`).
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

_DIGITS = 12  # means that agree in so many digits are equal


@dataclass(frozen=True, slots=True)
class Protocol:
    """How folds are made and which C are tried.

    Attributes:
        name: What `--protocol` calls it.
        folds: Of every cross-validation.
        seed: Of every shuffle.
        stratified: Whether folds are stratified and shuffled; else the rows are shuffled once and
            cut in order.
        split: The C tried with a development part or nested.
        cross: The C tried by cross-validation on a train part.
        digits: Digits of a mean accuracy (0 to 1) that count in the choice of C.
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
    """What a protocol found.

    Attributes:
        accuracy: Share of items classified right, 0 to 1: the mean over the folds, or that of the
            test part.
        f1: Of the larger of two labels, on the test part; `None` with more classes, or without a
            test part.
        fold_accuracies: Of each (outer) fold, in order; empty with a test part.
        penalties: The chosen C: one for each fold of a nested cross-validation, else one.
        selection: The mean score that the chosen C had where it was chosen, for each of them.
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
    """What is trained on, (outer, 1 + inner, n): the whole training part, then its folds."""
    rows = np.zeros((protocol.folds, 1 + protocol.folds, len(labels)), np.bool_)
    for fold in range(protocol.folds):
        part = np.flatnonzero(outer != fold)
        inner = folds_of(labels[part], protocol, seed)
        rows[fold][:, part] = inner != np.arange(-1, protocol.folds)[:, None]
    return rows


def mean_scores(predicted: Ids, labels: Ids, held_out: Mask, select: Select) -> Floats:
    """The mean score over the folds for each C, from predictions (c, f, n).

    Raises:
        SettingsError: F1 is asked for and there are not two classes.
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
    """Where the first of the best scores stands, if only so many digits count."""
    return int(np.argmax(np.round(scores, digits)))


def f1_score(labels: Ids, predictions: Ids, positive: int = 1) -> float:
    """F1 of one label; 0 if there is none of it, neither in the labels nor predicted.

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
    """A protocol in words."""
    return (
        f"{name}: {plan}; one-vs-rest L2 logistic regression (liblinear), features as they are, "
        f"C of {grid[0]:g}, {grid[1]:g} .. {grid[-1]:g} by {select}"
    )
