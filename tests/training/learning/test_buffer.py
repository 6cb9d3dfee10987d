"""Credit along each seat's own decisions: by hand, against a slow second implementation, and stable-baselines3's."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete
from stable_baselines3.common.buffers import RolloutBuffer
from tooth_training.learning.buffer import CAPPED, ENDED, OPEN, SeatRolloutBuffer, parts_of, seat_advantages

from tooth_envs.engine.state import zeros
from tooth_envs.errors import ToothError

A, D = 4, 3


def walk(seat, reward, over, value, gamma=1.0, lam=1.0):
    """Advantages and validity of one game (lists over time)."""
    T = len(seat)
    advantage, valid = np.full((T, 1), np.nan, np.float32), np.zeros((T, 1), np.bool_)
    seat_advantages(
        np.array(seat, np.int16).reshape(T, 1),
        np.array(reward, np.float64).reshape(T, 1, -1),
        np.array(over, np.int8).reshape(T, 1),
        np.array(value, np.float32).reshape(T, 1),
        gamma,
        lam,
        advantage,
        valid,
        zeros(OPEN, np.shape(reward)[-1]),
    )
    return advantage[:, 0], valid[:, 0].tolist()


def test_two_seats_by_hand():
    # Seat 0 decides at 0, 2, 4 and is fined 0.5 while seat 1 moves at 1; the last move wins for seat 0.
    advantage, valid = walk(
        seat=[0, 1, 0, 1, 0],
        reward=[[0, 0], [-0.5, 0], [0, 0], [0, 0], [1, -1]],
        over=[0, 0, 0, 0, ENDED],
        value=[0.1, 0.2, 0.3, 0.4, 0.5],
        gamma=0.9,
        lam=0.5,
    )
    assert all(valid)
    # Backwards: 1 - .5; -1 - .4; .9 * .5 - .3 + .45 * .5; .9 * .4 - .2 + .45 * -1.4; -.5 + .9 * .3 - .1 + .45 * .375
    np.testing.assert_allclose(advantage, [-0.16125, -0.47, 0.375, -1.4, 0.5], rtol=1e-6)


def test_three_seats_with_open_tails_by_hand():
    # Nobody's game ends. Seat 1 is paid .25 while seat 0 moves at 3; the 9 that seat 0 gets at 5 belongs to its tail.
    advantage, valid = walk(
        seat=[0, 1, 2, 0, 2, 1],
        reward=[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0.25, 0], [0, 0, 0], [9, 0, 0]],
        over=[0] * 6,
        value=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
    )
    assert valid == [True, True, True, False, False, False]
    # Each bootstraps from the seat's own tail: .4 - .1, .25 + .6 - .2, .5 - .3
    np.testing.assert_allclose(advantage, [0.3, 0.65, 0.2, 0, 0, 0], rtol=1e-6)


def test_step_cap_bootstraps_from_the_own_last_value():
    advantage, valid = walk(
        seat=[0, 1, 0], reward=[[0, 0], [0, 0], [0.5, -0.25]], over=[0, 0, CAPPED], value=[0.1, 0.2, 0.3]
    )
    assert all(valid)
    # 2: .5 + .3 - .3. 1: -.25 + .2 - .2. 0: .3 - .1 + .5
    np.testing.assert_allclose(advantage, [0.7, -0.25, 0.5], rtol=1e-6)
    ended, _ = walk(seat=[0, 1, 0], reward=[[0, 0], [0, 0], [0.5, -0.25]], over=[0, 0, ENDED], value=[0.1, 0.2, 0.3])
    np.testing.assert_allclose(ended, [0.4, -0.45, 0.2], rtol=1e-6)


def test_nothing_leaks_from_one_game_into_the_next():
    # The second game pays seat 0 before its first decision there: that belongs to no decision at all.
    advantage, valid = walk(
        seat=[0, 1, 1, 0], reward=[[0, 0], [1, -1], [7, 0], [0, 7]], over=[0, ENDED, 0, 0], value=[0.25, 0.5, 0.75, 1.0]
    )
    assert valid == [True, True, False, False]
    np.testing.assert_allclose(advantage, [0.75, -1.5, 0, 0])


def test_a_seat_that_is_out_gets_its_last_place():
    # Seat 2 decides once and is eliminated; the game ends much later.
    advantage, _ = walk(
        seat=[2, 0, 1, 0], reward=[[0, 0, 0]] * 3 + [[1, 0, -1]], over=[0, 0, 0, ENDED], value=[0.5, 0, 0, 0]
    )
    assert advantage[0] == pytest.approx(-1.5)


def slow_reference(seat, reward, over, value, gamma, lam):
    """The definition, forwards: cut into games, list each seat's decisions, sum (gamma lam)^j delta_j."""
    T, N, P = reward.shape
    advantage, valid = np.zeros((T, N)), np.zeros((T, N), bool)
    for i in range(N):
        ends = [t for t in range(T) if over[t, i]]
        begin = 0
        for end in [*ends, T]:
            stop = min(end, T - 1)
            how = over[stop, i] if end < T else 0
            for s in range(P):
                mine = [t for t in range(begin, stop + 1) if seat[t, i] == s]
                deltas = []
                for k, t in enumerate(mine):
                    last = k + 1 == len(mine)
                    until = stop + 1 if last else mine[k + 1]
                    earned = reward[t:until, i, s].sum()
                    if not last:
                        follows = value[mine[k + 1], i]
                    elif how == CAPPED:
                        follows = value[t, i]
                    else:
                        follows = 0.0
                    deltas.append(earned + gamma * follows - value[t, i])
                if not how and mine:
                    deltas.pop()  # the open tail
                for k in range(len(deltas)):
                    valid[mine[k], i] = True
                    advantage[mine[k], i] = sum((gamma * lam) ** (j - k) * deltas[j] for j in range(k, len(deltas)))
            begin = stop + 1
    return advantage, valid


