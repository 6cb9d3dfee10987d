"""Toothead: options, decks, words, positions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.games.invariants_toothead import check
from tests.games.tooth import NAME, asked, begin, facts, fight, follow, toothead, with_deck
from tests.support import random_game
from tooth_envs.engine import loops
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.events import EVERYBODY, Event, events_since
from tooth_envs.engine.state import record
from tooth_envs.errors import DeckError, IllegalAction, OptionError, PositionError, ToothError
from tooth_envs.games.toothead.vocabulary import EffectError, program_of
from tooth_envs.spec.registry import game

# Options


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"num_players": 1}, "num_players"),
        ({"num_players": 9}, "num_players"),
        ({"num_players": True}, "num_players"),
        ({"teams": 1}, "teams is 1; give 2 to 4 teams for 4 seats"),
        ({"teams": 5}, "give 2 to 4 teams"),
        ({"teams": (0, 1, 0)}, "teams: 3 are given for 4 seats"),
        ({"teams": (0, 0, 0, 0)}, "give two teams or more"),
        ({"teams": (0, 1, 0, 2**63)}, "has up to 64 bits; give smaller ones"),
        ({"teams": "2"}, "give null, a number of teams"),
        ({"teams": (0, 1, True, 0)}, "give null, a number of teams"),
        ({"dock_mode": "drafts"}, "give 'draft', 'random', or one dock's id per seat"),
        ({"dock_mode": ("fang", "fang", "leech", "joker")}, "give each a dock of its own"),
        ({"dock_mode": ("fang", "leech")}, "give each a dock of its own"),
        ({"dock_mode": ("fangs", "leech", "joker", "magpie")}, "no dock is called 'fangs'; did you mean 'fang'"),
        ({"reward": "score"}, "reward"),
        ({"max_rounds": 0}, "max_rounds"),
        ({"extra_cap": -1}, "extra_cap"),
        ({"island_die": ("action",)}, "1 faces are given; the die has 6"),
        ({"island_die": ("action", "action", "attack", "attack", "island", "nothing")}, "island_die"),
        ({"history": True}, "history: this game has none to add"),
        ({"shaping": -0.1}, "shaping"),
    ],
)
def test_impossible_options(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        game(NAME, **options)


def test_teams_as_numbers_and_lists() -> None:
    """J1."""
    assert toothead(num_players=5, teams=2).options.team_of_seats() == [0, 1, 0, 1, 0]
    assert toothead(num_players=4, teams=[1, 1, 0, 0]).options.team_of_seats() == [0, 0, 1, 1]
    assert toothead(num_players=4, teams=[7, -3, 7, 2**40]).options.team_of_seats() == [0, 1, 0, 2]
    assert toothead(num_players=4, teams=[7, -3, 7, 2**40]).teams == (0, 1, 0, 2)
    assert toothead(num_players=3).options.team_of_seats() == [0, 1, 2]


def test_literal_food() -> None:
    """J36: with food_recycles a can goes to the bin."""
    for recycles, bin_, food in ((True, ["canned_food"], []), (False, [], ["canned_food"])):
        table = toothead(num_players=2, food_recycles=recycles)
        states = begin(table, [{"pocket": ["canned_food"]}, {}], at="EATING_WINDOW", halt="ROUND_END")
        follow(table, states, "CARD canned_food")
        assert facts(table, states, "bin", "food") == [bin_, food]


def test_third_parties_may_be_kept_out() -> None:
    """J29."""
    seats: list[dict[str, Any]] = [{}, {}, {"pocket": ["chili"]}]
    table = toothead(num_players=3)
    assert asked(table, fight(table, seats, dice=[1, 2])) == ("FWIN", 2)
    table = toothead(num_players=3, third_party_specials=False)
    assert asked(table, fight(table, seats, dice=[1, 2])) == (None, -1)


def test_another_island_die() -> None:
    """J46."""
    table = toothead(num_players=2, island_die=("island",) * 6)
    states = begin(table, [{}, {}], turn_phase="HUNGER")
    follow(table, states, "BONUS_DIE")
    assert facts(table, states, "islands") == 1


# Decks


def test_a_changed_deck_changes_play_without_compiling(tmp_path: Path) -> None:
    """J45: values, programs, weapons, islands and docks of a file are what is played."""
    changed = with_deck(
        tmp_path,
        ('name = "Jab", count = 5, value = 1', 'name = "Jab", count = 5, value = 9'),
        ("PLAY: DRAW(SELF, 2)", "PLAY: DRAW(SELF, 3); GAIN_MEAT(SELF, 1)"),
        ('["STATIC: POOL(3, attack)"]', '["STATIC: POOL(1, attack)", "TURN_START(APPETITE): GAIN_MEAT(SELF, 2)"]'),
        ("PLAY: DRAW(ALL, 1)", "PLAY: DRAW(OTHERS, 2)"),
        ("PLAY: PASS_CARDS(left, 1)", "PLAY: PASS_CARDS(right, 1)"),
    )
    plain, other = toothead(num_players=3), toothead(num_players=3, deck=changed)
    seats: list[dict[str, Any]] = [{"pocket": ["jab", "scavenge"], "dock": "fang"}, {}, {}]
    results = []
    before: list[int] = []
    for table in (plain, other):
        states = fight(table, seats, dice=[1, 6])
        follow(table, states, "CARD jab", "LANE 1")
        won = facts(table, states, "seats.0.meat")
        states = begin(table, seats, bonfire=["kick"] * 5)
        follow(table, states, "CARD scavenge")
        drawn = facts(table, states, "seats.0.pocket", "seats.0.meat")
        states = begin(table, seats, at="NEXT_TURN", turn_phase="APPETITE", place=0, bonfire=["kick"] * 4)
        hungry = facts(table, states, "seats.0.meat")
        table.resume(states) if record(states).seat < 0 else None
        islands = begin(table, seats, turn_phase="APPETITE", island_deck=["coconut_rain"], bonfire=["kick"] * 5)
        follow(table, islands, "ISLAND")
        rain = facts(table, islands, "seats.0.pocket", "seats.1.pocket")
        monkeys = begin(table, seats, turn_phase="APPETITE", island_deck=["monkeys"], bonfire=["kick"])
        follow(table, monkeys, "ISLAND", "CARD jab")
        results.append((won, drawn, hungry, rain, facts(table, monkeys, "seats.1.pocket", "seats.2.pocket")))
        if JIT:
            before.append(len(loops.step_one.overloads))
    assert results[0] == (
        0,
        [["jab", "kick", "kick"], 0],
        0,
        [["scavenge", "jab", "kick"], ["kick"]],
        [["jab"], []],
    )
    assert results[1] == (
        1,
        [["jab", "kick", "kick", "kick"], 1],
        2,
        [["scavenge", "jab"], ["kick", "kick"]],
        [[], ["jab"]],
    )
    assert len(set(before)) <= 1, "the rules were compiled anew"


def test_cards_of_a_kind_that_the_standard_deck_lacks(tmp_path: Path) -> None:
    """Section 4.1: the vocabulary in other combinations."""
    changed = with_deck(
        tmp_path,
        ("PLAY: STEAL_MEAT(TGT, SELF, 1)", "PLAY: ROLL(D6){1-3: FEED(TGT); 4-6: TAKE_INITIATIVE(SELF) & HEAL(SELF)}"),
        ("DOCK: POOL(2, any)", "STATIC: POOL_PER(2, lost_slices); WIN: DISCARD_CHOICE(OPP, 1)"),
        ("STATIC: POOL(3, defence)", 'STATIC: POOL(3, defence)", "LOSE as ATTACKER: TAKE_POCKET(OPP, 1)'),
    )
    text = Path(changed).read_text(encoding="utf-8")
    text = text.replace("POOL_PER(2, lost_slices); WIN:", 'POOL_PER(2, lost_slices)", "WIN:')
    Path(changed).write_text(text, encoding="utf-8")
    table = toothead(num_players=3, deck=changed)
    states = begin(table, [{"pocket": ["meat_hook"], "meat": 1, "slices": 3}, {"meat": 1}, {"meat": 1}], dice=[2])
    follow(table, states, "CARD meat_hook", "SEAT+2")
    assert facts(table, states, "seats.2.meat", "seats.1.meat", "eaten") == [0, 1, 1]
    states = begin(
        table, [{"pocket": ["meat_hook"], "meat": 1, "slices": 3}, {"meat": 1}, {}], dice=[5], initiative=2, active=0
    )
    follow(table, states, "CARD meat_hook")
    assert facts(table, states, "initiative", "seats.0.slices", "seats.0.meat") == [0, 4, 0]
    # A weapon of a loser that looks into the winner's pocket, and a mega-trick that makes the loser discard.
    seats = [
        {"weapon": "pan", "pocket": ["jab", "axe"]},
        {"megas": ["war_paint"], "slices": 2, "pocket": ["rust", "kick"]},
        {},
    ]
    states = fight(table, seats, dice=[1, 1, 9])
    follow(table, states, "PASS", "PASS")
    assert asked(table, states) == ("DISCARD", 0)
    follow(table, states, "CARD axe")
    assert asked(table, states) == ("PICK", 0)
    follow(table, states, "CARD kick")
    assert facts(table, states, "seats.0.pocket", "seats.1.pocket") == [["jab", "kick"], ["rust"]]


def test_an_interrupted_effect_goes_on_with_the_seats_it_had(tmp_path: Path) -> None:
    """Two fights in a row, each of which can be bribed away: the second one is between the same two seats."""
    both = "PLAY: FORCE_ATTACK(TGT, TGT2); FORCE_ATTACK(TGT2, TGT)"
    table = toothead(num_players=4, deck=with_deck(tmp_path, ("PLAY: FORCE_ATTACK(TGT, TGT2)", both)))
    states = begin(table, [{"pocket": ["set_on"]}, {}, {"meat": 1}, {"meat": 1}])
    follow(table, states, "CARD set_on", "SEAT+2", "SEAT+3")
    assert asked(table, states) == ("ATTACKED", 3)
    follow(table, states, "BRIBE")
    assert asked(table, states) == ("ATTACKED", 2)
    assert facts(table, states, "fight.attacker", "fight.defender") == [3, 2]
    follow(table, states, "BRIBE")
    assert facts(table, states, "seats.2.meat", "seats.3.meat", "bin") == [1, 1, ["set_on"]]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("PLAY: DRAW(SELF, 2)", "PLAY: DRAWS(SELF, 2)", r"'scavenge'.*unknown opcode 'DRAWS'; did you mean 'DRAW'"),
        ("PLAY: DRAW(SELF, 2)", "PLAY: DRAW(SELF)", r"'scavenge'.*DRAW takes 2 arguments, not 1"),
        ("PLAY: DRAW(SELF, 2)", "PLAY: DRAW(ME, 2)", r"'scavenge'.*'ME' is no argument"),
        ("PLAY: DRAW(SELF, 2)", "PLAY: DRAW(SELF, two)", r"'two' is given; give a whole number"),
        ("PLAY: DRAW(SELF, 2)", "PLAYS: DRAW(SELF, 2)", r"'PLAYS' is no trigger of type mini; did you mean 'PLAY'"),
        ("PLAY: DRAW(SELF, 2)", "DRAW(SELF, 2)", r"has no trigger"),
        ("PLAY: DRAW(SELF, 2)", "PLAY: CANCEL_TRICK()", r"CANCEL_TRICK cannot be used by type mini at PLAY"),
        ("PLAY: DRAW(SELF, 2)", "PLAY: DRAW(TGT, 2)", r"'scavenge'.*TGT is a chosen seat, and this card chooses none"),
        ("PLAY: DISCARD_WEAPON(TGT)", "PLAY: FORCE_ATTACK(TGT, TGT2)", r"'rust'.*TGT2 is a second chosen seat"),
        ("{TAKE_SLICE(TGT, SELF)}", "", r"'big_bite'.*DUEL is followed by what it decides"),
        ("1-2: DISCARD_RANDOM(SELF, 1)", "1-7: DISCARD_RANDOM(SELF, 1)", r"1-7 is no range; faces go from 1 to 6"),
        ("1-2: DISCARD_RANDOM(SELF, 1)", "1-3: DISCARD_RANDOM(SELF, 1)", r"3-6 is no range"),
        ('name = "Jab", count = 5', 'name = "Jab", count = 16', r"'jab'.*count"),
        ('name = "Jab", count = 5, value = 1', 'name = "Jab", count = 5, value = -1', r"'jab'.*value"),
        ('name = "Jab", count = 5, value = 1', 'name = "Jab", count = 5', r"'jab'.*value: is missing"),
        ('die = "D8", attack_die', 'die = "D7", attack_die', r"'skunk'.*die"),
        ('id = "snoop", type = "mini"', 'id = "snoop", type = "micro"', r"'snoop'.*type is 'micro'"),
        ('needs = "weapon"', 'needs = "weapons"', r"'rust'.*needs"),
        ('name = "Fang", count = 1', 'name = "Fang", count = 2', r"'fang'.*count"),
        ('id = "slap"', 'id = "jab"', r"'jab' is used twice"),
        ('name = "Iron Gut", count = 1', 'name = "Iron Gut", count = 9', r"there are 24 mega-trick cards; 20 at most"),
        ("LOSE as DEFENDER:", "START as DEFENDER:", r"'pillow'.*only WIN and LOSE are narrowed to a role"),
        ("TURN_START(DIGESTION, HUNGER)", "TURN_START(EATING)", r"'squirrel'.*'EATING' is no phase with turns"),
        ('["STATIC: CANCEL_OPPOSITE()"]', '["STATIC: CANCEL_OPPOSITE() now"]', r"'block'.*'now' is not understood"),
    ],
)  # fmt: skip
def test_impossible_decks(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """Errors name file, card and field."""
    file = with_deck(tmp_path, (old, new))
    with pytest.raises(DeckError, match=reason) as caught:
        toothead(deck=file)
    assert file in str(caught.value)


def test_decks_beyond_the_capacities(tmp_path: Path) -> None:
    text = Path(with_deck(tmp_path)).read_text(encoding="utf-8")
    for kind, more, reason in (
        ("hit", 'type = "hit", count = 1, value = 1', "63 kinds of bonfire cards; 62 at most"),
        ("event", 'type = "event", count = 1', "17 kinds of island cards; 16 at most"),
        ("dock", 'type = "dock", count = 1', "9 docks; 8 at most"),
    ):
        extra = f'  {{ id = "x", name = "X", {more}, effect = "x", provenance = "own" }},\n]'
        file = tmp_path / f"{kind}.toml"
        file.write_text(text.rstrip().removesuffix("]") + extra, encoding="utf-8")
        with pytest.raises(DeckError, match=reason):
            toothead(deck=str(file))


def test_small_decks_can_be_played(tmp_path: Path) -> None:
    """A deck with few kinds: names of the action table follow it, unused places are never legal."""
    file = tmp_path / "small.toml"
    file.write_text(
        """
        name = "small"
        card = [
          { id = "rock", type = "hit", name = "Rock", count = 15, value = 3, effect = "x", provenance = "own" },
          { id = "club", type = "weapon", name = "Club", count = 5, die = "D6", effect = "x", provenance = "own" },
          { id = "nap", type = "event", name = "Nap", count = 1, effect = "x", provenance = "own" },
          { id = "one", type = "dock", name = "One", count = 1, effect = "x", provenance = "own" },
          { id = "two", type = "dock", name = "Two", count = 1, effect = "x", provenance = "own" },
        ]
        """,
        encoding="utf-8",
    )
    table = toothead(num_players=2, deck=str(file))
    assert len(table.actions) == 107
    assert table.action_index("CARD club") == 46
    assert table.actions[60] == "CARD 15"
    with pytest.raises(OptionError, match="has 2 docks for 3 seats"):
        toothead(num_players=3, deck=str(file))
    for seed in range(3):
        for moment in random_game(table, seed):
            check(table, moment.states)
            if moment.action >= 0:
                assert set(np.flatnonzero(moment.mask)) <= {*range(39), 45, 46}
                assert table.describe_action(table.view(moment.states, 0), moment.action)


def test_the_vocabulary() -> None:
    """Clauses become instructions with places to jump to."""
    code = (
        program_of(("PLAY: ROLL(D6){1-2: DRAW(SELF, 1) & HEAL(SELF); 5: FEED(SELF)}; GAIN(action, 1)",), "mini")
        .clauses[0]
        .code
    )
    assert [row[0] for row in code] == [19, 37, 3, 17, 38, 37, 15, 38, 0]
    assert [code[place][4] for place in (1, 4, 5, 7)] == [5, 8, 8, 8]
    for text in ("PLAY:", "PLAY: DRAW", "PLAY: DRAW(SELF, 1) else HEAL(SELF)", "PLAY: PASS_CARDS(left, 2)", ""):
        with pytest.raises(EffectError):
            program_of((text,), "mini")
    with pytest.raises(EffectError, match="used twice"):
        program_of(("PLAY: HEAL(SELF)", "PLAY: HEAL(SELF)"), "mini")
    with pytest.raises(EffectError, match="one roll cannot follow"):
        program_of(("PLAY: ROLL(D6){1: ROLL(D6){1: HEAL(SELF)}}",), "mini")


# Words


def test_every_event_has_words() -> None:
    table = toothead(num_players=4)
    for kind, name in enumerate(table.event_kinds):
        for seat in (None, 0, 2):
            words = table.describe_event(Event(kind, 2, EVERYBODY, 1, 1), seat)
            assert words is not None
            assert words.endswith("."), name
            assert words[0].isupper()
    assert table.describe_event(Event(6, 2, 4, 1, 0), 0) is None
    assert table.describe_event(Event(6, 2, 4, 24, 0), 2) == "You get Jab."
    assert table.describe_event(Event(6, 2, 4, 24, 0), None) == "Seat 2 gets Jab."


def test_a_fight_in_words() -> None:
    table = toothead(num_players=2)
    seats = [{"pocket": ["kick", "hiccups"], "weapon": "axe", "dock": "fang"}, {"slices": 2, "megas": ["shell"]}]
    states = fight(table, seats, dice=[7, 2, 9])
    record(states).tracing = 1
    follow(table, states, "CARD kick", "LANE 2")
    words = table.describe(table.view(states, 0))
    for part in (
        "You are to change the fight, or pass.",
        "A fight: you against left 1.",
        "Attacker, you: tokens 1 active, 2 Kick, 3 active; weapon die 7 (counts 7); Toothead die 2 (counts 2)",
        "Left 1: 2 slices (D10), 0 meat, no weapon, Shell, no cards.",
        "You: Fang, 4 slices (D6), 0 meat, Axe, 1 card, holds the initiative.",
        "Your pocket: Hiccups.",
    ):
        assert part in words
    told = [table.describe_event(event, 1) for event in events_since(record(states), 0)]
    assert "Left 1 puts Kick on token 2." in told
    view = table.view(states, 0)
    assert table.describe_action(view, table.action_index("CARD hiccups")).startswith(
        "play Hiccups: 2 less for a fighter"
    )
    assert table.describe_action(view, 0) == "pass"


def test_the_sum_of_a_fight_can_be_followed() -> None:
    """What each side counts, the winner's pool first, and what has worked by itself or was put to use."""
    table = toothead(num_players=3)
    seats = [
        {"pocket": ["jab"], "weapon": "boomerang"},
        {"weapon": "pan", "megas": ["jinx", "rage"], "dock": "boulder"},
        {},
    ]
    states = fight(table, seats, dice=[1, 5, 4, 6, 3, 2])
    record(states).tracing = 1
    follow(table, states, "CARD jab", "LANE 1", "WEAPON")
    told = [table.describe_event(event, 2) for event in events_since(record(states), 0)]
    story = (
        "Left 1 has Boomerang at work.",
        "The defender's Toothead die shows 2.",
        "Left 1 counts 6 for dice, 1 for hits and all else.",
        "Left 2 counts 10 for dice, 2 for hits and all else.",  # pan 4 + 3, Toothead 2 - 2, rage 3; boulder 2
        "Left 2 wins the fight, 12 against 7.",
    )
    assert [line for line in told if line in story] == list(story)
    assert "An extra die of left 2 shows 3." in told
    states = fight(table, [{"weapon": "slingshot"}, {"weapon": "pillow"}, {}], permanent="quicksand", dice=[1, 6, 9, 1])
    record(states).tracing = 1
    states = begin(table, [{"megas": ["iron_gut"]}, {"pocket": ["canned_food"]}, {"meat": 1}], at="EATING_WINDOW")
    record(states).tracing = 1
    follow(table, states, "CARD canned_food")
    told = [table.describe_event(event, 0) for event in events_since(record(states), 0)]
    assert {"Left 1 eats a card instead.", "Left 2 eats meat.", "You eat nothing."} <= set(told)


