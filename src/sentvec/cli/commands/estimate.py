"""`sentvec estimate CORPUS... | --vocab N`: what a training run needs, without running it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from sentvec.cli.terminal.options import with_settings
from sentvec.errors import SettingsError
from sentvec.models.kinds.kind import trained_kinds
from sentvec.suggest import near_names
from sentvec.training.memory import gigabytes
from sentvec.training.trainer import CorpusSize, Trainer
from sentvec.wording import counted


@with_settings(*(trainer.SETTINGS for trainer in trained_kinds().values()))
def command(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(help="Text files with one sentence per line, whose words are counted."),
    ] = None,
    vocab: Annotated[
        int | None, typer.Option(help="Number of words of the vocabulary, instead of a corpus.")
    ] = None,
    model: Annotated[
        str, typer.Option(help="Kind of model: sent2vec, siamese-cbow or skip-thought.")
    ] = "sent2vec",
    preset: Annotated[
        str | None,
        typer.Option(help="Start from the settings of this preset, e.g. paper/books-bigrams."),
    ] = None,
    **settings: Any,
) -> None:
    """Estimate the memory and disk a training run needs.

    The training options are those of `sentvec train`. Its help says which of them a kind of model
    has, and what they mean there.
    """
    trainers = trained_kinds()
    if model not in trainers:
        msg = f"unknown model {model!r} - {near_names(model, trainers)}"
        raise SettingsError(msg)
    given = {name: value for name, value in settings.items() if value is not None}
    chosen = trainers[model].SETTINGS.make(preset, **given)
    trainer = trainers[model].for_new_run(chosen, given)
    if corpus and vocab is None:
        text = _read(corpus, trainer)
    elif vocab is not None and vocab > 1 and not corpus:
        text = CorpusSize(vocab)
    else:
        nothing = "neither a corpus nor --vocab" if vocab is None else f"--vocab {vocab}"
        got = "a corpus and --vocab" if corpus else nothing
        msg = f"got {got} - expected a corpus, or --vocab from 2 - give one of them"
        raise SettingsError(msg)
    needs = trainer.needs(text)
    need = needs.memory
    typer.echo(f"rows        {counted(text.words, 'word')}, {needs.rows}, dim {chosen.dim}")
    typer.echo(f"memory      {gigabytes(need.total)} (matrices {gigabytes(need.matrices)})")
    if need.available is not None:
        typer.echo(f"available   {gigabytes(need.available)}")
    typer.echo(f"disk        {gigabytes(needs.model)} for the model")
    typer.echo(
        f"while training, {gigabytes(2 * needs.checkpoint + text.disk)} more with checkpoints "
        "(two of them, and the encoded corpus)"
    )


def _read(corpus: list[str], trainer: Trainer[Any, Any]) -> CorpusSize:
    """Count a corpus."""
    from sentvec.text.encoded import encode_corpus
    from sentvec.text.sources import open_corpus

    settings = trainer.settings
    with tempfile.TemporaryDirectory(prefix="sentvec-") as folder:
        encoded = encode_corpus(
            open_corpus([Path(name) for name in corpus]), trainer.tokenizer, Path(folder),
            min_count=settings.min_count, max_vocab=settings.max_vocab,
        )  # fmt: skip
        stats = encoded.stats
        typer.echo(
            f"corpus      {counted(stats.sentences, 'sentence')}, {counted(stats.tokens, 'word')}"
        )
        return CorpusSize(
            words=len(encoded.vocabulary),
            known_tokens=stats.known_tokens,
            longest=encoded.longest_sentence(),
            sentences=stats.sentences,
            disk=4 * stats.tokens + 8 * stats.sentences,
        )
