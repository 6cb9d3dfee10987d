"""Evaluation: agents compared on duplicate deals, with intervals.

Every block is one deal played by every rotation of every lineup (training/deals.py). An agent's headline results are
those of ONE side (a seat; in team play a team) held by it while the others hold the rest, so with equal agents its win
share would be the fair 1 / S, with S sides at the table. Intervals come from a cluster bootstrap over blocks
(training/statistics.py), never over games.
"""

from __future__ import annotations

import dataclasses
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from tooth_agents.agent import Agent
from tooth_agents.load import agent_title

import tooth_envs
from tooth_envs.engine.integers import integer_in
from tooth_envs.engine.keys import random_seed
from tooth_envs.envs.record import GameRecord
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game, checked_seed
from tooth_training.evaluation.deals import (
    CHUNK,
    Played,
    Progress,
    Schedule,
    block_seeds,
    mixed_rows,
    noise_keys,
    play,
    schedule,
)
from tooth_training.evaluation.statistics import CONFIDENCE, RESAMPLES, Estimate, cluster_bootstrap

FEW_BLOCKS = 30
"""Below this many blocks, bootstrap intervals are too narrow to trust."""


@dataclass(frozen=True)
class Result:
    """What one side made of its games.

    Attributes:
        win_share: 1 for a win, tied winners split it; fair is 1 / S.
        rank: mean place, 1 the best; tied sides share the mean of their places; fair is (S + 1) / 2.
        reward: mean return of a seat.
    """

    win_share: Estimate
    rank: Estimate
    reward: Estimate


@dataclass(frozen=True)
class AgentResult:
    """Headline results of an agent: of one side of it among the others.

    Attributes:
        label: what it is called in this report.
        games: games these results are from.
        win_share, rank, reward: see Result.
        sides: its results by the side it held.
    """

    label: str
    games: int
    win_share: Estimate
    rank: Estimate
    reward: Estimate
    sides: tuple[Result, ...]


@dataclass(frozen=True)
class LineupResult:
    """One lineup under all its rotations.

    Attributes:
        kind: see training/deals.py.
        sides: labels by side, before rotation.
        games: how many were played.
        agents: per label the results of one of its sides (the mean over its sides if it holds several).
    """

    kind: str
    sides: tuple[str, ...]
    games: int
    agents: Mapping[str, Result]


@dataclass(frozen=True)
class PairResult:
    """How often a side of ``first`` finished ahead of a side of ``second`` at the same table (a tie counts half)."""

    first: str
    second: str
    games: int
    ahead: Estimate


@dataclass(frozen=True)
class Length:
    """Decisions per game."""

    mean: Estimate
    min: int
    max: int


@dataclass(frozen=True)
class Report:
    """What an evaluation found. All intervals are over blocks; they are None if there was only one block.

    Attributes:
        game, title, num_players, options: what was played.
        teams: the team of every seat; without teams every seat is its own.
        seed, blocks, games: the seed, deal blocks, and games in all.
        agents: headline results by label, in the order in which the agents were named.
        sides: results of each seat or team, whoever held it: what it is worth.
        lineups, pairs: results by lineup, and for every two agents that met.
        length, truncated: decisions per game; games that the step cap ended.
        illegal: illegal actions: always 0, because one stops the evaluation with an error.
        distinct_games: games that differ in deal or play. Fewer than ``games`` means that some were played twice.
        distinct_lines: different sequences of actions, whatever the deal.
        versions, config: what it was made with.
    """

    game: str
    title: str
    num_players: int
    teams: tuple[int, ...]
    options: Mapping[str, Any]
    seed: int
    blocks: int
    games: int
    agents: Mapping[str, AgentResult]
    sides: tuple[Result, ...]
    lineups: tuple[LineupResult, ...]
    pairs: tuple[PairResult, ...]
    length: Length
    truncated: int
    illegal: int
    distinct_games: int
    distinct_lines: int
    versions: Mapping[str, str]
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fair_share(self) -> float:
        """The win share of a side if all were equal: 1 / S."""
        return 1.0 / len(self.sides)

    @property
    def fair_rank(self) -> float:
        """The mean place of a side if all were equal: (S + 1) / 2."""
        return (len(self.sides) + 1) / 2.0

    @property
    def side(self) -> str:
        """What a side is called: "seat" or "team"."""
        return "team" if len(self.sides) < self.num_players else "seat"

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it: dicts with string keys, lists, numbers, strings, None."""
        whole = plain(self)
        whole["fair_share"] = self.fair_share
        whole["fair_rank"] = self.fair_rank
        return dict(whole)


def plain(value: Any) -> Any:
    """Dataclasses, mappings and tuples as dicts and lists; NumPy numbers as Python's."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {entry.name: plain(getattr(value, entry.name)) for entry in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value.item() if isinstance(value, np.generic) else value


