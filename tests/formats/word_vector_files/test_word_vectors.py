"""Files of word vectors: every layout, every kind of damage, and what other readers make of them."""

from __future__ import annotations

import errno
import gzip
import io
import os
import pickle
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.errors import FormatError, SourceError, StorageError
from sentvec.formats.shared import buffers
from sentvec.formats.word_vector_files import binary as word2vec_binary
from sentvec.formats.word_vector_files import text as vector_text
from sentvec.formats.word_vector_files.decimals import parse_numbers
from sentvec.formats.word_vector_files.reader import open_word_vectors
from sentvec.storage.rows import OffsetRows

WORDS = ["the", "cat", "zeeën", "。"]
ROWS = np.array([[1, -2.5, 0.125], [3, 4, -0.5], [1e-5, 0, 7], [2, 2, 2]], np.float32)
TEXT = "the 1 -2.5 0.125\ncat 3 4 -0.5\nzeeën 1e-5 0 7\n。 2 2 2\n".encode()
SIZED = b"4 3\n" + TEXT


def binary(words=WORDS, rows=ROWS, *, after=b"\n", sizes=None):
    head = f"{len(words)} {rows.shape[1]}\n".encode() if sizes is None else sizes
    parts = (
        word.encode("utf-8", "surrogateescape") + b" " + row.astype("<f4").tobytes() + after
        for word, row in zip(words, rows, strict=True)
    )
    return head + b"".join(parts)


@pytest.fixture
def opened(tmp_path):
    def open_bytes(data, name="vectors"):
        path = tmp_path / name
        path.write_bytes(data)
        return open_word_vectors(path)

    return open_bytes


def vectors_of(model):
    tensors = model.tensors
    if "data" in tensors:
        rows = OffsetRows(tensors["data"], tensors["row_offsets"], model.sizes["dim"])
        return rows.take(np.arange(rows.shape[0]))
    return tensors["input_vectors"]


def content(model):
    vocabulary = model.vocabulary()
    vectors = vectors_of(model)
    assert model.kind == "word-vectors"
    assert model.settings["model"] == "word-vectors"
    assert model.sizes == {"vocabulary": len(vocabulary), "buckets": 0, "dim": vectors.shape[1]}
    assert len(vocabulary.ids) == len(vocabulary) == len(vectors) > 0
    assert vectors.dtype == np.float32
    assert vocabulary.counts.dtype == np.int64
    assert not vocabulary.counts.any()
    return list(vocabulary.words), vectors


def assert_content(model, words=WORDS, rows=ROWS):
    found, vectors = content(model)
    assert found == list(words)
    np.testing.assert_array_equal(vectors, rows)


