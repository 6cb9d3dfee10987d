"""Super Tooth: options, decks, forced chance, events, words and positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.super_tooth import NAME, deck_file, follow, tooth
from tests.games.test_deck import toml
from tests.support import random_game
from tooth_envs.engine.events import Event, events_since
from tooth_envs.engine.state import TERMINATED, digest, record
from tooth_envs.errors import DeckError, OptionError, PositionError, ScriptError
from tooth_envs.games.deck import built_in
from tooth_envs.games.super_tooth import SuperTooth, cards
from tooth_envs.registry import game

# Decks

PREPUB = {
    "tri": 6,
    "igu": 7,
    "ana": 7,
    "par": 6,
    "ank": 6,
    "pro": 6,
    "sar": 3,
    "bar": 2,
    "alb": 2,
    "tar": 2,
    "vel": 2,
    "egg": 2,
    "que": 2,
    "vol": 1,
    "rex": 1,
    "sun": 1,
    "ast": 1,
    "sta": 1,
    "fol": 1,
    "das": 1,
    "tim": 2,
}
GAMEWRIGHT = {
    "tri": 7,
    "igu": 8,
    "ana": 8,
    "par": 7,
    "ank": 7,
    "pro": 7,
    "sar": 2,
    "bar": 2,
    "alb": 2,
    "tar": 2,
    "vel": 2,
    "spi": 3,
    "gig": 3,
    "egg": 2,
    "que": 2,
    "vol": 2,
    "rex": 2,
    "sun": 2,
    "ast": 2,
}
PREY = {
    "sar": ["ana"],
    "bar": ["igu"],
    "alb": ["par"],
    "tar": ["ank"],
    "vel": ["pro"],
    "spi": ["igu", "ana"],
    "gig": ["par", "ank"],
}


@pytest.mark.parametrize(("deck", "counts", "size"), [("prepub62", PREPUB, 62), ("gamewright72", GAMEWRIGHT, 72)])
def test_the_boxes(deck: str, counts: dict[str, int], size: int) -> None:
    """Section 4."""
    setup = tooth(deck=deck).cards
    assert {code: count for code, count in zip(cards.CODES, setup.counts, strict=True) if count} == counts
    assert setup.size == size
    assert setup.chases == (0,)
    for place, meat in enumerate(cards.MEATS):
        if counts.get(meat.code):
            assert [cards.CODES[species] for species in setup.prey[place]] == PREY[meat.code]
    assert setup.edition == ["prepub62", "gamewright72"].index(deck)
    assert tooth(deck=deck).view(tooth(deck=deck).deal(1), 0).edition == setup.edition


def test_built_in_decks() -> None:
    assert built_in(Path(cards.__file__).parent, cards.FIRST_DECK) == ["prepub62", "gamewright72"]
    with pytest.raises(DeckError, match=r"no built-in deck is named 'standard'.*prepub62, gamewright72"):
        game(NAME, deck="standard")


def card(kind: str, **more: Any) -> dict[str, Any]:
    """An entry of a deck of one's own."""
    (of,) = (entry for entry in cards.ALL if entry.id == kind)
    entry: dict[str, Any] = {"id": kind, "type": of.type, "name": f"My {kind}", "count": 4, "provenance": "own"}
    entry["effect"] = {"plant": "collect", "meat": "block"}.get(of.type) or cards.EFFECTS[cards.EVENTS.index(of)]
    if of.type == "meat":
        entry["prey"] = ["iguanodon"]
    return {**entry, **more}


def write(folder: Path, entries: list[dict[str, Any]]) -> str:
    file = folder / "mine.toml"
    text = "card = [\n" + "".join(f"  {toml(entry)},\n" for entry in entries) + "]\n"
    file.write_text(text.replace("True", "true").replace("False", "false"))
    return str(file)


OWN = [
    card("triceratops"),
    card("iguanodon", chases=True),
    card("ankylosaurus", count=5),
    card("tarbosaurus", prey=["ankylosaurus", "triceratops"]),
    card("egg"),
]


