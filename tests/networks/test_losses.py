"""Losses of batches against the definition; the whole gradient against a plain program in torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sentvec.definitions import skip_thought as reference
from sentvec.networks.packing import Packing
from sentvec.networks.shape import DIRECTIONS, Shape, clusters
from sentvec.networks.skip_thought import Passages, Sentences, encode, losses, start
from support.networks import KINDS, WORDS, arrays, listed, name_of, parameters, passages, triples

every_kind = pytest.mark.parametrize("shape", KINDS, ids=map(name_of, KINDS))


@every_kind
def test_the_losses_of_a_batch_are_the_sums_of_the_definition(shape):
    p, batch = parameters(shape), passages()
    plain = arrays(p)
    expected = [reference.loss(plain, *triple, shape.form) for triple in triples(batch)]
    found = [loss.item() for loss in losses(p, batch, shape)]
    np.testing.assert_allclose(found, np.sum(expected, axis=0), rtol=1e-11)


@every_kind
def test_vectors_are_those_of_the_definition(shape):
    p, batch = parameters(shape), passages()
    for some in (batch.middle, batch.following):  # of one length, and of several
        expected = [reference.encode(arrays(p), row, shape.form) for row in listed(some)]
        np.testing.assert_allclose(vectors(p, some, shape), expected, rtol=1e-11, atol=1e-13)


def vectors(p, some, shape):
    ended = some.ended()
    packings = [
        Packing.of(ended.lengths, backwards=name != DIRECTIONS[0]) for name in shape.directions
    ]
    words = [p["word_vectors"][torch.from_numpy(ended.ids[k.places])] for k in packings]
    return encode(p, words, packings, shape).detach().numpy()


# --- the same as a plain program, one sentence and one word at a time -----------------------------


def cell(x, h, W, U, b, form):
    """A step of a GRU, by torch's own cell where that has the form."""
    if form == "released":
        return torch.gru_cell(x[None], h[None], W, U, b, torch.zeros_like(b))[0]
    d = len(h)
    gates = W @ x + b
    r, z = torch.sigmoid(gates[: 2 * d] + U[: 2 * d] @ h).chunk(2)
    c = torch.tanh(gates[2 * d :] + U[2 * d :] @ (r * h))
    return (1 - z) * h + z * c


def plain_losses(p, batch, shape):
    """-log p of all sentences before, and of all after."""
    totals = [0.0, 0.0]
    for previous, middle, following in triples(batch):
        parts = []
        for name in shape.directions:
            h = p["word_vectors"].new_zeros(shape.dim // len(shape.directions))
            for word in middle if name == DIRECTIONS[0] else reversed(middle):
                h = cell(
                    p["word_vectors"][word], h,
                    *(p[f"{name}.{kind}"] for kind in ("input", "recurrent", "bias")), shape.form,
                )  # fmt: skip
            parts.append(h)
        s = torch.cat(parts)
        for place, (name, sentence) in enumerate([("previous", previous), ("next", following)]):
            W, x = p[f"{name}.input"], torch.zeros(shape.word_dim, dtype=s.dtype)
            h = s
            if shape.conditioned:
                W, h = torch.cat([W, p[f"{name}.condition"]], 1), torch.zeros_like(s)
            for word in sentence:
                shown = torch.cat([x, s]) if shape.conditioned else x
                h = cell(shown, h, W, p[f"{name}.recurrent"], p[f"{name}.bias"], shape.form)
                totals[place] = totals[place] - plain_log_probability(p, h, word, shape)
                x = p["word_vectors"][word]
    return totals


def plain_log_probability(p, h, word, shape):
    head = torch.log_softmax(p["output.weight"] @ h + p["output.bias"], 0)
    if not shape.cutoffs or word < shape.cutoffs[0]:
        return head[word]
    for number, (begin, end) in enumerate(clusters(WORDS, shape.cutoffs), 1):
        if begin <= word < end:
            small = p[f"output.project{number}"] @ h
            logits = p[f"output.weight{number}"] @ small + p[f"output.bias{number}"]
            chosen = head[shape.cutoffs[0] + number - 1]
            return chosen + torch.log_softmax(logits, 0)[word - begin]
    raise AssertionError(word)


@every_kind
def test_the_whole_gradient_is_that_of_a_plain_program(shape):
    p = {name: tensor.requires_grad_() for name, tensor in parameters(shape).items()}
    batch = passages(seed=5)
    ours, theirs = losses(p, batch, shape), plain_losses(p, batch, shape)
    torch.testing.assert_close(list(ours), theirs, rtol=1e-11, atol=0)
    wanted = list(p.values())
    for weights in ((1, 1), (2, -3)):
        found, expected = (
            torch.autograd.grad(
                sum(w * part for w, part in zip(weights, parts, strict=True)), wanted,
                retain_graph=True,
            )
            for parts in (ours, theirs)
        )  # fmt: skip
        for name, one, other in zip(p, found, expected, strict=True):
            assert one.abs().max() > 0, name
            torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-11, msg=name)


