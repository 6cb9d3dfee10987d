"""Decks of Toothead: what is wrong with a file is told, and what is accepted can be played."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.invariants_toothead import check
from tests.games.tooth import begin, facts, follow, toothead, with_deck
from tests.spec.test_deck import toml
from tests.support import random_game
from tooth_envs.engine import loops
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.events import events_since
from tooth_envs.engine.state import record
from tooth_envs.errors import DeckError
from tooth_envs.games.toothead import cards
from tooth_envs.games.toothead import table as rules
from tooth_envs.games.toothead import vocabulary as words
from tooth_envs.spec.deck_files import check_deck

# What is wrong with a file

TYPES: dict[str, dict[str, Any]] = {
    "mini": {"target": "SELF"},
    "mega": {"target": "ALLY"},
    "hit": {"value": 1},
    "weapon": {"die": "D6"},
    "special": {"program": ["TURN: DRAW(SELF, 1)"]},
    "event": {},
    "permanent": {},
    "dock": {},
}


def card(kind: str, name: str = "it", **more: Any) -> dict[str, Any]:
    """An entry of a deck of one's own."""
    common = {"id": name, "type": kind, "name": f"My {name}", "count": 1, "effect": "x", "provenance": "own"}
    return {key: value for key, value in {**common, **TYPES.get(kind, {}), **more}.items() if value is not None}


BOX = [card("hit", "rock", count=15), card("event", "nap"), *(card("dock", f"dock_{seat}") for seat in range(2))]
"""The least that can be played."""


def write(folder: Path, entries: Sequence[dict[str, Any]], head: str = 'game = "toothead"') -> str:
    file = folder / "mine.toml"
    text = "".join(f"  {toml(entry)},\n" for entry in entries)
    text = text.replace("= True", "= true").replace("= False", "= false")
    file.write_text(f"{head}\ncard = [\n{text}]\n", encoding="utf-8")
    return str(file)


