"""Which games, numbers of players and variants the generic battery runs over. A new game joins by one entry."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeVar

import tests.kuhn  # registers the test game
import tooth_envs
from tooth_envs.games.game import Game

assert tests.kuhn.Kuhn.name == "kuhn"

M = TypeVar("M")


@dataclass(frozen=True)
class Entry:
    """One game in the battery.

    Attributes:
        variants: option sets to run.
        invariants: the module whose ``check(game, states)`` has its invariants.
        shares: per variant, how much of the battery's random play it gets: 1 for games of some 30 decisions, less for
            longer ones.
    """

    variants: tuple[dict[str, Any], ...]
    invariants: str | None = None
    shares: tuple[float, ...] = ()


ENTRIES: dict[str, Entry] = {
    "kuhn": Entry(({},), None),
    "dragon_teeth_washer": Entry(
        (
            {"num_players": 2},
            {"num_players": 3},
            {"num_players": 4},
            {"num_players": 5},
            {"num_players": 3, "claims": "numeric", "shaping": 0.5, "history": True},
            {"num_players": 4, "claims": "none", "reward": "winner", "skip_forced": False},
            {"num_players": 5, "allow_silence": False, "reward": "score", "first_investigator": 2},
            {"preset": "odd_even_talk", "history": True},
            {"preset": "trio_numeric"},
        ),
        "tests.games.invariants_dragon_teeth_washer",
    ),
    "toothead": Entry(
        (
            {"num_players": 2},
            {"num_players": 3, "dock_mode": "random", "skip_forced": False, "shaping": 0.5},
            {"num_players": 4},
            {"num_players": 6, "third_party_specials": False, "food_recycles": True, "extra_cap": 1},
            {"num_players": 8, "dock_mode": "random"},
            {"num_players": 4, "teams": 2, "reward": "rank"},
            {"num_players": 5, "teams": (0, 1, 0, 1, 1), "shaping": 0.02},
        ),
        "tests.games.invariants_toothead",
        (0.3, 0.1, 0.1, 0.04, 0.02, 0.1, 0.06),
    ),
}


@dataclass(frozen=True)
class Case:
    """One game under one set of options."""

    name: str
    options: dict[str, Any] = field(hash=False)
    invariants: str | None = None
    share: float = 1.0

    def games(self, number: int) -> int:
        """How many of a number of games to play."""
        return max(1, round(number * self.share))

    @property
    def stride(self) -> int:
        """Of how many moments of a game one is looked at closely."""
        return max(1, round(1 / self.share))

    def some(self, moments: Iterable[M], offset: int = 0) -> Iterator[M]:
        """The share of a game's moments to look at closely."""
        return itertools.islice(moments, offset % self.stride, None, self.stride)

    @property
    def id(self) -> str:
        """For pytest: the game and its options."""
        return "-".join([self.name, *(f"{key}={value}" for key, value in self.options.items())])

    def game(self, **more: Any) -> Game:
        """The game of this case."""
        return tooth_envs.game(self.name, **{**self.options, **more})

    def check(self) -> Callable[[Game, Any], None]:
        """The game's invariants as a function of (game, states)."""
        if self.invariants is None:
            return lambda game, states: None
        return import_module(self.invariants).check  # type: ignore[no-any-return]


CASES = [
    Case(name, options, entry.invariants, share)
    for name, entry in ENTRIES.items()
    for options, share in zip(entry.variants, entry.shares or [1.0] * len(entry.variants), strict=True)
]
"""Every game under every variant."""

MAIN_CASES = [next(case for case in CASES if case.name == name) for name in ENTRIES]
"""One case a game, for checks that do not depend on options."""


def case_id(case: Case) -> str:
    """Pytest's name for a case."""
    return case.id
