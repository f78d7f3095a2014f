"""Records of `config.json`: parsed and checked once, written back with the keys they do not know.

Not here: the configuration of a model as a whole (`config`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, get_args, get_type_hints

Json = Mapping[str, Any]


class Frozen(dict[str, Any]):
    """A JSON object that is only read; `dict` copies it."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        msg = "what is known of a model is read-only - expected no assignment; copy it with dict()"
        raise TypeError(msg)

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return Frozen, (dict(self),)


@dataclass(frozen=True, kw_only=True)
class Record:
    """A JSON object: the keys that the library reads are fields, all keys are in `stored`.

    Made by `from_json` or `of`, never by hand, so that both agree. A key whose value is null counts
    as absent.
    """

    stored: Json

    @classmethod
    def from_json(cls, values: Json) -> Self:
        """Read a record.

        Raises:
            TypeError, ValueError, OverflowError: It is no JSON object, a key is missing, or a
                value is of another type than its field.
        """
        if not isinstance(values, Mapping):
            msg = f"{cls.__name__.lower()} is {values!r}"
            raise ValueError(msg)
        known = {
            name: _typed(values[name], hint, name)
            for name, hint in _hints(cls).items()
            if values.get(name) is not None
        }
        return cls(**known, stored=Frozen(values))

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


def _hints(cls: type[Record]) -> dict[str, Any]:
    """The types of the fields of a record; None, which all may be but the required, left out."""
    hints = {name: hint for name, hint in get_type_hints(cls).items() if name != "stored"}
    return {name: (get_args(hint) or (hint,))[0] if _is_optional(hint) else hint
            for name, hint in hints.items()}  # fmt: skip


def _is_optional(hint: Any) -> bool:
    return type(None) in get_args(hint)


def _typed(value: Any, hint: Any, name: str) -> Any:
    """A value as its field holds it; numbers may be written with a decimal point.

    Raises:
        ValueError: It is of another type, or a whole number below 0.
    """
    if hint is int and not isinstance(value, bool):
        number = int(value)
        if number == value and number >= 0:
            return number
    elif hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    elif (hint in (str, bool) and isinstance(value, hint)) or hint not in (int, float, str, bool):
        return value
    msg = f"{name} is {value!r}"
    raise ValueError(msg)


@dataclass(frozen=True, kw_only=True)
class Sizes(Record):
    """The sizes of a model: dimensions, words, and rows of n-grams where it has any."""

    dim: int
    vocabulary: int
    buckets: int | None = None
    word_dim: int | None = None
    trained_words: int | None = None

    def __post_init__(self) -> None:
        wrong = {name: size for name, size in self.stored.items() if int(size) != size}
        if wrong or self.dim < 1:
            msg = f"sizes {dict(self.stored)}"
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

    @classmethod
    def from_json(cls, values: Json) -> Self:
        """Read settings; see `Record.from_json`."""
        record = super().from_json(values)
        if not isinstance(record.quantiser, Mapping):
            return replace(record, quantiser=None)
        return replace(record, quantiser=Quantiser.from_json(record.quantiser))

    @property
    def supervised(self) -> bool:
        """Whether a model of another program learned labels."""
        return self.model == "supervised"
