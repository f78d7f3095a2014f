"""L2-regularised logistic regressions, many at a time on shared rows.

One problem is that of liblinear: minimise |w|^2 / 2 + C sum_i log(1 + exp(-y_i w.x_i)), where x
ends with a constant 1, so the intercept is regularised like any other weight. A cross-validation
has hundreds of problems that differ in C and in the rows they train on. They are solved side by
side: one matrix product serves all of them. The solutions for one C are the start for the next.

The preconditioner is the Hessian of the average problem, one for all folds: since they share most
of their rows, a handful of products suffices.

Not here: the solver (`newton`), features (`design`), folds (`folds`), protocols (`classify`).

    n rows, d columns, k problems;  signs (k, n): 1 or -1, the class; 0: a row not trained on
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.design import DenseDesign, Design, Floats, Solve
from sentvec.evaluation.methods.newton import Hessian, minimise

_ROUNDING = 4e-15  # relative to the sum of all gradient terms: no gradient is more exact


@dataclass(frozen=True, slots=True)
class _Logistic:
    """The problems for one C: the `Problems` of `newton`, one row of weights each.

    Attributes:
        design: The rows.
        penalty: C.
        solvers: The preconditioner of each group.
        rounding: See `Problems`.
        signs: (k, n).
        groups: (k,).
        weights: (k, d).
        scores: (k, n).
        wrong: See `losses`.
        loss: See `losses`.
    """

    design: Design
    penalty: float
    solvers: list[Solve]
    rounding: tuple[Floats, Floats]
    signs: Floats
    groups: NDArray[np.int64]
    weights: Floats
    scores: Floats
    wrong: Floats
    loss: Floats

    def objectives(self) -> Floats:
        return 0.5 * self.dot(self.weights, self.weights) + self.penalty * self.loss

    def gradients(self) -> Floats:
        return self.weights - self.penalty * self.design.gather(self.signs * self.wrong)

    def hessian(self) -> Hessian:
        curvature = self.penalty * self.wrong * (1 - self.wrong)
        return lambda direction, along: direction + self.design.gather(curvature * along)

    def precondition(self, right: Floats) -> Floats:
        if len(self.solvers) == 1:
            return self.solvers[0](right)
        result = np.empty_like(right)
        for group in np.unique(self.groups):
            chosen = self.groups == group
            result[chosen] = self.solvers[group](right[chosen])
        return result

    def dot(self, left: Floats, right: Floats) -> Floats:
        return _dot(left, right)

    def moved(self, step: Floats, along: Floats) -> _Logistic:
        scores = self.scores + along
        wrong, loss = losses(self.signs, scores)
        return replace(self, weights=self.weights + step, scores=scores, wrong=wrong, loss=loss)

    def some(self, chosen: NDArray[np.bool_]) -> _Logistic:
        at_zero, for_size = self.rounding
        names = ("signs", "groups", "weights", "scores", "wrong", "loss")
        arrays = {name: getattr(self, name)[chosen] for name in names}
        return replace(self, rounding=(at_zero[chosen], for_size[chosen]), **arrays)

    def in_words(self) -> str:
        count = len(self.weights)
        return f"{count} logistic regression{'s' * (count > 1)} with C = {self.penalty:g}"


def losses(signs: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """The losses of scores (k, n).

    Returns:
        The probability of the wrong class (k, n), 0 for rows not trained on, and the summed loss of
        each problem (k,).
    """
    margins = signs * scores
    used = signs * signs
    small = np.exp(-np.abs(margins))
    loss = np.log(1 + small) - np.minimum(margins, 0)
    wrong = np.where(margins < 0, 1, small)
    wrong /= 1 + small
    wrong *= used
    return wrong, _dot(loss, used)


def _dot(left: Floats, right: Floats) -> Floats:
    """The inner product of each row with its counterpart, (k,)."""
    result: Floats = np.einsum("ij,ij->i", left, right)
    return result


def solve_path(
    design: Design, signs: Floats, penalties: Sequence[float], groups: NDArray[np.int64]
) -> Iterator[tuple[Floats, Floats]]:
    """Solve k problems for each C in turn.

    Args:
        design: The rows.
        signs: The class of each row in each problem, (k, n).
        penalties: The values of C, best in ascending order.
        groups: (k,), from 0; problems of one group share a preconditioner, so they should differ in
            little more than their rows.

    Yields:
        The weights (k, d) for each C, and the scores (k, n) of all rows, trained on or not.

    Raises:
        DivergedError: No solution was reached, because the features are too large or too small.
    """
    weights = np.zeros((len(signs), design.shape[1]))
    scores = np.zeros(signs.shape)
    used = np.abs(signs)
    terms = [used @ design.norms**power for power in (1, 2)]
    for penalty in penalties:
        wrong, loss = losses(signs, scores)
        solvers = _preconditioners(design, wrong, penalty, groups)
        noise = (_ROUNDING * penalty * terms[0], _ROUNDING * penalty * terms[1])
        weights = minimise(
            _Logistic(design, penalty, solvers, noise, signs, groups, weights, scores, wrong, loss)
        )
        scores = design.scores(weights)
        yield weights, scores


def _preconditioners(
    design: Design, wrong: Floats, penalty: float, groups: NDArray[np.int64]
) -> list[Solve]:
    """One for each group, from its average curvature: its problems share most of their rows."""
    curvature = wrong * (1 - wrong)
    return [
        design.preconditioner(penalty * curvature[groups == group].mean(axis=0))
        for group in range(groups.max() + 1)
    ]


def class_signs(
    labels: NDArray[np.int64], rows: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64]]:
    """Set up one-vs-rest problems: one for two classes, else one for each class.

    Args:
        labels: The class of each row, (n,).
        rows: The rows each fold trains on, (f, n).

    Returns:
        The classes (c,), the signs (f * problems, n) and the groups (f * problems,), by fold and
        then by class.

    Raises:
        SettingsError: A fold trains on one class only.
    """
    classes = np.unique(labels[rows.any(axis=0)])
    for fold, row in enumerate(rows):
        present = np.unique(labels[row])
        if len(present) < 2:
            msg = f"training part {fold + 1} of {len(rows)} has {row.sum():,} rows of the classes"
            msg += f" {present.tolist()} - expected two classes or more; use fewer folds"
            raise SettingsError(msg)
    positive = classes[1:] if len(classes) == 2 else classes
    signs: Floats = np.where(labels == positive[:, None], 1.0, -1.0)
    every: Floats = (rows.astype(np.float64)[:, None, :] * signs).reshape(-1, rows.shape[1])
    return classes, every, np.tile(np.arange(len(positive)), len(rows))


def decide(
    scores: Floats, classes: NDArray[np.int64], rows: NDArray[np.bool_], labels: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The predicted class of each row in each fold, (f, n), from the scores of `class_signs`.

    A class that a fold did not train on is never predicted there. Ties go to the first class.
    """
    by_fold = scores.reshape(len(rows), -1, scores.shape[1])
    if len(classes) == 2:
        return _pick(classes, by_fold[:, 0] > 0)
    seen = np.array([[(labels[row] == label).any() for label in classes] for row in rows])
    return _pick(classes, np.where(seen[:, :, None], by_fold, -np.inf).argmax(axis=1))


