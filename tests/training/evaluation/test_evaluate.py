from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from tooth_agents.basic import RandomAgent
from tooth_training.cli.tables import print_report
from tooth_training.evaluation.deals import Played, block_seeds, lineups, schedule
from tooth_training.evaluation.evaluate import Report, evaluate

import tooth_envs
from tests.kuhn import Kuhn
from tests.probe import Probe
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.keys import derive
from tooth_envs.envs.aec import TableEnv
from tooth_envs.errors import ToothError


class Always:
    """Takes one action whatever happens."""

    def __init__(self, action: int) -> None:
        self.name = f"always {action}"
        self.action = action
        self.calls: list[int] = []

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        assert len(observation) == len(view) == len(mask) == len(key)
        self.calls.append(len(mask))
        return np.full(len(mask), self.action)


class Lowest:
    """The legal action with the lowest number."""

    name = "lowest"

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        return mask.argmax(axis=1)


class Says:
    """Returns what a function makes of the number of rows."""

    name = "says"

    def __init__(self, answer: Callable[[int], Any]) -> None:
        self.answer = answer

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> Any:
        return self.answer(len(mask))


PASS, BET = 0, 1


@pytest.fixture
def kuhn() -> Kuhn:
    return Kuhn.create()


def words(report: Report, width: int = 200) -> str:
    out = io.StringIO()
    print_report(report, Console(file=out, width=width, markup=False, emoji=False, highlight=False))
    return out.getvalue()


# Lineups.


def names(agents: int, num_players: int, mixed: bool = True) -> list[str]:
    return ["".join("ABCDE"[i] for i in lineup.sides) for lineup in lineups(agents, num_players, mixed)]


@pytest.mark.parametrize(
    ("agents", "num_players", "expected"),
    [
        (1, 4, ["AAAA"]),
        (2, 2, ["AB"]),
        (2, 3, ["ABB", "BAA"]),  # the mixed ones are rotations of these
        (2, 4, ["ABBB", "BAAA", "ABAB", "ABBA"]),
        (2, 5, ["ABBBB", "BAAAA", "ABABA", "ABBAB"]),
        (3, 4, ["ABCB", "ACBC", "BACA", "ABCA", "ABCC"]),
        (3, 3, ["ABC"]),
        (3, 2, ["AB", "AC", "BC"]),
        (4, 3, ["ABC", "ABD", "ACD", "BCD"]),
    ],
)
def test_lineups(agents: int, num_players: int, expected: list[str]) -> None:
    assert names(agents, num_players) == expected


def test_lineups_without_mixed_ones() -> None:
    assert names(2, 4, mixed=False) == ["ABBB", "BAAA"]


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("agents", [2, 3, 4, 5, 6])
def test_every_block_is_balanced(agents: int, num_players: int) -> None:
    plan = schedule(agents, num_players)
    assert len({(int(i), tuple(row)) for i, row in zip(plan.lineup, plan.seating, strict=True)}) == plan.games
    measured = np.zeros(agents, int)
    for number, lineup in enumerate(plan.lineups):
        seating = plan.seating[plan.lineup == number]
        for agent in range(agents):
            held = (seating == agent).sum(axis=0)
            assert held.min() == held.max()  # every seat equally often
        for agent in lineup.measures:
            assert lineup.sides.count(agent) == 1
            measured[agent] += 1
    assert measured.min() == measured.max() > 0


def test_rotation_moves_everybody_one_seat_on() -> None:
    assert lineups(2, 3)[0].rotations() == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    assert lineups(2, 4)[2].rotations() == [(0, 1, 0, 1), (1, 0, 1, 0)]


# Values known exactly.


