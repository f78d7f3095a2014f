"""Files written for other programs: what comes back when they are read, and what is refused."""

from __future__ import annotations

import errno
import json
import os
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sentvec.errors import StorageError
from sentvec.formats.fasttext_files.write_sent2vec import write_sent2vec
from sentvec.formats.shared import replacing
from sentvec.formats.word_vector_files.reader import open_word_vectors
from sentvec.formats.word_vector_files.write_word2vec import write_word2vec
from sentvec.storage.rows import OffsetRows
from sentvec.text.unicode import encode
from support.places import FIXTURES

MAGIC = 793712314
WORDS = [b"the", "café".encode(), b"\xff\xfe", "\u3000".encode(), b"7"]
ROWS = np.random.default_rng(5).normal(size=(5, 3)).astype(np.float32)
OURS = {
    "dim": 3,
    "ngrams": 2,
    "epochs": 5,
    "min_count": 1,
    "negatives": 30,
    "subsample": 1e-4,
    "lr": 0.3,
    "buckets": 4,
}


def read_back(path):
    model = open_word_vectors(path)
    if "data" in model.tensors:
        offsets, dim = model.tensors["row_offsets"], model.sizes["dim"]
        rows = OffsetRows(model.tensors["data"], offsets, dim).take(np.arange(len(offsets)))
    else:
        rows = model.tensors["input_vectors"]
    return list(map(encode, model.vocabulary().words)), rows


def write_vectors(path, words=WORDS, rows=ROWS, *, binary, pieces=2, **sizes):
    sizes = {"n": len(words), "dim": rows.shape[1], **sizes}
    blocks = np.array_split(rows, pieces)
    write_word2vec(path, iter(words), iter(blocks), binary=binary, **sizes)


# --- word2vec -----------------------------------------------------------------------------------


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("pieces", [1, 2, 7])
def test_word_vectors_come_back_to_the_bit(tmp_path, binary, pieces):
    write_vectors(tmp_path / "out", binary=binary, pieces=pieces)
    words, rows = read_back(tmp_path / "out")
    assert words == WORDS
    assert rows.tobytes() == ROWS.tobytes()


