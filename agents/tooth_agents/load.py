"""Agents by name: ``random``, ``heuristic``, or the directory of a checkpoint or run."""

from __future__ import annotations

from pathlib import Path

from tooth_agents.agent import Agent
from tooth_agents.basic import HeuristicAgent, RandomAgent, has_heuristic
from tooth_envs.errors import OptionError, ToothError
from tooth_envs.spec.game import Game
from tooth_envs.spec.validation import suggestion


def agent_names(game: Game) -> tuple[str, ...]:
    """Names of the agents that a game has without training."""
    return ("random", "heuristic") if has_heuristic(game) else ("random",)


def load_agent(spec: str, game: Game, greedy: bool = False) -> Agent:
    """A fresh agent.

    Args:
        spec: "random", "heuristic", or a directory: a run (its latest checkpoint) or one of its checkpoints.
        game: what it is to play.
        greedy: networks take their likeliest action; the others are as they are.

    Raises:
        OptionError: an unknown name, or a heuristic that the game does not have.
        CheckpointError: a directory without a usable checkpoint for this game.
        ToothError: a checkpoint, but torch is not installed.
    """
    if spec == "random":
        return RandomAgent()
    if spec == "heuristic":
        return HeuristicAgent(game)
    if not Path(spec).exists():
        known = list(agent_names(game))
        raise OptionError(
            f"unknown agent {spec!r}{suggestion(spec, known)} Give {', '.join(known)}, or the directory of a run or "
            "checkpoint (there is none of this name)".replace("' Give", "'. Give")
        )
    try:
        from tooth_agents.checkpoint import load_network_agent
    except ModuleNotFoundError as problem:
        raise ToothError(
            f"{spec}: a checkpoint needs {problem.name}, which is not installed: pip install 'tooth-envs[train]'"
        ) from None
    return load_network_agent(spec, game, greedy)
