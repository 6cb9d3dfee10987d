"""Positions of Super Tooth that are no worked positions: impossible ones, halts, the largest numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.super_tooth import NAME, PREPUB, deck_file, follow, tooth
from tests.support import random_game
from tooth_envs.engine.state import TERMINATED, digest, record
from tooth_envs.errors import PositionError

# Positions


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ({"active": 2}, "active: 2 is given; give an integer from 0 to 1"),
        ({"turn": -1}, "turn: -1 is given"),
        ({"restarts": 12}, "restarts: 12 is given; give an integer from 0 to 11"),
        ({"volcano": 1}, "volcano: 1 is given; give true or false"),
        ({"marker": True}, "marker: there is none with hot_sun_marker=False .J6"),
        ({"resolving": "igu"}, "resolving: 'igu' is given; give one of egg, que"),
        ({"resolving": "egg", "at": "EVENTS"}, "resolving: at EVENTS it is None, not egg .I7"),
        ({"at": "FETCH"}, "resolving: at FETCH it is egg, not None .I7"),
        ({"target": "egg"}, "target: 'egg' is given; give one of sar"),
        ({"target": "sar", "at": "PAY"}, "target: at PAY a Meat-Eater of L is paid .R11"),
        ({"target": "sar", "landscape": {"sar": 1}, "at": "MEAT"}, "target: at MEAT no Meat-Eater is paid"),
        ({"hands": [{"igu": 1}]}, "hands: .*one entry for each of 2 seats"),
        ({"hands": [{"sar": 1}, {}]}, "hands: 'sar' is given; give one of tri, igu"),
        ({"hands": [["igu"], {}]}, "hands: .'igu'. is given; give a mapping of codes"),
        ({"hands": [{"igu": 5}, {"igu": 3}]}, "igu: there are more than the deck's 7 .I1"),
        ({"hands": [{"igu": "2"}, {}]}, "hands.igu: '2' is given"),
        ({"coins": [1, -1]}, "coins: -1"),
        ({"coins": [4, 0], "at": "REVEAL"}, "coins: with 4 the game is over .R21"),
        ({"landscape": {"spi": 1}}, "spi: there are more than the deck's 0 .I1"),
        ({"landscape": {"igu": 5}, "at": "COLLECT"}, "landscape: 5 cards are face up; there are 4 at most .R8"),
        ({"landscape": {"egg": 1}, "at": "COLLECT"}, "landscape: at COLLECT there is no Event .I8"),
        ({"landscape": {"sar": 1}, "at": "ROAM"}, "landscape: at ROAM there is no Meat-Eater .I8"),
        ({"at": "BONUS"}, "landscape: at BONUS there is a Plant-Eater to take"),
        ({"lasting": {"igu": 1}, "at": "REVEAL"}, "lasting: igu does not stay"),
        ({"lasting": {"egg": 1}, "at": "REVEAL"}, "lasting: egg does not stay"),
        ({"draw": {"igu": 7}}, "draw: .*are left of the deck .I1"),
        ({"discard": 3}, "discard: 3 is given; give a mapping"),
        ({"discard": {None: 3}}, "discard: '' is given; give one of"),
        ({"top": "igu"}, "top: 'igu' is given; give a list of codes"),
        ({"top": ["dragon"]}, "top: 'dragon' is given; give one of"),
        ({"top": ["vol", "vol"]}, "top: there are not so many vol in the draw pile .I1"),
        ({"top": ["vol"], "script": {"draw": [1]}}, "top: the order is given, and so are draws"),
        ({"rest": "under"}, "rest: 'under' is given; give 'shuffled', 'sorted' or 'aside'"),
        ({"rest": "sorted", "script": {"pick": [0] * 11}}, "rest: the order of 62 cards is too long; 72 can be kept"),
        ({"passing": ["igu", None], "at": "REVEAL"}, "passing: nothing is passed at REVEAL .I13"),
        ({"passing": ["igu", None], "at": "PASS", "resolving": "sta"}, "passing: seat 0 has no igu .R29"),
        ({"passing": [None, "igu"], "hands": [{"ana": 1}, {"igu": 1}], "at": "PASS", "resolving": "sta"}, "clockwise"),
        ({"resolving": "sta", "at": "PASS", "landscape": {"igu": 1}}, "at PASS all of it has been swept away .J16"),
        ({"resolving": "sta", "at": "PASS", "lasting": {"fol": 1}}, "at PASS all of it has been swept away .J16"),
        ({"resolving": "vol", "at": "ERUPT"}, "volcano: at ERUPT it is true .R25"),
        ({"passing": ["sar", None]}, "passing: 'sar' is given"),
        ({"known": [[None, {"igu": 1}], [{}, None]], "at": "REVEAL"}, "seat 0 knows of more igu than seat 1 has .I14"),
        ({"known": [[None], [{}, None]]}, "known: .*one entry for each of 2 seats"),
        ({"draw_size": 61}, "draw_size: 61 is given, but it is 62"),
        ({"winner": 0}, "winner: 0 is given, but it is None"),
        ({"over": "terminated"}, "the game ends when somebody has the coins to win, or no set is left"),
        (
            {"phase": "COLLECT", "decision": "BONUS", "seat": 0, "landscape": {"igu": 1, "ana": 1}},
            "at COLLECT COLLECT of seat 0 is asked, not what the position says",
        ),
        (
            {"phase": "COLLECT", "decision": "COLLECT", "seat": 1, "landscape": {"igu": 1, "ana": 1}},
            "at COLLECT COLLECT of seat 0 is asked",
        ),
        ({"phase": "COLLECT", "decision": "COLLECT", "seat": 0}, "at COLLECT .* is asked"),
        ({"hand": []}, "unknown key 'hand'; did you mean 'hands'"),
        ({"at": "DINNER"}, "phases are BEGIN_TURN"),
    ],
    ids=str,
)
def test_impossible_positions(position: dict[str, Any], reason: str) -> None:
    table = tooth(num_players=2)
    with pytest.raises(PositionError, match=f"{NAME} position: (?s:.*){reason}"):
        table.from_dict(position)


def test_positions_of_other_configurations(tmp_path: Path) -> None:
    marked = tooth(num_players=2, hot_sun_marker=True)
    with pytest.raises(PositionError, match="with hot_sun_marker the marker lies there instead of sun"):
        marked.from_dict({"lasting": {"sun": 1}})
    two = tooth(num_players=2, deck="gamewright72")
    with pytest.raises(PositionError, match=r"lasting: sun can lie there once .J8"):
        two.from_dict({"lasting": {"sun": 2}})
    large = tooth(num_players=2, deck=deck_file(tmp_path, {"iguanodon": 30}))
    with pytest.raises(PositionError, match="rest: the order of 85 cards is too long; 72 can be kept"):
        large.from_dict({"rest": "sorted"})
    ended = tooth(num_players=2).from_dict({"coins": [4, 1], "over": "terminated", "winner": 0, "rank": [1, 2]})
    assert record(ended).over == TERMINATED


def test_order_of_the_rest() -> None:
    """``top`` and ``rest``: which cards are turned over."""
    table = tooth(num_players=2)
    position = {"at": "REVEAL", "halt": "EVENTS"}

    def revealed(**more: Any) -> dict[str, int]:
        found: dict[str, int] = table.to_dict(table.from_dict({**position, **more}))["landscape"]
        return found

    assert revealed(top=["vol", "sar"], rest="sorted") == {"tri": 1, "sar": 1, "vol": 1}
    assert revealed(rest="sorted", hands=[{"tri": 6}, {}], discard={"igu": 6}) == {"igu": 1, "ana": 2}
    assert revealed(rest="aside", top=["vol", "sar"]) == {"sar": 1, "vol": 1}
    assert len({str(revealed(seed=seed)) for seed in range(20)}) > 12
    aside = table.to_dict(table.from_dict({**position, "rest": "aside", "top": ["vol"], "discard": {"ana": 1}}))
    assert aside["banished"] == {**{code: n for code, n in PREPUB.items() if code != "vol"}, "ana": 6}
    assert aside["draw"] == {}


def test_what_is_known_by_default() -> None:
    """Cards are collected before all eyes."""
    table = tooth(num_players=3)
    states = table.from_dict({"at": "REVEAL", "halt": "REVEAL", "hands": [{"igu": 1}, {"ana": 2, "tri": 1}, {}]})
    known = table.to_dict(states)["known"]
    assert known[0] == [None, {"tri": 1, "ana": 2}, {}]
    assert known[2] == [{"igu": 1}, {"tri": 1, "ana": 2}, None]


def test_a_deal_can_be_changed() -> None:
    """``base: deal``: what is given replaces what was dealt; the rest stays."""
    table = tooth(num_players=3, first_seat=1)
    dealt = table.deal(4)
    assert digest(table.from_dict({"base": "deal", "seed": 4})) == digest(dealt)
    changed = table.to_dict(table.from_dict({"base": "deal", "seed": 4, "hands": [{"pro": 2}, {}, {}]}))
    before = table.to_dict(dealt)
    assert changed["landscape"] == before["landscape"]
    assert changed["draw_size"] == before["draw_size"] - 2


@pytest.mark.parametrize("options", [{"num_players": 4}, {"num_players": 2, "skip_forced": False}], ids=str)
def test_positions_are_exact(options: dict[str, Any]) -> None:
    """A state comes back byte for byte."""
    table = tooth(**options)
    for seed in range(2):
        for moment in random_game(table, seed):
            assert digest(table.from_dict(table.to_dict(moment.states))) == digest(moment.states)


def test_a_halted_game_goes_on_as_it_would() -> None:
    table = tooth(num_players=3)
    top = ["igu", "ana", "par", "pro", "tri", "tri", "tri"]
    states = table.from_dict({"at": "REVEAL", "halt": "TURN_END", "top": top})
    follow(table, states, "TAKE igu 1")
    assert record(states).seat == -1
    again = table.from_dict(table.to_dict(states))
    for one in (states, again):
        table.resume(one)
        assert table.to_dict(one)["landscape"] == {"ana": 1, "par": 1, "pro": 1}
        follow(table, one, "TAKE ana 1")
        assert record(one).seat == -1, "halted again"
    assert digest(states) == digest(again)


def test_a_position_while_a_halt_is_at_its_own_phase() -> None:
    """A halt lets a phase pass once: a decision asked in that phase can be written down and read back."""
    table = tooth(num_players=2)
    states = table.from_dict({"at": "COLLECT", "halt": "COLLECT", "landscape": {"igu": 1, "ana": 1}})
    assert digest(table.from_dict(table.to_dict(states))) == digest(states)


def test_numbers_of_a_view_stay_in_bounds_at_their_largest(tmp_path: Path) -> None:
    """A deck with many copies, all with one seat."""
    table = tooth(num_players=2, deck=deck_file(tmp_path, {"iguanodon": 999}))
    states = table.from_dict({"at": "COLLECT", "landscape": {"igu": 1, "ana": 1}, "hands": [{"igu": 998}, {}]})
    for seat in range(2):
        vector = np.frombuffer(table.view(states, seat).tobytes(), np.int16)
        assert table.layout.out_of_bounds(vector) == []
    rich = tooth(num_players=2, coins_to_win=12)
    states = rich.from_dict({"at": "COLLECT", "coins": [11, 0], "landscape": {"igu": 1}, "hands": [{"igu": 5}, {}]})
    follow(rich, states, "EXCHANGE igu 6")
    assert rich.to_dict(states)["coins"] == [14, 0]
    assert rich.layout.out_of_bounds(np.frombuffer(rich.view(states, 0).tobytes(), np.int16)) == []
