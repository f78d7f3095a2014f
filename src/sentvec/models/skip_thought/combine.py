"""Combine Skip-Thought models: one whose vectors are those of several, one after the other.

Kiros et al., "Skip-Thought Vectors", NIPS 2015, section 3: combine-skip is uni-skip followed by
bi-skip. Nothing is trained; each part keeps its tensors, under a prefix of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from sentvec.errors import SettingsError
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.skip_thought.model import SkipThought
from sentvec.models.skip_thought.parts import Part

# What the record of a combined model says of each of its models.
_RECORDED = ("settings", "corpus", "training", "expanded", "source")
_OF_EACH = ("training", "expanded", "source")  # told there only
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
        The combined model. It has the settings that are the same in all; `config["combined"]`
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
            msg = f"one of the models to combine is a {model.config['model']} model - expected "
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


def _config(configs: list[dict[str, Any]], parts: list[Part]) -> dict[str, Any]:
    """What is known of the combined model."""
    settings = _common([config["settings"] for config in configs])
    settings.pop("dim", None)  # of one of them
    sizes = _common([config["sizes"] for config in configs])
    sizes["dim"] = sum(config["sizes"]["dim"] for config in configs)
    # A word that one of them did not see was not trained.
    sizes["trained_words"] = min(
        config["sizes"].get("trained_words", config["sizes"]["vocabulary"]) for config in configs
    )
    rest = {name: value for name, value in _common(configs).items() if name not in _OF_EACH}
    return {
        **rest,
        "settings": settings,
        "sizes": sizes,
        "parts": [part.to_config() for part in parts],
        "combined": [record for config in configs for record in _records(config)],
    }


def _common(several: list[dict[str, Any]]) -> dict[str, Any]:
    """What is the same in all."""
    first, *others = several
    return {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in others)
    }


def _records(config: dict[str, Any]) -> list[dict[str, Any]]:
    """What a combined model remembers of one of its models, or of those that one had combined."""
    if "combined" in config:
        records: list[dict[str, Any]] = config["combined"]
        return records
    return [{name: config[name] for name in _RECORDED if name in config}]


def _expect_alike(first: SkipThought, other: SkipThought) -> None:
    """Check that two models read texts alike.

    Raises:
        SettingsError: They have other words or another tokenizer, or end sentences otherwise.
    """
    for name, advice in (
        ("tokenizer", "load both with the same tokenizer, if their words were cut alike"),
        ("encoding", "combine models that read the end of a sentence alike"),
    ):
        one, two = first.config[name], other.config[name]
        if one != two:
            msg = f"the {name} of the models to combine is {_shown(one)} and {_shown(two)} - "
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


def _word(word: str | None) -> str:
    return "none" if word is None else repr(word)


def _shown(values: dict[str, Any]) -> str:
    return "(" + ", ".join(f"{name}={value}" for name, value in values.items()) + ")"
