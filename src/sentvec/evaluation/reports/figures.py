"""Figures, drawn with matplotlib: reports side by side, and the norms of word vectors.

Not here: where the numbers come from (`record`, `sentvec.evaluation.evaluate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.errors import MissingExtraError, SettingsError
from sentvec.evaluation.reports.compare import names_of
from sentvec.evaluation.reports.record import Record
from sentvec.evaluation.reports.sent2vec_tables import TABLE_1, TABLE_2
from sentvec.evaluation.reports.tables import has_papers_protocol, value_of

FORMATS = ("png", "svg", "pdf")
_PAPER_MODEL = "Sent2Vec uni.+bi."
WEIGHT = 1e-3  # a of the weights a / (a + f)


def figure_format(path: str | Path) -> str:
    """The format of a figure, from the suffix of its file name.

    Raises:
        SettingsError: The format is not supported.
    """
    found = Path(path).suffix.removeprefix(".").lower()
    if found not in FORMATS:
        msg = f"{path} has the suffix {found!r} - expected one of {', '.join(FORMATS)}"
        raise SettingsError(f"{msg}; name the file so")
    return found


def check_plotting() -> None:
    """Check before long work that figures can be drawn.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    _new_figure()


def _new_figure(width: float = 9.0, height: float = 6.0) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        msg = "figures need matplotlib - install it with: pip install 'sentvec[plot]'"
        raise MissingExtraError(msg) from error
    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Any, file: BinaryIO, kind: str) -> None:
    """Write a figure; the same figure gives the same bytes."""
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    figure.savefig(file, format=kind, dpi=150, metadata=dates[kind])


def comparison_figure(reports: Sequence[Record]) -> Any:
    """Accuracies on the left and Pearson correlations on the right, a bar for each report.

    The figures of the Sent2Vec paper (uni.+bi., Toronto books) are drawn too, where they can be
    compared.

    Raises:
        SettingsError: There is nothing to draw.
    """
    bars = _accuracies(reports), _correlations(reports)
    shares = [max(len(labels), 1) for labels, _ in bars]
    if not any(labels for labels, _ in bars):
        msg = "the reports have no accuracy and no correlation - expected a task that was scored"
        raise SettingsError(msg)
    figure = _new_figure(4 + 0.7 * sum(shares), 4.5)
    axes = figure.subplots(1, 2, width_ratios=shares)
    for one, (labels, series), title in zip(
        axes, bars, ("accuracy, per cent", "Pearson correlation"), strict=True
    ):
        if not labels:
            one.set_axis_off()
            continue
        _draw_bars(one, labels, series, title)
    # the half with more series has all names
    longest = max(zip(bars, axes, strict=True), key=lambda pair: len(pair[0][1]))[1]
    handles, names = longest.get_legend_handles_labels()
    figure.legend(handles, names, fontsize="small", loc="outside lower center", ncols=3)
    return figure


Floats: TypeAlias = NDArray[np.float64]
_Bars: TypeAlias = tuple[list[str], dict[str, list[float]]]


def _accuracies(reports: Sequence[Record]) -> _Bars:
    labels = _tasks_with(reports, "accuracy")
    series = {
        name: [100 * _or_nan(value_of(report, f"{label}/accuracy")) for label in labels]
        for name, report in zip(names_of(reports), reports, strict=True)
    }
    if all(map(has_papers_protocol, reports)):
        cells = {column.heading: column for column in TABLE_1.columns}
        series[f"{_PAPER_MODEL} (paper)"] = [
            float(TABLE_1.cell(_PAPER_MODEL, label).split()[0]) if label in cells else np.nan
            for label in labels
        ]
    return labels, series


