"""The rules: deal, legal, apply, advance, finish. R and J are rules and rulings of the specification.

What the Events do is in event_cards.py, how cards move in moves.py.
"""

from __future__ import annotations

from tooth_envs.engine import piles, protocol
from tooth_envs.engine.chance import pick
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
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
    SPECIES,
    TRAVELER,
)
from tooth_envs.games.super_tooth.moves import (
    NO_KIND,
    SEVERAL,
    ask,
    capacity,
    clear_landscape,
    discard_from,
    gain,
    hand_size,
    has_plants,
    left_of,
    lose,
    only_kind,
)
from tooth_envs.games.super_tooth.state import (
    ASK_BONUS,
    ASK_COLLECT,
    ASK_EGG,
    ASK_EVENT,
    ASK_EXCHANGE,
    ASK_PASS,
    ASK_PAY,
    ASK_ROAM,
    ASK_TARGET,
    ASK_VOLCANO,
    BEGIN_TURN,
    BONUS,
    BY_RANK,
    CHOOSE,
    CLEANED_UP,
    COINS,
    COLLECT,
    COLLECTED,
    EATEN,
    END_TURN,
    ERUPT,
    EVENTS,
    EXCHANGE,
    EXCHANGED,
    FETCH,
    FROM_HAND,
    FROM_LAND,
    FROM_LASTING,
    GAME_OVER,
    IGNORE,
    IGNORED,
    LARGEST_TAKE,
    MEAT,
    MOST_RESTARTS,
    PAID,
    PASS,
    PAY,
    PAY_HAND,
    PAY_LAND,
    PAY_TRAVELER,
    RESHUFFLED,
    RESTART,
    REVEAL,
    REVEALED,
    ROAM,
    SEAT,
    SET,
    SETS,
    SMALLEST_SET,
    SNATCH,
    STOP,
    STREAM_DRAW,
    STREAM_FIRST,
    TAKE,
    TOOK_BONUS,
    TURN_BEGAN,
    TURN_END,
)


@compiled
def deal(tables, state):  # type: ignore[no-untyped-def]
    """R2, R5: all cards make a face-down pile, all hands are empty; one seat will begin (J2)."""
    state.draw[:] = tables.copies
    state.resolving = -1
    state.target = -1
    state.passing[:] = -1
    state.active = tables.first
    if state.active < 0:
        state.active = pick(state, STREAM_FIRST, state.players)
    state.phase = BEGIN_TURN
    advance(tables, state)


@compiled
def advance(tables, state):  # type: ignore[no-untyped-def]
    """The loop of section 5: on to the next decision, or to the end."""
    state.seat = -1
    for _ in range(protocol.MOST_PHASES):
        if state.seat >= 0 or state.over != RUNNING or protocol.at_breakpoint(state):
            return
        phase = state.phase
        if phase == REVEAL:
            reveal(state)
        elif phase == EVENTS:
            next_event(tables, state)
        elif phase == FETCH:
            event_cards.fetch_or_ask(state)
        elif phase == SNATCH:
            event_cards.snatch_or_ask(state)
        elif phase == ERUPT:
            event_cards.erupt_or_ask(state)
        elif phase == PASS:
            event_cards.pass_or_ask(state)
        elif phase == RESTART:
            restart(state)
        elif phase == MEAT:
            next_meat(state)
        elif phase == PAY:
            ask(state, ASK_PAY, state.active)
        elif phase == ROAM:
            roam_or_go_on(state)
        elif phase == COLLECT:
            collect_or_end(state)
        elif phase == BONUS:
            ask(state, ASK_BONUS, state.active)
        elif phase == EXCHANGE:
            exchange_or_end(state)
        elif phase == END_TURN:
            end_turn(state)
        else:
            if phase == TURN_END:
                state.active = left_of(state, state.active)  # R22
            begin_turn(tables, state)
    protocol.give_up(state)


# The turn (R7), phase by phase.