PROGRAMS: list[tuple[str, dict[str, Any], list[str], str]] = [
    ("mini", {}, ["DRAW(SELF, 1)"], "has no trigger; write TRIGGER: OPCODE"),
    ("mini", {}, ["PLAYS: DRAW(SELF, 1)"], "'PLAYS' is no trigger of type mini; did you mean 'PLAY'"),
    ("hit", {}, ["PLAY: DRAW(SELF, 1)"], "'PLAY' is no trigger of type hit.*Triggers: STATIC, HIT, WIN, LOSE"),
    ("hit", {}, ["HIT as DEFENDER: RESTORE()"], "only WIN and LOSE are narrowed to a role; write HIT"),
    ("weapon", {}, ["WIN(HUNGER): DRAW(SELF, 1)"], "only TURN_START is narrowed to phases; write WIN"),
    ("dock", {}, ["TURN_START(EATING): DRAW(SELF, 1)"], "'EATING' is no phase with turns: DIGESTION, APPETITE, HUNGER"),
    ("mini", {}, ["PLAY: DRAW(SELF, 1)", "PLAY: HEAL(SELF)"], "PLAY is used twice; write its steps into one clause"),
    ("mini", {}, ["PLAY: "], "'' is no step; write OPCODE"),
    ("mini", {}, ["PLAY: draw(SELF, 1)"], "is no step; write OPCODE"),
    ("mini", {}, ["PLAY: DRAWS(SELF, 1)"], "unknown opcode 'DRAWS'; did you mean 'DRAW'.*Opcodes: BAN, CANCEL"),
    ("mini", {}, ["PLAY: POOL(1, any)"], "POOL cannot be used by type mini at PLAY; there are CONTEST, DISCARD_CHOICE"),
    (
        "mini",
        {},
        ["PLAY: GAIN(action)"],
        r"GAIN takes 2 arguments, not 1; write GAIN\(action \| attack \| isl",
    ),
    ("mini", {}, ["PLAY: DRAW(SELF, 1, 2)"], r"DRAW takes 2 arguments, not 3; write DRAW\(whom, number\)"),
    ("mini", {}, ["PLAY: DRAW(SELF, 2"], r"its bracket is not closed; write DRAW\(whom, number\)"),
    ("mini", {}, ["PLAY: FORCE_ATTACK(SELF, TGT)"], "this card chooses none here; there are SELF$"),
    ("mini", {}, ["PLAY: GAIN(actions, 1)"], "GAIN: 'actions' is no argument; did you mean 'action'.*action, attack"),
    ("mini", {}, ["PLAY: HEAL(ALL)"], "HEAL: 'ALL' is no argument.*One of: SELF, TGT"),
    ("mini", {}, ["PLAY: DRAW(SELF, two)"], "'two' is given; give a whole number from 0 to 99"),
    ("mini", {}, ["PLAY: DRAW(SELF, -1)"], "'-1' is given; give a whole number from 0 to 99"),
    ("special", {}, ["FWIN: SIDE_POOL(100)"], "'100' is given; give a whole number from -99 to 99"),
    (
        "mini",
        {},
        ["PLAY: DISCARD_WEAPON(TGT)"],
        "TGT is a chosen seat, and this card chooses none here; there are SELF",
    ),
    ("event", {}, ["PLAY: DISCARD_WEAPON(TGT)"], "TGT is a chosen seat"),
    ("mega", {"target": "OPP"}, ["WIN: DISCARD_WEAPON(TGT)"], "TGT is a chosen seat.*there are SELF, OPP, ALL, OTHERS"),
    ("special", {}, ["TURN: DRAW(TGT, 1)"], "TGT is a chosen seat"),
    ("mini", {"target": "OPP"}, ["PLAY: FORCE_ATTACK(TGT, TGT2)"], "TGT2 is a second chosen seat"),
    ("mini", {}, ["PLAY: DRAW(OPP, 1)"], "OPP is the other fighter, and here is no fight"),
    ("dock", {}, ["TURN_START: DRAW(OPP, 1)"], "OPP is the other fighter, and here is no fight"),
    ("event", {}, ["PLAY: FEED(FOUND)"], "FOUND is the seat that a CONTEST singles out"),
    ("mini", {}, ["PLAY: ROLL(D6){1: FEED(FOUND)}"], "FOUND is the seat that a CONTEST singles out"),
    (
        "event",
        {},
        ["PLAY: DUEL(D6, TOOTHEAD){FEED(SELF)}"],
        "DUEL needs a card with one chosen seat.*change the card's t",
    ),
    ("mini", {"target": "OPP"}, ["PLAY: CONTEST(D6, LOW){FEED(FOUND)}"], "CONTEST needs a card that chooses no seat"),
    ("mini", {"target": "TWO"}, ["PLAY: ROLL(D6){1: FEED(SELF)}"], "ROLL needs a card that does not choose two seats"),
    ("mini", {}, ["PLAY: ROLL(D7){1: HEAL(SELF)}"], "'D7' is no argument.*One of: D6, D8, D10, D12"),
    ("mini", {}, ["PLAY: ROLL(D6)"], r"ROLL is followed by what it decides, in braces; write ROLL\(D6 \| D8"),
    ("mini", {}, ["PLAY: ROLL(D6){HEAL(SELF)}"], "is no branch; write low-high: steps"),
    (
        "mini",
        {},
        ["PLAY: ROLL(D6){5-7: HEAL(SELF)}"],
        "5-7 is no range; faces go from 1 to 6, and each may be in one branch only",
    ),
    (
        "event",
        {},
        ["PLAY: CONTEST(D6, LOW){FEED(FOUND); FEED(SELF)}"],
        "CONTEST decides one thing; join steps with '&'",
    ),
    ("mini", {}, ["PLAY: ROLL(D6){1: ROLL(D6){1: HEAL(SELF)}}"], "one roll cannot follow from another; take ROLL out"),
    ("mini", {}, ["PLAY: DRAW(SELF, 1) HEAL(SELF)"], r"'HEAL\(SELF\)' is not understood; steps are separated by ';'"),
    ("hit", {}, ["STATIC: POOL(1, any) & POOL(1, any)"], "is not understood; steps are separated by ';'"),
    ("event", {}, ["PLAY: PASS_CARDS(left, 2)"], "PASS_CARDS passes 1 card, not 2; write 1"),
    ("special", {}, ["DIEWIN: REROLL(own_weapon)"], r"at DIEWIN there are no fight dice; write REROLL\(any\)"),
    ("dock", {}, ["STATIC: EXCHANGE_RATE(0, 1, 4)"], "cards are exchanged in groups; give a rate of at least 1"),
    ("dock", {}, ["STATIC: EXCHANGE_RATE(2, 1, 3)"], "as most cards a multiple of it, or 0 for any number"),
    ("special", {}, [], "is empty; a special needs a window in which it can be played: TURN, TRICKWIN"),
    ("mini", {}, ["PLAY: " + "; ".join(["DRAW(SELF, 1)"] * 40)], "characters; 400 at most"),
    ("weapon", {}, ["STATIC: POOL(1, any)"] * 9, "there are 9 clauses; 8 at most"),
]


