"""`sentvec compare A.json B.json ...`: reports side by side, and tests of the differences."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sentvec.cli.terminal.reports import Plot, check_files, write_document, write_figure
from sentvec.cli.terminal.tables import print_tables


def command(
    reports: Annotated[
        list[Path],
        typer.Argument(help="Reports of `evaluate --json`; each is compared with the first."),
    ],
    markdown: Annotated[
        Path | None, typer.Option(help="Write the comparison to this file, as Markdown.")
    ] = None,
    plot: Plot = None,
    samples: Annotated[int, typer.Option(help="Number of bootstrap samples.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 1234,
) -> None:
    """Compare evaluations side by side, with significance tests.

    Each difference has a confidence interval and a test.
    """
    from sentvec.evaluation.reports.compare import compare_tables
    from sentvec.evaluation.reports.figures import comparison_figure
    from sentvec.evaluation.reports.markdown import tables_to_markdown
    from sentvec.evaluation.reports.report import Report

    check_files([markdown], [plot])
    read = [Report.read(path) for path in reports]
    tables = compare_tables(read, samples=samples, seed=seed)
    print_tables(tables)
    if markdown is not None:
        write_document(tables_to_markdown("Comparison", tables), markdown)
    if plot is not None:
        write_figure(comparison_figure(read), plot)
