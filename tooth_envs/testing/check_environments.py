"""Checks of a game in its environments: PettingZoo's own tests, batch against single table, copies."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import pickle
import warnings

import numpy as np
from pettingzoo.test import api_test, parallel_api_test, seed_test

from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.policies import heuristic_rows, register_policy
from tooth_envs.engine.state import declared, digest, record
from tooth_envs.envs.aec import TableEnv
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.envs.lockstep import Lockstep
from tooth_envs.envs.parallel import ParallelTable
from tooth_envs.errors import IllegalAction, ToothError
from tooth_envs.testing.play import chosen, spread_moments
from tooth_envs.testing.subject import Subject, check, raising, require, skip


@check
def pettingzoo_api(subject: Subject) -> None:
    """PettingZoo's own tests of an AEC environment and of a Parallel one, and of seeds."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        api_test(TableEnv(subject.game), num_cycles=subject.some(100))
        parallel_api_test(ParallelTable(TableEnv(subject.game)), num_cycles=subject.some(100))
        seed_test(lambda: TableEnv(subject.game), num_cycles=subject.some(100))


@check
def masks_of_others(subject: Subject) -> None:
    """Only the seat to act has a mask; observations are in bounds and can be told in words again."""
    game = subject.game
    env = TableEnv(game)
    stride = 6 * max(1, game.num_players - 2)  # of the many views of large tables, a part
    for seed in range(subject.some(4)):
        env.reset(seed=seed)
        while True:
            step = int(env.states()["steps"][0])
            over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
            for agent in env.possible_agents if step < 20 or step % stride == seed or over else ():
                seen = env.observe(agent)
                where = f"seed {seed}, step {step}, {agent}"
                require(env.observation_space(agent).contains(seen), f"{where}: the observation is out of its space")
                acts = agent == env.agent_selection and not over
                require(
                    seen["action_mask"].any() == acts, f"{where}: has a mask without being asked, or none when asked"
                )
                view = game.view(env.states(), env.possible_agents.index(agent))
                shown = game.layout.as_record(game.layout.decode(seen["observation"]))
                for entry in game.layout.observed:
                    same = np.array_equal(shown[entry.name], view[entry.name])
                    require(same, f"{where}: {entry.name} cannot be read from the observation")
            if over:
                break
            env.step(chosen(env.observe(env.agent_selection)["action_mask"], mix_python(seed, 1, step)))


@check
def illegal_actions(subject: Subject) -> None:
    """The environment refuses what is illegal, or no action at all, and stays as it was."""
    env = TableEnv(subject.game)
    env.reset(seed=5)
    bad: list[object] = [-1, len(env.game.actions), 0.0, "BET", None, True, np.float32(1)]
    for steps in range(8):
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            break
        mask = env.observe(agent)["action_mask"]
        before = (env.digest(), dict(env.rewards), env.agent_selection, env.observe(agent)["observation"].tobytes())
        for action in [*bad, *np.flatnonzero(mask == 0)]:
            with raising(IllegalAction, f"step {steps}, action {action!r}"):
                env.step(action)
            after = (env.digest(), dict(env.rewards), env.agent_selection, env.observe(agent)["observation"].tobytes())
            require(after == before, f"step {steps}: action {action!r} is refused, but something has changed")
        env.step(chosen(mask, steps))


@check
def copies(subject: Subject) -> None:
    """Clones, deep copies and pickles of a game in progress go on alike, and apart."""
    env = TableEnv(subject.game, trace=True)
    env.reset(seed=21)
    for step in range(subject.some(60)):
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            break
        action = chosen(env.observe(agent)["action_mask"], mix_python(21, 1, step))
        twins = [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]  # noqa: S301 (our own, just made)
        before = env.digest()
        for way, twin in zip(("clone", "deepcopy", "pickle"), twins, strict=True):
            require(twin.digest() == before, f"step {step}: a {way} has another state")
            for name in env.possible_agents:
                one, other = twin.observe(name), env.observe(name)
                same = all(one[part].tobytes() == other[part].tobytes() for part in ("observation", "action_mask"))
                require(same, f"step {step}: {name} observes something else in a {way}")
            twin.step(action)
            require(env.digest() == before, f"step {step}: stepping a {way} changed the original")
        env.step(action)
        for way, twin in zip(("clone", "deepcopy", "pickle"), twins, strict=True):
            alike = twin.digest() == env.digest() and twin.rewards == env.rewards and twin.events() == env.events()
            require(alike, f"step {step}: a {way} goes on otherwise")


