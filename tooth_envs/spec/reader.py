"""Reading positions: what the words of every game's positions have in common."""

from __future__ import annotations

from typing import Any

from tooth_envs.engine.integers import integer
from tooth_envs.errors import PositionError, shortened


class Reader:
    """Turns the words of one position into numbers, and refuses what has no meaning. Games add their own words.

    Args:
        where: the beginning of every message.
        players: seats at the table.
    """

    def __init__(self, where: str, players: int) -> None:
        self.where = where
        self.players = players

    def refuse(self, key: str, reason: str) -> PositionError:
        """The error to raise."""
        return PositionError(f"{self.where}: {key}: {reason}")

    def whole(self, key: str, value: Any, low: int, high: int) -> int:
        """An integer within bounds."""
        number = integer(value)
        if number is None or not low <= number <= high:
            raise self.refuse(key, f"{shortened(value)} is given; give an integer from {low} to {high}")
        return number

    def per_seat(self, key: str, value: Any) -> list[Any]:
        """A list with one entry for each seat."""
        if not isinstance(value, list | tuple) or len(value) != self.players:
            raise self.refuse(
                key, f"{shortened(value)} is given; give a list with one entry for each of {self.players} seats"
            )
        return list(value)
