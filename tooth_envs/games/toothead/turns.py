"""Rounds, phases and turns: what the active seat may do, and doing it (R14-R20, R28-R30, J5-J9)."""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.games.toothead.cards import KINDS
from tooth_envs.games.toothead.fight import begin_attack
from tooth_envs.games.toothead.island import reveal_island, roll_island_die
from tooth_envs.games.toothead.machine import ask, begin_effect, clear_registers, go_to
from tooth_envs.games.toothead.specials import play_special, special_helps
from tooth_envs.games.toothead.state import (
    APPETITE,
    ASK_DRAWN,
    ASK_EXCH,
    ASK_TURN,
    ATTACK_PLUS,
    BONUS_DIE,
    CARD,
    DIGESTION,
    DO_EXCHANGE,
    DRAW,
    E_PHASE_BEGAN,
    E_TURN_BEGAN,
    EATING_PHASE,
    EATING_WINDOW,
    EXCHANGE,
    HUNGER,
    IN_TURN,
    ISLAND,
    KEEP,
    NEXT_TURN,
    PASS,
    PHASE_START,
    YES,
)
from tooth_envs.games.toothead.table import (
    attackable,
    can_draw,
    clockwise,
    discard,
    draw,
    has_program,
    knack_of,
)
from tooth_envs.games.toothead.tricks import announce, can_play, is_playable
from tooth_envs.games.toothead.vocabulary import MEGA, MINI, SPECIAL, TURN, TURN_START, WEAPON

STANDARD_RATE = 2
"""Cards discarded for each one drawn in the exchange (R16)."""


@compiled
def start_phase(state):  # type: ignore[no-untyped-def]
    """J5: the order of a phase is fixed by who holds the token now."""
    state.turn_phase = (state.turn_phase + 1) % (EATING_PHASE + 1)
    state.first = state.initiative
    state.place = 0
    state.active = -1
    emit(state, E_PHASE_BEGAN, -1, EVERYBODY, state.turn_phase, state.round_number)
    clear_registers(state)
    go_to(state, EATING_WINDOW if state.turn_phase == EATING_PHASE else NEXT_TURN)


@compiled
def next_turn(tables, state):  # type: ignore[no-untyped-def]
    """The next seat of the phase that lives begins its turn (R15, R17, R18)."""
    end_turn(state)
    while state.place < state.players:
        seat = clockwise(state, state.first, state.place)
        state.place += 1
        if state.alive[seat]:
            begin_turn(tables, state, seat)
            return
    go_to(state, PHASE_START)


@compiled
def end_turn(state):  # type: ignore[no-untyped-def]
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
def begin_turn(tables, state, seat):  # type: ignore[no-untyped-def]
    """The allowance of the phase, and the knack that works at the start of a turn (J48)."""
    state.active = seat
    allow(state)
    emit(state, E_TURN_BEGAN, seat, EVERYBODY, 0, 0)
    go_to(state, IN_TURN)
    knack = knack_of(tables, state, seat)
    if (
        knack >= 0
        and has_program(tables, knack, TURN_START)
        and (tables.narrowed[knack, TURN_START] >> state.turn_phase) & 1
    ):
        begin_effect(tables, state, knack, TURN_START, seat, -1)


@compiled
def allow(state):  # type: ignore[no-untyped-def]
    """Moves of a turn by phase."""
    digestion = int(state.turn_phase == DIGESTION)
    state.actions = 1 + digestion
    state.attacks = 1 - digestion
    state.can_exchange = digestion
    state.islands = int(state.turn_phase == APPETITE)
    state.can_roll = int(state.turn_phase == HUNGER)


@compiled
def ask_turn(state):  # type: ignore[no-untyped-def]
    """R20: any moves in any order, as long as the seat lives (J35)."""
    if state.alive[state.active]:
        ask(state, state.active, ASK_TURN)
    else:
        go_to(state, NEXT_TURN)


@compiled
def plays_free(tables, state):  # type: ignore[no-untyped-def]
    """J47: whether the next trick or weapon from the pocket costs no action."""
    knack = knack_of(tables, state, state.active)
    return knack >= 0 and state.pocket_plays < tables.free_plays[knack]


@compiled
def exchange_rate(tables, state):  # type: ignore[no-untyped-def]
    """The source of another rate than R16's, -1 if that holds."""
    knack = knack_of(tables, state, state.active)
    if knack >= 0 and tables.exchange_rate[knack] > 0:
        return knack
    return -1


