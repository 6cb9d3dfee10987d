from __future__ import annotations

import numpy as np

from tests.engine.test_chance import fresh
from tooth_envs.engine import piles
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.state import record


@compiled
def draw_all(states, out):
    for i in range(len(out)):
        out[i] = piles.draw_known(states[0], 0, states[0].pile, states[0].known)


@compiled
def on_top(states, kind):
    return piles.put_on_top(states[0].known, kind)


@compiled
def pour(states):
    piles.pour(states[0].hand, states[0].pile)


@compiled
def forget(states):
    piles.forget_order(states[0].pile, states[0].known)


@compiled
def remove(states, kind):
    return piles.remove(states[0].pile, kind)


@compiled
def size(states):
    return piles.size(states[0].pile)


def test_a_pile_is_drawn_to_the_last_card_in_fair_order() -> None:
    first = []
    for seed in range(3000):
        states = fresh(seed)
        record(states).pile[:] = [2, 0, 1, 0, 3]
        assert size(states) == 6
        out = np.zeros(7, np.int64)
        draw_all(states, out)
        assert sorted(out[:6]) == [0, 0, 2, 4, 4, 4]
        assert out[6] == -1
        first.append(out[0])
    share = np.bincount(first, minlength=5) / 3000
    assert np.allclose(share, [2 / 6, 0, 1 / 6, 0, 3 / 6], atol=0.035)


def test_known_cards_come_from_the_top() -> None:
    states = fresh(1)
    record(states).pile[:] = [0, 1, 0, 0, 0]
    assert on_top(states, 3)
    assert on_top(states, 0)
    assert on_top(states, 4)
    assert not on_top(states, 2), "no more can be remembered"
    out = np.zeros(5, np.int64)
    draw_all(states, out)
    assert out.tolist() == [4, 0, 3, 1, -1]
    assert not record(states).known.any()


def test_forgetting_the_order_keeps_the_cards() -> None:
    states = fresh(1)
    on_top(states, 3)
    on_top(states, 3)
    forget(states)
    assert record(states).pile.tolist() == [0, 0, 0, 2, 0]
    assert not record(states).known.any()


def test_pouring_and_removing() -> None:
    states = fresh()
    record(states).hand[:] = [1, 2, 3, 0, 0]
    record(states).pile[:] = [0, 1, 0, 0, 1]
    pour(states)
    assert record(states).pile.tolist() == [1, 3, 3, 0, 1]
    assert not record(states).hand.any()
    assert remove(states, 4)
    assert not remove(states, 4)
    assert record(states).pile.tolist() == [1, 3, 3, 0, 0]
