"""The Eating Phase, and the end of a round (R21-R26, J33, J34, J36, J39)."""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.records import Mask
from tooth_envs.engine.seats import ask, clockwise
from tooth_envs.games.toothead.machine import clear_registers, go_to
from tooth_envs.games.toothead.specials import has_special, legal_specials, play_special
from tooth_envs.games.toothead.state import Action, Decision, EventKind, Phase, State, Tables
from tooth_envs.games.toothead.table import (
    discard_megas,
    end_game,
    feed,
    next_living,
    remove_mega,
    take_initiative,
    to_bin,
    to_food,
)
from tooth_envs.games.toothead.vocabulary import EAT, EATWIN

ATE_MEAT, ATE_SLICE, ATE_CARD, ATE_NOTHING = range(4)


@compiled
def eating_window(tables: Tables, state: State) -> None:
    """EATWIN: one pass, clockwise from the initiative holder; each is asked until it passes or has nothing."""
    while state.at < state.players:
        seat = clockwise(state, state.first, state.at)
        if has_special(tables, state, seat, EATWIN):
            ask(state, seat, Decision.EATWIN)
            return
        state.at += 1
    state.first = state.initiative
    state.place = 0
    clear_registers(state)
    go_to(state, Phase.EATING)


@compiled
def legal_eating_window(tables: Tables, state: State, mask: Mask) -> None:
    """EATWIN."""
    mask[Action.PASS] = 1
    legal_specials(tables, state, mask, EATWIN)


@compiled
def in_eating_window(tables: Tables, state: State, seat: int, action: int) -> None:
    """EATWIN."""
    if action == Action.PASS:
        state.at += 1
    else:
        play_special(tables, state, seat, action - Action.CARD, EATWIN)


@compiled
def eating(tables: Tables, state: State) -> None:
    """R22, R23: clockwise from the left of the holder, who eats last."""
    while state.place < state.players:
        seat = clockwise(state, state.first, state.place + 1)
        if state.alive[seat] and not skips(tables, state, seat):
            ask(state, seat, Decision.EAT)
            return
        state.place += 1
    go_to(state, Phase.ROUND_END)


@compiled
def skips(tables: Tables, state: State, seat: int) -> bool:
    """J33: a mega-trick with SKIP_EAT is used up, and its owner eats nothing."""
    for place in range(state.mega_count[seat]):
        if tables.skips_eating[state.mega[seat, place]]:
            kind = remove_mega(state, seat, place)
            emit(state, EventKind.LOST_MEGA, seat, EVERYBODY, kind, 0)
            if tables.to_food[kind, EAT]:
                to_food(tables, state, kind)
            else:
                to_bin(state, kind)
            emit(state, EventKind.ATE, seat, EVERYBODY, ATE_NOTHING, 0)
            return True
    return False


@compiled
def legal_eating(tables: Tables, state: State, mask: Mask) -> None:
    """EAT: meat before slices (R32), or something else."""
    mask[Action.EAT_MEAT if state.meat[state.seat] > 0 else Action.EAT_SLICE] = 1
    legal_specials(tables, state, mask, EAT)


@compiled
def eat(tables: Tables, state: State, seat: int, action: int) -> None:
    """EAT."""
    state.place += 1
    if action >= Action.CARD:
        emit(state, EventKind.ATE, seat, EVERYBODY, ATE_CARD, 0)
        play_special(tables, state, seat, action - Action.CARD, EAT)
    else:
        emit(state, EventKind.ATE, seat, EVERYBODY, ATE_MEAT if action == Action.EAT_MEAT else ATE_SLICE, 0)
        feed(tables, state, seat)


@compiled
def end_round(tables: Tables, state: State) -> None:
    """R24, R25, J34: the token passes unless its holder has just died; mega-tricks go to the bin; the next round."""
    if state.alive[state.first]:
        take_initiative(state, next_living(state, state.initiative))
    for seat in range(state.players):
        discard_megas(state, seat)
    if state.round_number >= tables.max_rounds:
        end_game(state)  # J39
        return
    state.round_number += 1
    go_to(state, Phase.PHASE_START)
