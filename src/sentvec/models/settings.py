"""The settings of Sent2Vec: names, defaults, meanings and limits, each in one place.

The keyword of `Sent2Vec.train`, the flag of `sentvec train sent2vec` and the key in `config.json`
are the field's name; help texts are the fields' `help`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from sentvec.errors import SettingsError
from sentvec.models.presets import PRESETS
from sentvec.suggest import near_names
from sentvec.text.tokenizer import Tokenizer

LONGEST_NGRAM = 20


def _setting(default: Any, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent2VecSettings:
    """How a Sent2Vec model is trained. The defaults are those of the preset `default`.

    >>> Sent2VecSettings.make(preset="paper/wiki-bigrams", epochs=3).subsample
    5e-06
    """

    dim: int = _setting(100, "length of the vectors")
    epochs: int = _setting(5, "passes over the corpus")
    lr: float = _setting(0.3, "learning rate at the start; it falls linearly to 0")
    min_count: int = _setting(5, "words seen less often are unknown")
    min_target_count: int = _setting(
        0, "words seen less often are never predicted, but stand in contexts"
    )
    max_vocab: int | None = _setting(None, "keep at most so many words, the commonest")
    subsample: float = _setting(
        1e-4, "t: commoner words are predicted less often; 0 predicts every word"
    )
    negatives: int = _setting(30, "words drawn against each predicted word")
    shared_negatives: bool = _setting(
        True, "draw negatives for up to 8 words of a sentence, not for each"
    )
    ngrams: int = _setting(2, "longest word n-gram; 1 for words alone")
    buckets: int | None = _setting(
        None, "rows for n-grams, found by hashing; without it, chosen from the size of the corpus"
    )
    drop_ngrams: int = _setting(8, "K: n-grams left out at random for each predicted word")
    l1: float = _setting(0.0, "weight of the L1 penalty (the paper's tau; 0.0005 there)")
    variant: str = _setting("paper", "`paper`, or `released` for what the authors' program does")
    tokenizer: str = _setting("simple", "whitespace, simple, tweet or ptb")
    dtype: str = _setting(
        "float32", "float16 halves memory and model: half precision, rounded at random"
    )
    shuffle: bool = _setting(True, "take sentences in random order")
    threads: int | None = _setting(None, "worker threads; without it, one per processor")
    deterministic: bool = _setting(
        False, "with several threads, the same result every time; a copy of the matrices for each"
    )
    seed: int = _setting(1, "of all random numbers; with 1 thread a run repeats to the bit")

    def __post_init__(self) -> None:
        for name, is_good, expected in _LIMITS:
            value = getattr(self, name)
            try:
                good = is_good(value)
            except (TypeError, OverflowError):
                good = False
            if not good:
                msg = f"{name} is {value!r} - expected {expected}"
                raise SettingsError(msg)
        if self.deterministic and self.dtype != "float32":
            msg = f"deterministic needs dtype='float32', not {self.dtype!r} - change one of them"
            raise SettingsError(msg)

    @classmethod
    def make(cls, preset: str | None = None, **changes: Any) -> Sent2VecSettings:
        """The settings of a preset with changes; a change of None is no change.

        Raises:
            SettingsError: No such preset or setting, or a value that cannot work.
        """
        if preset is not None and preset not in list(PRESETS):
            msg = f"unknown preset {preset!r} - {near_names(str(preset), PRESETS)}"
            raise SettingsError(msg)
        known = {entry.name for entry in fields(cls)}
        for name in changes:
            if name not in known:
                msg = f"unknown setting {name!r} - {near_names(name, sorted(known))}"
                raise SettingsError(msg)
        given = {name: _plain(value) for name, value in changes.items() if value is not None}
        if given.get("variant") == "released":
            given.setdefault("shared_negatives", False)  # the released program draws per word
        return cls(**{**PRESETS[preset or "default"], **given})

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Sent2VecSettings:
        """Read settings from `config.json`; keys of a later version are passed over."""
        known = {entry.name for entry in fields(cls)}
        return cls(**{name: value for name, value in config.items() if name in known})

    def to_config(self) -> dict[str, Any]:
        """The settings as stored in `config.json`."""
        return asdict(self)

    def with_values(self, **values: Any) -> Sent2VecSettings:
        """A copy with some values set."""
        return replace(self, **values)


def is_whole(value: Any) -> bool:
    """Whether a value is an integer, and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python, which `config.json` can hold."""
    return value.item() if isinstance(value, np.generic) else value


def _finite(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: not isinstance(value, bool) and math.isfinite(value) and check(value)


def _whole_from(low: int, high: int = 2**30) -> Callable[[Any], bool]:
    return lambda value: is_whole(value) and low <= value <= high


def _optional(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or check(value)


def _is_tokenizer(value: Any) -> bool:
    Tokenizer(value)  # raises, and names the nearest
    return True


_LIMITS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("dim", _whole_from(1, 100_000), "a whole number from 1 to 100,000"),
    ("epochs", _whole_from(1), "a whole number from 1"),
    ("lr", _finite(lambda v: v > 0), "a finite number above 0 (0.2 in the paper)"),
    ("min_count", _whole_from(1), "a whole number from 1"),
    ("min_target_count", _whole_from(0), "a whole number from 0"),
    ("max_vocab", _optional(_whole_from(2)), "a whole number from 2, or none"),
    ("subsample", _finite(lambda v: v >= 0), "a finite number from 0 (0 is off)"),
    ("negatives", _whole_from(1, 10_000), "a whole number from 1 to 10,000"),
    ("ngrams", _whole_from(1, LONGEST_NGRAM), f"a whole number from 1 to {LONGEST_NGRAM}"),
    ("buckets", _optional(_whole_from(1)), "a whole number from 1 (for no n-grams: ngrams=1)"),
    ("drop_ngrams", _whole_from(0), "a whole number from 0"),
    ("l1", _finite(lambda v: v >= 0), "a finite number from 0 (0 is off)"),
    ("variant", lambda v: v in ("paper", "released"), "'paper' or 'released'"),
    ("tokenizer", _is_tokenizer, "the name of a tokenizer"),
    ("dtype", lambda v: v in ("float32", "float16"), "'float32' or 'float16'"),
    ("shared_negatives", lambda v: isinstance(v, bool), "True or False"),
    ("deterministic", lambda v: isinstance(v, bool), "True or False"),
    ("shuffle", lambda v: isinstance(v, bool), "True or False"),
    ("threads", _optional(_whole_from(1, 4096)), "a whole number from 1 to 4,096, or none for all"),
    ("seed", _whole_from(0, 2**63 - 1), "a whole number from 0"),
)
