"""TableEnv: any game as a PettingZoo AEC environment.

PettingZoo's usual wrappers (order enforcing, bounds, illegal actions) cost several times more than the rules,
so their checks are built in: ``env()`` and ``raw_env()`` are the same. An illegal action raises
``IllegalAction`` and changes nothing.

Agents are ``player_0`` .. ``player_(n-1)``; ``player_i`` has seat i unless ``reset`` is told otherwise. All
agents stay until the game is over and then terminate (or are truncated) together; a seat that the rules have
eliminated simply has no more turns.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from tooth_envs.engine import loops
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.copies import Independent
from tooth_envs.engine.events import Event, events_since
from tooth_envs.engine.integers import integer, integer_in
from tooth_envs.engine.keys import random_seed
from tooth_envs.engine.state import RUNNING, TERMINATED, TRUNCATED, digest, record
from tooth_envs.engine.streams import EngineStream
from tooth_envs.envs.render import RENDER_MODES, rendered
from tooth_envs.envs.reset_options import SEATED, ResetOptions
from tooth_envs.errors import GameOver, NotReset, OptionError, shortened
from tooth_envs.spec.game import Game, checked_seed, views_of

Observation = dict[str, np.ndarray]

_FAST = (int, np.int64)
_SET_BY_RESET = (
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "_cumulative_rewards",
    "_skip_agent_selection",
    "_seat_of",
    "_agent_at",
)


class TableEnv(Independent, AECEnv):
    """One table at which a game is played.

    Args:
        game: the game with its options (``tooth_envs.game(name, ...)``).
        render_mode: None, "ansi" (text), "rgb_array" (uint8 [H, W, 3], needs the extra [render]) or "human" (prints).
        render_seat: whose view is rendered; None for the seat to act.
        trace: keep the events of the last step (``events()``); always on with a render mode.

    Observations are ``{"observation": float32 [D] in [0, 1], "action_mask": int8 [A]}``; the mask is all zero for
    agents that are not to act. ``D`` and the meaning of each entry: ``env.game.layout``.

    Whoever runs the loop sees whose turn it is, how many steps there are and which events came with which step, also
    when a seat is asked something that the rules keep hidden from the others. A policy must be given its own seat's
    observations (``last()`` at its own turns) and nothing that counts or times the steps between them;
    ``SingleSeatEnv`` shows exactly that. The same holds for a rendered seat: render at its own turns.
    """

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        render_seat: int | None = None,
        trace: bool = False,
    ) -> None:
        super().__init__()
        if render_mode is not None and not (isinstance(render_mode, str) and render_mode in RENDER_MODES):
            raise OptionError(
                f"{game.name}: render_mode is {shortened(render_mode)}; give None or one of {RENDER_MODES}"
            )
        if render_seat is not None and not integer_in(render_seat, 0, game.num_players - 1):
            raise OptionError(
                f"{game.name}: render_seat is {shortened(render_seat)}; seats are 0 to {game.num_players - 1}"
            )
        self.game = game
        self.render_mode = render_mode
        self.render_seat = integer(render_seat)
        self.trace = trace or render_mode is not None
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.possible_agents = [f"player_{i}" for i in range(game.num_players)]
        size, actions = game.layout.size, len(game.actions)
        observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (size,), np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        action_space = spaces.Discrete(actions)
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation_space)
        self.action_spaces = dict.fromkeys(self.possible_agents, action_space)
        self.state_space = spaces.Box(0.0, 1.0, (game.max_players * (size + 1),), np.float32)
        self.agents: list[str] = []
        self.game_seed: int | None = None
        self._seed_base: int | None = None
        self._episode = 0
        self._allocate(game.new_states())

    def _allocate(self, states: np.ndarray) -> None:
        """Own memory for the state and for what one observer sees, with views of the fields read at every step."""
        self._states = states
        fields = states.view(np.ndarray)
        self._seat = fields["seat"]
        self._over = fields["over"]
        self._reward = fields["reward"][0]
        self._mask = self.game.new_mask()
        self._vectors = np.zeros((1, self.game.layout.length), np.int16)
        self._views = views_of(self._vectors, self.game.layout)
        self._observation = np.zeros(self.game.layout.size, np.float32)
        self._zero_mask = self.game.new_mask()
        self._scripted = False
        self._paid = False
        self._event_mark = 0

    # Spaces.

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same space object for every agent and call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same space object for every agent and call."""
        return self.action_spaces[agent]

    # Playing.

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: names the deal and all chance in it. After a reset with a seed, resets without one continue with
                seeds derived from it; if there never was one, it is drawn from the operating system. ``game_seed``
                always tells the seed of the game at hand: ``reset(seed=env.game_seed)`` deals it again.
            options: ``position`` (see Game.from_dict), ``script`` (chance outcomes per kind), ``seats`` (seats[i] is
                the seat that player_i takes), and the keys the game itself knows (``game.reset_keys``). Other keys
                are ignored with a warning.

        Raises:
            ToothError: something in ``options`` cannot be; the game at hand goes on unharmed.
        """
        opening = ResetOptions(self.game, options)
        if seed is None:
            base = random_seed() if self._seed_base is None else self._seed_base
            episode = self._episode + 1
            game_seed = mix_python(base, EngineStream.EPISODE, episode)
        else:
            base, episode = checked_seed(seed), 0
            game_seed = base
        mask = self.game.new_mask()
        states = opening.begin(game_seed, mask, self.trace)
        self._seed_base, self._episode, self.game_seed = base, episode, int(record(states).seed)
        self._seat_of = opening.seats
        self._agent_at = [self.possible_agents[self._seat_of.index(seat)] for seat in range(self.game.num_players)]
        self._begin(states, mask)

    def _begin(self, states: np.ndarray, mask: np.ndarray) -> None:
        self._states[0] = states[0]
        self._mask[:] = mask
        self._scripted = bool(record(states).script_end.any())
        self._event_mark = 0
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._paid = False
        over = int(self._over[0])
        self.terminations = dict.fromkeys(self.agents, over == TERMINATED)
        self.truncations = dict.fromkeys(self.agents, over == TRUNCATED)
        if over == RUNNING:
            seat = int(self._seat[0])
            self.agent_selection = self._agent_at[seat]
            self._look(seat)
        else:
            self.agent_selection = self.agents[0]
            for i, agent in enumerate(self.agents):  # what the deal paid, and the end
                self.rewards[agent] = float(self._reward[self._seat_of[i]])
            self._accumulate_rewards()

    def _look(self, seat: int) -> None:
        loops.observe_one(
            self.game.tables, self._states, seat, self._views, self._vectors, self.game.layout.codec, self._observation
        )

    def step(self, action: int | None) -> None:
        """Carry out the action of ``agent_selection``; None removes an agent whose game is over.

        Raises:
            IllegalAction: the action is not legal; nothing has changed.
            GameOver: the game is over (or never began).
        """
        if not self.agents:
            raise GameOver(f"{self.game.name}: no game is going on; call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise GameOver(
                    f"{self.game.name}: the game is over for {agent}; step(None) removes it, or call reset()"
                )
            self._was_dead_step(None)
            return
        mask = self._mask
        if type(action) not in _FAST or not 0 <= action < len(mask) or not mask[action]:  # type: ignore[operator]
            self.game.check_action(self._states, action, mask)
        action = int(action)  # type: ignore[arg-type]
        self._event_mark = int(self._states["event_count"][0]) if self.trace else 0
        if self._scripted:
            self._scripted_step(action)
        else:
            loops.step_and_observe_one(
                self.game.tables,
                self._states,
                action,
                mask,
                self._views,
                self._vectors,
                self.game.layout.codec,
                self._observation,
            )
        if self._paid:
            self._clear_rewards()
            self._paid = False
        self._cumulative_rewards[agent] = 0.0
        seat = self._seat[0]
        earned = self._reward.tolist()
        if any(earned):
            self._paid = True
            for i, name in enumerate(self.possible_agents):
                self.rewards[name] = earned[self._seat_of[i]]
            self._accumulate_rewards()
        if seat >= 0:
            self.agent_selection = self._agent_at[seat]
        else:
            self._end()
        if self.render_mode == "human":
            self.render()

    def _scripted_step(self, action: int) -> None:
        before, mask = self._states.copy(), self._mask.copy()
        loops.step_one(self.game.tables, self._states, action, self._mask)
        try:
            self.game.check_fault(record(self._states))
        except ValueError:
            self._states[0] = before[0]
            self._mask[:] = mask
            raise
        if self._seat[0] >= 0:
            self._look(int(self._seat[0]))

    def _end(self) -> None:
        self.game.check_fault(record(self._states))
        terminated = int(self._over[0]) == TERMINATED
        for agent in self.agents:
            self.terminations[agent] = terminated
            self.truncations[agent] = not terminated
        self.agent_selection = self.agents[0]
        self._deads_step_first()

    def _clear_rewards(self) -> None:
        for agent in self.rewards:
            self.rewards[agent] = 0.0

    if not TYPE_CHECKING:  # checkers know what there is

        def __getattr__(self, name: str) -> Any:
            """For what the first reset makes: says so.

            Raises:
                NotReset, AttributeError: always.
            """
            if name in _SET_BY_RESET:
                raise NotReset(f"{self.game.name}: {name} exists from the first reset on; call reset() first")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _need_game(self) -> None:
        if self.game_seed is None:
            raise GameOver(f"{self.game.name}: no game is going on; call reset() first")

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Of ``agent_selection``: observation, reward since its last step, terminated, truncated, info.

        Raises:
            GameOver: no agent is left, or no game ever began.
        """
        if not self.agents:
            raise GameOver(f"{self.game.name}: no game is going on; call reset() first")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """What an agent sees now; its mask is all zero unless it is to act."""
        self._need_game()
        seat = self._seat_at(agent)
        if seat == self._seat[0]:
            return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        return {"observation": self.game.observe(self._states, seat), "action_mask": self._zero_mask.copy()}

    def _seat_at(self, agent: str) -> int:
        try:
            return self._seat_of[self.possible_agents.index(agent if isinstance(agent, str) else "")]
        except ValueError:
            raise OptionError(
                f"{self.game.name}: no agent {shortened(agent)}; agents are {', '.join(self.possible_agents)}"
            ) from None

    def state(self) -> np.ndarray:
        """The whole table for a centralised critic: float32 [max_players * (D + 1)] in [0, 1].

        Per seat (absolute, empty seats zero): whether it is to act, then its observation. Nothing is in it that no
        seat knows, such as the order of a pile.
        """
        self._need_game()
        size = self.game.layout.size
        table = np.zeros((self.game.max_players, size + 1), np.float32)
        for seat in range(self.game.num_players):
            table[seat, 0] = seat == self._seat[0]
            table[seat, 1:] = self.game.observe(self._states, seat)
        return table.reshape(-1)

    # Words and pictures.

    def explain(self, observation: np.ndarray | Observation) -> str:
        """An observation turned back into words."""
        return self.game.explain(observation["observation"] if isinstance(observation, dict) else observation)

    def describe(self, agent: str | None = None, legal: bool = True) -> str:
        """An agent's view in words (default: who is to act), with its legal actions by name if it is to act."""
        self._need_game()
        seat = self._render_seat() if agent is None else self._seat_at(agent)
        view = self.game.view(self._states, seat)
        lines = [self.game.describe(view)]
        if legal and seat == self._seat[0]:
            lines.append("Legal actions:")
            for action in np.flatnonzero(self._mask):
                lines.append(f"  {self.game.actions[action]}: {self.game.describe_action(view, int(action))}")
        return "\n".join(lines)

    def events(self) -> list[Event]:
        """What the last step (or the deal) did; empty unless the environment traces."""
        return events_since(record(self._states), self._event_mark)

    def _render_seat(self) -> int:
        if self.render_seat is not None:
            return self.render_seat
        return max(int(self._seat[0]), 0)

    def render(self) -> str | np.ndarray | None:
        """The table as the rendered seat sees it: text, a picture, or printed text."""
        if self.render_mode is None:
            warnings.warn(f"{self.game.name}: made without a render_mode; nothing is rendered", stacklevel=2)
            return None
        self._need_game()
        seat = self._render_seat()
        told = (self.game.describe_event(event, seat) for event in self.events())
        text = "\n".join([*(line for line in told if line), self.describe(self._agent_at[seat])])
        return rendered(text, self.render_mode)

    def close(self) -> None:
        """Nothing to release."""

    # Copies.

    def digest(self) -> str:
        """What identifies the state (engine/state.py)."""
        self._need_game()
        return digest(self._states)

    def states(self) -> np.ndarray:
        """A copy of the state record (array of length 1), for Game's functions and for search."""
        self._need_game()
        return self._states.copy()

    def to_dict(self) -> dict[str, Any]:
        """The whole state in words, JSON-ready; ``from_dict`` or ``reset(options={"position": ...})`` takes it back."""
        self._need_game()
        position = self.game.to_dict(self._states)
        if self._seat_of != list(range(self.game.num_players)):
            position[SEATED] = list(self._seat_of)
        return position

    def from_dict(self, position: Mapping[str, Any]) -> None:
        """Put a position on the table: short for ``reset(options={"position": position})``."""
        self.reset(seed=self.game_seed, options={"position": position})

    def clone(self) -> Self:
        """An exact, independent copy: same future for the same actions."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        kept = dict(self.__dict__)
        for name in ("_seat", "_over", "_reward", "_vectors", "_views"):
            del kept[name]  # views of other arrays: made anew
        kept["_states"] = np.array(self._states.view(np.ndarray))
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        states = self.game.new_states()
        states[:] = kept["_states"]
        scripted, paid, mark = self._scripted, self._paid, self._event_mark
        mask, observation = kept["_mask"], kept["_observation"]
        self._allocate(states)
        self._mask[:] = mask
        self._observation[:] = observation
        self._scripted, self._paid, self._event_mark = scripted, paid, mark

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = object.__new__(type(self))
        memo[id(self)] = other
        other.__setstate__({name: copy.deepcopy(value, memo) for name, value in self.__getstate__().items()})
        return other
