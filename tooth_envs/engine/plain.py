"""The rules as plain Python beside their compiled form, in one process.

Compiled code does not check indices: a state from a file that holds a wrong number could make it write anywhere. The
same functions as ordinary Python raise an error instead. ``twin`` gives that form of a compiled function: its Python
body, in copies of its modules in which every compiled function has been replaced by its own twin.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from tooth_envs.engine import chance, loops, protocol
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.state import TRUNCATED

_modules: dict[str, dict[str, Any]] = {}
_functions: dict[int, Callable[..., Any]] = {}


class _Games(Mapping[Any, Mapping[str, Callable[..., Any]]]):
    """protocol.py's games, with the twins of their functions."""

    def __getitem__(self, dtype: Any) -> Mapping[str, Callable[..., Any]]:
        return {name: twin(function) for name, function in protocol.functions_of(dtype).items()}

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0


def twin(function: Any) -> Callable[..., Any]:
    """A compiled function as plain Python all the way down; any other function as it is."""
    if not isinstance(function, Dispatcher):
        return function
    if function is chance.mix_compiled:
        return mix_python  # the one function that has two bodies
    if id(function) not in _functions:
        body = function.py_func
        made = FunctionType(body.__code__, _globals(body.__module__), body.__name__, body.__defaults__)
        _functions[id(function)] = made
    return _functions[id(function)]


def _globals(module: str) -> dict[str, Any]:
    """A module's names, with twins for compiled functions, also for those of modules that it uses."""
    if module not in _modules:
        names: dict[str, Any] = {}
        _modules[module] = names
        for name, value in vars(sys.modules[module]).items():
            names[name] = _replaced(value)
        if module == protocol.__name__:
            names["_games"] = _Games()
            for name in ("_of", *protocol.SIGNATURES):
                body = getattr(protocol, name)
                names[name] = FunctionType(body.__code__, names, name)
    return _modules[module]


def _replaced(value: Any) -> Any:
    if isinstance(value, Dispatcher):
        return twin(value)
    if isinstance(value, ModuleType) and _holds_rules(value):
        return _Space(value.__name__)
    if isinstance(value, FunctionType) and value.__module__ == protocol.__name__:
        return _globals(protocol.__name__).get(value.__name__, value)
    return value


class _Space:
    """Stands for a module: its names are the twins'."""

    def __init__(self, module: str) -> None:
        self.__dict__ = _globals(module)


def _holds_rules(module: ModuleType) -> bool:
    return module is protocol or any(isinstance(value, Dispatcher) for value in vars(module).values())


class PlainError(Exception):
    """The rules, as plain Python, met an index or a number that cannot be."""


@contextmanager
def _strict() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # numbers that wrap
        try:
            yield
        except (ArithmeticError, LookupError, TypeError, ValueError, RuntimeWarning, RecursionError) as problem:
            raise PlainError(f"{type(problem).__name__}: {problem}") from None


def resume(tables: np.ndarray, states: np.ndarray, mask: np.ndarray) -> None:
    """``loops.resume_one`` as plain Python.

    Raises:
        PlainError: see there; the state is spoilt.
    """
    with _strict():
        twin(loops.resume_one)(tables.view(np.recarray), states.view(np.recarray), mask)


def finish(tables: np.ndarray, states: np.ndarray) -> None:
    """A game's end (``protocol.finish``) as plain Python.

    Raises:
        PlainError: see there; the state is spoilt.
    """
    with _strict():
        state = states.view(np.recarray)[0]
        twin(protocol.functions_of(states.dtype)["finish"])(
            tables.view(np.recarray)[0], state, bool(state.over == TRUNCATED)
        )


def play(tables: np.ndarray, states: np.ndarray, mask: np.ndarray, key: int, decisions: int) -> None:
    """Go on with a state by random legal actions, for so many decisions at most, as plain Python.

    Raises:
        PlainError: see there; the state is spoilt.
    """
    with _strict():
        rows, table = states.view(np.recarray), tables.view(np.recarray)
        state = rows[0]
        twin(loops.legal_one)(table, rows, mask)
        for decision in range(decisions):
            if state.over or state.seat < 0 or not mask.any():
                return
            legal = np.flatnonzero(mask)
            action = int(legal[mix_python(key, 0, decision) % len(legal)])
            twin(loops.step_one)(table, rows, action, mask)
