"""Converted models: what they keep, what they lose and how much, and where they can go."""

from __future__ import annotations

import json
import pickle
import resource
import signal
import struct

import numpy as np
import pytest

from sentvec import load
from sentvec.errors import FormatError, SettingsError, StorageError
from sentvec.models.base.packing import kept_words
from sentvec.models.convert import convert, loss_of
from sentvec.models.export import to_sent2vec, to_word2vec
from sentvec.storage.rows import to_array
from sentvec.storage.tensors import write_tensors
from sentvec.text.unicode import decode
from support.behaviour import planted_corpus, train_sent2vec, train_siamese
from support.binaries import WORDS, binary, dense, dictionary, header, matrix, quantised
from support.places import FIXTURES

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # texts without a known word

PROBE = [decode(line) for line in (FIXTURES / "probe.txt").read_bytes().split(b"\n")]
NAMES = ["bi.bin", "uni.bin", "tri.bin", "cwngrams.bin", "legacy_v1.bin", "ft_cbow.bin",
         "s2v_skipgram.bin", "bi.ftz", "ft_cbow.vec"]  # fmt: skip
PAIRS = [(2, 0), (5, 1)]
LABELS = [(b"__label__a", 3), (b"__label__b", 2)]
# Every layout, in small: whatever opens as a file must open again as a folder.
LAYOUTS = {
    "v11": binary(),
    "2017": binary(version=None),
    "ten days": binary(ten_days=True),
    "model 5": binary(model=5),
    "cbow with words": binary(model=1, version=12, ngrams=2, max_n=0, min_n=0),
    "supervised": binary(model=3, version=12, labels=LABELS),
    "supervised, n-grams without buckets": binary(model=3, version=12, labels=LABELS, buckets=0),
    "quantised": binary(source=quantised(12, norms=True), flags=(1, 0)),
    "pruned": binary(model=3, version=12, pairs=PAIRS, labels=LABELS, flags=(1, 0),
                     source=quantised(len(WORDS) + 2)),
}  # fmt: skip


@pytest.fixture(scope="module")
def ours():
    return train_sent2vec(planted_corpus()[:220], dim=8, epochs=2, buckets=500)


@pytest.fixture(scope="module")
def siamese():
    return train_siamese(planted_corpus()[:220], dim=8, epochs=2)


def same(one, other, texts=PROBE, atol=0.0):
    np.testing.assert_allclose(one.encode(texts), other.encode(texts), rtol=0, atol=atol)


def kept_facts(model, converted):
    """What a conversion leaves as it is."""
    facts = {**model.config["settings"], "dtype": None}
    assert facts == {**converted.config["settings"], "dtype": None}
    assert converted.config["tokenizer"] == model.config["tokenizer"]
    assert converted.config.get("source") == model.config.get("source")
    assert converted.tokenizer == model.tokenizer or converted.tokenizer.name == "whitespace"
    assert type(converted) is type(model)


# --- to a folder --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_is_the_same_model(tmp_path, name):
    model = load(FIXTURES / name)
    convert(model, tmp_path / "folder")
    folder = load(tmp_path / "folder")
    kept_facts(model, folder)
    assert folder.vocabulary == model.vocabulary
    assert loss_of(model, folder, PROBE).lowest > 1 - 1e-6
    same(folder, model)
    folder.save(tmp_path / "again")
    same(load(tmp_path / "again"), model)
    assert load(tmp_path / "again").config == folder.config
    same(pickle.loads(pickle.dumps(folder)), model)
    card = (tmp_path / "folder" / "README.md").read_text(encoding="utf-8")
    assert f"`{name}`" in card
    assert model.config["source"]["layout"] in card


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_opens_again_as_a_folder(tmp_path, layout):
    (tmp_path / "file").write_bytes(LAYOUTS[layout])
    model = load(tmp_path / "file")
    words = list(model.vocabulary)
    texts = [*words, " ".join(words), "unknown the", ""]
    for dtype in (None, "float32", "float16", "int8"):
        for cut in ({}, {"max_vocab": 3}, {"words": words[1:4]}):
            convert(model, tmp_path / "folder", dtype=dtype, **cut)
            folder = load(tmp_path / "folder")
            kept_facts(model, folder)
            if not cut:
                same(folder, model, texts, 0.02)
            else:
                assert list(folder.vocabulary) == (words[:3] if "max_vocab" in cut else words[1:4])
                same(folder, model, list(folder.vocabulary), 0.02)
            folder.save(tmp_path / "again")
            same(load(tmp_path / "again"), folder, texts)


