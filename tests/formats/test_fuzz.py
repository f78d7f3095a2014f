"""Whatever the bytes of a file are: an error that names it, or a model in which everything fits."""

from __future__ import annotations

import collections
import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from fuzz_readers import little_room, mutated, opens
from support.binaries import WORDS, binary, quantised
from support.places import FIXTURES

CASES = 10_000
MAX_SECONDS = 10  # of the processor, for one case

LABELS = [(b"__label__a", 3), (b"__label__b", 2)]
PAIRS = [(2, 0), (5, 1)]
VECTORS = np.random.default_rng(3).normal(size=(6, 4)).astype("<f4")
NAMES = [b"the", b"cat", "文字".encode(), b"caf\xe9", b"a", b"zz"]


def text(end=b"\n", size_line=b"", separator=b" "):
    lines = [separator.join([name, *(b"%.5g" % value for value in row)])
             for name, row in zip(NAMES, VECTORS, strict=True)]  # fmt: skip
    return size_line + end.join(lines) + end


SMALL = {
    "v11": binary(),
    "2017": binary(version=None),
    "ten days": binary(ten_days=True),
    "model 5": binary(model=5),
    "cbow v12": binary(model=1, version=12),
    "supervised": binary(model=3, version=12, labels=LABELS),
    "pruned": binary(model=3, version=12, pairs=PAIRS, labels=LABELS, flags=(1, 0),
                     source=quantised(len(WORDS) + 2)),
    "word2vec text": text(size_line=b"6 4\n"),
    "glove": text(),
    "crlf": text(end=b"\r\n", size_line=b"6 4\r\n", separator=b"\t"),
    "fasttext .vec": text(end=b" \n", size_line=b"6 4\n"),
    "word2vec binary": b"6 4\n" + b"".join(
        name + b" " + row.tobytes() + b"\n" for name, row in zip(NAMES, VECTORS, strict=True)
    ),
    "gensim binary": b"6 4\n" + b"".join(
        name + b" " + row.tobytes() for name, row in zip(NAMES, VECTORS, strict=True)
    ),
}  # fmt: skip
FILES = sorted(path for path in FIXTURES.iterdir() if path.suffix in (".bin", ".ftz", ".vec"))
SOURCES = {**SMALL, **{path.name: path.read_bytes() for path in FILES}}


@pytest.mark.parametrize("name", SOURCES)
def test_the_sources_open_before_they_are_damaged(tmp_path, name):
    (tmp_path / "model").write_bytes(SOURCES[name])
    assert opens(tmp_path / "model")


@pytest.mark.parametrize("part", range(4))
def test_ten_thousand_damaged_files(tmp_path, part):
    """A quarter of them each; the numbers of a case lead back to it."""
    path, others = tmp_path / "model", list(SOURCES.values())
    outcomes, longest = collections.Counter(), 0.0
    with little_room():
        for number in range(part, CASES, 4):
            draw = random.Random(number)
            source = draw.choice(list(SOURCES))
            path.write_bytes(mutated(SOURCES[source], draw, others))
            start = time.process_time()
            try:
                outcomes[opens(path)] += 1
            except BaseException:
                pytest.fail(f"case {number}, of {source}")
            longest = max(longest, time.process_time() - start)
    assert sum(outcomes.values()) == CASES / 4
    assert min(outcomes.values()) > CASES / 40  # both happen
    assert longest < MAX_SECONDS


# --- text ---------------------------------------------------------------------------------------

fields = st.one_of(
    st.sampled_from([b"1", b"-0.5", b"1e-3", b".5", b"+2.", b"nan", b"inf", b"1e999", b"--", b"x"]),
    st.floats(width=32, allow_nan=False).map(lambda value: b"%r" % value),
    st.text(min_size=1, max_size=5).map(lambda word: word.encode("utf-8", "surrogatepass")),
    st.binary(min_size=1, max_size=4),
)
separators = st.sampled_from([b" ", b" ", b" ", b"\t", b"  ", b"\n", b"\r\n", b"\0", b"\xc2\xa0"])
lines = st.lists(st.tuples(fields, separators), max_size=5).map(
    lambda pairs: b"".join(field + separator for field, separator in pairs)
)
sizes = st.one_of(
    st.just(b""),
    st.tuples(st.integers(-1, 10**20), st.integers(-1, 10**20)).map(lambda pair: b"%d %d\n" % pair),
    st.tuples(st.integers(0, 5), st.integers(0, 4)).map(lambda pair: b"%d %d\n" % pair),
)


@given(sizes, st.lists(lines, max_size=6), st.sampled_from([b"\n", b" \n", b"\r\n", b""]))
@options(max_examples=600, deadline=None)
def test_any_text(tmp_path_factory, size_line, lines, end):
    path = tmp_path_factory.getbasetemp() / "text"
    path.write_bytes(size_line + b"".join(line + end for line in lines))
    opens(path)


words = st.binary(min_size=1, max_size=6).map(lambda word: word.translate(None, b" \t\n\r\0"))


@given(
    st.integers(1, 5).flatmap(
        lambda dim: st.tuples(
            st.just(dim),
            st.lists(
                st.tuples(words, st.lists(st.floats(-1e6, 1e6, width=32), min_size=dim, max_size=dim)),
                min_size=1, max_size=8,
            ),
        )
    ),
    st.booleans(),
)  # fmt: skip
@options(max_examples=300, deadline=None)
def test_sound_text_is_read_to_the_last_digit_or_refused(tmp_path_factory, table, with_sizes):
    """Refused may be what is no vectors of words, such as numbers in place of words."""
    from sentvec.errors import FormatError
    from sentvec.formats.open import open_foreign
    from sentvec.text.unicode import decode

    dim, rows = table
    path = tmp_path_factory.getbasetemp() / "sound"
    body = b"".join(
        b" ".join([word, *(repr(value).encode() for value in row)]) + b"\n" for word, row in rows
    )
    path.write_bytes((b"%d %d\n" % (len(rows), dim) if with_sizes else b"") + body)
    if not opens(path):
        return
    try:
        model = open_foreign(path)
    except FormatError:
        return
    if model.kind != "word-vectors" or model.sizes["dim"] != dim:
        return
    first = dict(reversed([(decode(word), row) for word, row in rows]))
    vocabulary = model.vocabulary()
    for word, vector in zip(vocabulary.words, model.tensors.get("input_vectors", []), strict=False):
        np.testing.assert_array_equal(vector, np.array(first[word], np.float32))
