"""What a seat may know (section 6 of the specification), and worlds that look the same to it."""

from __future__ import annotations

from tooth_envs.engine import chance, events, piles
from tooth_envs.engine.compile import compiled
from tooth_envs.games.dragon_teeth_washer.cards import CARDS, DRAGONS, MAX_SEATS, Setup
from tooth_envs.games.dragon_teeth_washer.rules import unseen
from tooth_envs.games.dragon_teeth_washer.state import (
    CLAIMS,
    DECISIONS,
    FALSE,
    NOT_MADE,
    ROUNDS,
    STREAM_DRAGONS,
    TRUE,
    UNSAID,
)
from tooth_envs.spec.layout import ViewField

SEATS = ("OWN", *(f"LEFT_{place}" for place in range(1, MAX_SEATS)))
"""Names of seats as the observer counts them: itself, then clockwise."""

LARGEST_BOX_DRAGON = 20
"""Dragon values are shown in parts of this, the largest in the box, or of the set's largest if that is larger."""


def view_fields(cards: Setup) -> list[ViewField]:
    """The layout of a view; bounds depend on the cards in play."""
    seats = (MAX_SEATS, CARDS)
    hand = tuple(f"BRUSH_{card + 1}" for card in range(CARDS))
    ranks = tuple(f"RANK_{rank}" for rank in range(DRAGONS))
    rounds = tuple(f"ROUND_{number}" for number in range(ROUNDS))
    top = max(LARGEST_BOX_DRAGON, *cards.dragons)
    points = cards.largest_score
    number = cards.rounds
    return [
        ViewField("present", "seats that play", shape=(MAX_SEATS,)),
        ViewField("hand", "cards in hand; a face-down card of another seat still counts as in hand (J12)", shape=seats),
        ViewField("plus", "cards that succeeded", shape=seats),
        ViewField("minus", "cards that were bitten", shape=seats),
        ViewField("zero", "cards that were not counted", shape=seats),
        ViewField("score", "points so far", -points, points, (MAX_SEATS,)),
        ViewField("investigator", "the investigator of this round", -1, MAX_SEATS - 1, names=SEATS),
        ViewField("chosen", "seats with a card of this round on the table", shape=(MAX_SEATS,)),
        ViewField("true_said", "statements that were true (J4)", 0, number, (MAX_SEATS,)),
        ViewField("false_said", "statements that were false (J4)", 0, number, (MAX_SEATS,)),
        ViewField("unsaid", "statements left out", 0, number, (MAX_SEATS,)),
        ViewField("decision", "what is being decided, by whomever", -1, len(DECISIONS) - 1, names=DECISIONS),
        ViewField("round_number", "the round; none after the last", -1, ROUNDS - 1, names=rounds),
        ViewField("dragon", "value of the dragons in this game by rank, 0 where there is none", 0, top, (DRAGONS,)),
        ViewField("unseen", "dragons, by rank, not turned up yet", shape=(DRAGONS,)),
        ViewField("known", "the dragon of this round, if the observer investigates", -1, DRAGONS - 1, names=ranks),
        ViewField("claim", "the statement of this round; none before it is made", -1, len(CLAIMS) - 1, names=CLAIMS),
        ViewField("lead", "the investigator's open card", -1, CARDS - 1, names=hand),
        ViewField("own", "the observer's own card of this round", -1, CARDS - 1, names=hand),
        ViewField("past_done", "rounds that are over", shape=(ROUNDS,), history=True),
        ViewField(
            "past_investigator", "who investigated in each round", -1, MAX_SEATS - 1, (ROUNDS,), SEATS, history=True
        ),
        ViewField("past_claim", "the statement of each round", -1, len(CLAIMS) - 1, (ROUNDS,), CLAIMS, history=True),
        ViewField("past_dragon", "the dragon of each round", -1, DRAGONS - 1, (ROUNDS,), ranks, history=True),
        ViewField("past_card", "cards by round and seat", -1, CARDS - 1, (ROUNDS, MAX_SEATS), hand, history=True),
    ]


