"""Files of arrays: every way they are written, every lie they can tell, and nothing that runs."""

from __future__ import annotations

import builtins
import collections
import contextlib
import io
import mmap
import os
import pickle
import random
import struct
import time
import zipfile

import numpy as np
import pytest

from fuzz_readers import little_room, mutated
from sentvec.errors import FormatError, SourceError
from sentvec.formats.arrays import numpy_files
from sentvec.formats.arrays.numpy_files import Archive, open_array
from support.released import (
    Raw,
    array_call,
    as_objects,
    as_rows,
    dtype_call,
    python2_npy,
    python2_pickle,
)

ARRAY = np.random.default_rng(1).normal(size=(6, 5)).astype("<f4")
NEW, OLD = b"numpy._core.multiarray", b"numpy.core.multiarray"


def npy(array, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version)
    return file.getvalue()


def npy_head(text, version=b"\x01\x00"):
    data = text if isinstance(text, bytes) else text.encode()
    size = struct.pack("<H" if version[:1] == b"\x01" else "<I", len(data))
    return b"\x93NUMPY" + version + size + data


def head(descr="'<f4'", fortran="False", shape="(6, 5)"):
    return npy_head(f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n")


def pickled(array, protocol, name=NEW):
    """As Python 3 writes it, with the name that NumPy 1 or 2 has for its module."""
    data = pickle.dumps(array, protocol)
    for other in (NEW, OLD):
        data = data.replace(b"c" + other + b"\n", b"c" + name + b"\n")
        data = data.replace(bytes([len(other)]) + other, bytes([len(name)]) + name)
    return data


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.fixture
def opened(tmp_path):
    def opened(data):
        (tmp_path / "file.npy").write_bytes(data)
        return open_array(tmp_path / "file.npy")

    return opened


@pytest.fixture
def refused(opened, tmp_path):
    """The message of the error, which always names the file."""

    def refused(data):
        with pytest.raises(FormatError) as error:
            opened(data)
        assert str(tmp_path / "file.npy") in str(error.value)
        return str(error.value)

    return refused


# --- what opens ---------------------------------------------------------------------------------

INTEGERS = np.arange(-6, 24).reshape(6, 5)
NUMBERS = {
    "float32": ARRAY,
    "big-endian": ARRAY.astype(">f4"),
    "float64": ARRAY.astype(np.float64),
    "float16": ARRAY.astype(np.float16),
    "columns first": np.asfortranarray(ARRAY),
    "int8": INTEGERS.astype(np.int8),
    "uint8": (INTEGERS + 6).astype(np.uint8),
    "int64": INTEGERS,
    "big-endian uint16": (INTEGERS + 6).astype(">u2"),
    "one axis": ARRAY[0],
}


def without_axes(array):
    whole = np.empty((), object)
    whole[()] = array
    return whole


OBJECTS = {  # and the numbers they are
    "floats": (as_objects(ARRAY), ARRAY),
    "integers": (as_objects(INTEGERS), INTEGERS),
    "columns first": (np.asfortranarray(as_objects(ARRAY)), ARRAY),
    "rows": (as_rows(ARRAY), ARRAY),
    "rows of float64": (as_rows(ARRAY.astype(np.float64)), ARRAY),
    "one row": (as_rows(ARRAY[:1]), ARRAY[:1]),
    "without axes": (without_axes(ARRAY), ARRAY),
    "without axes, of rows": (without_axes(as_rows(ARRAY)), ARRAY),
}
ALL = {name: (array, array) for name, array in NUMBERS.items()}
ALL |= {f"objects, {name}": pair for name, pair in OBJECTS.items()}


def check(found, expected):
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, expected.astype(np.float32), strict=True)


def assert_same(theirs, array):
    """What Python and NumPy make of a pickle that was written by hand is what was written."""
    assert theirs.shape == array.shape
    assert theirs.dtype.newbyteorder("=") == array.dtype.newbyteorder("=")
    for one, other in zip(theirs.flat, array.flat, strict=True):
        if isinstance(other, np.ndarray):
            assert_same(one, other)
        else:
            assert one == other


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_every_array_that_numpy_writes(opened, name, version):
    array, numbers = ALL[name]
    check(opened(npy(array, version)), numbers)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("protocol", range(5))
