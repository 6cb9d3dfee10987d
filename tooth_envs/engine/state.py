"""State records: the header every game's state starts from, and the guards around its dtype.

Every field is declared once (``StateField``): type, shape, bounds, and what it holds. The dtype follows from that, and
so does the check of states that come from outside (``violations``).

A game in progress is one NumPy record of fixed size: the header, and the fields that the game's ``StateRecord``
declares (engine/records.py), ordered by size so that there is no padding. Equal games have equal bytes.

Header fields

===========  ==========  =====================================================================================
seed         i8          names all chance of this game (0 .. 2**63 - 1)
reward       f8[P]       earned by each seat through the last step (zeroed by the engine before each step)
ticks        i4[S]       how many numbers each chance stream has given
steps        i4          decisions taken so far (forced ones that the engine settles are not counted)
event_count  i4          events written so far; the ring keeps the latest
players      i2          seats in this game
seat         i2          who decides; -1 when the game is over or halted
decision     i2          which decision is being asked; -1 when none is
phase        i2          the node of the game's state machine that ``advance`` goes on from
over         i2          RUNNING, TERMINATED or TRUNCATED
breakpoint   i2          0, or 1 + a phase at whose beginning automatic play stops (worked positions)
fault        i2          0, or what was wrong with a scripted outcome (chance.FAULTS)
open_kind    i2          kind of the first chance request that no script answered (chance.KINDS) ...
open_count   i2          ... and how many outcomes it had; 0 if every request was scripted or none came
tracing      i2          1: write events
rank         i2[P]       competition ranks at the end (1, 1, 3, ...), 0 before
script_pos   i2[4]       per kind of outcome: next scripted outcome ...
script_end   i2[4]       ... and the end of its part of the queue
script       i2[C]       the scripted outcomes
events       i2[E, 5]    ring of events (events.py)
===========  ==========  =====================================================================================
"""

from __future__ import annotations

import hashlib
import keyword
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tooth_envs.engine.compile import JIT

RUNNING, TERMINATED, TRUNCATED = 0, 1, 2

Field = tuple[str, str] | tuple[str, str, tuple[int, ...]]
"""(name, kind) or (name, kind, shape); kind is one of i2, i4, i8, f8."""

Bound = int | float | str
"""A number, or the name of one that depends on options and deck (``Game.limits``); "-name" is its negative."""


@dataclass(frozen=True)
class StateField:
    """One field of a state.

    Attributes:
        name: as in the record.
        shape: () for a single number.
        low, high: smallest and largest value that the rules can put there, both included.
        about: what it holds.
        kind: i2, i4, i8 or f8.
    """

    name: str
    shape: tuple[int, ...] = ()
    low: Bound = 0
    high: Bound = 1
    about: str = ""
    kind: str = "i2"


@dataclass(frozen=True)
class Violation:
    """A number that is out of its field's bounds.

    Attributes:
        row: of the states. field: its name. place: the index in the field, () for a single number.
        value, low, high: the number, and what is possible.
    """

    row: int
    field: str
    place: tuple[int, ...]
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        place = "".join(f"[{index}]" for index in self.place)
        return f"{self.field}{place} is {self.value:g}; from {self.low:g} to {self.high:g} is possible"


_declared: dict[np.dtype[Any], tuple[StateField, ...]] = {}


def declared(dtype: np.dtype[Any]) -> tuple[StateField, ...]:
    """The declaration of a state's fields, header included."""
    return _declared[dtype]


def violations(states: np.ndarray, limits: Mapping[str, float]) -> Iterator[Violation]:
    """The first number out of bounds of every field in which there is one.

    Args:
        states: records [N].
        limits: the numbers that bounds may name.
    """

    def number(bound: Bound) -> float:
        if isinstance(bound, str):
            return -limits[bound[1:]] if bound.startswith("-") else limits[bound]
        return bound

    plain = states.view(np.ndarray)
    for entry in declared(states.dtype if states.dtype.type is not np.record else _base(states.dtype)):
        values, low, high = plain[entry.name], number(entry.low), number(entry.high)
        wrong = ~((values >= low) & (values <= high))  # also what is not a number
        if wrong.any():
            row, *place = (int(index) for index in np.argwhere(wrong)[0])
            yield Violation(row, entry.name, tuple(place), values[(row, *place)].item(), low, high)


