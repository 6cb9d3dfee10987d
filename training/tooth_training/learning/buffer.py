"""SeatRolloutBuffer: a rollout of all seats, with credit where it is due.

In a game for several seats, consecutive decisions of a row belong to different players. Returns and advantages
(GAE, Schulman et al., arXiv 1506.02438) are therefore computed along each seat's own decisions:

* A seat's decision is credited with everything the seat earns from there to its next decision or the end of the
  game, also while others move (penalties, payouts, the last place after an elimination).
* The value that follows is the seat's own at its next decision; nothing at the end by the rules. When the step cap
  ended the game, it is the seat's own value at that last decision: the cap says nothing about the position.
* Discounting counts own decisions, not decisions of the table.
* Open decisions: a seat's last decision in a rollout, when its game goes on, has no known outcome yet. It waits, and is
  learnt from with the rollout in which its seat decides again or its game ends, however late: a seat that the rules
  eliminate early is told at the end that it lost. (Its probability is kept from when it was taken, so that PPO's ratio
  accounts for the weights having changed.) Until then its own value serves the seat's previous decision.

Signs are never flipped: any number of seats, and rewards that do not sum to zero, work alike.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.copies import Independent
from tooth_envs.engine.records import Numbers
from tooth_envs.engine.state import zeros
from tooth_envs.errors import ToothError
from tooth_training.learning.vec_env import BatchVecEnv

ENDED, CAPPED = 1, 2
"""``BatchVecEnv.step_over``: the game ended by the rules, or by the step cap."""

_OPEN, _OVER, _CUT, _FOLLOWED = 0, 1, 2, 3  # what comes after a seat's decision, walking backwards


OPEN = np.dtype(
    [
        ("reward", "f8"),
        ("value", "f8"),
        ("advantage", "f8"),
        ("tail_reward", "f8"),
        ("tail", "i8"),
        ("waiting", "i8"),
        ("resolved", "i8"),
    ]
)
"""What is known of each (row, seat)'s open decision.