def _correlations(reports: Sequence[Record]) -> _Bars:
    labels, keys, printed = [], [], []
    for column in TABLE_2.columns[:-1]:
        key = column.keys[1]
        if any(report.value(key) is not None for report in reports):
            labels.append(column.heading)
            keys.append(key)
            printed.append(float(TABLE_2.cell(_PAPER_MODEL, column.heading).split("/")[1]))
    for task in _tasks_with(reports, "pearson"):
        if task not in ("STS14", "SICK"):
            labels.append(task)
            keys.append(f"{task}/pearson")
            printed.append(np.nan)
    series = {
        name: [_or_nan(report.value(key)) for key in keys]
        for name, report in zip(names_of(reports), reports, strict=True)
    }
    if np.isfinite(printed).any():
        series[f"{_PAPER_MODEL} (paper)"] = printed
    return labels, series


def _tasks_with(reports: Sequence[Record], metric: str) -> list[str]:
    return list(
        dict.fromkeys(
            name
            for report in reports
            for name, result in report.items()
            if metric in result.figures
        )
    )


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value


def _draw_bars(axes: Any, labels: list[str], series: dict[str, list[float]], title: str) -> None:
    places, width = np.arange(len(labels)), 0.8 / len(series)
    lowest = np.inf
    for number, (name, values) in enumerate(series.items()):
        axes.bar(places + (number - (len(series) - 1) / 2) * width, values, width, label=name)
        lowest = min([lowest, *(value for value in values if np.isfinite(value))])
    axes.set_xticks(places, labels, rotation=45, ha="right")
    axes.set_title(title)
    if lowest > 1:  # per cent: most accuracies are above 50
        axes.set_ylim(bottom=max(min(lowest - 5, 50), 0))
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def norms_figure(counts: ArrayLike, norms: ArrayLike, name: str) -> Any:
    """Figure 1 of the Sent2Vec paper: how a model weights words, and a / (a + f).

    On the left the length of each word vector against the frequency of the word in the training
    text, with the median of words of similar frequency; on the right the weight a / (a + f) that
    Arora et al. 2017 give to a word of frequency f, with a = 0.001.

    Args:
        counts: The count of each word.
        norms: The L2 norm of its vector.
        name: The name of the model.

    Raises:
        SettingsError: The counts are unknown.
    """
    occurrences, lengths = np.asarray(counts, np.float64), np.asarray(norms, np.float64)
    seen = occurrences > 0
    if np.unique(occurrences[seen]).size < 2:
        msg = (
            f"the vocabulary of {name} has no word counts - expected counts; take a model trained "
        )
        raise SettingsError(msg + "here")
    frequencies, lengths = occurrences[seen] / occurrences.sum(), lengths[seen]
    figure = _new_figure(10, 4.5)
    left, right = figure.subplots(1, 2, sharex=True)
    left.scatter(frequencies, lengths, s=2, alpha=0.2, rasterized=True)
    medians = _medians(frequencies, lengths)
    left.plot(*medians, color="black", label="median of words of similar frequency")
    left.set(xscale="log", title=f"{name}: length of each word's vector", ylabel="L2 norm")
    left.legend(fontsize="small")
    grid = np.geomspace(frequencies.min(), frequencies.max(), 200)
    right.plot(grid, WEIGHT / (WEIGHT + grid))
    right.set(title=f"a / (a + f), a = {WEIGHT:g}", ylabel="weight")
    for axes in (left, right):
        axes.set_xlabel("frequency f of the word in the training text")
        axes.grid(alpha=0.3)
    return figure


def _medians(frequencies: Floats, lengths: Floats) -> tuple[list[float], list[float]]:
    """The median length in each of up to 30 equal steps of log frequency."""
    edges = np.geomspace(frequencies.min(), frequencies.max(), 31)
    places = np.clip(np.digitize(frequencies, edges), 1, 30)
    middles, medians = [], []
    for step in range(1, 31):
        found = lengths[places == step]
        if len(found):
            middles.append(float(np.sqrt(edges[step - 1] * edges[step])))
            medians.append(float(np.median(found)))
    return middles, medians
