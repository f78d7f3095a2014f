"""How tests run the `sentvec` program: each run a process, most of them forked from one that waits.

`run`, `succeed` and `fail` are for what a command prints, writes and returns. `command` is for what
needs a process started afresh: pipes, signals from outside, the console script.
"""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support import program_server

INSTALLED = Path(sys.executable).with_name("sentvec")
MAIN = "from sentvec.cli import main; main()"
SCRIPT = [str(INSTALLED)] if INSTALLED.exists() else [sys.executable, "-c", MAIN]
SMALL = ["--dim", "8", "--epochs", "2", "--min-count", "1", "--threads", "1", "--buckets", "500"]
SECONDS = 600  # No run takes a hundredth of it, on any machine: only what hangs is ended.

# A shell that runs tests in the background ignores Ctrl-C, and those it starts inherit that.
LISTENING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
"""
# Tells at its end whether the compiler was loaded.
WATCHED = """
import atexit, sys
atexit.register(lambda: "numba" in sys.modules and print("numba was loaded", file=sys.stderr))
"""
# What is loaded before a run is forked: what most runs of a command would load themselves.
ALL_NEED = ["sentvec.cli"]
NEEDS = {
    "evaluate": ["scipy.sparse", "scipy.stats"],
    "generate": ["sentvec.networks.decoding"],
    "train": ["support.environment:compile_once", "support.kernels:load"],
}


@dataclass(frozen=True)
class Run:
    """What came of a run: its exit status or -signal, what it wrote, its peak memory in bytes."""

    returncode: int
    stdout: bytes
    stderr: bytes
    peak: int

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def err(self) -> str:
        return self.stderr.decode()


class _Server:
    """Loads what runs need, and forks to run the program on request."""

    def __init__(self):
        self.connection, theirs = socket.socketpair()
        self.connection.settimeout(SECONDS)
        paths = [str(Path(__file__).parents[1]), *filter(None, sys.path)]
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, program_server.__file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )  # fmt: skip
        atexit.register(self.close)

    def close(self):
        self.connection.close()
        self.process.wait()

    def run(self, request, files):
        program_server.send(self.connection, request, [file.fileno() for file in files])
        length = program_server.receive(self.connection, program_server.LENGTH)
        return program_server.json.loads(
            program_server.receive(self.connection, int.from_bytes(length, "big"))
        )


@cache
def _server(bare):
    """The server of runs that begin with the program alone, or of those with what they need."""
    return _Server()


def run(*args, input=b"", cwd=None, env=None, before="", bare=False):
    """Run the program with these arguments, after these statements of Python.

    A bare run begins with nothing loaded but the program itself.
    """
    needs = ALL_NEED if bare else [*ALL_NEED, *NEEDS.get(args[0], ())]
    request = {
        "arguments": [str(arg) for arg in args], "before": before, "needs": needs,
        "folder": os.path.abspath(cwd or "."), "environment": dict(env or os.environ),
    }  # fmt: skip
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(input.encode() if isinstance(input, str) else input)
        given.seek(0)
        answer = _server(bare).run(request, (given, out, err))
        for file in (out, err):
            file.seek(0)
        unit = 1 if sys.platform == "darwin" else 1024
        result = Run(answer["status"], out.read(), err.read(), answer["peak"] * unit)
    assert b"Traceback" not in result.stderr, result.err
    return result


def succeed(*args, **kwargs):
    """Run what must succeed; returns what it printed."""
    result = run(*args, **kwargs)
    assert result.returncode == 0, result.err
    return result.stdout


def fail(*args, **kwargs):
    """Run what must fail with one line about it, before the compiler is loaded; returns the line."""
    result = run(*args, before=WATCHED, bare=True, **kwargs)
    assert result.returncode == 1, result.err
    [line] = result.err.splitlines()
    assert line.startswith("error: ")
    assert result.stdout == b""
    return line


def command(*args, before=""):
    """The command that starts the program afresh, with the signals of a foreground process."""
    return [sys.executable, "-c", f"{LISTENING}{before}\n{MAIN}", *map(str, args)]