@pytest.mark.parametrize("names", [OLD, NEW])
def test_every_array_that_python_3_pickles(opened, name, protocol, names):
    array, numbers = ALL[name]
    data = pickled(array, protocol, names)
    assert names in data
    check(opened(data), numbers)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("protocol", range(3))
def test_every_array_that_python_2_pickles(opened, name, protocol):
    array, numbers = ALL[name]
    data = python2_pickle(array, protocol)
    assert_same(pickle.loads(data, encoding="latin1"), array)
    check(opened(data), numbers)


@pytest.mark.parametrize("name", OBJECTS)
def test_every_array_of_objects_that_numpy_wrote_in_python_2(opened, name):
    array, numbers = OBJECTS[name]
    data = python2_npy(array)
    assert_same(np.load(io.BytesIO(data), allow_pickle=True, encoding="latin1"), array)
    check(opened(data), numbers)


def test_a_head_with_the_long_integers_of_python_2_opens_without_a_warning(opened):
    check(opened(head(shape="(6L, 5L)") + ARRAY.tobytes()), ARRAY)


def test_numbers_that_python_2_wrote_as_long_integers(opened):
    protocol_0 = python2_pickle(as_objects(INTEGERS), 0)
    assert b"I-6\n" in protocol_0
    check(opened(protocol_0.replace(b"I-6\n", b"L-6L\n")), INTEGERS)
    protocol_2 = python2_pickle(as_objects(INTEGERS), 2)
    check(opened(protocol_2.replace(b"J" + struct.pack("<i", -6), b"\x8a\x01\xfa")), INTEGERS)


def test_rows_that_are_one_object_several_times(opened):
    rows = as_rows(ARRAY)
    rows[3] = rows[1]
    check(opened(npy(rows)), ARRAY[[0, 1, 2, 1, 4, 5]])


@pytest.mark.parametrize("data", [npy(ARRAY), python2_pickle(ARRAY, 2), pickled(ARRAY, 3)])
def test_float32_are_used_where_they_lie(opened, data):
    array = opened(data)
    whole = array
    while not isinstance(whole, mmap.mmap):
        whole = whole.obj if isinstance(whole, memoryview) else whole.base
    assert not array.flags.writeable


def test_a_large_array_is_checked_to_its_last_number(opened, refused, monkeypatch):
    monkeypatch.setattr(numpy_files, "_BLOCK", 7)
    check(opened(npy(ARRAY)), ARRAY)
    for place in np.ndindex(ARRAY.shape):
        for value in (np.nan, np.inf, -np.inf):
            array = ARRAY.copy()
            array[place] = value
            assert f"got {value} at [{place[0]}, {place[1]}]" in refused(npy(array))


def test_numbers_beyond_float32_are_not_finite(refused):
    assert "got inf at [0, 1]" in refused(npy(np.array([[1.0, 1e39]])))
    assert "got -inf at [0, 1]" in refused(npy(as_objects(np.array([[1.0, -1e39]]))))
    assert "got inf at [1, 0]" in refused(npy(as_rows(np.array([[1.0], [1e39]]))))


# --- what does not open -------------------------------------------------------------------------


