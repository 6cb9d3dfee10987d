"""Measure ours and the others by turns, so that a disturbance meets both.

Every round measures every lane once, ours and others alternating; every second round goes backwards, so that a
machine that slows down steadily favours neither side. Ratios are taken within rounds.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from importlib import metadata
from math import isfinite

from threadpoolctl import threadpool_limits
from tooth_training.evaluation.bench import ENVS, REPEATS, SECONDS, machine
from tooth_training.evaluation.deals import Progress

from tools.peers import openspiel_games, ours, pettingzoo_classic, rlcard_games, sb3_tutorial
from tools.peers.lane import Lane, Ready
from tools.peers.results import Comparison, Machine, Row
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game

OWN = ("tooth_envs", "agents", "training")
PROBLEM_LENGTH = 160


def all_lanes(games: Sequence[Game], num_envs: int, threads: int) -> list[Lane]:
    """Ours and the others'.

    Args:
        games: ours that are measured.
        num_envs: rows of our batches.
        threads: what training may use.
    """
    return [
        *ours.lanes(games, num_envs, threads),
        *pettingzoo_classic.lanes(),
        *openspiel_games.lanes(),
        *rlcard_games.lanes(),
        *sb3_tutorial.lanes(threads),
    ]


def compare(
    games: Sequence[Game],
    date: str,
    repeats: int = REPEATS,
    seconds: float = SECONDS,
    num_envs: int = ENVS,
    progress: Progress | None = None,
) -> Comparison:
    """Measure our games beside the other libraries.

    Args:
        games: ours, with their options.
        date: of the run, for people.
        repeats: rounds.
        seconds: length of one measurement of playing. Training takes as long as its fixed number of decisions.
        num_envs: rows of our batches.
        progress: told how many measurements are done, of how many.

    Returns:
        the results. Another library that is missing or fails is a row with the reason.

    Raises:
        ToothError: a number that cannot be.
        Exception: whatever goes wrong on our side, except for a package that is not installed.
    """
    if repeats < 1 or num_envs < 1 or not 0.0 < seconds < 3600.0:
        raise ToothError("bench: give at least 1 repeat, at least 1 game in the batch, and between 0 and 3600 seconds")
    described = machine()  # now, before this program is what keeps the machine busy
    threads = int(described["usable_cores"])
    lanes = all_lanes(games, num_envs, threads)
    rows = measure(lanes, repeats, seconds, progress)
    return Comparison(
        date=date,
        repeats=repeats,
        seconds=seconds,
        num_envs=num_envs,
        threads=threads,
        machine=Machine(**described),
        versions=versions(name for lane in lanes for name in lane.packages),
        rows=rows,
    )


def measure(lanes: Sequence[Lane], repeats: int, seconds: float, progress: Progress | None = None) -> tuple[Row, ...]:
    """Prepare all lanes, then measure them by turns.

    Args:
        lanes: ours and others.
        repeats: rounds.
        seconds: as each lane takes them.
        progress: told how many measurements are done, of how many.

    Returns:
        one row per lane, in their order.

    Raises:
        Exception: as ``compare``.
    """
    ready: dict[str, Ready] = {}
    rates: dict[str, list[float]] = {lane.key: [] for lane in lanes}
    problems: dict[str, str] = {}

    def tried(lane: Lane, begin: bool) -> None:
        try:
            with threadpool_limits(lane.threads):
                if begin:
                    ready[lane.key] = lane.prepare()
                    _checked(ready[lane.key].measure(0.0))  # compile, and touch all memory
                else:
                    rates[lane.key].append(_checked(ready[lane.key].measure(seconds)))
        except Exception as problem:
            if lane.ours and missing_package(problem) in (None, *OWN):
                raise
            problems[lane.key] = reason(problem)

    for lane in lanes:
        tried(lane, begin=True)
    done = 0
    order = alternating(lanes)
    for number in range(repeats):
        for lane in reversed(order) if number % 2 else order:
            if lane.key not in problems:
                tried(lane, begin=False)
            done += 1
            if progress is not None:
                progress(done, repeats * len(lanes))
    return tuple(_row(lane, ready.get(lane.key), rates[lane.key], problems.get(lane.key)) for lane in lanes)


def _checked(rate: float) -> float:
    if not (isfinite(rate) and rate > 0.0):
        raise ToothError(f"{rate} decisions per second were measured")
    return rate


def _row(lane: Lane, ready: Ready | None, rates: Sequence[float], problem: str | None) -> Row:
    known = ready is not None and problem is None
    return Row(
        key=lane.key,
        ours=lane.ours,
        kind=lane.kind,
        game=lane.game,
        title=lane.title,
        library=lane.library,
        what=lane.what,
        threads=lane.threads,
        seats=int(ready.seats) if ready is not None and known else None,
        observation=int(ready.observation) if ready is not None and known else None,
        actions=int(ready.actions) if ready is not None and known else None,
        rates=tuple(rates) if problem is None else (),
        problem=problem,
    )


def alternating(lanes: Sequence[Lane]) -> list[Lane]:
    """The lanes with ours and others spread evenly among each other, playing before training."""
    order: list[Lane] = []
    for training in (False, True):
        placed = []
        for mine in (True, False):
            side = [lane for lane in lanes if lane.ours == mine and (lane.kind == "training") == training]
            placed += [((number + 0.5) / len(side), not mine, lane) for number, lane in enumerate(side)]
        order += [lane for _, _, lane in sorted(placed, key=lambda place: place[:2])]
    return order


def missing_package(problem: BaseException | None) -> str | None:
    """The package for want of which something failed; None if it was for another reason."""
    while problem is not None:
        if isinstance(problem, ModuleNotFoundError):
            return (problem.name or str(problem)).partition(".")[0]
        problem = problem.__cause__
    return None


def reason(problem: BaseException) -> str:
    """Why a lane has no rates, in one line."""
    package = missing_package(problem)
    if package is not None:
        return f"needs {package}, which is not installed"
    text = f"{type(problem).__name__}: {' '.join(str(problem).split())}"
    return text if len(text) <= PROBLEM_LENGTH else f"{text[: PROBLEM_LENGTH - 1]}…"


def versions(packages: Iterable[str]) -> dict[str, str | None]:
    """Versions of Python, the suite and the given packages; None where one is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in dict.fromkeys(("tooth-envs", *packages)):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = None
    return found
