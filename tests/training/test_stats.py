from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import tooth_envs
from agents.basic import RandomAgent
from tests.kuhn import Kuhn
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.loops import STREAM_EPISODE
from tooth_envs.errors import ToothError
from training.stats import GameStats, game_stats
from training.tables import print_stats


class Always:
    """Takes one action whatever happens."""

    def __init__(self, action: int) -> None:
        self.name = f"always {action}"
        self.action = action

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        return np.full(len(mask), self.action)


@pytest.fixture
def kuhn() -> Kuhn:
    return Kuhn.create()


def near(estimate: Any, value: float) -> bool:
    """Whether a value lies within twice the interval's half width of the mean: it should, in 9,999 of 10,000 cases."""
    return abs(estimate.mean - value) <= estimate.high - estimate.low


@pytest.mark.parametrize("agents", [None, {"random": RandomAgent()}])
def test_random_kuhn_is_as_computed_by_hand(kuhn: Kuhn, agents: Any) -> None:
    # pass pass 1/4, pass bet pass 1/8 (seat 1 wins), pass bet bet 1/8, bet pass 1/4 (seat 0 wins), bet bet 1/4; the
    # cards decide the others.
    stats = game_stats(kuhn, 20_000, seed=1, agents=agents)
    assert near(stats.length, 2.25)
    assert near(stats.seats[0].win_share, 0.25 + 0.5 * (0.25 + 0.125 + 0.25))
    assert near(stats.seats[1].rank, 2 - 0.125 - 0.5 * 0.625)
    assert (stats.length_min, stats.length_max) == (2, 3)
    assert (stats.percentiles["5"], stats.percentiles["50"], stats.percentiles["95"]) == (2.0, 2.0, 3.0)
    assert (stats.games, stats.terminated, stats.truncated) == (20_000, 20_000, 0)
    assert stats.shared_share.mean == 0.0
    assert sum(seat.wins for seat in stats.seats) == 20_000
    assert [seat.agent for seat in stats.seats] == ["random", "random"]


def test_games_ended_by_the_cap_are_told_and_split() -> None:
    stats = game_stats(Kuhn.create(max_steps=1), 50, seed=1)
    assert (stats.terminated, stats.truncated) == (0, 50)
    assert stats.truncated_share.mean == stats.shared_share.mean == 1.0
    assert [seat.wins for seat in stats.seats] == [25.0, 25.0]
    assert stats.seats[0].rank.mean == 1.5


def test_agents_keep_their_seats_and_are_repeated(kuhn: Kuhn) -> None:
    stats = game_stats(kuhn, 40, seed=2, agents={"bet": Always(1), "pass": Always(0)})
    assert [(seat.agent, seat.wins) for seat in stats.seats] == [("bet", 40.0), ("pass", 0.0)]
    assert (stats.length.mean, stats.length.low, stats.length.high) == (2.0, 2.0, 2.0)
    game = tooth_envs.game("dragon_teeth_washer", num_players=5)
    five = game_stats(game, 3, seed=2, agents={"a": RandomAgent(), "b": RandomAgent()})
    assert [seat.agent for seat in five.seats] == ["a", "b", "a", "b", "a"]


def test_both_ways_to_play_meet_the_same_deals(kuhn: Kuhn) -> None:
    # Both bet, so that the cards alone decide.
    stats = game_stats(kuhn, 200, seed=3, agents={"bet": Always(1)})
    deals = [kuhn.deal(mix_python(3, STREAM_EPISODE, g))["card"][0] for g in range(200)]
    assert stats.seats[0].wins == sum(int(card[0] > card[1]) for card in deals)


def test_results_depend_on_the_seed_and_not_on_chunks(kuhn: Kuhn, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = game_stats(kuhn, 500, seed=1)
    assert whole == game_stats(kuhn, 500, seed=1)
    assert whole != game_stats(kuhn, 500, seed=2)
    monkeypatch.setattr("training.stats._RANDOM_CHUNK", 7)
    seen: list[tuple[int, int]] = []
    assert whole == game_stats(kuhn, 500, seed=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (7, 500)
    assert seen[-1] == (500, 500)
    players = {"a": RandomAgent()}
    assert game_stats(kuhn, 500, 1, players, chunk=7) == game_stats(kuhn, 500, 1, players)


@pytest.mark.parametrize("games", [0, -1, 1.5, True])
def test_impossible_numbers_of_games_are_refused(kuhn: Kuhn, games: Any) -> None:
    with pytest.raises(ToothError, match=r"games is .*give an integer from 1"):
        game_stats(kuhn, games, 0)


def test_more_agents_than_seats_are_refused(kuhn: Kuhn) -> None:
    with pytest.raises(ToothError, match="3 agents for 2 seats"):
        game_stats(kuhn, 1, 0, {name: RandomAgent() for name in "abc"})


def test_statistics_survive_json_and_print(kuhn: Kuhn) -> None:
    stats = game_stats(kuhn, 100, seed=1)
    data = stats.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["fair_share"] == 0.5
    text = _words(stats)
    assert "100 games by random, seed 1" in text
    assert "win share (fair 50.0%)" in text
    assert "by the step cap" in text
    assert "[no interval]" in _words(game_stats(kuhn, 1, seed=1))


def _words(stats: GameStats) -> str:
    out = io.StringIO()
    print_stats(stats, Console(file=out, width=140, markup=False, emoji=False, highlight=False))
    return out.getvalue()
