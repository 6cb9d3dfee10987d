"""Which games there are. Built-in games are imported on first use; others join by ``register_game``."""

from __future__ import annotations

import importlib
import re
from typing import Any, NamedTuple

from tooth_envs.engine import protocol
from tooth_envs.errors import UnknownGame, shortened
from tooth_envs.games.game import Game
from tooth_envs.validation import suggestion


class BuiltIn(NamedTuple):
    """Where a built-in game's class is, and its version: known without importing it."""

    attribute: str
    version: int


BUILT_IN: dict[str, BuiltIn] = {
    "dragon_teeth_washer": BuiltIn("DragonTeethWasher", 0),
    "super_tooth": BuiltIn("SuperTooth", 0),
    "toothead": BuiltIn("Toothead", 0),
}
"""Short name (also the folder below tooth_envs/games) -> class and version."""

_registered: dict[str, type[Game]] = {}


def games() -> tuple[str, ...]:
    """Short names of all games, built-in ones first."""
    return (*BUILT_IN, *(name for name in _registered if name not in BUILT_IN))


def register_game(cls: type[Game]) -> type[Game]:
    """Make a game known to the engine and to every tool (``tooth_envs.register_game`` adds the registries' ids).

    Raises:
        ValueError: the game lacks something, or its name or state dtype is another game's.
    """
    if not (isinstance(cls, type) and issubclass(cls, Game)):
        raise ValueError(f"{cls!r} is no subclass of tooth_envs.games.game.Game")
    for attribute in ("name", "title", "min_players", "max_players", "Options", "actions", "decisions"):
        if not hasattr(cls, attribute):
            raise ValueError(f"{cls.__name__} lacks the class attribute {attribute!r}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", cls.name):
        raise ValueError(f"{cls.__name__}: name is {cls.name!r}; write small letters, digits and _, a letter first")
    if len({action.casefold() for action in cls.actions}) != len(cls.actions):
        raise ValueError(f"{cls.name}: two actions have the same name (upper and lower case count as the same)")
    known = _registered.get(cls.name)
    taken = "" if known is None else f"{known.__module__}.{known.__qualname__}"
    if known is None and cls.name in BUILT_IN:
        taken = f"tooth_envs.games.{cls.name}.{BUILT_IN[cls.name].attribute}"
    own = f"{cls.__module__}.{cls.__qualname__}"
    if taken and taken != own:
        raise ValueError(f"{own}: a game named {cls.name!r} is there already ({taken}); choose another name")
    protocol.register(cls.name, cls.state_dtype, dict(cls.functions))
    _registered[cls.name] = cls
    return cls


def game_class(name: str) -> type[Game]:
    """The class of a game by its short name.

    Raises:
        UnknownGame: with the names there are.
    """
    if not isinstance(name, str):
        raise UnknownGame(f"a game is named by a text, but {shortened(name)} was given. Games: {', '.join(games())}")
    if name not in _registered and name in BUILT_IN:
        module = importlib.import_module(f"tooth_envs.games.{name}")
        register_game(getattr(module, BUILT_IN[name].attribute))
    if name not in _registered:
        raise UnknownGame(
            f"unknown game {shortened(name)}{suggestion(name, list(games()))} Games: {', '.join(games())}"
        )
    return _registered[name]


def game(name: str, /, **options: Any) -> Game:
    """A game under options (``preset=`` included).

    Raises:
        UnknownGame, OptionError: naming what is allowed.
    """
    return game_class(name).create(**options)