def test_betting_always_beats_passing_always(kuhn: Kuhn) -> None:
    report = evaluate(kuhn, {"bet": Always(BET), "pass": Always(PASS)}, blocks=20, seed=1)
    bet, fold = report.agents["bet"], report.agents["pass"]
    for result in (bet, *bet.sides, report.lineups[0].agents["bet"]):
        for estimate, value in ((result.win_share, 1.0), (result.rank, 1.0), (result.reward, 1.0)):
            assert (estimate.mean, estimate.low, estimate.high) == (value, value, value)
    assert (fold.win_share.mean, fold.rank.mean, fold.reward.mean) == (0.0, 2.0, -1.0)
    assert report.pairs[0].ahead.mean == 1.0
    # Bet, fold: two decisions; pass, bet, fold: three.
    assert (report.length.mean.mean, report.length.min, report.length.max) == (2.5, 2, 3)
    assert (report.blocks, report.games, bet.games, report.truncated, report.illegal) == (20, 40, 40, 0, 0)
    assert report.fair_share == 0.5


def test_betting_always_earns_three_eighths_against_random_play(kuhn: Kuhn) -> None:
    # First: random folds half the time (+1), else the cards decide (0). Second: random passes half the time, then
    # folds half the time (+1); else the cards decide. (1/2 + 1/4) / 2.
    report = evaluate(kuhn, {"bet": Always(BET), "random": RandomAgent()}, blocks=4000, seed=0)
    reward = report.agents["bet"].reward
    assert reward.low is not None
    assert reward.high is not None
    assert reward.low < 0.375 < reward.high
    assert reward.high - reward.low < 0.1


def test_the_same_agent_twice_gets_exactly_its_share(kuhn: Kuhn) -> None:
    report = evaluate(kuhn, {"a": Always(BET), "b": Always(BET)}, blocks=7, seed=1)
    for agent in report.agents.values():
        share = agent.win_share
        assert (share.mean, share.low, share.high) == (0.5, 0.5, 0.5)
        assert agent.rank.mean == 1.5
        assert agent.reward.mean == agent.reward.low == agent.reward.high == 0.0


def test_an_agent_alone_gets_exactly_its_share() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    report = evaluate(game, {"random": RandomAgent()}, blocks=5, seed=1)
    share = report.agents["random"].win_share
    assert (share.mean, share.low, share.high) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert report.agents["random"].rank.mean == 2.0
    assert report.games == 5
    assert sum(seat.win_share.mean for seat in report.sides) == pytest.approx(1.0)


@pytest.mark.skipif(not JIT, reason="takes minutes in plain Python")
def test_equal_agents_lie_around_their_fair_share() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=4)
    report = evaluate(game, {"a": RandomAgent(), "b": RandomAgent()}, blocks=300, seed=5)
    for agent in report.agents.values():
        for estimate, fair in ((agent.win_share, 0.25), (agent.rank, 2.5), (agent.reward, 0.0)):
            assert estimate.low is not None
            assert estimate.high is not None
            assert estimate.low <= fair <= estimate.high
            assert estimate.low < estimate.mean < estimate.high


def test_ties_are_split() -> None:
    report = evaluate(Kuhn.create(max_steps=1), {"a": Always(PASS), "b": Always(BET)}, blocks=4, seed=1)
    assert report.truncated == report.games == 8
    for agent in report.agents.values():
        assert (agent.win_share.mean, agent.rank.mean, agent.reward.mean) == (0.5, 1.5, 0.0)
    assert report.pairs[0].ahead.mean == 0.5


def test_tied_seats_share_wins_and_places() -> None:
    rank = np.array([[1, 1, 3, 4], [2, 1, 2, 2], [1, 1, 1, 1], [4, 3, 2, 1]])
    empty = np.zeros(4)
    played = Played(rank, np.zeros((4, 4)), empty, empty, empty)
    quarter = [0.25] * 4
    assert played.win_share.tolist() == [[0.5, 0.5, 0, 0], [0, 1, 0, 0], quarter, [0, 0, 0, 1]]
    assert played.place.tolist() == [[1.5, 1.5, 3, 4], [3, 1, 3, 3], [2.5] * 4, [4, 3, 2, 1]]


# Teams.


