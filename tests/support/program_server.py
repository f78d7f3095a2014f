"""A process that has imported the program, and forks to run it.

A run costs a hundredth of a second so, not the half second Python takes to start and import. Each
is a process of its own, with its own signals, files, folder, environment and exit status. This
file is a script: `program.py` starts it and sends it the runs one after another.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import signal
import socket
import sys
from functools import cache

LENGTH = 8  # bytes, of the number before a message


def serve(connection: socket.socket) -> dict:
    """Answer requests with the status of their run; returns in the process of a run."""
    while True:
        head, files, *_ = socket.recv_fds(connection, LENGTH, 3)
        if not head:
            os._exit(0)
        request = json.loads(receive(connection, int.from_bytes(head, "big")))
        for name in request["needs"]:
            load(name)
        gc.freeze()
        child = os.fork()
        if child == 0:
            return {**request, "files": files}
        for file in files:
            os.close(file)
        _, status, usage = os.wait4(child, 0)
        answer = {"status": os.waitstatus_to_exitcode(status), "peak": usage.ru_maxrss}
        send(connection, answer)


@cache
def load(name: str) -> None:
    """Import a module, or call the function after its colon, before a run is forked."""
    module, _, function = name.partition(":")
    imported = importlib.import_module(module)
    if function:
        getattr(imported, function)()


def receive(connection: socket.socket, length: int) -> bytes:
    """This number of bytes."""
    data = b""
    while len(data) < length:
        more = connection.recv(length - len(data))
        if not more:
            raise EOFError("the other side ended")
        data += more
    return data


def send(connection: socket.socket, message: dict, files: tuple[int, ...] = ()) -> None:
    """A message, and with it the descriptors of files."""
    data = json.dumps(message).encode()
    socket.send_fds(connection, [len(data).to_bytes(LENGTH, "big")], files)
    connection.sendall(data)


def become(run: dict) -> None:
    """Make this process what a fresh one would be for this run."""
    for number, file in enumerate(run["files"]):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(run["environment"])
    os.chdir(run["folder"])
    sys.argv = ["sentvec", *run["arguments"]]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def main() -> None:
    """Serve the connection whose descriptor is the argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for pytest, which closes the socket
    connection = socket.socket(fileno=int(sys.argv[1]))
    run = serve(connection)
    connection.close()
    become(run)
    exec(run["before"], {})
    status = run_program()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)  # taking down all that was imported takes longer than most runs


def run_program() -> int:
    """Run the program and what it registered for its end; returns the exit status."""
    from sentvec.cli import main as program

    try:
        program()
    except SystemExit as end:
        return end.code or 0
    finally:
        atexit._run_exitfuncs()
    return 0


if __name__ == "__main__":
    main()
