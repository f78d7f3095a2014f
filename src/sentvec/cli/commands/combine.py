"""`sentvec combine UNI BI -o FOLDER`: one Skip-Thought model from several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sentvec.cli.terminal.console import complain
from sentvec.cli.terminal.model import Output, expect_elsewhere, open_model
from sentvec.storage.folder import check_target
from sentvec.wording import counted


def command(
    models: Annotated[
        list[Path],
        typer.Argument(
            help="Folders of Skip-Thought models with the same words, in the order of their "
            "vectors; for combine-skip, the uni- and the bidirectional one.",
            show_default=False,
        ),
    ],
    output: Output,
) -> None:
    """Combine Skip-Thought models by concatenating their vectors.

    They must have the same words in the same order: train them on the same text with the same
    --min-count, --max-vocab and --tokenizer. Nothing is trained; their sizes on disk add up.
    """
    from sentvec.models.skip_thought.combine import combine

    expect_elsewhere(output, *models)
    check_target(output)
    combined = combine([open_model(path) for path in models])
    combined.save(output)
    dims = " + ".join(str(part.shape.dim) for part in combined.parts)
    words = counted(len(combined.vocabulary), "word")
    complain(f"saved       {output}: dim {combined.dim} = {dims}, {words}")
