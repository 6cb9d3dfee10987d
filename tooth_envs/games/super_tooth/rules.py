"""The rules: deal, legal, apply, advance, finish. R and J are rules and rulings of the specification.

What the Events do is in event_cards.py, how cards move in moves.py.
"""

from __future__ import annotations

import numpy as np

from tooth_envs.engine import piles, protocol
from tooth_envs.engine.chance import pick
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.payment import Payment, Split, pay_rank, pay_winner, rank_by, winners
from tooth_envs.engine.records import Mask
from tooth_envs.engine.seats import ask, clockwise
from tooth_envs.engine.state import RUNNING, TERMINATED, TRUNCATED
from tooth_envs.games.super_tooth import event_cards
from tooth_envs.games.super_tooth.cards import (
    DASPLETOSAURUS,
    EGG,
    FIRST_EVENT,
    FIRST_MEAT,
    FOLIAGE,
    HOT_SUN,
    KINDS,
    LARGEST_SET,
    MAX_SEATS,
    SPECIES,
    TRAVELER,
)
from tooth_envs.games.super_tooth.moves import (
    NO_KIND,
    SEVERAL,
    capacity,
    clear_landscape,
    discard_from,
    gain,
    hand_size,
    has_plants,
    lose,
    only_kind,
)
from tooth_envs.games.super_tooth.state import (
    COINS,
    LARGEST_TAKE,
    MOST_RESTARTS,
    SETS,
    SMALLEST_SET,
    Action,
    Decision,
    EventKind,
    Phase,
    Source,
    State,
    Stream,
    Tables,
)

_COIN = 1 << 16
"""More than any hand holds: coins come first, then cards."""


@compiled
def deal(tables: Tables, state: State) -> None:
    """R2, R5: all cards make a face-down pile, all hands are empty; one seat will begin (J2)."""
    state.draw[:] = tables.copies
    state.resolving = -1
    state.target = -1
    state.passing[:] = -1
    state.active = tables.first
    if state.active < 0:
        state.active = pick(state, Stream.FIRST, state.players)
    state.phase = Phase.BEGIN_TURN
    advance(tables, state)


@compiled
def advance(tables: Tables, state: State) -> None:
    """The loop of section 5: on to the next decision, or to the end."""
    state.seat = -1
    for _ in range(protocol.MOST_PHASES):
        if state.seat >= 0 or state.over != RUNNING or protocol.at_breakpoint(state):
            return
        phase = state.phase
        if phase == Phase.REVEAL:
            reveal(state)
        elif phase == Phase.EVENTS:
            next_event(tables, state)
        elif phase == Phase.FETCH:
            event_cards.fetch_or_ask(state)
        elif phase == Phase.SNATCH:
            event_cards.snatch_or_ask(state)
        elif phase == Phase.ERUPT:
            event_cards.erupt_or_ask(state)
        elif phase == Phase.PASS:
            event_cards.pass_or_ask(state)
        elif phase == Phase.RESTART:
            restart(state)
        elif phase == Phase.MEAT:
            next_meat(state)
        elif phase == Phase.PAY:
            ask(state, state.active, Decision.MEAT_PAY)
        elif phase == Phase.ROAM:
            roam_or_go_on(state)
        elif phase == Phase.COLLECT:
            collect_or_end(state)
        elif phase == Phase.BONUS:
            ask(state, state.active, Decision.BONUS)
        elif phase == Phase.EXCHANGE:
            exchange_or_end(state)
        elif phase == Phase.END_TURN:
            end_turn(state)
        else:
            if phase == Phase.TURN_END:
                state.active = clockwise(state, state.active, 1)  # R22
            begin_turn(tables, state)
    protocol.give_up(state)


# The turn (R7), phase by phase.


@compiled
def begin_turn(tables: Tables, state: State) -> None:
    """A new turn, unless there have been enough (J32)."""
    if state.turn >= tables.max_turns:
        state.over = TRUNCATED
        return
    state.turn += 1
    state.restarts = 0
    state.volcano = 0
    emit(state, EventKind.TURN_BEGAN, state.active, EVERYBODY, state.turn, 0)
    state.phase = Phase.REVEAL


