"""`sentvec demo`: train on the bundled novels, then show nearest sentences and similarities."""

from __future__ import annotations

import lzma
import time
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from sentvec.cli.terminal.model import Output
from sentvec.cli.terminal.training_display import TrainingDisplay
from sentvec.models.base.averaging import SentenceEncoder

QUERIES = (
    "I am very glad to see you.",
    "He opened the door and looked into the room.",
    "The Time Machine had vanished.",
)
TEXTS = (
    "I am delighted to hear it.",
    "I am very glad to hear you say so.",
    "Holmes examined the room with his lens.",
    "The detective searched the house for clues.",
    "Elizabeth danced with Mr. Darcy at the ball.",
    "Jane was engaged to Mr. Bingley.",
)
# Four novels are a small corpus: learning from it takes more passes than the default.
EPOCHS = 40


def command(
    output: Output = Path("sentvec-demo"),
    threads: Annotated[
        int | None,
        typer.Option(
            help="Number of worker threads. [default: one per processor]", show_default=False
        ),
    ] = None,
) -> None:
    """Train on four bundled novels and show what was learned.

    The novels are in the public domain. The command shows nearest sentences and similarities.
    """
    from sentvec.models.sent2vec.model import Sent2Vec
    from sentvec.storage.folder import check_target

    started = time.perf_counter()
    check_target(output)
    novels = files("sentvec") / "data" / "novels.txt.xz"
    sentences = lzma.decompress(novels.read_bytes()).decode("utf-8").split("\n")
    with TrainingDisplay() as display:
        model = Sent2Vec.train(sentences, epochs=EPOCHS, threads=threads, listener=display)
    model.save(output)
    typer.echo(f"\ntrained and saved in {time.perf_counter() - started:.1f} s: {output}/")
    _show_neighbors(model, sentences)
    _show_similarities(model)
    typer.echo(
        f"\nNow try:  sentvec similarity {output} 'an angry man' 'a furious husband'"
        f"\n          sentvec train sent2vec YOUR-TEXT.txt -o YOUR-MODEL"
    )


def _show_neighbors(model: SentenceEncoder, sentences: list[str]) -> None:
    known = set(QUERIES)
    texts = [sentence for sentence in sentences if sentence not in known]
    for query, hits in zip(QUERIES, model.neighbors(QUERIES, texts, k=5), strict=True):
        typer.echo(f"\nnearest to: {query}")
        for hit in hits:
            typer.echo(f"  {hit.score:.3f}  {hit.text[:90]}")


def _show_similarities(model: SentenceEncoder) -> None:
    width = max(map(len, TEXTS))
    typer.echo("\nsimilarities\n  " + " " * (width + 5) + "  ".join(f"({n})" for n in _numbers()))
    for n, text, row in zip(_numbers(), TEXTS, model.similarity(TEXTS, TEXTS), strict=True):
        scores = " ".join(f"{score:4.2f}" for score in row)
        typer.echo(f"  ({n}) {text:<{width}} {scores}")


def _numbers() -> range:
    return range(1, len(TEXTS) + 1)
