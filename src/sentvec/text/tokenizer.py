"""Tokenizers: small frozen specifications that are stored inside a model.

`Tokenizer.tokenize` cuts one text into words. `Tokenizer.tokenize_block` does the same to a block
of whole lines and returns bytes with one space (or more separators) between words, which is what
the counting kernel reads. Both give the same words.

| name         | what it does |
|--------------|--------------|
| `whitespace` | splits at the seven separator bytes, changes nothing: for tokenised text |
| `simple`     | one regular expression (`patterns`), lower-cased: the default |
| `tweet`      | nltk's TweetTokenizer, lower-cased, URLs and user names as in the released script |
| `ptb`        | nltk's NLTKWordTokenizer (Penn Treebank style), lower-cased |
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from sentvec.errors import MissingExtraError, SettingsError
from sentvec.suggest import near_names
from sentvec.text.patterns import simple_pattern
from sentvec.text.unicode import as_stored, decode, encode, join_lines, split_at_separators

# Whether each lower-cases by default.
LOWERCASE_BY_DEFAULT = {"whitespace": False, "simple": True, "tweet": True, "ptb": True}

_URL = re.compile(r"(?:https?://|www\.)\S+")
_USER = re.compile(r"@\S+")


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """The specification of a tokenizer: its name and parameters.

    Args:
        name: `whitespace`, `simple`, `tweet` or `ptb`.
        lowercase: Lower-case every word; `None` takes the default of the name.

    >>> Tokenizer("simple").tokenize("It's 3.5 o’clock!")
    ["it's", '3.5', "o'clock", '!']
    """

    name: str = "simple"
    lowercase: bool | None = None

    def __post_init__(self) -> None:
        if self.name not in LOWERCASE_BY_DEFAULT:
            names = near_names(self.name, LOWERCASE_BY_DEFAULT)
            msg = f"unknown tokenizer {self.name!r} - {names}"
            raise SettingsError(msg)
        if self.lowercase is None:
            object.__setattr__(self, "lowercase", LOWERCASE_BY_DEFAULT[self.name])

    def tokenize(self, text: str) -> list[str]:
        """Cut one text into words; a line break inside it is white space."""
        return _words_of(self)(as_stored(join_lines(text)))

    def tokenize_block(self, block: bytes) -> bytes:
        """Cut a block of whole lines into words, separated by separator bytes, lines kept."""
        if self.name == "whitespace":
            return encode(decode(block).lower()) if self.lowercase else block
        if self.name == "simple":
            # One search over the whole block: the expression finds "\n" as a word of its own.
            return encode(" ".join(_find_simple(decode(block), self.lowercase)))
        cut = _words_of(self)
        return encode("\n".join(" ".join(cut(line)) for line in decode(block).split("\n")))

    def check_available(self) -> None:
        """Raise `MissingExtraError` where the tokenizer needs a package that is not installed."""
        _words_of(self)

    def to_config(self) -> dict[str, Any]:
        """The parameters as stored in `config.json`."""
        return asdict(self)


def _find_simple(text: str, lowercase: bool | None) -> list[str]:
    # U+2019 is what typography makes of an apostrophe; U+00AD only marks where a word may break.
    text = text.replace("\u2019", "'").replace("\u00ad", "")
    return simple_pattern().findall(text.lower() if lowercase else text)


def _words_of(spec: Tokenizer) -> Callable[[str], list[str]]:
    """The function from one line of text to words."""
    if spec.name == "whitespace":
        if spec.lowercase:
            return lambda text: split_at_separators(text.lower())
        return split_at_separators
    if spec.name == "simple":
        return lambda text: _find_simple(text, spec.lowercase)
    cut = _nltk_tokenizer(spec.name, bool(spec.lowercase))
    # A separator inside a token separates, and a token may hold a surrogate that its text did not:
    # the tweet tokenizer makes tokens of telephone numbers, and of "&#xd800;".
    return lambda text: [
        word for token in cut(text) for word in split_at_separators(as_stored(token))
    ]


@cache
def _nltk_tokenizer(name: str, lowercase: bool) -> Callable[[str], list[str]]:
    try:
        from nltk.tokenize import NLTKWordTokenizer, TweetTokenizer
    except ImportError as error:
        msg = f"the tokenizer {name!r} needs nltk - install it with: pip install 'sentvec[nltk]'"
        raise MissingExtraError(msg) from error
    if name == "ptb":
        ptb = NLTKWordTokenizer().tokenize
        return lambda text: ptb(text.lower() if lowercase else text)
    tweet = TweetTokenizer(preserve_case=True).tokenize

    def cut_tweet(text: str) -> list[str]:
        # As in the released script: tokens first, then letter case, URLs and user names.
        tokens = [token.lower() if lowercase else token for token in tweet(text)]
        return [_USER.sub("<user>", _URL.sub("<url>", token)) for token in tokens]

    return cut_tweet
