"""Plays random games and prints a fingerprint of every moment: run compiled and as plain Python, then compared."""

from __future__ import annotations

import hashlib
import json
import sys

import numpy as np

import tooth_envs
from tests.cases import CASES
from tests.support import random_game
from tooth_envs.batch import BatchEnv
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.state import digest, record


def fingerprints(number: int, games: int) -> list[str]:
    """One line per moment of the first games of a case: state, mask, every seat's observation, a hidden world."""
    case = CASES[number]
    game = case.game()
    lines = []
    for seed in range(case.games(games)):
        for count, moment in enumerate(random_game(game, seed, trace=True)):
            close = count % case.stride == 0
            total = hashlib.blake2b(digest_size=8)
            total.update(moment.states.tobytes())
            total.update(moment.mask.tobytes())
            for seat in range(game.num_players if close else 0):
                total.update(game.observe(moment.states, seat).tobytes())
            seat = int(record(moment.states).seat)
            if seat >= 0 and close:
                total.update(digest(game.hide(moment.states, seat, seed + 1)).encode())
            lines.append(f"{digest(moment.states)} {total.hexdigest()} {moment.action}")
    batch = BatchEnv(game, 3)
    batch.reset(seed=2)
    for tick in range(40):
        batch.step(batch.random_actions(tick))
    arrays = (batch.observation, batch.action_mask, batch.reward, batch.final_observation, batch.final_return)
    lines.append(hashlib.blake2b(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest())
    return lines


if __name__ == "__main__":
    assert not JIT, "run with NUMBA_DISABLE_JIT=1"
    assert tooth_envs.games()
    wanted = int(sys.argv[1])
    sys.stdout.write(json.dumps({str(n): fingerprints(n, wanted) for n in range(len(CASES))}))
