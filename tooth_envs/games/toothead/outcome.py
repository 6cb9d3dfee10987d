"""The end: ranks and rewards (section 7), and the potentials of shaping."""

from __future__ import annotations

import numpy as np

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.games.toothead.cards import MAX_SEATS
from tooth_envs.games.toothead.state import BY_RANK, E_GAME_OVER

_FOOD, _SLICES, _LIVES = 10**6, 10**3, 10**9
MEAT_WORTH = 0.7
"""What a piece of meat is worth beside a slice, in the potential."""


@compiled
def standing(tables, state, seat):  # type: ignore[no-untyped-def]
    """How a seat's team stands: later deaths above earlier ones, the living above the dead (J39, J57)."""
    alive = 0
    lasted = 0
    for other in range(state.players):
        if tables.team[other] == tables.team[seat]:
            if state.alive[other]:
                food = int(state.slices[other]) + int(state.meat[other])
                alive += food * _FOOD + int(state.slices[other]) * _SLICES + int(state.pocket_size[other])
            lasted = max(lasted, int(state.eliminated[other]))
    return alive + _LIVES if alive > 0 else lasted


@compiled
def rank_seats(tables, state):  # type: ignore[no-untyped-def]
    """Competition ranks: 1 and the number of seats that stand better."""
    for seat in range(state.players):
        better = 0
        own = standing(tables, state, seat)
        for other in range(state.players):
            better += int(standing(tables, state, other) > own)
        state.rank[seat] = 1 + better


@compiled
def finish(tables, state, truncated):  # type: ignore[no-untyped-def]
    """Ranks and rewards, by the rules or at the step cap alike (J40)."""
    rank_seats(tables, state)
    add_potential(tables, state, -1.0)  # the terminal potential is 0
    n = int(state.players)
    first = 0
    winners = 0
    for seat in range(n):
        if state.rank[seat] == 1:
            first += 1
            winners |= 1 << seat
    emit(state, E_GAME_OVER, -1, EVERYBODY, winners, state.round_number)
    for seat in range(n):
        if tables.payment == BY_RANK:
            tied = 0
            for other in range(n):
                tied += int(state.rank[other] == state.rank[seat])
            average = state.rank[seat] + (tied - 1) / 2
            state.reward[seat] += 1.0 - 2.0 * (average - 1.0) / (n - 1)
        elif first < n:
            if state.rank[seat] == 1:
                state.reward[seat] += min(1.0, (n - first) / first)
            else:
                state.reward[seat] -= min(1.0, first / (n - first))


@compiled
def add_potential(tables, state, factor):  # type: ignore[no-untyped-def]
    """Add every seat's potential (section 7, shaping with gamma = 1) to its reward, times a factor."""
    if tables.shaping == 0.0:
        return
    worth = np.zeros(MAX_SEATS)
    mean = 0.0
    for seat in range(state.players):
        if state.alive[seat]:
            worth[seat] = state.slices[seat] + MEAT_WORTH * state.meat[seat]
        mean += worth[seat] / state.players
    for seat in range(state.players):
        state.reward[seat] += factor * tables.shaping * (worth[seat] - mean)