def test_a_deck_of_ones_own(tmp_path: Path) -> None:
    """Counts, names, prey and icons may change, and the rules follow."""
    table = tooth(deck=write(tmp_path, OWN), num_players=2)
    assert table.cards.size == 21
    assert table.options.target() == 4
    assert table.view(table.deal(0), 0).edition == 2
    states = table.from_dict({"at": "MEAT", "landscape": {"tar": 1, "tri": 1, "igu": 1}, "hands": [{"ank": 1}, {}]})
    assert set(table.legal_names(record(states))) == {"IGNORE", "PAY_HAND ank", "PAY_LAND tri", "PAY_LAND igu"}
    assert "My tarbosaurus must be dealt with; it eats My triceratops, My ankylosaurus." in table.describe(
        table.view(states, 0)
    )
    *_, last = random_game(table, 1)
    assert record(last.states).over


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        (
            [card("triceratops", id="stegosaurus")],
            "card 'stegosaurus': id: there is no such kind.*kinds are triceratops",
        ),
        (
            [card("triceratops", id="iguanadon")],
            "card 'iguanadon': id: there is no such kind; did you mean 'iguanodon'",
        ),
        ([card("egg", id="iguanodon")], "card 'iguanodon': type is 'event'; this kind is 'plant'"),
        ([card("egg", effect="erupt")], "card 'egg': effect is 'erupt'; this Event's is 'fetch'"),
        ([card("egg", effect="fly")], "card 'egg': effect"),
        ([card("egg", prey=["iguanodon"])], "card 'egg': unknown key 'prey'"),
        ([card("sarcosuchus", prey=["egg"])], "card 'sarcosuchus': prey"),
        ([card("sarcosuchus", prey=["iguanodon", "iguanodon"])], "card 'sarcosuchus': prey has a species twice"),
        ([card("triceratops", chases="yes")], "card 'triceratops': chases"),
        ([card("triceratops", count=-1)], "card 'triceratops': count"),
        ([card("triceratops", count=2), card("egg")], "no Plant-Eater has 3 or more copies"),
        ([card("triceratops", provenance="hearsay")], "card 'triceratops': provenance"),
        ([card("triceratops", count_provenance="hearsay")], "card 'triceratops': count_provenance"),
        ([card("triceratops"), card("triceratops")], "card 'triceratops': id: 'triceratops' is used twice"),
    ],
    ids=str,
)
def test_impossible_decks(tmp_path: Path, entries: list[dict[str, Any]], reason: str) -> None:
    """File, card and field are named, with what to do."""
    deck = write(tmp_path, entries)
    with pytest.raises(DeckError, match=f"(?s)^deck {deck}: .*{reason}"):
        game(NAME, deck=deck)


