"""Whatever a position or a configuration says, the answer is a usable object or one of our own errors."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tooth_envs
from tests.games.invariants_dragon_teeth_washer import check
from tests.support import random_game
from tooth_envs.errors import ToothError
from training.config import config_from

GAME = tooth_envs.game("dragon_teeth_washer", num_players=3)
POSITIONS = [GAME.to_dict(moment.states) for seed in range(3) for moment in random_game(GAME, seed)]

WORDS = st.sampled_from(["HIGH", "LEAD", "x", ""])
SCALARS = st.none() | st.booleans() | st.integers(-3, 40) | st.integers() | st.floats() | WORDS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(), inner), max_leaves=12
)
few = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@few
@given(
    st.sampled_from(POSITIONS),
    st.dictionaries(st.sampled_from([*POSITIONS[0], "script", "at", "halt", "rest"]), VALUES, max_size=3),
)
def test_positions(position: dict[str, Any], changes: dict[str, Any]) -> None:
    try:
        states = GAME.from_dict({**position, **changes})
    except ToothError:
        return
    check(GAME, states)
    again = GAME.from_dict(GAME.to_dict(states))
    assert GAME.to_dict(again) == GAME.to_dict(states)
    for seat in range(3):
        assert GAME.layout.out_of_bounds(np.frombuffer(GAME.view(states, seat).tobytes(), np.int16)) == []


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
