"""Shared fixtures, and where what only some machines have is looked for."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _kernel_cache() -> str:
    """A cache of compiled kernels for this state of their sources.

    numba notices a change of the file a kernel is in, but not of the files whose helpers are
    compiled into it; a test must never run yesterday's machine code.
    """
    sources = sorted((ROOT / "src" / "sentvec" / "kernels").rglob("*.py"))
    sources += sorted((ROOT / "benchmarks").rglob("*.py"))
    state = hashlib.blake2b(b"".join(path.read_bytes() for path in sources), digest_size=8)
    return str(Path(tempfile.gettempdir()) / f"sentvec-kernels-{os.getuid()}-{state.hexdigest()}")


os.environ.setdefault("NUMBA_CACHE_DIR", _kernel_cache())
# Threads of torch that have nothing to do wait, not spin: on a busy machine they would take from
# those they wait for.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def shared_folder() -> Path | None:
    folder = Path(os.environ.get("SENTVEC_SHARED", ROOT.parent / "shared"))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data that is not part of the project; the test is skipped without it."""
    folder = shared_folder()
    if folder is None:
        pytest.skip("the shared data folder is absent (set SENTVEC_SHARED to where it lies)")
    return folder
