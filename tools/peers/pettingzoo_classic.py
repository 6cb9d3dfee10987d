"""PettingZoo's classic environments through its documented loop, the very function that times our TableEnv.

``pettingzoo.make`` builds them with the wrappers that their authors chose. Only the first reset has a seed: a seeded
reset of the RLCard-backed ones builds their game anew, which no loop needs to pay.
"""

from __future__ import annotations

import math
from functools import partial

from tooth_training.evaluation.bench import time_table

from tools.peers.lane import Lane, Ready

WHAT = "agent_iter, last, a random legal action of the mask, step; resets included; wrapped as pettingzoo.make does"

ENVIRONMENTS = {
    "tictactoe": ("classic/tictactoe-v3", "tic-tac-toe", ("pygame",)),
    "connect_four": ("classic/connect_four-v3", "connect four", ("pygame",)),
    "leduc_holdem": ("classic/leduc_holdem-v4", "Leduc hold'em", ("pygame", "rlcard")),
}
"""Short name: PettingZoo's id, a title, and the packages it needs besides PettingZoo."""


def lanes() -> list[Lane]:
    """Tic-tac-toe, connect four and Leduc hold'em."""
    return [
        Lane(
            key=f"pettingzoo_{name}",
            ours=False,
            kind="play",
            game=identity,
            title=title,
            library="PettingZoo",
            what=WHAT,
            threads=1,
            packages=("pettingzoo", "gymnasium", "numpy", *packages),
            prepare=partial(_prepare, identity),
        )
        for name, (identity, title, packages) in ENVIRONMENTS.items()
    ]


def _prepare(identity: str) -> Ready:
    import pettingzoo

    env = pettingzoo.make("aec", identity)
    agent = env.possible_agents[0]
    size = math.prod(env.observation_space(agent)["observation"].shape)
    return Ready(partial(time_table, env), size, int(env.action_space(agent).n), len(env.possible_agents))
