"""`sentvec similarity MODEL "first" "second"`: the cosine similarity of two texts."""

from __future__ import annotations

from typing import Annotated

import typer

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.model import Model, TokenizerName, open_model


def command(
    model: Model,
    first: Annotated[str, typer.Argument(help="A text.")],
    second: Annotated[str, typer.Argument(help="Another text.")],
    tokenizer: TokenizerName = None,
) -> None:
    """Print the cosine similarity of two texts."""
    encoder = open_model(model, tokenizer)
    vectors, known = encoder.encode([first, second], on_empty="nan", return_known=True)
    for text, count in zip([first, second], known, strict=True):
        if count == 0:
            complain(f"warning: {text!r} has no known word; the cosine with it is 0")
    vectors[known == 0] = 0.0
    typer.echo(f"{encoder.similarity(vectors[0], vectors[1])[0, 0]:.6f}")
