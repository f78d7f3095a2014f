"""From vectors to figures: one function for each kind of task.

Each takes the data of a task and the vectors of its sentences, and returns the fields of a
`TaskResult` that follow from them. Nothing here encodes, reads a file or knows a model.

Not here: the methods (`correlation`, `classify`, `relatedness`, `ranking`), and the loop over the
tasks (`runner`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.evaluation.methods.classify import cv_then_test, dev_then_test, nested_cv, plain_cv
from sentvec.evaluation.methods.correlation import Correlation, aggregate, correlate
from sentvec.evaluation.methods.design import beside, pair_features
from sentvec.evaluation.methods.naive_bayes import surface_features
from sentvec.evaluation.methods.progress import Listen, share
from sentvec.evaluation.methods.protocols import PAPER, SENTEVAL, Classification, Protocol
from sentvec.evaluation.methods.ranking import RankingSettings, rank_images
from sentvec.evaluation.methods.relatedness import relatedness
from sentvec.evaluation.methods.vectors import SentenceVectors, Vectors, cosines
from sentvec.evaluation.reports.results import CONCATENATED, MEAN, WEIGHTED, Items
from sentvec.evaluation.tasks.data import (
    Captioned,
    Labelled,
    LabelledPairs,
    Pairs,
    Part,
    TaskData,
    join_pairs,
)
from sentvec.text.tokenizer import Tokenizer

Fields: TypeAlias = dict[str, Any]  # of a TaskResult

# Tokenizer of the extra features. Not the model's, so that they are the same for all models.
_FEATURE_WORDS = Tokenizer("simple", lowercase=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """How tasks are run.

    Attributes:
        protocol: The protocol of the classification tasks.
        seed: The seed of folds and ranking; that of the protocol if `None`.
        threads: Threads for the linear algebra; all processors if `None`.
        with_features: Whether to add figures with the extra features of the Skip-Thought paper.
    """

    protocol: Protocol = PAPER
    seed: int | None = None
    threads: int | None = None
    with_features: bool = False


def texts_of(part: Part) -> list[str]:
    """All sentences of a part."""
    match part:
        case Labelled():
            return part.texts
        case Captioned():
            return part.captions
        case _:
            return part.left + part.right


def score_task(
    data: TaskData, vectors: SentenceVectors, plan: Plan, progress: Listen | None = None
) -> Fields:
    """Score a task whose sentences were prepared."""
    scored = _SCORERS[data.task.kind](data, vectors, plan, progress)
    remarks = list(scored.pop("remarks", ()))
    texts = [text for part in data.parts.values() for text in texts_of(part)]
    if vectors.are_equal(texts):
        remarks.append(
            "all sentences have the same vector, so the figures say nothing about the model"
        )
    if any(math.isnan(value) for value in scored["figures"].values()):
        remarks.append("a correlation is undefined, since one side of it is constant")
    return {**scored, "remarks": remarks}


# --- similarity ---------------------------------------------------------------------------------


def _similarity(data: TaskData, vectors: SentenceVectors, *_: Any) -> Fields:
    """Correlations of the cosines: of each set, and three ways to combine the sets of a task."""
    parts: dict[str, Pairs] = {name: _as_pairs(name, part) for name, part in data.parts.items()}
    scores = {
        name: cosines(vectors.of(part.left), vectors.of(part.right)) for name, part in parts.items()
    }
    unions = data.task.unions or {name: (name,) for name in parts}
    columns = {name: _joined(name, union, parts, scores) for name, union in unions.items()}
    sets = {name: correlate(*pair) for name, pair in columns.items()}
    means: dict[str, Correlation] = {}
    if not data.task.unions:
        found = aggregate(columns)
        means = {MEAN: found.mean, WEIGHTED: found.weighted, CONCATENATED: found.concatenated}
    headline = MEAN if means else next(iter(sets))
    best = means.get(headline) or sets[headline]
    return {
        # Reports are comparable only where these words are the same: they must not change.
        "protocol": "cosine, 0 where a vector is zero; headline: " + _headline(headline, means),
        "figures": {"pearson": best.pearson, "spearman": best.spearman},
        "sets": sets,
        "means": means,
        "headline": headline,
        "items": Items(
            {name: column.astype(np.float32) for name, column in scores.items()},
            {name: part.gold.astype(np.float32) for name, part in parts.items()},
        ),
    }


def _headline(name: str, means: Mapping[str, Correlation]) -> str:
    return "plain mean over the sets" if means else f"the pairs of {name}"


def _as_pairs(name: str, part: Part) -> Pairs:
    assert isinstance(part, Pairs)
    return part


def _joined(
    name: str,
    union: Sequence[str],
    parts: Mapping[str, Pairs],
    scores: Mapping[str, NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cosines and gold scores of some parts, concatenated."""
    gold = join_pairs(name, [parts[part] for part in union]).gold
    if len(gold) < 2:
        msg = f"the set {name} has only {len(gold)} scored pair{'s' * (not len(gold))}"
        raise FormatError(msg + " - expected two or more; check its gold file")
    return np.concatenate([scores[part] for part in union]), gold


# --- classification -----------------------------------------------------------------------------


