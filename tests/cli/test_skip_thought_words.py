"""`sentvec combine`, `sentvec expand` and what `info` and `convert` say of their models."""

from __future__ import annotations

import numpy as np
import pytest

import sentvec.networks
from sentvec import load
from sentvec.cli.app import app
from sentvec.errors import SettingsError, StorageError
from support.skip_thoughts import made, with_word_vectors

WORDS = [f"w{number}" for number in range(40)]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with two models and vectors of their words and ten others."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    vectors, A = rng.normal(size=(50, 3)), rng.normal(size=(3, 4))
    for name, seed in (("uni", 1), ("bi", 2)):
        noise = 0.3 * rng.normal(size=(40, 4))
        model = made(WORDS, encoder=name, seed=seed)
        with_word_vectors(model, vectors[:40] @ A + noise).save(name)
    names = [*WORDS, *(f"new{number}" for number in range(10))]
    lines = [
        f"{name} {x:.6f} {y:.6f} {z:.6f}\n" for name, (x, y, z) in zip(names, vectors, strict=True)
    ]
    (tmp_path / "theirs.txt").write_text("".join(lines))
    return tmp_path


@pytest.fixture
def command(capfd):
    def run(*args):
        app([str(arg) for arg in args], standalone_mode=False)
        return capfd.readouterr()

    return run


def test_two_models_become_one(place, command):
    said = command("combine", "uni", "bi", "-o", "both").err
    assert said == "saved       both: dim 12 = 6 + 6, 40 words\n"
    both = load("both").encode(["w1 w2"])
    assert np.array_equal(both, np.hstack([load(name).encode(["w1 w2"]) for name in ("uni", "bi")]))
    told = command("info", "both").out
    assert "combined    dim 6 forwards + dim 6 both ways\n" in told
    assert "vectors     float32, dim 12\n" in told
    assert "corpus      sentences 1000" in told


def test_an_expansion_prints_its_fit(place, command):
    said = command("expand", "uni", "--vectors", "theirs.txt", "-o", "more").err.splitlines()
    assert said[0] == "shared      40 of the 40 trained words"
    assert said[1].startswith("fit         R2 0.9")
    assert said[2].startswith("held out    R2 0.")
    assert said[3] == "saved       more: 10 words added to 40, 50 in all"
    told = command("info", "more").out
    assert "vocabulary  50 words: w0" in told
    assert "expanded    10 words of theirs.txt, by a map fitted on 40\n" in told
    assert "trained_words=40" in told
    assert load("more").encode("new3 w1").any()


def test_the_options_of_an_expansion_reach_it(place, command):
    said = command(
        "expand", "uni", "--vectors", "theirs.txt", "-o", "more", "--max-vocab", 44, "--no-intercept"
    ).err  # fmt: skip
    assert "4 words added to 40, 44 in all" in said
    assert load("more").config["expanded"][0]["intercept"] is False


def test_too_few_words_to_hold_some_out_are_said(place, command):
    lines = (place / "theirs.txt").read_text().splitlines(keepends=True)
    (place / "few.txt").write_text("".join([*lines[:4], *lines[45:]]))
    said = command("expand", "uni", "--vectors", "few.txt", "-o", "more").err
    assert "held out    not measured: nine tenths of the shared words are too few" in said
    assert load("more").config["expanded"][0]["shared"] == 4


def test_models_expanded_with_the_same_vectors_are_combined(place, command):
    for name in ("uni", "bi"):
        command("expand", name, "--vectors", "theirs.txt", "-o", f"{name}-more")
    command("combine", "uni-more", "bi-more", "-o", "both")
    told = command("info", "both").out
    assert "expanded    10 words of theirs.txt, by a map fitted on 40\n" in told  # once
    card = (place / "both" / "README.md").read_text()
    assert card.count("10 words of `theirs.txt`") == 2  # of each
    command("combine", "uni", "bi", "-o", "small")
    command("expand", "small", "--vectors", "theirs.txt", "-o", "also")
    texts = ["new1 w1", "w2"]
    assert np.allclose(load("also").encode(texts), load("both").encode(texts), rtol=0, atol=1e-6)
    with pytest.raises(SettingsError, match="expand both with the same vectors"):
        command("combine", "uni-more", "bi", "-o", "none")


def test_decoders_are_left_out_by_convert(place, command):
    said = command("convert", "bi", "small", "--no-targets").err
    assert "mean 1.000000, lowest 1.000000" in said
    sizes = [(place / name / "model.safetensors").stat().st_size for name in ("bi", "small")]
    assert sizes[1] < sizes[0] / 2


def test_a_model_is_not_written_over_what_it_is_made_of(place, command):
    for arguments in (
        ("combine", "uni", "bi", "-o", "bi"),
        ("expand", "uni", "--vectors", "theirs.txt", "-o", place / "uni"),
    ):
        with pytest.raises(SettingsError, match="is the model itself, which would be lost"):
            command(*arguments)
    (place / "mine").mkdir()
    (place / "mine" / "notes.txt").touch()
    with pytest.raises(StorageError, match="is not a model folder"):
        command("expand", "uni", "--vectors", "theirs.txt", "-o", "mine")
    assert (place / "mine" / "notes.txt").exists()
    assert load("uni").dim == load("bi").dim == 6


def test_converting_without_torch_says_that_nothing_was_compared(place, command, monkeypatch):
    monkeypatch.setattr(sentvec.networks, "find_spec", lambda name: None)
    said = command("convert", "uni", "small", "--no-targets").err
    assert "warning: not compared with the original: Skip-Thought needs torch" in said
    assert set(load("small").vocabulary) == set(WORDS)
