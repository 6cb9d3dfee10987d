"""How a game begins: what ``reset(options=...)`` of the environments may say."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from tooth_envs.engine.integers import as_python, integer
from tooth_envs.engine.state import RUNNING, record
from tooth_envs.errors import OptionError, shortened
from tooth_envs.spec.game import Game

KEYS = ("position", "script", "seats")
"""Options of every game; ``Game.reset_keys`` are its own."""
SEATED = "player_seats"
"""Key under which TableEnv.to_dict adds ``seats`` to a position: who sits where is its own affair, not the game's."""


class ResetOptions:
    """Reset options, checked.

    Args:
        game: the game with its options.
        options: ``position`` (see Game.from_dict), ``script`` (chance outcomes per kind), ``seats`` (seats[i] is the
            seat that player_i takes), and the keys the game itself knows. Other keys are ignored with a warning.
        leave_out: keys of ``KEYS`` that the environment does not have.

    Attributes:
        seats: per player its seat.

    Raises:
        OptionError: a value that cannot be.
    """

    def __init__(self, game: Game, options: Mapping[str, Any] | None, leave_out: tuple[str, ...] = ()) -> None:
        if options is not None and not isinstance(options, Mapping):
            raise OptionError(f"{game.name}: reset options are {shortened(options)}; give a dict")
        given = as_python(dict(options or {}))
        known = [*(key for key in KEYS if key not in leave_out), *game.reset_keys]
        for key in [key for key in given if key not in known]:
            warnings.warn(
                f"{game.name}: reset option {shortened(key)} is ignored; known: {', '.join(known)}", stacklevel=4
            )
            del given[key]
        self.game = game
        self._position = given.get("position")
        if self._position is not None:
            if not isinstance(self._position, Mapping):
                raise OptionError(
                    f"{game.name}: position is {shortened(self._position)}; give a dict, as to_dict() does"
                )
            self._position = dict(self._position)
            given.setdefault("seats", self._position.pop(SEATED, None))
        self.seats = self._checked_seats(given.get("seats"))
        own = game.reset_script({key: given[key] for key in game.reset_keys if key in given})
        if given.get("script") is not None and own:
            raise OptionError(f"{game.name}: give either a script or {', '.join(game.reset_keys)}, not both")
        if not isinstance(given.get("script", {}), Mapping):
            raise OptionError(f"{game.name}: script is {shortened(given['script'])}; give a dict of outcomes per kind")
        self._script: dict[str, Any] = dict(own or given.get("script") or {})
        if self._position is not None and self._script:
            raise OptionError(f"{game.name}: give the script inside the position")

    def _checked_seats(self, seats: Any) -> list[int]:
        n = self.game.num_players
        if seats is None:
            return list(range(n))
        given = [integer(seat) for seat in seats] if isinstance(seats, list | tuple | np.ndarray) else []
        numbers = [seat for seat in given if seat is not None]
        if len(numbers) != len(given) or sorted(numbers) != list(range(n)):
            raise OptionError(
                f"{self.game.name}: seats is {shortened(seats)}; give each of 0 to {n - 1} once, in players' order"
            )
        return numbers

    def begin(self, seed: int, mask: np.ndarray, trace: bool = False) -> np.ndarray:
        """A game at its first decision (array of length 1); ``mask`` is filled with what is legal.

        Args:
            seed: names the deal; a position's own seed comes before it.
            mask: int8 [A].
            trace: write events.

        Raises:
            ToothError: a position or script that cannot be.
        """
        if self._position is None:
            return self.game.deal(seed, mask, script=self._script, trace=trace)
        states = self.game.from_dict({"seed": seed, **self._position}, mask)
        state = record(states)
        if state.seat < 0 and state.over == RUNNING:
            raise OptionError(
                f"{self.game.name}: the position leaves nobody to act; give 'at', the phase where play goes on, "
                "and leave out 'halt'"
            )
        state.tracing = trace
        return states
