"""Sentence vectors trained on your own text: no labels, no GPU, no teacher model.

    from sentvec import Sent2Vec, load
    model = Sent2Vec.train("corpus.txt")
    model.encode(["one sentence", "another"])     # float32 (2, dim)
    model.save("folder"); load("folder")

Importing this loads NumPy at most; numba is loaded by training, SciPy by encoding.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sentvec.errors import SentvecError

if TYPE_CHECKING:
    from sentvec.evaluation.evaluate import evaluate
    from sentvec.evaluation.reports.report import Report
    from sentvec.models.base.results import Feature, Hit
    from sentvec.models.kinds.load import load
    from sentvec.models.kinds.trainable import resume
    from sentvec.models.sent2vec.model import Sent2Vec
    from sentvec.models.sent2vec.settings import PRESETS, Sent2VecSettings
    from sentvec.models.siamese_cbow.model import SiameseCBOW
    from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
    from sentvec.models.skip_thought.generation import Generated
    from sentvec.models.skip_thought.model import SkipThought
    from sentvec.models.skip_thought.settings import SkipThoughtSettings
    from sentvec.text.tokenizer import Tokenizer
    from sentvec.training.progress import Listener, Progress
    from sentvec.training.summary import Summary

_HOMES = {
    "Feature": "sentvec.models.base.results",
    "Generated": "sentvec.models.skip_thought.generation",
    "Hit": "sentvec.models.base.results",
    "Listener": "sentvec.training.progress",
    "PRESETS": "sentvec.models.sent2vec.settings",
    "Progress": "sentvec.training.progress",
    "Report": "sentvec.evaluation.reports.report",
    "Sent2Vec": "sentvec.models.sent2vec.model",
    "Sent2VecSettings": "sentvec.models.sent2vec.settings",
    "SiameseCBOW": "sentvec.models.siamese_cbow.model",
    "SiameseCBOWSettings": "sentvec.models.siamese_cbow.settings",
    "SkipThought": "sentvec.models.skip_thought.model",
    "SkipThoughtSettings": "sentvec.models.skip_thought.settings",
    "Summary": "sentvec.training.summary",
    "Tokenizer": "sentvec.text.tokenizer",
    "evaluate": "sentvec.evaluation.evaluate",
    "load": "sentvec.models.kinds.load",
    "resume": "sentvec.models.kinds.trainable",
}

__all__ = [
    "PRESETS",
    "Feature",
    "Generated",
    "Hit",
    "Listener",
    "Progress",
    "Report",
    "Sent2Vec",
    "Sent2VecSettings",
    "SentvecError",
    "SiameseCBOW",
    "SiameseCBOWSettings",
    "SkipThought",
    "SkipThoughtSettings",
    "Summary",
    "Tokenizer",
    "evaluate",
    "load",
    "resume",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        msg = f"module 'sentvec' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "errors"])
