"""Dragon Teeth Washer: one seat sees the dragon and talks, then all brush its teeth, until one card is too many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from tooth_envs.engine.events import Event
from tooth_envs.engine.protocol import functions_in
from tooth_envs.engine.state import record
from tooth_envs.games.dragon_teeth_washer import cards, position, rules, text, view
from tooth_envs.games.dragon_teeth_washer import state as records
from tooth_envs.spec.deck import Deck
from tooth_envs.spec.game import Game
from tooth_envs.spec.layout import ViewField
from tooth_envs.spec.metrics import GameMetrics


class DragonTeethWasher(Game):
    """Dragon Teeth Washer under given options."""

    name, title, version = "dragon_teeth_washer", "Dragon Teeth Washer", 0
    min_players, max_players = 2, cards.MAX_SEATS
    Options = records.Options
    presets = MappingProxyType(records.PRESETS)
    Phase, Decision, EventKind, Action = records.Phase, records.Decision, records.EventKind, records.Action
    State, Tables, View = records.State, records.Tables, view.View
    asked = records.Decision.names()  # J14 is part of the rules: every other node is asked
    functions = functions_in(rules, view)
    reset_keys = ("first_investigator", "dragon_order")
    max_chance_outcomes = 8
    options: records.Options
    cards: cards.Setup

    @classmethod
    def read_deck(cls, deck: str) -> Deck:
        return cards.read_deck(deck)

    def fill_tables(self, tables: Any) -> None:
        self.cards = self.options.setup()
        records.fill_tables(self.options, self.cards, tables)

    def view_fields(self) -> Sequence[ViewField]:
        return view.view_fields(self.cards)

    def limits(self) -> dict[str, float]:
        tables = record(self.tables)
        return {
            **super().limits(),
            "rounds": int(tables.rounds),
            "last rank": int(tables.dragons) - 1,
            "largest score": cards.CARDS * (cards.CARDS + 1) // 2,
        }

    def reset_script(self, options: Mapping[str, Any]) -> dict[str, list[int]]:
        """``first_investigator``: a seat; ``dragon_order``: values of the dragons to come, one per round at least."""
        return position.reset_script(self.options, self.cards, options)

    def metrics(self, states: np.ndarray) -> GameMetrics:
        """Rounds, the best score, and how many statements were found true, found false, or left unsaid."""
        told = states.view(np.ndarray)
        n = self.num_players
        statements = told["honesty"].sum(axis=1)
        return GameMetrics(
            {
                "rounds": told["round_number"],
                "best score": told["score"][:, :n].max(axis=1),
                "statements true": statements[:, 0],
                "statements false": statements[:, 1],
                "statements unsaid": statements[:, 2],
            }
        )

    # Words.

    def describe(self, view: Any) -> str:
        return text.describe(self.cards, view)

    def describe_action(self, view: Any, action: int) -> str:
        return text.describe_action(self.cards, view, action)

    def event_words(self, event: Event, seat: int | None) -> str | None:
        return text.event_words(self.cards, self.num_players, event, seat)

    def why_not(self, state: Any, action: int) -> str:
        return text.why_not(self.options, self.cards, state, action)

    # Positions.

    def position_keys(self) -> tuple[str, ...]:
        return position.KEYS

    def blank_state(self, state: Any) -> None:
        position.blank_state(self.options, self.cards, state)

    def read_position(self, state: Any) -> dict[str, Any]:
        return position.read(self.cards, self.num_players, state)

    def write_position(self, state: Any, position_: Mapping[str, Any]) -> None:
        position.write(f"{self.name} position", self.options, self.cards, state, position_)

    def check_position(self, state: Any) -> None:
        position.check(f"{self.name} position", self.options, self.cards, state)
