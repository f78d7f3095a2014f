"""`sentvec convert SRC DST`: other formats, other precision, fewer words; and what it cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from sentvec.wording import counted

if TYPE_CHECKING:
    from sentvec.models.base.stored import StoredEncoder


class To(StrEnum):
    """What is written."""

    folder = "folder"
    sent2vec = "sent2vec"
    word2vec = "word2vec"
    word2vec_text = "word2vec-text"


def command(
    model: Model,
    target: Annotated[Path, typer.Argument(help="Folder or file to write the converted model to.")],
    to: Annotated[
        To,
        typer.Option(
            help="folder (of sentvec), sent2vec (.bin of the released program, v11), word2vec "
            "(binary) or word2vec-text; the last two hold the vectors of words, without n-grams."
        ),
    ] = To.folder,
    dtype: Annotated[
        str | None,
        typer.Option(
            help="Type of the matrices of a folder: float32, float16, int8 (not for Skip-Thought)."
        ),
    ] = None,
    prune: Annotated[
        Path | None,
        typer.Option(help="Keep only the words of this text, tokenized as the model does."),
    ] = None,
    max_vocab: Annotated[
        int | None, typer.Option(help="Keep the first N words, mostly the most frequent.")
    ] = None,
    targets: Annotated[
        bool,
        typer.Option(
            "--targets/--no-targets",
            help="Keep what only training needs: output vectors, or the decoders of Skip-Thought.",
        ),
    ] = True,
    sample: Annotated[
        Path | None,
        typer.Option(
            help="Text to compare the vectors on. [default: words of the vocabulary]",
            show_default=False,
        ),
    ] = None,
    tokenizer: TokenizerName = None,
) -> None:
    """Convert a model to another file format, precision or size.

    Print how near its vectors are to those of the original.
    """
    source = open_model(model, tokenizer)
    expect_elsewhere(target, model)
    lines = _lines(sample) if sample else None  # opened now: a wrong name fails before the work
    _check_options(to, dtype, prune)
    words = None if prune is None else _words_of(prune, source.tokenizer.tokenize)
    _convert(source, target, to, dtype=dtype, words=words, max_vocab=max_vocab, targets=targets)
    converted = open_model(target, source.tokenizer)
    before, after = size_on_disk(model), size_on_disk(target)
    complain(
        f"{target}: {shown_size(after)}, {after / before:.0%} of {model} ({shown_size(before)}); "
        f"{len(converted.vocabulary):,} of {counted(len(source.vocabulary), 'word')}"
    )
    _compare(source, converted, lines, sample)
    if to in (To.word2vec, To.word2vec_text) and sample is None and _has_ngrams(source):
        complain(
            f"a file of {to.value} holds the vectors of words only; measure with --sample TEXT "
            "what sentences lose without n-grams"
        )


def _check_options(to: To, dtype: str | None, prune: Path | None) -> None:
    """Check the options that only some formats take."""
    if to is not To.folder and dtype not in (None, "float32"):
        msg = (
            f"dtype is {dtype!r} - a file of {to.value} holds float32 - leave --dtype out, or "
            "convert to a folder"
        )
        raise SettingsError(msg)
    if to is To.sent2vec and prune is not None:
        msg = (
            "--prune is given - a Sent2Vec binary keeps only the most frequent words - give "
            "--max-vocab instead"
        )
        raise SettingsError(msg)


def _convert(
    source: StoredEncoder,
    target: Path,
    to: To,
    *,
    dtype: str | None,
    words: set[str] | None,
    max_vocab: int | None,
    targets: bool,
) -> None:
    """Write a model in a format."""
    from sentvec.models import convert, export

    if to is To.folder:
        convert.convert(
            source, target, dtype=dtype, words=words, max_vocab=max_vocab, targets=targets
        )
    elif to is To.sent2vec:
        export.to_sent2vec(source, target, max_vocab=max_vocab, targets=targets)
    else:
        export.to_word2vec(
            source, target, words=words, max_vocab=max_vocab, binary=to is To.word2vec
        )


def _compare(
    source: StoredEncoder,
    converted: StoredEncoder,
    lines: Iterator[str] | None,
    sample: Path | None,
) -> None:
    """Print how near the vectors of a converted model are to those of the original."""
    from sentvec.models.convert import loss_of

    try:
        loss = loss_of(source, converted, lines)
    except MissingExtraError as error:  # converting needs no torch, encoding does
        complain(f"warning: not compared with the original: {error}")
        return
    what = counted(loss.texts, "line" if sample else "word")
    complain(
        f"cosine to the original: mean {loss.mean:.6f}, lowest {loss.lowest:.6f}, "
        f"over {what} of {sample or 'the vocabulary'}"
    )


def _has_ngrams(model: StoredEncoder) -> bool:
    return (model.config.settings.ngrams or 1) > 1 or (
        isinstance(model, SentenceEncoder) and model.HASHES_CHARACTERS
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
