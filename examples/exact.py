"""A small configuration as an explicit game tree: how many nodes it has, and how exploitable agents are."""

from __future__ import annotations

from tooth_agents import load_agent
from tooth_training import exploit

import tooth_envs


def main() -> None:
    """NashConv of random play and of the heuristic on a duel of two rounds."""
    game = tooth_envs.game("dragon_teeth_washer", preset="odd_even")
    for name in ("random", "heuristic"):
        found = exploit(game, load_agent(name, game), name)
        print(f"{name}: NashConv {found.nash_conv:.4f}")


if __name__ == "__main__":
    main()
