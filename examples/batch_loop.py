"""Many tables at once: arrays in and out, nothing allocated from step to step."""

from __future__ import annotations

import sys

import numpy as np

import tooth_envs


def main(steps: int = 200) -> None:
    """Random play at 256 tables of 3 to 5 seats; the mean return by seat of all games that end."""
    batch = tooth_envs.make_batch("dragon_teeth_washer", num_envs=256, num_players=[3, 4, 5])
    batch.reset(seed=0)
    returns, games = np.zeros(batch.max_players), 0
    for key in range(steps):
        batch.step(batch.random_actions(key))  # or a policy's actions: int64 [N]
        ended = batch.terminated | batch.truncated
        returns += batch.final_return[ended].sum(axis=0)
        games += int(ended.sum())
    print(f"{games} games; mean return by seat: {np.round(returns / max(games, 1), 3)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
