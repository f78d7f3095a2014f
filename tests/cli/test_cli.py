"""The `sentvec` program as its users run it: in a process of its own."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import signal
import subprocess
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import typer

from sentvec import Sent2VecSettings, SiameseCBOWSettings, SkipThoughtSettings, load
from sentvec.cli.app import app
from sentvec.version import VERSION
from sentvec.wording import counted
from support.program import SCRIPT, SECONDS, SMALL, command, fail, run, succeed


@pytest.fixture(scope="session")
def model(place):
    return load(place / "model")


@pytest.fixture(scope="session")
def text(place):
    return (place / "text.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def expected(model, text):
    return np.nan_to_num(model.encode(text.split("\n")[:-1], on_empty="nan"))


# --- help and version ---------------------------------------------------------------------------


def commands(command=None, path=()):
    """The words of every command there is."""
    command = command or typer.main.get_command(app)
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


def test_there_are_the_commands_of_the_documentation():
    assert set(commands()) >= {
        (), ("train",), ("train", "sent2vec"), ("train", "siamese-cbow"), ("encode",),
        ("similarity",), ("neighbors",), ("prepare",), ("info",), ("demo",), ("estimate",),
        ("evaluate",), ("compare",), ("train", "skip-thought"), ("combine",), ("expand",),
        ("generate",),
    }  # fmt: skip


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_every_command_explains_itself(path):
    out = succeed(*path, "--help").decode()
    assert "Usage: " in out
    assert "--help" in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_the_program_tells_its_version():
    assert succeed("--version").decode() == f"sentvec {VERSION}\n"


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("sent2vec", Sent2VecSettings),
        ("siamese-cbow", SiameseCBOWSettings),
        ("skip-thought", SkipThoughtSettings),
    ],
)
def test_help_of_training_shows_every_setting_with_its_default(kind, settings):
    words = " ".join(
        succeed("train", kind, "--help", env={**os.environ, "COLUMNS": "80"}).decode().split()
    )
    for field in fields(settings):
        flag = f"--{field.name.replace('_', '-')} "
        assert flag in words
        about = words[words.index(flag) :]
        shown = field.default
        if isinstance(shown, bool):
            shown = "on" if shown else "off"
        assert field.metadata["help"] in about
        after = about[about.index(field.metadata["help"]) + len(field.metadata["help"]) :]
        assert after.startswith("" if shown is None else f" [default: {shown}]")


# --- training -----------------------------------------------------------------------------------


def test_train_makes_a_model_and_says_what_it_did(place, tmp_path):
    result = run("train", "sent2vec", place / "corpus.txt", "-o", tmp_path / "model", *SMALL)
    assert result.returncode == 0
    assert result.stdout == b""
    lines = result.stderr.decode().splitlines()
    assert [line.split()[0] for line in lines] == [
        "corpus", "memory", "kernels", "training", "trained", "skipped", "read", "saved",
    ]  # fmt: skip
    assert lines[5] == "skipped     20 blank lines"
    assert lines[6] == (
        f"read        the whole text ({(place / 'corpus.txt').stat().st_size:,} bytes)"
    )
    assert "200 sentences in 20 documents" in lines[0]
    assert "100%" in lines[3]
    model = load(tmp_path / "model")
    assert model.config["settings"] == {
        **Sent2VecSettings.make(dim=8, epochs=2, min_count=1, threads=1, buckets=500).to_config()
    }
    assert os.listdir(tmp_path) == ["model"]


def test_train_reads_standard_input_and_several_files_quietly(place, tmp_path):
    corpus = (place / "corpus.txt").read_bytes()
    (tmp_path / "corpus.txt.gz").write_bytes(gzip.compress(corpus))
    fingerprints = []
    for name, sources, given in (
        ("one", [place / "corpus.txt", tmp_path / "corpus.txt.gz"], b""),
        ("two", ["-"], corpus + corpus),
    ):
        settings = [*SMALL, "--preset", "paper/wiki-bigrams", "--quiet", "--no-shuffle"]
        target = tmp_path / name
        result = run("train", "sent2vec", *sources, "-o", target, *settings, input=given)
        assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
        config = load(target).config
        assert config["settings"]["drop_ngrams"] == 4
        assert config["settings"]["shuffle"] is False
        fingerprints.append(config["corpus"]["fingerprint"])
    assert fingerprints[0] == fingerprints[1]


def test_train_siamese_cbow_and_use_it(place, tmp_path):
    small = [
        "--dim",
        "8",
        "--epochs",
        "3",
        "--min-count",
        "1",
        "--threads",
        "1",
        "--negatives",
        "3",
    ]
    target = tmp_path / "model"
    result = run("train", "siamese-cbow", place / "corpus.txt", "-o", target, *small)
    assert result.returncode == 0
    lines = result.stderr.decode().splitlines()
    assert lines[4] == (
        "trained     200 sentences and 1,290 words per epoch; 600 sentences and 3,870 words in "
        "3 epochs, 600 neighbourhoods predicted"
    )
    settings = SiameseCBOWSettings.make(dim=8, epochs=3, min_count=1, threads=1, negatives=3)
    assert load(target).config["settings"] == settings.to_config()
    out = succeed("info", target).decode()
    about = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert about["model"] == f"siamese-cbow, format version 2, sentvec {VERSION}"
    assert about["vectors"] == "float32, dim 8"
    assert about["vocabulary"].startswith("60 words: ")
    assert about["n-grams"] == "none"
    assert about["tokenizer"] == "name=simple, lowercase=True"
    assert "sentences 200, documents 20" in about["corpus"]
    assert "epochs=3" in about["settings"]
    assert "positives=2, negatives=3" in about["settings"]
    assert set(about) >= {"size", "training", "case"}
    succeed("encode", target, place / "text.txt", "-o", tmp_path / "v.npy")
    assert np.load(tmp_path / "v.npy").shape == (5, 8)
    again = ["train", "siamese-cbow", place / "corpus.txt", "-o", tmp_path / "again"]
    succeed(*again, "--init-from", target, "--preset", "paper/siamese-cbow", "--quiet")
    assert load(tmp_path / "again").dim == 8
    small = tmp_path / "small"
    said = run("convert", target, small, "--dtype", "int8", "--max-vocab", "20").stderr.decode()
    assert "20 of 60 words" in said
    assert "vectors     int8, dim 8" in succeed("info", small).decode()
    said = run("convert", target, tmp_path / "w", "--to", "word2vec").stderr.decode()
    assert "cosine to the original: mean 1.000000, lowest 1.000000" in said
    assert "n-grams" not in said
    line = fail("convert", target, tmp_path / "s.bin", "--to", "sent2vec")
    assert "a model of kind 'siamese-cbow' has no place in a Sent2Vec binary" in line


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--positives", "3"], "positives is 3 - expected 2 (the previous and the next sentence)"),
        (["--edges", "wrap"], "edges is 'wrap' - expected 'use' or 'skip'"),
        (["--optimizer", "adam"], "optimizer is 'adam' - expected 'sgd' or 'adagrad'"),
        (["--preset", "paper/siamese"], "did you mean 'paper/siamese-cbow'"),
    ],
)
def test_settings_of_siamese_cbow_that_cannot_work_are_one_line(place, tmp_path, args, message):
    line = fail("train", "siamese-cbow", place / "corpus.txt", "-o", tmp_path / "model", *args)
    assert message in line
    assert os.listdir(tmp_path) == []


def test_a_corpus_without_neighbours_is_one_line(tmp_path):
    (tmp_path / "lines.txt").write_text("flour and sugar\n\nsugar and flour\n\n" * 9)
    command = ["train", "siamese-cbow", tmp_path / "lines.txt", "-o", tmp_path / "model"]
    result = run(*command, "--min-count", "1")
    assert result.returncode == 1
    assert result.stderr.decode().splitlines()[-1].startswith("error: no sentence has a neighbour")
    assert os.listdir(tmp_path) == ["lines.txt"]


# Interrupted at its first report of progress, so the signal comes while workers train.
INTERRUPTED = """
import os, signal
from sentvec.cli.terminal.training_display import TrainingDisplay
TrainingDisplay.progress = lambda *_: os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_while_training_exits_with_130_and_leaves_a_checkpoint_only(place, tmp_path):
    (tmp_path / "temporary").mkdir()
    (tmp_path / "models").mkdir()
    result = run(
        "train", "sent2vec", place / "corpus.txt", "-o", tmp_path / "models" / "model",
        *SMALL, "--epochs", "10000000",
        before=INTERRUPTED,
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
    )  # fmt: skip
    assert result.returncode == 130
    assert os.listdir(tmp_path / "models") == ["model"]
    assert os.listdir(tmp_path / "models" / "model") == ["checkpoints"]
    assert [name for name in os.listdir(tmp_path / "temporary") if name.startswith("sentvec")] == []


