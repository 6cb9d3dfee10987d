"""Agents of one's own: registered under a name, or found in a module or file.

Code runs when it is imported. A name from the command line or from Python may import it. A name from a file (YAML, a
record, a checkpoint) never does: there the module must have been imported already.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tooth_agents.agent import Agent
from tooth_envs.errors import OptionError, ToothError, shortened
from tooth_envs.spec.game import Game

Factory = Callable[..., Any]
"""Makes a fresh agent; it is called with the game, or without anything if it takes nothing."""

RESERVED = ("random", "heuristic")
_registered: dict[str, Factory] = {}
_files: dict[Path, ModuleType] = {}


def register_agent(name: str, factory: Factory) -> None:
    """Make an agent known by a name, wherever agents are named.

    Args:
        name: small letters, digits, ``_`` and ``-``, a letter first.
        factory: called with the game (or without arguments, if it takes none) for every fresh agent.

    Raises:
        OptionError: the name cannot be used, or is taken by another factory.
    """
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        raise OptionError(f"agent {shortened(name)}: a name has small letters, digits, _ and -, a letter first")
    if name in RESERVED:
        raise OptionError(f"agent {name!r} is the suite's own; choose another name")
    if not callable(factory):
        raise OptionError(f"agent {name!r}: {shortened(factory)} cannot be called; give a class or function")
    if _registered.get(name, factory) is not factory:
        raise OptionError(f"agent {name!r} is registered already; choose another name")
    _registered[name] = factory


def registered_agents() -> tuple[str, ...]:
    """Names that ``register_agent`` has made known."""
    return tuple(_registered)


def registered(name: str) -> Factory | None:
    """The factory registered under a name."""
    return _registered.get(name)


def import_file(path: Path | str) -> ModuleType:
    """Import a Python file, once.

    Raises:
        OptionError: there is no such file. What the file raises comes through.
    """
    place = Path(path).resolve()
    if place in _files:
        return _files[place]
    if place.suffix != ".py" or not place.is_file():
        raise OptionError(f"{path}: there is no such Python file")
    stem = re.sub(r"\W", "_", place.stem)
    name = f"tooth_agent_file_{len(_files)}_{stem}"
    found = importlib.util.spec_from_file_location(name, place)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    _files[place] = module
    return module


def find_code(place: str, name: str, may_import: bool) -> Factory:
    """A class or function by module (or file) and name.

    Raises:
        OptionError: there is none, or its module would have to be imported and must not be.
    """
    file = place.endswith(".py")
    module = _files.get(Path(place).resolve()) if file else sys.modules.get(place)
    if module is None and not may_import:
        raise OptionError(
            f"agent '{place}:{name}': a file may name code, but does not import it; add --import {place} to the "
            "command, or import it in Python first"
        )
    if module is None:
        module = import_file(place) if file else _imported(place, name)
    if not hasattr(module, name):
        raise OptionError(f"agent '{place}:{name}': {place} has no {name}")
    factory: Factory = getattr(module, name)
    if not callable(factory):
        raise OptionError(f"agent '{place}:{name}': {name} cannot be called; name a class or function")
    return factory


def _imported(place: str, name: str) -> ModuleType:
    if not all(part.isidentifier() for part in place.split(".")):
        raise OptionError(f"agent '{place}:{name}': {place!r} is no module, and no file that ends in .py")
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as problem:
        if problem.name != place.partition(".")[0] and problem.name != place:
            raise
        raise OptionError(f"agent '{place}:{name}': there is no module {place!r} here") from None


def make_agent(factory: Factory, game: Game, what: str) -> Agent:
    """A fresh agent from a factory.

    Raises:
        OptionError: what it makes is no agent.
    """
    try:
        takes = len(inspect.signature(factory).parameters) > 0
    except (TypeError, ValueError):  # builtins do not tell
        takes = True
    try:
        agent = factory(game) if takes else factory()
    except ToothError as problem:
        raise OptionError(f"agent {what!r}: {problem}") from None
    if not callable(getattr(agent, "act", None)):
        raise OptionError(f"agent {what!r}: has no method act(observation, view, mask, key)")
    made: Agent = agent
    return made
