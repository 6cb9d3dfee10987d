from __future__ import annotations

from tests.support import state_dtype
from tooth_envs.engine import events
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, Event, events_since
from tooth_envs.engine.state import record, zeros

DTYPE = state_dtype(2, 1, 1, 3)


@compiled
def emit(states, kind, see):
    events.emit(states[0], kind, 1, see, kind * 10, -kind)


def test_nothing_is_written_unless_traced() -> None:
    states = zeros(DTYPE, 1)
    emit(states, 1, EVERYBODY)
    assert record(states).event_count == 0
    assert not record(states).events.any()


def test_the_ring_keeps_the_latest() -> None:
    states = zeros(DTYPE, 1)
    record(states).tracing = 1
    for kind in range(1, 6):
        emit(states, kind, EVERYBODY)
    assert events_since(record(states), 3) == [Event(4, 1, -1, 40, -4), Event(5, 1, -1, 50, -5)]
    assert [event.kind for event in events_since(record(states), 0)] == [3, 4, 5]
    assert events_since(record(states), 5) == []


def test_who_may_see() -> None:
    assert Event(0, 0, EVERYBODY, 0, 0).visible_to(4)
    private = Event(0, 0, 1 << 2 | 1 << 0, 0, 0)
    assert [private.visible_to(seat) for seat in range(4)] == [True, False, True, False]