def test_agents_hold_whole_teams() -> None:
    """The first seat alone decides, against the two others: whoever keeps 1 there loses."""
    game = Probe.create(num_players=3, kind="windows", length=1, teams=True)
    report = evaluate(game, {"one": Always(1), "zero": Always(0)}, blocks=3, seed=1)
    assert (report.teams, report.side, report.games, report.fair_share, report.fair_rank) == (
        (0, 1, 1),
        "team",
        6,
        0.5,
        1.5,
    )
    assert [lineup.sides for lineup in report.lineups] == [("one", "zero")]
    one, zero = report.agents["one"], report.agents["zero"]
    assert (zero.win_share.mean, zero.rank.mean, zero.reward.mean) == (1.0, 1.0, (0.5 + 1.0) / 2)
    assert (one.win_share.mean, one.rank.mean, one.reward.mean) == (0.0, 2.0, (-1.0 - 0.5) / 2)
    assert [side.win_share.mean for side in zero.sides] == [1.0, 1.0]
    assert [side.win_share.mean for side in report.sides] == [0.5, 0.5]
    assert report.pairs[0].ahead.mean == 0.0
    assert report.games == report.pairs[0].games == 6
    said = words(report)
    for part in ("3 seats in teams 0 1 1", "one team each among the others", "Teams, whoever held them", "team 1"):
        assert part in said
    assert json.loads(json.dumps(report.to_dict()))["teams"] == [0, 1, 1]


def test_teams_are_rotated_whatever_their_sizes() -> None:
    game = tooth_envs.game("toothead", num_players=5, teams=(1, 0, 1, 1, 0))
    assert game.teams == (0, 1, 0, 0, 1)
    assert tooth_envs.game("toothead", num_players=5, teams=3).teams == (0, 1, 2, 0, 1)
    assert tooth_envs.game("toothead", num_players=3).teams == (0, 1, 2)
    kept = []
    report = evaluate(game, {"a": RandomAgent(), "b": RandomAgent()}, blocks=2, seed=3, keep=kept.append)
    assert [one.players for one in kept] == [["a", "b", "a", "a", "b"], ["b", "a", "b", "b", "a"]] * 2
    assert sum(agent.win_share.mean for agent in report.agents.values()) == 1.0
    for one in kept:
        of_team = [{one.end.rank[seat] for seat in range(5) if game.teams[seat] == team} for team in (0, 1)]
        assert [len(ranks) for ranks in of_team] == [1, 1]


def test_a_team_that_shares_the_first_place_splits_it_by_teams() -> None:
    played = Played(np.array([[1, 1, 1], [1, 3, 1]]), np.array([[1.0, -1.0, 0.5], [0.0, 0.0, 1.0]]), *[np.zeros(2)] * 3)
    told = played.by_side((0, 1, 0))
    assert told.rank.tolist() == [[1, 1], [1, 2]]
    assert told.win_share.tolist() == [[0.5, 0.5], [1.0, 0.0]]
    assert told.reward.tolist() == [[0.75, -1.0], [0.5, 0.0]]
    alone = played.by_side((0, 1, 2))
    assert (alone.rank.tolist(), alone.reward.tolist()) == (played.rank.tolist(), played.reward.tolist())


# The same games, played one by one through PettingZoo's interface.


