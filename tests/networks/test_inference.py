"""Encoding with a trained network: batches by length, each sentence as if it were alone."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.definitions import skip_thought as reference
from sentvec.networks import inference
from sentvec.networks.inference import Encoder, using_threads
from support.networks import KINDS, arrays, listed, name_of, parameters, sentences

every_kind = pytest.mark.parametrize("shape", KINDS[::2], ids=map(name_of, KINDS[::2]))
LENGTHS = [3, 1, 12, 5, 5, 1, 40, 2, 2, 2, 7]


def encoder_of(shape, dtype=torch.float32, looked_up=None):
    p = arrays(parameters(shape, dtype=dtype))

    def lookup(ids):
        if looked_up is not None:
            looked_up.append(len(ids))
        return p["word_vectors"][ids]

    return Encoder(shape, p, lookup), p


@every_kind
def test_vectors_are_those_of_the_definition_in_the_order_of_the_sentences(shape):
    encoder, p = encoder_of(shape)
    some = sentences(LENGTHS)
    found = encoder.vectors(some.ids, some.lengths)
    assert (found.dtype, found.shape) == (np.float32, (len(LENGTHS), shape.dim))
    p = {name: array.astype(np.float64) for name, array in p.items()}
    expected = [reference.encode(p, row, shape.form) for row in listed(some, ended=False)]
    np.testing.assert_allclose(found, expected, atol=1e-6)


@every_kind
@pytest.mark.parametrize("tokens", [1, 7, 1 << 13])
def test_a_vector_does_not_depend_on_the_sentences_beside_it(shape, tokens, monkeypatch):
    """Only the sums of products are rounded in another order, at numbers between -1 and 1."""
    encoder, _ = encoder_of(shape)
    some = sentences(LENGTHS)
    rows = np.split(some.ids, np.cumsum(some.lengths)[:-1])
    alone = np.concatenate([encoder.vectors(row, np.array([len(row)])) for row in rows])
    monkeypatch.setattr(inference, "_BATCH_TOKENS", tokens)
    np.testing.assert_allclose(encoder.vectors(some.ids, some.lengths), alone, rtol=0, atol=1e-6)
    back = encoder.vectors(np.concatenate(rows[::-1]), some.lengths[::-1])
    np.testing.assert_allclose(back[::-1], alone, rtol=0, atol=1e-6)


@settings(deadline=None)
@given(lengths=st.lists(st.integers(1, 60), max_size=50), tokens=st.sampled_from([1, 20, 100]))
def test_batches_have_every_sentence_once_by_length_and_few_tokens(lengths, tokens):
    patch = pytest.MonkeyPatch()
    patch.setattr(inference, "_BATCH_TOKENS", tokens)
    batches = list(inference._batches(np.array(lengths, np.int64)))
    patch.undo()
    order = np.concatenate([np.zeros(0, np.int64), *batches])
    assert sorted(order) == list(range(len(lengths)))
    in_order = [lengths[i] for i in order]
    assert in_order == sorted(lengths)
    for batch, following in zip(batches, [*batches[1:], None], strict=False):
        chosen = [lengths[i] for i in batch]
        assert len(batch) == 1 or len(batch) * max(chosen) <= tokens
        if following is not None:  # as many as fit
            assert (len(batch) + 1) * lengths[following[0]] > tokens


def test_words_are_looked_up_a_batch_at_a_time(monkeypatch):
    monkeypatch.setattr(inference, "_BATCH_TOKENS", 30)
    seen = []
    encoder, _ = encoder_of(KINDS[0], looked_up=seen)
    some = sentences(LENGTHS)
    encoder.vectors(some.ids, some.lengths)
    assert sum(seen) == sum(LENGTHS)
    assert max(seen) == 40  # that of the longest sentence, alone


def test_no_sentence_gives_no_vector():
    encoder, _ = encoder_of(KINDS[0])
    assert encoder.vectors(np.zeros(0, np.int64), np.zeros(0, np.int64)).shape == (0, 6)


def test_the_threads_of_torch_are_set_for_a_while():
    before = torch.get_num_threads()
    with using_threads(before + 2):
        assert torch.get_num_threads() == before + 2
    assert torch.get_num_threads() == before
    with pytest.raises(ZeroDivisionError), using_threads(before + 1):
        _ = 1 / 0
    assert torch.get_num_threads() == before


def test_the_threads_of_torch_are_as_before_when_several_have_set_them():
    """The first ends while the second, which found its number set, is still at work."""
    before = torch.get_num_threads()
    entered, left, seen = threading.Event(), threading.Event(), []

    def second():
        with using_threads(before + 2):
            entered.set()
            left.wait(600)
        seen.append(torch.get_num_threads())

    thread = threading.Thread(target=second)
    with using_threads(before + 1):
        thread.start()
        assert entered.wait(600)
    left.set()
    thread.join()
    newcomer = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    newcomer.start()
    newcomer.join()
    assert [*seen, torch.get_num_threads()] == [before] * 3


def test_the_threads_of_torch_may_be_set_within_where_they_are_set():
    before = torch.get_num_threads()
    with using_threads(before + 1):
        with using_threads(before + 2):
            assert torch.get_num_threads() == before + 2
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
