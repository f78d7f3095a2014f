"""Two or more reports side by side, and whether their figures really differ.

Every report is compared with the first. Correlations get an interval by a paired bootstrap over the
pairs, accuracies on a test part McNemar's exact test, accuracies of a cross-validation an interval
of the mean difference of the folds. Figures of different data or different protocols are shown side
by side, marked, and are not tested.

Not here: the statistics (`significance`), and the runs (`sentvec.evaluation.runner`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.significance import (
    Interval,
    McNemar,
    bootstrap_difference,
    fold_difference,
    mcnemar,
)
from sentvec.evaluation.reports.record import Record
from sentvec.evaluation.reports.results import Floats, Items, TaskResult
from sentvec.evaluation.reports.tables import (
    FAILED,
    NOT_RUN,
    UNDEFINED,
    Table,
    shown,
    style_of,
)
from sentvec.evaluation.tasks.suites import TASKS

_DIFFERENT_DATA = "different data"
_DIFFERENT_PROTOCOL = "different protocol"


@dataclass(frozen=True, slots=True)
class Difference:
    """How a figure of a report differs from that of the first.

    Attributes:
        key: `TASK/metric`.
        first: The figure of the first report.
        second: That of the other; `None` if it has none.
        interval: The confidence interval of the difference, for correlations and folds.
        test: McNemar's test, for accuracies on a test part.
        mark: Why there is neither.
    """

    key: str
    first: float
    second: float | None
    interval: Interval | None = None
    test: McNemar | None = None
    mark: str = ""

    @property
    def difference(self) -> float:
        """Second minus first; NaN if one of them is undefined."""
        return math.nan if self.second is None else self.second - self.first

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes 0, or the p-value is below 0.05."""
        if self.interval is not None:
            return self.interval.low > 0 or self.interval.high < 0
        return self.test is not None and self.test.p_value < 0.05


def compare(
    first: Record, second: Record, *, samples: int = 2000, seed: int = 1234
) -> list[Difference]:
    """Compare each figure of the first report with that of the second.

    Args:
        first: The report to compare with.
        second: The report to compare.
        samples: The number of bootstrap samples.
        seed: The seed of the bootstrap.
    """
    found = []
    for name, result in first.results.items():
        other = second.results.get(name)
        for metric, value in result.figures.items():
            plain = Difference(f"{name}/{metric}", value, None)
            if other is None or metric not in other.figures:
                found.append(replace(plain, mark=_absent(second, name)))
                continue
            plain = replace(plain, second=other.figures[metric], mark=_mark(result, other))
            tested = plain if plain.mark else _tested(plain, result, other, metric, samples, seed)
            found.append(tested)
    return found


def _absent(report: Record, task: str) -> str:
    """Why a report has no figure of a task."""
    return FAILED if task in report and report[task].error else NOT_RUN


def _mark(one: TaskResult, other: TaskResult) -> str:
    """Why two results cannot be tested against each other; empty if they can."""
    if sorted(one.files.values()) != sorted(other.files.values()):
        return _DIFFERENT_DATA
    return "" if one.protocol == other.protocol else _DIFFERENT_PROTOCOL


def _tested(
    plain: Difference, one: TaskResult, other: TaskResult, metric: str, samples: int, seed: int
) -> Difference:
    items = (one.items, other.items)
    if metric in ("pearson", "spearman"):
        sets = _sets(one.name, *items)
        if sets:
            interval = bootstrap_difference(
                sets, "pearson" if metric == "pearson" else "spearman", samples=samples, seed=seed
            )
            return replace(plain, interval=interval)
    if metric == "accuracy" and items[0].fold_accuracies:
        return replace(plain, interval=fold_difference(*(one.fold_accuracies for one in items)))
    if metric == "accuracy" and items[0].correct is not None and items[1].correct is not None:
        right = [one.correct for one in items]
        test = mcnemar(right[0], right[1], np.ones(len(items[0].correct), np.bool_))  # type: ignore[arg-type]
        return replace(plain, test=test)
    return replace(plain, mark="no test for this figure")


