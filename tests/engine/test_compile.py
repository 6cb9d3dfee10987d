from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tooth_envs.engine import compile as compiling
from tooth_envs.engine.compile import JIT, cache_folder, compiled, source_digest, source_root

needs_compiler = pytest.mark.skipif(not JIT, reason="needs the compiler")

MODULE = """
from tooth_envs.engine.compile import compiled
from {name}_inner import constant


@compiled
def outer(x):
    return x + constant()
"""
INNER = """
from tooth_envs.engine.compile import compiled


@compiled
def constant():
    return {value}
"""
SCRIPT = """
import json, sys
from {module} import outer
print(json.dumps([outer(1), sum(outer.stats.cache_hits.values()), sum(outer.stats.cache_misses.values())]))
"""


def run(folder: Path, module: str, cache: Path) -> tuple[int, int, int]:
    """(result, cache hits, cache misses) of a compiled function in a fresh process."""
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(module=module)],
        env={**os.environ, "TOOTH_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(json.loads(ran.stdout))


@needs_compiler
def test_the_second_process_loads_and_a_change_in_a_called_file_recompiles(tmp_path: Path) -> None:
    package = tmp_path / "src" / "pack"
    package.mkdir(parents=True)
    cache = tmp_path / "cache"
    (package / "__init__.py").write_text("")
    (package / "calls.py").write_text(MODULE.format(name="pack.calls"))
    (package / "calls_inner.py").write_text(INNER.format(value=10))
    assert run(tmp_path / "src", "pack.calls", cache) == (11, 0, 1)
    assert run(tmp_path / "src", "pack.calls", cache) == (11, 1, 0)
    (package / "calls_inner.py").write_text(INNER.format(value=20))
    assert run(tmp_path / "src", "pack.calls", cache) == (21, 0, 1)


@needs_compiler
def test_a_change_in_another_package_that_is_called_recompiles(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text(MODULE.format(name="other.calls"))
    other = tmp_path / "other"
    other.mkdir()
    (other / "__init__.py").write_text("")
    for value, result in ((10, (11, 0, 1)), (10, (11, 1, 0)), (20, (21, 0, 1))):
        (other / "calls_inner.py").write_text(INNER.format(value=value))
        assert run(tmp_path, "calls", tmp_path / "cache") == result


@needs_compiler
def test_functions_are_compiled_once_for_all_widths_of_integers(tmp_path: Path) -> None:
    """Called with 16 bits, 64 bits and constants from compiled code; a float or a truth value is another thing."""
    (tmp_path / "widths.py").write_text(
        "import numpy as np\nfrom tooth_envs.engine.compile import compiled\n"
        "@compiled\ndef inner(x, y):\n    return x * y\n"
        "@compiled\ndef calls(a, b):\n    return inner(a[0], 3) + inner(b[0], a[1]) + inner(7, 5) + inner(b[0], y=2)\n"
        "@compiled\ndef halves(a):\n    return inner(a[0], 0.5)\n"
        "def outer(x):\n    a, b = np.array([300, 200], np.int16), np.array([40000], np.int64)\n"
        "    whole = calls(a, b)\n    assert len(inner.signatures) == 1, inner.signatures\n"
        "    assert halves(a) == 150.0 and len(inner.signatures) == 2\n"
        "    assert inner(np.int16(300), 200) == 60000\n"
        "    return int(whole)\n"
        "outer.stats = calls.stats\n"
    )
    assert run(tmp_path, "widths", tmp_path / "cache")[0] == 900 + 8_000_000 + 35 + 80_000


@needs_compiler
def test_an_unwritable_cache_folder_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "lonely_inner.py").write_text(INNER.format(value=1))
    (tmp_path / "lonely.py").write_text(MODULE.format(name="lonely"))
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run(tmp_path, "lonely", blocked)[0] == 2


def test_the_digest_follows_every_file(tmp_path: Path) -> None:
    one = tmp_path / "a.py"
    one.write_text("x = 1\n")
    before = source_digest(tmp_path)
    source_digest.cache_clear()
    assert source_digest(tmp_path) == before
    source_digest.cache_clear()
    one.write_text("x = 2\n")
    assert source_digest(tmp_path) != before
    source_digest.cache_clear()


def test_what_a_cache_depends_on() -> None:
    package = Path(compiling.__file__).parents[1]
    assert source_root("tooth_envs.engine.compile", compiling.__file__) == package
    assert source_root("elsewhere", __file__) == Path(__file__).resolve()
    assert cache_folder("tooth_envs.x", compiling.__file__) != cache_folder("elsewhere", __file__)
    assert "numba" in cache_folder("elsewhere", __file__).name


def test_the_cache_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOOTH_CACHE_DIR", str(tmp_path))
    assert compiling.cache_root() == tmp_path
    monkeypatch.delenv("TOOTH_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert compiling.cache_root() == tmp_path / "xdg" / "tooth_envs"


@needs_compiler
def test_without_a_file_it_still_compiles() -> None:
    space: dict[str, object] = {"compiled": compiled}
    exec("@compiled\ndef typed(x):\n    return x * 2\n", space)
    assert space["typed"](4) == 8  # type: ignore[operator]


def test_numbas_own_cache_folder_is_left_alone() -> None:
    from numba import config

    assert "tooth" not in str(config.CACHE_DIR)
