"""The program around long runs: what a run will need, held-out text, starting from a model."""

from __future__ import annotations

import json
import os
import re

import numpy as np
import pytest

from sentvec import Sent2VecSettings, load
from sentvec.models.sent2vec.trainer import MAX_BUCKETS, memory_of
from sentvec.training.memory import gigabytes
from support.program import SMALL, fail, run, succeed


def facts(output):
    """What is printed, by its first word."""
    return {line.split()[0]: " ".join(line.split()[1:]) for line in output.decode().splitlines()}


def need(words, buckets, **settings):
    return memory_of(Sent2VecSettings.make(**settings), words, buckets)


# --- estimate -----------------------------------------------------------------------------------


def test_estimate_of_a_corpus_is_what_training_prints(place, tmp_path):
    for extra in ([], ["--dtype", "float16"], ["--threads", "3", "--deterministic"]):
        settings = [*SMALL, "--dim", "300", "--buckets", "70000", "--epochs", "1", *extra]
        about = facts(succeed("estimate", place / "corpus.txt", *settings))
        target = tmp_path / f"model{len(extra)}"
        trained = run("train", "sent2vec", place / "corpus.txt", "-o", target, *settings)
        assert trained.returncode == 0
        [line] = re.findall(r"memory +(.*) needed", trained.stderr.decode())
        assert about["memory"].startswith(line + " (matrices ")
        assert about["corpus"] == "200 sentences, 1,290 words"
        assert about["rows"] == "60 words, 70,000 n-gram buckets, dim 300"
        written = sum(path.stat().st_size for path in target.iterdir())
        assert float(about["disk"].split()[0]) * 1e9 == pytest.approx(written, abs=6e6)


def test_estimate_of_siamese_cbow_is_what_training_prints(place, tmp_path):
    for extra in ([], ["--dtype", "float16"], ["--no-shared-negatives", "--batch", "500"]):
        settings = ["--min-count", "1", "--dim", "3000", "--threads", "2", "--epochs", "1", *extra]
        corpus = place / "corpus.txt"
        about = facts(succeed("estimate", "--model", "siamese-cbow", corpus, *settings))
        target = tmp_path / f"model{len(extra)}{extra[:1]}"
        trained = run("train", "siamese-cbow", corpus, "-o", target, *settings)
        assert trained.returncode == 0
        [line] = re.findall(r"memory +(.*) needed", trained.stderr.decode())
        assert about["memory"].startswith(line + " (matrices ")
        assert about["rows"] == "60 words, 0 n-gram buckets, dim 3000"


def test_estimate_of_siamese_cbow_knows_what_has_a_row(tmp_path):
    """One matrix, and with AdaGrad a number for each word, which stays out of the model."""
    args = ["estimate", "--model", "siamese-cbow", "--vocab", "5000000", "--dim", "4"]
    for extra, matrices, on_disk in (
        ([], "0.10", "0.14"),
        (["--optimizer", "sgd"], "0.08", "0.14"),
        (["--preset", "paper/siamese-cbow"], "0.08", "0.14"),
        (["--dtype", "float16"], "0.06", "0.10"),
    ):
        about = facts(succeed(*args, *extra, cwd=tmp_path))
        assert about["rows"] == "5,000,000 words, 0 n-gram buckets, dim 4"
        assert f"(matrices {matrices} GB)" in about["memory"]
        assert about["disk"] == f"{on_disk} GB for the model"


def test_estimate_knows_which_settings_a_model_has(tmp_path):
    for args, message in (
        (["--model", "siamese-cbow", "--ngrams", "2"], "unknown setting 'ngrams'"),
        (["--temperature", "2"], "unknown setting 'temperature'"),
        (["--model", "siamese"], "unknown model 'siamese' - did you mean 'siamese-cbow'"),
    ):
        assert message in fail("estimate", "--vocab", "1000", *args, cwd=tmp_path)


def test_estimate_chooses_buckets_as_training_does(place):
    about = facts(succeed("estimate", place / "corpus.txt", "--min-count", "1"))
    assert about["rows"] == "60 words, 10,000 n-gram buckets, dim 100"
    words = facts(succeed("estimate", place / "corpus.txt", "--min-count", "1", "--ngrams", "1"))
    assert words["rows"] == "60 words, 0 n-gram buckets, dim 100"


def test_estimate_of_a_number_of_words(tmp_path):
    about = facts(succeed("estimate", "--vocab", "750000", "--dim", "700", cwd=tmp_path))
    assert about["rows"] == f"750,000 words, {MAX_BUCKETS:,} n-gram buckets, dim 700"
    expected = need(750_000, MAX_BUCKETS, dim=700)
    assert (
        about["memory"] == f"{gigabytes(expected.total)} (matrices {gigabytes(expected.matrices)})"
    )
    assert about["disk"] == "9.81 GB for the model"
    assert about["while"].startswith("training, 19.62 GB more with checkpoints")
    assert os.listdir(tmp_path) == []


