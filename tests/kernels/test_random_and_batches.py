"""Streams, permutations, batches, starting values and the table of negatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.definitions import streams as reference
from sentvec.kernels import random
from sentvec.kernels.batches import choose, gather
from sentvec.kernels.jit import helper
from sentvec.kernels.setup import alias_table, fill_uniform

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
KEYS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (5, 2, 7), (2**62, 2**31, 2**40)]


def examples(n):
    return settings(max_examples=n, deadline=None, derandomize=True)


def half_bits_of(n):
    """As in the training loop: 4^half_bits is at least n."""
    return (max(1, (n - 1).bit_length()) + 1) // 2


# Small kernels that show what the helpers do. Compiled without a cache: it would not notice a
# change of the helpers.


@helper
def mix_all(values, out):
    for i in range(len(values)):
        out[i] = random.mix(values[i])


@helper
def draw_all(seed, epoch, sentence, limits, bits, units, whole, rng):
    rng[0] = random.stream(seed, epoch, sentence)
    for i in range(len(limits)):
        bits[i] = random.draw(rng)
        units[i] = random.uniform(rng)
        whole[i] = random.below(rng, limits[i])


@helper
def permute_all(half_bits, key, out):
    for i in range(len(out)):
        out[i] = random.permuted(i, len(out), half_bits, np.uint64(key))


def draws(seed, epoch, sentence, limits):
    n = len(limits)
    bits, units, whole = np.empty(n, np.uint64), np.empty(n, np.float32), np.empty(n, np.int64)
    rng = np.empty(1, np.uint64)
    draw_all(seed, epoch, sentence, np.array(limits, np.int64), bits, units, whole, rng)
    return bits, units, whole


def permutation(n, key):
    out = np.empty(n, np.int64)
    permute_all(half_bits_of(n), key, out)
    return out


# Streams.


def test_mix_is_that_of_the_reference():
    values = [0, 1, 2, 2**31, 2**63, MASK, GOLDEN, *range(1000, 1100)]
    out = np.empty(len(values), np.uint64)
    mix_all(np.array(values, np.uint64), out)
    assert out.tolist() == [reference.mix(value) for value in values]


def test_splitmix64_gives_its_published_first_numbers():
    stream = reference.Stream.__new__(reference.Stream)
    stream.state = 1234567
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [stream.draw() for _ in range(3)] == expected


@pytest.mark.parametrize("key", KEYS)
def test_a_stream_draws_the_numbers_of_the_reference(key):
    limits = [1, 2, 3, 7, 10, 1000, 2**20, 2**31, 2**32 - 1, 2**32] * 20
    bits, units, whole = draws(*key, limits)
    stream = reference.Stream(*key)
    for i, limit in enumerate(limits):
        assert bits[i] == stream.draw()
        assert units[i] == stream.uniform()
        assert whole[i] == stream.below(limit)


def test_streams_of_different_keys_differ():
    first = [draws(*key, [10])[0][0] for key in KEYS]
    assert len(set(first)) == len(KEYS)


def test_uniform_and_below_cover_their_ranges_evenly():
    n = 100_000
    _, units, whole = draws(3, 1, 4, [10] * n)
    assert units.min() >= 0
    assert units.max() < 1
    assert units.mean() == pytest.approx(0.5, abs=5 * np.sqrt(1 / 12 / n))
    counts = np.bincount(whole, minlength=10)
    assert len(counts) == 10
    assert np.abs(counts - n / 10).max() < 5 * np.sqrt(n / 10)


# Permutations.


@pytest.mark.parametrize("key", [0, 12345, MASK >> 1])
def test_permuted_is_a_permutation_of_every_size_to_200(key):
    for n in range(1, 201):
        assert sorted(permutation(n, key)) == list(range(n))


@pytest.mark.parametrize("n", [255, 256, 257, 1000, 4096, 4097, 65_536, 65_537, 300_000])
def test_permuted_is_a_permutation_of_larger_sizes(n):
    found = permutation(n, 99)
    assert (np.sort(found) == np.arange(n)).all()
    assert (found == np.arange(n)).mean() < 0.05


def test_permutations_of_different_keys_differ():
    assert len({permutation(50, key).tobytes() for key in range(100)}) == 100


def test_every_index_is_sent_everywhere_about_equally_often():
    n, turns = 10, 4000
    places = np.zeros((n, n))
    for key in range(turns):
        places[np.arange(n), permutation(n, reference.mix(key) >> 1)] += 1
    assert np.abs(places - turns / n).max() < 6 * np.sqrt(turns / n)


# Batches.


def batches_of(
    offsets, *, shuffle=True, seed=1, epoch=0, size=5, max_tokens=20, position=0, group=1, roles=()
):
    offsets = np.array(offsets, np.int64)
    n = len(offsets) - 1
    sentences = np.empty(size, np.int64)
    rest = (half_bits_of(n), max_tokens, group, np.array(roles, np.uint8), sentences)
    batches = []
    while position < n:
        taken, tokens = choose(offsets, position, shuffle, seed, epoch, *rest)
        assert taken >= 1, "expected at least one sentence unless the epoch is over"
        batches.append(sentences[:taken].tolist())
        assert tokens == sum(offsets[s + 1] - offsets[s] for s in batches[-1])
        assert tokens <= max_tokens or taken == 1 or group > 1
        position += taken
    assert choose(offsets, n, shuffle, seed, epoch, *rest)[0] == 0
    return batches


def order_of(*args, **options):
    return [sentence for batch in batches_of(*args, **options) for sentence in batch]


@examples(100)
@given(
    lengths=st.lists(st.integers(0, 30), min_size=1, max_size=60),
    size=st.integers(1, 9),
    max_tokens=st.sampled_from([1, 10, 1000]),
    epoch=st.integers(0, 3),
    shuffle=st.booleans(),
)
def test_an_epoch_covers_every_sentence_exactly_once(lengths, size, max_tokens, epoch, shuffle):
    offsets = np.cumsum([0, *lengths])
    order = order_of(offsets, shuffle=shuffle, epoch=epoch, size=size, max_tokens=max_tokens)
    assert sorted(order) == list(range(len(lengths)))


@pytest.mark.parametrize("n", [1, 2, 3, 16, 17, 64, 65, 1000, 5000])
def test_an_epoch_of_any_number_of_sentences_is_covered(n):
    offsets = np.arange(n + 1) * 3
    assert sorted(order_of(offsets, size=100, max_tokens=1000)) == list(range(n))


def test_without_shuffling_the_order_is_that_of_the_corpus():
    assert order_of(np.arange(101), shuffle=False) == list(range(100))


def test_each_epoch_and_each_seed_has_an_order_of_its_own():
    offsets = np.arange(101)
    orders = [
        order_of(offsets, seed=seed, epoch=epoch) for seed in (0, 1, 2) for epoch in (0, 1, 2)
    ]
    assert len({tuple(order) for order in orders}) == 9
    assert list(range(100)) not in orders


def test_the_same_seed_and_epoch_give_the_same_order_however_it_is_cut():
    offsets = np.cumsum(np.arange(60) % 7)
    whole = order_of(offsets, seed=4, epoch=2, size=1000, max_tokens=10_000)
    for size, max_tokens in [(1, 100), (3, 8), (1000, 1), (7, 21)]:
        assert order_of(offsets, seed=4, epoch=2, size=size, max_tokens=max_tokens) == whole
    assert order_of(offsets, seed=4, epoch=2, position=20) == whole[20:]


def test_a_batch_is_as_full_as_it_may_be():
    offsets = np.cumsum([0, 5, 5, 9, 30, 0, 0, 1, 1, 1, 1])
    batches = batches_of(offsets, shuffle=False, size=4, max_tokens=10)
    assert batches == [[0, 1], [2], [3], [4, 5, 6, 7], [8, 9]]


@examples(60)
@given(
    sentences=st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=6), min_size=1, max_size=12),
    picks=st.lists(st.integers(0, 100), max_size=9),
)
def test_gather_copies_the_tokens_of_the_chosen_sentences(sentences, picks):
    chosen = [pick % len(sentences) for pick in picks]
    ids = np.array([word for sentence in sentences for word in sentence], np.uint32)
    offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    expected = [word for s in chosen for word in sentences[s]]
    out_ids = np.full(len(expected) + 1, 7, np.uint32)
    out_offsets = np.empty(len(chosen) + 1, np.int64)
    gather(ids, offsets, np.array(chosen, np.int64), out_ids, out_offsets)
    assert out_ids.tolist() == [*expected, 7]
    assert out_offsets.tolist() == np.cumsum([0, *(len(sentences[s]) for s in chosen)]).tolist()


# Starting values.


def test_starting_values_are_those_of_the_definition():
    rows = np.empty((4, 3), np.float32)
    fill_uniform(rows, 10, 0.25, 77)
    start = reference.mix(77)
    for i in range(4):
        state = reference.mix(start + 10 + i)
        for d in range(3):
            state = (state + GOLDEN) & MASK
            bits = (reference.mix(state) >> 40) - 2**23
            assert rows[i, d] == np.float32(bits) * np.float32(0.25 * 2.0**-23)


@pytest.mark.parametrize("bound", [1.0, 0.01])
def test_starting_values_are_uniform_in_their_range(bound):
    rows = np.empty((2000, 100), np.float32)
    fill_uniform(rows, 0, bound, 5)
    assert rows.min() >= -bound
    assert rows.max() < bound
    assert np.ptp(rows) > 1.999 * bound
    n, deviation = rows.size, bound / np.sqrt(3)
    assert rows.mean(dtype=np.float64) == pytest.approx(0, abs=5 * deviation / np.sqrt(n))
    assert rows.std(dtype=np.float64) == pytest.approx(deviation, rel=0.01)
    assert np.abs(rows.mean(axis=0)).max() < 5 * deviation / np.sqrt(2000)
    assert np.abs(rows.mean(axis=1)).max() < 5 * deviation / np.sqrt(100)
    assert len(np.unique(rows)) > 0.98 * n


@pytest.mark.parametrize("cuts", [[50], [1, 2, 3], [99], list(range(1, 100))])
def test_starting_values_do_not_depend_on_how_rows_are_split(cuts):
    whole, parts = np.empty((100, 7), np.float32), np.empty((100, 7), np.float32)
    fill_uniform(whole, 0, 0.5, 3)
    for start, stop in zip([0, *cuts], [*cuts, 100], strict=True):
        fill_uniform(parts[start:stop], start, 0.5, 3)
    assert (whole == parts).all()


def test_starting_values_depend_on_the_seed_and_not_on_the_number_of_columns():
    one, other, wider = (np.empty((20, dim), np.float32) for dim in (8, 8, 16))
    fill_uniform(one, 0, 0.5, 1)
    fill_uniform(other, 0, 0.5, 2)
    fill_uniform(wider, 0, 0.5, 1)
    assert (one != other).mean() > 0.99
    assert (one == wider[:, :8]).all()


# The table negatives are drawn from.


def probabilities_of(weights):
    n = len(weights)
    keep, other = np.empty(n, np.float32), np.empty(n, np.uint32)
    alias_table(np.array(weights, np.float64), keep, other)
    assert keep.min() >= 0
    assert keep.max() <= 1
    assert other.max() < n
    contributions = keep.astype(np.float64)
    np.add.at(contributions, other, 1.0 - keep.astype(np.float64))
    return contributions / n


@examples(150)
@given(weights=st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=200))
def test_the_alias_table_draws_each_entry_in_proportion_to_its_weight(weights):
    expected = np.array(weights) / np.sum(weights)
    np.testing.assert_allclose(probabilities_of(weights), expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    "weights",
    [
        np.sqrt(1e6 / np.arange(1, 50_001)),
        np.ones(1000),
        [1e12, 1, 1, 1],
        [1.0],
        [3, 1],
        [1, 1, 1e-9],
    ],
    ids=["zipf", "equal", "one large", "single", "two", "one small"],
)
def test_the_alias_table_is_exact_for_typical_and_extreme_weights(weights):
    expected = np.asarray(weights) / np.sum(weights)
    np.testing.assert_allclose(probabilities_of(weights), expected, rtol=0, atol=1e-7)


def test_the_alias_table_gives_entries_of_equal_weight_no_other():
    keep, other = np.empty(8, np.float32), np.empty(8, np.uint32)
    alias_table(np.full(8, 2.5), keep, other)
    assert (keep == 1).all()
    assert other.tolist() == list(range(8))
