"""Lockstep: games with given seeds, all played to their end side by side.

Evaluation and statistics need exactly these deals, once each; BatchEnv, which deals anew, is for training.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tooth_envs.engine import loops
from tooth_envs.engine.copies import Independent
from tooth_envs.engine.integers import as_python
from tooth_envs.engine.state import RUNNING, TRUNCATED, record, zeros
from tooth_envs.engine.threads import over_rows
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game, checked_seed, views_of


class Lockstep(Independent):
    """One game per seed, under one set of options.

    Args:
        game: the game with its options.
        seeds: the deals; the same seed is the same deal as in TableEnv.

    Attributes (overwritten in place by ``step``):
        running: bool [N]. seat: int16 [N], who is to act; -1 where the game is over.
        observation: float32 [N, D], view: records [N], mask: int8 [N, A], of the seat to act; stale where over.
        returns: float64 [N, max_players], rewards so far. rank: int16 [N, max_players], set at the end.
        steps: int32 [N], decisions so far. refused: bool [N], the last action was illegal and nothing moved.
    """

    def __init__(self, game: Game, seeds: Sequence[int] | np.ndarray) -> None:
        self.game = game
        self.seeds = np.array([checked_seed(seed) for seed in seeds], np.int64)
        self._allocate(zeros(game.state_dtype, len(self.seeds)))
        over_rows(
            loops.lockstep_deal,
            len(self.seeds),
            1,
            game.tables,
            game.blank,
            self._states,
            self.seeds,
            self.mask,
            self.returns,
            self.view,
            self._vectors,
            game.layout.codec,
            self.observation,
        )

    def _allocate(self, states: np.ndarray) -> None:
        """Own memory, and views of the fields that are told."""
        game, N = self.game, len(states)
        self._states = states
        fields = states.view(np.ndarray)
        self.seat, self.rank, self.steps, self._over = fields["seat"], fields["rank"], fields["steps"], fields["over"]
        self._fault = fields["fault"]
        self.observation = np.zeros((N, game.layout.size), np.float32)
        self.mask = np.zeros((N, len(game.actions)), np.int8)
        self.returns = np.zeros((N, game.max_players))
        self.refused = np.zeros(N, np.bool_)
        self._vectors = np.zeros((N, game.layout.length), np.int16)
        self.view = views_of(self._vectors, game.layout)
        self._actions = np.zeros(N, np.int64)

    def __getstate__(self) -> dict[str, Any]:
        kept = dict(self.__dict__)
        for name in ("seat", "rank", "steps", "_over", "_fault", "view"):
            del kept[name]  # views of other arrays: made anew
        kept["_states"] = np.array(self._states.view(np.ndarray))
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.game, self.seeds = kept["game"], kept["seeds"].copy()
        states = zeros(self.game.state_dtype, len(self.seeds))
        states[:] = kept["_states"]
        self._allocate(states)
        for name in ("observation", "mask", "returns", "refused", "_vectors"):
            getattr(self, name)[...] = kept[name]

    @property
    def running(self) -> np.ndarray:
        """Which games are not over."""
        return self._over == RUNNING

    @property
    def truncated(self) -> np.ndarray:
        """Which games the step cap has ended."""
        return self._over == TRUNCATED

    def step(self, actions: np.ndarray) -> None:
        """One decision in every running game; entries of games that are over are ignored.

        Args:
            actions: integers [N].

        Raises:
            ToothError: the wrong shape or type.
            GameFault: the rules did not come to a decision.
        """
        try:
            actions = np.asarray(as_python(actions) if isinstance(actions, list | tuple) else actions)
        except (ValueError, TypeError, MemoryError):  # lists of different lengths
            raise ToothError(f"Lockstep: actions must be {len(self.seeds)} integers") from None
        if actions.shape != self.seeds.shape or actions.dtype.kind != "i":
            raise ToothError(
                f"Lockstep: actions must be {len(self.seeds)} integers, but {actions.dtype} {actions.shape} was given"
            )
        self._actions[:] = actions
        over_rows(
            loops.lockstep_step,
            len(self.seeds),
            1,
            self.game.tables,
            self._states,
            self._actions,
            self.mask,
            self.refused,
            self.returns,
            self.view,
            self._vectors,
            self.game.layout.codec,
            self.observation,
        )
        if self._fault.any():
            self.game.check_fault(record(self._states, int((self._fault != 0).argmax())))

    def states_at(self, rows: np.ndarray) -> np.ndarray:
        """Copies of some state records: for worlds to be made of them, never for agents."""
        return self._states[rows]

    def states(self) -> np.ndarray:
        """A copy of all state records."""
        return self._states.copy()
