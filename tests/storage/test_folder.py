"""The model folder: round trips, replacement that is whole or not at all, and damage found out."""

from __future__ import annotations

import errno
import json
import os
import pickle
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from sentvec import load
from sentvec.errors import FormatError, SourceError, StorageError
from sentvec.storage import folder as folder_module
from sentvec.storage.folder import CARD, CONFIG, FORMAT_VERSION, TENSORS, VOCABULARY, check_target
from sentvec.storage.tensors import map_tensors, write_tensors
from sentvec.text.vocabulary import Vocabulary
from support.behaviour import planted_corpus, train_sent2vec

FILES = {CONFIG, VOCABULARY, TENSORS, CARD}
TEXTS = ["the captain and the storm", "not good", "flour"]


@pytest.fixture(scope="session")
def model():
    return train_sent2vec(planted_corpus()[:220], epochs=1, buckets=300)


@pytest.fixture(scope="session")
def other():
    return train_sent2vec(planted_corpus()[:220], epochs=1, buckets=300, seed=2)


@pytest.fixture
def saved(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def only(tmp_path, *names):
    """Whether nothing else stands there: no scratch was left behind."""
    return {path.name for path in tmp_path.iterdir()} == set(names)


def edit_config(folder, change):
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    change(config)
    (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")


# --- round trip ---------------------------------------------------------------------------------


def test_a_folder_has_four_files_and_nothing_is_left_beside_it(saved, tmp_path):
    assert set(contents(saved)) == FILES
    assert only(tmp_path, "model")


def test_what_is_loaded_is_what_was_saved(model, saved):
    loaded = load(saved)
    digest = loaded.config.vocabulary_digest
    assert len(digest) == 32
    assert loaded.config == {"format_version": 1, **model.config, "vocabulary_digest": digest}
    assert list(loaded.vocabulary.items()) == list(model.vocabulary.items())
    for name, tensor in model.tensors.items():
        assert np.array_equal(loaded.tensors[name], tensor)
    assert np.array_equal(loaded.encode(TEXTS), model.encode(TEXTS))


@pytest.mark.parametrize("kind", [str, Path])
def test_paths_may_be_str_or_path(model, tmp_path, kind, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model.save(kind("models/here/one"))
    assert load(kind("models/here/one/")).dim == model.dim


def test_the_files_can_be_read_by_people(model, saved):
    first = (saved / VOCABULARY).read_text(encoding="utf-8").splitlines()[0]
    word, count = next(iter(model.vocabulary.items()))
    assert first == f"{word}\t{count}"
    config = json.loads((saved / CONFIG).read_text(encoding="utf-8"))
    assert list(config)[:2] == ["format_version", "model"]
    card = (saved / CARD).read_text(encoding="utf-8")
    assert "library_name: sentvec" in card
    assert 'sentvec.load("model")' in card


def test_words_that_are_not_utf_8_survive(tmp_path):
    words = ["na\udcefve", "\u6f22\u5b57", "\ufffd", "a\u00a0b"]
    lines = [" ".join(words)] * 5
    model = train_sent2vec(lines, tokenizer="whitespace", epochs=1)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert set(loaded.vocabulary) == set(words)
    assert np.array_equal(loaded.encode(words), model.encode(words))


def test_a_model_may_be_saved_over_the_folder_it_is_mapped_from(saved, tmp_path):
    before = contents(saved)
    loaded = load(saved)
    vectors = loaded.encode(TEXTS)
    loaded.save(saved)
    assert contents(saved) == before
    assert np.array_equal(loaded.encode(TEXTS), vectors)
    assert only(tmp_path, "model")


def test_load_works_after_the_folder_is_moved_or_renamed(saved, tmp_path, model):
    (tmp_path / "deep").mkdir()
    moved = saved.rename(tmp_path / "deep" / "renamed")
    assert np.array_equal(load(moved).encode(TEXTS), model.encode(TEXTS))
    copied = shutil.copytree(moved, tmp_path / "copy")
    assert np.array_equal(load(copied).encode(TEXTS), model.encode(TEXTS))


def test_load_maps_the_matrices_and_does_not_read_the_vocabulary(saved, monkeypatch):
    class ReadError(Exception):
        pass

    def refuse(*arguments):
        raise ReadError

    monkeypatch.setattr(Vocabulary, "parse", refuse)
    loaded = load(saved)
    assert isinstance(loaded.input_vectors, np.memmap)
    assert loaded.input_vectors.mode == "r"
    assert not loaded.input_vectors.flags.writeable
    assert repr(loaded).startswith("<Sent2Vec: ")
    with pytest.raises(ReadError):
        loaded.encode("flour")


def test_no_file_is_a_pickle_and_none_is_made_on_the_way(model, saved, tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    model.save(tmp_path / "again")
    load(tmp_path / "again").encode(TEXTS)
    monkeypatch.undo()
    for name, data in contents(saved).items():
        with pytest.raises(Exception):  # noqa: B017, PT011
            pickle.loads(data)
        assert not data.startswith((b"\x80", b"\x93NUMPY", b"PK")), name


# --- safetensors --------------------------------------------------------------------------------


def test_the_safetensors_library_reads_our_file(model, saved):
    read = safetensors.numpy.load_file(saved / TENSORS)
    assert set(read) == {"input_vectors", "output_vectors"}
    for name, array in read.items():
        assert array.dtype == np.float32
        assert np.array_equal(array, model.tensors[name])


def test_we_map_a_file_of_the_safetensors_library(model, saved):
    tensors = {name: np.array(tensor) for name, tensor in model.tensors.items()}
    safetensors.numpy.save_file(tensors, saved / TENSORS, metadata={"made": "elsewhere"})
    loaded = load(saved)
    for name, tensor in tensors.items():
        assert np.array_equal(loaded.tensors[name], tensor)
    assert np.array_equal(loaded.encode(TEXTS), model.encode(TEXTS))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (7, 3), (70_000, 2), (4,), (2, 3, 4)])
def test_arrays_of_any_shape_go_to_disk_and_back(tmp_path, shape, dtype):
    path = tmp_path / "arrays"
    one = np.random.default_rng(0).normal(size=shape).astype(dtype)
    arrays = {"one": one, "empty": np.zeros((0, 3), dtype), "two": one[::-1] * 2}
    write_tensors(path, arrays)
    for read in (map_tensors(path), safetensors.numpy.load_file(path)):
        assert set(read) == set(arrays)
        for name, array in arrays.items():
            assert read[name].dtype == dtype
            assert read[name].shape == array.shape
            assert np.array_equal(read[name], array)


def test_mapped_arrays_begin_at_a_cache_line(saved):
    length = int.from_bytes((saved / TENSORS).read_bytes()[:8], "little")
    assert (8 + length) % 64 == 0


# --- where a model may be written ---------------------------------------------------------------


def test_save_replaces_a_model(saved, other, tmp_path):
    other.save(saved)
    assert np.array_equal(load(saved).input_vectors, other.input_vectors)
    assert set(contents(saved)) == FILES
    assert only(tmp_path, "model")


def test_an_empty_folder_is_accepted(model, tmp_path):
    (tmp_path / "model").mkdir()
    check_target(tmp_path / "model")
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").dim == model.dim


@pytest.mark.parametrize(
    "files",
    [
        {"notes.txt": "mine"},
        {"config.json": '{"hidden_size": 768}', "model.safetensors": "", "README.md": ""},
        {"config.json": '{"format_version": 1}'},
        {"config.json": "not even json"},
        {"config.json": "[1, 2]"},
        {"vocabulary.txt": "the\t1\n"},
    ],
    ids=["other files", "model of another library", "config", "text", "list", "vocabulary"],
)
def test_a_folder_that_is_no_model_is_left_alone(model, tmp_path, files):
    target = tmp_path / "mine"
    target.mkdir()
    for name, text in files.items():
        (target / name).write_text(text)
    before = contents(target)
    for attempt in (check_target, model.save):
        with pytest.raises(
            StorageError, match=r"mine exists and is not a model folder .* left alone"
        ):
            attempt(target)
    assert contents(target) == before
    assert only(tmp_path, "mine")


def test_a_file_is_left_alone(model, tmp_path):
    target = tmp_path / "mine"
    target.write_text("text")
    for attempt in (check_target, model.save):
        with pytest.raises(StorageError, match="mine exists and is not a model folder"):
            attempt(target)
    assert target.read_text() == "text"


def test_a_place_under_a_file_is_no_place(model, tmp_path):
    (tmp_path / "file").write_text("text")
    for attempt in (check_target, model.save):
        with pytest.raises(StorageError, match=r"cannot write .*file.model"):
            attempt(tmp_path / "file" / "model")


def test_checking_a_target_leaves_nothing_behind(saved, tmp_path):
    check_target(saved)
    check_target(tmp_path / "new")
    assert only(tmp_path, "model")
    assert set(contents(saved)) == FILES


def test_a_link_to_a_model_stays_a_link(model, other, tmp_path):
    (tmp_path / "link").symlink_to("version-1")
    for latest in (model, other, model):
        latest.save(tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert np.array_equal(load(tmp_path / "link").input_vectors, latest.input_vectors)
        assert np.array_equal(load(tmp_path / "version-1").input_vectors, latest.input_vectors)
    assert only(tmp_path, "link", "version-1")


# --- what a crash, a full disk or a locked folder leaves ----------------------------------------


def leave_only_the_old(saved):
    return saved.rename(saved.with_name(f".{saved.name}.old"))


def test_where_only_the_old_folder_is_left_load_restores_it(saved, model, tmp_path):
    leave_only_the_old(saved)
    assert np.array_equal(load(saved).encode(TEXTS), model.encode(TEXTS))
    assert only(tmp_path, "model")


def test_where_only_the_old_folder_is_left_save_restores_and_replaces_it(saved, other, tmp_path):
    leave_only_the_old(saved)
    check_target(saved)
    assert only(tmp_path, "model")
    leave_only_the_old(saved)
    other.save(saved)
    assert np.array_equal(load(saved).input_vectors, other.input_vectors)
    assert only(tmp_path, "model")


def test_an_old_folder_beside_a_whole_one_is_not_taken(saved, other, tmp_path):
    other.save(tmp_path / ".model.old")
    before = contents(saved)
    load(saved)
    assert contents(saved) == before


def failing(error, function, *, at=0):
    """The function, but its call number `at` (from 0) fails."""
    calls = []

    def call(*args, **kwargs):
        calls.append(args)
        if len(calls) == at + 1:
            raise error
        return function(*args, **kwargs)

    return call


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
LOCKED = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
BROKEN = OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (FULL, "the disk is full: cannot write .*model - what stood there is unchanged; make room"),
        (LOCKED, "no permission to write .*model - what stood there is unchanged; check"),
        (BROKEN, "cannot write .*model: Input/output error - what stood there is unchanged"),
    ],
    ids=["full", "locked", "broken"],
)
@pytest.mark.parametrize(
    ("owner", "name", "at"),
    [
        (folder_module, "write_tensors", 0),
        (Vocabulary, "save", 0),
        (Path, "write_text", 0),
        (Path, "write_text", 1),
        (Path, "mkdir", 0),
        (Path, "rename", 0),
        (Path, "rename", 1),
    ],
    ids=["matrices", "vocabulary", "config", "card", "folder", "old aside", "new in place"],
)
def test_a_failed_save_leaves_the_old_model_whole_and_no_scratch(
    saved, other, tmp_path, monkeypatch, owner, name, at, error, message
):
    before = contents(saved)
    with monkeypatch.context() as patch:
        patch.setattr(folder_module, "check_target", lambda path: None)
        patch.setattr(owner, name, failing(error, getattr(owner, name), at=at))
        with pytest.raises(StorageError, match=message) as caught:
            other.save(saved)
    assert isinstance(caught.value, OSError)
    assert contents(saved) == before
    assert only(tmp_path, "model")
    assert load(saved).dim == other.dim


def test_a_disk_that_fills_while_the_matrices_are_written_leaves_nothing(
    saved, other, tmp_path, monkeypatch
):
    before = contents(saved)
    opened = Path.open

    class Filling:
        def __init__(self, file):
            self._file, self._left = file, 5000

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self._file.close()

        def write(self, data):
            self._left -= memoryview(data).nbytes
            if self._left < 0:
                raise FULL
            return self._file.write(data)

    def open_filling(path, mode="r", *args, **kwargs):
        file = opened(path, mode, *args, **kwargs)
        return Filling(file) if path.name == TENSORS and "w" in mode else file

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", open_filling)
        with pytest.raises(StorageError, match="the disk is full"):
            other.save(saved)
        with pytest.raises(StorageError, match="the disk is full"):
            other.save(tmp_path / "new")
    assert contents(saved) == before
    assert only(tmp_path, "model")


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_save_leaves_the_old_model_whole_and_no_scratch(
    saved, other, tmp_path, monkeypatch, error
):
    before = contents(saved)
    for owner, name, at in ((folder_module, "write_tensors", 0), (Path, "rename", 1)):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, failing(error, getattr(owner, name), at=at))
            with pytest.raises(error):
                other.save(saved)
        assert contents(saved) == before
        assert only(tmp_path, "model")


