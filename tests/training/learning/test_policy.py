"""The stable-baselines3 policy: the same numbers as PolicyNetwork and as the stock policy, only computed directly."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from tooth_agents.network import PolicyNetwork
from tooth_agents.spec import NetworkSpec
from tooth_training.learning.policy import SeatPolicy, export_network, load_tensors, policy_tensors

D, A, N = 11, 7, 64


def made(seed=0, **spec):
    torch.manual_seed(seed)
    policy = SeatPolicy(
        Box(0, 1, (D,), np.float32), Discrete(A), lambda _: 1e-3, NetworkSpec(**{"hidden": (32, 16), **spec})
    )
    with torch.no_grad():  # the fresh policy head is nearly flat; make it say something
        policy.action_net.weight.mul_(200)
        policy.action_net.bias.normal_()
    return policy


def batch(seed=0):
    rng = np.random.default_rng(seed)
    mask = rng.integers(0, 2, (N, A)).astype(bool)
    mask[np.arange(N), rng.integers(0, A, N)] = True
    mask[0] = False
    mask[0, 3] = True  # one legal action
    return torch.from_numpy(rng.random((N, D), np.float32)), mask


@pytest.mark.parametrize("layer_norm", [False, True])
def test_network_and_policy_give_the_same_numbers(layer_norm):
    policy = made(layer_norm=layer_norm)
    obs, mask = batch()
    network = export_network(policy)
    logits, value = network(obs, torch.from_numpy(mask))
    own_logits = policy.action_net(policy.features_extractor(obs))
    assert torch.equal(logits[torch.from_numpy(mask)], own_logits[torch.from_numpy(mask)])
    assert torch.isneginf(logits[torch.from_numpy(~mask)]).all()
    assert torch.equal(value, policy.predict_values(obs).squeeze(-1))
    actions = logits.argmax(-1)
    values, log_prob, _ = policy.evaluate_actions(obs, actions, torch.from_numpy(mask))
    torch.testing.assert_close(log_prob, torch.log_softmax(logits, -1).gather(1, actions[:, None])[:, 0])
    assert torch.equal(values.squeeze(-1), value)


def test_weights_go_both_ways():
    first, second = made(1), made(2)
    network = export_network(first)
    obs, _ = batch()
    assert not torch.equal(first.predict_values(obs), second.predict_values(obs))
    before = {id(parameter) for parameter in second.parameters()}
    load_tensors(second, network.state_dict())
    assert {id(parameter) for parameter in second.parameters()} == before  # the optimiser still holds these
    assert torch.equal(first.predict_values(obs), second.predict_values(obs))
    for name, tensor in policy_tensors(second).items():
        assert torch.equal(tensor, network.state_dict()[name]), name
    assert set(policy_tensors(second)) == set(PolicyNetwork(D, A, first.spec).state_dict())
    exported = policy_tensors(first)["value.bias"]
    exported += 1.0  # copies: what is exported never changes with training, nor the other way round
    assert not torch.equal(first.value_net.bias, exported)


def test_every_weight_is_trained_once():
    policy = made()
    held = [parameter for group in policy.optimizer.param_groups for parameter in group["params"]]
    assert len(held) == len({id(parameter) for parameter in held}) == len(list(policy.parameters()))
    assert sum(p.numel() for p in held) == D * 32 + 32 + 32 * 16 + 16 + 16 * A + A + 16 + 1


def test_equals_the_stock_policy():
    policy = made()
    obs, mask = batch()
    actions, values, log_prob = policy(obs, action_masks=mask)
    stock = MaskableActorCriticPolicy.evaluate_actions(policy, obs, actions, torch.from_numpy(mask))
    own = policy.evaluate_actions(obs, actions, torch.from_numpy(mask))
    for ours, theirs in zip(own, stock, strict=True):
        torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(values, stock[0])
    torch.testing.assert_close(log_prob, stock[1])
    greedy = policy(obs, deterministic=True, action_masks=mask)[0]
    assert torch.equal(greedy, MaskableActorCriticPolicy.forward(policy, obs, True, mask)[0])
    unmasked = MaskableActorCriticPolicy.evaluate_actions(policy, obs, actions)
    for ours, theirs in zip(policy.evaluate_actions(obs, actions), unmasked, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_gradients_equal_the_stock_policy():
    obs, mask = batch()
    gradients = []
    for evaluate in (SeatPolicy.evaluate_actions, MaskableActorCriticPolicy.evaluate_actions):
        policy = made()
        actions = policy(obs, deterministic=True, action_masks=mask)[0]
        values, log_prob, entropy = evaluate(policy, obs, actions, torch.from_numpy(mask))
        (values.pow(2).mean() + log_prob.mean() - 0.1 * entropy.mean()).backward()
        gradients.append([parameter.grad for parameter in policy.parameters()])
    for ours, theirs in zip(*gradients, strict=True):
        assert torch.isfinite(ours).all()
        torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=1e-4)


def test_draws_legal_actions_with_their_probabilities():
    policy = made()
    obs, mask = batch()
    obs, mask = obs[5:6].expand(20_000, D), np.repeat(mask[5:6], 20_000, 0)
    torch.manual_seed(0)
    with torch.no_grad():
        actions, _, log_prob = policy(obs, action_masks=mask)
    counts = np.bincount(actions.numpy(), minlength=A)
    assert counts[~mask[0]].sum() == 0
    for action in np.flatnonzero(mask[0]):
        expected = float(log_prob[actions == action][0].exp()) if counts[action] else 0.0
        assert abs(counts[action] / 20_000 - expected) < 0.015
