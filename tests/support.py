"""Playing games by random legal actions, for tests."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.records import StateRecord
from tooth_envs.engine.state import record
from tooth_envs.spec.game import Game


class Moment(NamedTuple):
    """A state (array of length 1; copy it to keep it), what is legal in it, and the action to be taken (-1: over)."""

    states: np.ndarray
    mask: np.ndarray
    action: int


def chosen(mask: np.ndarray, key: int) -> int:
    """A legal action by a key."""
    legal = np.flatnonzero(mask)
    return int(legal[key % len(legal)])


def random_moments(game: Game, budget: int, trace: bool = False) -> Iterator[tuple[int, Moment]]:
    """(seed, moment) of random games, seeds 0, 1, ..., until there were so many moments; all games are played out.

    So tests of games of any length take alike.
    """
    seed = count = 0
    while count < budget:
        for moment in random_game(game, seed, trace):
            count += 1
            yield seed, moment
        seed += 1


def spread_moments(game: Game, budget: int) -> Iterator[tuple[int, Moment]]:
    """As ``random_moments``, for what takes long: of games of more than 60 moments only some, a third of the budget.

    They are spread over the game, other ones in every game; its end is among them.
    """
    stride = sum(1 for _ in random_game(game, 0)) // 60
    if stride == 0:
        yield from random_moments(game, budget)
        return
    seed = count = 0
    while count < budget // 3:
        for place, moment in enumerate(random_game(game, seed)):
            if place % (stride + 1) == seed % (stride + 1) or moment.action < 0:
                count += 1
                yield seed, moment
        seed += 1


def random_game(game: Game, seed: int, trace: bool = False) -> Iterator[Moment]:
    """Every moment of a random game, the end included."""
    mask = game.new_mask()
    states = game.deal(seed, mask, trace=trace)
    while True:
        state = record(states)
        if state.over:
            yield Moment(states, mask, -1)
            return
        action = chosen(mask, mix_python(seed, 77, int(state.steps)))
        yield Moment(states, mask, action)
        game.step(states, action, mask)


def state_dtype(seats: int, streams: int, script: int, events: int, **fields: Any) -> np.dtype[Any]:
    """The dtype of a state with the given fields (``number`` and ``numbers`` declare them)."""
    sizes = {"seats": seats, "streams": streams, "script": script, "events": events}
    made: Any = types.new_class("State", (StateRecord,), sizes, lambda body: body.update(fields))
    dtype: np.dtype[Any] = made.dtype
    return dtype