def test_word2vec_binaries_become_a_folder(tmp_path, shared):
    for name in ("similarity.bin", "utf8-incomplete.bin", "test_glove.txt"):
        model = load(shared / "fixtures" / "word2vec" / name)
        convert(model, tmp_path / "folder")
        folder = load(tmp_path / "folder")
        kept_facts(model, folder)
        words = list(model.vocabulary)
        assert list(folder.vocabulary) == words
        same(folder, model, [*words, " ".join(words)])


@pytest.mark.parametrize(("dtype", "lowest"), [("float16", 0.99999), ("int8", 0.999)])
@pytest.mark.parametrize("name", ["bi.bin", "bi.ftz", "cwngrams.bin", "ft_cbow.vec"])
def test_a_smaller_precision_costs_little(tmp_path, name, dtype, lowest):
    model = load(FIXTURES / name)
    convert(model, tmp_path / "small", dtype=dtype)
    small = load(tmp_path / "small")
    assert small.config["settings"]["dtype"] == dtype
    assert small.tensors["input_vectors"].dtype == dtype
    loss = loss_of(model, small, PROBE)
    assert lowest < loss.lowest <= loss.mean <= 1 + 1e-6
    assert loss.texts == int((model.encode(PROBE, return_known=True)[1] > 0).sum())
    bits = {"float16": 2, "int8": 1}[dtype]
    rows = to_array(model.rows)
    assert np.abs(to_array(small.rows) - rows).max() <= np.abs(rows).max() / (100 * bits)
    same(pickle.loads(pickle.dumps(small)), small)


def test_int8_keeps_zero_rows_and_the_largest_value_of_each_row(tmp_path):
    rows = np.array([[0, 0, 0], [1e-30, -1e-30, 0], [3e38, 1, -3e38], [1, 2, 3], [-4, 0, 0]], "<f4")
    more = np.zeros((7, 3), "<f4")
    (tmp_path / "file").write_bytes(binary(source=dense(np.vstack([rows, more]))))
    convert(load(tmp_path / "file"), tmp_path / "folder", dtype="int8")
    small = to_array(load(tmp_path / "folder").rows)[:5]
    largest = np.abs(rows).argmax(axis=1)
    np.testing.assert_allclose(small[range(5), largest], rows[range(5), largest], rtol=1e-6)
    assert not small[0].any()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_do_not_fit_a_precision_are_an_error(tmp_path, bad):
    rows = matrix(12)
    rows[7, 1] = bad
    (tmp_path / "file").write_bytes(binary(source=dense(rows)))
    model = load(tmp_path / "file")
    for dtype in ("int8", "float16"):
        with pytest.raises(SettingsError, match=f"not finite does not fit {dtype} .* or float32"):
            convert(model, tmp_path / "folder", dtype=dtype)
    rows[7, 1] = 1e6
    (tmp_path / "file").write_bytes(binary(source=dense(rows)))
    with pytest.raises(SettingsError, match="1e\\+06 does not fit float16 - choose float32"):
        convert(load(tmp_path / "file"), tmp_path / "folder", dtype="float16")
    assert not (tmp_path / "folder").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_without_targets_the_folder_is_smaller_and_encodes_the_same(tmp_path, ours):
    convert(ours, tmp_path / "whole")
    convert(ours, tmp_path / "half", targets=False)
    whole, half = load(tmp_path / "whole"), load(tmp_path / "half")
    assert set(whole.tensors) - set(half.tensors) == {"output_vectors"}
    same(half, ours, planted_corpus()[:50])


@pytest.mark.parametrize(("dtype", "error"), [(None, 0), ("float16", 1e-3), ("int8", 0.02)])
@pytest.mark.parametrize("cut", [{}, {"max_vocab": 12}, {"words": ["oven", "flour", "rose"]}],
                         ids=str)  # fmt: skip