def test_there_must_be_a_file(tmp_path):
    for open_it in (open_array, Archive):
        with pytest.raises(SourceError, match="no model at"):
            open_it(tmp_path / "none")
        with pytest.raises(FormatError, match="is a directory"):
            open_it(tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "got an empty file"),
        (b"<!DOCTYPE html>", "got a file that begins with b'<!DOCTYPE html>'"),
        (npz(a=ARRAY), "begins with b'PK"),
        (npy(np.array(["a"])), "dtype '<U1'"),
        (npy(np.array([True])), r"dtype '|b1'"),
        (npy(np.array([1j])), "dtype '<c16'"),
        (npy(np.array([1], np.longdouble)), "dtype '<f16'"),
        (npy(np.array([1], "M8[s]")), "dtype '<M8[s]'"),
        (npy(np.zeros(2, [("a", "f4")])), r"dtype '|V4'"),
        (npy(np.float32(1)[()]), "an array of shape ()"),
        (npy(np.zeros((0, 5), np.float32)), "an array of shape (0, 5)"),
        (npy(ARRAY) + b"\0", "got 121 bytes, expected 120 for float32 of shape (6, 5)"),
        (npy(ARRAY)[:-1], "got 119 bytes, expected 120"),
        (head(shape="(6, -5)") + ARRAY.tobytes(), "an array of shape (6, -5)"),
        (head(shape="(-6, -5)") + ARRAY.tobytes(), "an array of shape (-6, -5)"),
        (head(shape="(30, True)") + ARRAY.tobytes(), "a shape that is not of 64-bit integers"),
        (head(shape="(10000000000, 10000000000)"), "got 0 bytes, expected 400,000,000,000"),
        (head(shape="(9999, 9999)"), "got 0 bytes, expected 399,920,004"),
        (head(shape=f"({'9' * 4000},)"), "a shape that is not of 64-bit integers"),
        (head(shape=f"(0x{'f' * 8000},)"), "a shape that is not of 64-bit integers"),
        (head(shape="(" + "1," * 40 + "30)") + ARRAY.tobytes(), "an array of shape (1, 1"),
        (head(shape="(" * 300), "a head that cannot be read"),
        (head(shape="[6, 5]"), "a head that cannot be read"),
        (head(shape="(6.0, 5)"), "a head that cannot be read"),
        (head(shape="-" * 9000 + "1"), "a head that cannot be read"),
        (head(shape="'\\d'"), "a head that cannot be read"),
        (head(shape="print('x')"), "a head that cannot be read"),
        (head(shape="(6, 5), 'more': 1"), "a head that cannot be read"),
        (head(descr="[('a', 'f4'), ('a', 'f4')]"), "a head that cannot be read"),
        (head(descr="'(9,9)f4'"), "dtype '|V324'"),
        (head(descr="'f4,O'"), "dtype '|V12'"),
        (head(descr="'nonsense'"), "a head that cannot be read"),
        (head(descr="[('a', " * 60), "a head that cannot be read"),
        (head(fortran="0"), "a head that cannot be read"),
        (npy_head("9" * 5000), "a head that cannot be read"),
        (npy_head(b"\xff" * 9), "a head that cannot be read"),
        (npy_head("{" + " " * 20000 + "}"), "a head that cannot be read"),
        (npy_head("", b"\x03\x00"), "version (3, 0)"),
        (npy_head("", b"\x00\x00"), "version (0, 0)"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", "a head that cannot be read"),
    ],
)
def test_what_is_no_array_of_numbers(refused, data, message):
    assert message in refused(data)


# --- pickles that are damaged, or would run something -------------------------------------------


FLOAT32 = dtype_call(b"f4", b"<")
OBJECT = dtype_call(b"O8", b"|")
BYTES = ARRAY.tobytes()
HONEST = array_call((6, 5), FLOAT32, BYTES)
KEEP, RECALL = Raw(b"q\xfe"), Raw(b"h\xfe")  # the top of the stack
ROWS = [array_call((5,), FLOAT32, row.tobytes()) for row in ARRAY]


