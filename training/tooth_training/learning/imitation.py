"""Warm start: before PPO, the network learns to act like another agent, and what games of that agent return.

The agent plays all seats of the batch. Each rollout of its decisions is learnt once or a few times, the policy by
cross-entropy and the value by the returns along each seat's own decisions (training/buffer.py), and is then
forgotten. Nothing of the optimiser is kept: PPO begins with a fresh one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from tooth_agents.agent import Agent
from torch.nn import functional

from tooth_envs.engine.keys import TEACHER, DecisionKeys, seat_keys
from tooth_envs.envs.asking import choose
from tooth_training.learning.buffer import SeatRolloutBuffer
from tooth_training.learning.config import WarmStartConfig
from tooth_training.learning.vec_env import BatchVecEnv


@dataclass(frozen=True)
class Imitation:
    """What came of it.

    Attributes:
        decisions: how many of the agent's decisions were learnt from.
        agreement: share of the last rollout's choices (decisions with more than one legal action) at which the
            network's likeliest action was the agent's, before it learnt from them.
        finished: False if it was interrupted.
    """

    decisions: int
    agreement: float
    finished: bool


def imitate(
    model: MaskablePPO,
    env: BatchVecEnv,
    teacher: Agent,
    settings: WarmStartConfig,
    seed: int,
    go_on: Callable[[int, int, float], bool],
) -> Imitation:
    """Teach a fresh model. Its games are dealt anew for this, and once more when PPO begins.

    Args:
        model: whose policy learns.
        env: its environment.
        teacher: the agent to imitate.
        settings: how.
        seed: names the teacher's noise; the deals are the environment's.
        go_on: told (decisions done, in all, agreement) after each rollout; False stops.
    """
    policy, buffer = model.policy, model.rollout_buffer
    assert isinstance(buffer, SeatRolloutBuffer)
    optimizer = torch.optim.Adam(policy.parameters(), lr=settings.learning_rate, eps=1e-5)
    rollout = buffer.buffer_size * env.num_envs
    rollouts = -(-settings.decisions // rollout)
    observation = env.reset()
    agreement = 0.0
    done = 0
    while done < rollouts:
        for group in optimizer.param_groups:  # linearly to 0
            group["lr"] = settings.learning_rate * (1.0 - done / rollouts)
        games = ((done, row) for row in range(env.num_envs))
        decisions = DecisionKeys(seat_keys(seed, TEACHER, games, env.batch.max_players))
        observation, agreement = _collect(policy, buffer, env, teacher, observation, decisions)
        _learn(policy, buffer, optimizer, model, settings)
        done += 1
        if not go_on(done * rollout, rollouts * rollout, agreement):
            break
    return Imitation(done * rollout, agreement, done == rollouts)


def _collect(
    policy: Any,
    buffer: SeatRolloutBuffer,
    env: BatchVecEnv,
    teacher: Agent,
    observation: np.ndarray,
    decisions: DecisionKeys,
) -> tuple[np.ndarray, float]:
    """A rollout of the teacher; the next observation, and how often the policy's likeliest action was the teacher's."""
    policy.set_training_mode(False)
    buffer.reset()
    rows = np.arange(env.num_envs)
    starts = np.zeros(env.num_envs, np.bool_)  # not used by the buffer
    same = choices = 0
    for _ in range(buffer.buffer_size):
        mask = env.action_masks().copy()
        keys = decisions.next(rows, env.batch.seat)
        actions = choose(
            teacher,
            env.batch.games,
            env.batch.states,
            observation,
            env.batch.view,
            mask.view(np.int8),
            keys,
            env.batch.variant,
        )
        with torch.no_grad():
            likeliest, values, _ = policy(torch.as_tensor(observation, device=policy.device), True, mask)
        free = mask.sum(axis=1) > 1
        same += int((likeliest.cpu().numpy() == actions)[free].sum())
        choices += int(free.sum())
        env.step_async(actions)
        following, rewards, _, _ = env.step_wait()
        buffer.add(observation, actions, rewards, starts, values, torch.zeros(env.num_envs), mask)
        observation = following
    buffer.compute_returns_and_advantage(torch.zeros(0), np.zeros(0))
    return observation, same / max(choices, 1)


def _learn(
    policy: Any,
    buffer: SeatRolloutBuffer,
    optimizer: torch.optim.Optimizer,
    model: MaskablePPO,
    settings: WarmStartConfig,
) -> None:
    policy.set_training_mode(True)
    for _ in range(settings.n_epochs):
        for part in buffer.get(settings.batch_size):
            values, log_prob, entropy = policy.evaluate_actions(
                part.observations, part.actions.flatten(), part.action_masks
            )
            value_loss = functional.mse_loss(part.returns, values.flatten())
            loss = -log_prob.mean() - settings.ent_coef * entropy.mean() + model.vf_coef * value_loss
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
            optimizer.step()
