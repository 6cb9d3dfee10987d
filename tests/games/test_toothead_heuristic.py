"""The baseline of Toothead against its specification (section 10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from tests.games.tooth import begin, fight, follow, toothead, with_deck
from tests.support import random_game
from tooth_envs.engine import loops
from tooth_envs.engine.chance import mix
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.protocol import view as write_view
from tooth_envs.engine.state import RUNNING, record
from tooth_envs.games.toothead import heuristic as heuristic
from tooth_envs.games.toothead import heuristic_odds as odds
from tooth_envs.games.toothead.game import Toothead
from tooth_envs.spec.game import views_of

# Not ``@compiled``: a cache of these would not notice that the policy has changed.


@njit
def choose_one(views, mask, key):
    return heuristic.policy(views[0], mask, key)


@njit
def play_games(tables, blanks, states, mask, views, vectors, seed, everybody, results):
    """Games with the baseline in every seat, or in one (in turn) against random ones: length, rounds, 1 if it won."""
    for number in range(len(results)):
        states[0] = blanks[0]
        states[0].seed = mix(seed, 7, number)
        own = number % states[0].players
        loops.start(tables[0], states[0], mask)
        while states[0].over == RUNNING:
            seat = states[0].seat
            if everybody or seat == own:
                vectors[0, :] = 0
                write_view(tables[0], states[0], seat, views[0])
                action = heuristic.policy(views[0], mask, 0)
            else:
                action = loops.random_action(mask, mix(seed + number, 99, states[0].steps))
            loops.step(tables[0], states[0], action, mask)
        results[number, 0] = states[0].steps
        results[number, 1] = states[0].round_number
        results[number, 2] = int(states[0].rank[own] == 1)


def choose(table: Toothead, states: np.ndarray) -> str:
    """What the baseline does for the seat to act."""
    vectors = np.zeros((1, table.layout.length), np.int16)
    views = views_of(vectors, table.layout)
    loops.view_one(table.tables, states, int(record(states).seat), views, vectors)
    return table.actions[int(choose_one(views, table.legal_mask(states), 0))]


SPECIFIED = {2: (126, 3.2, 0.96), 4: (390, 5.6, 0.95), 8: (900, 6.8, 0.9)}
"""Decisions and rounds when all play it, and how many of its games against random seats it wins at least."""


@pytest.mark.skipif(not JIT, reason="many games")
@pytest.mark.parametrize("players", SPECIFIED)
def test_whole_games(players: int) -> None:
    """Section 1: lengths, and 97 to 99 % of the games won against random seats."""
    table = toothead(num_players=players, dock_mode="random")
    vectors = np.zeros((1, table.layout.length), np.int16)
    views = views_of(vectors, table.layout)
    decisions, rounds, wins = SPECIFIED[players]
    results = np.zeros((300, 3), int)
    for everybody in (True, False):
        states, mask = table.new_states(), table.new_mask()
        play_games(table.tables, table.blank, states, mask, views, vectors, 3, everybody, results)
        means = results.mean(axis=0)
        if everybody:
            assert abs(means[0] / decisions - 1) < 0.08
            assert abs(means[1] - rounds) < 0.6
        else:
            assert means[2] >= wins


def test_it_plays_legally_with_any_deck(tmp_path: Path) -> None:
    """It knows the standard deck, and falls back on legal moves elsewhere."""
    deck = with_deck(tmp_path, ('name = "Jab", count = 5, value = 1', 'name = "Jab", count = 5, value = 9'))
    tables = [toothead(num_players=3, deck=deck), toothead(num_players=3, skip_forced=False), toothead(teams=2)]
    for table in tables:
        for seed in range(2):
            for number, moment in enumerate(random_game(table, seed)):
                if moment.action >= 0 and number % 3 == 0:
                    assert moment.mask[table.action_index(choose(table, moment.states))]


def test_docks_in_order() -> None:
    table = toothead(num_players=4)
    states = table.deal(1)
    chosen = []
    for _ in range(4):
        chosen.append(choose(table, states))
        table.step(states, table.action_index(chosen[-1]))
    assert chosen == ["DOCK boulder", "DOCK berserker", "DOCK squirrel", "DOCK fang"]


TURNS: list[tuple[str, list[dict[str, Any]], dict[str, Any], str]] = [
    ("heals", [{"slices": 2, "meat": 1, "pocket": ["stitches", "axe"]}, {}], {}, "CARD stitches"),
    ("keeps its meat", [{"slices": 3, "meat": 1, "pocket": ["stitches", "axe"]}, {}], {}, "CARD axe"),
    ("takes the better weapon", [{"weapon": "pan", "pocket": ["spear", "axe"]}, {}], {}, "CARD axe"),
    ("keeps the better weapon", [{"weapon": "axe", "pocket": ["pan", "mushrooms"]}, {}], {}, "CARD mushrooms"),
    ("gains before it draws", [{"pocket": ["scavenge", "meat_hook"]}, {"meat": 1}], {}, "CARD meat_hook"),
    ("swaps for more", [{"pocket": ["pocket_swap"]}, {"pocket": ["jab", "jab"]}], {}, "CARD pocket_swap"),
    ("does not swap for less", [{"pocket": ["pocket_swap", "jab"]}, {"pocket": ["jab", "jab"]}], {}, "DRAW"),
    ("paints before it fights", [{"pocket": ["war_paint", "kick"]}, {}], {"turn_phase": "APPETITE"}, "CARD war_paint"),
    ("attacks the weaker", [{"weapon": "axe"}, {"weapon": "axe"}, {}], {"turn_phase": "HUNGER"}, "ATTACK+2"),
    ("leaves the stronger alone", [{}, {"weapon": "axe"}], {"turn_phase": "HUNGER"}, "BONUS_DIE"),
    ("is not tempted by what the stronger has", [{"pocket": ["jab"]}, {"slices": 1, "meat": 1, "pocket": ["jab"]}],
     {"turn_phase": "HUNGER", "actions": 0}, "BONUS_DIE"),
    ("hides", [{"pocket": ["hideout", "jab"]}, {"weapon": "axe"}], {}, "CARD hideout"),
    ("exchanges bad cards", [{"pocket": ["jab", "jab"]}, {}], {"actions": 0}, "EXCHANGE"),
    ("keeps good cards", [{"pocket": ["kick", "kick", "axe"], "weapon": "pan"}, {}], {"actions": 0}, "PASS"),
    ("grabs the token late", [{"pocket": ["power_grab"]}, {"weapon": "axe"}],
     {"turn_phase": "HUNGER", "initiative": 1, "first": 0, "actions": 0, "roll": 0}, "CARD power_grab"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "seats", "given", "action"), TURNS, ids=[turn[0] for turn in TURNS])
def test_turns(name: str, seats: list[dict[str, Any]], given: dict[str, Any], action: str) -> None:
    table = toothead(num_players=len(seats))
    states = begin(table, seats, **{"bonfire": ["slap", "slap"], **given})
    assert choose(table, states) == action


DEFENCES: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("fights a weak seat", {}, {"meat": 1, "weapon": "axe"}, "YES"),
    ("plays dead", {"weapon": "axe"}, {"pocket": ["play_dead", "scapegoat"]}, "CARD play_dead"),
    ("finds a scapegoat", {"weapon": "axe"}, {"pocket": ["scapegoat"]}, "CARD scapegoat"),
    ("lets the skunk go", {"weapon": "axe", "megas": ["war_paint"]}, {"weapon": "skunk"}, "WEAPON"),
    ("bribes a far stronger seat", {"weapon": "axe"}, {"meat": 1}, "BRIBE"),
    ("bribes on the last slice", {}, {"meat": 1, "slices": 1}, "BRIBE"),
]


@pytest.mark.parametrize(("name", "attacker", "defender", "action"), DEFENCES, ids=[entry[0] for entry in DEFENCES])
def test_defences(name: str, attacker: dict[str, Any], defender: dict[str, Any], action: str) -> None:
    table = toothead(num_players=3, skip_forced=False)
    pocket = {"pocket": ["slap", "slap"]} if "last" in name else {}
    assert choose(table, fight(table, [{**attacker, **pocket}, defender, {}])) == action


def test_placing_cards() -> None:
    """The best hit first; a block opposite the best hit; a trip opposite an empty token; then the bonfire."""
    table = toothead(num_players=2)
    seats = [{"pocket": ["haymaker", "punch", "jab"]}, {"pocket": ["block", "trip", "slap"]}]
    states = fight(table, seats, bonfire=["rust", "kick"], draws=["rust", "kick"], dice=[1, 1])
    trail = []
    for _ in range(8):
        trail.append(choose(table, states))
        table.step(states, table.action_index(trail[-1]))
    assert trail == [
        *("CARD haymaker", "LANE 1", "CARD block", "LANE 1"),
        *("CARD punch", "LANE 2", "CARD trip", "LANE 3"),
    ]
    states = fight(table, [{}, {"pocket": ["slap"]}], bonfire=["kick", "rust"], draws=["kick"], dice=[1, 1])
    assert choose(table, states) == "FDRAW 1"
    table.step(states, table.action_index("FDRAW 1"))
    assert choose(table, states) == "YES"


@pytest.mark.parametrize(
    ("pocket", "dice", "trail"),
    [
        (["chili", "hiccups"], [3, 4], ["CARD hiccups", "SEAT+1"]),
        (["chili", "stink_bomb"], [3, 5], ["CARD chili", "SEAT+0"]),
        (["chili"], [3, 6], ["PASS"]),
        (["chili"], [4, 3], ["PASS"]),
        (["golden_tooth"], [2, 5], ["CARD golden_tooth", "DIE 1"]),
        (["lucky_bone"], [2, 6], ["CARD lucky_bone", "DIE 3"]),
        (["lucky_bone"], [1, 5], ["CARD lucky_bone", "DIE 1"]),
        (["lucky_bone"], [1, 6], ["PASS"]),
    ],
)
def test_after_the_dice(pocket: list[str], dice: list[int], trail: list[str]) -> None:
    table = toothead(num_players=2)
    states = fight(table, [{"pocket": pocket}, {}], dice=[*dice, 6])
    for action in trail:
        assert choose(table, states) == action
        follow(table, states, action)


@pytest.mark.parametrize(
    ("attacker", "defender", "dice", "action"),
    [
        ({"dock": "gambler"}, {}, [5, 6], "KNACK"),  # what is lost already cannot get worse
        ({"dock": "gambler"}, {}, [6, 3], "PASS"),
        ({"dock": "gambler"}, {}, [3, 3], "KNACK"),
        ({"dock": "gambler"}, {}, [4, 4], "PASS"),
        ({"dock": "gambler"}, {"weapon": "pan"}, [6, 5, 6], "PASS"),  # nor better
        ({"weapon": "spear"}, {}, [3, 2, 6], "WEAPON"),
        ({"weapon": "spear"}, {}, [5, 1, 6], "PASS"),
        ({"weapon": "spear"}, {"slices": 1}, [6, 2, 12], "WEAPON"),
        ({"weapon": "boomerang"}, {}, [1, 1, 3], "WEAPON"),
        ({"weapon": "boomerang"}, {}, [1, 2, 3], "PASS"),
        ({"weapon": "boomerang"}, {}, [1, 3, 4], "WEAPON"),
        ({"weapon": "boomerang"}, {"weapon": "axe"}, [1, 2, 9, 1], "PASS"),
    ],
)
def test_what_is_rolled_again(attacker: dict[str, Any], defender: dict[str, Any], dice: list[int], action: str) -> None:
    """A die of a lost fight; a bad one of a tie; none of a fight that is being won."""
    table = toothead(num_players=2)
    plain = {"dock": "leech"}
    states = fight(table, [{**plain, **attacker}, {"dock": "magpie", **defender}], dice=[*dice, 6])
    names = table.legal_names(record(states))
    assert ("KNACK" in names) or ("WEAPON" in names)
    assert choose(table, states) == action


def test_smaller_decisions() -> None:
    """Tricks against oneself are cancelled, food is spared, the worst card is given away."""
    table = toothead(num_players=3)
    seats: list[dict[str, Any]] = [{"pocket": ["meat_hook"]}, {"meat": 1, "pocket": ["no_way"]}, {"meat": 1}]
    for target, action in (("SEAT+1", "CARD no_way"), ("SEAT+2", "PASS")):
        states = begin(table, seats)
        follow(table, states, "CARD meat_hook", target)
        assert choose(table, states) == action
    eating = {"at": "EATING_WINDOW", "initiative": 1}
    states = begin(table, [{"slices": 2, "pocket": ["canned_food"]}, {"meat": 1}, {"meat": 1}], **eating)
    assert choose(table, states) == "CARD canned_food"
    states = begin(table, [{"meat": 1, "pocket": ["canned_food"]}, {"meat": 1}, {"meat": 1}], **eating)
    assert choose(table, states) == "EAT_MEAT"
    seats = [{"pocket": ["spoilage"]}, {"pocket": ["big_bite", "jab", "axe", "mushrooms"]}, {}]
    states = begin(table, seats)
    follow(table, states, "CARD spoilage")
    assert choose(table, states) == "CARD jab"
    seats = [{"pocket": ["snoop"]}, {"pocket": ["big_bite", "jab", "axe", "mushrooms"]}, {}]
    states = begin(table, seats)
    follow(table, states, "CARD snoop")
    assert choose(table, states) == "CARD big_bite"


def test_estimates() -> None:
    """The formulas of section 10 on an example."""
    table = toothead(num_players=2)
    seats = [
        {"weapon": "pan", "megas": ["war_paint", "shell"], "dock": "boulder", "pocket": ["kick", "dodge"]},
        {"weapon": "pillow", "megas": ["jinx"], "slices": 2, "dock": "berserker", "pocket": ["jab", "jab"]},
    ]
    view = table.view(begin(table, seats, permanent="high_tide"), 0)
    strength, edge, hand = (getattr(f, "py_func", f) for f in (odds.strength, odds.edge, odds.own_hand))
    assert strength(view, 0, False) == 3.5 + 3.5 + 3 + 2 + 4 + 2 + 2
    assert strength(view, 1, True) == 5.5 - 2 + 1
    assert hand(view) == 4 + 3 + 0.9
    assert edge(view, 1, False) == pytest.approx(20 + 7.9 - 4.5 - 2.6 * (0.5 + 0.34 * 2))


def test_a_die_that_can_be_rolled_again_is_worth_more() -> None:
    """A D6 of which 1, 2, 3 are rolled again has a mean of 4.25; without knacks all dice are alike."""
    table = toothead(num_players=2)
    strength = getattr(odds.strength, "py_func", odds.strength)
    for permanent, means in ((None, (4.25, 8.0)), ("amnesia", (3.5, 6.5))):
        for slices, mean in zip((4, 1), means, strict=True):
            seats = [{"dock": "gambler", "slices": slices}, {"dock": "leech"}]
            view = table.view(begin(table, seats, **({"permanent": permanent} if permanent else {})), 0)
            assert strength(view, 0, True) == strength(view, 0, False) == mean
