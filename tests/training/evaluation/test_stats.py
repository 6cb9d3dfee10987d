from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from tooth_agents.basic import RandomAgent
from tooth_training.cli.tables import print_stats
from tooth_training.evaluation.stats import GameStats, game_stats

import tooth_envs
from tests.games.tooth import toothead
from tests.kuhn import Kuhn
from tests.probe import Probe
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.state import record
from tooth_envs.engine.streams import EngineStream
from tooth_envs.envs.record import Replay
from tooth_envs.errors import ToothError
from tooth_envs.spec.metrics import GameMetrics, Groups


class Always:
    """Takes one action whatever happens."""

    def __init__(self, action: int) -> None:
        self.name = f"always {action}"
        self.action = action

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        return np.full(len(mask), self.action)


class Telling(Kuhn):
    """Kuhn poker that tells who had which card, and how many bet."""

    def metrics(self, states: np.ndarray) -> GameMetrics:
        told = states.view(np.ndarray)
        bets = Groups(("better",), told["bets"][:, :2].astype(np.int64) - 1)
        return GameMetrics(
            {"bets": told["bets"].sum(axis=1), "moves": told["moves"]},
            {"card": Groups(("jack", "queen", "king", "ace"), told["card"].astype(np.int64)), "who": bets},
        )


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
    deals = [kuhn.deal(mix_python(3, EngineStream.EPISODE, g))["card"][0] for g in range(200)]
    assert stats.seats[0].wins == sum(int(card[0] > card[1]) for card in deals)


