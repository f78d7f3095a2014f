"""A report on one screen: what `print(report)` shows, at most 100 columns wide.

Not here: the sets of each task and the papers' figures (`markdown`, the command line).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from sentvec.evaluation.reports.record import Record
from sentvec.evaluation.reports.results import TaskResult
from sentvec.evaluation.reports.tables import headline_figures, known_share

_WIDTH = 100


def summary(report: Record) -> str:
    """The figures of each task, what is missing, and how it was run."""
    return "\n".join(line for text in _lines(report) for line in text)


def _lines(report: Record) -> Iterator[list[str]]:
    """Each text of the summary, cut into lines."""
    yield _wrapped("", f"Evaluation of {report.name}, protocol {report.protocol}")
    width = max((len(name) for name in report.results), default=4)
    if report.results:
        yield [f"{'task':<{width}}  known words  figures"]
    for name, result in report.results.items():
        yield _wrapped(f"{name:<{width}}  {known_share(result):>11}  ", _figures(result))
    if report.missing:
        yield _wrapped("not run, without data: ", ", ".join(report.missing))
    lowercase = report.provenance.get("lowercase")
    if lowercase is not None:
        why = report.provenance.get("lowercase_because", "?")
        yield _wrapped("lower-cased: ", f"{'yes' if lowercase else 'no'} ({why})")


def _figures(result: TaskResult) -> str:
    if result.error:
        return textwrap.shorten(f"failed: {result.error}", _WIDTH, placeholder=" ...")
    if len(result.sets) < 2:
        return headline_figures(result)
    is_mean = result.headline in result.means
    of = (
        f"{result.headline} of {len(result.sets)} subsets"
        if is_mean
        else f"set {result.headline!r}"
    )
    return f"{headline_figures(result)} ({of})"


def _wrapped(start: str, text: str) -> list[str]:
    """A text behind a start, on as many lines as it takes."""
    indent = " " * len(start)
    return textwrap.wrap(text, _WIDTH, initial_indent=start, subsequent_indent=indent) or [start]
