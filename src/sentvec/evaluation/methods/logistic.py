"""L2-regularised logistic regression, many at a time on shared rows.

One problem is that of liblinear: minimise |w|^2 / 2 + C sum_i log(1 + exp(-y_i w.x_i)), where x
ends with a constant 1, so the intercept is regularised like any other weight. A cross-validation
solves hundreds that differ in C and in the rows they may see, so they are solved side by side: one
matrix product serves all of them. Along C the solutions of one value start the next.

The method is Newton's with conjugate gradients for the step and a line search. The
preconditioner is the Hessian of the average problem, one for all folds: since they share most of
their rows, a handful of products suffices. It changes the way to the solution, not the solution.

How exact: the objective is strongly convex with modulus 1, so the distance of the weights to the
solution is at most the norm of the gradient. A problem is solved when that is below 1e-8 of
max(1, |w|), or at the limit of float64 for huge features.

Not here: features (`design.py`), folds (`folds.py`), protocols (`classify.py`).

    n rows, d columns, k problems;  signs (k, n): 1 or -1, the class; 0: a row not trained on
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.errors import DivergedError, SettingsError
from sentvec.evaluation.methods.design import DenseDesign, Design, Floats, Solve

TOLERANCE = 1e-8  # distance of the weights to the solution, of max(1, |w|)
_ROUNDING = 4e-15  # of the sum of all gradient terms: no gradient is known better
_SLACK = 1e-12  # of the objective: near the solution it falls by less than float64 can show
_MAX_STEPS = 100
_MAX_PRODUCTS = 250  # of conjugate gradients in a step
_FORCING = 0.03  # how far conjugate gradients reduce the (preconditioned) residual
_MAX_HALVINGS = 40
_ENOUGH = 1e-4  # of the fall that the slope promises


@dataclass(slots=True)
class _State:
    """The problems in work: their weights, and all that follows from them.

    Attributes:
        signs: (k, n).
        weights: (k, d).
        scores: (k, n).
        wrong: The probability of the wrong class, (k, n); 0 for rows not trained on.
        loss: The summed loss of each problem, (k,).
    """

    signs: Floats
    weights: Floats
    scores: Floats
    wrong: Floats
    loss: Floats

    @classmethod
    def at(cls, signs: Floats, weights: Floats, scores: Floats) -> _State:
        """The state at some weights, from their scores."""
        margins = signs * scores
        used = signs * signs
        small = np.exp(-np.abs(margins))
        loss = np.log(1 + small) - np.minimum(margins, 0)
        wrong = np.where(margins < 0, 1, small)
        wrong /= 1 + small
        wrong *= used
        return cls(signs, weights, scores, wrong, _dot(loss, used))

    def objectives(self, penalty: float) -> Floats:
        """The objective of each problem, (k,)."""
        return 0.5 * _dot(self.weights, self.weights) + penalty * self.loss

    def some(self, chosen: NDArray[np.bool_]) -> _State:
        """Some of the problems."""
        arrays = (self.signs, self.weights, self.scores, self.wrong, self.loss)
        return _State(*(array[chosen] for array in arrays))


def _dot(left: Floats, right: Floats) -> Floats:
    """The inner product of each problem, (k,)."""
    result: Floats = np.einsum("ij,ij->i", left, right)
    return result


def solve_path(
    design: Design, signs: Floats, penalties: Sequence[float], groups: NDArray[np.int64]
) -> Iterator[tuple[Floats, Floats]]:
    """Solve k problems for each C in turn.

    Args:
        design: The rows.
        signs: The class of each row in each problem, (k, n).
        penalties: The values of C, best in rising order.
        groups: (k,), from 0; problems of one group share a preconditioner, so they should differ in
            little but their rows.

    Yields:
        For each C the weights (k, d), and the scores (k, n) of all rows, trained on or not.

    Raises:
        DivergedError: No solution was found, because the features are too large or too small.
    """
    weights = np.zeros((len(signs), design.shape[1]))
    scores = np.zeros(signs.shape)
    for penalty in penalties:
        state = _State.at(signs, weights, scores)
        solvers = _preconditioners(design, state.wrong, penalty, groups)
        weights = _solve(design, state, penalty, groups, solvers)
        scores = design.scores(weights)
        yield weights, scores


def _preconditioners(
    design: Design, wrong: Floats, penalty: float, groups: NDArray[np.int64]
) -> list[Solve]:
    """One for each group, from its average curvature."""
    curvature = wrong * (1 - wrong)
    return [
        design.preconditioner(penalty * curvature[groups == group].mean(axis=0))
        for group in range(groups.max() + 1)
    ]


def _solve(
    design: Design, state: _State, penalty: float, groups: NDArray[np.int64], solvers: list[Solve]
) -> Floats:
    """The weights of all problems at the solution for one C."""
    solution = np.empty_like(state.weights)
    used = np.abs(state.signs)
    noise, noise_of_scores = (_ROUNDING * penalty * (used @ design.norms**p) for p in (1, 2))
    left = np.arange(len(used))  # the problems still in work
    for _ in range(_MAX_STEPS):
        gradient = state.weights - penalty * design.gather(state.signs * state.wrong)
        size = np.sqrt(_dot(state.weights, state.weights))
        limit = noise[left] + size * noise_of_scores[left]
        limit = np.maximum(TOLERANCE * np.maximum(size, 1), limit)
        going = np.sqrt(_dot(gradient, gradient)) > limit
        solution[left[~going]] = state.weights[~going]
        if not going.all():
            left, gradient, state = left[going], gradient[going], state.some(going)
        if not len(left):
            return solution
        curvature = penalty * state.wrong * (1 - state.wrong)
        step, moved = _newton_step(design, curvature, gradient, groups[left], solvers)
        state = _line_search(state, penalty, _dot(gradient, step), step, moved)
    msg = f"{len(left)} logistic regressions with C = {penalty:g} did not converge - expected "
    raise DivergedError(msg + "features of ordinary size; scale the vectors")


def _newton_step(
    design: Design,
    curvature: Floats,
    gradient: Floats,
    groups: NDArray[np.int64],
    solvers: list[Solve],
) -> tuple[Floats, Floats]:
    """Solve Hessian times step = -gradient by conjugate gradients.

    Returns:
        The steps (k, d), and what they add to the scores (k, n).
    """

    def solve(right: Floats) -> Floats:
        if len(solvers) == 1:
            return solvers[0](right)
        result = np.empty_like(right)
        for group in np.unique(groups):
            result[groups == group] = solvers[group](right[groups == group])
        return result

    step, moved = np.zeros_like(gradient), np.zeros_like(curvature)
    residual = -gradient
    direction = solve(residual)
    size = _dot(residual, direction)
    goal = _FORCING**2 * size
    for _ in range(_MAX_PRODUCTS):
        along = design.scores(direction)
        image = direction + design.gather(curvature * along)
        rate = np.where(size > goal, size / _dot(direction, image), 0)[:, None]
        step += rate * direction
        moved += rate * along
        residual -= rate * image
        solution = solve(residual)
        before, size = size, _dot(residual, solution)
        if (size <= goal).all():
            break
        direction *= (size / before)[:, None]
        direction += solution
    return step, moved


def _line_search(
    state: _State, penalty: float, slope: Floats, step: Floats, moved: Floats
) -> _State:
    """The state after the steps; those that do not lower the objective enough are halved."""
    start = state.objectives(penalty)
    rate = np.ones((len(step), 1))
    for _ in range(_MAX_HALVINGS):
        after = _State.at(state.signs, state.weights + rate * step, state.scores + rate * moved)
        limit = start + _ENOUGH * rate[:, 0] * slope + _SLACK * start
        fell = after.objectives(penalty) <= limit
        if fell.all():
            break
        rate[~fell] *= 0.5
    return after


def class_signs(
    labels: NDArray[np.int64], rows: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64]]:
    """Set up one-vs-rest problems: one for two classes, else one for each class.

    Args:
        labels: The class of each row, (n,).
        rows: What each fold trains on, (f, n).

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
            msg = f"training part {fold + 1} of {len(rows)} holds {row.sum():,} rows of the classes"
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
        classes: The labels, rising.
        weights: One row for two classes (positive means the second), else one a class; the last
            column is the intercept.
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
        features: One row an item, (n, d).
        labels: Their classes, (n,).
        penalty: C, the weight of the loss against the regulariser; larger fits closer.

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
        SettingsError: They are no integers, or too many or too few.
    """
    values: NDArray[Any] = np.asarray(labels)
    if values.shape != (n_rows,) or values.dtype.kind not in "iub":
        msg = f"labels have shape {values.shape} and type {values.dtype}"
        raise SettingsError(f"{msg} - expected {n_rows:,} integers, one for each row of features")
    return values.astype(np.int64)


def checked_penalties(penalties: Sequence[float]) -> tuple[float, ...]:
    """The values of C in rising order.

    Raises:
        SettingsError: There is none, or one is not positive and finite.
    """
    values = sorted(float(value) for value in penalties)
    if not values or not all(0 < value < np.inf for value in values):
        msg = f"C is {list(penalties)} - expected one or more positive numbers, such as 1.0"
        raise SettingsError(msg)
    return tuple(values)
