"""Playing games by random legal actions (tooth_envs/testing/play.py), and states of any shape, for tests."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from tooth_envs.engine.records import StateRecord
from tooth_envs.testing.play import Moment, chosen, random_game, random_moments, spread_moments

__all__ = ["Moment", "chosen", "random_game", "random_moments", "spread_moments", "state_dtype"]


def state_dtype(seats: int, streams: int, script: int, events: int, **fields: Any) -> np.dtype[Any]:
    """The dtype of a state with the given fields (``number`` and ``numbers`` declare them)."""
    sizes = {"seats": seats, "streams": streams, "script": script, "events": events}
    made: Any = types.new_class("State", (StateRecord,), sizes, lambda body: body.update(fields))
    dtype: np.dtype[Any] = made.dtype
    return dtype
