"""Records as classes: what follows from a declaration."""

from __future__ import annotations

import pytest

from tooth_envs.engine.enums import Named
from tooth_envs.engine.records import Numbers, StateRecord, TablesRecord, number, numbers
from tooth_envs.engine.state import declared, violations, zeros
from tooth_envs.engine.streams import GAME_STREAMS, EngineStream, Streams


class Colour(Named):
    RED = "of blood"
    GREEN = "of grass"


class Stream(Streams):
    DRAW = "the pile"
    DICE = "the dice of a seat", 3
    LAST = "one more"


class State(StateRecord, seats=3, streams=Stream, script=4, events=2):
    colour: int = number("what was chosen", -1, of=Colour)
    active: int = number("whose turn it is", of="seat")
    cards: Numbers = numbers("by kind", (2, 5), 0, "copies")
    flag: int = number("yes or no")
    wide: int = number("a large number", 0, 2**40, kind="i8")


LIMITS = {"players": 3, "last seat": 2, "last phase": 0, "phases": 1, "last decision": 0, "max_steps": 9, "copies": 4}
LIMITS |= {"least reward": -1, "largest reward": 1}


def test_a_dtype_follows() -> None:
    assert State.dtype["cards"].shape == (2, 5)
    assert State.dtype["wide"] == "i8"
    assert State.dtype["ticks"].shape == (5,), "a stream for every seat's dice"
    assert State.dtype["reward"].shape == (3,)


def test_bounds_follow() -> None:
    bounds = {entry.name: (entry.low, entry.high) for entry in declared(State.dtype)}
    assert bounds["colour"] == (-1, Colour.GREEN)
    assert bounds["active"] == (0, "last seat")
    assert bounds["flag"] == (0, 1)
    states = zeros(State.dtype, 1)
    states["players"] = 3
    assert not list(violations(states, LIMITS))
    states["cards"][0, 1, 2] = 5
    states["colour"] = 2
    assert {found.field for found in violations(states, LIMITS)} == {"cards", "colour"}


def test_fields_of_bases_come_first() -> None:
    class Deck(TablesRecord):
        copies: Numbers = numbers("of each kind", (4,))

    class Tables(Deck):
        payment: int = number("how the result is paid")

    names = [name for name, *_ in Tables.fields()]
    assert names[0] == "always_ask"
    assert names[-2:] == ["copies", "payment"]


def test_too_many_streams_are_refused() -> None:
    """Streams of a game never reach those under which the engine derives seeds."""
    assert min(EngineStream) > GAME_STREAMS
    with pytest.raises(ValueError, match="up to 1000 streams of chance, not 1001"):

        class Wide(StateRecord, seats=2, streams=GAME_STREAMS + 1, script=1, events=1):
            """Too wide."""


def test_streams_with_one_a_seat_do_not_collide() -> None:
    assert (Stream.DRAW, Stream.DICE, Stream.LAST, Stream.total()) == (0, 1, 4, 5)
    assert Stream.DICE.meaning == "the dice of a seat"
