"""Models that average no rows: a kind of the tests is opened, saved, used, described and refused."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings
from zlib import crc32

import numpy as np
import pytest

from sentvec import evaluate, load
from sentvec.baselines.opening import open_baseline
from sentvec.baselines.sif import Sif
from sentvec.cli.app import app, main
from sentvec.errors import (
    EmptyTextWarning,
    FormatError,
    LetterCaseWarning,
    SettingsError,
    StorageError,
)
from sentvec.evaluation.evaluate import word_norms
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.fingerprint import fingerprint
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.convert import convert, loss_of
from sentvec.models.export import to_sent2vec, to_word2vec
from sentvec.models.kinds.kind import KINDS, Kind
from sentvec.models.sent2vec.model import Sent2Vec
from sentvec.models.siamese_cbow.model import SiameseCBOW
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.vocabulary import Vocabulary

WORDS = ["the", "cat", "dog", "sat", "ran", "mat", "rug"]
DIM, INNER = 4, 3


class Hashed(StoredEncoder):
    """The sum of columns that hashes of the known words choose, times a matrix, and a bias."""

    KIND = "hashed"

    def encode(
        self, texts, *, normalize=False, on_empty="zero", threads=1, return_known=False, scale=1.0
    ):
        return self._encode_checked(
            texts, normalize=normalize, on_empty=on_empty, threads=threads,
            return_known=return_known, scale=scale,
        )  # fmt: skip

    def _encode_batch(self, texts, scale=1.0):
        sums = np.zeros((len(texts), INNER), np.float32)
        known = np.zeros(len(texts), np.int64)
        for row, text in enumerate(texts):
            for word in self.tokenizer.tokenize(text):
                if word in self.vocabulary:
                    sums[row, crc32(word.encode()) % INNER] += 1
                    known[row] += 1
        vectors = (sums @ self.tensors["weights"] + self.tensors["bias"]) * np.float32(scale)
        vectors[known == 0] = 0
        return vectors, known


class Trained(Hashed):
    """One that has a tensor for training only."""

    KIND = "hashed-trained"

    def without_targets(self):
        tensors = {name: self.tensors[name] for name in ("weights", "bias")}
        return type(self)(
            vocabulary=lambda: self.vocabulary, tokenizer=self.tokenizer, tensors=tensors,
            config=self.config,
        )  # fmt: skip


def make(kind=Hashed, **extra):
    rng = np.random.default_rng(5)
    vocabulary = Vocabulary(WORDS, np.arange(len(WORDS), 0, -1))
    tensors = {
        "weights": rng.normal(size=(INNER, DIM)).astype(np.float32),
        "bias": rng.normal(size=DIM).astype(np.float32),
        **extra,
    }
    tokenizer = Tokenizer("whitespace")
    config = {
        "model": kind.KIND,
        "settings": {"tokenizer": "whitespace", "dim": DIM, "layers": 1},
        "tokenizer": tokenizer.to_config(),
        "sizes": {"dim": DIM, "vocabulary": len(WORDS), "hidden": INNER},
        "corpus": {"sentences": 1000, "documents": 2, "tokens": 10, "known_tokens": 9},
    }
    return kind(
        vocabulary=lambda: vocabulary, tokenizer=tokenizer, tensors=tensors, config=config
    )  # fmt: skip


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    for kind in (Hashed, Trained):
        monkeypatch.setitem(KINDS, kind.KIND, Kind(kind))


@pytest.fixture
def model():
    return make()


@pytest.fixture
def folder(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def command(capfd):
    """Run a command of the program in this process, which knows the kinds of the tests."""

    def run(*args):
        app([str(arg) for arg in args], standalone_mode=False)
        return capfd.readouterr()

    return run


TEXTS = ["the cat sat", "the dog ran on a rug", "mat"]

# --- stored and opened --------------------------------------------------------------------------


def test_what_was_saved_is_what_is_opened(model, folder):
    opened = load(folder)
    assert type(opened) is Hashed
    assert not isinstance(opened, SentenceEncoder)
    assert np.array_equal(opened.encode(TEXTS), model.encode(TEXTS))
    assert dict(opened.vocabulary) == dict(model.vocabulary)
    assert opened.dim == DIM
    assert repr(opened) == repr(model) == "<Hashed: 7 words, dim 4>"
    assert not opened.tensors["bias"].flags.writeable
    assert opened.config["sizes"] == model.config["sizes"]


def test_a_loaded_model_can_be_saved_over_itself(model, folder):
    opened = load(folder)
    opened.save(folder)
    assert np.array_equal(load(folder).encode(TEXTS), model.encode(TEXTS))


def test_something_else_is_not_replaced(model, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to-mother.txt").write_text("dear mother")
    with pytest.raises(StorageError, match="not a model folder"):
        model.save(tmp_path / "letters")


def test_a_tokenizer_may_be_chosen_and_is_saved(folder, tmp_path):
    opened = load(folder, tokenizer="simple")
    opened.save(tmp_path / "other")
    assert load(tmp_path / "other").tokenizer.name == "simple"
    assert load(folder).tokenizer.name == "whitespace"


def test_a_model_in_memory_is_pickled_with_its_parts(model):
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.encode(TEXTS), model.encode(TEXTS))
    assert not copy.tensors["weights"].flags.writeable


def test_a_model_of_a_folder_is_pickled_as_its_path(model, folder):
    pickled = pickle.dumps(load(folder))
    assert np.array_equal(pickle.loads(pickled).encode(TEXTS), model.encode(TEXTS))
    assert model.tensors["weights"].tobytes() not in pickled
    model.tokenizer = Tokenizer("simple")
    model.save(folder)
    sizes = model.config.sizes.with_values(hidden=8)
    model.config = model.config.with_values(sizes=sizes)
    model.save(folder)
    with pytest.raises(FormatError, match="it was replaced since"):
        pickle.loads(pickled)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("sizes", {"vocabulary": 7}),
        ("sizes", {"vocabulary": -7, "dim": 4}),
        ("sizes", {"vocabulary": 7, "dim": 0}),
        ("sizes", {"vocabulary": 7, "dim": 4, "hidden": "three"}),
        ("tokenizer", {"name": "hatchet"}),
    ],
)
def test_a_folder_that_describes_no_model_is_refused_at_once(folder, part, value):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, part: value}))
    with pytest.raises(FormatError, match="does not describe a model"):
        load(folder)


def test_a_kind_that_is_not_known_is_refused(folder, monkeypatch):
    monkeypatch.delitem(KINDS, "hashed")
    with pytest.raises(FormatError, match=r"kind 'hashed', this sentvec knows sent2vec"):
        load(folder)


def test_what_a_kind_needs_is_imported_only_where_it_is_used(tmp_path, small_sent2vec):
    small_sent2vec.save(tmp_path / "rows")
    code = """
