"""`sentvec generate`: sentences on standard output, all else in lines on standard error."""

from __future__ import annotations

import subprocess

import pytest

from sentvec import SkipThought, load
from support import program
from support.behaviour import planted_corpus

TEXT = "the captain of the ship"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small model, that of a few passes."""
    folder = tmp_path_factory.mktemp("generate") / "model"
    SkipThought.train(
        planted_corpus()[:220], output=folder, dim=16, word_dim=8, lr=0.03, epochs=10, batch=16,
        min_count=1, max_tokens=12, threads=1, device="cpu",
    )  # fmt: skip
    return folder


def run(*args):
    """Run the program; returns (status, lines of standard output, lines of standard error)."""
    result = program.run(*args)
    return result.returncode, result.out.splitlines(), result.err.splitlines()


def test_one_sentence_a_line(folder):
    model = load(folder)
    expected = model.generate(TEXT, count=3)
    status, out, err = run("generate", folder, TEXT, "--count", 3)
    assert (status, out) == (0, [one.text for one in expected])
    assert err == [] or all(line.startswith("warning: ") for line in err)
    _, out, _ = run("generate", folder, TEXT, "--count", 3, "--scores")
    assert out == [f"{one.log_probability:.4f}\t{one.text}" for one in expected]
    _, out, _ = run("generate", folder, TEXT, "--direction", "previous", "--beam", 1)
    assert out == [one.text for one in model.generate(TEXT, direction="previous", beam=1)]


def test_draws_repeat_with_their_seed(folder):
    options = ["generate", folder, TEXT, "--sample", 1.5, "--count", 4]
    first = run(*options, "--seed", 3)
    assert first[0] == 0
    assert first[1] == [
        one.text for one in load(folder).generate(TEXT, sample=1.5, count=4, seed=3)
    ]
    assert run(*options, "--seed", 3) == first
    assert run(*options, "--seed", 4) != first


def test_what_did_not_end_is_told(folder):
    status, [line], err = run("generate", folder, TEXT, "--beam", 1, "--max-tokens", 2)
    assert (status, len(line.split())) == (0, 2)
    assert err == ["warning: the sentence did not end within 2 words - raise --max-tokens"]
    status, out, err = run(
        "generate", folder, TEXT, "--sample", 0.01, "--count", 3, "--max-tokens", 2
    )
    assert (status, len(out)) == (0, 3)
    assert err == ["warning: 3 of 3 sentences did not end within 2 words - raise --max-tokens"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--direction", "up"], "direction is 'up' - expected 'next' or 'previous'"),
        (["--beam", 0], "beam is 0 - expected a whole number from 1 to 1,000"),
        (["--beam", 2, "--sample", 1], "both beam=2 and sample=1.0 are given"),
        (["--sample", "nan"], "sample is nan - expected a temperature"),
        (["--beam", 2, "--count", 3], "count is 3 with beam=2"),
        (["--max-tokens", 0], "max_tokens is 0"),
        (["--seed", -1], "seed is -1"),
        (["--tokenizer", "words"], "unknown tokenizer 'words'"),
    ],
)
def test_a_mistake_is_one_line(folder, options, message):
    status, out, [line] = run("generate", folder, TEXT, *options)
    assert (status, out) == (1, [])
    assert line.startswith(f"error: {message}")


def test_a_text_without_a_known_word_is_a_mistake(folder):
    status, out, [line] = run("generate", folder, "qwerty")
    assert (status, out) == (1, [])
    assert line.startswith("error: 'qwerty' has no known word")


def test_models_of_other_kinds_are_refused(tmp_path, small_sent2vec):
    small_sent2vec.save(tmp_path / "model")
    status, out, [line] = run("generate", tmp_path / "model", TEXT)
    assert (status, out) == (1, [])
    assert line.startswith("error: the model is a sent2vec model, which writes no sentences")


def test_the_program_as_its_users_run_it(folder):
    result = subprocess.run(
        program.command("generate", folder, TEXT, "--beam", "2"),
        capture_output=True, text=True, timeout=program.SECONDS, check=True,
    )  # fmt: skip
    assert result.stdout == load(folder).generate(TEXT, beam=2)[0].text + "\n"
    usage = program.succeed("generate", "--help").decode()
    for option in ("--direction", "--beam", "--sample", "--count", "--max-tokens", "--seed"):
        assert option in usage
