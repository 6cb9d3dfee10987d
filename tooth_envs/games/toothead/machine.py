"""The state machine's mechanics: asking a seat, interrupting a node and going back to it.

The node being played has a few registers (state.py, REGISTERS). Whatever interrupts it, such as a trick, a card's
effect or a fight, saves them and takes their place, so that play can stop at any decision in the middle of an effect.
"""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.protocol import at_breakpoint, give_up
from tooth_envs.games.toothead.state import DEPTH, EventKind, Phase, Register, State, Tables
from tooth_envs.games.toothead.vocabulary import ATTACKED, DICE, LOSE, SAVE, START, TURN_START, WIN


@compiled
def go_to(state: State, phase: int) -> None:
    """On to another node, which begins at its first step."""
    state.phase = phase
    state.at = 0


@compiled
def clear_registers(state: State) -> None:
    """Nobody and nothing in particular is concerned."""
    state.at = 0
    state.actor = -1
    state.target = -1
    state.second = -1
    state.card = -1
    state.count = 0
    state.trigger = 0


@compiled
def interrupt(state: State, phase: int, actor: int) -> None:
    """Begin a node that goes back to this one when it is over."""
    if state.depth >= DEPTH:  # no deck can do this (position_nodes.py); never write past ``saved``
        give_up(state)
        return
    row = state.saved[state.depth]
    row[Register.PHASE] = state.phase
    row[Register.AT] = state.at
    row[Register.ACTOR] = state.actor
    row[Register.TARGET] = state.target
    row[Register.SECOND] = state.second
    row[Register.CARD] = state.card
    row[Register.COUNT] = state.count
    row[Register.TRIGGER] = state.trigger
    state.depth += 1
    clear_registers(state)
    state.phase = phase
    state.actor = actor


@compiled
def go_back(state: State) -> None:
    """The node is over: the interrupted one goes on."""
    if state.depth <= 0:
        give_up(state)
        return
    state.depth -= 1
    row = state.saved[state.depth]
    state.phase = row[Register.PHASE]
    state.at = row[Register.AT]
    state.actor = row[Register.ACTOR]
    state.target = row[Register.TARGET]
    state.second = row[Register.SECOND]
    state.card = row[Register.CARD]
    state.count = row[Register.COUNT]
    state.trigger = row[Register.TRIGGER]
    row[:] = 0


@compiled
def halts(state: State) -> int:
    """Whether play halts before this node. A node that is interrupted meanwhile has not been left."""
    if state.breakpoint < 0:
        for depth in range(state.depth):
            if state.saved[depth, Register.PHASE] == -1 - state.breakpoint:
                return False
    return at_breakpoint(state)


@compiled
def begin_effect(tables: Tables, state: State, source: int, trigger: int, actor: int, target: int) -> None:
    """Carry out what a card, knack or island card (a source) does at a trigger, on behalf of a seat."""
    if trigger in (START, DICE, SAVE, WIN, LOSE, TURN_START) or (trigger == ATTACKED and state.weapon[actor] == source):
        emit(state, EventKind.WORKED, actor, EVERYBODY, source, 0)  # of what is played, the playing tells
    interrupt(state, Phase.EFFECT, actor)
    state.card = source
    state.trigger = trigger
    state.target = target
    state.at = tables.starts[source, trigger]