# Options


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"num_players": 1}, "num_players"),
        ({"num_players": 5}, "num_players"),
        ({"coins_to_win": 0}, "coins_to_win"),
        ({"coins_to_win": 13}, "coins_to_win"),
        ({"first_seat": 4}, "first_seat is 4; give 'random' or a seat from 0 to 3"),
        ({"first_seat": True}, "first_seat: give 'random'"),
        ({"hot_sun_marker": 1}, "hot_sun_marker"),
        ({"reward": "score"}, "reward: .*'winner' or 'rank'"),
        ({"shaping": -1.0}, "shaping"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_turns": 0}, "max_turns"),
        ({"max_turns": 40000}, "max_turns"),
        ({"history": True}, "history is True; a view of this game holds all"),
        ({"marker": True}, "unknown key 'marker'.*hot_sun_marker"),
        ({"preset": "short"}, "unknown preset 'short'"),
    ],
    ids=str,
)
def test_impossible_options(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(OptionError, match=f"{NAME}: (?s:.*){reason}") as caught:
        game(NAME, **options)
    assert len(str(caught.value).splitlines()) == 1


# Forcing chance


def test_reset_options() -> None:
    table = tooth(num_players=3)
    script = table.reset_script({"first_seat": 2, "top": ["sar", "igu", "igu"]})
    assert script == {"pick": [2], "draw": [6, 1, 1]}
    assert table.reset_script({}) == {}
    position = table.to_dict(table.deal(1, script={**script, "draw": [1, 1, 2]}))
    assert position["active"] == 2
    assert position["landscape"] == {"igu": 2, "ana": 1}
    assert tooth(first_seat=1).reset_script({"first_seat": 1}) == {}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"first_seat": 3}, "first_seat is 3; give a seat from 0 to 2"),
        ({"first_seat": "random"}, "give a seat"),
        ({"top": "igu"}, "top is 'igu'; give a list of codes"),
        ({"top": ["iguanodon"]}, "give a list of codes"),
        ({"top": ["vol", "vol"]}, "top has vol 2 times, but the deck has 1"),
    ],
)
def test_impossible_reset_options(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        tooth(num_players=3).reset_script(given)


def test_a_scripted_card_that_is_not_there() -> None:
    with pytest.raises(ScriptError, match="not in the pile"):
        tooth().deal(0, script={"draw": [11]})


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


# Positions


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ({"active": 2}, "active: 2 is given; give an integer from 0 to 1"),
        ({"turn": -1}, "turn: -1 is given"),
        ({"restarts": 12}, "restarts: 12 is given; give an integer from 0 to 11"),
        ({"volcano": 1}, "volcano: 1 is given; give true or false"),
        ({"marker": True}, "marker: there is none with hot_sun_marker=False .J6"),
        ({"resolving": "igu"}, "resolving: 'igu' is given; give one of egg, que"),
        ({"resolving": "egg", "at": "EVENTS"}, "resolving: at EVENTS it is None, not egg .I7"),
        ({"at": "FETCH"}, "resolving: at FETCH it is egg, not None .I7"),
        ({"target": "egg"}, "target: 'egg' is given; give one of sar"),
        ({"target": "sar", "at": "PAY"}, "target: at PAY a Meat-Eater of L is paid .R11"),
        ({"target": "sar", "landscape": {"sar": 1}, "at": "MEAT"}, "target: at MEAT no Meat-Eater is paid"),
        ({"hands": [{"igu": 1}]}, "hands: .*one entry for each of 2 seats"),
        ({"hands": [{"sar": 1}, {}]}, "hands: 'sar' is given; give one of tri, igu"),
        ({"hands": [["igu"], {}]}, "hands: .'igu'. is given; give a mapping of codes"),
        ({"hands": [{"igu": 5}, {"igu": 3}]}, "igu: there are more than the deck's 7 .I1"),
        ({"hands": [{"igu": "2"}, {}]}, "hands.igu: '2' is given"),
        ({"coins": [1, -1]}, "coins: -1"),
        ({"coins": [4, 0], "at": "REVEAL"}, "coins: with 4 the game is over .R21"),
        ({"landscape": {"spi": 1}}, "spi: there are more than the deck's 0 .I1"),
        ({"landscape": {"igu": 5}, "at": "COLLECT"}, "landscape: 5 cards are face up; there are 4 at most .R8"),
        ({"landscape": {"egg": 1}, "at": "COLLECT"}, "landscape: at COLLECT there is no Event .I8"),
        ({"landscape": {"sar": 1}, "at": "ROAM"}, "landscape: at ROAM there is no Meat-Eater .I8"),
        ({"at": "BONUS"}, "landscape: at BONUS there is a Plant-Eater to take"),
        ({"lasting": {"igu": 1}, "at": "REVEAL"}, "lasting: igu does not stay"),
        ({"lasting": {"egg": 1}, "at": "REVEAL"}, "lasting: egg does not stay"),
        ({"draw": {"igu": 7}}, "draw: .*are left of the deck .I1"),
        ({"discard": 3}, "discard: 3 is given; give a mapping"),
        ({"discard": {None: 3}}, "discard: '' is given; give one of"),
        ({"top": "igu"}, "top: 'igu' is given; give a list of codes"),
        ({"top": ["dragon"]}, "top: 'dragon' is given; give one of"),
        ({"top": ["vol", "vol"]}, "top: there are not so many vol in the draw pile .I1"),
        ({"top": ["vol"], "script": {"draw": [1]}}, "top: the order is given, and so are draws"),
        ({"rest": "under"}, "rest: 'under' is given; give 'shuffled', 'sorted' or 'aside'"),
        ({"rest": "sorted", "script": {"pick": [0] * 11}}, "rest: the order of 62 cards is too long; 72 can be kept"),
        ({"passing": ["igu", None], "at": "REVEAL"}, "passing: nothing is passed at REVEAL .I13"),
        ({"passing": ["igu", None], "at": "PASS", "resolving": "sta"}, "passing: seat 0 has no igu .R29"),
        ({"passing": [None, "igu"], "hands": [{"ana": 1}, {"igu": 1}], "at": "PASS", "resolving": "sta"}, "clockwise"),
        ({"resolving": "sta", "at": "PASS", "landscape": {"igu": 1}}, "at PASS all of it has been swept away .J16"),
        ({"resolving": "sta", "at": "PASS", "lasting": {"fol": 1}}, "at PASS all of it has been swept away .J16"),
        ({"resolving": "vol", "at": "ERUPT"}, "volcano: at ERUPT it is true .R25"),
        ({"passing": ["sar", None]}, "passing: 'sar' is given"),
        ({"known": [[None, {"igu": 1}], [{}, None]], "at": "REVEAL"}, "seat 0 knows of more igu than seat 1 has .I14"),
        ({"known": [[None], [{}, None]]}, "known: .*one entry for each of 2 seats"),
        ({"draw_size": 61}, "draw_size: 61 is given, but it is 62"),
        ({"winner": 0}, "winner: 0 is given, but it is None"),
        ({"over": "terminated"}, "the game ends when somebody has the coins to win, or no set is left"),
        (
            {"phase": "COLLECT", "decision": "BONUS", "seat": 0, "landscape": {"igu": 1, "ana": 1}},
            "at COLLECT COLLECT of seat 0 is asked, not what the position says",
        ),
        (
            {"phase": "COLLECT", "decision": "COLLECT", "seat": 1, "landscape": {"igu": 1, "ana": 1}},
            "at COLLECT COLLECT of seat 0 is asked",
        ),
        ({"phase": "COLLECT", "decision": "COLLECT", "seat": 0}, "at COLLECT .* is asked"),
        ({"hand": []}, "unknown key 'hand'; did you mean 'hands'"),
        ({"at": "DINNER"}, "phases are BEGIN_TURN"),
    ],
    ids=str,
)
def test_impossible_positions(position: dict[str, Any], reason: str) -> None:
    table = tooth(num_players=2)
    with pytest.raises(PositionError, match=f"{NAME} position: (?s:.*){reason}"):
        table.from_dict(position)