def _pick(classes: NDArray[np.int64], indices: NDArray[Any]) -> NDArray[np.int64]:
    chosen: NDArray[np.int64] = classes[indices.astype(np.int64)]
    return chosen


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted classifier.

    Attributes:
        classes: The labels, ascending.
        weights: One row for two classes (positive means the second), otherwise one for each class;
            the last column is the intercept.
    """

    classes: NDArray[np.int64]
    weights: Floats

    def predict(self, features: ArrayLike) -> NDArray[np.int64]:
        """The class of each row."""
        scores = DenseDesign(features).scores(self.weights)
        if len(self.classes) == 2:
            return _pick(self.classes, scores[0] > 0)
        return _pick(self.classes, scores.argmax(axis=0))


def fit(features: ArrayLike, labels: ArrayLike, penalty: float = 1.0) -> Fitted:
    """Fit one classifier to all rows.

    Args:
        features: One row for each item, (n, d).
        labels: The class of each item, (n,).
        penalty: C, the weight of the loss against the regulariser; larger values fit more closely.

    Raises:
        SettingsError: Features are not finite, lengths differ, C is not positive, or there is one
            class only.
    """
    design, classes_of = DenseDesign(features), checked_labels(labels, len(np.asarray(features)))
    rows = np.ones((1, len(classes_of)), np.bool_)
    classes, signs, groups = class_signs(classes_of, rows)
    ((weights, _),) = solve_path(design, signs, checked_penalties([penalty]), groups)
    return Fitted(classes, weights)


def checked_labels(labels: ArrayLike, n_rows: int) -> NDArray[np.int64]:
    """The labels as integers, one for each row.

    Raises:
        SettingsError: They are not integers, or their number is wrong.
    """
    values: NDArray[Any] = np.asarray(labels)
    if values.shape != (n_rows,) or values.dtype.kind not in "iub":
        msg = f"labels have shape {values.shape} and type {values.dtype}"
        raise SettingsError(f"{msg} - expected {n_rows:,} integers, one for each row of features")
    return values.astype(np.int64)


def checked_penalties(penalties: Sequence[float]) -> tuple[float, ...]:
    """The values of C in ascending order.

    Raises:
        SettingsError: There are none, or one is not positive and finite.
    """
    values = sorted(float(value) for value in penalties)
    if not values or not all(0 < value < np.inf for value in values):
        msg = f"C is {list(penalties)} - expected one or more positive numbers, such as 1.0"
        raise SettingsError(msg)
    return tuple(values)