@compiled
def view(tables, state, seat, out):  # type: ignore[no-untyped-def]
    """Write what ``seat`` may know into a zeroed record."""
    n = int(state.players)
    now = int(state.round_number)
    playing = now < tables.rounds  # so too, if the game was cut off: what was face down stays so
    investigator = int(state.investigator)
    for place in range(n):
        other = seat + place
        if other >= n:
            other -= n
        hand = int(state.hand[other])
        if playing and state.card[now, other] >= 0:
            out.chosen[place] = 1
            if place > 0 and other != investigator:
                hand |= 1 << int(state.card[now, other])  # a face-down choice looks like a card in hand
        plus = int(state.plus[other])
        minus = int(state.minus[other])
        zero = int(state.zero[other])
        for card in range(CARDS):
            out.hand[place, card] = (hand >> card) & 1
            out.plus[place, card] = (plus >> card) & 1
            out.minus[place, card] = (minus >> card) & 1
            out.zero[place, card] = (zero >> card) & 1
        out.present[place] = 1
        out.score[place] = state.score[other]
        out.true_said[place] = state.honesty[other, TRUE]
        out.false_said[place] = state.honesty[other, FALSE]
        out.unsaid[place] = state.honesty[other, UNSAID]
    for rank in range(tables.dragons):
        out.dragon[rank] = tables.dragon[rank]
        out.unseen[rank] = int(unseen(state, rank))
    out.decision = state.decision
    out.investigator = (investigator - seat) % n if playing else -1
    out.round_number = now if playing else -1
    out.known = -1
    out.claim = NOT_MADE
    out.lead = -1
    out.own = -1
    if playing:
        if seat == investigator:
            out.known = state.seen[now]
        out.claim = state.claim[now]
        out.lead = state.card[now, investigator]
        out.own = state.card[now, seat]
    if tables.history:
        look_back(tables, state, seat, out)


@compiled
def look_back(tables, state, seat, out):  # type: ignore[no-untyped-def]
    """The public log of finished rounds."""
    n = int(state.players)
    now = int(state.round_number)
    # The investigator moves on after every round but the last.
    first = int(state.investigator) - now + int(now == tables.rounds)
    for then in range(len(out.past_done)):
        out.past_investigator[then] = -1
        out.past_claim[then] = -1
        out.past_dragon[then] = -1
        for place in range(len(out.present)):
            out.past_card[then, place] = -1
        if then < now:
            out.past_done[then] = 1
            out.past_investigator[then] = (first + then - seat) % n
            out.past_claim[then] = state.claim[then]
            out.past_dragon[then] = state.seen[then]
            for place in range(n):
                out.past_card[then, place] = state.card[then, (seat + place) % n]


@compiled
def resample(tables, state, seat, seed):  # type: ignore[no-untyped-def]
    """Draw anew what ``seat`` cannot know: this round's dragon, and the face-down cards of others (section 5)."""
    chance.reseed(state, seed)
    events.forget(state)
    now = state.round_number
    if now < tables.rounds:
        if seat != state.investigator and state.seen[now] >= 0:
            state.pile[state.seen[now]] = 1
            state.seen[now] = piles.draw(state, STREAM_DRAGONS, state.pile)
        for other in range(state.players):
            if other != seat and other != state.investigator and state.card[now, other] >= 0:
                state.hand[other] |= 1 << int(state.card[now, other])
                choice = random_card(state, int(state.hand[other]))
                state.hand[other] &= ~(1 << choice)
                state.card[now, other] = choice
    chance.reseed(state, chance.mix(seed, 1, 1))


@compiled
def random_card(state, hand):  # type: ignore[no-untyped-def]
    """A card of a hand (a bit mask), each with the same chance."""
    count = 0
    for card in range(CARDS):
        count += (hand >> card) & 1
    left = chance.pick(state, STREAM_DRAGONS, count)
    for card in range(CARDS):
        if (hand >> card) & 1:
            if left == 0:
                return card
            left -= 1
    return -1
