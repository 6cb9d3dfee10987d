from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import tools.peers.compare
from tests.kuhn import Kuhn
from tools.peers.__main__ import app
from tools.peers.page import render
from tools.peers.results import Comparison, load
from tooth_envs.spec.game import Game
from tooth_envs.spec.registry import built_in

DOCS = Path(__file__).resolve().parents[3] / "docs"
MEASURED = load(DOCS / "data" / "benchmarks.json")


def peers(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], tuple[Any, ...]]]:
    """What would have been measured: names of games, and the other arguments but the progress bar."""
    calls = []

    def compare(games: Sequence[Game], *more: Any) -> Comparison:
        calls.append(([game.name for game in games], more[:-1]))
        return MEASURED

    monkeypatch.setattr(tools.peers.compare, "compare", compare)
    return calls


def test_all_built_in_games_are_compared_and_the_page_is_written(asked: list[Any], tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    words = ("--repeats", "2", "--seconds", "0.5", "--envs", "9", "--date", "once", "--out", str(page))
    result = peers(*words)
    assert result.exit_code == 0, result.output
    assert asked == [(list(built_in()), ("once", 2, 0.5, 9))]
    assert page.read_text() == render(MEASURED)
    assert load(tmp_path / "data" / "speed.json") == MEASURED
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["data", "speed.json", "speed.md"]
    assert f"Written: {page}, {tmp_path / 'data' / 'speed.json'}." in result.stdout


def test_games_can_be_chosen_and_the_date_is_the_clock_s(asked: list[Any]) -> None:
    assert Kuhn.name == "kuhn"  # importing it made it known
    result = peers("kuhn", "dragon_teeth_washer")
    assert result.stdout == render(MEASURED)
    ((names, (date, *_)),) = asked
    assert names == ["kuhn", "dragon_teeth_washer"]
    assert abs((datetime.datetime.now(datetime.UTC).date() - datetime.date.fromisoformat(date)).days) <= 1


def test_json_alone(asked: list[Any]) -> None:
    assert json.loads(peers("--json", "-").stdout) == MEASURED.model_dump(mode="json")


def test_a_page_of_numbers_measured_before(asked: list[Any], tmp_path: Path) -> None:
    page = tmp_path / "benchmarks.md"
    result = peers("--from", str(DOCS / "data" / "benchmarks.json"), "--out", str(page))
    assert result.exit_code == 0, result.output
    assert page.read_text() == render(MEASURED)
    assert [path.name for path in tmp_path.iterdir()] == ["benchmarks.md"]
    assert asked == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("kun",), "did you mean 'kuhn'?"),
        (("--out", "no/such/folder/x.md"), "no/such/folder/x.md: cannot be written"),
        (("--from", "no_such_file.json"), "no_such_file.json: there is no such file"),
    ],
)
def test_wrong_words(words: tuple[str, ...], message: str, asked: list[Any]) -> None:
    result = peers(*words)
    assert (result.exit_code, result.stdout, asked) == (2, "", [])
    assert message in result.stderr
