"""Letter case: that of a vocabulary, and texts whose words are unknown only because of theirs."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable
from itertools import islice

from sentvec.errors import LetterCaseWarning
from sentvec.text.tokenizer import Tokenizer

# Texts that are examined; words, and share of the words, from which on a warning is due.
MAX_TEXTS, MIN_TOKENS, MIN_SHARE = 100, 5, 0.1
# Words of a vocabulary that are examined, and the share of lower case of a lower-cased one.
MAX_WORDS, LOWER_CASED = 20_000, 0.99


def warn_about_case(tokenizer: Tokenizer, words: Container[str], texts: list[str]) -> bool:
    """Warn where at least a tenth of the words are unknown, but known in lower case.

    Examines the first hundred texts; none if the tokenizer lower-cases.

    Returns:
        Whether it warned.
    """
    if tokenizer.lowercase:
        return False
    tokens = [word for text in texts[:MAX_TEXTS] for word in tokenizer.tokenize(text)]
    upper = [word for word in tokens if word not in words and word.lower() in words]
    if len(upper) < max(MIN_TOKENS, MIN_SHARE * len(tokens)):
        return False
    warnings.warn(
        f"{len(upper)} of {len(tokens)} words are unknown, but known in lower case ({upper[0]!r}) "
        "- lower-case the text, or load the model with a tokenizer that does",
        LetterCaseWarning,
        stacklevel=5,
    )
    return True


def lower_case_share(words: Iterable[str]) -> tuple[float, int]:
    """The share of lower case among the first words with letters, and the number of these words.

    >>> lower_case_share(["the", "cat", "London", "7"])
    (0.6666666666666666, 3)
    """
    cased = [word for word in islice(words, MAX_WORDS) if word.lower() != word.upper()]
    return (sum(word == word.lower() for word in cased) / max(len(cased), 1), len(cased))
