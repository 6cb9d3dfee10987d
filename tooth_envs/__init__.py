"""tooth_envs: card-and-dice games for reinforcement-learning research. See README.md."""

from __future__ import annotations

from tooth_envs.errors import (
    DeckError,
    GameOver,
    IllegalAction,
    OptionError,
    PositionError,
    ScriptError,
    ToothError,
    UnknownGame,
)
from tooth_envs.games.game import Game
from tooth_envs.making import make, make_batch, make_parallel, make_single, register_ids
from tooth_envs.registry import BUILT_IN, game, game_class, games
from tooth_envs.registry import register_game as _register_game

__version__ = "0.1.0"

__all__ = [
    "DeckError",
    "Game",
    "GameOver",
    "IllegalAction",
    "OptionError",
    "PositionError",
    "ScriptError",
    "ToothError",
    "UnknownGame",
    "__version__",
    "game",
    "game_class",
    "games",
    "make",
    "make_batch",
    "make_parallel",
    "make_single",
    "register_game",
]


def register_game(cls: type[Game]) -> type[Game]:
    """Make a game of your own known to every tool, and its ids to gymnasium and PettingZoo. Usable as a decorator.

    Its compiled functions should live in the same package (or file) as the class, so that the compilation cache
    notices when they change.

    Raises:
        ValueError: the game lacks something, or its name or state dtype is another game's.
    """
    _register_game(cls)
    register_ids(cls.name, cls.version)
    return cls


for _name in BUILT_IN:
    register_ids(_name, BUILT_IN[_name].version)
del _name
