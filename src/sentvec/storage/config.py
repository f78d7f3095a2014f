"""What is known of a model: the content of `config.json`, as one frozen record.

It is parsed and checked where a folder is opened. Keys that this version does not know are kept and
written back. Not here: whether the tensors fit (`models.base.checks`), and the file (`folder`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from sentvec.storage.records import (
    Corpus,
    Encoding,
    Expansion,
    Frozen,
    Json,
    Record,
    Sizes,
    Source,
    StoredSettings,
    Training,
)


@dataclass(frozen=True, kw_only=True)
class Component(Record):
    """What a combined model remembers of one of the models it was made of."""

    settings: StoredSettings | None = None
    corpus: Corpus | None = None
    training: Training | None = None
    source: Source | None = None
    expanded: tuple[Expansion, ...] = ()

    @classmethod
    def from_json(cls, values: Json) -> Self:
        """Read the record; see `Record.from_json`."""
        record = super().from_json(values)
        known = {entry.name for entry in fields(cls)}
        records = {name: each for name, each in _records(values).items() if name in known}
        return replace(record, **records)


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelConfig(Mapping[str, Any]):
    """The configuration of a model.

    It can also be read like the JSON object it comes from, `config["sizes"]["dim"]`; `to_json`
    gives that object.

    Attributes:
        kind: The kind of model (`"model"` in the file).
        settings: How it was trained, or what its file says of it.
        tokenizer: Arguments of its `Tokenizer`.
        sizes: Dimensions, words, rows of n-grams.
        sentvec_version: The version that trained or made it.
        corpus: The text it was trained on.
        training: The run that made it.
        source: The file of another program it was read from.
        parts: The encoders of a Skip-Thought model (`models.skip_thought.parts`).
        encoding: How a Skip-Thought model reads texts.
        combined: The models it was combined of.
        expanded: The expansions of its vocabulary, in order.
        format_version: Of the folder it was read from.
        vocabulary_digest: Of the vocabulary in that folder.
        more: Keys that this version does not know.
    """

    kind: str
    sentvec_version: str | None = None
    settings: StoredSettings
    tokenizer: Json
    corpus: Corpus | None = None
    sizes: Sizes
    training: Training | None = None
    source: Source | None = None
    parts: tuple[Json, ...] | None = None
    encoding: Encoding | None = None
    combined: tuple[Component, ...] | None = None
    expanded: tuple[Expansion, ...] = ()
    format_version: int | None = None
    vocabulary_digest: str | None = None
    more: Json = field(default_factory=dict)

    @classmethod
    def from_json(cls, values: Json) -> Self:
        """Read a configuration.

        Raises:
            KeyError, TypeError, ValueError, OverflowError: It is not that of a model.
        """
        known = {entry.name for entry in fields(cls)} - {"kind", "more"}
        plain = {name: value for name, value in values.items() if name in known}
        more = {name: value for name, value in values.items() if name not in {*known, "model"}}
        if not isinstance(values["tokenizer"], Mapping):
            msg = f"tokenizer is {values['tokenizer']!r}"
            raise ValueError(msg)
        plain["tokenizer"] = Frozen(values["tokenizer"])
        return cls(**{**plain, **_records(values)}, kind=values["model"], more=Frozen(more))

    @classmethod
    def of(cls, values: Json | ModelConfig) -> ModelConfig:
        """The configuration itself, or that of a JSON object."""
        return values if isinstance(values, ModelConfig) else cls.from_json(values)

    def to_json(self) -> dict[str, Any]:
        """The configuration as `config.json` holds it."""
        values: dict[str, Any] = {"format_version": self.format_version, "model": self.kind}
        for entry in fields(self):
            if entry.name not in ("kind", "more", "format_version"):
                values[entry.name] = _plain(getattr(self, entry.name))
        known = {name: value for name, value in values.items() if value not in (None, [])}
        return {**known, **self.more}

    def with_values(self, **values: Any) -> Self:
        """A copy with some fields set."""
        return replace(self, **values)

    def __getitem__(self, key: str) -> Any:
        value = self.to_json()[key]
        return Frozen(value) if isinstance(value, dict) else value

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_json())

    def __len__(self) -> int:
        return len(self.to_json())


_RECORDS: dict[str, type[Record]] = {
    "settings": StoredSettings,
    "sizes": Sizes,
    "corpus": Corpus,
    "training": Training,
    "source": Source,
    "encoding": Encoding,
}
_LISTS: dict[str, type[Record]] = {"combined": Component, "expanded": Expansion}


def _records(values: Json) -> dict[str, Any]:
    """The records among the values of a JSON object, parsed."""
    found: dict[str, Any] = {
        name: None if values[name] is None else record.from_json(values[name])
        for name, record in _RECORDS.items()
        if name in values
    }
    for name, record in _LISTS.items():
        if values.get(name) is not None:
            found[name] = tuple(record.from_json(each) for each in values[name])
        elif name in values:
            found[name] = () if name == "expanded" else None
    if values.get("parts") is not None:
        found["parts"] = tuple(map(Frozen, values["parts"]))
    return found


def _plain(value: Any) -> Any:
    """A field as JSON holds it."""
    if isinstance(value, Record):
        return value.to_json()
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return dict(value) if isinstance(value, Mapping) else value