# --- layouts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "layout"),
    [
        (binary(), "word2vec binary"),
        (binary(after=b""), "word2vec binary"),
        (binary()[:-1], "word2vec binary"),
        (binary(after=b"") + b"\n", "word2vec binary"),
        (SIZED, "word vectors as text with size line (word2vec)"),
        (SIZED[:-1], "word vectors as text with size line (word2vec)"),
        (TEXT, "word vectors as text without size line (GloVe)"),
        (TEXT[:-1], "word vectors as text without size line (GloVe)"),
        (SIZED.replace(b"\n", b" \n"), "word vectors as text with size line (fastText .vec)"),
        (SIZED.replace(b"\n", b"\r\n"), "word vectors as text with size line (word2vec)"),
        (TEXT.replace(b"\n", b"\r\n"), "word vectors as text without size line (GloVe)"),
        (b"\xef\xbb\xbf" + SIZED, "word vectors as text with size line (word2vec)"),
        (b"\xef\xbb\xbf" + TEXT, "word vectors as text without size line (GloVe)"),
        (SIZED + b"\n \n\n", "word vectors as text with size line (word2vec)"),
        (b"\n" + TEXT.replace(b"\n", b"\n\n"), "word vectors as text without size line (GloVe)"),
        (SIZED.replace(b" ", b"\t"), "word vectors as text with size line (word2vec)"),
        (TEXT.replace(b" ", b"  "), "word vectors as text without size line (GloVe)"),
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_each_layout_is_told_from_its_content(opened, data, layout, compressed):
    model = opened(gzip.compress(data) if compressed else data, "misleading.model.npy")
    assert_content(model)
    assert model.layout == layout + ", gzip" * compressed


def test_binary_vectors_are_used_in_place(opened):
    tensors = opened(binary()).tensors
    assert not tensors["data"].flags.writeable
    assert tensors["row_offsets"].tolist() == [8, 25, 45, 62]
    rows = OffsetRows(tensors["data"], tensors["row_offsets"], 3)
    assert rows.shape == (4, 3)
    np.testing.assert_array_equal(rows.take(np.array([3, 0, 3])), ROWS[[3, 0, 3]])
    assert rows.take(np.arange(0)).shape == (0, 3)
    with pytest.raises(IndexError):
        rows.take(np.array([4]))


def test_words_are_bytes_of_any_encoding(opened):
    words = ["caf\udce9", "\udcff\udcfe", "a\xa0b", "\u3000", "x\x0by"]
    rows = np.arange(10, dtype=np.float32).reshape(5, 2)
    assert_content(opened(binary(words, rows)), words, rows)
    lines = [
        f"{word} {row[0]} {row[1]}".encode("utf-8", "surrogateescape")
        for word, row in zip(words, rows, strict=True)
    ]
    assert_content(opened(b"\n".join(lines)), words, rows)


def test_a_word_of_text_may_hold_blanks(opened):
    data = b". . . 1 2 3\nat name@domain.com 4 5 6\n\xe2\x80\xa2  a 7 8 9\nplain 0 0 0\n"
    words = [". . .", "at name@domain.com", "•  a", "plain"]
    rows = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [0, 0, 0]]
    assert_content(opened(data), words, rows)
    assert_content(opened(b"4 3\n" + data), words, rows)


def test_words_that_are_numbers_are_words(opened):
    assert_content(opened(b"1 2\n7 0.5 0.25\n"), ["7"], [[0.5, 0.25]])
    assert_content(opened(b"a 1 2\n1999 3 4\n"), ["a", "1999"], [[1, 2], [3, 4]])


def test_the_first_of_equal_words_counts(opened):
    words = ["a", "b", "a", "c", "b", "a"]
    rows = np.arange(12, dtype=np.float32).reshape(6, 2)
    text = b"".join(f"{w} {x} {y}\n".encode() for w, (x, y) in zip(words, rows, strict=True))
    for data in (text, b"6 2\n" + text, binary(words, rows)):
        assert_content(opened(data), ["a", "b", "c"], rows[[0, 1, 3]])


def test_different_words_of_one_hash_stay(opened, monkeypatch):
    monkeypatch.setattr("builtins.hash", len)
    assert_content(opened(binary()))


@pytest.mark.parametrize("block", [64, 100, 1000])
def test_blocks_end_where_they_will(opened, monkeypatch, block):
    monkeypatch.setattr(vector_text, "_BLOCK_BYTES", block)
    monkeypatch.setattr(vector_text, "MAX_WORD", 8)
    monkeypatch.setattr(vector_text, "_MAX_NUMBER", 12)
    monkeypatch.setattr(word2vec_binary, "_BLOCK_BYTES", block)
    monkeypatch.setattr(word2vec_binary, "MAX_WORD", 8)
    rng = np.random.default_rng(block)
    words = [f"w{index}" for index in range(500)]
    rows = rng.normal(size=(500, 4)).astype(np.float32)
    text = b"".join(
        f"{word} {' '.join(map(str, row))}\n".encode()
        for word, row in zip(words, rows, strict=True)
    )
    for data in (text, b"500 4\n" + text, binary(words, rows), binary(words, rows, after=b"")):
        assert_content(opened(data), words, rows)


# --- numbers ------------------------------------------------------------------------------------

FIELDS = st.one_of(
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(lambda x: str(np.float32(x))),
    st.floats(-10, 10).map(lambda x: f"{x:.6f}"),
    st.from_regex(r"[+-]?([0-9]{1,18}\.?[0-9]{0,18}|\.[0-9]{1,18})", fullmatch=True),
    st.integers(-(10**20), 10**20).map(str),
)


