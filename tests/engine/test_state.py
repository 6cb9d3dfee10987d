from __future__ import annotations

import numpy as np
import pytest

from tests.support import state_dtype
from tooth_envs.engine.chance import set_script
from tooth_envs.engine.records import number, numbers
from tooth_envs.engine.state import HEADER, digest, record, record_dtype, zeros


@pytest.mark.parametrize("name", ["round", "take", "item", "max", "sum", "data", "size", "trace", "class", "_x", "a b"])
def test_names_that_records_use_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="field"):
        record_dtype([(name, "i2")])


@pytest.mark.parametrize("kind", ["i1", "u1", "u2", "u8", "f4", "b1", "O"])
def test_kinds_that_wrap_are_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="kind"):
        record_dtype([("value", kind)])


def test_a_name_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        record_dtype([("value", "i2"), ("value", "i4")])
    with pytest.raises(ValueError, match="twice"):
        state_dtype(2, 1, 1, 1, seat=number(""))


def test_fields_are_ordered_by_size_without_padding() -> None:
    dtype = record_dtype([("a", "i2", (3,)), ("b", "i8"), ("c", "i4"), ("d", "f8", (2,)), ("e", "i2")])
    assert dtype.names is not None
    assert dtype.names[:5] == ("b", "d", "c", "a", "e")
    used = sum(dtype.fields[name][0].itemsize for name in dtype.names)  # type: ignore[index]
    assert dtype.itemsize == used
    assert dtype.itemsize % 8 == 0
    offsets = [dtype.fields[name][1] for name in dtype.names]  # type: ignore[index]
    assert offsets == sorted(offsets)


def test_header_and_digest() -> None:
    dtype = state_dtype(3, 2, 4, 5, score=numbers("", (3,), kind="i4"))
    assert set(dtype.names or ()) >= HEADER
    one, other = zeros(dtype, 2), zeros(dtype, 2)
    assert digest(one, 1) == digest(other, 0)
    record(other, 1).score[2] = 1
    assert digest(other, 1) != digest(one, 1)
    assert digest(other, 0) == digest(one, 1)
    record(one).tracing = 1
    record(one).event_count = 3
    record(one).events[0, 0] = 9
    assert digest(one) == digest(other), "events are not part of the state"
    assert one.tobytes() != other.tobytes()


def test_used_scripted_outcomes_do_not_count() -> None:
    dtype = state_dtype(2, 1, 6, 1)
    used, fresh, none = zeros(dtype, 1), zeros(dtype, 1), zeros(dtype, 1)
    set_script(record(used), {"die": [3, 4, 5], "draw": [1]})
    record(used).script_pos[1] += 2
    set_script(record(fresh), {"die": [5], "draw": [1]})
    assert digest(used) == digest(fresh)
    assert digest(used) != digest(none)
    record(used).script_pos[1] += 1
    record(used).script_pos[3] += 1
    assert digest(used) != digest(fresh)
    set_script(record(used), {})
    assert digest(used) == digest(none)


def test_records_share_memory() -> None:
    states = zeros(state_dtype(2, 1, 1, 1, hand=numbers("", (2, 3))), 2)
    record(states, 1).hand[1, 2] = 7
    record(states, 1).seat = 1
    assert states["hand"][1, 1, 2] == 7
    assert states["seat"].tolist() == [0, 1]
    assert np.array_equal(states[0]["hand"], np.zeros((2, 3)))
