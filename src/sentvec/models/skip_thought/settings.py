"""The settings of Skip-Thought: names, defaults, meanings, limits and presets, each in one place.

`paper/uni-skip` and `paper/bi-skip` are section 3.1 of Kiros et al. (2015); the learning rate and
the longest sentence, which it does not state, are those of the released program. `skip-thought` is
our default, small enough for a CPU.

What the settings of all models do alike (limits, presets, `config.json`) is in `training.settings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from sentvec.errors import SettingsError
from sentvec.training.runs.plan import RunOptions
from sentvec.training.settings import (
    COMMON_LIMITS,
    Limit,
    Settings,
    finite,
    on_or_off,
    one_of,
    setting,
    whole_from,
)

_SHARED = ("epochs", "min_count", "max_vocab", "tokenizer", "shuffle", "threads", "seed")
# The adaptive softmax has its clusters begin after these shares of the words; fewer words than
# this have the full one.
_SHARES, _MIN_WORDS = (0.1, 0.4), 100

_UNI_SKIP: dict[str, Any] = {
    "encoder": "uni",
    "dim": 2400,
    "word_dim": 620,
    "max_vocab": 20_000,
    "min_count": 1,
    "batch": 128,
    "max_tokens": 29,
    "clip": 10.0,
    "lr": 2e-4,
    "decay": False,
    "epochs": 5,
    "softmax": "full",
}

PRESETS: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {
        "skip-thought": {},
        "paper/uni-skip": _UNI_SKIP,
        "paper/bi-skip": {**_UNI_SKIP, "encoder": "bi"},
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipThoughtSettings(Settings):
    """How a Skip-Thought model is trained. The defaults are those of the preset `skip-thought`.

    >>> SkipThoughtSettings.make(preset="paper/uni-skip").dim
    2400
    """

    encoder: str = setting("uni", "`uni` reads forwards; `bi`: half of the vector backwards")
    dim: int = setting(600, "length of the sentence vectors, and of the states of the decoders")
    word_dim: int = setting(300, "length of the word vectors that the encoder reads")
    epochs: int = setting(1, "passes over the corpus")
    lr: float = setting(1e-3, "learning rate of Adam")
    decay: bool = setting(True, "let the learning rate fall linearly to 0")
    clip: float = setting(10.0, "gradients of a larger norm are scaled down to it")
    batch: int = setting(128, "triples of sentences a batch, their middle ones of one length")
    max_tokens: int = setting(30, "triples with a longer sentence are passed over")
    min_count: int = setting(5, "words seen less often are unknown")
    max_vocab: int | None = setting(20_000, "keep at most so many words, the commonest")
    gru: str = setting("released", "`released`: reset after the product with U; or `paper`: before")
    decoder: str = setting(
        "paper", "`paper`: decoders see the sentence at every step; `released`: it is their start"
    )
    softmax: str = setting("adaptive", "`full`, or `adaptive`: rare words in clusters of low rank")
    device: str = setting("auto", "`cpu`, `cuda`, or `auto`: cuda where there is one")
    precision: str = setting(
        "float32", "of matrix products: `float32`, or `bfloat16` where the processor has it"
    )
    tokenizer: str = setting("simple", "whitespace, simple, tweet or ptb")
    shuffle: bool = setting(True, "take triples in random order")
    threads: int | None = setting(None, "threads for the arithmetic; without it, one per processor")
    seed: int = setting(1, "of all random numbers; on a CPU a run repeats to the bit")

    LIMITS: ClassVar[tuple[Limit, ...]] = (
        *(limit for limit in COMMON_LIMITS if limit[0] in _SHARED),
        ("dim", whole_from(1, 20_000), "a whole number from 1 to 20,000"),
        ("word_dim", whole_from(1, 20_000), "a whole number from 1 to 20,000"),
        one_of("encoder", "uni", "bi"),
        ("lr", finite(lambda v: 0 < v <= 1), "a number above 0, up to 1 (0.001 is usual)"),
        on_or_off("decay"),
        ("clip", finite(lambda v: v > 0), "a finite number above 0 (10 in the paper)"),
        ("batch", whole_from(1, 100_000), "a whole number from 1 to 100,000"),
        ("max_tokens", whole_from(1, 10_000), "a whole number from 1 to 10,000"),
        one_of("gru", "released", "paper"),
        one_of("decoder", "paper", "released"),
        one_of("softmax", "full", "adaptive"),
        one_of("device", "auto", "cpu", "cuda"),
        one_of("precision", "float32", "bfloat16"),
    )
    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS

    def __post_init__(self) -> None:
        # not super(): a dataclass with slots is another class than the one that was written
        Settings.__post_init__(self)
        if self.encoder == "bi" and self.dim % 2:
            msg = f"dim is {self.dim} with encoder='bi' - expected an even number, half a direction"
            raise SettingsError(msg)

    def cutoffs(self, words: int) -> tuple[int, ...]:
        """Where the clusters of the adaptive softmax over N words begin; none for the full.

        A tenth of the words is in the head, the next three tenths are a cluster, then the rest.
        """
        if self.softmax == "full" or words < _MIN_WORDS:
            return ()
        return tuple(int(words * share) for share in _SHARES)


class SkipThoughtOptions(RunOptions, total=False):
    """Keywords of `SkipThought.train`, for editors and type checkers."""

    encoder: str | None
    dim: int | None
    word_dim: int | None
    epochs: int | None
    lr: float | None
    decay: bool | None
    clip: float | None
    batch: int | None
    max_tokens: int | None
    min_count: int | None
    max_vocab: int | None
    gru: str | None
    decoder: str | None
    softmax: str | None
    device: str | None
    precision: str | None
    tokenizer: str | None
    shuffle: bool | None
    threads: int | None
    seed: int | None
