"""`sentvec train MODEL-KIND CORPUS... -o FOLDER`, and `sentvec train --resume FOLDER`."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.model import Output
from sentvec.cli.terminal.options import with_settings
from sentvec.cli.terminal.training_display import TrainingDisplay
from sentvec.models.kinds.kind import KINDS, Kind, trained_kinds
from sentvec.models.kinds.trainable import Trainable
from sentvec.models.kinds.trainable import resume as resume_training
from sentvec.training.trainer import Trainer

app = typer.Typer(help="Train a model on your own text.", no_args_is_help=True)

_EVERY = "Write a checkpoint at this interval too, e.g. 30s, 10m, 2h or 5%."
_QUIET = "Show nothing but errors."
Corpus = Annotated[
    list[str],
    typer.Argument(
        help="Text files with one sentence per line (plain, .gz, .xz, .bz2, .zst); - is standard "
        "input."
    ),
]
CheckpointEvery = Annotated[str | None, typer.Option(help=_EVERY)]
Validate = Annotated[
    str | None, typer.Option(help="Held-out text; show its loss after every epoch.")
]
ValidateEvery = Annotated[
    str | None,
    typer.Option(help="Also measure the held-out loss at this interval, e.g. 10m or 5%."),
]
Patience = Annotated[
    int | None,
    typer.Option(
        help="Stop after N epochs without improvement of the held-out loss; keep the best model."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help=_QUIET)]
_TERMINATED = 128 + 15  # the exit status of a program that SIGTERM ended


@app.callback(invoke_without_command=True)
def train(
    context: typer.Context,
    resume: Annotated[
        Path | None,
        typer.Option(help="Resume the interrupted run that has this folder as its --output."),
    ] = None,
    checkpoint_every: Annotated[str | None, typer.Option(help=_EVERY + " Needs --resume.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help=_QUIET + " Needs --resume.")] = False,
) -> None:
    """Train a model on your own text."""
    if resume is None:
        if context.invoked_subcommand is None or checkpoint_every is not None or quiet:
            msg = (
                "these options need --resume FOLDER, or belong after the kind of model "
                f"({', '.join(trained_kinds())})"
            )
            raise typer.BadParameter(msg)
        return
    with _training(resume, quiet) as display:
        resume_training(resume, checkpoint_every=checkpoint_every, listener=display)
    raise typer.Exit


def _command(kind: Kind, trainer: type[Trainer[Any, Any]]) -> Callable[..., None]:
    """The command that trains a kind of model: its options are its settings."""

    def command(
        corpus: Corpus,
        output: Output,
        preset: str | None = None,
        checkpoint_every: CheckpointEvery = None,
        validate: Validate = None,
        validate_every: ValidateEvery = None,
        patience: Patience = None,
        init_from: Path | None = None,
        quiet: Quiet = False,
        **settings: Any,
    ) -> None:
        paths = [Path(name) for name in corpus]  # as str, a list might be taken for sentences
        model = kind.model
        assert issubclass(model, Trainable)
        with _training(output, quiet) as display:
            model.train(
                paths, preset=preset, output=output, checkpoint_every=checkpoint_every,
                validate=validate, validate_every=validate_every, patience=patience,
                init_from=init_from, listener=display, **settings,
            )  # fmt: skip

    command.__doc__ = kind.about
    options: dict[str, Any] = {
        "preset": Annotated[
            str | None,
            typer.Option(help=f"Start from the settings of this preset, e.g. {kind.preset}."),
        ],
        "init_from": Annotated[Path | None, typer.Option(help=trainer.INIT_FROM)],
    }
    left_out = () if trainer.INIT_FROM else ("init_from",)
    return with_settings(trainer.SETTINGS, options=options, left_out=left_out)(command)


for name, trainer in trained_kinds().items():
    app.command(name)(_command(KINDS[name], trainer))


@contextmanager
def _training(output: Path, quiet: bool) -> Iterator[TrainingDisplay]:
    """Show a run; where it is interrupted, say how to resume it.

    SIGTERM interrupts as Ctrl-C does, and ends with the status that belongs to it, so that
    whoever started the program knows why it ended.
    """
    from sentvec.storage.checkpoint import CheckpointFolder

    started, terminated = time.perf_counter(), False

    def terminate(*_: object) -> None:
        nonlocal terminated
        terminated = True
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        with TrainingDisplay(quiet=quiet) as display:
            yield display
    except KeyboardInterrupt:
        if CheckpointFolder(output).exists():
            complain(f"a checkpoint was written; resume with: sentvec train --resume {output}")
        if terminated:
            raise typer.Exit(_TERMINATED) from None
        raise  # ends with 130
    finally:
        signal.signal(signal.SIGTERM, before)
    if not quiet:
        complain(f"saved       {output} ({time.perf_counter() - started:.1f} s in total)")
