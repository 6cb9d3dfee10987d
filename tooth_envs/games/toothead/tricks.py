"""Tricks and weapons from announcement to bin: targets, cancelling, the effect (R36-R37, R43-R44, J10-J12)."""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.records import Mask
from tooth_envs.engine.seats import ask, clockwise
from tooth_envs.games.toothead.cards import (
    NEEDS_MAY_ATTACK_ME,
    NEEDS_MEAT,
    NEEDS_MEGAS,
    NEEDS_POCKET,
    NEEDS_WEAPON,
    TO_ALLY,
    TO_ANY,
    TO_SELF,
    TO_TWO,
)
from tooth_envs.games.toothead.machine import begin_effect, go_back, go_to, interrupt
from tooth_envs.games.toothead.specials import has_special, legal_specials
from tooth_envs.games.toothead.state import Action, Decision, EventKind, Phase, State, Tables
from tooth_envs.games.toothead.table import (
    attackable,
    can_draw,
    discard_weapon,
    drop_card,
    lay_mega,
    show_card,
    to_bin,
    to_food,
)
from tooth_envs.games.toothead.vocabulary import DRAW, MEGA, PLAY, TAKE_BIN, TRICKWIN, WEAPON

# What can be played


@compiled
def in_bin(tables: Tables, state: State, category: int) -> bool:
    """Whether the bin has a card of a type (-1: any)."""
    if category < 0:
        return state.bin_size > 0
    for kind in range(tables.kinds):
        if state.bin[kind] and tables.category[kind] == category:
            return True
    return False


@compiled
def can_play(tables: Tables, state: State, seat: int, kind: int) -> bool:
    """Whether a trick or weapon can be played now."""
    return tables.category[kind] == WEAPON or is_playable(tables, state, seat, kind)


@compiled
def is_playable(tables: Tables, state: State, seat: int, kind: int) -> bool:
    """J10: whether a trick can have an effect: there is a target, and something to draw or to take."""
    if tables.stops[kind, PLAY] > tables.starts[kind, PLAY]:
        first = tables.code[tables.starts[kind, PLAY]]
        if first[0] == DRAW and not can_draw(state):
            return False
        if first[0] == TAKE_BIN and first[4] == tables.starts[kind, PLAY] + 1 and not in_bin(tables, state, first[1]):
            return False
    if tables.aims_at[kind] == TO_SELF:
        return True
    for target in range(state.players):
        if may_target(tables, state, seat, kind, target):
            return True
    return False


@compiled
def may_target(tables: Tables, state: State, seat: int, kind: int, target: int) -> bool:
    """J11: whether a trick can be aimed at a seat (for two targets: as the first)."""
    if state.alive[target] == 0:
        return False
    aim = tables.aims_at[kind]
    if aim == TO_SELF:
        return target == seat
    if aim == TO_ALLY:
        return target == seat or (tables.team_play != 0 and tables.team[target] == tables.team[seat])
    if aim != TO_ANY and target == seat:
        return False
    if aim == TO_TWO:
        for second in range(state.players):
            if may_target_second(tables, state, seat, target, second):
                return True
        return False
    needs = tables.needs[kind]
    if needs == NEEDS_POCKET:
        return state.pocket_size[target] > 0
    if needs == NEEDS_WEAPON:
        return state.weapon[target] >= 0
    if needs == NEEDS_MEAT:
        return state.meat[target] > 0
    if needs == NEEDS_MEGAS:
        return state.mega_count[target] > 0
    if needs == NEEDS_MAY_ATTACK_ME:
        return attackable(tables, state, target, seat)
    return True


@compiled
def may_target_second(tables: Tables, state: State, seat: int, first: int, second: int) -> bool:
    """Whether the first target can be set on a seat."""
    return second != seat and attackable(tables, state, first, second)


# From announcement to bin


