"""The released Skip-Thought models: our layout gives the states of the released equations."""

from __future__ import annotations

import io
import mmap
import os
import pickle
import zipfile

import numpy as np
import pytest

from sentvec.errors import FormatError, SourceError
from sentvec.formats.skip_thoughts.released import is_released, open_released
from support.released import (
    DECODERS,
    SIZES,
    TRAINED,
    WORDS,
    as_objects,
    as_rows,
    encode,
    parameters,
    python2_npy,
    python2_pickle,
    sigmoid,
    states,
    table,
    unit,
    write_released,
)

SENTENCES = [[0], [0, 2, 4, 11], [6, 5, 3, 3, 10, 1], [1, 1]]  # rows of the table


# --- our layout, in plain NumPy -----------------------------------------------------------------


def our_states(arrays, prefix, vectors, h=None):
    """The state after each word: blocks of rows for reset, update and candidate."""
    read, recur, bias = (
        arrays[f"{prefix}.{part}"].astype(np.float64) for part in ("input", "recurrent", "bias")
    )
    d = recur.shape[1]
    h = np.zeros(d) if h is None else h
    found = []
    for x in vectors.astype(np.float64):
        from_word, from_state = read @ x + bias, recur @ h
        reset = sigmoid(from_word[:d] + from_state[:d])
        update = sigmoid(from_word[d : 2 * d] + from_state[d : 2 * d])
        candidate = np.tanh(from_word[2 * d :] + reset * from_state[2 * d :])
        h = update * h + (1 - update) * candidate
        found.append(h)
    return np.array(found)


def our_encode(part, vectors):
    turns = {"encoder": vectors, "encoder_reverse": vectors[::-1]}
    return np.concatenate([
        our_states(part.arrays, prefix, turns[prefix])[-1]
        for prefix in turns
        if f"{prefix}.input" in part.arrays
    ])  # fmt: skip


def check_part(part, name, *, decoders=False):
    """What holds for every part, and its states against those of the released equations."""
    (w, d), released, vectors = (
        SIZES[name],
        parameters(name, decoders=decoders),
        table(name, len(WORDS)),
    )
    assert part.name == name
    prefixes = {"uni": ["encoder"], "bi": ["encoder", "encoder_reverse"]}[name]
    k = d * len(prefixes)
    shapes = {
        f"{prefix}.{key}": shape
        for prefix, size in [(p, d) for p in prefixes]
        + [(p, k) for p in ("next", "previous") if decoders]
        for key, shape in {
            "input": (3 * size, w),
            "recurrent": (3 * size, size),
            "bias": (3 * size,),
        }.items()
    }
    if decoders:
        shapes |= {"output.weight": (TRAINED, k), "output.bias": (TRAINED,)}
    assert {key: array.shape for key, array in part.arrays.items()} == shapes
    assert all(
        array.dtype == np.float32 and array.flags.c_contiguous for array in part.arrays.values()
    )
    assert part.trained_words == (TRAINED if decoders else None)
    np.testing.assert_array_equal(part.word_vectors, vectors, strict=True)
    assert not part.word_vectors.flags.writeable
    for rows in SENTENCES:
        expected = encode(released, name, vectors[rows])
        assert expected.shape == (k,)
        np.testing.assert_allclose(our_encode(part, vectors[rows]), expected, rtol=1e-12)
        if decoders:
            for prefix, ours in zip(DECODERS, ("next", "previous"), strict=True):
                theirs = states(released, prefix, vectors[rows], expected)
                found = our_states(part.arrays, ours, vectors[rows], expected)
                np.testing.assert_allclose(found, theirs, rtol=1e-12)
                logits = theirs @ released["ff_logit_W"] + released["ff_logit_b"]
                np.testing.assert_allclose(
                    found @ part.arrays["output.weight"].T + part.arrays["output.bias"],
                    logits,
                    rtol=1e-9,
                )


