"""tooth_envs: card-and-dice games for reinforcement-learning research. See README.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tooth_envs.envs.registration import (
    PettingZooModule,
    make,
    make_batch,
    make_parallel,
    make_single,
    register_ids,
)
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
from tooth_envs.spec.game import Game
from tooth_envs.spec.registry import built_in, game, game_class, list_games
from tooth_envs.spec.registry import register_game as _register_game
from tooth_envs.version import __version__

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
    "list_games",
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


for _name, _version in built_in().items():
    register_ids(_name, _version)
del _name, _version


if TYPE_CHECKING:

    def __getattr__(name: str) -> PettingZooModule:
        """``dragon_teeth_washer_v0`` and its like are made when a game is registered."""