@compiled
def begin_turn(tables, state):  # type: ignore[no-untyped-def]
    """A new turn, unless there have been enough (J32)."""
    if state.turn >= tables.max_turns:
        state.over = TRUNCATED
        return
    state.turn += 1
    state.restarts = 0
    state.volcano = 0
    emit(state, TURN_BEGAN, state.active, EVERYBODY, state.turn, 0)
    state.phase = REVEAL


@compiled
def reveal(state):  # type: ignore[no-untyped-def]
    """R8: fill L up. R9, J29: the discard pile is shuffled when a card is needed and the draw pile is empty."""
    missing = capacity(state) - piles.size(state.landscape)
    for _ in range(missing):
        if piles.size(state.draw) == 0 and piles.size(state.discard) > 0:
            piles.pour(state.discard, state.draw)
            emit(state, RESHUFFLED, -1, EVERYBODY, 0, 0)
        kind = piles.draw(state, STREAM_DRAW, state.draw)
        if kind < 0:
            break
        state.landscape[kind] += 1
        emit(state, REVEALED, state.active, EVERYBODY, kind, 0)
    state.phase = EVENTS


@compiled
def next_event(tables, state):  # type: ignore[no-untyped-def]
    """R10: every Event of L, in the order the active seat chooses; equal ones need no order (J37)."""
    kind = only_kind(state.landscape, FIRST_EVENT, KINDS)
    if kind == SEVERAL:
        ask(state, ASK_EVENT, state.active)
    elif kind == NO_KIND:
        state.phase = MEAT
    else:
        event_cards.begin(tables, state, kind)


@compiled
def restart(state):  # type: ignore[no-untyped-def]
    """R28, R29: the active seat starts over, within the same turn; not for ever (J31)."""
    state.restarts += 1
    state.phase = END_TURN if state.restarts > MOST_RESTARTS else REVEAL


@compiled
def next_meat(state):  # type: ignore[no-untyped-def]
    """R11, J20: the Meat-Eaters of L, in the order the active seat chooses."""
    kind = only_kind(state.landscape, FIRST_MEAT, FIRST_EVENT)
    if kind == SEVERAL:
        ask(state, ASK_TARGET, state.active)
    elif kind == NO_KIND:
        state.phase = ROAM
    else:
        state.target = kind
        state.phase = PAY


@compiled
def roam_or_go_on(state):  # type: ignore[no-untyped-def]
    """R31, J18: the Daspletosaurus eats one Plant-Eater, if there is one."""
    if state.lasting[DASPLETOSAURUS] > 0 and has_plants(state.landscape):
        ask(state, ASK_ROAM, state.active)
    else:
        state.phase = COLLECT


@compiled
def collect_or_end(state):  # type: ignore[no-untyped-def]
    """R16, J23; J25: without a Plant-Eater in L the turn is over."""
    if has_plants(state.landscape):
        ask(state, ASK_COLLECT, state.active)
    else:
        state.phase = END_TURN


@compiled
def exchange_or_end(state):  # type: ignore[no-untyped-def]
    """R18: as long as there is a set."""
    for species in range(SPECIES):
        if state.hand[state.active, species] >= SMALLEST_SET:
            ask(state, ASK_EXCHANGE, state.active)
            return
    state.phase = END_TURN


@compiled
def end_turn(state):  # type: ignore[no-untyped-def]
    """R25, J13: after a Volcano, everything is shuffled into a new draw pile."""
    if state.volcano:
        clear_landscape(state)
        piles.pour(state.discard, state.draw)
        state.volcano = 0
        emit(state, CLEANED_UP, state.active, EVERYBODY, 0, 0)
    state.phase = TURN_END


# What may be decided (the table of section 5).