def test_a_siamese_model_becomes_a_smaller_folder(tmp_path, siamese, dtype, error, cut):
    convert(siamese, tmp_path / "folder", dtype=dtype, **cut)
    small = load(tmp_path / "folder")
    kept_facts(siamese, small)
    stored = dtype or "float32"
    assert small.tensors["input_vectors"].dtype == small.config["settings"]["dtype"] == stored
    scales = {"input_scales"} if dtype == "int8" else set()
    assert set(small.tensors) == {"input_vectors"} | scales
    expected = {"max_vocab": list(siamese.vocabulary)[:12], "words": ["oven", "flour", "rose"]}
    words = next((expected[name] for name in cut), list(siamese.vocabulary))
    assert sorted(small.vocabulary) == sorted(words)
    largest = np.abs(siamese.input_vectors).max()
    same(small, siamese, [*words, " ".join(words)], error * largest)
    card = (tmp_path / "folder" / "README.md").read_text(encoding="utf-8")
    assert "Sentence vectors by siamese-cbow" in card
    small.save(tmp_path / "again")
    same(load(tmp_path / "again"), small, words)


# --- fewer words --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bi.bin", "tri.bin", "bi.ftz", "uni.bin"])
@pytest.mark.parametrize("dtype", [None, "float16", "int8"])
def test_a_pruned_sent2vec_model_finds_the_same_ngrams(tmp_path, name, dtype):
    model = load(FIXTURES / name)
    words = ["moon", "the", "cat", "sees", "good", "not"]
    convert(model, tmp_path / "pruned", dtype=dtype, words=[*words, "zzz", "the"])
    pruned = load(tmp_path / "pruned")
    assert sorted(pruned.vocabulary) == sorted(words)
    assert ("hash_ids" in pruned.tensors) == (name != "uni.bin")
    texts = ["the cat sees the moon", "not good", "cat", "the zzz cat"]
    same(pruned, model, texts, {None: 1e-6, "float16": 1e-3, "int8": 1e-2}[dtype])
    assert {f.text for f in pruned.explain("not good")} == {
        f.text for f in model.explain("not good")
    }
    # Once more, from the pruned one.
    convert(pruned, tmp_path / "again", words=["cat", "sees", "the"])
    same(load(tmp_path / "again"), pruned, ["the cat sees", "cat the"], 1e-6)
    pruned.save(tmp_path / "saved")
    same(load(tmp_path / "saved"), pruned)


def test_the_first_words_keep_their_ids(tmp_path, ours):
    convert(ours, tmp_path / "few", max_vocab=12)
    few = load(tmp_path / "few")
    assert list(few.vocabulary.items()) == list(ours.vocabulary.items())[:12]
    assert "hash_ids" not in few.tensors
    text = " ".join(few.vocabulary)
    same(few, ours, [text, *few.vocabulary], 1e-6)
    convert(ours, tmp_path / "all", max_vocab=10**9)
    assert load(tmp_path / "all").vocabulary == ours.vocabulary


def test_a_pruned_int8_model_stays_int8(tmp_path):
    convert(load(FIXTURES / "bi.bin"), tmp_path / "int8", dtype="int8")
    convert(load(tmp_path / "int8"), tmp_path / "few", max_vocab=20)
    few = load(tmp_path / "few")
    assert few.tensors["input_vectors"].dtype == np.int8
    assert few.config["settings"]["dtype"] == "int8"
    same(few, load(tmp_path / "int8"), [" ".join(few.vocabulary)], 1e-6)


def test_a_supervised_model_keeps_the_end_of_the_line(tmp_path):
    (tmp_path / "file").write_bytes(LAYOUTS["supervised"])
    model = load(tmp_path / "file")
    convert(model, tmp_path / "pruned", words=["the"])
    pruned = load(tmp_path / "pruned")
    assert list(pruned.vocabulary) == ["</s>", "the"]
    same(pruned, model, ["the", "the the"], 1e-6)


ODD = [(b"<PLACEHOLDER>", 0), (b"the", 9), (b"", 8), (b"a\tb", 4), (b"c\nd", 4), (b"the", 3),
       (b"new york", 2), (b"cat", 1)]  # fmt: skip


