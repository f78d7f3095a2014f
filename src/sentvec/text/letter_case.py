"""Letter case: of a vocabulary, and whether many words of a text are unknown only for theirs."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable
from itertools import islice

from sentvec.errors import LetterCaseWarning
from sentvec.text.tokenizer import Tokenizer

# What is looked at, and when it is worth a warning.
TEXTS, MIN_TOKENS, SHARE = 100, 5, 0.1
# Words looked at to say whether a vocabulary is lower-cased, and the share that says so.
LOOKED_AT, LOWER_CASED = 20_000, 0.99


def warn_about_case(tokenizer: Tokenizer, words: Container[str], texts: list[str]) -> bool:
    """Warn where at least a tenth of the words are unknown, but known in lower case.

    Looks at the first hundred texts. A tokenizer that lower-cases needs no look.

    Returns:
        Whether there was something to say.
    """
    if tokenizer.lowercase:
        return False
    tokens = [word for text in texts[:TEXTS] for word in tokenizer.tokenize(text)]
    upper = [word for word in tokens if word not in words and word.lower() in words]
    if len(upper) < max(MIN_TOKENS, SHARE * len(tokens)):
        return False
    warnings.warn(
        f"{len(upper)} of {len(tokens)} words are unknown, but known in lower case ({upper[0]!r}) "
        "- lower-case the text, or load the model with a tokenizer that does",
        LetterCaseWarning,
        stacklevel=5,
    )
    return True


def lower_case_share(words: Iterable[str]) -> tuple[float, int]:
    """The share of words in lower case among the first ones that have letters, and how many.

    >>> lower_case_share(["the", "cat", "London", "7"])
    (0.6666666666666666, 3)
    """
    cased = [word for word in islice(words, LOOKED_AT) if word.lower() != word.upper()]
    return (sum(word == word.lower() for word in cased) / max(len(cased), 1), len(cased))
