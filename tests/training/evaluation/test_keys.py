"""What agents are given tells them nothing of the deal: the adversary of tests/inverting.py at every door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from tooth_agents.spec import NetworkSpec
from tooth_training.cli.play import play_game
from tooth_training.evaluation.deals import block_seeds
from tooth_training.evaluation.evaluate import evaluate
from tooth_training.evaluation.exploit import exploit
from tooth_training.evaluation.stats import game_stats
from tooth_training.learning.buffer import SeatRolloutBuffer
from tooth_training.learning.config import WarmStartConfig
from tooth_training.learning.imitation import imitate
from tooth_training.learning.policy import SeatPolicy
from tooth_training.learning.vec_env import BatchVecEnv

import tooth_envs
from tests.inverting import STREAMS, Spy, ancestors, seeds_of
from tests.kuhn import Kuhn
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.keys import AGENT, DEAL, DecisionKeys, derive, derive_all, random_seed, seat_keys
from tooth_envs.engine.state import record
from tooth_envs.engine.streams import EngineStream
from tooth_envs.envs.batch import BatchEnv

SEED = 8_214_565_720_323_784
LINKS = [(stream, tick) for stream in STREAMS for tick in range(4)]
PAIRS = [(seat, tick) for seat in range(4) for tick in range(8)]
"""What an adversary would try: streams with the first blocks, and seats with the first decisions."""


def everything_above(keys: Sequence[int]) -> set[int]:
    """Whatever could stand one or two derivations above the keys, under every stream that the suite has."""
    found: set[int] = set(keys)
    for key in keys[:3]:
        found |= ancestors(key, [PAIRS]) | ancestors(key, [LINKS]) | ancestors(key, [PAIRS, LINKS])
    return found


def test_the_adversary_inverts_mix() -> None:
    for seed, link in ((SEED, (5, 7)), (0, (0, 0)), (2**63 - 1, (2_000_029, 3))):
        assert seed in seeds_of(mix_python(seed, *link), link)
    chain = mix_python(mix_python(SEED, 2_000_029, 1), 3, 4)
    assert SEED in ancestors(chain, [PAIRS, LINKS])
    assert SEED in everything_above([chain])


def through_evaluate(game: tooth_envs.Game, spy: Spy) -> list[int]:
    evaluate(game, {"spy": spy, "other": Spy()}, 3, SEED)
    return [SEED, *block_seeds(SEED, 3).tolist()]


def through_stats(game: tooth_envs.Game, spy: Spy) -> list[int]:
    game_stats(game, 5, SEED, {"spy": spy})
    return [SEED, *(mix_python(SEED, EngineStream.EPISODE, g) for g in range(5))]


def through_play(game: tooth_envs.Game, spy: Spy) -> list[int]:
    play_game(game, [("spy", spy)], 0, SEED, lambda prompt: "1", lambda text: None)
    return [SEED]


def through_single(game: tooth_envs.Game, spy: Spy) -> list[int]:
    env = tooth_envs.make_single(game.name, opponents=spy, seat=0, num_players=game.num_players)
    seeds = []
    for seed in (SEED, None, None, None):
        env.reset(seed=seed)
        seeds.append(env.game_seed)
        over = False
        while not over:
            over = any(env.step(int(env.action_masks().argmax()))[2:4])
    return seeds


def through_imitation(game: tooth_envs.Game, spy: Spy) -> list[int]:
    seed = SEED % 2**32
    env = BatchVecEnv(BatchEnv(game, 8, 1))
    model = MaskablePPO(
        SeatPolicy,
        env,
        n_steps=8,
        batch_size=16,
        rollout_buffer_class=SeatRolloutBuffer,
        policy_kwargs={"spec": NetworkSpec(hidden=(8,))},
        seed=seed,
        device="cpu",
    )
    model.rollout_buffer.attach(env)
    imitate(model, env, spy, WarmStartConfig(decisions=128, batch_size=16), seed, lambda *told: True)
    return [seed, *env.batch.game_seed.tolist()]


def through_exploit(game: tooth_envs.Game, spy: Spy) -> list[int]:
    exploit(Kuhn.create(), spy, "spy", SEED, draws=3)
    return [SEED]


DOORS: list[Callable[[tooth_envs.Game, Spy], list[int]]] = [
    through_evaluate,
    through_stats,
    through_play,
    through_single,
    through_imitation,
    through_exploit,
]


@pytest.mark.parametrize("door", DOORS)
def test_no_seed_follows_from_an_agents_keys(door: Callable[[tooth_envs.Game, Spy], list[int]]) -> None:
    spy = Spy()
    seeds = door(tooth_envs.game("dragon_teeth_washer", num_players=4), spy)
    assert spy.keys
    assert not everything_above(spy.keys) & set(seeds)


def test_no_key_of_another_seat_follows_from_an_agents_keys() -> None:
    agents = {name: Spy(name) for name in "ABCD"}
    evaluate(tooth_envs.game("dragon_teeth_washer", num_players=4), agents, 1, SEED)
    above = [everything_above(spy.keys) for spy in agents.values()]
    for place, first in enumerate(above):
        for second in above[place + 1 :]:
            assert not first & second


def test_the_order_of_rows_tells_nothing() -> None:
    """Rows of one deal, seen from several seats, are no neighbours in what an agent is given."""

    class Rows(Spy):
        def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
            assert (np.diff(key) >= 0).all()
            calls.append(len(key))
            return super().act(observation, view, mask, key)

    calls: list[int] = []
    agent = Rows()
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    report = evaluate(game, {"a": agent, "b": agent, "c": agent}, 20, 3)
    assert max(calls) == report.games == 60


def test_keys_do_not_tell_how_often_others_were_asked() -> None:
    """They count the seat's own decisions."""
    spy = Spy()
    evaluate(
        tooth_envs.game("dragon_teeth_washer", num_players=4), {"A": spy, "B": Spy(), "C": Spy(), "D": Spy()}, 1, 3
    )
    own = derive(3, AGENT, 0, 0, 0, 0)
    assert [mix_python(own, 0, tick) for tick in range(4)] == [key for key in spy.keys if own in seeds_ticks(key)][:4]


