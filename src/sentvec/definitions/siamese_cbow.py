"""Siamese CBOW in plain NumPy: the definition, and the oracle of the compiled kernel.

`loss` is the objective of section 2 of the paper for one example, `slot_gradients` its gradient,
`update` one step of SGD or of AdaGrad by rows on a batch (in place). `run_batch` and
`middles_batch` build batches; their random choices follow the same streams as the kernel, so both
can be compared number by number.

Matrices may be float64 here; nothing is fast. Symbols as in `kernels.siamese_cbow.update`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.definitions.streams import Stream

Matrix = NDArray[np.floating[Any]]
Sentence = Sequence[int]

TINY, EPSILON, MAX_REDRAWS = 1e-12, 1e-10, 10


@dataclass(frozen=True)
class Example:
    """A middle sentence, its neighbours and its negatives, each the number of a slot."""

    middle: int
    positives: list[int]
    negatives: list[int]


@dataclass
class Batch:
    """Slots (sentences as lists of word ids) and the examples made of them."""

    slots: list[Sentence] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)


@dataclass(frozen=True)
class Problem:
    """What a batch is trained under. Fields as the settings of the same names.

    `keep` is how often each word stays in a mean, None for always; `longest` is `max_tokens`.
    """

    batch: int = 16
    negatives: int = 2
    shared: bool = False
    temperature: float = 1.0
    optimizer: str = "sgd"
    mean: bool = True
    positives: int = 2
    skip_edges: bool = False
    longest: int = 1000
    keep: NDArray[np.float32] | None = None


def unit(V: Matrix, words: Sentence) -> tuple[Matrix, float]:
    """The mean of a sentence's rows divided by its norm, and that norm; zeros if it has none."""
    if not len(words):
        return np.zeros(V.shape[1], V.dtype), 0.0
    mean = V[list(words)].mean(axis=0)
    length = float(np.sqrt(mean @ mean))
    if length <= TINY:
        return np.zeros_like(mean), 0.0
    return mean / length, length


def softmax(x: Matrix) -> Matrix:
    """exp(x) / sum exp(x)."""
    shifted = np.exp(x - x.max())
    result: Matrix = shifted / shifted.sum()
    return result


def loss(V: Matrix, batch: Batch, example: Example, temperature: float = 1.0) -> float:
    """The cross-entropy of an example: 1/P on each positive against the softmax of all cosines."""
    middle, _ = unit(V, batch.slots[example.middle])
    candidates = [*example.positives, *example.negatives]
    cosines = np.array([unit(V, batch.slots[k])[0] @ middle for k in candidates])
    p = softmax(temperature * cosines)
    return float(-np.mean(np.log(p[: len(example.positives)])))


def slot_gradients(V: Matrix, batch: Batch, temperature: float = 1.0) -> tuple[float, Matrix]:
    """The sum of the losses of a batch, and its gradient by the mean of each slot (slots, dim)."""
    slots = [unit(V, words) for words in batch.slots]
    total, gradients = 0.0, np.zeros((len(slots), V.shape[1]), V.dtype)
    for example in batch.examples:
        total += loss(V, batch, example, temperature)
        a, (u_a, length_a) = example.middle, slots[example.middle]
        candidates = [*example.positives, *example.negatives]
        cosines = np.array([slots[k][0] @ u_a for k in candidates])
        targets = np.zeros(len(candidates))
        targets[: len(example.positives)] = 1 / len(example.positives)
        errors = temperature * (softmax(temperature * cosines) - targets)
        for k, s, e in zip(candidates, cosines, errors, strict=True):
            u_k, length_k = slots[k]
            if length_a and length_k:
                gradients[a] += e * (u_k - s * u_a) / length_a
                gradients[k] += e * (u_a - s * u_k) / length_k
    return total, gradients


