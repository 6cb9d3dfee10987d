"""Card piles as compiled moves.

A pile is a multiset: ``counts[kind]``, an integer array in the state. Its order is not stored but drawn
when a card is, so there is nothing to leak and nothing to resample; shuffling one pile into another is an
addition. Where rules let somebody know the top of a pile, ``known`` holds those cards: ``known[0]`` is how
many, ``known[1:]`` their kinds, the top of the pile last.
"""

from __future__ import annotations

from tooth_envs.engine.chance import ANY, DRAW, random_index, scripted
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import Numbers, StateRecord


@compiled
def size(counts: Numbers) -> int:
    """Number of cards in a pile (its known part not included)."""
    total = 0
    for kind in range(len(counts)):
        total += int(counts[kind])
    return total


@compiled
def draw(state: StateRecord, stream: int, counts: Numbers) -> int:
    """Remove a random card and return its kind; -1 if the pile is empty."""
    total = size(counts)
    if total == 0:
        return -1
    index = scripted(state, ANY)
    if index >= total:
        state.fault = 1
        index = 0
    if index < 0:
        kind = scripted(state, DRAW)
        if kind >= 0:
            if kind < len(counts) and counts[kind] > 0:
                counts[kind] -= 1
                return kind
            state.fault = 2
            index = 0
        else:
            index = random_index(state, stream, DRAW, total)
    return take_at(counts, index)


@compiled
def take_at(counts: Numbers, index: int) -> int:
    """Remove the card at a place of a pile, counted kind after kind, and return its kind; -1 if there is none."""
    for kind in range(len(counts)):
        if index < counts[kind]:
            counts[kind] -= 1
            return kind
        index -= int(counts[kind])
    return -1


@compiled
def draw_known(state: StateRecord, stream: int, counts: Numbers, known: Numbers) -> int:
    """Remove the top card of a pile whose top may be known; -1 if both parts are empty."""
    if known[0] > 0:
        kind = known[known[0]]
        known[known[0]] = 0
        known[0] -= 1
        return kind
    return draw(state, stream, counts)


@compiled
def put_on_top(known: Numbers, kind: int) -> bool:
    """Lay a card on a pile so that it is known; False (and nothing done) if no more can be remembered."""
    if known[0] + 1 >= len(known):
        return False
    known[0] += 1
    known[known[0]] = kind
    return True


@compiled
def remove(counts: Numbers, kind: int) -> bool:
    """Take one card of a kind out of a pile; False if there is none."""
    if counts[kind] <= 0:
        return False
    counts[kind] -= 1
    return True


@compiled
def pour(source: Numbers, target: Numbers) -> None:
    """Move all cards of one pile into another: a discard pile shuffled into the draw pile, a hand discarded."""
    for kind in range(len(source)):
        target[kind] += source[kind]
        source[kind] = 0


@compiled
def forget_order(counts: Numbers, known: Numbers) -> None:
    """Shuffle a pile whose top was known: the known cards join the rest."""
    for place in range(1, known[0] + 1):
        counts[known[place]] += 1
        known[place] = 0
    known[0] = 0
