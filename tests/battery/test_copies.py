"""Copies of everything public: played on, sharing nothing with the original, and stale in nothing."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from tooth_agents.spec import NetworkSpec
from tooth_training.learning.buffer import SeatRolloutBuffer
from tooth_training.learning.policy import SeatPolicy
from tooth_training.learning.vec_env import BatchVecEnv

import tests.probe
import tooth_envs
from tests.kuhn import Kuhn
from tooth_envs.engine.copies import Independent
from tooth_envs.engine.keys import DecisionKeys
from tooth_envs.engine.state import RUNNING
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.envs.lockstep import Lockstep
from tooth_envs.envs.record import Recorder, Replay, record_game
from tooth_envs.envs.tree import Node

WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "clone": lambda thing: thing.clone() if hasattr(thing, "clone") else copy.deepcopy(thing),
}
assert tests.probe.Probe.name == "probe"
GAMES = [("kuhn", {}), ("probe", {"num_players": 3}), ("dragon_teeth_washer", {"num_players": 3})]


@dataclass
class Kind:
    """A public object that is played on.

    Attributes:
        make: a fresh one, some steps into its life.
        go_on: one step of it, chosen by a number; what it shows then.
    """

    make: Callable[[str, dict[str, Any]], Any]
    go_on: Callable[[Any, int], Any]


def legal(mask: np.ndarray, number: int) -> int:
    choices = np.flatnonzero(mask)
    return int(choices[number % len(choices)])


def table_step(env: Any, number: int) -> Any:
    if not env.agents or env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
        env.reset()
    seen = env.observe(env.agent_selection)
    env.step(legal(seen["action_mask"], number))
    seen = [env.observe(agent) for agent in env.possible_agents]
    return [
        *(part.tobytes() for one in seen for part in one.values()),
        dict(env.rewards),
        dict(env.terminations),
        env.digest(),
        env.game_seed,
        env.action_space(env.possible_agents[0]).sample(),
        env.observation_space(env.possible_agents[-1]).sample()["observation"].tobytes(),
        env.state_space.sample().tobytes(),
    ]


def made_table(name: str, options: dict[str, Any]) -> Any:
    env = tooth_envs.make(name, **options)
    env.reset(seed=3)
    env.action_space("player_0").seed(5)
    env.observation_space("player_0").seed(6)
    env.state_space.seed(7)
    table_step(env, 1)
    return env


def parallel_step(env: Any, number: int) -> Any:
    if not env.agents:
        env.reset()
    mask = env.table.observe(env.agent_selection)["action_mask"]
    seen, rewards, *_ = env.step({env.agent_selection: legal(mask, number)})
    return [
        *(part.tobytes() for one in seen.values() for part in one.values()),
        rewards,
        list(env.agents),
        env.table.digest(),
        env.action_space("player_1").sample(),
        env.state_space.sample().tobytes(),
    ]


def made_parallel(name: str, options: dict[str, Any]) -> Any:
    env = tooth_envs.make_parallel(name, **options)
    env.reset(seed=3)
    env.action_space("player_0").seed(5)
    env.state_space.seed(7)
    parallel_step(env, 1)
    return env


def single_step(env: Any, number: int) -> Any:
    seen, reward, terminated, truncated, info = env.step(legal(env.action_masks(), number))
    told = [seen["observation"].tobytes(), seen["action_mask"].tobytes(), reward, terminated, truncated, dict(info)]
    if terminated or truncated:
        env.reset()
    return [*told, env.game_seed, env.seat, env.action_masks().tobytes(), env.action_space.sample()]


def made_single(name: str, options: dict[str, Any]) -> Any:
    env = tooth_envs.make_single(name, **options)
    env.reset(seed=3)
    env.action_space.seed(5)
    return env


def batch_step(batch: BatchEnv, number: int) -> Any:
    actions = np.array([legal(mask, number + row) for row, mask in enumerate(batch.action_mask)])
    parts = batch.step(actions)
    shown = [*parts, batch.seat, batch.game_seed, batch.view, batch.final_return, batch.final_rank, batch.episode]
    return [np.array(part).tobytes() for part in shown]


def made_batch(name: str, options: dict[str, Any]) -> BatchEnv:
    batch = tooth_envs.make_batch(name, 5, num_threads=1, **options)
    batch.reset(seed=3)
    batch_step(batch, 1)
    return batch


def lockstep_step(games: Lockstep, number: int) -> Any:
    rows = np.flatnonzero(games.running)
    actions = np.zeros(len(games.seeds), np.int64)
    for row in rows:
        actions[row] = legal(games.mask[row], number + row)
    games.step(actions)
    shown = (games.seat, games.observation, games.view, games.mask, games.returns, games.rank, games.seeds, games.steps)
    return [np.array(part).tobytes() for part in shown]


def vec_step(env: BatchVecEnv, number: int) -> Any:
    env.step_async(np.array([legal(mask, number + row) for row, mask in enumerate(env.action_masks())]))
    seen, reward, done, infos = env.step_wait()
    return [
        *(
            np.array(part).tobytes()
            for part in (seen, reward, done, env.action_masks(), env.step_reward, env.step_over)
        ),
        env.acted_seat.tolist(),
        [{key: value for key, value in info.items() if key == "TimeLimit.truncated"} for info in infos],
    ]


def made_vec(name: str, options: dict[str, Any]) -> BatchVecEnv:
    env = BatchVecEnv(made_batch(name, options))
    env.seed(3)
    env.reset()
    vec_step(env, 1)
    return env


def replay_step(replay: Replay, number: int) -> Any:
    if not replay.finished:
        replay.step()
    return [replay.at, replay.states.tobytes(), replay.returns.tolist(), replay.mask.tolist()]


def made_replay(name: str, options: dict[str, Any]) -> Replay:
    game = tooth_envs.game(name, **options)
    one = record_game(game, 3, lambda states, mask: legal(mask, 1), ["a"] * game.num_players)
    replay = Replay(one)
    replay.step()
    return replay


class _Writing(Independent):
    """A recorder and the game it writes down."""

    def __init__(self, game: tooth_envs.Game) -> None:
        self.game = game
        self.mask = game.new_mask()
        self.states = game.deal(3, self.mask)
        self.recorder = Recorder(game, self.states, ["a"] * game.num_players, script={"die": []})

    def step(self, number: int) -> Any:
        if self.states["over"][0] == RUNNING:
            action = legal(self.mask, number)
            seat = int(self.states["seat"][0])
            self.game.step(self.states, action, self.mask)
            self.recorder.add(seat, action, self.states)
        return self.recorder.finished().line()


def keys_step(keys: DecisionKeys, number: int) -> Any:
    return keys.next(np.arange(3), np.full(3, number % 2)).tolist()


KINDS: dict[str, Kind] = {
    "TableEnv": Kind(made_table, table_step),
    "ParallelTable": Kind(made_parallel, parallel_step),
    "SingleSeatEnv": Kind(made_single, single_step),
    "BatchEnv": Kind(made_batch, batch_step),
    "Lockstep": Kind(lambda name, options: Lockstep(tooth_envs.game(name, **options), range(4)), lockstep_step),
    "BatchVecEnv": Kind(made_vec, vec_step),
    "Replay": Kind(made_replay, replay_step),
    "Recorder": Kind(lambda name, options: _Writing(tooth_envs.game(name, **options)), lambda one, n: one.step(n)),
    "DecisionKeys": Kind(lambda name, options: DecisionKeys(np.arange(6).reshape(3, 2)), keys_step),
}


def arrays(thing: Any, seen: set[int] | None = None) -> Iterator[np.ndarray]:
    """Every array that can be reached from an object, but for what belongs to games, which never change."""
    seen = set() if seen is None else seen
    if id(thing) in seen or isinstance(thing, tooth_envs.Game | type | str | bytes | int | float):
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        if thing.flags.writeable:
            yield thing
    elif isinstance(thing, dict):
        for value in thing.values():
            yield from arrays(value, seen)
    elif isinstance(thing, list | tuple | set):
        for value in thing:
            yield from arrays(value, seen)
    elif hasattr(thing, "__dict__") and type(thing).__module__.partition(".")[0] in {
        *("tooth_envs", "tooth_agents", "tooth_training", "tests", "gymnasium", "pettingzoo", "sb3_contrib")
    }:
        yield from arrays(vars(thing), seen)


def share(first: Any, second: Any) -> bool:
    layouts = {id(game.layout.codec) for game in (*_games(first), *_games(second))}
    mine = [array for array in arrays(first) if id(array) not in layouts]
    other = list(arrays(second))
    return any(np.shares_memory(one, two) for one in mine for two in other)


def _games(thing: Any) -> tuple[tooth_envs.Game, ...]:
    return getattr(thing, "games", ()) or ((thing.game,) if hasattr(thing, "game") else ())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "options"), GAMES, ids=[name for name, _ in GAMES])
def test_a_copy_is_played_on_like_the_original(kind: str, way: str, name: str, options: dict[str, Any]) -> None:
    make, go_on = KINDS[kind].make, KINDS[kind].go_on
    untouched = make(name, options)
    expected = [go_on(untouched, number) for number in range(12)]
    original = make(name, options)
    other = WAYS[way](original)
    assert type(other) is type(original)
    assert not share(original, other)
    told = [go_on(other, number) for number in range(12)]
    assert told == expected, "the copy"
    assert [go_on(original, number) for number in range(12)] == expected, "the original, after the copy was played on"
    assert not share(original, other)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_copies_of_copies_go_their_own_ways(kind: str, way: str) -> None:
    make, go_on = KINDS[kind].make, KINDS[kind].go_on
    first = make("dragon_teeth_washer", {"num_players": 3})
    second = WAYS[way](WAYS[way](first))
    for number in range(4):
        go_on(first, number)
        go_on(second, number + 1)
    twin = make("dragon_teeth_washer", {"num_players": 3})
    for number in range(4):
        go_on(twin, number + 1)
    assert [go_on(second, number) for number in range(5)] == [go_on(twin, number) for number in range(5)]


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle"])
def test_an_environment_is_copied_before_its_first_reset(way: str) -> None:
    for make in (tooth_envs.make, tooth_envs.make_parallel, tooth_envs.make_single):
        env = make("kuhn")
        other = WAYS[way](env)
        env.reset(seed=1), other.reset(seed=1)
        assert other.render_mode is None
    batch = WAYS[way](tooth_envs.make_batch("kuhn", 2, num_threads=1))
    batch.reset(seed=1)


def test_nodes_of_a_tree_hand_out_nothing_of_theirs() -> None:
    node = Node(Kuhn.create()).child(0).child(1)
    before = node.states.tobytes()
    node.states["card"] = 9
    assert node.states.tobytes() == before
    for array in (node.returns, node.last_rewards):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    for way in (copy.copy, copy.deepcopy, WAYS["pickle"]):
        other = way(node)
        assert other.child(1).information_state(0) == node.child(1).information_state(0)


def test_games_hand_out_nothing_that_can_be_written_to() -> None:
    for name, options in GAMES:
        game = tooth_envs.game(name, **options)
        for array in (game.tables, game.blank, game.layout.codec):
            assert not array.flags.writeable
        assert copy.deepcopy(game) is game
        for other in (copy.copy(game), WAYS["pickle"](game)):
            assert other.tables_digest == game.tables_digest
            assert not share(vars(other), vars(game))


def learner(env: BatchVecEnv) -> MaskablePPO:
    model = MaskablePPO(
        SeatPolicy,
        env,
        n_steps=8,
        batch_size=16,
        n_epochs=1,
        rollout_buffer_class=SeatRolloutBuffer,
        policy_kwargs={"spec": NetworkSpec(hidden=(8,))},
        seed=1,
        device="cpu",
    )
    model.rollout_buffer.attach(env)
    return model


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("prepared", [False, True])
def test_a_copied_buffer_is_filled_on(way: str, prepared: bool) -> None:
    model = learner(BatchVecEnv(tooth_envs.make_batch("kuhn", 4, num_threads=1)))
    if prepared:
        model.learn(32)
        next(iter(model.rollout_buffer.get(16)))
    original = model.rollout_buffer
    other = WAYS[way](original)
    assert not share(original, other)
    for buffer in (other, original):
        buffer.reset()
        for name in ("observations", "actions", "action_masks", "values", "log_probs", "advantages"):
            assert np.shares_memory(getattr(buffer, name), buffer._flat[name]), name
        buffer.observations[:] = 3.0
        assert (buffer._flat["observations"][: buffer.observations.shape[0] * 4] == 3.0).all()


def test_what_a_caller_keeps_writing_to_is_not_kept() -> None:
    """Actions, options and scripts are the caller's own: what happens to them later changes nothing."""
    env = made_vec("dragon_teeth_washer", {"num_players": 3})
    twin = made_vec("dragon_teeth_washer", {"num_players": 3})
    actions = np.array([legal(mask, row) for row, mask in enumerate(env.action_masks())])
    env.step_async(actions), twin.step_async(actions.copy())
    actions[:] = 10**6
    assert env.step_wait()[0].tobytes() == twin.step_wait()[0].tobytes()
    script = {"die": [6, 4]}
    game = tooth_envs.game("probe", num_players=3)
    recorder = Recorder(game, game.deal(1), ["a"] * 3, script=script)
    script["die"][0] = 77
    assert recorder.finished().script == {"die": [6, 4]}
    recorder.finished().script["die"][1] = 77
    assert recorder.finished().script == {"die": [6, 4]}


def test_infos_written_to_do_not_spread() -> None:
    env = made_vec("dragon_teeth_washer", {"num_players": 3})

    def step() -> list[dict[str, Any]]:
        env.step_async(np.array([legal(mask, 0) for mask in env.action_masks()]))
        return env.step_wait()[3]

    infos = step()
    infos[0]["mine"] = 1
    assert not any("mine" in info for info in step())


def test_a_saved_model_has_no_games_in_it() -> None:
    """Stable-baselines3 pickles what a buffer was made with, and environments are not part of that."""
    model = learner(BatchVecEnv(tooth_envs.make_batch("kuhn", 4, num_threads=1)))
    out = io.BytesIO()
    model.save(out)
    assert len(out.getvalue()) < 200_000
