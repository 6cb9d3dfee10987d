"""What counts as an integer, everywhere: Python's, NumPy's, 0-d arrays of them, and whatever has ``__index__``."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tooth_envs.errors import OptionError


def integer(value: Any) -> int | None:
    """The integer that a value is; None if it is none. Truth values, fractions and arrays with an axis are none."""
    if type(value) is int:
        return value
    if isinstance(value, bool | np.bool_):
        return None
    if getattr(value, "shape", ()) != () or "bool" in str(getattr(value, "dtype", "")):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def integer_in(value: Any, low: int, high: int) -> bool:
    """Whether a value is an integer from ``low`` to ``high``, both included."""
    number = integer(value)
    return number is not None and low <= number <= high


DEEPEST = 50
"""Levels of lists and dicts that are looked into."""


def as_python(value: Any, depth: int = 0) -> Any:
    """The same with Python's own numbers: scalars, 0-d arrays and other integers, also in lists, tuples and dicts.

    Raises:
        OptionError: it is nested too deeply, or contains itself.
    """
    if depth > DEEPEST:
        raise OptionError(f"a value is nested more than {DEEPEST} levels deep, or contains itself")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.shape == ()):
        return value.item()
    if type(value) is dict:
        return {key: as_python(entry, depth + 1) for key, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(as_python(entry, depth + 1) for entry in value)
    number = integer(value)
    return value if number is None else number
