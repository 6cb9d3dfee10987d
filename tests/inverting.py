"""An adversary that computes backwards: what the keys of an agent tell of the seeds they come from.

``chance.mix`` is a bijection of its seed but for one dropped bit, so every number that it made gives two candidates of
its seed, and so on up a chain of derivations.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tooth_envs.engine import loops
from tooth_envs.engine.chance import _GOLDEN, _MASK, _MIX_1, _MIX_2

Link = tuple[int, int]
"""(stream, tick) of a derivation."""

STREAMS = (*range(6), 1_000_003, 1_000_004, 1_000_005, 1_000_011, 1_000_012, 1_000_033, 2_000_003, 2_000_029, 2_000_063)
"""Streams that the suite derives numbers from a seed under, or did."""


def _unxor(z: int, shift: int) -> int:
    """The number that ``z ^ (z >> shift)`` came from."""
    found = z
    for _ in range(64 // shift + 1):
        found = z ^ (found >> shift)
    return found


def _unfinalised(z: int) -> int:
    z = (_unxor(z, 31) * pow(_MIX_2, -1, 1 << 64)) & _MASK
    z = (_unxor(z, 27) * pow(_MIX_1, -1, 1 << 64)) & _MASK
    return _unxor(z, 30)


def seeds_of(number: int, link: Link) -> list[int]:
    """The seeds for which ``mix(seed, *link)`` is this number."""
    stream, tick = link
    found = []
    for low in (0, 1):
        z = (_unfinalised((number << 1) | low) - _GOLDEN * (tick + 1)) & _MASK
        seed = (_unfinalised(z) - _GOLDEN * (stream + 1)) & _MASK
        if seed < 1 << 63:
            found.append(seed)
    return found


def ancestors(number: int, chain: Iterable[Iterable[Link]]) -> set[int]:
    """All seeds that could stand at the top of a chain of derivations; each link is one of several."""
    found = {int(number)}
    for links in chain:
        found = {seed for one in found for link in links for seed in seeds_of(one, link)}
    return found


class Spy:
    """Plays at random and keeps what it is given.

    Attributes:
        keys: the key of every decision, with the seat that was asked where the view tells it.
    """

    def __init__(self, name: str = "spy") -> None:
        self.name = name
        self.keys: list[int] = []
        self.views: list[bytes] = []

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        """See Agent.act."""
        self.keys += key.tolist()
        self.views += [row.tobytes() for row in view]
        actions = np.zeros(len(mask), np.int64)
        loops.random_rows(np.ascontiguousarray(mask), np.ascontiguousarray(key), actions)
        return actions
