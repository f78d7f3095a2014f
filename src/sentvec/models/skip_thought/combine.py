"""Combine Skip-Thought models: one whose vectors are those of several, one after the other.

Kiros et al., "Skip-Thought Vectors", NIPS 2015, section 3: combine-skip is uni-skip followed by
bi-skip. Nothing is trained; each part keeps its tensors, under a prefix of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

from sentvec.errors import SettingsError
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.skip_thought.model import SkipThought
from sentvec.models.skip_thought.parts import Part
from sentvec.storage.config import Component, ModelConfig
from sentvec.storage.records import Encoding, Sizes, StoredSettings

_SAME = (
    "train both on the same text with the same min_count, max_vocab and tokenizer, and expand both "
    "with the same vectors or neither"
)


def combine(models: Sequence[StoredEncoder]) -> SkipThought:
    """Make one model of several; its vectors are theirs, concatenated in the order given.

        combine([load("uni"), load("bi")]).save("combined")

    Args:
        models: Skip-Thought models, two at least, with the same words in the same order and the
            same tokenizer. They are not changed. One may be combined itself: its parts stand where
            it stands.

    Returns:
        The combined model. It has the settings that are the same in all; `config.combined`
        lists what is known of each. How often words were seen is as in the first.

    Raises:
        SettingsError: There are fewer than two, one is of another kind, or they do not fit.
    """
    if len(models) < 2:
        msg = f"{len(models)} models to combine - expected two at least"
        raise SettingsError(msg)
    chosen = []
    for model in models:
        if not isinstance(model, SkipThought):
            msg = f"one of the models to combine is a {model.config.kind} model - expected "
            raise SettingsError(msg + "Skip-Thought models")
        chosen.append(model)
    first = chosen[0]
    for other in chosen[1:]:
        _expect_alike(first, other)
    parts: list[Part] = []
    tensors: dict[str, Any] = {}
    for number, model in enumerate(chosen):
        prefix = f"{number}."
        parts += [part.under(prefix) for part in model.parts]
        tensors |= {prefix + name: tensor for name, tensor in model.ordered_tensors().items()}
    vocabulary = first.vocabulary
    return SkipThought(
        vocabulary=lambda: vocabulary, tokenizer=first.tokenizer, tensors=tensors,
        config=_config([model.config for model in chosen], parts),
    )  # fmt: skip


def _config(configs: Sequence[ModelConfig], parts: list[Part]) -> ModelConfig:
    """What is known of the combined model: what is the same in all, and what each of them is."""
    first = configs[0]
    settings = _common([config.settings.stored for config in configs])
    settings.pop("dim", None)  # of one of them
    sizes = _common([config.sizes.stored for config in configs])
    sizes["dim"] = sum(config.sizes.dim for config in configs)
    # A word that one of them did not see was not trained.
    sizes["trained_words"] = min(config.sizes.words_trained for config in configs)
    same = _common([config.more for config in configs])
    corpora = [config.corpus for config in configs]
    return first.with_values(
        settings=StoredSettings.from_json(settings),
        sizes=Sizes.from_json(sizes),
        sentvec_version=_if_same([config.sentvec_version for config in configs]),
        corpus=_if_same(corpora),
        training=None,
        expanded=(),
        source=None,
        parts=tuple(part.to_config() for part in parts),
        combined=tuple(record for config in configs for record in _records(config)),
        format_version=_if_same([config.format_version for config in configs]),
        vocabulary_digest=_if_same([config.vocabulary_digest for config in configs]),
        more=same,
    )


T = TypeVar("T")


def _if_same(several: Sequence[T]) -> T | None:
    """The value, where all are equal."""
    return several[0] if all(one == several[0] for one in several) else None


def _common(several: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What is the same in all."""
    first, *others = several
    return {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in others)
    }


def _records(config: ModelConfig) -> tuple[Component, ...]:
    """What a combined model remembers of one of its models, or of those that one had combined."""
    if config.combined is not None:
        return config.combined
    records = (config.settings, config.corpus, config.training, config.source)
    settings, corpus, training, source = (record and record.to_json() for record in records)
    expanded = [record.to_json() for record in config.expanded] or None
    return (
        Component.of(
            settings=settings, corpus=corpus, training=training, expanded=expanded, source=source
        ),
    )


def _expect_alike(first: SkipThought, other: SkipThought) -> None:
    """Check that two models read texts alike.

    Raises:
        SettingsError: They have other words or another tokenizer, or end sentences otherwise.
    """
    for name, advice in (
        ("tokenizer", "load both with the same tokenizer, if their words were cut alike"),
        ("encoding", "combine models that read the end of a sentence alike"),
    ):
        reads, other_reads = _read(first.config, name), _read(other.config, name)
        if reads != other_reads:
            both = f"{_shown(reads)} and {_shown(other_reads)}"
            msg = f"the {name} of the models to combine is {both} - "
            raise SettingsError(msg + f"expected the same; {advice}")
    ours, theirs = first.vocabulary.words, other.vocabulary.words
    if ours != theirs:
        place, one, two = next(
            (place, one, two)
            for place, (one, two) in enumerate(zip_longest(ours, theirs))
            if one != two
        )
        shared = len(first.vocabulary.ids.keys() & other.vocabulary.ids.keys())
        msg = (
            f"the models to combine know {len(ours):,} and {len(theirs):,} words, {shared:,} of "
            f"them in common, and number {place + 1:,} is {_word(one)} and {_word(two)} - expected "
            f"the same words in the same order; {_SAME}"
        )
        raise SettingsError(msg)


def _read(config: ModelConfig, name: str) -> dict[str, Any]:
    """How a model reads texts."""
    return (
        dict(config.tokenizer)
        if name == "tokenizer"
        else (config.encoding or Encoding.of()).to_json()
    )


def _word(word: str | None) -> str:
    return "none" if word is None else repr(word)


def _shown(values: dict[str, Any]) -> str:
    return "(" + ", ".join(f"{name}={value}" for name, value in values.items()) + ")"
