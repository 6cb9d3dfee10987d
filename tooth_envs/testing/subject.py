"""What is checked, how much of it, and the list of all checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from tooth_envs.spec.game import Game
from tooth_envs.testing.report import Skipped


@dataclass
class Subject:
    """A game under one set of options.

    Attributes:
        game: the game.
        effort: 1.0 for the usual number of games; more finds more.
        invariants: called with (game, states) after every step; raises AssertionError if something cannot be.
        options: what the game was made with, to make variants of it.
    """

    game: Game
    effort: float = 1.0
    invariants: Callable[[Game, np.ndarray], None] | None = None

    def some(self, number: int) -> int:
        """A number of games or moments, by the effort; 1 at least."""
        return max(1, round(number * self.effort))

    def again(self, **changes: Any) -> Game:
        """The same game with some options changed."""
        return type(self.game)(self.game.options.model_copy(update=changes))


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        name: as reports call it. about: what it requires. run: raises AssertionError, or Skipped.
    """

    name: str
    about: str
    run: Callable[[Subject], None]


CHECKS: dict[str, Check] = {}
"""All checks by name, in the order in which they are made."""


def check(function: Callable[[Subject], None]) -> Callable[[Subject], None]:
    """Add a function to the checks: its name and the first line of its docstring tell what it requires."""
    about = (function.__doc__ or "").strip().split("\n")[0]
    CHECKS[function.__name__] = Check(function.__name__, about, function)
    return function


def require(condition: Any, message: str) -> None:
    """Raise AssertionError with a message unless a condition holds."""
    if not condition:
        raise AssertionError(message)


def skip(reason: str) -> NoReturn:
    """The check does not apply."""
    raise Skipped(reason)


@contextmanager
def raising(error: type[Exception], what: str, words: str = "") -> Iterator[None]:
    """Require that the block raises an error, which says certain words."""
    try:
        yield
    except error as problem:
        require(words in str(problem), f"{what}: the error does not say {words!r} but: {problem}")
    except Exception as problem:
        raise AssertionError(f"{what}: raises {type(problem).__name__} ({problem}), not {error.__name__}") from problem
    else:
        raise AssertionError(f"{what}: raises no {error.__name__}")
