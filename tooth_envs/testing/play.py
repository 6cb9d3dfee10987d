"""Playing games by random legal actions, for checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tooth_envs.engine.chance import mix_python
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

    So checks of games of any length take alike.
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


MOST_DECISIONS = 100_000
"""Decisions after which a random game is given up: its rules do not end it."""


def random_game(game: Game, seed: int, trace: bool = False) -> Iterator[Moment]:
    """Every moment of a random game, the end included."""
    mask = game.new_mask()
    states = game.deal(seed, mask, trace=trace)
    for _ in range(MOST_DECISIONS):
        state = record(states)
        if state.over:
            yield Moment(states, mask, -1)
            return
        if not mask.any():
            raise AssertionError(f"seed {seed}, step {int(state.steps)}: seat {int(state.seat)} has no legal action")
        action = chosen(mask, mix_python(seed, 77, int(state.steps)))
        yield Moment(states, mask, action)
        game.step(states, action, mask)
    raise AssertionError(f"seed {seed}: the game is not over after {MOST_DECISIONS:,} decisions")