def test_all_actions_have_words() -> None:
    table = toothead(num_players=4)
    kinds = set()
    for seed in range(8):
        for moment in random_game(table, seed):
            state = record(moment.states)
            if moment.action >= 0:
                view = table.view(moment.states, int(state.seat))
                kinds.add(table.decisions[state.decision])
                for action in np.flatnonzero(moment.mask):
                    words = table.describe_action(view, int(action))
                    assert words
                    assert words != table.actions[action]
    assert len(kinds) >= 18


@pytest.mark.parametrize(
    ("seats", "given", "action", "reason"),
    [
        ([{"pocket": ["kick"]}, {}], {}, "CARD kick", "R39"),
        ([{"pocket": ["rust"]}, {}], {}, "CARD rust", "J10"),
        ([{"pocket": ["scavenge"]}, {}], {}, "CARD scavenge", "J10"),
        ([{"pocket": ["dumpster_dive"]}, {}], {}, "CARD dumpster_dive", "J10"),
        ([{}, {}], {}, "CARD rust", "not in your pocket"),
        ([{"pocket": ["no_way"]}, {}], {}, "CARD no_way", "J13"),
        ([{"pocket": ["axe"]}, {}], {"actions": 0}, "CARD axe", "R36, R37"),
        ([{}, {}], {}, "ATTACK+1", "R30"),
        ([{}, {"megas": ["hideout"]}], {"turn_phase": "APPETITE"}, "ATTACK+1", "J22"),
        ([{}, {}], {"turn_phase": "APPETITE"}, "ATTACK+5", "there are 2 seats"),
        ([{}, {}], {}, "DRAW", "R28, J7"),
        ([{}, {}], {}, "BONUS_DIE", "R18, J46"),
        ([{}, {}], {}, "EXCHANGE", "R16, J9"),
        ([{}, {}], {}, "LANE 1", "section 5.2"),
        ([{}, {}], {}, "DOCK fang", "section 5.2"),
    ],
)
def test_why_not(seats: list[dict[str, Any]], given: dict[str, Any], action: str, reason: str) -> None:
    table = toothead(num_players=2, skip_forced=False)
    states = begin(table, seats, **given)
    with pytest.raises(IllegalAction, match=re.escape(reason)):
        table.step(states, table.action_index(action))