@pytest.mark.parametrize("seats", [1, 2, 3, 5])
def test_equals_the_slow_reference_on_random_data(seats):
    rng = np.random.default_rng(seats)
    for trial in range(20):
        T, N = int(rng.integers(2, 30)), 4
        seat = rng.integers(0, seats, (T, N)).astype(np.int16)
        reward = rng.normal(size=(T, N, seats)) * rng.integers(0, 2, (T, N, seats))
        over = rng.choice([0, 0, 0, 0, ENDED, CAPPED], (T, N)).astype(np.int8)
        value = rng.normal(size=(T, N)).astype(np.float32)
        gamma, lam = rng.uniform(0.8, 1.0), rng.uniform(0.0, 1.0)
        advantage, valid = np.zeros((T, N), np.float32), np.zeros((T, N), np.bool_)
        seat_advantages(seat, reward, over, value, gamma, lam, advantage, valid, zeros(OPEN, N * seats))
        expected, expected_valid = slow_reference(seat, reward, over, value, gamma, lam)
        np.testing.assert_array_equal(valid, expected_valid, err_msg=f"trial {trial}")
        np.testing.assert_allclose(advantage, expected, atol=1e-5, err_msg=f"trial {trial}")


class Recorded(SimpleNamespace):
    """The part of BatchVecEnv that the buffer reads."""

    def __init__(self, N: int, P: int) -> None:
        super().__init__(
            num_envs=N,
            batch=SimpleNamespace(max_players=P),
            beginnings=1,
            acted_seat=np.zeros(N, np.int16),
            step_reward=np.zeros((N, P)),
            step_over=np.zeros(N, np.int8),
        )


def filled(seat, reward, over, value, gamma=1.0, lam=0.95, seed=0):
    """A full buffer; the first number of every observation is its place t * N + i."""
    T, N, P = reward.shape
    env = Recorded(N, P)
    buffer = SeatRolloutBuffer(
        T, Box(0, 1, (D,), np.float32), Discrete(A), "cpu", gae_lambda=lam, gamma=gamma, n_envs=N
    )
    buffer.attach(env)
    buffer.reset()
    rng = np.random.default_rng(seed)
    for t in range(T):
        env.acted_seat[:], env.step_reward[:], env.step_over[:] = seat[t], reward[t], over[t]
        obs = np.zeros((N, D), np.float32)
        obs[:, 0] = t * N + np.arange(N)
        buffer.add(
            obs,
            (t * N + np.arange(N)) % A,
            np.full(N, 1e6, np.float32),
            np.ones(N, bool),
            torch.from_numpy(value[t].reshape(N, 1)),
            torch.from_numpy(-obs[:, 0]),
            action_masks=rng.integers(0, 2, (N, A)).astype(bool),
        )
    buffer.compute_returns_and_advantage(torch.full((N, 1), 1e6), np.ones(N, bool))
    return buffer


