"""Rounds, phases and turns: what the active seat may do, and doing it (R14-R20, R28-R30, J5-J9)."""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.records import Mask
from tooth_envs.engine.seats import ask, clockwise
from tooth_envs.games.toothead.cards import KINDS
from tooth_envs.games.toothead.fight import begin_attack
from tooth_envs.games.toothead.island import reveal_island, roll_island_die
from tooth_envs.games.toothead.machine import begin_effect, clear_registers, go_to
from tooth_envs.games.toothead.specials import play_special, special_helps
from tooth_envs.games.toothead.state import ATTACK_PLUS, Action, Decision, EventKind, Phase, State, Tables, TurnPhase
from tooth_envs.games.toothead.table import attackable, can_draw, discard, draw, has_program, knack_of
from tooth_envs.games.toothead.tricks import announce, can_play, is_playable
from tooth_envs.games.toothead.vocabulary import MEGA, MINI, SPECIAL, TURN, TURN_START, WEAPON

STANDARD_RATE = 2
"""Cards discarded for each one drawn in the exchange (R16)."""


@compiled
def start_phase(state: State) -> None:
    """J5: the order of a phase is fixed by who holds the token now."""
    state.turn_phase = (state.turn_phase + 1) % (TurnPhase.EATING + 1)
    state.first = state.initiative
    state.place = 0
    state.active = -1
    emit(state, EventKind.PHASE_BEGAN, -1, EVERYBODY, state.turn_phase, state.round_number)
    clear_registers(state)
    go_to(state, Phase.EATING_WINDOW if state.turn_phase == TurnPhase.EATING else Phase.NEXT_TURN)


@compiled
def next_turn(tables: Tables, state: State) -> None:
    """The next seat of the phase that lives begins its turn (R15, R17, R18)."""
    end_turn(state)
    while state.place < state.players:
        seat = clockwise(state, state.first, state.place)
        state.place += 1
        if state.alive[seat]:
            begin_turn(tables, state, seat)
            return
    go_to(state, Phase.PHASE_START)


@compiled
def end_turn(state: State) -> None:
    """Unused moves are lost."""
    state.actions = 0
    state.attacks = 0
    state.islands = 0
    state.can_exchange = 0
    state.can_roll = 0
    state.extra[:] = 0
    state.pocket_plays = 0
    state.active = -1


@compiled
def begin_turn(tables: Tables, state: State, seat: int) -> None:
    """The allowance of the phase, and the knack that works at the start of a turn (J48)."""
    state.active = seat
    allow(state)
    emit(state, EventKind.TURN_BEGAN, seat, EVERYBODY, 0, 0)
    go_to(state, Phase.TURN)
    knack = knack_of(tables, state, seat)
    if (
        knack >= 0
        and has_program(tables, knack, TURN_START)
        and (tables.narrowed[knack, TURN_START] >> state.turn_phase) & 1
    ):
        begin_effect(tables, state, knack, TURN_START, seat, -1)


@compiled
def allow(state: State) -> None:
    """Moves of a turn by phase."""
    digestion = int(state.turn_phase == TurnPhase.DIGESTION)
    state.actions = 1 + digestion
    state.attacks = 1 - digestion
    state.can_exchange = digestion
    state.islands = int(state.turn_phase == TurnPhase.APPETITE)
    state.can_roll = int(state.turn_phase == TurnPhase.HUNGER)


@compiled
def ask_turn(state: State) -> None:
    """R20: any moves in any order, as long as the seat lives (J35)."""
    if state.alive[state.active]:
        ask(state, state.active, Decision.TURN)
    else:
        go_to(state, Phase.NEXT_TURN)


@compiled
def plays_free(tables: Tables, state: State) -> bool:
    """J47: whether the next trick or weapon from the pocket costs no action."""
    knack = knack_of(tables, state, state.active)
    return knack >= 0 and state.pocket_plays < tables.free_plays[knack]


@compiled
def exchange_rate(tables: Tables, state: State) -> int:
    """The source of another rate than R16's, -1 if that holds."""
    knack = knack_of(tables, state, state.active)
    if knack >= 0 and tables.exchange_rate[knack] > 0:
        return knack
    return -1


