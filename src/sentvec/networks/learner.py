"""A Skip-Thought network in training: parameters, Adam, and a step on a batch of triples."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray

from sentvec.errors import NotEnoughMemoryError, SettingsError
from sentvec.networks.shape import Shape
from sentvec.networks.skip_thought import Passages, losses, start

Arrays = dict[str, NDArray[np.float32] | NDArray[np.float16]]
_MOMENTS = ("exp_avg", "exp_avg_sq")
STEPS = "steps"


class Learner:
    """Trains a network on one device.

    Args:
        shape: Of the network.
        arrays: Parameters, moments and number of steps, as `start_arrays` gives them. On a CPU they
            are changed in place, on a GPU `collect` brings them up to date.
        clip: Gradients of a larger norm are scaled down to it.
        device: `cpu` or `cuda`.
        precision: `float32`, or `bfloat16` for the matrix products.
    """

    def __init__(
        self, shape: Shape, arrays: Arrays, *, clip: float, device: str, precision: str
    ) -> None:
        self._shape, self._clip = shape, clip
        self._low = torch.bfloat16 if precision == "bfloat16" else None

        def tensor(name: str, size: tuple[int, ...]) -> torch.Tensor:
            return torch.from_numpy(arrays[name]).reshape(size).to(device)

        with _enough_memory():
            self._parameters = {
                name: tensor(name, size).requires_grad_() for name, size in shape.tensors().items()
            }
            self._adam = torch.optim.Adam(self._parameters.values(), fused=True)
            for name, parameter in self._parameters.items():
                self._adam.state[parameter] = {
                    # Of each tensor, since Adam counts the steps of each by itself.
                    "step": tensor(STEPS, ()).clone(),
                    **{
                        moment: tensor(f"{moment}.{name}", tuple(parameter.shape))
                        for moment in _MOMENTS
                    },
                }

    def step(self, batch: Passages, lr: float) -> NDArray[np.float64]:
        """Train on a batch; returns the sums of losses of the sentences before and after: (2,).

        What falls is the mean over the triples of a batch of the sum over both neighbours.
        """
        with _enough_memory():
            parts = self._losses(batch)
            total = (parts[0] + parts[1]) / len(batch.middle.lengths)
            total.backward()  # type: ignore[no-untyped-call]
            for tensor in self._parameters.values():
                # A cluster without a word in the batch: its gradient is zero. Adam would leave out
                # that step, and count the steps of each tensor by itself.
                if tensor.grad is None:
                    tensor.grad = torch.zeros_like(tensor)
            torch.nn.utils.clip_grad_norm_(self._parameters.values(), self._clip)
            self._adam.param_groups[0]["lr"] = lr
            self._adam.step()
            self._adam.zero_grad()  # now: nothing else needs their memory
        return np.array([part.item() for part in parts])

    @torch.no_grad()
    def loss(self, batch: Passages) -> NDArray[np.float64]:
        """The sums of losses of a batch, as `step`; nothing changes."""
        with _enough_memory():
            return np.array([part.item() for part in self._losses(batch)])

    def _losses(self, batch: Passages) -> tuple[torch.Tensor, torch.Tensor]:
        return losses(self._parameters, batch, self._shape, self._low)

    def collect(self, arrays: Arrays) -> None:
        """Bring the arrays up to date; on a CPU it is the number of steps that they lack."""
        for name, tensor in self._parameters.items():
            _copy(tensor, arrays[name])
            for moment in _MOMENTS:
                _copy(self._adam.state[tensor][moment], arrays[f"{moment}.{name}"])
        first = next(iter(self._parameters.values()))
        arrays[STEPS][:] = self._adam.state[first]["step"].item()


def array_shapes(shape: Shape) -> dict[str, tuple[int, int]]:
    """All that a checkpoint keeps, by name, as matrices; a vector is one row.

    Parameters by their names, moments as `exp_avg.NAME` and `exp_avg_sq.NAME`, and the number of
    steps.
    """
    parameters = {name: _as_matrix(size) for name, size in shape.tensors().items()}
    moments = {f"{moment}.{name}": size for name, size in parameters.items() for moment in _MOMENTS}
    return {**parameters, **moments, STEPS: (1, 1)}


def start_arrays(shape: Shape, seed: int) -> Arrays:
    """The arrays of a network before its first step."""
    with _enough_memory():
        parameters = start(shape, seed)
        arrays: Arrays = {}
        for name, size in array_shapes(shape).items():
            if name in parameters:
                arrays[name] = parameters[name].detach().numpy().reshape(size)
            else:
                arrays[name] = torch.zeros(size).numpy()
    return arrays


def _as_matrix(size: tuple[int, ...]) -> tuple[int, int]:
    return (1, *size) if len(size) == 1 else (size[0], size[1])


def _copy(tensor: torch.Tensor, target: NDArray[np.float32] | NDArray[np.float16]) -> None:
    """Copy a tensor to an array, unless it is the array."""
    source: NDArray[np.float32] = tensor.detach().cpu().numpy()
    if source.ctypes.data != target.ctypes.data:
        target[:] = source.reshape(target.shape)


def device_named(name: str) -> str:
    """`cpu` or `cuda`; `auto` is cuda where there is one.

    Raises:
        SettingsError: It is cuda, and there is none.
    """
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        msg = "device is 'cuda', and torch finds none here - expected 'cpu', or 'auto' for what is"
        raise SettingsError(msg + " there")
    return ("cuda" if there else "cpu") if name == "auto" else name


@contextmanager
def _enough_memory() -> Iterator[None]:
    """Say what to lower where the memory of the device is not enough."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        said = str(error) or type(error).__name__
        short = ("out of memory", "can't allocate memory", "not enough memory")
        if isinstance(error, RuntimeError) and not any(words in said.lower() for words in short):
            raise
        msg = f"a batch does not fit the memory ({said.splitlines()[0]}) - lower batch, dim, "
        raise NotEnoughMemoryError(msg + "word_dim, max_vocab or max_tokens") from error
