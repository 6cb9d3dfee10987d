"""Asking an agent for actions: the one place where agents meet games.

An agent sees observations, views and masks. One that has an attribute ``wants_worlds``, a number K above 0, is given K
worlds beside them for every decision: states that look to the deciding seat exactly as the true one does, while all
that it cannot know is drawn anew (``Game.resample``). What is drawn depends on the decision's key and on what the seat
may know; the true state of the hidden part never reaches an agent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tooth_envs.engine import loops
from tooth_envs.engine.integers import integer
from tooth_envs.engine.state import zeros
from tooth_envs.errors import ToothError, shortened
from tooth_envs.spec.game import Game

MOST_WORLDS = 1_000_000
"""Worlds that an agent may ask for at one time, of all decisions together."""


def worlds_wanted(agent: Any) -> int:
    """How many worlds an agent wants for each decision.

    Raises:
        ToothError: ``wants_worlds`` is no count.
    """
    given = getattr(agent, "wants_worlds", 0)
    wanted = integer(given)
    if wanted is None or not 0 <= wanted <= MOST_WORLDS:
        raise ToothError(
            f"agent {type(agent).__name__}: wants_worlds is {shortened(given)}; give a number of worlds for each "
            f"decision, 0 to {MOST_WORLDS:,}"
        )
    return wanted


def resampled(game: Game, states: np.ndarray, count: int, keys: np.ndarray) -> np.ndarray:
    """Worlds for the seats to act.

    Args:
        game: the game with its options.
        states: records [N], each with a seat to act.
        count: worlds for each, K.
        keys: int64 [N], a random key for each.

    Returns:
        Records [N, K]. They are told apart from true states by nothing that the seat can see.
    """
    worlds = zeros(game.state_dtype, len(states) * count)
    loops.resample_rows(game.tables, states, np.ascontiguousarray(keys, np.int64), worlds)
    return worlds.view(np.ndarray).reshape(len(states), count)


def choose(
    agent: Any,
    games: Game | Sequence[Game],
    states: Callable[[], np.ndarray],
    observation: np.ndarray,
    view: np.ndarray,
    mask: np.ndarray,
    key: np.ndarray,
    variant: np.ndarray | None = None,
) -> Any:
    """What an agent answers, not checked.

    Args:
        agent: an object with ``act``; see above for worlds.
        games: the game, or several variants of it.
        states: gives the true states, records [N], if worlds are wanted. Only worlds made of them are handed on.
        observation, view, mask, key: see ``tooth_agents.Agent.act``.
        variant: int [N], the number of each row's game; None if there is one.
    """
    wanted = worlds_wanted(agent)
    if not wanted:
        return agent.act(observation, view, mask, key)
    if len(key) * wanted > MOST_WORLDS:
        raise ToothError(
            f"agent {type(agent).__name__}: wants {wanted:,} worlds for each of {len(key):,} decisions; together at "
            f"most {MOST_WORLDS:,} are made: let it want fewer, or play fewer games side by side"
        )
    true = states()
    if isinstance(games, Game):
        return agent.act(observation, view, mask, key, resampled(games, true, wanted, key))
    numbers = np.zeros(len(key), np.int64) if variant is None else variant
    worlds = np.zeros((len(key), wanted), games[0].state_dtype)
    for number, game in enumerate(games):
        rows = np.flatnonzero(numbers == number)
        if len(rows):
            worlds[rows] = resampled(game, true[rows], wanted, key[rows])
    return agent.act(observation, view, mask, key, worlds)
