"""Environments by a game's name, and their ids in gymnasium's and PettingZoo's registries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np

from tooth_envs.envs.aec import TableEnv
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.envs.parallel import ParallelTable
from tooth_envs.envs.single_seat import Opponent, SingleSeatEnv
from tooth_envs.errors import OptionError
from tooth_envs.spec.registry import game

MOST_TABLES = 1000
"""Numbers of players that may share a batch."""


def make(
    name: str, /, render_mode: str | None = None, render_seat: int | None = None, trace: bool = False, **options: Any
) -> TableEnv:
    """A game as a PettingZoo AEC environment.

    Args:
        name: the game's short name (``tooth_envs.list_games()``).
        render_mode, render_seat, trace: see TableEnv.
        options: the game's options, ``preset`` included.

    Raises:
        UnknownGame, OptionError: naming what is allowed.
    """
    return TableEnv(game(name, **options), render_mode=render_mode, render_seat=render_seat, trace=trace)


def make_parallel(
    name: str, /, render_mode: str | None = None, render_seat: int | None = None, trace: bool = False, **options: Any
) -> ParallelTable:
    """A game as a PettingZoo Parallel environment (arguments as for ``make``)."""
    return ParallelTable(make(name, render_mode, render_seat, trace, **options))


def make_batch(
    name: str,
    /,
    num_envs: int,
    num_players: int | Sequence[int] | None = None,
    num_threads: int | None = None,
    **options: Any,
) -> BatchEnv:
    """N games advanced together.

    Args:
        name: the game's short name.
        num_envs: rows N.
        num_players: seats at every table; several numbers alternate from row to row; None for the game's default.
        num_threads: see BatchEnv.
        options: the game's other options.
    """
    if num_players is None:
        return BatchEnv(game(name, **options), num_envs, num_threads)
    several = isinstance(num_players, list | tuple | range) or (
        isinstance(num_players, np.ndarray) and num_players.ndim
    )
    if several and len(num_players) > MOST_TABLES:  # type: ignore[arg-type]
        raise OptionError(f"num_players: {len(num_players):,} numbers are given; give at most {MOST_TABLES}")  # type: ignore[arg-type]
    counts: Sequence[Any] = list(num_players) if several else [num_players]  # type: ignore[arg-type]
    return BatchEnv([game(name, num_players=count, **options) for count in counts], num_envs, num_threads)


def make_single(
    name: str,
    /,
    opponents: Opponent | Sequence[Opponent] | None = None,
    seat: int | str = "random",
    render_mode: str | None = None,
    **options: Any,
) -> SingleSeatEnv:
    """One seat of a game as a gymnasium.Env (arguments as for SingleSeatEnv; ``options`` are the game's)."""
    return SingleSeatEnv(game(name, **options), opponents, seat, render_mode)


def single_by_name(tooth_game: str, **options: Any) -> SingleSeatEnv:
    """``make_single`` for gymnasium's registry, which knows keywords alone; no option is called ``tooth_game``."""
    return make_single(tooth_game, **options)


class PettingZooModule(ModuleType):
    """A game as PettingZoo's users expect one: ``from tooth_envs import dragon_teeth_washer_v0``.

    ``env``, ``raw_env`` (the same) and ``parallel_env`` take the game's options, ``preset``, and TableEnv's
    ``render_mode``, ``render_seat`` and ``trace``.
    """

    def __init__(self, name: str, module: str) -> None:
        super().__init__(module, f"{name} as PettingZoo environments: env(), raw_env() (the same), parallel_env().")
        self.env: Callable[..., TableEnv] = partial(make, name)
        self.raw_env = self.env
        self.parallel_env: Callable[..., ParallelTable] = partial(make_parallel, name)


def register_ids(name: str, version: int) -> None:
    """Register ``tooth_envs/<name>-v<version>``: single-seat in gymnasium, AEC and Parallel in PettingZoo (1.27+).

    The module ``tooth_envs.<name>_v<version>`` is made, too.
    """
    env_id = f"tooth_envs/{name}-v{version}"
    if env_id not in gymnasium.registry:
        gymnasium.register(
            id=env_id, entry_point="tooth_envs.envs.registration:single_by_name", kwargs={"tooth_game": name}
        )
    module = f"tooth_envs.{name}_v{version}"
    if module not in sys.modules:
        sys.modules[module] = made = PettingZooModule(name, module)
        setattr(sys.modules["tooth_envs"], f"{name}_v{version}", made)
    try:
        from pettingzoo.env_registry import register
        from pettingzoo.env_registry.registration import aec_registry, parallel_registry
    except ImportError:  # before 1.27 there was no registry
        return
    if env_id not in aec_registry:
        register("aec", env_id, entry_point=partial(make, name))
    if env_id not in parallel_registry:
        register("parallel", env_id, entry_point=partial(make_parallel, name))
