"""Packing: every token once, in its step, and the last of each sentence where it is said to be."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.networks.packing import Packing

lengths_of_sentences = st.lists(st.integers(1, 9), min_size=1, max_size=12)


def plain(lengths, backwards):
    """The same by going through all sentences at every step."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    starts = [sum(lengths[:i]) for i in range(len(lengths))]
    rows, sizes = [], []
    for t in range(max(lengths)):
        there = [i for i in order if lengths[i] > t]
        sizes.append(len(there))
        rows += [
            (starts[i] + (lengths[i] - 1 - t if backwards else t), place, i, t)
            for place, i in enumerate(there)
        ]
    last = [max(k for k, row in enumerate(rows) if row[2] == i) for i in order]
    return order, sizes, [row[0] for row in rows], [row[1] for row in rows], last


@settings(deadline=None)
@given(lengths=lengths_of_sentences, backwards=st.booleans())
def test_a_packing_is_what_going_through_all_sentences_gives(lengths, backwards):
    packing = Packing.of(np.array(lengths), backwards=backwards)
    order, sizes, places, columns, last = plain(lengths, backwards)
    assert packing.order.tolist() == order
    assert packing.sizes == sizes
    assert packing.places.tolist() == places
    assert packing.columns.tolist() == columns
    assert packing.last.tolist() == last
    assert packing.first.tolist() == np.cumsum([0, *sizes])[:-1].tolist()


@settings(deadline=None)
@given(lengths=lengths_of_sentences)
def test_every_token_is_packed_once_and_the_last_read_is_the_last_or_the_first(lengths):
    ends = np.cumsum(lengths)
    for backwards in (False, True):
        packing = Packing.of(np.array(lengths), backwards=backwards)
        assert sorted(packing.places) == list(range(sum(lengths)))
        read_last = packing.places[packing.last]
        expected = (ends - lengths if backwards else ends - 1)[packing.order]
        assert read_last.tolist() == expected.tolist()


@settings(deadline=None)
@given(lengths=lengths_of_sentences)
def test_a_step_has_no_more_sentences_than_the_one_before(lengths):
    packing = Packing.of(np.array(lengths))
    assert packing.sizes[0] == len(lengths)
    assert sorted(packing.sizes, reverse=True) == packing.sizes
    assert len(packing.sizes) == max(lengths)


def test_sentences_of_one_length_stay_in_their_order():
    packing = Packing.of(np.array([2, 3, 2, 3]))
    assert packing.order.tolist() == [1, 3, 0, 2]
