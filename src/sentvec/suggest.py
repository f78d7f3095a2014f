"""Near names for a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

_LOOKED_AT = 100_000  # words, the commonest, so that an error takes no longer than a second


def near_names(name: str, known: Iterable[str]) -> str:
    """A phrase naming the nearest known names, or all of them where none is near.

    >>> near_names("simpel", ["simple", "whitespace"])
    "did you mean 'simple'?"
    """
    known = list(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(repr(candidate) for candidate in near) + "?"
    return "expected one of " + ", ".join(known)


def near_words(word: str, vocabulary: Iterable[str]) -> str:
    """The same for a large vocabulary: of its first words, those of like beginning and length."""
    length = len(word)
    candidates = [
        known
        for known in islice(vocabulary, _LOOKED_AT)
        if abs(len(known) - length) <= 2 and known[:1].lower() == word[:1].lower()
    ]
    near = difflib.get_close_matches(word.lower(), candidates, n=3, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(repr(candidate) for candidate in near) + "?"
    return "see model.vocabulary for the known words"
