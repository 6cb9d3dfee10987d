"""State records: the header every game's state starts from, and the guards around its dtype.

A game in progress is one NumPy record of fixed size. ``state_dtype`` builds its dtype from the header and
the game's own fields, ordered by size so that there is no padding: equal games have equal bytes.

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
halt         i2          0, or 1 + a phase at whose beginning automatic play stops (worked positions)
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
from collections.abc import Iterable
from typing import Any

import numpy as np

from tooth_envs.engine.compile import JIT

RUNNING, TERMINATED, TRUNCATED = 0, 1, 2

Field = tuple[str, str] | tuple[str, str, tuple[int, ...]]
"""(name, kind) or (name, kind, shape); kind is one of i2, i4, i8, f8."""

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


def state_dtype(seats: int, streams: int, script: int, events: int, fields: Iterable[Field]) -> np.dtype[Any]:
    """The dtype of a game's states: the header and the game's own fields.

    Args:
        seats: the game's maximum number of players.
        streams: number of chance streams (chance.py).
        script: how many scripted outcomes a state can hold.
        events: how many events the ring keeps; at least as many as one step can write.
        fields: the game's own fields.
    """
    header: list[Field] = [
        ("seed", "i8"),
        ("reward", "f8", (seats,)),
        ("ticks", "i4", (streams,)),
        ("steps", "i4"),
        ("event_count", "i4"),
        ("players", "i2"),
        ("seat", "i2"),
        ("decision", "i2"),
        ("phase", "i2"),
        ("over", "i2"),
        ("halt", "i2"),
        ("fault", "i2"),
        ("open_kind", "i2"),
        ("open_count", "i2"),
        ("tracing", "i2"),
        ("rank", "i2", (seats,)),
        ("script_pos", "i2", (4,)),
        ("script_end", "i2", (4,)),
        ("script", "i2", (script,)),
        ("events", "i2", (events, 5)),
    ]
    return record_dtype([*header, *fields])


HEADER = frozenset(state_dtype(1, 1, 1, 1, []).names or ()) - {"filler"}
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