# --- encoding -----------------------------------------------------------------------------------


def test_encode_to_npy_text_and_jsonl_gives_the_same_bits_in_order(place, tmp_path, expected):
    for name in ("v.npy", "v.txt", "v.jsonl"):
        result = run("encode", place / "model", place / "text.txt", "-o", tmp_path / name)
        assert (result.returncode, result.stdout) == (0, b"")
        assert result.stderr.decode() == "5 rows, 2 without a known word (40.0%)\n"
    npy = np.load(tmp_path / "v.npy")
    assert (npy.dtype, npy.shape) == (np.float32, (5, 8))
    assert np.array_equal(npy, expected)
    assert np.array_equal(np.loadtxt(tmp_path / "v.txt", np.float32), expected)
    records = [json.loads(line) for line in (tmp_path / "v.jsonl").read_text().splitlines()]
    assert [record["index"] for record in records] == [0, 1, 2, 3, 4]
    vectors = np.array([record["vector"] for record in records], np.float32)
    assert np.array_equal(vectors, expected)
    assert sorted(os.listdir(tmp_path)) == ["v.jsonl", "v.npy", "v.txt"]


def test_encode_to_text_writes_nine_significant_digits(place, expected):
    out = succeed("encode", place / "model", place / "text.txt").decode()
    assert out == "".join(" ".join(f"{x:.9g}" for x in row) + "\n" for row in expected.tolist())


