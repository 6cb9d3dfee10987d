"""What exists from the first reset on says so, and nothing else is hidden by that."""

from __future__ import annotations

import pytest

import tests.kuhn
import tooth_envs
from tooth_envs.errors import GameOver, NotReset

assert tests.kuhn.Kuhn.name == "kuhn"
NAMES = ("agent_selection", "rewards", "terminations", "truncations", "infos", "_cumulative_rewards")


@pytest.mark.parametrize("name", NAMES)
def test_a_table(name: str) -> None:
    env = tooth_envs.make("kuhn")
    with pytest.raises(NotReset, match=f"kuhn: {name} exists from the first reset on; call reset"):
        getattr(env, name)
    with pytest.raises(GameOver):
        getattr(env, name)
    assert not hasattr(env, name)
    env.reset(seed=1)
    assert hasattr(env, name)


def test_other_forms() -> None:
    with pytest.raises(NotReset, match="agent_selection exists from the first reset on"):
        _ = tooth_envs.make_parallel("kuhn").agent_selection
    single = tooth_envs.make_single("kuhn")
    for name in ("seat", "game_seed"):
        with pytest.raises(NotReset, match=f"{name} exists from the first reset on"):
            getattr(single, name)
    with pytest.raises(GameOver, match="call reset"):
        single.action_masks()


def test_names_that_do_not_exist_at_all() -> None:
    for env in (tooth_envs.make("kuhn"), tooth_envs.make_single("kuhn")):
        env.reset(seed=1)
        with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
            _ = env.nonsense
        assert not hasattr(env, "nonsense")
