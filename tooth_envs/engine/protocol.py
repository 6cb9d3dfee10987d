"""What a game implements, and how the engine finds it.

A game is seven compiled functions over two records: ``state`` (one game in progress, engine/state.py) and
``tables`` (read-only: the deck as numbers and the options that change rules; shared by all games of a batch).

========================================  =========================================================================
deal(tables, state)                       seed, players and script are in the record, all else is zero: set up and
                                          run to the first decision (calls the game's own ``advance``)
legal(tables, state, mask)                set mask[action] = 1 for what the seat to act may do; mask arrives zeroed
apply(tables, state, action)              carry out a legal action, then ``advance``; add to ``reward`` what seats earn
advance(tables, state)                    from ``phase``, run everything automatic up to the next decision, left
                                          in ``seat`` and ``decision``; at the end set ``over = TERMINATED``. At the
                                          beginning of each phase, return if ``at_breakpoint(state)``; after
                                          ``MOST_PHASES`` of them, ``give_up(state)``
finish(tables, state, truncated)          called once when the game is over (by rule, or at the step cap): set
                                          ``rank`` and add the final rewards to ``reward``
view(tables, state, seat, out)            write what the seat may know into a zeroed view record: the only road
                                          from state to player
resample(tables, state, seat, seed)       for the acting seat: resample everything it cannot know consistently with
                                          all it knows. Before it the engine has put the state on other chance, from
                                          ``seed``, and has forgotten its events
========================================  =========================================================================

The generic loops call ``protocol.apply(tables, state, action)``. In compiled code a numba overload picks the
game's function from the state's dtype; in plain Python the body below does the same look-up. Passing compiled
functions as arguments instead would compile anew in every process.

``tables`` starts with fields that the engine itself reads (``TablesRecord``). Its dtype also has a field whose name
holds a digest of the game's sources, so that compiled loops of a changed game are never taken from the cache.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np
from numba import from_dtype
from numba.extending import overload

from tooth_envs.engine.chance import FAULT_ENDLESS
from tooth_envs.engine.compile import JIT, compiled, source_digest, source_root
from tooth_envs.engine.records import Mask, StateRecord, TablesRecord
from tooth_envs.engine.state import HEADER, TRUNCATED, record_dtype

SIGNATURES = {
    "deal": ("tables", "state"),
    "legal": ("tables", "state", "mask"),
    "apply": ("tables", "state", "action"),
    "advance": ("tables", "state"),
    "finish": ("tables", "state", "truncated"),
    "view": ("tables", "state", "seat", "out"),
    "resample": ("tables", "state", "seat", "seed"),
}
"""The functions of a game and their parameters' names (numba matches them by name)."""

_games: dict[Any, MappingProxyType[str, Callable[..., Any]]] = {}


def functions_of(dtype: Any) -> Mapping[str, Callable[..., Any]]:
    """A registered game's functions by the dtype of its states."""
    return _games[dtype]


def _of(state: Any) -> Mapping[str, Callable[..., Any]]:
    """The functions of the game that a record belongs to, in plain Python."""
    return _games[state.dtype]


def deal(tables: TablesRecord, state: StateRecord) -> None:
    """Set up a game and run to its first decision."""
    _of(state)["deal"](tables, state)


def legal(tables: TablesRecord, state: StateRecord, mask: Mask) -> None:
    """Mark the actions of the seat to act in a zeroed mask."""
    _of(state)["legal"](tables, state, mask)


def apply(tables: TablesRecord, state: StateRecord, action: int) -> None:
    """Carry out a legal action."""
    _of(state)["apply"](tables, state, action)


def advance(tables: TablesRecord, state: StateRecord) -> None:
    """Run to the next decision."""
    _of(state)["advance"](tables, state)


def finish(tables: TablesRecord, state: StateRecord, truncated: bool) -> None:
    """Set ranks and final rewards."""
    _of(state)["finish"](tables, state, truncated)


def view(tables: TablesRecord, state: StateRecord, seat: int, out: Any) -> None:
    """Write what a seat may know."""
    _of(state)["view"](tables, state, seat, out)


def resample(tables: TablesRecord, state: StateRecord, seat: int, seed: int) -> None:
    """Resample what the acting seat cannot know."""
    _of(state)["resample"](tables, state, seat, seed)


def _chosen(name: str, state_type: Any) -> Callable[..., Any]:
    functions = _games.get(state_type)
    if functions is None:
        raise TypeError("no registered game has states of this dtype: call tooth_envs.register_game first")
    function = functions[name]
    return getattr(function, "py_func", function)


@overload(deal, strict=False)
def _deal(tables: Any, state: Any) -> Callable[..., Any]:
    return _chosen("deal", state)


@overload(legal, strict=False)
def _legal(tables: Any, state: Any, mask: Any) -> Callable[..., Any]:
    return _chosen("legal", state)


