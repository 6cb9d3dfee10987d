"""How fast a game runs here: the compiled rules alone, the batch, and one table through PettingZoo's interface.

All are measured in one run, several times each, and reported as the median with the spread; the machine is described
beside them. Other programs on the machine count: compare ratios within one run rather than runs.
"""

from __future__ import annotations

import os
import platform
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numba
import numpy as np
from pettingzoo import AECEnv

from tooth_envs.engine import loops
from tooth_envs.engine.compile import JIT
from tooth_envs.envs.aec import TableEnv
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game
from tooth_training.evaluation.deals import Progress
from tooth_training.evaluation.evaluate import plain, versions

REPEATS, SECONDS, ENVS = 5, 1.0, 4096

BUSY = 0.25
"""Load average before the measurements beyond which other programs may have slowed them."""


@dataclass(frozen=True)
class Rate:
    """Decisions per second of one way to play.

    Attributes:
        name: short name. what: what is timed. threads: how many it used.
        median, low, high: over the repeats.
        repeats: each repeat's rate.
        ratio: median / the median of the compiled rules alone.
    """

    name: str
    what: str
    threads: int
    median: float
    low: float
    high: float
    repeats: tuple[float, ...]
    ratio: float


@dataclass(frozen=True)
class Bench:
    """A benchmark's results: rates, sizes and the machine."""

    game: str
    title: str
    num_players: int
    options: Mapping[str, Any]
    rates: tuple[Rate, ...]
    state_bytes: int
    view_numbers: int
    observation_size: int
    actions: int
    num_envs: int
    seconds: float
    machine: Mapping[str, Any]
    versions: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The results as JSON has them."""
        return dict(plain(self))


def bench(
    game: Game,
    repeats: int = REPEATS,
    seconds: float = SECONDS,
    num_envs: int = ENVS,
    progress: Progress | None = None,
) -> Bench:
    """Measure a game.

    Args:
        game: the game with its options.
        repeats: measurements of each kind. They take turns, so that a disturbance does not hit one kind alone.
        seconds: length of one measurement.
        num_envs: rows of the batch.
        progress: told how many measurements are done, of how many.

    Raises:
        ToothError: a number that cannot be.
    """
    if repeats < 1 or num_envs < 1 or not 0.0 < seconds < 3600.0:
        raise ToothError("bench: give at least 1 repeat, at least 1 game in the batch, and between 0 and 3600 seconds")
    described = machine()  # now, before this program is what keeps the machine busy
    kinds = ways_to_play(game, num_envs)
    measured: dict[str, list[tuple[float, ...]]] = {name: [] for name in kinds}
    for way in kinds.values():
        way.measure(0.0)  # compile, and touch all memory
    done = 0
    for _ in range(repeats):
        for name, way in kinds.items():
            measured[name].append(way.measure(seconds))
            done += 1
            if progress is not None:
                progress(done, repeats * len(kinds))
    base = median(rates[0] for rates in measured["playout"])
    found = []
    for name, way in kinds.items():
        found.append(_rate(name, way.what, way.threads, [rates[0] for rates in measured[name]], base))
        if name.startswith("batch"):
            alone = [rates[1] for rates in measured[name]]
            found.append(_rate(f"{name}_step", "step() alone, without choosing the actions", way.threads, alone, base))
    return Bench(
        game=game.name,
        title=game.title,
        num_players=game.num_players,
        options=game.options.model_dump(mode="json"),
        rates=tuple(found),
        state_bytes=game.state_dtype.itemsize,
        view_numbers=game.layout.length,
        observation_size=game.layout.size,
        actions=len(game.actions),
        num_envs=num_envs,
        seconds=seconds,
        machine=described,
        versions=versions(game),
    )


@dataclass(frozen=True)
class Way:
    """A way to play a game.

    Attributes:
        what: what is timed.
        threads: how many it uses.
        measure: seconds to decisions per second, of the whole first; a batch adds that of ``step`` alone.
    """

    what: str
    threads: int
    measure: Callable[[float], tuple[float, ...]]


def ways_to_play(game: Game, num_envs: int) -> dict[str, Way]:
    """The ways in which a game is played here, by short name.

    Args:
        game: the game with its options.
        num_envs: rows of the batches.
    """
    serial, parallel, table = BatchEnv(game, num_envs, 1), BatchEnv(game, num_envs), TableEnv(game)
    return {
        "playout": Way(
            "compiled rules with random actions, no observations",
            1,
            lambda duration: (_playout(game, duration),),
        ),
        "batch_1": Way(
            f"BatchEnv of {num_envs}: observations, masks, auto-reset, and choosing random actions",
            1,
            lambda duration: _batch(serial, duration),
        ),
        "batch": Way("the same on all threads", parallel.num_threads, lambda duration: _batch(parallel, duration)),
        "table": Way(
            "TableEnv: agent_iter, last, a random legal action, step; resets included",
            1,
            lambda duration: (time_table(table, duration),),
        ),
    }


def _rate(name: str, what: str, threads: int, rates: list[float], base: float) -> Rate:
    middle = median(rates)
    return Rate(name, what, threads, middle, min(rates), max(rates), tuple(rates), middle / base)


def _playout(game: Game, seconds: float) -> float:
    """Decisions per second of the compiled loop, in calls of growing size."""
    states, mask = game.new_states(), game.new_mask()
    decisions, size, spent = 0, 1000, 0.0
    while True:
        start = time.perf_counter()
        loops.playout(game.tables, game.blank, states, decisions, size, mask)
        spent += time.perf_counter() - start
        decisions += size
        if spent >= seconds:
            return decisions / spent
        # Calls long enough that entering them does not count, short enough to end near the time given.
        size = max(1000, int(decisions / spent * min(0.25 * seconds, seconds - spent)))


def _batch(batch: BatchEnv, seconds: float) -> tuple[float, float]:
    """Decisions per second of a batch: (with choosing actions, of step() alone)."""
    batch.reset(seed=0)
    key = steps = 0
    choosing = stepping = 0.0
    while True:
        before = time.perf_counter()
        actions = batch.random_actions(key)
        between = time.perf_counter()
        batch.step(actions)
        after = time.perf_counter()
        key += 1
        steps += 1
        choosing += between - before
        stepping += after - between
        if choosing + stepping >= seconds:
            decisions = steps * batch.num_envs
            return decisions / (choosing + stepping), decisions / stepping


def time_table(env: AECEnv, seconds: float) -> float:
    """Decisions per second of whole games through PettingZoo's own loop, ours or another library's.

    Args:
        env: an AEC environment whose observations are dicts with an ``action_mask``. Only the first reset has a seed.
        seconds: as ``time_games`` has it.
    """
    chance = random.Random(0)
    env.reset(seed=0)

    def play() -> int:
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(legal[int(chance.random() * len(legal))])
            decisions += 1
        return decisions

    return time_games(play, seconds)


def time_games(play: Callable[[], int], seconds: float) -> float:
    """Decisions per second of whole games.

    Args:
        play: plays one and returns its decisions.
        seconds: how long; the game under way is played to its end.
    """
    decisions = 0
    start = time.perf_counter()
    while True:
        decisions += play()
        spent = time.perf_counter() - start
        if spent >= seconds:
            return decisions / spent


def machine() -> dict[str, Any]:
    """What the measurements ran on."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "usable_cores": usable,
        "numba_threads": numba.get_num_threads(),
        "load_average": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "compiled": JIT,
    }


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
