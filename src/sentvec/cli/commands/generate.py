"""`sentvec generate MODEL "a sentence"`: the next sentences, as the decoders expect them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.model import TokenizerName, open_model
from sentvec.text.unicode import encode
from sentvec.wording import counted

if TYPE_CHECKING:
    from sentvec.models.skip_thought.generation import Generated


def command(
    model: Annotated[
        Path,
        typer.Argument(help="Folder of a Skip-Thought model, not combined.", show_default=False),
    ],
    text: Annotated[str, typer.Argument(help="A sentence.", show_default=False)],
    direction: Annotated[str, typer.Option(help="Sentence to write: next or previous.")] = "next",
    beam: Annotated[
        int | None,
        typer.Option(
            help="Beam width of the search for the most likely sentences. [default: 5]",
            show_default=False,
        ),
    ] = None,
    sample: Annotated[
        float | None,
        typer.Option(
            help="Sample at this temperature instead; 1 is the distribution of the model."
        ),
    ] = None,
    count: Annotated[int, typer.Option(help="Number of sentences to write.")] = 1,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of words of a sentence. [default: as in training]",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers of --sample.")] = 1,
    scores: Annotated[
        bool, typer.Option("--scores", help="Write the log-probability and a TAB before each.")
    ] = False,
    tokenizer: TokenizerName = None,
) -> None:
    """Write the sentences that a Skip-Thought model expects next.

    Write one sentence per line; with --direction previous, those before the text. A beam search
    writes the most likely first.
    """
    from sentvec.models.skip_thought.generation import generate

    found = generate(
        open_model(model, tokenizer), text, direction=direction, beam=beam, sample=sample,
        count=count, max_tokens=max_tokens, seed=seed,
    )  # fmt: skip
    for one in found:
        score = f"{one.log_probability:.4f}\t" if scores else ""
        typer.echo(encode(score + one.text))
    _warn(found, count)


def _warn(found: Sequence[Generated], count: int) -> None:
    """Say which sentences are missing, and which have no end."""
    if len(found) < count:
        complain(
            f"warning: the search found {len(found)} of {counted(count, 'sentence')} - raise --beam"
        )
    cut = [one for one in found if not one.finished]
    if cut:
        many = (
            f"{len(cut)} of {counted(len(found), 'sentence')}" if len(found) > 1 else "the sentence"
        )
        complain(
            f"warning: {many} did not end within {counted(len(cut[0].words), 'word')} "
            "- raise --max-tokens"
        )
