"""Toothead: what a seat holds, is asked and declines reaches nobody else (J14, section 6).

Twin games differ in one card: the holder has card a and b lies in the bonfire, or the other way round. Both are played
with the same actions, and the holder declines whatever a or b would allow. Whenever both games ask the same of the
same seat, all that has reached the others must be the same in both: views, events in words, masks, and the worlds that
a searcher draws. A pair ends when the card comes to light.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.games.tooth import asked, toothead
from tests.support import random_game
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.events import EVERYBODY, events_since
from tooth_envs.engine.state import RUNNING, record
from tooth_envs.games.toothead import Toothead
from tooth_envs.games.toothead.state import E_DREW_CARD, E_GAVE_CARD, E_STOLE_CARD

WINDOWS = ("TRICKWIN", "DIEWIN", "FWIN", "EATWIN", "ATTACKED", "EAT")
DECLINE = ("PASS", "YES", "EAT_MEAT", "EAT_SLICE")
PAIRS = {
    ("golden_tooth", "lucky_bone"): True,  # only one of them is for card dice
    ("lucky_bone", "no_way"): True,
    ("no_way", "play_dead"): True,
    ("play_dead", "scapegoat"): False,
    ("stitches", "power_grab"): True,
    ("canned_food", "hiccups"): True,
    ("cactus", "canned_food"): True,
    ("flurry", "pan"): False,
}
"""Neighbours in the deck: a pile with the one in place of the other gives the same cards otherwise, chance being equal.
With them, whether the holder is bound to be asked things in one game that it is not asked in the other."""


class Twins:
    """The two games."""

    def __init__(self, table: Toothead, seed: int, holder: int, a: str, b: str) -> None:
        ids = [card.id for card in table.cards.bonfire]
        self.table, self.holder, self.a, self.b = table, holder, ids.index(a), ids.index(b)
        assert self.b == self.a + 1, "neighbours in the deck"
        self.others = [seat for seat in range(table.num_players) if seat != holder]
        self.secret = [table.action_index(f"CARD {name}") for name in (a, b)]
        first = table.deal(seed, trace=True)
        while not (record(first).bonfire[[self.a, self.b]] > 0).all():
            seed += 1000
            first = table.deal(seed, trace=True)
        self._give(record(first), self.a)
        second = first.copy()
        self._give(record(second), self.b, instead_of=self.a)
        self.games = [first, second]
        self.heard = [int(record(first).event_count)] * 2
        self.settled = 0
        """Decisions of the holder that only one of the games has asked."""

    def _give(self, state: Any, kind: int, instead_of: int = -1) -> None:
        """The holder gets a card of the bonfire for one of its own, which nobody knows."""
        out = instead_of if instead_of >= 0 else int(np.flatnonzero(state.pocket[self.holder])[0])
        for card, change in ((kind, 1), (out, -1)):
            state.pocket[self.holder, card] += change
            state.bonfire[card] -= change

    def options(self, states: np.ndarray) -> list[int]:
        """Legal actions that do not bring the card to light."""
        legal = [int(action) for action in np.flatnonzero(self.table.legal_mask(states))]
        if record(states).seat != self.holder:
            return legal
        if asked(self.table, states)[0] in WINDOWS:
            names = [self.table.actions[action] for action in legal]
            return [legal[names.index(next(name for name in DECLINE if name in names))]]
        return [action for action in legal if action not in self.secret]

    def settle(self) -> None:
        """The holder declines, until somebody has a choice that does not give it away."""
        steps = []
        for states in self.games:
            steps.append(0)
            while record(states).over == RUNNING and record(states).seat == self.holder:
                options = self.options(states)
                if len(options) != 1:
                    break
                self.table.step(states, options[0])
                steps[-1] += 1
        self.settled += steps[0] != steps[1]

    def hidden(self) -> bool:
        """Whether the games still differ by that card alone."""
        one, two = (record(states) for states in self.games)
        expected = np.zeros_like(one.bonfire)
        expected[self.a], expected[self.b] = 1, -1
        return (
            one.over == two.over == RUNNING
            and np.array_equal(one.pocket[self.holder] - two.pocket[self.holder], expected)
            and np.array_equal(two.bonfire - one.bonfire, expected)
        )

    def seen(self, states: np.ndarray, seat: int, since: int) -> tuple[Any, ...]:
        """All that reaches a seat; observation and words are made of the view."""
        words = [self.table.describe_event(event, seat) for event in events_since(record(states), since)]
        mask = self.table.legal_mask(states).tobytes() if record(states).seat == seat else b""
        return self.table.view(states, seat).tobytes(), tuple(words), mask

    def compare(self, key: int, worlds: bool) -> None:
        """The others can tell nothing; nor can a searcher, in the worlds that are drawn for it."""
        for seat in self.others:
            views = [self.seen(*pair) for pair in zip(self.games, (seat, seat), self.heard, strict=True)]
            assert views[0] == views[1], f"seat {seat} can tell who holds {self.table.actions[self.secret[0]]}"
            if worlds:
                one, two = (self.table.hide(states, seat, key).tobytes() for states in self.games)
                assert one == two, f"a world drawn for seat {seat} tells the truth"
        self.heard = [int(record(states).event_count) for states in self.games]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_twins_look_alike(a: str, b: str) -> None:
    """J14: neither a card nor being asked for it can be told from outside."""
    settled = compared = 0
    for seed in range(4):
        table = toothead(num_players=(3, 4, 2)[seed % 3], dock_mode="random")
        twins = Twins(table, seed, seed % table.num_players, a, b)
        for step in range(120):
            twins.settle()
            if not twins.hidden():
                break
            assert len({asked(table, states) for states in twins.games}) == 1, "the games have come apart"
            options = [twins.options(states) for states in twins.games]
            if options[0] != options[1]:
                assert asked(table, twins.games[0])[0] == "PICK", "only who looks into the pocket sees a difference"
                break
            if not options[0]:
                break  # the holder has nothing else to give
            twins.compare(seed * 1000 + step, worlds=step % 4 == 0)
            compared += 1
            action = options[0][mix_python(seed, 5, step) % len(options[0])]
            for states in twins.games:
                table.step(states, action)
        settled += twins.settled
    assert compared > 40
    assert settled > 0 or not PAIRS[a, b], "nothing was ever declined in one game only"


def test_who_may_know_of_an_event() -> None:
    """Section 6, J52-J54: the drawer alone knows its card, the two concerned know a stolen or passed one."""
    found = set()
    for seed in range(8):
        table = toothead(num_players=3 + seed % 3, dock_mode="random")
        written = 0
        for moment in random_game(table, seed, trace=True):
            for event in events_since(record(moment.states), written):
                seats = [event.seat] if event.kind == E_DREW_CARD else [event.seat, event.first]
                private = event.kind in (E_DREW_CARD, E_STOLE_CARD, E_GAVE_CARD)
                assert event.see == (sum(1 << seat for seat in seats) if private else EVERYBODY)
                found.add(event.kind)
            written = int(record(moment.states).event_count)
    assert found >= {E_DREW_CARD, E_STOLE_CARD, E_GAVE_CARD}


def test_the_owner_hears_what_it_has_drawn_face_down() -> None:
    """R64: the others hear of a card, its owner of which."""
    table = toothead(num_players=2)
    states = table.from_dict(
        {
            "at": "ATTACK",
            "turn_phase": "APPETITE",
            "fight": {"attacker": 0, "defender": 1},
            "bonfire": ["rust", "jab"],
            "draws": ["rust"],
            "rest": "aside",
        }
    )
    record(states).tracing = 1
    table.step(states, table.action_index("FDRAW 2"))
    heard = [[table.describe_event(event, seat) for event in events_since(record(states), 0)] for seat in (0, 1)]
    assert any("Rust" in words for words in heard[0] if words)
    assert not any("Rust" in words for words in heard[1] if words)
