"""`sentvec neighbors MODEL CORPUS --query "text" -k 5`."""

from __future__ import annotations

from typing import Annotated

import typer

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.model import Model, TokenizerName, open_model
from sentvec.text.sources import open_stream, read_lines
from sentvec.text.unicode import decode, encode


def command(
    model: Model,
    corpus: Annotated[str, typer.Argument(help="Where to search, one text a line; or -.")],
    query: Annotated[
        list[str], typer.Option("--query", "-q", help="What to look for; may be repeated.")
    ],
    k: Annotated[int, typer.Option("-k", help="How many to find for each query.")] = 5,
    tokenizer: TokenizerName = None,
) -> None:
    """Print the lines nearest to a query: score, line number (from 1) and text."""
    with open_stream(corpus) as stream:
        found = open_model(model, tokenizer).neighbors(query, map(decode, read_lines(stream)), k)
    for text, hits in zip(query, found, strict=True):
        if len(query) > 1:
            typer.echo(encode(f"# {text}"))
        if not hits:
            complain(f"warning: nothing found for {text!r}: no known word in it, or in the corpus")
        for hit in hits:
            typer.echo(encode(f"{hit.score:.4f}\t{hit.index + 1}\t{hit.text}"))
