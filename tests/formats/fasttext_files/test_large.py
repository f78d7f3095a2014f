"""A model larger than the memory: opened at once, and only the rows that are asked for are read.

The file is sparse: it has the size of a released model and hardly any content.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from support.binaries import header

DIM, WORDS, BUCKETS = 700, 750_000, 1_500_000
ROW = 4 * DIM
KNOWN = 300  # words whose rows are not zero
MAX_MB = 300  # of over 6 GB; the times are printed (pytest -s), not judged

CHILD = """
import json, random, resource, sys, time

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6

def peak():
    # Not ru_maxrss, which counts what the parent had before it started this process.
    with open("/proc/self/status") as file:
        [line] = [line for line in file if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024 / 1e6

from sentvec import load
import numpy, scipy.sparse
before = resident()
start = time.perf_counter()
model = load(sys.argv[1])
opened, after_open = time.perf_counter() - start, resident()
start = time.perf_counter()
first = model.encode("word7 word8")
first_time, after_first = time.perf_counter() - start, resident()
draw = random.Random(1)
texts = [" ".join(f"word{draw.randrange(300)}" for _ in range(8)) for _ in range(1000)]
start = time.perf_counter()
vectors = model.encode(texts)
print(json.dumps({
    "before": before, "open s": opened, "after open": after_open, "first s": first_time,
    "after first": after_first, "1000 s": time.perf_counter() - start, "after 1000": resident(),
    "peak": peak(),
    "first": first[:2].tolist(), "shape": vectors.shape, "sum": float(abs(vectors).sum()),
}))
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A Sent2Vec binary of over 6 GB, of which a few megabytes are written."""
    path = tmp_path_factory.mktemp("large") / "large.bin"
    entries = b"".join(
        b"word%d\0%s\0" % (i, (WORDS - i).to_bytes(8, "little")) for i in range(WORDS)
    )
    with path.open("wb") as file:
        file.write(header(dim=DIM, buckets=BUCKETS, words=WORDS) + entries + b"\0")
        rows = WORDS + BUCKETS + 1
        file.write(rows.to_bytes(8, "little") + DIM.to_bytes(8, "little"))
        begin = file.tell()
        file.write(np.repeat(np.arange(1, KNOWN + 1, dtype="<f4"), DIM).tobytes())
        file.seek(begin + rows * ROW)
        file.write(b"\0" + WORDS.to_bytes(8, "little") + DIM.to_bytes(8, "little"))
        try:
            file.truncate(file.tell() + WORDS * ROW)
        except OSError as error:
            pytest.skip(f"no room for a file of this size: {error}")
    status = path.stat()
    assert status.st_size > 6e9
    if status.st_blocks * 512 > 1e9:
        path.unlink()
        pytest.skip("the file system does not keep files sparse")
    yield path
    path.unlink()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_model_larger_than_the_memory_opens_at_once_and_takes_what_it_touches(large):
    result = subprocess.run(
        [sys.executable, "-c", CHILD, str(large)],
        capture_output=True, text=True, timeout=600, check=True, env=os.environ,
    )  # fmt: skip
    seen = json.loads(result.stdout)
    print({key: round(value, 3) for key, value in seen.items() if isinstance(value, float)})  # noqa: T201
    assert seen["shape"] == [1000, DIM]
    assert seen["first"] == [pytest.approx((8 + 9 + 0) / 3)] * 2  # the bigram's row is zero
    assert seen["sum"] > 0
    assert seen["after open"] < MAX_MB
    assert seen["peak"] < MAX_MB
