"""The warm start: what the network learns from an agent, and that runs which begin with it are reproducible."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
import tooth_training.learning.imitation
import tooth_training.learning.session as module
import torch
from sb3_contrib import MaskablePPO
from tooth_agents.spec import NetworkSpec
from tooth_training.learning.buffer import SeatRolloutBuffer
from tooth_training.learning.config import WarmStartConfig
from tooth_training.learning.imitation import Imitation, imitate
from tooth_training.learning.policy import SeatPolicy
from tooth_training.learning.train import train
from tooth_training.learning.vec_env import BatchVecEnv

from tests.kuhn import Kuhn
from tests.training.learning.test_train import ROLLOUT, everything, settings
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.errors import OptionError

QUEEN, KING = 1, 2


class Honest:
    """Bets with the king, passes with the jack, and with the queen does as its key says."""

    name = "honest"

    def __init__(self) -> None:
        self.keys: list[int] = []

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        self.keys.extend(key.tolist())
        cards = np.asarray(view["card"])
        return np.where(cards == QUEEN, key & 1, cards == KING).astype(np.int64)


def taught(decisions: int, seed: int = 3, stop_at: int | None = None) -> tuple[MaskablePPO, Imitation, Honest]:
    torch.manual_seed(seed)
    env = BatchVecEnv(BatchEnv(Kuhn.create(), 64))
    model = MaskablePPO(
        SeatPolicy,
        env,
        n_steps=32,
        batch_size=512,
        rollout_buffer_class=SeatRolloutBuffer,
        policy_kwargs={"spec": NetworkSpec(hidden=(32,))},
        seed=seed,
        device="cpu",
    )
    model.rollout_buffer.attach(env)
    teacher = Honest()
    config = WarmStartConfig(agent="random", decisions=decisions, learning_rate=1e-2, n_epochs=3, batch_size=512)
    told: list[int] = []

    def go_on(done: int, total: int, agreement: float) -> bool:
        told.append(done)
        return stop_at is None or done < stop_at

    found = imitate(model, env, teacher, config, seed, go_on)
    assert told == [2048 * (number + 1) for number in range(len(told))]
    return model, found, teacher


def test_the_network_comes_to_act_and_expect_like_the_teacher() -> None:
    model, found, teacher = taught(24_000)
    assert found.finished
    assert found.decisions == 12 * 2048 == len(teacher.keys)
    assert len(set(teacher.keys)) == len(teacher.keys)
    # Two thirds of the decisions are sure, and of the others half are met by chance.
    assert found.agreement == pytest.approx(5 / 6, abs=0.03)
    game = Kuhn.create()
    values, bets = {}, {}
    for seed in range(40):
        states = game.deal(seed)
        observation = torch.from_numpy(game.observe(states, 0)[None])
        with torch.no_grad():
            value, log_prob, _ = model.policy.evaluate_actions(observation, torch.ones(1, dtype=torch.int64))
        card = int(game.view(states, 0)["card"])
        values[card], bets[card] = float(value), float(log_prob.exp())
    assert bets[0] < 0.05
    assert bets[KING] > 0.95
    assert 0.35 < bets[QUEEN] < 0.65
    # The first seat's return when both are honest: the jack passes and loses its ante, or one more ante never; the
    # king bets and gets the ante of a jack, and of a queen one half of the time 2.
    assert values[0] == pytest.approx(-1.0, abs=0.15)
    assert values[KING] == pytest.approx(0.5 * 1.0 + 0.5 * 1.5, abs=0.15)


def test_what_is_learnt_depends_on_the_seed_alone() -> None:
    def weights(seed: int) -> list[float]:
        return [float(parameter.detach().double().sum()) for parameter in taught(2000, seed)[0].policy.parameters()]

    assert weights(3) == weights(3)
    assert weights(3) != weights(4)


def test_it_can_be_stopped() -> None:
    _, found, _ = taught(40_000, stop_at=4096)
    assert not found.finished
    assert found.decisions == 4096


def warm(run: Path, *overrides: str, total: int = 8 * ROLLOUT):
    return settings(run, "warm_start={agent: random, decisions: 1000}", *overrides, total=total)


def test_a_run_begins_warm_and_goes_on_exactly(tmp_path: Path) -> None:
    straight = train(warm(tmp_path / "straight"))
    assert everything(train(warm(tmp_path / "again"))) == everything(straight)
    cold = train(settings(tmp_path / "cold"))
    assert everything(cold)["policy.safetensors"] != everything(straight)["policy.safetensors"]
    # Schedules end where the total says, so a shorter first part needs the constant ones.
    constant = ("ppo.schedule=constant", "ppo.ent_coef_final=null", "evaluate_during.points=0")
    whole = train(warm(tmp_path / "whole", *constant))
    half = train(warm(tmp_path / "half", *constant, total=4 * ROLLOUT))
    train(warm(tmp_path / "half", *constant), resume=half)
    assert everything(half) == everything(whole)
    with pytest.raises(OptionError, match="begun with warm_start"):
        train(settings(tmp_path / "half", *constant), resume=half)


def test_an_agent_that_cannot_be_had_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    for agent, words in (("heuristic", "kuhn has no heuristic"), ("radnom", "did you mean 'random'")):
        with pytest.raises(OptionError, match=words):
            train(settings(tmp_path / "run", f"warm_start={{agent: {agent}, decisions: 1000}}"))
    assert not (tmp_path / "run").exists()
    with pytest.raises(OptionError, match=r"warm_start.decisions"):
        settings(tmp_path / "run", "warm_start={decisions: 0}")


def test_an_interruption_while_imitating(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tooth_training.learning.imitation._learn

    def interrupted(*arguments: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        real(*arguments)

    monkeypatch.setattr(tooth_training.learning.imitation, "_learn", interrupted)
    monkeypatch.setattr(module, "imitate", tooth_training.learning.imitation.imitate)
    with pytest.raises(KeyboardInterrupt):
        train(warm(tmp_path / "run"))
    assert not list((tmp_path / "run" / "checkpoints").glob("*"))
