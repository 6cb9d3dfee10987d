"""Nothing reaches a seat but through its view: redraw all that it cannot know, and it must see the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.cases import CASES, ENTRIES, case_id
from tests.support import random_game
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.state import record

every_case = pytest.mark.parametrize("case", CASES, ids=case_id)


@pytest.mark.parametrize("name", ENTRIES)
def test_every_secret_is_drawn_anew(name: str) -> None:
    """That the hidden part varies as a whole is not enough: a secret left as it is would be open to a searcher."""
    missing = set(ENTRIES[name].secrets)
    assert missing, "declare what the game hides"
    for case, seed in itertools.product((case for case in CASES if case.name == name), range(4)):
        game = case.game()
        for moment in random_game(game, seed):
            truth = record(moment.states)
            for seat in range(game.num_players if moment.action >= 0 and missing else 0):
                for k in range(4):
                    world = record(game.resample(moment.states, seat, mix_python(seed, seat, k)))
                    missing -= {field for field in missing if not np.array_equal(world[field], truth[field])}
        if not missing:
            return
    assert not missing, "resample() leaves these as they are"