@compiled
def announce(tables: Tables, state: State, seat: int, kind: int, from_pocket: int) -> None:
    """A weapon goes onto the own dock (R37, R50); a trick is announced. Paying for it is the caller's."""
    if from_pocket:
        show_card(state, seat, kind)
    else:
        drop_card(state, seat, kind)  # just drawn: whoever knows of another copy still does
    if tables.category[kind] == WEAPON:
        emit(state, EventKind.PLAYED, seat, EVERYBODY, kind, -1)
        discard_weapon(state, seat)
        state.weapon[seat] = kind
        return
    interrupt(state, Phase.TRICK, seat)
    state.card = kind
    if tables.aims_at[kind] == TO_SELF:
        aimed(state, seat, -1)


@compiled
def ask_target(tables: Tables, state: State) -> None:
    """The first target, then the second one."""
    ask(state, state.actor, Decision.TARGET if state.target < 0 else Decision.TARGET2)


@compiled
def legal_target(tables: Tables, state: State, mask: Mask) -> None:
    """TARGET of a trick."""
    for places in range(state.players):
        target = clockwise(state, state.seat, places)
        mask[Action.SEAT + places] = int(may_target(tables, state, state.actor, state.card, target))


@compiled
def legal_second_target(tables: Tables, state: State, mask: Mask) -> None:
    """TARGET2."""
    for places in range(state.players):
        second = clockwise(state, state.seat, places)
        mask[Action.SEAT + places] = int(may_target_second(tables, state, state.actor, state.target, second))


@compiled
def choose_target(tables: Tables, state: State, seat: int, action: int) -> None:
    """TARGET, TARGET2."""
    chosen = clockwise(state, seat, action - Action.SEAT)
    if state.target >= 0:
        aimed(state, state.target, chosen)
    elif tables.aims_at[state.card] == TO_TWO:
        state.target = chosen
    else:
        aimed(state, chosen, -1)


@compiled
def aimed(state: State, target: int, second: int) -> None:
    """All is said: others may object."""
    state.target = target
    state.second = second
    emit(state, EventKind.PLAYED, state.actor, EVERYBODY, state.card, target)
    go_to(state, Phase.TRICK_WINDOW)


@compiled
def trick_window(tables: Tables, state: State) -> None:
    """J12: each other seat that can cancel the trick is asked once, clockwise."""
    while state.at < state.players - 1:
        seat = clockwise(state, state.actor, state.at + 1)
        if has_special(tables, state, seat, TRICKWIN):
            ask(state, seat, Decision.TRICKWIN)
            return
        state.at += 1
    go_to(state, Phase.TRICK_EFFECT)


@compiled
def legal_trick_window(tables: Tables, state: State, mask: Mask) -> None:
    """TRICKWIN."""
    mask[Action.PASS] = 1
    legal_specials(tables, state, mask, TRICKWIN)


@compiled
def object_to_trick(state: State, seat: int, action: int) -> None:
    """TRICKWIN: the first special cancels the trick; the action stays spent."""
    if action == Action.PASS:
        state.at += 1
        return
    show_card(state, seat, action - Action.CARD)
    emit(state, EventKind.PLAYED, seat, EVERYBODY, action - Action.CARD, -1)
    emit(state, EventKind.CANCELLED, seat, EVERYBODY, state.card, 0)
    to_bin(state, state.card)
    to_bin(state, action - Action.CARD)
    go_back(state)


@compiled
def trick_effect(tables: Tables, state: State) -> None:
    """A mega-trick comes onto its dock; a mini-trick does what it does."""
    kind = int(state.card)
    if tables.category[kind] == MEGA:
        lay_mega(state, state.target, kind)
        go_back(state)
        return
    target = int(state.target)
    second = int(state.second)
    go_to(state, Phase.TRICK_END)
    begin_effect(tables, state, kind, PLAY, state.actor, target)
    state.second = second


@compiled
def trick_end(tables: Tables, state: State) -> None:
    """A resolved mini-trick goes to the bin, or has been eaten (R43, J36)."""
    if tables.to_food[state.card, PLAY]:
        to_food(tables, state, state.card)
    else:
        to_bin(state, state.card)
    go_back(state)