@check
def batch_equals_single(subject: Subject) -> None:
    """A batch plays in every row what a single table plays from the same seed: states, masks, rewards, ends."""
    game = subject.game
    rows, ticks = 5, subject.some(100)
    batch = BatchEnv(game, rows, num_threads=1)
    observation, mask = batch.reset(seed=13)
    tables = [TableEnv(game) for _ in range(rows)]
    for i, table in enumerate(tables):
        table.reset(seed=int(batch.game_seed[i]))
    ended = np.zeros(rows, np.int64)
    tick = 0
    while tick < ticks or not ended.all():  # every row sees a game end and another begin
        actions = np.zeros(rows, np.int64)
        states = batch.states()
        movers = [table.agent_selection for table in tables]
        for i, table in enumerate(tables):
            where = f"row {i}, tick {tick}"
            seen = table.observe(table.agent_selection)
            require(movers[i] == f"player_{batch.seat[i]}", f"{where}: another seat is to act")
            require(seen["observation"].tobytes() == observation[i].tobytes(), f"{where}: another observation")
            require(seen["action_mask"].tobytes() == mask[i].tobytes(), f"{where}: another mask")
            require(digest(states, i) == table.digest(), f"{where}: another state")
            actions[i] = chosen(mask[i], mix_python(5, i, tick))
        batch.step(actions)
        for i, table in enumerate(tables):
            where = f"row {i}, tick {tick}"
            table.step(int(actions[i]))
            rewards = [table.rewards[agent] for agent in table.possible_agents]
            padded = rewards + [0.0] * (batch.max_players - game.num_players)
            require(batch.reward[i].tolist() == padded, f"{where}: other rewards")
            require(bool(batch.terminated[i]) == any(table.terminations.values()), f"{where}: terminated otherwise")
            require(bool(batch.truncated[i]) == any(table.truncations.values()), f"{where}: truncated otherwise")
            if batch.terminated[i] or batch.truncated[i]:
                ended[i] += 1
                final = table.observe(movers[i])["observation"].tobytes()
                require(np.array_equal(batch.final_rank[i], table.states()["rank"][0]), f"{where}: other ranks")
                require(batch.final_observation[i].tobytes() == final, f"{where}: another last observation")
                table.reset(seed=int(batch.game_seed[i]))
        tick += 1


@check
def threads_and_rows(subject: Subject) -> None:
    """What a row plays depends neither on the number of threads nor on the other rows."""
    runs = []
    most = BatchEnv(subject.game, 1).num_threads
    for rows, threads in ((256, 1), (256, most), (16, 1)):
        batch = BatchEnv(subject.game, rows, num_threads=threads)
        batch.reset(seed=3)
        trail = []
        for tick in range(subject.some(40)):
            batch.step(batch.random_actions(tick))
            trail.append([digest(batch.states(), i) for i in range(0, 16, 5)])
        runs.append((trail, batch.observation[:16].tobytes(), batch.final_return[:16].tobytes()))
    require(runs[1] == runs[0], f"{most} threads give other games than one")
    require(runs[2] == runs[0], "fewer rows give other games")


@check
def lockstep_equals_single(subject: Subject) -> None:
    """Games in lockstep are what single tables play from the same seeds."""
    game = subject.game
    numbers = [mix_python(1, 2, k) for k in range(6)]
    games = Lockstep(game, numbers)
    tables = []
    for seed in numbers:
        table = TableEnv(game)
        table.reset(seed=seed)
        tables.append(table)
    returns = np.zeros((len(numbers), game.max_players))
    tick = 0
    while games.running.any():
        actions = np.full(len(numbers), -5, np.int64)
        for i, table in enumerate(tables):
            if games.running[i]:
                seen = table.observe(table.agent_selection)
                where = f"seed {numbers[i]}, tick {tick}"
                require(seen["observation"].tobytes() == games.observation[i].tobytes(), f"{where}: other observation")
                require(seen["action_mask"].tobytes() == games.mask[i].tobytes(), f"{where}: another mask")
                actions[i] = chosen(games.mask[i], mix_python(9, i, tick))
        was = games.running.copy()
        games.step(actions)
        for i in map(int, np.flatnonzero(was)):
            tables[i].step(int(actions[i]))
            returns[i, : game.num_players] += [tables[i].rewards[agent] for agent in tables[i].possible_agents]
        tick += 1
    for i, table in enumerate(tables):
        same = np.array_equal(games.rank[i], table.states()["rank"][0]) and np.allclose(games.returns[i], returns[i])
        require(same, f"seed {numbers[i]}: the game ends otherwise in lockstep")


