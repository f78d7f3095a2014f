"""Compiled kernels and where their machine code is kept."""

from __future__ import annotations

import errno

import numba
import pytest
from numba.core import caching

from sentvec.errors import KernelCacheWarning
from sentvec.kernels import jit
from sentvec.kernels.jit import kernel


def doubled(x):
    return 2 * x


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def files_in(cache):
    return sorted(path.suffix for path in cache.rglob("*") if path.is_file())


def test_machine_code_is_kept_in_the_cache(cache):
    assert kernel(doubled)(4) == 8
    assert files_in(cache) == [".nbc", ".nbi"]


@pytest.mark.parametrize("where", ["_save_index", "_save_data", "ensure_cache_path"])
def test_a_cache_whose_disk_is_full_costs_a_warning_only(cache, monkeypatch, where):
    def full(*args):
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    owner = caching.IndexDataCacheFile
    compiled = kernel(doubled)
    if where == "ensure_cache_path":
        owner = type(compiled._cache._impl.locator)
    monkeypatch.setattr(owner, where, full)
    message = f"cannot be kept in {cache}.*: Disk quota exceeded - they will be compiled again"
    with pytest.warns(KernelCacheWarning, match=message):
        assert compiled(4) == 8
    # an index that names machine code which is not there, or is yesterday's, would be believed
    assert files_in(cache) == []
    monkeypatch.undo()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(cache))
    assert kernel(doubled)(4) == 8
    assert files_in(cache) == [".nbc", ".nbi"]


def test_machine_code_depends_on_the_sources_of_the_inner_rooms_too(tmp_path, monkeypatch):
    source = tmp_path / "room" / "update.py"
    source.parent.mkdir()
    monkeypatch.setattr(jit, "__file__", str(tmp_path / "jit.py"))
    digests = []
    for text in ("one", "two"):
        source.write_text(text)
        digests.append(jit._sources.__wrapped__())
    assert digests[0] != digests[1]
