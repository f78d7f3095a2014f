"""Starting from a model: what stays, what grows, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from sentvec import Listener, Sent2Vec, load, resume
from sentvec.errors import DivergedError, FormatError, SettingsError, SourceError
from sentvec.models.convert import convert
from sentvec.storage.rows import to_array
from sentvec.storage.tensors import write_tensors
from sentvec.text.ngrams import feature_lists
from sentvec.training import loop
from support.behaviour import planted_corpus, train_sent2vec
from support.binaries import binary, dense, matrix
from support.places import FIXTURES

CORPUS = planted_corpus()
LINES, MORE = CORPUS[:220], CORPUS[220:440]
NEW_WORDS = ["harbour quay", "quay the buoy of harbour", "buoy quay sail"] * 3
TINY = {"lr": 1e-30, "epochs": 1}  # a run that changes nothing


@pytest.fixture(scope="session")
def old():
    return train_sent2vec(LINES, epochs=6, buckets=500)


@pytest.fixture
def folder(old, tmp_path):
    old.save(tmp_path / "old")
    return tmp_path / "old"


def go_on(lines, model, **changes):
    settings = {"min_count": 1, "subsample": 0.0, "negatives": 5, "drop_ngrams": 2, "threads": 1}
    return Sent2Vec.train(lines, init_from=model, **{**settings, **changes})


def same_bits(one, other):
    return all(np.array_equal(one.tensors[name], other.tensors[name]) for name in one.tensors)


# --- the same words -----------------------------------------------------------------------------


def test_the_same_text_starts_where_the_model_ended(old):
    again = go_on(LINES, old, **TINY)
    assert same_bits(again, old)
    assert list(again.vocabulary) == list(old.vocabulary)


def test_counts_add_up_and_words_the_text_lacks_stay(old):
    again = go_on(["the harbour of the harbour", "the sail"], old, **TINY)
    assert list(again.vocabulary) == list(old.vocabulary)
    assert again.vocabulary["harbour"] == old.vocabulary["harbour"] + 2
    assert again.vocabulary["the"] == old.vocabulary["the"] + 3
    assert again.vocabulary["judge"] == old.vocabulary["judge"]
    assert same_bits(again, old)


def test_words_of_the_model_stay_however_rare(old):
    again = go_on(LINES, old, min_count=1000, max_vocab=3, **TINY)
    assert list(again.vocabulary) == list(old.vocabulary)


def test_training_goes_on_from_a_lower_loss(old):
    fresh = train_sent2vec(MORE, epochs=1, buckets=500)
    assert go_on(MORE, old, epochs=1).config["training"]["loss"] < fresh.config["training"]["loss"]


def test_a_folder_and_a_loaded_model_do_as_well(old, folder):
    expected = go_on(MORE, old, epochs=2)
    assert same_bits(go_on(MORE, folder, epochs=2), expected)
    assert same_bits(go_on(MORE, str(folder), epochs=2), expected)
    assert same_bits(go_on(MORE, load(folder), epochs=2), expected)
    assert same_bits(load(folder), old)


def test_the_model_can_be_replaced_by_what_starts_from_it(old, folder):
    expected = go_on(MORE, old, epochs=2)
    go_on(MORE, folder, output=folder, epochs=2)
    assert same_bits(load(folder), expected)


# --- new words ----------------------------------------------------------------------------------


def test_new_words_come_after_the_old_which_keep_their_ids(old):
    grown = go_on(NEW_WORDS, old, **TINY)
    n_old = len(old.vocabulary)
    words = list(grown.vocabulary)
    assert words[:n_old] == list(old.vocabulary)
    assert words[n_old:] == ["quay", "buoy"]
    assert grown.vocabulary["quay"] == 9
    assert grown.vocabulary["harbour"] == old.vocabulary["harbour"] + 6
    assert grown.config["sizes"] == {"dim": 16, "vocabulary": n_old + 2, "buckets": 500}


def test_new_words_below_min_count_or_beyond_max_vocab_are_left_out(old):
    n_old = len(old.vocabulary)
    assert len(go_on(NEW_WORDS, old, min_count=7, **TINY).vocabulary) == n_old + 1
    assert len(go_on(NEW_WORDS, old, max_vocab=n_old + 1, **TINY).vocabulary) == n_old + 1


def test_old_rows_of_words_and_buckets_start_as_they_were(old):
    grown = go_on(NEW_WORDS, old, **TINY)
    n_old, n_new = len(old.vocabulary), len(grown.vocabulary)
    assert np.array_equal(grown.input_vectors[:n_old], old.input_vectors[:n_old])
    assert np.array_equal(grown.input_vectors[n_new:], old.input_vectors[n_old:])
    output = grown.tensors["output_vectors"]
    assert np.array_equal(output[:n_old], old.tensors["output_vectors"])
    fresh = grown.input_vectors[n_old:n_new]
    assert fresh.any(axis=1).all()
    assert (np.abs(fresh) <= 1 / 16).all()
    assert not np.array_equal(fresh[0], fresh[1])


def test_texts_of_old_words_encode_as_before(old):
    # so their bigrams are in the buckets where they were
    grown = go_on(NEW_WORDS, old, **TINY)
    texts = [line for line in MORE if line][:50]
    assert np.array_equal(grown.encode(texts), old.encode(texts))
    ids = np.array([old.vocabulary.ids[word] for word in ("the", "captain", "of", "the", "storm")])
    rows = [
        feature_lists(
            ids.astype(np.uint32), np.array([0, 5]), n_words=len(model.vocabulary), ngrams=2,
            buckets=500,
        )[0]
        for model in (old, grown)
    ]  # fmt: skip
    new = len(grown.vocabulary) - len(old.vocabulary)
    assert np.array_equal(np.sort(rows[0][rows[0] >= len(old.vocabulary)] + new),
                          np.sort(rows[1][rows[1] >= len(grown.vocabulary)]))  # fmt: skip


def test_new_words_learn(old):
    before, after = go_on(NEW_WORDS, old, **TINY), go_on(NEW_WORDS, old, epochs=30)
    rows = slice(len(old.vocabulary), len(after.vocabulary))
    assert (after.input_vectors[rows] != before.input_vectors[rows]).all()
    assert after.config["training"]["loss"] < before.config["training"]["loss"]


@pytest.mark.parametrize("settings", [{"variant": "released"}, {"dtype": "float16"}], ids=str)
def test_it_goes_on_in_another_variant_or_precision(old, settings):
    grown = go_on(NEW_WORDS, old, **TINY, **settings)
    n_old, n_new = len(old.vocabulary), len(grown.vocabulary)
    tolerance = 1e-3 if "dtype" in settings else 0
    np.testing.assert_allclose(
        grown.input_vectors[:n_old], old.input_vectors[:n_old], rtol=tolerance, atol=1e-6
    )
    np.testing.assert_allclose(
        grown.input_vectors[n_new:], old.input_vectors[n_old:], rtol=tolerance, atol=1e-6
    )
    assert len(grown.input_vectors) == n_new + 500


def test_a_model_of_half_precision_starts_one_of_single_precision():
    half = train_sent2vec(LINES, dtype="float16", epochs=2)
    again = go_on(LINES, half, **TINY)
    assert again.input_vectors.dtype == np.float32
    assert np.array_equal(again.input_vectors, half.input_vectors.astype(np.float32))


def test_a_model_of_words_alone_goes_on_as_one():
    words = train_sent2vec(LINES, ngrams=1, epochs=2)
    grown = go_on(NEW_WORDS, words, **TINY)
    assert grown.config["sizes"]["buckets"] == 0
    assert grown.config["settings"]["ngrams"] == 1
    assert np.array_equal(grown.input_vectors[: len(words.vocabulary)], words.input_vectors)


def test_interrupted_and_resumed_it_is_the_same_to_the_bit(old, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.001)
    listener = Listener()

    def stop(progress):
        if 0.2 < progress.done < 1:
            raise KeyboardInterrupt

    listener.progress = stop
    lines = [*MORE, *NEW_WORDS]
    with pytest.raises(KeyboardInterrupt):
        go_on(lines, old, epochs=40, output=tmp_path / "new", listener=listener)
    assert same_bits(resume(tmp_path / "new"), go_on(lines, old, epochs=40))


# --- what the model decides, and what is refused ------------------------------------------------


def test_what_shapes_vectors_is_the_models(old):
    config = go_on(MORE, old, **TINY).config
    assert (config["settings"]["dim"], config["settings"]["buckets"]) == (16, 500)
    assert config["settings"]["tokenizer"] == "simple"
    same = {"dim": 16, "buckets": 500, "ngrams": 2, "tokenizer": "simple"}
    assert go_on(MORE, old, **TINY, **same).dim == 16


@pytest.mark.parametrize(
    ("name", "value", "own"),
    [("dim", 20, 16), ("buckets", 600, 500), ("ngrams", 3, 2), ("ngrams", 1, 2),
     ("tokenizer", "whitespace", "'simple'")],
)  # fmt: skip
def test_another_shape_is_refused(old, tmp_path, name, value, own):
    message = rf"{name} is {value!r}, the model in init_from has {own} - leave {name} out"
    with pytest.raises(SettingsError, match=message):
        go_on(MORE, old, output=tmp_path / "new", **{name: value})
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["input_vectors", "output_vectors"])
def test_a_model_that_is_not_finite_is_refused_before_anything_is_trained(
    old, folder, monkeypatch, name, bad
):
    monkeypatch.setattr(loop, "run", None)
    tensors = {key: np.array(tensor) for key, tensor in old.tensors.items()}
    tensors[name][-1, 3] = bad
    write_tensors(folder / "model.safetensors", tensors)
    with pytest.raises(DivergedError, match=rf"the {name} of the model .* not finite"):
        go_on(MORE, folder)


def test_a_model_without_output_vectors_is_fine(old, folder):
    write_tensors(folder / "model.safetensors", {"input_vectors": old.input_vectors})
    again = go_on(MORE, folder, **TINY)
    assert np.array_equal(again.input_vectors, old.input_vectors)
    assert np.abs(again.tensors["output_vectors"]).max() < 1e-20
    assert np.isfinite(go_on(MORE, folder, epochs=3).input_vectors).all()


@pytest.mark.parametrize("shape", [(3, 16), (60, 5)])
def test_output_vectors_of_another_shape_are_refused(old, folder, shape):
    tensors = {**old.tensors, "output_vectors": np.zeros(shape, np.float32)}
    write_tensors(folder / "model.safetensors", tensors)
    with pytest.raises(FormatError, match="output_vectors"):
        go_on(MORE, folder)


def test_where_there_is_no_model_it_is_said(tmp_path):
    with pytest.raises(SourceError, match="no model at"):
        go_on(MORE, tmp_path / "nowhere")
    (tmp_path / "file").write_text("text")
    with pytest.raises(FormatError, match="is not a model"):
        go_on(MORE, tmp_path / "file")


# --- models of other programs -------------------------------------------------------------------


@pytest.fixture
def probe():
    lines = (FIXTURES / "corpus.txt").read_text(encoding="utf-8").splitlines()
    return [*lines, *["the cat likes a new word"] * 3]


@pytest.mark.parametrize("name", ["bi.bin", "uni.bin", "tri.bin", "legacy_v1.bin", "bi.ftz"])
def test_training_starts_from_a_file_of_the_released_program(name, probe):
    source = load(FIXTURES / name)
    again = go_on(probe, FIXTURES / name, **TINY)
    n_words, buckets = len(source.vocabulary), source.config["sizes"]["buckets"]
    assert list(again.vocabulary)[:n_words] == list(source.vocabulary)
    assert "word" in again.vocabulary
    assert (again.dim, again.config["sizes"]["buckets"]) == (source.dim, buckets)
    rows, old_rows = to_array(again.rows), to_array(source.rows)
    np.testing.assert_array_equal(rows[:n_words], old_rows[:n_words])
    new_words = len(again.vocabulary)
    np.testing.assert_array_equal(rows[new_words:], old_rows[n_words : n_words + buckets])
    np.testing.assert_array_equal(
        again.tensors["output_vectors"][:n_words], source.tensors["output_vectors"]
    )
    text = "the cat sees the moon ."
    np.testing.assert_allclose(again.encode(text), source.encode(text), rtol=0, atol=1e-6)


def test_training_from_a_file_learns(probe):
    again = go_on(probe, FIXTURES / "bi.bin", epochs=3, lr=0.1)
    source = load(FIXTURES / "bi.bin")
    assert np.abs(again.encode("the cat") - source.encode("the cat")).max() > 1e-3


@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_training_starts_from_a_model_of_smaller_precision(old, tmp_path, dtype):
    convert(old, tmp_path / "small", dtype=dtype)
    again = go_on(LINES, tmp_path / "small", **TINY)
    small = load(tmp_path / "small")
    np.testing.assert_array_equal(to_array(again.rows), to_array(small.rows))


def test_models_whose_ngrams_cannot_be_kept_are_refused(old, tmp_path):
    convert(old, tmp_path / "pruned", words=["harbour", "sail"])
    with pytest.raises(SettingsError, match=r"lost words.* start from the model it was made from"):
        go_on(LINES, tmp_path / "pruned")
    convert(old, tmp_path / "first", max_vocab=20)  # their ids are what they were
    assert len(go_on(LINES, tmp_path / "first", **TINY).vocabulary) > 20


@pytest.mark.parametrize(
    ("name", "kind"),
    [("ft_cbow.bin", "fasttext"), ("cwngrams.bin", "fasttext"), ("ft_cbow.vec", "word-vectors")],
)
def test_models_of_other_kinds_are_refused(name, kind):
    with pytest.raises(SettingsError, match=f"init_from is a model of kind '{kind}'"):
        go_on(LINES, FIXTURES / name)


def test_a_file_with_vectors_that_are_not_finite_is_refused(tmp_path):
    rows = matrix(12)
    rows[9, 1] = np.nan
    (tmp_path / "model.bin").write_bytes(binary(source=dense(rows)))
    with pytest.raises(DivergedError, match="input_vectors of the model in init_from are not"):
        go_on(LINES, tmp_path / "model.bin")
