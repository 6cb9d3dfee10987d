"""What is particular to Super Tooth. The worked positions are data; the battery plays every game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.invariants_super_tooth import CODES, check
from tests.games.super_tooth import deck_file, follow, tooth
from tests.support import chosen, random_game
from tooth_envs.engine import loops
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.events import Event, events_since
from tooth_envs.engine.state import RUNNING, TRUNCATED, record
from tooth_envs.games.super_tooth.game import SuperTooth

seats = pytest.mark.parametrize("players", [2, 3, 4])


# The frame


def test_action_table() -> None:
    """Section 5: 90 actions, the same for all numbers of players and decks."""
    plants = CODES[:6]
    names = ["STOP", "IGNORE", *(f"CHOOSE {code}" for code in CODES)]
    names += [f"PAY_HAND {code}" for code in plants] + [f"PAY_LAND {code}" for code in plants] + ["PAY_TRAVELER"]
    names += [f"TAKE {code} {k}" for code in plants for k in (1, 2, 3, 4)]
    names += [f"EXCHANGE {code} {m}" for code in plants for m in (3, 4, 5, 6)]
    names += [f"SEAT {d}" for d in range(4)]
    assert list(SuperTooth.actions) == names
    places = {"CHOOSE tri": 2, "CHOOSE tim": 24, "PAY_HAND tri": 25, "PAY_LAND tri": 31, "PAY_TRAVELER": 37}
    places |= {"TAKE tri 1": 38, "TAKE igu 1": 42, "TAKE ana 1": 46, "EXCHANGE tri 3": 62, "SEAT 0": 86, "SEAT 3": 89}
    assert {name: names.index(name) for name in places} == places
    assert SuperTooth.decisions == (
        *("EVENT_ORDER", "EGG", "QUETZ", "VOLCANO", "STAMPEDE_PASS", "MEAT_TARGET", "MEAT_PAY"),
        *("ROAM", "COLLECT", "BONUS", "EXCHANGE"),
    )


def test_sizes() -> None:
    """Section 6: 182 numbers; states below 1 KiB; one layout for every number of seats."""
    assert SuperTooth.state_dtype.itemsize <= 1024
    assert tooth().layout.size == 182
    assert len({tooth(num_players=players).layout.digest for players in (2, 3, 4)}) == 1
    assert tooth(coins_to_win=12).layout.digest != tooth().layout.digest


def test_options() -> None:
    """Section 3: names and defaults; J4: coins to win."""
    options = tooth().options.model_dump()
    assert options == {
        "num_players": 4,
        "deck": "prepub62",
        "coins_to_win": None,
        "first_seat": "random",
        "hot_sun_marker": False,
        "reward": "winner",
        "shaping": 0.0,
        "max_steps": 2000,
        "max_turns": 1000,
        "skip_forced": True,
    }
    for deck, goals in (("prepub62", (4, 3, 3)), ("gamewright72", (5, 3, 3))):
        for players, goal in zip((2, 3, 4), goals, strict=True):
            assert tooth(num_players=players, deck=deck).options.target() == goal
            assert tooth(num_players=players, deck=deck, coins_to_win=7).options.target() == 7


@seats
@pytest.mark.parametrize("deck", ["prepub62", "gamewright72"])
def test_setup(players: int, deck: str) -> None:
    """P1, J2, J3: a full face-down pile, empty hands, no coins; everybody begins equally often."""
    table = tooth(num_players=players, deck=deck)
    first = np.zeros(players, int)
    for seed in range(900):
        states = table.deal(seed)
        position = table.to_dict(states)
        first[(position["active"] - position["turn"] + 1) % players] += 1
        if seed < 30:
            check(table, states)
            assert position["turn"] > 1 or position["hands"] == [{}] * players
            assert position["coins"] == [0] * players
            seat = position["seat"]
            assert seat == position["active"] or (
                position["decision"] == "VOLCANO" and seat == (position["active"] + 1) % players
            )
    assert np.all(abs(first - 900 / players) < 5 * np.sqrt(900 / players))
    fixed = tooth(num_players=players, deck=deck, first_seat=1)
    assert all(
        (fixed.to_dict(fixed.deal(seed))["active"] - fixed.to_dict(fixed.deal(seed))["turn"]) % players == 0
        for seed in range(30)
    )


@pytest.mark.parametrize(
    ("players", "deck", "mean", "tail", "extinct"),
    [
        (2, "prepub62", 88, 161, 0.000),
        (3, "prepub62", 116, 266, 0.002),
        (4, "prepub62", 234, 798, 0.076),
        (2, "gamewright72", None, None, 0.013),
        (3, "gamewright72", None, None, 0.033),
        (4, "gamewright72", None, None, 0.249),
    ],
)
def test_random_play(players: int, deck: str, mean: float | None, tail: float | None, extinct: float) -> None:
    """Sections 1 and 7: length, its 99th percentile, and how often no set is left, of 3,000 random games."""
    table = tooth(num_players=players, deck=deck)
    states, mask = table.new_states(), table.new_mask()
    lengths, ranks, cut = np.zeros(3000, int), np.zeros((1, 4), int), np.zeros(1, bool)
    unwon = 0
    for number in range(3000):
        part = slice(number, number + 1)
        loops.random_games(table.tables, table.blank, states, 3, number, 1, mask, lengths[part], ranks, cut)
        assert not cut[0]
        row = states.view(np.ndarray)[0]
        unwon += int(row["coins"].max() < table.options.target())
    assert abs(unwon / 3000 - extinct) < 0.005 + 4 * np.sqrt(extinct * (1 - extinct) / 3000)
    if mean and tail:
        error = lengths.std() / np.sqrt(3000)
        assert abs(lengths.mean() - mean) < 1 + 4 * error
        assert abs(np.percentile(lengths, 99) - tail) < 0.12 * tail


# The course of a game


def halting_game(table: SuperTooth, seed: int) -> Iterator[tuple[np.ndarray, list[Event]]]:
    """A random game that halts after every turn: the state there, and what happened in the turn."""
    states = table.from_dict({"base": "deal", "seed": seed})
    state = record(states)
    state.breakpoint = 1 + table.phases.index("TURN_END")
    state.tracing = 1
    written = 0
    while state.over == RUNNING:
        if state.seat < 0:
            yield states, events_since(state, written)
            written = int(state.event_count)
            table.resume(states)
        else:
            table.step(states, chosen(table.legal_mask(states), mix_python(seed, 7, int(state.steps))))


def test_what_a_turn_leaves() -> None:
    """I9, R22, R25, J13: no Event and no Meat-Eater stays in L; after a Volcano nothing does. Then the next seat."""
    erupted = 0
    for seed in range(12):
        table = tooth(num_players=3, hot_sun_marker=bool(seed % 2))
        active = None
        for number, (states, events) in enumerate(halting_game(table, seed)):
            position = table.to_dict(states)
            assert set(position["landscape"]) <= set(CODES[:6])
            kinds = [(table.event_kinds[event.kind], event.first) for event in events]
            if ("RESOLVING", CODES.index("vol")) in kinds and number:
                erupted += 1
                assert position["landscape"] == position["lasting"] == position["discard"] == {}
                assert position["marker"] is False
                assert ("CLEANED_UP", 0) in kinds
            assert active is None or position["active"] == (active + 1) % 3
            active = position["active"]
            check(table, states)
    assert erupted > 10


def test_exchanging_comes_after_collecting_and_coins_stay() -> None:
    """I6, I11: coins are the sum over exchanges and never decrease; who has not collected does not exchange."""
    exchanged = 0
    for seed in range(15):
        table = tooth(num_players=3)
        written = 0
        collected = False
        coins = [0, 0, 0]
        for moment in random_game(table, seed, trace=True):
            state = record(moment.states)
            for event in events_since(state, written):
                kind = table.event_kinds[event.kind]
                collected = collected or kind == "COLLECTED"
                if kind == "TURN_BEGAN":
                    collected = False
                if kind == "EXCHANGED":
                    assert collected, "I11"
                    exchanged += 1
                    coins[event.seat] += {3: 1, 4: 1, 5: 2, 6: 3}[event.second]
            written = int(state.event_count)
            assert state.coins[:3].tolist() == coins
            if moment.action >= 0 and table.decisions[state.decision] == "EXCHANGE":
                assert collected, "I11"
    assert exchanged > 30


def test_equal_seeds_equal_histories() -> None:
    """I16."""
    table = tooth(num_players=4)
    for seed in range(3):
        first, second = ([m.states.tobytes() for m in random_game(table, seed, trace=True)] for _ in range(2))
        assert first == second


def test_a_turn_starts_over_ten_times_at_most(tmp_path: Path) -> None:
    """J31, I12: after the eleventh restart it ends."""
    table = tooth(num_players=2, deck=deck_file(tmp_path, {"stampede": 14}))
    three = [*["sta", "igu", "ana"] * 3, "par", "pro", "ank"]
    states = table.from_dict({"at": "REVEAL", "halt": "TURN_END", "top": three, "restarts": 8})
    position = table.to_dict(states)
    assert position["phase"] == "TURN_END"
    assert position["restarts"] == 11
    assert position["landscape"] == {}
    table.resume(states)
    assert table.to_dict(states)["restarts"] == 0
    ten = table.from_dict({"at": "REVEAL", "halt": "TURN_END", "top": three, "restarts": 7})
    assert table.to_dict(ten)["restarts"] == 10
    assert table.to_dict(ten)["decision"] == "COLLECT"


def test_turns_are_counted_and_capped() -> None:
    """J32: a game is cut off when the last allowed turn is completed; ranks and rewards as at the step cap."""
    for seed in range(5):
        table = tooth(num_players=3, max_turns=12)
        *_, last = random_game(table, seed)
        state = record(last.states)
        assert state.over == TRUNCATED
        assert state.turn == 12
        order = [(int(state.coins[seat]), int(state.hand[seat].sum())) for seat in range(3)]
        assert state.rank[:3].tolist() == [1 + sum(other > own for other in order) for own in order]
        assert abs(state.reward.sum()) < 1e-9


def test_ties_are_paid() -> None:
    """Section 7: shares of the first place, and nothing for anybody if all are first."""
    position = {"at": "COLLECT", "steps": 1999, "landscape": {"igu": 1, "ank": 1}}
    for hands, rewards, ranks in (
        ([{}, {"tri": 1}, {"pro": 1}], [0, 0, 0], [0, 0, 0]),
        ([{}, {"tri": 1}, {}], [0.5, 0.5, -1], [0.5, 0.5, -1]),
        ([{}, {"tri": 2}, {"pro": 2}], [-1, 0.5, 0.5], [-1, 0.5, 0.5]),
        ([{"par": 1}, {"tri": 1}, {"pro": 1}], [1, -0.5, -0.5], [1, -0.5, -0.5]),
        ([{"par": 2}, {"tri": 1}, {}], [1, -0.5, -0.5], [1, 0, -1]),
    ):
        for reward, expected in (("winner", rewards), ("rank", ranks)):
            table = tooth(num_players=3, reward=reward)
            states = table.from_dict({**position, "hands": hands})
            follow(table, states, "TAKE ank 1")
            assert record(states).over == TRUNCATED
            assert record(states).reward[:3].tolist() == pytest.approx(expected), (hands, reward)


@seats
@pytest.mark.parametrize("reward", ["winner", "rank"])
def test_shaping_adds_up(players: int, reward: str) -> None:
    """Section 7: over a game it pays each seat its coins less the mean of the others', in parts of the goal."""
    plain = tooth(num_players=players, reward=reward)
    shaped = tooth(num_players=players, reward=reward, shaping=0.75)
    low, high = shaped.reward_bounds()
    for seed in range(6):
        totals = [
            sum(record(moment.states).reward.copy() for moment in random_game(table, seed)) for table in (plain, shaped)
        ]
        *_, last = random_game(plain, seed)
        coins = record(last.states).coins[:players].astype(float)
        others = (coins.sum() - coins) / (players - 1)
        expected = totals[0][:players] + 0.75 * (coins - others) / plain.options.target()
        assert totals[1][:players] == pytest.approx(expected, abs=1e-12)
        assert low <= totals[1].min() <= totals[1].max() <= high


