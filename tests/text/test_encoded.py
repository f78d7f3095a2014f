"""Counting, numbering and encoding against a straightforward recomputation in Python."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.errors import (
    CorpusError,
    FormatError,
    PrunedVocabularyWarning,
    SourceChangedWarning,
    StorageError,
    UnknownWordError,
)
from sentvec.suggest import near_words
from sentvec.text import corpus_files, encoded, sources
from sentvec.text.encoded import encode_corpus
from sentvec.text.sources import Source, open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.unicode import SEPARATORS, decode
from sentvec.text.vocabulary import Vocabulary, order_words
from sentvec.text.wordtable import KernelWordTable, PlainWordTable

WHITESPACE = Tokenizer("whitespace")


def examples(n):
    return settings(max_examples=n, deadline=None, derandomize=True)


def source_of(data):
    return Source("memory", lambda: sources._blocks_of_stream(io.BytesIO(data), "memory"))


def encode(*texts, tokenizer=WHITESPACE, **options):
    """Encode a corpus of one file a text; its arrays are copied into memory."""
    options = {"min_count": 1, **options}
    files = [source_of(text.encode() if isinstance(text, str) else text) for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        return in_memory(encode_corpus(files, tokenizer, Path(folder), **options))


def in_memory(corpus):
    arrays = {name: np.array(getattr(corpus, name)) for name in ("ids", "offsets", "documents")}
    return encoded.EncodedCorpus(**arrays, vocabulary=corpus.vocabulary, stats=corpus.stats)


def sentences_of(corpus):
    words = [corpus.vocabulary.words[word] for word in corpus.ids]
    return [words[a:b] for a, b in zip(corpus.offsets, corpus.offsets[1:], strict=False)]


@pytest.fixture(params=["plain", "kernel"])
def both_tables(request, monkeypatch):
    """Run the test with the table of small corpora, then with that of large ones."""
    use_table(monkeypatch, request.param)


def use_table(patch, table):
    if table == "kernel":
        patch.setattr(encoded, "SMALL_CORPUS_BYTES", -1)
        patch.setattr(encoded, "KernelWordTable", partial(KernelWordTable, 2))


# The straightforward recomputation.


class Expected:
    def __init__(self, texts, tokenizer=WHITESPACE, min_count=1, max_vocab=None):
        lines, documents, sentences = 0, [0], []
        for text in texts:
            for line in text.removesuffix(b"\n").split(b"\n") if text else []:
                lines += 1
                words = tokenizer.tokenize(decode(line))
                if words:
                    sentences.append(words)
                else:
                    documents.append(len(sentences))
            documents.append(len(sentences))
        counts = Counter(word for words in sentences for word in words)
        self.tokens = counts.total()
        as_bytes = {word: word.encode("utf-8", "surrogateescape") for word in counts}
        order = sorted(counts, key=lambda word: (-counts[word], as_bytes[word]))
        self.words = [word for word in order if counts[word] >= min_count][:max_vocab]
        self.counts = [counts[word] for word in self.words]
        ids = {word: number for number, word in enumerate(self.words)}
        known = [[ids[word] for word in words if word in ids] for words in sentences]
        self.ids = [word for words in known for word in words]
        self.offsets = [0, *np.cumsum([len(words) for words in known], dtype=int).tolist()]
        self.documents = sorted(set(documents))
        self.lines = lines
        self.rare = sum(n for n in counts.values() if n < min_count)
        self.surplus = self.tokens - len(self.ids) - self.rare
        self.lengths = Counter(map(len, known))
        self.is_error = len(self.words) < 2 or max(map(len, known), default=0) < 2


def assert_is_as_expected(corpus, expected, texts):
    assert list(corpus.vocabulary.words) == expected.words
    assert corpus.vocabulary.counts.tolist() == expected.counts
    assert corpus.ids.tolist() == expected.ids
    assert corpus.offsets.tolist() == expected.offsets
    assert corpus.documents.tolist() == expected.documents
    assert [array.dtype for array in (corpus.ids, corpus.offsets, corpus.documents)] == [
        np.uint32, np.int64, np.int64,
    ]  # fmt: skip
    assert corpus.stats == encoded.CorpusStats(
        bytes=sum(map(len, texts)),
        lines=expected.lines,
        sentences=len(expected.offsets) - 1,
        documents=len(expected.documents) - 1,
        tokens=expected.tokens,
        known_tokens=len(expected.ids),
        fingerprint=hashlib.blake2b(b"".join(texts), digest_size=16).hexdigest(),
        file_bytes=sum(map(len, texts)),
        empty_sentences=expected.lengths[0],
        single_sentences=expected.lengths[1],
        rare_tokens=expected.rare,
        surplus_tokens=expected.surplus,
        pruned_tokens=0,
    )


WORDS = [
    b"a", b"b", b"cc", b"A", b"\xff", b"\xffa", b"\xc3\xa9", b"\xc3", "\u00a0".encode(),
    "\u2028".encode(), "\x85".encode(), b"</s>", b"<PLACEHOLDER>", b"__label__x", b"\x1c", b"x" * 70,
]  # fmt: skip
separators = st.sampled_from(
    [b" ", b" ", b"\n", b"\n", b"\n\n", b"\r\n", b"\r", b"\t", b"\v\f", b"\0"]
)
bytes_of_text = st.lists(
    st.one_of(st.tuples(st.sampled_from(WORDS), separators).map(b"".join), separators), max_size=40
).map(b"".join)


@examples(150)
@given(
    texts=st.lists(
        st.tuples(bytes_of_text, st.sampled_from([b"", b"b", b"last word"])), max_size=3
    ),
    table=st.sampled_from(["plain", "kernel"]),
    block=st.sampled_from([1, 2, 5, 17, 1 << 20]),
    longest=st.sampled_from([1, 8, 1 << 24]),
    window=st.sampled_from([1, 2, 3, 7, 1 << 22]),
    min_count=st.integers(1, 3),
    max_vocab=st.sampled_from([None, 1, 2, 3, 5]),
)
def test_counts_ids_offsets_and_documents_are_those_of_a_plain_recomputation(
    texts, table, block, longest, window, min_count, max_vocab
):
    texts = [text + last for text, last in texts]
    choice = {"min_count": min_count, "max_vocab": max_vocab}
    expected = Expected(texts, **choice)
    with pytest.MonkeyPatch.context() as patch:
        use_table(patch, table)
        patch.setattr(sources, "BLOCK_BYTES", block)
        patch.setattr(sources, "MAX_UNCUT_LINE", longest)
        for module in (encoded, corpus_files):
            patch.setattr(module, "_WINDOW", window)
        if expected.is_error:
            with pytest.raises(CorpusError):
                encode(*texts, **choice)
        else:
            assert_is_as_expected(encode(*texts, **choice), expected, texts)


@pytest.mark.parametrize("name", ["whitespace", "simple", "tweet", "ptb"])
@examples(40)
@given(
    text=st.lists(
        st.sampled_from(["The ", "the", " cat's", ".\n", "\n", " \n", "\u200b", "\0", "\r\n", "é "])
    ).map("".join),
    block=st.sampled_from([1, 5, 1 << 20]),
)
def test_every_tokenizer_encodes_what_it_gives_line_by_line(name, text, block):
    if name in ("tweet", "ptb"):
        pytest.importorskip("nltk")
    texts, tokenizer = [text.encode(), b"one two\n   "], Tokenizer(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK_BYTES", block)
        corpus = encode(*texts, tokenizer=tokenizer)
    assert_is_as_expected(corpus, Expected(texts, tokenizer), texts)


@pytest.mark.parametrize("name", ["whitespace", "simple"])
def test_a_line_cut_within_a_run_of_blanks_stays_one_sentence(name, monkeypatch, both_tables):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 10)
    monkeypatch.setattr(sources, "MAX_UNCUT_LINE", 10)
    corpus = encode("one two" + " " * 100 + "three\nfour five\n", tokenizer=Tokenizer(name))
    assert sentences_of(corpus) == [["one", "two", "three"], ["four", "five"]]
    assert corpus.documents.tolist() == [0, 2]


@pytest.mark.parametrize("window", [1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_the_second_pass_gives_the_same_whatever_its_window(window, monkeypatch, both_tables):
    text = "a b\nrare1 rare2\na\nb rare3 a\n\nrare4\na b a b a b\nrare5\n"
    whole = encode(text, min_count=2)
    monkeypatch.setattr(encoded, "_WINDOW", window)
    monkeypatch.setattr(corpus_files, "_WINDOW", window)
    corpus = encode(text, min_count=2)
    assert sentences_of(corpus) == sentences_of(whole)
    assert corpus.offsets.tolist() == [0, 2, 2, 3, 5, 5, 11, 11]


# Sentences and documents.


@pytest.mark.parametrize(
    ("texts", "documents"),
    [
        (["a b\nc d\n"], [0, 2]),
        (["a b\n\nc d\n"], [0, 1, 2]),
        (["\n\na b\n\n \t\n\n\nc d\ne f\n\n\n"], [0, 1, 3]),
        (["a b\n", "c d\n"], [0, 1, 2]),
        (["a b", "c d"], [0, 1, 2]),
        (["a b\n\n", "\nc d\n", "", "\n"], [0, 1, 2]),
        (["a b\nc", "d\n\ne f"], [0, 2, 3, 4]),
    ],
)
def test_documents_end_at_blank_lines_and_at_file_ends(texts, documents, both_tables):
    assert encode(*texts).documents.tolist() == documents


def test_an_empty_sentence_of_an_iterable_ends_a_document(tmp_path):
    corpus = encode_corpus(
        open_corpus(["a b", "", "c d", "a d"]), WHITESPACE, tmp_path, min_count=1
    )
    assert corpus.documents.tolist() == [0, 1, 3]


def test_sentences_whose_words_are_all_unknown_stay_as_empty_sentences(both_tables):
    corpus = encode("x\na b\ny z\na b\n\nw\n", min_count=2)
    assert sentences_of(corpus) == [[], ["a", "b"], [], ["a", "b"], []]
    assert corpus.documents.tolist() == [0, 4, 5]
    assert (corpus.stats.sentences, corpus.stats.rare_tokens) == (5, 4)
    assert (corpus.stats.empty_sentences, corpus.stats.single_sentences) == (3, 0)


def test_the_last_line_needs_no_line_end(both_tables):
    with_end, without = encode("a b\nc d\n"), encode("a b\nc d")
    assert sentences_of(with_end) == sentences_of(without) == [["a", "b"], ["c", "d"]]
    assert with_end.stats.lines == without.stats.lines == 2


def test_words_do_not_run_together_across_files_without_a_line_end(both_tables):
    assert sentences_of(encode("a b", "c d")) == [["a", "b"], ["c", "d"]]


# Bytes and words.


def test_the_byte_ff_is_a_byte_like_any_other(both_tables):
    corpus = encode(b"a \xff b\n\xff\ngamma\xffdelta \xff\xff a\n\xffb b\n")
    assert sentences_of(corpus) == [
        ["a", "\udcff", "b"], ["\udcff"], ["gamma\udcffdelta", "\udcff\udcff", "a"], ["\udcffb", "b"],
    ]  # fmt: skip


def test_nul_and_crlf_and_control_separators_only_separate(both_tables):
    corpus = encode(b"a\0b\r\nc\vd\fe\tf\r\n\r\n\0a\0\0b\0\r\n")
    assert sentences_of(corpus) == [["a", "b"], ["c", "d", "e", "f"], ["a", "b"]]
    assert corpus.documents.tolist() == [0, 2, 3]


def test_nbsp_and_unicode_line_separators_are_letters_of_whitespace(both_tables):
    corpus = encode("a\u00a0b c\u2028d\ne\x85f g\u3000h\n")
    assert sentences_of(corpus) == [["a\u00a0b", "c\u2028d"], ["e\x85f", "g\u3000h"]]


def test_the_literal_tokens_of_the_released_program_are_ordinary_words(both_tables):
    text = "a </s> b\n</s>\n<PLACEHOLDER> __label__x a\n"
    corpus = encode(text)
    assert sentences_of(corpus) == [line.split() for line in text.splitlines()]
    assert corpus.vocabulary["</s>"] == 2
    assert corpus.documents.tolist() == [0, 3]


def test_a_line_of_100_000_tokens_is_one_sentence(both_tables):
    line = " ".join(f"w{n % 999}" for n in range(100_000))
    corpus = encode(f"a b\n{line}\nb a\n")
    assert np.diff(corpus.offsets).tolist() == [2, 100_000, 2]
    assert sentences_of(corpus)[1] == line.split(" ")


def test_a_corpus_above_the_small_size_is_counted_by_the_kernel_with_the_same_result(monkeypatch):
    monkeypatch.setattr(encoded, "SMALL_CORPUS_BYTES", 500_000)
    rng = np.random.default_rng(3)
    lines = [" ".join(f"w{n}" for n in row) for row in rng.zipf(1.4, (14_000, 12)) % 30_000]
    text = ("\n".join(lines) + "\n").encode()
    assert len(text) > encoded.SMALL_CORPUS_BYTES
    assert_is_as_expected(encode(text), Expected([text]), [text])


# Which words are known.


def test_words_seen_less_than_min_count_are_unknown(both_tables):
    corpus = encode("a a a b b c\nc b a d\n", min_count=3)
    assert dict(corpus.vocabulary) == {"a": 4, "b": 3}
    assert sentences_of(corpus) == [["a", "a", "a", "b", "b"], ["b", "a"]]


def test_max_vocab_keeps_the_commonest_words(both_tables):
    corpus = encode("a a a b b c\nc b a d\n", max_vocab=2)
    assert list(corpus.vocabulary) == ["a", "b"]


def test_max_vocab_above_the_number_of_words_keeps_all(both_tables):
    assert len(encode("a b c\n", max_vocab=99).vocabulary) == 3


@examples(30)
@given(order=st.permutations(["b é", "\udcff a", "a b", "c </s>", "é \udcff", "zz", "</s> c zz"]))
def test_ties_go_by_bytes_whatever_the_order_of_the_sentences(order):
    text = ("\n".join(order) + "\n").encode("utf-8", "surrogateescape")
    words = encode(text).vocabulary.words
    assert words == ("</s>", "a", "b", "c", "zz", "é", "\udcff")


# More distinct words than are counted at once.


def encode_blocks(blocks, **options):
    with tempfile.TemporaryDirectory() as folder:
        corpus = [Source("memory", lambda: iter(blocks))]
        return in_memory(encode_corpus(corpus, WHITESPACE, Path(folder), **options))


def test_above_max_words_rare_words_are_dropped_with_a_warning(both_tables):
    blocks = [b"the cat sat on unique%d\n" % n for n in range(100)]
    message = r"more than 10 distinct words: the 7 seen at most 1 time so far count as unknown"
    with pytest.warns(PrunedVocabularyWarning, match=message):
        corpus = encode_blocks(blocks, min_count=2, max_words=10)
    assert dict(corpus.vocabulary) == {"cat": 100, "on": 100, "sat": 100, "the": 100}
    assert sentences_of(corpus) == [["the", "cat", "sat", "on"]] * 100
    stats = corpus.stats
    assert stats.tokens - stats.known_tokens == stats.pruned_tokens + stats.rare_tokens == 100
    assert stats.rare_tokens < 10 < stats.pruned_tokens


def test_a_dropped_word_starts_again_from_zero(both_tables):
    blocks = [b"a b early\n", b"a b c d\n", b"a b early early\n"]
    with pytest.warns(PrunedVocabularyWarning):
        corpus = encode_blocks(blocks, min_count=2, max_words=4)
    assert dict(corpus.vocabulary) == {"a": 3, "b": 3, "early": 2}
    assert sentences_of(corpus) == [["a", "b"], ["a", "b"], ["a", "b", "early", "early"]]


def test_up_to_max_words_nothing_is_dropped(both_tables):
    assert len(encode_blocks([b"a b c\n", b"a b\n"], min_count=1, max_words=3).vocabulary) == 3


@examples(120)
@given(
    lines=st.lists(
        st.lists(st.integers(0, 14).map(lambda n: n * n // 14), max_size=6), max_size=25
    ),
    max_words=st.integers(2, 9),
    window=st.sampled_from([1, 3, 1 << 22]),
    table=st.sampled_from(["plain", "kernel"]),
)
def test_a_pruned_corpus_is_consistent(lines, max_words, window, table):
    blocks = [" ".join(f"w{n}" for n in line).encode() + b"\n" for line in lines]
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", PrunedVocabularyWarning)
        use_table(patch, table)
        for module in (encoded, corpus_files):
            patch.setattr(module, "_WINDOW", window)
        try:
            corpus = encode_blocks(blocks, min_count=1, max_words=max_words)
        except CorpusError:
            return
    assert len(corpus.vocabulary) <= max(max_words, 6)  # a block brings up to six words
    counts = np.bincount(corpus.ids, minlength=len(corpus.vocabulary))
    assert counts.tolist() == corpus.vocabulary.counts.tolist()
    assert counts.tolist() == sorted(counts, reverse=True)
    assert corpus.stats.pruned_tokens == corpus.stats.tokens - len(corpus.ids)
    full = [[f"w{n}" for n in line] for line in lines if line]
    assert len(full) == corpus.stats.sentences
    for words, all_words in zip(sentences_of(corpus), full, strict=True):
        rest = iter(all_words)
        assert all(word in rest for word in words), "expected the words in their order"


# Corpora that cannot be trained on.

UNUSABLE = [
    ([""], {}, "the corpus is empty: memory contains no words - expected one sentence a line"),
    ([" \n\t\r\n\0\v\f"], {}, "the corpus is empty: memory contains no words"),
    (["", "\n"], {}, "the corpus is empty: memory, memory contains no words"),
    (["a b c a\n"], {"min_count": 3}, "no word occurs min_count=3 times: .* 'a', occurs 2 times"),
    (["one"], {}, "the vocabulary has one word, 'one' - expected at least two"),
    (["a b a\n"], {"min_count": 2}, "the vocabulary has one word, 'a'"),
    (["a b\n"], {"max_vocab": 1}, "the vocabulary has one word, 'a' - .*raise max_vocab"),
    (["a\nb\n\na\n"], {}, "no sentence has two known words .3 sentences, 3 known words"),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "options", "message"), UNUSABLE)
def test_a_corpus_that_cannot_be_trained_on_is_an_error_that_says_why(texts, options, message):
    with pytest.raises(CorpusError, match=message):
        encode(*texts, **options)


@pytest.mark.parametrize(("texts", "options", "message"), UNUSABLE)
def test_a_large_corpus_that_cannot_be_trained_on_is_an_error_too(
    texts, options, message, monkeypatch
):
    use_table(monkeypatch, "kernel")
    with pytest.raises(CorpusError, match=message.split(":")[0]):
        encode(*texts, **options)


def test_a_text_without_words_of_its_tokenizer_is_empty():
    with pytest.raises(CorpusError, match="the corpus is empty: no line contains a word"):
        encode("\u200b\u00a0\n", tokenizer=Tokenizer("simple"))


def test_an_empty_list_is_an_empty_corpus(tmp_path):
    with pytest.raises(CorpusError, match="the corpus is empty: <iterable> contains no words"):
        encode_corpus(open_corpus([]), WHITESPACE, tmp_path)


def test_errors_of_small_corpora_come_without_loading_numba():
    script = """
