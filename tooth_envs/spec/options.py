"""Options that every game has. A game's own model extends this one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainValidator, model_validator

from tooth_envs.engine.integers import integer_in
from tooth_envs.errors import OptionError, shortened
from tooth_envs.spec.validation import StrictModel


def _seat_or_random(value: Any) -> Any:
    if value != "random" and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError("give 'random' or a seat's number")
    return value


SeatOrRandom = Annotated[int | str, PlainValidator(_seat_or_random)]
"""For an option that says which seat begins: "random" or a number; ``check_seat`` knows how many seats there are."""

RANDOM_SEAT = -1
"""How tables of rules hold "random"."""


def check_seat(option: str, value: Any, num_players: int) -> None:
    """Refuse a seat that is not at the table."""
    if value != "random" and not 0 <= value < num_players:
        raise OptionError(f"{option} is {value}; give 'random' or a seat from 0 to {num_players - 1}")


def seat_number(value: Any) -> int:
    """The seat, or RANDOM_SEAT."""
    return RANDOM_SEAT if value == "random" else int(value)


def scripted_seat(option: str, given: Any, fixed: Any, num_players: int) -> list[int]:
    """The scripted picks by which ``reset(options=...)`` has a seat begin: none if the options fix the seat anyway.

    Raises:
        OptionError: no seat at the table, or another one than the options fix.
    """
    if not integer_in(given, 0, num_players - 1):
        raise OptionError(f"reset option {option} is {shortened(given)}; give a seat from 0 to {num_players - 1}")
    if fixed == "random":
        return [given]
    if given != fixed:
        raise OptionError(
            f"reset option {option} is {given}, but the game was made with seat {fixed}; make it with {option}='random'"
        )
    return []


class Options(StrictModel):
    """Constructor options common to all games.

    A game without one of them says so: it names the reason in ``lacks``, and declares the option as a class variable
    that holds what its value always is. It is then no field: nothing lists it, and giving another value is refused.
    """

    lacks: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Common options that the game does not have, and why."""

    num_players: int = Field(default=2, description="seats at the table")
    reward: str = Field(default="rank", description="how the final ranking is paid")
    shaping: float = Field(default=0.0, ge=0.0, description="factor of the per-step reward, 0 for none")
    max_steps: int = Field(default=1000, ge=1, le=2**31 - 1, description="decisions after which a game is truncated")
    skip_forced: bool = Field(default=True, description="decisions that leave no choice are taken by the engine")
    deck: str = Field(default="standard", description="a built-in deck's name, or the path of a deck file")
    history: bool = Field(default=False, description="observations also hold the full public history")

    @model_validator(mode="before")
    @classmethod
    def _without(cls, data: Any) -> Any:
        if not cls.lacks or not isinstance(data, Mapping):
            return data
        for name, reason in cls.lacks.items():
            if name in data and data[name] is not getattr(cls, name):
                raise OptionError(f"{name}: {reason}")
        return {name: value for name, value in data.items() if name not in cls.lacks}