def test_estimate_takes_a_preset_and_knows_what_costs_memory():
    args = ["estimate", "--vocab", "1000000", "--buckets", "1000000"]
    memory = {
        name: float(facts(succeed(*args, *extra))["memory"].split()[0])
        for name, extra in {
            "plain": ["--threads", "2"],
            "twelve": ["--threads", "12"],
            "half": ["--threads", "2", "--dtype", "float16"],
            "copies": ["--threads", "2", "--deterministic"],
            "preset": ["--preset", "paper/books-bigrams"],
        }.items()
    }
    matrices = 3e6 * 100 * 4 / 1e9
    assert memory["twelve"] == memory["plain"]
    assert memory["plain"] - memory["half"] == pytest.approx(matrices / 2, abs=0.02)
    assert memory["copies"] - memory["plain"] == pytest.approx(2 * matrices, abs=0.02)
    assert memory["preset"] - memory["plain"] == pytest.approx(6 * matrices, abs=0.02)


def test_deterministic_copies_are_no_part_of_the_model_on_disk():
    args = ["estimate", "--vocab", "1000000", "--buckets", "1000000", "--threads", "4"]
    plain, copies = facts(succeed(*args)), facts(succeed(*args, "--deterministic"))
    assert plain["disk"] == copies["disk"]
    assert plain["while"] == copies["while"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "got neither a corpus nor --vocab - expected a corpus, or --vocab from 2"),
        (["corpus.txt", "--vocab", "5"], "got a corpus and --vocab - expected a corpus, or --vocab"),
        (["--vocab", "1"], "got --vocab 1 - expected a corpus, or --vocab from 2"),
        (["--vocab", "-3"], "got --vocab -3 - expected a corpus, or --vocab from 2"),
        (["nowhere.txt"], "file not found: nowhere.txt"),
        (["empty.txt"], "the corpus is empty: empty.txt"),
        (["--vocab", "5", "--dim", "0"], "dim is 0 - expected"),
        (["--vocab", "5", "--preset", "paper/wiki"], "unknown preset 'paper/wiki'"),
        (["--vocab", "5", "--dtype", "float61"], "dtype is 'float61' - expected"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_what_cannot_be_estimated_is_one_line_and_status_1(place, tmp_path, args, message):
    (tmp_path / "corpus.txt").symlink_to(place / "corpus.txt")
    (tmp_path / "empty.txt").write_text("\n")
    assert message in fail("estimate", *args, cwd=tmp_path)


# --- held-out text, a model to start from -------------------------------------------------------


def test_training_shows_the_held_out_loss_of_each_epoch(place, tmp_path):
    result = run(
        "train", "sent2vec", place / "corpus.txt", "-o", tmp_path / "model", *SMALL,
        "--epochs", "3", "--validate", place / "held-out.txt", "--patience", "2",
    )  # fmt: skip
    assert result.returncode == 0
    shown = re.findall(r"held-out +loss (\d+\.\d{4}) after epoch (\d)", result.stderr.decode())
    assert [epoch for _, epoch in shown] == ["1", "2", "3"]
    records = map(json.loads, (tmp_path / "model" / "metrics.jsonl").read_text().splitlines())
    written = [record["loss"] for record in records if record["event"] == "validation"]
    assert [f"{loss:.4f}" for loss in written] == [loss for loss, _ in shown]


def test_training_starts_from_a_model(place, tmp_path):
    (tmp_path / "new.txt").write_text("quay the harbour\nthe quay buoy\n" * 3)
    succeed(
        "train", "sent2vec", tmp_path / "new.txt", "-o", tmp_path / "grown", "--quiet",
        "--init-from", place / "model", "--min-count", "4", "--lr", "1e-30", "--threads", "1",
    )  # fmt: skip
    old, grown = load(place / "model"), load(tmp_path / "grown")
    assert list(grown.vocabulary) == [*old.vocabulary, "quay"]
    n_old = len(old.vocabulary)
    assert np.array_equal(grown.input_vectors[:n_old], old.input_vectors[:n_old])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--checkpoint-every", "often"], "checkpoint_every is 'often' - expected a time"),
        (["--patience", "2"], "patience needs held-out text - give validate"),
        (["--patience", "0", "--validate", "corpus.txt"], "patience is 0"),
        (["--validate", "nowhere.txt"], "file not found: nowhere.txt"),
        (["--init-from", "nowhere"], "no model at nowhere"),
        (["--init-from", "model", "--dim", "9"], "dim is 9, the model in init_from has 8"),
        (["--deterministic", "--dtype", "float16"], "deterministic needs dtype='float32'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_what_cannot_be_trained_is_one_line_and_leaves_nothing(place, tmp_path, args, message):
    for name in ("corpus.txt", "model"):
        (tmp_path / name).symlink_to(place / name)
    line = fail("train", "sent2vec", "corpus.txt", "-o", "new", *args, cwd=tmp_path)
    assert message in line
    assert sorted(os.listdir(tmp_path)) == ["corpus.txt", "model"]
