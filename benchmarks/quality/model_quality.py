"""Measure how good the sentence vectors of a model are, on two families of public sets.

STS14+SICK: the cosine of the two vectors of a pair against the gold score; Spearman and Pearson
per set, and their plain means over the six subsets of STS 2014 and the whole of SICK.

Six tasks: the accuracy of a logistic regression on standardised features. MR, CR, SUBJ and MPQA
by 5-fold cross-validation; TREC and MRPC on their test parts, with the penalty that the
cross-validation on their train parts chose.

Not here: the nested 10-fold protocol of the papers. These numbers compare models with each other
and do not belong beside the papers' tables.

The sets are read from a folder in the layout of SentEval (`MR/`, `SICK/`, `STS/STS14-en-test/`
...), lower-cased and split at white space before the model sees them.

    python benchmarks/quality/model_quality.py MODEL_FOLDER [MODEL_FOLDER ...] [--data DIR]
        [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.stats import pearsonr, spearmanr
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from common.sets import Part, Task, default_data, read_similarity, read_tasks

Floats: TypeAlias = NDArray[np.float64]
Ids: TypeAlias = NDArray[np.int64]
Classes: TypeAlias = NDArray[np.str_]
Scores: TypeAlias = dict[str, float]
Encode: TypeAlias = Callable[[list[str]], NDArray[np.float32]]

PENALTIES = (0.25, 1.0, 4.0, 16.0, 64.0)  # c; the C of scikit-learn is c / number of features


class Report(TypedDict):
    """The results of `measure`, ready for JSON."""

    similarity: dict[str, Scores]  # set: spearman, pearson
    spearman: float
    pearson: float
    classification: dict[str, Scores]  # task: accuracy, cv_accuracy (per cent), penalty
    accuracy: float | None  # the mean of the tasks, if any
    seconds: Scores


def cosines(left: NDArray[np.float32], right: NDArray[np.float32]) -> Floats:
    """Return the cosine of each row of `left` with that of `right`, 0 where one is zero."""
    u, v = left.astype(np.float64), right.astype(np.float64)
    lengths = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    dots: Floats = np.einsum("ij,ij->i", u, v)
    return dots / np.where(lengths > 0, lengths, 1)


def correlate(cosine: Floats, scores: Floats) -> Scores:
    """Correlate with the gold scores; cosines that are all equal count as uncorrelated."""
    if np.ptp(cosine) == 0:
        return {"spearman": 0.0, "pearson": 0.0}
    rank, linear = spearmanr(cosine, scores), pearsonr(cosine, scores)
    return {"spearman": float(rank.statistic), "pearson": float(linear.statistic)}


def measure_similarity(encode: Encode, data: Path) -> dict[str, Scores]:
    """Measure STS14+SICK."""
    return {
        name: correlate(cosines(*map(encode, part.columns)), np.array(part.gold, np.float64))
        for name, part in read_similarity(data).items()
    }


def features(encode: Encode, part: Part) -> tuple[Floats, Classes]:
    """Encode sentences, where a pair becomes [|u - v|, u * v]; return features and classes."""
    vectors = [encode(column).astype(np.float64) for column in part.columns]
    if len(vectors) == 2:
        u, v = vectors
        vectors = [np.abs(u - v), u * v]
    return np.hstack(vectors), np.array(part.gold)


def fit(x: Floats, y: Classes, penalty: float, max_iter: int) -> LogisticRegression:
    """Fit the classifier of the protocol to standardised features."""
    model = LogisticRegression(C=penalty / x.shape[1], solver="lbfgs", max_iter=max_iter)
    return model.fit(x, y)


def fold_accuracies(x: Floats, y: Classes, train: Ids, held_out: Ids) -> list[float]:
    """Fit on one fold with each penalty; return the accuracies on the part held out."""
    scaler = StandardScaler().fit(x[train])
    x_train, x_held_out = scaler.transform(x[train]), scaler.transform(x[held_out])
    models = [fit(x_train, y[train], penalty, max_iter=200) for penalty in PENALTIES]
    return [float(model.score(x_held_out, y[held_out])) for model in models]


def measure_task(encode: Encode, task: Task, pool: ThreadPoolExecutor) -> Scores:
    """Choose the penalty by cross-validation and, if there is a test part, test with it."""
    train, test = task
    x, y = features(encode, train)
    splits = StratifiedKFold(5, shuffle=True, random_state=0).split(x, y)
    folds = [pool.submit(fold_accuracies, x, y, *split) for split in splits]
    means = np.mean([fold.result() for fold in folds], axis=0)
    penalty, accuracy = PENALTIES[means.argmax()], 100 * float(means.max())
    result = {"accuracy": accuracy, "cv_accuracy": accuracy, "penalty": penalty}
    if test is not None:
        scaler = StandardScaler().fit(x)
        model = fit(scaler.transform(x), y, penalty, max_iter=300)
        x_test, y_test = features(encode, test)
        result["accuracy"] = 100 * float(model.score(scaler.transform(x_test), y_test))
    return result


def measure_classification(encode: Encode, data: Path, jobs: int) -> dict[str, Scores]:
    """Measure the six tasks, `jobs` folds at a time, each on one thread."""
    tasks = read_tasks(data)
    with ThreadPoolExecutor(jobs) as pool, threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # max_iter is part of the protocol
        return {name: measure_task(encode, task, pool) for name, task in tasks.items()}


def measure(encode: Encode, data: Path, *, classification: bool = True, jobs: int = 2) -> Report:
    """Measure sentence vectors on STS14+SICK and the six tasks.

    Args:
        encode: Gives one row a sentence; the sentences come lower-cased, words separated by spaces.
        data: Folder of the sets, in the layout of SentEval.
        classification: Whether to measure the six tasks too.
        jobs: Folds fitted at the same time.
    """
    start = time.perf_counter()
    similarity = measure_similarity(encode, data)
    middle = time.perf_counter()
    tasks = measure_classification(encode, data, jobs) if classification else {}
    seconds = {"similarity": middle - start, "classification": time.perf_counter() - middle}
    return {
        "similarity": similarity,
        "spearman": float(np.mean([row["spearman"] for row in similarity.values()])),
        "pearson": float(np.mean([row["pearson"] for row in similarity.values()])),
        "classification": tasks,
        "accuracy": float(np.mean([row["accuracy"] for row in tasks.values()])) if tasks else None,
        "seconds": seconds,
    }


def print_report(name: str, report: Report) -> None:
    """Print one line a set, the averages and the wall time."""
    print(f"\n{name}\n{'set':<12}{'Spearman':>9}{'Pearson':>9}")
    for subset, row in report["similarity"].items():
        print(f"{subset:<12}{row['spearman']:>9.3f}{row['pearson']:>9.3f}")
    print(f"{'mean':<12}{report['spearman']:>9.3f}{report['pearson']:>9.3f}")
    if report["accuracy"] is not None:
        print(f"{'task':<12}{'accuracy':>9}{'c':>9}")
        for task, result in report["classification"].items():
            print(f"{task:<12}{result['accuracy']:>9.1f}{result['penalty']:>9g}")
        print(f"{'mean':<12}{report['accuracy']:>9.1f}")
    print(f"{'seconds':<12}{sum(report['seconds'].values()):>9.1f}", flush=True)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure the sentence vectors of models.")
    parser.add_argument("models", nargs="+", metavar="MODEL_FOLDER")
    parser.add_argument(
        "--data", type=Path, default=default_data(), help="folder in the layout of SentEval"
    )
    parser.add_argument("--json", type=Path, help="file for the results of all models")
    parser.add_argument("--skip-classification", action="store_true", help="only STS14+SICK")
    parser.add_argument("--jobs", type=int, default=2, help="folds fitted at the same time")
    return parser.parse_args()


def main() -> None:
    """Measure each model folder of the command line."""
    from sentvec import load  # here, so that `measure` serves vectors from elsewhere too

    args = parse_arguments()
    reports: dict[str, Report] = {}
    for name in args.models:
        encode, classification = load(name).encode, not args.skip_classification
        reports[name] = measure(encode, args.data, classification=classification, jobs=args.jobs)
        print_report(name, reports[name])
        if args.json:
            args.json.write_text(json.dumps(reports, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
