"""A report as tables of text, for a terminal or a document: our figures, and those of the papers.

Not here: how a table is shown (`markdown`, the command line), and the papers' figures themselves
(`sent2vec_tables`, `skip_thought_tables`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sentvec.evaluation.methods.correlation import Correlation
from sentvec.evaluation.methods.protocols import PAPER
from sentvec.evaluation.reports.published import (
    NOT_AVAILABLE,
    SIAMESE_CBOW,
    SIAMESE_CBOW_SOURCE,
    Column,
    Published,
    Style,
)
from sentvec.evaluation.reports.record import Record
from sentvec.evaluation.reports.results import DIGITS, TaskResult
from sentvec.evaluation.reports.sent2vec_tables import SENT2VEC_TABLES, TABLE_1, TABLE_2
from sentvec.evaluation.reports.skip_thought_tables import SKIP_THOUGHT_TABLES

NOT_RUN, FAILED = "not run", "error"
UNDEFINED = "none"  # a correlation with something constant

_SIX = ("MSRP", "MR", "CR", "SUBJ", "MPQA", "TREC")
_SEVEN = (
    *(f"STS14/{name}" for name in ("deft-news", "deft-forum", "OnWN", "tweet-news", "images",
                                   "headlines")),
    "SICK",
)  # fmt: skip
_SIAMESE_CBOW_TASKS = ("STS12", "STS13", "STS14", "STS15")
_EXTRA = ("+NB", "+feats")


class _HasFigures(Protocol):
    def value(self, key: str) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text.

    Attributes:
        title: What it shows.
        headings: The headings of the columns.
        rows: The cells.
        ours: The number of rows that are ours; they come first.
        source: The source of the other rows.
        note: What readers should know.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    ours: int = 0
    source: str = ""
    note: str = ""


def shown(value: float | None, style: Style) -> str:
    """A figure as the papers print it.

    >>> shown(0.7584, "per cent"), shown(0.7584, ".00"), shown(-0.05, ".00"), shown(None, "whole")
    ('75.8', '.76', '-.05', 'not run')
    """
    if value is None:
        return NOT_RUN
    if math.isnan(value):
        return UNDEFINED
    value = round(value, DIGITS)  # so that a report that was read from JSON looks the same
    if style == "per cent":
        return f"{100 * value:.1f}"
    if style == ".00":
        return f"{value:.2f}".replace("0.", ".", 1)
    return f"{value:.0f}" if style == "whole" else f"{value:.{len(style) - 2}f}"


def style_of(metric: str) -> Style:
    """The style of a metric outside the papers' tables."""
    name = metric.rpartition("/")[2]
    if name.startswith(("accuracy", "f1")) or "r@" in name:
        return "per cent"
    return "whole" if name.endswith("rank") else "0.0000"


def value_of(report: _HasFigures, key: str) -> float | None:
    """A figure of a report, or the average of several; `None` if one of them is missing."""
    if not key.startswith("average/"):
        return report.value(key)
    correlations = [f"{name}/{{}}" for name in _SEVEN]
    match key.partition("/")[2]:
        case "supervised":
            return _mean(report, [f"{name}/accuracy" for name in _SIX])
        case "unsupervised":
            return _mean(report, [key.format(m) for key in correlations for m in _CORRELATIONS])
        case "macro":
            return _mean(report, ["average/supervised", "average/unsupervised"])
        case metric:
            return _mean(report, [key.format(metric) for key in correlations])


_CORRELATIONS = ("spearman", "pearson")


def _mean(report: _HasFigures, keys: Sequence[str]) -> float | None:
    found = [value_of(report, key) for key in keys]
    values = [value for value in found if value is not None]
    return sum(values) / len(values) if len(values) == len(keys) else None


# --- our figures --------------------------------------------------------------------------------


def overview(report: Record) -> Table:
    """The summary of each task, beside the figures of the Sent2Vec paper where it has them."""
    rows = []
    for name, result in report.results.items():
        rows.append((name, headline_figures(result), _reference(report, name), known_share(result)))
    rows += [(name, NOT_RUN, "", "") for name in report.missing]
    return Table(
        f"{report.name}, protocol {report.protocol}",
        ("task", "figures", "Sent2Vec uni.+bi. (paper)", "known words"),
        tuple(rows),
        note=_NOTES.get(report.protocol, ""),
    )


_NOTES = {
    "quick": "The protocol quick is ours: its accuracies are slightly too high, and cannot be "
    "compared with those of the papers. Similarity by cosine is the same in all protocols",
    "senteval": "The papers' accuracies follow the protocol paper, ours follow senteval, which has "
    "other folds and other values of C",
}


