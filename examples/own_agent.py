"""An agent of one's own, measured against the heuristic on duplicate deals.

The same from a shell: tooth evaluate dragon_teeth_washer -a examples/own_agent.py:Highest,heuristic
"""

from __future__ import annotations

import sys

import numpy as np
from tooth_agents import load_agent
from tooth_training import evaluate

import tooth_envs


class Highest:
    """Plays its highest card, and says the first thing it may."""

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        """The highest legal card of each row, or the first legal statement."""
        cards = mask[:, :8] != 0
        highest = 7 - cards[:, ::-1].argmax(axis=1)
        return np.where(cards.any(axis=1), highest, (mask != 0).argmax(axis=1))


def main(blocks: int = 50) -> None:
    """Win shares of one seat among seats of the other."""
    game = tooth_envs.game("dragon_teeth_washer", num_players=4)
    report = evaluate(game, {"highest": Highest(), "heuristic": load_agent("heuristic", game)}, blocks=blocks, seed=1)
    for label, result in report.agents.items():
        share = result.win_share
        print(f"{label}: {share.mean:.3f} [{share.low:.3f}, {share.high:.3f}], fair {report.fair_share:.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
