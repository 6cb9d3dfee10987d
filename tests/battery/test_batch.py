"""BatchEnv and Lockstep play exactly what TableEnv plays."""

from __future__ import annotations

import numpy as np
import pytest

import tooth_envs
from tests.cases import CASES, MAIN_CASES, Case, case_id
from tests.support import chosen
from tooth_envs.aec import TableEnv
from tooth_envs.batch import BatchEnv
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.state import digest
from tooth_envs.errors import ToothError
from tooth_envs.lockstep import Lockstep

every_case = pytest.mark.parametrize("case", CASES, ids=case_id)
every_game = pytest.mark.parametrize("case", MAIN_CASES, ids=case_id)


@every_case
def test_batch_equals_single(case: Case) -> None:
    game = case.game()
    batch = BatchEnv(game, 7, num_threads=1)
    observation, mask = batch.reset(seed=13)
    tables = [TableEnv(game) for _ in range(7)]
    for i, table in enumerate(tables):
        table.reset(seed=int(batch.game_seed[i]))
    returns = np.zeros((7, game.max_players))
    ended = tick = 0
    while tick < 150 or ended <= 7:
        actions = np.zeros(7, np.int64)
        movers = []
        for i, table in enumerate(tables):
            seen = table.observe(table.agent_selection)
            assert table.agent_selection == f"player_{batch.seat[i]}"
            assert seen["observation"].tobytes() == observation[i].tobytes()
            assert seen["action_mask"].tobytes() == mask[i].tobytes()
            assert digest(batch.states(), i) == table.digest()
            actions[i] = chosen(mask[i], mix_python(5, i, tick))
            movers.append(table.agent_selection)
        batch.step(actions)
        assert not batch.refused.any()
        for i, table in enumerate(tables):
            table.step(int(actions[i]))
            rewards = [table.rewards[agent] for agent in table.possible_agents]
            assert batch.reward[i, : game.num_players].tolist() == rewards
            returns[i, : game.num_players] += rewards
            over = any(table.terminations.values()) or any(table.truncations.values())
            assert bool(batch.terminated[i]) == any(table.terminations.values())
            assert bool(batch.truncated[i]) == any(table.truncations.values())
            if over:
                ended += 1
                state = table.states()
                assert np.array_equal(batch.final_rank[i], state["rank"][0])
                assert batch.final_steps[i] == state["steps"][0]
                assert np.allclose(batch.final_return[i], returns[i])
                assert batch.final_observation[i].tobytes() == table.observe(movers[i])["observation"].tobytes()
                returns[i] = 0.0
                table.reset(seed=int(batch.game_seed[i]))
        tick += 1
    assert batch.episode.sum() == ended


@every_game
def test_rows_do_not_depend_on_threads_or_on_other_rows(case: Case) -> None:
    game = case.game()
    runs = []
    for rows, threads in ((64, 1), (64, 2), (64, None), (16, 1)):
        batch = BatchEnv(game, rows, num_threads=threads)
        batch.reset(seed=3)
        trail = []
        for tick in range(60):
            batch.step(batch.random_actions(tick))
            trail.append([digest(batch.states(), i) for i in range(16)])
        runs.append((trail, batch.observation[:16].tobytes(), batch.final_return[:16].tobytes()))
    assert all(run == runs[0] for run in runs[1:])


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


def test_variants_share_a_batch() -> None:
    batch = tooth_envs.make_batch("dragon_teeth_washer", 9, num_players=[3, 4, 5])
    batch.reset(seed=4)
    assert batch.num_players.tolist() == [3, 4, 5] * 3
    for tick in range(200):
        batch.step(batch.random_actions(tick))
        assert (batch.seat < batch.num_players).all()
    for i, count in enumerate((3, 4, 5)):
        table = TableEnv(tooth_envs.game("dragon_teeth_washer", num_players=count))
        table.reset(seed=int(batch.game_seed[i]))
        while table.states()["steps"][0] < batch.states()["steps"][i]:
            break
        assert batch.states()["players"][i] == count
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
