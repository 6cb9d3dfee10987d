"""The documented way to train Stable-Baselines3 on a PettingZoo game with action masks.

It mirrors PettingZoo's tutorial "SB3: Action Masked PPO for Connect Four": one AEC environment is shown to
sb3-contrib's MaskablePPO as a single-agent gymnasium environment, in which whoever is to move observes and acts, and
the mask is handed over by ActionMasker. Written anew here; one difference is in the tutorial's favour: the mask comes
with the observation that was made anyway instead of from a second one.

Measured twice: with MaskablePPO's defaults, as the tutorial has them, and with the network and the settings of our own
quickstart configuration, so that both sides learn equally much from each decision.
"""

from __future__ import annotations

import math
import time
from functools import partial
from typing import Any

import gymnasium
import numpy as np

from tools.peers.lane import Lane, Ready

GAME = "classic/connect_four-v3"
CONFIG = "quickstart"
DECISIONS = 4096
"""At least so many are learnt from in one measurement, in whole rollouts."""

WHAT = (
    "after PettingZoo's tutorial for Stable-Baselines3: one connect four as a gymnasium environment, ActionMasker, "
    "MaskablePPO.learn, collection and optimisation; {settings}; {decisions} decisions or a little more, after one "
    "rollout of warming up"
)
SETTINGS = {
    "tutorial": "MaskablePPO's defaults (two networks of 64 and 64, 2048 steps, batches of 64, 10 epochs)",
    "matched": f"epochs, batch size, coefficients and network widths of configs/{CONFIG}.yaml, one batch to a rollout "
    "(two networks of these widths, as MaskablePPO builds them; ours share one)",
}


class OneSeatAtATime(gymnasium.Env):
    """An AEC game as a single-agent environment: the observation is the next mover's, the reward the last mover's.

    Args:
        table: an AEC environment with observations as dicts of ``observation`` and ``action_mask``.

    Attributes:
        mask: legal actions of the seat to move.
        first: the first observation.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - as gymnasium declares it

    def __init__(self, table: Any) -> None:
        self.table = table
        table.reset()
        anyone = table.possible_agents[0]
        self.observation_space = table.observation_space(anyone)["observation"]
        self.action_space = table.action_space(anyone)
        self.first = self._look()

    def _look(self) -> np.ndarray:
        seen = self.table.observe(self.table.agent_selection)
        self.mask = seen["action_mask"]
        return np.asarray(seen["observation"])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """See gymnasium.Env."""
        self.table.reset(seed=seed, options=options)
        return self._look(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """See gymnasium.Env."""
        table = self.table
        mover = table.agent_selection
        table.step(int(action))
        return (
            self._look(),
            float(table.rewards[mover]),
            table.terminations[mover],
            table.truncations[mover],
            table.infos[mover],
        )


def mask_of(env: OneSeatAtATime) -> np.ndarray:
    """Legal actions of the seat to move, for ActionMasker."""
    return env.mask


def lanes(threads: int) -> list[Lane]:
    """The tutorial's training, with its own settings and with ours.

    Args:
        threads: how many torch may use.
    """
    return [
        Lane(
            key=f"sb3_{name}",
            ours=False,
            kind="training",
            game=GAME,
            title=f"connect four, {name} settings",
            library="PettingZoo and Stable-Baselines3",
            what=WHAT.format(settings=settings, decisions=DECISIONS),
            threads=threads,
            packages=("pettingzoo", "gymnasium", "pygame", "numpy", "torch", "stable_baselines3", "sb3_contrib"),
            prepare=partial(_prepare, name == "matched", threads),
        )
        for name, settings in SETTINGS.items()
    ]


def matched_settings() -> dict[str, Any]:
    """MaskablePPO's arguments for what our quickstart configuration says."""
    from tooth_training.learning.config import load_config
    from torch import nn

    config = load_config(CONFIG)
    ppo = config.ppo
    return {
        "learning_rate": ppo.learning_rate,
        "n_steps": ppo.batch_size,
        "batch_size": ppo.batch_size,
        "n_epochs": ppo.n_epochs,
        "gamma": ppo.gamma,
        "gae_lambda": ppo.gae_lambda,
        "clip_range": ppo.clip_range,
        "ent_coef": ppo.ent_coef,
        "vf_coef": ppo.vf_coef,
        "max_grad_norm": ppo.max_grad_norm,
        "policy_kwargs": {"net_arch": list(config.network.hidden), "activation_fn": nn.ReLU},
    }


def _prepare(matched: bool, threads: int) -> Ready:
    import pettingzoo
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.wrappers import ActionMasker
    from tooth_training.learning.process import random_states_kept, torch_threads

    env = OneSeatAtATime(pettingzoo.make("aec", GAME))
    with random_states_kept():
        model = MaskablePPO(
            "MlpPolicy",
            ActionMasker(env, mask_of),  # type: ignore[arg-type]
            seed=0,
            device="cpu",
            **(matched_settings() if matched else {}),
        )
    decisions = math.ceil(DECISIONS / model.n_steps) * model.n_steps

    def measure(seconds: float) -> float:
        # A warm-up, of no length, needs one rollout; a measurement is as long as its decisions take.
        wanted = decisions if seconds > 0.0 else model.n_steps
        with random_states_kept(), torch_threads(threads):
            start = time.perf_counter()
            model.learn(wanted)
            return wanted / (time.perf_counter() - start)

    return Ready(measure, env.first.size, env.mask.size, len(env.table.possible_agents))
