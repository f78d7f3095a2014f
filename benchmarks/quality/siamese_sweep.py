"""What epochs, negatives and dimensions do to Siamese CBOW: the effects its paper reports.

    python benchmarks/quality/siamese_sweep.py wiki.txt books.txt --data DIR --words 4e6 \
        --json sweep.jsonl --plot sweep.png

Section 4.2 of the paper, one setting changed at a time: from the paper's preset with summed
gradients and from our default. (With mean gradients the vectors hardly move; one such run is there
to compare with.) Every number of epochs is a run of its own, as the rate falls over all of them.
Each run reports Pearson's r of the cosine on the sets of the suite `siamese-cbow` that are
available, and how far training moved the rows: the root mean square of row - start, divided by that
of start. Seconds are those of the training alone. Words are split at white space; the text is the
first `--words` of each file.

A run is a line of the JSON file. Runs that are in it already (the same text, data and settings) are
not repeated, so a sweep that was killed continues, and another --plot takes a second.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sentvec
from common.texts import join
from sentvec.evaluation.reports import figures
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.siamese_cbow.model import SiameseCBOW
from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.training import matrices
from siamese_claim import sets_of

MOST_FREQUENT = 1000
# The sets that the paper names where it tells of an effect (sections 4.2.1 to 4.2.3).
NAMED = {
    "epochs": ("12 MSRvid", "13 OnWN", "14 deft-news"),
    "negatives": ("13 FNWN", "15 belief"),
    "dim": ("14 deft-forum", "15 answers-forums", "15 belief"),
}
Record: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sweep:
    """Settings to start from, and the values that each of some settings takes."""

    base: SiameseCBOWSettings
    values: dict[str, tuple[int, ...]]

    def variants(self, setting: str) -> list[SiameseCBOWSettings]:
        """The settings with each value of one of them."""
        return [self.base.with_values(**{setting: value}) for value in self.values[setting]]


_PUBLISHED = SiameseCBOWSettings.make("paper/siamese-cbow")
REFERENCE = "paper, mean gradients"
_DIMS = (50, 100, 200, 300)
SWEEPS = {
    REFERENCE: Sweep(_PUBLISHED, {"epochs": (1,)}),
    "paper, summed gradients": Sweep(
        _PUBLISHED.with_values(batch_gradient="sum"),
        {"epochs": (1, 2, 3, 4, 5), "negatives": (1, 2, 5, 10), "dim": _DIMS},
    ),
    "our default": Sweep(
        SiameseCBOWSettings.make(),
        {"epochs": (1, 2, 3, 4, 5), "negatives": (1, 2, 5, 10, 32, 64), "dim": _DIMS},
    ),
}


class Records:
    """The runs that were made, in a file of one JSON object a line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        text = path.read_bytes() if path.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if whole != text:  # killed while it wrote
            path.write_bytes(whole)
        self._found = {
            _key(record["run"]): record for record in map(json.loads, whole.splitlines())
        }

    def find(self, run: Record) -> Record | None:
        """The record of a run, if it was made."""
        return self._found.get(_key(run))

    def add(self, record: Record) -> None:
        """Append the record of a run."""
        self._found[_key(record["run"])] = record
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def _key(run: Record) -> str:
    return json.dumps(run, sort_keys=True)


def run_of(settings: SiameseCBOWSettings, seed: int, options: argparse.Namespace) -> Record:
    """What identifies a run: its text, its data, its settings; not the threads."""
    chosen = settings.with_values(seed=seed, tokenizer="whitespace").to_config()
    del chosen["threads"]
    return {
        "corpus": [[path.name, path.stat().st_size] for path in options.corpus],
        "words": options.words if np.isfinite(options.words) else None,
        "data": options.data.resolve().name,
        "settings": chosen,
    }


def measure(run: Record, text: Path, options: argparse.Namespace) -> Record:
    """Train and evaluate one model."""
    settings = SiameseCBOWSettings.from_config(run["settings"])
    given = {name: value for name, value in settings.to_config().items() if name != "ngrams"}
    model = SiameseCBOW.train(text, **{**given, "threads": options.threads})
    report = sentvec.evaluate(model, data=options.data, suite="siamese-cbow")
    return {
        "run": run,
        "pearson": sets_of(report),
        "moved_commonest": moved(model, MOST_FREQUENT),
        "moved_all": moved(model),
        "vocabulary": len(model.vocabulary),
        "threads": options.threads,
        "seconds": model.config["training"]["seconds"],
    }


def moved(model: SentenceEncoder, n_words: int | None = None) -> float:
    """How far training moved the rows of the N most frequent words (or of all).

    The root mean square of the change, divided by that of the start.

    The start is that of a run without `init_from`, computed again from seed and shape.
    """
    settings, rows = model.config["settings"], model.input_vectors
    start = matrices.normal(
        *rows.shape, deviation=settings["init_std"], seed=settings["seed"], threads=1,
        dtype=settings["dtype"],
    )[:n_words].astype(np.float64)  # fmt: skip
    difference = rows[:n_words] - start
    return float(np.sqrt(np.square(difference).mean() / np.square(start).mean()))


def mean_of(record: Record) -> float:
    """The mean Pearson of a run over its sets."""
    return float(np.mean(list(record["pearson"].values())))


def records_of(
    settings: SiameseCBOWSettings, records: Records, options: argparse.Namespace
) -> list[Record]:
    """The records of a setting, one for each seed."""
    found = [records.find(run_of(settings, seed, options)) for seed in options.seeds]
    return [record for record in found if record is not None]


