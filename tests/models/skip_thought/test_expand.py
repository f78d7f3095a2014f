"""Vocabulary expansion: on vectors whose true map is known, and against direct computation."""

from __future__ import annotations

import lzma
import math
import pickle
from itertools import islice

import numpy as np
import pytest

from sentvec import load
from sentvec.errors import DivergedError, SettingsError, SourceError
from sentvec.models.base.fingerprint import fingerprint
from sentvec.models.skip_thought import expand as module
from sentvec.models.skip_thought.combine import combine
from sentvec.models.skip_thought.expand import expand
from sentvec.models.skip_thought.least_squares import LeastSquares
from sentvec.networks.shape import END, FIRST_WORD, UNKNOWN
from support.places import FIXTURES
from support.released import write_released
from support.skip_thoughts import made, with_word_vectors

DIM, WORD_DIM = 5, 4
TRAINED = [f"t{number}" for number in range(60)]
ONLY_THEIRS = [f"n{number}" for number in range(30)]
ONLY_OURS = ["ours", "own"]


@pytest.fixture(scope="module")
def planted():
    """Other vectors, and the affine map that the trained ones were made with."""
    rng = np.random.default_rng(3)
    words = [word for pair in zip(TRAINED, ONLY_THEIRS, strict=False) for word in pair] + TRAINED[
        30:
    ]
    X = dict(zip(words, rng.normal(size=(len(words), DIM)).astype(np.float32), strict=True))
    return X, rng.normal(size=(DIM, WORD_DIM)), rng.normal(size=WORD_DIM)


