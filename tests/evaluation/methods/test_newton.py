"""The solver alone, on problems whose solution is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from sentvec.errors import DivergedError
from sentvec.evaluation.methods import newton
from sentvec.evaluation.methods.design import DenseDesign
from sentvec.evaluation.methods.newton import minimise


@dataclass(frozen=True)
class Quartic:
    """|w|^2 / 2 + sum_i (x_i.w - t_i)^4 / 4 for each row of targets t."""

    design: DenseDesign
    targets: np.ndarray
    weights: np.ndarray
    scores: np.ndarray
    rounding: tuple[np.ndarray, np.ndarray]
    moves: list[np.ndarray]

    @classmethod
    def at(cls, x, targets, weights):
        design, none = DenseDesign(x), np.zeros(len(targets))
        return cls(design, targets, weights, design.scores(weights), (none, none), [])

    def objectives(self):
        return 0.5 * (self.weights**2).sum(axis=1) + ((self.scores - self.targets) ** 4 / 4).sum(
            axis=1
        )

    def gradients(self):
        return self.weights + self.design.gather((self.scores - self.targets) ** 3)

    def hessian(self):
        curvature = 3 * (self.scores - self.targets) ** 2
        return lambda direction, along: direction + self.design.gather(curvature * along)

    def precondition(self, right):
        return right.copy()

    def dot(self, left, right):
        return np.einsum("ij,ij->i", left, right)

    def moved(self, step, along):
        self.moves.append(step)
        return replace(self, weights=self.weights + step, scores=self.scores + along)

    def some(self, chosen):
        parts = {name: getattr(self, name)[chosen] for name in ("targets", "weights", "scores")}
        rounding = (self.rounding[0][chosen], self.rounding[1][chosen])
        return replace(self, rounding=rounding, **parts)

    def in_words(self):
        return f"{len(self.weights)} quartics"


def quartic(n_problems=4, size=1.0):
    random = np.random.default_rng(3)
    x = random.standard_normal((30, 5))
    targets = size * random.standard_normal((n_problems, 30))
    return Quartic.at(x, targets, np.zeros((n_problems, 6)))


def test_the_gradient_vanishes_at_every_solution():
    problems = quartic()
    weights = minimise(problems)
    solved = replace(problems, weights=weights, scores=problems.design.scores(weights))
    assert np.abs(solved.gradients()).max() < 1e-7


def test_problems_solved_side_by_side_are_those_solved_alone():
    problems = quartic(size=np.array([[0.0], [0.01], [1.0], [30.0]]))  # from solved to far away
    together = minimise(problems)
    assert (together[0] == 0).all()
    for row in range(4):
        alone = minimise(problems.some(np.arange(4) == row))
        np.testing.assert_allclose(together[row], alone[0], atol=1e-7)


def test_a_problem_that_is_solved_already_takes_no_step():
    problems = quartic()
    weights = minimise(problems)
    again = replace(problems, weights=weights, scores=problems.design.scores(weights), moves=[])
    assert np.array_equal(minimise(again), weights)
    assert again.moves == []


def test_a_step_that_goes_too_far_is_halved():
    problems = quartic(1, size=5.0)
    slope = np.array([-1.0])
    step = -np.sign(problems.gradients()) * 1000.0
    after = newton._line_search(problems, slope, step, problems.design.scores(step))
    rates = [float((move / step).max()) for move in problems.moves]
    assert rates == [0.5**power for power in range(len(rates))]
    assert len(rates) > 3
    assert after.objectives()[0] < problems.objectives()[0]


def test_problems_without_end_are_an_error_that_counts_them(monkeypatch):
    monkeypatch.setattr(newton, "_MAX_STEPS", 2)
    with pytest.raises(DivergedError, match=r"^3 quartics did not converge - .* scale the vectors"):
        minimise(quartic(size=np.array([[0.0], [1.0], [2.0], [3.0]])))