def random_rollout(T, N, P, seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.integers(0, P, (T, N)).astype(np.int16),
        rng.normal(size=(T, N, P)),
        rng.choice([0, 0, 0, 0, 0, ENDED], (T, N)).astype(np.int8),
        rng.normal(size=(T, N)).astype(np.float32),
    )


@pytest.mark.parametrize("batch_size", [2, 7, 16, 33, 1000, None])
def test_minibatches_hold_every_valid_decision_once(batch_size):
    seat, reward, over, value = random_rollout(11, 6, 3, seed=3)
    buffer = filled(seat, reward, over, value)
    advantage, valid = slow_reference(seat, reward, over, value, 1.0, 0.95)
    assert not valid.all()
    assert valid.sum() % 2 == 1  # so that parts of 2 would leave one decision over
    parts = list(buffer.get(batch_size))
    sizes = [len(part.observations) for part in parts]
    assert min(sizes) >= 2
    assert max(sizes) - min(sizes) <= 1
    places = torch.cat([part.observations[:, 0] for part in parts]).long().numpy()
    assert sorted(places) == np.flatnonzero(valid.reshape(-1)).tolist()
    for part in parts:
        place = part.observations[:, 0].long().numpy()
        assert part.action_masks.dtype == torch.bool
        assert part.actions.flatten().tolist() == (place % A).tolist()
        np.testing.assert_array_equal(part.old_log_prob, -place)
        np.testing.assert_array_equal(part.old_values, value.reshape(-1)[place])
        np.testing.assert_allclose(part.advantages, advantage.reshape(-1)[place], atol=1e-5)
        np.testing.assert_allclose(part.returns, (advantage + value).reshape(-1)[place], atol=1e-5)
    again = torch.cat([part.observations[:, 0] for part in buffer.get(batch_size)]).long().numpy()
    assert sorted(again) == sorted(places)
    assert again.tolist() != places.tolist()  # another order in the next epoch


def test_masks_stay_with_their_decisions():
    seat, reward, over, value = random_rollout(9, 4, 2, seed=3)
    buffer = filled(seat, reward, over, value, seed=3)
    rng = np.random.default_rng(3)
    masks = np.stack([rng.integers(0, 2, (4, A)) for _ in range(9)]).astype(bool).reshape(-1, A)
    for part in buffer.get(8):
        np.testing.assert_array_equal(part.action_masks, masks[part.observations[:, 0].long()])


def test_statistics_see_valid_decisions_alone():
    """MaskablePPO computes the explained variance from these two after its epochs."""
    seat, reward, over, value = random_rollout(11, 6, 3)
    buffer = filled(seat, reward, over, value)
    advantage, valid = slow_reference(seat, reward, over, value, 1.0, 0.95)
    list(buffer.get(8))
    np.testing.assert_array_equal(buffer.values.flatten(), value[valid])
    np.testing.assert_allclose(buffer.returns.flatten(), (advantage + value)[valid], atol=1e-5)


def test_one_seat_equals_stable_baselines3():
    rng = np.random.default_rng(5)
    T, N = 40, 3
    reward, value = rng.normal(size=(T, N, 1)), rng.normal(size=(T, N)).astype(np.float32)
    over = rng.choice([0, 0, 0, ENDED], (T, N)).astype(np.int8)
    over[-1] = ENDED
    ours = filled(np.zeros((T, N), np.int16), reward, over, value, gamma=0.97, lam=0.9)
    stock = RolloutBuffer(T, Box(0, 1, (D,), np.float32), Discrete(A), "cpu", gae_lambda=0.9, gamma=0.97, n_envs=N)
    starts = np.vstack([np.ones((1, N), bool), over[:-1] != 0])
    for t in range(T):
        stock.add(
            np.zeros((N, D), np.float32),
            np.zeros((N, 1)),
            reward[t, :, 0],
            starts[t],
            torch.from_numpy(value[t]),
            torch.zeros(N),
        )
    stock.compute_returns_and_advantage(torch.zeros(N, 1), over[-1] != 0)
    np.testing.assert_allclose(ours.advantages, stock.advantages, atol=1e-5)
    np.testing.assert_allclose(ours.returns, stock.returns, atol=1e-5)


