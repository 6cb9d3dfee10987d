"""Records as classes: every field is declared once, and the dtype, the static types and the checks follow from it.

    class State(StateRecord, seats=2, streams=1, script=4, events=8):
        deck: Numbers = numbers("cards in the pile, by rank", (3,), 0, 1)
        moves: int = number("how much was done", 0, 3)

``State.dtype`` is the record that compiled code works on. No object of the class is ever made: it is the type that
rules give to their parameters, so that a misspelt field is an error of the type checker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from tooth_envs.engine.enums import Named
from tooth_envs.engine.state import Bound, Field, StateField, header, record_dtype, register_declaration
from tooth_envs.engine.streams import GAME_STREAMS, Streams

Numbers: TypeAlias = npt.NDArray[Any]
"""A field with a shape, as rules see it."""

Mask: TypeAlias = npt.NDArray[np.int8]
"""A legal action mask: int8 [A]."""


@dataclass(frozen=True)
class Declared:
    """What a class says about one field; ``number`` and ``numbers`` make it.

    Attributes:
        about: what it holds.
        shape: () for a single number.
        low, high: smallest and largest value, both included.
        kind: i2, i4, i8 or f8.
        of: what the values name: members of an enum, or "seat".
    """

    about: str
    shape: tuple[int, ...] = ()
    low: Bound = 0
    high: Bound = 1
    kind: str = "i2"
    of: type[Named] | str | None = None


def number(
    about: str = "",
    low: Bound = 0,
    high: Bound | None = None,
    *,
    of: type[Named] | str | None = None,
    kind: str = "i2",
) -> Any:
    """Declare a field that is one number.

    Args:
        about: what it holds.
        low, high: smallest and largest value that the rules can put there, both included. ``high`` follows from ``of``;
            without both it is 1.
        of: what the values name: members of an enum, or "seat".
        kind: i2, i4, i8 or f8.
    """
    return Declared(about, (), low, _high(high, of), kind, of)


def numbers(
    about: str,
    shape: tuple[int, ...],
    low: Bound = 0,
    high: Bound | None = None,
    *,
    of: type[Named] | str | None = None,
    kind: str = "i2",
) -> Any:
    """Declare a field that is an array of numbers (arguments as for ``number``)."""
    return Declared(about, shape, low, _high(high, of), kind, of)


def _high(high: Bound | None, of: type[Named] | str | None) -> Bound:
    if high is not None:
        return high
    if of == "seat":
        return "last seat"
    return max(of) if isinstance(of, type) else 1


def declared_in(cls: type) -> dict[str, Declared]:
    """The fields that a class and its bases declare, bases first, in the order they are written."""
    found: dict[str, Declared] = {}
    for part in reversed(cls.__mro__):
        found |= {name: value for name, value in vars(part).items() if isinstance(value, Declared)}
    return found


class StateRecord:
    """A game in progress: the header that every game's state has (engine/state.py), and the game's own fields.

    Class arguments:
        seats: the game's maximum number of players.
        streams: the chance streams (engine/streams.py), or their number.
        script: how many scripted outcomes a state can hold.
        events: how many events the ring keeps; at least as many as one step can write.
    """

    dtype: ClassVar[np.dtype[Any]]
    declared: ClassVar[Mapping[str, Declared]]

    seed: int
    reward: Numbers
    ticks: Numbers
    steps: int
    event_count: int
    players: int
    seat: int
    decision: int
    phase: int
    over: int
    breakpoint: int
    fault: int
    open_kind: int
    open_count: int
    tracing: int
    rank: Numbers
    script_pos: Numbers
    script_end: Numbers
    script: Numbers
    events: Numbers

    def __init_subclass__(cls, seats: int, streams: type[Streams] | int, script: int, events: int) -> None:
        super().__init_subclass__()
        count = streams if isinstance(streams, int) else streams.total()
        if not 0 <= count <= GAME_STREAMS:
            raise ValueError(f"{cls.__name__}: a game has up to {GAME_STREAMS} streams of chance, not {count}")
        cls.declared = declared_in(cls)
        own = [StateField(n, d.shape, d.low, d.high, d.about, d.kind) for n, d in cls.declared.items()]
        declaration = (*header(seats, count, script, events), *own)
        cls.dtype = record_dtype([(entry.name, entry.kind, entry.shape) for entry in declaration])
        register_declaration(cls.dtype, declaration)


class TablesRecord:
    """What the rules read and nobody writes: the deck as numbers and the options that change rules.

    The fields declared here are the engine's own, filled in for every game.
    """

    declared: ClassVar[Mapping[str, Declared]]

    always_ask: int = number("bit d is set if decision d is asked even when only one action is legal", kind="i8")
    max_steps: int = number("the step cap", kind="i4")
    players: int = number("seats of a new game")
    skip_forced: int = number("1: the engine settles decisions with one legal action")
    history: int = number("1: the view holds the full history too")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.declared = declared_in(cls)

    @classmethod
    def fields(cls) -> list[Field]:
        """The fields as a dtype is made of them (engine/protocol.py, ``tables_dtype``)."""
        return [(name, entry.kind, entry.shape) for name, entry in declared_in(cls).items()]
