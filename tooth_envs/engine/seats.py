"""Seats: asking one, and counting round the table."""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import StateRecord


@compiled
def ask(state: StateRecord, seat: int, decision: int) -> None:
    """Stop here: a seat has to decide something."""
    state.seat = seat
    state.decision = decision


@compiled
def clockwise(state: StateRecord, seat: int, places: int) -> int:
    """The seat some places to the left of another."""
    return (int(seat) + int(places)) % int(state.players)


@compiled
def relative(state: StateRecord, seat: int, other: int) -> int:
    """A seat as another one counts it: 0 is itself, then clockwise; -1 (nobody) stays."""
    return (int(other) - int(seat)) % int(state.players) if other >= 0 else -1
