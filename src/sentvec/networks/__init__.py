"""Networks on torch: the only room that imports it, and only when a model needs it."""

from __future__ import annotations

from importlib.util import find_spec

from sentvec.errors import MissingExtraError


def require_torch() -> None:
    """Raise `MissingExtraError` where torch is not installed."""
    if find_spec("torch") is None:
        msg = "Skip-Thought needs torch - install it with: pip install 'sentvec[torch]'"
        raise MissingExtraError(msg)
