"""Agents: whoever chooses actions. They see views, observations and masks, never states.

docs/agents.md shows how one's own is written. ``NetworkAgent`` needs torch, the rest does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tooth_agents.agent import Agent
from tooth_agents.basic import HeuristicAgent, RandomAgent
from tooth_agents.code import register_agent, registered_agents
from tooth_agents.load import agent_names, agent_title, load_agent, load_agents
from tooth_agents.words import describe_legal, describe_view

if TYPE_CHECKING:
    from tooth_agents.network import NetworkAgent

__all__ = [
    "Agent",
    "HeuristicAgent",
    "NetworkAgent",
    "RandomAgent",
    "agent_names",
    "agent_title",
    "describe_legal",
    "describe_view",
    "load_agent",
    "load_agents",
    "register_agent",
    "registered_agents",
]


def __getattr__(name: str) -> Any:
    if name == "NetworkAgent":
        from tooth_agents.network import NetworkAgent

        return NetworkAgent
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