def test_entries_no_folder_can_hold_stay_behind(tmp_path):
    """Equal words come of a text with `<PLACEHOLDER>` in it; the last of them is found."""
    data = header(words=len(ODD)) + dictionary(ODD) + b"\0" + dense(matrix(len(ODD) + 7))
    (tmp_path / "file").write_bytes(data + b"\0" + dense(matrix(len(ODD), seed=2)))
    model = load(tmp_path / "file")
    assert len(model.vocabulary) == len(ODD)
    texts = ["the cat", "cat the the", "<PLACEHOLDER> cat"]
    for write in (model.save, lambda folder: convert(model, folder, max_vocab=len(ODD))):
        write(tmp_path / "folder")
        folder = load(tmp_path / "folder")
        assert list(folder.vocabulary) == ["<PLACEHOLDER>", "the", "new york", "cat"]
        assert folder.vocabulary["the"] == 3
        same(folder, model, texts, 1e-6)
    to_sent2vec(model, tmp_path / "out.bin")
    again = load(tmp_path / "out.bin")
    assert again.vocabulary.words == model.vocabulary.words
    same(again, model, texts)
    to_sent2vec(model, tmp_path / "out.bin", max_vocab=6)
    assert load(tmp_path / "out.bin").vocabulary.words == model.vocabulary.words[:6]
    to_word2vec(model, tmp_path / "out.vec", words=["the", "cat"])
    assert list(load(tmp_path / "out.vec").vocabulary) == ["the", "cat"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_vocab": 0}, "max_vocab is 0"),
        ({"max_vocab": -3}, "max_vocab is -3"),
        ({"max_vocab": 3, "words": ["the"]}, "both words and max_vocab"),
        ({"words": ["zzz", "qqq"]}, "none of the words to keep is in the vocabulary"),
        ({"words": []}, "none of the words"),
        ({"dtype": "float64"}, "dtype is 'float64' - expected float32, float16, int8"),
    ],
)
def test_what_cannot_work_is_refused_and_nothing_is_written(tmp_path, changes, message):
    with pytest.raises(SettingsError, match=message):
        convert(load(FIXTURES / "bi.bin"), tmp_path / "folder", **changes)
    assert not list(tmp_path.iterdir())


def test_words_that_stay_are_in_the_order_of_their_ids():
    model = load(FIXTURES / "bi.bin")
    ids = kept_words(model, ["cat", "the", "cat", "zzz"], None)
    assert ids.tolist() == sorted([model.vocabulary.ids["cat"], model.vocabulary.ids["the"]])


# --- loss ---------------------------------------------------------------------------------------


def test_the_loss_counts_texts_that_lost_all_their_words_as_zero(tmp_path):
    model = load(FIXTURES / "uni.bin")
    convert(model, tmp_path / "pruned", words=["the"])
    loss = loss_of(model, load(tmp_path / "pruned"), ["the", "cat", "zzz", ""])
    assert (loss.mean, loss.lowest, loss.texts) == (pytest.approx(0.5), 0.0, 2)
    loss = loss_of(model, load(tmp_path / "pruned"), ["zzz"])
    assert np.isnan(loss.mean)
    assert loss.texts == 0


def test_vectors_without_a_direction_are_no_loss(tmp_path):
    (tmp_path / "zeros.txt").write_text("4 2\na 1 2\nb 0 0\nc 3 -1\nd 2 1\n")
    model = load(tmp_path / "zeros.txt")
    model.save(tmp_path / "folder")
    loss = loss_of(model, load(tmp_path / "folder"))
    assert (loss.mean, loss.lowest, loss.texts) == (pytest.approx(1), pytest.approx(1), 3)
    rows = matrix(12)
    rows[2, 1] = np.nan
    (tmp_path / "nan.bin").write_bytes(binary(source=dense(rows)))
    model = load(tmp_path / "nan.bin")
    model.save(tmp_path / "folder")
    loss = loss_of(model, load(tmp_path / "folder"), ["the", "文字"])
    assert (loss.mean, loss.texts) == (pytest.approx(1), 1)


def test_a_place_that_takes_no_model_is_refused_before_anything_is_read(tmp_path, monkeypatch):
    (tmp_path / "thesis").write_text("years of work")
    model = load(FIXTURES / "bi.bin")
    monkeypatch.setattr(model, "_read_vocabulary", lambda: pytest.fail("read"))
    with pytest.raises(StorageError, match="not a model folder"):
        convert(model, tmp_path / "thesis", dtype="int8")