def test_shaping_is_paid_with_the_exchange() -> None:
    """Section 7: in the step in which the coins are gained."""
    table = tooth(num_players=3, shaping=0.6)
    states = table.from_dict({"at": "COLLECT", "hands": [{"igu": 4}, {}, {}], "landscape": {"igu": 1, "ana": 1}})
    follow(table, states, "TAKE igu 1")
    assert not record(states).reward.any()
    follow(table, states, "EXCHANGE igu 5")
    assert record(states).reward[:3].tolist() == pytest.approx([0.4, -0.2, -0.2])


# Chance


def test_quetzalcoatlus_takes_any_card_with_the_same_chance() -> None:
    """J12."""
    table = tooth(num_players=2)
    position = {"at": "EVENTS", "landscape": {"que": 1, "pro": 1}, "hands": [{"par": 1}, {"igu": 3, "tri": 1}]}
    taken: Counter[str] = Counter()
    for seed in range(1200):
        states = table.from_dict({**position, "seed": seed})
        follow(table, states, "SEAT 1")
        (code,) = set(table.to_dict(states)["landscape"]) - {"pro"}
        taken[code] += 1
    assert set(taken) == {"igu", "tri"}
    assert abs(taken["tri"] - 300) < 5 * np.sqrt(225)


def test_t_rex_deals_every_card_with_the_same_chance() -> None:
    """J14: seat 1 gets two of four cards, the others one."""
    table = tooth(num_players=3)
    position = {
        "at": "EVENTS",
        "landscape": {"rex": 1, "pro": 2},
        "hands": [{"tri": 1}, {"igu": 1}, {"ana": 1, "par": 1}],
    }
    owner: dict[str, Counter[int]] = {code: Counter() for code in ("tri", "igu", "ana", "par")}
    for seed in range(1200):
        hands = table.to_dict(table.from_dict({**position, "seed": seed}))["hands"]
        assert [len(hand) for hand in hands] == [1, 2, 1]
        for seat, hand in enumerate(hands):
            for code in hand:
                owner[code][seat] += 1
    for code, counts in owner.items():
        for seat, share in enumerate((300, 600, 300)):
            assert abs(counts[seat] - share) < 5 * np.sqrt(share), (code, seat)