def _base(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype whose records these are, without np.record's attributes."""
    return next(known for known in _declared if known == dtype or np.dtype((np.record, known)) == dtype)


_SIZES = {"i2": 2, "i4": 4, "i8": 8, "f8": 8}
_UNHASHED = ("tracing", "event_count", "events", "open_kind", "open_count")
"""Notes on how a state came about: two states that differ in these alone are the same state."""


def _check(name: str, kind: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise ValueError(f"field {name!r} is not a usable name: take a plain identifier")
    if hasattr(np.record, name) or hasattr(np.recarray, name):
        raise ValueError(f"field {name!r} would hide an attribute of np.record in plain Python: take another name")
    if kind not in _SIZES:
        raise ValueError(
            f"field {name!r} has kind {kind!r}: only {', '.join(_SIZES)} are allowed, because small and unsigned "
            "integers wrap in plain Python but not in compiled code"
        )


def record_dtype(fields: Iterable[Field]) -> np.dtype[Any]:
    """A record dtype with guarded names and kinds, ordered by size, without implicit padding.

    A last field ``filler`` rounds the size up to a multiple of 8 where needed.

    Raises:
        ValueError: a name NumPy records already use, a repeated name, or a kind that is not allowed.
    """
    listed: list[tuple[str, str, tuple[int, ...]]] = []
    for entry in fields:
        name, kind, *rest = entry
        _check(name, kind)
        listed.append((name, kind, rest[0] if rest else ()))
    names = [name for name, _, _ in listed]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"field {twice[0]!r} is listed twice")
    listed.sort(key=lambda field: -_SIZES[field[1]])  # a stable sort: the given order within a size
    total = sum(_SIZES[kind] * int(np.prod(shape, dtype=int)) for _, kind, shape in listed)
    if total % 8:
        listed.append(("filler", "i2", (-(total % 8) % 8 // 2,)))
    dtype = np.dtype([(name, kind, shape) if shape else (name, kind) for name, kind, shape in listed], align=True)
    if dtype.itemsize % 8 or dtype.itemsize != total + (-(total % 8) % 8):
        raise ValueError(f"record has implicit padding: {dtype}")
    return dtype


MOST_TICKS = 2**30
"""Numbers that a stream of chance can give, and events that a game can tell: half of what their fields hold."""


def header(seats: int, streams: int, script: int, events: int) -> tuple[StateField, ...]:
    """The fields that every game's state begins with (arguments as for ``StateRecord``)."""
    return (
        StateField("seed", (), 0, 2**63 - 1, kind="i8"),
        StateField("reward", (seats,), "least reward", "largest reward", kind="f8"),
        StateField("ticks", (streams,), 0, MOST_TICKS, kind="i4"),
        StateField("steps", (), 0, "max_steps", kind="i4"),
        StateField("event_count", (), 0, MOST_TICKS, kind="i4"),
        StateField("players", (), "players", "players"),
        StateField("seat", (), -1, "last seat"),
        StateField("decision", (), -1, "last decision"),
        StateField("phase", (), 0, "last phase"),
        StateField("over", (), RUNNING, TRUNCATED),
        StateField("breakpoint", (), "-phases", "phases"),
        StateField("fault", (), 0, 0),
        StateField("open_kind", (), 0, 3),
        StateField("open_count", (), 0, 32767),
        StateField("tracing", (), 0, 1),
        StateField("rank", (seats,), 0, "players"),
        StateField("script_pos", (4,), 0, script),
        StateField("script_end", (4,), 0, script),
        StateField("script", (script,), 0, 32767),
        StateField("events", (events, 5), -32768, 32767),
    )


def register_declaration(dtype: np.dtype[Any], declaration: tuple[StateField, ...]) -> None:
    """Remember how the fields of a state's dtype were declared."""
    _declared[dtype] = declaration


HEADER = frozenset(entry.name for entry in header(1, 1, 1, 1))
"""Names of the header's fields."""


def zeros(dtype: np.dtype[Any], count: int) -> np.ndarray:
    """An array of ``count`` records, all zero: an ndarray for compiled code, a recarray in plain Python.

    In plain Python ``array[i].field`` needs a recarray; compiled code reads fields of either, but numba
    recognises a plain ndarray ten times faster.
    """
    array = np.zeros(count, dtype)
    return array if JIT else array.view(np.recarray)


def record(array: np.ndarray, index: int = 0) -> Any:
    """One record of an array, with its fields as attributes, sharing the array's memory."""
    return array.view(np.recarray)[index]


def digest(array: np.ndarray, index: int = 0) -> str:
    """What identifies a state: 32 hex digits over its bytes.

    Left out are the events written, the note of the first open chance request, and scripted outcomes already used.
    """
    one = np.array(array[index : index + 1].view(np.ndarray))
    for name in _UNHASHED:
        one[name] = 0
    if one["script_end"].any():
        script, starts, ends = one["script"][0].copy(), one["script_pos"][0].copy(), one["script_end"][0].copy()
        left = [script[start:end] for start, end in zip(starts, ends, strict=True)]
        queue = np.concatenate(left)
        bounds = np.cumsum([0, *(len(part) for part in left)])
        one["script"] = 0
        one["script"][0, : len(queue)] = queue
        one["script_pos"][0], one["script_end"][0] = bounds[:-1], bounds[1:]
    return hashlib.blake2b(one.tobytes(), digest_size=16).hexdigest()
