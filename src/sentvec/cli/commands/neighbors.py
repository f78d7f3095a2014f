"""`sentvec neighbors MODEL CORPUS --query "text" -k 5`: the nearest lines of a text."""

from __future__ import annotations

from typing import Annotated

import typer

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.model import Model, TokenizerName, open_model
from sentvec.text.sources import open_stream, read_lines
from sentvec.text.unicode import decode, encode


def command(
    model: Model,
    corpus: Annotated[
        str,
        typer.Argument(help="Text file to search, with one text per line; - is standard input."),
    ],
    query: Annotated[
        list[str], typer.Option("--query", "-q", help="Text to look for; may be repeated.")
    ],
    k: Annotated[int, typer.Option("-k", help="Number of lines to print for each query.")] = 5,
    tokenizer: TokenizerName = None,
) -> None:
    """Print the lines of a text that are nearest to a query.

    Each with its score, its line number (from 1) and its text.
    """
    with open_stream(corpus) as stream:
        found = open_model(model, tokenizer).neighbors(query, map(decode, read_lines(stream)), k)
    for text, hits in zip(query, found, strict=True):
        if len(query) > 1:
            typer.echo(encode(f"# {text}"))
        if not hits:
            complain(
                f"warning: nothing found for {text!r}: it has no known word, or the corpus has none"
            )
        for hit in hits:
            typer.echo(encode(f"{hit.score:.4f}\t{hit.index + 1}\t{hit.text}"))