# --- what opens ---------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [["uni"], ["bi"], ["uni", "bi"]])
@pytest.mark.parametrize("decoders", [False, True])
def test_the_states_are_those_of_the_released_equations(tmp_path, names, decoders):
    released = open_released(write_released(tmp_path, *names, decoders=decoders))
    assert released.words == WORDS
    assert [part.name for part in released.parts] == names
    for part, name in zip(released.parts, names, strict=True):
        check_part(part, name, decoders=decoders)


def test_the_order_of_the_gates_matters(tmp_path):
    """The check above can fail: with reset and update exchanged, the states are others."""
    (part,) = open_released(write_released(tmp_path, "uni")).parts
    d = SIZES["uni"][1]
    for key, array in part.arrays.items():
        part.arrays[key] = np.concatenate([array[d : 2 * d], array[:d], array[2 * d :]])
    with pytest.raises(AssertionError):
        check_part(part, "uni")


WAYS = {
    "npy of objects": lambda array: numpy_bytes(as_objects(array)),
    "npy of rows": lambda array: numpy_bytes(as_rows(array)),
    "npy of Python 2, of rows": lambda array: python2_npy(as_rows(array)),
    "npy of Python 2, of objects": lambda array: python2_npy(as_objects(array)),
    "pickle 0": lambda array: python2_pickle(array, 0),
    "pickle 2": lambda array: python2_pickle(array, 2),
    "pickle 0 of rows": lambda array: python2_pickle(as_rows(array), 0),
    "pickle 2 of rows": lambda array: python2_pickle(as_rows(array), 2),
    "one-row matrices": lambda array: numpy_bytes(array[:, None, :]),
    "float64": lambda array: numpy_bytes(array.astype(np.float64)),
}


def numpy_bytes(array):
    file = io.BytesIO()
    np.lib.format.write_array(file, array)
    return file.getvalue()


@pytest.mark.parametrize("way", WAYS)
def test_tables_in_every_way_they_may_be_written(tmp_path, way):
    write_released(tmp_path, "uni", "bi")
    for name in ("uni", "bi"):
        data = WAYS[way](table(name, len(WORDS)))
        (tmp_path / f"{name[0]}table.npy").write_bytes(data)
    for part in open_released(tmp_path).parts:
        check_part(part, part.name)


@pytest.mark.parametrize("write", [numpy_bytes, python2_npy, python2_pickle])
def test_parameters_that_are_arrays_of_objects(tmp_path, write):
    write_released(tmp_path, "bi")
    with zipfile.ZipFile(tmp_path / "bi_skip.npz", "w") as archive:
        for key, array in parameters("bi", decoders=True).items():
            archive.writestr(f"{key}.npy", write(as_objects(array)))
    (part,) = open_released(tmp_path).parts
    check_part(part, "bi", decoders=True)


def test_the_words_are_the_lines(tmp_path):
    write_released(tmp_path, "uni")
    text = "\n".join(WORDS).encode()
    for data in (text, text + b"\n", text.replace(b"\n", b"\r\n")):
        (tmp_path / "dictionary.txt").write_bytes(data)
        assert open_released(tmp_path).words == WORDS
    odd = [
        "\u00a0a",
        "a",
        " b",
        "c\u2028d",
        "\x85",
        "<eos>",
        "UNK",
        "x\x0by",
        "e\u0301",
        "é",
        "\ufeff",
        ".",
    ]
    write_released(tmp_path, "uni", words=odd)
    assert open_released(tmp_path).words == odd


def test_the_options_beside_a_file_are_not_opened(tmp_path):
    write_released(tmp_path, "uni")
    (tmp_path / "uni_skip.npz.pkl").mkdir()  # it could not be opened
    check_part(open_released(tmp_path).parts[0], "uni")


def test_a_table_that_is_an_array_is_mapped(tmp_path):
    (part,) = open_released(write_released(tmp_path, "uni")).parts
    whole = part.word_vectors
    while not isinstance(whole, mmap.mmap):
        whole = whole.obj if isinstance(whole, memoryview) else whole.base