def update(
    V: Matrix, squares: Matrix, batch: Batch, problem: Problem, rate: float
) -> tuple[float, int]:
    """One step on a batch, in place; returns (sum of losses, number of examples).

    All gradients are those before the step. With AdaGrad the slots are applied in their order, and
    `squares` of a word grows each time it stands in one.
    """
    total, gradients = slot_gradients(V, batch, problem.temperature)
    share = 1 / len(batch.examples) if problem.mean and batch.examples else 1.0
    for words, gradient in zip(batch.slots, gradients, strict=True):
        if not gradient.any():
            continue
        change = share * gradient / len(words)
        for word in words:
            step = rate
            if problem.optimizer == "adagrad":
                squares[word] += np.mean(change**2)
                step = rate / np.sqrt(squares[word] + EPSILON)
            V[word] -= step * change
    return total, len(batch.examples)


def neighbours(
    sentences: Sequence[Sentence], documents: Sequence[int], s: int, problem: Problem
) -> list[int]:
    """The sentences that a sentence is trained to predict; empty if it is not trained."""
    first = max(start for start in documents[:-1] if start <= s)
    end = min(stop for stop in documents[1:] if stop > s)
    wanted = [s - 1, s + 1] if problem.positives == 2 else [s + 1]
    found = [k for k in wanted if first <= k < end and len(sentences[k]) and len(sentences[s])]
    return [] if problem.skip_edges and found != wanted else found


def run_batch(
    sentences: Sequence[Sentence],
    documents: Sequence[int],
    run: tuple[int, int],
    problem: Problem,
    rng: Stream,
) -> Batch:
    """A run of consecutive sentences of a document, with negatives that all of them share."""
    first, end = run
    trained = {s: neighbours(sentences, documents, s, problem) for s in range(first, end)}
    if not any(trained.values()):
        return Batch()
    edges = (first - 1 in trained[first], end in trained[end - 1])
    members = [*([first - 1] * edges[0]), *range(first, end), *([end] * edges[1])]
    slots = [_kept(sentences[s], problem, rng) for s in members]
    drawn = _negatives(sentences, [sentences[s] for s in members], problem, rng)
    negatives = list(range(len(slots), len(slots) + len(drawn)))
    batch = Batch(slots + drawn)
    place = {s: k for k, s in enumerate(members)}
    for s, positives in trained.items():
        _add(batch, place[s], [place[k] for k in positives], negatives)
    return batch


def middles_batch(
    sentences: Sequence[Sentence],
    documents: Sequence[int],
    middles: Sequence[int],
    problem: Problem,
    streams: Sequence[Stream],
) -> Batch:
    """Middle sentences that are trained, each with negatives of its own."""
    batch = Batch()
    for s, rng in zip(middles, streams, strict=True):
        positives = neighbours(sentences, documents, s, problem)
        members, start = [s, *positives], len(batch.slots)
        batch.slots += [_kept(sentences[k], problem, rng) for k in members]
        drawn = _negatives(sentences, [sentences[k] for k in members], problem, rng)
        negatives = len(batch.slots) + np.arange(len(drawn))
        batch.slots += drawn
        places = list(range(start + 1, start + 1 + len(positives)))
        _add(batch, start, places, negatives.tolist())
    return batch


def _add(batch: Batch, middle: int, positives: list[int], negatives: list[int]) -> None:
    """Add an example, unless it has no positives or its words were left out."""
    there = [k for k in positives if len(batch.slots[k])]
    if there and len(batch.slots[middle]):
        batch.examples.append(Example(middle, there, negatives))


def _kept(words: Sentence, problem: Problem, rng: Stream) -> list[int]:
    """The words of a sentence that are averaged this time."""
    cut = list(words[: problem.longest])
    if problem.keep is None:
        return cut
    kept = [word for word in cut if np.float32(rng.uniform()) <= problem.keep[word]]
    return kept or cut


def _negatives(
    sentences: Sequence[Sentence], avoid: Sequence[Sentence], problem: Problem, rng: Stream
) -> list[Sentence]:
    """Random sentences with known words; those equal to one of `avoid` are drawn again."""
    result: list[Sentence] = []
    for _ in range(problem.negatives):
        for _ in range(1 + MAX_REDRAWS):
            words = sentences[rng.below(len(sentences))]
            while not len(words):
                words = sentences[rng.below(len(sentences))]
            if list(words) not in [list(other) for other in avoid]:
                break
        result.append(_kept(words, problem, rng))
    return result
