"""Toothead: what a seat holds, is asked and declines reaches nobody else (J14, section 6).

Twin games differ in one card: the holder has card a and b lies in the bonfire, or the other way round. Both are played
with the same actions, and the holder declines whatever a or b would allow. Whenever both games ask the same of the
same seat, all that has reached the others must be the same in both: views, events in words, masks, and the worlds that
a searcher draws. A pair ends when the card comes to light.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tooth_training.cli.replay import show

from tests.games.invariants_toothead import check
from tests.games.tooth import asked, begin, facts, fight, follow, toothead
from tests.support import random_game
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.events import EVERYBODY, events_since
from tooth_envs.engine.state import RUNNING, record
from tooth_envs.games.toothead.game import Toothead
from tooth_envs.games.toothead.state import EventKind

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
                one, two = (self.table.resample(states, seat, key).tobytes() for states in self.games)
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


class Retold:
    """A record of a game whose deal was changed by hand: what ``show`` asks of a Replay."""

    def __init__(self, table: Toothead, states: np.ndarray, actions: list[int]) -> None:
        self.game, self.states, self.left, self.where = table, states, list(actions), "twin"
        self.record = SimpleNamespace(players=["a"] * table.num_players, seed=1, suite="x")
        self.at, self.returns = 0, np.zeros(table.num_players)

    @property
    def finished(self) -> bool:
        return not self.left

    def step(self) -> Any:
        action = self.left.pop(0)
        self.game.step(self.states, action)
        self.at += 1
        return SimpleNamespace(action=self.game.actions[action])


@pytest.mark.parametrize("views", [False, True])
def test_twins_are_told_alike_again(views: bool) -> None:
    """J14: what a replay tells a seat has no trace of the windows in which others declined, pauses included."""
    differing = 0
    for seed in range(4):
        table = toothead(num_players=(3, 4, 2)[seed % 3], dock_mode="random")
        twins = Twins(table, seed, seed % table.num_players, "lucky_bone", "no_way")
        begun = [states.copy() for states in twins.games]
        actions: list[list[int]] = [[], []]
        step = table.step

        def noting(states: np.ndarray, action: int, note: Any = actions, twins: Any = twins, step: Any = step) -> None:
            note[0 if states is twins.games[0] else 1].append(action)
            step(states, action)

        table.step = noting  # type: ignore[method-assign]
        alike: list[list[int]] = [[], []]
        for turn in range(40):
            twins.settle()
            options = [twins.options(states) for states in twins.games]
            if not twins.hidden() or options[0] != options[1] or not options[0]:
                break
            alike = [list(one) for one in actions]
            for states in twins.games:
                table.step(states, options[0][mix_python(seed, 5, turn) % len(options[0])])
        table.step = step  # type: ignore[method-assign]
        differing += len(alike[0]) != len(alike[1])
        for seat in twins.others:
            told: list[list[str]] = [[], []]
            for lines, states, moves in zip(told, begun, alike, strict=True):
                retold: Any = Retold(table, states.copy(), moves)
                show(retold, seat, lines.append, views, lambda lines=lines: lines.append("(pause)"))
            assert told[0] == told[1]
    assert differing > 0, "the games never differed in what was asked"


def test_who_may_know_of_an_event() -> None:
    """Section 6, J52-J54: the drawer alone knows its card, the two concerned know a stolen or passed one."""
    found = set()
    for seed in range(8):
        table = toothead(num_players=3 + seed % 3, dock_mode="random")
        written = 0
        for moment in random_game(table, seed, trace=True):
            for event in events_since(record(moment.states), written):
                seats = [event.seat] if event.kind == EventKind.DREW_CARD else [event.seat, event.first]
                private = event.kind in (EventKind.DREW_CARD, EventKind.STOLE_CARD, EventKind.GAVE_CARD)
                assert event.see == (sum(1 << seat for seat in seats) if private else EVERYBODY)
                found.add(event.kind)
            written = int(record(moment.states).event_count)
    assert found >= {EventKind.DREW_CARD, EventKind.STOLE_CARD, EventKind.GAVE_CARD}


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


# Single secrets


def views(table: Toothead, states: np.ndarray, *seats: int) -> list[bytes]:
    """Everything that reaches some seats."""
    found = []
    for seat in seats:
        view = table.view(states, seat)
        found.append(view.tobytes() + table.observe(states, seat).tobytes() + table.describe(view).encode())
    return found


WINDOWS: dict[str, tuple[dict[str, Any], list[str], str, int]] = {
    "TRICKWIN": (
        {"seats": [{"pocket": ["scavenge"]}, {}, {}], "draws": ["jab", "slap"]},
        ["CARD scavenge"],
        "no_way",
        1,
    ),
    "DIEWIN": ({"seats": [{"pocket": ["mushrooms"]}, {}, {}], "dice": [4]}, ["CARD mushrooms"], "hiccups", 1),
    "FWIN": ({"turn_phase": "APPETITE", "dice": [4, 2]}, ["ATTACK+1", "PASS", "PASS"], "chili", 2),
    "EATWIN": ({"turn_phase": "HUNGER", "active": 2, "first": 0}, ["PASS"], "power_grab", 1),
}
"""A window, a position, what leads to it, a special that opens it, and its holder."""


@pytest.mark.parametrize("decision", WINDOWS)
def test_a_window_does_not_betray_who_holds_a_special(decision: str) -> None:
    """J14: a seat that is asked and passes looks to others like one that holds nothing."""
    given, actions, special, holder = WINDOWS[decision]
    table = toothead(num_players=3)
    others = [seat for seat in range(3) if seat != holder]
    worlds = []
    for card in (special, "iron_gut"):  # for iron_gut there is no window
        seats = [dict(entry) for entry in given.get("seats", [{}, {}, {}])]
        seats[holder] = {"pocket": [card]}
        states = table.from_dict({"at": "TURN", **given, "seats": seats})
        follow(table, states, *actions)
        worlds.append(states)
    assert asked(table, worlds[0]) == (decision, holder)
    assert asked(table, worlds[1]) != (decision, holder)
    for seat in others:
        assert table.view(worlds[0], seat).decision == -1, "the window is not public"
    follow(table, worlds[0], "PASS")
    assert asked(table, worlds[0]) == asked(table, worlds[1])
    assert views(table, worlds[0], *others) == views(table, worlds[1], *others)


def test_being_asked_is_seen_by_nobody_else() -> None:
    """J14: before the window, in it, and after a pass, the others' views are the same but for the asked seat."""
    table = toothead(num_players=4)
    seen = 0
    for seed in range(12):
        for moment in random_game(table, seed):
            state = record(moment.states)
            if moment.action < 0 or not table.decisions[state.decision].endswith("WIN"):
                continue
            seat = int(state.seat)
            others = [other for other in range(4) if other != seat]
            before = views(table, moment.states, *others)
            world = moment.states.copy()
            table.step(world, table.action_index("PASS"))
            after = record(world)
            if after.phase == state.phase and after.seat >= 0:  # nothing but the pass has happened
                still = [other for other in others if other != after.seat]
                mine = [before[others.index(other)] for other in still]
                assert views(table, world, *still) == mine
                seen += 1
            for other in others:
                assert table.view(moment.states, other).decision == -1
                assert table.view(moment.states, other).context == -1
    assert seen >= 3