def test_every_number_equals_that_of_games_played_one_by_one() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    agents = {"low": Lowest(), "random": RandomAgent()}
    blocks, seed = 4, 11
    report = evaluate(game, agents, blocks, seed)
    env = TableEnv(game)
    wins: dict[Any, list[float]] = {}
    rewards: dict[Any, list[float]] = {}
    lengths = []
    for block in range(blocks):
        for number, lineup in enumerate((["low", "random", "random"], ["random", "low", "low"])):
            for rotation in range(3):
                seats = [lineup[(seat - rotation) % 3] for seat in range(3)]
                keys = [derive(seed, "agent", block, number, rotation, seat) for seat in range(3)]
                env.reset(seed=derive(seed, "deal", block))
                steps, own, total = 0, [0] * 3, [0.0] * 3
                while not any(env.terminations.values()):
                    seat = int(env.agent_selection[-1])
                    seen = env.observe(env.agent_selection)
                    key = np.array([mix_python(keys[seat], 0, own[seat])])
                    own[seat] += 1
                    view = np.array([game.view(env.states(), seat)], game.layout.dtype)
                    mask = seen["action_mask"][None]
                    env.step(int(agents[seats[seat]].act(seen["observation"][None], view, mask, key)[0]))
                    steps += 1
                    total = [total[i] + env.rewards[f"player_{i}"] for i in range(3)]
                rank = env.states()["rank"][0]
                lengths.append(steps)
                for seat in range(3):
                    share = (rank[seat] == 1) / (rank[:3] == 1).sum()
                    single = (seats[seat],) if seats.count(seats[seat]) == 1 else ()
                    for key_ in (*single, (number, seats[seat]), seat):
                        wins.setdefault(key_, []).append(share)
                        rewards.setdefault(key_, []).append(total[seat])
    assert report.length.mean.mean == pytest.approx(np.mean(lengths))
    pooled: dict[Any, Any] = {**report.agents, **dict(enumerate(report.sides))}
    for number, lineup_result in enumerate(report.lineups):
        pooled.update({(number, label): result for label, result in lineup_result.agents.items()})
    assert pooled.keys() == wins.keys()
    for key_, result in pooled.items():
        assert result.win_share.mean == pytest.approx(np.mean(wins[key_])), key_
        assert result.reward.mean == pytest.approx(np.mean(rewards[key_])), key_


# What results depend on, and what not.


def test_results_do_not_depend_on_how_many_games_are_played_side_by_side(kuhn: Kuhn) -> None:
    agents = {"a": RandomAgent(), "b": RandomAgent()}
    reports = [evaluate(kuhn, agents, blocks=30, seed=9, chunk=chunk).to_dict() for chunk in (1, 7, 60, 4096)]
    assert reports[0] == reports[1] == reports[2] == reports[3]


def test_the_seed_decides(kuhn: Kuhn) -> None:
    agents = {"a": RandomAgent(), "b": RandomAgent()}
    first, again, other = (evaluate(kuhn, agents, 50, seed).to_dict() for seed in (1, 1, 2))
    assert first == again
    assert first["agents"] != other["agents"]


def test_a_block_is_one_deal(kuhn: Kuhn) -> None:
    # Always the same bets, so that only the cards decide: who wins in seat 0 loses in seat 1.
    report = evaluate(kuhn, {"a": Always(BET), "b": Always(BET)}, blocks=300, seed=4)
    share = report.agents["a"].win_share
    assert share.low == share.high == 0.5
    seat = report.sides[0].win_share
    won = [int(kuhn.deal(int(s))["card"][0].argmax() == 0) for s in block_seeds(4, 300)]
    assert seat.mean == pytest.approx(np.mean(won))
    # 300 deals, not 600 games: the interval is that of 300 coin tosses.
    assert seat.high is not None
    assert seat.high - seat.mean == pytest.approx(1.96 * np.sqrt(0.25 / 300), rel=0.1)


def test_distinct_games_are_counted(kuhn: Kuhn) -> None:
    same = evaluate(kuhn, {"a": Always(BET), "b": Always(BET)}, blocks=5, seed=1)
    assert (same.games, same.distinct_games, same.distinct_lines) == (10, 5, 1)
    assert "Distinct games: 5 of 10" in words(same)
    other = evaluate(kuhn, {"a": Always(BET), "b": Always(PASS)}, blocks=5, seed=1)
    assert (other.games, other.distinct_games, other.distinct_lines) == (10, 10, 2)


def test_agents_are_asked_once_a_tick_whatever_they_are_called(kuhn: Kuhn) -> None:
    agent = Always(BET)
    evaluate(kuhn, {"a": agent, "b": agent}, blocks=5, seed=1)
    assert agent.calls == [10, 10]


# Agents that misbehave.