def table(title: str, setting: str, records: Records, options: argparse.Namespace) -> Iterator[str]:
    """The lines of one effect on one preset; means over the seeds, `*` at the preset's value."""
    sweep, named = SWEEPS[title], NAMED[setting]
    yield f"\n{title}"
    yield (
        f"{setting:>10}{'mean':>9}"
        + "".join(f"{name:>20}" for name in named)
        + (f"{f'moved ({MOST_FREQUENT:,})':>16}{'moved (all)':>13}{'seconds':>9}")
    )
    for settings in sweep.variants(setting):
        found = records_of(settings, records, options)
        own = "*" if settings == sweep.base else " "
        sets = [np.mean([one["pearson"].get(name, np.nan) for one in found]) for name in named]
        commonest, every, seconds = (
            np.mean([one[name] for one in found])
            for name in ("moved_commonest", "moved_all", "seconds")
        )
        mean = np.mean([mean_of(one) for one in found])
        yield (
            f"{getattr(settings, setting):>9}{own}{mean:9.3f}"
            + "".join(f"{value:20.3f}" for value in sets)
            + f"{commonest:16.3g}{every:13.3g}{seconds:9.1f}"
        )


def figure(records: Records, options: argparse.Namespace) -> Any:
    """Mean Pearson against epochs, negatives and dimensions, a panel each.

    Points are means over the seeds, bars reach from the lowest to the highest of them; a preset's
    own value has a larger point.
    """
    from matplotlib.figure import Figure

    result = Figure(figsize=(12, 4.5), layout="constrained")
    panels = result.subplots(1, len(NAMED), sharey=True)
    for axes, setting in zip(panels, NAMED, strict=True):
        for title, sweep in SWEEPS.items():
            if title != REFERENCE:
                _draw(axes, setting, sweep, title, records, options)
        level = np.mean([mean_of(one) for one in records_of(_PUBLISHED, records, options)])
        axes.axhline(level, color="black", linestyle="--", linewidth=1, label=REFERENCE)
        ticks = sorted(
            {value for sweep in SWEEPS.values() for value in sweep.values.get(setting, ())}
        )
        if setting != "epochs":
            axes.set_xscale("log")
        axes.set_xticks(ticks, [str(value) for value in ticks])
        axes.set_xticks([], minor=True)
        axes.set_xlabel({"dim": "dimensions"}.get(setting, setting))
        axes.grid(alpha=0.3)
    n = len(records_of(_PUBLISHED, records, options)[0]["pearson"])
    panels[0].set_ylabel(f"Pearson's r, mean of {n} sets")
    handles, names = panels[0].get_legend_handles_labels()
    result.legend(handles, names, fontsize="small", loc="outside lower center", ncols=len(names))
    return result


def _draw(
    axes: Any, setting: str, sweep: Sweep, title: str, records: Records, options: argparse.Namespace
) -> None:
    means = [
        [mean_of(one) for one in records_of(settings, records, options)]
        for settings in sweep.variants(setting)
    ]
    middle = np.array([np.mean(values) for values in means])
    reach = [
        middle - np.array([min(values) for values in means]),
        np.array([max(values) for values in means]) - middle,
    ]
    line = axes.errorbar(sweep.values[setting], middle, reach, marker="o", ms=4, label=title)
    own = sweep.values[setting].index(getattr(sweep.base, setting))
    axes.plot(sweep.values[setting][own], middle[own], "o", ms=9, color=line[0].get_color())


def main() -> None:
    """Make the runs that are not in the file yet, print the tables, draw the figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("corpus", type=Path, nargs="+", help="tokenised text in reading order")
    parser.add_argument("--data", type=Path, required=True, help="tree of evaluation sets")
    parser.add_argument("--words", type=float, default=float("inf"), help="of each text")
    parser.add_argument("--json", type=Path, required=True, help="file of the runs, a line each")
    parser.add_argument("--plot", type=Path, help="figure (.png, .svg, .pdf); needs matplotlib")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if options.plot is not None:  # now, not after the last run
        figures.figure_format(options.plot)
        figures.check_plotting()
    records = Records(options.json)
    make_all(records, options)
    for setting in NAMED:
        for title, sweep in SWEEPS.items():
            if setting in sweep.values:
                print("\n".join(table(title, setting, records, options)))
    if options.plot is not None:
        with options.plot.open("wb") as file:
            figures.save(figure(records, options), file, figures.figure_format(options.plot))


def make_all(records: Records, options: argparse.Namespace) -> None:
    """Make the runs that have no record."""
    wanted: dict[str, tuple[str, Record]] = {}
    for seed in options.seeds:
        for title, sweep in SWEEPS.items():
            for setting in sweep.values:
                for settings in sweep.variants(setting):
                    run = run_of(settings, seed, options)
                    wanted.setdefault(_key(run), (f"{title}, {_changes(settings, sweep)}", run))
    missing = [(name, run) for name, run in wanted.values() if records.find(run) is None]
    print(f"{len(wanted)} runs, of which {len(missing)} are to be made", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        if missing:
            join(options.corpus, text, options.words)
        for number, (name, run) in enumerate(missing, 1):
            record = measure(run, text, options)
            records.add(record)
            print(
                f"{number}/{len(missing)} {name}, seed {run['settings']['seed']}: mean "
                f"{mean_of(record):.3f}, moved {record['moved_commonest']:.3g}, "
                f"{record['seconds']:.1f} s", flush=True,
            )  # fmt: skip


def _changes(settings: SiameseCBOWSettings, sweep: Sweep) -> str:
    changed = [name for name in NAMED if getattr(settings, name) != getattr(sweep.base, name)]
    return ", ".join(f"{name} {getattr(settings, name)}" for name in changed) or "as it is"


if __name__ == "__main__":
    main()