def test_face_down_cards_are_seen_by_their_owner_alone() -> None:
    table = toothead(num_players=3)
    seats: list[dict[str, Any]] = [{}, {}, {}]
    worlds = []
    for top in ("rust", "kick"):
        states = fight(table, seats, bonfire=["rust", "kick", "jab"], draws=[top])
        table.step(states, table.action_index("FDRAW 1"))
        if top == "kick":
            table.step(states, table.action_index("KEEP"))
        worlds.append(states)
    assert views(table, worlds[0], 1, 2) == views(table, worlds[1], 1, 2)
    assert views(table, worlds[0], 0) != views(table, worlds[1], 0)
    for seat, expected in ((0, {"rust"}), (1, {"rust", "kick", "jab"})):
        found = set()
        for seed in range(30):
            world = table.resample(worlds[0], seat, seed)
            check(table, world, dealt=False)
            found.add(facts(table, world, "fight.tokens.0.0.0"))
        assert found == expected


def test_a_pending_flip_or_drawn_card_is_not_seen() -> None:
    """Others cannot tell whether a seat is thinking about a hit it has drawn."""
    table = toothead(num_players=2)
    states = fight(table, [{}, {}], bonfire=["kick", "jab"], draws=["kick"])
    table.step(states, table.action_index("FDRAW 1"))
    assert asked(table, states) == ("FLIP", 0)
    before = views(table, states, 1)
    table.step(states, table.action_index("KEEP"))
    after = table.view(states, 1)
    after.decision = -1  # now it is seat 1 that is asked
    assert after.tobytes() == before[0][: len(after.tobytes())]