def test_a_locked_place_is_known_before_training(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", failing(LOCKED, Path.mkdir))
        with pytest.raises(StorageError, match="no permission to write"):
            check_target(tmp_path / "model")
    assert only(tmp_path)


# --- damage -------------------------------------------------------------------------------------


def assert_refused(folder, name, *, match=None):
    """Loading or first use raises a FormatError that names the file, in one line."""
    with pytest.raises(FormatError, match=match) as caught:
        load(folder).encode(TEXTS)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("share", [0.0, 0.0001, 0.001, 0.01, 0.5, 0.9, 0.9999])
def test_a_truncated_matrix_file_is_found_out(saved, share):
    size = (saved / TENSORS).stat().st_size
    os.truncate(saved / TENSORS, int(size * share))
    assert_refused(saved, TENSORS, match="truncated|damaged")


def test_a_matrix_file_truncated_anywhere_near_its_header_or_end_is_found_out(saved):
    whole = (saved / TENSORS).read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    for size in [*range(12), header - 1, header, header + 1, len(whole) - 4, len(whole) - 1]:
        (saved / TENSORS).write_bytes(whole[:size])
        assert_refused(saved, TENSORS)


@pytest.mark.parametrize(
    "header",
    [
        b"", b"garbage", b"{", b"[]", b"null", b"7", b'"text"', b"\xff\xfe", b"{}", b"[" * 100_000,
        b'{"input_vectors": null}', b'{"input_vectors": {}}', b'{"input_vectors": []}',
        b'{"other": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}}',
    ],
    ids=lambda header: repr(header[:30]),
)  # fmt: skip
def test_a_garbled_header_is_found_out(saved, header):
    (saved / TENSORS).write_bytes(len(header).to_bytes(8, "little") + header + bytes(64))
    assert_refused(saved, TENSORS)


@pytest.mark.parametrize("length", [2**64 - 1, 2**63, 2**40, 10**8 + 1, 100_000])
def test_a_huge_length_of_the_header_is_found_out_without_reading_it(saved, length):
    whole = (saved / TENSORS).read_bytes()
    (saved / TENSORS).write_bytes(length.to_bytes(8, "little") + whole[8:])
    assert_refused(saved, TENSORS, match="the header should have")


WRONG = [None, True, -1, 1.5, "x", [], {}, [None], ["x"], [-1, -1], [2.5, 4], 10**30]


def leaves(value, path=()):
    """Every place in a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index)
            yield from leaves(inner, (*path, index))


def changed(value, path, new):
    """A copy of a JSON value with one place changed; `...` takes it out."""
    value = json.loads(json.dumps(value))
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    if new is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return value


def assert_usable_or_refused(folder, what):
    try:
        load(folder).encode(TEXTS, on_empty="nan")
    except Exception as error:
        if not isinstance(error, FormatError) or str(folder) not in str(error):
            pytest.fail(f"{what}: {error!r}")


def test_whatever_is_wrong_in_the_header_is_found_out_or_harmless(saved):
    whole = (saved / TENSORS).read_bytes()
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    for path in leaves(header):
        for new in [*WRONG, ...]:
            text = json.dumps(changed(header, path, new)).encode()
            (saved / TENSORS).write_bytes(
                len(text).to_bytes(8, "little") + text + whole[8 + length :]
            )
            assert_usable_or_refused(saved, (path, new))


def test_whatever_is_wrong_in_the_configuration_is_found_out_or_harmless(saved):
    config = json.loads((saved / CONFIG).read_text(encoding="utf-8"))
    for path in leaves(config):
        for new in [*WRONG, ...]:
            (saved / CONFIG).write_text(json.dumps(changed(config, path, new)))
            assert_usable_or_refused(saved, (path, new))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "7", "{}", '{"format_version": 1}', "\x00\x01", "[" * 100_000]
)
def test_a_wrong_configuration_is_found_out(saved, text):
    (saved / CONFIG).write_text(text)
    assert_refused(saved, CONFIG)


@pytest.mark.parametrize("key", ["format_version", "model", "settings", "tokenizer", "sizes"])
def test_a_configuration_that_lacks_a_part_is_found_out(saved, key):
    edit_config(saved, lambda config: config.pop(key))
    assert_refused(saved, CONFIG, match=key)


@pytest.mark.parametrize(
    ("key", "value"), [("ngrams", 0), ("ngrams", -3), ("ngrams", "two"), ("ngrams", None)]
)
def test_settings_that_cannot_be_are_found_out(saved, key, value):
    edit_config(saved, lambda config: config["settings"].update({key: value}))
    assert_refused(saved, CONFIG)


@pytest.mark.parametrize(("key", "value"), [("dim", 17), ("vocabulary", 1), ("buckets", 0)])
def test_a_configuration_of_another_model_does_not_fit_the_matrices(saved, key, value):
    edit_config(saved, lambda config: config["sizes"].update({key: value}))
    assert_refused(saved, CONFIG)


def test_a_tokenizer_that_is_not_known_is_found_out(saved):
    edit_config(saved, lambda config: config["tokenizer"].update(name="later"))
    assert_refused(saved, CONFIG, match="later")


@pytest.mark.parametrize("version", [FORMAT_VERSION + 1, 999, "1", None, 1.5, 0, -1, True])
def test_another_format_version_is_refused(saved, version):
    edit_config(saved, lambda config: config.update(format_version=version))
    assert_refused(saved, CONFIG, match="format version")


def test_a_later_format_version_asks_for_an_update(saved):
    edit_config(saved, lambda config: config.update(format_version=FORMAT_VERSION + 1))
    assert_refused(saved, CONFIG, match=r"format version 3, this sentvec reads up to 2 - update")


def test_a_model_of_a_later_kind_asks_for_an_update(saved):
    edit_config(saved, lambda config: config.update(model="of-tomorrow"))
    with pytest.raises(FormatError, match=r"of kind 'of-tomorrow', .* knows sent2vec, .* update"):
        load(saved)


def test_keys_of_a_later_version_are_passed_over(saved, model):
    def add(config):
        config["of_tomorrow"] = config["settings"]["of_tomorrow"] = {"a": 1}

    edit_config(saved, add)
    assert np.array_equal(load(saved).encode(TEXTS), model.encode(TEXTS))


@pytest.mark.parametrize("name", sorted(FILES - {CARD}))
def test_a_missing_file_is_named(saved, name):
    (saved / name).unlink()
    assert_refused(saved, name)


def test_the_card_is_not_needed(saved, model):
    (saved / CARD).unlink()
    assert load(saved).dim == model.dim


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: b"",
        lambda text: text + b"one\t1\n",
        lambda text: text.replace(b"\t", b" "),
        lambda text: text.replace(b"\t", b"\t-"),
        lambda text: text.replace(b"\t", b"\t99999999999999999999999999"),
        lambda text: b"\t5\n" + text.partition(b"\n")[2],
        lambda text: text.partition(b"\n")[2] + text.splitlines()[1] + b"\n",
        lambda text: bytes(len(text)),
    ],
    ids=[
        "half", "empty", "a line more", "no TAB", "negative", "huge count", "no word", "twice", "NUL",
    ],
)  # fmt: skip
def test_a_damaged_vocabulary_is_found_out(saved, damage):
    text = (saved / VOCABULARY).read_bytes()
    (saved / VOCABULARY).write_bytes(damage(text))
    assert_refused(saved, VOCABULARY)


def test_matrices_of_another_type_are_refused(saved):
    tensors = safetensors.numpy.load_file(saved / TENSORS)
    wide = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
    safetensors.numpy.save_file(wide, saved / TENSORS)
    assert_refused(saved, TENSORS, match="F64")
    whole = {name: tensor.astype(np.int32) for name, tensor in tensors.items()}
    safetensors.numpy.save_file(whole, saved / TENSORS)
    assert_refused(saved, TENSORS, match="got int32")


# --- nothing there, or something else -----------------------------------------------------------


def test_nothing_at_the_path_is_a_source_error(tmp_path):
    with pytest.raises(SourceError, match=r"no model at .*nowhere - check the path") as caught:
        load(tmp_path / "nowhere")
    assert isinstance(caught.value, OSError)


@pytest.mark.parametrize("make", ["file", "folder"])
def test_something_else_at_the_path_is_a_format_error(tmp_path, make):
    path = tmp_path / make
    path.mkdir() if make == "folder" else path.write_text("text")
    expected = (
        r"is not a model folder .* config\.json" if make == "folder" else "is not a model but"
    )
    with pytest.raises(FormatError, match=f"{make} {expected}"):
        load(path)


@pytest.mark.parametrize(
    ("owner", "name"),
    [(Path, "read_text"), (folder_module, "map_tensors"), (folder_module, "map_bytes")],
)
def test_a_file_that_may_not_be_read_is_a_source_error(saved, monkeypatch, owner, name):
    monkeypatch.setattr(owner, name, failing(LOCKED, getattr(owner, name)))
    with pytest.raises(SourceError, match="no permission to read"):
        load(saved).encode(TEXTS)


def test_a_model_replaced_before_its_first_use_goes_on_as_it_was(saved, model, other):
    loaded = load(saved)
    other.save(saved)
    assert np.array_equal(loaded.encode(TEXTS), model.encode(TEXTS))
    assert np.array_equal(load(saved).encode(TEXTS), other.encode(TEXTS))


def test_a_model_removed_before_its_first_use_goes_on_as_it_was(saved, model):
    loaded = load(saved)
    shutil.rmtree(saved)
    assert np.array_equal(loaded.encode(TEXTS), model.encode(TEXTS))


def test_saving_over_a_model_keeps_what_else_lies_in_the_folder(saved, other):
    (saved / "notes.txt").write_text("mine")
    other.save(saved)
    assert (saved / "notes.txt").read_text() == "mine"


def test_a_model_replaced_after_its_first_use_goes_on_as_it_was(saved, model, other):
    loaded = load(saved)
    loaded.encode("flour")
    other.save(saved)
    assert np.array_equal(loaded.encode(TEXTS), model.encode(TEXTS))


def test_a_pickled_model_that_was_replaced_since_says_so(saved, other):
    data = pickle.dumps(load(saved))
    other.save(saved)
    with pytest.raises(FormatError, match="was replaced since"):
        pickle.loads(data)


def test_a_load_in_the_middle_of_a_save_harms_neither(saved, other, monkeypatch):
    rename, loads = Path.rename, []

    def load_after_the_first(self, target):
        result = rename(self, target)
        if not loads:
            loads.append(load(saved))
        return result

    monkeypatch.setattr(Path, "rename", load_after_the_first)
    other.save(saved)
    assert loads
    assert np.array_equal(load(saved).encode(TEXTS), other.encode(TEXTS))
    assert [entry.name for entry in saved.parent.iterdir()] == [saved.name]


def test_what_the_user_kept_survives_a_crash_after_the_new_model_took_its_name(saved, other):
    old = saved.with_name(f".{saved.name}.old")
    shutil.copytree(saved, old)
    (old / "notes.txt").write_text("mine")
    other.save(saved)
    assert (saved / "notes.txt").read_text() == "mine"
    assert not old.exists()


def test_a_folder_in_the_way_that_is_no_model_is_left_alone(saved, other):
    old = saved.with_name(f".{saved.name}.old")
    old.mkdir()
    (old / "notes.txt").write_text("mine")
    with pytest.raises(StorageError, match="in the way"):
        other.save(saved)
    assert (old / "notes.txt").read_text() == "mine"


def test_scratch_of_a_save_that_was_killed_is_swept_away(saved, other):
    dead = subprocess.Popen(["true"])
    dead.wait()
    scratch = saved.with_name(f".{saved.name}.new-{dead.pid}")
    scratch.mkdir()
    other.save(saved)
    assert not scratch.exists()


def test_a_vocabulary_of_another_model_is_refused(saved):
    path = saved / "vocabulary.txt"
    path.write_bytes(b"".join(reversed(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(FormatError, match="not the vocabulary this model was saved with"):
        load(saved).encode("flour")


def test_a_model_cannot_take_the_place_of_the_working_directory(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place in (".", "../" + tmp_path.name, "/"):
        with pytest.raises(StorageError, match="cannot take the place"):
            model.save(place)


def test_a_model_may_have_a_name_that_is_not_utf8(model, tmp_path):
    folder = tmp_path / os.fsdecode(b"m\xe9")
    model.save(folder)
    assert np.array_equal(load(folder).encode(TEXTS), model.encode(TEXTS))
