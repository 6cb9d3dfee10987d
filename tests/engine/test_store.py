"""Files of compiled code: whatever is wrong with them, nothing is loaded, nothing is raised, and it is said once."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.test_compile import INNER, MODULE, needs_compiler
from tooth_envs.engine import store as storing
from tooth_envs.engine.store import Store

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
root_only = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")

CONTENT = bytes(range(256)) * 8


@pytest.fixture(autouse=True)
def _nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "problems", [])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path / "root", "version", "module")
    assert found.save("a.nbc", CONTENT)
    assert found.load("a.nbc") == CONTENT
    return found


def loads_nothing(store: Store, name: str = "a.nbc") -> str:
    """The one warning of a load that gives nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert store.load(name) is None
        assert store.load(name) is None
    assert [one.category for one in caught] == [storing.CacheWarning]
    return str(caught[0].message)


@pytest.mark.parametrize("length", [0, 1, 26, 27, 40, 59, 60, 1000, 59 + 2047])
def test_a_truncated_file(store: Store, length: int) -> None:
    os.truncate(store.path / "a.nbc", length)
    assert "a.nbc is damaged" in loads_nothing(store)
    assert store.save("a.nbc", b"new")
    assert store.load("a.nbc") == b"new"


@pytest.mark.parametrize("noise", [b"", bytes(3000), b"noise" * 300, CONTENT])
def test_an_overwritten_file(store: Store, noise: bytes) -> None:
    (store.path / "a.nbc").write_bytes(noise)
    assert "damaged" in loads_nothing(store)


@pytest.mark.parametrize("place", [0, 30, 59, 500, -1])
def test_one_changed_byte(store: Store, place: int) -> None:
    data = bytearray((store.path / "a.nbc").read_bytes())
    data[place] ^= 1
    (store.path / "a.nbc").write_bytes(data)
    assert "damaged" in loads_nothing(store)


def test_a_file_is_good_in_its_place_only(store: Store, tmp_path: Path) -> None:
    (store.path / "a.nbc").rename(store.path / "b.nbc")
    assert "damaged" in loads_nothing(store, "b.nbc")
    assert store.save("a.nbc", CONTENT)
    (tmp_path / "root" / "version").rename(tmp_path / "root" / "other")
    assert Store(tmp_path / "root", "other", "module").load("a.nbc") is None


def test_a_huge_file_is_not_read(store: Store) -> None:
    os.truncate(store.path / "a.nbc", 1 << 40)
    assert f"damaged ({1 << 40} bytes)" in loads_nothing(store)


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "kept").write_text("somebody's")


@posix
@pytest.mark.parametrize(
    "put",
    [_folder, os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to("gone")],
    ids=["folder", "fifo", "device", "dangling"],
)
def test_something_else_in_place_of_a_file(store: Store, put: Callable[[Path], None]) -> None:
    (store.path / "a.nbc").unlink()
    put(store.path / "a.nbc")
    assert "no regular file" in loads_nothing(store)
    assert store.save("a.nbc", b"new")
    assert store.load("a.nbc") == b"new"


@posix
@pytest.mark.parametrize("place", ["", "version", "version/module", "version/module/a.nbc"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_what_others_can_write_is_not_used(store: Store, tmp_path: Path, place: str, mode: int) -> None:
    found = tmp_path / "root" / place
    found.chmod(found.stat().st_mode | mode)
    assert f"{found} can be written by other users" in loads_nothing(store)
    if found.is_dir():
        assert not store.save("b.nbc", b"new")
        assert not (store.path / "b.nbc").exists()
    else:
        assert store.save("a.nbc", CONTENT)
        assert store.load("a.nbc") == CONTENT


@posix
def test_a_sticky_root_is_like_tmp(store: Store, tmp_path: Path) -> None:
    (tmp_path / "root").chmod(0o1777)
    assert store.load("a.nbc") == CONTENT


@root_only
@pytest.mark.parametrize("place", ["", "version", "version/module", "version/module/a.nbc"])
def test_what_belongs_to_others_is_not_used(store: Store, tmp_path: Path, place: str) -> None:
    os.chown(tmp_path / "root" / place, 12345, -1)
    assert "belongs to another user (number 12345)" in loads_nothing(store)


@posix
def test_folders_below_the_root_are_no_links(store: Store, tmp_path: Path) -> None:
    store.path.rename(tmp_path / "elsewhere")
    store.path.symlink_to(tmp_path / "elsewhere")
    assert "is no folder" in loads_nothing(store)
    assert store.save("a.nbc", b"new"), "the link is moved aside"
    assert store.load("a.nbc") == b"new"
    (tmp_path / "link").symlink_to(tmp_path / "root")
    assert Store(tmp_path / "link", "version", "module").load("a.nbc") == b"new"


def test_a_full_disk_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storing.os, "replace", full)
    with pytest.warns(storing.CacheWarning, match="No space left on device"):
        assert not store.save("b.nbc", CONTENT)
    assert not store.save("c.nbc", CONTENT)
    assert not [file for file in store.path.iterdir() if not file.name.startswith("a.nbc")]


def test_a_root_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = Store(tmp_path / "file" / "root", "version", "module")
    with pytest.warns(storing.CacheWarning, match="cannot be"):
        assert found.load("a.nbc") is None
    assert not found.save("a.nbc", b"x")


USE = """
import json, sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from calls import outer
    result = outer(1)
hits = sum(outer.stats.cache_hits.values())
print(json.dumps([result, hits, len([w for w in caught if w.category.__name__ == "CacheWarning"])]))
"""


def use(folder: Path, cache: Path) -> list[int]:
    """[result, cache hits, warnings] of a fresh process."""
    ran = subprocess.run(
        [sys.executable, "-c", USE],
        env={**os.environ, "TOOTH_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    )
    return list(json.loads(ran.stdout))


class Planted:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


@needs_compiler
def test_processes_go_on_and_mend(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text(MODULE.format(name="calls"))
    (tmp_path / "calls_inner.py").write_text(INNER.format(value=5))
    cache = tmp_path / "cache"
    assert use(tmp_path, cache) == [6, 0, 0]
    files = sorted(file for file in cache.rglob("*.nbc") if file.name.startswith("outer"))
    assert files
    for file in files:
        os.truncate(file, 100)
    assert use(tmp_path, cache) == [6, 0, 1]
    assert use(tmp_path, cache) == [6, 1, 0], "mended"
    for file in files:
        file.write_bytes(pickle.dumps(Planted(tmp_path / "executed")))
    assert use(tmp_path, cache) == [6, 0, 1]
    assert not (tmp_path / "executed").exists()