@given(
    arrays(
        np.float32,
        st.tuples(st.integers(1, 6), st.integers(2, 5)),
        elements=st.floats(width=32, allow_nan=False, allow_infinity=False),
    ),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_any_finite_numbers_come_back_to_the_bit(tmp_path_factory, rows, binary):
    path = tmp_path_factory.getbasetemp() / "any"
    words = [b"w%d" % index for index in range(len(rows))]
    write_vectors(path, words, rows, binary=binary)
    found, back = read_back(path)
    assert found == words
    assert back.tobytes() == rows.tobytes()


def test_the_text_is_short_and_the_binary_as_word2vec_writes_it(tmp_path):
    rows = np.array([[0.1, -2, 1e-7]], np.float32)
    write_vectors(tmp_path / "text", [b"a"], rows, binary=False, pieces=1)
    assert (tmp_path / "text").read_bytes() == b"1 3\na 0.1 -2.0 1e-07\n"
    write_vectors(tmp_path / "binary", [b"a"], rows, binary=True, pieces=1)
    assert (tmp_path / "binary").read_bytes() == b"1 3\na " + rows.tobytes() + b"\n"


def test_half_precision_rows_are_written(tmp_path):
    for binary in (False, True):
        write_vectors(tmp_path / "out", rows=ROWS.astype(np.float16), binary=binary)
        expected = ROWS.astype(np.float16).astype(np.float32)
        np.testing.assert_array_equal(read_back(tmp_path / "out")[1], expected)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("word", [b"", b"a b", b"a\nb", b"a\tb", b"\0", b"x" * 70_000])
def test_words_that_cannot_be_told_from_the_rest_are_refused(tmp_path, word, binary):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with pytest.raises(StorageError, match=r"the word .* cannot hold it - drop the word"):
        write_vectors(path, [*WORDS[:4], word], binary=binary)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out"]


def test_numbers_that_are_not_finite_are_refused(tmp_path):
    rows = ROWS.copy()
    rows[3, 1] = np.nan
    with pytest.raises(StorageError, match=r"the vector of b'.*' is not finite"):
        write_vectors(tmp_path / "out", rows=rows, binary=True)


@pytest.mark.parametrize(
    "wrong", [{"words": WORDS[:4], "n": 5}, {"words": [*WORDS, b"x"], "n": 5}, {"n": 6}, {"dim": 2}]
)
def test_words_and_rows_must_be_as_many_as_said(tmp_path, wrong):
    with pytest.raises(ValueError, match=r"expected"):
        write_vectors(tmp_path / "out", binary=True, **wrong)
    assert not os.listdir(tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("binary", [False, True])
def test_gensim_reads_what_we_write(tmp_path, binary):
    keyed = pytest.importorskip("gensim.models.keyedvectors")
    words = [b"the", "café".encode(), "\u3000x".encode()]
    write_vectors(tmp_path / "out", words, ROWS[:3], binary=binary)
    other = keyed.KeyedVectors.load_word2vec_format(str(tmp_path / "out"), binary=binary)
    assert [word.encode() for word in other.index_to_key] == words
    assert other.vectors.tobytes() == ROWS[:3].tobytes()
    other.save_word2vec_format(str(tmp_path / "back"), binary=binary)
    back = read_back(tmp_path / "back")
    assert back[0] == words
    assert back[1].tobytes() == ROWS[:3].tobytes()


# --- the file on disk ---------------------------------------------------------------------------


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(replacing.os, "fsync", full)
    with pytest.raises(StorageError, match=r"the disk is full: .* unchanged; make room"):
        write_vectors(path, binary=True)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out"]


def test_a_link_stays_a_link_and_folders_are_made(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("new/folder/file")
    write_vectors(link, binary=True)
    assert link.is_symlink()
    assert read_back(tmp_path / "new/folder/file")[0] == WORDS


def test_a_folder_is_not_replaced(tmp_path):
    with pytest.raises(StorageError, match="exists and is not a file"):
        write_vectors(tmp_path, binary=True)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="cannot write"):
        write_vectors(tmp_path / "file" / "below", binary=True)


# --- Sent2Vec -----------------------------------------------------------------------------------


def parse(path):
    """A v11 file as `write_sent2vec` takes it, and the entry types; read here once more, by hand."""
    data = path.read_bytes()
    position = 0

    def take(form):
        nonlocal position
        values = struct.unpack_from("<" + form, data, position)
        position += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    assert take("2i") == (MAGIC, 11)
    names = (
        "dim",
        "window",
        "epochs",
        "min_count",
        "negatives",
        "ngrams",
        "loss",
        "model",
        "buckets",
    )
    fields = dict(zip(names, take("9i"), strict=True))
    if fields["model"] == 5:
        fields["char_buckets"] = take("i")
    fields |= dict(zip(("min_n", "max_n", "lr_update_rate"), take("3i"), strict=True))
    fields["subsample"] = take("d")
    size, n_words, n_labels = take("3i")
    fields["tokens"], pruned = take("2q")
    assert (size, n_labels, pruned) == (n_words, 0, -1)
    words, counts = [], []
    for _ in range(size):
        end = data.index(b"\0", position)
        words.append(data[position:end])
        position = end + 1
        counts.append(take("q"))
        assert take("b") == 0
    matrices = []
    for _ in range(2):
        assert take("b") == 0
        rows, dim = take("2q")
        matrices.append(np.frombuffer(data, "<f4", rows * dim, position).reshape(rows, dim))
        position += 4 * rows * dim
    assert position == len(data)
    fields["loss"] = {1: "hs", 2: "ns", 3: "softmax"}[fields["loss"]]
    fields["model"] = {4: "sent2vec", 5: "cbow-c+w-ngrams"}[fields["model"]]
    return fields, words, np.array(counts, np.int64), *matrices


@pytest.mark.parametrize("name", ["uni", "bi", "tri", "maxvocab", "hs", "cwngrams"])
def test_a_released_model_is_written_back_to_the_byte(tmp_path, name):
    fields, words, counts, inputs, outputs = parse(FIXTURES / f"{name}.bin")
    write_sent2vec(
        tmp_path / "out.bin",
        words=words,
        counts=counts,
        settings=fields,
        input_blocks=iter(np.array_split(inputs, 3)),
        input_rows=len(inputs),
        output_blocks=iter(np.array_split(outputs, 2)),
    )
    assert (tmp_path / "out.bin").read_bytes() == (FIXTURES / f"{name}.bin").read_bytes()


def write_ours(path, *, words=WORDS, rows=9, outputs=None, **changed):
    inputs = np.arange(3 * rows, dtype=np.float32).reshape(rows, 3)
    write_sent2vec(
        path,
        words=words,
        counts=np.arange(len(words))[::-1].astype(np.int64),
        settings={**OURS, **changed},
        input_blocks=[inputs],
        input_rows=rows,
        output_blocks=outputs,
    )
    return inputs


def test_our_models_keep_their_ids_and_rows(tmp_path):
    inputs = write_ours(tmp_path / "out.bin", outputs=[ROWS])
    fields, words, counts, back, outputs = parse(tmp_path / "out.bin")
    assert words == WORDS
    assert counts.tolist() == [4, 3, 2, 1, 0]
    np.testing.assert_array_equal(back, inputs)
    np.testing.assert_array_equal(outputs, ROWS)
    assert fields == {
        "dim": 3, "window": 5, "epochs": 5, "min_count": 1, "negatives": 30, "ngrams": 2,
        "loss": "ns", "model": "sent2vec", "buckets": 4, "min_n": 0, "max_n": 0,
        "lr_update_rate": 100, "subsample": 1e-4, "tokens": 10,
    }  # fmt: skip


def test_without_a_target_matrix_zeros_stand_for_it(tmp_path):
    write_ours(tmp_path / "out.bin")
    outputs = parse(tmp_path / "out.bin")[4]
    assert outputs.shape == (5, 3)
    assert not outputs.any()


def test_a_model_of_words_alone_needs_no_buckets(tmp_path):
    inputs = write_ours(tmp_path / "out.bin", rows=5, ngrams=1, buckets=0)
    fields, _, _, back, _ = parse(tmp_path / "out.bin")
    assert (fields["buckets"], fields["max_n"]) == (0, 0)
    np.testing.assert_array_equal(back, inputs)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rows": 8}, "8 rows are fewer than its 9 words and buckets"),
        ({"buckets": 0}, "n-grams of 2 words need buckets"),
        ({"ngrams": 1, "buckets": 0, "max_n": 6}, "character n-grams need buckets"),
        ({"words": []}, "cannot hold 0 words"),
        ({"words": [*WORDS[:4], b"a\0b"]}, "a word contains a NUL"),
        ({"model": "skip-gram"}, "the model 'skip-gram' is none of sent2vec"),
        ({"min_count": 1 << 40}, "a setting does not fit the format"),
    ],
)
def test_what_the_program_could_not_use_is_refused(tmp_path, changed, message):
    with pytest.raises(StorageError, match=message):
        write_ours(tmp_path / "out.bin", **changed)
    assert not os.listdir(tmp_path)


def test_matrices_of_another_shape_are_refused(tmp_path):
    for outputs in ([ROWS[:4]], [ROWS[:, :2]], [ROWS, ROWS]):
        with pytest.raises(ValueError, match="rows"):
            write_ours(tmp_path / "out.bin", outputs=outputs)
    with pytest.raises(ValueError, match="5 words and 4 counts"):
        write_sent2vec(
            tmp_path / "out.bin", words=WORDS, counts=np.zeros(4, np.int64), settings=OURS,
            input_blocks=[np.zeros((9, 3), np.float32)], input_rows=9,
        )  # fmt: skip
    assert not os.listdir(tmp_path)


def test_headers_are_what_the_reference_lists(shared):
    headers = json.loads((shared / "fixtures/sent2vec/headers.json").read_text())
    for name in ("uni", "bi", "tri", "maxvocab", "hs", "cwngrams"):
        fields, words, _, inputs, outputs = parse(FIXTURES / f"{name}.bin")
        assert headers[name]["input_shape"] == list(inputs.shape)
        assert headers[name]["output_shape"] == list(outputs.shape)
        assert headers[name]["nwords"] == len(words)
        assert headers[name]["bucket"] == fields["buckets"]
