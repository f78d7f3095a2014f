"""Letter case: when it is worth a warning, and what a vocabulary says of it."""

from __future__ import annotations

import warnings

import pytest

from sentvec import load
from sentvec.errors import LetterCaseWarning
from sentvec.text.letter_case import lower_case_share, warn_about_case
from sentvec.text.tokenizer import Tokenizer
from support.places import FIXTURES

KNOWN = {"the", "cat", "sat", "London"}
AS_IT_IS = Tokenizer("whitespace")


def told(texts, tokenizer=AS_IT_IS):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        said = warn_about_case(tokenizer, KNOWN, texts)
    assert said == bool(caught)
    return [str(warning.message) for warning in caught]


def test_many_words_that_are_known_in_lower_case_are_told():
    [message] = told(["The Cat Sat", "The Dog London CAT"])
    assert message.startswith("5 of 7 words are unknown, but known in lower case ('The')")


@pytest.mark.parametrize(
    "texts",
    [
        ["the cat sat London"] * 9,
        ["Dog Rug Mat Sun Sky"] * 9,  # unknown in any case
        ["The Cat Sat The"],  # four are few
        ["The cat sat", *["the cat sat on the mat"] * 20] * 5,  # less than a tenth
        [*["the cat"] * 100, *["THE CAT"] * 100],  # after the first hundred texts
        [],
    ],
)
def test_what_is_rare_or_unknown_anyway_is_not_told(texts):
    assert not told(texts)


def test_a_tokenizer_that_lower_cases_needs_no_look():
    text = ["THE CAT SAT ON THE CAT"]
    assert told(text)
    assert not told(text, Tokenizer("simple"))
    assert not told(text, Tokenizer("whitespace", lowercase=True))


def test_a_model_tells_it_once_and_points_at_the_call():
    model = load(FIXTURES / "bi.bin")
    with pytest.warns(LetterCaseWarning) as caught:
        model.encode(["The cat"] * 3 + ["THE CAT SEES THE MOON"] * 2, on_empty="nan")
    assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error", LetterCaseWarning)
        model.encode(["THE CAT SEES THE MOON"] * 2, on_empty="nan")


def test_the_share_is_of_words_that_have_letters():
    assert lower_case_share(["the", "cat", "London", "7", ".", "文字"]) == (pytest.approx(2 / 3), 3)
    assert lower_case_share(["7", "."]) == (0.0, 0)
