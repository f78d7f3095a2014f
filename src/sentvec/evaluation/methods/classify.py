"""Classification: features and labels in, accuracies out.

Three shapes of data, each with one function: no split (`nested_cv`, or `plain_cv` for a quick
look), train and test (`cv_then_test`), train, development and test (`dev_then_test`). The
classifier is always the regularised logistic regression of `logistic`, on features as they are (not
standardised).

Not here: what the protocols prescribe (`protocols`); files, vectors, tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.crossval import fold_predictions
from sentvec.evaluation.methods.design import checked_features, stacked
from sentvec.evaluation.methods.logistic import checked_labels
from sentvec.evaluation.methods.naive_bayes import Tokens
from sentvec.evaluation.methods.progress import Listen
from sentvec.evaluation.methods.protocols import (
    PAPER,
    QUICK,
    Classification,
    Floats,
    Ids,
    Mask,
    Protocol,
    Select,
    f1_score,
    first_best,
    folds_in_words,
    folds_of,
    in_words,
    mean_scores,
    nested_rows,
    order_of,
)


def nested_cv(
    features: ArrayLike,
    labels: ArrayLike,
    protocol: Protocol = PAPER,
    *,
    seed: int | None = None,
    lengths: ArrayLike | None = None,
    tokens: Tokens | None = None,
    threads: int | None = None,
    progress: Listen | None = None,
) -> Classification:
    """Nested cross-validation: C is chosen inside the training part of each outer fold.

    Args:
        features: One row for each item; the paper protocol expects positive items before negative
            ones.
        labels: The class of each item.
        protocol: `PAPER` or `SENTEVAL`.
        seed: The seed of the folds; that of the protocol if `None`.
        lengths: The number of tokens of each item, to sort the items as SentEval does.
        tokens: The tokens of each sentence, to add naive-Bayes n-grams (+NB).
        threads: Threads to use; all processors if `None`.
        progress: Called with the share that is done, 0 to 1.
    """
    x, y = _checked(features, labels)
    order = order_of(y, protocol, seed, lengths)
    x, y, words = x[order], y[order], None if tokens is None else _taken(tokens, order)
    outer = folds_of(y, protocol, seed)
    rows = nested_rows(y, outer, protocol, seed)
    predicted = fold_predictions(
        x, y, rows.reshape(-1, len(y)), protocol.split,
        tokens=words, threads=threads, progress=progress,
    ).reshape(len(protocol.split), *rows.shape)  # fmt: skip
    chosen, selection, held_out = [], [], np.empty_like(y)
    for fold in range(protocol.folds):
        whole, inner = rows[fold, 0], rows[fold, 1:]
        scores = mean_scores(predicted[:, fold, 1:], y, whole & ~inner, "accuracy")
        best = first_best(scores, protocol.digits)
        chosen.append(protocol.split[best])
        selection.append(float(scores[best]))
        held_out[~whole] = predicted[best, fold, 0, ~whole]
    plan = f"nested cross-validation, outer and inner {folds_in_words(protocol, seed)}"
    plan += "" if tokens is None else ", naive-Bayes n-grams beside the features"
    return Classification(
        **_fold_results(held_out, y, outer, order),
        penalties=tuple(chosen),
        selection=tuple(selection),
        protocol=in_words(protocol.name, plan, protocol.split, "accuracy"),
    )


def plain_cv(
    features: ArrayLike,
    labels: ArrayLike,
    protocol: Protocol = QUICK,
    *,
    seed: int | None = None,
    threads: int | None = None,
    progress: Listen | None = None,
) -> Classification:
    """Cross-validation without nesting: the best mean accuracy over the values of C.

    The arguments are those of `nested_cv`.
    """
    x, y = _checked(features, labels)
    order = order_of(y, protocol, seed, None)
    x, y = x[order], y[order]
    folds = folds_of(y, protocol, seed)
    rows = folds != np.arange(protocol.folds)[:, None]
    predicted = fold_predictions(x, y, rows, protocol.cross, threads=threads, progress=progress)
    scores = mean_scores(predicted, y, ~rows, "accuracy")
    best = first_best(scores, protocol.digits)
    plan = f"cross-validation, not nested, {folds_in_words(protocol, seed)}"
    return Classification(
        **_fold_results(predicted[best, folds, np.arange(len(y))], y, folds, order),
        penalties=(protocol.cross[best],),
        selection=(float(scores[best]),),
        protocol=in_words(protocol.name, plan, protocol.cross, "accuracy"),
    )


def cv_then_test(
    train: tuple[ArrayLike, ArrayLike],
    test: tuple[ArrayLike, ArrayLike],
    protocol: Protocol = PAPER,
    *,
    select: Select = "accuracy",
    seed: int | None = None,
    lengths: ArrayLike | None = None,
    threads: int | None = None,
    progress: Listen | None = None,
) -> Classification:
    """Choose C by cross-validation on the train part, then fit all of it and test.

    The released programs shuffle the rows (TREC) or the folds (MSRP); the folds are the same.

    Args:
        train: Features and labels.
        test: The same for the test part.
        protocol: Any of the three.
        select: Whether C is chosen by the mean accuracy of the folds or by their mean F1.
        seed: The seed of the folds; that of the protocol if `None`.
        lengths: The number of tokens of each train item (two columns for pairs), to sort the items
            as SentEval does.
        threads: Threads to use; all processors if `None`.
        progress: Called with the share that is done, 0 to 1.
    """
    x, y = _checked(*train)
    order = order_of(y, protocol, seed, lengths)
    folds = np.empty_like(y)
    folds[order] = folds_of(y[order], protocol, seed)
    held_out = folds == np.arange(protocol.folds)[:, None]
    plan = f"cross-validation on the train part, {folds_in_words(protocol, seed)}, then test"
    words = in_words(protocol.name, plan, protocol.cross, select)
    rows = np.concatenate([~held_out, np.ones((1, len(y)), np.bool_)])
    return _tested(
        [(x, y), _checked(*test)], rows, held_out, protocol.cross, select, words,
        digits=protocol.digits, threads=threads, progress=progress,
    )  # fmt: skip


def dev_then_test(
    train: tuple[ArrayLike, ArrayLike],
    dev: tuple[ArrayLike, ArrayLike],
    test: tuple[ArrayLike, ArrayLike],
    protocol: Protocol = PAPER,
    *,
    select: Select = "accuracy",
    threads: int | None = None,
    progress: Listen | None = None,
) -> Classification:
    """Choose C on the development part, and test the model fitted to the train part alone.

    For SICK entailment and SST. None of the papers reports these; as in SentEval, the development
    part is not added to the train part for the last fit. The arguments are those of `cv_then_test`.
    """
    parts = [_checked(*part) for part in (train, dev, test)]
    n_train, n_dev = len(parts[0][1]), len(parts[1][1])
    rows = np.arange(n_train + n_dev) < n_train
    plan = "train part fitted, C from the development part, then test"
    words = in_words(protocol.name, plan, protocol.split, select)
    return _tested(
        parts, rows[None], ~rows[None], protocol.split, select, words,
        digits=protocol.digits, threads=threads, progress=progress,
    )  # fmt: skip


def _tested(
    parts: Sequence[tuple[Floats, Ids]],
    rows: Mask,
    held_out: Mask,
    grid: tuple[float, ...],
    select: Select,
    words: str,
    *,
    digits: int,
    threads: int | None,
    progress: Listen | None,
) -> Classification:
    """Choose C on the held-out rows of the first folds, and test the model of the last fold.

    The last part is the test part; `rows` and `held_out` cover the rows of the other parts.
    """
    x, y = stacked([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    n_test = len(parts[-1][1])
    never = np.zeros((len(rows), n_test), np.bool_)
    predicted = fold_predictions(
        x, y, np.hstack([rows, never]), grid, threads=threads, progress=progress
    )
    before = len(y) - n_test
    scores = mean_scores(predicted[:, : len(held_out), :before], y[:before], held_out, select)
    best = first_best(scores, digits)
    answer, classes = predicted[best, -1, before:], np.unique(y)
    return Classification(
        accuracy=float((answer == y[before:]).mean()),
        f1=f1_score(y[before:], answer, int(classes[1])) if len(classes) == 2 else None,
        fold_accuracies=(),
        penalties=(grid[best],),
        selection=(float(scores[best]),),
        predictions=answer,
        protocol=words,
    )


def _checked(features: ArrayLike, labels: ArrayLike) -> tuple[NDArray[Any], Ids]:
    x = checked_features(features)
    return x, checked_labels(labels, x.shape[0])


def _taken(tokens: Tokens, order: Ids) -> Tokens:
    if len(tokens) != len(order):
        msg = f"got {len(tokens):,} sentences for {len(order):,} rows - expected equal numbers"
        raise SettingsError(msg)
    return [tokens[index] for index in order.tolist()]


def _fold_results(predictions: Ids, labels: Ids, folds: Ids, order: Ids) -> dict[str, Any]:
    """The fields of a result that follow from held-out predictions, in the order of the items."""
    right = predictions == labels
    accuracies = [float(right[folds == fold].mean()) for fold in range(folds.max() + 1)]
    given = np.empty_like(predictions)
    given[order] = predictions
    return {
        "accuracy": float(np.mean(accuracies)),
        "f1": None,
        "fold_accuracies": tuple(accuracies),
        "predictions": given,
    }
