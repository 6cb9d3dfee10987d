"""Copies that share nothing."""

from __future__ import annotations

import copy
from typing import Self


class Independent:
    """``copy.copy`` of such an object is what ``copy.deepcopy`` is: it can be used on, and neither notices the other.

    A shallow copy of an object that writes into its own arrays would be a second name for the same memory.
    """

    def __copy__(self) -> Self:
        return copy.deepcopy(self)
