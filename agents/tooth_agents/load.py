"""Agents by name (names.py says which names there are)."""

from __future__ import annotations

from pathlib import Path

from tooth_agents.agent import Agent
from tooth_agents.basic import HeuristicAgent, RandomAgent, has_heuristic
from tooth_agents.code import find_code, make_agent, registered, registered_agents
from tooth_agents.names import AgentName, parse_name
from tooth_envs.errors import OptionError, ToothError
from tooth_envs.spec.game import Game
from tooth_envs.spec.validation import suggestion


def agent_names(game: Game) -> tuple[str, ...]:
    """Names of the agents that a game has without training."""
    return ("random", "heuristic") if has_heuristic(game) else ("random",)


def load_agent(name: str, game: Game, greedy: bool = False, may_import: bool = True) -> Agent:
    """A fresh agent.

    Args:
        name: see names.py. A label is allowed, and left out.
        game: what it is to play.
        greedy: networks take their likeliest action, as with ``:greedy``; the others are as they are.
        may_import: whether ``module:Name`` and ``file.py:Name`` may import code. False for names that a file gives.

    Raises:
        OptionError: an unknown name, a heuristic that the game does not have, or code that is no agent.
        CheckpointError: a directory without a usable checkpoint for this game.
        ToothError: a checkpoint, but torch is not installed.
    """
    parsed = parse_name(name)
    base = parsed.base
    if parsed.best and (base in ("random", "heuristic") or registered(base) is not None or parsed.code is not None):
        raise OptionError(f"agent {name!r}: only a run directory has a best checkpoint; leave out :best")
    if base == "random":
        return RandomAgent()
    if base == "heuristic":
        return HeuristicAgent(game)
    factory = registered(base)
    if factory is not None:
        return make_agent(factory, game, base)
    if parsed.code is not None:
        return make_agent(find_code(*parsed.code, may_import), game, base)
    return _network(parsed, game, greedy)


def _network(parsed: AgentName, game: Game, greedy: bool) -> Agent:
    base = parsed.base
    if not Path(base).exists():
        known = [*agent_names(game), *registered_agents()]
        raise OptionError(
            f"unknown agent {base!r}{suggestion(base, known)} Give {', '.join(known)}, module:Class, file.py:Class, or "
            "the directory of a run or checkpoint (there is none of this name)".replace("' Give", "'. Give")
        )
    try:
        from tooth_agents.checkpoint import load_network_agent
    except ModuleNotFoundError as problem:
        raise ToothError(
            f"{base}: a checkpoint needs {problem.name}, which is not installed: pip install 'tooth-envs[train]'"
        ) from None
    return load_network_agent(base, game, greedy or parsed.greedy, parsed.best)


def load_agents(
    names: list[str] | tuple[str, ...], game: Game, greedy: bool = False, may_import: bool = True
) -> dict[str, Agent]:
    """Fresh agents by label. What is named several times is labelled NAME#1, NAME#2, ...

    Args:
        names: see names.py; a label given as ``label=AGENT`` comes first.
        game, greedy, may_import: see ``load_agent``.

    Raises:
        OptionError: a label is given twice, or see ``load_agent``.
        ToothError: see ``load_agent``.
    """
    agents: dict[str, Agent] = {}
    for place, name in enumerate(names):
        label = parse_name(name).label
        if label is None:
            label = f"{name}#{list(names[: place + 1]).count(name)}" if list(names).count(name) > 1 else name
        if label in agents:
            raise OptionError(f"agents: the label {label!r} is given twice; give each its own, as label=AGENT")
        agents[label] = load_agent(name, game, greedy, may_import)
    return agents


def agent_title(agent: object) -> str:
    """What to call an agent: its ``name`` if it has one, else its class's."""
    given = getattr(agent, "name", None)
    return given if isinstance(given, str) and given else type(agent).__name__
