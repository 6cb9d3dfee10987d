"""gymnasium: one seat is yours, the game's heuristic plays the others."""

from __future__ import annotations

import gymnasium
import numpy as np
from tooth_agents import load_agent

import tooth_envs


def main() -> None:
    """One game by random legal actions."""
    game = tooth_envs.game("dragon_teeth_washer", num_players=4)
    env = gymnasium.make("tooth_envs/dragon_teeth_washer-v0", num_players=4, opponents=load_agent("heuristic", game))
    random = np.random.default_rng(0)
    observation, _ = env.reset(seed=7)
    over, total = False, 0.0
    while not over:
        legal = np.flatnonzero(observation["action_mask"])
        observation, reward, terminated, truncated, info = env.step(int(random.choice(legal)))
        total += float(reward)
        over = terminated or truncated
    print(f"rank {info['rank']}, return {total:+.2f}")


if __name__ == "__main__":
    main()
