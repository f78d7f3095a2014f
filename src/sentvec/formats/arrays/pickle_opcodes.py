"""Read a pickle of NumPy arrays without running it.

A pickle is a program that may call anything, and the functions of NumPy that it calls trust their
arguments. So nothing is called here, and Python's `pickle` is not used: these are the opcodes of
arrays, in the protocols 0 to 4 of Python 2 and 3, and they build numbers, texts, tuples, lists, and
descriptions of arrays. The bytes of an array stay where they are in the file. The names that arrays
need are not imported; any other name, and any other opcode, is an error that names it.

Not here: whether the descriptions are consistent (`pickled_arrays`).
"""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Callable

from sentvec.errors import FormatError
from sentvec.formats.arrays.pickle_stack import (
    MAX_ON_STACK,
    DamagedError,
    Machine,
    Name,
    PickledArray,
    PickledDtype,
    RefusedError,
    damaged,
    refused,
)
from sentvec.wording import counted

_MAX_NUMBER_LINE = 40  # bytes; 64 bits take 20 digits
_MAX_NAME_LINE = 200
_MAX_INTEGER = 8  # bytes
_MAX_TOKEN = 16  # characters of a dtype, a byte order or the name of a codec
_STOP = ord(".")

_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|.|\Z)", re.DOTALL)
_ESCAPED = {b"\\": b"\\", b"'": b"'", b'"': b'"', b"n": b"\n", b"r": b"\r", b"t": b"\t"}

_NAMES: dict[tuple[object, object], Name] = {
    ("numpy.core.multiarray", "_reconstruct"): Name.RECONSTRUCT,
    ("numpy._core.multiarray", "_reconstruct"): Name.RECONSTRUCT,
    ("numpy", "ndarray"): Name.NDARRAY,
    ("numpy", "dtype"): Name.DTYPE,
    ("_codecs", "encode"): Name.ENCODE,  # bytes, as Python 3 writes them for Python 2
}

_Operation = Callable[[Machine], object]
_Number = Callable[[Machine], int]


def read_pickle(data: mmap.mmap | bytes, start: int, name: str) -> object:
    """What a pickle holds: a number, a text, bytes, a tuple, a list or a `PickledArray`.

    Args:
        data: The file; it must end where the pickle ends.
        start: Where the pickle begins.
        name: Name of the file in errors.

    Raises:
        FormatError: The pickle is damaged, truncated, or of something other than arrays.
    """
    machine = Machine(data, start)
    at = start
    try:
        # A million rows take twenty million steps, so each step does as little as possible.
        stack, operations = machine.stack, _OPERATIONS
        while (code := machine.byte()) != _STOP:
            if code not in operations:
                refused(f"has the opcode {bytes([code])!r}")
            operations[code](machine)
            if len(stack) > MAX_ON_STACK:
                refused(f"puts more than {MAX_ON_STACK:,} values on its stack")
            at = machine.position
        return _result(machine)
    except RefusedError as error:
        msg = f"{name}, byte {at:,}: the pickle {error} - expected NumPy arrays of numbers and "
        msg += "nothing else. A pickle can run any program, so it was not run; if you trust it, "
        raise FormatError(msg + "save its arrays with numpy.save") from error
    except (DamagedError, ValueError) as error:
        msg = f"{name}, byte {at:,}: the pickle cannot be read further: {error} - the file is "
        raise FormatError(msg + "truncated or damaged; copy it again") from error


def _result(machine: Machine) -> object:
    if len(machine.stack) != 1 or machine.marks:
        damaged(f"it ends with {counted(len(machine.stack), 'value')} on the stack")
    left = len(machine.data) - machine.position
    if left:
        damaged(f"{counted(left, 'byte')} after its end")
    return machine.stack[0]


def _binary(form: str) -> _Number:
    number = struct.Struct(form)
    return lambda machine: int(number.unpack(machine.take(number.size))[0])


def _line(machine: Machine) -> int:
    return int(machine.line(_MAX_NUMBER_LINE))


_BYTE: _Number = Machine.byte
_SHORT, _INT, _UNSIGNED, _LONG = map(_binary, ("<H", "<i", "<I", "<Q"))


# --- numbers and texts --------------------------------------------------------------------------


def _constant(value: object) -> _Operation:
    return lambda machine: machine.stack.append(value)


def _integer(read: _Number) -> _Operation:
    return lambda machine: machine.stack.append(read(machine))


def _integer_line(machine: Machine) -> None:
    line = machine.line(_MAX_NUMBER_LINE)
    # Protocol 0 writes False and True as 00 and 01, and long integers with an L.
    machine.stack.append(line == b"01" if line in (b"00", b"01") else int(line.removesuffix(b"L")))


def _long(machine: Machine) -> None:
    length = machine.byte()
    if length > _MAX_INTEGER:
        refused(f"has an integer of {counted(length, 'byte')}")
    machine.stack.append(int.from_bytes(machine.take(length), "little", signed=True))


def _float(machine: Machine) -> None:
    (value,) = struct.unpack(">d", machine.take(8))
    machine.stack.append(value)


def _float_line(machine: Machine) -> None:
    machine.stack.append(float(machine.line(_MAX_NUMBER_LINE)))


def _bytes(read: _Number) -> _Operation:
    return lambda machine: machine.stack.append(machine.take(read(machine)))


def _bytes_line(machine: Machine) -> None:
    """A string the way Python 2 shows it: in quotes, with escapes."""
    line = machine.line()
    if len(line) < 2 or line[:1] not in (b"'", b'"') or line[-1:] != line[:1]:
        damaged("a string has no quotes")
    machine.stack.append(memoryview(_ESCAPE.sub(_unescaped, line[1:-1])))