def written(path, vectors):
    lines = [f"{word} {' '.join(map(repr, vector.tolist()))}\n" for word, vector in vectors.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def file(planted, tmp_path):
    return written(tmp_path / "others.txt", planted[0])


def model_of(planted, *, intercept=True, noise=0.0, seed=1, **shape):
    X, A, b = planted
    model = made([*TRAINED, *ONLY_OURS], word_dim=WORD_DIM, seed=seed, **shape)
    rng = np.random.default_rng(seed)
    theirs = np.stack([X[word] for word in TRAINED]) @ A + b * intercept
    theirs += noise * rng.normal(size=theirs.shape)
    return with_word_vectors(model, np.vstack([theirs, rng.normal(size=(2, WORD_DIM))]))


def vectors_of(model, words, name="word_vectors"):
    return model.tensors[name][
        np.array([model.vocabulary.ids[word] for word in words]) + FIRST_WORD
    ]


# --- the map ------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
def test_a_map_that_is_known_is_found(planted, file, intercept):
    X, A, b = planted
    model, fit = expand(model_of(planted, intercept=intercept), file, intercept=intercept)
    expected = np.stack([X[word] for word in ONLY_THEIRS]) @ A + b * intercept
    assert np.allclose(vectors_of(model, ONLY_THEIRS), expected, rtol=0, atol=1e-4)
    assert (fit.shared, fit.added) == (60, 30)
    assert fit.r2 == pytest.approx(1, abs=1e-9)
    assert fit.held_out_r2 == pytest.approx(1, abs=1e-9)
    assert fit.cosine == pytest.approx(1, abs=1e-6)
    assert fit.held_out_cosine == pytest.approx(1, abs=1e-6)


def test_without_an_intercept_an_affine_map_is_not_found(planted, file):
    X, A, b = planted
    model, fit = expand(model_of(planted), file, intercept=False)
    expected = np.stack([X[word] for word in ONLY_THEIRS]) @ A + b
    assert np.abs(vectors_of(model, ONLY_THEIRS) - expected).max() > 0.1
    assert fit.r2 < 0.99


def test_words_that_were_trained_keep_their_vectors(planted, file):
    trained = model_of(planted, noise=0.5)
    before = trained.tensors["word_vectors"].copy()
    model, fit = expand(trained, file)
    assert fit.r2 < 0.99  # so that mapped vectors would be others
    assert np.array_equal(model.tensors["word_vectors"][: len(before)], before)
    for row in (END, UNKNOWN):
        assert np.array_equal(model.tensors["word_vectors"][row : row + 1], before[row : row + 1])
    assert np.array_equal(trained.tensors["word_vectors"], before)
    assert len(trained.vocabulary) == 62


@pytest.mark.parametrize("intercept", [True, False])
def test_the_numbers_of_the_fit_are_those_of_a_direct_computation(
    planted, file, intercept, monkeypatch
):
    monkeypatch.setattr(module, "_BLOCK", 7)  # the last block is short
    trained = model_of(planted, noise=1.0)
    _, fit = expand(trained, file, intercept=intercept)
    X = np.stack([planted[0][word] for word in TRAINED]).astype(np.float64)
    X = np.hstack([np.ones((60, 1)), X]) if intercept else X
    Y = vectors_of(trained, TRAINED).astype(np.float64)
    held_out = np.arange(60) % 10 == 9

    def numbers(fitted_on, asked):
        B = np.linalg.solve(X[fitted_on].T @ X[fitted_on], X[fitted_on].T @ Y[fitted_on])
        made, wanted = X[asked] @ B, Y[asked]
        missed = np.square(wanted - made).sum()
        r2 = 1 - missed / np.square(wanted - wanted.mean(axis=0)).sum()
        lengths = np.linalg.norm(made, axis=1) * np.linalg.norm(wanted, axis=1)
        return r2, ((made * wanted).sum(axis=1) / lengths).mean()

    everything = np.ones(60, bool)
    assert (fit.r2, fit.cosine) == pytest.approx(numbers(everything, everything), abs=1e-6)
    assert (fit.held_out_r2, fit.held_out_cosine) == pytest.approx(
        numbers(~held_out, held_out), abs=1e-6
    )
    assert fit.held_out_r2 < fit.r2 < 0.97


def test_each_part_of_a_combined_model_has_its_own_map(planted, file):
    X, A, b = planted
    uni, bi = model_of(planted), model_of((X, -2 * A, b + 1), encoder="bi", seed=2)
    model, fit = expand(combine([uni, bi]), file)
    theirs = np.stack([X[word] for word in ONLY_THEIRS])
    for name, expected in (
        ("0.word_vectors", theirs @ A + b),
        ("1.word_vectors", theirs @ (-2 * A) + b + 1),
    ):
        assert np.allclose(vectors_of(model, ONLY_THEIRS, name), expected, rtol=0, atol=1e-4)
    assert fit.r2 == pytest.approx(1, abs=1e-9)
    assert fit.cosine == pytest.approx(1, abs=1e-6)
    expanded = [expand(part, file)[0] for part in (uni, bi)]
    texts = ["t1 n1 ours", "n2", "t3"]
    assert np.allclose(model.encode(texts), combine(expanded).encode(texts), rtol=0, atol=1e-6)


def test_the_fit_of_a_combined_model_is_over_all_of_its_parts(planted, file):
    good, bad = model_of(planted), model_of(planted, noise=3.0, seed=2)
    fits = [expand(model, file)[1] for model in (good, bad)]
    _, both = expand(combine([good, bad]), file)
    assert both.cosine == pytest.approx(np.mean([fit.cosine for fit in fits]), abs=1e-6)
    spread = [
        np.square(Y - Y.mean(axis=0)).sum()
        for Y in (vectors_of(model, TRAINED).astype(np.float64) for model in (good, bad))
    ]
    missed = sum((1 - fit.r2) * s for fit, s in zip(fits, spread, strict=True))
    assert both.r2 == pytest.approx(1 - missed / sum(spread), abs=1e-6)


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_equations_in_blocks_have_the_solution_of_all_at_once(size):
    rng = np.random.default_rng(size)
    X, Y = rng.normal(size=(50, 6)), rng.normal(size=(50, 3))
    X[:, 5] = X[:, 0] - 2 * X[:, 1]  # many solutions; the smallest is wanted
    equations = LeastSquares(6, 3)
    for start in range(0, 50, size):
        equations.add(X[start : start + size], Y[start : start + size])
    expected = np.linalg.lstsq(X, Y, rcond=None)[0]
    assert np.allclose(equations.solution(), expected, rtol=0, atol=1e-10)


# --- the words ----------------------------------------------------------------------------------


def test_new_words_come_behind_the_models_in_the_order_of_the_vectors(planted, file):
    trained = model_of(planted)
    model, _ = expand(trained, file)
    assert list(model.vocabulary) == [*TRAINED, *ONLY_OURS, *ONLY_THEIRS]
    assert model.vocabulary.counts.tolist() == [*range(62, 0, -1), *[0] * 30]
    assert model.config["sizes"]["vocabulary"] == 92
    assert model.config["sizes"]["trained_words"] == 62
    assert model.config["expanded"] == [
        {"file": "others.txt", "shared": 60, "added": 30, "intercept": True, "r2": 1.0}
    ]
    assert "expanded" not in trained.config


def test_texts_with_new_words_are_read_otherwise_and_others_are_not(planted, file):
    trained = model_of(planted)
    model, _ = expand(trained, file)
    texts = ["t1 t2 own", "t1 nowhere", "t1 n1", "n2"]
    with pytest.warns(UserWarning, match="1 of 4 texts have no known word"):
        before, known_before = trained.encode(texts, return_known=True)
    after, known = model.encode(texts, return_known=True)
    # Numbers below 1 in float32, whose sums a product of matrices rounds in an order that depends
    # on the other texts of the batch and on the processor: some steps of 6e-8 each.
    np.testing.assert_allclose(before[:2], after[:2], rtol=0, atol=1e-6)
    assert (np.abs(before - after).max(axis=1) > 0.01).tolist() == [False, False, True, True]
    assert known_before.tolist() == [3, 1, 1, 0]
    assert known.tolist() == [3, 1, 2, 1]


def test_decoders_and_encoders_stay_as_they_are(planted, file):
    trained = model_of(planted)
    model, _ = expand(trained, file)
    assert model.parts == trained.parts
    assert model.tensors.keys() == trained.tensors.keys()
    for name, tensor in trained.tensors.items():
        assert name == "word_vectors" or model.tensors[name] is tensor


def test_max_vocab_is_of_all_words(planted, file):
    trained = model_of(planted)
    model, fit = expand(trained, file, max_vocab=65)
    assert list(model.vocabulary)[62:] == ONLY_THEIRS[:3]
    assert fit.added == 3
    assert fit.shared == 60
    assert expand(trained, file, max_vocab=62)[1].added == 0
    with pytest.raises(SettingsError, match=r"max_vocab is 61, and the model has 62 words"):
        expand(trained, file, max_vocab=61)


def test_an_expanded_model_is_expanded_by_what_it_lacks_and_fitted_on_trained_words(
    planted, file, tmp_path
):
    X, _, _ = planted
    first, _ = expand(model_of(planted), file, max_vocab=70)
    first.save(tmp_path / "first")
    others = {word: 2 * vector for word, vector in X.items() if word not in TRAINED[:20]}
    theirs = written(tmp_path / "doubled.txt", others)
    again, fit = expand(load(tmp_path / "first"), theirs)
    assert (fit.shared, fit.added) == (40, 22)  # not 48: eight words of the first are no evidence
    own = first.tensors["word_vectors"][:]
    assert np.array_equal(again.tensors["word_vectors"][: len(own)], own)
    whole, _ = expand(model_of(planted), file)
    assert np.allclose(
        vectors_of(again, ONLY_THEIRS), vectors_of(whole, ONLY_THEIRS), rtol=0, atol=1e-4
    )
    assert [record["file"] for record in again.config["expanded"]] == ["others.txt", "doubled.txt"]
    assert again.config["sizes"]["trained_words"] == 62


def test_too_few_shared_words_are_an_error_that_says_how_many(planted, tmp_path):
    X, _, _ = planted
    few = written(tmp_path / "few.txt", {word: X[word] for word in [*TRAINED[:5], *ONLY_THEIRS]})
    with pytest.raises(SettingsError, match=r"5 of the 62 words .* expected 6 at least.*'t0'"):
        expand(model_of(planted), few)
    _, fit = expand(model_of(planted), few, intercept=False)  # five equations, five unknowns
    assert fit.r2 == pytest.approx(1, abs=1e-6)
    assert math.isnan(fit.held_out_r2)
    assert math.isnan(fit.held_out_cosine)


def test_words_in_another_case_are_other_words_and_the_error_counts_them(planted, tmp_path):
    X, _, _ = planted
    lower = written(tmp_path / "lower.txt", X)
    model = made([word.upper() for word in TRAINED], word_dim=WORD_DIM)
    with pytest.raises(SettingsError, match=r"^0 of the 60 words .*; 60 more are, but in lower"):
        expand(model, lower)


def test_vectors_that_are_not_finite_are_an_error_that_names_the_word(planted, file):
    for word in ("t7", "n7"):
        bad = load(file)
        vectors = bad.tensors["input_vectors"].copy()
        vectors[bad.vocabulary.ids[word], 2] = np.nan
        bad.tensors["input_vectors"] = vectors
        with pytest.raises(DivergedError, match=f"the vector of '{word}'"):
            expand(model_of(planted), bad)


def test_what_has_no_word_vectors_is_refused(planted, file, tmp_path):
    trained = model_of(planted)
    with pytest.raises(SettingsError, match="vectors is a skip-thought model, which has no word"):
        expand(trained, trained)
    with pytest.raises(SettingsError, match="is a word-vectors model - expected a Skip-Thought"):
        expand(load(file), file)
    with pytest.raises(SourceError):
        expand(trained, tmp_path / "nowhere.txt")


# --- what becomes of the model ------------------------------------------------------------------


def test_an_expanded_model_is_stored_opened_and_pickled(planted, file, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 16)
    model, _ = expand(model_of(planted), file)
    model.save(tmp_path / "expanded")
    opened, copied = load(tmp_path / "expanded"), pickle.loads(pickle.dumps(model))
    texts = ["t1 n1 own", "n2 nowhere", "t3"]
    for other in (opened, copied):
        assert np.array_equal(other.tensors["word_vectors"], model.tensors["word_vectors"][:])
        assert np.array_equal(other.encode(texts), model.encode(texts))
        assert fingerprint(other) == fingerprint(model)
        assert dict(other.vocabulary) == dict(model.vocabulary)
    assert opened.tensors["word_vectors"].dtype == np.float32
    lines = (tmp_path / "expanded" / "vocabulary.txt").read_text().splitlines()
    assert lines[61:63] == ["own\t1", "n0\t0"]
    card = (tmp_path / "expanded" / "README.md").read_text()
    assert "30 words of `others.txt`, by a map fitted on 60" in card


def test_the_source_may_be_a_model_of_any_kind_with_word_vectors(planted, tmp_path):
    theirs = load(FIXTURES / "bi.bin")  # which has vectors of bigrams too
    n_words = len(theirs.vocabulary)
    model = made([*list(theirs.vocabulary)[:40], "other"], word_dim=WORD_DIM)
    expanded, fit = expand(model, theirs)
    assert (fit.shared, fit.added) == (40, n_words - 40)
    assert expanded.config["expanded"][0]["file"] == "bi.bin"
    theirs.save(tmp_path / "theirs")
    again, _ = expand(model, tmp_path / "theirs")
    assert again.config["expanded"][0]["file"] == "theirs"
    assert np.array_equal(again.tensors["word_vectors"][:], expanded.tensors["word_vectors"][:])


@pytest.mark.parametrize("name", ["ft_cbow.bin", "ft_skipgram.bin", "bi.bin", "bi.ftz"])
def test_vectors_of_many_words_are_those_of_each(name):
    model = load(FIXTURES / name)
    ids = np.array([3, 0, 17, 3])
    each = np.stack([model.word_vector(model.vocabulary.words[number]) for number in ids])
    assert np.array_equal(model.word_vectors(ids), each)


def test_a_model_without_decoders_is_expanded_too(planted, file):
    trained = model_of(planted)
    one, _ = expand(trained.without_targets(), file)
    other = expand(trained, file)[0].without_targets()
    assert one.tensors.keys() == other.tensors.keys()
    assert one.config == other.config
    assert np.array_equal(one.encode("t1 n1"), other.encode("t1 n1"))


def test_a_map_from_real_vectors_is_found_through_noise(shared, tmp_path):
    packed = shared / "data" / "vectors" / "glove.6B.50d.100k.txt.xz"
    with lzma.open(packed, "rt", encoding="utf-8") as lines:  # which `load` does not decompress
        (tmp_path / "glove.txt").write_text("".join(islice(lines, 20_000)), encoding="utf-8")
    glove = load(tmp_path / "glove.txt")
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(50, 20)), rng.normal(size=20)
    trained = list(glove.vocabulary)[:3000]
    true = glove.word_vectors(np.arange(20_000)) @ A + b
    signal = true[:3000].var(axis=0).mean()
    noise = math.sqrt(signal) / 3
    model = made([*trained, "of-no-file"], word_dim=20)
    noisy = np.vstack([true[:3000], np.zeros((1, 20))]) + noise * rng.normal(size=(3001, 20))
    expanded, fit = expand(with_word_vectors(model, noisy), tmp_path / "glove.txt")
    assert (fit.shared, fit.added) == (3000, 17_000)
    assert fit.r2 == pytest.approx(0.9, abs=0.01)  # a tenth is noise
    assert fit.r2 - 0.02 < fit.held_out_r2 < fit.r2 + 0.02
    # A number that is fitted on 3,000 words misses by sqrt(51 / 3000) of the noise on average.
    missed = expanded.tensors["word_vectors"][3003:] - true[3000:]
    assert np.sqrt(np.square(missed).mean()) < 2 * noise * math.sqrt(51 / 3000)


def test_a_released_model_is_expanded_as_the_one_saved_of_it(tmp_path):
    (tmp_path / "released").mkdir()
    write_released(tmp_path / "released", "uni", "bi")
    released = load(tmp_path / "released")  # its tables are in another order than ours
    released.save(tmp_path / "saved")
    rng = np.random.default_rng(4)
    names = [word for word in released.vocabulary if word != "mat"] + ["dog", "UNK"]
    others = {name: rng.normal(size=3).astype(np.float32) for name in names}
    theirs = written(tmp_path / "others.txt", others)
    (one, fit), (other, same) = (expand(m, theirs) for m in (released, load(tmp_path / "saved")))
    assert repr(fit) == repr(same)  # NaN where nine words leave none to hold out
    assert (fit.shared, fit.added) == (9, 2)
    texts = ["the dog sat", "UNK", "a mat"]
    assert np.array_equal(one.encode(texts), other.encode(texts))
    assert np.array_equal(one.encode(texts[2]), released.encode(texts[2]))
    one.save(tmp_path / "expanded")
    assert np.array_equal(load(tmp_path / "expanded").encode(texts), one.encode(texts))
