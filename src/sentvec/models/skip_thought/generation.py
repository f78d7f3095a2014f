"""Write the sentence before a text, or the one after it, with the decoders of a Skip-Thought model.

Kiros et al. 2015, section 2.1: the decoders are what the encoder was trained with. What they are
given is the vector as in training, which was read to the end of the sentence. The search is in
`networks.decoding`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sentvec.errors import EmptyTextError, InputTypeError, SettingsError
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.skip_thought.encoder import SkipThoughtEncoder
from sentvec.networks.shape import DECODERS, FIRST_WORD
from sentvec.training.settings import Limit, check_limits, finite, optional, plain, whole_from

_BEAM = 5  # hypotheses, where nothing is said
_MAX_TOKENS = 30  # of a model whose training is not known; the paper's
_MAX_COUNT = 1_000
_LIMITS: tuple[Limit, ...] = (
    ("direction", lambda v: v in DECODERS, "'next' or 'previous'"),
    ("beam", optional(whole_from(1, _MAX_COUNT)), f"a whole number from 1 to {_MAX_COUNT:,}"),
    ("sample", optional(finite(lambda v: 0 < v <= 100)), "a temperature above 0, up to 100"),
    ("count", whole_from(1, _MAX_COUNT), f"a whole number from 1 to {_MAX_COUNT:,}"),
    ("max_tokens", optional(whole_from(1, 10_000)), "a whole number from 1 to 10,000"),
    ("seed", whole_from(0, 2**63 - 1), "a whole number from 0 to 2^63 - 1"),
)


@dataclass(frozen=True, slots=True)
class Generated:
    """A sentence that a decoder made.

    Attributes:
        text: The words separated by spaces.
        words: The words.
        log_probability: Natural logarithm of what the model gives for the words, and for the end
            of the sentence where it is finished: -1 times its loss in training.
        finished: Whether the sentence ends; otherwise it was cut off at `max_tokens`.
    """

    text: str
    words: tuple[str, ...]
    log_probability: float
    finished: bool


def generate(
    model: StoredEncoder,
    text: str,
    *,
    direction: str = "next",
    beam: int | None = None,
    sample: float | None = None,
    count: int = 1,
    max_tokens: int | None = None,
    seed: int = 1,
) -> list[Generated]:
    """Write the sentence after a text, or the one before it (see `SkipThought.generate`)."""
    _check(direction=direction, beam=beam, sample=sample, count=count, max_tokens=max_tokens,
           seed=seed)  # fmt: skip
    writer = _with_decoder(model)
    if not isinstance(text, str):
        msg = f"text is a {type(text).__name__} - expected a str, one sentence"
        raise InputTypeError(msg)
    vector, known = writer.encode(
        text, on_empty="nan", return_known=True, end_token=True, normalize_parts=False
    )
    if not known:
        msg = f"{text!r} has no known word, so nothing follows from it - expected a text with words"
        raise EmptyTextError(msg + " of the model's vocabulary")
    from sentvec.networks import decoding
    from sentvec.networks.inference import using_threads

    decoder = writer.decoders[direction]
    if max_tokens is None:
        max_tokens = writer.config.settings.max_tokens or _MAX_TOKENS
    with using_threads(1):
        if sample is None:
            found = decoding.beam_search(
                decoder, vector, beam=max(_BEAM, count) if beam is None else beam, count=count,
                max_tokens=max_tokens,
            )  # fmt: skip
        else:
            found = decoding.sample(
                decoder, vector, temperature=float(sample), count=count, max_tokens=max_tokens,
                seed=seed,
            )  # fmt: skip
    vocabulary = writer.vocabulary.words
    results = []
    for one in found:
        words = tuple(vocabulary[row - FIRST_WORD] for row in one.rows)
        results.append(Generated(" ".join(words), words, one.score, one.finished))
    return results


def _check(**given: Any) -> None:
    """Check the arguments of `generate`.

    Raises:
        SettingsError: One cannot work, or two do not go together.
    """
    values = {name: plain(value) for name, value in given.items()}
    check_limits(_LIMITS, values)
    beam, count = values["beam"], values["count"]
    if beam is not None and values["sample"] is not None:
        msg = f"both beam={beam} and sample={values['sample']} are given - choose one of them"
        raise SettingsError(msg)
    if beam is not None and count > beam:
        msg = f"count is {count} with beam={beam}, which keeps {beam} - raise beam, or lower count"
        raise SettingsError(msg)


def _with_decoder(model: StoredEncoder) -> SkipThoughtEncoder:
    """The model, if it can write.

    Raises:
        SettingsError: It is of another kind, has no decoders, or several parts.
    """
    if not isinstance(model, SkipThoughtEncoder):
        msg = f"the model is a {model.config.kind} model, which writes no sentences - expected "
        raise SettingsError(msg + "a Skip-Thought model")
    parts = model.parts
    if len(parts) > 1:
        msg = f"the model is combined of {len(parts)}, and decoders belong to the vector of one - "
        raise SettingsError(msg + "generate with one of the models that were combined")
    if not parts[0].decoders:
        msg = "the model has no decoders: its files hold the encoder only, or it was converted with"
        raise SettingsError(msg + " --no-targets - expected a model as it was trained")
    return model
