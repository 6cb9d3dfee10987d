"""Which games, numbers of players and variants the generic battery runs over. A new game joins by one entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import tests.kuhn  # registers the test games
import tests.probe
import tooth_envs
from tooth_envs.spec.game import Game

assert tests.kuhn.Kuhn.name == "kuhn"
assert tests.probe.Probe.name == "probe"


@dataclass(frozen=True)
class Entry:
    """One game in the battery.

    Attributes:
        variants: option sets to run.
        invariants: the module whose ``check(game, states)`` has its invariants.
        secrets: fields of its own state that hold something hidden: each must differ from the truth in some world that
            ``resample`` draws, for some seat in some variant.
    """

    variants: tuple[dict[str, Any], ...]
    invariants: str | None = None
    secrets: tuple[str, ...] = ()


ENTRIES: dict[str, Entry] = {
    "kuhn": Entry(({},), secrets=("card", "deck")),
    "probe": Entry(
        ({"num_players": 3, "teams": True, "deal_pays": True}, {"num_players": 3, "kind": "windows"}),
        secrets=("kept", "secret", "asked"),
    ),
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
        # The dragon under the investigator's eyes and those below it, the cards face down, and the hands they left.
        secrets=("seen", "pile", "card", "hand"),
    ),
    "super_tooth": Entry(
        (
            {"num_players": 3},
            {"num_players": 2},
            {"num_players": 4, "reward": "rank", "shaping": 0.5},
            {"num_players": 3, "deck": "gamewright72", "hot_sun_marker": True},
            {"num_players": 4, "deck": "gamewright72", "coins_to_win": 1, "first_seat": 2},
            {"num_players": 3, "skip_forced": False, "hot_sun_marker": True},
        ),
        "tests.games.invariants_super_tooth",
        ("hand", "passing", "known"),
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
        secrets=("pocket", "bonfire", "token_card", "gift", "known"),
    ),
}


@dataclass(frozen=True)
class Case:
    """One game under one set of options."""

    name: str
    options: dict[str, Any] = field(hash=False)
    invariants: str | None = None

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


CASES = [Case(name, options, entry.invariants) for name, entry in ENTRIES.items() for options in entry.variants]
"""Every game under every variant."""

MAIN_CASES = [next(case for case in CASES if case.name == name) for name in ENTRIES]
"""One case a game, for checks that do not depend on options."""


def case_id(case: Case) -> str:
    """Pytest's name for a case."""
    return case.id
