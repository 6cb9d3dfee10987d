"""The suite's own errors. Each is a ValueError that names the thing, the place and the remedy."""

from __future__ import annotations

from typing import Any


def shortened(value: Any) -> str:
    """A value as an error shows it: what is long is cut."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # ValueError: a number of thousands of digits
        return f"a {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:200]}..."


class ToothError(ValueError):
    """Something given to the suite cannot be used."""


class UnknownGame(ToothError):
    """No game of this name is registered."""


class OptionError(ToothError):
    """An option or configuration key is unknown, has the wrong type, or an impossible value."""


class PositionError(ToothError):
    """A position description that cannot be a state of the game."""


class ScriptError(ToothError):
    """Scripted chance outcomes that cannot happen."""


class DeckError(ToothError):
    """A deck file that cannot be used."""


class CheckpointError(ToothError):
    """A saved training state that is missing, damaged, not ours, or of something else; or that cannot be written."""


class GameFault(ToothError):
    """The rules of a game did not come to a decision; the game was cut off. A defect of the game, or of its deck."""


class OutputError(ToothError):
    """A file of results that cannot be written. The results themselves are there."""


class GameOver(ToothError):
    """A step was asked of a game that is over, or that was never reset."""


class NotReset(GameOver, AttributeError):
    """Something of an environment that exists from its first reset on."""


class OpponentError(ToothError):
    """An opponent of a single-seat environment chose an illegal action; that game is given up."""


class IllegalAction(ToothError):
    """An action that the rules do not allow now. Nothing has changed.

    Attributes:
        action: the action's index, or whatever was given.
        name: its name in the game's action table.
        seat: the seat to decide.
        decision: the decision being asked.
        reason: why not, with the rule's number where the game gives one.
    """

    def __init__(self, action: object, name: str, seat: int, decision: str, reason: str) -> None:
        super().__init__(f"illegal action {shortened(action)} ({name}) by seat {seat} at decision {decision}: {reason}")
        self.action = action
        self.name = name
        self.seat = seat
        self.decision = decision
        self.reason = reason

    def __reduce__(self) -> tuple[type, tuple[object, str, int, str, str]]:
        return type(self), (self.action, self.name, self.seat, self.decision, self.reason)