@compiled
def reveal(state: State) -> None:
    """R8: fill L up. R9, J29: the discard pile is shuffled when a card is needed and the draw pile is empty."""
    missing = capacity(state) - piles.size(state.landscape)
    for _ in range(missing):
        if piles.size(state.draw) == 0 and piles.size(state.discard) > 0:
            piles.pour(state.discard, state.draw)
            emit(state, EventKind.RESHUFFLED, -1, EVERYBODY, 0, 0)
        kind = piles.draw(state, Stream.DRAW, state.draw)
        if kind < 0:
            break
        state.landscape[kind] += 1
        emit(state, EventKind.REVEALED, state.active, EVERYBODY, kind, 0)
    state.phase = Phase.EVENTS


@compiled
def next_event(tables: Tables, state: State) -> None:
    """R10: every Event of L, in the order the active seat chooses; equal ones need no order (J37)."""
    kind = only_kind(state.landscape, FIRST_EVENT, KINDS)
    if kind == SEVERAL:
        ask(state, state.active, Decision.EVENT_ORDER)
    elif kind == NO_KIND:
        state.phase = Phase.MEAT
    else:
        event_cards.begin(tables, state, kind)


@compiled
def restart(state: State) -> None:
    """R28, R29: the active seat starts over, within the same turn; not for ever (J31)."""
    state.restarts += 1
    state.phase = Phase.END_TURN if state.restarts > MOST_RESTARTS else Phase.REVEAL


@compiled
def next_meat(state: State) -> None:
    """R11, J20: the Meat-Eaters of L, in the order the active seat chooses."""
    kind = only_kind(state.landscape, FIRST_MEAT, FIRST_EVENT)
    if kind == SEVERAL:
        ask(state, state.active, Decision.MEAT_TARGET)
    elif kind == NO_KIND:
        state.phase = Phase.ROAM
    else:
        state.target = kind
        state.phase = Phase.PAY


@compiled
def roam_or_go_on(state: State) -> None:
    """R31, J18: the Daspletosaurus eats one Plant-Eater, if there is one."""
    if state.lasting[DASPLETOSAURUS] > 0 and has_plants(state.landscape):
        ask(state, state.active, Decision.ROAM)
    else:
        state.phase = Phase.COLLECT


@compiled
def collect_or_end(state: State) -> None:
    """R16, J23; J25: without a Plant-Eater in L the turn is over."""
    if has_plants(state.landscape):
        ask(state, state.active, Decision.COLLECT)
    else:
        state.phase = Phase.END_TURN


@compiled
def exchange_or_end(state: State) -> None:
    """R18: as long as there is a set."""
    for species in range(SPECIES):
        if state.hand[state.active, species] >= SMALLEST_SET:
            ask(state, state.active, Decision.EXCHANGE)
            return
    state.phase = Phase.END_TURN


@compiled
def end_turn(state: State) -> None:
    """R25, J13: after a Volcano, everything is shuffled into a new draw pile."""
    if state.volcano:
        clear_landscape(state)
        piles.pour(state.discard, state.draw)
        state.volcano = 0
        emit(state, EventKind.CLEANED_UP, state.active, EVERYBODY, 0, 0)
    state.phase = Phase.TURN_END


# What may be decided (the table of section 5).


