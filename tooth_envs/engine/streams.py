"""All streams of chance, in one list: those of a game, and those of the engine around it.

A random number is made from a seed, a stream and a tick (engine/chance.py). Two uses of one stream would give the same
numbers, so every use has a stream of its own: a game's are small numbers, declared in its ``Streams``; the engine's are
above ``GAME_STREAMS``, which no game's reach.
"""

from __future__ import annotations

from enum import IntEnum, unique
from typing import TYPE_CHECKING

GAME_STREAMS = 1000
"""Streams that a game can have."""


class Streams(IntEnum):
    """The streams of a game, numbered from 0 in the order they are written.

        class Stream(Streams):
            DRAW = "the draw pile"
            DICE = "the dice of a seat", MAX_SEATS

    ``DICE`` has a stream for every seat: ``Stream.DICE + seat``.

    Attributes:
        meaning: what is drawn from it. count: how many streams it stands for.
    """

    if TYPE_CHECKING:

        @property
        def meaning(self) -> str: ...
        @property
        def count(self) -> int: ...

    def __new__(cls, meaning: str, count: int = 1) -> Streams:
        """Give the streams the numbers after those before."""
        number = sum(member.count for member in cls.__members__.values())
        member = int.__new__(cls, number)
        member._value_ = number
        member.__dict__.update(meaning=meaning, count=count)
        return member

    @classmethod
    def total(cls) -> int:
        """Number of streams."""
        return sum(member.count for member in cls)


@unique
class EngineStream(IntEnum):
    """Streams under which seeds are derived from seeds. Other numbers would give other games: they never change."""

    EPISODE = 1_000_003  # of a batch's deals and of statistics' games
    CHOICES = 1_000_004  # of random play in statistics
    RESET = 1_000_005  # of a batch's next resets
    SEAT = 1_000_011  # which seat a single-seat environment's learner takes
    WORLD = 1_000_017  # of worlds made for an agent
    VECTOR_RESET = 1_000_033  # of the training batch's next resets
