"""The settings of Siamese CBOW: names, defaults, meanings, limits and presets, each in one place.

`paper/siamese-cbow` is section 3 of Kenter, Borisov and de Rijke (2016). What the paper does not
state is as in their program: the start, sentences cut at 50 words, and two neighbours or none.
`siamese-cbow` is our default (docs/papers.md).

What the settings of all models do alike (limits, presets, `config.json`) is in `training.settings`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from sentvec.models.base.stored import StoredEncoder
from sentvec.training.runs.plan import RunOptions
from sentvec.training.settings import (
    COMMON_LIMITS,
    Limit,
    Settings,
    finite,
    one_of,
    optional,
    setting,
    whole_from,
)

PRESETS: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {
        "siamese-cbow": {},
        "paper/siamese-cbow": {
            "dim": 300,
            "epochs": 1,
            "lr": 1e-4,
            "optimizer": "sgd",
            "batch": 100,
            "batch_gradient": "mean",
            "min_count": 5,
            "positives": 2,
            "edges": "skip",
            "negatives": 2,
            "shared_negatives": False,
            "temperature": 1.0,
            "max_tokens": 50,
            "subsample": 0.0,
            "init_std": 0.01,
        },
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiameseCBOWSettings(Settings):
    """How a Siamese CBOW model is trained. The defaults are those of the preset `siamese-cbow`.

    >>> SiameseCBOWSettings.make(preset="paper/siamese-cbow", epochs=3).lr
    0.0001
    """

    dim: int = setting(100, "Length of the vectors.")
    epochs: int = setting(3, "Number of passes over the corpus.")
    lr: float = setting(0.02, "Learning rate at the start; it falls linearly to 0.")
    optimizer: str = setting("adagrad", "`sgd`, or `adagrad` with a step size for each word.")
    batch: int = setting(
        32,
        "Number of sentences per batch, consecutive ones with shared negatives.",
    )
    batch_gradient: str = setting("sum", "Gradient of a batch: `mean` or `sum` over its sentences.")
    min_count: int = setting(5, "Words seen less often are unknown.")
    max_vocab: int | None = setting(None, "Keep only the N most frequent words.")
    positives: int = setting(
        2, "2 to predict the previous and the next sentence, 1 to predict the next only."
    )
    negatives: int = setting(
        32, "Number of random sentences drawn against the neighbours of each sentence."
    )
    shared_negatives: bool = setting(
        True, "Draw negatives once for a batch, not for each sentence."
    )
    temperature: float = setting(12.0, "Factor of the cosines before the softmax.")
    edges: str = setting(
        "use", "Sentences with one neighbour, at the ends of documents: `use` or `skip` them."
    )
    max_tokens: int | None = setting(
        None, "Train on the first N words of a sentence; if not given, on all."
    )
    subsample: float = setting(
        1e-4,
        "t: more frequent words are dropped more often, but never all; 0 drops none.",
    )
    init_std: float = setting(0.01, "Standard deviation of the vectors at the start.")
    tokenizer: str = setting("simple", "Tokenizer: whitespace, simple, tweet or ptb.")
    dtype: str = setting(
        "float32", "Type of the matrices; float16 halves memory and model (stochastic rounding)."
    )
    shuffle: bool = setting(True, "Take sentences, or batches of a document, in random order.")
    threads: int | None = setting(
        None, "Number of worker threads; if not given, one per processor."
    )
    seed: int = setting(1, "Seed of all random numbers; with 1 thread a run repeats to the bit.")

    LIMITS: ClassVar[tuple[Limit, ...]] = (
        *COMMON_LIMITS,
        ("lr", finite(lambda v: v > 0), "a finite number above 0 (0.0001 in the paper)"),
        one_of("optimizer", "sgd", "adagrad"),
        ("batch", whole_from(1, 10_000), "a whole number from 1 to 10,000"),
        one_of("batch_gradient", "mean", "sum"),
        (
            "positives",
            lambda v: not isinstance(v, bool) and v in (1, 2),
            "2 (the previous and the next sentence) or 1 (the next)",
        ),
        ("temperature", finite(lambda v: v > 0), "a finite number above 0 (1 in the paper)"),
        one_of("edges", "use", "skip"),
        ("max_tokens", optional(whole_from(1)), "a whole number from 1, or none for all"),
        ("init_std", finite(lambda v: v > 0), "a finite number above 0 (0.01 in the paper)"),
    )
    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS

    def to_config(self) -> dict[str, Any]:
        """The settings as stored in `config.json`; `ngrams` says that texts have words alone."""
        return {**Settings.to_config(self), "ngrams": 1}


class SiameseCBOWOptions(RunOptions, total=False):
    """Keywords of `SiameseCBOW.train`, for editors and type checkers."""

    init_from: str | os.PathLike[str] | StoredEncoder | None
    dim: int | None
    epochs: int | None
    lr: float | None
    optimizer: str | None
    batch: int | None
    batch_gradient: str | None
    min_count: int | None
    max_vocab: int | None
    positives: int | None
    negatives: int | None
    shared_negatives: bool | None
    temperature: float | None
    edges: str | None
    max_tokens: int | None
    subsample: float | None
    init_std: float | None
    tokenizer: str | None
    dtype: str | None
    shuffle: bool | None
    threads: int | None
    seed: int | None
