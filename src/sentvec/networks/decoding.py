"""Decode a sentence vector to a sentence, by beam search or by sampling.

    s     (D,)    the sentence vector
    h     (n, k)  decoder states after n beginnings of sentences, k = D
    p     (n, V)  log-probabilities of the next word of each

The first step reads the zero vector, as in training. A sentence is scored by the sum of the
log-probabilities that the network gives to its words and its end, so the score is -1 times the loss
of training. The sum is not normalised by length, so it keeps its meaning and only decreases as a
sentence grows: a search knows when it can stop, and a wide one finds the most probable sentence.

The unknown word is never chosen, nor an end before the first word; the scores are not renormalised
for this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sentvec.errors import FormatError
from sentvec.networks.gru import gru
from sentvec.networks.products import linear
from sentvec.networks.shape import DECODERS, END, UNKNOWN, Shape
from sentvec.networks.softmax import log_probabilities

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Decoded:
    """A sentence, or the beginning of one.

    Attributes:
        rows: Its words as rows of the word vectors, without the end.
        score: Sum of log-probabilities of the words, and of the end if it is finished.
        finished: Whether the end was predicted.
    """

    rows: tuple[int, ...]
    score: float
    finished: bool


def decoders(
    shape: Shape,
    arrays: Mapping[str, NDArray[Any]],
    lookup: Callable[[NDArray[np.int64]], Floats],
) -> dict[str, Decoder]:
    """The decoders of a network by name; they share the output layer.

    Args:
        shape: Of the network.
        arrays: Its tensors by name; those of the decoders and of the output are copied.
        lookup: Returns the word vectors of some rows, float32 (n, w).
    """
    parameters = {
        name: torch.tensor(np.asarray(arrays[name]))
        for name in shape.tensors()
        if name.startswith((*(f"{decoder}." for decoder in DECODERS), "output."))
    }
    return {name: Decoder(shape, name, parameters, lookup) for name in DECODERS}


class Decoder:
    """One of the two decoders of a network, on a CPU.

    Args:
        shape: Of the network.
        name: `previous` or `next`.
        parameters: Tensors of the decoder and of the output by name.
        lookup: Returns the word vectors of some rows, float32 (n, w).
    """

    def __init__(
        self,
        shape: Shape,
        name: str,
        parameters: Mapping[str, Tensor],
        lookup: Callable[[NDArray[np.int64]], Floats],
    ) -> None:
        self._shape, self._name, self._lookup = shape, name, lookup
        self._parameters = parameters

    def start(self, vector: Floats) -> tuple[Tensor, Tensor]:
        """The state before the first step.

        Args:
            vector: (D,), of the sentence whose neighbour is decoded.

        Returns:
            The state before the first step (1, k), and what the gates get at every step (1, 3k).
        """
        p, name = self._parameters, self._name
        s = torch.tensor(vector)[None]
        if not self._shape.conditioned:
            return s, p[f"{name}.bias"][None]
        given = p[f"{name}.bias"] + linear(s, p[f"{name}.condition"], None)
        return torch.zeros_like(s), given

    @torch.no_grad()
    def step(self, h: Tensor, given: Tensor, rows: list[int] | None) -> tuple[Tensor, Tensor]:
        """Read the next word of each sentence.

        Args:
            h: States so far, (n, k).
            given: The constant input of the gates, from `start`.
            rows: The words, n of them; None at the first step.

        Returns:
            The states after it (n, k), and log-probabilities of the next word (n, V), -inf for
            those that may not be chosen.

        Raises:
            FormatError: The network computes values that are not finite.
        """
        p, name, shape = self._parameters, self._name, self._shape
        x = given.expand(len(h), -1)
        if rows is not None:
            words = torch.from_numpy(self._lookup(np.array(rows, np.int64)))
            x = x + linear(words, p[f"{name}.input"], None)
        h = gru(x, h, p[f"{name}.recurrent"], [len(h)], shape.form)
        scores = log_probabilities(p, h, shape.words, shape.cutoffs)
        if not torch.isfinite(scores).all():
            msg = f"the decoder '{name}' gives probabilities that are not finite - its tensors are "
            raise FormatError(msg + "damaged; copy the model again")
        scores[:, UNKNOWN] = -torch.inf
        if rows is None:
            scores[:, END] = -torch.inf
        return h, scores


def beam_search(
    decoder: Decoder, vector: Floats, *, beam: int, count: int, max_tokens: int
) -> list[Decoded]:
    """The most probable sentences that beam search finds, finished ones first, then by score.

    At each step, those of the best `beam` continuations of all hypotheses that are ends become
    finished sentences, and the best `beam` continuations by a word become the next hypotheses. A
    beam of 1 always takes the most probable word.

    Args:
        decoder: The decoder.
        vector: (D,), the sentence vector.
        beam: Beam width: hypotheses kept at each step.
        count: Number of sentences to return, at most `beam`; there may be fewer.
        max_tokens: Maximum number of words; a sentence that does not end by then is unfinished.
    """
    h, given = decoder.start(vector)
    live, rows = [Decoded((), 0.0, False)], None
    finished: list[Decoded] = []
    for length in range(max_tokens + 1):
        h, scores = decoder.step(h, given, rows)
        origins: list[int] = []
        grown: list[Decoded] = []
        for rank, (parent, row, score) in enumerate(_continuations(live, scores, 2 * beam)):
            before = live[parent].rows
            if row == END:
                if rank < beam:
                    finished.append(Decoded(before, score, True))
            elif len(grown) < beam:
                grown.append(Decoded((*before, row), score, False))
                origins.append(parent)
        if length == max_tokens:
            ended = {found.rows for found in finished}
            live = [hypothesis for hypothesis in live if hypothesis.rows not in ended]
            break
        live, rows, h = grown, [hypothesis.rows[-1] for hypothesis in grown], h[origins]
        finished.sort(key=lambda found: -found.score)
        # Scores only decrease: no hypothesis can become better.
        if len(finished) >= count and finished[count - 1].score >= live[0].score:
            break
    finished.sort(key=lambda found: -found.score)
    return [*finished, *live][:count]


def _continuations(live: list[Decoded], scores: Tensor, limit: int) -> list[tuple[int, int, float]]:
    """The best continuations: (hypothesis, row of the next word, new score), best first.

    Twice the beam width is enough: each hypothesis has one end, so the continuations by a word
    among them fill the beam.
    """
    best, rows = torch.topk(scores, min(limit, scores.shape[1]))
    sums = best.double().numpy() + np.array([found.score for found in live])[:, None]
    order = np.argsort(-sums, axis=None, kind="stable")[:limit]
    width = sums.shape[1]
    return [
        (int(place // width), int(rows.flatten()[place]), float(sums.flat[place]))
        for place in order
        if sums.flat[place] > -np.inf
    ]


def sample(
    decoder: Decoder, vector: Floats, *, temperature: float, count: int, max_tokens: int, seed: int
) -> list[Decoded]:
    """Sample sentences word by word.

    The probability of a word is proportional to p(word) ** (1 / temperature), but the scores are at
    temperature 1. Sentence i depends only on the seed and i, not on the count.

    Args:
        decoder: The decoder.
        vector: (D,), the sentence vector.
        temperature: Above 0; the closer to 0, the more often the most probable word is chosen.
        count: Number of sentences to sample; some may be equal.
        max_tokens: Maximum number of words; a sentence that does not end by then is unfinished.
        seed: Seed of the random numbers.
    """
    h, given = decoder.start(vector)
    h, rows = h.expand(count, -1), None
    drawn = [Decoded((), 0.0, False)] * count
    live = list(range(count))
    randoms = [np.random.default_rng([seed, number]) for number in live]
    for length in range(max_tokens + 1):
        h, scores = decoder.step(h, given, rows)
        p = scores.double().numpy()
        # The argmax of log p + T g, with g from Gumbel's distribution, is a sample of p ** (1 / T).
        noise = np.stack([randoms[number].gumbel(size=p.shape[1]) for number in live])
        chosen = np.argmax(p + temperature * noise, axis=1).tolist()
        unfinished = []
        for place, (number, row) in enumerate(zip(live, chosen, strict=True)):
            before, score = drawn[number], drawn[number].score + float(p[place, row])
            if row == END:
                drawn[number] = Decoded(before.rows, score, True)
            elif length < max_tokens:
                drawn[number] = Decoded((*before.rows, row), score, False)
                unfinished.append(place)
        if not unfinished:
            break
        h, rows = h[unfinished], [chosen[place] for place in unfinished]
        live = [live[place] for place in unfinished]
    return drawn
