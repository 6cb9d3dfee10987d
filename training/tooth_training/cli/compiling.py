"""Compile games ahead of their first use, and remove compiled code that nothing uses any more.

The engine compiles on first use and keeps the result on disk (tooth_envs/engine/compile.py). Here every loop is used
once, through the same classes as always, so that it is compiled for exactly the argument types that will be met.
"""

from __future__ import annotations

import re
import shutil
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import tooth_agents
from tooth_agents.agent import Agent
from tooth_agents.basic import HeuristicAgent, RandomAgent, has_heuristic

import tooth_envs
import tooth_training
from tooth_envs.engine import loops
from tooth_envs.engine.compile import JIT, cache_folder, cache_root
from tooth_envs.engine.keys import DecisionKeys
from tooth_envs.engine.store import ASIDE, SUFFIX, Store
from tooth_envs.envs.aec import TableEnv
from tooth_envs.envs.asking import resampled
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.envs.lockstep import Lockstep
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game
from tooth_envs.spec.registry import game_class, list_games
from tooth_training.evaluation.deals import mixed_rows

_FOLDER = re.compile(r"py\d+-numba[\w.+]+-(?P<digest>[0-9a-f]{16})")
"""What the engine calls its folders: nothing else is ever removed."""


def compile_game(game: Game) -> float:
    """Compile everything a game needs, or load it if that was done before. Options change no code.

    Returns:
        Seconds it took.

    Raises:
        ToothError: numba's compiler is switched off, or it refuses the game's functions.
    """
    if not JIT:
        raise ToothError("there is nothing to compile: numba's compiler is switched off (NUMBA_DISABLE_JIT)")
    start = time.perf_counter()
    try:
        _compile_all(game)
    except numba.core.errors.NumbaError as problem:
        raise ToothError(f"{game.name}: its functions cannot be compiled: {problem}") from problem
    return time.perf_counter() - start


def _compile_all(game: Game) -> None:
    _compile_single(game)
    _compile_batch(game)
    _compile_lockstep(game)
    states, mask = game.new_states(), game.new_mask()
    length, rank = np.zeros(1, np.int64), np.zeros((1, game.max_players), np.int64)
    truncated = np.zeros(1, np.bool_)
    loops.random_games(game.tables, game.blank, states, 0, 0, 1, mask, length, rank, truncated)
    loops.playout(game.tables, game.blank, states, 0, 1, mask)


def _compile_single(game: Game) -> None:
    mask = game.new_mask()
    states = game.deal(0, mask)
    game.resample(states, max(int(states["seat"][0]), 0), 0)
    game.from_dict(game.to_dict(states))  # a position is played on by the plain loops before it is accepted
    if mask.any():
        game.step(states, int(np.flatnonzero(mask)[0]))
    # Not called, because it goes on from a halted game only.
    resume: Any = loops.resume_one
    resume.compile(tuple(numba.typeof(argument) for argument in (game.tables, states, mask)))
    env = TableEnv(game)
    env.reset(seed=0)
    env.observe(env.possible_agents[0])
    env.state()
    env.describe(legal=False)
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))


def _compile_batch(game: Game) -> None:
    batch = BatchEnv(game, 2, 1)
    batch.reset(seed=0)
    batch.step(batch.random_actions(0))
    batch.restore(batch.snapshot())


def _compile_lockstep(game: Game) -> None:
    batch = Lockstep(game, [0, 1])
    keys = mixed_rows(batch.seeds, batch.seeds, batch.seeds)
    DecisionKeys(np.zeros((2, game.num_players), np.int64)).next(np.arange(2), np.maximum(batch.seat, 0))
    resampled(game, batch.states(), 1, keys)
    players: list[Agent] = [RandomAgent(), HeuristicAgent(game)] if has_heuristic(game) else [RandomAgent()]
    for player in players:
        actions = player.act(batch.observation, batch.view, batch.mask, keys)
    batch.step(actions)


class Cleared(NamedTuple):
    """What was removed: folders of other versions, files that cannot be used, and bytes freed by both."""

    folders: int
    files: int
    freed: int


def clear_old() -> Cleared:
    """Remove compiled code of other versions of the sources, and what is damaged or was left unfinished.

    Good code of the sources as they are now stays, under whatever version of Python and numba. A program that runs
    meanwhile is not harmed: it has its code in memory.

    Raises:
        ToothError: something cannot be removed.
    """
    root = cache_root()
    current = {cache_folder(name, file).name[-16:] for name, file in _owners()}
    folders = files = freed = 0
    try:
        for folder in sorted(root.iterdir()) if root.is_dir() else ():
            match = _FOLDER.fullmatch(folder.name)
            if folder.is_symlink() or not folder.is_dir():
                continue
            if match is not None and match["digest"] not in current:
                freed += _size(folder)
                shutil.rmtree(folder)
                folders += 1
            elif match is not None:
                for file in _unusable(root, folder):
                    freed += _size(file)
                    shutil.rmtree(file) if file.is_dir() and not file.is_symlink() else file.unlink()
                    files += 1
    except OSError as problem:
        raise ToothError(f"{problem.filename or root}: cannot be removed: {problem.strerror or problem}") from None
    return Cleared(folders, files, freed)


def _size(place: Path) -> int:
    return sum(file.lstat().st_size for file in (place, *place.rglob("*")) if not file.is_dir())


def _unusable(root: Path, folder: Path) -> list[Path]:
    """What in a folder of this version no process will ever load."""
    found = [place for place in folder.iterdir() if place.is_symlink() or not place.is_dir()]
    for module in folder.iterdir():
        if module in found:
            continue
        if module.name.endswith(ASIDE):
            found.append(module)
            continue
        store = Store(root, folder.name, module.name)
        found += [file for file in module.iterdir() if file.suffix != SUFFIX or store.damage(file.name) is not None]
    return sorted(found)


def _owners() -> list[tuple[str, str]]:
    """(module, file) of all packages that have compiled functions: the suite's own, and those of registered games."""
    found = [(package.__name__, str(package.__file__)) for package in (tooth_envs, tooth_agents, tooth_training)]
    for name in list_games():
        module = sys.modules[game_class(name).__module__]
        if module.__file__ is not None and Path(module.__file__).exists():
            found.append((module.__name__, module.__file__))
    return found
