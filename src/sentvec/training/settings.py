"""What the settings of all models share: fields with help, limits, presets, `config.json`.

The keyword of `train`, the flag of the command line and the key in `config.json` are the field's
name; help texts are the fields' `help`. Not here: the settings themselves (`settings` in the folder
of each model).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sentvec.errors import SettingsError
from sentvec.suggest import near_names
from sentvec.text.tokenizer import Tokenizer

Check = Callable[[Any], bool]
Limit = tuple[str, Check, str]

MAX_NGRAM = 20  # words of the longest word n-gram


def check_limits(limits: Iterable[Limit], values: Mapping[str, Any]) -> None:
    """Check values by name.

    Raises:
        SettingsError: The first that cannot work.
    """
    for name, is_good, expected in limits:
        value = values[name]
        try:
            good = is_good(value)
        except (TypeError, OverflowError):
            good = False
        if not good:
            msg = f"{name} is {value!r} - expected {expected}"
            raise SettingsError(msg)


def setting(default: Any, help: str) -> Any:
    """A field with its default and what it means."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model is trained: the part that no model does differently.

    Attributes:
        LIMITS: For each field what a value must be: its name, a check, and the check in words.
        PRESETS: Changes of the defaults by name; no preset is the defaults.
    """

    LIMITS: ClassVar[tuple[Limit, ...]] = ()
    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    if TYPE_CHECKING:  # fields that all kinds have, each with a default and a help of its own

        @property
        def dim(self) -> int: ...  # noqa: D102
        @property
        def epochs(self) -> int: ...  # noqa: D102
        @property
        def lr(self) -> float: ...  # noqa: D102
        @property
        def min_count(self) -> int: ...  # noqa: D102
        @property
        def max_vocab(self) -> int | None: ...  # noqa: D102
        @property
        def tokenizer(self) -> str: ...  # noqa: D102
        @property
        def shuffle(self) -> bool: ...  # noqa: D102
        @property
        def threads(self) -> int | None: ...  # noqa: D102
        @property
        def seed(self) -> int: ...  # noqa: D102

    def __post_init__(self) -> None:
        check_limits(self.LIMITS, {name: getattr(self, name) for name, _, _ in self.LIMITS})

    @classmethod
    def make(cls, preset: str | None = None, **changes: Any) -> Self:
        """The settings of a preset with changes; a change of None is no change.

        Raises:
            SettingsError: No such preset or setting, or a value that cannot work.
        """
        if preset is not None and preset not in list(cls.PRESETS):
            msg = f"unknown preset {preset!r} - {near_names(str(preset), cls.PRESETS)}"
            raise SettingsError(msg)
        known = {entry.name for entry in fields(cls)}
        for name in changes:
            if name not in known:
                msg = f"unknown setting {name!r} - {near_names(name, sorted(known))}"
                raise SettingsError(msg)
        given = {name: plain(value) for name, value in changes.items() if value is not None}
        return cls(**{**(cls.PRESETS[preset] if preset else {}), **cls._implied(given), **given})

    @classmethod
    def _implied(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """What follows from the settings given, for those that were not."""
        return {}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Read settings from `config.json`; keys of a later version are passed over."""
        known = {entry.name for entry in fields(cls)}
        return cls(**{name: value for name, value in config.items() if name in known})

    def to_config(self) -> dict[str, Any]:
        """The settings as stored in `config.json`."""
        return asdict(self)

    def with_values(self, **values: Any) -> Self:
        """A copy with some values set."""
        return replace(self, **values)


def _is_whole(value: Any) -> bool:
    """Whether a value is an integer, and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def finite(check: Check) -> Check:
    """Whether a value is a finite number that passes a check."""
    return lambda value: not isinstance(value, bool) and math.isfinite(value) and check(value)


def whole_from(low: int, high: int = 2**30) -> Check:
    """Whether a value is an integer from low to high."""
    return lambda value: _is_whole(value) and low <= value <= high


def optional(check: Check) -> Check:
    """Whether a value is None or passes a check."""
    return lambda value: value is None or check(value)


def one_of(*names: str) -> Limit:
    """The name of a field, and the names that its value may have."""
    field_name, *values = names
    quoted = [repr(value) for value in values]
    expected = " or ".join([", ".join(quoted[:-1]), quoted[-1]])
    return field_name, lambda value: value in values, expected


def on_or_off(name: str) -> Limit:
    """A field that is True or False."""
    return name, lambda value: isinstance(value, bool), "True or False"


def _is_tokenizer(value: Any) -> bool:
    Tokenizer(value)  # raises, and names the nearest
    return True


def plain(value: Any) -> Any:
    """A number of NumPy as one of Python, which `config.json` can hold."""
    return value.item() if isinstance(value, np.generic) else value


# Of the fields that every model has.
COMMON_LIMITS: tuple[Limit, ...] = (
    ("dim", whole_from(1, 100_000), "a whole number from 1 to 100,000"),
    ("epochs", whole_from(1), "a whole number from 1"),
    ("min_count", whole_from(1), "a whole number from 1"),
    ("max_vocab", optional(whole_from(2)), "a whole number from 2, or none"),
    ("subsample", finite(lambda v: v >= 0), "a finite number from 0 (0 is off)"),
    ("negatives", whole_from(1, 10_000), "a whole number from 1 to 10,000"),
    ("tokenizer", _is_tokenizer, "the name of a tokenizer"),
    one_of("dtype", "float32", "float16"),
    on_or_off("shared_negatives"),
    on_or_off("shuffle"),
    ("threads", optional(whole_from(1, 4096)), "a whole number from 1 to 4,096, or none for all"),
    ("seed", whole_from(0, 2**63 - 1), "a whole number from 0"),
)
