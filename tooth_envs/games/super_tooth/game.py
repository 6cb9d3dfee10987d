"""Super Tooth: collect Plant-Eaters of one species and exchange them for coins, past Meat-Eaters and Events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tooth_envs.engine.events import Event
from tooth_envs.engine.protocol import functions_in
from tooth_envs.engine.state import TERMINATED
from tooth_envs.games.super_tooth import cards, position, rules, text, view
from tooth_envs.games.super_tooth import state as records
from tooth_envs.spec.deck import Deck
from tooth_envs.spec.game import Game
from tooth_envs.spec.layout import ViewField
from tooth_envs.spec.metrics import GameMetrics


class SuperTooth(Game):
    """Super Tooth under given options."""

    name, title, version = "super_tooth", "Super Tooth", 0
    min_players, max_players = 2, cards.MAX_SEATS
    Options = records.Options
    Phase, Decision, EventKind, Action = records.Phase, records.Decision, records.EventKind, records.Action
    State, Tables, View = records.State, records.Tables, view.View
    functions = functions_in(rules, view)
    reset_keys = ("first_seat", "top")
    options: records.Options
    cards: cards.Setup

    @classmethod
    def read_deck(cls, deck: str) -> Deck:
        return cards.read_deck(deck)

    def fill_tables(self, tables: Any) -> None:
        self.cards = self.options.setup()
        records.fill_tables(self.options, self.cards, tables)

    def view_fields(self) -> Sequence[ViewField]:
        return view.view_fields(self.cards, self.options.target())

    def reward_bounds(self) -> tuple[float, float]:
        """A seat gains at most its goal, less one, and an exchange."""
        goal = self.options.target()
        most = 1.0 + self.options.shaping * (goal - 1 + records.MOST_COINS_AT_ONCE) / goal
        return -most, most

    def reset_script(self, options: Mapping[str, Any]) -> dict[str, list[int]]:
        """``first_seat``: a seat; ``top``: codes of the cards to be turned over first, in order."""
        return position.reset_script(self.options, self.cards, options)

    def limits(self) -> dict[str, float]:
        return {
            **super().limits(),
            "max_turns": self.options.max_turns,
            "copies": int(self.tables["copies"].max()),
            "most coins": self.options.target() - 1 + records.MOST_COINS_AT_ONCE,
        }

    def metrics(self, states: np.ndarray) -> GameMetrics:
        """Turns, coins, and whether extinction ended the game (J30): it is over, and nobody has the coins to win."""
        told = states.view(np.ndarray)
        most = told["coins"].max(axis=1)
        extinct = (told["over"] == TERMINATED) & (most < self.options.target())
        return GameMetrics({"turns": told["turn"], "most coins": most, "extinction": extinct.astype(np.int64)})

    # Words.

    def describe(self, view: Any) -> str:
        return text.describe(self.cards, view)

    def describe_action(self, view: Any, action: int) -> str:
        return text.describe_action(self.cards, view, action)

    def event_words(self, event: Event, seat: int | None) -> str | None:
        return text.event_words(self.cards, self.num_players, event, seat)

    def why_not(self, state: Any, action: int) -> str:
        return text.why_not(self.cards, state, action)

    # Positions.

    def position_keys(self) -> tuple[str, ...]:
        return position.KEYS

    def blank_state(self, state: Any) -> None:
        position.blank_state(self.options, self.cards, state)

    def read_position(self, state: Any) -> dict[str, Any]:
        return position.read(self.options, self.num_players, state)

    def write_position(self, state: Any, position_: Mapping[str, Any]) -> None:
        position.write(f"{self.name} position", self.options, self.cards, state, position_)

    def check_position(self, state: Any) -> None:
        position.check(f"{self.name} position", self.options, self.cards, state)
        if state.seat >= 0:
            self.check_asked(state)
