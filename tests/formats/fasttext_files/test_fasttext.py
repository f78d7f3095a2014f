"""The binaries of Sent2Vec and fastText: every layout, every field, and every kind of damage."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from sentvec.errors import FormatError, SourceError
from sentvec.formats.fasttext_files.header import HEAD, LOSSES, MODELS, looks_like_fasttext
from sentvec.formats.fasttext_files.reader import open_fasttext
from sentvec.formats.open import open_foreign
from sentvec.models.fasttext.subwords import subword_rows
from sentvec.storage.rows import to_array
from sentvec.text.unicode import decode, encode
from support.binaries import (
    SETTINGS,
    WORDS,
    binary,
    check_consistent,
    dense,
    dictionary,
    header,
    matrix,
    quantised,
    rows_of_opened,
)
from support.places import FIXTURES

HEADERS = json.loads((FIXTURES / "headers.json").read_text(encoding="utf-8"))
BINARIES = sorted(path.name for path in FIXTURES.iterdir() if path.suffix in (".bin", ".ftz"))
# Their name of a field, and what we call it.
FIELDS = {
    "dim": "dim", "ws": "window", "epoch": "epochs", "minCount": "min_count", "neg": "negatives",
    "wordNgrams": "ngrams", "bucket": "buckets", "minn": "min_n", "maxn": "max_n", "t": "subsample",
    "lrUpdateRate": "lr_update_rate", "ntokens": "tokens", "version": "layout_version",
}  # fmt: skip


@pytest.fixture
def opened(tmp_path):
    """Writes bytes to a file and opens it."""

    def opened(data):
        path = tmp_path / "model"
        path.write_bytes(data)
        return check_consistent(open_fasttext(path))

    return opened


@pytest.fixture
def error_of(opened):
    """The message of the error that some bytes give."""

    def error_of(data):
        with pytest.raises(FormatError) as caught:
            opened(data)
        assert "model" in str(caught.value)
        return str(caught.value)

    return error_of


# --- what the programs wrote --------------------------------------------------------------------


@pytest.mark.parametrize("name", HEADERS)
def test_every_field_of_the_header_is_read(name):
    expected, model = HEADERS[name], check_consistent(open_fasttext(FIXTURES / f"{name}.bin"))
    data = (FIXTURES / f"{name}.bin").read_bytes()
    assert hashlib.sha256(data).hexdigest() == expected["sha256"]
    settings = model.settings
    assert {theirs: settings[ours] for theirs, ours in FIELDS.items()} == {
        theirs: expected[theirs] for theirs in FIELDS
    }
    assert settings["model"] == MODELS[expected["model"]]
    assert settings["loss"] == LOSSES[expected["loss"]]
    assert settings["char_buckets"] == expected.get("bucketChar", 0)
    assert model.sizes["vocabulary"] == expected["nwords"]
    assert model.tensors["input_vectors"].shape == tuple(expected["input_shape"])
    assert model.tensors["output_vectors"].shape == tuple(expected["output_shape"])
    assert settings["pruned"] == (expected["pruneidx_size"] >= 0)
    first = list(model.vocabulary().items())[: len(expected["first_entries"])]
    assert first == [(word, count) for word, count, _ in expected["first_entries"]]
    assert json.loads(json.dumps(settings)) == settings


@pytest.mark.parametrize("name", [name for name in BINARIES if "vocab" not in name])
def test_the_numbers_of_the_matrices_are_those_at_the_end_of_the_file(name):
    model, data = open_fasttext(FIXTURES / name), (FIXTURES / name).read_bytes()
    target = model.tensors["output_vectors"]
    assert data.endswith(struct.pack("<qq", *target.shape) + target.tobytes())
    if "input_vectors" in model.tensors:
        source = model.tensors["input_vectors"]
        assert struct.pack("<qq", *source.shape) + source.tobytes() in data


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.vocab.txt")), ids=lambda path: path.name)
def test_the_vocabulary_is_what_the_program_prints(path):
    (binary_path,) = (p for p in FIXTURES.glob(f"{path.name.split('.')[0]}.bin"))
    vocabulary = open_fasttext(binary_path).vocabulary()
    printed = b"".join(b"%s %d\n" % (encode(word), count) for word, count in vocabulary.items())
    assert printed == path.read_bytes()


def word_vectors(model, words, *, eos_has_ngrams):
    """Word vectors as fastText defines them: the mean of a word's row and its n-grams' rows."""
    settings = model.settings
    rows, offsets = subword_rows(
        [b"" if word == b"</s>" and not eos_has_ngrams else word for word in words],
        n_words=model.sizes["vocabulary"],
        buckets=model.sizes["buckets"],
        min_n=settings["min_n"],
        max_n=settings["max_n"],
    )
    matrix, ids = rows_of_opened(model), model.vocabulary().ids
    for word, begin, end in zip(words, offsets[:-1], offsets[1:], strict=True):
        own = [ids[decode(word)]] if decode(word) in ids else []
        grams = [] if word == b"</s>" and not eos_has_ngrams else rows[begin:end].tolist()
        yield matrix.take(np.array([*own, *grams])).mean(axis=0)


def assert_printed(vectors, lines):
    for vector, line in zip(vectors, lines, strict=True):
        expected = np.array(line.split()[1:], np.float64)
        # 5 significant digits are printed
        np.testing.assert_allclose(vector, expected, rtol=5.1e-5, atol=1e-6)


# Whether `</s>` has character n-grams was different in different years.
OWN_VECTORS = [("s2v_skipgram", True), ("ft_cbow", False), ("ft_skipgram", False)]
SHARED_VECTORS = [
    ("lee_fasttext", True), ("toy-model", False), ("crime-and-punishment", False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "eos"), OWN_VECTORS)
def test_word_vectors_are_those_the_program_wrote_as_text(name, eos):
    assert_same_as_text(FIXTURES / name, eos)


@pytest.mark.parametrize(("name", "eos"), SHARED_VECTORS)
def test_word_vectors_of_other_binaries_are_those_of_their_text(shared, name, eos):
    assert_same_as_text(shared / "fixtures" / "fasttext" / name, eos)


def assert_same_as_text(stem, eos):
    model = check_consistent(open_fasttext(stem.with_suffix(".bin")))
    lines = stem.with_suffix(".vec").read_bytes().splitlines()[1:]
    words = [line.split(b" ")[0] for line in lines]
    assert words == [encode(word) for word in model.vocabulary()]
    assert_printed(word_vectors(model, words, eos_has_ngrams=eos), lines)


@pytest.mark.parametrize("name", ["s2v_skipgram", "ft_cbow", "ft_skipgram"])
def test_word_vectors_of_unknown_words_too(name):
    model = open_fasttext(FIXTURES / f"{name}.bin")
    lines = (FIXTURES / f"{name}.wordvec.txt").read_bytes().splitlines()
    words = [line.split(b" ")[0] for line in lines]
    assert b"zzz" in words
    assert_printed(word_vectors(model, words, eos_has_ngrams=True), lines)


SHARED_LAYOUTS = {
    "cp852_fasttext": "fastText 2016 (no magic)",
    "non_ascii_fasttext": "fastText 2016 (no magic)",
    "lee_fasttext": "fastText 2016 (no magic)",
    "lee_fasttext_new": "fastText v11",
    "finalfusion_fasttext": "fastText v12",
    "toy-model-pretrained": "fastText v12",
    "pang_lee_polarity_fasttext": "fastText v12",
}


@pytest.mark.parametrize(("name", "layout"), SHARED_LAYOUTS.items())
def test_binaries_of_other_libraries_open(shared, name, layout):
    path = shared / "fixtures" / "fasttext" / f"{name}.bin"
    model = check_consistent(open_fasttext(path))
    assert (model.layout, model.kind) == (layout, "fasttext")
    assert looks_like_fasttext(path.read_bytes()[:HEAD])


def test_words_that_are_not_utf8_keep_their_bytes(shared):
    model = open_fasttext(shared / "fixtures" / "fasttext" / "cp852_fasttext.bin")
    assert encode(list(model.vocabulary())[1]) == b"kter\xec"  # `který` in code page 852


def test_the_labels_of_a_supervised_model_are_listed(shared):
    path = shared / "fixtures" / "fasttext" / "pang_lee_polarity_fasttext.bin"
    model = open_fasttext(path)
    assert model.settings["labels"] == [["__label__pos", 100], ["__label__neg", 100]]
    assert model.sizes == {"vocabulary": 1694, "buckets": 0, "dim": 100}


@pytest.mark.parametrize(
    ("name", "layout", "kind"),
    [
        ("bi.bin", "Sent2Vec v11", "sent2vec"),
        ("bi.ftz", "Sent2Vec v11, quantised", "sent2vec"),
        ("legacy_v1.bin", "Sent2Vec 2017 (no magic)", "sent2vec"),
        ("cwngrams.bin", "Sent2Vec v11", "fasttext"),
        ("s2v_skipgram.bin", "Sent2Vec v11", "fasttext"),
        ("ft_cbow.bin", "fastText v12", "fasttext"),
    ],
)
def test_layout_and_kind_are_named(name, layout, kind):
    model = open_fasttext(FIXTURES / name)
    assert (model.layout, model.kind) == (layout, kind)


def test_without_word_ngrams_the_buckets_of_a_sent2vec_model_do_not_count():
    model = open_fasttext(FIXTURES / "uni.bin")
    assert (model.sizes["buckets"], model.settings["buckets"]) == (0, 1)
    assert model.settings["ngrams"] == 1


# --- recognising --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BINARIES)
def test_a_binary_is_recognised_by_its_first_bytes(name):
    data = (FIXTURES / name).read_bytes()
    assert looks_like_fasttext(data[:HEAD])
    assert looks_like_fasttext(data[:32])  # a file that was cut off is still known


def test_other_files_are_not_taken_for_binaries(shared):
    for path in [*FIXTURES.iterdir(), *(shared / "fixtures" / "word2vec").iterdir()]:
        if path.name not in BINARIES:
            assert not looks_like_fasttext(path.read_bytes()[:HEAD]), path
    for head in (b"", b"\0", b"\0" * HEAD, b"\xff" * HEAD, b"3 5\n" + b"\0" * HEAD):
        assert not looks_like_fasttext(head)


@given(st.text(st.characters(blacklist_characters="\0"), min_size=8))
def test_text_is_not_taken_for_a_binary(text):
    assert not looks_like_fasttext(text.encode("utf-8", "replace")[:HEAD])


# --- layouts ------------------------------------------------------------------------------------

ALL_LAYOUTS = {
    "Sent2Vec v11": binary(),
    "Sent2Vec v11 of March 2019": binary(ten_days=True),
    "Sent2Vec 2017 (no magic)": binary(version=None),
    "fastText 2016 (no magic)": binary(version=None, model=2),
    "fastText v12": binary(version=12, model=1),
    "fastText v12, quantised": binary(
        version=12, model=3, labels=[(b"__label__x", 4), (b"__label__y", 2)],
        source=quantised(12, norms=True), flags=(1, 0),
    ),
    "fastText v12, quantised, pruned": binary(
        version=12, model=3, labels=[(b"__label__x", 4)], pairs=[(5, 1), (0, 0)],
        source=quantised(7, part=1), target=quantised(1, part=3), flags=(1, 1),
    ),
}  # fmt: skip
ALL_LAYOUTS["fastText v12"] = binary(version=12, model=1, source=dense(matrix(len(WORDS) + 6)))


@pytest.mark.parametrize(("layout", "data"), ALL_LAYOUTS.items())
def test_every_layout_opens(opened, layout, data):
    model = opened(data)
    assert model.layout == layout
    assert looks_like_fasttext(data[:HEAD])
    assert list(model.vocabulary().items()) == [(decode(word), count) for word, count in WORDS]
    for name in ("window", "epochs", "min_count", "negatives", "lr_update_rate", "subsample"):
        assert model.settings[name] == SETTINGS[name]
    if "input_vectors" in model.tensors:
        expected = matrix(len(model.tensors["input_vectors"]))
        np.testing.assert_array_equal(model.tensors["input_vectors"], expected)
        np.testing.assert_array_equal(model.tensors["output_vectors"], matrix(5, seed=2))


@pytest.mark.parametrize("subsample", [0.0, 1.0, 0.5, 0.0078125, 1e-4, 1e-5, 5e-324, 1e9])
@pytest.mark.parametrize("ten_days", [False, True])
def test_the_field_in_excess_of_ten_days_is_noticed(opened, subsample, ten_days):
    model = opened(binary(subsample=subsample, ten_days=ten_days))
    assert model.settings["subsample"] == subsample
    assert model.settings["char_buckets"] == (5 if ten_days else 0)
    assert model.layout == "Sent2Vec v11" + " of March 2019" * ten_days


def test_a_real_model_in_the_layout_of_ten_days_is_the_same_model(opened):
    data = (FIXTURES / "bi.bin").read_bytes()
    before, after = 8 + 9 * 4, 8 + 9 * 4
    model = opened(data[:before] + struct.pack("<i", 1) + data[after:])
    same = open_fasttext(FIXTURES / "bi.bin")
    np.testing.assert_array_equal(model.tensors["input_vectors"], same.tensors["input_vectors"])
    assert model.settings == same.settings | {"char_buckets": 1}


def test_supervised_models_before_version_12_have_no_character_ngrams(opened):
    labels = [(b"__label__x", 4)]
    assert opened(binary(version=11, model=3, labels=labels)).settings["max_n"] == 0
    assert opened(binary(version=12, model=3, labels=labels)).settings["max_n"] == 4


def test_labels_of_other_models_are_no_words(opened):
    model = opened(binary(version=12, model=2, labels=[(b"__label__x", 4)]))
    assert "labels" not in model.settings
    assert len(model.vocabulary()) == len(WORDS)


def test_rows_in_excess_are_allowed_and_missing_ones_are_not(opened, error_of):
    opened(binary(source=dense(matrix(11))))
    opened(binary(source=dense(matrix(40))))
    assert "expected 11 rows of the input matrix or more, got 10" in error_of(
        binary(source=dense(matrix(10)))
    )
    assert "expected 16 rows" in error_of(binary(model=5, source=dense(matrix(15))))


def test_buckets_nobody_uses_need_no_rows(opened):
    assert opened(binary(ngrams=1, source=dense(matrix(5)))).sizes["buckets"] == 0
    assert opened(binary(model=1, max_n=0, source=dense(matrix(5)))).sizes["buckets"] == 0


def test_ngrams_without_buckets_are_an_error(error_of):
    assert "buckets for n-grams of 2 words, got 0" in error_of(binary(buckets=0))


# --- the dictionary -----------------------------------------------------------------------------


def with_entries(entries, **fields):
    fields = {"words": len(WORDS)} | fields
    tail = b"\0" + dense(matrix(12)) + b"\0" + dense(matrix(5))
    return header(**fields) + entries + tail


def test_of_two_equal_words_the_later_one_is_found(opened):
    words = [*WORDS[:4], WORDS[2]]
    vocabulary = opened(with_entries(dictionary(words))).vocabulary()
    assert vocabulary.words[2] == vocabulary.words[4] == "the"
    assert vocabulary.ids["the"] == 4


def test_a_word_may_be_any_bytes_and_empty(opened):
    words = [(b"", 3), (b"\xff\xfe", 2), (b" \t\n", 1), (b"a" * 5000, 1), (b"\x80", 0)]
    vocabulary = opened(with_entries(dictionary(words))).vocabulary()
    assert [encode(word) for word in vocabulary.words] == [word for word, _ in words]
    assert vocabulary.counts.tolist() == [3, 2, 1, 1, 0]


def test_the_greatest_count_is_a_count(opened):
    words = [*WORDS[:4], (b"x", (1 << 63) - 1)]
    assert opened(with_entries(dictionary(words))).vocabulary()["x"] == (1 << 63) - 1


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (dictionary([*WORDS[:2], (b"bad", -1), *WORDS[3:]]), "expected a count of the entry b'bad'"),
        (dictionary(WORDS[:4], [(b"bad", 1)]), r"expected type 0 \(word\) of the entry b'bad'"),
        (dictionary(WORDS[:4]) + b"bad\0" + b"\0" * 8 + b"\7", "type 0 .*'bad', got 7"),
    ],
)  # fmt: skip
def test_a_bad_entry_is_named_with_its_byte(error_of, entries, message):
    data = with_entries(entries)
    text = error_of(data)
    assert pytest.importorskip("re").search(message, text)
    offset = int(text.split(", byte ")[1].split(":")[0].replace(",", ""))
    assert data.index(b"bad\0") < offset < data.index(b"bad\0") + len(b"bad") + 10


def test_a_word_among_the_labels_is_an_error(error_of):
    data = header(model=3, labels=2, version=12)
    data += dictionary(WORDS, [(b"__label__x", 1)]) + dictionary([(b"word", 1)])
    data += b"\0" + dense(matrix(12)) + b"\0" + dense(matrix(2))
    assert "expected type 1 (label) of the entry b'word', got 0" in error_of(data)


def test_opening_makes_no_object_for_a_word(tmp_path):
    n = 50_000
    words = [(b"word%d" % i, i) for i in range(n)]
    path = tmp_path / "model"
    path.write_bytes(
        header(words=n) + dictionary(words) + b"\0" + dense(matrix(n + 6)) + b"\0"
        + dense(matrix(n))
    )  # fmt: skip
    tracemalloc.start()
    try:
        model = open_fasttext(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 200_000
    vocabulary = model.vocabulary()
    assert vocabulary.words == tuple(f"word{i}" for i in range(n))
    np.testing.assert_array_equal(vocabulary.counts, np.arange(n))


def test_a_dictionary_that_changed_since_it_was_opened_is_an_error(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(binary())
    model = open_fasttext(path)
    begin = len(header())
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(b"\0" * 40)
    with pytest.raises(FormatError, match="has changed since the file was opened"):
        model.vocabulary()


# --- damage -------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ALL_LAYOUTS)
def test_a_file_cut_off_at_any_byte_says_where_it_ends(tmp_path, layout):
    cut_everywhere(tmp_path, ALL_LAYOUTS[layout])


@pytest.mark.parametrize("name", ["maxvocab.bin", "uni.bin"])
def test_a_real_file_cut_off_at_any_byte_says_where_it_ends(tmp_path, name):
    cut_everywhere(tmp_path, (FIXTURES / name).read_bytes())


def cut_everywhere(folder, data):
    path = folder / "model"
    path.write_bytes(data)
    for size in range(len(data) - 1, 0, -1):
        os.truncate(path, size)
        with pytest.raises(FormatError) as caught:
            open_fasttext(path)
        text = str(caught.value)
        assert f"{path} ends at byte {size:,}, expected " in text, text


def test_bytes_left_over_are_an_error(error_of):
    data = binary()
    text = error_of(data + b"\0")
    assert f"byte {len(data):,}: expected the end of the file, got 1 more byte" in text


OFFSETS = {name: 8 + 4 * index for index, name in enumerate(
    ["dim", "window", "epochs", "min_count", "negatives", "ngrams", "loss", "model", "buckets",
     "min_n", "max_n", "lr_update_rate"]
)} | {"entries": 64, "words": 68, "labels": 72}  # fmt: skip
ABSURD = [-1, -(1 << 31), (1 << 31) - 1, 0x7F7F7F7F]


@pytest.mark.parametrize("value", ABSURD)
@pytest.mark.parametrize("name", OFFSETS)
def test_an_absurd_number_in_the_header_is_an_error_where_it_matters(opened, name, value):
    data = bytearray(binary())
    struct.pack_into("<i", data, OFFSETS[name], value)
    # Numbers of the training that encoding does not use may be great.
    if value > 0 and name in ("window", "epochs", "min_count", "negatives", "lr_update_rate"):
        assert opened(bytes(data)).settings[name] == value
    else:
        with pytest.raises(FormatError, match="byte"):
            opened(bytes(data))


@pytest.mark.parametrize("value", [-1, -(1 << 63), (1 << 63) - 1, 1 << 40])
@pytest.mark.parametrize("begin", [84, "input", "output"])
@pytest.mark.parametrize("column", [0, 8])
def test_an_absurd_size_of_a_matrix_or_of_the_pruned_ngrams_is_an_error(
    error_of, begin, column, value
):
    data = bytearray(binary())
    after = {"output": len(data) - 16 - 5 * 3 * 4, "input": len(header()) + len(dictionary()) + 1}
    struct.pack_into("<q", data, after.get(begin, 84) + (column if begin != 84 else 0), value)
    if (begin, value) != (84, -1):
        error_of(bytes(data))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -1.0])
def test_a_subsampling_threshold_that_is_no_number_is_an_error(error_of, value):
    assert "expected subsample" in error_of(binary(subsample=value))


@pytest.mark.parametrize("version", [0, 10, 13, -1, 1 << 30])
def test_another_version_is_an_error(error_of, version):
    assert f"expected version 11 or 12, got {version}" in error_of(binary(version=version))


def test_a_wrong_magic_number_is_an_error(error_of):
    assert f"byte 0: expected the magic number {793712314}" in error_of(b"\1" + binary()[1:])


@pytest.mark.parametrize("flag", [2, 255])
def test_a_flag_is_0_or_1(error_of, flag):
    assert f"got {flag}" in error_of(binary(flags=(flag, 0)))
    assert f"got {flag}" in error_of(binary(flags=(0, flag)))


def test_an_output_matrix_of_other_rows_is_an_error(error_of):
    for rows in (4, 6):
        error_of(binary(target=dense(matrix(rows))))
    error_of(binary(target=dense(matrix(5, dim=2))))


def test_an_empty_file_a_folder_and_no_file_are_told_apart(tmp_path, error_of):
    assert "is empty" in error_of(b"")
    with pytest.raises(FormatError, match="is a directory"):
        open_fasttext(tmp_path)
    with pytest.raises(SourceError, match=r"no model at .*absent"):
        open_fasttext(tmp_path / "absent")
    with pytest.raises(SourceError, match="no model at"):
        open_fasttext(tmp_path / "model" / "below a file")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(FormatError, match="not a regular file"):
            open_fasttext(tmp_path / "pipe")


@pytest.mark.parametrize("name", ["bi.bin", "bi.ftz", "legacy_v1.bin"])
def test_a_gzipped_binary_is_the_same_model(tmp_path, name):
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress((FIXTURES / name).read_bytes()))
    plain, model = open_foreign(FIXTURES / name), check_consistent(open_foreign(packed))
    assert model.layout == plain.layout + ", gzip"
    assert (model.kind, model.settings, model.sizes) == (plain.kind, plain.settings, plain.sizes)
    assert model.vocabulary() == plain.vocabulary()
    for tensor in plain.tensors:
        np.testing.assert_array_equal(model.tensors[tensor], plain.tensors[tensor])


def test_a_gzipped_binary_that_is_damaged_is_an_error_at_its_byte(tmp_path):
    packed, data = tmp_path / "packed", (FIXTURES / "uni.bin").read_bytes()
    packed.write_bytes(gzip.compress(data[:5000]))
    with pytest.raises(FormatError, match="packed ends at byte 5,000, expected the input matrix"):
        open_foreign(packed)
    packed.write_bytes(gzip.compress(data)[:-9])
    with pytest.raises(FormatError, match="packed cannot be decompressed"):
        open_foreign(packed)


SOUND = [*ALL_LAYOUTS.values(), binary(model=5)]


@given(st.sampled_from(SOUND), st.data())
@options(max_examples=300, deadline=None)
def test_changed_bytes_give_an_error_or_a_consistent_model(tmp_path_factory, sound, data):
    changed = bytearray(sound)
    # The numbers are at the beginning; most of the rest is weights.
    places = st.one_of(st.integers(0, 250), st.integers(0, len(sound) - 1))
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(places)] = data.draw(st.integers(0, 255))
    open_or_error(tmp_path_factory.getbasetemp() / "changed", bytes(changed))


@given(st.binary(max_size=400), st.sampled_from([0, 8, 92]))
@options(max_examples=200, deadline=None)
def test_random_bytes_give_an_error_or_a_consistent_model(tmp_path_factory, data, kept):
    open_or_error(tmp_path_factory.getbasetemp() / "random", binary()[:kept] + data)


def open_or_error(path, data):
    path.write_bytes(data)
    with contextlib.suppress(FormatError):
        model = check_consistent(open_fasttext(path))
        to_array(rows_of_opened(model))