import sys
from sentvec import load
load(sys.argv[1]).encode("the captain")
print("torch" in sys.modules, "numba" in sys.modules)
"""
    told = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "rows"], capture_output=True, text=True,
        check=True, timeout=600,
    )  # fmt: skip
    assert told.stdout.split() == ["False", "False"]


# --- encoding -----------------------------------------------------------------------------------


def test_a_class_may_have_options_of_its_own(model, small_sent2vec):
    texts = TEXTS * 1000  # several batches
    expected = model.encode(texts)
    assert np.array_equal(model.encode(texts, scale=2.0, threads=2), 2 * expected)
    assert np.array_equal(model.encode("mat", scale=2.0), 2 * model.encode("mat"))
    with pytest.raises(TypeError, match="scale"):
        small_sent2vec.encode("flour", scale=2.0)


def test_what_every_encoder_does_it_does_too(model):
    vectors, known = model.encode([*TEXTS, "qwerty"], on_empty="nan", return_known=True)
    assert known.tolist() == [3, 4, 1, 0]
    assert np.isnan(vectors[3]).all()
    lengths = np.linalg.norm(model.encode(TEXTS, normalize=True), axis=1)
    assert lengths == pytest.approx(np.ones(3))
    with pytest.raises(SettingsError, match="on_empty is 'never'"):
        model.encode(TEXTS, on_empty="never")
    assert model.similarity("mat", "mat")[0, 0] == pytest.approx(1)
    assert model.neighbors("the cat sat", ["qwerty", "mat", "the cat sat"], k=1)[0].index == 2


def test_warnings_name_the_line_that_called(model):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.encode(["qwerty"])
        model.encode(["The Cat Sat The Dog Ran"], on_empty="nan")
        model.encode(["The Cat Sat The Dog Ran"], on_empty="nan")  # told once
    assert [one.category for one in caught] == [EmptyTextWarning, LetterCaseWarning]
    assert {one.filename for one in caught} == {__file__}


# --- described ----------------------------------------------------------------------------------


def test_the_fingerprint_is_of_words_and_tensors(model):
    def changed(**tensors):
        other = make()
        other.tensors = {**other.tensors, **tensors}
        return fingerprint(other)

    weights, bias = model.tensors["weights"], model.tensors["bias"]
    own = fingerprint(model)
    assert own == fingerprint(make())
    backwards = dict(reversed(model.tensors.items()))
    assert changed() == own
    model.tensors = backwards
    assert fingerprint(model) == own  # the order of names, not of the dict
    last = weights.copy()
    last[-1, -1] += 1
    others = [changed(weights=last), changed(bias=-bias), changed(weights=weights.reshape(DIM, INNER)),
              changed(more=np.zeros(0, np.float32))]  # fmt: skip
    assert len({own, *others}) == 5


def test_a_large_tensor_is_sampled_from_first_to_last():
    large = np.arange(100_000, dtype=np.float32).reshape(-1, 10)
    prints = {fingerprint(make(large=large))}
    for place in (0, -1):
        other = large.copy()
        other.reshape(-1)[place] += 1
        prints.add(fingerprint(make(large=other)))
    assert len(prints) == 3


def test_an_evaluation_says_which_model_it_was(folder, tmp_path, command):
    sick = tmp_path / "tree" / "SICK"
    sick.mkdir(parents=True)
    head = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    pairs = [("the cat sat", "the cat ran", 4), ("the dog", "a mat", 1), ("rug", "mat", 2)]
    lines = [f"{n}\t{a}\t{b}\t{score}\tNEUTRAL\n" for n, (a, b, score) in enumerate(pairs * 4)]
    for name in ("SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt"):
        (sick / name).write_text(head + "".join(lines))
    report = evaluate(load(folder), data=tmp_path / "tree", tasks="SICK", threads=1)
    assert report["SICK"].error is None
    described = report.provenance["model"]
    assert described["kind"] == "hashed"
    assert (described["dim"], described["vocabulary"], described["hidden"]) == (DIM, 7, INNER)
    assert described["fingerprint"] == fingerprint(load(folder))
    assert described["tokenizer"]["name"] == "whitespace"
    assert "buckets" not in described
    run = command("evaluate", folder, "--data", tmp_path / "tree", "--tasks", "SICK", "--quiet")
    assert "SICK" in run.out


def test_the_card_has_the_sizes_of_the_kind(folder):
    card = (folder / "README.md").read_text()
    assert "| vocabulary | 7 words |\n| hidden | 3 |\n| tokenizer |" in card
    assert "buckets" not in card
    assert "Sentence vectors by hashed" in card


def test_info_has_the_sizes_of_the_kind(folder, command):
    lines = dict(line.split(maxsplit=1) for line in command("info", folder).out.splitlines())
    assert lines["model"].startswith("hashed, format version 2")
    assert lines["vectors"] == "float32, dim 4"
    assert lines["vocabulary"] == "7 words: the, cat, dog, sat, ran, mat, rug, ..."
    assert lines["sizes"] == "hidden=3"
    assert "encoding holds up to 0.1 KB of matrices" in lines["size"]
    assert lines["settings"] == "tokenizer=whitespace, dim=4, layers=1"
    assert "n-grams" not in lines


def test_commands_that_encode_take_any_kind(model, folder, tmp_path, command):
    (tmp_path / "text").write_text("\n".join(TEXTS) + "\n")
    command("encode", folder, tmp_path / "text", "-o", tmp_path / "vectors.npy")
    assert np.array_equal(np.load(tmp_path / "vectors.npy"), model.encode(TEXTS))
    cosine = float(command("similarity", folder, TEXTS[0], TEXTS[1]).out)
    assert cosine == pytest.approx(model.similarity(TEXTS[0], TEXTS[1])[0, 0], abs=1e-6)
    found = command("neighbors", folder, tmp_path / "text", "-q", "mat", "-k", "1")
    assert found.out.split("\t")[1:] == ["3", "mat\n"]


# --- converted ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [None, "float32"])
def test_a_model_is_converted_whole(model, folder, tmp_path, dtype):
    convert(load(folder), tmp_path / "copy", dtype=dtype)
    copy = load(tmp_path / "copy")
    assert np.array_equal(copy.encode(TEXTS), model.encode(TEXTS))
    assert loss_of(load(folder), copy).lowest == pytest.approx(1)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"dtype": "float16"}, "dtype is 'float16', and the tensors of a hashed model are stored"),
        ({"dtype": "int8"}, "dtype is 'int8'"),
        ({"words": ["cat"]}, "words to keep given for a hashed model, which keeps the words"),
        ({"max_vocab": 3}, "max_vocab=3 given for a hashed model"),
        ({"targets": False}, "is a hashed model, which has no targets to leave out"),
    ],
)
def test_what_cannot_be_left_out_is_refused(model, tmp_path, asked, reason):
    with pytest.raises(SettingsError, match=reason):
        convert(model, tmp_path / "copy", **asked)
    assert not (tmp_path / "copy").exists()


def test_a_kind_may_leave_its_targets_out(tmp_path):
    model = make(Trained, decoder=np.ones((2, 2), np.float32))
    convert(model, tmp_path / "whole")
    convert(model, tmp_path / "small", targets=False)
    assert set(load(tmp_path / "whole").tensors) == {"weights", "bias", "decoder"}
    assert set(load(tmp_path / "small").tensors) == {"weights", "bias"}
    assert np.array_equal(load(tmp_path / "small").encode(TEXTS), model.encode(TEXTS))


def test_the_program_converts_to_a_folder_only(folder, tmp_path, command):
    said = command("convert", folder, tmp_path / "copy").err
    assert "7 of 7 words" in said
    assert "mean 1.000000" in said
    for to in ("sent2vec", "word2vec", "word2vec-text"):
        with pytest.raises(SettingsError, match=r"is a hashed model, which has no .*word"):
            command("convert", folder, tmp_path / to, "--to", to)
        assert not (tmp_path / to).exists()


# --- refused ------------------------------------------------------------------------------------

NEEDS_WORD_VECTORS = {
    "word_vector": lambda model, _: model.word_vector("cat"),
    "explain": lambda model, _: model.explain("the cat"),
    "to_word2vec": lambda model, folder: to_word2vec(model, folder / "file"),
    "to_sent2vec": lambda model, folder: to_sent2vec(model, folder / "file"),
    "word norms": lambda model, _: word_norms(model),
    "SIF": lambda model, _: Sif(model),
    "init_from": lambda model, _: SiameseCBOW.train(["the cat", "the dog"], init_from=model),
}


@pytest.mark.parametrize("name", NEEDS_WORD_VECTORS)
def test_what_needs_word_vectors_refuses_other_kinds(model, tmp_path, name):
    expected = "is a hashed model, which has no .+ - expected a model of Sent2Vec, Siamese CBOW or"
    with pytest.raises(SettingsError, match=expected):
        NEEDS_WORD_VECTORS[name](model, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_sent2vec_goes_on_with_its_own_kind_only(model, folder):
    for given in (model, folder):
        with pytest.raises(SettingsError, match="of kind 'hashed' - expected 'sent2vec'"):
            Sent2Vec.train(["the cat", "the dog"], init_from=given)
    with pytest.raises(SettingsError, match="init_from is a hashed model"):
        SiameseCBOW.train(["the cat", "the dog"], init_from=folder)


@pytest.mark.parametrize("kind", ["mean", "sif"])
def test_a_baseline_of_word_vectors_refuses_other_kinds(folder, kind):
    with pytest.raises(SettingsError, match="is a hashed model, which has no word vectors to"):
        open_baseline(f"{kind}:{folder}")


def test_the_program_says_so_in_one_line(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # which `main` sets
    args = ["sentvec", "convert", str(folder), str(tmp_path / "file"), "--to", "word2vec"]
    monkeypatch.setattr(sys, "argv", args)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: the model is a hashed model, which has no word vectors")