def test_gifts_are_secret_until_all_are_chosen() -> None:
    """J54."""
    table = toothead(num_players=3)
    seats = [{"pocket": ["kick", "jab"]}, {"pocket": ["rust", "axe"]}, {"pocket": ["slap"]}]
    worlds = []
    for gift in ("kick", "jab"):
        states = begin(table, seats, turn_phase="APPETITE", island_deck=["monkeys"], bonfire=["punch"])
        follow(table, states, "ISLAND", f"CARD {gift}")
        assert asked(table, states) == ("GIVE", 1)
        worlds.append(states)
    assert views(table, worlds[0], 1, 2) == views(table, worlds[1], 1, 2)
    gifts = set()
    for seed in range(60):
        gift, pocket = facts(table, table.resample(worlds[0], 1, seed), "gifts.0", "seats.0.pocket")
        assert gift in pocket
        gifts.add(gift)
    assert gifts == {"jab", "kick", "punch", "slap"}


def test_hide_keeps_what_is_proved() -> None:
    table = toothead(num_players=3)
    seats: list[dict[str, Any]] = [
        {"pocket": ["jab"], "known": [[], ["axe"], []]},
        {"pocket": ["axe", "rust", "kick"]},
        {"pocket": ["slap"], "known": [["jab"], ["kick", "axe"], []]},
    ]
    states = table.from_dict({"at": "TURN", "seats": seats})
    pockets, guesses = set(), set()
    for seed in range(50):
        world = table.resample(states, 0, seed)
        check(table, world, dealt=False)
        pocket = facts(table, world, "seats.1.pocket")
        assert "axe" in pocket
        assert len(pocket) == 3
        pockets.add(tuple(pocket))
        known = facts(table, world, "seats.2.known.1")
        assert len(known) == 2
        assert "axe" in known, "both know of it"
        guesses.add(tuple(known))
        assert facts(table, world, "seats.2.known.0") == ["jab"]
    assert len(pockets) > 40
    assert len(guesses) > 10


def test_unseen_cards_are_what_a_perfect_memory_leaves_open() -> None:
    """Section 6 (6): the deck without all that a seat can see or prove."""
    table = toothead(num_players=4)
    deck = np.array([card.count for card in table.cards.bonfire])
    for seed in range(3):
        for number, moment in enumerate(random_game(table, seed)):
            if number % 7:
                continue
            state = record(moment.states)
            for seat in range(4):
                view = table.view(moment.states, seat)
                seen = view.pocket + view.bin + view.known.sum(axis=0)
                for kind, rank in enumerate(record(table.tables).food_rank):
                    seen[kind] += view.food[rank] if rank >= 0 else 0
                for place in range(4):
                    if view.weapon[place] >= 0:
                        seen[table.cards.weapons[view.weapon[place]]] += 1
                    for rank, count in enumerate(view.megas[place]):
                        if count:
                            seen[table.cards.megas[rank]] += count
                for rank in view.face_up.ravel():
                    if rank >= 0:
                        seen[table.cards.hits[rank]] += 1
                for kind in view.own_down:
                    if kind >= 0:
                        seen[kind] += 1
                if view.trick >= 0:
                    seen[view.trick] += 1
                seen += state.fight_specials
                assert np.array_equal(deck - seen, view.unseen), f"step {number}, seat {seat}"
