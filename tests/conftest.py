"""Shared fixtures, and where what only some machines have is looked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support import environment
from support.places import ROOT

environment.settle()

from hypothesis import HealthCheck, settings  # noqa: E402

environment.compile_once()
# The same examples every time, on every machine, however long one takes there.
settings.register_profile(
    "tests", derandomize=True, deadline=None, database=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.load_profile("tests")


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
