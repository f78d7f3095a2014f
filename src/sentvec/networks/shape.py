"""The tensors of a Skip-Thought network: their names and shapes. Without torch.

The names are those of a model folder and of a checkpoint; blocks of 3d rows are in the order reset,
update, candidate:

    word_vectors           (V, w)   rows: the end of a sentence, the unknown word, the words
    encoder.input          (3d, w)  encoder.recurrent (3d, d)  encoder.bias (3d,)
    encoder_reverse.*               the same, reading backwards, where the encoder is bidirectional
    previous.*, next.*              decoders: input (3k, w), recurrent (3k, k), bias (3k,), and
                                    condition (3k, D) where they read the sentence at every step
    output.*                        weight and bias of the words; where the softmax is adaptive, of
                                    the head, and project1, weight1, bias1 of the first cluster, ...

V words, w their dimensions, D those of a sentence vector, d = D (or D / 2 a direction), k = D.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

END, UNKNOWN, FIRST_WORD = 0, 1, 2  # rows of word_vectors
DIRECTIONS = ("encoder", "encoder_reverse")
DECODERS = ("previous", "next")
# Each cluster of the adaptive softmax has a quarter of the dimensions of the one before.
_SHRINK = 4


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes and the form of a network.

    Attributes:
        words: V, including the end of a sentence and the unknown word.
        word_dim: w.
        dim: D.
        bidirectional: Whether half of a sentence vector is read backwards.
        form: Form of the GRU: `released` or `paper` (see `gru`).
        conditioned: Whether decoders read the sentence vector at every step (paper, eq. 5 to 7), or
            start with it as their state.
        cutoffs: Cutoffs of the adaptive softmax; none for the full one.
    """

    words: int
    word_dim: int
    dim: int
    bidirectional: bool
    form: str
    conditioned: bool
    cutoffs: tuple[int, ...] = ()

    @property
    def directions(self) -> tuple[str, ...]:
        """The encoders, whose states are concatenated in this order."""
        return DIRECTIONS if self.bidirectional else DIRECTIONS[:1]

    def encoder_tensors(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the tensors that encoding needs."""
        d = self.dim // len(self.directions)
        found: dict[str, tuple[int, ...]] = {"word_vectors": (self.words, self.word_dim)}
        for name in self.directions:
            found |= _recurrent(name, d, self.word_dim)
        return found

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """The shapes of all tensors."""
        found = self.encoder_tensors()
        for name in DECODERS:
            found |= _recurrent(name, self.dim, self.word_dim)
            if self.conditioned:
                found[f"{name}.condition"] = (3 * self.dim, self.dim)
        return found | output_tensors(self.words, self.dim, self.cutoffs)


def _recurrent(name: str, d: int, w: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.input": (3 * d, w), f"{name}.recurrent": (3 * d, d), f"{name}.bias": (3 * d,)}


def output_tensors(words: int, k: int, cutoffs: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The tensors of an output layer and their shapes.

    Args:
        words: V.
        k: Dimensions of decoder states.
        cutoffs: Where the clusters begin, ascending; none for the full softmax.
    """
    if not cutoffs:
        return {"output.weight": (words, k), "output.bias": (words,)}
    head = cutoffs[0] + len(cutoffs)
    found: dict[str, tuple[int, ...]] = {"output.weight": (head, k), "output.bias": (head,)}
    for number, (begin, end) in enumerate(clusters(words, cutoffs), 1):
        small = max(1, k // _SHRINK**number)
        found[f"output.project{number}"] = (small, k)
        found[f"output.weight{number}"] = (end - begin, small)
        found[f"output.bias{number}"] = (end - begin,)
    return found


def clusters(words: int, cutoffs: Sequence[int]) -> list[tuple[int, int]]:
    """The first word of each cluster, and the one after its last."""
    return list(zip(cutoffs, [*cutoffs[1:], words], strict=True))
