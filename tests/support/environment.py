"""One environment for the tests, whatever shell, user and machine start them.

Not here: signals, which `program.py` sets to their defaults in the processes it starts.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import tempfile
from pathlib import Path

from support.places import ROOT

# What a terminal, a shell or a user may have set, and what the program's output depends on.
UNSET = (
    "CLICOLOR_FORCE", "FORCE_COLOR", "LC_ALL", "LINES", "NO_COLOR", "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED", "PYTHONWARNINGS", "PY_COLORS", "TTY_COMPATIBLE",
)  # fmt: skip
SET = {
    "COLUMNS": "80",
    "LANG": "C.UTF-8",
    "TERM": "xterm",
    # What the tests compute is too small to be shared out, and pytest has a worker on each
    # processor already: more threads would only wait for one another.
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "passive",  # what has nothing to do where a model sets more waits, not spins
    "OPENBLAS_NUM_THREADS": "1",
}


def settle() -> None:
    """Change the environment of this process and of those it starts, before NumPy is imported."""
    for name in UNSET:
        os.environ.pop(name, None)
    os.environ.update(SET)
    os.environ.setdefault("NUMBA_CACHE_DIR", _kernel_cache())


def _kernel_cache() -> str:
    """A cache of compiled kernels for this state of their sources.

    numba notices a change of the file a kernel is in, but not of the files whose helpers are
    compiled into it; a test must never run yesterday's machine code.
    """
    sources = sorted((ROOT / "src" / "sentvec" / "kernels").rglob("*.py"))
    sources += sorted((ROOT / "benchmarks").rglob("*.py"))
    digest = hashlib.blake2b((ROOT / "constraints.txt").read_bytes(), digest_size=8)
    for path in sources:
        digest.update(path.read_bytes())
    return str(Path(tempfile.gettempdir()) / f"sentvec-kernels-{os.getuid()}-{digest.hexdigest()}")


def compile_once() -> None:
    """Let processes that need the same kernel wait for the first to compile it.

    Without this, the workers of pytest-xdist compile it at the same time, and of two that add to
    the index of a kernel at once, one is lost.
    """
    from numba.core.caching import NullCache
    from numba.core.dispatcher import Dispatcher

    compile_now = Dispatcher.compile
    locks = Path(os.environ["NUMBA_CACHE_DIR"]) / "locks"
    locks.mkdir(parents=True, exist_ok=True)

    @functools.wraps(compile_now)
    def compile_alone(self, signature):
        if isinstance(self._cache, NullCache):  # a helper, compiled into a kernel
            return compile_now(self, signature)
        name = f"{self.py_func.__module__}.{self.py_func.__name__}"
        with (locks / name).open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            return compile_now(self, signature)

    Dispatcher.compile = compile_alone
