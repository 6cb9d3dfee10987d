"""What makes a position of Toothead impossible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tooth_envs.engine.compile import compiled, plain
from tooth_envs.engine.records import Numbers
from tooth_envs.engine.state import RUNNING, TERMINATED, TRUNCATED, digest, record
from tooth_envs.errors import PositionError
from tooth_envs.games.toothead import rules
from tooth_envs.games.toothead import state as s
from tooth_envs.games.toothead.cards import KINDS, LANES, SLICES, TOOTHEAD_SIDES
from tooth_envs.games.toothead.island import MOST_ALLOWED
from tooth_envs.games.toothead.position_nodes import Demand, Node, check_nodes, nodes_of
from tooth_envs.games.toothead.table import clear_fight, known_cards
from tooth_envs.games.toothead.vocabulary import CONTEST, DUEL, ROLL, TOOTHEAD_DIE, TYPES

if TYPE_CHECKING:
    from tooth_envs.games.toothead.game import Toothead

known_by = plain(known_cards)


_FIGHTS = range(s.Phase.FIGHT_START, s.Phase.CLEAN_UP + 1)
_FIGHT_FIELDS = (
    *("attack_state", "fighting", "token", "token_card", "stood", "to_place", "unfuelled", "fight_face", "fight_sides"),
    *("bonus_dice", "side_change", "knack_used", "weapon_used", "slice_kept", "winner", "noted", "fight_specials"),
)


@compiled
def advance_one(tables: Numbers, states: Numbers) -> None:
    """Go on from the node of one state; arrays of length 1, which numba recognises faster than records."""
    rules.advance(tables[0], states[0])


def check(game: Toothead, state: Any) -> None:
    """Raise PositionError if a record is no possible state of the game."""

    def demand(holds: Any, reason: str) -> None:
        if not holds:
            raise PositionError(f"{game.name} position: {reason}")

    _check_seats(demand, game, state)
    _check_round(demand, game, state)
    nodes = nodes_of(state)
    check_nodes(demand, game, state, nodes)
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
    total = int(state.slices.sum()) + int(state.meat.sum()) + int(state.eaten)
    most = SLICES * game.num_players + s.MOST_MADE
    demand(total <= most, f"seats: slices, meat and what has been eaten add up to {total}; {most} at most (I2)")
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
    moves = (state.actions, state.attacks, state.islands, state.can_exchange, state.can_roll)
    before = state.phase in (s.Phase.SETUP, s.Phase.DOCKS, s.Phase.DEAL)
    demand(state.round_number <= game.options.max_rounds, f"round: there are {game.options.max_rounds} at most (J39)")
    order = [int(seat) for seat in state.dock_order if seat >= 0]
    demand(len(set(order)) == len(order), "dock_order: every seat once")
    if before:
        _check_setup(demand, game, state, order)
    demand(state.initiative >= 0, "initiative: somebody holds the token (I5)")
    demand(state.first >= 0, "first: somebody began this phase")
    if not before:
        demand(state.alive[state.initiative] or state.over, "initiative: the holder lives (I5)")
    demand(state.place <= players, f"place: {players} at most")
    demand(max(state.extra) <= game.options.extra_cap, f"extra: {game.options.extra_cap} at most (J38)")
    most_moves = MOST_ALLOWED + game.options.extra_cap
    for key, left in zip(("actions", "attacks", "islands"), moves[:3], strict=True):
        demand(left <= most_moves, f"{key}: {left} are given; {most_moves} at most (R15, J38)")
    permanent = int(state.permanent)
    if permanent >= 0:
        demand(game.cards.islands[permanent].type == "permanent", "permanent: is an event card")
        demand(state.green[permanent] > 0, "permanent: lies on the green space (I3)")
    in_turn = state.turn_phase != s.TurnPhase.EATING and state.place > 0
    if state.active >= 0:
        demand(state.turn_phase != s.TurnPhase.EATING, "active: there are no turns in the Eating Phase (R21)")
        demand(in_turn, "place: the active seat has begun its turn")
        demand((state.first + state.place - 1) % players == state.active, "place: it is another seat's turn (J5)")
    else:
        demand(not any(moves), "active: moves belong to a turn")


def _check_setup(demand: Demand, game: Toothead, state: Any, order: list[int]) -> None:
    """Before cards are dealt: who has chosen a dock so far."""
    demand(not state.pocket.any(), "seats: there are no pockets before cards are dealt (R7, R9)")
    demand(not state.meat.any() and state.alive[: game.num_players].all(), "seats: nobody has eaten or died yet")
    docks = [int(state.dock[seat]) >= 0 for seat in (order or range(game.num_players))]
    if state.phase == s.Phase.DOCKS:
        demand(len(order) == game.num_players, "dock_order: is needed to choose docks")
        demand(sorted(docks, reverse=True) == docks, "seats: docks are chosen in dock_order (R7)")
    fixed = state.phase == s.Phase.SETUP or (
        state.phase == s.Phase.DOCKS and record(game.tables).dock_mode != s.DockMode.DRAFT
    )
    demand(not fixed or not any(docks), "seats: nobody has a dock yet (R7)")
    demand(state.phase != s.Phase.DEAL or all(docks), "seats: docks come before cards (R7, R9)")


def _check_fight(demand: Demand, game: Toothead, state: Any, nodes: list[Node]) -> None:
    phases = [node.phase for node in nodes]
    fights = [phase for phase in phases if phase >= s.Phase.ATTACK]
    demand(len(fights) <= 1, "fight: there is one at a time")
    if not fights:
        demand(state.attacker < 0 and state.defender < 0, "fight: none is going on in this phase")
        cleared = np.array([state], game.state_dtype).view(type(game.new_states()))
        plain(clear_fight)(record(cleared))
        for name in _FIGHT_FIELDS:
            demand(np.array_equal(state[name], record(cleared)[name]), "fight: none is going on in this phase")
        return
    demand(0 <= state.attacker != state.defender >= 0, "fight: give attacker and defender, two seats (I7)")
    demand(state.alive[state.attacker] and state.alive[state.defender], "fight: the fighters live (I7)")
    demand(bool(state.fighting) == (fights[0] in _FIGHTS), "fight.fighting: does not fit the phase")
    demand(
        fights[0] == s.Phase.ATTACK or not state.attack_state,
        "fight.cancelled: an attack is cancelled before the fight",
    )
    node = nodes[phases.index(fights[0])]
    types = [card.type for card in game.cards.bonfire]
    for side in range(2):
        for lane in range(LANES):
            token, kind = int(state.token[side][lane]), int(state.token_card[side][lane])
            demand((kind >= 0) == (token >= s.Token.FACE_DOWN), "fight.tokens: a card lies face up or face down (I7)")
            demand(token == s.Token.ACTIVE or state.fighting, "fight.tokens: there are none before the fight")
            if token == s.Token.FACE_UP:
                demand(types[kind] == "hit", f"fight.tokens: {game.cards.bonfire[kind].id} is no hit (I7)")
    for face, sides in zip(state.fight_face, state.fight_sides, strict=True):
        demand(face <= sides and (face > 0) == (sides > 0), "fight.faces: do not fit fight.sides (I8)")
    rolled = fights[0] > s.Phase.FIGHT_DICE
    demand(all((state.fight_face[place] > 0) == rolled for place in (1, 3)), "fight.faces: do not fit the phase")
    if not rolled:
        demand(not state.fight_face.any() and not state.bonus_dice.any(), "fight.faces: no die has been rolled (R67)")
    late = fights[0] in (s.Phase.AFTERMATH, s.Phase.CLEAN_UP) or (fights[0] == s.Phase.OUTCOME and node.at > 0)
    if fights[0] == s.Phase.AFTERMATH or (fights[0] == s.Phase.OUTCOME and node.at > 0):
        demand(state.winner >= 0, "fight.winner: somebody has won in this phase")
    elif not late:
        demand(state.winner < 0, "fight.winner: is not known yet")
    for kind in state.noted:
        demand(kind < 0 or types[kind] == "weapon", "fight.noted: is no weapon")


def _check_dice(demand: Demand, game: Toothead, state: Any, nodes: list[Node]) -> None:
    """Card dice lie there while an instruction rolls them."""
    tables = record(game.tables)
    expected = [0] * game.num_players
    for phase, at, actor, target, _, card, count, trigger in nodes:
        if phase == s.Phase.EFFECT and at < tables.stops[card, trigger] and count == 1:
            opcode, first, second = (int(number) for number in tables.code[at][:3])
            if opcode in (ROLL, DUEL):
                expected[actor] = first
            if opcode == DUEL:
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
        demand(state.phase == s.Phase.EFFECT, "gifts: no cards are passed on in this phase")
    asked = s.Decision.names()[state.decision] if state.decision >= 0 else ""
    if state.over in (TERMINATED, TRUNCATED):
        demand(state.seat < 0 and not asked, "over: nobody is asked once the game is over")
        return
    demand((state.seat >= 0) == bool(asked), "decision: give seat and decision, or neither")
    if asked in ("DRAWN", "LANE"):
        demand(state.held >= 0, f"held: {asked} is about a card")
        owner = state.active if asked == "DRAWN" else (state.attacker, state.defender)[state.to_place]
        demand(state.seat == owner, f"seat: another one is asked {asked}")
        demand(
            state.phase == (s.Phase.TURN if asked == "DRAWN" else s.Phase.PLACING), f"phase: {asked} is not asked there"
        )
        kind = int(state.held)
        demand(state.pocket[owner, kind] > 0, "held: the card is still in the pocket")
        if asked == "DRAWN":
            demand(TYPES[game.tables["category"][0][kind]] in ("weapon", "mini", "mega"), "held: cannot be played")
        else:
            demand(TYPES[game.tables["category"][0][kind]] == "hit", "held: is no hit")
            free = [int(token) for token in state.token[state.to_place]]
            demand(s.Token.ACTIVE in free, "fight.tokens: no token is free")
        return
    demand(state.held < 0, "held: nothing is held in this phase")
    if asked == "FLIP":
        demand(
            state.phase == s.Phase.PLACING and 0 <= state.second < LANES, "node: FLIP is asked while placing, of a lane"
        )
        demand(
            state.token[state.to_place][state.second] == s.Token.FACE_DOWN, "fight.tokens: no face-down card lies there"
        )
        kind = int(state.token_card[state.to_place][state.second])
        demand(TYPES[game.tables["category"][0][kind]] == "hit", "fight.tokens: the drawn card is no hit (R65)")
        demand(state.seat == (state.attacker, state.defender)[state.to_place], "seat: another one is asked FLIP")
        return
    if not asked:
        return
    before = np.array([state], game.state_dtype).view(type(game.new_states()))
    after = before.copy()
    record(after).breakpoint = 0
    advance_one(game.tables, after)
    record(after).breakpoint = state.breakpoint
    again = record(after)
    demand(
        again.over == RUNNING and again.seat == state.seat and again.decision == state.decision,
        f"decision: the rules do not ask seat {int(state.seat)} for {asked} there",
    )
    demand(digest(after) == digest(before), f"decision: the rules would not stop at {asked} there")