def test_every_card_is_turned_over_with_the_same_chance() -> None:
    """R2, R8: the first card of a game, by kind."""
    table = tooth(num_players=2)
    seen: Counter[int] = Counter()
    for seed in range(3000):
        events = events_since(record(table.deal(seed, trace=True)), 0)
        seen[next(event.first for event in events if table.event_kinds[event.kind] == "REVEALED")] += 1
    for kind, copies in enumerate(table.cards.counts):
        expected = 3000 * copies / 62
        assert abs(seen[kind] - expected) <= 5 * np.sqrt(expected), CODES[kind]


# What the seats know


class Observer:
    """Section 6, by the letter: what one seat can prove of the others' hands, from what it is told of a game."""

    def __init__(self, seat: int, players: int) -> None:
        self.seat = seat
        self.players = players
        self.known: list[Counter[int]] = [Counter() for _ in range(players)]
        self.size = [0] * players
        self.passed: dict[int, int] = {}  # this Stampede's cards, as far as this seat saw them

    def gain(self, seat: int, species: int, number: int) -> None:
        self.known[seat][species] += number
        self.size[seat] += number

    def lose(self, seat: int, species: int, number: int) -> None:
        self.known[seat][species] = max(0, self.known[seat][species] - number)
        self.size[seat] -= number

    def redeal(self, sizes: list[int]) -> None:
        self.known = [Counter() for _ in range(self.players)]
        self.size = sizes

    def stampede(self) -> None:
        before = [Counter({s: k for s, k in known.items() if k}) for known in self.known]
        size = list(self.size)
        arrivals: list[tuple[int, int]] = []
        for seat in range(self.players):
            left = (seat + 1) % self.players
            if not size[seat]:
                continue
            self.size[seat] -= 1
            self.size[left] += 1
            if seat == self.seat:
                arrivals.append((left, self.passed[seat]))
            elif left == self.seat:
                self.known[seat][self.passed[seat]] = max(0, before[seat][self.passed[seat]] - 1)
            elif len(before[seat]) == 1 and sum(before[seat].values()) == size[seat]:
                (species,) = before[seat]
                self.known[seat][species] -= 1
                arrivals.append((left, species))
            else:
                for species in before[seat]:
                    self.known[seat][species] -= 1
        for seat, species in arrivals:
            self.known[seat][species] += 1
        self.passed = {}