waiting: whether one of an earlier rollout is open; value: of it; reward: earned since, before this rollout. Written by
``seat_advantages``: resolved: whether this rollout showed its outcome, and then its advantage; if not, reward grows.
tail: this rollout's own open decision as its tick, -1 for none; tail_reward: earned since.
"""


@compiled
def seat_advantages(
    seat: Numbers,
    reward: Numbers,
    over: Numbers,
    value: Numbers,
    gamma: float,
    gae_lambda: float,
    advantage: Numbers,
    valid: Numbers,
    opened: Numbers,
) -> None:
    """Advantages along each seat's own decisions.

    Args:
        seat: int16 [T, N], who decided.
        reward: float64 [T, N, P], what every seat earned through that decision.
        over: int8 [T, N], 0, or how the decision ended the game (``ENDED``, ``CAPPED``).
        value: float32 [T, N], the value where the decision was taken, for who took it.
        gamma, gae_lambda: discount and GAE's lambda.
        advantage: float32 [T, N], written.
        valid: bool [T, N], written: False for decisions that are still open, whose advantage is 0.
        opened: OPEN [N * P], the open decision of row i's seat s at i * P + s; read and written.
    """
    T, N, P = reward.shape
    after = np.zeros((N, P), np.int8)
    pending = np.zeros((N, P))
    next_value = np.zeros((N, P))
    next_advantage = np.zeros((N, P))
    for k in range(N * P):
        opened[k].tail = -1
        opened[k].resolved = 0
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
            valid[t, i] = after[i, s] != _OPEN
            if valid[t, i]:
                gain = _gain(after[i, s], pending[i, s], own, next_value[i, s], next_advantage[i, s], gamma, gae_lambda)
            else:
                gain = 0.0
                opened[i * P + s].tail = t
                opened[i * P + s].tail_reward = pending[i, s]
            advantage[t, i] = gain
            after[i, s] = _FOLLOWED
            pending[i, s] = 0.0
            next_value[i, s] = own
            next_advantage[i, s] = gain
    for i in range(N):
        for s in range(P):
            one = opened[i * P + s]
            if one.waiting:
                one.reward += pending[i, s]
                if after[i, s] != _OPEN:
                    one.resolved = 1
                    one.advantage = _gain(
                        after[i, s], one.reward, one.value, next_value[i, s], next_advantage[i, s], gamma, gae_lambda
                    )


@compiled
def _gain(
    after: int, earned: float, own: float, next_value: float, next_advantage: float, gamma: float, gae_lambda: float
) -> float:
    """The advantage of a decision of value ``own``, by what comes after it."""
    if after == _FOLLOWED:
        return earned + gamma * next_value - own + gamma * gae_lambda * next_advantage
    if after == _CUT:
        return earned + gamma * own - own
    return earned - own


class SeatRolloutBuffer(Independent, MaskableRolloutBuffer):
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
        self._seats_per_row = P = env.batch.max_players
        self._seat_rewards = np.zeros((self.buffer_size, self.n_envs, P))
        self._allocate(self.n_envs * P)
        self.reset()

    def _allocate(self, most: int) -> None:
        """Memory for a rollout, and behind it for as many decisions of earlier ones as can be resolved at once."""
        T, N = self.buffer_size, self.n_envs
        if not isinstance(self.action_space, spaces.Discrete):
            raise ToothError("SeatRolloutBuffer: only discrete actions, as BatchVecEnv has them, can be stored")
        A = int(self.action_space.n)
        self.mask_dims = A
        self._flat: dict[str, np.ndarray] = {
            "observations": np.zeros((T * N + most, *self.obs_shape), np.float32),
            "actions": np.zeros((T * N + most, 1), np.int64),
            "action_masks": np.zeros((T * N + most, A), np.bool_),
            "values": np.zeros(T * N + most, np.float32),
            "log_probs": np.zeros(T * N + most, np.float32),
            "advantages": np.zeros(T * N + most, np.float32),
        }
        self._seats = np.zeros((T, N), np.int16)
        self._over = np.zeros((T, N), np.int8)
        self._valid = np.zeros((T, N), np.bool_)
        self._opened = zeros(OPEN, most)
        self._open = {name: np.zeros((most, *array.shape[1:]), array.dtype) for name, array in self._flat.items()}
        self._known_beginning: int | None = None
        self._allocated = True

    def __getstate__(self) -> dict[str, Any]:
        kept = dict(self.__dict__)
        for name in self._flat if self._allocated else ():
            if np.shares_memory(kept[name], self._flat[name]):
                del kept[name]  # shows the memory of _flat: made anew
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        if self._allocated:
            for name, array in self._rollout().items():
                self.__dict__.setdefault(name, array)

    def _rollout(self) -> dict[str, np.ndarray]:
        """The arrays of the rollout itself, [T, N, ...]: the beginnings of ``_flat``."""
        T, N = self.buffer_size, self.n_envs
        return {name: array[: T * N].reshape(T, N, *array.shape[1:]) for name, array in self._flat.items()}

    def warm_up(self) -> None:
        """Have the backward walk compiled."""
        self.compute_returns_and_advantage(torch.zeros(0), np.zeros(0))
        self.forget()
        self.reset()

    def forget(self) -> None:
        """Drop all open decisions: their games are no more."""
        self._opened["waiting"][:] = 0

    def reset(self) -> None:
        """Forget the rollout, but not the open decisions; the memory is used again."""
        T, N = self.buffer_size, self.n_envs
        if not self._allocated:
            self._allocate(0)
        rollout = self._rollout()
        self.observations, self.actions = rollout["observations"], rollout["actions"]
        self.action_masks, self.values = rollout["action_masks"], rollout["values"]
        self.log_probs, self.advantages = rollout["log_probs"], rollout["advantages"]
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
        if self._known_beginning != self._env.beginnings:
            self.forget()  # all games were dealt anew since
            self._known_beginning = self._env.beginnings
        t = self.pos
        self.observations[t] = obs
        self.actions[t] = action.reshape(-1, 1)
        self.action_masks[t] = action_masks.reshape(self.n_envs, self.mask_dims)
        self.values[t] = value.detach().cpu().numpy().reshape(-1)
        self.log_probs[t] = log_prob.detach().cpu().numpy().reshape(-1)
        self._seats[t] = self._env.acted_seat
        self._seat_rewards[t] = self._env.step_reward
        self._over[t] = self._env.step_over
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: np.ndarray) -> None:
        """Walk the rollout backwards, and see to the open decisions.

        Args:
            last_values, dones: not used: the value of the next decision is another seat's.
        """
        seat_advantages(
            self._seats,
            self._seat_rewards,
            self._over,
            self.values,
            float(self.gamma),
            float(self.gae_lambda),
            self.advantages,
            self._valid,
            self._opened,
        )
        opened, count = self._opened, self.buffer_size * self.n_envs
        resolved = np.flatnonzero(opened["resolved"])
        self._resolved = len(resolved)
        for name, kept in self._open.items():
            self._flat[name][count : count + len(resolved)] = kept[resolved]
        self._flat["advantages"][count : count + len(resolved)] = opened["advantage"][resolved]
        opened["waiting"][resolved] = 0
        tails = np.flatnonzero(opened["tail"] >= 0)
        rows = opened["tail"][tails] * self.n_envs + tails // self._seats_per_row
        for name, kept in self._open.items():
            kept[tails] = self._flat[name][rows]
        opened["value"][tails] = self._flat["values"][rows]
        opened["reward"][tails] = opened["tail_reward"][tails]
        opened["waiting"][tails] = 1
        np.add(self.advantages, self.values, out=self.returns)

    def open_decisions(self) -> dict[str, np.ndarray]:
        """The open decisions, to be saved between two updates: K of them.

        Returns:
            ``place`` int64 [K] (row * seats + seat), ``reward`` float64 [K] earned since, and what the buffer holds of
            a decision: observations float32 [K, D], actions int64 [K, 1], action_masks bool [K, A], values and
            log_probs float32 [K].
        """
        place = np.flatnonzero(self._opened["waiting"])
        kept = {name: array[place] for name, array in self._open.items() if name != "advantages"}
        return {"place": place.astype(np.int64), "reward": np.array(self._opened["reward"][place]), **kept}

    def restore_open(self, saved: Mapping[str, np.ndarray]) -> None:
        """Take back what ``open_decisions`` gave, after the environment was restored.

        Raises:
            ToothError: arrays are missing, or of other shapes or dtypes; nothing has changed.
        """
        assert self._env is not None
        own = {name: array for name, array in self._open.items() if name != "advantages"}
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {"place": ((), np.int64), "reward": ((), np.float64)}
        shapes.update({name: (array.shape[1:], array.dtype.type) for name, array in own.items()})
        place = saved.get("place", np.zeros((0, 0)))
        for name, (shape, dtype) in shapes.items():
            given = saved.get(name)
            if given is None or given.shape != (len(place), *shape) or given.dtype != dtype:
                raise ToothError(f"the open decisions' {name} does not fit this run")
        if len(place) and (place.min() < 0 or place.max() >= len(self._opened) or len(set(place)) < len(place)):
            raise ToothError("the open decisions' places are not seats of this run, each at most once")
        actions, masks = saved["actions"].reshape(-1), saved["action_masks"]
        if len(place) and not (
            ((actions >= 0) & (actions < masks.shape[1])).all() and masks[np.arange(len(place)), actions].all()
        ):
            raise ToothError("the open decisions' actions are not legal under their masks")
        for name in ("reward", "values", "log_probs", "observations"):
            if not np.isfinite(saved[name]).all():
                raise ToothError(f"the open decisions' {name} holds numbers that are not finite")
        self.forget()
        for name, array in own.items():
            array[place] = saved[name]
        self._opened["value"][place] = saved["values"]
        self._opened["reward"][place] = saved["reward"]
        self._opened["waiting"][place] = 1
        self._known_beginning = self._env.beginnings

    @property
    def valid(self) -> np.ndarray:
        """Which of the rollout's decisions have a known outcome: bool [T, N]."""
        return self._valid

    def _prepare(self) -> None:
        """List the decisions with known outcomes; of what training reports statistics on, only these remain."""
        count = self.buffer_size * self.n_envs
        self._rows = np.concatenate([np.flatnonzero(self._valid.reshape(-1)), np.arange(count, count + self._resolved)])
        if len(self._rows) < 2:
            raise ToothError(
                f"SeatRolloutBuffer: only {len(self._rows)} of {count} decisions have a known outcome; use longer "
                "rollouts (n_steps) or more games (n_envs)"
            )
        flat, chosen = self._flat, torch.from_numpy(self._rows)
        self.values = flat["values"][self._rows]
        self.returns = self.values + flat["advantages"][self._rows]
        self._tensors = MaskableRolloutBufferSamples(
            observations=torch.from_numpy(flat["observations"].reshape(len(flat["observations"]), -1)),
            actions=torch.from_numpy(flat["actions"]).index_select(0, chosen),
            old_values=torch.from_numpy(self.values),
            old_log_prob=torch.from_numpy(flat["log_probs"][self._rows]),
            advantages=torch.from_numpy(flat["advantages"][self._rows]),
            returns=torch.from_numpy(self.returns),
            action_masks=torch.from_numpy(flat["action_masks"]).index_select(0, chosen),
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
