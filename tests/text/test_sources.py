"""What a corpus argument may be, and which bytes come out of it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.errors import InputTypeError, MissingExtraError, SentvecError, SourceError
from sentvec.text import compression, sources
from sentvec.text.sources import open_corpus, open_stream, read_lines

TEXT = b"one two\nthree four\n\nfive six\n"
BOM = b"\xef\xbb\xbf"
INCOMPRESSIBLE = random.Random(0).randbytes(3000).hex().encode()


def compress_zstd(data):
    return pytest.importorskip("zstandard").compress(data)


COMPRESS = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": compress_zstd,
}
compressed = pytest.mark.parametrize("suffix", COMPRESS)


def read(corpus):
    return [b"".join(source.blocks()) for source in open_corpus(corpus)]


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def standard_input(monkeypatch):
    def put(data):
        buffer = io.BufferedReader(io.BytesIO(data))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(buffer))

    return put


# Paths.


@pytest.mark.parametrize("form", [str, Path])
def test_a_corpus_may_be_the_path_of_a_file(tmp_path, form):
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    (source,) = open_corpus(form(path))
    assert (b"".join(source.blocks()), source.name) == (TEXT, str(path))


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("form", [str, Path])
def test_a_corpus_may_be_a_list_of_paths_read_in_the_order_given(tmp_path, form, kind):
    paths = [tmp_path / name for name in ("b.txt", "a.txt")]
    for path in paths:
        path.write_bytes(path.stem.encode() + b" x\n")
    assert read(kind(map(form, paths))) == [b"b x\n", b"a x\n"]


def test_a_list_of_paths_may_hold_globs(tmp_path):
    for name in ("a1.txt", "a2.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    assert read([tmp_path / "b.txt", tmp_path / "a*.txt"]) == [b"b.txt", b"a1.txt", b"a2.txt"]


def test_a_glob_means_its_files_in_sorted_order_without_folders(tmp_path):
    for name in ("c.txt", "a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "folder.txt").mkdir()
    assert read(str(tmp_path / "*.txt")) == [b"a.txt", b"b.txt", b"c.txt"]


def test_a_glob_may_go_through_all_folders(tmp_path):
    (tmp_path / "x" / "y").mkdir(parents=True)
    for name in ("a.txt", "x/b.txt", "x/y/c.txt"):
        (tmp_path / name).write_text(name)
    assert read(str(tmp_path / "**" / "*.txt")) == [b"a.txt", b"x/b.txt", b"x/y/c.txt"]


def test_a_file_whose_name_looks_like_a_glob_is_that_file(tmp_path):
    for name in ("[ab].txt", "a.txt"):
        (tmp_path / name).write_text(name)
    assert read(tmp_path / "[ab].txt") == [b"[ab].txt"]


def test_a_glob_that_matches_nothing_is_an_error(tmp_path):
    with pytest.raises(SourceError, match=r"no file matches .*\*\.txt"):
        open_corpus(str(tmp_path / "*.txt"))


def test_a_missing_file_is_an_error_before_any_other_file_is_read(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT)
    with pytest.raises(SourceError, match=r"file not found: .*b\.txt"):
        open_corpus([tmp_path / "a.txt", tmp_path / "b.txt"])


def test_a_list_of_mistyped_paths_is_an_error_and_no_corpus_of_sentences(in_folder):
    with pytest.raises(SourceError, match=r"file not found: wiki-1\.txt"):
        open_corpus(["wiki-1.txt", "wiki-2.txt.gz"])


def test_one_mistyped_path_among_paths_is_an_error(in_folder):
    (in_folder / "corpus").write_bytes(TEXT)
    with pytest.raises(SourceError, match="file not found: corpsu"):
        open_corpus(["corpus", "corpsu"])


def test_a_directory_is_an_error_that_names_the_way_out(tmp_path):
    with pytest.raises(SourceError, match=r"is a directory.*/\*\.txt"):
        open_corpus(tmp_path)


def test_a_file_without_permission_is_an_error(tmp_path, monkeypatch):
    def refuse(self, *_, **__):
        raise PermissionError(13, "Permission denied", str(self))

    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SourceError, match=r"no permission to read .*a\.txt"):
        open_corpus(path)


def test_any_other_failure_to_open_names_the_file_and_the_reason():
    with pytest.raises(SourceError, match=r"cannot read x+: File name too long"):
        open_corpus("x" * 3000)


def test_a_read_error_in_the_middle_of_a_file_names_it(tmp_path, monkeypatch):
    class Failing(io.BytesIO):
        def read(self, *_):
            raise OSError(5, "Input/output error")

    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    monkeypatch.setattr(Path, "open", lambda *_: Failing(TEXT))
    with pytest.raises(SourceError, match=r"a\.txt cannot be read to its end: .*Input/output"):
        read(path)


def test_every_error_of_a_source_is_also_an_os_error(tmp_path):
    with pytest.raises(OSError, match="file not found"):
        open_corpus(tmp_path / "absent")


# Compressed files.


@compressed
def test_a_compressed_file_is_read_whatever_its_name(tmp_path, suffix):
    data = COMPRESS[suffix](TEXT)
    for name in ("right" + suffix, "wrong.txt", "other.gz", "other.zst", "none"):
        (tmp_path / name).write_bytes(data)
        assert read(tmp_path / name) == [TEXT]


@compressed
def test_a_plain_file_with_the_name_of_a_compressed_one_is_read(tmp_path, suffix):
    path = tmp_path / ("plain" + suffix)
    path.write_bytes(TEXT)
    assert read(path) == [TEXT]


@compressed
def test_compressed_files_joined_end_to_end_are_read_to_the_end(tmp_path, suffix):
    (tmp_path / "x").write_bytes(COMPRESS[suffix](b"a b\n") + COMPRESS[suffix](b"c d\n"))
    assert read(tmp_path / "x") == [b"a b\nc d\n"]


@compressed
def test_a_compressed_empty_file_is_empty(tmp_path, suffix):
    (tmp_path / "x").write_bytes(COMPRESS[suffix](b""))
    assert read(tmp_path / "x") == [b""]


@compressed
def test_a_compressed_file_of_many_blocks_is_read_whole(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(compression, "_PIECE_BYTES", 1000)
    monkeypatch.setattr(compression, "_COMPRESSED_BYTES", 100)
    text = b"".join(b"%x %x\n" % (i * i * 7919, i) for i in range(3000))
    (tmp_path / "x").write_bytes(COMPRESS[suffix](text))
    assert read(tmp_path / "x") == [text]


@compressed
@pytest.mark.parametrize("part", [0.1, 0.5, 0.999])
def test_a_truncated_compressed_file_is_an_error_that_names_it(tmp_path, suffix, part):
    data = COMPRESS[suffix](INCOMPRESSIBLE)
    path = tmp_path / ("cut" + suffix)
    path.write_bytes(data[: int(len(data) * part)])
    with pytest.raises(SourceError, match=r"cut\.\w+ cannot be read to its end.*damaged"):
        read(path)


@compressed
def test_a_damaged_compressed_file_is_an_error_that_names_it(tmp_path, suffix):
    data = bytearray(COMPRESS[suffix](b"a b c\n" * 9999))
    data[len(data) // 2 : len(data) // 2 + 8] = b"\xff" * 8
    path = tmp_path / ("bad" + suffix)
    path.write_bytes(data)
    with pytest.raises(SourceError, match=r"bad\.\w+ cannot be read to its end.*damaged"):
        read(path)


@compressed
def test_damage_is_the_same_error_where_a_file_is_read_line_by_line(tmp_path, suffix):
    data = COMPRESS[suffix](INCOMPRESSIBLE)
    (tmp_path / "x").write_bytes(data[: len(data) // 2])
    with (
        open_stream(str(tmp_path / "x")) as stream,
        pytest.raises(SourceError, match="cannot be read to its end"),
    ):
        list(read_lines(stream))


@compressed
def test_closing_the_stream_of_a_compressed_file_closes_the_file(tmp_path, suffix, monkeypatch):
    (tmp_path / "x").write_bytes(COMPRESS[suffix](TEXT))
    opened = []
    path_open = Path.open

    def remember(self, mode):
        opened.append(path_open(self, mode))
        return opened[-1]

    monkeypatch.setattr(Path, "open", remember)
    assert read(tmp_path / "x") == [TEXT]
    assert len(opened) == 2
    assert all(file.closed for file in opened)


def test_a_zstd_file_without_its_library_names_the_extra(tmp_path, monkeypatch):
    if sys.version_info >= (3, 14):
        pytest.skip("the library is part of Python")
    (tmp_path / "x.zst").write_bytes(compress_zstd(TEXT))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"x\.zst is zstd.*pip install 'sentvec\[zstd\]'"):
        open_corpus(tmp_path / "x.zst")


# Standard input and pipes.


@pytest.mark.parametrize("corpus", ["-", ["-", Path("a.txt")]])
def test_a_hyphen_is_standard_input(in_folder, standard_input, corpus):
    (in_folder / "a.txt").write_bytes(b"")
    standard_input(TEXT)
    source = open_corpus(corpus)[0]
    assert source.name == "<stdin>"
    assert b"".join(source.blocks()) == TEXT


@compressed
def test_standard_input_may_be_compressed(standard_input, suffix):
    standard_input(COMPRESS[suffix](TEXT))
    assert read("-") == [TEXT]


def test_standard_input_may_be_a_pipe():
    script = (
        "import sys; from sentvec.text.sources import open_corpus; "
        "sys.stdout.buffer.write(b''.join(open_corpus('-')[0].blocks()))"
    )
    text = BOM + b"a \xff\0\r\n" + b"many words " * 20_000
    done = subprocess.run([sys.executable, "-c", script], input=text, capture_output=True)
    assert (done.stdout, done.stderr) == (text.removeprefix(BOM), b"")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("data", [TEXT, gzip.compress(TEXT)], ids=["plain", "compressed"])
def test_nothing_of_a_named_pipe_is_lost(tmp_path, data):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    found = []
    threads = [
        threading.Thread(target=path.write_bytes, args=[data], daemon=True),
        threading.Thread(target=lambda: found.extend(read(path)), daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)  # a reader that opens the pipe twice waits for ever
    assert found == [TEXT]


# Bytes.


@pytest.mark.parametrize("suffix", ["", *COMPRESS])
def test_a_bom_at_the_start_of_a_file_is_removed(tmp_path, suffix):
    data = BOM + TEXT + BOM + b" last"
    path = tmp_path / "x"
    path.write_bytes(COMPRESS[suffix](data) if suffix else data)
    assert read(path) == [TEXT + BOM + b" last"]
    with open_stream(str(path)) as stream:
        assert list(read_lines(stream)) == (TEXT + BOM + b" last").split(b"\n")


def test_a_bom_at_the_start_of_each_file_of_a_list_is_removed(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(BOM + name.encode())
    assert read([tmp_path / "a", tmp_path / "b"]) == [b"a", b"b"]


def test_a_file_of_nothing_but_a_bom_is_empty(tmp_path):
    (tmp_path / "x").write_bytes(BOM)
    assert read(tmp_path / "x") == [b""]


def test_only_one_bom_is_removed(tmp_path):
    (tmp_path / "x").write_bytes(BOM + BOM + b"a")
    assert read(tmp_path / "x") == [BOM + b"a"]


def test_every_byte_but_the_bom_comes_through(tmp_path):
    data = bytes(range(256)) * 2 + b"\r\n\xc3\x28 caf\xe9 \xff\xff\0\n" + "\u2028\x85\xa0".encode()
    (tmp_path / "x").write_bytes(data)
    assert read(tmp_path / "x") == [data]


def test_lines_end_at_lf_only(tmp_path):
    lines = ["a\u2028b", "c\x85d", "e\vf\fg", "h\ri", "j\r", "\x1ck\x1el"]
    (tmp_path / "x").write_bytes("\n".join(lines).encode())
    with open_stream(str(tmp_path / "x")) as stream:
        assert list(read_lines(stream)) == [line.encode() for line in lines]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\n\n", [b"a", b""]),
        (b"a\r\nb", [b"a\r", b"b"]),
        (BOM, [b""]),
    ],
)
def test_an_unfinished_last_line_is_a_line_and_a_finished_one_adds_none(data, lines):
    assert list(read_lines(io.BytesIO(data))) == lines


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    lines=st.lists(st.text("ab \t\n", max_size=12).map(str.encode), max_size=12),
    block=st.integers(1, 20),
    longest=st.integers(1, 30),
)
def test_blocks_are_the_text_and_end_at_separators(lines, block, longest):
    text = b"\n".join(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK_BYTES", block)
        patch.setattr(sources, "MAX_UNCUT_LINE", longest)
        blocks = list(sources._blocks_of_stream(io.BytesIO(text), "x"))
    assert b"".join(blocks) == text
    assert all(blocks)
    for before in blocks[:-1]:
        assert before.endswith((b"\n", b" ", b"\t"))


def test_a_line_below_the_longest_is_never_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 1 << 10)
    line = b"word " * 100_000 + b"\n"
    path = tmp_path / "x"
    path.write_bytes(line + b"next line")
    (source,) = open_corpus(path)
    first, second = source.blocks()
    assert (first, second) == (line, b"next line")


@pytest.mark.parametrize("separator", [b" ", b"\t", b"\r", b"\v", b"\f", b"\0"])
def test_a_line_longer_than_the_longest_is_cut_at_a_separator(separator, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 100)
    monkeypatch.setattr(sources, "MAX_UNCUT_LINE", 1000)
    text = (b"word" + separator) * 1000 + b"\nnext line"
    blocks = list(sources._blocks_of_stream(io.BytesIO(text), "x"))
    assert b"".join(blocks) == text
    assert max(map(len, blocks)) <= 1100
    assert all(block.endswith(separator) for block in blocks[:4])


# Sentences.


@pytest.mark.parametrize("kind", [list, tuple, iter, lambda items: (item for item in items)])
def test_a_corpus_may_be_an_iterable_of_sentences(kind):
    (source,) = open_corpus(kind(["one two", "", "three"]))
    assert source.name == "<iterable>"
    assert b"".join(source.blocks()) == b"one two\n\nthree\n"


def test_an_empty_list_is_a_corpus_without_text():
    assert read([]) == [b""]


def test_a_generator_is_read_exactly_once_and_not_before_it_is_needed():
    seen = []

    def generate():
        for number in range(5):
            seen.append(number)
            yield f"sentence {number}"

    (source,) = open_corpus(generate())
    assert seen == []
    assert b"".join(source.blocks()).count(b"\n") == 5
    assert seen == [0, 1, 2, 3, 4]


def test_sentences_come_in_blocks_of_bounded_size(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 100)
    (source,) = open_corpus(f"sentence number {n}" for n in range(100))
    blocks = list(source.blocks())
    assert all(block.endswith(b"\n") and len(block) < 120 for block in blocks)
    assert b"".join(blocks).count(b"\n") == 100


def test_a_line_break_inside_a_sentence_is_white_space():
    assert read(["one\ntwo\r\nthree", "\n"]) == [b"one two\r three\n \n"]


def test_bytes_that_were_not_utf8_come_back_as_they_were():
    assert read([b"caf\xe9 \xff".decode("utf-8", "surrogateescape")]) == [b"caf\xe9 \xff\n"]


def test_a_surrogate_that_stands_for_no_byte_becomes_the_replacement_character():
    assert read(["half \ud83d pair"]) == ["half \ufffd pair\n".encode()]


def test_sentences_that_are_names_of_folders_are_sentences(in_folder):
    (in_folder / "home").mkdir()
    assert read(["home", "sweet", ".", "", ".."]) == [b"home\nsweet\n.\n\n..\n"]


def test_sentences_beside_a_file_of_the_same_name_are_sentences(in_folder):
    (in_folder / "corpus").write_bytes(TEXT)
    assert read(["corpus", "the corpus of delight"]) == [b"corpus\nthe corpus of delight\n"]


def test_sentences_that_end_like_file_names_are_sentences():
    assert read(["open notes.txt"]) == [b"open notes.txt\n"]


def test_sentences_too_long_for_a_file_name_or_with_nul_are_sentences():
    assert read(["x" * 5000, "a\0b"]) == [b"x" * 5000 + b"\na\0b\n"]


# What is no corpus.


@pytest.mark.parametrize("corpus", [b"a b", bytearray(b"a b"), None, {"a b": 1}, 5, 1.5])
def test_what_is_no_corpus_is_a_type_error_that_names_the_type(corpus):
    kind = type(corpus).__name__
    with pytest.raises(InputTypeError, match=f"a corpus cannot be of type {kind} - expected a p"):
        open_corpus(corpus)


@pytest.mark.parametrize("item", [b"bytes", None, 5, ["a", "b"]])
@pytest.mark.parametrize("kind", [list, iter])
def test_an_item_that_is_not_str_is_named_by_its_number(item, kind):
    with pytest.raises(InputTypeError, match=f"item 2 .* of type {type(item).__name__} - exp"):
        read(kind(["one two", "three", item]))


def test_every_type_error_is_also_a_type_error_of_python():
    with pytest.raises(TypeError):
        open_corpus(None)
    assert issubclass(InputTypeError, SentvecError)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_utf16_is_refused_and_says_how_to_convert(tmp_path, encoding):
    text = "\ufeffone two\n" if encoding.endswith("be") else "one two\n"
    (tmp_path / "x").write_bytes(text.encode(encoding))
    with pytest.raises(SourceError, match="UTF-16 or UTF-32 - convert it to UTF-8"):
        read(tmp_path / "x")


def test_a_whole_text_given_as_a_path_says_what_to_do():
    with pytest.raises(SourceError, match=r"a str of 15 characters.*text\.splitlines\(\)"):
        open_corpus("one two\nthree.\n")