# Positions

NODE = {"at": 0, "actor": -1, "target": -1, "second": -1}


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ({"seats": [{}]}, "seats: .*give a list of 2"),
        ({"at": None, "node": {**NODE, "card": {}}}, r"node\.card: {} is not known\. One of: mushrooms"),
        ({"at": None, "interrupted": [{**NODE, "card": ["jab"]}]}, r"card: \['jab'\] is not known"),
        ({"at": None, "node": {**NODE, "card": "kicks"}}, "node.card: 'kicks' is not known; did you mean 'kick'"),
        ({"at": None, "phase": 0}, r"phase is 0\. One of: SETUP"),
        ({"at": None, "over": True}, r"over is True\. One of: running"),
        ({"at": None, "decision": "TURNS"}, "decision is 'TURNS'; did you mean 'TURN'"),
        ({"seats": [{"slices": 5}, {}]}, "seats.0.slices"),
        ({"seats": [{"slices": 0}, {}]}, "a seat lives if and only if it has slices"),
        ({"seats": [{"alive": False, "eliminated": 1}, {}]}, "one team is left"),
        ({"seats": [{"alive": False, "meat": 1}, {}]}, "the dead own nothing"),
        ({"seats": [{"weapon": "kick"}, {}]}, "is no weapon"),
        ({"seats": [{"megas": ["kick"]}, {}]}, "kick is no mega-trick"),
        ({"seats": [{"dock": "fang"}, {"dock": "fang"}]}, "J56"),
        ({"seats": [{"pocket": ["kicks"]}, {}]}, "'kicks' is not known; did you mean 'kick'"),
        ({"seats": [{"pockets": []}, {}]}, "seats.0.pockets: is not known; did you mean 'pocket'"),
        ({"seats": [{"pocket": ["big_bite", "big_bite"]}, {}]}, "big_bite is given 1 times more often"),
        ({"seats": [{"known": [[], ["kick"]]}, {}]}, "does not hold so many"),
        ({"bonfire": ["kick"] * 6}, "more often than the deck has it"),
        ({"island_deck": ["fog", "fog"]}, "fog is given more often"),
        ({"permanent": "volcano"}, "is an event card"),
        ({"rest": "sorted"}, "rest: 'sorted' is given"),
        ({"draws": ["kick", "nothing"]}, "draws: 'nothing' is not known"),
        ({"dice": [13]}, "dice: 13"),
        ({"dice": ["meat"]}, "dice: 'meat'"),
        ({"draws": ["kick"], "script": {"draw": [1]}}, "draw is given in words too"),
        ({"round": 41}, "round_number is 41; from 0 to 40 is possible"),
        ({"extra": [9, 0, 0]}, r"extra\[0\] is 9; from 0 to 8 is possible"),
        ({"turn_phase": "NIGHT"}, "turn_phase: 'NIGHT'"),
        ({"active": 2}, "active: 2"),
        ({"place": 2}, "it is another seat's turn"),
        ({"at": "ATTACK"}, "give attacker and defender"),
        ({"at": "ATTACK", "fight": {"attacker": 0, "defender": 0}}, "give attacker and defender"),
        ({"at": "EFFECT"}, "interrupts something"),
        ({"at": "FIGHT_WINDOW", "fight": {"attacker": 0, "defender": 1}}, "do not fit the phase"),
        ({"fight": {"attacker": 0, "defender": 1}}, "none is going on"),
        ({"held": "kick"}, "nothing is held"),
        ({"gifts": ["kick", None]}, "seat 0 does not hold that card"),
        ({"card_dice": [[6, 3, 0], None]}, "card_dice"),
        ({"at": None, "decision": "TURN", "seat": 1, "phase": "TURN"}, "the rules do not ask seat 1 for TURN"),
        ({"at": None, "decision": "FTURN", "seat": 0, "phase": "TURN"}, "the rules do not ask seat 0 for FTURN"),
        ({"at": None, "decision": "LANE", "seat": 0, "phase": "TURN"}, "LANE is about a card"),
        ({"at": None, "decision": "DRAWN", "seat": 0, "phase": "TURN", "held": "axe"}, "card is still in the pocket"),
        ({"interrupted": [{}] * 9}, "nodes are given"),
        ({"node": {"card": "x"}}, "node.at"),
    ],
)  # fmt: skip
def test_impossible_positions(position: dict[str, Any], reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        toothead(num_players=2).from_dict({"at": "TURN", **position})


def test_impossible_reset_options() -> None:
    table = toothead()
    for options, reason in (({"dice": 6}, "dice"), ({"draws": ["kicks"]}, "draws: 'kicks'"), ({"dice": ["x"]}, "dice")):
        with pytest.raises(OptionError, match=f"reset option: {reason}"):
            table.reset_script(options)
    assert table.reset_script({}) == {}


FUZZED = toothead(num_players=3)
POSITIONS = [
    FUZZED.to_dict(moment.states)
    for seed in range(3)
    for number, moment in enumerate(random_game(FUZZED, seed))
    if number % 4 == 0
]
WORDS = st.sampled_from(["jab", "axe", "rage", "fog", "EFFECT", "PLACING", "TURN", "ATTACK", "FWIN", "EAT", "x"])
SCALARS = st.none() | st.booleans() | st.integers(-2, 13) | st.integers() | st.floats() | WORDS
INSIDE = st.sampled_from([*POSITIONS[0]["node"], *POSITIONS[0]["seats"][0], "attacker", "defender", "tokens", "faces"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(INSIDE, inner, max_size=4), max_leaves=8
)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    st.sampled_from(POSITIONS),
    st.dictionaries(st.sampled_from([*POSITIONS[0], "at", "halt", "rest", "draws", "dice"]), VALUES, max_size=2),
    st.none() | st.tuples(st.sampled_from(["node", "fight"]), INSIDE, SCALARS),
    st.none() | st.tuples(st.sampled_from(POSITIONS), st.sampled_from([*POSITIONS[0]])),
)
def test_positions_of_any_shape(position: dict[str, Any], changes: dict[str, Any], inner: Any, mixed: Any) -> None:
    """Whatever a position says, the answer is a usable state or one of our own errors."""
    position = {**position, **changes}
    if inner is not None and isinstance(position.get(inner[0]), dict):
        position[inner[0]] = {**position[inner[0]], inner[1]: inner[2]}
    if mixed is not None:
        position[mixed[1]] = mixed[0][mixed[1]]
    try:
        states = FUZZED.from_dict(position)
    except ToothError:
        return
    check(FUZZED, states, dealt=False)
    again = FUZZED.from_dict(FUZZED.to_dict(states))
    assert FUZZED.to_dict(again) == FUZZED.to_dict(states)
    mask = FUZZED.legal_mask(states)
    for seat in range(3):
        assert FUZZED.layout.out_of_bounds(np.frombuffer(FUZZED.view(states, seat).tobytes(), np.int16)) == []
    for step in range(60):
        if not mask.any():
            break
        legal = np.flatnonzero(mask)
        FUZZED.step(states, int(legal[step % len(legal)]), mask)
        check(FUZZED, states, dealt=False)
