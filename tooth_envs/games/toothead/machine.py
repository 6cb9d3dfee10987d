"""The state machine's mechanics: asking a seat, interrupting a node and going back to it.

The node being played has a few registers (state.py, REGISTERS). Whatever interrupts it, such as a trick, a card's
effect or a fight, saves them and takes their place, so that play can stop at any decision in the middle of an effect.
"""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.protocol import at_breakpoint, give_up
from tooth_envs.games.toothead.state import (
    DEPTH,
    E_WORKED,
    EFFECT,
    REG_ACTOR,
    REG_AT,
    REG_CARD,
    REG_COUNT,
    REG_PHASE,
    REG_SECOND,
    REG_TARGET,
    REG_TRIGGER,
)
from tooth_envs.games.toothead.vocabulary import ATTACKED, DICE, LOSE, SAVE, START, TURN_START, WIN


@compiled
def ask(state, seat, decision):  # type: ignore[no-untyped-def]
    """Stop here: a seat has to decide something."""
    state.seat = seat
    state.decision = decision


@compiled
def go_to(state, phase):  # type: ignore[no-untyped-def]
    """On to another node, which begins at its first step."""
    state.phase = phase
    state.at = 0


@compiled
def clear_registers(state):  # type: ignore[no-untyped-def]
    """Nobody and nothing in particular is concerned."""
    state.at = 0
    state.actor = -1
    state.target = -1
    state.second = -1
    state.card = -1
    state.count = 0
    state.trigger = 0


@compiled
def interrupt(state, phase, actor):  # type: ignore[no-untyped-def]
    """Begin a node that goes back to this one when it is over."""
    if state.depth >= DEPTH:  # no deck can do this (position_nodes.py); never write past ``saved``
        give_up(state)
        return
    row = state.saved[state.depth]
    row[REG_PHASE] = state.phase
    row[REG_AT] = state.at
    row[REG_ACTOR] = state.actor
    row[REG_TARGET] = state.target
    row[REG_SECOND] = state.second
    row[REG_CARD] = state.card
    row[REG_COUNT] = state.count
    row[REG_TRIGGER] = state.trigger
    state.depth += 1
    clear_registers(state)
    state.phase = phase
    state.actor = actor


@compiled
def go_back(state):  # type: ignore[no-untyped-def]
    """The node is over: the interrupted one goes on."""
    if state.depth <= 0:
        give_up(state)
        return
    state.depth -= 1
    row = state.saved[state.depth]
    state.phase = row[REG_PHASE]
    state.at = row[REG_AT]
    state.actor = row[REG_ACTOR]
    state.target = row[REG_TARGET]
    state.second = row[REG_SECOND]
    state.card = row[REG_CARD]
    state.count = row[REG_COUNT]
    state.trigger = row[REG_TRIGGER]
    row[:] = 0


@compiled
def halts(state):  # type: ignore[no-untyped-def]
    """Whether play halts before this node. A node that is interrupted meanwhile has not been left."""
    if state.breakpoint < 0:
        for depth in range(state.depth):
            if state.saved[depth, REG_PHASE] == -1 - state.breakpoint:
                return False
    return at_breakpoint(state)


@compiled
def begin_effect(tables, state, source, trigger, actor, target):  # type: ignore[no-untyped-def]
    """Carry out what a card, knack or island card (a source) does at a trigger, on behalf of a seat."""
    if trigger in (START, DICE, SAVE, WIN, LOSE, TURN_START) or (trigger == ATTACKED and state.weapon[actor] == source):
        emit(state, E_WORKED, actor, EVERYBODY, source, 0)  # of what is played, the playing tells
    interrupt(state, EFFECT, actor)
    state.card = source
    state.trigger = trigger
    state.target = target
    state.at = tables.starts[source, trigger]
