"""What a seat may know (section 6 of the specification), and worlds that look the same to it."""

from __future__ import annotations

import numpy as np

from tooth_envs.engine import chance, piles
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import Numbers
from tooth_envs.engine.seats import clockwise, relative
from tooth_envs.games.super_tooth.cards import (
    DASPLETOSAURUS,
    EDITIONS,
    EVENTS,
    FIRST_EVENT,
    FIRST_MEAT,
    FOLIAGE,
    HOT_SUN,
    KINDS,
    MAX_SEATS,
    MEATS,
    SPECIES,
    TRAVELER,
    Setup,
)
from tooth_envs.games.super_tooth.moves import hand_size
from tooth_envs.games.super_tooth.state import MOST_COINS_AT_ONCE, MOST_RESTARTS, Decision, State, Stream, Tables
from tooth_envs.spec.layout import ViewField, ViewRecord, category, shown

SEATS = ("OWN", *(f"LEFT_{place}" for place in range(1, MAX_SEATS)))
"""Names of seats as the observer counts them: itself, then clockwise."""

SUN, EXTRA, ROAMING, TRAVELERS = range(4)
"""Places in ``lasting``."""

USUAL_COINS_TO_WIN = 5
"""Most coins that the built-in decks ask for: views of all their tables share one scale."""
USUAL_COPIES = 8


EVENT_NAMES = tuple(kind.id.upper() for kind in EVENTS)
MEAT_NAMES = tuple(kind.id.upper() for kind in MEATS)


class View(ViewRecord):
    """The layout of a view. A first axis over seats is relative: the observer, then clockwise."""

    decision: int = category("what the observer decides", Decision.names())
    deciding: int = shown("the observer decides")
    active: int = category("whose turn it is", SEATS, 0)
    decider: int = category("who decides; none in a Stampede, unless the observer", SEATS)
    players: int = category("seats at the table", ("TWO", "THREE", "FOUR"), 0)
    coins_to_win: int = shown("coins that win the game", 0, "goal")
    edition: int = shown("0 prepub62, 1 gamewright72, 2 another deck", 0, len(EDITIONS))
    coins: Numbers = shown("coins by seat", 0, "most coins", (MAX_SEATS,))
    hand_sizes: Numbers = shown("cards in hand by seat", 0, "held", (MAX_SEATS,))
    hand: Numbers = shown("the observer's hand by species", 0, "copies", (SPECIES,))
    landscape: Numbers = shown("face-up cards by kind, without lasting ones", 0, "copies", (KINDS,))
    resolving: int = category("the Event being resolved", EVENT_NAMES)
    lasting: Numbers = shown(
        "lasting cards: Hot Sun (or its marker), Foliage, Daspletosaurus, Time Travelers", 0, "copies", (4,)
    )
    volcano: int = shown("a Volcano will clear everything at the end of this turn")
    restarts: int = shown("how often this turn started over", 0, MOST_RESTARTS + 1)
    discard: Numbers = shown("discard pile by kind", 0, "copies", (KINDS,))
    draw: Numbers = shown("draw pile by kind, as everybody can reckon", 0, "copies", (KINDS,))
    draw_size: int = shown("cards in the draw pile", 0, "cards")
    banished: Numbers = shown("cards out of the game by kind", 0, "copies", (KINDS,))
    others: Numbers = shown("all other hands together by species", 0, "copies", (SPECIES,))
    known: Numbers = shown(
        "cards that the observer can prove to be in each other hand", 0, "copies", (MAX_SEATS - 1, SPECIES)
    )
    unknown: Numbers = shown("further cards in each other hand", 0, "held", (MAX_SEATS - 1,))
    target: int = category("the Meat-Eater to be paid", MEAT_NAMES)


def view_fields(cards: Setup, coins_to_win: int) -> list[ViewField]:
    """The layout with the bounds of the deck, and of coins to win beyond the usual."""
    copies = max(USUAL_COPIES, *cards.counts)
    goal = max(USUAL_COINS_TO_WIN, coins_to_win)
    most = goal - 1 + MOST_COINS_AT_ONCE
    held = max(copies, cards.plants)
    return View.fields({"copies": copies, "goal": goal, "most coins": most, "held": held, "cards": cards.size})