def test_results_depend_on_the_seed_and_not_on_chunks(kuhn: Kuhn, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = game_stats(kuhn, 500, seed=1)
    assert whole == game_stats(kuhn, 500, seed=1)
    assert whole != game_stats(kuhn, 500, seed=2)
    monkeypatch.setattr("tooth_training.evaluation.stats._RANDOM_CHUNK", 7)
    seen: list[tuple[int, int]] = []
    assert whole == game_stats(kuhn, 500, seed=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (7, 500)
    assert seen[-1] == (500, 500)
    players = {"a": RandomAgent()}
    assert game_stats(kuhn, 500, 1, players, chunk=7) == game_stats(kuhn, 500, 1, players)


@pytest.mark.parametrize("agents", [None, {"random": RandomAgent()}])
def test_what_a_game_tells_is_as_computed_by_hand(agents: Any) -> None:
    # Bets: pass pass 0, pass bet pass 1, pass bet bet 2, bet pass 1, bet bet 2. A king loses only what it folds: 3/8 of
    # the games are folded, half of them by its seat. A jack wins only what the other folds.
    stats = game_stats(Telling.create(), 20_000, seed=1, agents=agents)
    bets, moves = stats.numbers["bets"], stats.numbers["moves"]
    assert near(bets.mean, (1 + 2) / 8 + 1 / 4 + 2 / 4)
    assert (bets.min, bets.max) == (0.0, 2.0)
    assert (moves.mean, moves.min, moves.max) == (stats.length, stats.length_min, stats.length_max)
    cards = stats.groups["card"]
    assert list(cards) == ["jack", "queen", "king"], "nobody ever has an ace"
    assert sum(card.seats for card in cards.values()) == 40_000
    assert sum(card.wins for card in cards.values()) == 20_000
    folds = (1 / 8 + 1 / 4) / 2
    for card, share in (("jack", folds), ("queen", 0.5), ("king", 1 - folds)):
        assert near(cards[card].win_share, share)
        assert cards[card].times_fair.mean == pytest.approx(2 * cards[card].wins / cards[card].seats)
        assert cards[card].times_fair.low == pytest.approx(2 * cards[card].win_share.low)
        assert near(cards[card].times_fair, 2 * share)


def test_what_is_told_does_not_depend_on_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor on what becomes of the states afterwards. And some seats are in no group."""
    game, players = Telling.create(), {"bet": Always(1), "random": RandomAgent()}
    random, played = game_stats(game, 300, seed=1), game_stats(game, 300, 1, players)
    better = played.groups["who"]["better"]
    assert better.seats == pytest.approx(300 * played.numbers["bets"].mean.mean), "the first seat always bets"
    assert 300 < better.seats < 600
    assert game_stats(game, 300, 1, players, chunk=7) == played
    monkeypatch.setattr("tooth_training.evaluation.stats._ROOM", 7 * game.state_dtype.itemsize)
    assert game_stats(game, 300, seed=1) == random
    monkeypatch.setattr("tooth_training.evaluation.stats._ROOM", 1)
    assert game_stats(game, 300, seed=1) == random


def test_games_tell_of_their_last_states() -> None:
    """Toothead against its own records, of random players and of others; teams win together."""
    for agents in (None, {"random": RandomAgent()}):
        for options in ({"num_players": 3}, {"num_players": 4, "teams": 2, "dock_mode": "random"}):
            table = toothead(**options)
            n, games = table.num_players, 6
            replays: list[Replay] = []
            stats = game_stats(table, games, 5, agents, keep=lambda kept, found=replays: found.append(Replay(kept)))
            first = [int(record(replay.states).initiative) for replay in replays]
            for replay in replays:
                replay.run()
            last = [record(replay.states) for replay in replays]
            rounds = [int(state.round_number) for state in last]
            assert stats.numbers["rounds"].mean.mean == pytest.approx(np.mean(rounds))
            assert (stats.numbers["rounds"].min, stats.numbers["rounds"].max) == (min(rounds), max(rounds))
            dead = [int((state.eliminated > 0).sum()) for state in last]
            assert stats.numbers["seats eliminated"].mean.mean == pytest.approx(np.mean(dead))
            assert stats.numbers["meat made by cards"].max == max(int(state.created) for state in last)
            assert stats.numbers["slices and meat eaten or lost"].min == min(int(state.eaten) for state in last)
            wins = dict.fromkeys((card.id for card in table.cards.docks), 0.0)
            of_place = dict.fromkeys(map(str, range(1, n + 1)), 0.0)
            for holder, state in zip(first, last, strict=True):
                winners = np.flatnonzero(state.rank == 1)
                share = 1 / len({table.teams[seat] for seat in winners})  # a seat wins with its team
                for seat in winners:
                    wins[table.cards.docks[state.dock[seat]].id] += share
                    of_place[str((int(seat) - holder) % n + 1)] += share
            docks, places = stats.groups["dock"], stats.groups["place"]
            assert sum(dock.seats for dock in docks.values()) == n * games
            assert {name: dock.wins for name, dock in docks.items()} == {name: wins[name] for name in docks}
            assert {name: place.wins for name, place in places.items()} == of_place
            assert all(place.seats == games for place in places.values())
            sides = 1 + max(table.teams)
            for place in places.values():
                assert place.times_fair.mean == pytest.approx(sides * place.wins / games)


def test_what_happens_or_not_is_a_share() -> None:
    """Its interval is that of a share, which no mean of zeros and ones has where all are equal."""

    class Sometimes(Kuhn):
        def metrics(self, states: np.ndarray) -> GameMetrics:
            return GameMetrics({"never": np.zeros(len(states), int), "all ones": np.ones(len(states))})

    numbers = game_stats(Sometimes.create(), 20, 0).numbers
    never, always = numbers["never"].mean, numbers["all ones"].mean
    assert (never.mean, never.low, always.mean, always.high) == (0.0, 0.0, 1.0, 1.0)
    assert never.high == pytest.approx(0.161, abs=1e-3)
    assert always.low == pytest.approx(1 - 0.161, abs=1e-3)


def test_a_seat_wins_with_its_team() -> None:
    """The first seat against the two others; it alone decides, and whoever keeps 1 there loses."""
    game = Probe.create(num_players=3, kind="windows", length=1, teams=True)
    stats = game_stats(game, 10, 0, {"one": Always(1)})
    assert [seat.wins for seat in stats.seats] == [0.0, 10.0, 10.0]
    assert (stats.teams, stats.fair_share, stats.shared_share.mean) == ((0, 1, 1), 0.5, 0.0)
    assert [seat.rank.mean for seat in stats.seats] == [3.0, 1.5, 1.5]
    out = io.StringIO()
    print_stats(stats, Console(file=out, width=200, markup=False, emoji=False, highlight=False))
    assert "3 seats in teams 0 1 1" in out.getvalue()
    assert "win share (fair 50.0%)" in out.getvalue()


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
    assert "Per game" not in text
    assert "[no interval]" in _words(game_stats(kuhn, 1, seed=1))


def test_what_a_game_tells_survives_json_and_print() -> None:
    stats = game_stats(Telling.create(), 100, seed=1)
    data = stats.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["numbers"]["moves"]["max"] == 3.0
    king = data["groups"]["card"]["king"]
    assert king["times_fair"]["mean"] == pytest.approx(2 * king["wins"] / king["seats"])
    lines = _words(stats).splitlines()
    assert any(line.startswith(" moves ") and line.split()[-2:] == ["2", "3"] for line in lines)
    assert "Seats by card, 95% intervals" in lines
    assert any(line.startswith(" king ") and f"{king['times_fair']['mean']:.2f} [" in line for line in lines)


def _words(stats: GameStats) -> str:
    out = io.StringIO()
    print_stats(stats, Console(file=out, width=140, markup=False, emoji=False, highlight=False))
    return out.getvalue()
