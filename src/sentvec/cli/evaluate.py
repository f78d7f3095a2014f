"""`sentvec evaluate MODEL --data DIR`: the papers' protocols, with their figures beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from sentvec.cli.console import complain
from sentvec.cli.model import TokenizerName, open_any, short_name
from sentvec.cli.output import OutputFile, check_output
from sentvec.cli.tables import print_tables
from sentvec.errors import SettingsError
from sentvec.text.unicode import encode

if TYPE_CHECKING:
    from sentvec.evaluation.reports.report import Report
    from sentvec.evaluation.runner import Step


def command(
    model: Annotated[
        str,
        typer.Argument(
            help="A model: whatever `sentvec encode` opens, or a baseline: tfidf, mean:VECTORS, "
            "sif:VECTORS."
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of the data, as docs/evaluation-data.md has it."),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            help="quick, sent2vec, siamese-cbow, skip-thought or all [default: quick]",
            show_default=False,
        ),
    ] = None,
    tasks: Annotated[
        str | None, typer.Option(help="Tasks instead of a suite: MR,TREC,STS14.")
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            help="paper, senteval or quick [default: the suite's; paper with --tasks]",
            show_default=False,
        ),
    ] = None,
    lowercase: Annotated[
        bool | None,
        typer.Option(
            "--lowercase/--no-lowercase",
            help="Lower-case sentences [default: where the model's vocabulary is lower-cased]",
            show_default=False,
        ),
    ] = None,
    with_features: Annotated[
        bool, typer.Option("--with-features", help="Also +NB and +feats of the Skip-Thought paper.")
    ] = False,
    json: Annotated[Path | None, typer.Option(help="Write the report here, for compare.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the report here, to read.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the figures: .png, .svg, .pdf.")] = None,
    plot_norms: Annotated[
        Path | None,
        typer.Option(help="Draw norms of word vectors by frequency; needs no --data."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of folds [default: the protocol's]", show_default=False)
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="[default: all processors]", show_default=False)
    ] = None,
    tokenizer: TokenizerName = None,
    counts: Annotated[
        Path | None,
        typer.Option(help="For sif: how often words occur: a model, or a file of word and count."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Evaluate a model with the protocols of the papers, on local files."""
    if data is None and plot_norms is None:
        msg = "no data is named - expected --data DIR (docs/evaluation-data.md), or --plot-norms"
        raise SettingsError(msg)
    _check_outputs([json, markdown], [plot, plot_norms])
    encoder = open_any(model, tokenizer, counts)
    name = short_name(model)
    if plot_norms is not None:
        _draw_norms(encoder, name, plot_norms)
    if data is None:
        return
    from sentvec.evaluation.evaluate import evaluate

    with _Display(quiet=quiet) as display:
        report = evaluate(
            encoder, data=data, suite=suite, tasks=tasks, protocol=protocol, lowercase=lowercase,
            with_features=with_features, seed=seed, threads=threads, name=name,
            progress=display.show,
        )  # fmt: skip
    _write(report, json, markdown, plot)  # first: whoever reads the tables may go away
    _show(report)
    if all(result.error for result in report.results.values()):
        complain("error: no task could be scored")
        raise typer.Exit(1)


def _check_outputs(texts: list[Path | None], figures: list[Path | None]) -> None:
    """Whatever would fail at the end of a long run fails now."""
    for path in [*texts, *figures]:
        if path is not None:
            check_output(path)
    wanted = [path for path in figures if path is not None]
    if wanted:
        from sentvec.evaluation.reports.figures import check_plotting, figure_format

        for path in wanted:
            figure_format(path)
        check_plotting()


def _show(report: Report) -> None:
    from sentvec.evaluation.reports.tables import overview, set_tables

    print_tables([overview(report), *set_tables(report)])
    for name, result in report.items():
        if result.error:
            complain(f"{name} failed: {result.error}")
        for remark in result.remarks:
            complain(f"{name}: {remark}")
    for reason in report.missing.values():
        complain(f"not run: {reason}")
    for remark in report.provenance["remarks"]:
        complain(remark)
    lowered = "lower-cased" if report.provenance["lowercase"] else "not lower-cased"
    complain(f"sentences were {lowered}: {report.provenance['lowercase_because']}")
    each = ", ".join(f"{name} {seconds:.1f}" for name, seconds in report.seconds.items())
    complain(f"seconds: {sum(report.seconds.values()):.1f} in all, {each}")


def _write(report: Report, json: Path | None, markdown: Path | None, plot: Path | None) -> None:
    for path, text in ((json, report.to_json), (markdown, report.to_markdown)):
        if path is not None:
            with OutputFile(str(path)) as file:
                file.write(encode(text()))
    if plot is not None:
        from sentvec.evaluation.reports.figures import comparison_figure

        save_figure(comparison_figure([report]), plot)


def _draw_norms(encoder: Any, name: str, path: Path) -> None:
    from sentvec.evaluation.evaluate import word_norms
    from sentvec.evaluation.reports.figures import norms_figure

    save_figure(norms_figure(*word_norms(encoder), name), path)


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure in the format its name ends in."""
    from sentvec.evaluation.reports.figures import figure_format, save

    with OutputFile(str(path)) as file:
        save(figure, file, figure_format(path))


class _Display:
    """Shows a run on standard error: a live bar, or a line a task where there is no terminal."""

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

    def __enter__(self) -> _Display:
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
