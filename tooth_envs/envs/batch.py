"""BatchEnv: N games advanced by one compiled call, NumPy in and out.

Rows play independently and deal anew as soon as they end. A row's games depend only on the batch's seed, the
row and how many games the row has finished - not on the number of threads, and each equals what TableEnv
plays from the same game seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tooth_envs.engine import loops
from tooth_envs.engine.chance import FAULTS, mix_python
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.copies import Independent
from tooth_envs.engine.integers import as_python, integer_in
from tooth_envs.engine.keys import random_seed
from tooth_envs.engine.state import RUNNING, record, zeros
from tooth_envs.engine.streams import EngineStream
from tooth_envs.engine.threads import available_threads, over_rows
from tooth_envs.errors import GameFault, OptionError, ToothError, shortened
from tooth_envs.spec.game import Game, checked_seed, views_of
from tooth_envs.spec.vetting import check_bounds, check_play


class BatchEnv(Independent):
    """N games in lock-step over caller-visible arrays that are overwritten in place.

    Args:
        games: one game, or several variants of the same game (other numbers of players, other options) whose
            observations mean the same; row i plays variant i modulo their number.
        num_envs: number of rows N.
        num_threads: threads for one step; None for all processors that the process may use.
            Results do not depend on it.

    Attributes (arrays stay the same objects for the life of the batch; copy what you keep):
        observation: float32 [N, D], of the seat to act.
        action_mask: int8 [N, A], of the seat to act; never all zero.
        seat: int16 [N], who is to act.
        num_players: int16 [N], seats in each row's game.
        reward: float64 [N, max_players], earned by every seat through the last step.
        terminated, truncated: bool [N], the row's game ended in the last step; all else already shows the next deal.
        refused: bool [N], the row's action was illegal: that game did not move.
        final_observation: float32 [N, D], at the row's last end, what the seat that moved last saw.
        final_rank: int16 [N, max_players], final_return: float64 [N, max_players], final_steps: int32 [N], likewise.
        episode: int64 [N], games finished by each row.
        game_seed: int64 [N], the seed of each row's game, for TableEnv.reset.
    """

    def __init__(self, games: Game | Sequence[Game], num_envs: int, num_threads: int | None = None) -> None:
        self.games = (games,) if isinstance(games, Game) else tuple(games)
        if not self.games:
            raise OptionError("BatchEnv: give at least one game")
        if not integer_in(num_envs, 1, 2**31 - 1):
            raise OptionError(f"BatchEnv: num_envs is {shortened(num_envs)}; give an integer from 1")
        first = self.games[0]
        for other in self.games[1:]:
            if type(other) is not type(first):
                raise OptionError(f"BatchEnv: rows must play one game, but {first.name} and {other.name} were given")
            if other.layout.digest != first.layout.digest:
                raise OptionError(
                    f"BatchEnv: variants of {first.name} whose observations mean different things cannot share a batch"
                )
        most = available_threads() if JIT else 1
        if num_threads is not None and not integer_in(num_threads, 1, most):
            raise OptionError(f"BatchEnv: num_threads is {shortened(num_threads)}; give 1 to {most}, or None")
        self.num_envs = N = int(num_envs)
        self.num_threads = int(num_threads or most)
        self.layout = first.layout
        self.num_actions = A = len(first.actions)
        self.max_players = P = first.max_players
        D = self.layout.size
        self._tables = zeros(first.tables_dtype, len(self.games))
        self._blanks = zeros(first.state_dtype, len(self.games))
        for v, game in enumerate(self.games):
            self._tables[v] = game.tables[0]
            self._blanks[v] = game.blank[0]
        self.variant = np.arange(N, dtype=np.int64) % len(self.games)
        self._states = zeros(first.state_dtype, N)
        fields = self._states.view(np.ndarray)
        self.seat = fields["seat"]
        self.game_seed = fields["seed"]
        self.num_players = np.array([game.num_players for game in self.games], np.int16)[self.variant]
        self.observation = np.zeros((N, D), np.float32)
        self.action_mask = np.zeros((N, A), np.int8)
        self.reward = np.zeros((N, P))
        self.terminated = np.zeros(N, np.bool_)
        self.truncated = np.zeros(N, np.bool_)
        self.refused = np.zeros(N, np.bool_)
        self.final_observation = np.zeros((N, D), np.float32)
        self.final_rank = np.zeros((N, P), np.int16)
        self.final_return = np.zeros((N, P))
        self.final_steps = np.zeros(N, np.int32)
        self._final_fault = np.zeros(N, np.int16)
        self.episode = np.zeros(N, np.int64)
        self._returns = np.zeros((N, P))
        self._legal = np.zeros((N, A), np.int8)  # what counts, whatever a caller writes into action_mask
        self._vectors = np.zeros((N, self.layout.length), np.int16)
        self.view = views_of(self._vectors, self.layout)
        self._actions = np.zeros(N, np.int64)
        self._seed: int | None = None
        self._resets = 0

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Deal every row anew.

        Args:
            seed: names all deals to come. None goes on from the last one given; if there never was one, it is drawn
                from the operating system.

        Returns:
            (observation, action_mask), the batch's own arrays.

        Raises:
            ToothError: a deal that is over at once.
        """
        if seed is not None:
            self._seed, self._resets = checked_seed(seed), 0
        elif self._seed is None:
            self._seed, self._resets = random_seed(), 0
        else:
            self._resets += 1
            self._seed = mix_python(self._seed, EngineStream.RESET, self._resets)
        over_rows(
            loops.batch_reset,
            self.num_envs,
            self.num_threads,
            self._tables,
            self._blanks,
            self.variant,
            self._states,
            self._seed,
            self.episode,
            self._legal,
            self.view,
            self._vectors,
            self.layout.codec,
            self.observation,
        )
        for array in (self.reward, self._returns, self.terminated, self.truncated, self.refused):
            array[:] = 0
        self._check_deals()
        np.copyto(self.action_mask, self._legal)
        return self.observation, self.action_mask

    def _check_foreign(self, snapshot: dict[str, np.ndarray]) -> None:
        low, high = self.games[0].reward_bounds()
        if not (np.abs(snapshot["returns"]) <= max(abs(low), abs(high)) + 1e-9).all():
            raise ToothError("BatchEnv: the snapshot's returns are none that the game can pay; it is damaged")
        if not ((snapshot["episode"] >= 0) & (snapshot["episode"] < 2**62)).all():
            raise ToothError("BatchEnv: the snapshot's episodes are no counts; it is damaged")
        for v, game in enumerate(self.games):
            rows = np.flatnonzero(self.variant == v)
            states = zeros(game.state_dtype, len(rows))
            states[:] = snapshot["states"][rows]
            check_bounds(game, states, "BatchEnv: the snapshot", rows.tolist())
            for number, row in enumerate(rows):
                where, state = f"BatchEnv: row {row} of the snapshot", record(states, number)
                if state.rank.any():
                    raise ToothError(f"{where}: rank is given, but ranks are known when the game is over")
                try:
                    game.check_position(state)
                    game.check_reward(states[number : number + 1])
                except ToothError as problem:
                    raise ToothError(f"{where}: {problem}") from None
                check_play(game, states[number : number + 1], where, decisions=1)

    def _complain(self) -> None:
        row = int((self._final_fault != 0).argmax())
        fault = FAULTS[int(self._final_fault[row])]
        self._final_fault[:] = 0
        raise GameFault(
            f"BatchEnv: {self.games[0].name}: row {row}: {fault}, and the game was cut off after "
            f"{int(self.final_steps[row])} decisions; this is a defect of the game's rules, or of its deck"
        )

    def need_games(self) -> None:
        """Raise ToothError before the first reset."""
        if self._seed is None:
            raise ToothError("BatchEnv: no games are going on; call reset() first")

    def _check_deals(self) -> None:
        if (self.seat < 0).any():
            row = int(self.seat.argmin())
            raise ToothError(
                f"BatchEnv: {self.games[0].name}: row {row}: the deal of seed {int(self.game_seed[row])} is over "
                "before anybody has decided anything; a batch cannot hold such games: give the game other options"
            )

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """One decision in every row.

        Args:
            actions: integers [N]. An illegal one leaves its game as it is and sets ``refused`` there.

        Returns:
            (observation, action_mask, reward, terminated, truncated), the batch's own arrays.

        Raises:
            ToothError: before the first reset, the wrong shape or type, or a new deal that is over at once.
            GameFault: the rules did not come to a decision.
        """
        self.need_games()
        try:
            actions = np.asarray(as_python(actions) if isinstance(actions, list | tuple) else actions)
        except (ValueError, TypeError, MemoryError):  # lists of different lengths
            raise ToothError(f"BatchEnv: actions must be {self.num_envs} integers") from None
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ToothError(
                f"BatchEnv: actions must be {self.num_envs} integers, but {actions.dtype} {actions.shape} was given"
            )
        np.copyto(self._actions, actions, casting="unsafe" if actions.dtype == np.uint64 else "same_kind")
        over_rows(
            loops.batch_step,
            self.num_envs,
            self.num_threads,
            self._tables,
            self._blanks,
            self.variant,
            self._states,
            self._actions,
            self._seed,
            self.episode,
            self._legal,
            self.view,
            self._vectors,
            self.layout.codec,
            self.observation,
            self.reward,
            self._returns,
            self.terminated,
            self.truncated,
            self.refused,
            self.final_observation,
            self.final_rank,
            self.final_return,
            self.final_steps,
            self._final_fault,
        )
        if self._final_fault.any():
            self._complain()
        self._check_deals()
        np.copyto(self.action_mask, self._legal)
        return self.observation, self.action_mask, self.reward, self.terminated, self.truncated

    # Copies: arrays that show parts of other arrays are made anew.

    def __getstate__(self) -> dict[str, Any]:
        shared = ("seat", "game_seed", "view", "_tables", "_blanks", "variant", "num_players")
        arrays = {
            name: np.array(value.view(np.ndarray))
            for name, value in self.__dict__.items()
            if isinstance(value, np.ndarray) and name not in shared
        }
        return {
            "games": self.games,
            "num_envs": self.num_envs,
            "num_threads": self.num_threads,
            "seed": self._seed,
            "resets": self._resets,
            "arrays": arrays,
        }

    def __setstate__(self, kept: dict[str, Any]) -> None:
        most = available_threads() if JIT else 1
        self.__init__(kept["games"], kept["num_envs"], min(kept["num_threads"], most))  # type: ignore[misc]
        self._seed, self._resets = kept["seed"], kept["resets"]
        for name, value in kept["arrays"].items():
            getattr(self, name)[...] = value

    def random_actions(self, key: int) -> np.ndarray:
        """A uniformly random legal action per row, from (key, row): int64 [N], overwritten by the next call.

        Raises:
            ToothError: before the first reset.
        """
        self.need_games()
        loops.random_actions(self._legal, checked_seed(key), self._actions)
        return self._actions

    def states(self) -> np.ndarray:
        """A copy of all state records.

        Raises:
            ToothError: before the first reset.
        """
        self.need_games()
        return self._states.copy()

    def snapshot(self) -> dict[str, np.ndarray]:
        """Everything needed to go on exactly from here, as plain arrays (see ``restore``)."""
        self.need_games()
        return {
            "seed": np.array(self._seed, np.int64),
            "states": np.array(self._states.view(np.ndarray)),
            "episode": self.episode.copy(),
            "returns": self._returns.copy(),
            "tables": np.array([game.tables_digest for game in self.games]),
        }

    def restore(self, snapshot: dict[str, np.ndarray], foreign: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Go on from a snapshot of a batch of the same games.

        Args:
            snapshot: what ``snapshot`` gave.
            foreign: it comes from a file: every state is checked as a position is, and played on, before it is used.

        Returns:
            (observation, action_mask), the batch's own arrays.

        Raises:
            ToothError: the snapshot is of other games or another size; nothing has changed.
        """
        for name, own in (("states", self._states), ("episode", self.episode), ("returns", self._returns)):
            given = snapshot.get(name)
            if given is None or given.shape != own.shape or given.dtype != own.view(np.ndarray).dtype:
                raise ToothError(
                    f"BatchEnv: the snapshot's {name} does not fit this batch (other game, size or version)"
                )
        states = snapshot["states"]
        if not np.array_equal(states["players"], self.num_players):
            raise ToothError("BatchEnv: the snapshot's numbers of players are not this batch's")
        if list(snapshot.get("tables", ())) != [game.tables_digest for game in self.games]:
            raise ToothError("BatchEnv: the snapshot was taken under other options, or with another deck")
        if (
            (states["over"] != RUNNING).any()
            or (states["seat"] < 0).any()
            or (states["seat"] >= states["players"]).any()
        ):
            raise ToothError("BatchEnv: the snapshot holds games in which no seat is to act; it is damaged")
        seed = checked_seed(int(snapshot["seed"]))
        if any(states[name].any() for name in ("breakpoint", "script_end", "tracing", "fault")):
            raise ToothError("BatchEnv: the snapshot holds games that are halted, scripted or traced; it is damaged")
        if foreign:
            self._check_foreign(snapshot)
        self._seed = seed
        self._states[:] = snapshot["states"]
        self.episode[:] = snapshot["episode"]
        self._returns[:] = snapshot["returns"]
        loops.batch_observe(
            self._tables,
            self.variant,
            self._states,
            self._legal,
            self.view,
            self._vectors,
            self.layout.codec,
            self.observation,
        )
        for array in (self.reward, self.terminated, self.truncated, self.refused):
            array[:] = 0
        np.copyto(self.action_mask, self._legal)
        return self.observation, self.action_mask
