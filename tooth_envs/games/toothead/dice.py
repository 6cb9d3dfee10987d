"""Card dice: rolls, contests and duels, the window that opens after them, and ties (R54-R56, J15-J17)."""

from __future__ import annotations

from tooth_envs.engine.chance import die
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.protocol import give_up
from tooth_envs.engine.records import Mask, Numbers
from tooth_envs.engine.seats import ask, clockwise
from tooth_envs.games.toothead.cards import TOOTHEAD_SIDES
from tooth_envs.games.toothead.machine import go_back, interrupt
from tooth_envs.games.toothead.specials import has_special, legal_specials, play_special
from tooth_envs.games.toothead.state import Action, Decision, EventKind, Phase, State, Stream, Tables
from tooth_envs.games.toothead.table import change_by
from tooth_envs.games.toothead.vocabulary import CONTEST, DIEWIN, DUEL, HIGH, ROLL, TOOTHEAD_DIE

MOST_TIES = 1000
"""Rolls that end in a tie, one after the other: more cannot be chance."""


@compiled
def roll_card_die(state: State, seat: int, sides: int) -> None:
    """A seat rolls its card die; nothing changes it yet."""
    state.die_sides[seat] = sides
    state.die_face[seat] = die(state, Stream.DICE + int(seat), sides)
    state.die_change[seat] = 0
    emit(state, EventKind.ROLLED, seat, EVERYBODY, state.die_face[seat], sides)


@compiled
def value_of_die(state: State, seat: int) -> int:
    """R54: face and changes, never below 0."""
    return max(0, int(state.die_face[seat]) + int(state.die_change[seat]))


@compiled
def roll_card_dice(tables: Tables, state: State, opcode: int, code: Numbers) -> None:
    """The dice of an instruction are rolled, and the window opens."""
    if opcode == CONTEST:
        for places in range(state.players):
            seat = clockwise(state, state.active, places)
            if state.alive[seat]:
                roll_card_die(state, seat, code[1])
    else:
        roll_card_die(state, state.actor, code[1])
        if opcode == DUEL:
            sides = code[2] if code[2] != TOOTHEAD_DIE else TOOTHEAD_SIDES[state.slices[state.target]]
            roll_card_die(state, state.target, sides)
    interrupt(state, Phase.DICE_WINDOW, state.actor)


@compiled
def dice_window(tables: Tables, state: State) -> None:
    """J15: seats are asked in turn, clockwise from the active one, until all have passed since the last special."""
    while state.count < state.players:
        seat = clockwise(state, state.active, state.at)
        if has_special(tables, state, seat, DIEWIN):
            ask(state, seat, Decision.DIEWIN)
            return
        state.at = (state.at + 1) % state.players
        state.count += 1
    go_back(state)


@compiled
def legal_dice_window(tables: Tables, state: State, mask: Mask) -> None:
    """DIEWIN."""
    mask[Action.PASS] = 1
    legal_specials(tables, state, mask, DIEWIN)


@compiled
def in_dice_window(tables: Tables, state: State, seat: int, action: int) -> None:
    """DIEWIN: pass, or play a special, after which everybody may again."""
    state.at = (state.at + 1) % state.players
    if action == Action.PASS:
        state.count += 1
    else:
        state.count = 0
        play_special(tables, state, seat, action - Action.CARD, DIEWIN)


@compiled
def change_card_die(state: State, seat: int, number: int) -> None:
    """CARD_DIE_MOD: changes add up (R46)."""
    change = change_by(state.die_change[seat], number)
    state.die_change[seat] += change
    emit(state, EventKind.CHANGED_DIE, seat, EVERYBODY, change, 0)


@compiled
def reroll_card_die(state: State, seat: int) -> None:
    """REROLL: a new face; changes stay."""
    state.die_face[seat] = die(state, Stream.DICE + int(seat), state.die_sides[seat])
    emit(state, EventKind.CHANGED_DIE, seat, EVERYBODY, state.die_face[seat], 1)


@compiled
def card_dice_done(tables: Tables, state: State, opcode: int, code: Numbers) -> None:
    """The window is closed: leave in ``second`` what the branches look at; 0 means no effect (R55, J17)."""
    if opcode == ROLL:
        state.second = value_of_die(state, state.actor)
    elif opcode == DUEL:
        state.second = duel(state, state.actor, state.target)
    else:
        state.target = contest(state, code[2])
        state.second = 1
    state.die_sides[:] = 0
    state.die_face[:] = 0
    state.die_change[:] = 0


@compiled
def duel(state: State, one: int, other: int) -> int:
    """1 if the first seat wins. Equal values: both roll again, without a window and without changes (J16)."""
    if value_of_die(state, one) == 0:
        return 0
    for _ in range(MOST_TIES):
        if value_of_die(state, one) != value_of_die(state, other):
            break
        roll_card_die(state, one, state.die_sides[one])
        roll_card_die(state, other, state.die_sides[other])
    if value_of_die(state, one) == value_of_die(state, other):
        give_up(state)
    return int(value_of_die(state, one) > value_of_die(state, other))


@compiled
def contest(state: State, extreme: int) -> int:
    """The one seat with the lowest or highest value; tied seats roll again, clockwise from the active one (J16)."""
    for _ in range(MOST_TIES):
        best = -1
        tied = 0
        for seat in range(state.players):
            if state.die_sides[seat] > 0:
                value = value_of_die(state, seat)
                if best >= 0 and value == value_of_die(state, best):
                    tied += 1
                elif best < 0 or (value > value_of_die(state, best)) == (extreme == HIGH):
                    best = seat
                    tied = 1
        if tied == 1:
            return best
        if best < 0:
            break
        wanted = value_of_die(state, best)
        for seat in range(state.players):
            if value_of_die(state, seat) != wanted:
                state.die_sides[seat] = 0
        for places in range(state.players):
            seat = clockwise(state, state.active, places)
            if state.die_sides[seat] > 0:
                roll_card_die(state, seat, state.die_sides[seat])
    give_up(state)
    return int(state.actor)
