"""The package as a user gets it: what importing it costs, which ways imports go, and the wheel outside the checkout."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_importing_the_suite_imports_nothing_heavy() -> None:
    heavy = ("torch", "stable_baselines3", "sb3_contrib", "matplotlib", "pygame", "PIL", "typer", "rich")
    ran = python(f"import sys, tooth_envs; print([m for m in {heavy!r} if m in sys.modules])", PYTHONPATH=str(ROOT))
    assert ran.stdout.strip() == "[]", ran.stderr


def imports_of(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


def test_imports_go_one_way() -> None:
    """training -> agents -> environments -> games -> spec -> engine."""
    forbidden = {
        "tooth_envs": ("tooth_agents", "tooth_training", "tests", "tools"),
        "tooth_envs/games": ("tooth_envs.envs", "tooth_envs.spec.registry"),
        "tooth_envs/spec": ("tooth_envs.envs",),
        "tooth_envs/engine": ("tooth_envs.games", "tooth_envs.spec", "tooth_envs.envs"),
        "agents": ("tooth_training", "tests", "tools"),
        "training": ("tests", "tools"),
        "training/tooth_training/learning": ("tooth_training.cli",),
        "training/tooth_training/evaluation": ("tooth_training.cli",),
    }
    for folder, bad in forbidden.items():
        for file in (ROOT / folder).rglob("*.py"):
            wrong = [name for name in imports_of(file) for prefix in bad if f"{name}.".startswith(f"{prefix}.")]
            assert not wrong, f"{file.relative_to(ROOT)} imports {wrong}"


UNPICKLES = ("tooth_envs/engine/compile.py", "load_overload")
"""The one function that may: machine code is kept by numba as pickles, and the store verifies whose they are."""


def test_nothing_from_a_file_is_executed() -> None:
    """No unpickling, eval or unsafe YAML in the packages, but for the cache of compiled code."""
    allowed = 0
    for package in ("tooth_envs", "agents", "training"):
        for file in (ROOT / package).rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            safe = {
                node.name
                for node in ast.walk(tree)
                if isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] == ["yaml.SafeLoader"]
            }
            name = file.relative_to(ROOT).as_posix()
            cached = {
                id(node)
                for function in ast.walk(tree)
                if isinstance(function, ast.FunctionDef) and (name, function.name) == UNPICKLES
                for node in ast.walk(function)
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    called = ast.unparse(node.func)
                    if called == "pickle.loads" and id(node) in cached:
                        allowed += 1
                        continue
                    if called == "yaml.load" and len(node.args) == 2 and ast.unparse(node.args[1]) in safe:
                        continue
                    assert called not in ("eval", "exec", "yaml.load", "torch.load", "pickle.load", "pickle.loads"), (
                        f"{name}:{node.lineno} calls {called}"
                    )
    assert allowed == 2, "the file's content, and the code in it"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the sources and installed into an empty folder."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    wheel = next(folder.glob("*.whl"))
    target = folder / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(target), str(wheel)],
        check=True,
        capture_output=True,
    )
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"tooth_envs", "tooth_agents", "tooth_training"}
    return target


def test_the_wheel_works_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    from tooth_envs.spec.registry import built_in

    for name in built_in():
        for file in ("deck.toml", "about.toml", "rules.md"):
            assert (installed / "tooth_envs" / "games" / name / file).is_file()
    assert (installed / "tooth_training" / "configs" / "quickstart.yaml").is_file()
    assert (installed / "tooth_envs" / "py.typed").is_file()
    code = (
        "import tooth_envs, tooth_agents, tooth_training, sys\n"
        f"assert tooth_envs.__file__.startswith({str(installed)!r}), tooth_envs.__file__\n"
        "env = tooth_envs.make('dragon_teeth_washer', num_players=3)\n"
        "env.reset(seed=1)\n"
        "env.step(int(env.last()[0]['action_mask'].argmax()))\n"
        "print('played')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed), "TOOTH_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.strip() == "played", ran.stderr
    ran = subprocess.run(
        [sys.executable, "-m", "tooth_training.cli", "games"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "dragon_teeth_washer" in ran.stdout, ran.stderr
