"""Shared fixtures, and where what only some machines have is looked for."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest

from support import environment
from support.places import ROOT

environment.settle()

from hypothesis import HealthCheck, settings  # noqa: E402

from support.behaviour import MODELS, planted_corpus, train_sent2vec  # noqa: E402

environment.compile_once()
# The same examples every time, on every machine, however long one takes there.
settings.register_profile(
    "tests", derandomize=True, deadline=None, database=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.load_profile("tests")


def shared_folder() -> Path | None:
    folder = Path(os.environ.get("SENTVEC_SHARED", ROOT.parent / "shared"))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data that is not part of the project; the test is skipped without it."""
    folder = shared_folder()
    if folder is None:
        pytest.skip("the shared data folder is absent (set SENTVEC_SHARED to where it lies)")
    return folder


@pytest.fixture(scope="session")
def trained_models():
    """A model of each kind by name, trained when it is first asked for; not to be changed."""
    kinds = {kind.name: kind for kind in MODELS}
    return functools.cache(lambda name: kinds[name].train(planted_corpus()))


@pytest.fixture(scope="session")
def small_sent2vec():
    """A small Sent2Vec model, for whoever only needs a model; not to be changed."""
    return train_sent2vec(planted_corpus()[:220], epochs=1)


@pytest.fixture(scope="session")
def place(tmp_path_factory) -> Path:
    """A folder with a corpus, more of it held out, a model of it, and a text to encode."""
    folder = tmp_path_factory.mktemp("place")
    lines = planted_corpus()
    for name, part in (("corpus.txt", lines[:220]), ("held-out.txt", lines[220:330])):
        (folder / name).write_text("\n".join([*part, ""]), encoding="utf-8")
    text = "the captain\n\nnot good\nqwerty\nflour and sugar\n"
    (folder / "text.txt").write_text(text, encoding="utf-8")
    train_sent2vec(lines[:220], dim=8, epochs=2, buckets=500).save(folder / "model")
    return folder