def test_encode_streams_from_standard_input_to_standard_output(place, text, expected):
    for file in ([], ["-"]):
        out = succeed("encode", place / "model", *file, "--format", "jsonl", input=text)
        vectors = [json.loads(line)["vector"] for line in out.splitlines()]
        assert np.array_equal(np.array(vectors, np.float32), expected)


def test_the_format_goes_before_the_name(place, tmp_path, expected):
    target = tmp_path / "v.txt"
    succeed("encode", place / "model", place / "text.txt", "-o", target, "--format", "npy")
    assert np.array_equal(np.load(target), expected)


def test_encode_normalizes_and_takes_threads(place, tmp_path, expected):
    target = tmp_path / "v.npy"
    source = place / "text.txt"
    succeed("encode", place / "model", source, "-o", target, "--normalize", "--threads", 2)
    np.testing.assert_allclose(np.linalg.norm(np.load(target), axis=1), [1, 0, 1, 0, 1], rtol=1e-6)


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"", 0),
        (b"\n", 1),
        (b"flour", 1),
        (b"flour\n", 1),
        (b"flour\nnot good", 2),
        (b"\n\nflour\n\n", 4),
        (b"flour\r\nnot good\r\n", 2),
        ("flour\u2028\x0b\x0c\x85not good\u2029\n".encode(), 1),
        (b"\xef\xbb\xbfflour\nnot \xff good\n", 2),
        (b"flour\n" * 8193, 8193),
        (gzip.compress(b"flour\n\nnot good"), 3),
    ],
    ids=[
        "nothing", "LF", "no LF", "a line", "unfinished", "empty lines", "CRLF", "other breaks",
        "BOM", "more than a batch", "gzip",
    ],
)  # fmt: skip
def test_rows_are_the_line_feeds_plus_one_for_an_unfinished_line(place, tmp_path, data, rows):
    (tmp_path / "in.txt").write_bytes(data)
    result = run("encode", place / "model", tmp_path / "in.txt", "-o", tmp_path / "v.npy")
    assert result.returncode == 0
    vectors = np.load(tmp_path / "v.npy")
    assert vectors.shape == (rows, 8)
    assert result.stderr.decode().startswith(f"{counted(rows, 'row')}, ")
    if rows > 1 or b"flour" in data:
        lines = (gzip.decompress(data) if data[:1] == b"\x1f" else data).split(b"\n")
        flour = [b"flour" in line for line in lines][:rows]
        assert vectors[flour].any(axis=1).all()


def test_encode_replaces_a_file_only_when_all_is_written(place, tmp_path):
    (tmp_path / "v.npy").write_text("mine")
    (tmp_path / "damaged.gz").write_bytes(gzip.compress(os.urandom(5000))[:4000])
    line = fail("encode", place / "model", tmp_path / "damaged.gz", "-o", tmp_path / "v.npy")
    assert "damaged.gz cannot be read to its end" in line
    assert (tmp_path / "v.npy").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["damaged.gz", "v.npy"]
    succeed("encode", place / "model", place / "text.txt", "-o", tmp_path / "v.npy")
    assert np.load(tmp_path / "v.npy").shape == (5, 8)


