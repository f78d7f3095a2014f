"""Sparse vectors, and models that look at a task first: TF-IDF and SIF on whole tasks."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse

from sentvec import evaluate
from sentvec.baselines.opening import open_baseline
from sentvec.baselines.sif import Sif
from sentvec.baselines.tfidf import TfIdf
from sentvec.errors import EncoderError, SettingsError
from sentvec.evaluation.methods.classify import cv_then_test, dev_then_test, nested_cv, plain_cv
from sentvec.evaluation.methods.crossval import fold_predictions
from sentvec.evaluation.methods.design import checked_features, design_of, pair_features
from sentvec.evaluation.methods.logistic import class_signs, solve_path
from sentvec.evaluation.methods.protocols import PAPER
from sentvec.evaluation.methods.vectors import SentenceVectors, cosines
from sentvec.evaluation.tasks.readers import load_task
from sentvec.evaluation.tasks.suites import TASKS
from support.evaluation_trees import write
from support.learnable import WORDS, Answering, Counting, learnable_tree
from support.planted import planted

KINDS = [
    sparse.csr_matrix,
    sparse.csr_array,
    sparse.csc_matrix,
    sparse.coo_array,
    sparse.lil_matrix,
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return learnable_tree(tmp_path_factory.mktemp("sparse"))


@pytest.fixture(scope="module")
def vector_file(tmp_path_factory):
    """A word2vec file of one direction for each word of the tasks, and counts."""
    folder = tmp_path_factory.mktemp("vectors")
    rows = [" ".join(["0"] * number + ["1"] + ["0"] * (len(WORDS) - 1 - number))
            for number in range(len(WORDS))]  # fmt: skip
    lines = [f"{word} {row}\n" for word, row in zip(WORDS, rows, strict=True)]
    write(folder, {"vectors.txt": "".join(lines).encode(),
                   "counts.txt": "".join(f"{word} 1\n" for word in WORDS).encode()})  # fmt: skip
    return folder / "vectors.txt"


def thin(seed=0, **options):
    """Features of which half are zero, dense and sparse, and labels."""
    x, y = planted(seed=seed, **options)
    x = np.where(np.abs(x) < 0.4, 0, x)
    return x, sparse.csr_matrix(x), y


# --- the arithmetic -----------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 4])
def test_sparse_features_have_the_scores_of_dense_ones_and_of_scikit_learn(classes):
    linear_model = pytest.importorskip("sklearn.linear_model")
    x, wide, y = thin(n=150, dim=12, classes=classes)
    grid = (0.5, 8.0, 64.0)
    _, signs, groups = class_signs(y, np.ones((1, 150), np.bool_))
    paths = [solve_path(design_of(one), signs, grid, groups) for one in (x, wide)]
    for penalty, (_, dense), (weights, found) in zip(grid, *paths, strict=True):
        np.testing.assert_allclose(found, dense, atol=1e-5)
        oracle = linear_model.LogisticRegression(
            C=penalty, solver="liblinear", tol=1e-12, max_iter=10_000
        ).fit(x, y == (1 if classes == 2 else 0))
        # the intercept stands first, after no dense columns
        np.testing.assert_allclose(weights[0], [*oracle.intercept_, *oracle.coef_[0]], atol=2e-4)


@pytest.mark.parametrize("run", ["nested", "plain", "train and test", "dev"])
def test_every_protocol_takes_sparse_features(run):
    def found(x, y):
        parts = [(x[part], y[part]) for part in map(slice, (0, 80, 120), (80, 120, 160))]
        match run:
            case "nested":
                return nested_cv(x, y, PAPER)
            case "plain":
                return plain_cv(x, y)
            case "train and test":
                return cv_then_test(parts[0], parts[1])
        return dev_then_test(*parts)

    x, wide, y = thin(n=160, dim=10, classes=3)
    one, other = found(x.astype(np.float64), y), found(wide.astype(np.float64), y)
    assert one.penalties == other.penalties
    assert one.fold_accuracies == other.fold_accuracies
    assert np.array_equal(one.predictions, other.predictions)


def test_ngrams_stand_beside_sparse_features():
    x, wide, y = thin(n=60, dim=6)
    tokens = [["good" if label else "bad", f"w{row % 7}"] for row, label in enumerate(y)]
    rows = np.arange(60) % 3 != np.arange(3)[:, None]
    one = fold_predictions(x, y, rows, (1.0, 16.0), tokens=tokens)
    assert np.array_equal(fold_predictions(wide, y, rows, (1.0, 16.0), tokens=tokens), one)
    assert (one == y).mean() > 0.99  # the n-grams are used
    assert (fold_predictions(wide, y, rows, (1.0, 16.0)) == y).mean() < 0.95


def test_the_number_of_threads_changes_nothing():
    _, wide, y = thin(n=200, dim=30, classes=3)
    rows = np.arange(200) % 10 != np.arange(10)[:, None]
    one, two = (fold_predictions(wide, y, rows, (1.0, 64.0), threads=n) for n in (1, 3))
    assert np.array_equal(one, two)


def test_the_features_of_sparse_pairs_are_those_of_dense_ones():
    x, wide, _ = thin(n=40, dim=5)
    found = pair_features(wide[:20], wide[20:])
    np.testing.assert_array_equal(found.toarray(), pair_features(x[:20], x[20:]))
    with pytest.raises(SettingsError, match="two sides of the pairs have shapes"):
        pair_features(wide[:20], wide[:19])


def test_cosines_of_sparse_vectors_are_those_of_dense_ones():
    x, wide, _ = thin(n=200, dim=6)
    x[3] = x[150] = 0
    wide = sparse.csr_matrix(x)
    assert np.array_equal(cosines(wide[:100], wide[100:]), cosines(x[:100], x[100:]))
    assert cosines(wide[:100], wide[100:])[[3, 50]].tolist() == [0, 0]
    assert np.array_equal(cosines(wide[:3], wide[:3]), np.ones(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e31])
def test_sparse_features_that_cannot_be_used_are_refused(bad):
    x = np.eye(4)
    x[2, 2] = bad
    with pytest.raises(SettingsError, match=r"the first is row 2|largest feature is 1e"):
        checked_features(sparse.csr_matrix(x))


# --- vectors of a model -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_may_return_any_sparse_matrix(kind):
    texts = ["ba be", "bi", "", "ba be"]
    vectors = SentenceVectors(Answering(kind))
    vectors.prepare(texts)
    found = vectors.of(texts)
    assert sparse.issparse(found)
    assert found.dtype == np.float32
    assert np.array_equal(found.toarray(), Counting().encode(texts))
    assert vectors.dim == len(WORDS)
    assert not vectors.are_equal(texts)
    assert SentenceVectors(Answering(kind)).of([]).shape == (0, 0)


def with_nan(rows):
    rows[1, 3] = np.nan
    return sparse.csr_matrix(rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_nan, "1 of 3 vectors contain NaN or infinity, the first is that of 'bi' - expected"),
        (
            lambda rows: sparse.csr_matrix(rows[:-1]),
            "shape (2, 60) for 3 texts - expected (3, dim)",
        ),
        (lambda rows: sparse.csr_matrix(rows > 0), "array of type bool - expected floats"),
    ],
)
def test_sparse_vectors_are_checked_as_dense_ones_are(change, message):
    with pytest.raises(EncoderError, match=re.escape(message)):
        SentenceVectors(Answering(change)).prepare(["ba be", "bi", ""])


def test_equal_sparse_vectors_are_noticed():
    vectors = SentenceVectors(Answering(lambda rows: sparse.csr_matrix(np.ones((len(rows), 3)))))
    vectors.prepare(["ba", "be"])
    assert vectors.are_equal(["ba", "be"])


# --- models that look at a task first -----------------------------------------------------------


class Fitting(Counting):
    """Remembers the texts it was given first."""

    def __init__(self):
        super().__init__()
        self.fitted = []

    def fit(self, texts):
        assert self.asked == [text for one in self.fitted for text in one]
        self.fitted.append(list(texts))


def test_fit_is_called_once_a_task_with_all_its_texts_before_they_are_encoded(tree):
    model = Fitting()
    names = ("TREC", "SICK", "SICK-E")
    evaluate(model, data=tree, tasks=names, protocol="quick")
    for name, fitted in zip(names, model.fitted, strict=True):
        parts = load_task(TASKS[name], tree, lowercase=False).parts.values()
        sides = [getattr(part, "texts", None) or part.left + part.right for part in parts]
        assert fitted == list(dict.fromkeys(text for side in sides for text in side))
    # SICK-E has the sentences of SICK: nothing is kept from task to task
    assert model.fitted[1] == model.fitted[2]
    assert model.asked == [text for fitted in model.fitted for text in fitted]


def test_a_method_fit_that_trains_is_left_alone(tree):
    class Trained(Counting):
        def fit(self, train_objectives, epochs=1):
            raise AssertionError

    report = evaluate(Trained(), data=tree, tasks="STS13")
    assert (
        report["STS13"].figures == evaluate(Counting(), data=tree, tasks="STS13")["STS13"].figures
    )


def test_a_fit_that_fails_fails_its_task_and_the_run_goes_on(tree):
    class Failing(Fitting):
        def fit(self, texts):
            if len(self.fitted) == 1:
                self.fitted.append([])
                raise ZeroDivisionError
            self.fitted.append(texts)
            self.asked = []

    report = evaluate(Failing(), data=tree, tasks="STS12,STS13,STS14")
    assert report["STS13"].error.startswith("fit raised ZeroDivisionError")
    assert report["STS12"].error is report["STS14"].error is None


def test_tfidf_is_scored_on_every_task_that_takes_sparse_vectors(tree):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    report = evaluate(TfIdf(), data=tree, suite="all", protocol="quick", threads=1)
    failed = {name for name, one in report.items() if one.error}
    assert failed == {"SICK-R", "STSB", "COCO"}
    for name in failed:
        assert "vectors are sparse, as those of TF-IDF - expected dense ones" in report[name].error
    parts = load_task(TASKS["SICK"], tree, lowercase=False).parts
    texts = [text for part in parts.values() for text in part.left + part.right]
    oracle = text.TfidfVectorizer(token_pattern=r"\w+").fit(dict.fromkeys(texts))
    left, right = ([text for part in parts.values() for text in getattr(part, side)]
                   for side in ("left", "right"))  # fmt: skip
    products = oracle.transform(left).multiply(oracle.transform(right)).sum(axis=1)
    gold = np.concatenate([part.gold for part in parts.values()])
    expected = np.corrcoef(np.asarray(products).ravel(), gold)[0, 1]
    assert report["SICK"].pearson == pytest.approx(expected, abs=1e-6)
    assert report["TREC"].accuracy > 0.5
    assert report["MR"].coverage.share == 1.0


def test_tfidf_takes_extra_features_too(tree):
    pytest.importorskip("sklearn")
    report = evaluate(TfIdf(), data=tree, tasks="MR,MSRP", with_features=True, threads=1)
    assert set(report["MR"].figures) == {"accuracy", "accuracy +NB"}
    assert {"accuracy +feats", "f1 +feats"} < set(report["MSRP"].figures)


def test_the_report_says_how_a_baseline_was_made(tree, vector_file):
    counts = vector_file.with_name("counts.txt")
    sif = open_baseline(f"sif:{vector_file}", counts=counts)
    report = evaluate(sif, data=tree, tasks="STS13")
    described = report.provenance["model"]
    assert described["kind"] == "sif"
    assert described["a"] == 1e-3
    assert described["dim"] == described["counts"] == len(WORDS)
    assert re.fullmatch("[0-9a-f]{32}", described["fingerprint"])
    assert described["tokenizer"]["name"] == "whitespace"
    assert report.to_json() == evaluate(sif, data=tree, tasks="STS13").to_json()
    pytest.importorskip("sklearn")
    described = evaluate(TfIdf(), data=tree, tasks="STS13").provenance["model"]
    assert described["kind"] == "tfidf"
    assert described["dim"] is None  # it has another in every task
    assert described["scikit-learn"]


def test_sentences_are_lower_cased_for_sif_as_for_the_mean_of_the_same_vectors(tree, vector_file):
    counts = vector_file.with_name("counts.txt")
    mean, sif = (
        open_baseline(f"mean:{vector_file}"),
        open_baseline(f"sif:{vector_file}", counts=counts),
    )
    one, other = (evaluate(model, data=tree, tasks="MR", protocol="quick") for model in (mean, sif))
    assert other.provenance["lowercase"] is True
    assert other.provenance["lowercase_because"] == one.provenance["lowercase_because"]
    assert other["MR"].coverage == one["MR"].coverage
    assert isinstance(sif, Sif)
    pytest.importorskip("sklearn")
    said = evaluate(TfIdf(), data=tree, tasks="MR", protocol="quick").provenance
    assert said["lowercase_because"] == "the model's tokenizer lower-cases"
