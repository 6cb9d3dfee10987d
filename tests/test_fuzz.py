"""Whatever a position or a configuration says, the answer is a usable object or one of our own errors."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tooth_training.learning.config import config_from

from tests.cases import ENTRIES, Case
from tests.support import random_moments
from tooth_envs.engine.state import record
from tooth_envs.errors import ToothError
from tooth_envs.spec.registry import built_in

GAMES = [name for name in ENTRIES if name in built_in()]
PLAYED = {
    name: (case.game(), case.check())
    for name in GAMES
    for case in [Case(name, {"num_players": 3}, ENTRIES[name].invariants)]
}
POSITIONS = {
    name: [table.to_dict(moment.states) for _, moment in random_moments(table, 100)]
    for name, (table, _) in PLAYED.items()
}
CHANGES = {name: [*positions[0], "script", "at", "halt", "rest"] for name, positions in POSITIONS.items()}

WORDS = st.sampled_from(["HIGH", "LEAD", "x", ""])
SCALARS = st.none() | st.booleans() | st.integers(-3, 40) | st.integers() | st.floats() | WORDS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(), inner), max_leaves=12
)

few = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@pytest.mark.parametrize("name", GAMES)
@few
@given(st.data())
def test_positions(name: str, data: st.DataObject) -> None:
    table, check = PLAYED[name]
    position = data.draw(st.sampled_from(POSITIONS[name]))
    changes = data.draw(st.dictionaries(st.sampled_from(CHANGES[name]), VALUES, max_size=2))
    other = data.draw(st.sampled_from(POSITIONS[name]))  # values that make sense, but not here
    changes |= {key: other[key] for key in data.draw(st.lists(st.sampled_from(list(position)), max_size=3))}
    try:
        states = table.from_dict({**position, **changes})
    except ToothError:
        return
    state = record(states)
    if state.over or state.seat >= 0:  # else nobody was asked yet: no moment of a game
        check(table, states)
    again = table.from_dict(table.to_dict(states))
    assert table.to_dict(again) == table.to_dict(states)
    for seat in range(3):
        assert table.layout.out_of_bounds(np.frombuffer(table.view(states, seat).tobytes(), np.int16)) == []


CONFIG: dict[str, Any] = {
    "game": {"name": "dragon_teeth_washer", "options": {"num_players": 3}},
    "total_decisions": 1000,
    "run_dir": "x",
    "network": {"hidden": [8]},
    "ppo": {"n_envs": 4, "n_steps": 8, "batch_size": 8, "learning_rate": 1e-3},
    "checkpoint": {"every": 100, "keep": 2},
    "evaluate": {"blocks": 5},
}
PATHS = [(key,) for key in CONFIG] + [(k, inner) for k, v in CONFIG.items() if isinstance(v, dict) for inner in v]


@few
@given(st.sampled_from(PATHS), VALUES)
def test_configurations(path: tuple[str, ...], value: Any) -> None:
    data = copy.deepcopy(CONFIG)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    try:
        config = config_from(data, "fuzz", [])
        config.games()
    except ToothError:
        return
    assert config.game.name == "dragon_teeth_washer"
