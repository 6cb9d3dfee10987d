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


UNPICKLES = (
    ("tooth_envs/engine/compile.py", "load_overload"),
    ("tooth_envs/testing/check_environments.py", "copies"),
)
"""The two functions that may: machine code is kept by numba as pickles, and the store verifies whose they are; and the
check of copies unpickles what it has pickled itself."""


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
                if isinstance(function, ast.FunctionDef) and (name, function.name) in UNPICKLES
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
    assert allowed == 3, "a cached file's content, the code in it, and a copy"


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


SCRIPT = """
import numpy as np

import tooth_envs
from tooth_agents import Agent, load_agent
from tooth_envs import dragon_teeth_washer_v0
from tooth_training import evaluate

game = tooth_envs.game("dragon_teeth_washer", num_players=3)
env = dragon_teeth_washer_v0.env(num_players=3)
env.reset(seed=1)
action: int = int(env.observe(env.agent_selection)["action_mask"].argmax())
env.step(action)
batch = tooth_envs.make_batch("dragon_teeth_washer", num_envs=2)
observation: np.ndarray = batch.reset(seed=0)[0]
agent: Agent = load_agent("heuristic", game)
report = evaluate(game, {"heuristic": agent}, blocks=1, seed=0)
names: tuple[str, ...] = tooth_envs.list_games()
"""


def test_the_wheel_stands_beside_packages_with_short_names(installed: Path, tmp_path: Path) -> None:
    """Other people's packages, and a user's own folders, are called agents, training and configs."""
    site = tmp_path / "site"
    site.mkdir()
    for name in ("agents", "training", "configs"):
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(f"WHO = 'the other {name}'\n")
    own = tmp_path / "work"
    (own / "agents").mkdir(parents=True)
    (own / "agents" / "__init__.py").write_text("WHO = 'mine'\n")
    code = (
        "import agents, training, configs, tooth_envs, tooth_agents, tooth_training\n"
        "from tooth_training import load_config\n"
        "print(agents.WHO, '-', training.WHO, '-', configs.WHO, '-', load_config('quickstart').game.name)\n"
        "print(tooth_envs.__file__)\n"
    )
    (own / "script.py").write_text(code)
    ran = subprocess.run(
        [sys.executable, "script.py"],
        cwd=own,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(installed), str(site)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    first, second = ran.stdout.splitlines()
    assert first == "mine - the other training - the other configs - dragon_teeth_washer"
    assert second.startswith(str(installed))


@pytest.mark.parametrize("way", ["wheel", "editable"])
def test_a_script_of_a_users_own_is_type_checked(way: str, installed: Path, tmp_path: Path) -> None:
    """mypy --strict finds the packages' types, and a mistake."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + "wrong: str = batch.reset(seed=0)\ntooth_envs.game(3)\n")
    paths = [installed] if way == "wheel" else [ROOT, ROOT / "agents", ROOT / "training"]
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(map(str, paths))}
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--follow-imports", "silent"]
    command += ["--ignore-missing-imports", "--cache-dir", str(installed.parent / f"mypy-{way}"), str(script)]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "Incompatible types in assignment" in ran.stdout, ran.stdout + ran.stderr
    assert 'Argument 1 to "game" has incompatible type "int"' in ran.stdout
    assert "Found 2 errors in 1 file" in ran.stdout, "the rest is right"


def test_an_editable_install_is_a_file_of_paths(installed: Path) -> None:
    """Type checkers and language servers follow it."""
    folder = installed.parent / "editable"
    folder.mkdir()
    subprocess.run(
        [sys.executable, "-c", f"import hatchling.build as b; print(b.build_editable({str(folder)!r}))"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    archive = zipfile.ZipFile(next(folder.glob("*.whl")))
    paths = [name for name in archive.namelist() if name.endswith(".pth")]
    assert len(paths) == 1
    assert archive.read(paths[0]).decode().split() == [str(ROOT), str(ROOT / "agents"), str(ROOT / "training")]
    assert not [name for name in archive.namelist() if name.endswith(".py")]
