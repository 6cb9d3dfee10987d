"""What makes a position of Toothead impossible."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tooth_envs.engine.compile import compiled, plain
from tooth_envs.engine.state import RUNNING, TERMINATED, TRUNCATED, digest, record
from tooth_envs.errors import PositionError
from tooth_envs.games.toothead import rules
from tooth_envs.games.toothead import state as s
from tooth_envs.games.toothead.cards import KINDS, LANES, SOURCES, TO_TWO, TOOTHEAD_SIDES
from tooth_envs.games.toothead.table import known_cards
from tooth_envs.games.toothead.vocabulary import (
    ATTACKED,
    CONTEST,
    DICE,
    DIEWIN,
    DUEL,
    EAT,
    EATWIN,
    FWIN,
    HIT,
    LOSE,
    MINI,
    MOST_NUMBER,
    PLAY,
    ROLL,
    SAVE,
    START,
    TOOTHEAD_DIE,
    TRIGGERS,
    TURN,
    TURN_START,
    TYPES,
    WIN,
)

if TYPE_CHECKING:
    from tooth_envs.games.toothead import Toothead

known_by = plain(known_cards)

Demand = Callable[[Any, str], None]

_TRICKS = range(s.TRICK, s.TRICK_END + 1)
_FIGHTS = range(s.FIGHT_START, s.CLEAN_UP + 1)
_PLACES: dict[int, tuple[int, ...]] = {
    PLAY: (s.TRICK_END, s.IN_TURN, s.EFFECT),
    TURN: (s.IN_TURN,),
    TURN_START: (s.IN_TURN,),
    ATTACKED: (s.ATTACK,),
    START: (s.FIGHT_START,),
    HIT: (s.PLACING,),
    DICE: (s.FIGHT_WINDOW,),
    FWIN: (s.FIGHT_WINDOW,),
    SAVE: (s.OUTCOME,),
    WIN: (s.AFTERMATH,),
    LOSE: (s.AFTERMATH,),
    DIEWIN: (s.DICE_WINDOW,),
    EATWIN: (s.EATING_WINDOW,),
    EAT: (s.EATING, s.ROUND_END),
}
"""The nodes in which an effect with a trigger can happen."""


@compiled
def advance_one(tables, states):  # type: ignore[no-untyped-def]
    """Go on from the node of one state; arrays of length 1, which numba recognises faster than records."""
    rules.advance(tables[0], states[0])


def check(game: Toothead, state: Any) -> None:
    """Raise PositionError if a record is no possible state of the game."""

    def demand(holds: Any, reason: str) -> None:
        if not holds:
            raise PositionError(f"{game.name} position: {reason}")

    _check_seats(demand, game, state)
    _check_round(demand, game, state)
    nodes = [state.saved[depth].tolist() for depth in range(state.depth)]
    nodes.append([int(state[name]) for name in s.REGISTERS])
    _check_nodes(demand, game, state, nodes)
    _check_fight(demand, game, state, nodes)
    _check_dice(demand, game, state, nodes)
    _check_decision(demand, game, state)


def _check_seats(demand: Demand, game: Toothead, state: Any) -> None:
    types = [card.type for card in game.cards.bonfire]
    seats = range(game.num_players)
    for seat in seats:
        alive = bool(state.alive[seat])
        dying = alive and state.winner >= 0 and seat == (state.defender, state.attacker)[state.winner]
        lives = state.slices[seat] > 0 or dying  # J31: the loser of a fight is eliminated last of all
        demand(alive == lives, f"seats.{seat}: a seat lives if and only if it has slices (I4)")
        if not alive:
            owns = state.pocket_size[seat] or state.meat[seat] or state.mega_count[seat] or state.weapon[seat] >= 0
            demand(not owns, f"seats.{seat}: the dead own nothing (R34)")
        if state.weapon[seat] >= 0:
            demand(types[state.weapon[seat]] == "weapon", f"seats.{seat}.weapon: is no weapon (I6)")
        for kind in state.mega[seat][: state.mega_count[seat]]:
            demand(types[kind] == "mega", f"seats.{seat}.megas: {game.cards.bonfire[kind].id} is no mega-trick (I6)")
        for other in seats:
            for kind in range(KINDS if state.known[seat, other].any() else 0):
                known = known_by(state, seat, other, kind)
                most = state.pocket[other, kind] if other != seat else 0
                demand(known <= most, f"seats.{seat}.known: seat {other} does not hold so many of a card (section 6)")
    docks = [int(dock) for dock in state.dock[: game.num_players] if dock >= 0]
    demand(len(set(docks)) == len(docks), "seats: no dock is given twice (J56)")
    gone = sorted(int(state.eliminated[seat]) for seat in seats if not state.alive[seat])
    demand(gone == list(range(1, len(gone) + 1)), "seats: eliminated counts the dead from 1 on")
    demand(not any(state.eliminated[seat] for seat in seats if state.alive[seat]), "seats: eliminated is for the dead")
    teams = {int(game.tables["team"][0][seat]) for seat in seats if state.alive[seat]}
    demand(teams, "seats: somebody lives (I11)")
    if state.over == RUNNING:
        demand(len(teams) > 1, "seats: the game would be over: one team is left (R1, R2)")
    elif state.over == TERMINATED:
        ended = len(teams) == 1 or state.round_number >= game.options.max_rounds
        demand(ended, "over: the game is not over while several teams live (R1, R2)")


def _check_round(demand: Demand, game: Toothead, state: Any) -> None:
    players = game.num_players
    before = state.phase in (s.SETUP, s.CHOOSE_DOCKS, s.DEAL)
    demand(state.round_number <= game.options.max_rounds, f"round: there are {game.options.max_rounds} at most (J39)")
    order = [int(seat) for seat in state.dock_order if seat >= 0]
    demand(len(set(order)) == len(order), "dock_order: every seat once")
    if state.phase == s.CHOOSE_DOCKS:
        demand(len(order) == players, "dock_order: is needed to choose docks")
        fresh = not state.pocket.any()
        demand(fresh, "docks are chosen before cards are dealt (R7, R9)")
    demand(state.initiative >= 0, "initiative: somebody holds the token (I5)")
    demand(state.first >= 0, "first: somebody began this phase")
    if not before:
        demand(state.alive[state.initiative] or state.over, "initiative: the holder lives (I5)")
    demand(state.place <= players, f"place: {players} at most")
    demand(max(state.extra) <= game.options.extra_cap, f"extra: {game.options.extra_cap} at most (J38)")
    permanent = int(state.permanent)
    if permanent >= 0:
        demand(game.cards.islands[permanent].type == "permanent", "permanent: is an event card")
        demand(state.green[permanent] > 0, "permanent: lies on the green space (I3)")
    in_turn = state.turn_phase != s.EATING_PHASE and state.place > 0
    if state.active >= 0:
        demand(state.turn_phase != s.EATING_PHASE, "active: there are no turns in the Eating Phase (R21)")
        demand(in_turn, "place: the active seat has begun its turn")
        demand((state.first + state.place - 1) % players == state.active, "place: it is another seat's turn (J5)")
    else:
        moves = (state.actions, state.attacks, state.islands, state.can_exchange, state.can_roll)
        demand(not any(moves), "active: moves belong to a turn")


def _check_nodes(demand: Demand, game: Toothead, state: Any, nodes: list[list[int]]) -> None:
    """What is being played, and what it interrupts, must fit together."""
    tables = record(game.tables)
    players = game.num_players
    below = -1
    for depth, (phase, at, actor, target, second, card, count, trigger) in enumerate(nodes):
        name = f"node {s.PHASES[phase]}"
        demand(max(actor, target) < players, f"{name}: there are {players} seats")
        if depth == 0:
            demand(phase < s.TRICK, f"{name}: interrupts something")
        elif phase in _TRICKS:
            demand(below == s.IN_TURN, f"{name}: a trick is played in a turn (R36)")
            demand(0 <= card < tables.kinds and tables.category[card] < 2, f"{name}: card is no trick")
            demand(actor == state.active, f"{name}: actor is the active seat (R36)")
            demand(-1 <= second < players and 0 <= at <= players, f"{name}: at or second is wrong")
            if phase != s.TRICK:
                demand(target >= 0, f"{name}: the target has been chosen")
                two = tables.aims_at[card] == TO_TWO
                demand((second >= 0) == two, f"{name}: second is for two targets")
            if phase == s.TRICK_END:
                demand(depth + 1 < len(nodes) and tables.category[card] == MINI, f"{name}: a mini-trick works first")
        elif phase == s.EFFECT:
            demand(0 <= card < SOURCES and actor >= 0, f"{name}: card and actor are needed")
            start, stop = int(tables.starts[card, trigger]), int(tables.stops[card, trigger])
            demand(start < stop and start <= at <= stop, f"{name}: at is no instruction of {TRIGGERS[trigger]}")
            demand(below in _PLACES.get(trigger, ()), f"{name}: {TRIGGERS[trigger]} does not happen there")
            demand(0 <= count <= MOST_NUMBER, f"{name}: count is out of range")
            if trigger == HIT:
                demand(0 <= second < LANES, f"{name}: second is the lane")
            if below == s.TRICK_END:
                demand(card == nodes[depth - 1][s.REG_CARD] and target >= 0, f"{name}: is another card's effect")
            if trigger in (WIN, LOSE, SAVE, START, HIT, ATTACKED):
                demand({actor, target} <= {-1, state.attacker, state.defender}, f"{name}: concerns the fighters")
        elif phase == s.DICE_WINDOW:
            demand(below == s.EFFECT, f"{name}: belongs to an effect")
            source = nodes[depth - 1]
            in_code = source[s.REG_AT] < tables.stops[source[s.REG_CARD], source[s.REG_TRIGGER]]
            rolls = in_code and tables.code[source[s.REG_AT], 0] in (ROLL, CONTEST, DUEL) and source[s.REG_COUNT] == 1
            demand(rolls, f"{name}: no card dice are rolled there")
        elif phase >= s.ATTACK:
            demand(below in (s.IN_TURN, s.EFFECT), f"{name}: a fight belongs to a turn or a card")
            if below == s.EFFECT:
                demand(nodes[depth - 1][s.REG_TRIGGER] == PLAY, f"{name}: no such card provokes fights")
        else:
            demand(False, f"{name}: interrupts nothing")
        if phase in (s.DICE_WINDOW, s.FIGHT_WINDOW):
            demand(0 <= at < players and 0 <= count <= players, f"{name}: at or count is out of range")
        elif phase != s.EFFECT:
            demand(0 <= at <= 99 and 0 <= count <= 99, f"{name}: at or count is out of range")
        below = phase
    base = nodes[0][s.REG_PHASE]
    if base in (s.IN_TURN, s.EXCHANGE):
        demand(state.active >= 0 or state.over, "active: is needed in a turn")
    if base in (s.EATING_WINDOW, s.EATING, s.ROUND_END):
        demand(state.turn_phase == s.EATING_PHASE and state.active < 0, "turn_phase: EATING is needed there")
    if base == s.EXCHANGE:
        demand(state.turn_phase == s.DIGESTION, "turn_phase: the exchange is for DIGESTION (R16)")


def _check_fight(demand: Demand, game: Toothead, state: Any, nodes: list[list[int]]) -> None:
    phases = [node[s.REG_PHASE] for node in nodes]
    fights = [phase for phase in phases if phase >= s.ATTACK]
    demand(len(fights) <= 1, "fight: there is one at a time")
    if not fights:
        demand(state.attacker < 0 and state.defender < 0, "fight: none is going on in this phase")
        demand(not state.fighting and not state.fight_specials.any(), "fight: none is going on in this phase")
        return
    demand(0 <= state.attacker != state.defender >= 0, "fight: give attacker and defender, two seats (I7)")
    demand(state.alive[state.attacker] and state.alive[state.defender], "fight: the fighters live (I7)")
    demand(bool(state.fighting) == (fights[0] in _FIGHTS), "fight.fighting: does not fit the phase")
    node = nodes[phases.index(fights[0])]
    types = [card.type for card in game.cards.bonfire]
    for side in range(2):
        for lane in range(LANES):
            token, kind = int(state.token[side][lane]), int(state.token_card[side][lane])
            demand((kind >= 0) == (token >= s.FACE_DOWN), "fight.tokens: a card lies face up or face down (I7)")
            demand(token == s.ACTIVE or state.fighting, "fight.tokens: there are none before the fight")
            if token == s.FACE_UP:
                demand(types[kind] == "hit", f"fight.tokens: {game.cards.bonfire[kind].id} is no hit (I7)")
    for face, sides in zip(state.fight_face, state.fight_sides, strict=True):
        demand(face <= sides and (face > 0) == (sides > 0), "fight.faces: do not fit fight.sides (I8)")
    rolled = fights[0] > s.FIGHT_DICE
    demand(all((state.fight_face[place] > 0) == rolled for place in (1, 3)), "fight.faces: do not fit the phase")
    if not rolled:
        demand(not state.fight_face.any() and not state.bonus_dice.any(), "fight.faces: no die has been rolled (R67)")
    late = fights[0] in (s.AFTERMATH, s.CLEAN_UP) or (fights[0] == s.OUTCOME and node[s.REG_AT] > 0)
    if fights[0] == s.AFTERMATH or (fights[0] == s.OUTCOME and node[s.REG_AT] > 0):
        demand(state.winner >= 0, "fight.winner: somebody has won in this phase")
    elif not late:
        demand(state.winner < 0, "fight.winner: is not known yet")
    for kind in state.noted:
        demand(kind < 0 or types[kind] == "weapon", "fight.noted: is no weapon")


def _check_dice(demand: Demand, game: Toothead, state: Any, nodes: list[list[int]]) -> None:
    """Card dice lie there while an instruction rolls them."""
    tables = record(game.tables)
    expected = [0] * game.num_players
    for phase, at, actor, target, _, card, count, trigger in nodes:
        if phase == s.EFFECT and at < tables.stops[card, trigger] and count == 1:
            opcode, first, second = (int(number) for number in tables.code[at][:3])
            if opcode in (ROLL, DUEL):
                expected[actor] = first
            if opcode == DUEL:
                demand(target >= 0, "node: a duel needs a target")
                sides = second if second != TOOTHEAD_DIE else TOOTHEAD_SIDES[state.slices[target]]
                expected[target] = sides
            if opcode == CONTEST:
                expected = [first * int(alive) for alive in state.alive[: game.num_players]]
    found = state.die_sides[: game.num_players].tolist()
    demand(found == expected, f"card_dice: the dice there have {expected} sides, by seat")
    for seat in range(game.num_players):
        demand((state.die_face[seat] > 0) == (state.die_sides[seat] > 0), "card_dice: a die shows a face")
        demand(state.die_face[seat] <= state.die_sides[seat], "card_dice: a die has no such face (I8)")
        demand(state.die_sides[seat] > 0 or state.die_change[seat] == 0, "card_dice: no die to be changed")


def _check_decision(demand: Demand, game: Toothead, state: Any) -> None:
    """Who is asked what must be what the rules ask there."""
    gifts = [int(kind) for kind in state.gift[: game.num_players]]
    for seat, kind in enumerate(gifts):
        demand(kind < 0 or state.pocket[seat, kind] > 0, f"gifts: seat {seat} does not hold that card (J54)")
    if any(kind >= 0 for kind in gifts):
        demand(state.phase == s.EFFECT, "gifts: no cards are passed on in this phase")
    asked = s.DECISIONS[state.decision] if state.decision >= 0 else ""
    if state.over in (TERMINATED, TRUNCATED):
        demand(state.seat < 0 and not asked, "over: nobody is asked once the game is over")
        return
    demand((state.seat >= 0) == bool(asked), "decision: give seat and decision, or neither")
    if asked in ("DRAWN", "LANE"):
        demand(state.held >= 0, f"held: {asked} is about a card")
        owner = state.active if asked == "DRAWN" else (state.attacker, state.defender)[state.to_place]
        demand(state.seat == owner, f"seat: another one is asked {asked}")
        demand(state.phase == (s.IN_TURN if asked == "DRAWN" else s.PLACING), f"phase: {asked} is not asked there")
        kind = int(state.held)
        if asked == "DRAWN":
            demand(state.pocket[owner, kind] > 0, "held: the drawn card is in the pocket")
            demand(TYPES[game.tables["category"][0][kind]] in ("weapon", "mini", "mega"), "held: cannot be played")
        else:
            demand(TYPES[game.tables["category"][0][kind]] == "hit", "held: is no hit")
            free = [int(token) for token in state.token[state.to_place]]
            demand(s.ACTIVE in free, "fight.tokens: no token is free")
        return
    demand(state.held < 0, "held: nothing is held in this phase")
    if asked == "FLIP":
        demand(state.phase == s.PLACING and 0 <= state.second < LANES, "node: FLIP is asked while placing, of a lane")
        demand(state.token[state.to_place][state.second] == s.FACE_DOWN, "fight.tokens: no face-down card lies there")
        kind = int(state.token_card[state.to_place][state.second])
        demand(TYPES[game.tables["category"][0][kind]] == "hit", "fight.tokens: the drawn card is no hit (R65)")
        demand(state.seat == (state.attacker, state.defender)[state.to_place], "seat: another one is asked FLIP")
        return
    if not asked:
        return
    before = np.array([state], game.state_dtype).view(type(game.new_states()))
    after = before.copy()
    record(after).halt = 0
    advance_one(game.tables, after)
    record(after).halt = state.halt
    again = record(after)
    demand(
        again.over == RUNNING and again.seat == state.seat and again.decision == state.decision,
        f"decision: the rules do not ask seat {int(state.seat)} for {asked} there",
    )
    demand(digest(after) == digest(before), f"decision: the rules would not stop at {asked} there")
