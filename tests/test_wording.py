"""Numbers with their nouns."""

from __future__ import annotations

import numpy as np
import pytest

from sentvec.wording import counted


@pytest.mark.parametrize(
    ("n", "expected"),
    [(0, "0 words"), (1, "1 word"), (2, "2 words"), (999, "999 words"), (1000, "1,000 words")],
)
def test_only_one_is_singular_and_thousands_are_grouped(n: int, expected: str) -> None:
    assert counted(n, "word") == expected


def test_a_plural_that_is_not_made_with_an_s_is_given() -> None:
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(1_554_614, "entry", "entries") == "1,554,614 entries"


def test_the_noun_may_have_an_adjective() -> None:
    assert counted(1, "known word") == "1 known word"
    assert counted(3, "known word") == "3 known words"


def test_a_numpy_integer_reads_like_any_other() -> None:
    assert counted(np.int64(1), "row") == "1 row"
    assert counted(np.int64(12_000), "row") == "12,000 rows"
