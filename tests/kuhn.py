"""Kuhn poker on the engine's protocol: two seats, three cards, one bet. (Kuhn, "A simplified two-person poker", 1950.)

Each seat antes 1 and gets one of three cards. Seats pass or bet 1 in turn; passing after a bet folds.
"""

from __future__ import annotations

import sys
from typing import ClassVar, Literal

from tooth_envs import register_game
from tooth_envs.engine import chance, events, piles, protocol
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.state import TERMINATED, StateField, state_dtype
from tooth_envs.spec.game import Game
from tooth_envs.spec.layout import ViewField
from tooth_envs.spec.options import Options

DEAL, BETTING = 0, 1  # phases
DEALT, PASSED, BET = 0, 1, 2  # events
STATE = state_dtype(
    seats=2,
    streams=1,
    script=4,
    events=8,
    fields=[
        StateField("deck", (3,), 0, 1, "cards in the pile, by rank"),
        StateField("card", (2,), -1, 2, "the card of each seat, -1: none yet"),
        StateField("bets", (3,), 0, 1, "what was done, in order: 1 is a bet"),
        StateField("moves", (), 0, 3, "how much was done"),
    ],
)
TABLES = protocol.tables_dtype("kuhn", [sys.modules[__name__]], [])


@compiled
def deal(tables, state):
    state.deck[:] = 1
    state.card[:] = -1
    advance(tables, state)


@compiled
def advance(tables, state):
    if protocol.at_breakpoint(state):
        return
    if state.phase == DEAL:
        for seat in range(2):
            if state.card[seat] < 0:
                state.card[seat] = piles.draw(state, 0, state.deck)
                events.emit(state, DEALT, seat, 1 << seat, state.card[seat], 0)
        state.phase = BETTING
    bets, moves = state.bets, state.moves
    if moves == 3 or (moves == 2 and bets[0] >= bets[1]):
        state.over = TERMINATED
    else:
        state.seat = moves % 2
        state.decision = 0


@compiled
def legal(tables, state, mask):
    mask[0] = 1
    mask[1] = 1


@compiled
def apply(tables, state, action):
    events.emit(state, PASSED + action, state.seat, events.EVERYBODY, 0, 0)
    state.bets[state.moves] = action
    state.moves += 1
    advance(tables, state)


@compiled
def finish(tables, state, truncated):
    pot = [1 + max(state.bets[0], state.bets[2]), 1 + state.bets[1]]
    winner = 0 if state.card[0] > state.card[1] else 1
    if pot[0] != pot[1]:
        winner = 0 if pot[0] > pot[1] else 1
    won = min(pot[0], pot[1]) if not truncated else 0
    state.reward[winner] += won
    state.reward[1 - winner] -= won
    state.rank[winner] = 1
    state.rank[1 - winner] = 1 if truncated else 2


@compiled
def view(tables, state, seat, out):
    out.card = state.card[seat]
    out.seat = seat
    for move in range(3):
        out.moves[move] = state.bets[move] if move < state.moves else -1


@compiled
def resample(tables, state, seat, seed):
    chance.reseed(state, seed)
    state.deck[state.card[1 - seat]] += 1
    state.card[1 - seat] = piles.draw(state, 0, state.deck)
    chance.reseed(state, chance.mix(seed, 1, 1))
    events.forget(state)


class KuhnOptions(Options):
    num_players: Literal[2] = 2
    reward: Literal["chips"] = "chips"
    max_steps: int = 10


@register_game
class Kuhn(Game):
    name, title = "kuhn", "Kuhn Poker"
    min_players = max_players = 2
    Options = KuhnOptions
    actions, decisions, phases = ("PASS", "BET"), ("BETTING",), ("DEAL", "BETTING")
    event_kinds = ("DEALT", "PASSED", "BET")
    state_dtype, tables_dtype = STATE, TABLES
    functions: ClassVar = {f.__name__: f for f in (deal, legal, apply, advance, finish, view, resample)}

    def view_fields(self):
        return [
            ViewField("card", "the own card", 0, 2, (), ("JACK", "QUEEN", "KING")),
            ViewField("seat", "the own seat (who bets first matters)", 0, 1, (), ("FIRST", "SECOND")),
            ViewField("moves", "the betting so far", -1, 1, (3,), ("PASS", "BET")),
        ]

    def reward_bounds(self):
        return -2.0, 2.0

    def blank_state(self, state):
        state.deck[:] = 1
        state.card[:] = -1

    def write_position(self, state, position):
        super().write_position(state, position)
        if "card" in position and "deck" not in position:
            state.deck[:] = [card not in state.card for card in range(3)]