@compiled
def legal(tables: Tables, state: State, mask: Mask) -> None:
    """Mark what the seat to act may do."""
    decision = state.decision
    if decision == Decision.COLLECT:
        legal_takes(state, mask)
    elif decision == Decision.EXCHANGE:
        legal_exchanges(state, mask)
    elif decision == Decision.MEAT_PAY:
        mask[Action.IGNORE] = 1  # R12
        for species in range(SPECIES):
            if tables.pays[state.target - FIRST_MEAT, species]:  # R13, R14
                legal_payment(state, species, mask)
        mask[Action.PAY_TRAVELER] = state.lasting[TRAVELER] > 0  # R32
    elif decision == Decision.ROAM:
        for species in range(SPECIES):
            mask[Action.CHOOSE + species] = state.landscape[species] > 0
            if tables.chases[species]:
                legal_payment(state, species, mask)
        mask[Action.PAY_TRAVELER] = state.lasting[TRAVELER] > 0
    elif decision == Decision.BONUS:
        for species in range(SPECIES):
            mask[Action.CHOOSE + species] = state.landscape[species] > 0
    elif decision == Decision.STAMPEDE_PASS:
        for species in range(SPECIES):
            mask[Action.CHOOSE + species] = state.hand[state.seat, species] > 0
    elif decision == Decision.MEAT_TARGET:
        for kind in range(FIRST_MEAT, FIRST_EVENT):
            mask[Action.CHOOSE + kind] = state.landscape[kind] > 0
    elif decision == Decision.EVENT_ORDER:
        for kind in range(FIRST_EVENT, KINDS):
            mask[Action.CHOOSE + kind] = state.landscape[kind] > 0
    elif decision == Decision.EGG:
        for kind in range(KINDS):
            mask[Action.CHOOSE + kind] = kind != EGG and state.discard[kind] > 0
    elif decision == Decision.VOLCANO:
        for kind in range(KINDS):
            mask[Action.CHOOSE + kind] = state.landscape[kind] > 0 or state.lasting[kind] > 0
        if state.marker:
            mask[Action.CHOOSE + HOT_SUN] = 1
    else:
        for offset in range(state.players):
            mask[Action.SEAT + offset] = hand_size(state, clockwise(state, state.seat, offset)) > 0


@compiled
def legal_takes(state: State, mask: Mask) -> None:
    """R16, J24: any number of cards of one species."""
    for species in range(SPECIES):
        for number in range(min(int(state.landscape[species]), LARGEST_TAKE)):
            mask[Action.TAKE + LARGEST_TAKE * species + number] = 1


@compiled
def legal_exchanges(state: State, mask: Mask) -> None:
    """R19, J26: sets of 3 to 6; J27: of 4 only if L has a Plant-Eater to take."""
    mask[Action.STOP] = 1
    bonus = has_plants(state.landscape)
    for species in range(SPECIES):
        for number in range(SMALLEST_SET, min(int(state.hand[state.seat, species]), LARGEST_SET) + 1):
            mask[Action.SET + SETS * species + number - SMALLEST_SET] = number != 4 or bonus


@compiled
def legal_payment(state: State, species: int, mask: Mask) -> None:
    """J22: from the own hand, or from L."""
    mask[Action.PAY_HAND + species] = state.hand[state.seat, species] > 0
    mask[Action.PAY_LAND + species] = state.landscape[species] > 0


# What is decided.


