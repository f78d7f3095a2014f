"""`sentvec generate MODEL "a sentence"`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.model import TokenizerName, open_model
from sentvec.text.unicode import encode


def command(
    model: Annotated[
        Path,
        typer.Argument(help="Folder of a Skip-Thought model, not combined.", show_default=False),
    ],
    text: Annotated[str, typer.Argument(help="A sentence.", show_default=False)],
    direction: Annotated[
        str, typer.Option(help="Which sentence to write: the next, or the previous.")
    ] = "next",
    beam: Annotated[
        int | None,
        typer.Option(help="Search for the likeliest, with so many hypotheses [default: 5]."),
    ] = None,
    sample: Annotated[
        float | None,
        typer.Option(
            help="Draw at random at this temperature: 1 as the model says, lower is likelier."
        ),
    ] = None,
    count: Annotated[int, typer.Option(help="How many sentences to write.")] = 1,
    max_tokens: Annotated[
        int | None, typer.Option(help="The most words of a sentence [default: as in training].")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the random numbers of --sample.")] = 1,
    scores: Annotated[
        bool, typer.Option("--scores", help="Write the log-probability before each, and a TAB.")
    ] = False,
    tokenizer: TokenizerName = None,
) -> None:
    """Write the sentence that a Skip-Thought model expects after a text, or before it.

    One a line, the likeliest first where it is searched for.
    """
    from sentvec.models.skip_thought.generation import generate

    found = generate(
        open_model(model, tokenizer), text, direction=direction, beam=beam, sample=sample,
        count=count, max_tokens=max_tokens, seed=seed,
    )  # fmt: skip
    for one in found:
        score = f"{one.log_probability:.4f}\t" if scores else ""
        typer.echo(encode(score + one.text))
    if len(found) < count:
        complain(f"warning: the search found {len(found)} of {count} sentences - raise --beam")
    cut = [one for one in found if not one.finished]
    if cut:
        many = f"{len(cut)} of {len(found)} sentences" if len(found) > 1 else "the sentence"
        complain(f"warning: {many} did not end within {len(cut[0].words)} words (--max-tokens)")
