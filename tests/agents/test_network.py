"""Networks as agents: masks, draws, independence of the batch, and errors."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tooth_agents.agent import Agent
from tooth_agents.network import CHUNK, NetworkAgent, PolicyNetwork, choose_rows, network_for
from tooth_agents.spec import NetworkSpec

from tests.kuhn import Kuhn
from tooth_envs.envs.lockstep import Lockstep
from tooth_envs.errors import ToothError

D, A = 13, 6


def made(seed=0, **spec):
    torch.manual_seed(seed)
    network = PolicyNetwork(D, A, NetworkSpec(**{"hidden": (32, 32), **spec}))
    with torch.no_grad():
        network.policy.weight.mul_(8)
    return network


def batch(N, seed=0):
    rng = np.random.default_rng(seed)
    mask = rng.integers(0, 2, (N, A)).astype(np.int8)
    mask[np.arange(N), rng.integers(0, A, N)] = 1
    return rng.random((N, D), np.float32), mask, rng.integers(0, 2**62, N)


@pytest.mark.parametrize("layer_norm", [False, True])
def test_forward(layer_norm):
    network = made(layer_norm=layer_norm)
    observation, mask, _ = batch(9)
    logits, value = network(torch.from_numpy(observation), torch.from_numpy(mask))
    assert logits.shape == (9, A)
    assert value.shape == (9,)
    assert torch.isneginf(logits[torch.from_numpy(mask) == 0]).all()
    assert torch.isfinite(logits[torch.from_numpy(mask) == 1]).all()
    assert torch.isfinite(network(torch.from_numpy(observation))[0]).all()
    assert any("LayerNorm" in type(layer).__name__ for layer in network.trunk) == layer_norm


def test_is_an_agent_and_plays_legally():
    game = Kuhn.create()
    agent = NetworkAgent(network_for(game, NetworkSpec(hidden=(8,))))
    assert isinstance(agent, Agent)
    table = Lockstep(game, range(50))
    while table.running.any():
        table.step(agent.act(table.observation, table.view, table.mask, table.seeds))
        assert not table.refused.any()


def test_draws_follow_the_policy():
    network = made()
    agent = NetworkAgent(network)
    observation, mask, _ = batch(1, seed=4)
    mask[:] = [1, 0, 1, 1, 1, 0]
    rows = 40_000
    keys = np.random.default_rng(1).integers(0, 2**62, rows)
    actions = agent.act(np.repeat(observation, rows, 0), None, np.repeat(mask, rows, 0), keys)
    logits, _ = network(torch.from_numpy(observation), torch.from_numpy(mask))
    expected = torch.softmax(logits, -1).detach().numpy()[0]
    assert expected.max() < 0.9  # several actions are in play
    np.testing.assert_allclose(np.bincount(actions, minlength=A) / rows, expected, atol=0.012)


def test_an_action_depends_on_its_own_row_alone():
    agent = NetworkAgent(made())
    observation, mask, key = batch(CHUNK + 300)
    together = agent.act(observation, None, mask, key)
    rows = [0, 1, 77, CHUNK - 1, CHUNK, CHUNK + 299]
    for row in rows:
        assert agent.act(observation[[row]], None, mask[[row]], key[[row]]) == together[row]
    order = np.random.default_rng(0).permutation(len(key))
    np.testing.assert_array_equal(agent.act(observation[order], None, mask[order], key[order]), together[order])
    other = agent.act(observation, None, mask, key + 1)
    assert (other != together).mean() > 0.1
    assert agent.act(observation[:0], None, mask[:0], key[:0]).shape == (0,)


def test_greedy_takes_the_likeliest_and_needs_no_luck():
    network = made()
    observation, mask, key = batch(200)
    actions = NetworkAgent(network, greedy=True).act(observation, None, mask, key)
    logits, _ = network(torch.from_numpy(observation), torch.from_numpy(mask))
    np.testing.assert_array_equal(actions, logits.argmax(-1))
    np.testing.assert_array_equal(actions, NetworkAgent(network, greedy=True).act(observation, None, mask, key + 5))
    drawn = NetworkAgent(network).act(observation, None, mask, key)
    assert (drawn != actions).any()


def test_the_agent_keeps_its_own_weights():
    network = made()
    agent = NetworkAgent(network)
    observation, mask, key = batch(100)
    before = agent.act(observation, None, mask, key)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_()
    np.testing.assert_array_equal(agent.act(observation, None, mask, key), before)
    assert next(network.parameters()).dtype == torch.float32


def test_choices_are_the_same_in_plain_python():
    rng = np.random.default_rng(2)
    _, mask, key = batch(300)
    logits = rng.normal(size=(300, A)) * 3
    for greedy in (False, True):
        compiled, plain = np.zeros(300, np.int64), np.zeros(300, np.int64)
        choose_rows(logits, mask, key, greedy, compiled)
        getattr(choose_rows, "py_func", choose_rows)(logits, mask, [int(k) for k in key], greedy, plain)
        np.testing.assert_array_equal(compiled, plain)


def test_extreme_logits_are_chosen_soundly():
    logits = np.array([[1e4, -1e4, 0.0, 5.0, 5.0, 5.0], [-1e8, -1e9, 7.0, 7.0, 7.0, 7.0]])
    mask = np.array([[1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]], np.int8)
    for key in range(50):
        actions = np.zeros(2, np.int64)
        choose_rows(logits, mask, np.array([key, key]), False, actions)
        assert actions.tolist() == [0, 0]  # far below any illegal logit, and chosen all the same
    actions = np.zeros(1000, np.int64)
    even = np.full((1000, A), 2000.0)  # exp(2000) is beyond all floats
    choose_rows(even, np.repeat(mask[:1], 1000, 0), np.arange(1000), False, actions)
    assert 400 < actions.sum() < 600


def test_errors_say_what_is_wrong():
    agent = NetworkAgent(made(), name="mine")
    observation, mask, key = batch(5)
    mask[3] = 0
    with pytest.raises(ToothError, match="mine: row 3 of the mask has no legal action"):
        agent.act(observation, None, mask, key)
    _, mask, _ = batch(5)
    with pytest.raises(ToothError, match=r"observations must be \[N, 13\], but \[5, 12\] was given"):
        agent.act(observation[:, :12], None, mask, key)
    with pytest.raises(ToothError, match=r"mask must be \[5, 6\], but \[5, 5\]"):
        agent.act(observation, None, mask[:, :5], key)
    observation[2, 0] = np.nan
    with pytest.raises(ToothError, match="row 2 is not finite"):
        agent.act(observation, None, mask, key)


def test_spec_bounds():
    for hidden in ((), (0,), (10**6,), (8,) * 17):
        with pytest.raises(ValueError, match="hidden"):
            NetworkSpec(hidden=hidden)