def _sets(task: str, one: Items, other: Items) -> list[tuple[Floats, Floats, Floats]]:
    """Both scores and the gold scores of each set that the summary uses."""
    unions = TASKS[task].unions if task in TASKS else {}
    # with unions the summary is the first of them; without, the mean over all sets
    joined = [next(iter(unions.values()))] if unions else [(name,) for name in one.scores]
    if one.scores.keys() != other.scores.keys():
        return []

    def column(of: dict[str, Floats], names: Sequence[str]) -> Floats:
        return np.concatenate([of[name] for name in names])

    return [
        (column(one.scores, names), column(other.scores, names), column(one.gold, names))
        for names in joined
    ]


# --- as tables ----------------------------------------------------------------------------------


def compare_tables(
    reports: Sequence[Record], *, samples: int = 2000, seed: int = 1234
) -> list[Table]:
    """A table of the figures of all reports, then one of each report against the first.

    Raises:
        SettingsError: There are fewer than two reports, or no task is in all of them.
    """
    if len(reports) < 2:
        msg = f"got {len(reports)} report{'s' * (not reports)} - expected two or more to compare"
        raise SettingsError(msg)
    if not [key for key in _keys(reports[0]) if all(key in _keys(one) for one in reports)]:
        tasks = "; ".join(f"{report.name}: {', '.join(report) or 'none'}" for report in reports)
        msg = f"the reports have no task in common ({tasks}) - expected at least one"
        raise SettingsError(msg)
    names = names_of(reports)
    tables = [_side_by_side(reports, names)]
    for report, name in zip(reports[1:], names[1:], strict=True):
        differences = compare(reports[0], report, samples=samples, seed=seed)
        tables.append(_against(differences, f"{name} against {names[0]}"))
    return tables


def names_of(reports: Sequence[Record]) -> list[str]:
    """A name for each report, numbered where models have the same name."""
    names = [report.name for report in reports]
    return [
        f"{name} ({place})" if names.count(name) > 1 else name
        for place, name in enumerate(names, 1)
    ]


def _keys(report: Record) -> list[str]:
    return [f"{name}/{metric}" for name, result in report.items() for metric in result.figures]


def _side_by_side(reports: Sequence[Record], names: Sequence[str]) -> Table:
    keys = list(dict.fromkeys(key for report in reports for key in _keys(report)))
    rows = [(_label(key), *(_cell(report, key) for report in reports)) for key in keys]
    protocols = ", ".join(
        f"{name}: {report.protocol}, lower-cased: "
        f"{'yes' if report.provenance.get('lowercase') else 'no'}"
        for name, report in zip(names, reports, strict=True)
    )
    return Table("Figures", ("figure", *names), tuple(rows), note=protocols)


def _cell(report: Record, key: str) -> str:
    value = report.value(key)
    if value is None:
        return _absent(report, key.partition("/")[0])
    return shown(value, style_of(key))


def _label(key: str) -> str:
    return key.replace("/", " ")


def _against(differences: Sequence[Difference], title: str) -> Table:
    rows = []
    for one in differences:
        style = style_of(one.key)
        scale = 100 if style == "per cent" else 1
        digits = 1 if style == "per cent" else 4
        difference = f"{scale * one.difference:+.{digits}f}"
        if math.isnan(one.difference):
            difference = one.mark if one.second is None else UNDEFINED
        rows.append((_label(one.key), difference, _evidence(one, scale, digits), _verdict(one)))
    return Table(
        title,
        ("figure", "difference", "evidence", "clear"),
        tuple(rows),
        note="Correlations: 95 % interval by a paired bootstrap over the pairs. Cross-validated "
        "accuracies: 95 % interval by Student's t over the folds, corrected for shared rows. "
        "Accuracies on a test part: McNemar's exact test. Each figure is tested alone, so about "
        "one in twenty is clear by chance",
    )


def _evidence(one: Difference, scale: int, digits: int) -> str:
    if one.interval is not None:
        if math.isnan(one.interval.low):
            return ""
        return f"{scale * one.interval.low:+.{digits}f} .. {scale * one.interval.high:+.{digits}f}"
    if one.test is not None:
        return (
            f"p = {one.test.p_value:.3g} (only the first correct: {one.test.only_first}, only the "
            f"second: {one.test.only_second})"
        )
    return one.mark if one.second is not None else ""


def _verdict(one: Difference) -> str:
    if math.isnan(one.difference) or (one.interval is None and one.test is None):
        return "-"
    return "yes" if one.is_clear else "no"
