"""Toothead: hungry islanders fight each other for slices and eat what they win; the last one living has won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tooth_envs.engine.events import Event
from tooth_envs.engine.protocol import functions_in
from tooth_envs.games.toothead import cards, position, resampling, rules, text, view
from tooth_envs.games.toothead import state as records
from tooth_envs.games.toothead.island import MOST_ALLOWED
from tooth_envs.spec.deck import Deck
from tooth_envs.spec.game import Game
from tooth_envs.spec.layout import ViewField
from tooth_envs.spec.metrics import GameMetrics, Groups


class Toothead(Game):
    """Toothead under given options."""

    name, title, version = "toothead", "Toothead", 0
    min_players, max_players = 2, cards.MAX_SEATS
    Options = records.Options
    Phase, Decision, EventKind, Action = records.Phase, records.Decision, records.EventKind, records.Action
    State, Tables, View = records.State, records.Tables, view.View
    actions = records.ACTIONS
    functions = functions_in(rules, view, resampling)
    reset_keys = ("dice", "draws")
    options: records.Options
    cards: cards.Setup

    @property
    def teams(self) -> tuple[int, ...]:
        return tuple(self.options.team_of_seats())

    @classmethod
    def read_deck(cls, deck: str) -> Deck:
        return cards.read_deck(deck)

    def fill_tables(self, tables: Any) -> None:
        self.cards = self.options.cards()
        self.actions = records.action_names(self.cards)
        records.fill_tables(self.options, self.cards, tables)

    def view_fields(self) -> Sequence[ViewField]:
        return view.view_fields(self.options, self.cards)

    def reset_script(self, options: Mapping[str, Any]) -> dict[str, list[int]]:
        """``dice``: faces in the order of rolling; ``draws``: ids of cards in the order in which they come."""
        return position.reset_script(self, options)

    def limits(self) -> dict[str, float]:
        return {
            **super().limits(),
            "max rounds": self.options.max_rounds,
            "extra cap": self.options.extra_cap,
            "most moves": self.options.extra_cap + MOST_ALLOWED,
            "cards": sum(card.count for card in self.cards.bonfire),
        }

    def metrics(self, states: np.ndarray) -> GameMetrics:
        """Rounds, deaths, food; seats by dock, and by their place clockwise from who held the initiative first."""
        told = states.view(np.ndarray)
        n = self.num_players
        place = (np.arange(n) - told["dock_order"][:, :1]) % n
        return GameMetrics(
            {
                "rounds": told["round_number"],
                "seats eliminated": (told["alive"][:, :n] == 0).sum(axis=1),
                "meat made by cards": told["created"],
                "slices and meat eaten or lost": told["eaten"],
            },
            {
                "dock": Groups(tuple(card.id for card in self.cards.docks), told["dock"][:, :n].astype(np.int64)),
                "place": Groups(tuple(str(number) for number in range(1, n + 1)), place.astype(np.int64)),
            },
        )

    # Words.

    def describe(self, view: Any) -> str:
        return text.describe(self, view)

    def describe_action(self, view: Any, action: int) -> str:
        return text.describe_action(self, view, action)

    def event_words(self, event: Event, seat: int | None) -> str | None:
        return text.event_words(self, event, seat)

    def why_not(self, state: Any, action: int) -> str:
        return text.why_not(self, state, action)

    # Positions.

    def position_keys(self) -> tuple[str, ...]:
        return position.KEYS

    def blank_state(self, state: Any) -> None:
        position.blank_state(self, state)

    def read_position(self, state: Any) -> dict[str, Any]:
        return position.read(self, state)

    def write_position(self, state: Any, position_: Mapping[str, Any]) -> None:
        position.write(self, state, position_)

    def interrupted(self, state: Any) -> Sequence[int]:
        return [int(state.saved[depth][records.Register.PHASE]) for depth in range(state.depth)]

    def check_position(self, state: Any) -> None:
        position.check(self, state)