def test_the_target_rows_of_labels_are_not_taken_for_those_of_words(tmp_path):
    """Of a supervised model that has as many labels as words."""
    labels = [(b"__label__%d" % number, 1) for number in range(len(WORDS))]
    (tmp_path / "file").write_bytes(binary(model=3, version=12, labels=labels))
    model = load(tmp_path / "file")
    assert len(model.tensors["output_vectors"]) == len(model.vocabulary)
    convert(model, tmp_path / "pruned", words=["the"])
    assert "output_vectors" not in load(tmp_path / "pruned").tensors


def test_without_texts_the_loss_is_over_words(tmp_path):
    model = load(FIXTURES / "bi.bin")
    convert(model, tmp_path / "folder", dtype="int8")
    # The end of a line has no vector when it stands alone.
    assert loss_of(model, load(tmp_path / "folder")).texts == len(model.vocabulary) - 1


# --- to files of other programs -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["bi.bin", "uni.bin", "tri.bin", "hs.bin", "maxvocab.bin",
                                  "legacy_v1.bin", "bi.ftz"])  # fmt: skip
def test_a_binary_goes_to_a_folder_and_back(tmp_path, name):
    model = load(FIXTURES / name)
    model.save(tmp_path / "folder")
    folder = load(tmp_path / "folder")
    to_sent2vec(folder, tmp_path / "back.bin")
    back = load(tmp_path / "back.bin")
    assert back.config["source"]["layout"] == "Sent2Vec v11"
    assert back.vocabulary == model.vocabulary
    same(back, model)
    used = len(model.vocabulary) + model.config["sizes"]["buckets"]
    assert back.rows.shape == (used, model.dim)
    np.testing.assert_array_equal(to_array(back.rows), to_array(model.rows)[:used])
    if "output_vectors" in model.tensors:
        np.testing.assert_array_equal(
            back.tensors["output_vectors"], model.tensors["output_vectors"]
        )
    for key in ("dim", "epochs", "min_count", "negatives", "ngrams", "loss", "subsample", "window"):
        assert back.config["settings"][key] == model.config["settings"][key], key


def test_a_whole_binary_comes_back_but_for_the_row_nobody_uses(tmp_path):
    data = (FIXTURES / "bi.bin").read_bytes()
    to_sent2vec(load(FIXTURES / "bi.bin"), tmp_path / "back.bin")
    back = (tmp_path / "back.bin").read_bytes()
    at = data.index(struct.pack("<qq", 593, 16))
    end = at + 16 + 593 * 64
    expected = data[:at] + struct.pack("<qq", 592, 16) + data[at + 16 : end - 64] + data[end:]
    assert back == expected


def test_a_model_of_ours_becomes_a_binary_that_gives_the_same_vectors(tmp_path, ours):
    to_sent2vec(ours, tmp_path / "ours.bin")
    back = load(tmp_path / "ours.bin", tokenizer=ours.tokenizer)
    assert list(back.vocabulary.items()) == list(ours.vocabulary.items())
    same(back, ours, planted_corpus()[:300])
    assert not back.tensors["output_vectors"].flags.writeable
    np.testing.assert_array_equal(back.tensors["output_vectors"], ours.tensors["output_vectors"])
    to_sent2vec(ours, tmp_path / "few.bin", max_vocab=10)
    few = load(tmp_path / "few.bin")
    same(few, ours, [" ".join(few.vocabulary)])


def test_models_without_targets_and_half_ones_become_binaries(tmp_path, ours):
    convert(ours, tmp_path / "small", dtype="float16", targets=False)
    small = load(tmp_path / "small")
    to_sent2vec(small, tmp_path / "small.bin")
    same(load(tmp_path / "small.bin", tokenizer=ours.tokenizer), small, planted_corpus()[:50], 1e-7)
    assert not load(tmp_path / "small.bin").tensors["output_vectors"].any()


def test_a_siamese_model_has_no_place_in_a_sent2vec_binary(tmp_path, siamese):
    """Its targets would be zeros, and training could not go on from it as the program expects."""
    with pytest.raises(SettingsError, match=r"kind 'siamese-cbow' has no place .* or to word2vec"):
        to_sent2vec(siamese, tmp_path / "out.bin")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("binary_form", [True, False])
