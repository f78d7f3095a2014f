"""What most tests of the program work on."""

from __future__ import annotations

import pytest

from support.behaviour import planted_corpus, train_sent2vec

LINES = planted_corpus()
TEXT = "the captain\n\nnot good\nqwerty\nflour and sugar\n"


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A folder with a corpus, more of it held out, a model of it, and a text to encode."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "corpus.txt").write_text("\n".join([*LINES[:220], ""]), encoding="utf-8")
    (folder / "held-out.txt").write_text("\n".join([*LINES[220:330], ""]), encoding="utf-8")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    train_sent2vec(LINES[:220], dim=8, epochs=2, buckets=500).save(folder / "model")
    return folder
