"""Games of one's own at the command line: tooth new-game, tooth check, and everything else with what they write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.training.cli.test_cli import refused, tooth

ROOT = Path(__file__).resolve().parents[3]
PATH = os.pathsep.join(map(str, (ROOT, ROOT / "agents", ROOT / "training")))


def run(*words: str, place: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, in plain Python: nothing has to be compiled."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=place,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": PATH},
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a game fresh from the skeleton."""
    folder = tmp_path_factory.mktemp("own")
    made = tooth("new-game", "paper_duel", "--dir", str(folder))
    assert made.exit_code == 0, made.output
    assert len(made.stdout.splitlines()) == len(list((folder / "paper_duel").iterdir())) + 1
    return folder


CLI = ("-m", "tooth_training.cli")


def test_its_own_tests_pass(place: Path) -> None:
    ran = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "highest or 3-", "paper_duel", place=place)
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert " passed" in ran.stdout


def test_it_passes_the_checks(place: Path) -> None:
    ran = run(*CLI, "check", "paper_duel", "--effort", "0.05", place=place)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    assert ran.stdout.splitlines()[-1].endswith("checks made, 0 failed.")
    assert "passed   heuristic" in ran.stdout


def test_it_plays_trains_and_is_measured(place: Path) -> None:
    own = (*CLI, "--import", "paper_duel")
    played = run(*own, "play", "paper_duel", "--seed", "1", place=place, text="1\n1\n1\n1\n")
    assert "Final ranking" in played.stdout, played.stdout + played.stderr
    small = ("ppo.n_envs=4", "ppo.n_steps=8", "ppo.batch_size=16", "total_decisions=64", "evaluate.blocks=2")
    changes = [word for change in (*small, "evaluate_during.points=0") for word in ("--set", change)]
    trained = run(*own, "train", "paper_duel", *changes, place=place)
    assert trained.returncode == 0, trained.stderr[-3000:]
    assert "heuristic" in trained.stdout, "it is met after training"
    for words in (
        ("evaluate", "paper_duel", "-a", "runs/paper_duel,heuristic", "-b", "2"),
        ("stats", "paper_duel", "--games", "5"),
        ("rules", "paper_duel"),
    ):
        done = run(*own, *words, place=place)
        assert done.returncode == 0, done.stderr[-3000:]


def test_a_broken_game_is_told(place: Path) -> None:
    file = place / "broken.py"
    source = (ROOT / "tests" / "kuhn.py").read_text(encoding="utf-8")
    source = source.replace('"kuhn", "Kuhn Poker"', '"broken", "Broken"').replace(
        "moves: int = number(", "mov: int = number()\n    moves: int = number("
    )
    file.write_text(source.replace("out.card = state.card[seat]", "out.card = state.card[1 - seat]"))
    ran = run(*CLI, "check", "broken.py", "--effort", "0.05", "--only", "worlds_look_the_same", place=place)
    assert ran.returncode == 1, ran.stderr
    assert "failed   worlds_look_the_same" in ran.stdout
    assert "the view differs in a resampled world: it leaks what is hidden" in ran.stdout
    assert ran.stdout.splitlines()[-1] == "broken: 1 checks made, 1 failed."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("new-game", "Big"), "write small letters, digits and _"),
        (("new-game", "class"), "no Python keyword"),
        (("new-game", "super_tooth"), "there is a game of this name"),
        (("check", "no_such_module"), "there is neither a game nor a module of this name"),
        (("check", "no-such"), "is no game, and no module"),
        (("check", "tests.support"), "tests.support has no game"),
        (("check", "tests.kuhn:Kuhm"), "no game named Kuhm; name one as tests.kuhn:Class. Its games: Kuhn"),
        (("check", "kuhn", "--only", "seed"), "there is no check 'seed'; did you mean 'seeds'"),
    ],
)
def test_wrong_words(words: tuple[str, ...], message: str) -> None:
    refused(tooth(*words), message)


def test_a_folder_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("kept")
    refused(tooth("new-game", "mine", "--dir", str(tmp_path)), "is there already")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["file"]
