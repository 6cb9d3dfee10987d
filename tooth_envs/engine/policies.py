"""Heuristics in compiled loops: a game's ``policy(view, mask, key)``, dispatched on the view's dtype.

A heuristic sees the view record and the mask and nothing else, so it cannot peek; being compiled, it can play
inside the engine's loops.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import from_dtype
from numba.extending import overload

from tooth_envs.engine.compile import JIT, compiled
from tooth_envs.engine.records import Numbers

PARAMETERS = ("view", "mask", "key")
"""What a heuristic takes: one view record, its row of the mask (int8), a random key. It returns an action."""

_policies: dict[Any, Callable[..., Any]] = {}


def register_policy(view_dtype: np.dtype[Any], policy: Callable[..., Any]) -> None:
    """Make a heuristic known under its game's view dtype.

    Raises:
        ValueError: another heuristic has the same view dtype, or this one takes other parameters.
    """
    parameters = tuple(inspect.signature(getattr(policy, "py_func", policy)).parameters)
    if parameters != PARAMETERS:
        raise ValueError(f"{policy.__module__}.{policy.__name__}() must take ({', '.join(PARAMETERS)})")
    known = _policies.get(view_dtype)
    if known is not None and known is not policy:
        raise ValueError("another game has a view of the same dtype: rename or add a field")
    _policies[view_dtype] = policy
    _policies[np.dtype((np.record, view_dtype))] = policy
    if JIT:
        _policies[from_dtype(view_dtype)] = policy


def policy(view: Any, mask: Any, key: int) -> int:
    """The action the game's heuristic takes."""
    return int(_policies[view.dtype](view, mask, key))


@overload(policy, strict=False)
def _policy(view: Any, mask: Any, key: Any) -> Callable[..., Any]:
    chosen = _policies.get(view)
    if chosen is None:
        raise TypeError("no heuristic is registered for views of this dtype")
    plain: Callable[..., Any] = getattr(chosen, "py_func", chosen)
    return plain


@compiled
def heuristic_rows(tables: Numbers, views: Numbers, masks: Numbers, keys: Numbers, actions: Numbers) -> None:
    """The heuristic's action per row. ``tables`` mark the game's sources, so that no other code is ever loaded."""
    for i in range(len(actions)):
        actions[i] = policy(views[i], masks[i], keys[i])