def seeds_ticks(key: int) -> set[int]:
    return ancestors(key, [[(0, tick) for tick in range(60)]])


def test_a_resampled_world_has_the_seed_it_was_asked_with() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=4)
    states = game.deal(SEED)
    world = record(game.resample(states, int(states["seat"][0]), 77))
    candidates = {int(world.seed), *ancestors(int(world.seed), [LINKS])}
    assert SEED not in candidates
    assert not world.events.any()


def test_infos_tell_no_seed() -> None:
    env = tooth_envs.make_single("dragon_teeth_washer", num_players=4)
    _, info = env.reset(seed=SEED)
    assert set(info) == {"seat"}
    assert env.game_seed == SEED
    table = tooth_envs.make("dragon_teeth_washer", num_players=4)
    table.reset(seed=SEED)
    assert not any(table.infos.values())


# Derivation.


def test_derived_numbers_are_what_they_are() -> None:
    """Results of a seed are the same everywhere and for ever."""
    assert derive(0, DEAL) == 2485775794671744032
    assert derive(1, AGENT, 2, 3) == 5480554575921026634
    numbers = {derive(seed, purpose, *place) for seed in (0, 1) for purpose in (DEAL, AGENT) for place in PAIRS}
    assert len(numbers) == 4 * len(PAIRS)
    assert all(0 <= number < 2**63 for number in numbers)
    assert derive_all(5, DEAL, [(0,), (1,)]).tolist() == [derive(5, DEAL, 0), derive(5, DEAL, 1)]
    assert seat_keys(5, AGENT, [(1,), (2,)], 3).tolist() == [
        [derive(5, AGENT, game, seat) for seat in range(3)] for game in (1, 2)
    ]


def test_decision_keys_count_own_decisions() -> None:
    keys = DecisionKeys(np.array([[10, 20], [30, 40]]))
    first = keys.next(np.array([0, 1]), np.array([1, 0]))
    second = keys.next(np.array([0]), np.array([1]))
    other = keys.next(np.array([0]), np.array([0]))
    assert first.tolist() == [mix_python(20, 0, 0), mix_python(30, 0, 0)]
    assert second.tolist() == [mix_python(20, 0, 1)]
    assert other.tolist() == [mix_python(10, 0, 0)]


def test_seeds_from_the_operating_system_differ_and_are_told() -> None:
    assert len({random_seed() for _ in range(8)}) == 8
    game = Kuhn.create()
    first, second = (evaluate(game, {"a": Spy(), "b": Spy()}, 2) for _ in range(2))
    assert first.seed != second.seed
    again = evaluate(game, {"a": Spy(), "b": Spy()}, 2, first.seed)
    assert again.to_dict() == first.to_dict()


def test_nothing_is_derived_elsewhere() -> None:
    """Agents' keys are made in one place: no other module of the packages makes some by ``mix``.

    ``exploit.py`` probes with keys of its own whether a policy is random; no game is played with them.
    """
    root = Path(tooth_envs.__file__).parents[1]
    for package in ("agents/tooth_agents", "training/tooth_training"):
        for file in (root / package).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            assert "STREAM_NOISE" not in text
            assert ".act(" not in text or "mix_python" not in text or file.name == "exploit.py", file
