"""Small helpers of the tests of Toothead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.games.invariants_toothead import check
from tooth_envs.engine.state import record
from tooth_envs.games.toothead.game import Toothead, cards
from tooth_envs.spec.registry import game

NAME = "toothead"
STANDARD = Path(cards.__file__).parent / "deck.toml"


def toothead(**options: Any) -> Toothead:
    """The game under options."""
    made = game(NAME, **options)
    assert isinstance(made, Toothead)
    return made


def begin(table: Toothead, seats: list[dict[str, Any]], at: str = "TURN", **given: Any) -> np.ndarray:
    """A position without other cards than those mentioned."""
    return table.from_dict({"at": at, "rest": "aside", "seats": seats, **given})


def fight(table: Toothead, seats: list[dict[str, Any]], **given: Any) -> np.ndarray:
    """An attack of seat 0 on seat 1 that has just been declared; play stops after the turn it belongs to."""
    fighters = {"attacker": 0, "defender": 1}
    return begin(table, seats, at="ATTACK", halt="NEXT_TURN", fight=fighters, turn_phase="APPETITE", **given)


def follow(table: Toothead, states: np.ndarray, *names: str) -> None:
    """Carry out actions; invariants hold after each."""
    for name in names:
        table.step(states, table.action_index(name))
        check(table, states, dealt=False)


def asked(table: Toothead, states: np.ndarray) -> tuple[str | None, int]:
    """What is asked, and of whom."""
    state = record(states)
    return (table.decisions[state.decision] if state.decision >= 0 else None), int(state.seat)


def facts(table: Toothead, states: np.ndarray, *paths: str) -> Any:
    """What a position says at "seats.0.pocket" and the like; a list if several paths are given."""
    found = []
    for path in paths:
        part: Any = table.to_dict(states)
        for key in path.split("."):
            part = part[int(key)] if isinstance(part, list) else part[key]
        found.append(part)
    return found[0] if len(found) == 1 else found


def with_deck(folder: Path, *changes: tuple[str, str], name: str = "changed") -> str:
    """The path of a copy of the standard deck, with texts replaced."""
    text = STANDARD.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in the deck"
        text = text.replace(old, new)
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)
