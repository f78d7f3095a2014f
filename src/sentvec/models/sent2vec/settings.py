"""The settings of Sent2Vec: names, defaults, meanings, limits and presets, each in one place.

The presets of the paper are table 5 of Pagliardini et al. (2018); the L1 rows are appendix B (the
same settings with tau = 0.0005). What the paper does not state is our default: buckets are chosen
from the corpus, text is tokenised with `simple`.

The default is for corpora of 10^5 to 10^8 words and was chosen by measurement (docs/results): more
words are predicted (t), each against more words, shared by the sentence, and more n-grams are left
out.

What the settings of all models do alike (limits, presets, `config.json`) is in `training.settings`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from sentvec.errors import SettingsError
from sentvec.models.base.stored import StoredEncoder
from sentvec.training.runs.plan import RunOptions
from sentvec.training.settings import (
    COMMON_LIMITS,
    MAX_NGRAM,
    Limit,
    Settings,
    finite,
    on_or_off,
    one_of,
    optional,
    setting,
    whole_from,
)

_DEFAULT: dict[str, Any] = {}


def _paper(
    dim: int, min_count: int, min_target_count: int, epochs: int, subsample: float, drop: int | None
) -> dict[str, Any]:
    """A row of table 5, in its order; `drop` is K, None for the unigram models."""
    return {
        "dim": dim,
        "min_count": min_count,
        "min_target_count": min_target_count,
        "lr": 0.2,
        "epochs": epochs,
        "subsample": subsample,
        "ngrams": 1 if drop is None else 2,
        "drop_ngrams": drop or 0,
        "negatives": 10,
        "shared_negatives": False,
    }


_BOOKS_BIGRAMS = _paper(700, 5, 5, 12, 5e-6, 7)
_WIKI_BIGRAMS = _paper(700, 8, 20, 9, 5e-6, 4)

PRESETS: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {
        "default": _DEFAULT,
        "paper/books-unigrams": _paper(700, 5, 8, 13, 1e-5, None),
        "paper/books-bigrams": _BOOKS_BIGRAMS,
        "paper/books-bigrams-l1": {**_BOOKS_BIGRAMS, "l1": 0.0005},
        "paper/wiki-unigrams": _paper(600, 8, 20, 9, 1e-5, None),
        "paper/wiki-bigrams": _WIKI_BIGRAMS,
        "paper/wiki-bigrams-l1": {**_WIKI_BIGRAMS, "l1": 0.0005},
        "paper/twitter-unigrams": _paper(700, 20, 20, 3, 1e-6, None),
        "paper/twitter-bigrams": _paper(700, 20, 20, 3, 1e-6, 3),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent2VecSettings(Settings):
    """How a Sent2Vec model is trained. The defaults are those of the preset `default`.

    >>> Sent2VecSettings.make(preset="paper/wiki-bigrams", epochs=3).subsample
    5e-06
    """

    dim: int = setting(100, "Length of the vectors.")
    epochs: int = setting(5, "Number of passes over the corpus.")
    lr: float = setting(0.3, "Learning rate at the start; it falls linearly to 0.")
    min_count: int = setting(5, "Words seen less often are unknown.")
    min_target_count: int = setting(
        0, "Words seen less often stand in contexts, but are never predicted."
    )
    max_vocab: int | None = setting(None, "Keep only the N most frequent words.")
    subsample: float = setting(
        1e-4, "t: more frequent words are predicted less often; 0 predicts every word."
    )
    negatives: int = setting(30, "Number of random words drawn against each predicted word.")
    shared_negatives: bool = setting(
        True, "Draw negatives once for up to 8 words of a sentence, not for each word."
    )
    ngrams: int = setting(2, "Longest word n-gram; 1 for words alone.")
    buckets: int | None = setting(
        None, "Number of rows for hashed n-grams; if not given, chosen from the corpus size."
    )
    drop_ngrams: int = setting(
        8, "K: number of n-grams left out at random for each predicted word."
    )
    l1: float = setting(0.0, "Weight of the L1 penalty (tau in the paper, 0.0005 there); 0 is off.")
    variant: str = setting(
        "paper", "`paper`, or `released` for what the program of the authors does."
    )
    tokenizer: str = setting("simple", "Tokenizer: whitespace, simple, tweet or ptb.")
    dtype: str = setting(
        "float32", "Type of the matrices; float16 halves memory and model (stochastic rounding)."
    )
    shuffle: bool = setting(True, "Take sentences in random order.")
    threads: int | None = setting(
        None, "Number of worker threads; if not given, one per processor."
    )
    deterministic: bool = setting(
        False, "Repeat a run exactly with several threads; each copies the matrices."
    )
    seed: int = setting(1, "Seed of all random numbers; with 1 thread a run repeats to the bit.")

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


class Sent2VecOptions(RunOptions, total=False):
    """Keywords of `Sent2Vec.train`, for editors and type checkers."""

    init_from: str | os.PathLike[str] | StoredEncoder | None
    dim: int | None
    epochs: int | None
    lr: float | None
    min_count: int | None
    min_target_count: int | None
    max_vocab: int | None
    subsample: float | None
    negatives: int | None
    shared_negatives: bool | None
    ngrams: int | None
    buckets: int | None
    drop_ngrams: int | None
    l1: float | None
    variant: str | None
    tokenizer: str | None
    dtype: str | None
    shuffle: bool | None
    threads: int | None
    deterministic: bool | None
    seed: int | None
