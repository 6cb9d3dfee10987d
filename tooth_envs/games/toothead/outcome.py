"""The end: ranks and rewards (section 7), and the potentials of shaping."""

from __future__ import annotations

import numpy as np

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.payment import Payment, Split, pay_rank, pay_winner, rank_by, winners
from tooth_envs.games.toothead.cards import MAX_SEATS
from tooth_envs.games.toothead.state import EventKind, State, Tables

_FOOD, _SLICES, _LIVES = 10**6, 10**3, 10**9
MEAT_WORTH = 0.7
"""What a piece of meat is worth beside a slice, in the potential."""


@compiled
def standing(tables: Tables, state: State, seat: int) -> int:
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
def finish(tables: Tables, state: State, truncated: bool) -> None:
    """Ranks and rewards, by the rules or at the step cap alike (J40)."""
    scores = np.zeros(MAX_SEATS, np.int64)
    for seat in range(state.players):
        scores[seat] = standing(tables, state, seat)
    rank_by(state, scores)
    add_potential(tables, state, -1.0)  # the terminal potential is 0
    emit(state, EventKind.GAME_OVER, -1, EVERYBODY, winners(state), state.round_number)
    if tables.payment == Payment.RANK:
        pay_rank(state)
    else:
        pay_winner(state, Split.EACH)


@compiled
def add_potential(tables: Tables, state: State, factor: float) -> None:
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
