"""The network as a stable-baselines3 policy: the same trunk and heads as tooth_agents.network.PolicyNetwork.

The trunk is the features extractor, shared by both heads; stable-baselines3's own ``net_arch`` would build two
separate networks and double the arithmetic. Actions, log-probabilities and entropies are computed here directly
rather than through torch.distributions, which checks and normalises the same numbers several times over; results
are the stock policy's.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from tooth_agents.network import PolicyNetwork, Trunk
from tooth_agents.spec import NetworkSpec
from torch import nn

_PARTS = {"features_extractor.trunk.": "trunk.", "action_net.": "policy.", "value_net.": "value."}
"""Where PolicyNetwork's tensors are in the stable-baselines3 policy."""


class TrunkExtractor(BaseFeaturesExtractor):
    """The shared layers as a features extractor."""

    def __init__(self, observation_space: gymnasium.Space[Any], spec: NetworkSpec) -> None:
        super().__init__(observation_space, spec.hidden[-1])
        assert observation_space.shape is not None
        self.trunk = Trunk(observation_space.shape[0], spec)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Features [N, width of the last layer]."""
        features: torch.Tensor = self.trunk(observation)
        return features


class SeatPolicy(MaskableActorCriticPolicy):
    """Trunk, policy head and value head.

    Args:
        observation_space, action_space, lr_schedule: from MaskablePPO.
        spec: the trunk.
    """

    def __init__(
        self,
        observation_space: gymnasium.Space[Any],
        action_space: gymnasium.Space[Any],
        lr_schedule: Any,
        spec: NetworkSpec,
    ) -> None:
        self.spec = spec
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            net_arch=[],
            activation_fn=nn.ReLU,
            features_extractor_class=TrunkExtractor,
            features_extractor_kwargs={"spec": spec},
            share_features_extractor=True,
            normalize_images=False,
        )

    def _log_probabilities(self, features: torch.Tensor, masks: Any) -> torch.Tensor:
        """log pi [N, A]; minus infinity where illegal."""
        logits = self.action_net(features)
        if masks is not None:
            legal = torch.as_tensor(masks, dtype=torch.bool, device=logits.device).reshape(logits.shape)
            logits = logits.masked_fill(~legal, -torch.inf)
        return torch.log_softmax(logits, dim=-1)

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Choose actions.

        Returns:
            actions int64 [N], values [N, 1], log-probabilities [N].
        """
        features = self.features_extractor(obs)
        log_pi = self._log_probabilities(features, action_masks)
        actions = log_pi.argmax(dim=-1) if deterministic else torch.multinomial(log_pi.exp(), 1).squeeze(-1)
        return actions, self.value_net(features), log_pi.gather(-1, actions.unsqueeze(-1)).squeeze(-1)

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """How likely given actions are.

        Returns:
            values [N, 1], log-probabilities [N], entropies [N].
        """
        features = self.features_extractor(obs)
        log_pi = self._log_probabilities(features, action_masks)
        finite = log_pi.masked_fill(torch.isinf(log_pi), 0.0)  # 0 * -inf is no number
        entropy = -(log_pi.exp() * finite).sum(dim=-1)
        return self.value_net(features), log_pi.gather(-1, actions.unsqueeze(-1)).squeeze(-1), entropy


def network_name(name: str) -> str:
    """PolicyNetwork's name of one of the policy's parameters."""
    for theirs, ours in _PARTS.items():
        if name.startswith(theirs):
            return ours + name.removeprefix(theirs)
    raise KeyError(name)


def policy_tensors(policy: SeatPolicy) -> dict[str, torch.Tensor]:
    """A policy's weights under PolicyNetwork's names: contiguous copies on the CPU."""
    return {
        network_name(name): parameter.detach().cpu().clone().contiguous()
        for name, parameter in policy.named_parameters()
    }


def load_tensors(policy: SeatPolicy, tensors: dict[str, torch.Tensor]) -> None:
    """Put a PolicyNetwork's weights into a policy, in place, so that its optimiser goes on with them."""
    with torch.no_grad():
        for name, parameter in policy.named_parameters():
            parameter.copy_(tensors[network_name(name)])


def export_network(policy: SeatPolicy) -> PolicyNetwork:
    """A PolicyNetwork with copies of a policy's weights, on the CPU."""
    tensors = policy_tensors(policy)
    network = PolicyNetwork(tensors["trunk.0.weight"].shape[1], len(tensors["policy.bias"]), policy.spec)
    network.load_state_dict(tensors)
    return network
