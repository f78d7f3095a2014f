"""`sentvec compare A.json B.json ...`: reports side by side, and whether they really differ."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sentvec.cli.evaluate import save_figure
from sentvec.cli.output import OutputFile, check_output
from sentvec.cli.tables import print_tables
from sentvec.text.unicode import encode


def command(
    reports: Annotated[
        list[Path],
        typer.Argument(help="Reports of evaluate --json; the others are compared with the first."),
    ],
    markdown: Annotated[Path | None, typer.Option(help="Write the comparison here.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the figures: .png, .svg, .pdf.")] = None,
    samples: Annotated[int, typer.Option(help="Draws of the bootstrap.")] = 2000,
    seed: Annotated[int, typer.Option(help="Of the draws.")] = 1234,
) -> None:
    """Compare evaluations: figures side by side, intervals and tests of their differences."""
    from sentvec.evaluation.reports.compare import compare_tables
    from sentvec.evaluation.reports.figures import check_plotting, comparison_figure, figure_format
    from sentvec.evaluation.reports.markdown import table_to_markdown
    from sentvec.evaluation.reports.report import Report

    for path in (markdown, plot):
        if path is not None:
            check_output(path)
    if plot is not None:
        figure_format(plot)
        check_plotting()
    read = [Report.read(path) for path in reports]
    tables = compare_tables(read, samples=samples, seed=seed)
    print_tables(tables)
    if markdown is not None:
        text = "\n\n".join(["# Comparison", *(table_to_markdown(one, 2) for one in tables)]) + "\n"
        with OutputFile(str(markdown)) as file:
            file.write(encode(text))
    if plot is not None:
        save_figure(comparison_figure(read), plot)