def versions(game: Game) -> dict[str, str]:
    """Versions that results depend on."""
    found = {
        "tooth_envs": tooth_envs.__version__,
        game.name: str(game.version),
        "layout": game.layout.digest,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }
    if "torch" in sys.modules:  # only where an agent needed it
        found["torch"] = str(sys.modules["torch"].__version__)
    return found


def evaluate(
    game: Game,
    agents: Mapping[str, Agent],
    blocks: int,
    seed: int | None = None,
    *,
    mixed: bool = True,
    chunk: int = CHUNK,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    progress: Progress | None = None,
    config: Mapping[str, Any] | None = None,
    keep: Callable[[GameRecord], None] | None = None,
) -> Report:
    """Compare agents on duplicate deals.

    Args:
        game: the game with its options.
        agents: label -> agent, in the order in which they take seats. One object may have several labels.
        blocks: how many deals; each is played by every rotation of every lineup. Lineups for K agents and S sides
            (seats or teams; details in training/deals.py): K >= S: every choice of S of them. K < S: each agent on
            one side with the others filling the rest cyclically from every start (A B B B and B A A A), which gives
            its headline results, and, if ``mixed``, all agents on one side each with the rest filled cyclically by
            all of them (A B A B and A B B A), reported per lineup. K = 1: the agent on all sides.
        seed: names the deals and the agents' noise. The deals do not depend on the agents. None: drawn from the
            operating system; the report tells it. What agents are given tells them nothing of the seed, but a seed that
            can be guessed is no secret: leave it out where agents are not trusted.
        mixed: whether to play the mixed lineups.
        chunk: games played side by side. It bounds memory; results do not depend on it.
        resamples, confidence: of the bootstrap.
        progress: told how far it is.
        config: further settings to note in the report.
        keep: given the record of every game, block by block.

    Raises:
        ToothError: no agents, no blocks, or an agent that chooses an illegal action.
    """
    labels = tuple(agents)
    if not labels:
        raise ToothError("evaluate: name at least one agent")
    for name, value in (("blocks", blocks), ("resamples", resamples)):
        if not integer_in(value, 1, 2**31 - 1):
            raise ToothError(f"evaluate: {name} is {value!r}; give an integer from 1")
    blocks, resamples = int(blocks), int(resamples)
    if not 0.0 < confidence < 1.0:
        raise ToothError(f"evaluate: confidence is {confidence!r}; give a number between 0 and 1, such as 0.95")
    seed = random_seed() if seed is None else checked_seed(seed)
    teams = game.teams
    plan = schedule(len(labels), 1 + max(teams), mixed)
    seeds = np.repeat(block_seeds(seed, blocks), plan.games)
    played = play(
        game,
        tuple(agents.values()),
        labels,
        np.tile(plan.seating[:, teams], (blocks, 1)),
        seeds,
        noise_keys(seed, blocks, plan, game.num_players),
        chunk,
        progress,
        keep,
    )
    estimates = _estimates(played.by_side(teams), plan, blocks, len(labels), seed, resamples, confidence)
    return Report(
        game=game.name,
        title=game.title,
        num_players=game.num_players,
        teams=teams,
        options=game.options.model_dump(mode="json"),
        seed=seed,
        blocks=blocks,
        games=len(seeds),
        agents=_agent_results(labels, estimates, plan, blocks),
        sides=tuple(_result(estimates, "side", side) for side in range(1 + max(teams))),
        lineups=_lineup_results(labels, estimates, plan, blocks),
        pairs=_pair_results(labels, estimates, plan, blocks),
        length=Length(estimates["length",], int(played.length.min()), int(played.length.max())),
        truncated=int(played.truncated.sum()),
        illegal=0,
        distinct_games=len(np.unique(mixed_rows(seeds, played.line, np.zeros_like(seeds)))),
        distinct_lines=len(np.unique(played.line)),
        versions=versions(game),
        config={
            "agents": {label: agent_title(agent) for label, agent in agents.items()},
            "mixed": mixed,
            "resamples": resamples,
            "confidence": confidence,
            **(config or {}),
        },
    )


Key = tuple[Any, ...]
_MEASURES = ("win_share", "rank", "reward")


