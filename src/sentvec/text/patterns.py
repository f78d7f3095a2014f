"""The one regular expression of the `simple` tokenizer, built from Unicode's own tables.

What it matches, in this order:

1. a URL, whole, without the punctuation that ends the sentence;
2. a Han or Hiragana character, alone: these scripts write no spaces, and word bigrams then learn
   the two-character words (the rule of Unicode's UAX #29);
3. a word: letters, digits, underscores and combining marks; an apostrophe or a hyphen inside it,
   and a full stop or a comma between two digits;
4. any other symbol, alone, with its combining marks; an emoji sequence as a whole.

White space, control characters and invisible format characters (direction marks, zero-width
spaces) separate.

Not here: lower-casing and the unification of apostrophes (`tokenizer`).
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

# Joiners inside Indic and Persian words, and bytes that were not UTF-8 (see `unicode.decode`).
_JOINERS = "\u200c\u200d"
_ESCAPED_BYTES = "\udc80-\udcff"
# Marks beyond the basic plane, in whole blocks: a listing of each would slow every character.
_ASTRAL_MARKS = (
    "\U00010a01-\U00010a3f\U00011000-\U00011fff\U0001e000-\U0001e95f\U000e0100-\U000e01ef"
)
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HIRAGANA = "\u3041-\u3096\u309d-\u309f"
_INVISIBLE = "\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
# Skin tones and tags modify the emoji before them, as marks do.
_MODIFIERS = "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
_FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"


@cache
def _combining_marks() -> str:
    """The combining marks of the basic plane as the inside of a character class."""
    ranges: list[list[int]] = []
    for code in range(min(sys.maxunicode, 0xFFFF) + 1):
        if unicodedata.category(chr(code)).startswith("M"):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


@cache
def simple_pattern() -> re.Pattern[str]:
    """Compile the expression; compiling takes some milliseconds, so it is done once, on demand."""
    marks = _combining_marks()
    single = _HAN + _HIRAGANA
    inner = f"\\w{marks}{_JOINERS}{_ESCAPED_BYTES}{_ASTRAL_MARKS}"
    # A word character that is not Han or Hiragana: the lookahead is tried once per character only
    # outside ASCII, since the first alternative takes ASCII runs whole.
    word = f"(?:[0-9A-Za-z_]++|(?![{single}])[{inner}])++"
    start = f"(?:[0-9A-Za-z_]++|(?![{single}])[\\w{_ESCAPED_BYTES}])"
    symbol = f"[^\\s\\x00-\\x1f\\x7f-\\x9f{_INVISIBLE}][{marks}{_MODIFIERS}]*+"
    in_url = r"\s\x00-\x1f\x7f-\x9f<>\"“”«»「」『』。、，"
    return re.compile(
        rf"(?i:https?://|www\.)[^{in_url}]*[^{in_url}.,;:!?)\]}}'’…]"
        rf"|[{single}][{marks}ー]*+"
        rf"|{start}(?:{word})?+(?:(?:['\-‐‑]|(?<=\d)[.,٫٬](?=\d)){word})*+"
        rf"|[{_FLAG_LETTERS}]{{2}}"
        rf"|{symbol}(?:\u200d{symbol})*+"
        r"|\n"
    )
