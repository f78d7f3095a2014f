"""Convert the parameters of the released Skip-Thought models to our layout.

Released, for a gated recurrent unit of d numbers that reads w (x and h are rows, * is by element):

    [r | u] = sigmoid(x W + b + h U)        W (w, 2d), b (2d,), U (d, 2d)
    c = tanh(x Wx + bx + r * (h Ux))        Wx (w, d), bx (d,), Ux (d, d)
    h' = u * h + (1 - u) * c

Ours stacks the transposed blocks in the order r, u, c: `input` (3d, w), `recurrent` (3d, d) and
`bias` (3d,). Shapes come from the arrays and are checked against each other; the options that come
with a released file are a pickle and are never opened.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError
from sentvec.formats.arrays.numpy_files import Archive

ENCODERS = {
    "uni": {"encoder": "encoder"},
    "bi": {"encoder": "encoder", "encoder_r": "encoder_reverse"},
}
_DECODERS = {"decoder_f": "next", "decoder_b": "previous"}
_UNIT = ("W", "b", "U", "Wx", "bx", "Ux")
_TABLE, _WEIGHT, _BIAS = "Wemb", "ff_logit_W", "ff_logit_b"

Arrays = dict[str, NDArray[np.float32]]


def read_encoders(archive: Archive, name: str, width: int) -> Arrays:
    """The encoder of the model "uni", or the two of "bi", under our names.

    Args:
        archive: The released file.
        name: "uni" or "bi".
        width: Dimensions of a word vector.

    Returns:
        `encoder.input`, `.recurrent` and `.bias`; of "bi" also `encoder_reverse.`.

    Raises:
        FormatError: An array is missing, damaged, or does not fit the others.
    """
    if name == "uni" and "encoder_r_U" in archive:
        msg = f"{archive.path} holds encoder_r_U - expected the encoder of one direction; "
        raise FormatError(msg + "it is the file of a bi model under another name")
    arrays: Arrays = {}
    dim = None
    for released, ours in ENCODERS[name].items():
        arrays |= _read_unit(archive, released, ours, width=width, dim=dim)
        dim = arrays[f"{ours}.recurrent"].shape[1]
    return arrays


def has_decoders(archive: Archive) -> bool:
    """Whether the file has a parameter of the decoders; then it must have all."""
    keys = [f"{prefix}_{key}" for prefix in _DECODERS for key in _UNIT]
    return any(key in archive for key in (*keys, _WEIGHT, _BIAS))


def read_decoders(archive: Archive, width: int, dim: int) -> Arrays:
    """The decoders and the output layer they share, under our names.

    Args:
        archive: The released file.
        width: Dimensions of a word vector.
        dim: Dimensions of a sentence vector, which is the first state of a decoder.

    Returns:
        `next.` and `previous.` as of an encoder, `output.weight` (words, dim) and `output.bias`
        (words,). The words are those of the training, not in the order of the word table; the
        released files do not list them.

    Raises:
        FormatError: An array is missing, damaged, or does not fit the others.
    """
    arrays: Arrays = {}
    for released, ours in _DECODERS.items():
        arrays |= _read_unit(archive, released, ours, width=width, dim=dim)
    words = len(_read(archive, _TABLE, (None, width)))
    arrays["output.weight"] = _transposed(_read(archive, _WEIGHT, (dim, words)))
    arrays["output.bias"] = _read(archive, _BIAS, (words,))
    return arrays


def _read_unit(
    archive: Archive, released: str, ours: str, *, width: int, dim: int | None
) -> Arrays:
    """A gated recurrent unit; without `dim`, its own arrays give the length of its state."""
    if dim is None:
        dim = len(_read(archive, f"{released}_U", (None, None)))
    shapes = {
        "W": (width, 2 * dim), "b": (2 * dim,), "U": (dim, 2 * dim),
        "Wx": (width, dim), "bx": (dim,), "Ux": (dim, dim),
    }  # fmt: skip
    found = {key: _read(archive, f"{released}_{key}", shape) for key, shape in shapes.items()}
    return {
        f"{ours}.input": _transposed(np.concatenate([found["W"], found["Wx"]], axis=1)),
        f"{ours}.recurrent": _transposed(np.concatenate([found["U"], found["Ux"]], axis=1)),
        f"{ours}.bias": np.concatenate([found["b"], found["bx"]]),
    }


def _read(archive: Archive, key: str, shape: tuple[int | None, ...]) -> NDArray[np.float32]:
    """An array of a shape, in which None stands for any size."""
    array = archive[key]
    found = array.shape
    if len(found) == len(shape) and all(
        size in (expected, None) for expected, size in zip(found, shape, strict=True)
    ):
        return array
    expected = str(shape).replace("None", "any")
    msg = f"{archive.path}, {key}: expected the shape {expected}, got {found} - the file is "
    raise FormatError(msg + "damaged, or from another model than the rest; copy it again")


def _transposed(array: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.ascontiguousarray(array.T)
