"""What this process may use of the machine: processors and memory."""

from __future__ import annotations

import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def processors() -> int:
    """The processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def available_memory() -> int | None:
    """Bytes this process may still use: the least of the machine's and its control groups' rest."""
    known = [rest for rest in (_machine(), *_control_groups()) if rest is not None]
    return min(known, default=None)


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
                left = _free_in_group(folder, *names)
                rests += [left] if left is not None else []
    return rests


def _free_in_group(folder: Path, limit_name: str, usage_name: str, cache_name: str) -> int | None:
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
