"""Setup: who begins, who gets which dock, and the deal (R5-R10, J3, J4)."""

from __future__ import annotations

from tooth_envs.engine.chance import die, pick
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.protocol import give_up
from tooth_envs.engine.records import Mask
from tooth_envs.engine.seats import ask, clockwise
from tooth_envs.games.toothead.cards import DOCKS, ISLANDS, KINDS, POCKET, SLICES
from tooth_envs.games.toothead.dice import MOST_TIES
from tooth_envs.games.toothead.machine import clear_registers, go_to
from tooth_envs.games.toothead.state import (
    Action,
    Decision,
    DockMode,
    EventKind,
    Phase,
    State,
    Stream,
    Tables,
    TurnPhase,
)
from tooth_envs.games.toothead.table import add_card, clear_fight, take_initiative, top_card

INITIATIVE_DIE = 12


@compiled
def lay_out(tables: Tables, state: State) -> None:
    """R5, R10: full piles, empty docks with four slices; nothing has been rolled or dealt."""
    state.round_number = 1
    state.turn_phase = TurnPhase.EATING  # R4: the first turn moves the marker to Digestion
    state.active = -1
    state.seat = -1
    state.decision = -1
    state.dock[:] = -1
    state.weapon[:] = -1
    state.dock_order[:] = -1
    state.gift[:] = -1
    state.held = -1
    state.permanent = -1
    clear_registers(state)
    clear_fight(state)
    for seat in range(state.players):
        state.alive[seat] = 1
        state.slices[seat] = SLICES
    for kind in range(KINDS):
        state.bonfire[kind] = tables.copies[kind]
        state.bonfire_size += tables.copies[kind]
    for island in range(ISLANDS):
        state.island_deck[island] = tables.island_copies[island]
    state.phase = Phase.SETUP


@compiled
def roll_for_order(tables: Tables, state: State) -> None:
    """R6-R8, J3: the highest D12 begins. In team mode all seats are put in order by their rolls."""
    n = int(state.players)
    # Places for card dice are free during setup: which seats are tied, by the first place of their group.
    group = state.die_change
    for place in range(n):
        state.dock_order[place] = place
    start = 0
    for _ in range(MOST_TIES):
        if start >= n:
            break
        end = start + 1
        while end < n and group[state.dock_order[end]] == group[state.dock_order[start]]:
            end += 1
        if end - start > 1:
            roll_group(state, start, end)
        elif tables.team_play:
            start += 1
        else:
            break  # only the highest place is rolled for
    else:
        give_up(state)
    take_initiative(state, state.dock_order[0])
    if tables.team_play == 0:
        for place in range(n):
            state.dock_order[place] = clockwise(state, state.initiative, place)
    state.die_face[:] = 0
    state.die_change[:] = 0
    go_to(state, Phase.DOCKS)


@compiled
def roll_group(state: State, start: int, end: int) -> None:
    """Tied seats roll, in seat order, and are sorted by that; equal rolls are tied again."""
    order = state.dock_order
    for place in range(start, end):
        seat = order[place]
        state.die_face[seat] = die(state, Stream.SETUP, INITIATIVE_DIE)
        emit(state, EventKind.ROLLED, seat, EVERYBODY, state.die_face[seat], INITIATIVE_DIE)
    for place in range(start + 1, end):  # stable: equal rolls stay in seat order
        seat = int(order[place])
        before = place
        while before > start and state.die_face[order[before - 1]] < state.die_face[seat]:
            order[before] = order[before - 1]
            before -= 1
        order[before] = seat
    state.die_change[order[start]] = start
    for place in range(start + 1, end):
        before = int(order[place - 1])
        tied = state.die_face[order[place]] == state.die_face[before]
        state.die_change[order[place]] = state.die_change[before] if tied else place


@compiled
def choose_docks(tables: Tables, state: State) -> None:
    """R7, R8, J56: the next seat in order chooses, or docks are dealt or given."""
    if tables.dock_mode == DockMode.DRAFT:
        for place in range(state.players):
            seat = state.dock_order[place]
            if state.dock[seat] < 0:
                ask(state, seat, Decision.DOCK)
                return
    else:
        for seat in range(state.players):
            dock = tables.given_dock[seat] if tables.dock_mode == DockMode.GIVEN else random_dock(tables, state)
            take_dock(state, seat, dock)
    go_to(state, Phase.DEAL)


@compiled
def random_dock(tables: Tables, state: State) -> int:
    """Any dock that no seat has."""
    free = 0
    for dock in range(tables.docks):
        free += int(is_free(state, dock))
    left = pick(state, Stream.DOCKS, free)
    for dock in range(tables.docks):
        if is_free(state, dock):
            if left == 0:
                return dock
            left -= 1
    return -1


@compiled
def is_free(state: State, dock: int) -> bool:
    """Whether a dock belongs to nobody."""
    for seat in range(state.players):
        if state.dock[seat] == dock:
            return False
    return True


@compiled
def take_dock(state: State, seat: int, dock: int) -> None:
    """A seat gets a dock."""
    state.dock[seat] = dock
    emit(state, EventKind.TOOK_DOCK, seat, EVERYBODY, dock, 0)


@compiled
def legal_docks(tables: Tables, state: State, mask: Mask) -> None:
    """DOCK: those not taken yet."""
    for dock in range(min(int(tables.docks), DOCKS)):
        mask[Action.DOCK + dock] = int(is_free(state, dock))


@compiled
def deal_cards(state: State) -> None:
    """R9, J4: five cards each, one at a time, the initiative holder first."""
    for _ in range(POCKET):
        for place in range(state.players):
            seat = clockwise(state, state.initiative, place)
            kind = top_card(state)
            if kind >= 0:
                add_card(state, seat, kind)
                emit(state, EventKind.DREW_CARD, seat, 1 << seat, kind, 0)
    for seat in range(state.players):
        emit(state, EventKind.DEALT, seat, EVERYBODY, state.pocket_size[seat], 0)
    go_to(state, Phase.PHASE_START)
