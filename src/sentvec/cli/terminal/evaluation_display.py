"""The progress of an evaluation, on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from sentvec.evaluation.runner import Step


class EvaluationDisplay:
    """Shows a run on standard error: a live bar, or one line for each task if it is not a terminal.

    Args:
        quiet: Show nothing.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._console = Console(stderr=True, quiet=quiet, highlight=False, soft_wrap=True)
        self._bar: Progress | None = None
        if self._console.is_terminal and not quiet:
            self._bar = Progress(
                TextColumn("{task.fields[place]:<8}{task.description:<12}{task.fields[stage]:<9}"),
                TextColumn("{task.percentage:3.0f}%"),
                BarColumn(bar_width=20),
                TimeElapsedColumn(),
                console=self._console,
                transient=True,
            )

    def __enter__(self) -> EvaluationDisplay:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, step: Step) -> None:
        """Move the bar, or print a line when a task is done."""
        place = f"{step.number}/{step.total}"
        if self._bar is None:
            if step.stage == "done":
                self._console.print(f"{place:<8}{step.task} done")
            return
        if not self._bar.tasks:
            self._bar.add_task("", total=1.0, place="", stage="")
        self._bar.update(
            self._bar.task_ids[0], completed=step.done, description=step.task, place=place,
            stage=step.stage,
        )  # fmt: skip