@compiled
def legal_turn(tables: Tables, state: State, mask: Mask) -> None:
    """TURN: what the active seat may do."""
    seat = int(state.seat)
    mask[Action.PASS] = 1
    if state.actions > 0 and can_draw(state):
        mask[Action.DRAW] = 1
    mask[Action.ISLAND] = int(state.islands > 0)
    mask[Action.BONUS_DIE] = state.can_roll
    if state.can_exchange:
        knack = exchange_rate(tables, state)
        least = STANDARD_RATE if knack < 0 else int(tables.exchange_rate[knack])
        mask[Action.EXCHANGE] = int(state.pocket_size[seat] >= least)
    if state.attacks > 0:
        for places in range(1, state.players):
            mask[ATTACK_PLUS + places] = int(attackable(tables, state, seat, clockwise(state, seat, places)))
    can_pay = state.actions > 0 or plays_free(tables, state)
    for kind in range(KINDS):
        if state.pocket[seat, kind]:
            category = tables.category[kind]
            if category in (MINI, MEGA, WEAPON):
                if can_pay:
                    mask[Action.CARD + kind] = int(can_play(tables, state, seat, kind))
            elif category == SPECIAL:
                mask[Action.CARD + kind] = int(special_helps(tables, state, seat, kind, TURN))


@compiled
def take_turn(tables: Tables, state: State, seat: int, action: int) -> None:
    """Carry out a move of the active seat."""
    if action == Action.PASS:
        go_to(state, Phase.NEXT_TURN)
    elif action == Action.DRAW:
        state.actions -= 1
        draw_and_look(tables, state, seat)
    elif action == Action.ISLAND:
        state.islands -= 1
        reveal_island(tables, state, seat)
    elif action == Action.BONUS_DIE:
        state.can_roll = 0
        roll_island_die(tables, state, seat)
    elif action == Action.EXCHANGE:
        state.can_exchange = 0
        state.count = 0
        go_to(state, Phase.EXCHANGE)
    elif action < Action.CARD:
        state.attacks -= 1  # J19
        begin_attack(state, seat, clockwise(state, seat, action - ATTACK_PLUS))
    else:
        kind = action - Action.CARD
        if tables.category[kind] == SPECIAL:
            play_special(tables, state, seat, kind, TURN)  # R38: free
        else:
            if not plays_free(tables, state):
                state.actions -= 1
            state.pocket_plays += 1
            announce(tables, state, seat, kind, True)


@compiled
def draw_and_look(tables: Tables, state: State, seat: int) -> None:
    """R29, J8: a weapon or playable trick that was just drawn may be played at once."""
    kind = draw(state, seat, 1)
    if kind < 0:
        return
    category = tables.category[kind]
    if category == WEAPON or ((category in (MINI, MEGA)) and is_playable(tables, state, seat, kind)):
        state.held = kind
        ask(state, seat, Decision.DRAWN)


@compiled
def decide_drawn(tables: Tables, state: State, seat: int, action: int) -> None:
    """DRAWN: play the card, or keep it."""
    kind = int(state.held)
    state.held = -1
    if action == Action.YES:
        announce(tables, state, seat, kind, False)


@compiled
def legal_drawn(mask: Mask) -> None:
    """DRAWN."""
    mask[Action.KEEP] = 1
    mask[Action.YES] = 1


# The exchange (R16, J9)


@compiled
def legal_exchange(tables: Tables, state: State, mask: Mask) -> None:
    """EXCH: stop after a full group of cards; begin another one only with enough cards for it."""
    seat = int(state.seat)
    knack = exchange_rate(tables, state)
    rate = STANDARD_RATE if knack < 0 else int(tables.exchange_rate[knack])
    begun = state.count % rate
    mask[Action.PASS] = int(begun == 0 and state.count >= rate)
    if knack >= 0 and tables.exchange_most[knack] > 0 and state.count >= tables.exchange_most[knack]:
        return
    if begun > 0 or state.pocket_size[seat] >= rate:
        for kind in range(KINDS):
            mask[Action.CARD + kind] = int(state.pocket[seat, kind] > 0)


@compiled
def exchange(tables: Tables, state: State, seat: int, action: int) -> None:
    """EXCH: throw a card away, or stop and draw."""
    if action != Action.PASS:
        discard(state, seat, action - Action.CARD)
        state.count += 1
        return
    knack = exchange_rate(tables, state)
    if knack < 0:
        number = state.count // STANDARD_RATE
    else:
        number = state.count // tables.exchange_rate[knack] + tables.exchange_bonus[knack]
    state.count = 0
    draw(state, seat, number)
    go_to(state, Phase.TURN)


@compiled
def ask_exchange(state: State) -> None:
    """The exchange goes on."""
    ask(state, state.active, Decision.EXCH)
