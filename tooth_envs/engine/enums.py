"""Numbers that name things: number, name and meaning in one place.

    class Phase(Named):
        DEAL = "the cards are dealt"
        BETTING = "seats pass or bet in turn"

The members are numbered from 0 in the order they are written; ``NONE = -1, "nothing yet"`` sets a number, from which
the next ones go on. Members are integers, in compiled code too: compare them with fields, assign them, count with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any


class Named(IntEnum):
    """Base of a game's phases, decisions, events and other things with numbers.

    Attributes:
        meaning: what the member stands for; of an event, whom its seat names and what its two arguments are.
    """

    if TYPE_CHECKING:

        @property
        def meaning(self) -> str: ...

    def __new__(cls, *given: Any) -> Named:
        """Number the member: one more than the one before, unless the number is given."""
        number, meaning = given if len(given) == 2 else (_next(cls), given[0])
        member = int.__new__(cls, number)
        member._value_ = number
        member.__dict__["meaning"] = meaning
        return member

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the members from number 0 on."""
        return tuple(member.name for member in cls if member >= 0)


def _next(cls: type[IntEnum]) -> int:
    return max((int(member) for member in cls.__members__.values()), default=-1) + 1


class ActionGroup(IntEnum):
    """The action table of a game. A member is a group of actions with one form of name, and the first one's number.

        class Action(ActionGroup):
            STOP = "STOP"
            PAY = "PAY {}", CODES
            TAKE = "TAKE {} {}", CODES, (1, 2, 3)

    ``PAY`` has one action for every word in ``CODES``, ``TAKE`` one for every pair, the last word changing fastest:
    ``Action.TAKE + 3 * code + number - 1``. Groups follow each other in the order they are written.

    Attributes:
        form: how the names are made. axes: the words that go into them.
    """

    form: str
    axes: tuple[tuple[Any, ...], ...]

    def __new__(cls, form: str, *axes: Sequence[Any]) -> ActionGroup:
        """Give the group the numbers after those of the groups before."""
        first = sum(member.count for member in cls.__members__.values())
        member = int.__new__(cls, first)
        member._value_ = first
        member.form = form
        member.axes = tuple(map(tuple, axes))
        return member

    @property
    def count(self) -> int:
        """Number of actions in the group."""
        total = 1
        for axis in self.axes:
            total *= len(axis)
        return total

    @classmethod
    def total(cls) -> int:
        """Number of actions of all groups."""
        return sum(member.count for member in cls)

    def names(self, *axes: Sequence[Any]) -> tuple[str, ...]:
        """The names of the group's actions, with other words than the usual ones if ``axes`` are given."""
        names = [self.form.split("{}")[0]]
        for axis, rest in zip(axes or self.axes, self.form.split("{}")[1:], strict=True):
            names = [f"{name}{word}{rest}" for name in names for word in axis]
        return tuple(names)

    @classmethod
    def table(cls) -> tuple[str, ...]:
        """The name of every action, by number."""
        return tuple(name for member in cls for name in member.names())
