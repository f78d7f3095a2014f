"""How much memory a run needs and how much there is, before anything is allocated."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sentvec.errors import NotEnoughMemoryError

_CGROUP = Path("/sys/fs/cgroup")
# The interpreter with its libraries and the batches in work; measured, see docs/results/memory.md.
BASE_BYTES = 150 << 20
_ADVICE = "lower dim, buckets or max_vocab"


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """What a run will need, in bytes: matrices, the rest, and what is available (None: unknown).

    `advice` says what makes it less.
    """

    matrices: int
    rest: int
    available: int | None
    advice: str = _ADVICE

    @property
    def total(self) -> int:
        """All the memory the run will need."""
        return self.matrices + self.rest

    def check(self, *, at_least: bool = False) -> None:
        """Raise `NotEnoughMemoryError` where less is available than will be needed.

        `at_least` says that this is what the settings alone ask for; the corpus will add to it.
        """
        if self.available is not None and self.total > self.available:
            needs = "needs at least" if at_least else "needs"
            msg = (
                f"training {needs} {gigabytes(self.total)} of memory, "
                f"{gigabytes(self.available)} are available - {self.advice}"
            )
            raise NotEnoughMemoryError(msg)


def estimate(
    matrices: int, words: int, *, scratch: int = 0, advice: str = _ADVICE
) -> MemoryEstimate:
    """The memory of training matrices of so many bytes, with a vocabulary of so many words.

    `scratch` is what the workers need for the longest sentence, and whatever else.
    """
    vocabulary = words * 250  # as Python objects, with the tables drawn from
    return MemoryEstimate(matrices, BASE_BYTES + vocabulary + scratch, available(), advice)


def available() -> int | None:
    """Bytes this process may still use: the least of the machine's and its control groups' rest."""
    known = [rest for rest in (_machine(), *_control_groups()) if rest is not None]
    return min(known, default=None)


def gigabytes(size: float) -> str:
    """A size for people, in units of 10^9 bytes."""
    return f"{size / 1e9:.2f} GB"


def _machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _control_groups() -> list[int]:
    """What each control group above this process has left (version 2, or 1 for memory)."""
    rests = []
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0":
            root, names = _CGROUP, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            root = _CGROUP / "memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        group = root / path.lstrip("/")
        for folder in [group, *group.parents]:
            if folder.is_relative_to(root):
                left = _left(folder, *names)
                rests += [left] if left is not None else []
    return rests


def _left(folder: Path, limit_name: str, usage_name: str, cache_name: str) -> int | None:
    limit, usage = _read(folder / limit_name).strip(), _read(folder / usage_name).strip()
    if not limit.isdigit() or not usage.isdigit():
        return None  # no such file, or "max"
    cache = 0  # pages of files not used lately are given back when memory is short
    for line in _read(folder / "memory.stat").splitlines():
        if line.startswith(cache_name + " "):
            cache = int(line.split()[1])
    return max(0, int(limit) - int(usage) + cache)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