def test_positions_of_other_configurations(tmp_path: Path) -> None:
    marked = tooth(num_players=2, hot_sun_marker=True)
    with pytest.raises(PositionError, match="with hot_sun_marker the marker lies there instead of sun"):
        marked.from_dict({"lasting": {"sun": 1}})
    two = tooth(num_players=2, deck="gamewright72")
    with pytest.raises(PositionError, match=r"lasting: sun can lie there once .J8"):
        two.from_dict({"lasting": {"sun": 2}})
    large = tooth(num_players=2, deck=deck_file(tmp_path, {"iguanodon": 30}))
    with pytest.raises(PositionError, match="rest: the order of 85 cards is too long; 72 can be kept"):
        large.from_dict({"rest": "sorted"})
    ended = tooth(num_players=2).from_dict({"coins": [4, 1], "over": "terminated", "winner": 0, "rank": [1, 2]})
    assert record(ended).over == TERMINATED


def test_order_of_the_rest() -> None:
    """``top`` and ``rest``: which cards are turned over."""
    table = tooth(num_players=2)
    position = {"at": "REVEAL", "halt": "EVENTS"}

    def revealed(**more: Any) -> dict[str, int]:
        found: dict[str, int] = table.to_dict(table.from_dict({**position, **more}))["landscape"]
        return found

    assert revealed(top=["vol", "sar"], rest="sorted") == {"tri": 1, "sar": 1, "vol": 1}
    assert revealed(rest="sorted", hands=[{"tri": 6}, {}], discard={"igu": 6}) == {"igu": 1, "ana": 2}
    assert revealed(rest="aside", top=["vol", "sar"]) == {"sar": 1, "vol": 1}
    assert len({str(revealed(seed=seed)) for seed in range(20)}) > 12
    aside = table.to_dict(table.from_dict({**position, "rest": "aside", "top": ["vol"], "discard": {"ana": 1}}))
    assert aside["banished"] == {**{code: n for code, n in PREPUB.items() if code != "vol"}, "ana": 6}
    assert aside["draw"] == {}