@check
def snapshots(subject: Subject) -> None:
    """A batch goes on exactly from a snapshot, also from one that came from a file."""
    batch = BatchEnv(subject.game, 4, 1)
    batch.reset(seed=1)
    for tick in range(25):
        batch.step(batch.random_actions(tick))
    other = BatchEnv(subject.game, 4, 1)
    other.restore(batch.snapshot(), foreign=True)
    for tick in range(subject.some(60)):
        for one in (batch, other):
            one.step(one.random_actions(tick))
        same = batch.observation.tobytes() == other.observation.tobytes()
        same = same and batch.reward.tobytes() == other.reward.tobytes()
        require(same, f"tick {tick}: the batch goes on otherwise than the one its snapshot was taken of")


@check
def fields_out_of_bounds(subject: Subject) -> None:
    """A state from a file in which a number is out of its bounds is refused by the field's name."""
    game = subject.game
    batch = BatchEnv(game, 2, 1)
    batch.reset(3)
    limits = game.limits()
    for entry in declared(game.state_dtype):
        if entry.name in ("players", "over", "seat", "breakpoint", "fault", "tracing", "script_end", "script_pos"):
            continue
        high = entry.high if not isinstance(entry.high, str) else limits[entry.high.removeprefix("-")]
        most = np.iinfo(game.state_dtype[entry.name].base).max if entry.kind != "f8" else float("inf")
        if high >= most:
            continue
        snapshot = batch.snapshot()
        snapshot["states"][entry.name][:1] = most
        other = BatchEnv(game, 2, 1)
        with raising(ToothError, f"{entry.name} = {most}", entry.name):
            other.restore(snapshot, foreign=True)


@check
def positions(subject: Subject) -> None:
    """Every state can be told as a position and rebuilt from it, and the game goes on alike."""
    game = subject.game
    for seed, moment in spread_moments(game, subject.some(75)):
        where = f"seed {seed}, step {int(record(moment.states).steps)}"
        position = json.loads(json.dumps(game.to_dict(moment.states)))
        mask = game.new_mask()
        try:
            again = game.from_dict(position, mask)
        except ToothError as problem:
            raise AssertionError(f"{where}: a position that was told is refused: {problem}") from problem
        require(game.to_dict(again) == game.to_dict(moment.states), f"{where}: the position comes back changed")
        require(np.array_equal(mask, moment.mask), f"{where}: something else is legal in the rebuilt position")
        if moment.action >= 0:
            ahead, other = moment.states.copy(), again.copy()
            game.step(ahead, moment.action)
            game.step(other, moment.action)
            require(game.to_dict(ahead) == game.to_dict(other), f"{where}: the rebuilt position goes on otherwise")
    with raising(ToothError, "a position with an unknown key", "nonsense"):
        game.from_dict({"nonsense": 1})


@check
def render_modes(subject: Subject) -> None:
    """Text and pictures can be rendered at every moment; all pictures have one size."""
    env = TableEnv(subject.game, render_mode="ansi")
    env.reset(seed=0)
    for step in range(30):
        if any(env.terminations.values()) or any(env.truncations.values()):
            break
        text = env.render()
        require(isinstance(text, str) and text.strip(), f"step {step}: nothing is rendered")
        env.step(chosen(env.observe(env.agent_selection)["action_mask"], step))
    require(isinstance(env.render(), str), "nothing is rendered at the end")


@check
def heuristic(subject: Subject) -> None:
    """The game's heuristic takes legal actions, and the same one from the same view and key."""
    game = subject.game
    policy = game.policy()
    if policy is None:
        skip("the game has none")
    register_policy(game.layout.dtype, policy)
    for seed, moment in spread_moments(game, subject.some(300)):
        if moment.action < 0:
            continue
        view = np.array([game.view(moment.states, int(record(moment.states).seat))] * 2, game.layout.dtype)
        rows = view if JIT else view.view(np.recarray)
        actions = np.full(2, -1, np.int64)
        key = np.array([seed, seed], np.int64)
        heuristic_rows(game.tables, rows, np.stack([moment.mask] * 2), key, actions)
        where = f"seed {seed}, step {int(record(moment.states).steps)}"
        require(actions[0] == actions[1], f"{where}: one view and one key give two actions")
        legal = 0 <= actions[0] < len(moment.mask) and moment.mask[actions[0]]
        require(legal, f"{where}: the heuristic takes the illegal action {int(actions[0])}")
