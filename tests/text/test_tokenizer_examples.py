"""The examples in docs/tokenizers.md are what the tokenizer does."""

from __future__ import annotations

import re

import pytest

from sentvec.text.tokenizer import Tokenizer
from support.places import ROOT

PAGE = ROOT / "docs" / "tokenizers.md"
HEADER = "| text | words |\n|---|---|\n"
ROW = re.compile(r"\| `([^`|]+)` \| `([^`|]+)` \|")
ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")


def table_lines():
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(HEADER)
    table, _, _ = rest.partition("\n\n")
    return table.splitlines()


def unescape(cell):
    return ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), cell)


LINES = table_lines()


def test_the_page_has_exactly_twenty_examples():
    assert len(LINES) == 20


@pytest.mark.parametrize("line", LINES, ids=[f"row {n}" for n in range(1, len(LINES) + 1)])
def test_an_example_of_the_page_is_what_the_tokenizer_does(line):
    row = ROW.fullmatch(line)
    assert row is not None, "expected two cells, each one code span without a vertical bar"
    text, words = (unescape(cell) for cell in row.groups())
    assert "\\" not in text + words
    assert Tokenizer("simple").tokenize(text) == words.split(" · ")
