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


DEEPEST, MOST_ENTRIES, MOST_BITS = 50, 2_000_000, 1024
"""Bounds of data from outside: levels of lists and dicts, entries of all of them together, and bits of an integer."""


def as_python(value: Any) -> Any:
    """The same with Python's own numbers, also in lists, tuples and dicts; arrays become lists.

    Raises:
        OptionError: it is nested too deeply, contains itself, or is endless in another way; or an integer has so many
            digits that it cannot even be shown.
    """
    return _plain(value, 0, [MOST_ENTRIES])


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise OptionError(f"a value has more than {MOST_ENTRIES:,} entries")
    if depth > DEEPEST:
        raise OptionError(f"a value is nested more than {DEEPEST} levels deep, or contains itself")
    if value is None or isinstance(value, str | bool | float):
        return value
    if isinstance(value, int):
        if value.bit_length() > MOST_BITS:
            raise OptionError(f"a number has more than {MOST_BITS} bits")
        return value
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist() if value.size <= MOST_ENTRIES else [None] * value.size
    if type(value) is dict:
        return {key: _plain(entry, depth + 1, left) for key, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_plain(entry, depth + 1, left) for entry in value)
    number = integer(value)
    return value if number is None else number
