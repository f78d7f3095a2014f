"""Similar names for a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

_MAX_WORDS = 100_000  # the most frequent, so that an error takes no longer than a second


def near_names(name: str, known: Iterable[str]) -> str:
    """A phrase with the most similar known names, or with all of them where none is similar.

    >>> near_names("simpel", ["simple", "whitespace"])
    "did you mean 'simple'?"
    """
    known = list(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    if near:
        return _did_you_mean(near)
    return "expected one of " + ", ".join(known)


def near_words(word: str, vocabulary: Iterable[str]) -> str:
    """The same for a large vocabulary: similar ones of its first words."""
    length = len(word)
    candidates = [
        known
        for known in islice(vocabulary, _MAX_WORDS)
        if abs(len(known) - length) <= 2 and known[:1].lower() == word[:1].lower()
    ]
    near = difflib.get_close_matches(word.lower(), candidates, n=3, cutoff=0.6)
    if near:
        return _did_you_mean(near)
    return "see model.vocabulary for the known words"


def _did_you_mean(names: list[str]) -> str:
    return "did you mean " + " or ".join(map(repr, names)) + "?"
