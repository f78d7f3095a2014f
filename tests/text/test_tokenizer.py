"""Every tokenizer: the block form and the line form agree, on any text whatever."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.errors import MissingExtraError, SettingsError
from sentvec.text import tokenizer as module
from sentvec.text.tokenizer import LOWERCASE_BY_DEFAULT, Tokenizer
from sentvec.text.unicode import SEPARATORS, as_stored, decode, encode, is_blank

SEVEN = {" ", "\n", "\r", "\t", "\v", "\f", "\0"}


def examples(n):
    return settings(max_examples=n, deadline=None, derandomize=True)


def specs(*names):
    return [
        pytest.param(Tokenizer(name, lowercase), id=f"{name}, lowercase={lowercase}")
        for name in names
        for lowercase in (False, True)
    ]


every_tokenizer = pytest.mark.parametrize("tokenizer", specs(*LOWERCASE_BY_DEFAULT))


@pytest.fixture(autouse=True)
def _with_nltk(request):
    spec = getattr(request.node, "callspec", None)
    tokenizer = spec.params.get("tokenizer") if spec else None
    if tokenizer and tokenizer.name in ("tweet", "ptb"):
        pytest.importorskip("nltk")


def words_of_block(tokenizer, block):
    """The words of each line, cut as the word tables do."""
    lines = tokenizer.tokenize_block(block).split(b"\n")
    return [[decode(word) for word in re.split(rb"[ \r\t\v\f\0]+", line) if word] for line in lines]


def words_of_lines(tokenizer, text):
    return [tokenizer.tokenize(line) for line in text.split("\n")]


# Text of any kind: every code point, and what the rules of the tokenizers look for.
PIECES = [
    "\n", "\r\n", "\0", "\v", "\f", "\x85", "\u2028", "\xa0", "\u3000", "\ufeff", "\u200b", "\u200d",
    "'", "\u2019", "\xad", "-", "_", ".", ",", "3.5", "1,000", "...", "<", "</s>", "__label__x", "<PLACEHOLDER>",
    "http://a.b/c?d", "https://", "www.x.y.", "@user", "#tag", ":-)", "<3", "&amp;", "&#10;", "&#0;",
    "&#xd800;", "&#xdcc3;", "+1 (555) 123-4567", "can't", "gonna", "\u00ab\u201d", '"', "``", "(", ")", "$5",
    "\u0130", "\u03a3", "\u1e9e", "a\u0301", "\u0301", "\u6587\u5b57", "\u3042\u30fc", "\u0928\u093f", "\U0001f468\u200d\U0001f469",
    "\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3fd", "\udcff", "\udcc3\udca9", "\ud83d", "\ud83d\ude00",
]  # fmt: skip
any_character = st.characters(exclude_categories=())
texts = st.lists(
    st.one_of(st.sampled_from(PIECES), any_character, st.text("abAB1 ", max_size=4)), max_size=20
).map("".join)


@every_tokenizer
@examples(60)
@given(text=texts)
def test_the_block_form_gives_the_words_of_the_line_form(tokenizer, text):
    assert words_of_block(tokenizer, encode(text)) == words_of_lines(tokenizer, text)


@every_tokenizer
@examples(40)
@given(data=st.binary(max_size=40))
def test_the_block_form_gives_the_words_of_the_line_form_for_any_bytes(tokenizer, data):
    assert words_of_block(tokenizer, data) == words_of_lines(tokenizer, decode(data))


@every_tokenizer
@examples(40)
@given(text=texts)
def test_words_hold_no_separator_and_survive_the_way_to_disk(tokenizer, text):
    for word in tokenizer.tokenize(text):
        assert word
        assert not SEVEN & set(word)
        assert decode(encode(word)) == word


@every_tokenizer
@examples(40)
@given(texts=st.lists(texts, max_size=3))
def test_blocks_cut_at_line_ends_give_the_same_words_as_one_block(tokenizer, texts):
    blocks = [encode(text) + b"\n" for text in texts]
    joined = tokenizer.tokenize_block(b"".join(blocks))
    assert joined.count(b"\n") == b"".join(blocks).count(b"\n")
    separate = [words for block in blocks for words in words_of_block(tokenizer, block)[:-1]]
    assert words_of_block(tokenizer, b"".join(blocks))[:-1] == separate


@every_tokenizer
def test_a_line_break_inside_a_text_is_white_space(tokenizer):
    assert tokenizer.tokenize("one two\nthree\n\nfour\n") == ["one", "two", "three", "four"]


@every_tokenizer
@pytest.mark.parametrize("text", ["", " ", "\n", " \r\n\t\v\f\0 "])
def test_a_text_of_separators_has_no_words(tokenizer, text):
    assert tokenizer.tokenize(text) == []
    assert is_blank(tokenizer.tokenize_block(text.encode()))


@every_tokenizer
def test_a_very_long_line_loses_no_word(tokenizer):
    n_words = 100_000 if tokenizer.name in ("whitespace", "simple") else 5_000
    line = " ".join(f"w{n % 1000}" for n in range(n_words))
    words = tokenizer.tokenize(line)
    assert words == line.split(" ")
    assert words_of_block(tokenizer, line.encode() + b"\n") == [words, []]


@every_tokenizer
def test_crlf_line_ends_leave_no_trace(tokenizer):
    block = b"one two\r\nthree\r\n\r\nfour\r\n"
    assert words_of_block(tokenizer, block) == [["one", "two"], ["three"], [], ["four"], []]


# whitespace


def test_whitespace_splits_at_exactly_the_seven_bytes():
    tokenizer = Tokenizer("whitespace")
    splitting = {
        c for c in map(chr, range(sys.maxunicode + 1)) if len(tokenizer.tokenize(f"a{c}b")) == 2
    }
    assert splitting == SEVEN == set(SEPARATORS.decode())


def test_whitespace_changes_nothing():
    tokenizer = Tokenizer("whitespace")
    block = bytes(range(256)) * 3 + "Ünïcode\u00a0\u3000\u2028\x85 ﬁ É É".encode()
    assert tokenizer.tokenize_block(block) == block
    text = "".join(chr(code) for code in range(0x3100) if chr(code) not in SEVEN)
    assert tokenizer.tokenize(text) == [text]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The the THE", ["The", "the", "THE"]),
        ("end. (of) it's", ["end.", "(of)", "it's"]),
        ("</s> <PLACEHOLDER> __label__x", ["</s>", "<PLACEHOLDER>", "__label__x"]),
        ("a\u00a0b\u3000c\u2028d\x85e\ufefff", ["a\u00a0b\u3000c\u2028d\x85e\ufefff"]),
        ("a\r\tb\v\fc\0\0d", ["a", "b", "c", "d"]),
        ("caf\udce9 \udcff", ["caf\udce9", "\udcff"]),
        ("half\ud83d", ["half\ufffd"]),
    ],
)
def test_whitespace_gives_these_words(text, words):
    assert Tokenizer("whitespace").tokenize(text) == words


def test_whitespace_lower_cases_only_when_asked():
    assert Tokenizer("whitespace", lowercase=True).tokenize("É STRASSE ẞ") == ["é", "strasse", "ß"]
    assert words_of_block(Tokenizer("whitespace", True), "É\nΣΑΣ\n".encode()) == [
        ["é"],
        ["σας"],
        [],
    ]


# simple


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\u00a0b\u3000c\u2028d\x85e\ufefff\u200bg", ["a", "b", "c", "d", "e", "f", "g"]),
        ("caf\udce9s \udcff", ["caf\udce9s", "\udcff"]),
        ("\udcc3\udca9", ["é"]),
        ("half \ud83d pair", ["half", "\ufffd", "pair"]),
        ("__label__x", ["__label__x"]),
        ("</s>", ["<", "/", "s", ">"]),
        ("http://a.b/c?d\0e www.x.y\x1f", ["http://a.b/c?d", "e", "www.x.y"]),
        ("Don\u2019t", ["don't"]),
        ("co\u00adoperate", ["cooperate"]),
    ],
)
def test_simple_gives_these_words(text, words):
    assert Tokenizer("simple").tokenize(text) == words


def test_simple_keeps_case_when_asked():
    assert Tokenizer("simple", lowercase=False).tokenize("It's Here.") == ["It's", "Here", "."]


# tweet and ptb


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@Someone GO to http://X.y/Z now", ["<user>", "go", "to", "<url>", "now"]),
        ("www.example.com :-)", ["<url>", ":-)"]),
        ("call +1 (555) 123-4567", ["call", "+1", "(555)", "123-4567"]),
        ("&#xd800;", ["\ufffd"]),
    ],
)
def test_tweet_gives_these_words(text, words):
    pytest.importorskip("nltk")
    assert Tokenizer("tweet").tokenize(text) == words


def test_ptb_gives_these_words():
    pytest.importorskip("nltk")
    words = Tokenizer("ptb").tokenize("I can't, he said (twice).")
    assert words == ["i", "ca", "n't", ",", "he", "said", "(", "twice", ")", "."]


@pytest.mark.parametrize("name", ["tweet", "ptb"])
def test_a_tokenizer_without_its_package_names_the_extra(name, monkeypatch):
    module._nltk_tokenizer.cache_clear()
    for loaded in [key for key in sys.modules if key.split(".")[0] == "nltk"]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(MissingExtraError, match=rf"'{name}' needs nltk.*'sentvec\[nltk\]'"):
        Tokenizer(name).check_available()


# The specification.


@pytest.mark.parametrize("name", LOWERCASE_BY_DEFAULT)
@pytest.mark.parametrize("lowercase", [None, False, True])
def test_a_tokenizer_comes_back_from_its_config(name, lowercase):
    tokenizer = Tokenizer(name, lowercase)
    assert Tokenizer(**tokenizer.to_config()) == tokenizer
    expected = LOWERCASE_BY_DEFAULT[name] if lowercase is None else lowercase
    assert tokenizer.to_config() == {"name": name, "lowercase": expected}


def test_an_unknown_tokenizer_is_an_error_that_suggests_a_name():
    with pytest.raises(SettingsError, match=r"unknown tokenizer 'whitspace' - .*whitespace"):
        Tokenizer("whitspace")


# Bytes and str.


@examples(100)
@given(data=st.binary(max_size=60))
def test_any_bytes_survive_the_way_to_str_and_back(data):
    assert encode(decode(data)) == data


@examples(100)
@given(text=texts)
def test_a_stored_text_no_longer_changes(text):
    assert as_stored(as_stored(text)) == as_stored(text)
    assert len(encode(text)) == len(encode(as_stored(text)))


def test_a_text_without_surrogates_is_stored_as_it_is():
    text = "".join(chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF)
    assert as_stored(text) == text
    assert encode(text) == text.encode()


@pytest.mark.parametrize(
    ("data", "blank"),
    [(b"", True), (b" \n\r\t\v\f\0", True), (b" \xff", False), ("\u00a0".encode(), False)],
)
def test_blank_is_what_holds_only_separators(data, blank):
    assert is_blank(data) == blank
