"""The rules: deal, legal, apply, advance, finish. R and J are rules and rulings of the specification."""

from __future__ import annotations

from tooth_envs.engine import piles, protocol
from tooth_envs.engine.chance import pick
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.payment import Payment, Split, pay_rank, pay_score, pay_winner, rank_by, winners
from tooth_envs.engine.records import Mask
from tooth_envs.engine.seats import ask, clockwise
from tooth_envs.engine.state import TERMINATED
from tooth_envs.games.dragon_teeth_washer.cards import CARDS
from tooth_envs.games.dragon_teeth_washer.state import (
    SAY,
    Claim,
    Decision,
    EventKind,
    Fate,
    Honesty,
    Phase,
    State,
    Stream,
    Tables,
    Talk,
)


@compiled
def deal(tables: Tables, state: State) -> None:
    """R2-R5: the dragons make a face-down pile, every seat takes its hand, one seat will investigate first."""
    state.seen[:] = -1
    state.claim[:] = Claim.NOT_MADE
    state.card[:, :] = -1
    for rank in range(tables.dragons):
        state.pile[rank] = 1
    for seat in range(state.players):
        state.hand[seat] = tables.starting_hand[seat]
    state.investigator = tables.first
    if state.investigator < 0:
        state.investigator = pick(state, Stream.FIRST, state.players)  # J1
    state.phase = Phase.ROUND_START
    advance(tables, state)


@compiled
def legal(tables: Tables, state: State, mask: Mask) -> None:
    """R8-R10: any card of the own hand. J2, J3, J5: the statements that are offered."""
    if state.decision != Decision.CLAIM:
        for card in range(CARDS):
            mask[card] = (state.hand[state.seat] >> card) & 1
        return
    mask[SAY + Claim.SILENT] = tables.silence
    if tables.talk == Talk.BINARY:
        mask[SAY + Claim.LOW] = 1
        mask[SAY + Claim.HIGH] = 1
    elif tables.talk == Talk.NUMERIC:
        for rank in range(tables.dragons):
            if unseen(state, rank):
                mask[SAY + Claim.RANK_0 + rank] = 1


@compiled
def apply(tables: Tables, state: State, action: int) -> None:
    """A statement (R7), the lead (R8) or a face-down choice (R9, J10)."""
    seat = state.seat
    if state.decision == Decision.CLAIM:
        state.claim[state.round_number] = action - SAY
        emit(state, EventKind.CLAIMED, seat, EVERYBODY, action - SAY, 0)
        state.phase = Phase.LEAD
    else:
        put_down(state, seat, action)
        if state.decision == Decision.LEAD:
            emit(state, EventKind.LED, seat, EVERYBODY, action, 0)
            state.phase = Phase.FOLLOW
        else:
            emit(state, EventKind.CHOSE, seat, EVERYBODY, 0, 0)
            emit(state, EventKind.CHOSE_CARD, seat, 1 << seat, action, 0)
            if next_follower(state) < 0:
                state.phase = Phase.RESOLVE
    advance(tables, state)


@compiled
def advance(tables: Tables, state: State) -> None:
    """The state machine of section 5: on to the next decision, or to the end."""
    for _ in range(protocol.MOST_PHASES):
        if protocol.at_breakpoint(state):
            return
        if state.phase == Phase.ROUND_START:
            start_round(tables, state)
        elif state.phase == Phase.RESOLVE:
            resolve(tables, state)
            if state.round_number == tables.rounds:
                state.over = TERMINATED
                return
        elif state.phase == Phase.CLAIM:
            ask(state, state.investigator, Decision.CLAIM)
            return
        elif state.phase == Phase.LEAD:
            ask(state, state.investigator, Decision.LEAD)
            return
        else:
            ask(state, next_follower(state), Decision.FOLLOW)
            return
    protocol.give_up(state)


@compiled
def start_round(tables: Tables, state: State) -> None:
    """R6, J15: the investigator looks at the top dragon. J14: with one card per hand, everything plays itself."""
    now = state.round_number
    investigator = state.investigator
    if state.seen[now] < 0:  # a worked position may have laid it there
        state.seen[now] = piles.draw(state, Stream.DRAGONS, state.pile)
    emit(state, EventKind.ROUND_STARTED, investigator, EVERYBODY, now, 0)
    if forced(tables, now):
        state.claim[now] = Claim.NONE
        for seat in range(state.players):
            for card in range(CARDS):
                if (state.hand[seat] >> card) & 1:
                    put_down(state, seat, card)
        state.phase = Phase.RESOLVE
        return
    emit(state, EventKind.PEEKED, investigator, 1 << investigator, tables.dragon[state.seen[now]], 0)
    if tables.talk == Talk.NONE:
        state.claim[now] = Claim.NONE  # J2
        state.phase = Phase.LEAD
    else:
        state.phase = Phase.CLAIM