@compiled
def apply(tables: Tables, state: State, action: int) -> None:
    """Carry out a decision, then go on."""
    decision = state.decision
    if decision == Decision.COLLECT:
        collect(state, (action - Action.TAKE) // LARGEST_TAKE, (action - Action.TAKE) % LARGEST_TAKE + 1)
    elif decision == Decision.EXCHANGE:
        if action == Action.STOP:
            state.phase = Phase.END_TURN
        else:
            exchange(tables, state, (action - Action.SET) // SETS, (action - Action.SET) % SETS + SMALLEST_SET)
    elif decision == Decision.MEAT_PAY:
        answer_meat(state, action)
    elif decision == Decision.ROAM:
        answer_roam(state, action)
    elif decision == Decision.BONUS:
        gain(state, state.active, action - Action.CHOOSE, 1)
        emit(state, EventKind.TOOK_BONUS, state.active, EVERYBODY, action - Action.CHOOSE, 0)
        state.phase = Phase.EXCHANGE
    elif decision == Decision.STAMPEDE_PASS:
        event_cards.choose_pass(state, action - Action.CHOOSE)
    elif decision == Decision.MEAT_TARGET:
        state.target = action - Action.CHOOSE
        state.phase = Phase.PAY
    elif decision == Decision.EVENT_ORDER:
        event_cards.begin(tables, state, action - Action.CHOOSE)
    elif decision == Decision.EGG:
        event_cards.fetch(state, action - Action.CHOOSE)
    elif decision == Decision.VOLCANO:
        event_cards.erupt(state, action - Action.CHOOSE)
    else:
        event_cards.snatch(state, clockwise(state, state.seat, action - Action.SEAT))
    advance(tables, state)


@compiled
def answer_meat(state: State, action: int) -> None:
    """R12-R14: give up the turn, or pay one card for one Meat-Eater."""
    target = state.target
    state.target = -1
    if action == Action.IGNORE:
        emit(state, EventKind.IGNORED, state.active, EVERYBODY, target, 0)
        piles.pour(state.landscape, state.discard)  # J9: X stays
        state.phase = Phase.END_TURN
        return
    pay(state, action)
    discard_from(state, state.landscape, target)
    state.phase = Phase.MEAT


@compiled
def answer_roam(state: State, action: int) -> None:
    """J18: the Daspletosaurus eats a Plant-Eater and stays, or is chased away."""
    if action < Action.PAY_HAND:
        discard_from(state, state.landscape, action - Action.CHOOSE)
        emit(state, EventKind.EATEN, state.active, EVERYBODY, action - Action.CHOOSE, 0)
    else:
        pay(state, action)
        discard_from(state, state.lasting, DASPLETOSAURUS)
    state.phase = Phase.COLLECT


@compiled
def pay(state: State, action: int) -> None:
    """One card is discarded to feed or chase."""
    if action == Action.PAY_TRAVELER:
        discard_from(state, state.lasting, TRAVELER)
        emit(state, EventKind.PAID, state.active, EVERYBODY, TRAVELER, Source.LASTING)
    elif action >= Action.PAY_LAND:
        discard_from(state, state.landscape, action - Action.PAY_LAND)
        emit(state, EventKind.PAID, state.active, EVERYBODY, action - Action.PAY_LAND, Source.LAND)
    else:
        lose(state, state.active, action - Action.PAY_HAND, 1)
        state.discard[action - Action.PAY_HAND] += 1
        emit(state, EventKind.PAID, state.active, EVERYBODY, action - Action.PAY_HAND, Source.HAND)


@compiled
def collect(state: State, species: int, number: int) -> None:
    """R16, R17. J17: with Foliage, one further card of any species."""
    gain(state, state.active, species, number)
    emit(state, EventKind.COLLECTED, state.active, EVERYBODY, species, number)
    extra = state.lasting[FOLIAGE] > 0 and has_plants(state.landscape)
    state.phase = Phase.BONUS if extra else Phase.EXCHANGE


@compiled
def exchange(tables: Tables, state: State, species: int, number: int) -> None:
    """R19-R21: a set for coins, which may win the game; J27: with 4 cards, one of L too."""
    lose(state, state.active, species, number)
    state.discard[species] += number
    coins = COINS[number - SMALLEST_SET]
    state.coins[state.active] += coins
    emit(state, EventKind.EXCHANGED, state.active, EVERYBODY, species, number)
    shape(tables, state, coins)
    if state.coins[state.active] >= tables.coins_to_win:
        state.over = TERMINATED
    state.phase = Phase.BONUS if number == 4 else Phase.EXCHANGE


# The end.


@compiled
def shape(tables: Tables, state: State, coins: int) -> None:
    """Section 7: shaping pays the active seat its share of the way, at the expense of the others."""
    if tables.shaping == 0.0:
        return
    share = tables.shaping * coins / int(tables.coins_to_win)
    for seat in range(state.players):
        if seat == state.active:
            state.reward[seat] += share
        else:
            state.reward[seat] -= share / (int(state.players) - 1)


@compiled
def finish(tables: Tables, state: State, truncated: bool) -> None:
    """Section 7: competition ranks by coins, then by hand size (a winner has the most coins), and the rewards."""
    scores = np.zeros(MAX_SEATS, np.int64)
    for seat in range(state.players):
        scores[seat] = int(state.coins[seat]) * _COIN + hand_size(state, seat)
    rank_by(state, scores)
    emit(state, EventKind.GAME_OVER, -1, EVERYBODY, winners(state), 0)
    if tables.payment == Payment.RANK:
        pay_rank(state)
    else:
        pay_winner(state, Split.ONE)
