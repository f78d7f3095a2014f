"""What a report says of a model, and whether its sentences are lower-cased.

Not here: the run (`evaluate`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sentvec.errors import SettingsError
from sentvec.models.base.fingerprint import fingerprint
from sentvec.models.base.stored import StoredEncoder
from sentvec.text.letter_case import LOWER_CASED, lower_case_share
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.vocabulary import Vocabulary


def choose_lowercase(model: Any, wanted: bool | None) -> tuple[bool, str]:
    """Whether to lower-case, and why."""
    if wanted is not None:
        return wanted, "asked for"
    tokenizer, words = (getattr(model, one, None) for one in ("tokenizer", "vocabulary"))
    if isinstance(tokenizer, Tokenizer) and tokenizer.lowercase:
        return False, "the model's tokenizer lower-cases"
    if not isinstance(words, Vocabulary):
        return False, "the model's vocabulary is not known"
    share, n_words = lower_case_share(words)
    why = f"{share:.1%} of {n_words:,} words of the model are lower-case"
    return n_words > 0 and share > LOWER_CASED, why


def describe_model(model: Any, name: str | None) -> dict[str, Any]:
    """A model as the report has it; what is not known of it is `None`."""
    if isinstance(model, StoredEncoder):
        own = {
            "kind": model.config.kind,
            **{key: int(size) for key, size in model.config.sizes.stored.items()},
            "fingerprint": fingerprint(model),
            "corpus": model.config.corpus and model.config.corpus.fingerprint,
        }
    else:
        kind = type(model)
        own = {"kind": f"{kind.__module__}.{kind.__qualname__}", "fingerprint": None}
    own |= _provenance_of(model)
    tokenizer = getattr(getattr(model, "tokenizer", None), "to_config", None)
    own["tokenizer"] = tokenizer() if callable(tokenizer) else None
    return {"name": name or _name_of(model), **own}


def _provenance_of(model: Any) -> dict[str, Any]:
    """What a model says of itself, checked now: JSON is written at the end of a long run."""
    provenance = getattr(model, "provenance", None)
    if not callable(provenance):
        return {}
    values = provenance()
    try:
        json.dumps(values, allow_nan=False)
        return dict(values)
    except (TypeError, ValueError) as error:
        msg = (
            f"provenance of {type(model).__name__} returned values that JSON cannot hold ({error})"
        )
        raise SettingsError(msg + " - expected a dict of strings and numbers") from error


def _name_of(model: Any) -> str:
    origin = getattr(model, "_origin", None)
    return origin.name if isinstance(origin, Path) else type(model).__name__