@compiled
def view(tables: Tables, state: State, seat: int, out: View) -> None:
    """Write what ``seat`` may know into a zeroed record."""
    n = int(state.players)
    mine = state.seat == seat
    passing = (
        state.seat >= 0 and state.decision == Decision.STAMPEDE_PASS
    )  # who is asked would tell of hands of one species
    out.decision = state.decision if mine else -1
    out.deciding = int(mine)
    out.active = relative(state, seat, state.active)
    out.decider = -1
    if mine or (state.seat >= 0 and not passing):
        out.decider = relative(state, seat, state.seat)
    out.players = n - 2
    out.coins_to_win = tables.coins_to_win
    out.edition = tables.edition
    out.resolving = max(-1, int(state.resolving) - FIRST_EVENT)
    out.target = max(-1, int(state.target) - FIRST_MEAT)
    out.lasting[SUN] = int(state.lasting[HOT_SUN] > 0 or state.marker > 0)
    out.lasting[EXTRA] = state.lasting[FOLIAGE]
    out.lasting[ROAMING] = state.lasting[DASPLETOSAURUS]
    out.lasting[TRAVELERS] = state.lasting[TRAVELER]
    out.volcano = state.volcano
    out.restarts = state.restarts
    total = 0
    for kind in range(KINDS):
        out.landscape[kind] = state.landscape[kind]
        out.discard[kind] = state.discard[kind]
        out.draw[kind] = state.draw[kind]
        out.banished[kind] = state.banished[kind]
        total += int(state.draw[kind])
    out.draw_size = total
    for species in range(SPECIES):
        out.hand[species] = state.hand[seat, species]
    for place in range(n):
        other = seat + place
        if other >= n:
            other -= n
        size = hand_size(state, other)
        out.coins[place] = state.coins[other]
        out.hand_sizes[place] = size
        if place > 0:
            for species in range(SPECIES):
                known = int(state.known[seat, place - 1, species])
                size -= known
                out.known[place - 1, species] = known
                out.others[species] += state.hand[other, species]
            out.unknown[place - 1] = size


@compiled
def resample(tables: Tables, state: State, seat: int, seed: int) -> None:
    """Draw anew what ``seat`` cannot know: other hands beyond what it can prove, and what was chosen in a Stampede.

    The draw pile has no order that could be known or hidden, and its kinds are public.
    """
    redistribute(state, seat)
    for other in range(state.players):
        if other != seat and state.passing[other] >= 0:
            state.passing[other] = random_species(state, other)


@compiled
def redistribute(state: State, seat: int) -> None:
    """All cards that ``seat`` cannot place are dealt anew to the other hands, whose sizes stay.

    What the others know of each other changes with them: as much as ``seat`` can prove too stays, and of the rest of a
    hand they know as many cards as before.
    """
    n = int(state.players)
    pool = np.zeros(SPECIES, np.int64)
    unknown = np.zeros(MAX_SEATS - 1, np.int64)
    for place in range(n - 1):
        other = clockwise(state, seat, place + 1)
        for species in range(SPECIES):
            more = int(state.hand[other, species]) - int(state.known[seat, place, species])
            state.hand[other, species] -= more
            pool[species] += more
            unknown[place] += more
    for place in range(n - 1):
        other = clockwise(state, seat, place + 1)
        for _ in range(unknown[place]):
            state.hand[other, piles.draw(state, Stream.REDEAL, pool)] += 1
        for observer in range(n):
            if observer != seat and observer != other:
                relearn(state, observer, (other - observer) % n - 1, other, state.known[seat, place])


@compiled
def relearn(state: State, observer: int, place: int, other: int, shared: Numbers) -> None:
    """An observer's knowledge of another hand: what is ``shared``, and as many further cards as it knew."""
    rest = np.zeros(SPECIES, np.int64)
    more = 0
    for species in range(SPECIES):
        known = int(state.known[observer, place, species])
        both = min(known, int(shared[species]))
        more += known - both
        state.known[observer, place, species] = both
        rest[species] = state.hand[other, species] - both
    for _ in range(more):
        state.known[observer, place, piles.draw(state, Stream.REDEAL, rest)] += 1


@compiled
def random_species(state: State, seat: int) -> int:
    """A species of a hand, each with the same chance."""
    count = 0
    for species in range(SPECIES):
        count += int(state.hand[seat, species] > 0)
    left = chance.pick(state, Stream.REDEAL, count)
    for species in range(SPECIES):
        if state.hand[seat, species] > 0:
            if left == 0:
                return species
            left -= 1
    return -1
