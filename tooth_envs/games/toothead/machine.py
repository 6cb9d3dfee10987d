"""The state machine's mechanics: asking a seat, interrupting a node and going back to it.

The node being played has a few registers (state.py, REGISTERS). Whatever interrupts it, such as a trick, a card's
effect or a fight, saves them and takes their place, so that play can stop at any decision in the middle of an effect.
"""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.games.toothead.state import EFFECT, REGISTERS

_PHASE, _AT, _ACTOR, _TARGET, _SECOND, _CARD, _COUNT, _TRIGGER = range(len(REGISTERS))


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
    row = state.saved[state.depth]
    row[_PHASE] = state.phase
    row[_AT] = state.at
    row[_ACTOR] = state.actor
    row[_TARGET] = state.target
    row[_SECOND] = state.second
    row[_CARD] = state.card
    row[_COUNT] = state.count
    row[_TRIGGER] = state.trigger
    state.depth += 1
    clear_registers(state)
    state.phase = phase
    state.actor = actor


@compiled
def go_back(state):  # type: ignore[no-untyped-def]
    """The node is over: the interrupted one goes on."""
    state.depth -= 1
    row = state.saved[state.depth]
    state.phase = row[_PHASE]
    state.at = row[_AT]
    state.actor = row[_ACTOR]
    state.target = row[_TARGET]
    state.second = row[_SECOND]
    state.card = row[_CARD]
    state.count = row[_COUNT]
    state.trigger = row[_TRIGGER]
    row[:] = 0


@compiled
def begin_effect(tables, state, source, trigger, actor, target):  # type: ignore[no-untyped-def]
    """Carry out what a card, knack or island card (a source) does at a trigger, on behalf of a seat."""
    interrupt(state, EFFECT, actor)
    state.card = source
    state.trigger = trigger
    state.target = target
    state.at = tables.starts[source, trigger]
