"""SeatRolloutBuffer: a rollout of all seats, with credit where it is due.

In a game for several seats, consecutive decisions of a row belong to different players. Returns and advantages
(GAE, Schulman et al., arXiv 1506.02438) are therefore computed along each seat's own decisions:

* A seat's decision is credited with everything the seat earns from there to its next decision or the end of the
  game, also while others move (penalties, payouts, the last place after an elimination).
* The value that follows is the seat's own at its next decision; nothing at the end by the rules. When the step cap
  ended the game, it is the seat's own value at that last decision: the cap says nothing about the position.
* Discounting counts own decisions, not decisions of the table.
* Open tails: a seat's last decision in a rollout, when its game goes on, has no value that follows. It is left out
  of the minibatches, and its own value serves its previous decision. What the seat earns after it, here or in the
  next rollout before the seat's first decision, belongs to that decision and is dropped with it; so nothing is carried
  from one rollout to the next. The cost is at most one decision per seat and game.

Signs are never flipped: any number of seats, and rewards that do not sum to zero, work alike.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

from tooth_envs.engine.compile import compiled
from tooth_envs.errors import ToothError
from training.vec_env import BatchVecEnv

ENDED, CAPPED = 1, 2
"""``BatchVecEnv.step_over``: the game ended by the rules, or by the step cap."""

_OPEN, _OVER, _CUT, _FOLLOWED = 0, 1, 2, 3  # what comes after a seat's decision, walking backwards


@compiled
def seat_advantages(seat, reward, over, value, gamma, gae_lambda, advantage, valid):  # type: ignore[no-untyped-def]
    """Advantages along each seat's own decisions.

    Args:
        seat: int16 [T, N], who decided.
        reward: float64 [T, N, P], what every seat earned through that decision.
        over: int8 [T, N], 0, or how the decision ended the game (``ENDED``, ``CAPPED``).
        value: float32 [T, N], the value where the decision was taken, for who took it.
        gamma, gae_lambda: discount and GAE's lambda.
        advantage: float32 [T, N], written.
        valid: bool [T, N], written: False for open tails, whose advantage is 0.
    """
    T, N, P = reward.shape
    after = np.zeros((N, P), np.int8)
    pending = np.zeros((N, P))
    next_value = np.zeros((N, P))
    next_advantage = np.zeros((N, P))
    for t in range(T - 1, -1, -1):
        for i in range(N):
            if over[t, i]:
                for s in range(P):
                    after[i, s] = _CUT if over[t, i] == CAPPED else _OVER
                    pending[i, s] = 0.0
            for s in range(P):
                pending[i, s] += reward[t, i, s]
            s = seat[t, i]
            own = np.float64(value[t, i])
            gain = 0.0
            if after[i, s] == _FOLLOWED:
                gain = pending[i, s] + gamma * next_value[i, s] - own + gamma * gae_lambda * next_advantage[i, s]
            elif after[i, s] == _OVER:
                gain = pending[i, s] - own
            elif after[i, s] == _CUT:
                gain = pending[i, s] + gamma * own - own
            valid[t, i] = after[i, s] != _OPEN
            advantage[t, i] = gain
            after[i, s] = _FOLLOWED
            pending[i, s] = 0.0
            next_value[i, s] = own
            next_advantage[i, s] = gain


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """A rollout buffer for BatchVecEnv, to be given to MaskablePPO as ``rollout_buffer_class``.

    Call ``attach`` with the environment before learning. (Given as a keyword argument of the buffer, the
    environment would become part of what stable-baselines3 saves.)

    Minibatches are equal parts of the valid decisions: their number is what comes closest to the wanted size, so
    there is never a short last one. (A minibatch of one has no standard deviation and turns the weights into NaN.)
    """

    action_masks: np.ndarray

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._env: BatchVecEnv | None = None
        self._allocated = False
        super().__init__(*args, **kwargs)

    def attach(self, env: BatchVecEnv) -> None:
        """Tell the buffer whose seats and rewards it records."""
        if env.num_envs != self.n_envs:
            raise ToothError(f"SeatRolloutBuffer: made for {self.n_envs} rows, but the environment has {env.num_envs}")
        self._env = env
        self._seat_rewards = np.zeros((self.buffer_size, self.n_envs, env.batch.max_players))

    def warm_up(self) -> None:
        """Have the backward walk compiled."""
        self.compute_returns_and_advantage(torch.zeros(0), np.zeros(0))
        self.reset()

    def reset(self) -> None:
        """Forget the rollout; the memory is used again."""
        T, N = self.buffer_size, self.n_envs
        if not isinstance(self.action_space, spaces.Discrete):
            raise ToothError("SeatRolloutBuffer: only discrete actions, as BatchVecEnv has them, can be stored")
        if not self._allocated:
            self._observations = np.zeros((T, N, *self.obs_shape), np.float32)
            self._actions = np.zeros((T, N, 1), np.int64)
            self._masks = np.zeros((T, N, int(self.action_space.n)), np.bool_)
            self._values = np.zeros((T, N), np.float32)
            self._log_probs = np.zeros((T, N), np.float32)
            self._advantages = np.zeros((T, N), np.float32)
            self._seats = np.zeros((T, N), np.int16)
            self._over = np.zeros((T, N), np.int8)
            self._valid = np.zeros((T, N), np.bool_)
            self._allocated = True
        self.mask_dims = int(self.action_space.n)
        self.observations, self.actions, self.action_masks = self._observations, self._actions, self._masks
        self.values, self.log_probs, self.advantages = self._values, self._log_probs, self._advantages
        self.returns = np.zeros((T, N), np.float32)
        self.pos, self.full, self.generator_ready = 0, False, False

    def add(  # type: ignore[override]
        self,
        obs: np.ndarray,
        action: np.ndarray,
        reward: np.ndarray,
        episode_start: np.ndarray,
        value: torch.Tensor,
        log_prob: torch.Tensor,
        action_masks: np.ndarray | None = None,
    ) -> None:
        """Record a step of all rows.

        Args:
            obs, action, value, log_prob, action_masks: of the seats that acted.
            reward, episode_start: not used: stable-baselines3's bookkeeping for one seat per row.
        """
        if self._env is None:
            raise ToothError("SeatRolloutBuffer: call attach(environment) before learning")
        if action_masks is None:
            raise ToothError("SeatRolloutBuffer: call learn with use_masking=True")
        t = self.pos
        self._observations[t] = obs
        self._actions[t] = action.reshape(-1, 1)
        self._masks[t] = action_masks.reshape(self.n_envs, self.mask_dims)
        self._values[t] = value.detach().cpu().numpy().reshape(-1)
        self._log_probs[t] = log_prob.detach().cpu().numpy().reshape(-1)
        self._seats[t] = self._env.acted_seat
        self._seat_rewards[t] = self._env.step_reward
        self._over[t] = self._env.step_over
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: np.ndarray) -> None:
        """Walk the rollout backwards.

        Args:
            last_values, dones: not used: the value of the next decision is another seat's.
        """
        seat_advantages(
            self._seats,
            self._seat_rewards,
            self._over,
            self._values,
            float(self.gamma),
            float(self.gae_lambda),
            self._advantages,
            self._valid,
        )
        np.add(self._advantages, self._values, out=self.returns)

    @property
    def valid(self) -> np.ndarray:
        """Which decisions can be learnt from: bool [T, N]; False for open tails."""
        return self._valid

    def _prepare(self) -> None:
        """Flatten; of what training reports statistics on (values, returns) only the valid decisions remain."""
        count = self.buffer_size * self.n_envs
        self._rows = np.flatnonzero(self._valid.reshape(-1))
        if len(self._rows) < 2:
            raise ToothError(
                f"SeatRolloutBuffer: only {len(self._rows)} of {count} decisions have a known outcome; use longer "
                "rollouts (n_steps) or more games (n_envs)"
            )
        self.values = self._values.reshape(-1)[self._rows]
        self.returns = self.returns.reshape(-1)[self._rows]
        chosen = torch.from_numpy(self._rows)
        self._tensors = MaskableRolloutBufferSamples(
            observations=torch.from_numpy(self._observations.reshape(count, -1)),
            actions=torch.from_numpy(self._actions.reshape(count, 1)).index_select(0, chosen),
            old_values=torch.from_numpy(self.values),
            old_log_prob=torch.from_numpy(self._log_probs.reshape(-1)[self._rows]),
            advantages=torch.from_numpy(self._advantages.reshape(-1)[self._rows]),
            returns=torch.from_numpy(self.returns),
            action_masks=torch.from_numpy(self._masks.reshape(count, -1)).index_select(0, chosen),
        )
        self.generator_ready = True

    def get(  # type: ignore[override]
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """The valid decisions once, in random order, in equal parts.

        Args:
            batch_size: wanted size of a part; None: all at once.
        """
        if not self.full:
            raise ToothError("SeatRolloutBuffer: the rollout is not complete")
        if not self.generator_ready:
            self._prepare()
        order = np.random.permutation(len(self._rows))  # noqa: NPY002 (the generator that stable-baselines3 seeds)
        for part in np.array_split(order, parts_of(len(order), batch_size)):
            yield self._get_samples(part)

    def _get_samples(  # type: ignore[override]
        self, batch_inds: np.ndarray, env: Any = None
    ) -> MaskableRolloutBufferSamples:
        chosen = torch.from_numpy(batch_inds)
        rows = torch.from_numpy(self._rows[batch_inds])
        data = self._tensors
        return MaskableRolloutBufferSamples(
            data.observations.index_select(0, rows).to(self.device),
            *(column.index_select(0, chosen).to(self.device) for column in data[1:]),
        )


def parts_of(count: int, batch_size: int | None) -> int:
    """Into how many equal parts a rollout of ``count`` decisions is cut; none has fewer than two."""
    if batch_size is None:
        return 1
    return max(1, min(round(count / batch_size), count // 2))