@pytest.mark.parametrize(("kind", "more", "program", "reason"), PROGRAMS)
def test_impossible_programs(tmp_path: Path, kind: str, more: dict[str, Any], program: list[str], reason: str) -> None:
    """File, card and field are named, with what to do."""
    file = write(tmp_path, [*BOX, card(kind, **more, program=program)])
    with pytest.raises(DeckError, match=f"^deck {file}: card 'it': program: .*{reason}") as caught:
        check_deck(file)
    assert len(str(caught.value).splitlines()) == 1


FIELDS: list[tuple[dict[str, Any], str]] = [
    (card("micro"), "card 'it': type is 'micro'.*Types of this game: mini, mega"),
    (card("mini", type=None), "card 'it': type is missing. Types of this game"),
    (card("mini", count=16), "card 'it': count: .*15"),
    (card("mini", count=-1), "card 'it': count: .*0"),
    (card("mini", target="ME"), "card 'it': target: .*'SELF'.*'TWO'"),
    (card("mini", needs="weapons"), "card 'it': needs: .*'weapon'"),
    (card("mini", target=None), "card 'it': target: is missing"),
    (card("mini", value=1), "card 'it': unknown key 'value'"),
    (card("mini", program="PLAY: HEAL(SELF)"), "card 'it': program"),
    (card("mega", target="TWO"), "card 'it': target: a mega-trick lies on one dock; give SELF, ALLY, OPP or ANY"),
    (card("mini", target="ANY", needs="pocket"), "card 'it': needs: whoever plays the last card has no pocket left"),
    (card("hit", value=21), "card 'it': value: .*20"),
    (card("hit", value=1.5), "card 'it': value"),
    (card("weapon", die="D7"), "card 'it': die: .*'D6'.*'D12'"),
    (card("weapon", attack_die="no"), "card 'it': attack_die"),
    (card("event", count=100), "card 'it': count: .*99"),
    (card("dock", count=2), "card 'it': count: .*1"),
    (card("dock", count=0), "card 'it': count: .*1"),
    (card("mini", provenance="hearsay"), "card 'it': provenance: .*'own'"),
    (card("mini", name="rock"), "card 'rock': id: 'rock' is used twice; give every card its own id"),
    (card("mini", id="It"), "card 'It': id"),
    ({**card("mini"), "name": "My rock"}, "card 'it': name: 'My rock' is used twice; give every card its own name"),
]


@pytest.mark.parametrize(("entry", "reason"), FIELDS, ids=[reason for _, reason in FIELDS])
def test_impossible_fields(tmp_path: Path, entry: dict[str, Any], reason: str) -> None:
    file = write(tmp_path, [*BOX, entry])
    with pytest.raises(DeckError, match=f"^deck {file}: {reason}") as caught:
        check_deck(file)
    assert len(str(caught.value).splitlines()) == 1


