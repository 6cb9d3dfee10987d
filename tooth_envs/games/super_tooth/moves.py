"""Moves of cards that all steps of a turn share, and what each seat can prove of the others' hands (section 6)."""

from __future__ import annotations

from tooth_envs.engine import piles
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import Numbers
from tooth_envs.engine.seats import clockwise
from tooth_envs.games.super_tooth.cards import HOT_SUN, SPECIES
from tooth_envs.games.super_tooth.state import CAPACITY, State


@compiled
def capacity(state: State) -> int:
    """R8, J7: how many cards L is filled up to."""
    return CAPACITY + int(state.lasting[HOT_SUN] > 0 or state.marker > 0)


@compiled
def has_plants(pile: Numbers) -> bool:
    """Whether a pile holds a Plant-Eater."""
    for species in range(SPECIES):
        if pile[species] > 0:
            return True
    return False


NO_KIND, SEVERAL = -1, -2


@compiled
def only_kind(pile: Numbers, first: int, end: int) -> int:
    """The one kind, from ``first`` to below ``end``, of which a pile has cards; NO_KIND, or SEVERAL."""
    found = NO_KIND
    for kind in range(first, end):
        if pile[kind] > 0:
            if found != NO_KIND:
                return SEVERAL
            found = kind
    return found


@compiled
def hand_size(state: State, seat: int) -> int:
    """Cards in a hand."""
    total = 0
    for species in range(SPECIES):
        total += int(state.hand[seat, species])
    return total


@compiled
def discard_from(state: State, pile: Numbers, kind: int) -> None:
    """One card goes from a pile to the discard pile."""
    pile[kind] -= 1
    state.discard[kind] += 1


@compiled
def clear_landscape(state: State) -> None:
    """All cards of L and X go to the discard pile, and the marker goes away (R25, R29)."""
    piles.pour(state.landscape, state.discard)
    piles.pour(state.lasting, state.discard)
    state.marker = 0


# Hands. All of it happens face up, so the others follow it.


@compiled
def gain(state: State, seat: int, species: int, number: int) -> None:
    """Cards of L go to a hand, before all eyes."""
    state.landscape[species] -= number
    state.hand[seat, species] += number
    for place in range(1, state.players):
        observer = clockwise(state, seat, place)
        state.known[observer, state.players - place - 1, species] += number


@compiled
def lose(state: State, seat: int, species: int, number: int) -> None:
    """Cards leave a hand face up; where they go is the caller's business."""
    state.hand[seat, species] -= number
    for place in range(1, state.players):
        observer = clockwise(state, seat, place)
        forget(state, observer, state.players - place - 1, species, number)


@compiled
def forget(state: State, observer: int, place: int, species: int, number: int) -> None:
    """An observer can prove so many cards fewer, but never less than none."""
    state.known[observer, place, species] = max(0, int(state.known[observer, place, species]) - number)


@compiled
def only_known_species(state: State, observer: int, place: int, size: int) -> int:
    """The species of a hand of ``size`` cards, if an observer can prove that all are of one; -1 if not."""
    for species in range(SPECIES):
        if state.known[observer, place, species] == size:
            return species
    return -1
