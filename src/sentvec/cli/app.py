"""The `sentvec` program: its commands, and errors as one line and an exit status."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

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

# In the order of work, as `sentvec --help` lists them.
_COMMANDS: dict[str, Callable[..., None]] = {
    "encode": encode.command,
    "neighbors": neighbors.command,
    "similarity": similarity.command,
    "evaluate": evaluate.command,
    "compare": compare.command,
    "convert": convert.command,
    "info": info.command,
    "estimate": estimate.command,
    "prepare": prepare.command,
    "expand": expand.command,
    "combine": combine.command,
    "generate": generate.command,
    "demo": demo.command,
}


class _Commands(TyperGroup):
    """The commands in our order; by default a group, as `train` is, comes last."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names in the order of the help."""
        return ["train", *_COMMANDS]


app = typer.Typer(
    cls=_Commands,
    help="Train sentence vectors on your own text, and use them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(train.app, name="train")
for _name, _function in _COMMANDS.items():
    app.command(_name)(_function)

# What typer raises for wrong usage, the base of its one public class; its own module is private.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


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
    """Train sentence vectors on your own text, and use them."""


def main() -> None:
    """Run a command.

    Errors a user can fix are printed in one line; the exit status is 1, or 2 for wrong usage.
    """
    warnings.showwarning = lambda message, *_: complain(f"warning: {message}")
    try:
        status = app(standalone_mode=False)
    except _UsageError as error:
        _explain(error)
        status = 2
    except SentvecError as error:
        complain(f"error: {error}")
        status = 1
    except BrokenPipeError:
        # The reader closed the pipe (`| head`); point standard output at nothing so that the
        # interpreter's own flush at exit does not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 1
    except OSError as error:
        complain(f"error: {_os_error(error)} - check the path, its permissions and the disk")
        status = 1
    sys.exit(status)


def _os_error(error: OSError) -> str:
    """What the system refused, and for which file."""
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"cannot read or write {error.filename}: {error.strerror}"


def _explain(error: Any) -> None:
    """Print wrong usage in one line; a command without arguments shows its help."""
    message = error.format_message().removeprefix("Invalid value: ")
    if message.startswith("Usage: "):
        print(message, file=sys.stderr)  # noqa: T201
        return
    command = error.ctx.command_path if error.ctx else "sentvec"
    complain(f"error: {' '.join(message.split()).rstrip('.')} - see {command} --help")
