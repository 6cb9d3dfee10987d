"""An agent that looks ahead: it plays resampled worlds to their end by random actions, and takes what pays best.

This is flat Monte Carlo, in plain Python: clear, and slow.
"""

from __future__ import annotations

import sys

import numpy as np
from tooth_agents import RandomAgent
from tooth_training import evaluate

import tooth_envs
from tooth_envs.engine.state import record
from tooth_envs.spec.game import Game


class Flat:
    """Tries every legal action in some worlds that look to its seat as the true one does."""

    wants_worlds = 4

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(
        self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray, worlds: np.ndarray
    ) -> np.ndarray:
        """See tooth_agents.Agent; ``worlds`` are records [N, wants_worlds]."""
        return np.array([self._best(mask[row], worlds[row], int(key[row])) for row in range(len(mask))])

    def _best(self, mask: np.ndarray, worlds: np.ndarray, key: int) -> int:
        random = np.random.default_rng(key)  # all noise comes from the key, so results repeat
        worth = {int(action): 0.0 for action in np.flatnonzero(mask)}
        for action in worth:
            for k in range(len(worlds)):
                worth[action] += self._played(worlds[k : k + 1].copy(), action, random)
        return max(worth, key=lambda action: worth[action])

    def _played(self, world: np.ndarray, action: int, random: np.random.Generator) -> float:
        seat, mask, total = int(world["seat"][0]), self.game.new_mask(), 0.0
        while True:
            self.game.step(world, action, mask)
            total += float(record(world).reward[seat])
            if record(world).over:
                return total
            action = int(random.choice(np.flatnonzero(mask)))


def main(blocks: int = 3) -> None:
    """Against random players, at a table of three with short games."""
    game = tooth_envs.game("dragon_teeth_washer", preset="trio")
    report = evaluate(game, {"flat": Flat(game), "random": RandomAgent()}, blocks=blocks, seed=1)
    print({label: round(result.win_share.mean, 3) for label, result in report.agents.items()})


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
