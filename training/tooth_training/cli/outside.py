"""Games that are brought from outside, by the module or file that has them."""

from __future__ import annotations

import importlib
import sys

from tooth_agents.code import import_file

from tooth_envs.errors import OptionError
from tooth_envs.spec.game import Game
from tooth_envs.spec.registry import game_class, list_games, register_game


def find_game(text: str) -> type[Game]:
    """The game that is meant; its module is imported, and it is registered.

    Args:
        text: a registered name, MODULE, MODULE:Class, or file.py, file.py:Class. A package is asked for its ``game``
            module.

    Raises:
        OptionError: there is no such module, no game in it, or several.
    """
    if text in list_games():
        return game_class(text)
    place, colon, name = text.rpartition(":") if ":" in text else (text, "", "")
    if place.endswith(".py"):
        module = import_file(place)
    else:
        if not all(part.isidentifier() for part in place.split(".")):
            raise OptionError(f"{text!r}: is no game, and no module or file that ends in .py")
        sys.path.insert(0, "")  # the folder where the command is given, as with python -m
        try:
            module = importlib.import_module(place)
            if hasattr(module, "__path__") and not _games_in(vars(module)):
                module = importlib.import_module(f"{place}.game")
        except ModuleNotFoundError as problem:
            if problem.name is None or not f"{place}.game.".startswith(f"{problem.name}."):
                raise
            raise OptionError(
                f"{text!r}: there is neither a game nor a module of this name here. Games: {', '.join(list_games())}"
            ) from None
    found = _games_in(vars(module))
    if colon:
        found = [cls for cls in found if cls.__name__ == name]
    if len(found) != 1:
        known = ", ".join(cls.__name__ for cls in _games_in(vars(module)))
        what = f"no game named {name}" if colon else ("no game" if not found else "several games")
        raise OptionError(f"{text!r}: {place} has {what}; name one as {place}:Class. Its games: {known or 'none'}")
    return register_game(found[0])


def _games_in(names: dict[str, object]) -> list[type[Game]]:
    found = [cls for cls in names.values() if isinstance(cls, type) and issubclass(cls, Game) and hasattr(cls, "name")]
    return list(dict.fromkeys(found))
