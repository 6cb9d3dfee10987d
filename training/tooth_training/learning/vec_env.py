"""BatchVecEnv: BatchEnv as stable-baselines3 wants its environments.

All seats of all games are one stream of decisions: row i of a step is whoever is to act in game i. What each seat
earns in between is in ``step_reward``, which training/buffer.py reads.

The reward that ``step`` returns is seat 0's, whoever moved. Stable-baselines3 adds it up over an episode
(``VecMonitor``, ``evaluate_policy``), and the sum of one seat's rewards is a return. A sum over the movers would be
nobody's: in a zero-sum game it would tell of 1.00 for any policy. As all seats are played by one policy, what
``evaluate_policy`` reports is what seat 0 is worth in self-play, and says nothing of strength: that is for
``tooth_training.evaluation.evaluate``.

Stable-baselines3 walks over rows in Python after every step, so unfinished rows share one empty info dict, and
the list of infos is the same object while no game ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.copies import Independent
from tooth_envs.engine.streams import EngineStream
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import checked_seed

"""Stream under which a second and later reset derives its seed from the first."""


@dataclass
class Tally:
    """Games that ended since the last ``BatchVecEnv.take_tally``.

    Attributes:
        games, truncated: how many ended, and of these by the step cap.
        decisions: their lengths, summed.
        returns: their returns by seat, summed: float64 [max_players].
        typical: whether these games tell how games are. At first they do not: the short ones end first. They do once
            every row had ended a game before counting began.
    """

    games: int = 0
    truncated: int = 0
    decisions: int = 0
    returns: np.ndarray = field(default_factory=lambda: np.zeros(0))
    typical: bool = True


class BatchVecEnv(Independent, VecEnv):
    """A batch as a stable-baselines3 VecEnv with action masks.

    Args:
        batch: the games; this object is the only one to step it.

    Attributes:
        batch: the games.
        acted_seat: int16 [N], who acted in the last step.
        step_reward: float64 [N, max_players], earned by every seat through the last step; the batch's own memory.
        beginnings: how often all games began anew (``reset``, ``restore``).
        step_over: int8 [N], 0 if the game went on, 1 if it ended by the rules, 2 if by the step cap.
    """

    render_mode = None

    def __init__(self, batch: BatchEnv) -> None:
        self.batch = batch
        N = batch.num_envs
        super().__init__(
            N,
            gymnasium.spaces.Box(0.0, 1.0, (batch.layout.size,), np.float32),
            gymnasium.spaces.Discrete(batch.num_actions),
        )
        self.acted_seat = np.zeros(N, np.int16)
        self.step_over = np.zeros(N, np.int8)
        self._running: list[dict[str, Any]] = [{}] * N
        self._seed: int | None = None
        self._resets = 0
        self.beginnings = 0
        self._started = time.perf_counter()
        self._tally = self._new_tally()

    @property
    def step_reward(self) -> np.ndarray:
        """See the head of the class."""
        return self.batch.reward

    @property
    def _mask(self) -> np.ndarray:
        return self.batch.action_mask.view(np.bool_)  # 0 and 1 in both

    # What stable-baselines3 asks of an environment.

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Name the deals from the next ``reset`` on; None: the operating system draws."""
        self._seed = None if seed is None else checked_seed(seed)
        self._resets = 0
        self._seeds = [self._seed] * self.num_envs
        return self._seeds

    def reset(self) -> np.ndarray:
        """Deal all games anew. After one ``seed``, every reset has other deals.

        Returns:
            float32 [N, D], the first observations.
        """
        seed = self._seed
        if seed is not None and self._resets:
            seed = mix_python(seed, EngineStream.VECTOR_RESET, self._resets)
        self._resets += 1
        self.batch.reset(seed)
        return self._began()

    def restore(self, snapshot: dict[str, np.ndarray], foreign: bool = False) -> np.ndarray:
        """Go on with the games of a snapshot (``BatchEnv.restore``).

        Returns:
            float32 [N, D], what the seats to act observe.
        """
        self.batch.restore(snapshot, foreign)
        self._resets += 1
        return self._began()

    def _began(self) -> np.ndarray:
        self.beginnings += 1
        self._reset_seeds()
        self._reset_options()
        self.step_over[:] = 0
        self._tally = self._new_tally()
        self._check_masks()
        return self.batch.observation.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Take note of the actions; ``step_wait`` carries them out."""
        self._actions = np.array(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """One decision in every game.

        Returns:
            observations float32 [N, D], seat 0's rewards float32 [N], dones bool [N], infos. Rows whose game goes on
            share one empty info.

        Raises:
            ToothError: an illegal action, or a seat that is asked and has no legal action.
        """
        batch = self.batch
        np.copyto(self.acted_seat, batch.seat)
        observation, _, reward, terminated, truncated = batch.step(self._actions)
        if batch.refused.any():
            self._complain(int(batch.refused.argmax()))
        self._check_masks()
        np.copyto(self.step_over, terminated)
        self.step_over[truncated] = 2
        dones = self.step_over != 0
        if self._running[0]:  # somebody has written into it
            self._running = [{}] * self.num_envs
        infos = self._running
        if dones.any():
            infos = infos.copy()
            elapsed = round(time.perf_counter() - self._started, 6)
            for row in np.flatnonzero(dones).tolist():
                infos[row] = {
                    "episode": {"r": float(batch.final_return[row, 0]), "l": int(batch.final_steps[row]), "t": elapsed},
                    "terminal_observation": batch.final_observation[row].copy(),
                    "TimeLimit.truncated": bool(truncated[row]),
                }
            self._tally.games += int(dones.sum())
            self._tally.truncated += int(truncated.sum())
            self._tally.decisions += int(batch.final_steps[dones].sum())
            self._tally.returns += batch.final_return[dones].sum(axis=0)
        return observation.copy(), reward[:, 0].astype(np.float32), dones, infos

    def action_masks(self) -> np.ndarray:
        """Legal actions of the seats to act: bool [N, A], the batch's own memory (the next step overwrites it).

        Raises:
            ToothError: before the first reset.
        """
        self.batch.need_games()
        return self._mask

    def close(self) -> None:
        """Nothing to release."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of this object, once per row."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether this object has an attribute."""
        return hasattr(self, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Rows are not objects, so nothing can be set on one of them.

        Raises:
            ToothError: always.
        """
        raise ToothError(f"BatchVecEnv: cannot set {attr_name!r}: rows are not separate environments")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> Any:
        """Call a method of this object that answers for all rows at once (``action_masks``).

        Returns:
            the answer, one entry per row (or per index).
        """
        answer = getattr(self, method_name)(*method_args, **method_kwargs)
        return answer if indices is None else answer[self._index_array(indices)]

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: Any = None) -> list[bool]:
        """Whether rows are wrapped: not, but that episodes' returns are in ``info``, as with ``Monitor``."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def take_tally(self) -> Tally:
        """Games that ended since the last call."""
        taken, self._tally = self._tally, self._new_tally()
        return taken

    def _new_tally(self) -> Tally:
        return Tally(returns=np.zeros(self.batch.max_players), typical=bool(self.batch.episode.min() > 0))

    @staticmethod
    def _index_array(indices: int | Iterable[int]) -> np.ndarray:
        return np.atleast_1d(np.fromiter(indices, np.int64) if isinstance(indices, Iterable) else np.int64(indices))

    def _check_masks(self) -> None:
        # Silent poison if it ever happened: an all-false row is sampled uniformly over illegal actions.
        some = self._mask.any(axis=1)
        if not some.all():
            row = int(some.argmin())
            raise ToothError(
                f"{self.batch.games[0].name}: row {row}: seat {self.batch.seat[row]} is asked, but has no legal action "
                f"(seed of the game {self.batch.game_seed[row]}); this is a defect of the game's rules"
            )

    def _complain(self, row: int) -> None:
        game, action = self.batch.games[0], int(np.asarray(self._actions)[row])
        name = game.actions[action] if 0 <= action < len(game.actions) else "no action"
        legal = ", ".join(game.actions[index] for index in np.flatnonzero(self._mask[row]))
        raise ToothError(
            f"{game.name}: row {row}: illegal action {action} ({name}) by seat {self.batch.seat[row]}; legal: {legal}. "
            "The masks did not reach the policy: call learn and predict with action masks"
        )