def test_a_folder_is_told_from_its_names(tmp_path):
    assert not is_released(tmp_path)
    assert not is_released(tmp_path / "none")
    assert not is_released(tmp_path / "a\0b")
    (tmp_path / "dictionary.txt").write_text("<eos>\nUNK\n")
    assert not is_released(tmp_path)
    (tmp_path / "bi_skip.npz").mkdir()
    assert not is_released(tmp_path)
    (tmp_path / "uni_skip.npz").write_text("anything")
    assert is_released(tmp_path)
    assert not is_released(tmp_path / "uni_skip.npz")


# --- what does not ------------------------------------------------------------------------------


@pytest.fixture
def refused(tmp_path):
    """The message of the error for a folder, some files changed."""

    def refused(*names, error=FormatError, files=(), **options):
        write_released(tmp_path, *(names or ["uni"]), **options)
        for file, content in dict(files).items():
            if content is None:
                (tmp_path / file).unlink()
            else:
                (tmp_path / file).write_bytes(content)
        with pytest.raises(error) as caught:
            open_released(tmp_path)
        message = str(caught.value)
        assert str(tmp_path) in message
        return message.replace(f"{tmp_path}/", "")

    return refused


def test_a_folder_of_something_else(tmp_path):
    with pytest.raises(SourceError, match=r"expected uni_skip.npz with utable.npy or bi_skip"):
        open_released(tmp_path)
    with pytest.raises(SourceError, match="holds no released Skip-Thought model"):
        open_released(tmp_path / "none")


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("uni_skip.npz", "has utable.npy, but no uni_skip.npz - expected both or neither"),
        ("utable.npy", "has uni_skip.npz, but no utable.npy - expected both or neither"),
        ("bi_skip.npz", "has btable.npy, but no bi_skip.npz - expected both or neither"),
        ("btable.npy", "has bi_skip.npz, but no btable.npy - expected both or neither"),
        ("dictionary.txt", "no model at dictionary.txt"),
    ],
)
def test_a_file_that_is_missing(refused, missing, message):
    assert message in refused("uni", "bi", error=SourceError, files={missing: None})


def keys(name, decoders):
    return sorted(set(parameters(name, decoders=decoders)) - {"history_errs"})


EVERY = [(name, key) for name in ("uni", "bi") for key in keys(name, True)]


@pytest.mark.parametrize(("name", "key"), EVERY)
def test_a_parameter_that_is_missing(refused, name, key):
    message = refused(name, decoders=True, change={key: None})
    assert message.startswith(f"{name}_skip.npz: got no array {key!r} among ")


@pytest.mark.parametrize(("name", "key"), EVERY)
@pytest.mark.parametrize("axis", [0, -1])
def test_a_parameter_of_another_shape(refused, name, key, axis):
    array = parameters(name, decoders=True)[key]
    longer = np.concatenate([array, array.take([0], axis)], axis)
    message = refused(name, decoders=True, change={key: longer})
    # Of two that do not fit, the one that is read first is believed.
    first = {("encoder_U", 0): "encoder_W", ("Wemb", 0): "ff_logit_W"}.get((key, axis), key)
    assert message.startswith(f"{name}_skip.npz, {first}")
    assert "expected the shape (" in message
    assert "got (" in message


def test_the_shapes_are_told(refused):
    change = {"encoder_Wx": np.ones((6, 6), np.float32)}
    message = refused(change=change)
    assert message.startswith("uni_skip.npz, encoder_Wx: expected the shape (5, 6), got (6, 6) - ")
    change = {"encoder_bx": np.ones((1, 6), np.float32)}
    assert "encoder_bx: expected the shape (6,), got (1, 6)" in refused(change=change)
    change = {"encoder_U": np.ones(12, np.float32)}
    assert "encoder_U: expected the shape (any, any), got (12,)" in refused(change=change)


@pytest.mark.parametrize(("name", "key"), EVERY)
def test_a_parameter_that_is_not_finite(refused, name, key):
    array = parameters(name, decoders=True)[key].copy()
    array.flat[3] = np.nan
    message = refused(name, decoders=True, change={key: array})
    assert message.startswith(f"{name}_skip.npz, {key}: got nan at [")


