"""Records of `config.json`: parsed and checked once, written back with the keys they do not know.

Not here: the configuration of a model as a whole (`config`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

Json = Mapping[str, Any]


def whole(value: Any, name: str) -> int:
    """A whole number from 0.

    Raises:
        ValueError: The value is something else.
    """
    number = int(value)
    if number != value or number < 0:
        msg = f"{name} is {value!r}"
        raise ValueError(msg)
    return number


@dataclass(frozen=True, kw_only=True)
class Record:
    """A JSON object: the keys that the library reads are fields, all keys are in `stored`.

    Made by `from_json` or `of`, never by hand, so that both agree.
    """

    stored: Json

    @classmethod
    def from_json(cls, values: Json) -> Self:
        """Read a record.

        Raises:
            TypeError, ValueError: It is no JSON object, or a key is missing.
        """
        if not isinstance(values, Mapping):
            msg = f"{cls.__name__.lower()} is {values!r}"
            raise ValueError(msg)
        names = {entry.name for entry in fields(cls)} - {"stored"}
        known = {name: value for name, value in values.items() if name in names}
        return cls(**known, stored=dict(values))

    @classmethod
    def of(cls, **values: Any) -> Self:
        """A new record of the values that are not None."""
        return cls.from_json({name: value for name, value in values.items() if value is not None})

    def to_json(self) -> dict[str, Any]:
        """The record as `config.json` holds it, with the keys that the library does not read."""
        return dict(self.stored)

    def with_values(self, **values: Any) -> Self:
        """A copy with some values set."""
        return self.from_json({**self.stored, **values})


@dataclass(frozen=True, kw_only=True)
class Sizes(Record):
    """The sizes of a model: dimensions, words, and rows of n-grams where it has any."""

    dim: int
    vocabulary: int
    buckets: int | None = None
    word_dim: int | None = None
    trained_words: int | None = None

    def __post_init__(self) -> None:
        for name, value in self.stored.items():
            whole(value, name)
        if self.dim < 1:
            msg = f"dim is {self.dim}"
            raise ValueError(msg)

    @property
    def words_trained(self) -> int:
        """Words that were trained: all of them, unless the vocabulary was expanded."""
        return self.vocabulary if self.trained_words is None else self.trained_words


@dataclass(frozen=True, kw_only=True)
class Corpus(Record):
    """The text a model was trained on; `text.encoded.CorpusStats` describes the fields."""

    sentences: int = 0
    documents: int = 0
    tokens: int = 0
    known_tokens: int = 0
    fingerprint: str | None = None


@dataclass(frozen=True, kw_only=True)
class Training(Record):
    """The run that made a model: mean loss, seconds, threads, and when it finished (ISO 8601)."""

    loss: float | None = None
    seconds: float | None = None
    threads: int | None = None
    finished: str | None = None


@dataclass(frozen=True, kw_only=True)
class Source(Record):
    """The file of another program that a model was read from."""

    file: str = "?"
    layout: str = "?"
    bytes: int = 0


@dataclass(frozen=True, kw_only=True)
class Expansion(Record):
    """A vocabulary expansion: where the words came from, how many, and how well they fit."""

    file: str = "?"
    shared: int = 0
    added: int = 0
    intercept: bool | None = None
    r2: float | None = None


@dataclass(frozen=True, kw_only=True)
class Encoding(Record):
    """How a Skip-Thought model reads a text unless `encode` is given other options."""

    end_token: bool = True
    normalize_parts: bool = False


@dataclass(frozen=True, kw_only=True)
class Quantiser(Record):
    """The shape of a product quantisation: dimensions, and columns of a part."""

    dim: int
    dsub: int


@dataclass(frozen=True, kw_only=True)
class StoredSettings(Record):
    """The settings of a model: what encoding relies on has a name, all keys are in `stored`.

    The settings of a run of training are typed by its kind (`training.settings.Settings`).

    Attributes:
        dtype: How the input matrix is stored.
        tokenizer: Its name.
        ngrams: The longest word n-gram; None where a model has no such thing.
        sentence_end: The word with which programs of Sent2Vec end a sentence.
        model: What a model of another program learned: `cbow`, `skip-gram`, `supervised` ...
        min_n: The shortest character n-gram.
        max_n: The longest character n-gram; 0 for none.
        char_buckets: Rows of character n-grams where these have rows of their own.
        layout_version: Of a fastText binary.
        quantiser: Of a matrix after product quantisation.
        labels: [name, count] of each label of a supervised model.
        max_tokens: The longest sentence of the training.
    """

    dtype: str | None = None
    tokenizer: str | None = None
    ngrams: int | None = None
    sentence_end: str | None = None
    model: str | None = None
    min_n: int | None = None
    max_n: int | None = None
    char_buckets: int | None = None
    layout_version: int | None = None
    quantiser: Quantiser | None = None
    labels: list[Any] | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("ngrams", "min_n", "max_n", "char_buckets"):
            if getattr(self, name) is not None:
                whole(getattr(self, name), name)

    @classmethod
    def from_json(cls, values: Json) -> Self:
        """Read settings; see `Record.from_json`."""
        record = super().from_json(values)
        if record.quantiser is None:
            return record
        return replace(record, quantiser=Quantiser.from_json(values["quantiser"]))

    @property
    def supervised(self) -> bool:
        """Whether a model of another program learned labels."""
        return self.model == "supervised"
