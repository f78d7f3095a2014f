"""Newton's method for regularised linear models, many of them at a time on shared rows.

A problem is to minimise |w|^2 / 2 plus a convex loss of the scores X w. The step comes from
conjugate gradients, then a line search halves it until the objective falls enough. The
preconditioner is fixed for a whole run: it changes the way to the solution, not the solution.

How exact: the objective is strongly convex with modulus 1, so the distance of the weights to the
solution is at most the norm of the gradient. A problem is solved when that is below 1e-8 of
max(1, |w|), or at the limit of float64 for huge features.

Not here: the losses (`logistic`, `relatedness`), and the matrix of features X (`design`).

    n rows of X, d columns, k problems, r rows of weights: either one row for each problem (r = k),
    or all rows for one problem (k = 1);  weights, steps (r, d);  scores (r, n)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import DivergedError
from sentvec.evaluation.methods.design import Design, Floats

TOLERANCE = 1e-8  # distance of the weights to the solution, of max(1, |w|)
_SLACK = 1e-12  # of the objective: near the solution it falls by less than float64 can show
_MAX_STEPS = 100
_MAX_PRODUCTS = 250  # of conjugate gradients in a step
_FORCING = 0.03  # how far conjugate gradients reduce the (preconditioned) residual
_MAX_HALVINGS = 40
_ENOUGH = 1e-4  # of the fall that the slope promises

# A direction (r, d) and its scores (r, n) -> the Hessian times the direction, (r, d)
Hessian: TypeAlias = Callable[[Floats, Floats], Floats]


class Problems(Protocol):
    """k problems at some weights, and what the solver asks about them there."""

    @property
    def design(self) -> Design:
        """The rows that all problems share."""

    @property
    def weights(self) -> Floats:
        """Where the problems stand, (r, d)."""

    @property
    def rounding(self) -> tuple[Floats, Floats]:
        """Rounding errors of a gradient, (k,): those at weights of 0, and what |w| = 1 adds."""

    def objectives(self) -> Floats:
        """The objective of each problem, (k,)."""

    def gradients(self) -> Floats:
        """The gradient of each problem, (r, d)."""

    def hessian(self) -> Hessian:
        """Return what multiplies directions by the Hessians."""

    def precondition(self, right: Floats) -> Floats:
        """Solve, or nearly solve, the Hessians for right sides (r, d); a new array."""

    def dot(self, left: Floats, right: Floats) -> Floats:
        """The inner product of the rows of each problem, (k,)."""

    def moved(self, step: Floats, along: Floats) -> Self:
        """The same problems after a step; `along` is what it adds to the scores."""

    def some(self, chosen: NDArray[np.bool_]) -> Self:
        """Some of the problems, where each has one row."""

    def in_words(self) -> str:
        """What the problems are, for a message."""


def minimise(problems: Problems) -> Floats:
    """The weights at the solution of each problem, (r, d).

    Raises:
        DivergedError: No solution was reached, because the features are too large or too small.
    """
    solution = np.empty_like(problems.weights)
    left = np.arange(len(solution))  # the rows whose problems are not solved yet
    for _ in range(_MAX_STEPS):
        gradient = problems.gradients()
        going = np.broadcast_to(_is_unsolved(problems, gradient), len(left))
        if not going.all():
            solution[left[~going]] = problems.weights[~going]
            left, gradient = left[going], gradient[going]
            if not len(left):
                return solution
            problems = problems.some(going)
        step, along = _newton_step(problems, gradient)
        problems = _line_search(problems, problems.dot(gradient, step), step, along)
    msg = f"{problems.in_words()} did not converge - expected features of ordinary size; scale the "
    raise DivergedError(msg + "vectors")


def _is_unsolved(problems: Problems, gradient: Floats) -> NDArray[np.bool_]:
    """Whether each problem has further to go, (k,)."""
    size = np.sqrt(problems.dot(problems.weights, problems.weights))
    at_zero, for_size = problems.rounding
    limit = np.maximum(TOLERANCE * np.maximum(size, 1), at_zero + size * for_size)
    unsolved: NDArray[np.bool_] = np.sqrt(problems.dot(gradient, gradient)) > limit
    return unsolved


def _newton_step(problems: Problems, gradient: Floats) -> tuple[Floats, Floats]:
    """Solve Hessian times step = -gradient by conjugate gradients.

    Returns:
        The steps (r, d), and what they add to the scores (r, n).
    """
    hessian, dot, scores = problems.hessian(), problems.dot, problems.design.scores
    residual = -gradient
    direction = problems.precondition(residual)
    size = dot(residual, direction)
    goal = _FORCING**2 * size
    step = np.zeros_like(gradient)
    moved = np.zeros((len(gradient), problems.design.shape[0]))
    for _ in range(_MAX_PRODUCTS):
        along = scores(direction)
        image = hessian(direction, along)
        rate = np.where(size > goal, size / dot(direction, image), 0)[:, None]
        step += rate * direction
        moved += rate * along
        residual -= rate * image
        solution = problems.precondition(residual)
        before, size = size, dot(residual, solution)
        if (size <= goal).all():
            break
        direction *= (size / before)[:, None]
        direction += solution
    return step, moved


def _line_search(problems: Problems, slope: Floats, step: Floats, along: Floats) -> Problems:
    """The problems after the steps; those that do not lower the objective enough are halved."""
    start = problems.objectives()
    rate = np.ones((len(start), 1))
    for _ in range(_MAX_HALVINGS):
        after = problems.moved(rate * step, rate * along)
        limit = start + _ENOUGH * rate[:, 0] * slope + _SLACK * start
        fell = after.objectives() <= limit
        if fell.all():
            break
        rate[~fell] *= 0.5
    return after