def _estimates(
    played: Played, plan: Schedule, blocks: int, agents: int, seed: int, resamples: int, confidence: float
) -> dict[Key, Estimate]:
    """Every number of the report, all bootstrapped with the same draws of blocks."""
    G, S = plan.seating.shape
    columns: dict[Key, np.ndarray] = {("length",): played.length.reshape(blocks, G).mean(axis=1)}
    measures = [values.reshape(blocks, G, S) for values in (played.win_share, played.place, played.reward)]

    def add(key: Key, chosen: np.ndarray) -> None:
        """Means over the chosen (game, side) pairs of each block: bool [G, S]."""
        for name, values in zip(_MEASURES, measures, strict=True):
            columns[*key, name] = values[:, chosen].mean(axis=1)

    everyone = np.ones((G, S), np.bool_)
    on_side = np.arange(S) == np.arange(S)[:, None]  # [side, side]
    for side in range(S):
        add(("side", side), everyone & on_side[side])
    for agent in range(agents):
        holds = plan.seating == agent
        counts = np.array([agent in lineup.measures for lineup in plan.lineups])[plan.lineup]
        add(("agent", agent), holds & counts[:, None])
        for side in range(S):
            add(("agent", agent, side), holds & counts[:, None] & on_side[side])
        for number, lineup in enumerate(plan.lineups):
            if agent in lineup.sides:
                add(("lineup", number, agent), holds & (plan.lineup == number)[:, None])
    rank = played.rank.reshape(blocks, G, S)
    for first, second in _pairs(plan, agents):
        columns["pair", first, second] = _ahead(rank, plan.seating, first, second)
    estimates = cluster_bootstrap(np.stack(list(columns.values()), axis=1), seed, resamples, confidence)
    return dict(zip(columns, estimates, strict=True))


def _pairs(plan: Schedule, agents: int) -> list[tuple[int, int]]:
    """Pairs of agents that sit at one table."""
    return [
        (first, second)
        for first in range(agents)
        for second in range(first + 1, agents)
        if any(first in lineup.sides and second in lineup.sides for lineup in plan.lineups)
    ]


def _ahead(rank: np.ndarray, seating: np.ndarray, first: int, second: int) -> np.ndarray:
    """Per block, how often sides of one agent beat sides of the other, over all such pairs at one table."""
    blocks, _, S = rank.shape
    points, count = np.zeros(blocks), 0
    for s in range(S):
        for t in range(S):
            games = (seating[:, s] == first) & (seating[:, t] == second)
            own, other = rank[:, games, s], rank[:, games, t]
            points += (own < other).sum(axis=1) + 0.5 * (own == other).sum(axis=1)
            count += int(games.sum())
    return points / count


def _result(estimates: Mapping[Key, Estimate], *key: Any) -> Result:
    return Result(*(estimates[*key, name] for name in _MEASURES))


def _agent_results(
    labels: tuple[str, ...], estimates: Mapping[Key, Estimate], plan: Schedule, blocks: int
) -> dict[str, AgentResult]:
    found = {}
    for agent, label in enumerate(labels):
        measured = [number for number, lineup in enumerate(plan.lineups) if agent in lineup.measures]
        own = _result(estimates, "agent", agent)
        found[label] = AgentResult(
            label=label,
            games=blocks * int(np.isin(plan.lineup, measured).sum()),
            win_share=own.win_share,
            rank=own.rank,
            reward=own.reward,
            sides=tuple(_result(estimates, "agent", agent, side) for side in range(plan.seating.shape[1])),
        )
    return found


def _lineup_results(
    labels: tuple[str, ...], estimates: Mapping[Key, Estimate], plan: Schedule, blocks: int
) -> tuple[LineupResult, ...]:
    return tuple(
        LineupResult(
            kind=lineup.kind,
            sides=tuple(labels[agent] for agent in lineup.sides),
            games=blocks * int((plan.lineup == number).sum()),
            agents={labels[a]: _result(estimates, "lineup", number, a) for a in dict.fromkeys(lineup.sides)},
        )
        for number, lineup in enumerate(plan.lineups)
    )


def _pair_results(
    labels: tuple[str, ...], estimates: Mapping[Key, Estimate], plan: Schedule, blocks: int
) -> tuple[PairResult, ...]:
    seating = plan.seating
    return tuple(
        PairResult(
            labels[first],
            labels[second],
            blocks * int(((seating == first).any(axis=1) & (seating == second).any(axis=1)).sum()),
            estimates["pair", first, second],
        )
        for first, second in _pairs(plan, len(labels))
    )