def test_a_number_of_a_table_that_is_not_finite(refused):
    vectors = table("bi", len(WORDS)).copy()
    vectors[7, 2] = np.inf
    message = refused("bi", files={"btable.npy": numpy_bytes(vectors)})
    assert message.startswith("btable.npy: got inf at [7, 2], expected numbers that are finite")


def test_both_directions_have_one_size(refused):
    arrays = unit("encoder_r", 3, 5, np.random.default_rng(1))
    message = refused("bi", change=arrays)
    assert message.startswith("bi_skip.npz, encoder_r_W: expected the shape (3, 8), got (3, 10)")


def test_the_file_of_the_other_model(refused, tmp_path):
    write_released(tmp_path, "bi")
    other = (tmp_path / "bi_skip.npz").read_bytes()
    for file in ("bi_skip.npz", "btable.npy"):
        (tmp_path / file).unlink()
    message = refused(files={"uni_skip.npz": other})
    assert "uni_skip.npz holds encoder_r_U - expected the encoder of one direction" in message


@pytest.mark.parametrize(
    ("vectors", "found"),
    [
        (table("uni", 11), "(11, 5)"),
        (table("uni", 13), "(13, 5)"),
        (table("uni", 1)[0], "(5,)"),
        (table("uni", 24).reshape(12, 2, 5), "(12, 2, 5)"),
    ],
)
def test_a_table_with_other_rows_than_words(refused, vectors, found):
    message = refused(files={"utable.npy": numpy_bytes(vectors)})
    assert message.startswith(
        "utable.npy: expected the shape (12, any), a row for each of the words"
    )
    assert f"dictionary.txt, got {found} - " in message


def lines(*words):
    return "".join(f"{word}\n" for word in words).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            lines(*WORDS, "a"),
            "dictionary.txt, line 13: got 'a', as on line 9, expected a word that",
        ),
        (lines(*WORDS, ""), "dictionary.txt, line 13: got '', expected a word"),
        (lines("", *WORDS), "dictionary.txt, line 1: got '', expected a word"),
        (
            lines("a\tb", *WORDS),
            "dictionary.txt, line 1: got 'a\\tb', expected a word without a TAB",
        ),
        (b"", "dictionary.txt, line 1: got '', expected a word"),
        (
            lines("a", "b") + b"c\xff\n",
            "dictionary.txt, line 3: got the bytes b'\\xff', expected UTF-8",
        ),
        (lines(*WORDS) + b"\xe3\x80", "dictionary.txt, line 13: got the bytes b'\\xe3\\x80'"),
        (lines("UNK", "a"), "dictionary.txt has no line '<eos>' - expected"),
        (lines("<eos>", "unk"), "dictionary.txt has no line 'UNK' - expected"),
        (lines(*WORDS[:-1]), "utable.npy: expected the shape (11, any)"),
    ],
)
def test_a_list_of_words_that_was_changed(refused, data, message):
    assert message in refused(files={"dictionary.txt": data})


class Runs:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"mkdir '{self.path}'",)


@pytest.mark.parametrize("file", ["utable.npy", "uni_skip.npz", "encoder_W", "dictionary.txt"])
def test_nothing_in_the_files_is_run(refused, tmp_path, file, capfd):
    target = tmp_path / "it ran"
    rows = as_rows(table("uni", len(WORDS)))
    rows[5] = Runs(target)
    with_program = io.BytesIO()
    np.save(with_program, rows, allow_pickle=True)
    for data in (pickle.dumps(Runs(target), 2), with_program.getvalue()):
        if file == "encoder_W":
            file, archive = "uni_skip.npz", io.BytesIO()
            with zipfile.ZipFile(archive, "w") as members:
                members.writestr("encoder_U.npy", data)
            data = archive.getvalue()
        refused(files={file: data})
        assert not target.exists()
    assert capfd.readouterr() == ("", "")
    os.system(f"mkdir '{target}'")
    assert target.exists()
