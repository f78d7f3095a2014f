"""What this process may use of the machine: control groups, and what is left of their memory."""

from __future__ import annotations

import pytest

from sentvec import machine


@pytest.fixture
def control_groups(tmp_path, monkeypatch):
    """Write the files of control groups, and say which groups this process is in."""
    read = machine._read

    def set_up(membership, files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        monkeypatch.setattr(machine, "_CGROUP", tmp_path)
        monkeypatch.setattr(machine, "_machine", lambda: 10**12)
        monkeypatch.setattr(
            machine,
            "_read",
            lambda path: membership if str(path) == "/proc/self/cgroup" else read(path),
        )

    return set_up


def test_version_2_leaves_the_limit_less_the_usage(control_groups):
    control_groups("0::/job\n", {"job/memory.max": "1000\n", "job/memory.current": "300\n"})
    assert machine.available_memory() == 700


def test_version_2_gives_back_the_pages_of_files_not_used_lately(control_groups):
    stat = "anon 100\ninactive_file 50\ninactive_file_other 9\nactive_file 20\n"
    control_groups(
        "0::/job\n",
        {"job/memory.max": "1000", "job/memory.current": "300", "job/memory.stat": stat},
    )
    assert machine.available_memory() == 750


def test_version_2_counts_every_group_above(control_groups):
    control_groups(
        "0::/user/job\n",
        {
            "user/job/memory.max": "max\n", "user/job/memory.current": "5\n",
            "user/memory.max": "400\n", "user/memory.current": "150\n",
            "memory.max": "900\n", "memory.current": "160\n",
        },
    )  # fmt: skip
    assert machine.available_memory() == 250


def test_version_2_in_a_container_sees_the_root_only(control_groups):
    control_groups("0::/of/the/host\n", {"memory.max": "5000\n", "memory.current": "1000\n"})
    assert machine.available_memory() == 4000


def test_version_1_has_other_names(control_groups):
    control_groups(
        "12:cpu,cpuacct:/job\n5:memory:/job\n0::/job\n",
        {
            "memory/job/memory.limit_in_bytes": "2000\n",
            "memory/job/memory.usage_in_bytes": "500\n",
            "memory/job/memory.stat": "total_inactive_file 25\n",
            "memory/memory.limit_in_bytes": "9223372036854771712\n",
            "memory/memory.usage_in_bytes": "700\n",
        },
    )
    assert machine.available_memory() == 1525


def test_more_used_than_allowed_leaves_nothing(control_groups):
    control_groups("0::/\n", {"memory.max": "100\n", "memory.current": "300\n"})
    assert machine.available_memory() == 0


@pytest.mark.parametrize(
    "membership", ["", "garbage", "0::/job", "5:memory:/job", "7:cpu:/job", "::::\n\n1"]
)
def test_without_limits_the_machine_counts(control_groups, membership):
    control_groups(membership, {"job/memory.max": "max", "job/memory.current": "oops"})
    assert machine.available_memory() == 10**12


def test_available_memory_of_this_machine_is_a_number_or_unknown():
    rest = machine.available_memory()
    assert rest is None or rest > 0
