"""Whether many words of a text are unknown only for their capitals."""

from __future__ import annotations

import warnings
from collections.abc import Container

from sentvec.errors import LetterCaseWarning
from sentvec.text.tokenizer import Tokenizer

# What is looked at, and when it is worth a warning.
TEXTS, FEWEST_TOKENS, SHARE = 100, 5, 0.1


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
    if len(upper) < max(FEWEST_TOKENS, SHARE * len(tokens)):
        return False
    warnings.warn(
        f"{len(upper)} of {len(tokens)} words are unknown, but known in lower case ({upper[0]!r}) "
        "- lower-case the text, or load the model with a tokenizer that does",
        LetterCaseWarning,
        stacklevel=4,
    )
    return True