@given(st.lists(FIELDS, min_size=1, max_size=40))
@settings(max_examples=300, deadline=None)
def test_numbers_are_read_as_python_reads_them(fields):
    values = parse_numbers(" ".join(fields).encode(), len(fields))
    expected = np.array([float(field) for field in fields], np.float64).astype(np.float32)
    assert values is not None
    assert values.tobytes() == expected.tobytes()


@given(
    st.lists(FIELDS, min_size=20, max_size=20),
    st.text("0123456789.-+eE_x,", max_size=6),
    st.integers(0, 19),
)
@settings(max_examples=300, deadline=None)
def test_what_is_no_number_is_found_among_numbers(fields, strange, place):
    fields[place] = strange
    values = parse_numbers(" ".join(fields).encode(), 20)
    try:
        expected = float(strange) if "_" not in strange else np.nan
    except ValueError:
        expected = np.nan
    if abs(expected) < 1e38:
        expected = np.float32(expected)
        assert values is not None
        assert values[place] == expected
    else:
        assert values is None


@pytest.mark.parametrize("sign", ["", "-"])
def test_the_largest_number_is_where_float32_has_it(sign):
    edge = 2**128 - 2**103  # halfway between the largest float32 and 2^128, and even is up
    values = parse_numbers(f"{sign}{edge - 1}".encode(), 1)
    assert values is None  # as double, that is the edge
    values = parse_numbers(f"{sign}{edge - 2**76}".encode(), 1)
    assert abs(values[0]) == np.finfo(np.float32).max


# --- text that is wrong -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"4 3\nthe 1 2 3\ncat 1 2\nsat 1 2 3\non 1 2 3\n", r"line 3: 2 fields after the word 'cat', expected 3"),
        (b"the 1 2 3\ncat 1 2\nsat 1 2 3\n", r"line 2: 2 fields after the word 'cat', expected 3"),
        (b"a 1 2 3\nthe 1 2 3 4\nb 1 2 3\n", r"line 2: 4 numbers after the word 'the', expected 3"),
        (b"2 3\nthe 1 2 3\ncat 1 x7 3\n", r"line 3: field 2 after the word 'cat' is 'x7', expected a number"),
        (b"2 3\nthe 1 2 3\ncat 1 1_0 3\n", r"line 3: field 2 .* is '1_0', expected a number"),
        (b"2 3\nthe 1 2 3\ncat 1 -2-3 3\n", r"line 3: field 2 .* is '-2-3', expected a number"),
        (b"2 3\nthe 1 2 3\ncat 1 2 nan\n", r"line 3: field 3 .* is 'nan', expected a number finite"),
        (b"2 3\nthe -inf 2 3\ncat 1 2 0\n", r"line 2: field 1 .* is '-inf', expected a number finite"),
        (b"2 3\nthe 1e39 2 3\ncat 1 2 0\n", r"line 2: field 1 .* is '1e39', expected a number finite"),
        (b"a 1 2 3\n 4 5 6\nb 1 2 3\n", r"line 2: no word before the 3 numbers"),
        (b"2 3\na 1 2 3\n\t4 5 6\n", r"line 3: no word before the 3 numbers"),
        (b"3 3\na 1.5 2.5 3.5\nb 4.5 5 6\n", r"the size line says 3 words, the file has 2"),
        (b"1 3\na 1 2 3\nb 4 5 6\n", r"the size line says 1 words, the file has more"),
        (b"2 2\na 1 2 3\nb 4 5 6\n", r"line 2: 3 numbers after the word 'a', expected 2"),
        (b"2 5\na 1.5 2.5 3.5 4\nb 4 5 6 7\n", r"line 2: 4 fields after the word 'a', expected 5"),
        (b"2 3\na 1 2 3\nb\0c 4 5 6\n", r"line 3: expected a word, got 3 bytes"),
        (b"-2 3\na 1 2 3\nb 4 5 6\n", r"line 1: 1 field after the word '-2', expected 3"),
        (b"0 5\n", r"says 0 words of 5 numbers .* no vectors to load"),
        (b"5 0\na\nb\nc\nd\ne\n", r"says 5 words of 0 numbers"),
        (b"3 5\n", r"says 3 words of 5 numbers, which take .* truncated"),
        (b"1000000 300\nthe 1 2 3\n", r"which take at least 602,000,000 bytes; 10 follow"),
        (b"3 99999999999999999999999999\nthe 1 2 3\n", r"truncated or damaged"),
        (b"99999999999999999999999999 3\nthe 1 2 3\n", r"truncated or damaged"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("compressed", [False, True])
def test_a_fault_in_a_text_is_named(opened, tmp_path, data, message, compressed):
    with pytest.raises(FormatError, match=message) as caught:
        opened(gzip.compress(data) if compressed else data)
    assert str(tmp_path / "vectors") in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "an empty file"),
        (b"\n\n\n", "a text that begins with ''"),
        (b"It was the best of times.\nIt was the worst.\n", "begins with 'It was the best of times.'"),
        (b"In 1999 there were 3\nIn 2000 none\nend\n", "begins with 'In 1999 there were 3'"),
        (b"the 100\ncat 50\nsat 20\n", "begins with 'the 100'"),
        (b"0.5 0.25 0.125\n1.5 2.5 3.5\n", "begins with '0.5 0.25 0.125'"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"\xff\xd8\xff\xe0" + bytes(100), "a JPEG image"),
        (b"\x93NUMPY\x01\x00", "a NumPy array"),
        (b"\xfd7zXZ\0" + bytes(20), "xz-compressed: decompress it"),
        (pickle.dumps({"vectors": [1]}, 2), "Python pickle.*save_word2vec_format"),
        (pickle.dumps({"vectors": [1]}, 4), "Python pickle.*save_word2vec_format"),
        (np.random.default_rng(1).bytes(5000), "unknown content, beginning with the bytes"),
    ],
)  # fmt: skip
def test_what_is_no_model_is_said_to_be_what_it_is(opened, data, message):
    with pytest.raises(FormatError, match=message):
        opened(data)


