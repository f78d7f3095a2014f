"""Random numbers in plain Python: the same streams as `kernels.random`.

SplitMix64 (Steele, Lea and Flood 2014). Each sentence of each epoch has a stream of its own.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


class Stream:
    """SplitMix64 keyed by seed, epoch and sentence (see `kernels.random`)."""

    def __init__(self, seed: int, epoch: int, sentence: int) -> None:
        self.state = mix(mix(mix(seed) + epoch) + sentence)

    def draw(self) -> int:
        """64 random bits."""
        self.state = (self.state + _GOLDEN) & _MASK
        return mix(self.state)

    def uniform(self) -> float:
        """A float32 in [0, 1)."""
        return (self.draw() >> 40) * 2.0**-24

    def below(self, n: int) -> int:
        """An integer in 0..n-1."""
        return ((self.draw() >> 32) * n) >> 32


def mix(z: int) -> int:
    """The finaliser of SplitMix64."""
    z &= _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)