# --- batches ------------------------------------------------------------------------------------


def chosen(some, numbers):
    parts = np.split(some.ids, np.cumsum(some.lengths)[:-1])
    return Sentences(np.concatenate([parts[i] for i in numbers]), some.lengths[numbers])


@every_kind
def test_a_triple_loses_the_same_alone_and_among_others(shape):
    """In float32, as in training: what differs is the rounding of sums."""
    p, batch = parameters(shape, dtype=torch.float32), passages()
    n = len(batch.middle.lengths)
    alone = [
        [loss.item() for loss in losses(p, Passages(*(chosen(part, [i]) for part in (
            batch.middle, batch.previous, batch.following))), shape)]
        for i in range(n)
    ]  # fmt: skip
    together = [loss.item() for loss in losses(p, batch, shape)]
    np.testing.assert_allclose(np.sum(alone, axis=0), together, rtol=1e-6)
    turned = Passages(*(chosen(part, np.arange(n)[::-1]) for part in (
        batch.middle, batch.previous, batch.following)))  # fmt: skip
    np.testing.assert_allclose([x.item() for x in losses(p, turned, shape)], together, rtol=1e-6)


@every_kind
def test_bfloat16_is_close_to_float32(shape):
    """Numbers are rounded by up to 2^-9 there, in either direction, and thousands are added up.

    So the sums are off by less than one number is: of ten seeds of every kind, the loss by 0.05 and
    the gradient by 0.7 times 2^-8 at most. A product with the wrong factor is off by far more.
    """
    p = parameters(shape, dtype=torch.float32)
    p = {name: tensor.requires_grad_() for name, tensor in p.items()}
    full, low = (losses(p, passages(), shape, kind) for kind in (None, torch.bfloat16))
    for one, other in zip(full, low, strict=True):
        assert other.dtype == torch.float32
        assert 0 < abs(one.item() - other.item()) < 2**-8 * one.item()
    exact, rounded = (
        torch.cat([g.flatten() for g in torch.autograd.grad(sum(parts), list(p.values()))])
        for parts in (full, low)
    )
    assert (exact - rounded).norm() < 2 * 2**-8 * exact.norm()


# --- the start ----------------------------------------------------------------------------------

LARGER = [Shape(500, 40, 32, bi, "paper", conditioned, (50, 200))
          for bi in (False, True) for conditioned in (False, True)]  # fmt: skip


@pytest.mark.parametrize("shape", LARGER, ids=name_of)
def test_recurrent_matrices_begin_orthogonal_and_others_uniform(shape):
    p = start(shape, seed=1)
    assert {name: tuple(tensor.shape) for name, tensor in p.items()} == shape.tensors()
    blocks = []
    for name, tensor in p.items():
        assert tensor.dtype == torch.float32
        if name.endswith(".recurrent"):
            for block in tensor.double().chunk(3):
                identity = torch.eye(len(block), dtype=torch.float64)
                torch.testing.assert_close(block @ block.t(), identity, rtol=0, atol=1e-5)
                blocks.append(block)
        elif "bias" in name:
            assert not tensor.any(), name
        else:
            assert -0.1 <= tensor.min() < -0.08, name
            assert 0.08 < tensor.max() <= 0.1, name
            # of n numbers: four times the deviation of the mean, 0.2 / sqrt(12 n)
            assert abs(tensor.mean()) < 4 * 0.2 / (12 * tensor.numel()) ** 0.5, name
    assert len(blocks) == 3 * (len(shape.directions) + 2)
    for i, block in enumerate(blocks):  # each of its own
        assert not any(torch.equal(block, other) for other in blocks[:i])


def test_the_start_depends_on_the_seed_alone():
    shape = KINDS[0]
    state = torch.random.get_rng_state()
    one, same, other = start(shape, 7), start(shape, 7), start(shape, 8)
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not any(torch.equal(one[name], other[name]) for name in one if "bias" not in name)
    assert torch.equal(torch.random.get_rng_state(), state)
