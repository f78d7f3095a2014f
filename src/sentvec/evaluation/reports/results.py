"""The result of a task: figures, and what a comparison of two runs needs to know of each item.

Results can be written as JSON and read again. Arrays are written as base64: cosines and gold scores
of pairs as float32, and for accuracies one bit for each item, whether it was right.

Not here: how results are computed (`scoring`), and the report of all tasks (`report`).
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.correlation import Correlation
from sentvec.evaluation.methods.vectors import Coverage

Floats: TypeAlias = NDArray[np.float32]

DIGITS = 10  # of a figure in JSON; beyond that they may depend on the number of threads

# The three ways to combine sets of pairs, as every report calls them.
MEAN, WEIGHTED, CONCATENATED = "mean", "mean weighted by pairs", "concatenation"


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The results of the single items, in the order of the files.

    Attributes:
        scores: The cosines or predicted scores of each set of pairs.
        gold: The gold scores of the same sets.
        correct: Whether each item was classified correctly.
        fold_accuracies: The accuracies of the folds of a cross-validation.
    """

    scores: dict[str, Floats] = field(default_factory=dict)
    gold: dict[str, Floats] = field(default_factory=dict)
    correct: NDArray[np.bool_] | None = None
    fold_accuracies: tuple[float, ...] = ()

    def __repr__(self) -> str:
        """Sizes only: there are thousands of numbers."""
        n_pairs = sum(map(len, self.gold.values()))
        n_correct = 0 if self.correct is None else len(self.correct)
        sizes = {"scores": n_pairs, "correct": n_correct, "folds": len(self.fold_accuracies)}
        return f"<Items: {', '.join(f'{n:,} {name}' for name, n in sizes.items() if n) or 'none'}>"


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult:
    """The result of one task.

    Attributes:
        name: The name of the task.
        title: What the task is.
        kind: The kind of the task (`similarity`, `classification`, ...).
        protocol: How the figures were computed, in words.
        figures: The summary of the task, by metric; accuracies and F1 are from 0 to 1. NaN where a
            figure is undefined, as a remark says.
        sets: The correlations of each set of a similarity task.
        means: The sets of a similarity task combined in three ways.
        headline: The key in `sets` or `means` of the figures.
        penalties: The chosen values of C.
        counts: The number of rows of each part.
        files: The BLAKE2b checksum of each file.
        coverage: How much of the sentences the model knows.
        remarks: What a reader of the figures should know.
        error: Why there are no figures.
        items: The results of the single items, for comparisons.
    """

    name: str
    title: str
    kind: str
    protocol: str = ""
    figures: dict[str, float] = field(default_factory=dict)
    sets: dict[str, Correlation] = field(default_factory=dict)
    means: dict[str, Correlation] = field(default_factory=dict)
    headline: str = ""
    penalties: tuple[float, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    coverage: Coverage | None = None
    remarks: tuple[str, ...] = ()
    error: str | None = None
    items: Items = field(default_factory=Items)

    def __repr__(self) -> str:
        """The figures, or why there are none."""
        figures = ", ".join(f"{metric} {value:.4g}" for metric, value in self.figures.items())
        return f"<TaskResult {self.name}: {f'failed: {self.error}' if self.error else figures}>"

    def figure(self, metric: str) -> float:
        """A figure of the summary.

        Raises:
            SettingsError: The task has no such figure, or failed.
        """
        if metric in self.figures:
            return self.figures[metric]
        why = f"it failed: {self.error}" if self.error else f"expected {', '.join(self.figures)}"
        msg = f"{self.name} has no {metric} - {why}"
        raise SettingsError(msg)

    @property
    def pearson(self) -> float:
        """Pearson's correlation, of the summary."""
        return self.figure("pearson")

    @property
    def spearman(self) -> float:
        """Spearman's correlation, of the summary."""
        return self.figure("spearman")

    @property
    def accuracy(self) -> float:
        """Share of items classified right, 0 to 1."""
        return self.figure("accuracy")

    @property
    def f1(self) -> float:
        """F1 of the class 1, 0 to 1."""
        return self.figure("f1")

    @property
    def mse(self) -> float:
        """Mean squared error."""
        return self.figure("mse")

    def value(self, key: str) -> float | None:
        """A figure by its key: a metric, or `SET/METRIC` such as `images/pearson`.

        `None` if there is none.
        """
        name, slash, metric = key.rpartition("/")
        if not slash:
            return self.figures.get(metric)
        found = self.sets.get(name) or self.means.get(name)
        return getattr(found, metric, None)

    def to_json(self) -> dict[str, Any]:
        """The values for JSON; a figure that is undefined is `null`."""
        values = {
            "title": self.title,
            "kind": self.kind,
            "protocol": self.protocol,
            "headline": self.headline,
            "figures": _numbers(self.figures),
            "sets": {name: _numbers(asdict(one)) for name, one in self.sets.items()},
            "means": {name: _numbers(asdict(one)) for name, one in self.means.items()},
            "penalties": list(self.penalties),
            "counts": self.counts,
            "files": self.files,
            "coverage": asdict(self.coverage) if self.coverage else None,
            "remarks": list(self.remarks),
            "error": self.error,
            "items": _items_to_json(self.items),
        }
        return {key: value for key, value in values.items() if value not in (None, "", [], {})}

    @classmethod
    def from_json(cls, name: str, values: Mapping[str, Any]) -> TaskResult:
        """The inverse of `to_json`, except for the rounding of figures."""
        plain = {
            key: values[key]
            for key in ("title", "kind", "protocol", "headline", "counts", "files", "error")
            if key in values
        }
        return cls(
            name=name,
            figures=_from_numbers(values.get("figures", {})),
            sets=_correlations(values.get("sets", {})),
            means=_correlations(values.get("means", {})),
            penalties=tuple(values.get("penalties", ())),
            coverage=Coverage(**values["coverage"]) if "coverage" in values else None,
            remarks=tuple(values.get("remarks", ())),
            items=_items_from_json(values.get("items", {})),
            **plain,
        )


def _numbers(figures: Mapping[str, float]) -> dict[str, float | None]:
    """Rounded figures; JSON has no NaN."""
    return {
        key: round(value, DIGITS) if math.isfinite(value) else None
        for key, value in figures.items()
    }


def _from_numbers(figures: Mapping[str, float | None]) -> dict[str, float]:
    return {key: math.nan if value is None else value for key, value in figures.items()}


def _correlations(sets: Mapping[str, Mapping[str, Any]]) -> dict[str, Correlation]:
    return {name: Correlation(**_from_numbers(one)) for name, one in sets.items()}  # type: ignore[arg-type]


def _items_to_json(items: Items) -> dict[str, Any]:
    values: dict[str, Any] = {
        side: {name: {"float32": _base64(column.astype("<f4"))} for name, column in sets.items()}
        for side, sets in (("scores", items.scores), ("gold", items.gold))
        if sets
    }
    if items.correct is not None:
        bits = _base64(np.packbits(items.correct))
        values["correct"] = {"bits": bits, "items": len(items.correct)}
    if items.fold_accuracies:
        values["fold_accuracies"] = [round(value, DIGITS) for value in items.fold_accuracies]
    return values


def _items_from_json(values: Mapping[str, Any]) -> Items:
    scores, gold = (
        {name: _array(column["float32"], "<f4") for name, column in values.get(side, {}).items()}
        for side in ("scores", "gold")
    )
    correct = None
    if "correct" in values:
        bits = _array(values["correct"]["bits"], np.uint8)
        correct = np.unpackbits(bits, count=values["correct"]["items"]).astype(np.bool_)
    return Items(scores, gold, correct, tuple(values.get("fold_accuracies", ())))


def _base64(array: NDArray[Any]) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def _array(text: str, kind: Any) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text, validate=True), kind)