def has_papers_protocol(report: Record) -> bool:
    """Whether the accuracies can be compared with the papers'."""
    return report.protocol != "quick"


def headline_figures(result: TaskResult) -> str:
    """The figures of a task in words."""
    if result.error:
        return FAILED
    figures = [
        f"{metric} {shown(value, style_of(metric))}" for metric, value in result.figures.items()
    ]
    return ", ".join(figures)


def known_share(result: TaskResult) -> str:
    """The share of known words of a task, in words."""
    share = result.coverage.share if result.coverage else None
    return "unknown" if share is None else f"{share:.1%}"


def _reference(report: Record, task: str) -> str:
    if not has_papers_protocol(report) and report[task].kind != "similarity":
        return ""
    for table in (TABLE_1, TABLE_2):
        for column in table.columns:
            if column.keys[0].rpartition("/")[0] == task:
                order = "accuracy / F1" if task == "MSRP" else ""
                order = "Spearman/Pearson" if table is TABLE_2 else order
                return f"{table.cell('Sent2Vec uni.+bi.', column.heading)} {order}".rstrip()
    return ""


def set_tables(report: Record) -> list[Table]:
    """The sets of each similarity task, and the three ways to combine them."""
    return [_set_table(result) for result in report.results.values() if result.sets]


def _set_table(result: TaskResult) -> Table:
    has_siamese = result.name in _SIAMESE_CBOW_TASKS
    rows = [_set_row(result, name, one) for name, one in result.sets.items()]
    headings = ["set", "Pearson", "Spearman", "pairs"]
    if has_siamese:
        headings.append("Siamese CBOW, Pearson")
        rows = [
            (*row, SIAMESE_CBOW.get(f"{result.name}/{row[0]}/pearson", NOT_AVAILABLE))
            for row in rows
        ]
    for name, one in result.means.items():
        rows.append((*_set_row(result, name, one), *[""] * has_siamese))
    return Table(
        f"{result.name}: {result.title}",
        tuple(headings),
        tuple(rows),
        source=SIAMESE_CBOW_SOURCE if has_siamese else "",
        note=_which_set(result),
    )


def _which_set(result: TaskResult) -> str:
    """Which row the summary of the task is from."""
    if result.headline in result.means:
        return f"The summary uses the {result.headline} of the subsets"
    return f"The summary uses the set {result.headline!r}"


def _set_row(result: TaskResult, name: str, one: Correlation) -> tuple[str, ...]:
    return (name, shown(one.pearson, "0.0000"), shown(one.spearman, "0.0000"), f"{one.n_pairs:,}")


# --- beside the papers --------------------------------------------------------------------------


def paper_tables(report: Record) -> list[Table]:
    """The tables of the papers that share a figure with the report, with our row on top.

    With the protocol `quick`, tables with accuracies are left out.
    """
    tables = []
    for published in (*SENT2VEC_TABLES, *SKIP_THOUGHT_TABLES):
        ours = _our_rows(report, published.columns)
        is_fair = has_papers_protocol(report) or not _has_accuracies(published.columns)
        if ours and is_fair:
            tables.append(_beside(published, ours))
            if report.protocol != PAPER.name and _has_accuracies(published.columns):
                note = (
                    f"Our accuracies follow the protocol {report.protocol}, not that of the papers"
                )
                notes = [text.rstrip(".") for text in (note, tables[-1].note) if text]
                tables[-1] = replace(tables[-1], note=". ".join(notes))
    return tables


def _has_accuracies(columns: Sequence[Column]) -> bool:
    keys = {key for column in columns for key in column.keys}
    return any(
        key.endswith(("/accuracy", "/f1")) or key in ("average/supervised", "average/macro")
        for key in keys
    )


def _our_rows(report: Record, columns: Sequence[Column]) -> list[tuple[str, ...]]:
    """Our row, and one for each kind of extra features; none if nothing of the table was run."""
    rows = []
    for extra in ("", *_EXTRA):
        cells = [_cell(report, column, extra) for column in columns]
        if any(cell != NOT_RUN for cell in cells):
            rows.append((f"{report.name} {extra}".rstrip(), *cells))
    return rows


def _cell(report: Record, column: Column, extra: str) -> str:
    keys = [f"{key} {extra}" if extra else key for key in column.keys]
    values = [None if extra and "average" in key else value_of(report, key) for key in keys]
    if all(value is None for value in values):
        return NOT_RUN
    return column.between.join(shown(value, column.style) for value in values)


def _beside(published: Published, ours: list[tuple[str, ...]]) -> Table:
    headings = ("model", *(column.heading for column in published.columns))
    return Table(
        published.title,
        headings,
        (*ours, *published.rows),
        ours=len(ours),
        source=published.source,
        note=published.note,
    )
