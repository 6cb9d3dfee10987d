"""Toothead: what seats can prove of each other's pockets (section 6), told anew from what all of them can hear.

A second set of books, kept from actions and events by the sentences of the specification; the rules' functions are not
used. After every step of random games both must agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.games.tooth import toothead
from tests.support import random_game
from tooth_envs.engine.events import Event, events_since
from tooth_envs.engine.state import record
from tooth_envs.games.toothead.game import Toothead

PLAYS = ("TURN", "TRICKWIN", "DIEWIN", "ATTACKED", "FTURN", "FWIN", "EATWIN", "EAT")
"""Decisions at which a chosen card leaves the pocket face up."""


class Books:
    """known[v][o] and pockets as counts of kinds."""

    def __init__(self, table: Toothead) -> None:
        self.table = table
        self.seats = range(table.num_players)
        self.known = np.zeros((table.num_players, table.num_players, len(table.cards.bonfire)), int)
        self.pocket = self.known[0].copy()
        self.placing = False
        self.first_card = table.action_index("CARD mushrooms")

    def shown(self, seat: int, kind: int) -> None:
        self.pocket[seat, kind] -= 1
        for other in self.seats:
            self.known[other, seat, kind] = max(0, self.known[other, seat, kind] - 1)

    def acts(self, state: Any, action: int) -> None:
        """A card is played; what else is chosen, events tell."""
        self.pocket[:] = state.pocket[: len(self.seats), : self.pocket.shape[1]]
        decision = self.table.decisions[state.decision]
        if decision == "FTURN" and action - self.first_card in self.table.cards.hits:
            self.placing = True  # it stays in the pocket, unseen, until it lies on a token
        elif decision in PLAYS and action >= self.first_card:
            self.shown(int(state.seat), action - self.first_card)
        elif decision == "DRAWN" and self.table.actions[action] == "YES":
            self.pocket[state.seat, state.held] -= 1  # not one of those that were known

    def leaves(self, giver: int, taker: int, kind: int) -> None:
        """A card on its way: the taker sees it, all others lose what they knew of the giver."""
        self.pocket[giver, kind] -= 1
        for other in self.seats:
            if other == taker:
                self.known[other, giver, kind] = max(0, self.known[other, giver, kind] - 1)
            elif other != giver:
                self.known[other, giver] = 0

    def arrives(self, giver: int, taker: int, kind: int) -> None:
        self.pocket[taker, kind] += 1
        self.known[giver, taker, kind] += 1

    def hears(self, events: list[Event]) -> None:
        names = self.table.event_kinds
        gifts = [event for event in events if names[event.kind] == "GAVE_CARD"]
        for number, (kind, seat, _, first, second) in enumerate(events):
            name = names[kind]
            if name == "DREW_CARD" and (number == 0 or names[events[number - 1].kind] != "FACE_DOWN"):
                self.pocket[seat, first] += 1
            elif name == "PLACED" and self.placing:
                self.shown(seat, first)
                self.placing = False
            elif name == "DISCARDED":
                self.shown(seat, first)
            elif name == "STOLE_CARD":
                self.leaves(first, seat, second)
                self.arrives(first, seat, second)
            elif name == "GAVE_CARD" and gifts:
                for way in (self.leaves, self.arrives):  # all gifts move together
                    for gift in gifts:
                        way(gift.seat, gift.first, gift.second)
                gifts = []
            elif name == "TOOK":
                self.pocket[seat, first] += 1
                for other in self.seats:
                    self.known[other, seat, first] += int(other != seat)
            elif name == "LOOKED":
                self.known[seat, first] = self.pocket[first]
            elif name == "SWAPPED":
                self.pocket[[seat, first]] = self.pocket[[first, seat]]
                self.known[:, [seat, first]] = self.known[:, [first, seat]]
                for one, other in ((seat, first), (first, seat)):
                    self.known[one, other] = self.pocket[other]
                    self.known[one, one] = 0
            elif name == "ELIMINATED":
                self.known[:, seat] = 0
                self.pocket[seat] = 0


def test_a_second_set_of_books() -> None:
    """Section 6: known cards come and go exactly as listed there."""
    heard: set[str] = set()
    known = 0
    for seed in range(14):
        table = toothead(num_players=2 + seed % 5, dock_mode="random")
        books, written = Books(table), -1
        for moment in random_game(table, seed, trace=True):
            state = record(moment.states)
            if written >= 0:
                events = events_since(state, written)
                books.hears(events)
                heard |= {table.event_kinds[event.kind] for event in events}
                for seat in books.seats:
                    view = table.view(moment.states, seat)
                    for place in range(table.num_players):
                        other = (seat + place) % table.num_players
                        truth = books.known[seat, other]
                        assert view.known[place][: len(truth)].tolist() == truth.tolist(), f"{seat} of {other}"
                        known += int(truth.sum())
            written = int(state.event_count)
            if moment.action >= 0:
                books.acts(state, moment.action)
    assert heard >= {"STOLE_CARD", "GAVE_CARD", "TOOK", "LOOKED", "SWAPPED", "ELIMINATED", "DISCARDED"}
    assert known > 1000
