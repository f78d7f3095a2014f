"""`sentvec train MODEL-KIND CORPUS... -o FOLDER`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from sentvec.cli.console import TrainingDisplay, complain
from sentvec.cli.options import with_settings

app = typer.Typer(help="Train a model on plain text.", no_args_is_help=True)


@app.callback()
def _kinds() -> None:
    """Train a model on plain text."""


@app.command("sent2vec")
@with_settings
def sent2vec(
    corpus: Annotated[
        list[str],
        typer.Argument(help="Text files, one sentence a line (plain, .gz, .xz, .bz2, .zst), or -."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the model.")],
    preset: Annotated[
        str | None, typer.Option(help="Where settings start from, e.g. paper/books-bigrams.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show nothing but errors.")] = False,
    **settings: Any,
) -> None:
    """Train a Sent2Vec model: a sentence vector is the mean of word and n-gram vectors."""
    from sentvec.models.sent2vec import Sent2Vec
    from sentvec.storage.folder import check_target

    started = time.perf_counter()
    check_target(output)
    work_dir = output.absolute().parent
    paths = [Path(name) for name in corpus]  # as str, a list might be taken for sentences
    with TrainingDisplay(quiet=quiet) as display:
        model = Sent2Vec.train(
            paths, preset=preset, listener=display, work_dir=work_dir, **settings
        )
    model.save(output)
    if not quiet:
        complain(f"saved       {output} ({time.perf_counter() - started:.1f} s in all)")
