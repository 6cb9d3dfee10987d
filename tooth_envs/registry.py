"""Which games there are. Built-in games are imported on first use; others join by ``register_game``."""

from __future__ import annotations

import importlib
from typing import Any

from tooth_envs.engine import protocol
from tooth_envs.errors import UnknownGame
from tooth_envs.games.game import Game
from tooth_envs.validation import suggestion

BUILT_IN: dict[str, str] = {
    "dragon_teeth_washer": "tooth_envs.games.dragon_teeth_washer:DragonTeethWasher",
}
"""Short name -> where the class is."""

_registered: dict[str, type[Game]] = {}


def games() -> tuple[str, ...]:
    """Short names of all games, built-in ones first."""
    return (*BUILT_IN, *(name for name in _registered if name not in BUILT_IN))


def register_game(cls: type[Game]) -> type[Game]:
    """Make a game known to the engine and to every tool. Usable as a class decorator.

    The class's compiled functions should live in the same package (or file) as the class, so that the
    compilation cache notices when they change.

    Raises:
        ValueError: the game lacks something, or its name or state dtype is another game's.
    """
    for attribute in ("name", "title", "min_players", "max_players", "Options", "actions", "decisions"):
        if not hasattr(cls, attribute):
            raise ValueError(f"{cls.__name__} lacks the class attribute {attribute!r}")
    if len(set(cls.actions)) != len(cls.actions):
        raise ValueError(f"{cls.name}: two actions have the same name")
    known = _registered.get(cls.name)
    if known is not None and known.__qualname__ != cls.__qualname__:
        raise ValueError(f"a game named {cls.name!r} is registered already ({known.__qualname__})")
    protocol.register(cls.name, cls.state_dtype, dict(cls.functions))
    _registered[cls.name] = cls
    return cls


def game_class(name: str) -> type[Game]:
    """The class of a game by its short name.

    Raises:
        UnknownGame: with the names there are.
    """
    if name not in _registered and name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        register_game(getattr(importlib.import_module(module), attribute))
    if name not in _registered:
        raise UnknownGame(
            f"unknown game {name!r}{suggestion(str(name), list(games()))} Games: {', '.join(games())}"
        )
    return _registered[name]


def game(name: str, **options: Any) -> Game:
    """A game under options (``preset=`` included).

    Raises:
        UnknownGame, OptionError: naming what is allowed.
    """
    return game_class(name).create(**options)