def _unescaped(escape: re.Match[bytes]) -> bytes:
    what = escape[1]
    if len(what) == 3:
        return bytes((int(what[1:], 16),))
    if what not in _ESCAPED:
        damaged(f"a string has the escape {escape[0]!r}")
    return _ESCAPED[what]


def _text(read: _Number) -> _Operation:
    return lambda machine: machine.stack.append(str(machine.take(read(machine)), "utf-8"))


def _text_line(machine: Machine) -> None:
    machine.stack.append(machine.line().decode("raw-unicode-escape"))


# --- tuples and lists ---------------------------------------------------------------------------


def _tuple(length: int) -> _Operation:
    def operation(machine: Machine) -> None:
        if len(machine.stack) < length:
            damaged("too little is on the stack")
        machine.stack[-length:] = [tuple(machine.stack[-length:])]

    return operation


def _tuple_since_mark(machine: Machine) -> None:
    machine.stack.append(tuple(machine.since_mark()))


def _list_since_mark(machine: Machine) -> None:
    machine.stack.append(machine.since_mark())


def _extend(machine: Machine, items: list[object]) -> None:
    target = machine.top()
    if not isinstance(target, list):
        damaged("something is appended to what is not a list")
    target.extend(items)


def _remember(read: _Number) -> _Operation:
    return lambda machine: machine.remember(read(machine))


def _recall(read: _Number) -> _Operation:
    return lambda machine: machine.recall(read(machine))


# --- names, and what would be calls -------------------------------------------------------------


def _name(machine: Machine, module: object, name: object) -> None:
    if not (isinstance(module, str) and isinstance(name, str)):
        damaged("a name is not a text")
    if (module, name) not in _NAMES:
        refused(f"asks for {f'{module}.{name}'[:_MAX_NAME_LINE]!r}")
    machine.stack.append(_NAMES[module, name])


def _name_of_lines(machine: Machine) -> None:
    module, name = machine.line(_MAX_NAME_LINE), machine.line(_MAX_NAME_LINE)
    _name(machine, module.decode(), name.decode())


def _name_of_stack(machine: Machine) -> None:
    name, module = machine.pop(), machine.pop()
    _name(machine, module, name)


def _call(machine: Machine) -> None:
    arguments, function = machine.pop(), machine.pop()
    match function, arguments:
        case Name.RECONSTRUCT, (Name.NDARRAY, tuple(), _):
            machine.stack.append(PickledArray())
        case Name.DTYPE, (code, _, _):
            machine.stack.append(PickledDtype(_token(code)))
        case Name.ENCODE, (str(text), codec) if _token(codec) == "latin1":
            machine.encode(text)
        case _:
            called = function.value if isinstance(function, Name) else type(function).__name__
            refused(f"calls {called} as no array does")


def _set_state(machine: Machine) -> None:
    state, target = machine.pop(), machine.top()
    match target, state:
        case PickledArray(), (int(), tuple(shape), PickledDtype() as dtype, int(fortran), data):
            if not (isinstance(data, memoryview | list) and all(type(n) is int for n in shape)):
                damaged("the state of an array is not valid")
            target.shape, target.dtype, target.data = shape, dtype, data
            target.fortran_order = bool(fortran)
        case PickledDtype(), (int(), order, None, None, None, *_):
            target.order = _token(order)
        case PickledDtype(), _:
            refused("has a dtype of several fields")
        case _:
            refused(f"sets the state of a {type(target).__name__}")


def _token(value: object) -> str:
    """A short text, which Python 2 writes as bytes."""
    if isinstance(value, memoryview):
        value = str(value[: _MAX_TOKEN + 1], "latin-1")
    if not isinstance(value, str) or len(value) > _MAX_TOKEN:
        damaged("what should be a short text is not")
    return value


_OPERATIONS: dict[int, _Operation] = {
    code[0]: operation
    for code, operation in {
        b"\x80": Machine.byte,  # the protocol: the opcodes say enough
        b"\x95": lambda machine: machine.take(8),  # the length of a frame, likewise
        b"N": _constant(None),
        b"\x88": _constant(True),
        b"\x89": _constant(False),
        b")": _constant(()),
        b"]": lambda machine: machine.stack.append([]),
        b"J": _integer(_INT),
        b"K": _integer(_BYTE),
        b"M": _integer(_SHORT),
        b"\x8a": _long,
        b"I": _integer_line,
        b"L": _integer_line,
        b"G": _float,
        b"F": _float_line,
        b"T": _bytes(_INT),
        b"U": _bytes(_BYTE),
        b"B": _bytes(_UNSIGNED),
        b"C": _bytes(_BYTE),
        b"\x8e": _bytes(_LONG),
        b"S": _bytes_line,
        b"X": _text(_UNSIGNED),
        b"\x8c": _text(_BYTE),
        b"\x8d": _text(_LONG),
        b"V": _text_line,
        b"(": Machine.mark,
        b"t": _tuple_since_mark,
        b"l": _list_since_mark,
        b"\x85": _tuple(1),
        b"\x86": _tuple(2),
        b"\x87": _tuple(3),
        b"a": lambda machine: _extend(machine, [machine.pop()]),
        b"e": lambda machine: _extend(machine, machine.since_mark()),
        b"p": _remember(_line),
        b"q": _remember(_BYTE),
        b"r": _remember(_UNSIGNED),
        b"\x94": lambda machine: machine.remember(len(machine.memo)),
        b"g": _recall(_line),
        b"h": _recall(_BYTE),
        b"j": _recall(_UNSIGNED),
        b"c": _name_of_lines,
        b"\x93": _name_of_stack,
        b"R": _call,
        b"b": _set_state,
    }.items()
}
