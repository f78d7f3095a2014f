"""The command line: one file a command, thin; the only part that talks to a terminal."""

from __future__ import annotations

from sentvec.cli.app import main

__all__ = ["main"]
