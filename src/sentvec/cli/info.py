"""`sentvec info MODEL`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from sentvec.text.unicode import encode
from sentvec.training.memory import gigabytes


def command(model: Annotated[Path, typer.Argument(help="A model folder.")]) -> None:
    """Print what is known of a model."""
    from sentvec.models.load import load

    encoder = load(model)
    config = encoder.config
    corpus, training = config.get("corpus", {}), config.get("training", {})
    size = sum(entry.stat().st_size for entry in model.iterdir() if entry.is_file())
    commonest = ", ".join(islice(encoder.vocabulary, 10))
    lines = {
        "model": f"{config['model']}, format version {config['format_version']}, "
        f"sentvec {config.get('sentvec_version', '?')}",
        "vectors": f"{encoder.input_vectors.dtype}, dim {encoder.dim}",
        "vocabulary": f"{len(encoder.vocabulary):,} words: {commonest}, ...",
        "buckets": f"{config['sizes']['buckets']:,}",
        "tokenizer": ", ".join(f"{key}={value}" for key, value in config["tokenizer"].items()),
        "size": f"{gigabytes(size)} on disk; encoding reads the rows it needs",
        "corpus": ", ".join(f"{key} {value}" for key, value in corpus.items()),
        "training": ", ".join(f"{key} {value}" for key, value in training.items()),
        "settings": ", ".join(f"{key}={value}" for key, value in config["settings"].items()),
    }
    for name, value in lines.items():
        typer.echo(encode(f"{name:<12}{value}"))
