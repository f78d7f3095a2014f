"""Our nested cross-validation against scikit-learn's: accuracies and time.

For MR, CR, SUBJ and MPQA: the paper protocol as `sentvec.evaluation` runs it, and the same folds
with scikit-learn's GridSearchCV and liblinear, at its default tolerance (what the released programs
used) or at one given. Sentences are lower-cased, split at white space, and blank lines dropped.

The vectors are those of a model folder, or means of the word vectors of a GloVe text file (which
may be compressed with xz). `--synthetic` times ours alone on made-up vectors of 10,662 rows.

    python benchmarks/checks/evaluation_agreement.py MODEL_OR_GLOVE [--data DIR] [--tasks CR,MR]
        [--rows N]
    python benchmarks/checks/evaluation_agreement.py --synthetic 100 300 700
"""

from __future__ import annotations

import argparse
import lzma
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from common.sets import TWO_FILES, default_data, read_two_files
from sentvec.evaluation.methods.classify import nested_cv
from sentvec.evaluation.methods.folds import shuffled
from sentvec.evaluation.methods.protocols import PAPER

Ids: TypeAlias = NDArray[np.int64]
Encode: TypeAlias = Callable[[list[str]], NDArray[np.float32]]


def load_encoder(path: Path) -> Encode:
    """Open a model folder, or a GloVe text file as means of its word vectors."""
    if path.is_dir():
        from sentvec import load

        return load(path).encode
    table: dict[str, NDArray[np.float32]] = {}
    opened: Any = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        for line in file:
            word, *numbers = line.split(" ")
            table[word] = np.array(numbers, np.float32)
    zero = np.zeros(len(numbers), np.float32)

    def encode(texts: list[str]) -> NDArray[np.float32]:
        rows = [[table[word] for word in text.split() if word in table] for text in texts]
        return np.array([np.mean(row, axis=0) if row else zero for row in rows])

    return encode


def nested_by_sklearn(x: NDArray[Any], y: Ids, tolerance: float, jobs: int) -> list[float]:
    """The accuracies of the outer folds."""
    order = shuffled(len(y), PAPER.seed)
    x, y = x[order].astype(np.float64), y[order]
    accuracies = []
    for train, held_out in KFold(PAPER.folds).split(x):
        model = LogisticRegression(solver="liblinear", tol=tolerance, max_iter=10_000)
        search = GridSearchCV(model, {"C": PAPER.split}, cv=KFold(PAPER.folds), n_jobs=jobs)
        search.fit(x[train], y[train])
        accuracies.append(float(search.score(x[held_out], y[held_out])))
    return accuracies


def synthetic(dim: int, n_rows: int = 10_662) -> tuple[NDArray[np.float32], Ids]:
    """Vectors of mean length 1 with a falling spectrum and a common direction; two classes."""
    random = np.random.default_rng(0)
    spectrum = np.arange(1, dim + 1) ** -0.7
    x = random.standard_normal((n_rows, dim)) * spectrum
    x[:, 0] += 0.5
    truth = x @ (random.standard_normal(dim) / np.sqrt(spectrum))
    noise = 0.9 * truth.std() * random.standard_normal(n_rows)
    labels = (truth - truth.mean() + noise > 0).astype(np.int64)
    rotation, _ = np.linalg.qr(random.standard_normal((dim, dim)))
    x = (x / np.linalg.norm(x, axis=1).mean()) @ rotation
    order = np.argsort(-labels, kind="stable")
    return x[order].astype(np.float32), labels[order]


def time_ours(x: NDArray[Any], y: Ids, threads: int) -> tuple[list[float], float]:
    """The accuracies of the outer folds, and seconds."""
    start = time.perf_counter()
    found = nested_cv(x, y, threads=threads)
    return list(found.fold_accuracies), time.perf_counter() - start


def compare(encode: Encode, args: argparse.Namespace) -> None:
    """Print one line a task."""
    titles = ("task", "rows", "dim", "ours %", "sklearn %", "worst fold", "ours s", "sklearn s")
    print("".join(f"{title:>12}" for title in titles))
    for name in args.tasks.split(","):
        part = read_two_files(args.data / name, TWO_FILES[name])
        texts, y = part.columns[0], np.array(part.gold, np.int64)
        x = encode(texts)
        if args.rows:
            kept = np.sort(shuffled(len(y), 0)[: args.rows])
            x, y = x[kept], y[kept]
        ours, seconds = time_ours(x, y, args.threads)
        start = time.perf_counter()
        theirs = nested_by_sklearn(x, y, args.tolerance, args.threads)
        other = time.perf_counter() - start
        worst = 100 * np.abs(np.subtract(ours, theirs)).max()
        print(
            f"{name:>12}{len(y):>12}{x.shape[1]:>12}{100 * np.mean(ours):>12.2f}"
            f"{100 * np.mean(theirs):>12.2f}{worst:>12.2f}{seconds:>12.1f}{other:>12.1f}",
            flush=True,
        )


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Compare our nested protocol with scikit-learn's.")
    parser.add_argument("vectors", nargs="?", type=Path, help="model folder or GloVe text file")
    parser.add_argument(
        "--data", type=Path, default=default_data(), help="folder in the layout of SentEval"
    )
    parser.add_argument("--tasks", default=",".join(TWO_FILES))
    parser.add_argument("--rows", type=int, help="only N rows of each task")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="scikit-learn's tol")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--synthetic", type=int, nargs="+", metavar="DIM")
    return parser.parse_args()


def main() -> None:
    """Run what the command line asks for."""
    args = parse_arguments()
    for dim in args.synthetic or ():
        accuracies, seconds = time_ours(*synthetic(dim), args.threads)
        print(f"dim {dim}: {100 * np.mean(accuracies):.2f} % in {seconds:.1f} s", flush=True)
    if args.vectors:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            compare(load_encoder(args.vectors), args)


if __name__ == "__main__":
    main()
