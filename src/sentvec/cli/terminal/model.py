"""How commands take and write models: their arguments and options, opening, sizes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentvec.errors import SettingsError

if TYPE_CHECKING:
    from sentvec.models.base.stored import StoredEncoder
    from sentvec.text.tokenizer import Tokenizer

Model = Annotated[
    Path,
    typer.Argument(
        help="A model folder, a file of Sent2Vec, fastText, word2vec or GloVe, or the folder of "
        "the released Skip-Thought files.",
        show_default=False,
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="Folder to write the model to.")]
TokenizerName = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        help="Tokenizer: whitespace, simple, tweet or ptb. [default: the model's; whitespace for "
        "files of other programs]",
        show_default=False,
    ),
]


def open_model(path: Path, tokenizer: Tokenizer | str | None = None) -> StoredEncoder:
    """Open a model as `sentvec.load` does."""
    from sentvec.models.kinds.load import load

    return load(path, tokenizer=tokenizer)


def expect_elsewhere(target: Path, *models: Path) -> None:
    """Check that the output does not replace a model it is made of."""
    for model in models:
        if target.exists() and model.exists() and target.samefile(model):
            msg = f"{target} is the model itself, which would be lost - name another place"
            raise SettingsError(msg)


def open_any(name: str, tokenizer: str | None = None, counts: Path | None = None) -> Any:
    """Open whatever can be evaluated, by the name the user gives it: a path, or a baseline."""
    if _is_baseline(name):
        from sentvec.baselines.opening import open_baseline

        return open_baseline(name, counts=counts, tokenizer=tokenizer)
    if counts is not None:
        msg = f"--counts is for sif:VECTORS, not for {name!r} - leave it out"
        raise SettingsError(msg)
    return open_model(Path(name), tokenizer)


def short_name(name: str) -> str:
    """What reports call the model of `open_any`: no folders, but the kind of a baseline."""
    kind, colon, path = name.partition(":") if _is_baseline(name) else ("", "", name)
    return f"{kind}{colon}{Path(path).name}" or name


def _is_baseline(name: str) -> bool:
    from sentvec.baselines.opening import KINDS

    return name.partition(":")[0] in KINDS and not Path(name).exists()


def shown_size(size: float) -> str:
    """A number of bytes for people, in units of 10^9, 10^6 or 10^3 bytes."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6)):
        if size >= scale:
            return f"{size / scale:.2f} {unit}"
    return f"{size / 1e3:.1f} KB"


def size_on_disk(path: Path) -> int:
    """Bytes of a model: of its file, or of the files of its folder."""
    if path.is_dir():
        return sum(entry.stat().st_size for entry in path.iterdir() if entry.is_file())
    return path.stat().st_size