def test_a_word2vec_file_holds_all_of_a_siamese_model(tmp_path, siamese, binary_form):
    to_word2vec(siamese, tmp_path / "out", binary=binary_form)
    back = load(tmp_path / "out", tokenizer=siamese.tokenizer)
    assert list(back.vocabulary) == list(siamese.vocabulary)
    same(back, siamese, planted_corpus()[:300])
    to_word2vec(siamese, tmp_path / "few", binary=binary_form, max_vocab=3)
    assert list(load(tmp_path / "few").vocabulary) == list(siamese.vocabulary)[:3]
    # and is what another training may start from
    again = train_siamese(planted_corpus()[:220], dim=None, init_from=tmp_path / "out",
                          optimizer="sgd", lr=1e-30)  # fmt: skip
    np.testing.assert_array_equal(again.input_vectors, siamese.input_vectors)


@pytest.mark.parametrize("name", ["ft_cbow.bin", "cwngrams.bin", "ft_cbow.vec"])
def test_other_kinds_have_no_place_in_a_sent2vec_binary(tmp_path, name):
    with pytest.raises(SettingsError, match="has no place in a Sent2Vec binary - convert it to"):
        to_sent2vec(load(FIXTURES / name), tmp_path / "out.bin")
    assert not list(tmp_path.iterdir())


def test_a_model_that_lost_words_has_no_place_in_a_sent2vec_binary(tmp_path):
    convert(load(FIXTURES / "bi.bin"), tmp_path / "pruned", words=["cat", "the"])
    with pytest.raises(SettingsError, match="other ids for its n-grams"):
        to_sent2vec(load(tmp_path / "pruned"), tmp_path / "out.bin")


@pytest.mark.parametrize("binary_form", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_word_vectors_go_to_word2vec_files(tmp_path, name, binary_form):
    model = load(FIXTURES / name)
    to_word2vec(model, tmp_path / "out", binary=binary_form)
    words = load(tmp_path / "out")
    assert list(words.vocabulary) == list(model.vocabulary)
    assert words.config["model"] == "word-vectors"
    expected = np.array([model.word_vector(word) for word in model.vocabulary])
    np.testing.assert_array_equal(to_array(words.rows), expected)
    to_word2vec(model, tmp_path / "few", binary=binary_form, max_vocab=3)
    assert list(load(tmp_path / "few").vocabulary) == list(model.vocabulary)[:3]


def test_gensim_reads_what_is_written(tmp_path):
    models = pytest.importorskip("gensim.models")
    model = load(FIXTURES / "bi.bin")
    for form in (True, False):
        to_word2vec(model, tmp_path / "out", binary=form)
        theirs = models.KeyedVectors.load_word2vec_format(str(tmp_path / "out"), binary=form)
        assert theirs.index_to_key == list(model.vocabulary)
        np.testing.assert_array_equal(theirs["cat"], model.word_vector("cat"))


# --- where it goes ------------------------------------------------------------------------------


def test_a_target_that_is_no_model_is_left_alone(tmp_path):
    model = load(FIXTURES / "bi.bin")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "thesis.txt").write_text("years of work")
    (tmp_path / "file").write_text("a file")
    for target in ("papers", "file"):
        with pytest.raises(StorageError):
            convert(model, tmp_path / target)
    for write in (to_sent2vec, to_word2vec):
        with pytest.raises(StorageError, match="exists and is not a file"):
            write(model, tmp_path / "papers")
    assert (tmp_path / "papers" / "thesis.txt").read_text() == "years of work"
    assert (tmp_path / "file").read_text() == "a file"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "papers"]


