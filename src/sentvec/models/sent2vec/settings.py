"""The settings of Sent2Vec: names, defaults, meanings and limits, each in one place.

What the settings of all models do alike (limits, presets, `config.json`) is in `fields`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sentvec.errors import SettingsError
from sentvec.models.sent2vec.presets import PRESETS
from sentvec.training.settings import (
    COMMON_LIMITS,
    MAX_NGRAM,
    Limit,
    Settings,
    finite,
    on_or_off,
    one_of,
    optional,
    whole_from,
)
from sentvec.training.settings import setting as _setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent2VecSettings(Settings):
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

    LIMITS: ClassVar[tuple[Limit, ...]] = (
        *COMMON_LIMITS,
        ("lr", finite(lambda v: v > 0), "a finite number above 0 (0.2 in the paper)"),
        ("min_target_count", whole_from(0), "a whole number from 0"),
        ("ngrams", whole_from(1, MAX_NGRAM), f"a whole number from 1 to {MAX_NGRAM}"),
        ("buckets", optional(whole_from(1)), "a whole number from 1 (for no n-grams: ngrams=1)"),
        ("drop_ngrams", whole_from(0), "a whole number from 0"),
        ("l1", finite(lambda v: v >= 0), "a finite number from 0 (0 is off)"),
        one_of("variant", "paper", "released"),
        on_or_off("deterministic"),
    )
    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS

    def __post_init__(self) -> None:
        # By name: a class with slots is made twice, and `super()` would mean the first.
        Settings.__post_init__(self)
        if self.deterministic and self.dtype != "float32":
            msg = f"deterministic needs dtype='float32', not {self.dtype!r} - change one of them"
            raise SettingsError(msg)

    @classmethod
    def _implied(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        # the released program draws negatives for each word
        return {"shared_negatives": False} if given.get("variant") == "released" else {}
