"""The GRU against its definition, against torch's own, and its gradient against differences."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sentvec.definitions import skip_thought as reference
from sentvec.networks.gru import FORMS, gru
from sentvec.networks.packing import Packing

D = 4
RAGGED = [[5, 4, 2, 1], [3, 3, 3], [1], [4, 4, 1, 1, 1], [1, 1]]


def inputs(lengths, seed=0, dtype=torch.float64):
    """Packed x, first states and U for sentences of these lengths, longest first."""
    random = torch.Generator().manual_seed(seed)

    def numbers(*size):
        return torch.randn(size, generator=random, dtype=torch.float64).to(dtype).requires_grad_()

    packing = Packing.of(np.array(lengths))
    n = sum(lengths)
    return numbers(n, 3 * D), numbers(len(lengths), D), numbers(3 * D, D), packing


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lengths", RAGGED, ids=str)
def test_every_state_is_that_of_the_definition(form, lengths):
    x, s, U, packing = inputs(lengths)
    h = gru(x, s, U, packing.sizes, form).detach().numpy()
    for place in range(len(lengths)):
        state = s[place].detach().numpy()
        for row in np.flatnonzero(packing.columns == place):
            state = reference.gru_step(x[row].detach().numpy(), state, U.detach().numpy(), form)
            np.testing.assert_allclose(h[row], state, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("lengths", RAGGED, ids=str)
def test_the_released_form_is_that_of_torch(lengths):
    w, packing = 3, Packing.of(np.array(lengths))
    torch.manual_seed(5)
    own = torch.nn.GRU(w, D, dtype=torch.float64)
    with torch.no_grad():
        own.bias_hh_l0.zero_()
    words = [torch.randn(length, w, dtype=torch.float64) for length in lengths]
    s = torch.randn(len(lengths), D, dtype=torch.float64)
    packed = torch.nn.utils.rnn.pack_sequence([words[i] for i in packing.order])
    expected, last = own(packed, s[None])
    x = torch.cat(words)[packing.places] @ own.weight_ih_l0.t() + own.bias_ih_l0
    h = gru(x, s, own.weight_hh_l0, packing.sizes, "released")
    torch.testing.assert_close(h, expected.data, rtol=1e-12, atol=1e-14)
    torch.testing.assert_close(h[packing.last], last[0], rtol=1e-12, atol=1e-14)

    weights = torch.randn(h.shape, dtype=torch.float64)
    wanted = (own.weight_ih_l0, own.weight_hh_l0, own.bias_ih_l0)
    ours = torch.autograd.grad((h * weights).sum(), wanted)
    theirs = torch.autograd.grad((expected.data * weights).sum(), wanted)
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lengths", RAGGED, ids=str)
def test_the_gradient_agrees_with_finite_differences(form, lengths):
    x, s, U, packing = inputs(lengths, seed=1)
    assert torch.autograd.gradcheck(lambda x, s, U: gru(x, s, U, packing.sizes, form), (x, s, U))


@pytest.mark.parametrize("form", FORMS)
def test_the_two_forms_are_different(form):
    x, s, U, packing = inputs([3, 2])
    other = next(name for name in FORMS if name != form)
    assert not torch.allclose(gru(x, s, U, packing.sizes, form), gru(x, s, U, packing.sizes, other))


@pytest.mark.parametrize("form", FORMS)
def test_in_bfloat16_only_products_are_rounded(form):
    """Factors are rounded by up to 2^-9 there; a product adds up D of them.

    The states stay float32, so a step adds an error of that size and the next ones hand on less
    than all of it, as U is small.
    """
    x, s, U, packing = inputs([9, 7, 3], dtype=torch.float32)
    U = (U.detach() / 5).requires_grad_()
    full = gru(x, s, U, packing.sizes, form)
    low = gru(x, s, U, packing.sizes, form, torch.bfloat16)
    assert low.dtype == torch.float32
    assert 0 < (low - full).abs().max() < 2**-8
    weights = torch.randn(full.shape, generator=torch.Generator().manual_seed(1))
    exact = torch.autograd.grad((full * weights).sum(), (x, s, U))
    rounded = torch.autograd.grad((low * weights).sum(), (x, s, U))
    for one, other in zip(exact, rounded, strict=True):
        assert other.dtype == torch.float32
        assert (one - other).norm() < 2 * 2**-8 * one.norm()
