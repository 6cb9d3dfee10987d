from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tooth_training.cli
from tooth_agents.basic import RandomAgent
from tooth_training.cli import app, make_agents, make_game
from tooth_training.evaluation.evaluate import evaluate
from typer.testing import CliRunner, Result

from tests.kuhn import Kuhn
from tooth_envs.errors import ToothError

ROOT = Path(tooth_training.cli.__file__).parent.parent.parent
GAME = "dragon_teeth_washer"
assert Kuhn.name == "kuhn"  # importing it makes it known to the command line in this process


def tooth(*words: str, **more: Any) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(app, list(words), **more)


def run(*words: str, code: str | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line (or other code) in a process of its own."""
    start = ["-m", "tooth_training.cli"] if code is None else ["-c", code]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *start, *words],
        cwd=more.pop("cwd", ROOT),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        **more,
    )


def refused(result: Result, message: str) -> None:
    """Check for one clear message on standard error and status 2."""
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


# Help, versions, lists.

COMMANDS = (
    "games",
    "play",
    "train",
    "evaluate",
    "stats",
    "exploit",
    "replay",
    "bench",
    "deck",
    "compile",
    "version",
)


def test_help_names_every_command() -> None:
    result = tooth("--help")
    assert result.exit_code == 0
    for command in COMMANDS:
        assert f"\n  {command} " in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    result = tooth(command, "--help")
    assert result.exit_code == 0
    if command != "version":
        assert f"  tooth {command}" in result.stdout  # an example


def test_help_imports_nothing_heavy() -> None:
    heavy = ("numba", "numpy", "torch", "yaml")
    code = f"import sys; import tooth_training.cli; print([name for name in {heavy} if name in sys.modules])"
    assert run(code=code).stdout == "[]\n"


def test_commands_without_networks_import_no_torch() -> None:
    commands = (
        ("games",),
        ("version",),
        ("stats", GAME, "-g", "3"),
        ("play", GAME),
        ("evaluate", GAME, "-a", "random", "-b", "2"),
        ("bench", GAME, "--repeats", "1", "--seconds", "0.01", "--envs", "8"),
    )
    code = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from tooth_training.cli import app\n"
        f"for words in {commands}:\n"
        "    result = CliRunner().invoke(app, list(words))\n"
        "    assert result.exit_code == 0, (words, result.output)\n"
        "heavy = ('torch', 'stable_baselines3', 'sb3_contrib', 'matplotlib', 'tensorboard', 'safetensors')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = run(code=code)
    assert done.stdout == "[]\n", done.stderr


def test_import_finds_modules_of_the_folder_at_hand(tmp_path: Path) -> None:
    (tmp_path / "own_module_of_mine.py").write_text("print('imported')\n")
    code = "import sys; sys.path[:] = [p for p in sys.path if p]; from tooth_training.cli import app; app()"
    words = [sys.executable, "-c", code, "--import", "own_module_of_mine", "version"]
    path = os.pathsep.join([str(Path(__file__).parents[3]), *filter(None, sys.path)])
    done = subprocess.run(
        words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("imported\n")
    result = tooth("--import", "no_such_module", "version")
    assert result.exit_code == 2
    assert "there is no module 'no_such_module' here" in result.stderr


def test_version() -> None:
    result = tooth("version")
    assert result.exit_code == 0
    for name in ("tooth-envs", "python", "numpy", "numba", "gymnasium", "pettingzoo"):
        assert f"{name} " in result.stdout


def test_games() -> None:
    result = tooth("games")
    assert result.exit_code == 0
    row = next(line for line in result.stdout.splitlines() if line.strip().startswith("kuhn"))
    game = Kuhn.create()
    assert row.split() == ["kuhn", "Kuhn", "Poker", "2", "2", "2", "5", *(str(n) for n in _sizes(game))]
    assert GAME in result.stdout


def _sizes(game: Kuhn) -> tuple[int, int]:
    return game.layout.size, game.state_dtype.itemsize


# Wrong words.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nonsense",), "No such command 'nonsense'"),
        (("stats",), "Missing argument"),
        (("stats", "kuhn", "--nonsense"), "No such option"),
        (("stats", "kuhn", "--games", "many"), "--games"),
        (("stats", "kun"), "unknown game 'kun'; did you mean 'kuhn'?"),
        (("stats", "kuhn", "--games", "0"), "games is 0"),
        (("stats", "kuhn", "--seed", "-1"), "--seed"),
        (("stats", "kuhn", "-o", "max_step=3"), "did you mean 'max_steps'?"),
        (("stats", "kuhn", "-o", "max_steps"), "write KEY=VALUE"),
        (("stats", "kuhn", "-o", "max_steps=[1"), "--option 'max_steps=[1'"),
        (("stats", "kuhn", "-o", "max_steps=many"), "'many' was given"),
        (("stats", "kuhn", "-o", "max_steps=!!python/object/apply:os.getcwd []"), "--option"),
        (("stats", "kuhn", "-o", "max_steps=3", "-o", "max_steps=4"), "given twice"),
        (("stats", "kuhn", "-n", "2", "-o", "num_players=2"), "num_players once"),
        (("stats", "kuhn", "-n", "3"), "num_players"),
        (("stats", "kuhn", "-o", "preset=fast"), "unknown preset 'fast'"),
        (("evaluate", "kuhn"), "--agents"),
        (("evaluate", "kuhn", "-a", "random,,random"), "separated by commas"),
        (("evaluate", "kuhn", "-a", "randon"), "did you mean 'random'?"),
        (("evaluate", "kuhn", "-a", "heuristic"), "kuhn has no heuristic"),
        (("evaluate", "kuhn", "-a", "random", "-b", "0"), "blocks is 0"),
        (("play", "kuhn", "--seat", "2"), "no seat 2"),
        (("play", "kuhn", "-a", "random,random"), "2 agents for 1 other seats"),
        (("bench", "kuhn", "--repeats", "0"), "at least 1 repeat"),
        (("compile", "kun"), "unknown game 'kun'"),
        (("train", "no_such_file.yaml"), "no_such_file.yaml"),
    ],
)
def test_wrong_words_get_one_message_and_status_2(words: tuple[str, ...], message: str) -> None:
    refused(tooth(*words), message)


def test_wrong_words_in_a_process_of_their_own() -> None:
    done = run("stats", "no_such_game")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: unknown game 'no_such_game'")
    assert "Traceback" not in done.stderr
    assert run("nonsense").returncode == 2


def test_unexpected_errors_keep_their_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **more: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr("tooth_training.evaluation.stats.game_stats", broken)
    result = tooth("stats", "kuhn")
    assert result.exit_code == 1
    assert isinstance(result.exception, ValueError)


def test_interruption_is_status_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tooth_training.evaluation.stats.game_stats", interrupted)
    result = tooth("stats", "kuhn")
    assert result.exit_code == 130
    assert result.stderr == "Interrupted.\n"


@pytest.mark.parametrize(("package", "extra", "words"), [("rich", "cli", "games"), ("yaml", "cli", "train x")])
def test_a_missing_extra_is_named(package: str, extra: str, words: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from tooth_training.cli import main; main()"
    done = run(*words.split(), code=code)
    assert done.returncode == 2
    assert done.stderr == f"Error: this needs {package}, which is not installed: pip install 'tooth-envs[{extra}]'\n"


def test_the_command_line_itself_names_its_extra() -> None:
    done = run(code="import sys; sys.modules['typer'] = None; from tooth_training.cli import main; main()")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'tooth-envs[cli]'" in done.stderr


# Games and agents from words.


def test_options_are_yaml() -> None:
    game = make_game(GAME, 3, ["claims=numeric", "shaping=0.5", "first-investigator=1", "skip_forced=no"])
    options: Any = game.options
    assert (options.num_players, options.claims, options.shaping) == (3, "numeric", 0.5)
    assert (options.first_investigator, options.skip_forced) == (1, False)
    assert make_game(GAME, None, ["preset=odd_even"]).num_players == 2


def test_agents_named_twice_are_numbered() -> None:
    game = Kuhn.create()
    assert list(make_agents("random", game)) == ["random"]
    agents = make_agents(" random , random", game)
    assert list(agents) == ["random#1", "random#2"]
    assert agents["random#1"] is not agents["random#2"]


def test_greedy_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(spec: str, game: Kuhn, greedy: bool = False, may_import: bool = False) -> tuple[str, bool]:
        assert may_import, "at the command line"
        return spec, greedy or spec.endswith(":greedy")

    monkeypatch.setattr("tooth_agents.load.load_agent", load)
    game = Kuhn.create()
    expected = {"run": ("run", False), "run:greedy": ("run:greedy", True), "random": ("random", False)}
    assert make_agents("run,run:greedy,random", game) == expected
    assert make_agents("run,random", game, greedy=True) == {"run": ("run", True), "random": ("random", True)}


# Commands that play.


def test_evaluate_is_the_library(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    result = tooth("evaluate", "kuhn", "-a", "random,random", "-b", "40", "--seed", "3", "--json", str(file))
    assert result.exit_code == 0, result.output
    agents = {"random#1": RandomAgent(), "random#2": RandomAgent()}
    expected = evaluate(Kuhn.create(), agents, 40, 3, config={"greedy": False}).to_dict()
    data = json.loads(file.read_text())
    assert data["versions"].items() >= {k: v for k, v in expected["versions"].items() if k != "torch"}.items()
    for key in expected.keys() - {"versions"}:
        assert data[key] == expected[key], key
    share = expected["agents"]["random#1"]["win_share"]
    assert f"{100 * share['mean']:.1f}% [{100 * share['low']:.1f}, {100 * share['high']:.1f}]" in result.stdout
    assert list(tmp_path.iterdir()) == [file]


def test_evaluate_with_fewer_agents_than_seats() -> None:
    words = ("evaluate", GAME, "-n", "4", "-a", "random,heuristic", "-b", "3", "--json", "-")
    kinds = [lineup["kind"] for lineup in json.loads(tooth(*words).stdout)["lineups"]]
    assert kinds == ["one among the others", "one among the others", "mixed", "mixed"]
    plain = json.loads(tooth(*words, "--no-mixed").stdout)
    assert [lineup["kind"] for lineup in plain["lineups"]] == kinds[:2]


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (("stats", "kuhn", "-g", "50"), {"seats", "length", "percentiles", "truncated"}),
        (("stats", "kuhn", "-g", "50", "-a", "random,random"), {"seats", "length"}),
        (("evaluate", "kuhn", "-a", "random", "-b", "2"), {"agents", "versions", "config"}),
        (("bench", "kuhn", "--repeats", "1", "--seconds", "0.01", "--envs", "8"), {"rates", "machine", "state_bytes"}),
        (("games",), {"games"}),
    ],
)
def test_json_on_standard_output_stands_alone(words: tuple[str, ...], keys: set[str]) -> None:
    result = tooth(*words, "--json", "-")
    assert result.exit_code == 0, result.output
    assert keys <= json.loads(result.stdout).keys()


def test_tables_are_printed_without_a_terminal() -> None:
    done = run("stats", GAME, "-g", "20", "-n", "3")
    assert done.returncode == 0, done.stderr
    assert "Dragon Teeth Washer, 3 seats: 20 games by random" in done.stdout
    assert "fair 33.3%" in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("place", ["missing/out.json", "file/out.json", "."])
def test_json_that_cannot_be_written_is_refused_before_the_work(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object, **more: object) -> None:
        raise AssertionError("played first")

    monkeypatch.setattr("tooth_training.evaluation.stats.game_stats", never)
    (tmp_path / "file").write_text("")
    refused(tooth("stats", "kuhn", "--json", str(tmp_path / place)), str(tmp_path))
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_json_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "out.json"
    file.write_text("kept")

    def broken(*arguments: object, **more: object) -> None:
        assert len(list(tmp_path.iterdir())) == 2  # the place is taken
        raise ToothError("broken")

    monkeypatch.setattr("tooth_training.evaluation.stats.game_stats", broken)
    assert tooth("stats", "kuhn", "--json", str(file)).exit_code == 2
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.json"]
    assert file.read_text() == "kept"


def test_playing_in_a_process_of_its_own() -> None:
    done = run("play", GAME, "-n", "3", "--seed", "1", "--agents", "random", input="1\n" * 30)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Final ranking" in done.stdout
    stopped = run("play", GAME, "--seed", "1", input="")
    assert stopped.returncode == 0
    assert stopped.stdout.endswith("The game was stopped.\n")
    assert stopped.stderr == ""


def test_playing_tells_the_seed_it_drew() -> None:
    first, second = (tooth("play", "kuhn", input="quit\n").stdout.splitlines()[0] for _ in range(2))
    assert first != second
    seed = first.split("seed ")[1].split(".")[0]
    assert tooth("play", "kuhn", "--seed", seed, input="quit\n").stdout.splitlines()[0] == first


def test_an_interrupted_game_ends_cleanly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    result = tooth("play", "kuhn", "--seed", "1")
    assert result.exit_code == 130
    assert result.stdout.endswith("The game was stopped.\n")
    assert result.stderr == ""


def test_compile_and_clear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tooth_training.cli.compiling.compile_game", lambda game: 1.25)
    assert tooth("compile", "kuhn").stdout == "kuhn: 1.2 s\n"
    assert GAME in tooth("compile").stdout
    monkeypatch.setenv("TOOTH_CACHE_DIR", str(tmp_path))
    (tmp_path / "py311-numba0.61.0-0123456789abcdef").mkdir()
    assert (
        tooth("compile", "--clear").stdout
        == "Removed 1 folders of other versions and 0 damaged or unfinished files, 0.0 MB.\n"
    )


def test_the_version_is_told_before_anything_else() -> None:
    import tooth_envs

    for words in (("--version",), ("--version", "games")):
        result = tooth(*words)
        assert (result.exit_code, result.stdout) == (0, f"tooth-envs {tooth_envs.__version__}\n")


def test_rules_are_told() -> None:
    result = tooth("rules", "super_tooth")
    assert result.exit_code == 0
    assert result.stdout.startswith("# Super Tooth\n\n")
    assert "(R8)" in result.stdout
    refused(tooth("rules", "super_toth"), "did you mean 'super_tooth'")


def test_long_labels_lose_their_middle_and_stay_distinct() -> None:
    from tooth_training.cli.tables import short_labels

    labels = ["random", *(f"/a/long/path/to/somewhere/{number}/run" for number in range(12)), "x" * 300]
    shown = short_labels(labels, 80)
    assert list(shown) == labels
    assert shown["random"] == "random"
    assert len(set(shown.values())) == len(labels)
    assert max(map(len, shown.values())) <= 16


@pytest.mark.parametrize("width", [40, 80, 100])
def test_text_is_broken_between_words(width: int) -> None:
    from tooth_training.terminal import broken

    text = "  3  EXCHANGE tri 3  " + "hand in three of them for a coin, " * 9 + "\nshort\n\n" + "x" * 120
    lines = broken(text, width).split("\n")
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    assert all(len(line) <= width for line in lines[:-1])
    assert lines[-1] == "x" * 120
    assert lines[1].startswith("      ")
    assert "" in lines
    assert broken(text, None) == text
