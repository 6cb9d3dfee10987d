"""Which games there are. Those of the suite are the folders of tooth_envs/games; others join by ``register_game``.

A folder's game is imported on first use. Until then its name is that of the folder, and its version the last that its
``about.toml`` tells of.
"""

from __future__ import annotations

import importlib
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tooth_envs.games
from tooth_envs.engine import protocol
from tooth_envs.errors import UnknownGame, shortened
from tooth_envs.spec.game import Game
from tooth_envs.spec.metadata import ABOUT
from tooth_envs.spec.validation import suggestion

_registered: dict[str, type[Game]] = {}


@cache
def built_in() -> Mapping[str, int]:
    """Short names of the suite's games, in alphabetical order, and their versions."""
    found = {}
    for folder in (Path(place) for place in tooth_envs.games.__path__):
        for file in sorted(folder.glob("*/game.py")):
            versions = tomllib.loads((file.parent / ABOUT).read_text(encoding="utf-8"))["versions"]
            found[file.parent.name] = max(map(int, versions))
    return MappingProxyType(found)


def list_games() -> tuple[str, ...]:
    """Short names of all games, those of the suite first."""
    return (*built_in(), *(name for name in _registered if name not in built_in()))


def register_game(cls: type[Game]) -> type[Game]:
    """Make a game known to the engine and to every tool (``tooth_envs.register_game`` adds the registries' ids).

    Raises:
        ValueError: the game lacks something, or its name or state dtype is another game's.
    """
    if not (isinstance(cls, type) and issubclass(cls, Game)):
        raise ValueError(f"{cls!r} is no subclass of tooth_envs.spec.game.Game")
    for attribute in ("name", "title", "min_players", "max_players", "Options", "actions", "decisions"):
        if not hasattr(cls, attribute):
            raise ValueError(f"{cls.__name__} lacks the class attribute {attribute!r}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", cls.name):
        raise ValueError(f"{cls.__name__}: name is {cls.name!r}; write small letters, digits and _, a letter first")
    if len({action.casefold() for action in cls.actions}) != len(cls.actions):
        raise ValueError(f"{cls.name}: two actions have the same name (upper and lower case count as the same)")
    known = _registered.get(cls.name)
    taken = "" if known is None else f"{known.__module__}.{known.__qualname__}"
    own = f"{cls.__module__}.{cls.__qualname__}"
    if known is None and cls.name in built_in() and cls.__module__ != _module_of(cls.name):
        taken = _module_of(cls.name)
    if taken and taken != own:
        raise ValueError(f"{own}: a game named {cls.name!r} is there already ({taken}); choose another name")
    protocol.register(cls.name, cls.state_dtype, dict(cls.functions))
    _registered[cls.name] = cls
    return cls


def _module_of(name: str) -> str:
    return f"tooth_envs.games.{name}.game"


def game_class(name: str) -> type[Game]:
    """The class of a game by its short name.

    Raises:
        UnknownGame: with the names there are.
    """
    if not isinstance(name, str):
        raise UnknownGame(
            f"a game is named by a text, but {shortened(name)} was given. Games: {', '.join(list_games())}"
        )
    if name not in _registered and name in built_in():
        module = importlib.import_module(_module_of(name))
        own = [cls for cls in vars(module).values() if isinstance(cls, type) and issubclass(cls, Game)]
        register_game(next(cls for cls in own if cls.__module__ == module.__name__))
    if name not in _registered:
        raise UnknownGame(
            f"unknown game {shortened(name)}{suggestion(name, list(list_games()))} Games: {', '.join(list_games())}"
        )
    return _registered[name]


def game(name: str, /, **options: Any) -> Game:
    """A game under options (``preset=`` included).

    Raises:
        UnknownGame, OptionError: naming what is allowed.
    """
    return game_class(name).create(**options)
