"""Moves of cards that all steps of a turn share, and what each seat can prove of the others' hands (section 6)."""

from __future__ import annotations

from tooth_envs.engine import piles
from tooth_envs.engine.compile import compiled
from tooth_envs.games.super_tooth.cards import HOT_SUN, SPECIES
from tooth_envs.games.super_tooth.state import CAPACITY


@compiled
def ask(state, decision, seat):  # type: ignore[no-untyped-def]
    """Stop: ``seat`` decides."""
    state.decision = decision
    state.seat = seat


@compiled
def left_of(state, seat):  # type: ignore[no-untyped-def]
    """The next seat, clockwise."""
    following = seat + 1
    return following if following < state.players else 0


@compiled
def capacity(state):  # type: ignore[no-untyped-def]
    """R8, J7: how many cards L is filled up to."""
    return CAPACITY + int(state.lasting[HOT_SUN] > 0 or state.marker > 0)


@compiled
def has_plants(pile):  # type: ignore[no-untyped-def]
    """Whether a pile holds a Plant-Eater."""
    for species in range(SPECIES):
        if pile[species] > 0:
            return True
    return False


NO_KIND, SEVERAL = -1, -2


@compiled
def only_kind(pile, first, end):  # type: ignore[no-untyped-def]
    """The one kind, from ``first`` to below ``end``, of which a pile has cards; NO_KIND, or SEVERAL."""
    found = NO_KIND
    for kind in range(first, end):
        if pile[kind] > 0:
            if found != NO_KIND:
                return SEVERAL
            found = kind
    return found


@compiled
def hand_size(state, seat):  # type: ignore[no-untyped-def]
    """Cards in a hand."""
    total = 0
    for species in range(SPECIES):
        total += int(state.hand[seat, species])
    return total


@compiled
def discard_from(state, pile, kind):  # type: ignore[no-untyped-def]
    """One card goes from a pile to the discard pile."""
    pile[kind] -= 1
    state.discard[kind] += 1


@compiled
def clear_landscape(state):  # type: ignore[no-untyped-def]
    """All cards of L and X go to the discard pile, and the marker goes away (R25, R29)."""
    piles.pour(state.landscape, state.discard)
    piles.pour(state.lasting, state.discard)
    state.marker = 0


# Hands. All of it happens face up, so the others follow it.


@compiled
def gain(state, seat, species, number):  # type: ignore[no-untyped-def]
    """Cards of L go to a hand, before all eyes."""
    state.landscape[species] -= number
    state.hand[seat, species] += number
    for place in range(1, state.players):
        observer = (seat + place) % state.players
        state.known[observer, state.players - place - 1, species] += number


@compiled
def lose(state, seat, species, number):  # type: ignore[no-untyped-def]
    """Cards leave a hand face up; where they go is the caller's business."""
    state.hand[seat, species] -= number
    for place in range(1, state.players):
        observer = (seat + place) % state.players
        forget(state, observer, state.players - place - 1, species, number)


@compiled
def forget(state, observer, place, species, number):  # type: ignore[no-untyped-def]
    """An observer can prove so many cards fewer, but never less than none."""
    state.known[observer, place, species] = max(0, int(state.known[observer, place, species]) - number)


@compiled
def only_known_species(state, observer, place, size):  # type: ignore[no-untyped-def]
    """The species of a hand of ``size`` cards, if an observer can prove that all are of one; -1 if not."""
    for species in range(SPECIES):
        if state.known[observer, place, species] == size:
            return species
    return -1
