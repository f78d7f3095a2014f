"""`sentvec estimate CORPUS... | --vocab N`: what a training run will need, without running it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from sentvec.cli.options import with_settings
from sentvec.errors import SettingsError
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.models.skip_thought.settings import SkipThoughtSettings
from sentvec.suggest import near_names
from sentvec.training.memory import MemoryEstimate, gigabytes

_Settings: TypeAlias = Sent2VecSettings | SiameseCBOWSettings | SkipThoughtSettings
_KINDS: dict[str, type[_Settings]] = {
    "sent2vec": Sent2VecSettings,
    "siamese-cbow": SiameseCBOWSettings,
    "skip-thought": SkipThoughtSettings,
}


@dataclass(frozen=True, slots=True)
class _Needs:
    """What a training needs: its memory, the rows of the model in words, and its bytes on disk.

    A checkpoint holds `checkpoint` bytes.
    """

    memory: MemoryEstimate
    rows: str
    model: int
    checkpoint: int


@dataclass(frozen=True, slots=True)
class _Corpus:
    """What an estimate needs to know of a text; only `words` where it was not read."""

    words: int
    known_tokens: int | None = None
    longest: int = 0
    sentences: int = 0
    disk: int = 0


@with_settings(Sent2VecSettings, SiameseCBOWSettings, SkipThoughtSettings)
def command(
    corpus: Annotated[
        list[str] | None, typer.Argument(help="Text files, one sentence a line; they are counted.")
    ] = None,
    vocab: Annotated[
        int | None, typer.Option(help="Instead of a corpus: the number of words.")
    ] = None,
    model: Annotated[
        str, typer.Option(help="The kind of model: sent2vec, siamese-cbow or skip-thought.")
    ] = "sent2vec",
    preset: Annotated[
        str | None, typer.Option(help="Where settings start from, e.g. paper/books-bigrams.")
    ] = None,
    **settings: Any,
) -> None:
    """Say how much memory and disk a training will need.

    Options of training are those of `sentvec train`, whose help says what they mean for each kind
    of model and which it has.
    """
    if model not in _KINDS:
        msg = f"unknown model {model!r} - {near_names(model, _KINDS)}"
        raise SettingsError(msg)
    given = {name: value for name, value in settings.items() if value is not None}
    chosen = _KINDS[model].make(preset, **given)
    if corpus and vocab is None:
        text = _read(corpus, chosen)
    elif vocab is not None and vocab > 1 and not corpus:
        text = _Corpus(vocab)
    else:
        msg = "estimate needs a corpus or --vocab - expected one of them, --vocab from 2"
        raise SettingsError(msg)
    needs = _needs(chosen, text)
    need = needs.memory
    typer.echo(f"rows        {text.words:,} words, {needs.rows}, dim {chosen.dim}")
    typer.echo(f"memory      {gigabytes(need.total)} (matrices {gigabytes(need.matrices)})")
    if need.available is not None:
        typer.echo(f"available   {gigabytes(need.available)}")
    typer.echo(f"disk        {gigabytes(needs.model)} for the model")
    typer.echo(
        f"while training, {gigabytes(2 * needs.checkpoint + text.disk)} more with checkpoints "
        "(two of them, and the encoded corpus)"
    )


def _read(corpus: list[str], chosen: _Settings) -> _Corpus:
    """Count a corpus."""
    from sentvec.text.encoded import encode_corpus
    from sentvec.text.sources import open_corpus
    from sentvec.text.tokenizer import Tokenizer

    with tempfile.TemporaryDirectory(prefix="sentvec-") as folder:
        encoded = encode_corpus(
            open_corpus([Path(name) for name in corpus]), Tokenizer(chosen.tokenizer),
            Path(folder), min_count=chosen.min_count, max_vocab=chosen.max_vocab,
        )  # fmt: skip
        stats = encoded.stats
        typer.echo(f"corpus      {stats.sentences:,} sentences, {stats.tokens:,} words")
        return _Corpus(
            len(encoded.vocabulary), stats.known_tokens, encoded.longest_sentence(),
            stats.sentences, 4 * stats.tokens + 8 * stats.sentences,
        )  # fmt: skip


def _needs(chosen: _Settings, text: _Corpus) -> _Needs:
    """What a training with these settings needs for such a text."""
    from sentvec.models.sent2vec import trainer as sent2vec_trainer
    from sentvec.models.siamese_cbow import trainer as siamese_trainer
    from sentvec.models.skip_thought import trainer as skip_thought_trainer

    words = 12 * text.words  # the vocabulary on disk
    if isinstance(chosen, SkipThoughtSettings):
        kept = min(text.words, chosen.max_vocab or text.words)
        need = skip_thought_trainer.memory_of(chosen, kept)
        parameters = 4 * skip_thought_trainer.count_parameters(chosen, kept)
        rows = f"{parameters // 4:,} parameters"
        return _Needs(need, rows, parameters + words, 3 * parameters)
    number_bytes = 2 if chosen.dtype == "float16" else 4
    if isinstance(chosen, SiameseCBOWSettings):
        need = siamese_trainer.memory_of(chosen, text.words, text.longest, text.sentences)
        buckets, n_rows = 0, text.words
    else:
        tokens = text.known_tokens
        if tokens is None:
            tokens = 2 * sent2vec_trainer.MAX_BUCKETS
        buckets = sent2vec_trainer.buckets_for(chosen, tokens)
        need = sent2vec_trainer.memory_of(chosen, text.words, buckets)
        n_rows = 2 * text.words + buckets
    on_disk = n_rows * chosen.dim * number_bytes + words
    return _Needs(need, f"{buckets:,} n-gram buckets", on_disk, on_disk)
