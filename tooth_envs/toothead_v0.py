"""Toothead as PettingZoo environments: ``env()``, ``raw_env()`` (the same) and ``parallel_env()``.

All take the game's options (tooth_envs/games/toothead/state.py), ``preset``, and TableEnv's
``render_mode``, ``render_seat`` and ``trace``.
"""

from __future__ import annotations

from functools import partial

from tooth_envs.making import make, make_parallel

env = partial(make, "toothead")
raw_env = env
parallel_env = partial(make_parallel, "toothead")
