"""A game that probes the suite's edges: its options do what real games do seldom or never.

Turn t belongs to seat t modulo the number of seats, which keeps a number, 0 or 1. No view shows it, not even that
seat's own. In the end the sum of the kept numbers chooses the winner.

kind      "dice": every turn ends with a public die that pays the mover: nothing for 1, 2 and 3, one for 4 and 5, two
          for 6, so that several outcomes lead to one state. "windows": every seat but the first has a secret bit, and
          the turns of a seat with 0 are skipped in silence.
length    turns; with 0 the game is over as soon as it is dealt.
deal_pays the deal itself pays the first seat.
endless   the turn at which time stops: from there on, one action is left, for ever.
teams     the first seat plays against all others, who win and lose together.
"""

from __future__ import annotations

import sys
from typing import Literal

from pydantic import Field

from tooth_envs import register_game
from tooth_envs.engine import chance, events, protocol
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.enums import ActionGroup, Named
from tooth_envs.engine.records import Numbers, StateRecord, TablesRecord, number, numbers
from tooth_envs.engine.state import TERMINATED
from tooth_envs.spec.game import Game
from tooth_envs.spec.layout import ViewRecord, category, shown
from tooth_envs.spec.options import Options

SEATS, LONGEST, NEVER = 3, 8, -1


class Phase(Named):
    TURN = "a seat keeps a number"


class Decision(Named):
    KEEP = "which number is kept"


class Action(ActionGroup):
    KEEP = "KEEP_{}", range(2)


class EventKind(Named):
    TOLD = "seat: who alone sees it; whether it is asked"
    KEPT = "seat: who; number"
    ROLLED = "seat: who; face"


class Tables(TablesRecord):
    length: int = number("turns")
    dice: int = number("1: a die is rolled")
    windows: int = number("1: a seat may never be asked")
    deal_pays: int = number("1: the deal pays")
    endless: int = number("the turn at which time stops")
    teams: int = number("1: seats 1 and 2 are a team")


class State(StateRecord, seats=SEATS, streams=1, script=16, events=4):
    turn: int = number("turns taken", 0, 20_000)
    face: int = number("what the last die paid", 0, 2)
    secret: Numbers = numbers("whether a seat is asked", (SEATS,))
    asked: Numbers = numbers("own turns that were not skipped", (SEATS,), 0, 20_000)
    kept: Numbers = numbers("sum of the numbers kept", (SEATS,), 0, 20_000)


class View(ViewRecord):
    rolls: int = shown("dice rolled", 0, LONGEST)
    face: int = category("what the last die paid", ("NOTHING", "ONE", "TWO"), 0)
    secret: int = shown("whether the observer's turns are played")
    asked: int = shown("the observer's decisions so far", 0, LONGEST)


@compiled
def deal(tables, state):
    for seat in range(state.players):
        state.secret[seat] = 1
        if tables.windows and seat > 0:
            state.secret[seat] = chance.pick(state, 0, 2)
        events.emit(state, EventKind.TOLD, seat, 1 << seat, state.secret[seat], 0)
    if tables.deal_pays:
        pay(tables, state, 0, 1)
    advance(tables, state)


@compiled
def advance(tables, state):
    if protocol.at_breakpoint(state):
        return
    while state.turn < tables.length and state.secret[state.turn % state.players] == 0:
        state.turn += 1
    if state.turn >= tables.length:
        state.over = TERMINATED
    else:
        state.seat = state.turn % state.players
        state.decision = 0


@compiled
def legal(tables, state, mask):
    mask[0] = 1
    mask[1] = int(state.turn != tables.endless)


@compiled
def apply(tables, state, action):
    seat = state.seat
    if state.turn != tables.endless:
        state.kept[seat] += action
        state.asked[seat] += 1
        state.turn += 1
        events.emit(state, EventKind.KEPT, seat, 1 << seat, action, 0)
        if tables.dice:
            die = chance.die(state, 0, 6)
            state.face = int(die > 3) + int(die > 5)
            events.emit(state, EventKind.ROLLED, seat, events.EVERYBODY, die, 0)
            pay(tables, state, seat, int(state.face))
    advance(tables, state)


@compiled
def pay(tables, state, seat, amount):
    """A seat gets an amount, which the others share."""
    if tables.teams and seat > 0:
        seat = 0
        amount = -amount
    share = amount / (int(state.players) - 1)
    for other in range(state.players):
        state.reward[other] += amount if other == seat else -share


@compiled
def finish(tables, state, truncated):
    n = int(state.players)
    total = 0
    for seat in range(n):
        total += int(state.kept[seat])
    winner = total % n
    together = tables.teams and winner > 0
    for seat in range(n):
        won = truncated or seat == winner or (together and seat > 0)
        state.rank[seat] = 1 if won else (n if together else 2)
    if not truncated:
        pay(tables, state, winner, 1)


@compiled
def view(tables, state, seat, out):
    out.rolls = state.turn if tables.dice else 0
    out.face = state.face
    out.secret = state.secret[seat]
    out.asked = state.asked[seat]


@compiled
def resample(tables, state, seat, seed):
    for other in range(state.players):
        if other != seat:
            if tables.windows and other > 0 and other != state.seat:
                state.secret[other] = chance.pick(state, 0, 2)
                state.asked[other] = state.secret[other] * ((state.turn - other + state.players - 1) // state.players)
            state.kept[other] = chance.pick(state, 0, state.asked[other] + 1)


class ProbeOptions(Options):
    num_players: int = Field(default=2, ge=2, le=SEATS)
    max_steps: int = Field(default=20, ge=1)
    kind: Literal["dice", "windows"] = Field(default="dice", description="a die is rolled, or turns are skipped")
    length: int = Field(default=4, ge=0, le=LONGEST, description="turns")
    deal_pays: bool = Field(default=False, description="the deal pays something")
    endless: int = Field(default=NEVER, description="the turn at which time stops")
    teams: bool = Field(default=False, description="seats 1 and 2 are a team")


@register_game
class Probe(Game):
    name, title = "probe", "Probe"
    min_players, max_players = 2, SEATS
    Options = ProbeOptions
    Phase, Decision, EventKind, Action = Phase, Decision, EventKind, Action
    State, Tables, View = State, Tables, View
    functions = protocol.functions_in(sys.modules[__name__])
    max_chance_outcomes = 6
    options: ProbeOptions

    @property
    def teams(self):
        return tuple(min(seat, 1) if self.options.teams else seat for seat in range(self.num_players))

    def fill_tables(self, tables):
        tables.dice, tables.windows = self.options.kind == "dice", self.options.kind == "windows"
        for name in ("length", "deal_pays", "endless", "teams"):
            tables[name] = getattr(self.options, name)

    def reward_bounds(self):
        most = 2.0 * self.options.length + 1.0 + self.options.deal_pays
        return -most, most

    def blank_state(self, state):
        state.secret[: self.num_players] = 1
