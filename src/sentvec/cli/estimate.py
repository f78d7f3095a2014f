"""`sentvec estimate CORPUS... | --vocab N`: what a training run will need, without running it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from sentvec.cli.options import with_settings
from sentvec.errors import SettingsError
from sentvec.training.memory import gigabytes


@with_settings
def command(
    corpus: Annotated[
        list[str] | None, typer.Argument(help="Text files, one sentence a line; they are counted.")
    ] = None,
    vocab: Annotated[
        int | None, typer.Option(help="Instead of a corpus: the number of words.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="Where settings start from, e.g. paper/books-bigrams.")
    ] = None,
    **settings: Any,
) -> None:
    """Say how much memory and disk a Sent2Vec training will need."""
    from sentvec.models.sent2vec_trainer import MOST_BUCKETS, buckets_for, memory_of
    from sentvec.models.settings import Sent2VecSettings
    from sentvec.text.encoded import encode_corpus
    from sentvec.text.sources import open_corpus
    from sentvec.text.tokenizer import Tokenizer

    chosen = Sent2VecSettings.make(preset, **settings)
    disk_of_corpus = 0
    if corpus and vocab is None:
        with tempfile.TemporaryDirectory(prefix="sentvec-") as folder:
            encoded = encode_corpus(
                open_corpus([Path(name) for name in corpus]), Tokenizer(chosen.tokenizer),
                Path(folder), min_count=chosen.min_count, max_vocab=chosen.max_vocab,
            )  # fmt: skip
            words, stats = len(encoded.vocabulary), encoded.stats
            buckets = buckets_for(chosen, stats.known_tokens)
        disk_of_corpus = 4 * stats.tokens + 8 * stats.sentences
        typer.echo(f"corpus      {stats.sentences:,} sentences, {stats.tokens:,} words")
    elif vocab is not None and vocab > 1 and not corpus:
        words = vocab
        buckets = buckets_for(chosen, 2 * MOST_BUCKETS)
    else:
        msg = "estimate needs a corpus or --vocab - expected one of them, --vocab from 2"
        raise SettingsError(msg)
    need = memory_of(chosen, words, buckets)
    number_bytes = 2 if chosen.dtype == "float16" else 4
    model = (2 * words + buckets) * chosen.dim * number_bytes + 12 * words
    typer.echo(f"rows        {words:,} words, {buckets:,} n-gram buckets, dim {chosen.dim}")
    typer.echo(f"memory      {gigabytes(need.total)} (matrices {gigabytes(need.matrices)})")
    if need.available is not None:
        typer.echo(f"available   {gigabytes(need.available)}")
    typer.echo(f"disk        {gigabytes(model)} for the model")
    typer.echo(
        f"while training, {gigabytes(2 * model + disk_of_corpus)} more with checkpoints "
        "(two of them, and the encoded corpus)"
    )