@compiled
def legal(tables, state, mask):  # type: ignore[no-untyped-def]
    """Mark what the seat to act may do."""
    decision = state.decision
    if decision == ASK_COLLECT:
        legal_takes(state, mask)
    elif decision == ASK_EXCHANGE:
        legal_exchanges(state, mask)
    elif decision == ASK_PAY:
        mask[IGNORE] = 1  # R12
        for species in range(SPECIES):
            if tables.pays[state.target - FIRST_MEAT, species]:  # R13, R14
                legal_payment(state, species, mask)
        mask[PAY_TRAVELER] = state.lasting[TRAVELER] > 0  # R32
    elif decision == ASK_ROAM:
        for species in range(SPECIES):
            mask[CHOOSE + species] = state.landscape[species] > 0
            if tables.chases[species]:
                legal_payment(state, species, mask)
        mask[PAY_TRAVELER] = state.lasting[TRAVELER] > 0
    elif decision == ASK_BONUS:
        for species in range(SPECIES):
            mask[CHOOSE + species] = state.landscape[species] > 0
    elif decision == ASK_PASS:
        for species in range(SPECIES):
            mask[CHOOSE + species] = state.hand[state.seat, species] > 0
    elif decision == ASK_TARGET:
        for kind in range(FIRST_MEAT, FIRST_EVENT):
            mask[CHOOSE + kind] = state.landscape[kind] > 0
    elif decision == ASK_EVENT:
        for kind in range(FIRST_EVENT, KINDS):
            mask[CHOOSE + kind] = state.landscape[kind] > 0
    elif decision == ASK_EGG:
        for kind in range(KINDS):
            mask[CHOOSE + kind] = kind != EGG and state.discard[kind] > 0
    elif decision == ASK_VOLCANO:
        for kind in range(KINDS):
            mask[CHOOSE + kind] = state.landscape[kind] > 0 or state.lasting[kind] > 0
        if state.marker:
            mask[CHOOSE + HOT_SUN] = 1
    else:
        for offset in range(state.players):
            mask[SEAT + offset] = hand_size(state, (state.seat + offset) % state.players) > 0


@compiled
def legal_takes(state, mask):  # type: ignore[no-untyped-def]
    """R16, J24: any number of cards of one species."""
    for species in range(SPECIES):
        for number in range(min(int(state.landscape[species]), LARGEST_TAKE)):
            mask[TAKE + LARGEST_TAKE * species + number] = 1


@compiled
def legal_exchanges(state, mask):  # type: ignore[no-untyped-def]
    """R19, J26: sets of 3 to 6; J27: of 4 only if L has a Plant-Eater to take."""
    mask[STOP] = 1
    bonus = has_plants(state.landscape)
    for species in range(SPECIES):
        for number in range(SMALLEST_SET, min(int(state.hand[state.seat, species]), LARGEST_SET) + 1):
            mask[SET + SETS * species + number - SMALLEST_SET] = number != 4 or bonus


@compiled
def legal_payment(state, species, mask):  # type: ignore[no-untyped-def]
    """J22: from the own hand, or from L."""
    mask[PAY_HAND + species] = state.hand[state.seat, species] > 0
    mask[PAY_LAND + species] = state.landscape[species] > 0


# What is decided.


