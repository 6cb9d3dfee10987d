"""Keys: what a seed gives to agents, so that nothing can be computed back from it.

``chance.mix`` is fast and can be inverted: whoever knows ``mix(seed, stream, tick)`` knows the seed. Numbers that reach
a player are therefore derived by a keyed cryptographic hash (BLAKE2b; Aumasson et al., "BLAKE2", ACNS 2013), one per
game and seat. Neither the seed, nor another seat's key, nor the deal follows from one of them, and only below that
level, for the decisions of one seat in one game, the fast mix is used.

A hash cannot hide a seed that is easily guessed. Where agents are not trusted, the seed must come from
``random_seed``, and be told after the games.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable

import numpy as np

from tooth_envs.engine.chance import mix
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.copies import Independent
from tooth_envs.engine.records import Numbers

DEAL, AGENT, OPPONENT, TEACHER, DRAW, WATCH = "deal", "agent", "opponent", "teacher", "draw", "watch"
"""Purposes: seeds of deals; keys of agents in matches, of opponents in a single-seat environment, of an imitated agent,
of draws from a policy; the seed of evaluations while training."""


def derive(seed: int, purpose: str, *place: int) -> int:
    """A number that only who knows the seed can compute: 0 .. 2**63 - 1.

    Args:
        seed: 0 .. 2**63 - 1.
        purpose: what it is for, at most 16 ASCII letters. Numbers for different purposes have nothing in common.
        place: which of them, such as block, game and seat.
    """
    text = b"".join(int(number).to_bytes(8, "little") for number in place)
    total = hashlib.blake2b(text, digest_size=8, key=int(seed).to_bytes(8, "little"), person=purpose.encode())
    return int.from_bytes(total.digest(), "little") >> 1


def derive_all(seed: int, purpose: str, places: Iterable[tuple[int, ...]]) -> np.ndarray:
    """``derive`` for many places: int64, one entry each."""
    return np.array([derive(seed, purpose, *place) for place in places], np.int64)


def seat_keys(seed: int, purpose: str, games: Iterable[tuple[int, ...]], seats: int) -> np.ndarray:
    """A key for every seat of every game: int64 [games, seats]."""
    return derive_all(seed, purpose, ((*game, seat) for game in games for seat in range(seats))).reshape(-1, seats)


def random_seed() -> int:
    """A seed from the operating system's generator, 0 .. 2**63 - 1."""
    return secrets.randbits(63)


@compiled
def _next_keys(keys: Numbers, decisions: Numbers, rows: Numbers, seats: Numbers, out: Numbers) -> None:
    for i in range(len(rows)):
        row = rows[i]
        seat = seats[i]
        out[i] = mix(keys[row, seat], 0, decisions[row, seat])
        decisions[row, seat] += 1


class DecisionKeys(Independent):
    """Keys of decisions, from a key per game and seat.

    A decision's key depends on how many decisions its own seat has had in its game, and on nothing else: a count of all
    decisions would tell an agent how often others were asked.

    Args:
        keys: int64 [N, P], one per game and seat (``seat_keys``).
    """

    def __init__(self, keys: np.ndarray) -> None:
        self._keys = np.array(keys, np.int64)
        self._decisions = np.zeros(self._keys.shape, np.int64)

    def next(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Keys for the decisions of these seats in these games (each game at most once), which now count as taken.

        Args:
            rows: int64 [M], games. seats: int64 [M], who decides there.

        Returns:
            int64 [M].
        """
        out = np.empty(len(rows), np.int64)
        _next_keys(
            self._keys,
            self._decisions,
            np.ascontiguousarray(rows, np.int64),
            np.ascontiguousarray(seats, np.int64),
            out,
        )
        return out
