"""`sentvec prepare FILE|- -o OUT`: running text to one sentence a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

import typer

from sentvec.cli.terminal.output import OutputFile
from sentvec.errors import MissingExtraError, SettingsError
from sentvec.text.sources import open_stream, read_lines
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.unicode import decode, encode


def command(
    file: Annotated[str, typer.Argument(help="Text file; - is standard input.")],
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="File to write the lines to; - is standard output."),
    ] = "-",
    split: Annotated[
        str | None,
        typer.Option(
            help="Split paragraphs into one sentence per line; the only value is `sentences`."
        ),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            help="Tokenize the text and write the tokens separated by spaces: whitespace, simple, "
            "tweet or ptb."
        ),
    ] = None,
) -> None:
    """Split running text into one sentence per line.

    The lines of a paragraph are joined before it is split. A blank line ends a paragraph; blank
    lines, the ends of documents, are kept.
    """
    if split not in (None, "sentences"):
        msg = (
            f"--split is {split!r} - expected sentences - write --split sentences, or leave it out"
        )
        raise SettingsError(msg)
    words = Tokenizer(tokenizer).tokenize if tokenizer else None
    cut = _sentence_splitter() if split else None
    with open_stream(file) as stream, OutputFile(output) as target:
        lines = map(decode, read_lines(stream))
        for sentence in _sentences(lines, cut) if cut else lines:
            text = " ".join(words(sentence)) if words else sentence
            target.write(encode(text) + b"\n")


def _sentences(lines: Iterator[str], cut: Callable[[str], list[str]]) -> Iterator[str]:
    paragraph: list[str] = []
    for line in lines:
        if line.strip():
            paragraph.append(line.strip())
            continue
        yield from cut(" ".join(paragraph)) if paragraph else ()
        yield ""
        paragraph = []
    yield from cut(" ".join(paragraph)) if paragraph else ()


def _sentence_splitter() -> Callable[[str], list[str]]:
    try:
        from syntok import segmenter
    except ImportError as error:
        msg = "--split sentences needs syntok - install it with: pip install 'sentvec[sentences]'"
        raise MissingExtraError(msg) from error

    def cut(paragraph: str) -> list[str]:
        # Each token knows its offset: the text itself is cut, nothing in it is rewritten.
        sentences = []
        for part in segmenter.analyze(paragraph):
            for tokens in part:
                end = tokens[-1].offset + len(tokens[-1].value)
                sentences.append(paragraph[tokens[0].offset : end])
        return sentences

    return cut
