"""The rules: deal, legal, apply, advance, finish. R and J are rules and rulings of the specification."""

from __future__ import annotations

from tooth_envs.engine import piles, protocol
from tooth_envs.engine.chance import pick
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.state import TERMINATED
from tooth_envs.games.dragon_teeth_washer.cards import CARDS
from tooth_envs.games.dragon_teeth_washer.state import (
    ASK_CLAIM,
    ASK_FOLLOW,
    ASK_LEAD,
    BINARY,
    BITTEN,
    BY_RANK,
    BY_WINNER,
    CHOSE,
    CHOSE_CARD,
    CLAIM,
    CLAIMED,
    FALSE,
    FOLLOW,
    GAME_OVER,
    HIGH,
    LEAD,
    LED,
    LOW,
    NO_TALK,
    NONE,
    NOT_COUNTED,
    NOT_MADE,
    NUMERIC,
    PEEKED,
    RANK_0,
    RESOLVE,
    ROUND_START,
    ROUND_STARTED,
    SAY,
    SCORED,
    SILENT,
    STREAM_DRAGONS,
    STREAM_FIRST,
    SUCCESS,
    TRUE,
    TURNED_UP,
    UNSAID,
)


@compiled
def deal(tables, state):  # type: ignore[no-untyped-def]
    """R2-R5: the dragons make a face-down pile, every seat takes its hand, one seat will investigate first."""
    state.seen[:] = -1
    state.claim[:] = NOT_MADE
    state.card[:, :] = -1
    for rank in range(tables.dragons):
        state.pile[rank] = 1
    for seat in range(state.players):
        state.hand[seat] = tables.starting_hand[seat]
    state.investigator = tables.first
    if state.investigator < 0:
        state.investigator = pick(state, STREAM_FIRST, state.players)  # J1
    state.phase = ROUND_START
    advance(tables, state)


@compiled
def legal(tables, state, mask):  # type: ignore[no-untyped-def]
    """R8-R10: any card of the own hand. J2, J3, J5: the statements that are offered."""
    if state.decision != ASK_CLAIM:
        for card in range(CARDS):
            mask[card] = (state.hand[state.seat] >> card) & 1
        return
    mask[SAY + SILENT] = tables.silence
    if tables.talk == BINARY:
        mask[SAY + LOW] = 1
        mask[SAY + HIGH] = 1
    elif tables.talk == NUMERIC:
        for rank in range(tables.dragons):
            if unseen(state, rank):
                mask[SAY + RANK_0 + rank] = 1


@compiled
def apply(tables, state, action):  # type: ignore[no-untyped-def]
    """A statement (R7), the lead (R8) or a face-down choice (R9, J10)."""
    seat = state.seat
    if state.decision == ASK_CLAIM:
        state.claim[state.round_number] = action - SAY
        emit(state, CLAIMED, seat, EVERYBODY, action - SAY, 0)
        state.phase = LEAD
    else:
        put_down(state, seat, action)
        if state.decision == ASK_LEAD:
            emit(state, LED, seat, EVERYBODY, action, 0)
            state.phase = FOLLOW
        else:
            emit(state, CHOSE, seat, EVERYBODY, 0, 0)
            emit(state, CHOSE_CARD, seat, 1 << seat, action, 0)
            if next_follower(state) < 0:
                state.phase = RESOLVE
    advance(tables, state)


@compiled
def advance(tables, state):  # type: ignore[no-untyped-def]
    """The state machine of section 5: on to the next decision, or to the end."""
    for _ in range(protocol.MOST_PHASES):
        if protocol.at_breakpoint(state):
            return
        if state.phase == ROUND_START:
            start_round(tables, state)
        elif state.phase == RESOLVE:
            resolve(tables, state)
            if state.round_number == tables.rounds:
                state.over = TERMINATED
                return
        elif state.phase == CLAIM:
            state.seat = state.investigator
            state.decision = ASK_CLAIM
            return
        elif state.phase == LEAD:
            state.seat = state.investigator
            state.decision = ASK_LEAD
            return
        else:
            state.seat = next_follower(state)
            state.decision = ASK_FOLLOW
            return
    protocol.give_up(state)


@compiled
def start_round(tables, state):  # type: ignore[no-untyped-def]
    """R6, J15: the investigator looks at the top dragon. J14: with one card per hand, everything plays itself."""
    now = state.round_number
    investigator = state.investigator
    if state.seen[now] < 0:  # a worked position may have laid it there
        state.seen[now] = piles.draw(state, STREAM_DRAGONS, state.pile)
    emit(state, ROUND_STARTED, investigator, EVERYBODY, now, 0)
    if forced(tables, now):
        state.claim[now] = NONE
        for seat in range(state.players):
            for card in range(CARDS):
                if (state.hand[seat] >> card) & 1:
                    put_down(state, seat, card)
        state.phase = RESOLVE
        return
    emit(state, PEEKED, investigator, 1 << investigator, tables.dragon[state.seen[now]], 0)
    if tables.talk == NO_TALK:
        state.claim[now] = NONE  # J2
        state.phase = LEAD
    else:
        state.phase = CLAIM