def observe(observers: list[Observer], events: list[Event], sizes: list[int]) -> None:
    """Tell each observer what it may see. ``sizes`` are the public hand sizes after these events."""
    kinds = SuperTooth.event_kinds
    for place, event in enumerate(events):
        kind = kinds[event.kind]
        if kind == "HERD_PASSED":
            for after in events[place + 1 :]:
                if kinds[after.kind] != "PASSED":
                    break
                for observer in observers:
                    if after.visible_to(observer.seat):
                        observer.passed[after.seat] = after.first
        for observer in observers:
            if kind == "COLLECTED":
                observer.gain(event.seat, event.first, event.second)
            elif kind == "TOOK_BONUS":
                observer.gain(event.seat, event.first, 1)
            elif kind == "SNATCHED" or (kind == "PAID" and event.second == 0):
                observer.lose(event.seat, event.first, 1)
            elif kind == "EXCHANGED":
                observer.lose(event.seat, event.first, event.second)
            elif kind == "REDEALT":
                each, rest = divmod(sum(observer.size), observer.players)
                dealt = [(event.seat + 1 + i) % observer.players for i in range(observer.players)]
                sizes_now = [0] * observer.players
                for i, seat in enumerate(dealt):
                    sizes_now[seat] = each + (i < rest)
                observer.redeal(sizes_now)
            elif kind == "HERD_PASSED":
                observer.stampede()
    for observer in observers:
        assert observer.size == sizes


