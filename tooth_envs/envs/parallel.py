"""Any game for learners that speak PettingZoo's Parallel API.

PettingZoo's own converter hands out all-zero masks after an elimination; this one asks every agent at every
step, reads the action of the seat to act alone, and keeps all agents to the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from tooth_envs.engine.copies import Independent
from tooth_envs.envs.aec import Observation, TableEnv
from tooth_envs.errors import GameOver, IllegalAction


class ParallelTable(Independent, ParallelEnv):
    """A TableEnv stepped with a dict of actions.

    Args:
        table: the environment that is converted; it belongs to this object from now on.

    The mask of an agent that is not to act is all zero and its action is ignored (it may be left out).

    This form cannot hide how often others are asked. Every agent gets an observation at every step, also at one in
    which another seat alone was asked and secretly declined, so that counting steps tells what the rules keep hidden
    (in Toothead: that somebody holds a card for this moment). Give agents that remember or count ``SingleSeatEnv``
    (``tooth_envs.make_single``), which shows a seat its own decisions only, or ask each of them at its own turns only
    (``TableEnv.last``).
    """

    def __init__(self, table: TableEnv) -> None:
        self.table = table
        self.metadata = {**table.metadata, "is_parallelizable": True}
        self.possible_agents = list(table.possible_agents)
        self.observation_spaces = table.observation_spaces
        self.action_spaces = table.action_spaces
        self.state_space = table.state_space
        self.render_mode = table.render_mode
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same space object for every agent and call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same space object for every agent and call."""
        return self.action_spaces[agent]

    @property
    def agent_selection(self) -> str:
        """The agent whose action the next step will read."""
        return self.table.agent_selection

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal a new game (see TableEnv.reset): (observations, infos) of all agents."""
        self.table.reset(seed=seed, options=options)
        self.agents = list(self.table.agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Carry out the action of ``agent_selection``.

        Returns:
            (observations, rewards, terminations, truncations, infos) of all agents; rewards are those of this step.

        Raises:
            IllegalAction: the action is missing or not legal; nothing has changed.
            GameOver: the game is over.
        """
        if not self.agents:
            raise GameOver(f"{self.table.game.name}: no game is going on; call reset() first")
        mover = self.table.agent_selection
        if self.table.terminations[mover] or self.table.truncations[mover]:
            self.agents = []  # a position that was over from the start
            raise GameOver(f"{self.table.game.name}: the game is over; call reset() first")
        if not isinstance(actions, Mapping) or mover not in actions:
            seat = int(self.table.states()["seat"][0])
            raise IllegalAction(None, "no action", seat, "any", f"it is {mover}'s turn, and its action is missing")
        self.table.step(actions[mover])
        agents = self.agents
        rewards = dict(self.table.rewards)
        terminations, truncations = dict(self.table.terminations), dict(self.table.truncations)
        if any(terminations.values()) or any(truncations.values()):
            self.agents = []
        return self._observations(), rewards, terminations, truncations, {agent: {} for agent in agents}

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.table.observe(agent) for agent in self.possible_agents}

    def render(self) -> str | np.ndarray | None:
        """See TableEnv.render."""
        return self.table.render()

    def state(self) -> np.ndarray:
        """See TableEnv.state."""
        return self.table.state()

    def close(self) -> None:
        """Nothing to release."""
        self.table.close()
