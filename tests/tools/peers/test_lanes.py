"""The loops themselves, ours and the others'. Where another library is not installed, its tests are skipped."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tooth_training.evaluation.bench import time_games

from tests.kuhn import Kuhn
from tools.peers import openspiel_games, ours, pettingzoo_classic, rlcard_games, sb3_tutorial
from tools.peers.compare import all_lanes
from tools.peers.lane import Lane
from tooth_envs.envs.aec import TableEnv


def need(package: str) -> Any:
    """The package, or the test is skipped."""
    return pytest.importorskip(package, reason=f"{package} is not installed; it comes with tooth-envs[bench]")


def sizes(lane: Lane) -> tuple[int, int, int]:
    """Seats, numbers observed and actions of a lane that plays."""
    ready = lane.prepare()
    assert ready.measure(0.0) > 0.0
    return ready.seats, ready.observation, ready.actions


def by_key(lanes: list[Lane]) -> dict[str, Lane]:
    return {lane.key: lane for lane in lanes}


def test_all_lanes_have_names_of_their_own() -> None:
    lanes = all_lanes([Kuhn.create()], 8, 2)
    assert len(by_key(lanes)) == len(lanes) == 4 + 1 + 3 + 6 + 2 + 2
    for lane in lanes:
        assert lane.ours == (lane.library == ours.SUITE)
        assert lane.threads == 1 or lane.kind in ("batch", "training")


@pytest.mark.parametrize("kind", ours.PLAYED)
def test_ours(kind: str) -> None:
    lane = by_key(ours.lanes([Kuhn.create()], 8, 1))[f"kuhn_{kind}"]
    assert sizes(lane) == (2, Kuhn.create().layout.size, 2)
    assert lane.what


def test_our_training_is_timed_by_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("torch")
    config = tmp_path / "small.yaml"
    config.write_text(
        "game: {name: kuhn}\ntotal_decisions: 1000000\nnetwork: {hidden: [8]}\n"
        "ppo: {n_envs: 8, n_steps: 8, batch_size: 64, n_epochs: 1}\n"
    )
    monkeypatch.setattr(ours, "CONFIG", str(config))
    monkeypatch.chdir(tmp_path)
    lane = by_key(ours.lanes([], 8, 1))["training"]
    assert sizes(lane) == (2, Kuhn.create().layout.size, 2)
    assert [entry.name for entry in tmp_path.iterdir()] == ["small.yaml"]  # the run is gone


def test_pettingzoo() -> None:
    need("pygame")
    need("rlcard")
    lanes = by_key(pettingzoo_classic.lanes())
    assert sizes(lanes["pettingzoo_tictactoe"]) == (2, 18, 9)
    assert sizes(lanes["pettingzoo_connect_four"]) == (2, 84, 7)
    assert sizes(lanes["pettingzoo_leduc_holdem"]) == (2, 36, 4)


@pytest.mark.parametrize("way", ["documented", "lean"])
def test_openspiel(way: str) -> None:
    need("pyspiel")
    lanes = by_key(openspiel_games.lanes())
    assert sizes(lanes[f"openspiel_kuhn_poker_{way}"]) == (2, 7, 2)
    assert sizes(lanes[f"openspiel_liars_dice_{way}"]) == (2, 21, 13)
    assert sizes(lanes[f"openspiel_hearts_{way}"]) == (4, 5088, 52)


def test_openspiel_observations_are_taken_where_there_are_any() -> None:
    pyspiel = need("pyspiel")
    for game, (_, tensor) in openspiel_games.GAMES.items():
        has = pyspiel.load_game(game).get_type().provides_observation_tensor
        assert tensor == (openspiel_games.OBSERVATION if has else openspiel_games.INFORMATION), game


def test_outcomes_are_drawn_by_their_probabilities() -> None:
    outcomes = [(3, 0.25), (5, 0.5), (9, 0.25)]
    assert [openspiel_games.drawn(outcomes, number) for number in (0.0, 0.24, 0.26, 0.74, 0.76)] == [3, 3, 5, 5, 9]
    assert openspiel_games.drawn([(3, 0.1), (5, 0.1)], 0.99) == 5  # rounding left a rest


def test_rlcard() -> None:
    need("rlcard")
    lanes = by_key(rlcard_games.lanes())
    assert sizes(lanes["rlcard_leduc_holdem"]) == (2, 36, 4)
    assert sizes(lanes["rlcard_uno"]) == (2, 240, 61)


def test_the_documented_training() -> None:
    for package in ("sb3_contrib", "pygame"):
        need(package)
    random.seed(5)
    state = random.getstate()
    assert sizes(by_key(sb3_tutorial.lanes(1))["sb3_matched"]) == (2, 84, 7)
    assert random.getstate() == state


def test_matched_settings_are_the_quickstart() -> None:
    need("torch")
    from tooth_training.learning.config import load_config

    config = load_config("quickstart")
    found = sb3_tutorial.matched_settings()
    assert found["policy_kwargs"]["net_arch"] == list(config.network.hidden)
    assert found["n_steps"] == found["batch_size"] == config.ppo.batch_size
    for name in ("learning_rate", "n_epochs", "gamma", "gae_lambda", "clip_range", "ent_coef", "vf_coef"):
        assert found[name] == getattr(config.ppo, name), name


def test_a_table_seen_by_one_seat_at_a_time() -> None:
    table = TableEnv(Kuhn.create())
    env = sb3_tutorial.OneSeatAtATime(table)
    observation, info = env.reset(seed=3)
    assert info == {}
    rewards = []
    for action in (1, 0):  # bet, fold: the second seat loses its ante
        mover = table.agent_selection
        seen = table.observe(mover)
        np.testing.assert_array_equal(observation, seen["observation"])
        np.testing.assert_array_equal(sb3_tutorial.mask_of(env), seen["action_mask"])
        observation, reward, terminated, truncated, _ = env.step(np.int64(action))
        rewards.append((mover, reward, terminated, truncated))
    first, second = table.possible_agents
    assert rewards == [(first, 0.0, False, False), (second, -1.0, True, False)]
    env.reset()
    assert not table.terminations[first]


def test_whole_games_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("tooth_training.evaluation.bench.time.perf_counter", lambda: now[0])

    def play() -> int:
        now[0] += 0.5
        return 3

    assert time_games(play, 1.2) == 6.0  # three games in 1.5 seconds
    assert time_games(play, 0.0) == 6.0  # one
