"""`sentvec expand MODEL --vectors FILE -o FOLDER`: words a Skip-Thought encoder never saw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.model import Output, expect_elsewhere, open_model
from sentvec.storage.folder import check_target
from sentvec.wording import counted

if TYPE_CHECKING:
    from sentvec.models.skip_thought.expand import Fit


def command(
    model: Annotated[
        Path, typer.Argument(help="Folder of a Skip-Thought model.", show_default=False)
    ],
    vectors: Annotated[
        Path,
        typer.Option(help="Word vectors: GloVe, word2vec, fastText, or a model with word vectors."),
    ],
    output: Output,
    intercept: Annotated[
        bool,
        typer.Option(
            "--intercept/--no-intercept", help="Fit an affine map, or a linear one as in the paper."
        ),
    ] = True,
    max_vocab: Annotated[
        int | None,
        typer.Option(
            help="Keep at most N words in total, the first of the vectors. [default: all]",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Add the words of other word vectors to a Skip-Thought model.

    Print how well they fit.

    A map from the other vectors to those that the encoder reads is fitted by least squares on the
    words that both know; words that were trained keep their vectors. Words are compared
    case-sensitively. Decoders still predict only the words they were trained with.
    """
    from sentvec.models.skip_thought.expand import expand, trained_words
    from sentvec.models.skip_thought.model import SkipThought

    expect_elsewhere(output, model, vectors)
    check_target(output)
    opened = open_model(model)
    expanded, fit = expand(opened, vectors, intercept=intercept, max_vocab=max_vocab)
    assert isinstance(opened, SkipThought)  # else that had refused it
    complain(f"shared      {fit.shared:,} of the {counted(trained_words(opened), 'trained word')}")
    for line in _fit_lines(fit):
        complain(line)
    expanded.save(output)
    complain(
        f"saved       {output}: {counted(fit.added, 'word')} added to {len(opened.vocabulary):,}, "
        f"{len(expanded.vocabulary):,} in all"
    )


def _fit_lines(fit: Fit) -> list[str]:
    """How well mapped vectors fit those that were trained."""
    known = f"R2 {fit.r2:.4f}, mean cosine {fit.cosine:.4f}"
    if fit.held_out_cosine != fit.held_out_cosine:  # NaN
        held_out = "not measured: nine tenths of the shared words are too few to fit a map"
    else:
        held_out = (
            f"R2 {fit.held_out_r2:.4f}, mean cosine {fit.held_out_cosine:.4f}, on every tenth word "
            "with a map fitted on the others"
        )
    return [f"fit         {known}, on the shared words", f"held out    {held_out}"]
