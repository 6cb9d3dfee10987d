"""Kuhn poker on the engine's protocol: two seats, three cards, one bet. (Kuhn, "A simplified two-person poker", 1950.)

Each seat antes 1 and gets one of three cards. Seats pass or bet 1 in turn; passing after a bet folds.
"""

from __future__ import annotations

import sys
from typing import Literal

from tooth_envs import register_game
from tooth_envs.engine import events, piles, protocol
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.enums import ActionGroup, Named
from tooth_envs.engine.records import Numbers, StateRecord, number, numbers
from tooth_envs.engine.state import TERMINATED
from tooth_envs.spec.game import Game
from tooth_envs.spec.layout import ViewRecord, category
from tooth_envs.spec.options import Options


class Phase(Named):
    DEAL = "every seat gets a card"
    BETTING = "seats pass or bet"


class Decision(Named):
    BETTING = "pass or bet"


class Action(ActionGroup):
    PASS = "PASS"
    BET = "BET"


class EventKind(Named):
    DEALT = "seat: who alone sees it; rank"
    PASSED = "seat: who"
    BET = "seat: who"


class State(StateRecord, seats=2, streams=1, script=4, events=8):
    deck: Numbers = numbers("cards in the pile, by rank", (3,))
    card: Numbers = numbers("the card of each seat, -1: none yet", (2,), -1, 2)
    bets: Numbers = numbers("what was done, in order: 1 is a bet", (3,))
    moves: int = number("how much was done", 0, 3)


class View(ViewRecord):
    card: int = category("the own card", ("JACK", "QUEEN", "KING"), 0)
    seat: int = category("the own seat (who bets first matters)", ("FIRST", "SECOND"), 0)
    moves: Numbers = category("the betting so far", Action.table(), -1, (3,))


@compiled
def deal(tables, state):
    state.deck[:] = 1
    state.card[:] = -1
    advance(tables, state)


@compiled
def advance(tables, state):
    if protocol.at_breakpoint(state):
        return
    if state.phase == Phase.DEAL:
        for seat in range(2):
            if state.card[seat] < 0:
                state.card[seat] = piles.draw(state, 0, state.deck)
                events.emit(state, EventKind.DEALT, seat, 1 << seat, state.card[seat], 0)
        state.phase = Phase.BETTING
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
    events.emit(state, EventKind.PASSED + action, state.seat, events.EVERYBODY, 0, 0)
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
    state.deck[state.card[1 - seat]] += 1
    state.card[1 - seat] = piles.draw(state, 0, state.deck)


class KuhnOptions(Options):
    num_players: Literal[2] = 2
    reward: Literal["chips"] = "chips"
    max_steps: int = 10


@register_game
class Kuhn(Game):
    name, title = "kuhn", "Kuhn Poker"
    min_players = max_players = 2
    Options = KuhnOptions
    Phase, Decision, EventKind, Action, State, View = Phase, Decision, EventKind, Action, State, View
    functions = protocol.functions_in(sys.modules[__name__])

    def reward_bounds(self):
        return -2.0, 2.0

    def blank_state(self, state):
        state.deck[:] = 1
        state.card[:] = -1

    def write_position(self, state, position):
        super().write_position(state, position)
        if "card" in position and "deck" not in position:
            state.deck[:] = [card not in state.card for card in range(3)]