def test_an_honest_state_opens(opened):
    check(opened(python2_pickle(HONEST)), ARRAY)
    check(opened(python2_pickle(array_call((5, 6), FLOAT32, BYTES, fortran=True))), ARRAY.T)
    check(opened(python2_pickle(array_call((6,), OBJECT, ROWS))), ARRAY)
    check(opened(python2_pickle(array_call((), OBJECT, [HONEST]))), ARRAY)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (5, "got a int, expected an array"),
        ([HONEST], "got a list, expected an array"),
        (HONEST._replace(state=None), "dtype 'none'"),
        (array_call((6, 6), FLOAT32, BYTES), "got 120 bytes, expected 144 for float32 of shape (6, 6)"),
        (array_call((5, 5), FLOAT32, BYTES), "got 120 bytes, expected 100"),
        (array_call((1 << 30, 1 << 30), FLOAT32, BYTES), "expected 4,611,686,018,427,387,904 for"),
        (array_call((-6, -5), FLOAT32, BYTES), "an array of shape (-6, -5)"),
        (array_call((6, 5, 0), FLOAT32, b""), "an array of shape (6, 5, 0)"),
        (array_call((1,) * 60 + (30,), FLOAT32, BYTES), "an array of shape (1, 1"),
        (array_call((6, 5.0), FLOAT32, BYTES), "the state of an array is not valid"),
        (array_call((6, True), FLOAT32, BYTES), "the state of an array is not valid"),
        (array_call([6, 5], FLOAT32, BYTES), "sets the state of a PickledArray"),
        (array_call((6, 5), FLOAT32, None), "the state of an array is not valid"),
        (array_call((6, 5), FLOAT32, [1.0] * 30), "got 0 bytes, expected 120"),
        (array_call((6, 5), b"f4", BYTES), "sets the state of a PickledArray"),
        (array_call((6, 5), FLOAT32._replace(state=None), BYTES), "dtype 'Nonef4'"),
        (array_call((6, 5), dtype_call(b"f4", b"="), BYTES), "dtype '=f4'"),
        (array_call((6, 5), dtype_call(b"f4", b"<<<"), BYTES), "dtype '<<<f4'"),
        (array_call((6, 5), dtype_call(b"c8", b"<"), BYTES), "dtype '<c8'"),
        (array_call((6, 5), dtype_call(b"V4", b"|"), BYTES), "dtype '|V4'"),
        (array_call((6, 5), dtype_call(b"V4", b"|", (b"a",)), BYTES), "has a dtype of several fields"),
        (array_call((6, 5), dtype_call(b"f4" * 99, b"<"), BYTES), "what should be a short text"),
        (array_call((6, 5), dtype_call(4, b"<"), BYTES), "what should be a short text"),
        (array_call((6, 5), OBJECT, BYTES), "got 0 objects, expected 30"),
        (array_call((30,), OBJECT, [1.0] * 29), "got 29 objects, expected 30"),
        (array_call((1 << 40,), OBJECT, [1.0]), "got 1 object, expected 1,099,511,627,776"),
        (array_call((2,), OBJECT, [1.0, b"1"]), "got objects (float, memoryview)"),
        (array_call((2,), OBJECT, [1.0, True]), "got objects (bool, float)"),
        (array_call((2,), OBJECT, [None, []]), "got objects (NoneType, list)"),
        (array_call((7,), OBJECT, [*ROWS, 1.0]), "got objects (PickledArray, float)"),
        (array_call((2, 3), OBJECT, ROWS), "got objects (PickledArray)"),
        (array_call((2,), OBJECT, [ROWS[0], array_call((4,), FLOAT32, BYTES[:16])]),
         "row 1: got an array of shape (4,), expected 5 numbers"),
        (array_call((2,), OBJECT, [ROWS[0], array_call((5, 1), FLOAT32, BYTES[:20])]),
         "row 1: got an array of shape (5, 1), expected 5 numbers"),
        (array_call((1,), OBJECT, [array_call((5,), FLOAT32, BYTES)]), "row 0: got 120 bytes"),
        (array_call((1,), OBJECT, [array_call((5,), OBJECT, [1.0] * 5)]), "dtype '|O8'"),
        (array_call((), OBJECT, [array_call((), OBJECT, [HONEST])]), "an array of shape ()"),
        (array_call((), OBJECT, [5]), "an array of shape ()"),
    ],
)  # fmt: skip
def test_what_an_array_says_of_itself_is_not_believed(refused, value, message):
    assert message in refused(python2_pickle(value))


def test_an_array_that_holds_itself(refused):
    data = python2_pickle(array_call((1,), OBJECT, [RECALL]))
    data = data.replace(b"\x87R(", b"\x87R" + KEEP + b"(", 1)
    array = pickle.loads(data, encoding="latin1")
    assert array[0] is array
    assert "row 0: got an array of dtype '|O8'" in refused(data)


def test_the_head_and_the_pickle_say_one_shape(refused):
    data = npy(as_rows(ARRAY)).replace(b"(6,)", b"(7,)")
    assert "got an array of shape (6,), expected shape (7,) as its head says" in refused(data)


def test_an_array_may_not_grow_beyond_its_file_by_naming_a_row_often(refused):
    row = array_call((250,), FLOAT32, bytes(1000))
    data = python2_pickle(array_call((1000,), OBJECT, [row, KEEP] + [RECALL] * 999))
    assert pickle.loads(data, encoding="latin1").shape == (1000,)
    assert f"got rows of 1,000,000 bytes in a file of {len(data):,}" in refused(data)


