"""BatchVecEnv: the batch unchanged, under stable-baselines3's contract."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sb3_contrib.common.maskable.evaluation import evaluate_policy as masked_evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor
from tooth_training.learning.vec_env import BatchVecEnv

from tests.kuhn import Kuhn
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.errors import ToothError

N = 6


def made(seed=7, **options):
    env = BatchVecEnv(BatchEnv(Kuhn.create(**options), N, num_threads=1))
    env.seed(seed)
    return env


def test_steps_as_the_batch_does():
    env, batch = made(), BatchEnv(Kuhn.create(), N, num_threads=1)
    observation = env.reset()
    batch.reset(7)
    ended = 0
    for step in range(60):
        np.testing.assert_array_equal(observation, batch.observation)
        np.testing.assert_array_equal(env.action_masks(), batch.action_mask == 1)
        seats = batch.seat.copy()
        actions = batch.random_actions(step).copy()
        before = observation
        kept = observation.copy()
        observation, reward, done, infos = env.step(actions)
        batch.step(actions)
        np.testing.assert_array_equal(before, kept)  # collect_rollouts reads the last observation after the step
        np.testing.assert_array_equal(env.acted_seat, seats)
        np.testing.assert_array_equal(env.step_reward, batch.reward)
        np.testing.assert_array_equal(reward, batch.reward[:, 0])
        np.testing.assert_array_equal(done, batch.terminated | batch.truncated)
        assert reward.dtype == np.float32
        assert env.step_over.tolist() == batch.terminated.astype(int).tolist()
        for row in range(N):
            if done[row]:
                ended += 1
                info = infos[row]
                assert info["episode"]["r"] == batch.final_return[row, 0]
                assert info["episode"]["l"] == batch.final_steps[row] in (2, 3)
                assert info["episode"]["t"] >= 0
                assert info["TimeLimit.truncated"] is False
                np.testing.assert_array_equal(info["terminal_observation"], batch.final_observation[row])
            else:
                assert infos[row] == {}
    tally = env.take_tally()
    assert tally.games == ended == batch.episode.sum()
    assert 2 * ended <= tally.decisions <= 3 * ended
    assert tally.truncated == 0
    assert tally.returns.sum() == 0
    assert env.take_tally().games == 0


def test_unfinished_rows_share_one_info():
    env = made()
    env.reset()
    _, _, done, infos = env.step(np.zeros(N, np.int64))
    assert not done.any()
    assert all(info is infos[0] for info in infos)
    _, _, done, later = env.step(np.zeros(N, np.int64))
    assert done.all()
    assert infos[0] == {}
    assert later is not infos


def test_step_cap_is_told_apart():
    env = made(max_steps=1)
    env.reset()
    _, reward, done, infos = env.step(np.ones(N, np.int64))
    assert done.all()
    assert env.step_over.tolist() == [2] * N
    assert all(info["TimeLimit.truncated"] is True for info in infos)
    assert env.take_tally().truncated == N
    reward += 1.0  # stable-baselines3 adds the terminal value in place
    assert env.step_reward.sum() == 0


def test_masks_as_stable_baselines3_asks_for_them():
    env = made()
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (N, 2)
    assert masks.dtype == np.bool_
    assert not np.shares_memory(masks, env.batch.action_mask)
    assert env.env_method("action_masks", indices=[1, 3]).shape == (2, 2)
    assert env.env_method("action_masks", indices=2).shape == (1, 2)


@pytest.mark.parametrize("wrap", [lambda env: env, VecMonitor], ids=["plain", "VecMonitor"])
@pytest.mark.parametrize("measure", [masked_evaluate_policy, evaluate_policy], ids=["sb3_contrib", "stable_baselines3"])
@pytest.mark.filterwarnings("ignore:The environment is already wrapped")
def test_evaluate_policy_tells_returns(wrap, measure):
    """Rewards of a zero-sum game, summed over an episode for one seat, are returns: their mean is no policy's merit."""
    game = Kuhn.create()
    env = wrap(BatchVecEnv(BatchEnv(game, 64, num_threads=1)))
    env.seed(3)

    class Policy:
        """Bets whatever it holds."""

        def predict(self, observation, state=None, episode_start=None, deterministic=True, action_masks=None):
            return np.ones(len(observation), np.int64), None

    with warnings.catch_warnings():
        warnings.simplefilter("error" if wrap is not VecMonitor else "ignore")
        returns, lengths = measure(Policy(), env, n_eval_episodes=640, return_episode_rewards=True, warn=True)
    assert len(returns) == 640
    assert set(returns) == {2.0, -2.0}, "both bet, and the higher card wins 2"
    assert set(lengths) == {2}
    assert abs(np.mean(returns)) < 4 * 2 / np.sqrt(640), "seat 0 wins as often as it loses"


def test_masks_exist_from_the_first_reset_on():
    env = made()
    with pytest.raises(ToothError, match="call reset"):
        env.action_masks()


def test_seeds():
    def deals(env):
        env.reset()
        return env.batch.game_seed.tolist()

    one, other = made(7), made(7)
    first = deals(one)
    assert first == deals(other)
    second = deals(one)
    assert second != first
    assert second == deals(other)
    one.seed(7)
    assert deals(one) == first
    one.seed(8)
    assert deals(one) not in (first, second)
    one.seed(None)
    assert deals(one) != deals(one)
    with pytest.raises(ValueError, match="seed is -1"):
        one.seed(-1)
    assert one._seeds == [None] * N  # nothing is left to fire at a later reset


def test_illegal_actions_are_errors():
    env = made()
    env.reset()
    with pytest.raises(ToothError, match=r"row 3: illegal action 5 \(no action\) by seat 0; legal: PASS, BET"):
        env.step(np.array([0, 0, 0, 5, 0, 0]))


def test_an_empty_mask_is_an_error(monkeypatch):
    env = made()
    env.reset()
    step = env.batch.step

    def broken(actions):
        result = step(actions)
        env.batch.action_mask[4] = 0
        return result

    monkeypatch.setattr(env.batch, "step", broken)
    with pytest.raises(ToothError, match="row 4: seat 1 is asked, but has no legal action"):
        env.step(np.zeros(N, np.int64))


def test_goes_on_from_a_snapshot():
    env = made()
    env.reset()
    for step in range(5):
        env.step(env.batch.random_actions(step).copy())
    snapshot = env.batch.snapshot()
    expected = [env.step(env.batch.random_actions(9 + step).copy())[0] for step in range(5)]
    other = made(99)
    other.reset()
    other.restore(snapshot)
    for step in range(5):
        np.testing.assert_array_equal(other.step(other.batch.random_actions(9 + step).copy())[0], expected[step])


def test_the_rest_of_the_contract():
    env = made()
    assert env.num_envs == N
    assert env.observation_space.shape == (env.batch.layout.size,)
    assert env.action_space.n == 2
    assert env.render_mode is None
    assert env.get_attr("render_mode") == [None] * N
    assert env.get_attr("num_envs", indices=[0, 1]) == [N, N]
    assert not env.has_attr("nothing")
    with pytest.raises(AttributeError):
        env.get_attr("nothing")
    with pytest.raises(AttributeError):
        env.env_method("nothing")
    with pytest.raises(ToothError, match="cannot set"):
        env.set_attr("render_mode", "human")
    assert env.env_is_wrapped(object) == [False] * N
    env.close()
