"""Any game as a single-seat gymnasium.Env: one learner, the other seats played by given opponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import gymnasium
import numpy as np
from gymnasium import spaces

from tooth_envs.engine import loops
from tooth_envs.engine.chance import mix_python, scaled
from tooth_envs.engine.copies import Independent
from tooth_envs.engine.integers import integer, integer_in
from tooth_envs.engine.keys import OPPONENT, DecisionKeys, random_seed, seat_keys
from tooth_envs.engine.state import RUNNING, TERMINATED, record
from tooth_envs.engine.streams import EngineStream
from tooth_envs.envs.asking import choose
from tooth_envs.envs.render import RENDER_MODES, rendered
from tooth_envs.envs.reset_options import ResetOptions
from tooth_envs.errors import (
    GameOver,
    IllegalAction,
    NotReset,
    OpponentError,
    OptionError,
    ScriptError,
    ToothError,
    shortened,
)
from tooth_envs.spec.game import Game, checked_seed, views_of

Observation = dict[str, np.ndarray]


_TABLE = np.zeros(1, np.int64)  # the one game's number among the keys

IDLE_DEALS = 1000
"""Deals without a decision for the learner after which ``reset`` gives up."""


class Opponent(Protocol):
    """Who plays the other seats: any object with this method (such as the agents of the package ``agents``)."""

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        """Legal actions int64 [N] for observations float32 [N, D], views [N], masks int8 [N, A], keys int64 [N]."""
        ...


class _Uniform:
    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(mask), np.int64)
        loops.random_rows(mask, key, actions)
        return actions


class SingleSeatEnv(Independent, gymnasium.Env[Any, Any]):
    """One seat of a game.

    Args:
        game: the game with its options.
        opponents: None for uniformly random ones, one opponent for all other seats, or one per other seat, clockwise
            from the learner's left.
        seat: the learner's seat, or "random" for a new one each game.
        render_mode: None, "ansi" (text), "rgb_array" (uint8 [H, W, 3], needs the extra [render]) or "human" (prints
            after every reset and step).

    Attributes:
        seat: the learner's seat in the game at hand. game_seed: the seed of its deal, for the experimenter, not for
            players: ``reset(seed=env.game_seed)`` deals it again.

    Observations are ``{"observation": float32 [D], "action_mask": int8 [A]}``. The reward of a step is everything
    the seat earns until its next decision or the end. ``action_masks()`` is what sb3-contrib's MaskablePPO asks.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 (gymnasium's declaration)

    def __init__(
        self,
        game: Game,
        opponents: Opponent | Sequence[Opponent] | None = None,
        seat: int | str = "random",
        render_mode: str | None = None,
    ) -> None:
        others = game.num_players - 1
        if opponents is None:
            chosen: list[Opponent] = [_Uniform()] * others
        elif isinstance(opponents, Sequence) and not isinstance(opponents, str):
            if len(opponents) != others:
                raise OptionError(f"{game.name}: {len(opponents)} opponents given, but there are {others} other seats")
            chosen = list(opponents)
        else:
            chosen = [opponents] * others
        for opponent in chosen:
            if not callable(getattr(opponent, "act", None)):
                raise OptionError(
                    f"{game.name}: opponent {shortened(opponent)} has no method act(observation, view, mask, key); "
                    "tooth_agents.load.load_agent(name, game) gives such objects"
                )
        fixed = None if isinstance(seat, str) and seat == "random" else integer(seat)
        if not (isinstance(seat, str) and seat == "random") and not integer_in(seat, 0, game.num_players - 1):
            raise OptionError(f"{game.name}: seat is {shortened(seat)}; give 'random' or 0 to {game.num_players - 1}")
        if render_mode is not None and not (isinstance(render_mode, str) and render_mode in RENDER_MODES):
            raise OptionError(
                f"{game.name}: render_mode is {shortened(render_mode)}; give None or one of {RENDER_MODES}"
            )
        self.game = game
        self.seat: int
        self.game_seed: int
        self.opponents = chosen
        self.fixed_seat = fixed
        self.render_mode = render_mode
        size, actions = game.layout.size, len(game.actions)
        self.observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (size,), np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.action_space = spaces.Discrete(actions)
        self._states: np.ndarray | None = None
        self._mask = game.new_mask()
        self._vectors = np.zeros((1, game.layout.length), np.int16)
        self._views = views_of(self._vectors, game.layout)
        self._out = np.zeros((1, game.layout.size), np.float32)
        self._seed_base: int | None = None
        self._episode = 0
        self._early = 0.0

    if not TYPE_CHECKING:  # checkers know what there is

        def __getattr__(self, name: str) -> Any:
            """For what the first reset makes: says so.

            Raises:
                NotReset, AttributeError: always.
            """
            if name in ("seat", "game_seed"):
                raise NotReset(f"{self.game.name}: {name} exists from the first reset on; call reset() first")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a new game and let the opponents play up to the learner's first decision.

        A game in which the learner has nothing to decide is skipped (another is dealt). Seeds and ``options`` (but for
        ``seats``) work as in TableEnv: without a seed, games go on from the last given one. What the learner earns
        before its first decision is paid with its first step. ``info`` has ``seat``. The deal's seed is only in
        ``game_seed``: infos reach policies, and whoever knows the seed knows everything that is hidden.

        Raises:
            ToothError: something in ``options`` cannot be, or in hundreds of deals the learner never has a decision.
            OpponentError: see ``step``.
        """
        opening = ResetOptions(self.game, options, leave_out=("seats",))
        if seed is not None:
            base, episode = checked_seed(seed), -1
        else:
            base = random_seed() if self._seed_base is None else self._seed_base
            episode = self._episode
        n = self.game.num_players
        for deal in range(IDLE_DEALS):
            episode += 1
            game_seed = base if episode == 0 else mix_python(base, EngineStream.EPISODE, episode)
            mask = self.game.new_mask()
            states = opening.begin(game_seed, mask)  # whatever cannot be is found here, before anything has changed
            if deal == 0:
                super().reset(seed=None if seed is None else base)
            self._seed_base, self._episode, self.game_seed = base, episode, int(record(states).seed)
            number = mix_python(game_seed, EngineStream.SEAT, 0)
            self.seat = int(scaled(number, n)) if self.fixed_seat is None else self.fixed_seat
            self._states = states
            self._keys = DecisionKeys(seat_keys(self.game_seed, OPPONENT, [()], n))
            self._mask[:] = mask
            self._early = self._play_others()
            if record(states).over == RUNNING:
                if self.render_mode == "human":
                    self.render()
                return self._observe(), {"seat": self.seat}
        self._states = None
        raise ToothError(
            f"{self.game.name}: in {IDLE_DEALS} deals the learner had nothing to decide; give it another seat or the "
            "game other options"
        )

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's action and the opponents' after it.

        Raises:
            IllegalAction: the action is not legal; nothing has changed.
            GameOver: the game is over (or never began).
            OpponentError: an opponent chose an illegal action; the game is given up, and ``reset`` deals another.
        """
        if self._states is None:
            raise GameOver(f"{self.game.name}: no game is going on; call reset() first")
        self.game.step(self._states, action, self._mask)
        state = record(self._states)
        reward = self._early + float(state.reward[self.seat]) + self._play_others()
        self._early = 0.0
        info: dict[str, Any] = {}
        if state.over != RUNNING:
            info["rank"] = int(state.rank[self.seat])
        over = int(state.over)
        if self.render_mode == "human":
            self.render()
        return self._observe(), reward, over == TERMINATED, over not in (RUNNING, TERMINATED), info

    def _play_others(self) -> float:
        """Let the opponents act until the learner must or the game is over; what the learner earned meanwhile."""
        assert self._states is not None
        state = record(self._states)
        earned = 0.0
        while state.over == RUNNING and state.seat != self.seat:
            seat = int(state.seat)
            self._look(seat)
            opponent = self.opponents[(seat - self.seat) % self.game.num_players - 1]
            key = self._keys.next(_TABLE, np.array([seat]))
            seen, view, mask = self._out.copy(), self._views.copy(), self._mask[None].copy()
            actions = choose(opponent, self.game, self._own_states, seen, view, mask, key)
            action = int(np.asarray(actions).reshape(-1)[0])
            try:
                self.game.step(self._states, action, self._mask)
            except ScriptError:
                self._states = None
                raise
            except IllegalAction as problem:
                self._states = None
                raise OpponentError(
                    f"{self.game.name}: opponent {type(opponent).__name__}: {problem}; the game is given up: reset()"
                ) from None
            earned += float(state.reward[self.seat])
        return earned

    def __getstate__(self) -> dict[str, Any]:
        kept = dict(self.__dict__)
        del kept["_views"]  # shows the memory of _vectors: made anew
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._views = views_of(self._vectors, self.game.layout)

    def _own_states(self) -> np.ndarray:
        assert self._states is not None
        return self._states

    def _look(self, seat: int) -> None:
        loops.observe_one(
            self.game.tables, self._own_states(), seat, self._views, self._vectors, self.game.layout.codec, self._out[0]
        )

    def _observe(self) -> Observation:
        self._look(self.seat)
        return {"observation": self._out[0].copy(), "action_mask": self._mask.copy()}

    def action_masks(self) -> np.ndarray:
        """Legal actions as bool [A].

        Raises:
            GameOver: no game ever began, or it was given up.
        """
        if self._states is None:
            raise GameOver(f"{self.game.name}: no game is going on; call reset() first")
        return self._mask.astype(np.bool_)

    def render(self) -> str | np.ndarray | None:
        """The learner's view: text, a picture, or printed text."""
        if self.render_mode is None or self._states is None:
            return None
        return rendered(self.game.describe(self.game.view(self._states, self.seat)), self.render_mode)
