"""Neural networks as players: a shared trunk with a policy head and a value head, and the agent that plays it.

``PolicyNetwork`` is a plain torch module over observation and mask; training wraps the same trunk
(training/policy.py) and checkpoints hold exactly its tensors (agents/checkpoint.py).

``NetworkAgent`` computes in float64, whatever the weights were trained in. Matrix products of another batch
size add up in another order: in float32 that moves a probability by about 1e-7 and now and then changes an
action; in float64 by about 1e-16, so that actions are practically a function of (observation, mask, key)
alone, on every machine. The price is about half the speed of float32.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from tooth_agents.agent import check_batch
from tooth_agents.spec import NetworkSpec
from tooth_envs.engine.chance import mix
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import Numbers
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game

STREAM_ACTION = 1
"""Stream of a decision's key that the choice of action is drawn from."""

CHUNK = 16384
"""Rows of one forward pass of an agent: bounds its memory, whatever the batch."""


class Trunk(nn.Sequential):
    """The shared layers: Linear, LayerNorm if wanted, ReLU, for each width.

    Args:
        inputs: numbers in an observation.
        spec: widths and normalisation.
    """

    def __init__(self, inputs: int, spec: NetworkSpec) -> None:
        layers: list[nn.Module] = []
        for width in spec.hidden:
            layers.append(nn.Linear(inputs, width))
            if spec.layer_norm:
                layers.append(nn.LayerNorm(width))
            layers.append(nn.ReLU())
            inputs = width
        super().__init__(*layers)


class PolicyNetwork(nn.Module):
    """Observation to masked logits and value.

    Args:
        observation_size: numbers in an observation.
        num_actions: entries of the action table.
        spec: the shared layers.
    """

    def __init__(self, observation_size: int, num_actions: int, spec: NetworkSpec) -> None:
        super().__init__()
        self.observation_size = observation_size
        self.num_actions = num_actions
        self.spec = spec
        self.trunk = Trunk(observation_size, spec)
        self.policy = nn.Linear(spec.hidden[-1], num_actions)
        self.value = nn.Linear(spec.hidden[-1], 1)

    def forward(self, observation: torch.Tensor, mask: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Both heads.

        Args:
            observation: [N, D], of the weights' dtype.
            mask: [N, A], nonzero where an action is legal; None for all.

        Returns:
            logits [N, A], minus infinity where illegal; value [N], the return expected for the seat that observes.
        """
        features = self.trunk(observation)
        logits = self.policy(features)
        if mask is not None:
            logits = logits.masked_fill(mask == 0, -torch.inf)
        return logits, self.value(features).squeeze(-1)


@compiled
def choose_rows(logits: Numbers, masks: Numbers, keys: Numbers, greedy: bool, actions: Numbers) -> None:
    """An action per row from masked logits: the likeliest, or drawn from their softmax with the row's own key.

    Drawing inverts the cumulative distribution at a number in [0, 1) of 53 bits. Written per row: the action; -1 if
    none is legal; -2 if a legal action's logit is not finite.
    """
    for i in range(len(actions)):
        best = -1
        broken = False
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if not np.isfinite(logits[i, action]):
                    broken = True
                if best < 0 or logits[i, action] > logits[i, best]:
                    best = action
        actions[i] = -2 if broken else best
        if best < 0 or broken or greedy:
            continue
        top = logits[i, best]
        total = 0.0
        for action in range(masks.shape[1]):
            if masks[i, action]:
                total += np.exp(logits[i, action] - top)
        left = total * ((mix(keys[i], STREAM_ACTION, 0) >> 10) / 9007199254740992.0)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                left -= np.exp(logits[i, action] - top)
                if left < 0.0:
                    actions[i] = action
                    break


class NetworkAgent:
    """A trained network as an agent.

    Args:
        network: weights of any dtype and device; the agent keeps its own float64 copy there.
        greedy: take the likeliest action instead of drawing from the policy.
        name: how reports call it.
    """

    def __init__(self, network: PolicyNetwork, greedy: bool = False, name: str = "network") -> None:
        self.name = name
        self.greedy = greedy
        self.device = next(network.parameters()).device
        self.network = PolicyNetwork(network.observation_size, network.num_actions, network.spec)
        self.network.load_state_dict(network.state_dict())
        self.network.to(self.device, torch.float64).eval().requires_grad_(False)

    def logits(self, observation: np.ndarray) -> np.ndarray:
        """What the policy head gives for observations [N, D]: float64 [N, A], not masked."""
        size = self.network.observation_size
        if observation.ndim != 2 or observation.shape[1] != size:
            raise ToothError(
                f"{self.name}: observations must be [N, {size}], but {list(observation.shape)} was given: "
                "the network belongs to another game or to other options"
            )
        out = np.empty((len(observation), self.network.num_actions))
        with torch.inference_mode():
            for first in range(0, len(observation), CHUNK):
                rows = torch.as_tensor(observation[first : first + CHUNK], dtype=torch.float64).to(self.device)
                out[first : first + CHUNK] = self.network(rows)[0].cpu().numpy()
        return out

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        """See Agent.act.

        Raises:
            ToothError: a row without a legal action, a wrong shape, or a network that gives no finite numbers.
        """
        self._check(observation, view, mask, key)
        rows = len(observation)
        actions = np.zeros(rows, np.int64)
        choose_rows(
            self.logits(observation),
            np.ascontiguousarray(mask, np.int8),
            np.ascontiguousarray(key, np.int64),
            self.greedy,
            actions,
        )
        if rows and actions.min() < 0:
            row = int(actions.argmin())
            raise ToothError(f"{self.name}: the network's output in row {row} is not finite; its weights are damaged")
        return actions

    def _check(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray | None) -> None:
        check_batch(self.name, observation, view, mask, key)
        if mask.shape[1] != self.network.num_actions:
            raise ToothError(
                f"{self.name}: mask must be [{len(mask)}, {self.network.num_actions}], but {list(mask.shape)} was given"
            )

    def probabilities(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The policy itself: float64 [N, A], zero where illegal; one action has it all if the agent is greedy."""
        self._check(observation, view, mask, None)
        logits = np.where(mask != 0, self.logits(observation), -np.inf)
        if self.greedy:
            found = np.zeros_like(logits)
            found[np.arange(len(logits)), logits.argmax(axis=1)] = 1.0
            return found
        found = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def network_for(game: Game, spec: NetworkSpec | None = None) -> PolicyNetwork:
    """A fresh network that fits a game's observations and action table."""
    return PolicyNetwork(game.layout.size, len(game.actions), spec or NetworkSpec())
