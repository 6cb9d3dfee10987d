"""BatchEnv and Lockstep play exactly what TableEnv plays."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import tooth_envs
from tests.cases import CASES, MAIN_CASES, Case, case_id
from tests.probe import Probe
from tests.support import chosen
from tooth_envs.engine import loops
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.state import digest, record
from tooth_envs.envs.aec import TableEnv
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.envs.lockstep import Lockstep
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game

every_case = pytest.mark.parametrize("case", CASES, ids=case_id)
every_game = pytest.mark.parametrize("case", MAIN_CASES, ids=case_id)


def plays_as_tables_do(games: list[Game], rows: int, ticks: int) -> None:
    """Compare a batch with a table per row, in everything and at every step."""
    batch = BatchEnv(games, rows, num_threads=1)
    observation, mask = batch.reset(seed=13)
    tables = [TableEnv(games[i % len(games)]) for i in range(rows)]
    for i, table in enumerate(tables):
        table.reset(seed=int(batch.game_seed[i]))
    assert batch.num_players.tolist() == [table.game.num_players for table in tables]
    returns = np.zeros((rows, batch.max_players))
    ended = np.zeros(rows, np.int64)
    tick = 0
    while tick < ticks or not ended.all():  # every row sees a game end and another begin
        actions = np.zeros(rows, np.int64)
        movers = []
        states = batch.states()
        for i, table in enumerate(tables):
            seen = table.observe(table.agent_selection)
            assert table.agent_selection == f"player_{batch.seat[i]}"
            assert seen["observation"].tobytes() == observation[i].tobytes()
            assert seen["action_mask"].tobytes() == mask[i].tobytes()
            assert digest(states, i) == table.digest()
            actions[i] = chosen(mask[i], mix_python(5, i, tick))
            movers.append(table.agent_selection)
        batch.step(actions)
        assert not batch.refused.any()
        for i, table in enumerate(tables):
            n = table.game.num_players
            table.step(int(actions[i]))
            rewards = [table.rewards[agent] for agent in table.possible_agents]
            assert batch.reward[i].tolist() == rewards + [0.0] * (batch.max_players - n)
            returns[i, :n] += rewards
            over = any(table.terminations.values()) or any(table.truncations.values())
            assert bool(batch.terminated[i]) == any(table.terminations.values())
            assert bool(batch.truncated[i]) == any(table.truncations.values())
            if over:
                ended[i] += 1
                state = table.states()
                assert np.array_equal(batch.final_rank[i], state["rank"][0])
                assert batch.final_steps[i] == state["steps"][0]
                assert np.allclose(batch.final_return[i], returns[i])
                assert batch.final_observation[i].tobytes() == table.observe(movers[i])["observation"].tobytes()
                returns[i] = 0.0
                table.reset(seed=int(batch.game_seed[i]))
        tick += 1
    assert np.array_equal(batch.episode, ended)


@every_game
def test_tables_of_all_sizes_share_a_batch(case: Case) -> None:
    """Every row goes by the tables of its own number of seats."""
    cls = type(case.game())
    games = [cls.create(num_players=count) for count in range(cls.min_players, cls.max_players + 1)]
    plays_as_tables_do(games, 2 * len(games) + 1, 60)


@every_game
def test_deals_differ_between_rows_and_episodes(case: Case) -> None:
    batch = BatchEnv(case.game(), 50)
    batch.reset(seed=1)
    seeds = set(batch.game_seed.tolist())
    assert len(seeds) == 50
    for tick in range(300):
        batch.step(batch.random_actions(tick))
        ended = batch.terminated | batch.truncated
        seeds.update(batch.game_seed[ended].tolist())
    assert len(seeds) == 50 + batch.episode.sum()
    batch.reset(seed=2)
    assert seeds.isdisjoint(batch.game_seed.tolist())
    batch.reset()
    first = batch.game_seed.copy()
    batch.reset()
    assert not np.array_equal(first, batch.game_seed)


def test_resets_without_a_seed_go_on_with_other_deals_and_repeat() -> None:
    def deals(seed: int | None = None) -> list[int]:
        batch.reset(seed)
        return [int(seed) for seed in batch.game_seed]

    batch = tooth_envs.make_batch("kuhn", 5)
    seen = [deals(3), deals(), deals(), deals()]
    assert len({seed for row in seen for seed in row}) == 20
    assert [deals(3), deals(), deals(), deals()] == seen
    strange = [deals(4), deals()]
    assert not {seed for row in strange for seed in row} & {seed for row in seen for seed in row}


@every_game
def test_illegal_actions_are_refused_row_by_row(case: Case) -> None:
    batch = BatchEnv(case.game(), 8)
    with pytest.raises(ToothError, match="reset"):
        batch.step(np.zeros(8, np.int64))
    _, mask = batch.reset(seed=1)
    actions = np.array([chosen(mask[i], 0) for i in range(8)])
    actions[2], actions[5] = -1, 10_000
    before = batch.states()
    mask[:] = 1  # what a caller writes into the public mask does not count
    batch.step(actions)
    assert batch.refused.tolist() == [i in (2, 5) for i in range(8)]
    after = batch.states()
    for i in range(8):
        assert (digest(before, i) == digest(after, i)) == (i in (2, 5))
    assert not batch.reward[[2, 5]].any()
    forbidden = np.argmin(batch.action_mask, axis=1)
    rows = batch.action_mask.min(axis=1) == 0
    batch.step(np.where(rows, forbidden, -1))
    assert batch.refused.all()
    for bad in (np.zeros(7, np.int64), np.zeros(8), np.zeros((8, 1), np.int64)):
        with pytest.raises(ToothError, match="actions"):
            batch.step(bad)


@every_game
def test_arrays_are_written_in_place(case: Case) -> None:
    batch = BatchEnv(case.game(), 4)
    first = batch.reset(seed=1)
    names = ("observation", "action_mask", "seat", "reward", "terminated", "truncated", "final_rank", "view")
    kept = {name: id(getattr(batch, name)) for name in names}
    second = batch.step(batch.random_actions(1))
    assert first[0] is second[0]
    assert {name: id(getattr(batch, name)) for name in names} == kept


@every_case
def test_a_snapshot_goes_on_exactly(case: Case) -> None:
    game = case.game()
    batch = BatchEnv(game, 6)
    batch.reset(seed=1)
    for tick in range(25):
        batch.step(batch.random_actions(tick))
    kept = batch.snapshot()
    other = BatchEnv(game, 6)
    observation, mask = other.restore(kept)
    assert observation.tobytes() == batch.observation.tobytes()
    assert mask.tobytes() == batch.action_mask.tobytes()
    for tick in range(80):
        batch.step(batch.random_actions(tick))
        other.step(other.random_actions(tick))
        assert batch.observation.tobytes() == other.observation.tobytes()
        assert batch.reward.tobytes() == other.reward.tobytes()
        assert batch.final_return[batch.terminated].tobytes() == other.final_return[other.terminated].tobytes()
    with pytest.raises(ToothError, match="does not fit"):
        BatchEnv(game, 5).restore(kept)


def test_games_that_are_over_at_once_are_dealt_anew() -> None:
    """Super Tooth cut off after one turn: a turn that leaves no choice ends the game before anybody was asked."""
    game = tooth_envs.game("super_tooth", num_players=2, max_turns=1)
    assert any(record(game.deal(seed)).over for seed in range(100))
    batch = BatchEnv(game, 200, num_threads=1)
    batch.reset(seed=3)
    dealt = batch.episode.copy()
    assert dealt.any(), "no row met such a game"
    for tick in range(20):
        assert (batch.seat >= 0).all()
        assert batch.action_mask.any(axis=1).all()
        batch.step(batch.random_actions(tick))
        assert not batch.refused.any()
    for i in range(200):
        table = TableEnv(game)
        table.reset(seed=int(batch.game_seed[i]))
        assert not any(table.truncations.values())
    mask = game.new_mask()
    assert loops.playout(game.tables, game.blank, game.new_states(), 5, 1000, mask) > 100


def test_what_cannot_be_a_batch_is_refused() -> None:
    with pytest.raises(ToothError, match="one game"):
        BatchEnv([tooth_envs.game("kuhn"), tooth_envs.game("dragon_teeth_washer")], 2)
    for bad in (0, -1, 1.5, True):
        with pytest.raises(ToothError, match="num_envs"):
            BatchEnv(tooth_envs.game("kuhn"), bad)  # type: ignore[arg-type]
    with pytest.raises(ToothError, match="num_threads"):
        BatchEnv(tooth_envs.game("kuhn"), 2, num_threads=0)


@every_case
def test_lockstep_equals_single(case: Case) -> None:
    game = case.game()
    seeds = [mix_python(1, 2, k) for k in range(9)]
    games = Lockstep(game, seeds)
    tables = []
    for seed in seeds:
        table = TableEnv(game)
        table.reset(seed=seed)
        tables.append(table)
    returns = np.zeros((9, game.max_players))
    tick = 0
    while games.running.any():
        actions = np.full(9, -5, np.int64)
        for i, table in enumerate(tables):
            if not games.running[i]:
                continue
            seen = table.observe(table.agent_selection)
            assert seen["observation"].tobytes() == games.observation[i].tobytes()
            assert seen["action_mask"].tobytes() == games.mask[i].tobytes()
            assert game.view(table.states(), games.seat[i]).tobytes() == games.view[i].tobytes()
            actions[i] = chosen(games.mask[i], mix_python(9, i, tick))
        was_running = games.running.copy()
        games.step(actions)
        tick += 1
        assert not games.refused.any()
        for i, table in enumerate(tables):
            if was_running[i]:
                table.step(int(actions[i]))
                returns[i, : game.num_players] += [table.rewards[agent] for agent in table.possible_agents]
    assert np.allclose(returns, games.returns)
    for i, table in enumerate(tables):
        assert np.array_equal(games.rank[i], table.states()["rank"][0])
        assert games.steps[i] == table.states()["steps"][0]
    assert not games.truncated.any()


def copies_of(original: Any) -> list[Any]:
    return [copy.deepcopy(original), pickle.loads(pickle.dumps(original))]


def everything(batch: BatchEnv | Lockstep) -> dict[str, Any]:
    """All that a caller can read, as it is now."""
    told = {"states": [digest(batch.states(), i) for i in range(len(batch.states()))]}
    for name in dir(batch):
        value = getattr(batch, name) if not name.startswith("_") else None
        if isinstance(value, np.ndarray):
            told[name] = value.tobytes()
    return told


def go_on(batch: BatchEnv | Lockstep, first: int, ticks: int) -> list[dict[str, Any]]:
    """Play at random, by the masks alone."""
    trail = []
    for tick in range(first, first + ticks):
        mask = batch.action_mask if isinstance(batch, BatchEnv) else batch.mask
        batch.step(np.array([chosen(row, mix_python(3, i, tick)) if row.any() else 0 for i, row in enumerate(mask)]))
        trail.append(everything(batch))
    return trail


@every_game
def test_copies_go_on_alike_and_apart(case: Case) -> None:
    """In the middle of games, before the first reset, and with the deals of resets still to come."""
    batch = BatchEnv(case.game(), 5)
    for twin in copies_of(batch):
        with pytest.raises(ToothError, match="reset"):
            twin.step(np.zeros(5, np.int64))
    for original in (batch, Lockstep(case.game(), [4, 5, 6])):
        if isinstance(original, BatchEnv):
            original.reset(seed=8)
            original.reset()
        go_on(original, 0, 1)
        before = everything(original)
        twins = copies_of(original)
        trails = [go_on(twin, 1, 40) for twin in twins]
        assert everything(original) == before, "stepping a copy changed the original"
        own = go_on(original, 1, 40)
        assert own[-1] != before
        assert trails == [own, own]
        if isinstance(original, BatchEnv):
            original.reset()
            for twin in twins:
                twin.reset()
                assert everything(twin) == everything(original)


def test_a_copy_has_the_variants_of_its_batch() -> None:
    games = [Probe.create(num_players=2, length=3), Probe.create(num_players=3, length=5)]
    batch = BatchEnv(games, 3)
    batch.reset(seed=1)
    for twin in copies_of(batch):
        assert twin.num_players.tolist() == [2, 3, 2]
        assert go_on(twin, 0, 12) == go_on(copy.deepcopy(batch), 0, 12)


def test_snapshots_of_other_games_or_games_that_are_over_are_refused() -> None:
    batch = BatchEnv(Probe.create(length=4), 2)
    batch.reset(seed=1)
    kept = batch.snapshot()
    for other in (Probe.create(length=5), Probe.create(length=4, max_steps=9), Probe.create(length=4, teams=True)):
        with pytest.raises(ToothError, match="other options"):
            BatchEnv(other, 2).restore(kept)
    before = everything(batch)
    for field, value in (("over", 1), ("over", 2), ("seat", -1), ("seat", 2)):
        states = kept["states"].copy()
        states[field][1] = value
        with pytest.raises(ToothError, match="no seat is to act"):
            batch.restore({**kept, "states": states})
    with pytest.raises(ToothError, match="other options"):
        batch.restore({name: value for name, value in kept.items() if name != "tables"})
    assert everything(batch) == before, "a refused snapshot left something behind"
    batch.restore(kept)
    assert everything(batch) == before


def test_deals_that_are_over_at_once() -> None:
    """A batch, which would deal for ever, says so."""
    over = Probe.create(length=0, deal_pays=True)
    with pytest.raises(ToothError, match=r"probe.*row 0.*over"):
        BatchEnv(over, 2).reset(seed=1)
    mixed = BatchEnv([Probe.create(), over], 2)
    with pytest.raises(ToothError, match=r"probe.*row 1.*over"):
        mixed.reset(seed=1)


def test_lockstep_has_games_that_are_over_at_once_with_their_rewards() -> None:
    games = Lockstep(Probe.create(length=0, deal_pays=True), [1, 2])
    assert not games.running.any()
    assert games.rank.tolist() == [[1, 2, 0]] * 2
    assert games.returns.tolist() == [[2.0, -2.0, 0.0]] * 2


def test_rewards_of_the_deal_are_paid_with_the_first_decision() -> None:
    """Only the deal and the end pay in this game: nothing is lost or paid twice, however it is played."""
    game = Probe.create(kind="windows", num_players=3, length=4, deal_pays=True)
    for choice, ends in ((0, [1.0, -0.5, -0.5]), (1, None)):
        table, batch = TableEnv(game), BatchEnv(game, 1)
        batch.reset(seed=1)
        games = Lockstep(game, [int(batch.game_seed[0])])
        table.reset(seed=int(batch.game_seed[0]))
        paid = []
        while games.running.any():
            table.step(choice)
            games.step(np.array([choice]))
            batch.step(np.array([choice]))
            paid.append(list(table.rewards.values()))
            assert batch.reward.tolist() == [paid[-1]]
        assert paid[0] == [1.0, -0.5, -0.5]
        assert len(paid) > 1
        assert not np.any(paid[1:-1])
        assert games.returns.tolist() == batch.final_return.tolist() == [np.sum(paid, axis=0).tolist()]
        if ends is not None:
            assert paid[-1] == ends, "all kept 0, so that the first seat wins"


def test_rules_that_run_in_circles_end() -> None:
    """Forced decisions without end truncate the game, in the deal and after a decision."""
    for endless in (0, 2):
        game = Probe.create(length=4, endless=endless)
        table = TableEnv(game)
        table.reset(seed=1)
        for _ in range(endless):
            table.step(0)
        assert all(table.truncations.values())
        assert table.states()["rank"][0].tolist() == [1, 1, 0]
    asked = TableEnv(Probe.create(length=4, endless=0, skip_forced=False))
    asked.reset(seed=1)
    for _ in range(asked.game.options.max_steps):
        asked.step(0)
    assert all(asked.truncations.values()), "asked for every one of them, the cap ends it"
