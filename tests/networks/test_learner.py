"""Steps of training: what falls, what is clipped, what goes on from a checkpoint to the bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sentvec.errors import NotEnoughMemoryError, SettingsError
from sentvec.networks import learner as module
from sentvec.networks.learner import STEPS, Learner, array_shapes, device_named, start_arrays
from sentvec.networks.skip_thought import Passages
from support.networks import KINDS, WORDS, name_of, passages, sentences

every_kind = pytest.mark.parametrize("shape", KINDS, ids=map(name_of, KINDS))
CLIP = 10.0


class Kept(Learner):
    """A learner that keeps the arrays it was made over."""

    def arrays(self):
        self.collect(self.kept)
        return self.kept


def make(shape=KINDS[0], seed=1, clip=CLIP, device="cpu", precision="float32", arrays=None):
    kept = start_arrays(shape, seed) if arrays is None else arrays
    learner = Kept(shape, kept, clip=clip, device=device, precision=precision)
    learner.kept = kept
    return learner


def copied(arrays):
    return {name: array.copy() for name, array in arrays.items()}


def same_bits(one, other):
    return set(one) == set(other) and all(np.array_equal(one[name], other[name]) for name in one)


def words_of(batch):
    return np.array([len(s.ids) + len(s.lengths) for s in (batch.previous, batch.following)])


@every_kind
def test_steps_lower_the_loss_of_both_directions(shape):
    learner, batch = make(shape), passages()
    first = learner.loss(batch)
    # the start is near zero: every word is about as likely (in clusters: not quite)
    np.testing.assert_allclose(first / words_of(batch), np.log(WORDS), rtol=0.25)
    for _ in range(60):
        learner.step(batch, 0.03)
    assert (learner.loss(batch) < 0.5 * first).all()


def test_a_step_gives_the_losses_before_it_and_measuring_changes_nothing():
    learner, batch = make(), passages()
    before = copied(learner.arrays())
    measured = learner.loss(batch)
    assert same_bits(before, learner.arrays())
    assert np.array_equal(learner.step(batch, 0.01), measured)
    after = learner.arrays()
    assert after[STEPS].item() == 1
    assert not any(np.array_equal(before[name], after[name]) for name in after)


def test_gradients_take_no_memory_between_steps():
    learner = make()
    learner.step(passages(), 0.01)
    assert all(tensor.grad is None for tensor in learner._parameters.values())


def test_the_first_step_is_that_of_adam_on_the_mean_over_the_triples(monkeypatch):
    """Without clipping the first step is lr * g / (|g| + eps), whatever the size of g."""
    learner, batch = make(clip=1e9), passages()
    before = copied(learner.arrays())
    learner.step(batch, 0.01)
    after = learner.arrays()
    for name in learner._shape.tensors():
        g = after[f"exp_avg.{name}"] / np.float32(0.1)
        expected = before[name] - 0.01 * g / (np.abs(g) + 1e-8)
        np.testing.assert_allclose(after[name], expected, atol=1e-6)
    # the gradient is of a mean: the same triples twice give the same
    twice = Passages(*(
        type(part)(np.tile(part.ids, 2), np.tile(part.lengths, 2))
        for part in (batch.middle, batch.previous, batch.following)
    ))  # fmt: skip
    other = make(clip=1e9)
    other.step(twice, 0.01)
    for name in learner._shape.tensors():
        one, two = after[f"exp_avg.{name}"], other.arrays()[f"exp_avg.{name}"]
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-7)


def norm(learner):
    names = learner._shape.tensors()
    moments = [learner.arrays()[f"exp_avg.{name}"] for name in names]
    return np.sqrt(sum(np.square(m.astype(np.float64)).sum() for m in moments)) / 0.1


def test_gradients_of_a_larger_norm_are_scaled_down_to_it_and_others_left():
    free, batch = make(clip=1e9), passages()
    free.step(batch, 0.01)
    whole = norm(free)
    for share in (0.1, 0.7, 3.0):
        learner = make(clip=share * whole)
        learner.step(batch, 0.01)
        assert norm(learner) == pytest.approx(min(share, 1.0) * whole, rel=1e-4)
        for name in learner._shape.tensors():  # all by the same factor
            one, two = (k.arrays()[f"exp_avg.{name}"] for k in (free, learner))
            np.testing.assert_allclose(two, min(share, 1.0) * one, rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@every_kind
def test_what_goes_on_from_the_arrays_takes_the_same_steps_to_the_bit(shape, precision):
    learner = make(shape, precision=precision)
    batches = [passages(seed) for seed in range(5)]
    for batch in batches[:3]:
        learner.step(batch, 0.02)
    kept = copied(learner.arrays())
    other = make(shape, precision=precision, arrays=copied(kept))
    assert same_bits(kept, other.arrays())
    for batch in batches[3:]:
        assert np.array_equal(learner.step(batch, 0.02), other.step(batch, 0.02))
    assert same_bits(learner.arrays(), other.arrays())
    assert not same_bits(kept, learner.arrays())


@pytest.mark.parametrize("missing", [1, 2])
def test_a_step_without_a_word_of_a_cluster_is_a_step_of_its_tensors_too(missing):
    """All tensors have taken as many steps: what a checkpoint keeps is one number."""
    shape = next(shape for shape in KINDS if shape.cutoffs == (4, 8))
    words = {1: [1, 2, 9, 12], 2: [1, 2, 5, 7]}[missing]

    def without(seed):
        return Passages(*(
            type(part)(np.take(words, part.ids % 4), part.lengths)
            for part in (passages(seed).middle, passages(seed).previous, passages(seed).following)
        ))  # fmt: skip

    learner = make(shape)
    for batch in (without(0), passages(1), without(2)):
        learner.step(batch, 0.02)
    assert {state["step"].item() for state in learner._adam.state.values()} == {3}
    other = make(shape, arrays=copied(learner.arrays()))
    for batch in (without(3), passages(4)):
        assert np.array_equal(learner.step(batch, 0.02), other.step(batch, 0.02))
    assert same_bits(learner.arrays(), other.arrays())


def test_arrays_are_matrices_that_follow_the_training():
    learner = make()
    arrays = learner.arrays()
    assert all(array.ndim == 2 and array.dtype == np.float32 for array in arrays.values())
    names = set(learner._shape.tensors())
    assert set(arrays) == {
        *names, *(f"exp_avg.{name}" for name in names), *(f"exp_avg_sq.{name}" for name in names),
        STEPS,
    }  # fmt: skip
    assert {name: array.shape for name, array in arrays.items()} == array_shapes(learner._shape)
    learner.step(passages(), 0.02)
    learner.collect(arrays)
    assert same_bits(arrays, learner.arrays())


def test_collect_brings_arrays_elsewhere_up_to_date():
    learner = make()
    elsewhere = copied(learner.arrays())
    learner.step(passages(), 0.02)
    assert not any(
        np.array_equal(elsewhere[name], array) for name, array in learner.arrays().items()
    )
    learner.collect(elsewhere)
    assert same_bits(elsewhere, learner.arrays())


def test_two_learners_of_one_seed_take_the_same_steps_and_of_another_others():
    one, same, other = make(seed=4), make(seed=4), make(seed=5)
    for batch in (passages(), passages(3)):
        losses = one.step(batch, 0.01)
        assert np.array_equal(losses, same.step(batch, 0.01))
        assert not np.array_equal(losses, other.step(batch, 0.01))
    assert same_bits(one.arrays(), same.arrays())


def test_training_touches_no_random_state_of_the_caller():
    state = torch.random.get_rng_state()
    make().step(passages(), 0.01)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_bfloat16_learns_as_float32_does():
    """The rounding of a gradient, under 1 % (test_losses), is lost in that of other batches."""
    full, low = make(), make(precision="bfloat16")
    batches = [passages(seed) for seed in range(4)]
    for _ in range(10):
        for batch in batches:
            a, b = full.step(batch, 0.01), low.step(batch, 0.01)
    assert all(array.dtype == np.float32 for array in low.arrays().values())
    np.testing.assert_allclose(a, b, rtol=0.02)


def test_ten_sentences_are_learnt_by_heart():
    """Near zero, where a sentence says what stands around it."""
    middle, previous, following = (sentences([4] * 10, seed) for seed in (1, 2, 3))
    batch = Passages(middle, previous, following)
    learner = make(type(KINDS[0])(WORDS, 12, 32, False, "released", True))
    for _ in range(150):
        learner.step(batch, 0.02)
    assert (learner.loss(batch) / words_of(batch) < 0.02).all()


# --- what cannot work ---------------------------------------------------------------------------

SHORT = [
    RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried 8 bytes"),
    torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB"),
    MemoryError("Unable to allocate 3.0 GiB for an array with shape (3,)"),
    MemoryError(),
]


@pytest.mark.parametrize("error", SHORT, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", ["start", "step", "optimizer", "loss"])
def test_too_little_memory_names_the_settings_to_lower(monkeypatch, error, place):
    def fail(*_, **__):
        raise error

    learner = make()
    if place == "start":
        monkeypatch.setattr(module, "start", fail)
        action = make
    elif place == "optimizer":
        monkeypatch.setattr(learner._adam, "step", fail)
        action = lambda: learner.step(passages(), 0.01)  # noqa: E731
    else:
        monkeypatch.setattr(module, "losses", fail)
        action = {"step": lambda: learner.step(passages(), 0.01),
                  "loss": lambda: learner.loss(passages())}[place]  # fmt: skip
    with pytest.raises(NotEnoughMemoryError, match="lower batch, dim, word_dim, max_vocab or max_"):
        action()


def test_other_errors_stay_what_they_are(monkeypatch):
    def fail(*_):
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(module, "losses", fail)
    with pytest.raises(RuntimeError, match="shapes do not match"):
        make().loss(passages())


def test_the_device_is_looked_for(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_named("auto") == device_named("cpu") == "cpu"
    with pytest.raises(SettingsError, match="device is 'cuda', and torch finds none here"):
        device_named("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert device_named("auto") == device_named("cuda") == "cuda"
    assert device_named("cpu") == "cpu"
