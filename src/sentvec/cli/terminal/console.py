"""Messages to people: one line each, to standard error. Standard output is for results."""

from __future__ import annotations

import sys


def complain(message: str) -> None:
    """Print a message to standard error, in one line."""
    print(" ".join(message.split("\n")), file=sys.stderr)  # noqa: T201
