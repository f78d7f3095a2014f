"""Skip-Thought models as they were released, small: their files, and what their program computes.

The pickles are those of Python 2, written by hand, since no Python 3 writes its strings so.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

WORDS = ["the", "<eos>", "cat", "UNK", "sat", "zeeën", "。", "on", "a", "mat", "New_York", "."]
TRAINED = 7
SIZES = {"uni": (5, 6), "bi": (3, 4)}  # of a word vector, and of a state
ENCODERS = {"uni": ["encoder"], "bi": ["encoder", "encoder_r"]}
DECODERS = ["decoder_f", "decoder_b"]


# --- the files ----------------------------------------------------------------------------------


def unit(prefix, w, d, rng):
    """A gated recurrent unit in the released layout."""
    shapes = {
        "W": (w, 2 * d),
        "b": (2 * d,),
        "U": (d, 2 * d),
        "Wx": (w, d),
        "bx": (d,),
        "Ux": (d, d),
    }
    return {
        f"{prefix}_{key}": rng.normal(size=shape).astype("<f4") for key, shape in shapes.items()
    }


def parameters(name, *, decoders=False, seed=1):
    """All parameters of a model in the released layout."""
    w, d = SIZES[name]
    rng = np.random.default_rng(seed)
    arrays = {"Wemb": rng.normal(size=(TRAINED, w)).astype("<f4")}
    for prefix in ENCODERS[name]:
        arrays |= unit(prefix, w, d, rng)
    if decoders:
        k = d * len(ENCODERS[name])
        for prefix in DECODERS:
            arrays |= unit(prefix, w, k, rng)
        arrays["ff_logit_W"] = rng.normal(size=(k, TRAINED)).astype("<f4")
        arrays["ff_logit_b"] = rng.normal(size=TRAINED).astype("<f4")
        arrays["history_errs"] = np.array([], np.float64)
    return arrays


def table(name, rows):
    """The word vectors of a model."""
    return np.random.default_rng(2).normal(size=(rows, SIZES[name][0])).astype("<f4")


def write_released(folder, *names, decoders=False, change=(), words=WORDS):
    """Write the files of models as plain arrays, some arrays of the archive changed or, None, left out."""
    for name in names:
        arrays = parameters(name, decoders=decoders) | dict(change)
        arrays = {key: array for key, array in arrays.items() if array is not None}
        np.savez(folder / f"{name}_skip.npz", **arrays)
        np.save(folder / f"{name[0]}table.npy", table(name, len(words)))
    text = "".join(word + "\n" for word in words)
    (folder / "dictionary.txt").write_bytes(text.encode())
    return folder


# --- what the program computes ------------------------------------------------------------------


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def next_state(arrays, prefix, x, h):
    """One step of a unit, in the released layout."""
    W, b, U, Wx, bx, Ux = (
        arrays[f"{prefix}_{key}"].astype(np.float64) for key in ("W", "b", "U", "Wx", "bx", "Ux")
    )
    d = len(U)
    gates = sigmoid(x @ W + b + h @ U)
    r, u = gates[:d], gates[d:]
    c = np.tanh(x @ Wx + bx + r * (h @ Ux))
    return u * h + (1 - u) * c


def states(arrays, prefix, vectors, h=None):
    """The state after each word."""
    h = np.zeros(len(arrays[f"{prefix}_U"])) if h is None else h
    found = []
    for x in vectors.astype(np.float64):
        h = next_state(arrays, prefix, x, h)
        found.append(h)
    return np.array(found)


def encode(arrays, name, vectors):
    """The sentence vector: the last state of each direction."""
    turns = {"encoder": vectors, "encoder_r": vectors[::-1]}
    return np.concatenate([states(arrays, prefix, turns[prefix])[-1] for prefix in ENCODERS[name]])


# --- pickles of Python 2 ------------------------------------------------------------------------


class Name(str):
    """A global, as "module name"."""


class Raw(bytes):
    """Opcodes, written as they are."""


class Call(NamedTuple):
    """A call of a global, and the state its result is given."""

    name: str
    arguments: tuple
    state: object = None


def dtype_call(code, order, fields=None):
    state = (3, order, None, fields, None, -1, -1, 63 if code == b"O8" else 0)
    return Call("numpy dtype", (code, 0, 1), state)


def array_call(shape, dtype, data, fortran=False):
    arguments = (Name("numpy ndarray"), (0,), b"b")
    return Call("numpy.core.multiarray _reconstruct", arguments, (1, shape, dtype, fortran, data))


class Python2Pickle:
    """Writes what `cPickle` of Python 2 writes for NumPy arrays, in protocol 0, 1 or 2."""

    def __init__(self, protocol):
        self.protocol = protocol
        self.out = []
        self.memo = {}

    def dumps(self, value):
        if self.protocol == 2:
            self.out.append(b"\x80\x02")
        self.write(value)
        return b"".join([*self.out, b"."])

    def write(self, value):
        writers = {
            type(None): lambda _: self.out.append(b"N"),
            bool: self.write_bool,
            int: self.write_int,
            float: self.write_float,
            bytes: self.write_short_bytes,
            Raw: self.out.append,
            tuple: self.write_tuple,
            list: self.write_list,
            Name: lambda name: self.once(name, lambda: self.write_name(name)),
            Call: lambda call: (
                self.once(call, lambda: self.write_call(call))
                if call.name == "numpy dtype"
                else self.write_call(call)
            ),
            np.ndarray: self.write_array,
        }
        writers[type(value)](value)

    def once(self, value, write):
        """Write a value, or take it from what was remembered."""
        if value in self.memo:
            index = self.memo[value]
            self.out.append(b"h" + bytes([index]) if self.protocol else b"g%d\n" % index)
            return
        write()
        index = self.memo[value] = len(self.memo)
        self.out.append(b"q" + bytes([index]) if self.protocol else b"p%d\n" % index)
        assert index < 256

    def write_bool(self, value):
        self.out.append(
            (b"\x88" if value else b"\x89") if self.protocol == 2 else b"I%02d\n" % value
        )

    def write_int(self, value):
        if not self.protocol:
            self.out.append(b"I%d\n" % value)
        elif 0 <= value < 256:
            self.out.append(b"K" + bytes([value]))
        elif 0 <= value < 65536:
            self.out.append(b"M" + struct.pack("<H", value))
        elif -(1 << 31) <= value < 1 << 31:
            self.out.append(b"J" + struct.pack("<i", value))
        else:
            self.out.append(b"\x8a\x08" + struct.pack("<q", value))

    def write_float(self, value):
        self.out.append(b"G" + struct.pack(">d", value) if self.protocol else b"F%r\n" % value)

    def write_short_bytes(self, value):
        if len(value) <= 2:  # what Python 2 keeps once
            self.once(value, lambda: self.write_bytes(value))
        else:
            self.write_bytes(value)

    def write_bytes(self, value):
        if not self.protocol:
            self.out.append(b"S" + repr(value)[1:].encode() + b"\n")  # as Python 2 shows them
        elif len(value) < 256:
            self.out.append(b"U" + bytes([len(value)]) + value)
        else:
            self.out.append(b"T" + struct.pack("<i", len(value)) + value)

    def write_tuple(self, value):
        short = self.protocol == 2 and 1 <= len(value) <= 3
        if not short:
            self.out.append(b"(")
        for item in value:
            self.write(item)
        self.out.append(bytes([0x84 + len(value)]) if short else b"t")

    def write_list(self, value):
        self.out.append(b"]" if self.protocol else b"(l")
        for start in range(0, len(value), 1000):
            batch = value[start : start + 1000]
            if self.protocol:
                self.out.append(b"(")
            for item in batch:
                self.write(item)
                if not self.protocol:
                    self.out.append(b"a")
            if self.protocol:
                self.out.append(b"e")

    def write_name(self, name):
        self.out.append(b"c" + name.replace(" ", "\n").encode() + b"\n")

    def write_call(self, call):
        self.write(Name(call.name))
        self.write(call.arguments)
        self.out.append(b"R")
        if call.state is not None:
            self.write(call.state)
            self.out.append(b"b")

    def write_array(self, array):
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        if array.dtype.hasobject:
            dtype, data = dtype_call(b"O8", b"|"), list(array.flat)
        else:
            dtype = dtype_call(array.dtype.str[1:].encode(), array.dtype.str[:1].encode())
            data = array.tobytes(order="F" if fortran else "C")
        self.write(array_call(array.shape, dtype, data, fortran))


def python2_pickle(value, protocol=2):
    return Python2Pickle(protocol).dumps(value)


def python2_npy(array):
    """An array of objects as `numpy.save` of Python 2 writes it."""
    head = b"{'descr': '|O', 'fortran_order': False, 'shape': %r, }" % (array.shape,)
    head += b" " * (-(len(head) + 11) % 16) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + python2_pickle(array)


def as_objects(array):
    """The same numbers as an array of objects."""
    return array.astype(object)


def as_rows(array):
    """A matrix as an array of its rows; every other of them is a matrix of one row."""
    rows = np.empty(len(array), object)
    for index in range(len(array)):
        rows[index] = array[index] if index % 2 else array[index : index + 1]
    return rows
