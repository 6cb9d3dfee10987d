"""The public battery: it finds nothing in a good game, and the right thing in every broken one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kuhn import Kuhn
from tests.testing.broken import BREAKS
from tooth_envs.errors import OptionError
from tooth_envs.testing import CHECKS, CheckFailed, Report, Result, check_game

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def noticed() -> dict[str, list[str]]:
    """Which checks fail for each broken game, found in one process of plain Python."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.testing.broken"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found: dict[str, list[str]] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("what", BREAKS)
def test_every_break_is_noticed(what: str, noticed: dict[str, list[str]]) -> None:
    assert BREAKS[what][2] in noticed[what], f"noticed by {noticed[what]}"


def test_a_good_game_passes() -> None:
    report = check_game(Kuhn, effort=0.1)
    assert report.ok
    assert report.game == "kuhn"
    assert {result.check for result in report.results} == set(CHECKS)
    assert "0 failed" in str(report)


def test_checks_can_be_chosen() -> None:
    report = check_game("kuhn", checks=["names", "seeds"], leave_out=["seeds"])
    assert [result.check for result in report.results] == ["names"]
    with pytest.raises(OptionError, match="there is no check 'seed'; did you mean 'seeds'"):
        check_game("kuhn", checks=["seed"])


def test_failures_are_raised_with_their_reasons() -> None:
    def never(game: object, states: object) -> None:
        raise AssertionError("this cannot be")

    with pytest.raises(
        CheckFailed, match=r"failed   invariants  \(num_players=2\)(?s:.*)seed 0, step 0: this cannot be"
    ):
        check_game(Kuhn, [{"num_players": 2}], ["invariants"], invariants=never)
    report = check_game(Kuhn, [{}], ["invariants", "names"], invariants=never, strict=False)
    assert [result.outcome for result in report.results] == ["failed", "passed"]
    assert [result.check for result in report.failures] == ["invariants"]


def test_results_are_told_while_checks_are_made() -> None:
    told: list[Result] = []
    report = check_game(Kuhn, checks=["names"], progress=told.append)
    assert told == report.results
    assert isinstance(report, Report)