@overload(apply, strict=False)
def _apply(tables: Any, state: Any, action: Any) -> Callable[..., Any]:
    return _chosen("apply", state)


@overload(advance, strict=False)
def _advance(tables: Any, state: Any) -> Callable[..., Any]:
    return _chosen("advance", state)


@overload(finish, strict=False)
def _finish(tables: Any, state: Any, truncated: Any) -> Callable[..., Any]:
    return _chosen("finish", state)


@overload(view, strict=False)
def _view(tables: Any, state: Any, seat: Any, out: Any) -> Callable[..., Any]:
    return _chosen("view", state)


@overload(resample, strict=False)
def _resample(tables: Any, state: Any, seat: Any, seed: Any) -> Callable[..., Any]:
    return _chosen("resample", state)


MOST_PHASES = 100_000
"""Phases between two decisions after which rules are taken to run in circles."""


@compiled
def give_up(state: StateRecord) -> None:
    """Cut a game off whose rules do not come to a decision: a fault, instead of a loop that nothing can interrupt."""
    state.fault = FAULT_ENDLESS
    state.over = TRUNCATED
    state.seat = -1
    state.decision = -1


@compiled
def at_breakpoint(state: StateRecord) -> bool:
    """Asked by ``advance`` at the beginning of every phase: whether play halts before ``state.phase``.

    A halted game has no seat to act and is not over. ``breakpoint`` is 1 + the phase; negative, play has gone on from
    there, and halts again when it comes there from another phase: decisions within a phase do not enter it anew. (A
    game whose phases can be interrupted must not ask meanwhile: coming back from an interruption enters nothing
    either.)
    """
    if state.breakpoint == 0:
        return False
    if state.breakpoint < 0:
        if state.breakpoint != -1 - state.phase:
            state.breakpoint = -state.breakpoint
        return False
    if state.breakpoint == 1 + state.phase:
        state.seat = -1
        state.decision = -1
        return True
    return False


def functions_in(*modules: ModuleType) -> Mapping[str, Callable[..., Any]]:
    """The functions of a game, by name, from the modules that define them; of several, the last one's counts."""
    found = {name: vars(module)[name] for module in modules for name in SIGNATURES if name in vars(module)}
    return MappingProxyType(found)


def tables_dtype(name: str, modules: Iterable[ModuleType], tables: type[TablesRecord]) -> np.dtype[Any]:
    """The dtype of a game's tables: the fields that ``tables`` declares, and the mark of the game's sources.

    Args:
        name: the game's short name.
        modules: the modules that hold the game's compiled functions. Their names, sources and numbers are in the
            mark: code compiled for a module must not be loaded where the same file goes by another name.
        tables: the game's declaration.
    """
    total = hashlib.sha256(name.encode())
    for module in modules:
        total.update(f"{module.__name__};".encode())
        total.update(source_digest(source_root(module.__name__, module.__file__ or "")).encode())
        for key, value in sorted(vars(module).items()):
            if _is_constant(value) and not key.startswith("__"):
                total.update(f"{key}={value!r};".encode())
            elif isinstance(value, np.ndarray):
                total.update(f"{key}={value.dtype}{value.shape}{value.tobytes().hex()};".encode())
    return record_dtype([*tables.fields(), (f"source_{total.hexdigest()[:16]}", "i2")])


def _is_constant(value: Any) -> bool:
    """Whether a module's variable is one that compiled code freezes; it may come from a file elsewhere."""
    if isinstance(value, tuple):
        return all(_is_constant(entry) for entry in value)
    return isinstance(value, int | float | np.number)


def register(name: str, state: np.dtype[Any], functions: dict[str, Callable[..., Any]]) -> None:
    """Make a game's functions known to the generic loops under its state dtype.

    Raises:
        ValueError: a function is missing or takes other parameters, the dtype lacks the header, or another game has
            the same dtype.
    """
    missing = [function for function in SIGNATURES if function not in functions]
    if missing:
        raise ValueError(f"game {name!r} lacks the function {missing[0]}()")
    for function, parameters in SIGNATURES.items():
        plain = getattr(functions[function], "py_func", functions[function])
        if tuple(inspect.signature(plain).parameters) != parameters:
            raise ValueError(f"game {name!r}: {function}() must take ({', '.join(parameters)})")
    absent = sorted(HEADER - set(state.names or ()))
    if absent:
        raise ValueError(f"game {name!r}: its state has no field {absent[0]!r}; derive it from StateRecord")
    known = _games.get(state)
    if known is not None and dict(known) != functions:
        raise ValueError(f"game {name!r} has the same state dtype as another game: rename or add a field")
    frozen = MappingProxyType(dict(functions))
    _games[state] = frozen
    _games[np.dtype((np.record, state))] = frozen
    if JIT:
        _games[from_dtype(state)] = frozen
