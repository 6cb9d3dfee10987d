"""What makes a position of Toothead impossible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tooth_envs.games.toothead import Toothead


def check(game: Toothead, state: Any) -> None:
    """Raise PositionError if a record is no possible state of the game."""
