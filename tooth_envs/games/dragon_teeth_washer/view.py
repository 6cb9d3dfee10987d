"""What a seat may know (section 6 of the specification), and worlds that look the same to it."""

from __future__ import annotations

from tooth_envs.engine import chance, piles
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import Numbers
from tooth_envs.engine.seats import relative
from tooth_envs.games.dragon_teeth_washer.cards import CARDS, DRAGONS, MAX_SEATS, Setup
from tooth_envs.games.dragon_teeth_washer.rules import unseen
from tooth_envs.games.dragon_teeth_washer.state import (
    CLAIMS,
    ROUNDS,
    Action,
    Claim,
    Decision,
    Honesty,
    State,
    Stream,
    Tables,
)
from tooth_envs.spec.layout import ViewField, ViewRecord, category, shown

SEATS = ("OWN", *(f"LEFT_{place}" for place in range(1, MAX_SEATS)))
"""Names of seats as the observer counts them: itself, then clockwise."""

LARGEST_BOX_DRAGON = 20
"""Dragon values are shown in parts of this, the largest in the box, or of the set's largest if that is larger."""


BRUSHES = Action.BRUSH.names()
RANKS = CLAIMS[Claim.RANK_0 :]
ROUND_NAMES = tuple(f"ROUND_{number}" for number in range(ROUNDS))


class View(ViewRecord):
    """The layout of a view. A first axis of MAX_SEATS is relative seats."""

    present: Numbers = shown("seats that play", shape=(MAX_SEATS,))
    hand: Numbers = shown(
        "cards in hand; a face-down card of another seat still counts as in hand (J12)", shape=(MAX_SEATS, CARDS)
    )
    plus: Numbers = shown("cards that succeeded", shape=(MAX_SEATS, CARDS))
    minus: Numbers = shown("cards that were bitten", shape=(MAX_SEATS, CARDS))
    zero: Numbers = shown("cards that were not counted", shape=(MAX_SEATS, CARDS))
    score: Numbers = shown("points so far", "-score", "score", (MAX_SEATS,))
    investigator: int = category("the investigator of this round", SEATS)
    chosen: Numbers = shown("seats with a card of this round on the table", shape=(MAX_SEATS,))
    true_said: Numbers = shown("statements that were true (J4)", 0, "rounds", (MAX_SEATS,))
    false_said: Numbers = shown("statements that were false (J4)", 0, "rounds", (MAX_SEATS,))
    unsaid: Numbers = shown("statements left out", 0, "rounds", (MAX_SEATS,))
    decision: int = category("what is being decided, by whomever", Decision.names())
    round_number: int = category("the round; none after the last", ROUND_NAMES)
    dragon: Numbers = shown("value of the dragons in this game by rank, 0 where there is none", 0, "dragon", (DRAGONS,))
    unseen: Numbers = shown("dragons, by rank, not turned up yet", shape=(DRAGONS,))
    known: int = category("the dragon of this round, if the observer investigates", RANKS)
    claim: int = category("the statement of this round; none before it is made", CLAIMS)
    lead: int = category("the investigator's open card", BRUSHES)
    own: int = category("the observer's own card of this round", BRUSHES)
    past_done: Numbers = shown("rounds that are over", shape=(ROUNDS,), history=True)
    past_investigator: Numbers = category("who investigated in each round", SEATS, -1, (ROUNDS,), history=True)
    past_claim: Numbers = category("the statement of each round", CLAIMS, -1, (ROUNDS,), history=True)
    past_dragon: Numbers = category("the dragon of each round", RANKS, -1, (ROUNDS,), history=True)
    past_card: Numbers = category("cards by round and seat", BRUSHES, -1, (ROUNDS, MAX_SEATS), history=True)


def view_fields(cards: Setup) -> list[ViewField]:
    """The layout with the bounds of the cards in play."""
    largest = max(LARGEST_BOX_DRAGON, *cards.dragons)
    return View.fields({"dragon": largest, "score": cards.largest_score, "rounds": cards.rounds})


@compiled
def view(tables: Tables, state: State, seat: int, out: View) -> None:
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
        out.true_said[place] = state.honesty[other, Honesty.TRUE]
        out.false_said[place] = state.honesty[other, Honesty.FALSE]
        out.unsaid[place] = state.honesty[other, Honesty.UNSAID]
    for rank in range(tables.dragons):
        out.dragon[rank] = tables.dragon[rank]
        out.unseen[rank] = int(unseen(state, rank))
    out.decision = state.decision
    out.investigator = relative(state, seat, investigator) if playing else -1
    out.round_number = now if playing else -1
    out.known = -1
    out.claim = Claim.NOT_MADE
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
def look_back(tables: Tables, state: State, seat: int, out: View) -> None:
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
def resample(tables: Tables, state: State, seat: int, seed: int) -> None:
    """Draw anew what ``seat`` cannot know: this round's dragon, and the face-down cards of others (section 5)."""
    now = state.round_number
    if now < tables.rounds:
        if seat != state.investigator and state.seen[now] >= 0:
            state.pile[state.seen[now]] = 1
            state.seen[now] = piles.draw(state, Stream.DRAGONS, state.pile)
        for other in range(state.players):
            if other != seat and other != state.investigator and state.card[now, other] >= 0:
                state.hand[other] |= 1 << int(state.card[now, other])
                choice = random_card(state, int(state.hand[other]))
                state.hand[other] &= ~(1 << choice)
                state.card[now, other] = choice


@compiled
def random_card(state: State, hand: int) -> int:
    """A card of a hand (a bit mask), each with the same chance."""
    count = 0
    for card in range(CARDS):
        count += (hand >> card) & 1
    left = chance.pick(state, Stream.DRAGONS, count)
    for card in range(CARDS):
        if (hand >> card) & 1:
            if left == 0:
                return card
            left -= 1
    return -1
