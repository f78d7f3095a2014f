"""What models answer with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """A sentence near a query: its index in what was searched, its cosine, its text."""

    index: int
    score: float
    text: str


@dataclass(frozen=True, slots=True)
class Feature:
    """A word or n-gram of a text and its part in the text's vector.

    Attributes:
        text: The word, or the words of the n-gram separated by spaces.
        row: Its row in the matrix of source vectors.
        count: How often it occurs in the text.
        weight: count / number of features: the vector is the sum of weight * row.
        share: weight * (row . vector) / |vector|^2; the shares of a text sum to 1.
    """

    text: str
    row: int
    count: int
    weight: float
    share: float
