"""`sentvec convert SRC DST`: other files, other precision, fewer words, and what it cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.model import (
    Model,
    TokenizerName,
    expect_elsewhere,
    open_model,
    shown_size,
    size_on_disk,
)
from sentvec.errors import MissingExtraError, SettingsError
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.text.sources import open_stream, read_lines
from sentvec.text.unicode import decode


class To(StrEnum):
    """What is written."""

    folder = "folder"
    sent2vec = "sent2vec"
    word2vec = "word2vec"
    word2vec_text = "word2vec-text"


def command(
    model: Model,
    target: Annotated[Path, typer.Argument(help="Where the converted model goes.")],
    to: Annotated[
        To,
        typer.Option(
            help="folder (ours), sent2vec (.bin of the released program, v11), word2vec (binary) "
            "or word2vec-text: the vectors of words, without n-grams."
        ),
    ] = To.folder,
    dtype: Annotated[
        str | None,
        typer.Option(help="float32, float16, int8 (folders; not of Skip-Thought)."),
    ] = None,
    prune: Annotated[
        Path | None,
        typer.Option(help="Keep the words of this text only, cut by the model's tokenizer."),
    ] = None,
    max_vocab: Annotated[
        int | None, typer.Option(help="Keep so many words, the first (mostly the commonest).")
    ] = None,
    targets: Annotated[
        bool,
        typer.Option(
            "--targets/--no-targets",
            help="Keep what only further training needs, or the decoders of Skip-Thought.",
        ),
    ] = True,
    sample: Annotated[
        Path | None,
        typer.Option(help="Text to measure the loss on [default: words of the vocabulary]."),
    ] = None,
    tokenizer: TokenizerName = None,
) -> None:
    """Convert a model, and print how near its vectors are to the original's."""
    from sentvec.models import convert, export

    source = open_model(model, tokenizer)
    expect_elsewhere(target, model)
    lines = _lines(sample) if sample else None  # opened now: a wrong name is no surprise later
    if to is not To.folder and dtype not in (None, "float32"):
        msg = f"dtype is {dtype!r} - a file of {to.value} holds float32; convert to a folder"
        raise SettingsError(msg)
    words = None if prune is None else _words_of(prune, source.tokenizer.tokenize)
    if to is To.folder:
        convert.convert(
            source, target, dtype=dtype, words=words, max_vocab=max_vocab, targets=targets
        )
    elif to is To.sent2vec:
        if words is not None:
            msg = "a Sent2Vec binary keeps the commonest words only - give --max-vocab, not --prune"
            raise SettingsError(msg)
        export.to_sent2vec(source, target, max_vocab=max_vocab, targets=targets)
    else:
        export.to_word2vec(
            source, target, words=words, max_vocab=max_vocab, binary=to is To.word2vec
        )
    converted = open_model(target, source.tokenizer)
    before, after = size_on_disk(model), size_on_disk(target)
    complain(
        f"{target}: {shown_size(after)}, {after / before:.0%} of {model} ({shown_size(before)}); "
        f"{len(converted.vocabulary):,} of {len(source.vocabulary):,} words"
    )
    try:
        loss = convert.loss_of(source, converted, lines)
    except MissingExtraError as error:  # converting needs no torch, encoding does
        complain(f"warning: not compared with the original: {error}")
        return
    what = f"lines of {sample}" if sample else "words of the vocabulary"
    complain(
        f"cosine to the original: mean {loss.mean:.6f}, lowest {loss.lowest:.6f}, "
        f"over {loss.texts:,} {what}"
    )
    words_only = to in (To.word2vec, To.word2vec_text)
    has_ngrams = (source.config.settings.ngrams or 1) > 1 or (
        isinstance(source, SentenceEncoder) and source.HASHES_CHARACTERS
    )
    if words_only and sample is None and has_ngrams:
        complain(
            f"vectors of single words are all that {to.value} holds; what sentences lose with the "
            "n-grams, --sample TEXT measures"
        )


def _lines(path: Path) -> Iterator[str]:
    """Open a text at once, and read it when asked."""
    stream = open_stream(str(path))

    def lines() -> Iterator[str]:
        with stream:
            yield from map(decode, read_lines(stream))

    return lines()


def _words_of(path: Path, tokenize: Callable[[str], list[str]]) -> set[str]:
    return {word for line in _lines(path) for word in tokenize(line)}