def test_an_archive_is_no_model(opened):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("glove.txt", TEXT)
    with pytest.raises(FormatError, match=r"zip archive.*readable are"):
        opened(archive.getvalue())


def test_a_line_without_end_is_refused_soon(opened, monkeypatch):
    monkeypatch.setattr(vector_text, "_BLOCK_BYTES", 1 << 10)
    with pytest.raises(FormatError, match=r"the line at byte 28 has more than 65,"):
        opened(b"5 2\n" + b"a 1 2\n" * 4 + b"x" * 200_000 + b" 1 2\n")
    with pytest.raises(FormatError, match="not a model"):
        opened(b"x" * 3_000_000)


# --- binaries that are wrong --------------------------------------------------------------------


@pytest.mark.parametrize("after", [b"", b"\n"])
def test_a_binary_cut_anywhere_is_refused(opened, after):
    data = binary(after=after)
    whole = len(data) - len(after)
    for end in range(whole):
        with pytest.raises(FormatError):
            opened(data[:end])
    assert_content(opened(data[:whole]))


def test_a_text_cut_anywhere_is_refused_or_consistent(opened):
    for data in (SIZED, TEXT):
        for end in range(len(data)):
            try:
                words, vectors = content(opened(data[:end]))
            except FormatError:
                continue
            # No text shows that its last number lacks digits, or its last line a number before.
            assert words[:-1] == WORDS[: len(words) - 1]
            if vectors.shape[1] == 3:
                np.testing.assert_array_equal(vectors[:-1], ROWS[: len(words) - 1])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            binary()[:-3],
            r"word 4 of 4 at byte 58: its vector of 12 bytes ends after the file \(72 ",
        ),
        (binary()[:60], r"the file is truncated|truncated"),
        (binary(sizes=b"5 3\n") + b"aa", r"truncated"),
        (binary(sizes=b"3 3\n"), r"the 3 words of the size line end at byte 58, the file at 75"),
        (binary(sizes=b"4 2\n"), r"word 1 of 4 at byte|expected a word and a space"),
        (binary(["the", "", "cat", "x"]), r"word 2 of 4 at byte 21: expected a word and a space"),
        (binary(["the", "a\0b", "cat", "x"]), r"word 2 of 4 .* got b'a\\x00b"),
        (binary(["the", "a\nb", "cat", "x"]), r"word 2 of 4 .* got b'a\\nb"),
        (b"2 3\n" + bytes(range(128, 256)) * 2, r"word 1 of 2 at byte 4"),
        (b"2147483647 2147483647\n" + bytes(500), r"truncated or damaged"),
        (b"-1 3\n" + bytes(500), r"not a model"),
        (b"1 2000000\nw " + bytes(8_000_000), r"truncated or damaged"),
    ],
)
def test_a_fault_in_a_binary_is_named(opened, data, message):
    with pytest.raises(FormatError, match=message):
        opened(data)