def many(kind: str, number: int, **more: Any) -> list[dict[str, Any]]:
    return [card(kind, f"{kind}_{place}", **more) for place in range(number)]


BOXES: list[tuple[list[dict[str, Any]], str]] = [
    ([*BOX, *many("mini", 62)], "card 'mini_61': there are 63 kinds of bonfire cards; 62 at most: leave some out"),
    ([*BOX, *many("event", 16)], "card 'event_15': there are 17 kinds of island cards; 16 at most: leave some out"),
    ([*BOX, *many("dock", 9)[2:]], "card 'dock_8': there are 9 docks; 8 at most: leave some out"),
    ([*BOX, *many("weapon", 17)], "card 'weapon_16': there are 17 kinds of type weapon; 16 at most"),
    ([*BOX, *many("mega", 13)], "card 'mega_12': there are 13 kinds of type mega; 12 at most"),
    ([*BOX, *many("hit", 20)], "card 'hit_19': there are 21 kinds of type hit; 20 at most"),
    ([*BOX, *many("special", 21)], "card 'special_20': there are 21 kinds of type special; 20 at most"),
    (
        [*BOX, *many("mini", 7, program=["PLAY: FOOD_PILE()"])],
        "card 'mini_6': there are 7 kinds with FOOD_PILE; 6 at most: leave some out",
    ),
    ([*BOX, *many("mega", 2, count=11)], "card 'mega_1': count: there are 22 mega-trick cards; 20 at most: lower"),
    ([*BOX[1:], *many("hit", 1, count=0)], "has no bonfire card; give some a count above 0"),
    ([BOX[0], *BOX[2:]], "has no island card; give some a count above 0"),
    (
        [*BOX, *many("hit", 19, program=["HIT: " + "; ".join(["RESTORE()"] * 25)])],
        "all programs together have 475 instructions; 400 at most: shorten some",
    ),
    (BOX[:2], "cannot be used with any number of players: .*has 0 docks for 2 seats; give one more per seat"),
]


@pytest.mark.parametrize(("entries", "reason"), BOXES, ids=[reason for _, reason in BOXES])
def test_impossible_boxes(tmp_path: Path, entries: list[dict[str, Any]], reason: str) -> None:
    file = write(tmp_path, entries)
    with pytest.raises(DeckError, match=f"^deck {file}: {reason}") as caught:
        check_deck(file)
    assert len(str(caught.value).splitlines()) == 1


def test_docks_for_the_seats(tmp_path: Path) -> None:
    """A deck may be good for small tables only, which is told by size."""
    tables = check_deck(write(tmp_path, BOX)).tables
    assert tables[2] is None
    assert "has 2 docks for 3 seats; give one more per seat" in str(tables[3])


