"""Statistics of a game: how long it lasts, how it ends and what each seat is worth, for given players, and what the
game itself has to tell (``Game.metrics``).

Random players are played by the engine's compiled loop; others side by side (training/deals.py). Game g is dealt from
(seed, g) in both, so different players meet the same deals. Games are independent, so intervals are over games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from tooth_agents.agent import Agent

from tooth_envs.engine import keys, loops
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.integers import integer_in
from tooth_envs.engine.state import record
from tooth_envs.engine.streams import EngineStream
from tooth_envs.envs.record import GameRecord, record_game
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game, checked_seed
from tooth_envs.spec.metrics import GameMetrics, joined
from tooth_training.evaluation.deals import CHUNK, Played, Progress, play
from tooth_training.evaluation.evaluate import plain, versions
from tooth_training.evaluation.statistics import CONFIDENCE, Estimate, normal_mean, wilson

PERCENTILES = (5, 25, 50, 75, 95)

_RANDOM_CHUNK = 20_000  # between two looks at the keyboard: a fraction of a second
_ROOM = 4_000_000  # bytes of last states at a time


@dataclass(frozen=True)
class SeatStats:
    """One seat's results.

    Attributes:
        seat: its number. agent: who held it.
        wins: games won, by its team in team play; tied winners split the game.
        win_share: wins / games with a 95% interval (Wilson's, a little too wide where wins are split); fair is 1 / S
            with S seats, or teams, at the table.
        rank: mean place, tied seats sharing the mean of their places; fair is (P + 1) / 2.
    """

    seat: int
    agent: str
    wins: float
    win_share: Estimate
    rank: Estimate


@dataclass(frozen=True)
class NumberStats:
    """A number that a game tells of itself: its mean per game with a 95% interval, and its bounds."""

    mean: Estimate
    min: float
    max: float


@dataclass(frozen=True)
class GroupStats:
    """Results of the seats of a group.

    Attributes:
        seats: how many there were, over all games.
        wins: games they won; tied winners split the game.
        win_share: wins / seats with a 95% interval (Wilson's: exact where the seats of a group are in different games).
        times_fair: the same as a multiple of the fair share.
    """

    seats: int
    wins: float
    win_share: Estimate
    times_fair: Estimate


@dataclass(frozen=True)
class GameStats:
    """Statistics over many games.

    Attributes:
        length: mean decisions per game. length_min, length_max, percentiles: of the same.
        teams: the team of every seat; without teams every seat is its own.
        terminated, truncated: games that ended by the rules, and at the step cap.
        truncated_share, shared_share: of games ended by the cap, and of games with more than one winner.
        seats: by seat.
        numbers: name -> what the game tells of itself (``Game.metrics``).
        groups: name -> name of the group -> results of its seats; groups that no seat was in are left out.
    """

    game: str
    title: str
    num_players: int
    teams: tuple[int, ...]
    options: Mapping[str, Any]
    agents: tuple[str, ...]
    seed: int
    games: int
    length: Estimate
    length_min: int
    length_max: int
    percentiles: Mapping[str, float]
    terminated: int
    truncated: int
    truncated_share: Estimate
    shared_share: Estimate
    seats: tuple[SeatStats, ...]
    versions: Mapping[str, str]
    numbers: Mapping[str, NumberStats] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, GroupStats]] = field(default_factory=dict)

    @property
    def fair_share(self) -> float:
        """1 / S, with S seats, or teams, at the table."""
        return 1.0 / (1 + max(self.teams))

    def to_dict(self) -> dict[str, Any]:
        """The statistics as JSON has them."""
        return {**plain(self), "fair_share": self.fair_share, "confidence": CONFIDENCE}


def game_stats(
    game: Game,
    games: int,
    seed: int,
    agents: Mapping[str, Agent] | None = None,
    chunk: int = CHUNK,
    progress: Progress | None = None,
    keep: Callable[[GameRecord], None] | None = None,
) -> GameStats:
    """Play games and count.

    Args:
        game: the game with its options.
        games: how many.
        seed: names the deals and the players' choices.
        agents: label -> agent, by seat from seat 0; fewer than seats are repeated cyclically. They do not rotate: to
            compare agents, evaluate them. None: random players, by the compiled loop.
        chunk: games played side by side when agents are given.
        progress: told how far it is.
        keep: given the record of every game, in order.

    Raises:
        ToothError: no games, more agents than seats, or an illegal action.
    """
    if not integer_in(games, 1, 2**31 - 1):
        raise ToothError(f"stats: games is {games!r}; give an integer from 1")
    games, seed = int(games), checked_seed(seed)
    players = game.num_players
    labels: Sequence[str] = ("random",) if agents is None else tuple(agents)
    if not labels or len(labels) > players:
        raise ToothError(f"stats: {len(labels)} agents for {players} seats; name 1 to {players}")
    of_seat = np.arange(players) % len(labels)
    told: list[GameMetrics] = []
    ended = partial(_ask, game, told) if game.metrics(game.new_states(0)) else None
    if agents is None:
        played = _random_games(game, games, seed, progress, keep, ended)
    else:
        numbers = range(games)
        played = play(
            game,
            tuple(agents.values()),
            labels,
            np.tile(of_seat, (games, 1)),
            np.array([mix_python(seed, EngineStream.EPISODE, g) for g in numbers], np.int64),
            keys.seat_keys(seed, keys.AGENT, ((g,) for g in numbers), players),
            chunk,
            progress,
            keep,
            ended,
        )
    facts = joined(told) if told else GameMetrics()
    teams = game.teams
    sides = played.by_side(teams)
    share, place = sides.win_share[:, teams], played.place
    truncated = int(played.truncated.sum())
    shared = int(((sides.rank == 1).sum(axis=1) > 1).sum())
    return GameStats(
        game=game.name,
        title=game.title,
        num_players=players,
        teams=teams,
        options=game.options.model_dump(mode="json"),
        agents=tuple(labels),
        seed=seed,
        games=games,
        length=normal_mean(played.length),
        length_min=int(played.length.min()),
        length_max=int(played.length.max()),
        percentiles={str(p): float(np.percentile(played.length, p)) for p in PERCENTILES},
        terminated=games - truncated,
        truncated=truncated,
        truncated_share=wilson(truncated, games),
        shared_share=wilson(shared, games),
        seats=tuple(
            SeatStats(
                seat,
                labels[of_seat[seat]],
                float(share[:, seat].sum()),
                wilson(float(share[:, seat].sum()), games),
                normal_mean(place[:, seat]),
            )
            for seat in range(players)
        ),
        versions=versions(game),
        numbers={
            name: NumberStats(_mean(values), float(values.min()), float(values.max()))
            for name, values in facts.numbers.items()
        },
        groups={
            name: {
                label: _group(share[groups.member == number], 1 + max(teams))
                for number, label in enumerate(groups.names)
                if (groups.member == number).any()
            }
            for name, groups in facts.groups.items()
        },
    )


def _mean(values: np.ndarray) -> Estimate:
    """A mean over games; of what happens or not, a share."""
    if set(np.unique(values).tolist()) <= {0, 1}:
        return wilson(float(values.sum()), len(values))
    return normal_mean(values)


def _group(share: np.ndarray, sides: int) -> GroupStats:
    """Results of seats at tables with so many sides, from the share of the win that each of them had."""
    wins = float(share.sum())
    found = wilson(wins, len(share))
    low, high = (None if end is None else sides * end for end in (found.low, found.high))
    return GroupStats(len(share), wins, found, Estimate(sides * found.mean, low, high))


def _ask(game: Game, told: list[GameMetrics], states: np.ndarray) -> None:
    """Note what a game has to tell of these last states, which are overwritten then: joining copies."""
    told.append(joined([game.metrics(states)]))


def _random_games(
    game: Game,
    games: int,
    seed: int,
    progress: Progress | None,
    keep: Callable[[GameRecord], None] | None,
    ended: Callable[[np.ndarray], None] | None,
) -> Played:
    """Random players, by the compiled loop. It reports no rewards and no actions: those stay zero."""
    players = game.num_players
    length = np.zeros(games, np.int64)
    rank = np.zeros((games, game.max_players), np.int64)
    truncated = np.zeros(games, np.bool_)
    chunk = _RANDOM_CHUNK if ended is None else max(1, min(_RANDOM_CHUNK, _ROOM // game.state_dtype.itemsize))
    states, mask = game.new_states(1 if ended is None else min(chunk, games)), game.new_mask()
    for first in range(0, games, chunk):
        part = slice(first, min(first + chunk, games))
        loops.random_games(
            game.tables,
            game.blank,
            states,
            seed,
            first,
            part.stop - first,
            mask,
            length[part],
            rank[part],
            truncated[part],
        )
        if ended is not None:
            ended(states[: part.stop - first])
        if keep is not None:
            for g in range(part.start, part.stop):
                keep(_random_record(game, seed, g))
        if progress is not None:
            progress(part.stop, games)
    return Played(rank[:, :players], np.zeros((games, players)), length, truncated, np.zeros(games, np.int64))


def _random_record(game: Game, seed: int, g: int) -> GameRecord:
    """The record of game g of ``loops.random_games``: the same deal, and the same choices by the same function."""
    choices = mix_python(seed, EngineStream.CHOICES, g)

    def choose(states: np.ndarray, mask: np.ndarray) -> int:
        return int(loops.random_action(mask, mix_python(choices, 0, int(record(states).steps))))

    return record_game(game, mix_python(seed, EngineStream.EPISODE, g), choose, ["random"] * game.num_players)