@pytest.mark.parametrize(("players", "games"), [(2, 20), (3, 20), (4, 12)])
def test_views_hold_exactly_what_can_be_proved(tmp_path: Path, players: int, games: int) -> None:
    """Section 6: K and unknown, followed from outside, in games full of Stampedes and with some T-Rexes."""
    table = tooth(num_players=players, deck=deck_file(tmp_path, {"stampede": 4, "asteroid": 0}))
    stampedes = told = 0
    for seed in range(games):
        observers = [Observer(seat, players) for seat in range(players)]
        written = 0
        for moment in random_game(table, seed, trace=True):
            state = record(moment.states)
            events = events_since(state, written)
            if len(events) < int(state.event_count) - written:
                break  # more than the ring holds: leave this game
            written = int(state.event_count)
            told += 1
            sizes = [int(state.hand[seat].sum()) for seat in range(players)]
            observe(observers, events, sizes)
            stampedes += sum(table.event_kinds[event.kind] == "HERD_PASSED" for event in events)
            for seat, observer in enumerate(observers):
                view = table.view(moment.states, seat)
                for place in range(1, players):
                    known = observer.known[(seat + place) % players]
                    assert view.known[place - 1].tolist() == [known[species] for species in range(6)]
                    assert view.unknown[place - 1] == view.hand_sizes[place] - sum(known.values())
                    assert view.unknown[place - 1] >= 0
    assert stampedes > 20
    assert told > 500


@seats
def test_everybody_can_count(players: int) -> None:
    """Section 6: the draw pile by kind and the sum of all other hands follow from what lies open and the deck."""
    table = tooth(num_players=players)
    for moment in random_game(table, 5):
        for seat in range(players):
            view = table.view(moment.states, seat)
            total = view.landscape + view.discard + view.draw + view.banished
            total[[17, 20, 21, 22]] += view.lasting
            total[:6] += view.hand + view.others
            if view.resolving >= 0:
                total[13 + view.resolving] += 1
            assert total.tolist() == list(table.cards.counts)
            assert view.draw_size == view.draw.sum()
            assert view.others.sum() == view.hand_sizes[1:].sum()
            assert np.all(view.known.sum(axis=0) <= view.others)


# Hidden worlds


UNKNOWN: dict[str, Any] = {
    "phase": "PASS",
    "decision": "STAMPEDE_PASS",
    "seat": 2,
    "active": 1,
    "resolving": "sta",
    "hands": [{"tri": 1, "igu": 1}, {"igu": 1, "ana": 2}, {"pro": 1, "ank": 1}, {"par": 2}],
    "passing": [None, "ana", None, None],
    "known": [
        [None, {"ana": 1}, {}, {"par": 1}],
        [{}, None, {"pro": 1}, {}],
        [{}, {"igu": 1}, None, {"par": 1}],
        [{"tri": 1}, {"ana": 2}, {}, None],
    ],
}


