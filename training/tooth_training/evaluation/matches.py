"""The matches that follow a training run: the trained agent against each opponent, at each table size.

Every opponent is met alone, so that the numbers answer plain questions: what does one seat of the agent win among
seats of random players, and what does one random player win among seats of the agent?
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tooth_agents.load import agent_names, load_agent
from tooth_agents.names import parse_name

from tooth_envs.engine.keys import random_seed
from tooth_envs.spec.game import Game
from tooth_training.evaluation.deals import Progress
from tooth_training.evaluation.evaluate import Report, evaluate
from tooth_training.learning.config import TrainConfig


def evaluate_run(config: TrainConfig, folder: Path, progress: Progress | None = None) -> list[Report]:
    """Evaluate a run's latest checkpoint as the configuration's ``evaluate`` section says.

    Args:
        config: the run's configuration.
        folder: the run's directory.
        progress: told how many matches are done, of how many.

    Returns:
        One report per table size and opponent; none if the configuration wants no matches. The trained
        agent is its first, labelled with the directory's name.

    Raises:
        ToothError: an opponent that cannot be had, or no usable checkpoint.
    """
    settings = config.evaluate
    if settings.blocks == 0:
        return []
    matches = [(game, name) for game in _tables(config) for name in opponents(settings.opponents, game)]
    seed = random_seed() if settings.seed is None else settings.seed
    reports = []
    for done, (game, name) in enumerate(matches):
        if progress is not None:
            progress(done, len(matches))
        other = parse_name(name).label or name
        label = folder.name if folder.name != other else f"{folder.name} (trained)"
        trained = load_agent(str(folder), game, settings.greedy)
        agents = {label: trained, other: load_agent(name, game, may_import=False)}
        noted = {"greedy": settings.greedy, "run": str(folder)}
        reports.append(evaluate(game, agents, settings.blocks, seed, mixed=False, config=noted))
    return reports


def opponents(named: Sequence[str] | None, game: Game) -> tuple[str, ...]:
    """The opponents of a configuration: those it names, even if these are none; else what the game has."""
    return agent_names(game) if named is None else tuple(dict.fromkeys(named))


def _tables(config: TrainConfig) -> list[Game]:
    """The game at the table sizes of the evaluation."""
    sizes = config.evaluate.num_players
    if sizes is None:
        return list(config.games())
    return [config.game_at(size, "evaluate.num_players") for size in sizes]