def feed(buffer, seat, reward, over, value, first=0):
    """A rollout into a buffer, in place numbers from ``first``; log-probabilities are minus the place."""
    env, (T, N, _) = buffer._env, reward.shape
    buffer.reset()
    for t in range(T):
        env.acted_seat[:], env.step_reward[:], env.step_over[:] = seat[t], reward[t], over[t]
        obs = np.zeros((N, D), np.float32)
        obs[:, 0] = first + t * N + np.arange(N)
        buffer.add(
            obs,
            obs[:, 0].astype(int) % A,
            None,
            None,
            torch.from_numpy(value[t]),
            torch.from_numpy(-obs[:, 0]),
            np.arange(A) <= obs[:, :1] % A,
        )
    buffer.compute_returns_and_advantage(torch.zeros(N), np.zeros(N))


def learnt(buffer):
    """What the minibatches hold: place -> (advantage, return, old value), having checked that the rest belongs."""
    found = {}
    for part in buffer.get(7):
        for k, place in enumerate(part.observations[:, 0].long().tolist()):
            assert place not in found
            assert part.actions[k].item() == place % A
            assert part.old_log_prob[k].item() == -place
            assert part.action_masks[k].tolist() == [a <= place % A for a in range(A)]
            found[place] = (part.advantages[k].item(), part.returns[k].item(), part.old_values[k].item())
    return found


def empty(T, N, P, gamma=1.0, lam=0.95):
    buffer = SeatRolloutBuffer(
        T, Box(0, 1, (D,), np.float32), Discrete(A), "cpu", gae_lambda=lam, gamma=gamma, n_envs=N
    )
    buffer.attach(Recorded(N, P))
    return buffer


