"""`sentvec train MODEL-KIND CORPUS... -o FOLDER`, and `sentvec train --resume FOLDER`."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from sentvec.cli.console import TrainingDisplay, complain
from sentvec.cli.options import with_settings
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.models.skip_thought.settings import SkipThoughtSettings

app = typer.Typer(help="Train a model on plain text.", no_args_is_help=True)

_EVERY = "Also write a checkpoint every so often: 30s, 10m, 2h, 5%."
_QUIET = "Show nothing but errors."
Corpus = Annotated[
    list[str],
    typer.Argument(help="Text files, one sentence a line (plain, .gz, .xz, .bz2, .zst), or -."),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="Folder for the model.")]
CheckpointEvery = Annotated[str | None, typer.Option(help=_EVERY)]
Validate = Annotated[
    str | None, typer.Option(help="Held-out text; its loss is shown after every epoch.")
]
ValidateEvery = Annotated[
    str | None, typer.Option(help="Also measure that loss every so often: 10m, 5%.")
]
Patience = Annotated[
    int | None,
    typer.Option(help="End after so many epochs of no better held-out loss; keep the best."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help=_QUIET)]
_TERMINATED = 128 + 15  # the exit status of a program that SIGTERM ended


@app.callback(invoke_without_command=True)
def train(
    context: typer.Context,
    resume: Annotated[
        Path | None,
        typer.Option(help="Go on with the interrupted run whose -o was this folder."),
    ] = None,
    checkpoint_every: Annotated[str | None, typer.Option(help="With --resume. " + _EVERY)] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="With --resume. " + _QUIET)] = False,
) -> None:
    """Train a model on plain text."""
    if resume is None:
        if context.invoked_subcommand is None or checkpoint_every is not None or quiet:
            msg = (
                "these options need --resume, or come after the kind of model "
                "(sent2vec, siamese-cbow, skip-thought)"
            )
            raise typer.BadParameter(msg)
        return
    from sentvec.models.kinds.load import resume as go_on

    with _training(resume, quiet) as display:
        go_on(resume, checkpoint_every=checkpoint_every, listener=display)
    raise typer.Exit


@app.command("sent2vec")
@with_settings(Sent2VecSettings)
def sent2vec(
    corpus: Corpus,
    output: Output,
    preset: Annotated[
        str | None, typer.Option(help="Where settings start from, e.g. paper/books-bigrams.")
    ] = None,
    checkpoint_every: CheckpointEvery = None,
    validate: Validate = None,
    validate_every: ValidateEvery = None,
    patience: Patience = None,
    init_from: Annotated[
        Path | None, typer.Option(help="Start from the vectors and the vocabulary of this model.")
    ] = None,
    quiet: Quiet = False,
    **settings: Any,
) -> None:
    """Train a Sent2Vec model: a sentence vector is the mean of word and n-gram vectors."""
    from sentvec.models.sent2vec.model import Sent2Vec

    paths = [Path(name) for name in corpus]  # as str, a list might be taken for sentences
    with _training(output, quiet) as display:
        Sent2Vec.train(
            paths, preset=preset, output=output, checkpoint_every=checkpoint_every,
            validate=validate, validate_every=validate_every, patience=patience,
            init_from=init_from, listener=display, **settings,
        )  # fmt: skip


@app.command("siamese-cbow")
@with_settings(SiameseCBOWSettings)
def siamese_cbow(
    corpus: Corpus,
    output: Output,
    preset: Annotated[
        str | None, typer.Option(help="Where settings start from, e.g. paper/siamese-cbow.")
    ] = None,
    checkpoint_every: CheckpointEvery = None,
    validate: Validate = None,
    validate_every: ValidateEvery = None,
    patience: Patience = None,
    init_from: Annotated[
        Path | None,
        typer.Option(help="Start from the word vectors of this model, or file of another program."),
    ] = None,
    quiet: Quiet = False,
    **settings: Any,
) -> None:
    """Train a Siamese CBOW model on sentences in order, a blank line between documents.

    A sentence vector is the mean of word vectors that are trained to predict the sentences nearby.
    """
    from sentvec.models.siamese_cbow.model import SiameseCBOW

    paths = [Path(name) for name in corpus]
    with _training(output, quiet) as display:
        SiameseCBOW.train(
            paths, preset=preset, output=output, checkpoint_every=checkpoint_every,
            validate=validate, validate_every=validate_every, patience=patience,
            init_from=init_from, listener=display, **settings,
        )  # fmt: skip


@app.command("skip-thought")
@with_settings(SkipThoughtSettings)
def skip_thought(
    corpus: Corpus,
    output: Output,
    preset: Annotated[
        str | None, typer.Option(help="Where settings start from, e.g. paper/uni-skip.")
    ] = None,
    checkpoint_every: CheckpointEvery = None,
    validate: Validate = None,
    validate_every: ValidateEvery = None,
    patience: Patience = None,
    quiet: Quiet = False,
    **settings: Any,
) -> None:
    """Train a Skip-Thought model on sentences in order, a blank line between documents.

    A sentence vector is the last state of a GRU that reads the sentence, trained to predict the
    sentences before and after it. Needs torch.
    """
    from sentvec.models.skip_thought.model import SkipThought

    paths = [Path(name) for name in corpus]
    with _training(output, quiet) as display:
        SkipThought.train(
            paths, preset=preset, output=output, checkpoint_every=checkpoint_every,
            validate=validate, validate_every=validate_every, patience=patience,
            listener=display, **settings,
        )  # fmt: skip


@contextmanager
def _training(output: Path, quiet: bool) -> Iterator[TrainingDisplay]:
    """Show a run; where it is interrupted, say how to go on.

    SIGTERM interrupts as Ctrl-C does, and ends with the status that belongs to it: who started the
    program can tell that it was told to end.
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
            complain(f"a checkpoint was written; go on with: sentvec train --resume {output}")
        if terminated:
            raise typer.Exit(_TERMINATED) from None
        raise  # ends with 130
    finally:
        signal.signal(signal.SIGTERM, before)
    if not quiet:
        complain(f"saved       {output} ({time.perf_counter() - started:.1f} s in all)")