def test_encode_writes_through_a_link(place, tmp_path):
    (tmp_path / "link.npy").symlink_to("v.npy")
    succeed("encode", place / "model", place / "text.txt", "-o", tmp_path / "link.npy")
    assert (tmp_path / "link.npy").is_symlink()
    assert np.load(tmp_path / "v.npy").shape == (5, 8)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_encode_writes_into_a_pipe_and_does_not_replace_it(place, tmp_path, expected):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        try:
            succeed("encode", place / "model", place / "text.txt", "-o", pipe)
            out, _ = reader.communicate(timeout=SECONDS)
        finally:
            reader.kill()
    assert pipe.is_fifo()
    assert np.array_equal(np.loadtxt(io.BytesIO(out), np.float32), expected)
    assert "npy cannot be streamed" in fail(
        "encode", place / "model", place / "text.txt", "-o", pipe, "--format", "npy"
    )


@pytest.mark.skipif(not Path("/dev/fd/1").exists(), reason="needs /dev/fd")
def test_encode_writes_into_a_device_given_by_name(place, expected):
    program = command("encode", place / "model", place / "text.txt", "-o", "/dev/fd/1")
    out = subprocess.run(program, stdout=subprocess.PIPE, timeout=SECONDS, check=True).stdout
    assert np.array_equal(np.loadtxt(io.BytesIO(out), np.float32), expected)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_while_encoding_leaves_no_file(place, tmp_path):
    program = command("encode", place / "model", "-", "-o", tmp_path / "v.npy")
    with subprocess.Popen(program, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(b"flour\nsugar\n")
        process.stdin.flush()
        while not os.listdir(tmp_path) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output_is_one_line(place):
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [*SCRIPT, "encode", place / "model", place / "text.txt"],
            stdout=full, stderr=subprocess.PIPE, timeout=SECONDS, check=False,
        )  # fmt: skip
    assert result.returncode == 1
    assert re.fullmatch(r"error: .*No space left on device.*\n", result.stderr.decode())


def test_encode_does_not_hold_the_file(place, tmp_path):
    peaks = []
    for lines in (10_000, 200_000):
        with (tmp_path / "in.txt").open("w") as file:
            file.writelines(f"flour {'x' * 150}{line}\n" for line in range(lines))
        result = run("encode", place / "model", tmp_path / "in.txt", "-o", tmp_path / "v.npy")
        assert result.returncode == 0
        assert len(np.load(tmp_path / "v.npy", mmap_mode="r")) == lines
        peaks.append(result.peak)
    assert (tmp_path / "in.txt").stat().st_size > 30_000_000
    assert peaks[1] - peaks[0] < 10_000_000


# --- looking at a model -------------------------------------------------------------------------


def test_similarity_prints_the_cosine(place, model):
    out = succeed("similarity", place / "model", "the captain", "storm")
    assert float(out) == pytest.approx(model.similarity("the captain", "storm")[0, 0], abs=1e-6)
    assert re.fullmatch(rb"-?\d\.\d{6}\n", out)


def test_similarity_with_an_unknown_text_is_0_and_said_so(place):
    result = run("similarity", place / "model", "qwerty", "storm")
    assert (result.returncode, result.stdout) == (0, b"0.000000\n")
    assert result.stderr.decode() == (
        "warning: 'qwerty' has no known word; the cosine with it is 0\n"
    )


def test_neighbors_prints_score_line_number_and_text(place, model):
    lines = (place / "corpus.txt").read_text(encoding="utf-8").splitlines()
    out = succeed("neighbors", place / "model", place / "corpus.txt", "-q", "storm", "-k", 3)
    for hit, line in zip(
        model.neighbors("storm", lines, 3), out.decode().splitlines(), strict=True
    ):
        assert line == f"{hit.score:.4f}\t{hit.index + 1}\t{lines[hit.index]}"


def test_neighbors_of_several_queries_are_headed_by_the_query(place):
    result = run(
        "neighbors", place / "model", "-", "--query", "storm", "--query", "qwerty", "-k", 1,
        input="flour\nthe storm\n\ncaf\xe9 storm".encode("latin-1"),
    )  # fmt: skip
    assert result.returncode == 0
    assert result.stdout.splitlines()[0] == b"# storm"
    assert result.stdout.splitlines()[1].endswith(b"\t4\tcaf\xe9 storm")
    assert result.stdout.splitlines()[2:] == [b"# qwerty"]
    assert result.stderr.decode().startswith("warning: nothing found for 'qwerty'")