@compiled
def apply(tables, state, action):  # type: ignore[no-untyped-def]
    """Carry out a decision, then go on."""
    decision = state.decision
    if decision == ASK_COLLECT:
        collect(state, (action - TAKE) // LARGEST_TAKE, (action - TAKE) % LARGEST_TAKE + 1)
    elif decision == ASK_EXCHANGE:
        if action == STOP:
            state.phase = END_TURN
        else:
            exchange(tables, state, (action - SET) // SETS, (action - SET) % SETS + SMALLEST_SET)
    elif decision == ASK_PAY:
        answer_meat(state, action)
    elif decision == ASK_ROAM:
        answer_roam(state, action)
    elif decision == ASK_BONUS:
        gain(state, state.active, action - CHOOSE, 1)
        emit(state, TOOK_BONUS, state.active, EVERYBODY, action - CHOOSE, 0)
        state.phase = EXCHANGE
    elif decision == ASK_PASS:
        event_cards.choose_pass(state, action - CHOOSE)
    elif decision == ASK_TARGET:
        state.target = action - CHOOSE
        state.phase = PAY
    elif decision == ASK_EVENT:
        event_cards.begin(tables, state, action - CHOOSE)
    elif decision == ASK_EGG:
        event_cards.fetch(state, action - CHOOSE)
    elif decision == ASK_VOLCANO:
        event_cards.erupt(state, action - CHOOSE)
    else:
        event_cards.snatch(state, (state.seat + action - SEAT) % state.players)
    advance(tables, state)


@compiled
def answer_meat(state, action):  # type: ignore[no-untyped-def]
    """R12-R14: give up the turn, or pay one card for one Meat-Eater."""
    target = state.target
    state.target = -1
    if action == IGNORE:
        emit(state, IGNORED, state.active, EVERYBODY, target, 0)
        piles.pour(state.landscape, state.discard)  # J9: X stays
        state.phase = END_TURN
        return
    pay(state, action)
    discard_from(state, state.landscape, target)
    state.phase = MEAT


@compiled
def answer_roam(state, action):  # type: ignore[no-untyped-def]
    """J18: the Daspletosaurus eats a Plant-Eater and stays, or is chased away."""
    if action < PAY_HAND:
        discard_from(state, state.landscape, action - CHOOSE)
        emit(state, EATEN, state.active, EVERYBODY, action - CHOOSE, 0)
    else:
        pay(state, action)
        discard_from(state, state.lasting, DASPLETOSAURUS)
    state.phase = COLLECT


@compiled
def pay(state, action):  # type: ignore[no-untyped-def]
    """One card is discarded to feed or chase."""
    if action == PAY_TRAVELER:
        discard_from(state, state.lasting, TRAVELER)
        emit(state, PAID, state.active, EVERYBODY, TRAVELER, FROM_LASTING)
    elif action >= PAY_LAND:
        discard_from(state, state.landscape, action - PAY_LAND)
        emit(state, PAID, state.active, EVERYBODY, action - PAY_LAND, FROM_LAND)
    else:
        lose(state, state.active, action - PAY_HAND, 1)
        state.discard[action - PAY_HAND] += 1
        emit(state, PAID, state.active, EVERYBODY, action - PAY_HAND, FROM_HAND)


@compiled
def collect(state, species, number):  # type: ignore[no-untyped-def]
    """R16, R17. J17: with Foliage, one further card of any species."""
    gain(state, state.active, species, number)
    emit(state, COLLECTED, state.active, EVERYBODY, species, number)
    extra = state.lasting[FOLIAGE] > 0 and has_plants(state.landscape)
    state.phase = BONUS if extra else EXCHANGE


@compiled
def exchange(tables, state, species, number):  # type: ignore[no-untyped-def]
    """R19-R21: a set for coins, which may win the game; J27: with 4 cards, one of L too."""
    lose(state, state.active, species, number)
    state.discard[species] += number
    coins = COINS[number - SMALLEST_SET]
    state.coins[state.active] += coins
    emit(state, EXCHANGED, state.active, EVERYBODY, species, number)
    shape(tables, state, coins)
    if state.coins[state.active] >= tables.coins_to_win:
        state.over = TERMINATED
    state.phase = BONUS if number == 4 else EXCHANGE


# The end.


@compiled
def shape(tables, state, coins):  # type: ignore[no-untyped-def]
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
def finish(tables, state, truncated):  # type: ignore[no-untyped-def]
    """Section 7: competition ranks by coins, then by hand size (a winner has the most coins), and the rewards."""
    n = int(state.players)
    winners = 0
    titled = 0
    for seat in range(n):
        state.rank[seat] = 1
        for other in range(n):
            state.rank[seat] += int(ahead(state, other, seat))
        if state.rank[seat] == 1:
            winners += 1
            titled |= 1 << seat
    emit(state, GAME_OVER, -1, EVERYBODY, titled, 0)
    for seat in range(n):
        if tables.payment == BY_RANK:
            behind = 0
            for other in range(n):
                behind += int(ahead(state, seat, other))
            state.reward[seat] += (behind - int(state.rank[seat]) + 1) / (n - 1)
        elif winners < n:
            state.reward[seat] += 1.0 / winners if state.rank[seat] == 1 else -1.0 / (n - winners)


@compiled
def ahead(state, seat, other):  # type: ignore[no-untyped-def]
    """Whether a seat is ranked before another."""
    if state.coins[seat] != state.coins[other]:
        return state.coins[seat] > state.coins[other]
    return hand_size(state, seat) > hand_size(state, other)
