"""Small networks with sentences, for the tests of `networks`."""

from __future__ import annotations

from itertools import product

import numpy as np
import torch

from sentvec.networks.shape import END, Shape
from sentvec.networks.skip_thought import Passages, Sentences

WORDS = 13
KINDS = [
    Shape(WORDS, 5, 6, bidirectional, form, conditioned, cutoffs)
    for bidirectional, form, conditioned, cutoffs in product(
        (False, True), ("released", "paper"), (True, False), ((), (4, 8))
    )
]


def name_of(shape):
    """What is special to a shape, for the name of a test."""
    return "-".join([
        "bi" if shape.bidirectional else "uni", shape.form,
        "conditioned" if shape.conditioned else "started",
        "adaptive" if shape.cutoffs else "full",
    ])  # fmt: skip


def parameters(shape, seed=3, dtype=torch.float64, spread=0.5):
    """Random parameters, biases too, large enough for gates that are neither open nor closed."""
    random = torch.Generator().manual_seed(seed)
    return {
        name: (torch.rand(size, generator=random, dtype=torch.float64) * 2 - 1).mul_(spread).to(dtype)
        for name, size in shape.tensors().items()
    }  # fmt: skip


def sentences(lengths, seed=0, words=WORDS):
    """Random sentences of these lengths, without their ends."""
    random = np.random.default_rng(seed)
    lengths = np.array(lengths, np.int64)
    return Sentences(random.integers(1, words, int(lengths.sum())), lengths)


def passages(seed=0, words=WORDS):
    """A batch whose neighbours are of different lengths, and once none: a bare end."""
    return Passages(
        sentences([3, 3, 3, 3, 3], seed, words),
        sentences([2, 7, 1, 1, 4], seed + 1, words),
        sentences([5, 1, 2, 6, 2], seed + 2, words),
    )


def listed(some, ended=True):
    """Sentences as lists of rows, with their ends."""
    parts = np.split(some.ids, np.cumsum(some.lengths)[:-1])
    return [[*part.tolist(), *([END] if ended else [])] for part in parts]


def triples(batch):
    """(previous, middle, following) of each triple of a batch, as lists."""
    return list(zip(*map(listed, (batch.previous, batch.middle, batch.following)), strict=True))


def arrays(p):
    """Parameters as NumPy arrays."""
    return {name: tensor.detach().numpy() for name, tensor in p.items()}
