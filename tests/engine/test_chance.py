from __future__ import annotations

import numpy as np
import pytest

from tests.support import state_dtype
from tooth_envs.engine import chance, piles
from tooth_envs.engine.chance import ANY, DIE, DRAW, PICK, mix, mix_python, set_script
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import numbers
from tooth_envs.engine.state import record, zeros
from tooth_envs.errors import ScriptError

DTYPE = state_dtype(2, 3, 12, 2, pile=numbers("", (5,)), hand=numbers("", (5,)), known=numbers("", (4,)))


@compiled
def roll(states, sides, out):
    for i in range(len(out)):
        out[i] = chance.die(states[0], 1, sides)


@compiled
def picks(states, stream, n, out):
    for i in range(len(out)):
        out[i] = chance.pick(states[0], stream, n)


@compiled
def draws(states, out):
    for i in range(len(out)):
        out[i] = piles.draw(states[0], 2, states[0].pile)


@compiled
def shuffled(states, out):
    chance.shuffle(states[0], 0, out, len(out))


def fresh(seed: int = 0):  # type: ignore[no-untyped-def]
    states = zeros(DTYPE, 1)
    record(states).seed = seed
    return states


def test_the_hash_is_the_same_in_python_and_compiled() -> None:
    rng = np.random.default_rng(0)
    for seed, stream, tick in [
        (0, 0, 0),
        (2**63 - 1, 2**31 - 1, 2**31 - 1),
        *rng.integers(0, 2**62, (300, 3)).tolist(),
    ]:
        value = int(chance.mix_compiled(seed, stream, tick))
        assert value == mix_python(seed, stream, tick)
        assert 0 <= value < 2**63


def test_known_values_of_the_hash() -> None:
    """Frozen: a change here changes every game of every seed."""
    assert int(mix(0, 0, 0)) == 6017775124710473527
    assert int(mix(1, 2, 3)) == 536453521966306493
    assert int(mix(2**63 - 1, 5, 1000)) == 1183603831572987099


def test_numbers_are_uniform_and_streams_independent() -> None:
    out = np.zeros(60_000, np.int64)
    states = fresh(7)
    picks(states, 0, 6, out)
    counts = np.bincount(out, minlength=6)
    assert abs(counts - 10_000).max() < 400  # 4.4 standard deviations
    pairs = np.bincount(out[:-1] * 6 + out[1:], minlength=36)
    assert ((pairs - 1666.6) ** 2 / 1666.6).sum() < 75  # chi-square, 35 degrees of freedom, p about 1e-4
    other = np.zeros(60_000, np.int64)
    picks(states, 1, 6, other)
    assert 0.15 < (out == other).mean() < 0.185
    assert record(states).ticks.tolist()[2] == 0


def test_a_stream_does_not_notice_the_others() -> None:
    alone, mixed = fresh(3), fresh(3)
    first, second, waste = np.zeros(50, np.int64), np.zeros(50, np.int64), np.zeros(20, np.int64)
    picks(alone, 1, 10, first)
    picks(mixed, 0, 4, waste)
    picks(mixed, 1, 10, second)
    assert np.array_equal(first, second)


def test_shuffles_are_permutations_of_equal_probability() -> None:
    seen: dict[tuple[int, ...], int] = {}
    for seed in range(6000):
        order = np.arange(3)
        shuffled(fresh(seed), order)
        seen[tuple(order)] = seen.get(tuple(order), 0) + 1
    assert len(seen) == 6
    assert abs(np.array(list(seen.values())) - 1000).max() < 150


def test_scripts_come_first_in_order_of_use() -> None:
    states = fresh()
    set_script(record(states), {"die": [6, 1], "pick": [2], "draw": [4]})
    out = np.zeros(2, np.int64)
    roll(states, 6, out)
    assert out.tolist() == [6, 1]
    one = np.zeros(1, np.int64)
    picks(states, 0, 3, one)
    assert one[0] == 2
    record(states).pile[:] = [1, 0, 0, 0, 1]
    draws(states, one)
    assert one[0] == 4
    assert record(states).pile.tolist() == [1, 0, 0, 0, 0]
    assert record(states).fault == 0
    assert record(states).open_count == 0
    assert not record(states).ticks.any(), "scripted outcomes use up no random number"


def test_any_outcomes_answer_whatever_is_asked_and_the_first_open_request_is_noted() -> None:
    states = fresh()
    record(states).pile[:] = [2, 0, 3, 0, 0]
    set_script(record(states), {"any": [5, 3]})
    one = np.zeros(1, np.int64)
    roll(states, 6, one)
    assert one[0] == 6
    draws(states, one)
    assert one[0] == 2, "index 3 of two 0s and three 2s"
    assert record(states).open_count == 0
    draws(states, one)
    assert (record(states).open_kind, record(states).open_count) == (DRAW, 4)
    roll(states, 8, one)
    assert record(states).open_count == 4, "only the first is noted"


@pytest.mark.parametrize(
    ("script", "fault"),
    [({"die": [7]}, 1), ({"die": [0]}, 1), ({"any": [6]}, 1), ({"draw": [1]}, 2), ({"draw": [99]}, 2)],
)
def test_impossible_outcomes_are_noted(script: dict[str, list[int]], fault: int) -> None:
    states = fresh()
    record(states).pile[:] = [1, 0, 0, 0, 0]
    set_script(record(states), script)
    one = np.zeros(1, np.int64)
    if "draw" in script:
        draws(states, one)
        assert one[0] == 0
    else:
        roll(states, 6, one)
        assert 1 <= one[0] <= 6
    assert record(states).fault == fault


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ({"coin": [1]}, "unknown kind 'coin'"),
        ({"die": [1, -2]}, r"die\[1\] is -2"),
        ({"die": [1.5]}, "1.5"),
        ({"die": [True]}, "True"),
        ({"pick": [1] * 13}, "13 outcomes"),
    ],
)
def test_bad_scripts_are_refused(script: dict[str, list[int]], words: str) -> None:
    with pytest.raises(ScriptError, match=words):
        set_script(record(fresh()), script)


def test_kinds() -> None:
    assert [chance.KINDS[kind] for kind in (ANY, DIE, PICK, DRAW)] == ["any", "die", "pick", "draw"]
    with pytest.raises(ScriptError):
        set_script(record(fresh()), {"die": [2**15]})
