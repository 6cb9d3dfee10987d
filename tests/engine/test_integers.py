"""One meaning of "integer", at every door."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

import tests.probe
import tooth_envs
from tests.kuhn import Kuhn
from tooth_envs.engine.integers import as_python, integer, integer_in
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.envs.lockstep import Lockstep
from tooth_envs.errors import IllegalAction, ToothError

assert tests.probe.Probe.name == "probe"


class Index:
    """Something of a user's own that stands for a number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


INTEGERS: list[Callable[[int], Any]] = [
    int,
    np.int8,
    np.int64,
    np.uint16,
    np.array,
    lambda number: np.array(number, np.uint8),
    torch.tensor,
    Index,
]
OTHERS: list[Any] = [
    True,
    False,
    np.True_,
    np.array(True),
    torch.tensor(True),
    1.0,
    np.float32(1),
    np.array(1.0),
    torch.tensor(1.0),
    "1",
    None,
    [1],
    np.array([1]),
    torch.tensor([1]),
    Fraction(1),
    1 + 0j,
]


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers(kind: Callable[[int], Any]) -> None:
    assert integer(kind(3)) == 3
    assert type(integer(kind(3))) is int
    assert integer_in(kind(3), 3, 3)
    assert not integer_in(kind(3), 4, 9)


@pytest.mark.parametrize("value", OTHERS, ids=repr)
def test_what_is_no_integer(value: Any) -> None:
    assert integer(value) is None
    assert not integer_in(value, 0, 9)


def test_plain_numbers() -> None:
    given = {"a": np.int64(3), "b": [np.float32(0.5), (np.array(2), "x")], "c": np.bool_(True)}
    found = as_python(given)
    assert found == {"a": 3, "b": [0.5, (2, "x")], "c": True}
    assert [type(found["a"]), type(found["c"])] == [int, bool]


@pytest.mark.parametrize("kind", INTEGERS)
def test_every_door_takes_them(kind: Callable[[int], Any]) -> None:
    env = tooth_envs.make("dragon_teeth_washer", render_seat=kind(1))
    env.reset(seed=kind(5), options={"seats": [kind(seat) for seat in (1, 0, 2, 3)]})
    action = int(env.last()[0]["action_mask"].argmax())
    env.step(kind(action))
    parallel = tooth_envs.make_parallel("kuhn")
    parallel.reset(seed=kind(5))
    parallel.step({parallel.agent_selection: kind(0)})
    single = tooth_envs.make_single("kuhn", seat=kind(1))
    single.reset(seed=kind(5), options={"script": {"draw": [kind(2), kind(0)]}})
    single.step(kind(1))
    batch = BatchEnv(Kuhn.create(), kind(3), kind(1))
    batch.reset(seed=kind(7))
    assert batch.num_envs == 3
    Lockstep(Kuhn.create(), [kind(4)])
    game = tooth_envs.game("probe", num_players=3)
    game.from_dict({"turn": 3, "asked": [1, 1, 1], "seat": kind(0), "decision": "KEEP", "steps": kind(2)})
    states = game.deal(kind(1))
    game.step(states, kind(int(game.legal_mask(states).argmax())))


@pytest.mark.parametrize("kind", [np.int64, np.int16, np.array])
def test_options_may_be_numbers_of_numpy(kind: Callable[[int], Any]) -> None:
    assert tooth_envs.make("dragon_teeth_washer", num_players=kind(3)).game.options.num_players == 3
    assert tooth_envs.make_batch("dragon_teeth_washer", 2, num_players=kind(3)).games[0].num_players == 3
    both = tooth_envs.make_batch("dragon_teeth_washer", 2, num_players=np.array([3, 4]))
    assert [game.num_players for game in both.games] == [3, 4]
    assert tooth_envs.game("dragon_teeth_washer", shaping=np.float32(0.5)).options.shaping == 0.5


@pytest.mark.parametrize("value", OTHERS, ids=repr)
def test_no_door_takes_what_is_none(value: Any) -> None:
    env = tooth_envs.make("dragon_teeth_washer")
    env.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.step(value)
    single = tooth_envs.make_single("kuhn", seat=0)
    single.reset(seed=1)
    with pytest.raises(IllegalAction):
        single.step(value)
    if value is not None:
        with pytest.raises(ToothError):
            env.reset(seed=value)
        with pytest.raises(ToothError):
            single.reset(seed=value)
    with pytest.raises(ToothError):
        tooth_envs.make_single("kuhn", seat=value)
    with pytest.raises(ToothError):
        BatchEnv(Kuhn.create(), value)
