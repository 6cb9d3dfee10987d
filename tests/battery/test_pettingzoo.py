"""PettingZoo's, gymnasium's and stable-baselines3's own tests, over seats, seeds and variants."""

from __future__ import annotations

import warnings
from functools import partial

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test

import tooth_envs
from tests.cases import CASES, MAIN_CASES, Case, case_id
from tests.support import chosen
from tooth_envs.aec import TableEnv
from tooth_envs.engine.chance import mix_python
from tooth_envs.errors import GameOver, IllegalAction, OpponentError
from tooth_envs.parallel import ParallelTable
from tooth_envs.single import SingleSeatEnv

every_case = pytest.mark.parametrize("case", CASES, ids=case_id)
every_game = pytest.mark.parametrize("case", MAIN_CASES, ids=case_id)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@every_case
def test_api(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(3):
        env = TableEnv(case.game())
        env.reset(seed=seed)
        api_test(env, num_cycles=1000)


@every_case
def test_seeds(case: Case) -> None:
    seed_test(lambda: TableEnv(case.game()), num_cycles=200)


@every_game
def test_render(case: Case) -> None:
    def make(render_mode: str | None = None) -> TableEnv:
        return TableEnv(case.game(), render_mode=render_mode)

    render_test(make)
    env = make("rgb_array")
    env.reset(seed=0)
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 5, "an empty picture"
    env = make("ansi")
    env.reset(seed=0)
    seen = set()
    while not any(env.terminations.values()):
        text = env.render()
        assert isinstance(text, str)
        assert "Legal actions" in text
        seen.add(text)
        env.step(chosen(env.observe(env.agent_selection)["action_mask"], 1))
    assert env.render()
    assert len(seen) > 1
    with pytest.raises(ValueError, match="render_mode"):
        TableEnv(case.game(), render_mode="video")


@every_case
def test_parallel(case: Case) -> None:
    parallel_api_test(ParallelTable(TableEnv(case.game())), num_cycles=300)
    table, twin = TableEnv(case.game()), ParallelTable(TableEnv(case.game()))
    total_paid = 0
    for seed in range(3):
        table.reset(seed=seed)
        seen, _ = twin.reset(seed=seed)
        paid = 0
        while twin.agents:
            mover = table.agent_selection
            assert [agent for agent in seen if seen[agent]["action_mask"].any()] == [mover]
            action = chosen(seen[mover]["action_mask"], mix_python(seed, 1, int(table.states()["steps"][0])))
            with pytest.raises(IllegalAction):
                twin.step({})
            table.step(action)
            seen, rewards, terminations, truncations, _ = twin.step({mover: action})
            assert rewards == table.rewards
            paid += any(rewards.values())
            assert terminations == table.terminations
            assert truncations == table.truncations
        total_paid += paid
        with pytest.raises(GameOver):
            twin.step({})
    assert total_paid, "a test without rewards proves little"


@every_case
def test_single_seat(case: Case) -> None:
    from stable_baselines3.common.env_checker import check_env as sb3_check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = SingleSeatEnv(case.game())
        # Their random actions take no notice of masks, so both checkers get an environment where they are repaired.
        check_env(_Repaired(env), skip_render_check=True)
        sb3_check_env(_Repaired(SingleSeatEnv(case.game())))
    for seat in (0, case.game().num_players - 1):
        env = SingleSeatEnv(case.game(), seat=seat)
        table = TableEnv(case.game())
        for seed in range(4):
            seen, info = env.reset(seed=seed)
            assert info["seat"] == seat
            total, over = 0.0, False
            while not over:
                assert seen["action_mask"].any()
                assert np.array_equal(env.action_masks(), seen["action_mask"] == 1)
                bad = np.flatnonzero(seen["action_mask"] == 0)
                if len(bad):
                    with pytest.raises(IllegalAction):
                        env.step(int(bad[0]))
                seen, reward, terminated, truncated, info = env.step(chosen(seen["action_mask"], seed))
                total += reward
                over = terminated or truncated
            assert not seen["action_mask"].any()
            low, high = env.game.reward_bounds()
            assert low <= total <= high
            assert 1 <= info["rank"] <= env.game.num_players
            with pytest.raises(GameOver):
                env.step(0)
        table.reset(seed=0)


class _Repaired(gymnasium.ActionWrapper):  # type: ignore[type-arg]
    def action(self, action: int) -> int:
        masks = self.env.unwrapped.action_masks()  # type: ignore[attr-defined]
        legal = np.flatnonzero(masks)
        return int(legal[int(action) % len(legal)]) if len(legal) else int(action)


def test_single_seat_takes_the_rewards_of_others_turns() -> None:
    """Against opponents that fold, the learner wins in their turn: that reward must arrive with its own last step."""

    class Passive:
        def act(self, observation, view, mask, key):  # type: ignore[no-untyped-def]
            return np.zeros(len(mask), np.int64)

    env = SingleSeatEnv(tooth_envs.game("kuhn"), opponents=Passive(), seat=0)
    env.reset(seed=0)
    assert env.step(1)[1:3] == (1.0, True)
    with pytest.raises(ValueError, match="opponents"):
        SingleSeatEnv(tooth_envs.game("kuhn"), opponents=[Passive(), Passive()])
    with pytest.raises(ValueError, match="seat"):
        SingleSeatEnv(tooth_envs.game("kuhn"), seat=2)

    class Broken(Passive):
        def act(self, observation, view, mask, key):  # type: ignore[no-untyped-def]
            return np.full(len(mask), 99)

    env = SingleSeatEnv(tooth_envs.game("kuhn"), opponents=Broken(), seat=1)
    with pytest.raises(OpponentError, match="Broken"):
        env.reset(seed=0)


@every_game
def test_registries(case: Case) -> None:
    env_id = f"tooth_envs/{case.name}-v{tooth_envs.game_class(case.name).version}"
    single = gymnasium.make(env_id)
    seen, _ = single.reset(seed=1)
    assert single.observation_space.contains(seen)
    table = pettingzoo.make("aec", env_id, **case.options)
    assert isinstance(table, TableEnv)
    assert table.game.options == case.game().options
    assert isinstance(pettingzoo.make("parallel", env_id), ParallelTable)


def test_modules_of_the_built_in_games() -> None:
    from importlib import import_module

    from tooth_envs.registry import BUILT_IN

    for name, built_in in BUILT_IN.items():
        cls = tooth_envs.game_class(name)
        assert cls.version == built_in.version
        module = import_module(f"tooth_envs.{name}_v{cls.version}")
        env = module.env(num_players=cls.max_players)
        assert isinstance(env, TableEnv)
        assert isinstance(module.raw_env(render_mode="ansi"), TableEnv)
        assert isinstance(module.parallel_env(), ParallelTable)
        assert str(env) == f"{name}_v{cls.version}"
        assert isinstance(module.env, partial)
