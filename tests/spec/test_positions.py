"""The worked positions of every game's specification, and proof that the runner notices what is wrong."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import tests.positions as positions
from tooth_envs.errors import IllegalAction

GAMES = sorted(file.stem for file in positions.FOLDER.glob("*.yaml"))
ENTRIES = [
    pytest.param(name, entry, id=f"{name}:{title}") for name in GAMES for title, entry in positions.entries(name)
]


@pytest.mark.parametrize(("name", "entry"), ENTRIES)
def test_position(name: str, entry: dict[str, Any]) -> None:
    positions.play(name, entry)


GAME = "dragon_teeth_washer"
GOOD: dict[str, Any] = {
    "name": "an entry that holds",
    "options": {"num_players": 3, "first_investigator": 0},
    "given": {"at": "CLAIM", "dragon": 7},
    "steps": [
        {"do": ["CLAIM_LOW"], "ask": {"decision": "LEAD", "seat": 0}},
        {"refuse": "CLAIM_LOW"},
        {"do": ["BRUSH_3", "BRUSH_3", "BRUSH_2"]},
        {"is": {"scores": [-3, -3, 2], "history.0.points": [-3, -3, 2], "honesty.*.0": [1, 0, 0]}},
        {"sees": {"seat": 1, "is": {"score": [-3, 2, -3, 0, 0], "investigator": "OWN", "claim": None}}},
    ],
}
WRONG_STEPS = [
    {"is": {"scores": [-3, -3, 3]}},
    {"is": {"scores": [-3, -3]}},
    {"is": {"scores.0": "-3"}},
    {"is": {"honesty.*.0": [0, 0, 0]}},
    {"is": {"no_such_key": 1}},
    {"is": {"reward": [0, 0, "1/3"]}},
    {"sees": {"seat": 1, "is": {"investigator": "LEFT_1"}}},
    {"sees": {"seat": 1, "is": {"claim": "LOW"}}},
    {"ask": {"decision": "LEAD"}},
    {"ask": {"seat": 2}},
    {"ask": {"legal": ["CLAIM_SILENT", "CLAIM_LOW"]}},
    {"ask": {"player": 1}},
    {"next": False},
    {"undo": "BRUSH_3"},
]


def test_the_runner_accepts_a_good_entry() -> None:
    positions.play(GAME, GOOD)


@pytest.mark.parametrize("step", WRONG_STEPS, ids=str)
def test_the_runner_notices_a_wrong_step(step: dict[str, Any]) -> None:
    entry = copy.deepcopy(GOOD)
    entry["steps"].append(step)
    with pytest.raises(AssertionError):
        positions.play(GAME, entry)


def test_the_runner_notices_a_legal_action_that_should_be_refused() -> None:
    entry = copy.deepcopy(GOOD)
    entry["steps"].append({"refuse": "CLAIM_LOW"})
    with pytest.raises(pytest.fail.Exception):
        positions.play(GAME, entry)


def test_the_runner_notices_an_illegal_action() -> None:
    entry = copy.deepcopy(GOOD)
    entry["steps"].append({"do": "BRUSH_3"})
    with pytest.raises(IllegalAction):
        positions.play(GAME, entry)


WORLDS = {
    "name": "two worlds",
    "options": {"num_players": 3, "first_investigator": 0},
    "given": {"at": "LEAD", "claim": "LOW"},
    "worlds": [{"dragon": 7}, {"dragon": 8}],
}


def test_the_runner_compares_worlds() -> None:
    positions.play(GAME, {**WORLDS, "same_view": [1, 2], "other_view": [0]})
    for wrong in ({"same_view": [0]}, {"other_view": [1]}, {}, {"worlds": [{"dragon": 7}] * 2, "same_view": [1]}):
        with pytest.raises(AssertionError):
            positions.play(GAME, {**WORLDS, **wrong})


def test_placeholders() -> None:
    assert positions._cases({"a": [1, 2], "b": [3]}) == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]
    assert positions._filled(["$a", "BRUSH_$a", {"k": "$list"}], {"a": 2, "list": [1]}) == [2, "BRUSH_2", {"k": [1]}]
    with pytest.raises(AssertionError, match="no value"):
        positions._filled("x$b", {"a": 1})
