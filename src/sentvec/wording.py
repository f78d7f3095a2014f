"""Numbers with their nouns in messages: "1 sentence", "2,000 sentences"."""

from __future__ import annotations


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """The number, grouped by thousands, and the noun in singular or plural.

    Args:
        n: The number.
        noun: Its noun in the singular; adjectives may precede it ("known word").
        plural: Of the noun, where it is not made by adding an "s".

    >>> counted(1, "sentence"), counted(2000, "sentence"), counted(0, "entry", "entries")
    ('1 sentence', '2,000 sentences', '0 entries')
    """
    if n == 1:
        return f"1 {noun}"
    return f"{n:,} {plural or noun + 's'}"
