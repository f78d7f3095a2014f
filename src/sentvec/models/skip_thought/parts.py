"""What a stored Skip-Thought model consists of: one encoder, or several whose vectors are joined.

`ModelConfig.parts` lists them; a part's tensors are those of `networks.shape`, each name behind the
part's `prefix`. A part has decoders where it was trained here or came with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from sentvec.errors import FormatError
from sentvec.networks.shape import FIRST_WORD, Shape
from sentvec.storage.config import ModelConfig
from sentvec.storage.folder import CONFIG, TENSORS, ModelFolder, undescribed


@dataclass(frozen=True, slots=True)
class Part:
    """An encoder, with its decoders if it has any.

    Attributes:
        shape: Of its network; `words` are those it was trained with, with the end of a sentence and
            the unknown word. Later ones, of an expansion, can be read but not predicted.
        prefix: Before the names of its tensors.
        decoders: Whether it has them.
    """

    shape: Shape
    prefix: str = ""
    decoders: bool = True

    def to_config(self) -> dict[str, Any]:
        """The part as `config.json` holds it."""
        shape = asdict(self.shape)
        return {**shape, "cutoffs": list(self.shape.cutoffs), "prefix": self.prefix,
                "decoders": self.decoders}  # fmt: skip

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Part:
        """Read what `to_config` gave.

        Raises:
            KeyError, TypeError, ValueError: It is something else.
        """
        numbers = {name: int(config[name]) for name in ("words", "word_dim", "dim")}
        form = {"released": "released", "paper": "paper"}[config["form"]]
        shape = Shape(
            **numbers, bidirectional=bool(config["bidirectional"]), form=form,
            conditioned=bool(config["conditioned"]), cutoffs=tuple(map(int, config["cutoffs"])),
        )  # fmt: skip
        return cls(shape, str(config["prefix"]), bool(config["decoders"]))

    def tensors(self, rows: int) -> dict[str, tuple[int, ...]]:
        """The shapes of its tensors in a model of N word vectors, by their names there."""
        shape = self.shape
        found = shape.tensors() if self.decoders else shape.encoder_tensors()
        found["word_vectors"] = (rows, shape.word_dim)
        return {self.prefix + name: size for name, size in found.items()}

    def under(self, prefix: str) -> Part:
        """The same part of another model."""
        return replace(self, prefix=prefix + self.prefix)


def parts_of(config: ModelConfig) -> list[Part]:
    """The parts of a model, by its configuration."""
    return [Part.from_config(part) for part in config.parts or ()]


def check_parts_of(opened: ModelFolder) -> None:
    """Check that a folder has the tensors its configuration speaks of.

    Raises:
        FormatError: It has others.
    """
    try:
        parts = parts_of(opened.config)
        sizes = opened.config.sizes
        rows, dim = sizes.vocabulary + FIRST_WORD, sizes.dim
        if not parts or sum(part.shape.dim for part in parts) != dim:
            msg = f"dim={dim} with parts of {[part.shape.dim for part in parts]}"
            raise ValueError(msg)
        expected = {name: size for part in parts for name, size in part.tensors(rows).items()}
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise undescribed(opened.path / CONFIG, error) from error
    for name, size in expected.items():
        found = opened.tensors.get(name)
        if found is None or found.shape != size or found.dtype != "float32":
            is_there = "absent" if found is None else f"{found.dtype} {found.shape}"
            msg = f"{opened.path / TENSORS}: {name} is {is_there}, expected float32 {size}"
            raise FormatError(f"{msg} - {CONFIG} is of another model, or the file is damaged")
