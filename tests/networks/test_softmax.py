"""The output layer, in one block and in several, against torch's own and the definition."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sentvec.definitions import skip_thought as reference
from sentvec.networks import softmax
from sentvec.networks.shape import output_tensors
from sentvec.networks.softmax import log_probabilities, output_loss, softmax_loss

WORDS, K, TOKENS = 14, 16, 7
CUTOFFS = [(), (5,), (4, 10), (1, 2, 13)]


@pytest.fixture(params=[1 << 24, 3 * WORDS, 1], ids=["one block", "three rows", "one row"])
def block(request, monkeypatch):
    monkeypatch.setattr(softmax, "_BLOCK", request.param)


def layer(cutoffs, seed=2, spread=1.0):
    random = torch.Generator().manual_seed(seed)
    return {
        name: torch.randn(size, generator=random, dtype=torch.float64).mul_(spread).requires_grad_()
        for name, size in output_tensors(WORDS, K, cutoffs).items()
    }


def states(seed=4):
    random = torch.Generator().manual_seed(seed)
    h = torch.randn(TOKENS, K, generator=random, dtype=torch.float64, requires_grad=True)
    t = torch.randint(WORDS, (TOKENS,), generator=random)
    t[:3] = torch.tensor([0, WORDS - 1, 4])
    return h, t


def test_the_loss_and_its_gradient_are_those_of_cross_entropy(block):
    p, (h, t) = layer(()), states()
    W, b = p["output.weight"], p["output.bias"]
    ours = softmax_loss(h, W, b, t)
    theirs = torch.nn.functional.cross_entropy(h @ W.t() + b, t, reduction="sum")
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=0)
    torch.testing.assert_close(
        torch.autograd.grad(3 * ours, (h, W, b)), torch.autograd.grad(3 * theirs, (h, W, b)),
        rtol=1e-10, atol=1e-12,
    )  # fmt: skip


def test_the_gradient_agrees_with_finite_differences(block):
    p, (h, t) = layer(()), states()
    assert torch.autograd.gradcheck(
        lambda h, W, b: softmax_loss(h, W, b, t), (h, p["output.weight"], p["output.bias"])
    )


@pytest.mark.parametrize("cutoffs", CUTOFFS, ids=str)
def test_the_gradient_of_the_layer_agrees_with_finite_differences(block, cutoffs):
    p, (h, t) = layer(cutoffs), states()
    names = list(p)

    def loss(h, *tensors):
        return output_loss(dict(zip(names, tensors, strict=True)), h, t, WORDS, cutoffs)

    assert torch.autograd.gradcheck(loss, (h, *p.values()), fast_mode=True)


@pytest.mark.parametrize("cutoffs", CUTOFFS[1:3], ids=str)
def test_the_adaptive_layer_is_that_of_torch(block, cutoffs):
    p, (h, t) = layer(cutoffs), states()
    own = torch.nn.AdaptiveLogSoftmaxWithLoss(
        K, WORDS, list(cutoffs), div_value=4.0, head_bias=True, dtype=torch.float64
    )
    with torch.no_grad():
        own.head.weight.copy_(p["output.weight"])
        own.head.bias.copy_(p["output.bias"])
        for number, (project, weight) in enumerate(own.tail, 1):
            project.weight.copy_(p[f"output.project{number}"])
            weight.weight.copy_(p[f"output.weight{number}"])
            p[f"output.bias{number}"].zero_()  # torch has none there
    torch.testing.assert_close(
        log_probabilities(p, h, WORDS, cutoffs), own.log_prob(h), rtol=1e-10, atol=1e-12
    )
    ours, theirs = output_loss(p, h, t, WORDS, cutoffs), -own(h, t).output.sum()
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=0)
    wanted = [h, *(value for name, value in p.items() if not name.endswith(("bias1", "bias2")))]
    head = [own.head.weight, own.head.bias]
    tail = [layer.weight for pair in own.tail for layer in pair]
    torch.testing.assert_close(
        torch.autograd.grad(ours, wanted), torch.autograd.grad(theirs, [h, *head, *tail]),
        rtol=1e-10, atol=1e-12,
    )  # fmt: skip


@pytest.mark.parametrize("cutoffs", CUTOFFS, ids=str)
def test_the_log_probabilities_are_those_of_the_definition(block, cutoffs):
    p, (h, t) = layer(cutoffs), states()
    found = log_probabilities(p, h, WORDS, cutoffs).detach().numpy()
    assert found.shape == (TOKENS, WORDS)
    np.testing.assert_allclose(np.exp(found).sum(1), 1, rtol=1e-12)
    plain = {name: tensor.detach().numpy() for name, tensor in p.items()}
    expected = [reference.word_log_probabilities(plain, row) for row in h.detach().numpy()]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
    loss = output_loss(p, h, t, WORDS, cutoffs).item()
    assert loss == pytest.approx(-found[np.arange(TOKENS), t].sum(), rel=1e-12)


@pytest.mark.parametrize("cutoffs", CUTOFFS, ids=str)
def test_without_gradients_the_loss_is_the_same(block, cutoffs):
    p, (h, t) = layer(cutoffs), states()
    with torch.no_grad():
        alone = output_loss(p, h, t, WORDS, cutoffs)
    assert not alone.requires_grad
    assert alone.item() == output_loss(p, h, t, WORDS, cutoffs).item()


def test_states_of_no_token_lose_nothing():
    p = layer((4, 10))
    h, t = torch.zeros(0, K, dtype=torch.float64), torch.zeros(0, dtype=torch.int64)
    assert output_loss(p, h, t, WORDS, (4, 10)).item() == 0


def test_logits_far_from_zero_give_finite_losses(block):
    p, (h, t) = layer((), spread=1e3), states()
    loss = output_loss(p, h, t, WORDS, ())
    loss.backward()
    assert torch.isfinite(loss)
    assert all(torch.isfinite(tensor.grad).all() for tensor in (h, *p.values()))


@pytest.mark.parametrize("cutoffs", [(), (4, 10)], ids=str)
def test_bfloat16_is_close_to_float32(block, cutoffs):
    """Factors are rounded to 8 significant bits and a result once more: 3 times 2^-9 a product.

    A logit is a sum of K products of size about 1, whose errors are of either sign: sqrt(K) times
    that. The loss of a token is a difference of logits.
    """
    p = {name: tensor.detach().float().requires_grad_() for name, tensor in layer(cutoffs).items()}
    h, t = states()
    h = h.detach().float().requires_grad_()
    full = output_loss(p, h, t, WORDS, cutoffs)
    low = output_loss(p, h, t, WORDS, cutoffs, torch.bfloat16)
    assert low.dtype == torch.float32
    assert 0 < abs(low.item() - full.item()) < TOKENS * 2 * 3 * 2**-9 * K**0.5
    wanted = (h, *p.values())
    exact, rounded = torch.autograd.grad(full, wanted), torch.autograd.grad(low, wanted)
    for one, other in zip(exact, rounded, strict=True):
        assert (one - other).norm() < 2 * 3 * 2**-9 * K**0.5 * one.norm()
