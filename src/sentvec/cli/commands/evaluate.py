"""`sentvec evaluate MODEL --data DIR`: the protocols of the papers, and their figures beside ours.

Not here: what is measured and how (`sentvec.evaluation`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.evaluation_display import EvaluationDisplay
from sentvec.cli.terminal.model import TokenizerName, open_any, short_name
from sentvec.cli.terminal.reports import Plot, check_files, write_document, write_figure
from sentvec.cli.terminal.tables import print_tables
from sentvec.errors import SettingsError

if TYPE_CHECKING:
    from sentvec.evaluation.reports.report import Report

Model: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="A model as for `sentvec encode`, or a baseline: tfidf, mean:VECTORS or sif:VECTORS."
    ),
]
Data: TypeAlias = Annotated[
    Path | None, typer.Option(help="Folder of the evaluation data (docs/evaluation-data.md).")
]
SuiteName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Suite of tasks: quick, sent2vec, siamese-cbow, skip-thought or all. [default: quick]",
        show_default=False,
    ),
]
Tasks: TypeAlias = Annotated[
    str | None, typer.Option(help="Tasks to run instead of a suite, e.g. MR,TREC,STS14.")
]
ProtocolName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Protocol: paper, senteval or quick. [default: the suite's; paper with --tasks]",
        show_default=False,
    ),
]
Lowercase: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--lowercase/--no-lowercase",
        help="Lower-case all sentences. [default: if the vocabulary of the model is lower-case]",
        show_default=False,
    ),
]
WithFeatures: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--with-features", help="Add figures with the +NB and +feats features of Skip-Thought."
    ),
]
Json: TypeAlias = Annotated[
    Path | None, typer.Option(help="Write the report to this file as JSON, for `sentvec compare`.")
]
Markdown: TypeAlias = Annotated[
    Path | None, typer.Option(help="Write the report to this file, as Markdown.")
]
PlotNorms: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="Draw the norms of the word vectors by frequency to this file; needs no --data."
    ),
]
Seed: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Seed of the folds. [default: the protocol's]", show_default=False),
]
Threads: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Number of threads. [default: one per processor]", show_default=False),
]
Counts: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="Word counts for sif: a model, or a file with a word and its count per line."
    ),
]


def command(
    model: Model,
    data: Data = None,
    suite: SuiteName = None,
    tasks: Tasks = None,
    protocol: ProtocolName = None,
    lowercase: Lowercase = None,
    with_features: WithFeatures = False,
    json: Json = None,
    markdown: Markdown = None,
    plot: Plot = None,
    plot_norms: PlotNorms = None,
    seed: Seed = None,
    threads: Threads = None,
    tokenizer: TokenizerName = None,
    counts: Counts = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Evaluate a model with the protocols of the papers."""
    if data is None and plot_norms is None:
        msg = "got no data - expected --data DIR (see docs/evaluation-data.md), or --plot-norms"
        raise SettingsError(msg)
    check_files([json, markdown], [plot, plot_norms])
    encoder = open_any(model, tokenizer, counts)
    name = short_name(model)
    if plot_norms is not None:
        _draw_norms(encoder, name, plot_norms)
    if data is None:
        return
    from sentvec.evaluation.evaluate import evaluate

    with EvaluationDisplay(quiet=quiet) as display:
        report = evaluate(
            encoder, data=data, suite=suite, tasks=tasks, protocol=protocol, lowercase=lowercase,
            with_features=with_features, seed=seed, threads=threads, name=name,
            progress=display.show,
        )  # fmt: skip
    _write(report, json, markdown, plot)  # first: the reader of the tables may close the pipe
    _show(report)
    if all(result.error for result in report.results.values()):
        complain("error: no task could be scored - expected at least one - see the reasons above")
        raise typer.Exit(1)


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
    each = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in report.seconds.items())
    complain(f"took {sum(report.seconds.values()):.1f} s: {each}")


def _write(report: Report, json: Path | None, markdown: Path | None, plot: Path | None) -> None:
    if json is not None:
        write_document(report.to_json(), json)
    if markdown is not None:
        write_document(report.to_markdown(), markdown)
    if plot is not None:
        from sentvec.evaluation.reports.figures import comparison_figure

        write_figure(comparison_figure([report]), plot)


def _draw_norms(encoder: Any, name: str, path: Path) -> None:
    from sentvec.evaluation.evaluate import word_norms
    from sentvec.evaluation.reports.figures import norms_figure

    write_figure(norms_figure(*word_norms(encoder), name), path)
