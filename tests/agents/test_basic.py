"""Every agent refuses what nobody could answer, in the same words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tooth_agents.agent import Agent
from tooth_agents.basic import HeuristicAgent, RandomAgent
from tooth_agents.network import NetworkAgent, network_for
from tooth_agents.spec import NetworkSpec

import tooth_envs
from tooth_envs.envs.lockstep import Lockstep
from tooth_envs.errors import ToothError

GAME = tooth_envs.game("dragon_teeth_washer", num_players=3)
AGENTS: list[Any] = [
    RandomAgent(),
    HeuristicAgent(GAME),
    NetworkAgent(network_for(GAME, NetworkSpec(hidden=(8,)))),
]


def asked(rows: int = 4) -> dict[str, np.ndarray]:
    games = Lockstep(GAME, range(rows))
    return {
        "observation": games.observation.copy(),
        "view": games.view.copy(),
        "mask": games.mask.copy(),
        "key": np.arange(rows),
    }


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_a_row_without_a_legal_action_is_refused(agent: Agent) -> None:
    given = asked()
    agent.act(**given)
    given["mask"][2] = 0
    with pytest.raises(ToothError, match=f"{agent.name}: row 2 of the mask has no legal action"):
        agent.act(**given)
    if hasattr(agent, "probabilities"):
        del given["key"]
        with pytest.raises(ToothError, match="row 2 of the mask has no legal action"):
            agent.probabilities(**given)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
@pytest.mark.parametrize("name", ["observation", "view", "mask", "key"])
def test_what_does_not_belong_together_is_refused(agent: Agent, name: str) -> None:
    given = asked()
    given[name] = given[name][:3]
    with pytest.raises(ToothError, match=f"{agent.name}: .*do not belong together"):
        agent.act(**given)
    given = asked()
    given["mask"] = given["mask"][0]
    with pytest.raises(ToothError, match="do not belong together"):
        agent.act(**given)
    given = asked()
    given["key"] = given["key"] + 0.5
    with pytest.raises(ToothError, match="key is float64; give integers"):
        agent.act(**given)


def test_an_empty_batch_has_no_actions() -> None:
    for agent in AGENTS:
        assert agent.act(**{name: array[:0] for name, array in asked().items()}).tolist() == []


def test_a_heuristic_looks_at_views_of_its_game_alone() -> None:
    given = asked()
    other = Lockstep(tooth_envs.game("super_tooth", num_players=3), range(4))
    given["view"] = other.view.copy()
    with pytest.raises(ToothError, match="the views or the mask are not of this game"):
        HeuristicAgent(GAME).act(**given)


def test_a_heuristic_does_not_choose_what_the_mask_forbids() -> None:
    given = asked()
    given["mask"][1] = 0
    given["mask"][1, -1] = 1  # a statement, where a card is asked for
    given["view"]["decision"][1] = GAME.decisions.index("FOLLOW")
    with pytest.raises(ToothError, match="row 1: mask and view do not belong together"):
        HeuristicAgent(GAME).act(**given)


def test_lists_are_no_arrays() -> None:
    for agent in AGENTS:
        for name, array in asked().items():
            with pytest.raises(ToothError, match=f"{name} is a list; give an array"):
                agent.act(**{**asked(), name: array.tolist()})
