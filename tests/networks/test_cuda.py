"""The same on a GPU, where there is one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sentvec.networks.learner import Learner, start_arrays
from support.networks import KINDS, name_of, passages

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs a GPU that torch can use"
)
every_kind = pytest.mark.parametrize("shape", KINDS, ids=map(name_of, KINDS))
BATCHES = [passages(seed) for seed in range(6)]


def make(shape, device="cuda", precision="float32", seed=1):
    arrays = start_arrays(shape, seed)
    return Learner(shape, arrays, clip=10.0, device=device, precision=precision)


def trained(learner, batches=BATCHES):
    return np.array([learner.step(batch, 0.01) for batch in batches])


@every_kind
def test_training_gives_the_losses_of_the_processor(shape):
    """Both add up in float32; what is left after six steps of Adam is of that size."""
    np.testing.assert_allclose(trained(make(shape)), trained(make(shape, "cpu")), rtol=1e-3)


@every_kind
def test_bfloat16_trains(shape):
    full, low = trained(make(shape)), trained(make(shape, precision="bfloat16"))
    np.testing.assert_allclose(full, low, rtol=0.02)
    assert not np.array_equal(full, low)


@pytest.mark.parametrize("device", ["cuda", "cpu"])
@every_kind
def test_a_run_goes_on_from_its_arrays_there_and_on_a_processor(shape, device):
    arrays = start_arrays(shape, 1)
    learner = Learner(shape, arrays, clip=10.0, device="cuda", precision="float32")
    trained(learner, BATCHES[:3])
    learner.collect(arrays)
    copies = {name: array.copy() for name, array in arrays.items()}
    other = Learner(shape, copies, clip=10.0, device=device, precision="float32")
    ours, theirs = trained(learner, BATCHES[3:]), trained(other, BATCHES[3:])
    np.testing.assert_allclose(ours, theirs, rtol=1e-3)