@pytest.mark.parametrize("action", [2, -1, 10**12])
def test_an_illegal_action_stops_everything(kuhn: Kuhn, action: int) -> None:
    seed = derive(1, "deal", 0)
    with pytest.raises(ToothError, match=rf"agent 'bad' .* {action} .*seat 0 .*seed {seed}; legal: PASS, BET"):
        evaluate(kuhn, {"good": Always(BET), "bad": Always(action)}, blocks=1, seed=1)


@pytest.mark.parametrize("answer", [np.zeros, lambda n: np.zeros((n, 1), int), lambda n: 0, lambda n: None])
def test_no_batch_of_actions_is_refused(kuhn: Kuhn, answer: Callable[[int], Any]) -> None:
    with pytest.raises(ToothError, match="agent 'odd' was asked for"):
        evaluate(kuhn, {"odd": Says(answer), "good": Always(BET)}, blocks=2, seed=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agents": {}}, "at least one agent"),
        ({"blocks": 0}, "blocks is 0"),
        ({"blocks": 2.5}, "blocks is 2.5"),
        ({"blocks": True}, "blocks is True"),
        ({"resamples": 0}, "resamples is 0"),
        ({"confidence": 95}, "confidence is 95"),
        ({"chunk": 0}, "chunk is 0"),
    ],
)
def test_impossible_requests_are_refused(kuhn: Kuhn, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ToothError, match=message):
        evaluate(**{"game": kuhn, "agents": {"a": Always(BET)}, "blocks": 1, "seed": 0, **change})


# The report.


def test_a_report_survives_json() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=4, claims="none")
    agents = {"a": RandomAgent(), "b": Lowest()}
    report = evaluate(game, agents, blocks=3, seed=1, resamples=50, config={"greedy": True})
    data = report.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["options"]["claims"] == "none"
    assert data["config"] == {
        "agents": {"a": "random", "b": "lowest"},
        "mixed": True,
        "resamples": 50,
        "confidence": 0.95,
        "greedy": True,
    }
    assert {"tooth_envs", "dragon_teeth_washer", "layout", "python", "numpy", "numba"} <= data["versions"].keys()
    assert (data["num_players"], data["fair_share"], data["fair_rank"]) == (4, 0.25, 2.5)
    assert [lineup["sides"] for lineup in data["lineups"]] == [list("abbb"), list("baaa"), list("abab"), list("abba")]
    assert data["games"] == 3 * (4 + 4 + 2 + 4)
    assert data["agents"]["a"]["games"] == 3 * 4


def test_one_block_has_no_interval_and_says_so(kuhn: Kuhn) -> None:
    report = evaluate(kuhn, {"a": RandomAgent(), "b": RandomAgent()}, blocks=1, seed=1)
    assert report.agents["a"].win_share.low is None
    assert report.agents["a"].win_share.high is None
    text = words(report)
    assert "there are no intervals" in text
    assert "[no interval]" in text


def test_few_blocks_are_called_few(kuhn: Kuhn) -> None:
    agents = {"a": RandomAgent(), "b": RandomAgent()}
    assert "too narrow to trust" in words(evaluate(kuhn, agents, blocks=29, seed=1))
    assert "too narrow to trust" not in words(evaluate(kuhn, agents, blocks=30, seed=1))


def test_tables_show_labels_as_they_are_and_crop_no_number(kuhn: Kuhn) -> None:
    agents = {"[red]x[/red]": Always(BET), ":smile:": Always(PASS)}
    text = words(evaluate(kuhn, agents, blocks=40, seed=1), width=60)
    assert "[red]x[/red]" in text
    assert ":smile:" in text
    assert "…" not in text
    assert "100.0%" in text


def test_numbers_stand_beside_their_fair_values() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=4)
    text = words(evaluate(game, {"a": RandomAgent(), "b": RandomAgent()}, blocks=2, seed=1))
    assert "win share (fair 25.0%)" in text
    assert "rank (fair 2.5)" in text