def test_a_file_that_is_no_deck(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    for text, reason in (
        ("game = 'toothead'\ncard = " + "[" * 5000, "is nested too deeply"),
        ("game = 'toothead'\ncards = []", "unknown key 'cards'.*did you mean 'card'"),
        ("game = 'toothead'\ncard = []", "needs the list 'card'"),
        ("game = 'toothead'\ncard = 3", "needs the list 'card'"),
        ("game = 'toothead", "is not valid TOML"),
        ("game = 'super_tooth'\ncard = [{}]", "card number 1: type is missing"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(DeckError, match=f"^deck {file}: .*{reason}"):
            check_deck(str(file))
        with pytest.raises(DeckError):
            check_deck(str(file), "toothead")


# Any text at all

MARKS = [
    *"(){};:,&-",
    "else",
    "as",
    " ",
    "0",
    "1",
    "99",
    "1-2",
    "+3",
    "D6",
    "TOOTHEAD",
    "any",
    "\u00e9",
    "\u0663",
    "\n",
]
TOKENS = [
    *MARKS,
    *("(", ")", "{", "}", ": ", "; ", ", "),
    *words.TRIGGERS,
    *words.STANDING,
    *words.WHO,
    *words.ALLOWED["mini"]["PLAY"],
    *words.FILTERS,
]


def clause(luck: random.Random, kind: str, chosen: int) -> str:
    """A clause in the vocabulary of a type, sensible or not."""
    trigger = luck.choice(list(words.ALLOWED[kind]))
    place = words.Place(kind, trigger, chosen)
    head = trigger
    if trigger in ("WIN", "LOSE"):
        head += luck.choice(["", "", " as ATTACKER", " as DEFENDER"])
    elif trigger == "TURN_START":
        head += luck.choice(["", "(DIGESTION)", "(APPETITE, HUNGER)"])
    elif kind == "special" and luck.random() < 0.2:
        head += ", " + luck.choice(list(words.ALLOWED[kind]))
    return f"{head}: " + "; ".join(step(luck, place) for _ in range(luck.choice([1, 1, 2, 3, 5])))


def step(luck: random.Random, place: words.Place) -> str:
    opcode = luck.choice(sorted(words.ALLOWED[place.kind][place.trigger]))
    given = []
    for may_be in words._ARGUMENTS[opcode]:
        if isinstance(may_be, str):
            given.append(luck.choice(["0", "1", "1", "2", "3", "99"]))
        else:
            given.append(luck.choice([word for word in may_be if word not in words.WHO or place.knows(word)]))
    text = f"{opcode}({', '.join(given)})"
    if opcode in words.ROLLS:
        inside = words.Place(place.kind, place.trigger, place.chosen, opcode)
        branch = " & ".join(step(luck, inside) for _ in range(luck.choice([1, 2])))
        text += "{%s}" % (f"1-3: {branch}; 5: {step(luck, inside)}" if opcode == "ROLL" else branch)
    elif opcode == "TAKE_BIN" and luck.random() < 0.5:
        text += " else " + step(luck, place)
    return text


def understood(kind: str, texts: Sequence[str], chosen: int) -> bool:
    """Whether a program is accepted; if not, it is with the one error there is, and in no time."""
    began = time.perf_counter()
    try:
        words.program_of(tuple(texts), kind, chosen)
    except words.EffectError:
        return False
    finally:
        assert time.perf_counter() - began < 1.0
    return True


def test_any_text_is_understood_or_refused() -> None:
    """Words at random, brackets in brackets, long texts: an error is an EffectError, and comes quickly."""
    luck = random.Random(1)
    for _ in range(3000):
        kind = luck.choice(list(TYPES))
        text = "".join(luck.choice(TOKENS) for _ in range(luck.randrange(1, 30)))
        understood(kind, [luck.choice(["", f"{luck.choice(list(words.ALLOWED[kind]))}: "]) + text], luck.randrange(3))
    for _ in range(1000):
        kind = luck.choice(list(TYPES))
        text = list(clause(luck, kind, 1))
        for _ in range(luck.randrange(1, 4)):
            text[luck.randrange(len(text))] = luck.choice(TOKENS)
        understood(kind, ["".join(text)], 1)
    for deep in (
        "ROLL(D6){1: ",
        "TAKE_BIN(any, 1) else ",
        "(",
        "{",
        "CONTEST(D6, LOW){",
        "ROLL(D6){1: DRAW(SELF, 1) & ",
    ):
        for times in (1, 10, 35, 100, 3000, 100_000):
            assert not understood("mini", ["PLAY: " + deep * times], 0)
            assert not understood("mini", ["PLAY: " + deep * times + "}" * times], 0)
    for long in (
        "A" * 399,
        " " * 399,
        "PLAY" + " " * 390 + ":",
        "PLAY: " + "9" * 390,
        "PLAY: ROLL(D6){" + "9" * 380 + ": ",
    ):
        assert not understood("mini", [long], 0)
    assert not understood("mini", ["PLAY: HEAL(SELF)"] * 100_000, 0)


def random_deck(luck: random.Random) -> list[dict[str, Any]]:
    """A deck whose programs are drawn from all that is accepted."""
    entries = [card("hit", "rock", count=luck.choice([2, 15]), value=3)]
    for kind, most in (("mini", 14), ("mega", 5), ("hit", 5), ("weapon", 5), ("special", 6), ("event", 6)):
        entries += [
            drawn(luck, kind, f"{kind}_{place}", count=luck.choice([1, 2, 4]) if kind != "mega" else 2)
            for place in range(luck.randrange(1, most))
        ]
    entries += [drawn(luck, "permanent", f"permanent_{place}") for place in range(luck.randrange(3))]
    return entries + [drawn(luck, "dock", f"dock_{place}") for place in range(5)]


def drawn(luck: random.Random, kind: str, name: str, **more: Any) -> dict[str, Any]:
    """A card with a random program that is accepted."""
    if kind in ("mini", "mega"):
        more["target"] = luck.choice(["SELF", "ALLY", "OPP", "ANY"] + ["TWO"] * (kind == "mini"))
        more["needs"] = luck.choice(["nothing"] * 4 + ["weapon", "meat", "megas", "may_attack_me"])
        if more["target"] == "OPP":
            more["needs"] = luck.choice([more["needs"], "pocket"])
    elif kind == "weapon":
        more.update(die=luck.choice(["D6", "D12"]), attack_die=luck.random() < 0.5)
    chosen = {"SELF": 0, "TWO": 2}.get(more["target"], 1) if kind == "mini" else 0
    while True:
        program = [clause(luck, kind, chosen) for _ in range(luck.choice([1, 1, 2]))]
        if understood(kind, program, chosen):
            return card(kind, name, program=program, **more)


@pytest.mark.parametrize("seed", range(6 if JIT else 1))
def test_what_is_accepted_can_be_played(tmp_path: Path, seed: int) -> None:
    """Random programs: whatever is accepted breaks no invariant, and every game ends."""
    luck = random.Random(seed)
    number = 0
    while number < 4:
        try:
            table = toothead(deck=write(tmp_path, random_deck(luck)), num_players=luck.choice([2, 3, 5]), max_steps=600)
        except DeckError:  # too many instructions together, or too many cards that are food
            continue
        number += 1
        for place, moment in enumerate(random_game(table, number)):
            if place % 10 == 0 and moment.action >= 0:  # the step cap may end a game with a card in the air
                check(table, moment.states)


# Numbers that cards drive up


def test_a_card_adds_up_to_no_more_than_a_number(tmp_path: Path) -> None:
    """In however many steps and clauses it is written."""
    per = ["STATIC: " + "; ".join(["POOL_PER(99, own_live_hits)"] * 12)] * 8
    for kind, program, told in (
        ("hit", per, "POOL_PER adds up to 9504; from -99 to 99 is possible: write less"),
        ("dock", ["STATIC: POOL(60, any); POOL(-99, defence)", "DOCK: POOL(40, attack)"], "POOL adds up to 100"),
        ("mega", ["STATIC: DIE_MOD(opp, -50); DIE_MOD(own, 50); DIE_MOD(opp, -50)"], "DIE_MOD adds up to -100"),
        ("permanent", ["STATIC: POOL(50, any); POOL(50, any)"], "POOL adds up to 100"),
    ):
        file = write(tmp_path, [*BOX, card(kind, program=program)])
        with pytest.raises(DeckError, match=f"^deck {file}: card 'it': program: {told}"):
            check_deck(file)
    check_deck(write(tmp_path, [*BOX, card("dock", program=["STATIC: POOL(99, attack); POOL(99, defence)"])]))


def hostile(folder: Path) -> str:
    """A deck that drives every number as high as its words can."""
    much = "; ".join(["GAIN_MEAT(SELF, 99)"] * 17)
    pool = "STATIC: POOL(99, any); POOL_PER(99, {})"
    entries = [
        card("hit", "rock", count=15, value=20, program=[pool.format("own_live_hits"), "STATIC: DIE_MOD(own, 99)"]),
        card("hit", "hole", count=5, value=0, program=["STATIC: POOL(-99, any); POOL_PER(-99, own_live_hits)"]),
        card("mega", "totem", count=15, program=[pool.format("lost_slices"), "STATIC: POOL_DIE(D12)"]),
        card("weapon", "gun", count=3, die="D12", program=["WIN: GAIN_MEAT(SELF, 99); GAIN_MEAT(OPP, 99)"]),
        card(
            "special",
            "bomb",
            count=15,
            program=["FWIN: SIDE_POOL(99)", "DIEWIN: " + "; ".join(["CARD_DIE_MOD(99)"] * 20)],
        ),
        card(
            "special",
            "fart",
            count=15,
            program=["FWIN: " + "; ".join(["SIDE_POOL(-99)"] * 20), "DIEWIN: CARD_DIE_MOD(-99)"],
        ),
        card(
            "mini",
            "trip",
            count=5,
            program=["PLAY: GAIN(action, 99); GAIN(attack, 99); GAIN(island, 99); DRAW(ALL, 9)"],
        ),
        card("mini", "dice", count=5, program=["PLAY: ROLL(D12){1-12: GAIN_MEAT(ALL, 99)}"]),
        card("event", "feast", count=9, program=["PLAY: " + "; ".join(["GAIN_MEAT(ALL, 99)"] * 18)]),
        *(
            card("dock", f"dock_{n}", program=[f"TURN_START: {much}; DRAW(SELF, 9)", "STATIC: FREE_PLAY(99)"])
            for n in range(4)
        ),
    ]
    return write(folder, entries)


def test_no_number_leaves_its_bounds(tmp_path: Path) -> None:
    """Neither in the state nor in events nor in views, whatever is driven, and food stays what was made and eaten."""
    table = toothead(deck=hostile(tmp_path), num_players=3, max_rounds=1000, extra_cap=99, max_steps=600)
    most: dict[str, int] = {}
    for place, moment in enumerate(random_game(table, 0, trace=True)):
        state = record(moment.states)
        for name in ("meat", "created", "eaten", "side_change", "die_change", "bonus_dice", "actions"):
            reached = int(np.abs(np.asarray(state[name], int)).max())
            most[name] = max(most.get(name, 0), reached)
        if place % 10 == 0 and moment.action >= 0:
            check(table, moment.states)
            observed = table.observe(moment.states, place % 3)
            assert -1 <= observed.min() <= observed.max() <= 1
        if place % 5 == 0 or moment.action < 0:
            for event in events_since(state, max(0, int(state.event_count) - 60)):
                assert max(abs(event.first), abs(event.second)) < 20000
    assert most["created"] == rules.MOST_MADE
    assert most["meat"] <= rules.MOST_MADE + 12
    assert most["eaten"] <= rules.MOST_MADE + 12
    assert max(most["side_change"], most["die_change"]) == rules.MOST_CHANGE


# The documentation, and play

PAGE = Path(__file__).parents[2] / "docs" / "decks.md"


def test_the_page_tells_every_opcode_and_trigger() -> None:
    """With the arguments and the combinations that there are, and the limits."""
    section = PAGE.read_text(encoding="utf-8").split("### Toothead")[1].replace("\\|", "/")
    rows = [tuple(part.strip() for part in line.strip("| ").split("|")) for line in section.splitlines() if "|" in line]
    told = [row[0].strip("`").replace("/", "|") for row in rows if len(row) == 2 and "(" in row[0]]
    assert told == [words.usage(opcode) for opcode in words._ARGUMENTS]
    allowed = {(kind, trigger): steps for kind, by in words.ALLOWED.items() for trigger, steps in by.items()}
    found = {(row[0].strip("`"), row[1].strip("`")): row[2] for row in rows if len(row) == 3 and row[0][0] == "`"}
    assert {where: set(re.findall("[A-Z_]+", steps)) for where, steps in found.items()} == allowed
    limits = [cards.KINDS, cards.WEAPON_KINDS, cards.MEGA_KINDS, cards.HIT_KINDS, cards.SPECIAL_KINDS]
    limits += [cards.MOST_COPIES, cards.DOCK_MEGAS, cards.ISLANDS, cards.DOCKS, cards.FOOD_KINDS]
    limits += [words.MOST_CLAUSES, words.MOST_TEXT, cards.CODE]
    (line,) = [part for part in section.split("\n\n") if part.startswith("Limits")]
    assert [int(number) for number in re.findall(r"\d+", line)] == limits


def test_a_changed_deck_changes_play_at_once(tmp_path: Path) -> None:
    """The same functions play it: nothing is compiled for it."""
    table = toothead(num_players=2)
    states = begin(table, [{"pocket": ["scavenge"]}, {}], bonfire=["jab", "kick", "slap"])
    follow(table, states, "CARD scavenge")
    before = {name: len(getattr(getattr(loops, name), "signatures", ())) for name in vars(loops)}
    changed = toothead(num_players=2, deck=with_deck(tmp_path, ("PLAY: DRAW(SELF, 2)", "PLAY: DRAW(ALL, 1)")))
    others = begin(changed, [{"pocket": ["scavenge"]}, {}], bonfire=["jab", "kick", "slap"])
    follow(changed, others, "CARD scavenge")
    assert [len(seat["pocket"]) for seat in facts(table, states, "seats")] == [2, 0]
    assert [len(seat["pocket"]) for seat in facts(changed, others, "seats")] == [1, 1]
    assert {name: len(getattr(getattr(loops, name), "signatures", ())) for name in vars(loops)} == before
    assert any(before.values()) == JIT


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("PLAY: DUEL(D6, D6){GAIN_MEAT(SELF, 1)}", [1, 0]),  # a tie with oneself would never end
        ("PLAY: STEAL_RANDOM(TGT, SELF, 2)", [1, 0]),
        ("PLAY: SWAP_POCKETS(SELF, TGT)", [1, 0]),
        ("PLAY: TAKE_POCKET(TGT, 1)", [1, 0]),
        ("PLAY: TAKE_SLICE(TGT, SELF)", [1, 0]),
        ("PLAY: GAIN_MEAT(TGT, 1)", [1, 1]),
    ],
)
def test_nothing_passes_from_a_seat_to_itself(tmp_path: Path, program: str, expected: list[int]) -> None:
    entries = [*BOX, card("mini", target="ANY", program=[program])]
    table = toothead(num_players=2, deck=write(tmp_path, entries))
    states = begin(table, [{"pocket": ["it", "rock"]}, {}])
    follow(table, states, "CARD it", "SEAT+0")
    seat = facts(table, states, "seats.0")
    assert [len(seat["pocket"]), seat["meat"]] == expected
    assert seat["slices"] == 4


def test_one_kind_more_than_there_is_room_for(tmp_path: Path) -> None:
    """It is told as what it is, whatever else is wrong with the deck."""
    many = [card("mini", f"kind_{number}") for number in range(cards.KINDS)]
    with pytest.raises(DeckError, match=rf"there are {cards.KINDS + 1} kinds of bonfire cards; {cards.KINDS} at most"):
        check_deck(write(tmp_path, [*BOX, *many]))
    wrong = card("hit", "last", program=["NEVER: DRAW(SELF, 1)"])
    with pytest.raises(DeckError) as told:
        check_deck(write(tmp_path, [*BOX, *many, wrong]))
    assert "kinds of bonfire cards" in str(told.value)
    assert "'NEVER' is no trigger" in str(told.value)
