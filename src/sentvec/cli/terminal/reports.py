"""The files that `evaluate` and `compare` write: documents and figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from sentvec.cli.terminal.output import OutputFile, check_output
from sentvec.text.unicode import encode

Plot: TypeAlias = Annotated[
    Path | None, typer.Option(help="Draw bar charts to this file: .png, .svg or .pdf.")
]


def check_files(documents: Sequence[Path | None], figures: Sequence[Path | None]) -> None:
    """Check before long work that all requested files can be written.

    Raises:
        StorageError: There is no such folder, or it cannot be written to.
        SettingsError: A figure has a format that cannot be drawn.
        MissingExtraError: There are figures to draw, and matplotlib is not installed.
    """
    drawn = [path for path in figures if path is not None]
    for path in [*documents, *drawn]:
        if path is not None:
            check_output(path)
    if drawn:
        from sentvec.evaluation.reports.figures import check_plotting, figure_format

        for path in drawn:
            figure_format(path)
        check_plotting()


def write_document(text: str, path: Path) -> None:
    """Write a text as UTF-8."""
    with OutputFile(str(path)) as file:
        file.write(encode(text))


def write_figure(figure: Any, path: Path) -> None:
    """Write a figure in the format its name ends in."""
    from sentvec.evaluation.reports.figures import figure_format, save

    with OutputFile(str(path)) as file:
        save(figure, file, figure_format(path))
