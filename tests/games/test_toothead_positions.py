"""Positions of Toothead: what play can come to is accepted and comes back equal, what it cannot is refused."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.test_toothead_decks import random_deck, write
from tests.games.tooth import begin, facts, fight, follow, toothead, with_deck
from tests.support import chosen, random_game
from tooth_envs.engine.chance import FAULT_ENDLESS, mix_python
from tooth_envs.engine.compile import plain
from tooth_envs.engine.state import RUNNING, TRUNCATED, digest, record
from tooth_envs.errors import DeckError, PositionError, ToothError
from tooth_envs.games.toothead import dice, effects, machine, position_nodes, table
from tooth_envs.games.toothead import state as s
from tooth_envs.games.toothead.game import Toothead
from tooth_envs.games.toothead.vocabulary import TO_LEFT, TO_RIGHT, TRIGGERS

TURN = {"phase": "TURN", "at": 0, "actor": -1, "target": -1, "second": -1, "card": None, "count": 0, "trigger": "PLAY"}


def node(phase: str, **registers: Any) -> dict[str, Any]:
    """A node in words; registers that are not given are blank."""
    return {**TURN, "phase": phase, **registers}


def start_of(game: Toothead, card: str, trigger: str = "PLAY") -> int:
    """The first instruction of what a card does at a trigger."""
    source = {game.cards.name_of(source): source for source in game.cards.programs}[card]
    return int(game.tables["starts"][0, source, TRIGGERS.index(trigger)])


def set_on(**registers: Any) -> dict[str, Any]:
    """Seat 0 has set seat 1 on seat 2: the turn, the trick, and its effect as given."""
    trick = node("TRICK_END", actor=0, target=1, second=2, card="set_on")
    given = {"actor": 0, "target": 1, "second": 2, "card": "set_on", **registers}
    return {"at": "EFFECT", "interrupted": [TURN, trick], "node": node("EFFECT", **given)}


def event(name: str, **registers: Any) -> dict[str, Any]:
    """Seat 0 has turned up an event."""
    effect = node("EFFECT", **{"actor": 0, "card": name, **registers})
    return {"at": "EFFECT", "interrupted": [TURN], "node": effect, "turn_phase": "APPETITE"}


GAME = toothead(num_players=3)
SET_ON, VOLCANO, BITE = (start_of(GAME, name) for name in ("Set Them On", "Volcano", "Big Bite"))
RAIN = start_of(GAME, "Coconut Rain")
SKUNK = start_of(GAME, "Skunk", "ATTACKED")
_BITE = node("TRICK_END", actor=0, target=0, card="big_bite")
_RAIN = node("EFFECT", actor=0, card="coconut_rain", at=RAIN)
_TAUNT = node("TRICK_END", actor=0, target=1, card="taunt")
IMPOSSIBLE: list[tuple[str, dict[str, Any], str]] = [
    # Registers that name no seat, or another one than they can.
    ("a seat that is none", set_on(at=SET_ON, target=1, second=16), "target or second"),
    ("another target than the trick's", set_on(at=SET_ON, target=2), "target or second"),
    ("a seat before a contest finds one", event("volcano", at=VOLCANO, target=1), "target or second"),
    ("no seat after a contest", event("volcano", at=VOLCANO + 2, second=1), "target or second"),
    ("a value that is none", event("volcano", at=VOLCANO + 1, target=1, second=7), "target or second"),
    ("a trick of somebody else", {"at": "TRICK", "node": node("TRICK", actor=1, card="taunt"), "interrupted": [TURN]},
     "actor is the active seat"),
    ("a target that is to be chosen",
     {"at": "TRICK", "node": node("TRICK", actor=0, target=1, card="taunt"), "interrupted": [TURN]}, "give -1"),
    ("a second target that is to be chosen",
     {"at": "TRICK", "node": node("TRICK", actor=0, target=1, second=2, card="set_on"), "interrupted": [TURN]},
     "give -1"),
    ("registers of a turn", {"at": "TURN", "node": node("TURN", second=9)}, "second means nothing there"),
    # Counts and places.
    ("a count beyond a roll", event("volcano", at=VOLCANO, count=2), "count is out of range"),
    ("a count of what does not count", set_on(at=SET_ON, count=1), "count is out of range"),
    ("an instruction of another card", set_on(at=VOLCANO), "at is no instruction"),
    ("a duel with itself",
     {"at": "EFFECT", "card_dice": [[6, 3, 0], None, None], "interrupted": [TURN, _BITE],
      "node": node("EFFECT", at=BITE, actor=0, target=0, card="big_bite", count=1)}, "a duel is between two"),
    # What interrupts what.
    ("events in events",
     {"at": "EFFECT", "interrupted": [TURN, *[_RAIN] * 4], "node": node("EFFECT", actor=0, card="volcano", at=VOLCANO)},
     "no event is turned up there"),
    ("more nodes than there can be", {"interrupted": [TURN] * 6, "node": TURN}, "6 nodes are given; 5 at most"),
    ("an attack in an attack",
     {"at": "EFFECT", "fight": {"attacker": 0, "defender": 1}, "seats": [{}, {"weapon": "skunk"}, {}],
      "interrupted": [TURN, node("ATTACK", actor=0),
                      node("EFFECT", actor=1, target=0, card="skunk", trigger="ATTACKED", at=SKUNK)],
      "node": node("EFFECT", actor=0, target=1, card="taunt", at=start_of(GAME, "Taunt"))},
     "a trick is announced first"),
    ("a fight that no card provokes",
     {"at": "ATTACK", "fight": {"attacker": 1, "defender": 0}, "node": node("ATTACK", actor=1),
      "interrupted": [TURN, node("EFFECT", actor=0, card="coconut_rain", at=RAIN + 1)]}, "no such card provokes"),
    ("another fight than is provoked",
     {"at": "ATTACK", "fight": {"attacker": 2, "defender": 0}, "node": node("ATTACK", actor=2),
      "interrupted": [TURN, _TAUNT,
                      node("EFFECT", actor=0, target=1, card="taunt", at=start_of(GAME, "Taunt") + 1)]},
     "not the seat that must attack"),
    # Decisions without a choice.
    ("an exchange of nothing", {"at": "EXCHANGE", "active": 0, "rest": "aside"}, "nothing to choose from for EXCH"),
    ("half an exchange",
     {"at": "EXCHANGE", "active": 0, "rest": "aside", "node": node("EXCHANGE", count=1)}, "nothing to choose"),
    ("fuel that is not there",
     {"at": "EFFECT", "fight": {"attacker": 0, "defender": 1, "fighting": 1}, "turn_phase": "APPETITE",
      "interrupted": [TURN, node("FIGHT_START", actor=0, at=3)],
      "node": node("EFFECT", actor=0, target=1, card="two_fuels", trigger="START", count=1)}, "no card is left"),
    ("no target",
     {"at": "TRICK", "node": node("TRICK", actor=0, card="rust"), "interrupted": [TURN]}, "nothing to choose"),
    ("no second target",
     {"at": "TRICK", "node": node("TRICK", actor=0, target=1, card="set_on"), "interrupted": [TURN],
      "permanent": "fog"}, "nothing to choose from for TARGET2"),
    # Numbers beyond what is shown.
    ("too many actions", {"actions": 999}, "actions is 999; from 0 to 10 is possible"),
    ("too much meat", {"seats": [{"meat": 9999}, {"meat": 9999}, {}]}, "add up to 20010; 10011 at most"),
    ("too much has been eaten", {"seats": [{"meat": 9000}, {}, {}], "eaten": 9000}, "add up to 18012; 10011 at most"),
    # Setup.
    ("docks before anybody rolled", {"at": "SETUP", "seats": [{"dock": "fang"}, {}, {}]}, "nobody has a dock yet"),
    ("pockets before the deal", {"at": "SETUP", "seats": [{"pocket": ["kick"]}, {}, {}]}, "no pockets before"),
    ("docks out of order",
     {"at": "DOCKS", "dock_order": [0, 1, 2], "seats": [{}, {"dock": "fang"}, {}]}, "are chosen in dock_order"),
    ("cards before docks", {"at": "DEAL"}, "docks come before cards"),
    # Fights that leave something behind.
    ("tokens without a fight", {"fight": {"tokens": [["neutralised"] * 3] * 2}}, "none is going on"),
    ("a card too many",
     {"at": None, "phase": "PLACING", "decision": "LANE", "seat": 0, "held": "kick", "interrupted": [TURN],
      "fight": {"attacker": 0, "defender": 1, "fighting": 1}, "turn_phase": "APPETITE",
      "node": node("PLACING", actor=0)}, "still in the pocket"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "reason"), [entry[1:] for entry in IMPOSSIBLE], ids=[name for name, *_ in IMPOSSIBLE]
)
def test_what_play_cannot_come_to_is_refused(given: dict[str, Any], reason: str, tmp_path: Path) -> None:
    game = GAME
    if "two_fuels" in str(given):
        changed = with_two_fuels(tmp_path)
        game = toothead(num_players=3, deck=changed)
        given = {**given, "node": {**given["node"], "card": "chainsaw"}}
        given["node"]["at"] = start_of(game, "Chainsaw", "START")
    with pytest.raises(PositionError, match=reason):
        game.from_dict({"at": "TURN", "active": 0, **given})


def with_two_fuels(folder: Path) -> str:
    """The standard deck with a chainsaw that needs two cards."""
    return with_deck(folder, ("START: FUEL(1)", "START: FUEL(2)"))


def test_cards_that_follow_each_other_are_accepted() -> None:
    """The deepest there is: a turn, a trick, its effect, an event, its dice, and a special."""
    given = [
        TURN,
        node("TRICK_END", actor=0, target=0, card="excursion"),
        node("EFFECT", actor=0, target=0, card="excursion", at=start_of(GAME, "Excursion") + 1),
        node("EFFECT", actor=0, card="volcano", at=VOLCANO, count=1),
    ]
    states = begin(
        GAME,
        [{"pocket": ["hiccups", "lucky_bone"]}, {}, {}],
        at="DICE_WINDOW",
        turn_phase="APPETITE",
        interrupted=given,
        node=node("DICE_WINDOW", actor=0),
        card_dice=[[6, 3, 0], [6, 4, 0], [6, 5, 0]],
    )
    follow(GAME, states, "CARD hiccups")
    assert record(states).depth + 1 == position_nodes.MOST_NODES
    same(GAME, states)
    follow(GAME, states, "SEAT+1")
    same(GAME, states)


def test_a_halted_trick_comes_back() -> None:
    """Before each phase that play can halt at."""
    for phase in ("TRICK", "TRICK_WINDOW", "TRICK_EFFECT", "TRICK_END", "EFFECT", "ATTACK", "NEXT_TURN"):
        states = begin(GAME, [{"pocket": ["set_on", "taunt"]}, {}, {}], halt=phase)
        for name in ("CARD set_on", "SEAT+1"):
            if record(states).seat >= 0:
                follow(GAME, states, name)
        if record(states).seat < 0:
            same(GAME, states)


def same(game: Toothead, states: np.ndarray) -> None:
    """A state comes back equal."""
    assert digest(game.from_dict(game.to_dict(states))) == digest(states)


def played_out(game: Toothead, states: np.ndarray, most: int = 400) -> None:
    """Play goes on to an end, or for long enough, with something legal at each step."""
    mask = game.legal_mask(states)
    for step in range(most):
        state = record(states)
        if state.over != RUNNING or state.seat < 0:
            assert state.fault == 0
            return
        assert mask.any()
        game.step(states, chosen(mask, mix_python(1, 2, step)), mask)


def mutated(luck: random.Random, position: dict[str, Any]) -> dict[str, Any]:
    """One register or number of a position changed, as things that halt afresh: nobody is asked yet."""
    changed = {**position, "interrupted": [dict(row) for row in position["interrupted"]]}
    rows = [*changed["interrupted"], changed.setdefault("node", dict(position["node"]))]
    changed["node"] = rows[-1] = dict(rows[-1])
    row = luck.choice(rows)
    key = luck.choice([*(name for name in s.REGISTERS if name != "phase")] * 2 + ["phase"])
    if key == "phase":
        row[key] = luck.choice(s.Phase.names())
    elif key == "trigger":
        row[key] = luck.choice(TRIGGERS)
    elif key == "card":
        row[key] = luck.choice([None, "volcano", "coconut_rain", "set_on", "big_bite", "hiccups", "excursion"])
    else:
        row[key] = luck.choice([-1, 0, 1, 2, 3, 7, 21, 22, 64, 99, int(row[key]) + 1])
    if luck.random() < 0.7:
        changed.update(at=changed["node"]["phase"], seat=-1, decision=None, held=None)
    return changed


def seen_and_mutated(game: Toothead, seed: int, budget: int, mutations: float) -> set[tuple[Any, ...]]:
    """Play; every moment comes back equal, and one change of it is refused or can be played."""
    luck = random.Random(seed)
    seen: set[tuple[Any, ...]] = set()
    count = 0
    while count < budget:
        seed += 1
        for moment in random_game(game, seed):
            state = record(moment.states)
            seen.add((int(state.phase), int(state.decision), int(state.depth)))
            assert state.depth < position_nodes.MOST_NODES
            if luck.random() < 0.5 or state.depth > 1:
                count += 1
                same(game, moment.states)
            if luck.random() < mutations and moment.action >= 0:
                try:
                    states = game.from_dict(mutated(luck, game.to_dict(moment.states)))
                except ToothError:
                    continue
                played_out(game, states)
            if count >= budget:
                break
    return seen


def test_what_play_comes_to_is_accepted() -> None:
    seen = seen_and_mutated(toothead(num_players=3, dock_mode="random"), 0, 150, 0.3)
    assert len(seen) > 15


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4, 5, 8])
def test_what_much_play_comes_to_is_accepted(players: int, tmp_path: Path) -> None:
    """Also with decks of random programs."""
    options = {"num_players": players, "skip_forced": players % 2 == 0}
    seen_and_mutated(toothead(**options), 0, 700, 1.0)
    luck = random.Random(players)
    for number in range(4):
        try:
            game = toothead(num_players=min(players, 5), deck=write(tmp_path, random_deck(luck)), max_steps=500)
        except DeckError:
            continue
        seen_and_mutated(game, number, 300, 0.5)


def test_programs_go_forward(tmp_path: Path) -> None:
    """No instruction leads back, or out of its clause: so every program ends."""
    luck = random.Random(3)
    games = [GAME]
    while len(games) < 5:
        try:
            games.append(toothead(num_players=2, deck=write(tmp_path, random_deck(luck))))
        except DeckError:
            continue
    for game in games:
        tables = record(game.tables)
        for source, program in game.cards.programs.items():
            for trigger in program.clauses:
                start, stop = int(tables.starts[source, trigger]), int(tables.stops[source, trigger])
                for place in range(start, stop):
                    opcode, after = int(tables.code[place, 0]), int(tables.code[place, 4])
                    if opcode in (position_nodes.BRANCH, position_nodes.JUMP, position_nodes.TAKE_BIN):
                        assert place < after <= stop
                assert set(position_nodes.flows(tables, source, trigger)) == set(range(start, stop + 1))


# Loops and nodes, if a record came from nowhere


def test_nodes_beyond_the_record_are_a_fault() -> None:
    states = begin(GAME, [{}, {}, {}])
    state = record(states)
    state.depth = s.DEPTH
    before = state.saved.copy(), int(state.held)
    plain(machine.interrupt)(state, s.Phase.EFFECT, 0)
    assert (state.fault, state.over, state.depth) == (FAULT_ENDLESS, TRUNCATED, s.DEPTH)
    assert (state.saved == before[0]).all()
    assert state.held == before[1]
    state.depth = state.fault = state.over = 0
    plain(machine.go_back)(state)
    assert (state.fault, state.over, state.depth) == (FAULT_ENDLESS, TRUNCATED, 0)


def test_dice_that_never_differ_are_a_fault() -> None:
    for opcode in ("duel", "contest"):
        states = begin(GAME, [{}, {}, {}])
        state = record(states)
        state.die_sides[0], state.die_face[0] = 6, 3
        if opcode == "duel":
            plain(dice.duel)(state, 0, 0)
        else:
            state.die_sides[:] = 0
            plain(dice.contest)(state, 0)
        assert (state.fault, state.over) == (FAULT_ENDLESS, TRUNCATED)


def test_neighbours_when_nobody_else_lives() -> None:
    states = begin(GAME, [{}, {}, {}])
    state = record(states)
    assert [plain(effects.neighbour)(state, 0, way) for way in (TO_LEFT, TO_RIGHT)] == [1, 2]
    state.alive[1] = 0
    assert [plain(effects.neighbour)(state, 0, way) for way in (TO_LEFT, TO_RIGHT)] == [2, 2]
    assert [plain(effects.neighbour)(state, 1, way) for way in (TO_LEFT, TO_RIGHT)] == [2, 0]
    state.alive[:] = 0
    assert plain(table.next_living)(state, 1) == 1
    assert [plain(effects.neighbour)(state, 1, way) for way in (TO_LEFT, TO_RIGHT)] == [1, 1]


# A hit that is about to be placed (LANE)


def test_a_hit_stays_in_the_pocket_until_it_is_placed() -> None:
    """Nobody else sees that one was chosen, and a game that is cut off there counts it."""
    game = toothead(num_players=2)
    states = fight(game, [{"pocket": ["kick", "jab"]}, {"pocket": ["slap"]}])
    before = [game.view(states, 1).tobytes(), facts(game, states, "seats.0.pocket")]
    game.step(states, game.action_index("CARD kick"))
    assert [game.view(states, 1).tobytes(), facts(game, states, "seats.0.pocket")] == before
    assert game.view(states, 0).context == facts_kind(game, "kick")
    same(game, states)
    follow(game, states, "LANE 2")
    assert facts(game, states, "seats.0.pocket", "fight.tokens.0.1") == [["jab"], ["kick", "up"]]
    short = toothead(num_players=2, max_steps=1)
    states = fight(short, [{"pocket": ["kick"]}, {}])
    follow(short, states, "CARD kick")
    assert record(states).over == TRUNCATED
    assert record(states).rank[:2].tolist() == [1, 2]


def facts_kind(game: Toothead, name: str) -> int:
    return [card.id for card in game.cards.bonfire].index(name)


def test_worlds_of_the_other_side_have_some_hit_to_place() -> None:
    game = toothead(num_players=2)
    states = game.from_dict(
        {
            "at": "ATTACK",
            "turn_phase": "APPETITE",
            "fight": {"attacker": 0, "defender": 1},
            "seats": [{"pocket": ["kick", "rust"]}, {"pocket": ["slap"]}],
        }
    )
    follow(game, states, "CARD kick")
    seen, chosen_hits = game.view(states, 1).tobytes(), set()
    for seed in range(40):
        world = game.resample(states, 1, seed)
        state = record(world)
        assert state.pocket[0].sum() == state.pocket_size[0] == 2
        assert state.pocket[0, state.held] > 0
        assert game.view(world, 1).tobytes() == seen
        chosen_hits.add(int(state.held))
        follow(game, world, game.actions[int(np.flatnonzero(game.legal_mask(world))[0])])
    assert len(chosen_hits) > 5
    assert all(game.cards.bonfire[kind].type == "hit" for kind in chosen_hits)
    assert record(game.resample(states, 0, 1)).held == record(states).held
