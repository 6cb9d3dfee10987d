"""Right credit: self-play on Kuhn poker through the real trainer comes close to equilibrium, measured exactly.

The scheme of popular tutorials - the reward of the seat that just moved, and the value of whoever moves next as if
it were one's own - is kept as a negative control: it must fail by the same measure. (NashConv of uniform play is
11/12; of an equilibrium, 0.)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tooth_training.learning.session as sessions
import tooth_training.learning.train as module
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from tooth_agents.checkpoint import load_network_agent
from tooth_training.learning.config import config_from

import tooth_envs
from tests.enumerate_game import Node, Policy, best_response, nash_conv, tree, value
from tests.kuhn import Kuhn
from tooth_envs.engine import loops

GATE = 0.25


class TutorialBuffer(MaskableRolloutBuffer):
    """Stable-baselines3's own buffer: all decisions of a row are one stream, whoever takes them."""

    def attach(self, env: Any) -> None:
        """Nothing to know of seats."""

    def warm_up(self) -> None:
        """Nothing to compile."""

    def open_decisions(self) -> dict[str, Any]:
        """None are kept."""
        return {}


def trained_nash_conv(run: Path) -> float:
    """Self-play of 400 thousand decisions, and the exact NashConv of the policy that came out."""
    config = config_from(
        {
            "game": {"name": "kuhn"},
            "total_decisions": 400_000,
            "seed": 0,
            "run_dir": str(run),
            "network": {"hidden": [64, 64]},
            "ppo": {
                "n_envs": 128,
                "n_steps": 64,
                "batch_size": 1024,
                "n_epochs": 4,
                "learning_rate": 1e-3,
                "ent_coef": 0.2,
                "target_kl": None,
            },
            "logging": {"tensorboard": False, "plot": False, "progress": "silent"},
            "evaluate_during": {"points": 0},
        },
        "test",
        [],
    )
    module.train(config)
    game = tooth_envs.game("kuhn", history=True)
    root = tree(game)
    network = load_network_agent(str(run), tooth_envs.game("kuhn")).network
    policy: Policy = {}
    left: list[Node] = [root]
    while left:
        node = left.pop()
        left.extend(node.children)
        if node.seat >= 0 and node.known not in policy:
            observation = np.zeros((1, game.layout.size), np.float32)
            loops.encode(game.layout.codec, np.frombuffer(node.known[1:], np.int16), observation[0])
            with torch.no_grad():
                logits = network(torch.from_numpy(observation).double(), torch.ones(1, 2, dtype=torch.bool))[0]
            policy[node.known] = torch.softmax(logits[0].double(), -1).tolist()
    return float(sum(best_response(root, seat, policy) - value(root, seat, policy) for seat in range(2)))


def test_the_measure() -> None:
    root = tree(tooth_envs.game("kuhn", history=True))
    assert nash_conv(root, 2) == pytest.approx(11 / 12)
    assert Kuhn.name == "kuhn"


@pytest.mark.slow
def test_self_play_with_credit_per_seat_approaches_equilibrium(tmp_path: Path) -> None:
    assert trained_nash_conv(tmp_path / "run") < GATE


@pytest.mark.slow
def test_the_tutorials_credit_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "SeatRolloutBuffer", TutorialBuffer)
    assert trained_nash_conv(tmp_path / "run") > 2 * GATE
