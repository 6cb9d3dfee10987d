"""Statistics of a game: how long it lasts, how it ends and what each seat is worth, for given players.

Random players are played by the engine's compiled loop; others side by side (training/deals.py). Game g is dealt from
(seed, g) in both, so different players meet the same deals. Games are independent, so intervals are over games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Agent
from tooth_envs.engine import loops
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.state import record
from tooth_envs.errors import ToothError
from tooth_envs.games.game import Game, checked_seed
from tooth_envs.record import GameRecord, record_game
from training.deals import CHUNK, STREAM_NOISE, Played, Progress, mixed_rows, play
from training.evaluate import plain, versions
from training.statistics import CONFIDENCE, Estimate, normal_mean, wilson

PERCENTILES = (5, 25, 50, 75, 95)

_RANDOM_CHUNK = 20_000  # between two looks at the keyboard: a fraction of a second


@dataclass(frozen=True)
class SeatStats:
    """One seat's results.

    Attributes:
        seat: its number. agent: who held it.
        wins: games won; tied winners split the game.
        win_share: wins / games with a 95% interval (Wilson's, a little too wide where wins are split); fair is 1 / P.
        rank: mean place, tied seats sharing the mean of their places; fair is (P + 1) / 2.
    """

    seat: int
    agent: str
    wins: float
    win_share: Estimate
    rank: Estimate


@dataclass(frozen=True)
class GameStats:
    """Statistics over many games.

    Attributes:
        length: mean decisions per game. length_min, length_max, percentiles: of the same.
        terminated, truncated: games that ended by the rules, and at the step cap.
        truncated_share, shared_share: of games ended by the cap, and of games with more than one winner.
        seats: by seat.
    """

    game: str
    title: str
    num_players: int
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

    @property
    def fair_share(self) -> float:
        """1 / P."""
        return 1.0 / self.num_players

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
    if isinstance(games, bool) or not isinstance(games, int | np.integer) or games < 1:
        raise ToothError(f"stats: games is {games!r}; give an integer from 1")
    seed = checked_seed(seed)
    players = game.num_players
    labels: Sequence[str] = ("random",) if agents is None else tuple(agents)
    if not labels or len(labels) > players:
        raise ToothError(f"stats: {len(labels)} agents for {players} seats; name 1 to {players}")
    of_seat = np.arange(players) % len(labels)
    if agents is None:
        played = _random_games(game, games, seed, progress, keep)
    else:
        numbers = range(games)
        played = play(
            game,
            tuple(agents.values()),
            labels,
            np.tile(of_seat, (games, 1)),
            np.array([mix_python(seed, loops.STREAM_EPISODE, g) for g in numbers], np.int64),
            mixed_rows(np.full(games, seed), np.full(games, STREAM_NOISE), np.arange(games)),
            chunk,
            progress,
            keep,
        )
    share, place = played.win_share, played.place
    truncated = int(played.truncated.sum())
    shared = int(((played.rank == 1).sum(axis=1) > 1).sum())
    return GameStats(
        game=game.name,
        title=game.title,
        num_players=players,
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
    )


def _random_games(
    game: Game, games: int, seed: int, progress: Progress | None, keep: Callable[[GameRecord], None] | None
) -> Played:
    """Random players, by the compiled loop. It reports no rewards and no actions: those stay zero."""
    players = game.num_players
    length = np.zeros(games, np.int64)
    rank = np.zeros((games, game.max_players), np.int64)
    truncated = np.zeros(games, np.bool_)
    states, mask = game.new_states(), game.new_mask()
    for first in range(0, games, _RANDOM_CHUNK):
        part = slice(first, min(first + _RANDOM_CHUNK, games))
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
        if keep is not None:
            for g in range(part.start, part.stop):
                keep(_random_record(game, seed, g))
        if progress is not None:
            progress(part.stop, games)
    return Played(rank[:, :players], np.zeros((games, players)), length, truncated, np.zeros(games, np.int64))


def _random_record(game: Game, seed: int, g: int) -> GameRecord:
    """The record of game g of ``loops.random_games``: the same deal, and the same choices by the same function."""
    choices = mix_python(seed, loops.STREAM_EPISODE + 1, g)

    def choose(states: np.ndarray, mask: np.ndarray) -> int:
        return int(loops.random_action(mask, mix_python(choices, 0, int(record(states).steps))))

    return record_game(game, mix_python(seed, loops.STREAM_EPISODE, g), choose, ["random"] * game.num_players)
