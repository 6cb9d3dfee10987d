"""Special cards: when one can be played, and playing it (R38, R45, J13)."""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.records import Mask
from tooth_envs.games.toothead.machine import begin_effect
from tooth_envs.games.toothead.state import Action, EventKind, State, Tables
from tooth_envs.games.toothead.table import (
    attackable,
    banned,
    can_draw,
    can_heal,
    has_program,
    show_card,
    to_bin,
    to_food,
)
from tooth_envs.games.toothead.vocabulary import (
    ANY_DIE,
    BAN_SPECIAL,
    CARD_DIE_MOD,
    CARD_DIE_REROLL,
    DRAW,
    HEAL,
    MAX_DIE,
    OPP_TOOTHEAD,
    OPP_WEAPON,
    OWN_TOOTHEAD,
    REDIRECT_ATTACK,
    REROLL,
    TAKE_INITIATIVE,
)


@compiled
def special_helps(tables: Tables, state: State, seat: int, kind: int, window: int) -> bool:
    """Whether a special in a pocket can be played in a window: its first instruction must be able to do something."""
    if not has_program(tables, kind, window) or banned(tables, state, BAN_SPECIAL):
        return False
    opcode = tables.code[tables.starts[kind, window], 0]
    if opcode == HEAL:
        return can_heal(state, seat)
    if opcode == TAKE_INITIATIVE:
        return state.initiative != seat
    if opcode == DRAW:
        return can_draw(state)
    if opcode == REDIRECT_ATTACK:
        return can_redirect(tables, state)
    if opcode in (REROLL, MAX_DIE):
        return die_to_change(state, seat, int(tables.code[tables.starts[kind, window], 1])) >= 0
    if opcode in (CARD_DIE_MOD, CARD_DIE_REROLL):
        return card_dice(state) > 0
    return True


@compiled
def has_special(tables: Tables, state: State, seat: int, window: int) -> bool:
    """Whether a seat holds a special that it can play in a window."""
    if state.alive[seat] == 0:
        return False
    for place in range(tables.special_kinds):
        kind = tables.special_kind[place]
        if state.pocket[seat, kind] and special_helps(tables, state, seat, kind, window):
            return True
    return False


@compiled
def legal_specials(tables: Tables, state: State, mask: Mask, window: int) -> None:
    """The specials that the seat to act can play in a window."""
    seat = int(state.seat)
    for place in range(tables.special_kinds):
        kind = tables.special_kind[place]
        if state.pocket[seat, kind]:
            mask[Action.CARD + kind] = int(special_helps(tables, state, seat, kind, window))


@compiled
def play_special(tables: Tables, state: State, seat: int, kind: int, window: int) -> None:
    """A special leaves the pocket and does what it does. During a fight it stays on the table (R45)."""
    show_card(state, seat, kind)
    emit(state, EventKind.PLAYED, seat, EVERYBODY, kind, -1)
    if tables.to_food[kind, window]:
        to_food(tables, state, kind)
    elif state.fighting:
        state.fight_specials[kind] += 1
    else:
        to_bin(state, kind)
    begin_effect(tables, state, kind, window, seat, -1)


@compiled
def can_redirect(tables: Tables, state: State) -> bool:
    """J21: whether somebody else can be attacked in place of the defender."""
    for seat in range(state.players):
        if seat != state.defender and attackable(tables, state, state.attacker, seat):
            return True
    return False


@compiled
def card_dice(state: State) -> int:
    """How many seats have a card die on the table."""
    count = 0
    for seat in range(state.players):
        count += int(state.die_sides[seat] > 0)
    return count


@compiled
def die_to_change(state: State, seat: int, which: int) -> int:
    """The fight die that a selector means to a fighter (ANY_DIE: the first), -1 if it has not been rolled."""
    if which == ANY_DIE:
        for place in range(len(state.fight_face)):
            if state.fight_face[place] > 0:
                return place
        return -1
    side = int(state.attacker != seat)
    if which in (OPP_WEAPON, OPP_TOOTHEAD):
        side = 1 - side
    place = 2 * side + int(which in (OWN_TOOTHEAD, OPP_TOOTHEAD))
    return place if state.fight_face[place] > 0 else -1