def test_info_prints_what_is_known(place, model):
    out = succeed("info", place / "model").decode()
    about = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert about["model"] == f"sent2vec, format version 1, sentvec {VERSION}"
    assert about["vectors"] == "float32, dim 8"
    assert about["vocabulary"].startswith(f"{len(model.vocabulary)} words: ")
    assert about["n-grams"] == "words up to 2, in 500 buckets"
    assert about["case"].startswith("lower case (100.0 % of the words are lower-case)")
    assert "sentences 200" in about["corpus"]
    assert "epochs=2" in about["settings"]
    assert set(about) >= {"tokenizer", "size", "training"}


# --- preparing text -----------------------------------------------------------------------------


def test_prepare_cuts_paragraphs_into_sentences_and_keeps_blank_lines(tmp_path):
    pytest.importorskip("syntok")
    text = "Mr. Smith went home. He was\ntired, he said.\n\n\nWas it 3.5 o'clock? It was!\n"
    cut = "Mr. Smith went home.\nHe was tired, he said.\n\n\nWas it 3.5 o'clock?\nIt was!\n"
    assert succeed("prepare", "-", "--split", "sentences", input=text).decode() == cut
    succeed("prepare", "-", "-o", tmp_path / "out.txt", "--split", "sentences", input=text)
    assert (tmp_path / "out.txt").read_text() == cut
    words = succeed("prepare", "-", "--split", "sentences", "--tokenizer", "simple", input=text)
    assert words.decode().splitlines()[:3] == [
        "mr . smith went home .", "he was tired , he said .", "",
    ]  # fmt: skip


def test_prepare_writes_the_words_of_a_tokenizer(tmp_path):
    text = "It's 3.5 o\u2019clock!\n\n  Two  words\n"
    out = succeed("prepare", "-", "--tokenizer", "simple", input=text).decode()
    assert out == "it's 3.5 o'clock !\n\ntwo words\n"
    out = succeed("prepare", "-", "--tokenizer", "whitespace", input=text).decode()
    assert out == "It's 3.5 o\u2019clock!\n\nTwo words\n"


def test_prepare_without_options_changes_no_byte_of_whole_lines(tmp_path):
    text = b"one\r\n\n \xff two \n"
    assert succeed("prepare", "-", input=text) == text


# --- what goes wrong ----------------------------------------------------------------------------


