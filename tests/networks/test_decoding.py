"""Decoding a sentence: beam search and draws, against the loss of training and an enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from sentvec.errors import FormatError
from sentvec.networks.decoding import beam_search, decoders, sample
from sentvec.networks.packing import Packing
from sentvec.networks.shape import DECODERS, DIRECTIONS, END, FIRST_WORD, UNKNOWN, Shape
from sentvec.networks.skip_thought import Passages, Sentences, encode, losses, start

KINDS = [
    (form, conditioned, cutoffs)
    for form in ("released", "paper")
    for conditioned in (True, False)
    for cutoffs in ((), (3, 5))
]


class Network:
    """A network of random parameters, large enough to have opinions, and a sentence it has read."""

    def __init__(
        self, form="released", conditioned=True, cutoffs=(), words=8, scale=8.0, seed=3, bias=()
    ):
        self.shape = Shape(words, 4, 6, seed % 2 == 1, form, conditioned, cutoffs)
        random = torch.Generator().manual_seed(seed)
        self.p = {name: tensor * scale for name, tensor in start(self.shape, seed).items()}
        for name in self.p:  # biases that matter
            if "bias" in name:
                self.p[name].uniform_(-1, 1, generator=random)
        for row, more in dict(bias).items():
            self.p["output.bias"][row] += more
        self.middle = Sentences(np.array([3, 2, UNKNOWN, 4]), np.array([4]))
        ended = self.middle.ended()
        packings = [Packing.of(ended.lengths, backwards=name != DIRECTIONS[0])
                    for name in self.shape.directions]  # fmt: skip
        x = [self.p["word_vectors"][ended.ids[packing.places]] for packing in packings]
        self.vector = encode(self.p, x, packings, self.shape)[0].numpy()
        arrays = {name: tensor.numpy() for name, tensor in self.p.items()}
        self.decoders = decoders(self.shape, arrays, arrays["word_vectors"].__getitem__)

    def score(self, name, rows):
        """The log-probability of a sentence as training computes it, teacher-forced."""
        neighbour = Sentences(np.array(rows), np.array([len(rows)]))
        batch = Passages(self.middle, neighbour, neighbour)
        return -losses(self.p, batch, self.shape)[DECODERS.index(name)].item()

    def greedy(self, name, most):
        """The likeliest word each time, by the scores of all ways to go on."""
        rows = []
        for _ in range(most):
            _, scores = self.after(name, rows)
            best = int(np.argmax(scores))
            if best == END:
                return tuple(rows), True
            rows.append(best)
        return tuple(rows), int(np.argmax(self.after(name, rows)[1])) == END

    def after(self, name, rows):
        """The state after some words, and log-probabilities of the next, one step at a time."""
        decoder = self.decoders[name]
        h, given = decoder.start(self.vector)
        h, scores = decoder.step(h, given, None)
        for row in rows:
            h, scores = decoder.step(h, given, [row])
        return h, scores[0].numpy()

    def beam(self, name, **options):
        return beam_search(self.decoders[name], self.vector, **options)

    def draw(self, name, **options):
        return sample(self.decoders[name], self.vector, **options)


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_score_of_a_sentence_is_minus_its_loss_in_training(kind, name):
    network = Network(*kind)
    found = network.beam(name, beam=6, count=6, max_tokens=7)
    found += network.draw(name, temperature=4.0, count=12, max_tokens=12, seed=4)
    whole = [one for one in found if one.finished]
    assert len({one.rows for one in whole}) > 4
    for one in whole:
        assert one.score == pytest.approx(network.score(name, one.rows), abs=1e-4)


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_that_holds_everything_finds_the_best_of_all_sentences(kind, name):
    network = Network(*kind, words=7)
    rows = range(FIRST_WORD, network.shape.words)
    every = [words for length in (1, 2, 3) for words in product(rows, repeat=length)]
    scores = {words: network.score(name, words) for words in every}
    best = sorted(every, key=lambda words: -scores[words])
    all_ways_on = len(rows) ** 4 + len(every)
    whole = network.beam(name, beam=all_ways_on, count=len(every), max_tokens=3)
    assert all(one.finished for one in whole)
    assert {one.rows for one in whole} == set(every)
    assert [one.score for one in whole] == pytest.approx([scores[w] for w in best], abs=1e-4)
    assert [one.rows for one in whole[:3]] == best[:3]
    [first] = network.beam(name, beam=all_ways_on, count=1, max_tokens=3)
    assert first.rows == best[0]


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_of_one_takes_the_likeliest_word_each_time(kind, name):
    for seed in range(6):
        network = Network(*kind, words=12, seed=seed)
        [one] = network.beam(name, beam=1, count=1, max_tokens=6)
        assert (one.rows, one.finished) == network.greedy(name, 6)


def test_a_wider_beam_finds_what_a_greedy_one_misses():
    better = 0
    for seed in range(12):
        network = Network(words=12, seed=seed, scale=5.0)
        [narrow] = network.beam("next", beam=1, count=1, max_tokens=8)
        [wide] = network.beam("next", beam=40, count=1, max_tokens=8)
        if narrow.finished:
            assert wide.score >= narrow.score
            better += wide.score > narrow.score + 1e-3
    assert better


def test_the_best_is_the_same_however_many_are_asked_for():
    for seed in range(8):
        network = Network(words=12, seed=seed)
        found = network.beam("previous", beam=6, count=6, max_tokens=6)
        for count in range(1, 6):
            assert network.beam("previous", beam=6, count=count, max_tokens=6) == found[:count]


def test_the_unknown_word_and_an_end_without_words_never_come():
    network = Network(scale=1.0, bias={END: 3.0, UNKNOWN: 3.0})
    found = network.beam("next", beam=20, count=20, max_tokens=4)
    drawn = network.draw("next", temperature=2.0, count=40, max_tokens=4, seed=1)
    for one in [*found, *drawn]:
        assert one.rows
        assert min(one.rows) >= FIRST_WORD
    # Forbidden is not made up for: the scores are those of the network.
    assert found[0].score == pytest.approx(network.score("next", found[0].rows), abs=1e-4)
    assert found[0].score < np.log(0.2)


def test_what_does_not_end_says_so_and_comes_last():
    network = Network(scale=1.0, bias={END: -50.0})
    found = network.beam("next", beam=4, count=4, max_tokens=5)
    assert [(len(one.rows), one.finished) for one in found] == [(5, False)] * 4
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    drawn = network.draw("next", temperature=1.0, count=4, max_tokens=5, seed=1)
    assert [(len(one.rows), one.finished) for one in drawn] == [(5, False)] * 4
    for one in [*found, *drawn]:  # without an end, the end is not in the score
        scores = [network.after("next", one.rows[:i])[1][row] for i, row in enumerate(one.rows)]
        assert one.score == pytest.approx(sum(scores), abs=1e-4)
    mixed = Network(words=6, scale=3.0).beam("next", beam=30, count=30, max_tokens=2)
    ends = [one.finished for one in mixed]
    assert ends == sorted(ends, reverse=True)
    assert {*ends} == {True, False}
    assert len({one.rows for one in mixed}) == len(mixed)  # with its end or without it, not both


def test_draws_repeat_with_their_seed_and_do_not_depend_on_how_many_are_drawn():
    network = Network(words=30, scale=3.0)
    options = {"temperature": 1.0, "max_tokens": 10}
    drawn = network.draw("next", count=6, seed=5, **options)
    assert network.draw("next", count=6, seed=5, **options) == drawn
    few = network.draw("next", count=2, seed=5, **options)
    assert [one.rows for one in few] == [one.rows for one in drawn[:2]]
    assert network.draw("next", count=6, seed=6, **options) != drawn
    assert len({one.rows for one in drawn}) > 1


@pytest.mark.parametrize("kind", KINDS)
def test_draws_at_a_temperature_near_zero_are_greedy(kind):
    network = Network(*kind)
    for temperature in (1e-3, 1e-300):
        for one in network.draw("next", temperature=temperature, count=3, max_tokens=6, seed=2):
            assert (one.rows, one.finished) == network.greedy("next", 6)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_words_are_drawn_as_often_as_their_probability_says(temperature):
    network = Network(words=6, scale=3.0)
    n = 4000
    drawn = network.draw("next", temperature=temperature, count=n, max_tokens=1, seed=9)
    _, scores = network.after("next", [])
    weights = np.exp(scores.astype(np.float64) / temperature)
    expected = weights / weights.sum()
    counts = np.bincount([one.rows[0] for one in drawn], minlength=6)
    # Five standard deviations of a binomial count.
    assert np.all(np.abs(counts - n * expected) <= 5 * np.sqrt(n * expected * (1 - expected)))
    assert counts.max() < n


def test_parameters_that_are_not_finite_are_an_error():
    network = Network(bias={3: np.nan})
    with pytest.raises(FormatError, match="decoder 'next' gives probabilities that are not finite"):
        network.beam("next", beam=2, count=1, max_tokens=3)
    with pytest.raises(FormatError, match="not finite"):
        network.draw("next", temperature=1.0, count=1, max_tokens=3, seed=1)
