"""Decks and options of Super Tooth, and how a game's chance is forced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.games.super_tooth import NAME, PREPUB, tooth
from tests.spec.test_deck import toml
from tests.support import random_game
from tooth_envs.engine.state import record
from tooth_envs.errors import DeckError, OptionError, ScriptError
from tooth_envs.games.super_tooth import cards
from tooth_envs.spec.deck import built_in
from tooth_envs.spec.registry import game

# Decks

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
    entry["effect"] = "told to people"
    entry["does"] = {"plant": "collect", "meat": "block"}.get(of.type) or cards.EFFECTS[cards.EVENTS.index(of)]
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
        ([card("egg", does="erupt")], "card 'egg': does is 'erupt'; this Event's is 'fetch'"),
        ([card("egg", does="fly")], "card 'egg': does"),
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
        ({"history": True}, "history: a view of this game holds all"),
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