def train(corpus, *settings, output="new"):
    return ["train", "sent2vec", corpus, "-o", output, *settings]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (train("nowhere.txt"), "file not found: nowhere.txt - check"),
        (train("model"), "model is a directory - expected a text file"),
        (train("no*where.txt"), "no file matches 'no*where.txt'"),
        (train("empty.txt"), "the corpus is empty: empty.txt"),
        (train("corpus.txt", "--min-count", "99999"), "no word occurs min_count=99999 times"),
        (train("corpus.txt", "--preset", "paper/wiki"), "unknown preset 'paper/wiki' - did you mean"),
        (train("corpus.txt", "--tokenizer", "simpel"), "did you mean 'simple'?"),
        (train("corpus.txt", "--dim", "0"), "dim is 0 - expected a whole number from 1"),
        (train("corpus.txt", "--lr", "nan"), "lr is nan - expected a finite number"),
        (train("corpus.txt", "--threads", "-2"), "threads is -2 - expected"),
        (train("corpus.txt", "--variant", "mine"), "variant is 'mine' - expected 'paper' or"),
        (train("corpus.txt", output="other"), "other exists and is not a model folder"),
        (train("corpus.txt", output="text.txt"), "text.txt exists and is not a model folder"),
        (train("corpus.txt", output="text.txt/new"), "text.txt/new: Not a directory"),
        (["encode", "nowhere", "text.txt"], "no model at nowhere"),
        (["encode", "other", "text.txt"], "other is not a model folder"),
        (["encode", "text.txt", "text.txt"], "text.txt is not a model but a text that begins with 'the captain'"),
        (["encode", "model", "nowhere.txt"], "file not found: nowhere.txt"),
        (["encode", "model", "other"], "other is a directory"),
        (["encode", "model", "text.txt", "-o", "other"], "other is a directory - expected the name"),
        (["encode", "model", "text.txt", "-o", "no/where.npy"], "cannot write no/where.npy: No such"),
        (["encode", "model", "text.txt", "--format", "npy"], "npy cannot be streamed"),
        (["encode", "model", "text.txt", "-o", "v.npy", "--threads", "0"], "threads is 0"),
        (["similarity", "nowhere", "a", "b"], "no model at nowhere"),
        (["neighbors", "model", "nowhere.txt", "-q", "a"], "file not found: nowhere.txt"),
        (["neighbors", "model", "text.txt", "-q", "a", "-k", "0"], "k is 0 - expected"),
        (["info", "nowhere"], "no model at nowhere"),
        (["prepare", "nowhere.txt"], "file not found: nowhere.txt"),
        (["prepare", "text.txt", "--split", "words"], "--split is 'words' - expected sentences"),
        (["prepare", "text.txt", "--tokenizer", "simpel"], "did you mean 'simple'?"),
        (["prepare", "text.txt", "-o", "other"], "other is a directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_what_a_user_can_mend_is_one_line_and_status_1(place, tmp_path, args, message):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    (tmp_path / "empty.txt").write_text("\n\n")
    for name in ("corpus.txt", "text.txt", "model"):
        (tmp_path / name).symlink_to(place / name)
    before = sorted(os.listdir(tmp_path))
    assert message in fail(*args, cwd=tmp_path)
    assert sorted(os.listdir(tmp_path)) == before
    assert os.listdir(tmp_path / "other") == ["notes.txt"]


@pytest.mark.parametrize(
    "args",
    [
        train("corpus.txt", "--dimension", "5"),
        train("corpus.txt", "--dim", "five"),
        ["train", "sent2vec", "corpus.txt"],
        ["train", "word2vec", "corpus.txt"],
        ["encode"],
        ["encode", "model", "--format", "xml"],
        ["neighbors", "model", "text.txt"],
        ["unheardof"],
        ["--unheardof"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line_with_status_2(place, args):
    result = run(*args, cwd=place)
    assert result.returncode == 2
    [line] = result.stderr.decode().splitlines()
    assert re.fullmatch(r"error: .+[^.] - see sentvec[a-z0-9 -]* --help", line)
    assert result.stdout == b""


def test_train_without_a_kind_shows_its_help_with_status_2():
    result = run("train")
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr == succeed("train", "--help")


def test_the_help_lists_the_commands_in_the_order_of_work_each_with_a_sentence():
    shown = succeed("--help", env={**os.environ, "COLUMNS": "80"}).decode().splitlines()
    listed = shown[shown.index("Commands:") + 1 :]
    assert [line.split()[0] for line in listed] == [
        "train", "encode", "neighbors", "similarity", "evaluate", "compare", "convert", "info",
        "estimate", "prepare", "expand", "combine", "generate", "demo",
    ]  # fmt: skip
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)
    assert len(shown) < 24
    kinds = succeed("train", "--help", env={**os.environ, "COLUMNS": "80"}).decode()
    listed = kinds.split("Commands:")[1].splitlines()[1:]
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "command",
    ["encode model corpus.txt", "prepare corpus.txt", "neighbors model corpus.txt -q the -k 9999"],
)
def test_a_reader_that_goes_away_is_no_error_to_talk_about(place, tmp_path, command, unbuffered):
    big = (place / "corpus.txt").read_text(encoding="utf-8") * 30
    (tmp_path / "corpus.txt").write_text(big, encoding="utf-8")
    (tmp_path / "model").symlink_to(place / "model")
    program = " ".join(f"'{part}'" for part in SCRIPT)
    result = subprocess.run(
        f"{program} {command} | head -1",
        shell=True, cwd=tmp_path, capture_output=True, timeout=SECONDS, check=False,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )  # fmt: skip
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == b""


def test_a_warning_of_the_library_is_one_line_too(place, tmp_path):
    pruned = """
import sentvec.text.encoded as encoded
encoded.encode_corpus.__kwdefaults__["max_words"] = 10
"""
    result = run(
        "train", "sent2vec", place / "corpus.txt", "-o", tmp_path / "model", "--quiet",
        *SMALL, before=pruned,
    )  # fmt: skip
    assert result.returncode == 0
    for line in result.stderr.decode().splitlines():
        assert line.startswith("warning: more than 10 distinct words")