@pytest.mark.parametrize(
    "name",
    [
        "os system", "posix system", "nt system", "builtins eval", "__builtin__ eval",
        "builtins exec", "builtins getattr", "builtins open", "__builtin__ object",
        "subprocess Popen", "importlib import_module", "numpy load", "numpy fromfile",
        "numpy memmap", "numpy matrix", "numpy ndarray.tofile", "numpy dtype.type",
        "numpy core.multiarray._reconstruct", "numpy. ndarray", " ndarray", "numpy ",
        "numpy.core multiarray._reconstruct", "numpy.core.multiarray os", "numpy.core.multiarray scalar",
        "numpy.core.multiarray os.system", "numpy.core.multiarray fromfile",
        "numpy.core.multiarray frombuffer", "numpy.core.multiarray _reconstruct.__globals__",
        "numpy.core.multiarray.os system", "numpy._core.numeric _frombuffer",
        "numpy.testing._private.utils runstring", "numpy.distutils.exec_command exec_command",
        "_codecs decode", "_codecs encode.__self__", "codecs encode", "_codecs lookup",
        "copyreg _reconstructor", "copy_reg _reconstructor", "copyreg add_extension",
        "operator attrgetter", "functools partial", "types CodeType", "pickle loads",
        "sentvec.formats.arrays.pickle_stack PickledArray", "sentvec load", "nt.\u0441ystem \u0440",
    ],
)  # fmt: skip
def test_any_other_name_is_refused_and_said(refused, name):
    module, _, attribute = name.partition(" ")
    written = f"c{module}\n{attribute}\n".encode()
    texts = [text.encode() for text in (module, attribute)]
    stack = b"".join(b"\x8c" + bytes([len(text)]) + text for text in texts) + b"\x93"
    for data in (written, b"\x80\x02" + written, b"\x80\x04" + stack):
        for end in (b".", b"(K\x01K\x01\x85tR.", b")\x81.", b"}b."):
            message = refused(data + end)
            assert f"asks for {module + '.' + attribute!r} - expected NumPy arrays" in message
            assert "was not run" in message


@pytest.fixture
def programs(tmp_path):
    """Pickles that make a file when they are run, and the file."""
    target = tmp_path / "it ran"

    class Runs:
        def __init__(self, function, *arguments):
            self.call = function, arguments

        def __reduce__(self):
            return self.call

    make = f"open({str(target)!r}, 'w').close()"
    calls = [
        Runs(os.system, f"mkdir '{target}'"),
        Runs(builtins.eval, make),
        Runs(builtins.exec, make),
        Runs(np.save, target, 1),
        Runs(os.mkdir, str(target)),
    ]
    values = [value for call in calls for value in (call, [ARRAY, call], (call, ARRAY))]
    rows = as_rows(ARRAY)
    for call in calls:
        rows = rows.copy()
        rows[3] = call
        values.append(rows)
    programs = [pickle.dumps(value, protocol) for value in values for protocol in range(5)]
    programs += [npy(rows)]
    return programs, target


def test_nothing_in_a_pickle_is_run(refused, programs, capfd):
    programs, target = programs
    for program in programs:
        message = refused(program)
        # A file without a protocol that does not begin with a name is not taken for a pickle.
        assert ("asks for " if program[:1] in b"\x80c\x93" else "begins with") in message
        assert not target.exists()
    assert capfd.readouterr() == ("", "")


def test_they_would_run_something(programs):
    programs, target = programs
    for program in programs[:-1]:
        pickle.loads(program)
        found = [path for path in target.parent.iterdir() if path.name.startswith("it ran")]
        assert found
        for path in found:
            path.rmdir() if path.is_dir() else path.unlink()