import sys, tempfile
from pathlib import Path
from sentvec.errors import CorpusError
from sentvec.text.encoded import encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.text.tokenizer import Tokenizer

for sentences in ([], [" ", ""], ["a b c"], ["one"] * 9, ["a b " * 9] * 4 + ["c"], ["a", "b"] * 9):
    for name in ("whitespace", "simple"):
        with tempfile.TemporaryDirectory() as folder:
            try:
                encode_corpus(open_corpus(sentences), Tokenizer(name), Path(folder))
                print("no error")
            except CorpusError as error:
                print("error:", str(error).split(" - ")[0])
print([name for name in ("numba", "scipy", "nltk") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    *lines, loaded = done.stdout.splitlines()
    assert loaded == "[]", done.stderr
    assert [line.split(":")[1].split()[0] for line in lines if line.startswith("error")] == (
        ["the"] * 4 + ["no"] * 2 + ["the"] * 2 + ["no"] * 2
    )
    assert lines.count("no error") == 2


# The folder and the sources.


def test_the_arrays_are_mapped_from_files_of_their_size(tmp_path):
    corpus = encode_corpus(open_corpus(["a b a", "c", "a b"]), WHITESPACE, tmp_path, min_count=2)
    assert isinstance(corpus.ids, np.memmap)
    assert isinstance(corpus.offsets, np.memmap)
    assert (tmp_path / "ids.bin").stat().st_size == 4 * 5
    assert (tmp_path / "offsets.bin").stat().st_size == 8 * 4
    assert not corpus.ids.flags.writeable


def test_a_generator_is_encoded_in_one_reading(tmp_path):
    seen = []
    sentences = (seen.append(n) or f"sentence {n % 3}" for n in range(9))
    corpus = encode_corpus(open_corpus(sentences), WHITESPACE, tmp_path, min_count=1)
    assert seen == list(range(9))
    assert corpus.vocabulary["sentence"] == 9


def test_the_same_text_has_the_same_fingerprint_whatever_holds_it(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfa b\nc d\n")
    (tmp_path / "b").write_bytes(gzip.compress(b"a b\nc d\n"))
    corpora = [tmp_path / "a", tmp_path / "b", ["a b", "c d"]]
    stats = [
        encode_corpus(open_corpus(corpus), WHITESPACE, tmp_path, min_count=1).stats
        for corpus in corpora
    ]
    assert stats[0] == stats[1] == stats[2]
    assert encode("a b\nc e\n").stats.fingerprint != stats[0].fingerprint


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["no mark", "byte-order mark"])
def test_the_bytes_that_were_read_are_the_size_of_the_files(tmp_path, pack, mark):
    texts = [b"a b\r\nc d", b"", b"\n\n a\0b \xff\n"]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_bytes(pack(mark + text))
    names = sorted(tmp_path.glob("*.txt"))
    stats = encode_corpus(open_corpus(names), WHITESPACE, tmp_path, min_count=1).stats
    assert stats.bytes == stats.file_bytes == sum(map(len, texts))
    if pack is bytes:
        assert stats.bytes == sum(path.stat().st_size - len(mark) for path in names)


@pytest.mark.parametrize(
    ("change", "now"), [(b"more\n", 18_005), (None, 6_000), (0, 0)], ids=["grows", "shrinks", "0"]
)
def test_a_file_that_changes_while_it_is_read_is_told(tmp_path, monkeypatch, change, now):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a b c d e\n" * 1800)

    def blocks():
        yield from real.blocks()
        if change:
            with path.open("ab") as file:
                file.write(change)
        else:
            os.truncate(path, now)

    [real] = open_corpus(path)
    source = Source(real.name, blocks, real.held)
    message = rf"a\.txt changed while it was read: got 18,000 bytes, it has {now:,} now -"
    with pytest.warns(SourceChangedWarning, match=message):
        stats = encode_corpus([source], WHITESPACE, tmp_path, min_count=1).stats
    assert (stats.bytes, stats.file_bytes) == (18_000, now)


def test_a_file_that_grows_before_its_end_is_reached_is_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 10)
    path = tmp_path / "a.txt"
    path.write_bytes(b"a b c d e\n" * 10_000)
    [real] = open_corpus(path)

    def blocks():
        for number, block in enumerate(real.blocks()):
            if number == 0:
                with path.open("ab") as file:
                    file.write(b"f g\n")
            yield block

    stats = encode_corpus([Source("a", blocks, real.held)], WHITESPACE, tmp_path, min_count=1).stats
    assert stats.bytes == stats.file_bytes == path.stat().st_size == 100_004


def test_a_file_deleted_while_it_is_read_was_read(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a b\n")
    [real] = open_corpus(tmp_path / "a.txt")

    def blocks():
        yield from real.blocks()
        (tmp_path / "a.txt").unlink()

    source = Source("a", blocks, real.held)
    assert encode_corpus([source], WHITESPACE, tmp_path, min_count=1).stats.file_bytes == 4


def test_why_words_are_unknown_to_a_vocabulary_that_grows(tmp_path):
    old = encode("a b\na b\n").vocabulary

    def unknown(grow):
        stats = encode(
            "a rare c c c\n d d b b\n", vocabulary=old, grow=grow, min_count=2, max_vocab=3
        ).stats
        return stats.rare_tokens, stats.surplus_tokens, stats.tokens - stats.known_tokens

    assert unknown(grow=True) == (1, 2, 3)  # c takes the one free place
    assert unknown(grow=False) == (0, 0, 6)


def test_a_folder_that_cannot_be_written_is_a_storage_error(tmp_path):
    with pytest.raises(StorageError, match=r"cannot write the encoded corpus to .*absent: No such"):
        encode_corpus(open_corpus(["a b"]), WHITESPACE, tmp_path / "absent")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_a_storage_error(tmp_path):
    (tmp_path / "ids.bin").symlink_to("/dev/full")
    with pytest.raises(StorageError, match="No space left on device - it needs 4 bytes a word"):
        encode_corpus(open_corpus(["a b"]), WHITESPACE, tmp_path)


def test_an_error_inside_an_iterable_comes_through_as_it_is(tmp_path):
    def sentences():
        yield "a b"
        raise ConnectionResetError("the sender went away")

    with pytest.raises(ConnectionResetError, match=r"^the sender went away$"):
        encode_corpus(open_corpus(sentences()), WHITESPACE, tmp_path)


# Word tables.


def state_of(table):
    return table.words(), table.counts().tolist(), len(table)


def assert_equal_tables(plain, kernel, block):
    (ids, ends), (kernel_ids, kernel_ends) = plain.add(block), kernel.add(block)
    assert ids.tolist() == kernel_ids.tolist()
    assert ends.tolist() == kernel_ends.tolist()
    assert (ids.dtype, ends.dtype) == (kernel_ids.dtype, kernel_ends.dtype) == (np.uint32, np.int64)
    assert state_of(plain) == state_of(kernel)


any_bytes = st.one_of(bytes_of_text, st.binary(max_size=60))


@examples(200)
@given(
    text=any_bytes,
    cuts=st.lists(st.integers(0, 100), max_size=6),
    capacity=st.sampled_from([1, 2, 8, 64]),
)
def test_both_tables_agree_on_blocks_cut_at_separators(text, cuts, capacity):
    places = [match.end() for match in re.finditer(rb"[ \n\r\t\v\f\0]", text)]
    chosen = sorted({places[cut % len(places)] for cut in cuts} if places else ())
    plain, kernel, whole = PlainWordTable(), KernelWordTable(capacity), PlainWordTable()
    for start, stop in zip([0, *chosen], [*chosen, len(text)], strict=True):
        assert_equal_tables(plain, kernel, text[start:stop])
    whole.add(text)
    assert state_of(plain) == state_of(whole)


@examples(100)
@given(blocks=st.lists(st.tuples(any_bytes, st.randoms(use_true_random=False)), max_size=5))
def test_both_tables_agree_after_words_were_dropped(blocks):
    plain, kernel = PlainWordTable(), KernelWordTable(1)
    for block, random in blocks:
        assert_equal_tables(plain, kernel, block)
        numbers = range(len(plain))
        kept = np.array(random.sample(numbers, random.randint(0, len(plain))), np.int64)
        words, counts = plain.words(), plain.counts()
        plain.keep(kept)
        kernel.keep(kept)
        expected = ([words[number] for number in kept], counts[kept].tolist(), len(kept))
        assert state_of(plain) == state_of(kernel) == expected


@pytest.mark.parametrize("make", [PlainWordTable, KernelWordTable])
def test_a_table_splits_at_exactly_the_seven_bytes(make):
    table = make()
    pieces = [len(table.add(b"a%cb" % byte)[0]) for byte in range(256)]
    assert [byte for byte in range(256) if pieces[byte] == 2] == sorted(SEPARATORS)


@pytest.mark.parametrize("make", [PlainWordTable, KernelWordTable])
def test_a_line_goes_on_across_blocks_and_a_word_does_not(make):
    table = make()
    results = [table.add(block) for block in (b"a ", b"", b" \n\n", b"b", b"b\n", b"\n")]
    assert [ids.tolist() for ids, _ in results] == [[0], [], [], [1], [1], []]
    assert [ends.tolist() for _, ends in results] == [[], [], [0, -1], [], [1], [-1]]


def test_a_kernel_table_grows_far_beyond_its_first_capacity():
    block = b" ".join(b"%d" % (n * n % 50_021) for n in range(60_000)) + b"\n" + b"y" * 300_000
    assert_equal_tables(PlainWordTable(), KernelWordTable(1), block)


# Vocabulary.


def make_vocabulary(**counts):
    return Vocabulary(list(counts), np.array(list(counts.values()), np.int64))


def test_a_vocabulary_is_a_mapping_from_word_to_count_in_id_order():
    vocabulary = make_vocabulary(the=3, cat=2, sat=2)
    assert dict(vocabulary) == {"the": 3, "cat": 2, "sat": 2}
    assert list(vocabulary) == ["the", "cat", "sat"]
    assert vocabulary.id_of("sat") == vocabulary.ids["sat"] == 2
    assert "cat" in vocabulary
    assert "dog" not in vocabulary
    assert vocabulary.get("dog", 0) == 0
    assert vocabulary == {"the": 3, "cat": 2, "sat": 2}
    assert repr(vocabulary) == "Vocabulary(3 words)"


def test_near_words_are_looked_for_among_the_commonest():
    """Of millions, the search would take longer than an error may."""
    words = iter([f"word{number}" for number in range(250_000)])
    assert near_words("word1x", words).startswith("did you mean 'word1")
    assert next(words) == "word100000"


@pytest.mark.parametrize("look_up", [Vocabulary.__getitem__, Vocabulary.id_of])
def test_an_unknown_word_is_a_key_error_that_names_near_words(look_up):
    vocabulary = make_vocabulary(wonderful=3, cat=2)
    with pytest.raises(UnknownWordError, match=r"'wonderfull' is not .* did you mean 'wonderful'"):
        look_up(vocabulary, "wonderfull")
    with pytest.raises(KeyError, match=r"see model\.vocabulary"):
        look_up(vocabulary, "")


def test_a_vocabulary_on_disk_is_a_word_a_tab_and_a_count_a_line(tmp_path):
    Vocabulary(["é", "</s>", "caf\udce9"], np.array([3, 2, 2])).save(tmp_path / "v")
    assert (tmp_path / "v").read_bytes() == b"\xc3\xa9\t3\n</s>\t2\ncaf\xe9\t2\n"


@examples(60)
@given(words=st.lists(st.binary(min_size=1, max_size=8), unique=True))
def test_a_vocabulary_of_any_bytes_survives_save_and_load(words):
    words = [word for word in words if not set(word) & set(SEPARATORS)]
    vocabulary = Vocabulary([decode(word) for word in words], np.arange(len(words), dtype=np.int64))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vocabulary.txt"
        vocabulary.save(path)
        loaded = Vocabulary.parse(path.read_bytes(), str(path))
        assert path.read_bytes() == b"".join(b"%s\t%d\n" % (w, n) for n, w in enumerate(words))
    assert loaded.words == vocabulary.words
    assert loaded.counts.dtype == np.int64
    assert loaded.counts.tolist() == vocabulary.counts.tolist()
    assert loaded.ids == vocabulary.ids


def test_words_that_are_not_utf8_survive_from_corpus_to_disk_and_back(tmp_path):
    vocabulary = encode(b"caf\xe9 \xff a\ncaf\xe9 \xff\xfe\n").vocabulary
    vocabulary.save(tmp_path / "v")
    assert b"caf\xe9\t2\n" in (tmp_path / "v").read_bytes()
    loaded = Vocabulary.parse((tmp_path / "v").read_bytes(), "v")
    assert loaded == vocabulary
    assert loaded[decode(b"caf\xe9")] == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\t1\nb\n", r"v, line 2: expected a word, a TAB and a count, got b'b' - .*damaged"),
        (b"a\t1\nb\t\n", "line 2"),
        (b"a\tx\n", "line 1"),
        (b"\t5\n", "line 1"),
        (b"a\t1\n\nb\t1\n", "line 2"),
        (b"a\t-1\n", "line 1"),
        (b"a\t1\t2\n", "line 1"),
        (b"a\t1\nb\t1\na\t1\n", "has 1 repeated word - "),
    ],
)
def test_a_damaged_vocabulary_is_an_error_that_names_the_line(tmp_path, data, message):
    (tmp_path / "v").write_bytes(data)
    with pytest.raises(FormatError, match=message):
        Vocabulary.parse((tmp_path / "v").read_bytes(), "v")


def test_order_words_is_by_falling_count_then_bytes():
    table = PlainWordTable()
    table.add(b"b b \xff \xff a a " + b"z " * 9 + b"\xc3\xa9\n")
    every = [b"z", b"a", b"b", b"\xff", b"\xc3\xa9"]
    assert order_words(table, min_count=1, max_vocab=None) == ([3, 2, 0, 1, 4], every)
    assert order_words(table, min_count=2, max_vocab=3) == ([3, 2, 0], every[:3])
    assert order_words(table, min_count=10, max_vocab=None) == ([], [])
