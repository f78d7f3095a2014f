"""How much memory a run needs and how much there is, before anything is allocated."""

from __future__ import annotations

from dataclasses import dataclass

from sentvec.errors import NotEnoughMemoryError
from sentvec.machine import available_memory

# The interpreter, its libraries and batches in progress; measured, see docs/results/memory.md.
BASE_BYTES = 150 << 20
_ADVICE = "lower dim, buckets or max_vocab"


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """What a run will need, in bytes: matrices, the rest, and what is available (None: unknown).

    `advice` says what makes it less.
    """

    matrices: int
    rest: int
    available: int | None
    advice: str = _ADVICE

    @property
    def total(self) -> int:
        """All the memory the run will need."""
        return self.matrices + self.rest

    def check(self, *, at_least: bool = False) -> None:
        """Raise `NotEnoughMemoryError` where less is available than will be needed.

        `at_least` says that this is what the settings alone ask for; the corpus will add to it.
        """
        if self.available is not None and self.total > self.available:
            needs = "needs at least" if at_least else "needs"
            msg = (
                f"training {needs} {gigabytes(self.total)} of memory, "
                f"{gigabytes(self.available)} are available - {self.advice}"
            )
            raise NotEnoughMemoryError(msg)


def estimate(
    matrices: int, words: int, *, scratch: int = 0, advice: str = _ADVICE
) -> MemoryEstimate:
    """The memory of training matrices of N bytes, with a vocabulary of n words.

    `scratch` is what the workers need for the longest sentence, and whatever else.
    """
    vocabulary = words * 250  # as Python objects, with the tables drawn from
    return MemoryEstimate(matrices, BASE_BYTES + vocabulary + scratch, available_memory(), advice)


def gigabytes(size: float) -> str:
    """A size for people, in units of 10^9 bytes."""
    return f"{size / 1e9:.2f} GB"
