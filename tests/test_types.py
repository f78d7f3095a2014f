"""What an editor and a type checker know of the public names: mypy is run on small programs."""

from __future__ import annotations

import inspect
import typing
from dataclasses import fields

import pytest
from mypy import api

from sentvec.models.kinds.kind import KINDS, trained_kinds
from sentvec.models.kinds.trainable import Trainable
from sentvec.models.sent2vec.settings import Sent2VecOptions
from sentvec.models.siamese_cbow.settings import SiameseCBOWOptions
from sentvec.models.skip_thought.settings import SkipThoughtOptions
from sentvec.training.runs.plan import RunOptions
from support.places import ROOT

GOOD = """
from pathlib import Path
import numpy as np
from numpy.typing import NDArray
from sentvec import Sent2Vec, SiameseCBOW, SkipThought, load, resume

model: Sent2Vec = Sent2Vec.train("corpus.txt", dim=100, lr=0.2, output=Path("m"), patience=None)
SiameseCBOW.train(["a b", "b c"], temperature=3.0, init_from="glove.txt").save("m")
thoughts = SkipThought.train("corpus.txt", encoder="bi", validate="held-out.txt")
thoughts.generate("a b")[0].text.split()
ended: NDArray[np.float32] = thoughts.encode(["a b"], end_token=False, normalize_parts=True)
opened = load("m")
vectors: NDArray[np.float32] = opened.encode(["one", "two"])
both: tuple[NDArray[np.float32], int] = opened.encode("one", return_known=True)
opened.similarity("one", "two"), opened.similarity_pairwise(["one"], ["two"])
hits: list[int] = [hit.index for hit in opened.neighbors("one", ["two"], k=3)]
shares: list[float] = [feature.share for feature in opened.explain("one two")]
opened.word_vector("one"), opened.input_vectors, opened.tensors["input_vectors"], opened.dim
opened.vocabulary["one"], opened.tokenizer.name, opened.config["sizes"]["dim"]
opened.config.sizes.dim, opened.config.kind, opened.config.settings.ngrams
if isinstance(opened, SkipThought):
    opened.encode("one", end_token=True), opened.generate("one")
opened.save("n")
resume("m", checkpoint_every="10m").encode("one")
"""
BAD = {
    'Sent2Vec.train(["a b"], typo=3)': 'Unexpected keyword argument "typo" for "train"',
    'Sent2Vec.train(["a b"], dim="wide")': 'Argument "dim" to "train" of "Sent2Vec"',
    'Sent2Vec.train(["a b"], temperature=2.0)': 'Unexpected keyword argument "temperature"',
    'SiameseCBOW.train(["a b"], ngrams=2)': 'Unexpected keyword argument "ngrams"',
    'SkipThought.train(["a b"], patience="two")': 'Argument "patience" to "train"',
    'Sent2Vec.train(["a b"], init_from=3)': 'Argument "init_from" to "train"',
    'SkipThought.train(["a b"], init_from="m")': 'Unexpected keyword argument "init_from"',
    'load("m").sizes': '"StoredEncoder" has no attribute "sizes"',
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """What mypy says of all of them, by line; it is started once."""
    folder = tmp_path_factory.mktemp("types")
    lines = ["from sentvec import Sent2Vec, SiameseCBOW, SkipThought, load", *BAD]
    (folder / "bad.py").write_text("\n".join(lines) + "\n")
    (folder / "good.py").write_text(GOOD)
    out, err, _ = api.run([
        "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache"),
        str(folder / "good.py"), str(folder / "bad.py"),
    ])  # fmt: skip
    assert not err
    return out.splitlines()


def test_documented_calls_and_attributes_have_types(verdicts):
    assert not [line for line in verdicts if "good.py" in line]


@pytest.mark.parametrize("call", BAD)
def test_what_cannot_work_is_refused(verdicts, call):
    number = 2 + list(BAD).index(call)
    said = [line for line in verdicts if f"bad.py:{number}:" in line]
    assert any(BAD[call] in line for line in said), said


OPTIONS = {
    "sent2vec": Sent2VecOptions,
    "siamese-cbow": SiameseCBOWOptions,
    "skip-thought": SkipThoughtOptions,
}


def test_every_kind_that_is_trained_has_its_options():
    assert set(OPTIONS) == set(trained_kinds())


@pytest.mark.parametrize("kind", OPTIONS)
def test_the_keywords_for_type_checkers_are_the_settings(kind):
    """The settings are the truth; their names and types stand twice, so that editors know them."""
    settings = trained_kinds()[kind].SETTINGS
    hints, options = typing.get_type_hints(settings), typing.get_type_hints(OPTIONS[kind])
    own = set(options) - set(RunOptions.__annotations__) - {"init_from"}
    assert own == {field.name for field in fields(settings)}
    for name in own:
        assert options[name] == hints[name] | None


def test_the_keywords_of_a_run_are_those_of_train():
    parameters = inspect.signature(Trainable.train).parameters.values()
    named = {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
    assert named == {*RunOptions.__annotations__, "init_from"}


def test_train_is_documented_once_and_for_all_kinds():
    for kind in trained_kinds():
        train = KINDS[kind].model.train
        assert train.__func__ is Trainable.train.__func__
        assert "init_from" in train.__doc__
