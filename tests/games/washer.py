"""Small helpers of the tests of Dragon Teeth Washer."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.games.invariants_dragon_teeth_washer import check
from tooth_envs.engine.state import record
from tooth_envs.games.dragon_teeth_washer.game import DragonTeethWasher
from tooth_envs.spec.game import Game
from tooth_envs.spec.registry import game

NAME = "dragon_teeth_washer"


def washer(**options: Any) -> DragonTeethWasher:
    """The game under options."""
    made = game(NAME, **options)
    assert isinstance(made, DragonTeethWasher)
    return made


def follow(table: Game, states: np.ndarray, names: str) -> None:
    """Carry out actions, named in one string."""
    for name in names.split():
        table.step(states, table.action_index(name))


def resolved(table: DragonTeethWasher, cards: tuple[int, ...], limit: int) -> list[int]:
    """What the rules make of a round: the score after it."""
    states = table.from_dict({"at": "RESOLVE", "claim": "LOW", "dragon": limit, "cards": list(cards)})
    check(table, states)
    return record(states).score[: len(cards)].tolist()


def play_on(table: Game, states: np.ndarray) -> list[int]:
    """Play the first legal action to the end; the ranks of the dragons as they came."""
    while record(states).over == 0:
        table.step(states, int(np.flatnonzero(table.legal_mask(states))[0]))
    return record(states).seen.tolist()
