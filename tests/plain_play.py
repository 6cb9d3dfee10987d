"""Plays random games and prints a fingerprint of every moment: run compiled and as plain Python, then compared.

    python -m tests.plain_play MOMENTS CASE ...

plays each of the cases, given by their numbers, until it had so many moments.
"""

from __future__ import annotations

import hashlib
import json
import sys

import numpy as np
from tooth_agents.basic import HeuristicAgent, has_heuristic

import tooth_envs
from tests.cases import CASES
from tests.support import random_moments
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.state import digest, record
from tooth_envs.envs.batch import BatchEnv


def fingerprints(number: int, moments: int) -> list[str]:
    """One line per moment of the first games of a case: state, mask, observations, a hidden world, the heuristic."""
    game = CASES[number].game()
    player = HeuristicAgent(game) if has_heuristic(game) else None
    lines = []
    for place, (seed, moment) in enumerate(random_moments(game, moments, trace=True)):
        total = hashlib.blake2b(digest_size=8)
        total.update(moment.states.tobytes())
        total.update(moment.mask.tobytes())
        seat = int(record(moment.states).seat)
        for other in {max(seat, 0), place % game.num_players}:
            total.update(game.observe(moment.states, other).tobytes())
        if seat >= 0 and (place < 60 or place % 8 == 0):  # of long games, a part in full
            total.update(digest(game.resample(moment.states, seat, seed + 1)).encode())
            if player is not None:
                vector = np.frombuffer(game.view(moment.states, seat).tobytes(), game.layout.dtype)
                total.update(player.act(np.zeros((1, 0)), vector, moment.mask[None], np.array([seed])).tobytes())
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
    assert tooth_envs.list_games()
    wanted, *numbers = map(int, sys.argv[1:])
    sys.stdout.write(json.dumps({str(n): fingerprints(n, wanted) for n in numbers}))
