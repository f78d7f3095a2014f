"""The losses of training runs, from their `metrics.jsonl`: a table, and a figure.

    python benchmarks/quality/loss_curves.py MODEL/metrics.jsonl [OTHER/metrics.jsonl...]
        [--plot losses.png]

A run of Skip-Thought has a loss for each direction, on its text and on held-out text; of others
there is one. Perplexity is exp(loss): the number of equally likely words among
which a choice would be as hard.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from sentvec.evaluation.reports import figures

_ROWS = 12  # of the table

Record = dict[str, Any]


def read(path: Path) -> tuple[list[Record], list[Record]]:
    """What was reported of a run: on its text, and on held-out text."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    training = [record for record in records if record["event"] == "progress"]
    return training, [record for record in records if record["event"] == "held-out"]


def losses(record: Record) -> dict[str, float]:
    """The losses of a record by what was predicted."""
    parts: dict[str, float] = record.get("parts") or {"all": record["loss"]}
    return parts


def table(path: Path) -> None:
    """Print some points of a run, in equal steps."""
    training, held_out = read(path)
    for title, records in (("training", training), ("held-out", held_out)):
        step = max(1, len(records) // _ROWS)
        chosen = records[::-step][::-1] if records else []
        for record in chosen:
            found = "  ".join(
                f"{name} {loss:.3f} (perplexity {math.exp(loss):.1f})"
                for name, loss in losses(record).items()
            )
            print(f"{title}  {record['done']:6.1%}  {found}")


def figure(paths: list[Path]) -> Any:
    """All runs in one figure: lines are training, points are held-out text."""
    figures.check_plotting()
    from matplotlib.figure import Figure

    result: Any = Figure(figsize=(7.0, 4.5), layout="constrained")
    axes = result.subplots()
    for path in paths:
        training, held_out = read(path)
        label = path.parent.name
        for style, title, records in (("-", "training", training), ("o", "held-out", held_out)):
            for name in losses(records[-1]) if records else ():
                # the first report comes before there is a loss
                there = [record for record in records if name in losses(record)]
                axes.plot(
                    [record["done"] for record in there],
                    [losses(record)[name] for record in there],
                    style, ms=4, lw=1, label=f"{label}, {title}, {name}",
                )  # fmt: skip
    axes.set(xlabel="share of the run", ylabel="loss of a word (nats)")
    axes.set_xlim(0, 1)
    axes.legend(fontsize="small")
    return result


def main() -> None:
    """Print the table, draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("metrics", type=Path, nargs="+", help="metrics.jsonl of a model or run")
    parser.add_argument("--plot", type=Path, help="figure (.png, .svg, .pdf); needs matplotlib")
    options = parser.parse_args()
    for path in options.metrics:
        table(path)
    if options.plot is not None:
        kind = figures.figure_format(options.plot)
        with options.plot.open("wb") as file:
            figures.save(figure(options.metrics), file, kind)


if __name__ == "__main__":
    main()