@pytest.mark.parametrize(
    "data",
    [
        b"(ios\nsystem\n.", b"(cos\nsystem\no.", b"}.", b"(d.", b"\x8f.", b"\x91.", b"Pid\n.",
        b"K\x01Q.", b"\x82\x01.", b"\x83\x01\0.", b"\x84\x01\0\0\0.", b"\x97.", b"\x98.",
        b"\x96\x01\0\0\0\0\0\0\0a.", b"N0.", b"(1.", b"N2.", b"]Ns.", b"](NNu.", b"\x90.",
        b"\x8b\x01\0\0\0\1.", b"\xff.", b"\0.",
    ],
)  # fmt: skip
def test_opcodes_that_no_array_needs_are_refused(refused, data):
    for start in (b"\x80\x02", b"\x80\x04"):
        assert "the pickle " in refused(start + data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"cnumpy\nndarray\n(tR.", "calls ndarray as no array does"),
        (b"cnumpy\nndarray\n(I9999999999\ntR.", "calls ndarray as no array does"),
        (b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\ndtype\n(tS'b'\ntR.", "calls _reconstruct"),
        (b"cnumpy\ndtype\n(S'f4'\ntR.", "calls dtype"),
        (b"c_codecs\nencode\n(Va\nVrot13\ntR.", "calls encode"),
        (b"c_codecs\nencode\n(S'a'\nVlatin1\ntR.", "calls encode"),
        (b"c_codecs\nencode\n(V\\u0100\nVlatin1\ntR.", "'latin-1' codec can't encode"),
        (b"\x80\x02NNR.", "calls NoneType"),
        (b"\x80\x02NNb.", "sets the state of a NoneType"),
        (b"cnumpy\nndarray\nNb.", "sets the state of a Name"),
        (b"\x80\x02]](K\1eb.", "sets the state of a list"),
        (b"\x80\x02NNN.", "it ends with 3 values on the stack"),
        (b"\x80\x02.", "it ends with 0 values on the stack"),
        (b"\x80\x02(N.", "it ends with 1 value on the stack"),
        (b"\x80\x02N.N", "1 byte after its end"),
        (b"\x80\x02e.", "no mark was set"),
        (b"\x80\x02R.", "nothing is on the stack"),
        (b"\x80\x02q\0.", "nothing is on the stack"),
        (b"\x80\x02b.", "nothing is on the stack"),
        (b"\x80\x02N\x86.", "too little is on the stack"),
        (b"\x80\x02NNa.", "appended to what is not a list"),
        (b"\x80\x02h\5.", "nothing was remembered as number 5"),
        (b"cnumpy\nndarray\ng-1\n.", "nothing was remembered as number -1"),
        (b"\x80\x02NN\x93.", "a name is not a text"),
        (b"\x80\x02T\xff\xff\xff\xff.", "expected -1 more bytes"),
        (b"\x80\x02T\xff\xff\xff\x7f.", "expected 2,147,483,647 more bytes, got 1"),
        (b"\x80\x04\x8e" + b"\xff" * 8, "expected 18,446,744,073,709,551,615 more bytes"),
        (b"\x80\x04\x8d" + b"\xff" * 8, "expected 18,446,744,073,709,551,615 more bytes"),
        (b"\x80\x02X\1\0\0\0\xff.", "can't decode byte 0xff"),
        (b"\x80\x02\x8a\xff.", "has an integer of 255 bytes"),
        (b"\x80\x02I" + b"9" * 50 + b"\n.", "a line has no end"),
        (b"\x80\x02Inone\n.", "invalid literal"),
        (b"\x80\x02Fnone\n.", "could not convert"),
        (b"\x80\x02S'a\n.", "a string has no quotes"),
        (b"\x80\x02Sa\n.", "a string has no quotes"),
        (b"\x80\x02S'\\d'\n.", "a string has the escape"),
        (b"\x80\x02S'\\'\n.", "a string has the escape"),
        (b"\x80\x02S'\\x9'\n.", "a string has the escape"),
        (b"\x80\x02V\\u12\n.", "truncated"),
        (b"c" + b"a" * 500 + b"\nb\n.", "a line has no end"),
        (b"c\xff\nb\n.", "can't decode byte 0xff"),
    ],
)  # fmt: skip
def test_pickles_that_are_damaged(refused, data, message):
    assert message in refused(data)


def test_a_string_of_python_2_in_either_quotes_with_every_escape(opened):
    array = np.frombuffer(bytes(range(256)) + b"'\"\\n\\x41", np.uint8)
    for data in (array, array[array != ord("'")], array[array != ord('"')]):
        written = python2_pickle(data, 0)
        check(opened(written), data)