def test_what_is_known_by_default() -> None:
    """Cards are collected before all eyes."""
    table = tooth(num_players=3)
    states = table.from_dict({"hands": [{"igu": 1}, {"ana": 2, "tri": 1}, {}]})
    known = table.to_dict(states)["known"]
    assert known[0] == [None, {"tri": 1, "ana": 2}, {}]
    assert known[2] == [{"igu": 1}, {"tri": 1, "ana": 2}, None]


def test_a_deal_can_be_changed() -> None:
    """``base: deal``: what is given replaces what was dealt; the rest stays."""
    table = tooth(num_players=3, first_seat=1)
    dealt = table.deal(4)
    assert digest(table.from_dict({"base": "deal", "seed": 4})) == digest(dealt)
    changed = table.to_dict(table.from_dict({"base": "deal", "seed": 4, "hands": [{"pro": 2}, {}, {}]}))
    before = table.to_dict(dealt)
    assert changed["landscape"] == before["landscape"]
    assert changed["draw_size"] == before["draw_size"] - 2


@pytest.mark.parametrize("options", [{"num_players": 4}, {"num_players": 2, "skip_forced": False}], ids=str)
def test_positions_are_exact(options: dict[str, Any]) -> None:
    """A state comes back byte for byte."""
    table = tooth(**options)
    for seed in range(2):
        for moment in random_game(table, seed):
            assert digest(table.from_dict(table.to_dict(moment.states))) == digest(moment.states)


def test_a_halted_game_goes_on_as_it_would() -> None:
    table = tooth(num_players=3)
    top = ["igu", "ana", "par", "pro", "tri", "tri", "tri"]
    states = table.from_dict({"at": "REVEAL", "halt": "TURN_END", "top": top})
    follow(table, states, "TAKE igu 1")
    assert record(states).seat == -1
    again = table.from_dict(table.to_dict(states))
    for one in (states, again):
        table.resume(one)
        assert table.to_dict(one)["landscape"] == {"ana": 1, "par": 1, "pro": 1}
        follow(table, one, "TAKE ana 1")
        assert record(one).seat == -1, "halted again"
    assert digest(states) == digest(again)


def test_a_position_while_a_halt_is_at_its_own_phase() -> None:
    """A halt lets a phase pass once: a decision asked in that phase can be written down and read back."""
    table = tooth(num_players=2)
    states = table.from_dict({"at": "COLLECT", "halt": "COLLECT", "landscape": {"igu": 1, "ana": 1}})
    assert digest(table.from_dict(table.to_dict(states))) == digest(states)


def test_numbers_of_a_view_stay_in_bounds_at_their_largest(tmp_path: Path) -> None:
    """A deck with many copies, all with one seat."""
    table = tooth(num_players=2, deck=deck_file(tmp_path, {"iguanodon": 999}))
    states = table.from_dict({"at": "COLLECT", "landscape": {"igu": 1, "ana": 1}, "hands": [{"igu": 998}, {}]})
    for seat in range(2):
        vector = np.frombuffer(table.view(states, seat).tobytes(), np.int16)
        assert table.layout.out_of_bounds(vector) == []
    rich = tooth(num_players=2, coins_to_win=12)
    states = rich.from_dict({"at": "COLLECT", "coins": [11, 0], "landscape": {"igu": 1}, "hands": [{"igu": 5}, {}]})
    follow(rich, states, "EXCHANGE igu 6")
    assert rich.to_dict(states)["coins"] == [14, 0]
    assert rich.layout.out_of_bounds(np.frombuffer(rich.view(states, 0).tobytes(), np.int16)) == []