@compiled
def legal_turn(tables, state, mask):  # type: ignore[no-untyped-def]
    """TURN: what the active seat may do."""
    seat = int(state.seat)
    mask[PASS] = 1
    if state.actions > 0 and can_draw(state):
        mask[DRAW] = 1
    mask[ISLAND] = int(state.islands > 0)
    mask[BONUS_DIE] = state.can_roll
    if state.can_exchange:
        knack = exchange_rate(tables, state)
        least = STANDARD_RATE if knack < 0 else int(tables.exchange_rate[knack])
        mask[DO_EXCHANGE] = int(state.pocket_size[seat] >= least)
    if state.attacks > 0:
        for places in range(1, state.players):
            mask[ATTACK_PLUS + places] = int(attackable(tables, state, seat, clockwise(state, seat, places)))
    can_pay = state.actions > 0 or plays_free(tables, state)
    for kind in range(KINDS):
        if state.pocket[seat, kind]:
            category = tables.category[kind]
            if category in (MINI, MEGA, WEAPON):
                if can_pay:
                    mask[CARD + kind] = int(can_play(tables, state, seat, kind))
            elif category == SPECIAL:
                mask[CARD + kind] = int(special_helps(tables, state, seat, kind, TURN))


@compiled
def take_turn(tables, state, seat, action):  # type: ignore[no-untyped-def]
    """Carry out a move of the active seat."""
    if action == PASS:
        go_to(state, NEXT_TURN)
    elif action == DRAW:
        state.actions -= 1
        draw_and_look(tables, state, seat)
    elif action == ISLAND:
        state.islands -= 1
        reveal_island(tables, state, seat)
    elif action == BONUS_DIE:
        state.can_roll = 0
        roll_island_die(tables, state, seat)
    elif action == DO_EXCHANGE:
        state.can_exchange = 0
        state.count = 0
        go_to(state, EXCHANGE)
    elif action < CARD:
        state.attacks -= 1  # J19
        begin_attack(state, seat, clockwise(state, seat, action - ATTACK_PLUS))
    else:
        kind = action - CARD
        if tables.category[kind] == SPECIAL:
            play_special(tables, state, seat, kind, TURN)  # R38: free
        else:
            if not plays_free(tables, state):
                state.actions -= 1
            state.pocket_plays += 1
            announce(tables, state, seat, kind, True)


@compiled
def draw_and_look(tables, state, seat):  # type: ignore[no-untyped-def]
    """R29, J8: a weapon or playable trick that was just drawn may be played at once."""
    kind = draw(state, seat, 1)
    if kind < 0:
        return
    category = tables.category[kind]
    if category == WEAPON or ((category in (MINI, MEGA)) and is_playable(tables, state, seat, kind)):
        state.held = kind
        ask(state, seat, ASK_DRAWN)


@compiled
def decide_drawn(tables, state, seat, action):  # type: ignore[no-untyped-def]
    """DRAWN: play the card, or keep it."""
    kind = int(state.held)
    state.held = -1
    if action == YES:
        announce(tables, state, seat, kind, False)


@compiled
def legal_drawn(mask):  # type: ignore[no-untyped-def]
    """DRAWN."""
    mask[KEEP] = 1
    mask[YES] = 1


# The exchange (R16, J9)


@compiled
def legal_exchange(tables, state, mask):  # type: ignore[no-untyped-def]
    """EXCH: stop after a full group of cards; begin another one only with enough cards for it."""
    seat = int(state.seat)
    knack = exchange_rate(tables, state)
    rate = STANDARD_RATE if knack < 0 else int(tables.exchange_rate[knack])
    begun = state.count % rate
    mask[PASS] = int(begun == 0 and state.count >= rate)
    if knack >= 0 and tables.exchange_most[knack] > 0 and state.count >= tables.exchange_most[knack]:
        return
    if begun > 0 or state.pocket_size[seat] >= rate:
        for kind in range(KINDS):
            mask[CARD + kind] = int(state.pocket[seat, kind] > 0)


@compiled
def exchange(tables, state, seat, action):  # type: ignore[no-untyped-def]
    """EXCH: throw a card away, or stop and draw."""
    if action != PASS:
        discard(state, seat, action - CARD)
        state.count += 1
        return
    knack = exchange_rate(tables, state)
    if knack < 0:
        number = state.count // STANDARD_RATE
    else:
        number = state.count // tables.exchange_rate[knack] + tables.exchange_bonus[knack]
    state.count = 0
    draw(state, seat, number)
    go_to(state, IN_TURN)


@compiled
def ask_exchange(state):  # type: ignore[no-untyped-def]
    """The exchange goes on."""
    ask(state, state.active, ASK_EXCH)