# --- pickles and heads that ask for much --------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x80\x02" + b"N" * 100_000 + b".", "puts more than 4,000 values on its stack"),
        (b"\x80\x02" + b"]" * 100_000 + b".", "puts more than 4,000 values on its stack"),
        (b"\x80\x02" + b"(" * 100_000 + b".", "sets more than 4,000 marks"),
        (b"\x80\x02N" + b"\x94" * 100_000 + b".", "remembers more than 25,017 values"),
        (
            b"\x80\x02c_codecs\nencode\nq\0X\x40\x42\x0f\0" + b"a" * 1_000_000 + b"X\6\0\0\0latin1\x86q\1]("
            + b"h\0h\1R" * 1000 + b"e.",
            "encodes more bytes of text than it has",
        ),
        (b"\x80\x02Nr\xff\xff\xff\xff.", "a NoneType"),
        (b"\x80\x02Np99999999999999999999\n.", "a NoneType"),
        (b"\x80\x02N" + b"\x85" * 100_000 + b".", "a tuple"),
        (b"\x80\x02)" + b"q\0h\0\x86" * 100_000 + b".", "a tuple"),
        (b"\x80\x02]" + b"q\0(h\0h\0e" * 1000 + b".", "a list"),
        (b"\x80\x02]" + b"q\0h\0a" * 100_000 + b".", "a list"),
    ],
)  # fmt: skip
def test_pickles_that_ask_for_all_memory(refused, data, message):
    with little_room():
        assert message in refused(data)


def test_long_lists_need_no_high_stack(opened):
    numbers = np.arange(12_000, dtype=np.float32)
    for protocol in range(3):
        check(opened(python2_pickle(as_objects(numbers), protocol)), numbers)
    check(opened(npy(as_objects(numbers))), numbers)


# --- damage at any place ------------------------------------------------------------------------


def written(array):
    return {
        "npy": npy(array),
        "objects": npy(as_objects(array)),
        "rows": python2_npy(as_rows(array)),
        "pickle 0": python2_pickle(as_rows(array), 0),
        "pickle 1": python2_pickle(array, 1),
        "pickle 2": python2_pickle(array, 2),
        "pickle 3": pickled(as_rows(array), 3),
        "pickle 4": pickled(array, 4),
    }


SMALL = ARRAY[:2, :2].copy()
WRITTEN = written(SMALL)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_that_is_cut_short_anywhere(refused, name):
    data = WRITTEN[name]
    for length in range(len(data)):
        refused(data[:length])


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_with_any_byte_changed(tmp_path, name, capfd):
    """An error, or an array of the kind that is promised; nothing else happens."""
    data, path = WRITTEN[name], tmp_path / "file.npy"
    with little_room():
        for place in range(len(data)):
            for value in (0xFF, data[place] ^ 1):
                opens(path, data[:place] + bytes([value]) + data[place + 1 :])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("part", range(2))
def test_a_thousand_damaged_files(tmp_path, part):
    """The number of a case leads back to it."""
    path, others = tmp_path / "file.npy", list(written(ARRAY).values())
    outcomes, longest = collections.Counter(), 0.0
    with little_room():
        for number in range(part, 1000, 2):
            draw = random.Random(number)
            data = mutated(draw.choice(others), draw, others)
            start = time.process_time()
            try:
                outcomes[opens(path, data)] += 1
            except BaseException:
                pytest.fail(f"case {number}")
            longest = max(longest, time.process_time() - start)
    assert min(outcomes[True], outcomes[False]) > 5  # both happen
    assert longest < 5


def opens(path, data):
    path.write_bytes(data)
    with contextlib.suppress(FormatError):
        array = open_array(path)
        assert array.dtype == np.float32
        assert array.size
        assert array.nbytes <= 4 * len(data)
        assert np.isfinite(array).all()
        return True
    return False


# --- archives -----------------------------------------------------------------------------------


@pytest.fixture
def archive(tmp_path):
    """Write an archive, and read all arrays that should be in it."""

    def archive(data, *keys):
        (tmp_path / "file.npz").write_bytes(data)
        with Archive(tmp_path / "file.npz") as opened:
            return [opened[key] for key in keys]

    return archive


@pytest.fixture
def archive_refused(archive, tmp_path):
    def archive_refused(data, key="a"):
        with pytest.raises(FormatError) as error:
            archive(data, key)
        assert str(tmp_path / "file.npz") in str(error.value)
        return str(error.value)

    return archive_refused


