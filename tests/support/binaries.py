"""Binaries of the fastText family, written field by field, right or wrong as a test asks."""

from __future__ import annotations

import struct

import numpy as np

from sentvec.storage.records import Quantiser
from sentvec.storage.rows import rows_of

MAGIC = 793712314
SETTINGS = {
    "dim": 3, "window": 5, "epochs": 7, "min_count": 1, "negatives": 10, "ngrams": 2, "loss": 2,
    "model": 4, "buckets": 6, "char_buckets": 5, "min_n": 2, "max_n": 4, "lr_update_rate": 100,
    "subsample": 1e-4,
}  # fmt: skip
WORDS = [(b"<PLACEHOLDER>", 0), (b"</s>", 9), (b"the", 8), (b"caf\xe9", 3), ("文字".encode(), 1)]


def header(*, version=11, ten_days=False, words=None, labels=0, pruned=-1, entries=None, **fields):
    values = SETTINGS | fields
    data = b"" if version is None else struct.pack("<ii", MAGIC, version)
    for name, value in values.items():
        if name == "char_buckets" and not (ten_days or values["model"] == 5):
            continue
        data += struct.pack("<d" if name == "subsample" else "<i", value)
    words = len(WORDS) if words is None else words
    entries = words + labels if entries is None else entries
    data += struct.pack("<iiiq", entries, words, labels, 1000)
    return data if version is None else data + struct.pack("<q", pruned)


def dictionary(words=WORDS, labels=()):
    return b"".join(
        word + b"\0" + struct.pack("<qb", count, kind)
        for kind, entries in enumerate((words, labels))
        for word, count in entries
    )


def matrix(rows, dim=3, seed=1):
    return np.random.default_rng(seed).normal(size=(rows, dim)).astype("<f4")


def dense(array):
    return struct.pack("<qq", *array.shape) + array.tobytes()


def quantiser(dim, part, rng, wrong=()):
    parts = -(-dim // part)
    fields = {"dim": dim, "nsubq": parts, "dsub": part, "lastdsub": dim - (parts - 1) * part}
    centroids = rng.normal(size=256 * dim).astype("<f4")
    return struct.pack("<iiii", *(fields | dict(wrong)).values()) + centroids.tobytes()


def quantised(rows, dim=3, part=2, *, norms=False, codes=None, norm=None, wrong=()):
    rng = np.random.default_rng(1)
    n_codes = rows * -(-dim // part) if codes is None else codes
    data = struct.pack("<Bqqi", norms if norm is None else norm, rows, dim, n_codes)
    data += rng.integers(0, 256, max(n_codes, 0), np.uint8).tobytes()
    data += quantiser(dim, part, rng, wrong)
    if norms:
        data += rng.integers(0, 256, rows, np.uint8).tobytes() + quantiser(1, 1, rng)
    return data


def binary(*, source=None, target=None, labels=(), pairs=(), flags=(0, 0), **fields):
    """A whole file; without more said a dense Sent2Vec model of 5 words and 6 + 1 buckets."""
    values = SETTINGS | fields
    extra = values["char_buckets"] if fields.get("ten_days") or values["model"] == 5 else 1
    if source is None:
        source = dense(matrix(len(WORDS) + values["buckets"] + extra))
    if target is None:
        target = dense(matrix(len(labels) if values["model"] == 3 else len(WORDS), seed=2))
    pruned = fields.pop("pruned", len(pairs) or -1)
    data = header(labels=len(labels), pruned=pruned, **fields) + dictionary(WORDS, labels)
    data += b"".join(struct.pack("<ii", *pair) for pair in pairs)
    if fields.get("version", 11) is None:
        return data + source + target
    return data + bytes([flags[0]]) + source + bytes([flags[1]]) + target


def rows_of_opened(model):
    """The input matrix of an opened file, from its own record of sizes and settings."""
    quantiser = model.settings.get("quantiser")
    return rows_of(
        model.tensors,
        dim=model.sizes["dim"],
        quantiser=None if quantiser is None else Quantiser.from_json(quantiser),
    )


def check_consistent(model):
    """What must hold for every model that opens, whatever bytes it came from."""
    vocabulary = model.vocabulary()
    assert len(vocabulary) == len(vocabulary.words) == model.sizes["vocabulary"]
    assert vocabulary.counts.shape == (len(vocabulary),)
    assert vocabulary.counts.min() >= 0
    rows = rows_of_opened(model)
    features = model.sizes["buckets"]
    if model.settings["model"] == "cbow-c+w-ngrams":
        features += model.settings["char_buckets"]
    if model.settings["pruned"]:
        pairs = model.tensors["pruned_buckets"]
        assert pairs.dtype == np.int32
        assert pairs.shape[1] == 2
        features = len(pairs)
        assert set(pairs[:, 1].tolist()) == set(range(len(pairs)))
    assert rows.shape[0] >= len(vocabulary) + features
    assert rows.shape[1] == model.sizes["dim"] == model.settings["dim"]
    assert rows.take(np.array([0, rows.shape[0] - 1])).shape == (2, model.sizes["dim"])
    if "output_vectors" in model.tensors:
        n_labels = len(model.settings.get("labels", ()))
        expected = n_labels if model.settings["model"] == "supervised" else len(vocabulary)
        assert model.tensors["output_vectors"].shape == (expected, model.sizes["dim"])
    assert not any(array.flags.writeable for array in model.tensors.values() if array.size)
    return model