@compiled
def resolve(tables, state):  # type: ignore[no-untyped-def]
    """R11-R19: cards and dragon are turned up and counted. R21, R22: the next seat investigates the next dragon."""
    now = state.round_number
    limit = tables.dragon[state.seen[now]]
    emit(state, TURNED_UP, state.investigator, EVERYBODY, limit, now)
    total = 0
    status = SUCCESS
    gained = 0
    for card in range(CARDS):  # R12: by ascending value
        group = 0
        for seat in range(state.players):
            group += int(state.card[now, seat] == card)
        if group == 0:
            continue
        if status == SUCCESS:
            total += group * (card + 1)  # R13: equal cards all at once
            if total > limit:
                status = BITTEN  # R15; exactly the limit is safe (R14, J6)
        else:
            status = NOT_COUNTED  # R16: the mouth was shut on a lower group
        for seat in range(state.players):
            if state.card[now, seat] == card:
                gained += score(state, seat, card, status)
    shape(tables, state, now, gained)
    judge(tables, state, now)
    state.round_number += 1
    if state.round_number < tables.rounds:
        state.investigator = (state.investigator + 1) % state.players
        state.phase = ROUND_START


@compiled
def finish(tables, state, truncated):  # type: ignore[no-untyped-def]
    """Section 7: competition ranks by score (R23, J9) and the rewards; nothing is paid at the step cap."""
    n = int(state.players)
    total = 0
    winners = 0
    titled = 0
    best = 0
    for seat in range(n):
        total += int(state.score[seat])
        state.rank[seat] = 1 + better(state, seat)
        if state.rank[seat] == 1:
            winners += 1
            titled |= 1 << seat
            best = int(state.score[seat])
    emit(state, GAME_OVER, -1, EVERYBODY, titled, best)
    if truncated:
        state.reward[:] = 0.0
        return
    for seat in range(n):
        if tables.payment == BY_RANK:
            state.reward[seat] += (worse(state, seat) - better(state, seat)) / (n - 1)
        elif tables.payment == BY_WINNER:
            share = n / winners if state.rank[seat] == 1 else 0.0
            state.reward[seat] += (share - 1.0) / (n - 1)
        else:
            state.reward[seat] += (int(state.score[seat]) - total / n) / (2 * int(tables.largest_score))


# Parts of the above.


@compiled
def forced(tables, now):  # type: ignore[no-untyped-def]
    """J14: whether a round leaves no choice and is played by the engine."""
    return tables.skip_forced != 0 and tables.hand_size - now == 1


@compiled
def unseen(state, rank):  # type: ignore[no-untyped-def]
    """Whether a dragon has not been turned up yet: it is in the pile or under the investigator's eyes."""
    if state.pile[rank]:
        return True
    now = state.round_number
    return now < len(state.seen) and state.seen[now] == rank


@compiled
def next_follower(state):  # type: ignore[no-untyped-def]
    """J10: the first seat, clockwise from the investigator's left, without a card on the table; -1 if there is none."""
    for place in range(1, state.players):
        seat = (state.investigator + place) % state.players
        if state.card[state.round_number, seat] < 0:
            return seat
    return -1


@compiled
def put_down(state, seat, card):  # type: ignore[no-untyped-def]
    """A card of the hand is laid on the table, open or face down."""
    state.hand[seat] &= ~(1 << card)
    state.card[state.round_number, seat] = card


@compiled
def score(state, seat, card, status):  # type: ignore[no-untyped-def]
    """R18, R19: points and the open pile for one card; returns the points."""
    points = 0
    if status == SUCCESS:
        points = card + 1
        state.plus[seat] |= 1 << card
    elif status == BITTEN:
        points = -(card + 1)
        state.minus[seat] |= 1 << card
    else:
        state.zero[seat] |= 1 << card
    state.score[seat] += points
    emit(state, SCORED, seat, EVERYBODY, card, points)
    return points


@compiled
def points_of(state, seat, now):  # type: ignore[no-untyped-def]
    """What the card of a finished round brought its owner."""
    card = int(state.card[now, seat])
    if (state.plus[seat] >> card) & 1:
        return card + 1
    if (state.minus[seat] >> card) & 1:
        return -(card + 1)
    return 0


@compiled
def shape(tables, state, now, gained):  # type: ignore[no-untyped-def]
    """Section 7: shaping pays what a round brought beyond the average, on the scale of the 'score' reward."""
    if tables.shaping == 0.0:
        return
    mean = gained / int(state.players)
    for seat in range(state.players):
        beyond = points_of(state, seat, now) - mean
        state.reward[seat] += tables.shaping * beyond / (2 * int(tables.largest_score))


@compiled
def is_true(tables, claim, rank):  # type: ignore[no-untyped-def]
    """J4: whether a statement about the dragon of a rank is true. Statistics only; rules never ask."""
    if claim == LOW:
        return 2 * rank < tables.dragons
    if claim == HIGH:
        return 2 * rank >= tables.dragons
    return claim - RANK_0 == rank


@compiled
def judge(tables, state, now):  # type: ignore[no-untyped-def]
    """J4: the investigator's record of true and false statements, now that the dragon is known."""
    claim = state.claim[now]
    if claim == SILENT:
        state.honesty[state.investigator, UNSAID] += 1
    elif claim > SILENT:
        true = is_true(tables, claim, state.seen[now])
        state.honesty[state.investigator, TRUE if true else FALSE] += 1


@compiled
def better(state, seat):  # type: ignore[no-untyped-def]
    """How many seats have a higher score."""
    count = 0
    for other in range(state.players):
        count += int(state.score[other] > state.score[seat])
    return count


@compiled
def worse(state, seat):  # type: ignore[no-untyped-def]
    """How many seats have a lower score."""
    count = 0
    for other in range(state.players):
        count += int(state.score[other] < state.score[seat])
    return count
