"""The words of Super Tooth: views, actions, events, and why an action is illegal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.super_tooth import follow, tooth
from tests.support import random_game
from tooth_envs.engine.events import Event, events_since
from tooth_envs.engine.state import record
from tooth_envs.games.super_tooth.game import SuperTooth

# Words

BUSY: dict[str, Any] = {
    "at": "MEAT",
    "active": 1,
    "restarts": 1,
    "volcano": True,
    "landscape": {"sar": 1, "igu": 2},
    "lasting": {"sun": 1, "tim": 2},
    "discard": {"vol": 1, "ast": 1},
    "banished": {"tri": 1},
    "coins": [2, 1, 0],
    "hands": [{"igu": 2}, {"ana": 1, "tri": 1}, {}],
    "known": [[None, {"tri": 1}, {}], [{}, None, {}], [{"igu": 2}, {}, None]],
}


NOW = (
    "It is your turn. It started over once. Sarcosuchus must be dealt with; it eats Anatosaurus. A Volcano will clear "
    "everything at the end of the turn. You decide how to get rid of the Meat-Eater."
)
DRAW = (
    "Draw pile, 49 in unknown order: 4 Triceratops, 3 Iguanodon, 6 Anatosaurus, 6 Parasaurolophus, 6 Ankylosaurus, "
    "6 Protoceratops, 2 Sarcosuchus, 2 Baryonyx, 2 Albertosaurus, 2 Tarbosaurus, 2 Velociraptor, 2 Egg, "
    "2 Quetzalcoatlus, Tyrannosaurus Rex, Stampede, Foliage, Roaming Daspletosaurus."
)
IMPACT = (
    "Asteroid: all face-up cards go, Plant-Eaters, Meat-Eaters and lasting Time Travelers for good. "
    "The turn starts over."
)


def test_a_view_in_words() -> None:
    table = tooth(num_players=3)
    states = table.from_dict(BUSY)
    mine, other = (table.describe(table.view(states, seat)) for seat in (1, 0))
    assert mine.splitlines() == [
        NOW,
        "Face up: 2 Iguanodon, Sarcosuchus. Lasting: Hot Sun, 2 Time Traveler.",
        DRAW,
        "Discarded: Volcano, Asteroid. Banished: Triceratops.",
        "You: 1 coin of 3; hand Triceratops, Anatosaurus.",
        "Left 1: 0 coins of 3; no cards.",
        "Left 2: 2 coins of 3; 2 cards: 2 unknown.",
        "All other hands together: 2 Iguanodon.",
    ]
    assert other.splitlines()[0].endswith("clear everything at the end of the turn. Left 1 decides.")
    assert other.startswith("It is the turn of left 1.")
    assert "Left 1: 1 coin of 3; 2 cards: Triceratops, 1 unknown." in other
    for seat in range(3):
        assert table.explain(table.observe(states, seat)) == table.describe(table.view(states, seat))
    pair = tooth(num_players=2)
    assert "together" not in pair.describe(pair.view(pair.deal(0), 0))


def test_a_resolving_event_in_words() -> None:
    table = tooth(num_players=2)
    states = table.from_dict({"at": "EVENTS", "landscape": {"egg": 1}, "discard": {"igu": 1, "ana": 1}, "restarts": 2})
    words = table.describe(table.view(states, 0))
    assert "It started over 2 times. Egg is being resolved. You decide the discarded card that takes" in words


def test_every_action_in_words() -> None:
    table = tooth()
    for moment in random_game(table, 4):
        view = table.view(moment.states, 0)
        said = [table.describe_action(view, action) for action in range(len(table.actions))]
        assert len(set(said)) == len(said)
    view = table.view(table.deal(0), 0)
    said = [table.describe_action(view, table.action_index(name)) for name in ("STOP", "IGNORE", "PAY_TRAVELER")]
    assert said[0] == "exchange nothing more and end the turn"
    assert said[1] == "ignore the Meat-Eater: all face-up cards are discarded and the turn ends"
    assert said[2] == "chase with the Time Traveler"
    for name, words in {
        "PAY_HAND ana": "pay Anatosaurus from your hand",
        "PAY_LAND tri": "pay Triceratops from the Landscape",
        "TAKE igu 3": "collect 3 Iguanodon",
        "EXCHANGE par 3": "exchange 3 Parasaurolophus for 1 coin",
        "EXCHANGE par 4": "exchange 4 Parasaurolophus for 1 coin and a card of the Landscape",
        "EXCHANGE tri 6": "exchange 6 Triceratops for 3 coins",
        "SEAT 0": "take a random card from your own hand",
        "SEAT 2": "take a random card from left 2",
    }.items():
        assert table.describe_action(view, table.action_index(name)) == words


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ({"at": "EVENTS", "landscape": {"que": 1, "egg": 1}}, "resolve Egg"),
        (
            {"at": "EVENTS", "landscape": {"egg": 1}, "discard": {"igu": 1, "ana": 1}},
            "fetch Iguanodon from the discard pile",
        ),
        ({"at": "EVENTS", "landscape": {"vol": 1, "igu": 1, "ana": 1}}, "let the Volcano consume Iguanodon"),
        ({"at": "EVENTS", "landscape": {"sta": 1}, "hands": [{"igu": 1, "ana": 1}, {}]}, "pass Iguanodon to your left"),
        ({"at": "MEAT", "landscape": {"sar": 1, "bar": 1}}, "deal with Sarcosuchus"),
        (
            {"at": "ROAM", "landscape": {"igu": 1, "ana": 1}, "lasting": {"das": 1}},
            "let the Daspletosaurus eat Iguanodon",
        ),
        ({"at": "BONUS", "landscape": {"igu": 1, "ana": 1}}, "take Iguanodon as well"),
    ],
    ids=str,
)
def test_a_choice_is_told_by_what_it_means(position: dict[str, Any], words: str) -> None:
    table = tooth(num_players=2)
    states = table.from_dict(position)
    state = record(states)
    action = table.action_index(table.legal_names(state)[0])
    view = table.view(states, int(state.seat))
    assert table.describe_action(view, action) == words
    assert "You decide" in table.describe(view)


def told(table: SuperTooth, position: dict[str, Any], *names: str, seat: int | None) -> list[str]:
    """What a seat is told of a course of events."""
    states = table.from_dict(position)
    record(states).tracing = 1
    follow(table, states, *names)
    lines = (table.describe_event(event, seat) for event in events_since(record(states), 0))
    return [line for line in lines if line]


def test_events_in_words() -> None:
    table = tooth(num_players=3)
    names = ("PAY_HAND ana", "TAKE igu 2", "EXCHANGE igu 4", "CHOOSE par")
    position = {
        "at": "MEAT",
        "halt": "TURN_END",
        "landscape": {"sar": 1, "igu": 2, "par": 1},
        "lasting": {"sun": 1},
        "hands": [{"igu": 2, "ana": 1}, {}, {}],
        "volcano": True,
    }
    states = table.from_dict(position)
    record(states).tracing = 1
    follow(table, states, *names[:3])
    lines = [table.describe_event(event, 2) for event in events_since(record(states), 0)]
    assert lines == [
        "Left 1 pays Anatosaurus from hand.",
        "Left 1 collects 2 Iguanodon.",
        "Left 1 exchanges 4 Iguanodon for 1 coin.",
        "Left 1 takes Parasaurolophus as well.",
        "The Volcano clears the Landscape; everything is shuffled into a new draw pile.",
    ]
    assert table.describe_event(events_since(record(states), 0)[1], 0) == "You collect 2 Iguanodon."
    assert table.describe_event(events_since(record(states), 0)[1], None) == "Seat 0 collects 2 Iguanodon."


def test_a_stampede_is_told_to_those_who_may_know() -> None:
    table = tooth(num_players=3)
    position = {
        "at": "PASS",
        "resolving": "sta",
        "halt": "RESTART",
        "hands": [{"tri": 1, "ana": 1}, {"igu": 2}, {"pro": 1, "par": 1}],
    }
    names = ("CHOOSE ana", "CHOOSE par")
    assert told(table, position, *names, seat=0) == [
        "You choose Anatosaurus, to be passed to the left.",
        "Every hand has passed a card to the left.",
        "You pass Anatosaurus to left 1.",
        "Left 2 passes Parasaurolophus to you.",
    ]
    assert told(table, position, *names, seat=1) == [
        "You choose Iguanodon, to be passed to the left.",
        "Every hand has passed a card to the left.",
        "Left 2 passes Anatosaurus to you.",
        "You pass Iguanodon to left 1.",
    ]
    assert len(told(table, position, *names, seat=None)) == 7
    assert told(table, position, "CHOOSE ana", seat=1) == ["You choose Iguanodon, to be passed to the left."]
    assert told(table, position, "CHOOSE ana", seat=2) == []


@pytest.mark.parametrize(
    ("position", "names", "lines"),
    [
        (
            {"at": "REVEAL", "top": ["egg", "igu", "ana"], "discard": {"par": 1, "pro": 1}},
            ["CHOOSE par"],
            ["Seat 0 fetches Parasaurolophus from the discard pile."],
        ),
        (
            {"at": "EVENTS", "landscape": {"vol": 1, "igu": 1, "ana": 1}},
            ["CHOOSE ana"],
            ["Seat 1 lets the Volcano consume Anatosaurus."],
        ),
        (
            {"at": "EVENTS", "landscape": {"que": 1, "igu": 1}, "hands": [{"par": 1}, {"ana": 1}]},
            ["SEAT 1"],
            ["Anatosaurus is drawn from the hand of seat 1."],
        ),
        (
            {"at": "MEAT", "landscape": {"alb": 1, "par": 1, "igu": 1}, "discard": {"egg": 1}},
            ["IGNORE"],
            ["Seat 0 ignores Albertosaurus: the face-up cards are discarded."],
        ),
        (
            {"at": "MEAT", "landscape": {"alb": 1, "par": 1}, "lasting": {"tim": 1}},
            ["PAY_TRAVELER"],
            ["Seat 0 pays Time Traveler.", "Seat 0 collects 1 Parasaurolophus."],
        ),
        (
            {"at": "MEAT", "landscape": {"alb": 1, "par": 1, "igu": 1}},
            ["PAY_LAND par"],
            ["Seat 0 pays Parasaurolophus from the Landscape.", "Seat 0 collects 1 Iguanodon."],
        ),
        (
            {"at": "ROAM", "landscape": {"par": 1, "igu": 1}, "lasting": {"das": 1}},
            ["CHOOSE par"],
            ["The Daspletosaurus eats Parasaurolophus.", "Seat 0 collects 1 Iguanodon."],
        ),
        (
            {"at": "EVENTS", "landscape": {"tim": 1, "que": 1, "igu": 1}},
            ["CHOOSE que"],
            ["Seat 0 resolves Quetzalcoatlus.", "Quetzalcoatlus has no effect.", "Time Traveler stays."],
        ),
        (
            {"at": "EVENTS", "landscape": {"rex": 1, "sta": 1}, "top": ["igu", "ana", "par"]},
            ["CHOOSE rex"],
            [
                "Tyrannosaurus Rex: all hands are shuffled together and dealt out again.",
                "Stampede: all face-up cards are discarded.",
                "Every hand has passed a card to the left.",
                "Iguanodon is turned over.",
            ],
        ),
        (
            {"at": "EVENTS", "landscape": {"rex": 1, "ast": 1, "igu": 1}, "top": ["igu", "ana", "par"]},
            ["CHOOSE ast"],
            [IMPACT],
        ),
        (
            {"at": "EVENTS", "landscape": {"rex": 1, "ast": 1}, "rest": "aside"},
            ["CHOOSE ast"],
            ["No species has three cards left: the game ends.", "Seat 0 and seat 1 share the win."],
        ),
    ],
)
def test_more_events_in_words(position: dict[str, Any], names: list[str], lines: list[str]) -> None:
    said = told(tooth(num_players=2), {"halt": "TURN_END", **position}, *names, seat=None)
    places = [said.index(line) for line in lines]
    assert places == sorted(places)


def test_the_beginning_and_the_end_in_words() -> None:
    table = tooth(num_players=3)
    states = table.deal(3, trace=True)
    lines = [table.describe_event(event, int(record(states).active)) for event in events_since(record(states), 0)]
    assert lines[0] == "Turn 1: you."
    position = {"at": "COLLECT", "coins": [2, 0, 0], "landscape": {"igu": 1}, "hands": [{"igu": 2}, {}, {}]}
    assert told(table, position, "EXCHANGE igu 3", seat=2)[-1] == "Left 1 wins."
    assert told(table, position, "EXCHANGE igu 3", seat=0)[-1] == "You win."
    over = Event(table.event_kinds.index("GAME_OVER"), -1, -1, 0b101, 0)
    assert table.describe_event(over, 2) == "You and left 1 share the win."


def test_reshuffling_in_words() -> None:
    table = tooth(num_players=2)
    position = {"at": "END_TURN", "discard": {"ana": 5}, "top": ["igu"], "rest": "aside"}
    states = table.from_dict({**position, "halt": "TURN_END"})
    record(states).tracing = 1
    table.resume(states)
    lines = [table.describe_event(event, None) for event in events_since(record(states), 0)]
    assert lines[:4] == [
        "Turn 2: seat 1.",
        "Iguanodon is turned over.",
        "The discard pile is shuffled and becomes the draw pile.",
        "Anatosaurus is turned over.",
    ]


@pytest.mark.parametrize(
    ("position", "action", "reason"),
    [
        ({"at": "COLLECT"}, "STOP", "section 5: it is no answer to COLLECT"),
        ({"at": "COLLECT"}, "CHOOSE igu", "no answer to COLLECT"),
        ({"at": "COLLECT"}, "TAKE igu 3", "R16: L holds 2 Iguanodon"),
        ({"at": "EXCHANGE", "hands": [{"ana": 3}, {}]}, "EXCHANGE ana 5", "R19: it takes 5 Anatosaurus, you hold 3"),
        (
            {"at": "EXCHANGE", "hands": [{"ana": 4}, {}], "landscape": {}},
            "EXCHANGE ana 4",
            "J27: four cards are exchanged only",
        ),
        (
            {"at": "MEAT", "landscape": {"sar": 1, "ana": 1}},
            "PAY_HAND ana",
            "J22: there is no Anatosaurus in your hand",
        ),
        (
            {"at": "MEAT", "landscape": {"sar": 1, "ana": 1}},
            "PAY_LAND pro",
            "R13, R14: Protoceratops neither feeds nor chases Sarcosuchus",
        ),
        ({"at": "MEAT", "landscape": {"sar": 1, "ana": 1}}, "PAY_LAND tri", "J22: there is no Triceratops in L"),
        ({"at": "MEAT", "landscape": {"sar": 1, "ana": 1}}, "PAY_TRAVELER", "R32: no Time Traveler lies there"),
        ({"at": "ROAM", "lasting": {"das": 1}}, "PAY_HAND igu", "J18, J21: Iguanodon has no chase-away icon"),
        ({"at": "ROAM", "lasting": {"das": 1}}, "PAY_HAND tri", "J22: there is no Triceratops in your hand"),
        ({"at": "ROAM", "lasting": {"das": 1}}, "CHOOSE tri", "J18: Triceratops is no Plant-Eater of L"),
        ({"at": "EVENTS", "landscape": {"que": 1, "egg": 1}}, "CHOOSE vol", "R10: no Volcano to be resolved is in L"),
        (
            {"at": "EVENTS", "landscape": {"egg": 1}, "discard": {"igu": 1, "ana": 1, "egg": 1}},
            "CHOOSE egg",
            "J11: an Egg cannot fetch an Egg",
        ),
        (
            {"at": "EVENTS", "landscape": {"egg": 1}, "discard": {"igu": 1, "ana": 1}},
            "CHOOSE par",
            "J11: no Parasaurolophus is in the discard pile",
        ),
        ({"at": "EVENTS", "landscape": {"vol": 1, "igu": 1, "ana": 1}}, "CHOOSE sun", "J13: no Hot Sun lies face up"),
        (
            {"at": "EVENTS", "landscape": {"sta": 1}, "hands": [{"igu": 1, "ana": 1}, {}]},
            "CHOOSE par",
            "R29: no Parasaurolophus is in your hand",
        ),
        ({"at": "MEAT", "landscape": {"sar": 1, "bar": 1}}, "CHOOSE tar", "J20: Tarbosaurus is no Meat-Eater of L"),
        ({"at": "BONUS"}, "CHOOSE par", "J17, J27: Parasaurolophus is no Plant-Eater of L"),
        (
            {"at": "EVENTS", "landscape": {"que": 1}, "hands": [{"igu": 1}, {"ana": 1}]},
            "SEAT 2",
            "J12: there are 2 seats",
        ),
        ({"at": "EVENTS", "landscape": {"que": 1}, "hands": [{"igu": 1}, {}]}, "SEAT 1", "J12: that hand is empty"),
    ],
    ids=str,
)
def test_why_not(position: dict[str, Any], action: str, reason: str) -> None:
    table = tooth(num_players=2, skip_forced=False)
    states = table.from_dict({"landscape": {"igu": 2, "ana": 1}, **position})
    with pytest.raises(ValueError, match=reason):
        follow(table, states, action)