def test_a_word_longer_than_any_word_is_refused(opened):
    with pytest.raises(FormatError, match="word 1 of 1 at byte 4: expected a word"):
        opened(b"1 2\n" + b"\xfe" * 70_000 + b" " + bytes(8))


# --- files --------------------------------------------------------------------------------------


def test_a_gzip_file_cut_anywhere_is_refused(opened):
    data = gzip.compress(binary())
    for end in range(2, len(data)):
        with pytest.raises(FormatError, match="cannot be decompressed"):
            opened(data[:end])


def test_a_damaged_gzip_file_is_refused(opened):
    data = bytearray(gzip.compress(TEXT))
    data[-6] ^= 1  # the checksum
    with pytest.raises(FormatError, match="gzip file is damaged"):
        opened(bytes(data))


def test_gzip_is_decompressed_into_a_file_without_name(opened, tmp_path, monkeypatch):
    monkeypatch.setattr(buffers.tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    model = opened(gzip.compress(binary()))
    assert not list((tmp_path / "scratch").iterdir())
    assert_content(model)


def test_a_full_disk_for_temporary_files_is_said_so(opened, tmp_path, monkeypatch):
    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(buffers.tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(StorageError, match="the disk is full - set TMPDIR"):
        opened(gzip.compress(binary()))
    monkeypatch.undo()
    monkeypatch.setattr(buffers.tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(StorageError, match="set TMPDIR"):
        opened(gzip.compress(binary()))


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(SourceError, match="no model at"):
        open_word_vectors(tmp_path / "absent")
    with pytest.raises(SourceError, match="is not a path"):
        open_word_vectors(tmp_path / "a\0b")
    with pytest.raises(FormatError, match="is a directory"):
        open_word_vectors(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FormatError, match="not a regular file"):
        open_word_vectors(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_a_source_error(tmp_path):
    path = tmp_path / "vectors"
    path.write_bytes(TEXT)
    path.chmod(0)
    with pytest.raises(SourceError, match="no permission"):
        open_word_vectors(path)


# --- whatever the bytes -------------------------------------------------------------------------

MUTATION = st.tuples(st.integers(0, 200), st.integers(0, 5), st.binary(max_size=5))


@given(
    st.sampled_from([binary(), binary(after=b""), SIZED, TEXT]),
    st.lists(MUTATION, min_size=1, max_size=4),
)
@settings(max_examples=500, deadline=None)
def test_damage_is_refused_or_leaves_a_consistent_model(tmp_path_factory, data, mutations):
    for place, removed, inserted in mutations:
        data = data[:place] + inserted + data[place + removed :]
    path = tmp_path_factory.getbasetemp() / "mutated"
    path.write_bytes(data)
    try:
        model = open_word_vectors(path)
    except FormatError:
        return
    content(model)


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_refused_or_a_consistent_model(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "random"
    for head in (b"", b"2 3\n", b"1 1\n"):
        path.write_bytes(head + data)
        try:
            model = open_word_vectors(path)
        except FormatError:
            continue
        content(model)


# --- files of other programs --------------------------------------------------------------------


def test_binary_and_text_of_one_model_agree(shared):
    folder = shared / "fixtures" / "word2vec"
    words, rows = content(open_word_vectors(folder / "similarity.bin"))
    for name in ("similarity.txt", "similarity.nodims"):
        assert content(open_word_vectors(folder / name))[0] == words
        np.testing.assert_array_equal(content(open_word_vectors(folder / name))[1], rows)
    assert words[0] == "Berlin"
    assert rows[0, :3].tolist() == np.float32([1.4724287, -3.0660472, 1.2919313]).tolist()


def test_words_that_are_not_utf8_survive(shared):
    folder = shared / "fixtures" / "word2vec"
    for name, word in (("utf8-incomplete.txt", "zee\udcc3n"), ("utf8-incomplete.dims", "zee\udcc3n"),
                       ("utf8-incomplete.bin", "zee\udcbfn")):  # fmt: skip
        words, rows = content(open_word_vectors(folder / name))
        assert words == ["meren", word, "rivieren"]
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        np.testing.assert_allclose(unit * 2**0.5, [[-1, 0, 1], [1, 0, -1], [0, -1, 1]], atol=1e-6)
    words, rows = content(open_word_vectors(folder / "w2v_keyedvectors_load_test.modeldata"))
    assert words[0] == "ありがとう\udce3\udc83"
    np.testing.assert_array_equal(rows, np.float32([[0.6, 0.6, 0.6], [0.1, 0.2, 0.3]]))


def test_many_digits_round_to_the_nearest_float32(shared):
    folder = shared / "fixtures" / "word2vec"
    words, rows = content(open_word_vectors(folder / "high_precision.kv.txt"))
    assert words == ["kangaroo.n.01", "horse.n.01"]
    expected = [[-0.00073692442452247870, -8.269973595356034e-05],
                [-0.00085462823435953379, 0.00076941425763168290]]  # fmt: skip
    assert rows.tolist() == np.array(expected).astype(np.float32).tolist()
    content(open_word_vectors(folder / "high_precision.kv.bin"))


def test_files_of_glove_and_fasttext_are_read(shared):
    words, rows = content(open_word_vectors(shared / "fixtures/word2vec/test_glove.txt"))
    assert (len(words), words[:3], rows.shape) == (76, ["the", "ö", "é"], (76, 50))
    assert rows[0, 0] == np.float32(0.418)
    words, rows = content(open_word_vectors(shared / "fixtures/word2vec/euclidean_vectors.bin"))
    assert rows.shape == (2747, 10)
    for path in [*shared.glob("fixtures/fasttext/*.vec"), *shared.glob("fixtures/sent2vec/*.vec")]:
        if path.name == "pretrained.vec":  # says 3 words and has 1
            with pytest.raises(FormatError, match="says 3 words, the file has 1"):
                open_word_vectors(path)
            continue
        words, rows = content(open_word_vectors(path))
        lines = path.read_bytes().split(b"\n")
        assert list(rows.shape) == list(map(int, lines[0].split()))
        last = lines[len(words)].split()
        assert (
            rows[-1].tolist()
            == np.array(list(map(float, last[-rows.shape[1] :])), np.float32).tolist()
        )


def test_lists_that_are_not_vectors_are_refused(shared):
    for path in (
        shared / "fixtures/word2vec/w2v_keyedvectors_load_test.vocab",
        shared / "fixtures/sent2vec/corpus.txt",
        shared / "fixtures/sent2vec/bi.vocab.txt",
        shared / "fixtures/sent2vec/bi.sentvec.txt",
        shared / "fixtures/sent2vec/bi.bin",
        shared / "fixtures/sent2vec/legacy_v1.bin",
        shared / "fixtures/sent2vec/headers.json",
        shared / "fixtures/sent2vec/bi.pyembed.npy",
    ):
        with pytest.raises(FormatError, match="not a model"):
            open_word_vectors(path)


@pytest.mark.filterwarnings("ignore")
def test_gensim_reads_the_same(shared):
    keyed = pytest.importorskip("gensim.models.keyedvectors")
    folder = shared / "fixtures/word2vec"
    for name, options in (
        ("similarity.bin", {"binary": True}),
        ("euclidean_vectors.bin", {"binary": True}),
        ("similarity.txt", {}),
        ("similarity.nodims", {"no_header": True}),
        ("test_glove.txt", {"no_header": True}),
    ):
        other = keyed.KeyedVectors.load_word2vec_format(str(folder / name), **options)
        assert_content(open_word_vectors(folder / name), other.index_to_key, other.vectors)


def test_a_struct_of_one_row_is_read_at_any_address(opened):
    for length in range(1, 9):
        data = b"1 1\n" + b"w" * length + b" " + struct.pack("<f", -1.5)
        assert_content(opened(data), ["w" * length], [[-1.5]])