@compiled
def resolve(tables: Tables, state: State) -> None:
    """R11-R19: cards and dragon are turned up and counted. R21, R22: the next seat investigates the next dragon."""
    now = state.round_number
    limit = tables.dragon[state.seen[now]]
    emit(state, EventKind.TURNED_UP, state.investigator, EVERYBODY, limit, now)
    total = 0
    status: int = Fate.SUCCESS
    gained = 0
    for card in range(CARDS):  # R12: by ascending value
        group = 0
        for seat in range(state.players):
            group += int(state.card[now, seat] == card)
        if group == 0:
            continue
        if status == Fate.SUCCESS:
            total += group * (card + 1)  # R13: equal cards all at once
            if total > limit:
                status = Fate.BITTEN  # R15; exactly the limit is safe (R14, J6)
        else:
            status = Fate.NOT_COUNTED  # R16: the mouth was shut on a lower group
        for seat in range(state.players):
            if state.card[now, seat] == card:
                gained += score(state, seat, card, status)
    shape(tables, state, now, gained)
    judge(tables, state, now)
    state.round_number += 1
    if state.round_number < tables.rounds:
        state.investigator = clockwise(state, state.investigator, 1)
        state.phase = Phase.ROUND_START


@compiled
def finish(tables: Tables, state: State, truncated: bool) -> None:
    """Section 7: competition ranks by score (R23, J9) and the rewards; nothing is paid at the step cap."""
    rank_by(state, state.score)
    best = 0
    for seat in range(state.players):
        if state.rank[seat] == 1:
            best = int(state.score[seat])
    emit(state, EventKind.GAME_OVER, -1, EVERYBODY, winners(state), best)
    if truncated:
        state.reward[:] = 0.0
    elif tables.payment == Payment.RANK:
        pay_rank(state)
    elif tables.payment == Payment.WINNER:
        pay_winner(state, Split.STAKES)
    else:
        pay_score(state, state.score, 2 * int(tables.largest_score))


# Parts of the above.


@compiled
def forced(tables: Tables, now: int) -> bool:
    """J14: whether a round leaves no choice and is played by the engine."""
    return tables.skip_forced != 0 and tables.hand_size - now == 1


@compiled
def unseen(state: State, rank: int) -> bool:
    """Whether a dragon has not been turned up yet: it is in the pile or under the investigator's eyes."""
    if state.pile[rank]:
        return True
    now = state.round_number
    return now < len(state.seen) and state.seen[now] == rank


@compiled
def next_follower(state: State) -> int:
    """J10: the first seat, clockwise from the investigator's left, without a card on the table; -1 if there is none."""
    for place in range(1, state.players):
        seat = clockwise(state, state.investigator, place)
        if state.card[state.round_number, seat] < 0:
            return seat
    return -1


@compiled
def put_down(state: State, seat: int, card: int) -> None:
    """A card of the hand is laid on the table, open or face down."""
    state.hand[seat] &= ~(1 << card)
    state.card[state.round_number, seat] = card


@compiled
def score(state: State, seat: int, card: int, status: int) -> int:
    """R18, R19: points and the open pile for one card; returns the points."""
    points = 0
    if status == Fate.SUCCESS:
        points = card + 1
        state.plus[seat] |= 1 << card
    elif status == Fate.BITTEN:
        points = -(card + 1)
        state.minus[seat] |= 1 << card
    else:
        state.zero[seat] |= 1 << card
    state.score[seat] += points
    emit(state, EventKind.SCORED, seat, EVERYBODY, card, points)
    return points


@compiled
def points_of(state: State, seat: int, now: int) -> int:
    """What the card of a finished round brought its owner."""
    card = int(state.card[now, seat])
    if (state.plus[seat] >> card) & 1:
        return card + 1
    if (state.minus[seat] >> card) & 1:
        return -(card + 1)
    return 0


@compiled
def shape(tables: Tables, state: State, now: int, gained: int) -> None:
    """Section 7: shaping pays what a round brought beyond the average, on the scale of the 'score' reward."""
    if tables.shaping == 0.0:
        return
    mean = gained / int(state.players)
    for seat in range(state.players):
        beyond = points_of(state, seat, now) - mean
        state.reward[seat] += tables.shaping * beyond / (2 * int(tables.largest_score))


@compiled
def is_true(tables: Tables, claim: int, rank: int) -> bool:
    """J4: whether a statement about the dragon of a rank is true. Statistics only; rules never ask."""
    if claim == Claim.LOW:
        return 2 * rank < tables.dragons
    if claim == Claim.HIGH:
        return 2 * rank >= tables.dragons
    return claim - Claim.RANK_0 == rank


@compiled
def judge(tables: Tables, state: State, now: int) -> None:
    """J4: the investigator's record of true and false statements, now that the dragon is known."""
    claim = state.claim[now]
    if claim == Claim.SILENT:
        state.honesty[state.investigator, Honesty.UNSAID] += 1
    elif claim > Claim.SILENT:
        true = is_true(tables, claim, state.seen[now])
        state.honesty[state.investigator, Honesty.TRUE if true else Honesty.FALSE] += 1
