"""The kinds of models: one record each.

The command line, `load`, `resume`, `train` and `estimate` read the records; a new kind is a folder
with its settings, trainer and model, and one record. Not here: the records of the kinds that come
with the library (`models.builtin`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentvec.errors import FormatError, SettingsError
from sentvec.models.base.stored import StoredEncoder
from sentvec.text.tokenizer import Tokenizer
from sentvec.training.trainer import Trainer


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of model.

    Attributes:
        model: Its class, whose `KIND` is the name: in `config.json`, on the command line.
        trainer: How it is trained; None for a kind that is only read.
        about: What the help of `sentvec train` says of it: a sentence, then perhaps a paragraph.
        preset: A preset to name in the help.
        recognises: Whether a folder holds files of another program that `open` reads.
        open: Opens such a folder.
    """

    model: type[StoredEncoder]
    trainer: type[Trainer[Any, Any]] | None = None
    about: str = ""
    preset: str = ""
    recognises: Callable[[Path], bool] | None = None
    open: Callable[[Path, Tokenizer | None], StoredEncoder] | None = None

    @property
    def name(self) -> str:
        """The name of the kind."""
        return self.model.KIND


# All kinds, by name; `register` adds to them.
KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Make a kind known to the library; one of the same name is replaced.

    Raises:
        SettingsError: Its trainer is of another kind.
    """
    if kind.trainer is not None and kind.name != kind.trainer.KIND:
        msg = f"the trainer of kind {kind.name!r} is of kind {kind.trainer.KIND!r} - expected "
        raise SettingsError(msg + "the same KIND in both classes")
    KINDS[kind.name] = kind
    return kind


def trained_kinds() -> dict[str, type[Trainer[Any, Any]]]:
    """The trainers of the kinds that can be trained, by name."""
    return {name: kind.trainer for name, kind in KINDS.items() if kind.trainer is not None}


def kind_of(name: str, where: object) -> Kind:
    """The kind of a name.

    Args:
        name: Of the kind.
        where: What holds a model of that kind, for the message.

    Raises:
        FormatError: There is no such kind.
    """
    if name not in KINDS:
        msg = f"{where} holds a model of kind {name!r}, this sentvec knows {', '.join(KINDS)}"
        raise FormatError(msg + " - update sentvec")
    return KINDS[name]


def trainer_of(name: Any, where: object) -> type[Trainer[Any, Any]]:
    """The trainer of a kind.

    Raises:
        FormatError: There is no such kind, or it cannot be trained.
    """
    trainers = trained_kinds()
    if not isinstance(name, str) or name not in trainers:
        msg = f"{where} holds a run of a model of kind {name!r}, this sentvec knows "
        raise FormatError(msg + ", ".join(trainers) + " - update sentvec")
    return trainers[name]
