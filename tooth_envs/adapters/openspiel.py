"""Any game, in a small configuration, as an OpenSpiel game (extra [openspiel]).

    from tooth_envs.adapters.openspiel import load
    game = load("dragon_teeth_washer", preset="trio")       # a pyspiel.Game
    pyspiel.load_game("tooth_dragon_teeth_washer(preset=trio)")  # the same, after ``register()``

Chance is explicit with probabilities, simultaneous choices are asked one after the other without being shown,
information states have perfect recall, and returns are the game's rewards. It is plain Python on top of
compiled rules: meant for exact methods on small presets, not for speed.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

import tooth_envs
from tooth_envs.envs.tree import CHANCE, OVER, Node
from tooth_envs.errors import OptionError
from tooth_envs.spec.game import Game

try:
    import pyspiel
except ImportError as missing:  # pragma: no cover - depends on the installation
    raise ImportError("the OpenSpiel adapter needs open_spiel: pip install 'tooth-envs[openspiel]'") from missing

PREFIX = "tooth_"


def _game_type(name: str) -> Any:
    cls = tooth_envs.game_class(name)
    return pyspiel.GameType(
        short_name=PREFIX + name,
        long_name=cls.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.REWARDS,
        max_num_players=cls.max_players,
        min_num_players=cls.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"preset": "", "options": ""},
    )


class OpenSpielGame(pyspiel.Game):
    """A game of the suite behind pyspiel's interface.

    Parameters (of the pyspiel game string): ``preset``, and ``options`` as a JSON object. Where pyspiel would stumble
    over its commas and brackets, the object is percent-encoded (``urllib.parse.quote``), as ``str(game)`` has it.
    """

    def __init__(self, name: str, params: dict[str, Any] | None = None, game: Game | None = None) -> None:
        params = dict(params or {})
        if game is None:
            game = tooth_envs.game(name, **_options(name, params))
        params = {"options": quote(game.options.model_dump_json(exclude_defaults=True), safe="")}
        self.game = game
        low, high = game.reward_bounds()
        info = pyspiel.GameInfo(
            num_distinct_actions=len(game.actions),
            max_chance_outcomes=game.max_chance_outcomes,
            num_players=game.num_players,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0,
            max_game_length=game.options.max_steps,
        )
        super().__init__(_game_type(name), info, params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self.game.name, str(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> OpenSpielGame:
        return self  # never changed

    def new_initial_state(self) -> OpenSpielState:
        """The root of the game."""
        return OpenSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """Observations as float tensors and words; perfect recall is given as a string only."""
        if params:
            raise OptionError(f"{self.game.name}: observers take no parameters, but {params} was given")
        return _Observer(self.game, iig_obs_type)


class OpenSpielState(pyspiel.State):
    """One point of the game's tree."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self.node = Node(game.game)

    def __reduce__(self) -> tuple[Any, ...]:
        return _replayed, (self.node.game.name, str(self.get_game()), self.history())

    def __deepcopy__(self, memo: dict[int, Any]) -> OpenSpielState:
        return self.clone()

    def current_player(self) -> Any:
        """The seat to act, or pyspiel's marks for chance and the end."""
        if self.node.player == CHANCE:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.node.player == OVER else self.node.player

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.legal() if player == self.node.player else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """(outcome, probability) pairs of a chance node."""
        return self.node.chance()

    def _apply_action(self, action: int) -> None:
        self.node = self.node.child(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return f"chance {action}" if player == pyspiel.PlayerId.CHANCE else self.node.game.actions[action]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.node.player == OVER

    def rewards(self) -> list[float]:
        """Rewards of the last step, per seat."""
        return [float(value) for value in self.node.last_rewards]

    def returns(self) -> list[float]:
        """Rewards so far, per seat."""
        return [float(value) for value in self.node.returns]

    def information_state_string(self, player: int | None = None) -> str:
        """Everything a seat has seen and done (see Node.information_state)."""
        return self.node.information_state(self.node.player if player is None else player)

    def __str__(self) -> str:
        return " ".join(str(step.action) for step in self.full_history()) or "(start)"


class _Observer:
    """pyspiel's Python observer interface over ``Game.observe`` and ``Game.describe``."""

    def __init__(self, game: Game, kind: Any) -> None:
        self.game = game
        self.recall = kind is not None and kind.perfect_recall
        self.tensor = np.zeros(0 if self.recall else game.layout.size, np.float32)
        self.dict = {} if self.recall else {"observation": self.tensor}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write the seat's observation into ``tensor``."""
        if not self.recall:
            self.tensor[:] = 0 if state.is_chance_node() else self.game.observe(state.node.states, player)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """The seat's view in words, or its whole history's string."""
        if self.recall:
            return state.node.information_state(player)
        return "" if state.is_chance_node() else self.game.describe(self.game.view(state.node.states, player))


def _options(name: str, params: dict[str, Any]) -> dict[str, Any]:
    text = unquote(str(params.get("options") or "{}"))
    try:
        options = json.loads(text)
    except json.JSONDecodeError as problem:
        raise OptionError(f"{name}: options is no JSON object: {problem}") from None
    if not isinstance(options, dict):
        raise OptionError(f"{name}: options is {text}; give a JSON object")
    if params.get("preset"):
        options["preset"] = str(params["preset"])
    return options


def load(name: str, **options: Any) -> OpenSpielGame:
    """A game under options (``preset`` included) as a pyspiel game, which pyspiel can copy and pickle."""
    _register(name)
    return OpenSpielGame(name, game=tooth_envs.game(name, **options))


def register() -> None:
    """Make ``pyspiel.load_game("tooth_<name>(preset=...)")`` work for every registered game."""
    for name in tooth_envs.list_games():
        _register(name)


def _register(name: str) -> None:
    if PREFIX + name not in pyspiel.registered_names():
        pyspiel.register_game(_game_type(name), _named(name))


def _loaded(name: str, text: str) -> OpenSpielGame:
    """A pickled game."""
    _register(name)
    return pyspiel.load_game(text)


def _replayed(name: str, text: str, history: list[int]) -> OpenSpielState:
    """A pickled state."""
    state = _loaded(name, text).new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def _named(name: str) -> type[OpenSpielGame]:
    class Named(OpenSpielGame):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(name, params)

    Named.__name__ = Named.__qualname__ = f"OpenSpiel_{name}"
    return Named
