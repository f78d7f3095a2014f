"""The `sentvec` program: its commands, and how errors become one line and an exit status."""

from __future__ import annotations

import os
import sys
import warnings

import typer

from sentvec.cli.commands import (
    combine,
    compare,
    convert,
    demo,
    encode,
    estimate,
    evaluate,
    expand,
    generate,
    info,
    neighbors,
    prepare,
    similarity,
    train,
)
from sentvec.cli.terminal.console import complain
from sentvec.errors import SentvecError
from sentvec.version import VERSION

app = typer.Typer(
    help="Sentence vectors trained on your own text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(train.app, name="train")
app.command("encode")(encode.command)
app.command("similarity")(similarity.command)
app.command("neighbors")(neighbors.command)
app.command("generate")(generate.command)
app.command("evaluate")(evaluate.command)
app.command("compare")(compare.command)
app.command("prepare")(prepare.command)
app.command("convert")(convert.command)
app.command("combine")(combine.command)
app.command("expand")(expand.command)
app.command("info")(info.command)
app.command("estimate")(estimate.command)
app.command("demo")(demo.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sentvec {VERSION}")
        raise typer.Exit


@app.callback()
def _top(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Sentence vectors trained on your own text."""


def main() -> None:
    """Run a command; errors a user can mend are printed in one line, with exit status 1."""
    warnings.showwarning = lambda message, *_: complain(f"warning: {message}")
    try:
        app()
    except SentvecError as error:
        complain(f"error: {error}")
        sys.exit(1)
    except BrokenPipeError:
        # The reader went away (`| head`); point standard output at nothing so that the
        # interpreter's own flush at exit does not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except OSError as error:
        complain(f"error: {error}")
        sys.exit(1)