def zipped(members, compression=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_every_array_of_an_archive(archive, compression):
    members = {f"{name}.npy": npy(array) for name, (array, _) in ALL.items()}
    members |= {f"{name}, raw": data for name, data in WRITTEN.items()}
    keys = [*ALL, *(f"{name}, raw" for name in WRITTEN)]
    found = archive(zipped(members, compression), *keys)
    for array, (_, numbers) in zip(found, ALL.values(), strict=False):
        check(array, numbers)
    for array in found[len(ALL) :]:
        check(array, SMALL)


def test_an_archive_says_what_is_in_it(tmp_path):
    np.savez(tmp_path / "file.npz", a=ARRAY, b=ARRAY)
    with Archive(tmp_path / "file.npz") as opened:
        assert "a" in opened
        assert "c" not in opened
        with pytest.raises(FormatError, match="got no array 'c' among a, b, expected it"):
            opened["c"]


def test_an_array_that_is_not_asked_for_is_not_read(archive):
    members = {
        "a.npy": npy(ARRAY),
        "b.npy": b"\x80\x02cos\nsystem\n.",
        "c.npz.pkl": b"cos\nsystem\n.",
    }
    check(archive(zipped(members), "a")[0], ARRAY)


def test_pickles_in_an_archive_are_not_run(archive_refused, programs, capfd):
    programs, target = programs
    for program in programs:
        assert ", a: " in archive_refused(zipped({"a.npy": program})).replace(", a, byte", ", a: ")
        assert not target.exists()
    assert capfd.readouterr() == ("", "")


def test_archives_that_are_none(archive_refused):
    for data in (b"", b"PK", npy(ARRAY), b"<html>" * 99, zipped({"a.npy": npy(ARRAY)})[:-30]):
        assert "cannot be read as an .npz archive" in archive_refused(data)


def test_damaged_bytes_of_an_archive_are_found(archive_refused):
    whole = zipped({"a.npy": npy(ARRAY)})
    place = whole.index(BYTES)
    damaged = whole[:place] + b"\0" + whole[place + 1 :]
    assert ", a cannot be read as an .npz archive: Bad CRC-32" in archive_refused(damaged)


def test_a_compression_that_numpy_does_not_write(archive_refused):
    data = zipped({"a.npy": npy(ARRAY)}, zipfile.ZIP_BZIP2)
    assert "a: got compression 12, expected none, or deflate" in archive_refused(data)


def test_an_archive_with_a_password(archive_refused):
    data = bytearray(zipped({"a.npy": npy(ARRAY)}))
    data[data.index(b"PK\1\2") + 8] |= 1
    data[6] |= 1
    assert "is encrypted" in archive_refused(bytes(data))


def test_archives_that_would_explode(archive_refused):
    zeros = npy(np.zeros((1 << 24, 4), np.float32))
    bomb = zipped({"a.npy": zeros}, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 1 << 20
    with little_room():
        assert "what fits an archive of" in archive_refused(bomb)
        # The same that says it were small: no more than that is unpacked.
        central = bomb.index(b"PK\1\2")
        small = struct.pack("<I", 1000)
        bomb = bomb[: central + 24] + small + bomb[central + 28 :]
        bomb = bomb[:22] + small + bomb[26:]
        message = archive_refused(bomb)
    assert "Bad CRC-32" in message or "bytes, expected" in message


def test_weights_that_shrink_well_are_no_bomb(archive):
    flat = np.zeros((100, 5), np.float32)
    check(archive(zipped({"a.npy": npy(flat)}, zipfile.ZIP_DEFLATED), "a")[0], flat)


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_that_is_cut_short_or_changed_anywhere(tmp_path, compression):
    whole, path = zipped({"a.npy": npy(SMALL)}, compression), tmp_path / "file.npz"

    def opens(data):
        path.write_bytes(data)
        with contextlib.suppress(FormatError), Archive(path) as archive:
            array = archive["a"]
            np.testing.assert_array_equal(array, SMALL, strict=True)  # there is a checksum
            return True
        return False

    with little_room():
        assert opens(whole)
        for place in range(len(whole)):
            assert not opens(whole[:place])
            for value in (0xFF, whole[place] ^ 1):
                opens(whole[:place] + bytes([value]) + whole[place + 1 :])
