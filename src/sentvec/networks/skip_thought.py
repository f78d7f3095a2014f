"""Skip-Thought: an encoder, and two decoders that predict the sentence before and the one after.

Kiros et al. 2015, section 2.1. Everything here is a function of tensors by name, as `shape` lists
them; the definition in plain NumPy is `definitions.skip_thought`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sentvec.networks.gru import gru
from sentvec.networks.packing import Packing
from sentvec.networks.products import linear
from sentvec.networks.shape import DECODERS, DIRECTIONS, END, Shape
from sentvec.networks.softmax import output_loss

_INIT_RANGE = 0.1


def start(shape: Shape, seed: int) -> dict[str, Tensor]:
    """Parameters before training: each recurrent matrix orthogonal, others uniform(-0.1, 0.1).

    Biases, which the paper does not have, are zero (paper, section 3.1).
    """
    random = torch.Generator().manual_seed(seed)
    found = {}
    for name, size in shape.tensors().items():
        tensor = torch.zeros(size)
        if name.endswith(".recurrent"):
            for block in tensor.chunk(3):
                torch.nn.init.orthogonal_(block, generator=random)
        elif "bias" not in name:
            tensor.uniform_(-_INIT_RANGE, _INIT_RANGE, generator=random)
        found[name] = tensor
    return found


@dataclass(frozen=True, slots=True)
class Sentences:
    """Concatenated sentences: rows of `word_vectors` without ends, and the lengths."""

    ids: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def ended(self) -> Sentences:
        """The same sentences, each with the end as its last word."""
        ids = np.insert(self.ids, np.cumsum(self.lengths), END)
        return Sentences(ids, self.lengths + 1)


@dataclass(frozen=True, slots=True)
class Passages:
    """A batch: sentence i of `middle` is between sentences i of `previous` and of `following`."""

    middle: Sentences
    previous: Sentences
    following: Sentences


def encode(
    p: Mapping[str, Tensor], x: list[Tensor], packings: list[Packing], shape: Shape,
    low: torch.dtype | None = None,
) -> Tensor:  # fmt: skip
    """The sentence vectors: the state after the true last word, (B, D).

    Args:
        p: Parameters by name.
        x: For each direction the word vectors, packed: (N, w).
        packings: For each direction, its packing.
        shape: Of the network.
        low: Precision of products, see `gru`.
    """
    parts = []
    for name, words, packing in zip(shape.directions, x, packings, strict=True):
        gates = linear(words, p[f"{name}.input"], low) + p[f"{name}.bias"]
        U = p[f"{name}.recurrent"]
        h = gru(gates, gates.new_zeros(len(packing.order), U.shape[1]), U, packing.sizes,
                shape.form, low)  # fmt: skip
        ends = packing.last[np.argsort(packing.order)]
        parts.append(h[torch.from_numpy(ends).to(h.device)])
    return torch.cat(parts, 1)


def losses(
    p: Mapping[str, Tensor], batch: Passages, shape: Shape, low: torch.dtype | None = None
) -> tuple[Tensor, Tensor]:
    """The sums of -log p(word) over the sentences before and those after (paper, eq. 10)."""
    inputs = _Inputs(p["word_vectors"])
    ended = batch.middle.ended()
    packings = [
        inputs.add(ended.ids, Packing.of(ended.lengths, backwards=name != DIRECTIONS[0]))
        for name in shape.directions
    ]
    targets = [inputs.add_shifted(sentences) for sentences in (batch.previous, batch.following)]
    rows = iter(inputs)
    vectors = encode(p, [next(rows) for _ in packings], packings, shape, low)
    return tuple(  # type: ignore[return-value]
        _decoder_loss(p, name, vectors, words, packing, target, shape, low)
        for name, words, (packing, target) in zip(DECODERS, rows, targets, strict=True)
    )


class _Inputs:
    """The words that all parts read, looked up together: one gradient of the table, not five."""

    def __init__(self, table: Tensor) -> None:
        self._table = table
        self._ids: list[NDArray[np.int64]] = []

    def add(self, ids: NDArray[np.int64], packing: Packing) -> Packing:
        self._ids.append(ids[packing.places])
        return packing

    def add_shifted(self, sentences: Sentences) -> tuple[Packing, Tensor]:
        """What a decoder reads (nothing, then the words) and what it predicts (words, then END)."""
        ended = sentences.ended()
        packing = Packing.of(ended.lengths)
        before = np.concatenate([[END], ended.ids[:-1]])  # not used at step 0
        self._ids.append(before[packing.places][len(packing.order) :])
        return packing, torch.from_numpy(ended.ids[packing.places]).to(self._table.device)

    def __iter__(self) -> Iterator[Tensor]:
        ids = torch.from_numpy(np.concatenate(self._ids)).to(self._table.device)
        found = torch.nn.functional.embedding(ids, self._table)
        return iter(torch.split(found, [len(part) for part in self._ids]))


def _decoder_loss(
    p: Mapping[str, Tensor], name: str, vectors: Tensor, words: Tensor, packing: Packing,
    targets: Tensor, shape: Shape, low: torch.dtype | None,
) -> Tensor:  # fmt: skip
    order = torch.from_numpy(packing.order).to(vectors.device)
    s = vectors[order]
    x = torch.cat([words.new_zeros(len(s), words.shape[1]), words])
    gates = linear(x, p[f"{name}.input"], low) + p[f"{name}.bias"]
    h0 = s
    if shape.conditioned:
        columns = torch.from_numpy(packing.columns).to(vectors.device)
        gates = gates + linear(s, p[f"{name}.condition"], low).index_select(0, columns)
        h0 = torch.zeros_like(s)
    h = gru(gates, h0, p[f"{name}.recurrent"], packing.sizes, shape.form, low)
    return output_loss(p, h, targets, shape.words, shape.cutoffs, low)