def test_a_seat_that_is_out_long_before_the_end_is_told_that_it_lost():
    # Seat 2 decides once, in the first rollout; the game ends in the third.
    buffer = empty(6, 1, 3, lam=1.0)
    seats = np.array([[2], [0], [1], [0], [1], [0]], np.int16)
    paid, over, value = np.zeros((6, 1, 3)), np.zeros((6, 1), np.int8), np.full((6, 1), 0.25, np.float32)
    paid[2, 0, 2] = -0.5  # fined while others move
    feed(buffer, seats, paid, over, value)
    assert 0 not in learnt(buffer)
    others = np.array([[0], [1], [0], [1], [0], [1]], np.int16)
    feed(buffer, others, paid, over, value, first=6)
    assert 0 not in learnt(buffer)
    over[5] = ENDED
    paid = np.zeros((6, 1, 3))
    paid[5, 0] = [1, 0, -1]
    feed(buffer, others, paid, over, value, first=12)
    advantage, target, old = learnt(buffer)[0]
    assert old == 0.25
    assert target == pytest.approx(-0.5 - 0.5 - 1.0)
    assert advantage == pytest.approx(-2.25)
    feed(buffer, others, np.zeros((6, 1, 3)), over, value, first=18)
    assert 0 not in learnt(buffer), "learnt twice"


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_rollouts_in_pieces_learn_what_one_long_one_does(gamma):
    """With lambda 0 nothing but the next own decision matters, so the cuts must not show at all."""
    seat, reward, over, value = random_rollout(24, 5, 3, seed=11)
    over[7, 2] = CAPPED
    whole = empty(24, 5, 3, gamma, 0.0)
    feed(whole, seat, reward, over, value)
    pieces = empty(6, 5, 3, gamma, 0.0)
    found = {}
    for first in range(0, 24, 6):
        part = slice(first, first + 6)
        feed(pieces, seat[part], reward[part], over[part], value[part], first=first * 5)
        new = learnt(pieces)
        assert not new.keys() & found.keys()
        found.update(new)
    expected = learnt(whole)
    assert found.keys() == expected.keys()
    assert any(place // 5 % 6 == 5 for place in found)
    for place, numbers in expected.items():
        assert found[place] == pytest.approx(numbers, abs=1e-5), place


def test_open_decisions_can_be_saved_and_are_forgotten_with_their_games():
    seat, reward, over, value = random_rollout(16, 5, 3, seed=2)
    first, second = slice(0, 8), slice(8, 16)
    one, other, third = (empty(8, 5, 3) for _ in range(3))
    feed(one, seat[first], reward[first], over[first], value[first])
    saved = one.open_decisions()
    assert len(saved["place"]) > 3
    other.restore_open(saved)
    for name, array in other.open_decisions().items():
        np.testing.assert_array_equal(array, saved[name])
        assert array.dtype == saved[name].dtype
    for buffer in (one, other, third):
        feed(buffer, seat[second], reward[second], over[second], value[second], first=40)
    carried = {place for place in learnt(one) if place < 40}
    assert carried
    assert learnt(one) == learnt(other)
    assert learnt(third) == {place: what for place, what in learnt(one).items() if place >= 40}
    # When all games begin anew, what was open has no outcome any more.
    feed(one, seat[first], reward[first], over[first], value[first])
    one._env.beginnings += 1
    feed(one, seat[second], reward[second], over[second], value[second], first=40)
    assert learnt(one) == learnt(third)


def test_wrong_open_decisions_are_refused():
    seat, reward, over, value = random_rollout(8, 5, 3, seed=2)
    buffer = empty(8, 5, 3)
    feed(buffer, seat, reward, over, value)
    saved = buffer.open_decisions()
    count = len(saved["place"])
    wrong = [
        {**saved, "place": saved["place"] + 15},
        {**saved, "place": saved["place"] - 20},
        {**saved, "place": np.zeros(count, np.int64)},
        {**saved, "reward": saved["reward"][1:]},
        {**saved, "values": saved["values"].astype(np.float64)},
        {**saved, "observations": np.zeros((count, D + 1), np.float32)},
        {name: array for name, array in saved.items() if name != "log_probs"},
    ]
    for arrays in wrong:
        with pytest.raises(ToothError, match="open decisions"):
            buffer.restore_open(arrays)
        np.testing.assert_array_equal(buffer.open_decisions()["place"], saved["place"])


def test_parts():
    assert [parts_of(count, 10) for count in (2, 10, 14, 16, 100, 101)] == [1, 1, 1, 2, 10, 10]
    assert parts_of(3, 2) == 1  # two parts would leave one decision alone
    assert parts_of(5, 2) == 2
    assert parts_of(7, None) == 1
    for count in range(2, 200):
        for size in range(2, 40):
            assert count // parts_of(count, size) >= 2


def test_errors_say_what_to_do():
    buffer = SeatRolloutBuffer(4, Box(0, 1, (D,), np.float32), Discrete(A), "cpu", n_envs=2)
    one = torch.zeros(2)
    with pytest.raises(ToothError, match="call attach"):
        buffer.add(np.zeros((2, D)), np.zeros(2), None, None, one, one, np.ones((2, A), bool))
    with pytest.raises(ToothError, match="made for 2 rows, but the environment has 3"):
        buffer.attach(Recorded(3, 2))
    buffer.attach(Recorded(2, 2))
    with pytest.raises(ToothError, match="use_masking=True"):
        buffer.add(np.zeros((2, D)), np.zeros(2), None, None, one, one)
    with pytest.raises(ToothError, match="not complete"):
        next(buffer.get(2))
    with pytest.raises(ToothError, match="only discrete actions"):
        SeatRolloutBuffer(4, Box(0, 1, (D,), np.float32), Box(0, 1, (2,)), "cpu", n_envs=2)
    # Two seats, two steps, no end: nothing can be learnt, and that is said rather than divided by.
    tails = filled(
        np.array([[0], [1]], np.int16), np.zeros((2, 1, 2)), np.zeros((2, 1), np.int8), np.zeros((2, 1), "f4")
    )
    with pytest.raises(ToothError, match="only 0 of 2 decisions"):
        next(tails.get(2))