def test_a_model_can_be_converted_onto_itself(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes((FIXTURES / "bi.bin").read_bytes())
    model = load(path)
    expected = model.encode(PROBE)
    to_sent2vec(model, path)
    np.testing.assert_array_equal(load(path).encode(PROBE), expected)
    load(FIXTURES / "bi.bin").save(tmp_path / "folder")
    folder = load(tmp_path / "folder")
    convert(folder, tmp_path / "folder", dtype="float16")
    np.testing.assert_array_equal(folder.encode(PROBE), expected)  # what is mapped stays
    same(load(tmp_path / "folder"), folder, PROBE, 1e-3)


@pytest.mark.parametrize("write", [convert, to_sent2vec, to_word2vec])
def test_a_disk_that_is_full_leaves_what_stood_there(tmp_path, write):
    """A limit on the size of files stands for the full disk."""
    model = load(FIXTURES / "bi.bin")
    write(model, tmp_path / "target")
    before = load(tmp_path / "target").encode(PROBE)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, limits[1]))
        with pytest.raises(StorageError):
            write(model, tmp_path / "target")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    np.testing.assert_array_equal(load(tmp_path / "target").encode(PROBE), before)
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


# --- folders that were tampered with ------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{"min_n": None}, {"max_n": -1}, {"max_n": "six"}, {"model": "glove"}, {"model": None},
     {"char_buckets": None}, {"char_buckets": 10**6}, {"ngrams": 0}, {"ngrams": 21},
     {"ngrams": None}],
)  # fmt: skip
def test_a_folder_whose_settings_do_not_fit_is_refused_when_it_is_opened(tmp_path, changes):
    load(FIXTURES / "cwngrams.bin").save(tmp_path / "folder")
    config = json.loads((tmp_path / "folder" / "config.json").read_text())
    config["settings"].update(changes)
    config["settings"] = {k: v for k, v in config["settings"].items() if v is not None}
    (tmp_path / "folder" / "config.json").write_text(json.dumps(config))
    with pytest.raises(FormatError):
        load(tmp_path / "folder")


@pytest.mark.parametrize(
    "quantiser", [None, {}, {"dim": 16}, {"dim": 16, "dsub": 0}, {"dim": 8, "dsub": 2}, 3]
)
def test_a_folder_whose_quantiser_does_not_fit_is_refused_when_it_is_opened(tmp_path, quantiser):
    load(FIXTURES / "bi.ftz").save(tmp_path / "folder")
    config = json.loads((tmp_path / "folder" / "config.json").read_text())
    config["settings"]["quantiser"] = quantiser
    (tmp_path / "folder" / "config.json").write_text(json.dumps(config))
    with pytest.raises(FormatError):
        load(tmp_path / "folder")


def changed(folder, **tensors):
    """Write other tensors into a folder."""
    old = {name: np.array(tensor) for name, tensor in load(folder).tensors.items()}
    write_tensors(folder / "model.safetensors", old | tensors)
    return folder


def test_a_folder_whose_ids_for_ngrams_do_not_fit_is_refused_when_it_is_opened(tmp_path):
    convert(load(FIXTURES / "bi.bin"), tmp_path / "folder", words=["moon", "the", "cat"])
    ids = np.array(load(tmp_path / "folder").tensors["hash_ids"])
    for wrong in (ids[:2], ids.astype(np.int32), ids[:, None]):
        changed(tmp_path / "folder", hash_ids=wrong)
        with pytest.raises(FormatError, match="do not fit the model"):
            load(tmp_path / "folder")
        write_tensors(tmp_path / "folder" / "model.safetensors",
                      {"input_vectors": np.zeros((503, 16), np.float32)})  # fmt: skip
    changed(tmp_path / "folder", hash_ids=ids)
    load(tmp_path / "folder").encode("the cat")


def test_a_folder_whose_kept_buckets_do_not_fit_is_refused_when_it_is_opened(tmp_path):
    (tmp_path / "file").write_bytes(LAYOUTS["pruned"])
    pairs = np.array(PAIRS, np.int32)
    for wrong in (pairs + np.int32([0, 1]), pairs * np.int32([1, 0]), pairs.astype(np.int64)):
        load(tmp_path / "file").save(tmp_path / "folder")
        changed(tmp_path / "folder", pruned_buckets=wrong)
        with pytest.raises(FormatError, match="do not fit the model"):
            load(tmp_path / "folder")


def test_a_folder_of_ours_with_rows_in_excess_is_of_another_model(tmp_path, ours):
    ours.save(tmp_path / "folder")
    rows = np.array(ours.input_vectors)
    changed(tmp_path / "folder", input_vectors=np.vstack([rows, rows[:1]]))
    with pytest.raises(FormatError, match=r"config\.json is of another model"):
        load(tmp_path / "folder")
