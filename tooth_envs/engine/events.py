"""Events: what happened, in order, for text, play, replays and goldens.

An event is five small integers: kind (the game's own list), seat it concerns, who may see it, and two
arguments. Rules call ``emit``; nothing is written unless the state's ``tracing`` is on. The record keeps the
latest events in a ring; ``event_count`` tells how many there ever were.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import StateRecord

EVERYBODY = -1
"""Value of ``see`` for an event that all seats may see; otherwise ``see`` is a bit mask of seats."""


class Event(NamedTuple):
    """One thing that happened. ``first`` and ``second`` are the kind's own arguments."""

    kind: int
    seat: int
    see: int
    first: int
    second: int

    def visible_to(self, seat: int) -> bool:
        """Whether a seat may know of this event."""
        return self.see == EVERYBODY or bool(self.see >> seat & 1)


@compiled
def emit(state: StateRecord, kind: int, seat: int, see: int, first: int, second: int) -> None:
    """Write an event if the state is being traced."""
    if state.tracing:
        row = state.events[state.event_count % len(state.events)]
        row[0] = kind
        row[1] = seat
        row[2] = see
        row[3] = first
        row[4] = second
        state.event_count += 1


@compiled
def forget(state: StateRecord) -> None:
    """Drop all events and write no more: a resampled world (``resample``) must not tell what really happened."""
    state.tracing = 0
    if state.event_count > 0:
        state.events[:, :] = 0
        state.event_count = 0


def events_since(state: Any, count: int) -> list[Event]:
    """The events of one record written after its ``event_count`` was ``count``, oldest first.

    Events that the ring no longer holds are left out; its size is chosen so that one step's always fit.
    """
    capacity = len(state.events)
    first = max(count, int(state.event_count) - capacity)
    return [Event(*(int(value) for value in state.events[i % capacity])) for i in range(first, int(state.event_count))]
