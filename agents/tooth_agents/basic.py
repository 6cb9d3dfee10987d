"""Agents that need no training: uniformly random, and the game's heuristic."""

from __future__ import annotations

import numpy as np

from tooth_agents.agent import check_batch
from tooth_envs.engine import loops
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.policies import heuristic_rows, register_policy
from tooth_envs.errors import OptionError, ToothError
from tooth_envs.spec.game import Game


class RandomAgent:
    """Every legal action with equal probability."""

    name = "random"

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        """See Agent.act."""
        check_batch(self.name, observation, view, mask, key)
        actions = np.zeros(len(mask), np.int64)
        loops.random_rows(np.ascontiguousarray(mask), np.ascontiguousarray(key), actions)
        return actions

    def probabilities(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """See agents/agent.py."""
        check_batch(self.name, observation, view, mask)
        legal = mask != 0
        return np.asarray(legal / legal.sum(axis=1, keepdims=True), np.float64)


class HeuristicAgent:
    """The game's own rule-based player, heuristic.py in its folder."""

    name = "heuristic"

    def __init__(self, game: Game) -> None:
        load_heuristic(game)
        self._game = game

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        """See Agent.act."""
        check_batch(self.name, observation, view, mask, key)
        if view.dtype.names != self._game.layout.dtype.names or mask.shape[1] != len(self._game.actions):
            raise ToothError(f"{self.name} of {self._game.name}: the views or the mask are not of this game")
        actions = np.zeros(len(mask), np.int64)
        rows = np.ascontiguousarray(view)
        heuristic_rows(
            self._game.tables,
            rows if JIT else rows.view(np.recarray),
            np.ascontiguousarray(mask),
            np.ascontiguousarray(key),
            actions,
        )
        legal = (actions >= 0) & (mask[np.arange(len(mask)), actions] != 0)
        if not legal.all():
            raise ToothError(
                f"{self.name} of {self._game.name}: row {int(legal.argmin())}: mask and view do not belong together: "
                "nothing that the mask allows can be done in what the view shows"
            )
        return actions


def has_heuristic(game: Game) -> bool:
    """Whether a game has a heuristic."""
    return game.policy() is not None


def load_heuristic(game: Game) -> None:
    """Register a game's heuristic with the compiled loops.

    Raises:
        OptionError: the game has none.
    """
    policy = game.policy()
    if policy is None:
        raise OptionError(f"{game.name} has no heuristic agent; use 'random' or a checkpoint")
    register_policy(game.layout.dtype, policy)