def _classification(
    data: TaskData, vectors: SentenceVectors, plan: Plan, progress: Listen | None
) -> Fields:
    """Any classification, of sentences or of pairs."""
    is_nested = data.task.protocol == "nested" and plan.protocol in (PAPER, SENTEVAL)
    extra = plan.with_features and (
        "+NB" if is_nested else "+feats" if data.task.name == "MSRP" else ""
    )
    steps = 2 if extra else 1
    plain = _classified(data, vectors, plan, "", share(progress, 0, steps))
    figures = {"accuracy": plain.accuracy}
    if "f1" in data.task.metrics and plain.f1 is not None:
        figures["f1"] = plain.f1
    protocol = plain.protocol
    if extra:
        more = _classified(data, vectors, plan, extra, share(progress, 1, steps))
        figures[f"accuracy {extra}"] = more.accuracy
        if "f1" in figures and more.f1 is not None:
            figures[f"f1 {extra}"] = more.f1
        protocol += f"; {extra}: the same with {_EXTRA[extra]}"
    gold = data.parts["test" if "test" in data.parts else "all"]
    assert not isinstance(gold, (Pairs, Captioned))
    return {
        "protocol": protocol,
        "figures": figures,
        "penalties": plain.penalties,
        "items": Items(
            correct=plain.predictions == gold.labels, fold_accuracies=plain.fold_accuracies
        ),
    }


_EXTRA = {
    "+NB": "naive-Bayes log ratios of unigrams and bigrams beside the vectors",
    "+feats": "six surface features beside the vectors",
}


def _classified(
    data: TaskData, vectors: SentenceVectors, plan: Plan, extra: str, progress: Listen | None
) -> Classification:
    """Run the protocol of a task once."""
    options: dict[str, Any] = {"threads": plan.threads, "progress": progress}
    sides = {
        name: (_features(part, vectors, extra), part.labels)
        for name, part in data.parts.items()
        if isinstance(part, (Labelled, LabelledPairs))
    }
    if data.task.protocol == "train-dev-test":
        parts = (sides["train"], sides["dev"], sides["test"])
        return dev_then_test(*parts, plan.protocol, select=data.task.choose_by, **options)
    options["seed"] = plan.seed
    first = data.parts["train" if "train" in data.parts else "all"]
    if plan.protocol is SENTEVAL:  # it sorts by length before it makes folds
        options["lengths"] = _lengths(first)
    if data.task.protocol == "train-test":
        select = "accuracy" if plan.protocol is SENTEVAL else data.task.choose_by
        return cv_then_test(sides["train"], sides["test"], plan.protocol, select=select, **options)
    if plan.protocol not in (PAPER, SENTEVAL):
        return plain_cv(*sides["all"], plan.protocol, **options)
    if extra == "+NB":
        options["tokens"] = list(map(_FEATURE_WORDS.tokenize, texts_of(first)))
    return nested_cv(*sides["all"], plan.protocol, **options)


def _features(part: Labelled | LabelledPairs, vectors: SentenceVectors, extra: str) -> Vectors:
    if isinstance(part, Labelled):
        return vectors.of(part.texts)
    features: Vectors = pair_features(vectors.of(part.left), vectors.of(part.right))
    if extra == "+feats":
        words = [list(map(_FEATURE_WORDS.tokenize, side)) for side in (part.left, part.right)]
        features = beside(features, surface_features(*words))
    return features


def _lengths(part: Part) -> NDArray[np.int64]:
    """The number of words of each sentence, (items, sentences of an item)."""
    columns = (part.texts,) if isinstance(part, Labelled) else (part.left, part.right)  # type: ignore[union-attr]
    return np.array([[len(text.split()) for text in column] for column in columns]).T


# --- relatedness and ranking --------------------------------------------------------------------


def _relatedness(
    data: TaskData, vectors: SentenceVectors, plan: Plan, progress: Listen | None
) -> Fields:
    sides = {
        name: (pair_features(vectors.of(part.left), vectors.of(part.right)), part.labels)
        for name, part in data.parts.items()
        if isinstance(part, LabelledPairs)
    }
    assert data.task.scores is not None
    low, high = data.task.scores
    found = relatedness(
        sides["train"], sides["dev"], sides["test"], scale=(int(low), int(high)),
        threads=plan.threads, progress=progress,
    )  # fmt: skip
    return {
        "protocol": found.protocol,
        "figures": {"pearson": found.pearson, "spearman": found.spearman, "mse": found.mse},
        "penalties": (found.penalty,),
        "items": Items(
            {"test": found.predictions.astype(np.float32)},
            {"test": np.asarray(sides["test"][1], np.float32)},
        ),
    }


def _ranking(
    data: TaskData, vectors: SentenceVectors, plan: Plan, progress: Listen | None
) -> Fields:
    sides = {
        name: (part.features, vectors.of(part.captions))
        for name, part in data.parts.items()
        if isinstance(part, Captioned)
    }
    settings = RankingSettings(seed=plan.protocol.seed if plan.seed is None else plan.seed)
    found = rank_images(
        sides["train"], sides["dev"], sides["test"], settings,
        threads=plan.threads, progress=progress,
    )  # fmt: skip
    figures: dict[str, float] = {}
    for side, recall in (("annotation", found.annotation), ("search", found.search)):
        values = (recall.r1, recall.r5, recall.r10, recall.median_rank)
        names = [f"{side} {metric}" for metric in data.task.metrics]
        figures |= dict(zip(names, values, strict=True))
    return {"protocol": found.protocol, "figures": figures}


_SCORERS: dict[str, Callable[..., Fields]] = {
    "similarity": _similarity,
    "classification": _classification,
    "pair classification": _classification,
    "relatedness": _relatedness,
    "ranking": _ranking,
}
