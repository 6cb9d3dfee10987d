from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tooth_agents
import tooth_training
from tooth_training.cli import compiling as compiling
from tooth_training.cli.compiling import clear_old, compile_game

import tests.kuhn
import tooth_envs
from tooth_envs.engine.compile import JIT, cache_folder
from tooth_envs.engine.store import Store
from tooth_envs.errors import ToothError

needs_compiler = pytest.mark.skipif(not JIT, reason="needs the compiler")

USE = """
from pathlib import Path
import numpy as np
from tests.kuhn import Kuhn
import tooth_agents
import tooth_envs
import tooth_training
from tooth_agents.basic import RandomAgent
from tooth_envs.envs.aec import TableEnv
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.engine.compile import cache_root
from tooth_training.evaluation.bench import bench
from tooth_training.cli.compiling import compile_game
from tooth_training.evaluation.evaluate import evaluate
from tooth_training.evaluation.stats import game_stats

def compiled():
    return sorted(file.name for file in cache_root().rglob("*.nbc"))

game = Kuhn.create()
compile_game(game)
before = compiled()
assert before
env = TableEnv(game, render_mode="ansi")
env.reset(seed=1, options={"script": {"draw": [0, 1]}})
env.step(1)
env.render()
env.state()
env.from_dict(env.to_dict())
game.from_dict({"base": "blank", "at": "DEAL"})
game.resample(game.deal(1), 0, 1)
batch = BatchEnv(game, 64)
batch.reset(seed=1)
for key in range(9):
    batch.step(batch.random_actions(key))
batch.restore(batch.snapshot())
evaluate(game, {"a": RandomAgent(), "b": RandomAgent()}, 2, 1, resamples=10)
game_stats(game, 10, 1)
bench(game, 1, 0.01, 16)
after = compiled()
assert after == before, set(after) - set(before)
"""


@needs_compiler
@pytest.mark.slow  # compiles a game from nothing
def test_after_compiling_nothing_is_compiled_any_more(tmp_path: Path) -> None:
    root = Path(compiling.__file__).parent.parent
    environment = {**os.environ, "TOOTH_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", USE], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@needs_compiler
def test_seconds_are_told() -> None:
    game = tests.kuhn.Kuhn.create()
    compile_game(game)
    assert 0.0 < compile_game(game) < 60.0


def test_without_the_compiler_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "JIT", False)
    with pytest.raises(ToothError, match="NUMBA_DISABLE_JIT"):
        compile_game(tests.kuhn.Kuhn.create())


def test_clearing_removes_other_versions_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOTH_CACHE_DIR", str(tmp_path))
    packages = (tooth_envs, tooth_agents, tooth_training, tests.kuhn)
    current = {cache_folder(package.__name__, str(package.__file__)) for package in packages}
    digest = next(iter(current)).name[-16:]
    same = [*current, tmp_path / f"py399-numba9.9.9-{digest}"]  # the last: the same sources under another Python
    kept = [
        tmp_path / "precious",
        tmp_path / "py311-numba0.61.0",
        tmp_path / "py311-numba0.61.0-0123456789abcdef0",
    ]
    removed = [tmp_path / "py311-numba0.61.0-0123456789abcdef", tmp_path / "py312-numba0.70.0rc1-fedcba9876543210"]
    for folder in (*kept, *removed):
        (folder / "module").mkdir(parents=True)
        (folder / "module" / "code.nbc").write_bytes(b"x" * 100)
    outside = tmp_path / "py311-numba0.61.0-aaaaaaaaaaaaaaaa"
    outside.symlink_to(tmp_path / "precious")
    (tmp_path / "py311-numba0.61.0-bbbbbbbbbbbbbbbb").write_text("a file")
    for folder in same:
        store = Store(tmp_path, folder.name, "module")
        assert store.save("good.nbc", b"code")
        (folder / "module" / "short.nbc").write_bytes((folder / "module" / "good.nbc").read_bytes()[:-1])
        (folder / "module" / "x.nbc.0123.unfinished").write_bytes(b"")
    freed = sum((folder / "module" / "short.nbc").stat().st_size for folder in same)
    assert clear_old() == (2, 2 * len(same), 200 + freed)
    assert all([file.name for file in (folder / "module").iterdir()] == ["good.nbc"] for folder in same)
    assert not any(folder.exists() for folder in removed)
    assert all((folder / "module" / "code.nbc").exists() for folder in kept)
    assert outside.is_symlink()
    assert clear_old() == (0, 0, 0)


def test_clearing_without_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tooth_envs.game("dragon_teeth_washer")  # importing a game makes a folder for its code: before the cache is moved
    monkeypatch.setenv("TOOTH_CACHE_DIR", str(tmp_path / "none"))
    assert clear_old() == (0, 0, 0)