def test_hidden_worlds() -> None:
    """What seat 2 cannot place is dealt anew; what it can prove, sizes and public things stay; passes are redrawn."""
    table = tooth(num_players=4)
    states = table.from_dict(UNKNOWN)
    truth = table.to_dict(states)
    where: Counter[tuple[int, str]] = Counter()
    passes: Counter[str] = Counter()
    kept = ("landscape", "discard", "draw", "banished", "coins", "resolving", "active", "seat", "decision")
    for seed in range(2000):
        world = table.resample(states, 2, seed)
        check(table, world)
        position = table.to_dict(world)
        assert all(position[key] == truth[key] for key in kept)
        hands = position["hands"]
        assert hands[2] == truth["hands"][2]
        assert [sum(hand.values()) for hand in hands] == [2, 3, 2, 2]
        assert hands[1].get("igu", 0) >= 1
        assert hands[3].get("par", 0) >= 1
        assert position["known"][2] == truth["known"][2]
        # Others know as many cards as before; what seat 2 can prove too is among them.
        for seat in (0, 1, 3):
            assert position["known"][seat][2] == truth["known"][seat][2]
            for other in (0, 1, 3):
                if other != seat:
                    old, new = truth["known"][seat][other], position["known"][seat][other]
                    assert sum(new.values()) == sum(old.values())
        assert position["known"][0][3] == {"par": 1}
        assert position["passing"][0] is position["passing"][2] is position["passing"][3] is None
        passes[position["passing"][1]] += position["passing"][1] == "igu" and len(hands[1]) == 2
        passes["two"] += len(hands[1]) == 2
        # The six unknown cards: tri, igu, ana, ana, par; two of them with seat 0, two with seat 1, one with seat 3.
        for seat, known in ((0, {}), (1, {"igu": 1}), (3, {"par": 1})):
            for code, count in hands[seat].items():
                where[seat, code] += count - known.get(code, 0)
    for code, copies in {"tri": 1, "igu": 1, "ana": 2, "par": 1}.items():
        for seat, slots in ((0, 2), (1, 2), (3, 1)):
            expected = 2000 * copies * slots / 5
            assert abs(where[seat, code] - expected) < 6 * np.sqrt(expected), (seat, code)
    assert abs(passes["igu"] - passes["two"] / 2) < 5 * np.sqrt(passes["two"] / 4), "each species with the same chance"


def test_what_others_know_is_redrawn_among_all_cards() -> None:
    """Seat 3 knows two cards of seat 1, of which seat 2 knows none: in worlds these are any two of the hand."""
    table = tooth(num_players=4)
    states = table.from_dict(UNKNOWN)
    seen = {str(sorted(table.to_dict(table.resample(states, 2, seed))["known"][3][1].items())) for seed in range(300)}
    assert len(seen) > 5
    assert "[('ana', 2)]" in seen


def test_worlds_of_a_game_without_secrets_are_the_game() -> None:
    """With two seats the other hand can be counted."""
    table = tooth(num_players=2, deck="gamewright72")
    for moment in random_game(table, 3):
        if moment.action >= 0:
            truth = table.to_dict(moment.states)
            world = table.to_dict(table.resample(moment.states, truth["seat"], 5))
            assert {key: world[key] for key in table.position_keys() if key in world} == {
                key: truth[key] for key in table.position_keys() if key in truth
            }


def test_a_world_forgets_the_script() -> None:
    """The order of the draw pile is nobody's knowledge."""
    table = tooth(num_players=3)
    states = table.from_dict({"at": "REVEAL", "top": ["igu", "ana", "tri", "par", "par", "par", "ank"]})
    worlds = [table.resample(states, 0, seed) for seed in range(30)]
    following = set()
    for world in worlds:
        assert "script" not in table.to_dict(world)
        follow(table, world, "TAKE igu 1")
        following.add(str(table.to_dict(world)["landscape"]))
    assert len(following) > 8
