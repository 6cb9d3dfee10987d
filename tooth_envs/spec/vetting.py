"""States from outside: what is accepted lies within bounds, can be gone on with, and can be played to an end.

Rules are compiled without checks of bounds, so a wrong number in a state could make them write anywhere, or never
come back. A position, a record's beginning and the games of a checkpoint therefore pass here before compiled code sees
them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tooth_envs.engine import loops, plain
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.state import RUNNING, digest, record, violations
from tooth_envs.errors import PositionError

if TYPE_CHECKING:
    from tooth_envs.spec.game import Game

PLAIN_DECISIONS = 3
"""Decisions that are played as plain Python before compiled code goes on."""
REMEMBERED = 1024
"""States that have passed and are not looked at again."""

_KEY = 0x700F
_passed: OrderedDict[tuple[str, str, str], None] = OrderedDict()


def check_bounds(game: Game, states: np.ndarray, where: str = "", rows: Sequence[int] = ()) -> None:
    """Refuse numbers that no rule can put there.

    Args:
        game: the game with its options.
        states: records [N].
        where: what messages call the states.
        rows: the number of every state, for messages; without it none is told.

    Raises:
        PositionError: the first of them.
    """
    for found in violations(states, game.limits()):
        row = f" row {rows[found.row]}:" if len(rows) else ""
        raise PositionError(f"{where or f'{game.name} position'}:{row} {found}")


def check_play(game: Game, states: np.ndarray, where: str = "", decisions: int = PLAIN_DECISIONS) -> None:
    """Refuse a state from which play cannot go on, or cannot come to an end. Its bounds have been checked.

    Args:
        game: the game with its options.
        states: one state (array of length 1); it is not changed.
        where: what messages call it.
        decisions: how many are played as plain Python first.

    Raises:
        PositionError: nobody can do anything, a view is out of its bounds, or the rules fail on the way to an end.
    """
    mark = (game.name, game.tables_digest, digest(states))
    if mark in _passed:
        _passed.move_to_end(mark)
        return
    name = where or f"{game.name} position"
    state = record(states)
    if state.over == RUNNING:
        trial, mask = _copy(states), game.new_mask()
        try:
            _go_on_plainly(game, trial, mask, name, decisions)
        except plain.PlainError as problem:
            raise PositionError(f"{name}: the rules cannot go on from it ({problem})") from None
    _check_views(game, states, name)
    if JIT and state.over == RUNNING:
        # Without the compiler it would take seconds, and there is nothing to protect.
        rest, mask = _copy(states), game.new_mask()
        if state.seat < 0:
            loops.resume_one(game.tables, rest, mask)
        ended = loops.play_out(game.tables, rest, _KEY, mask)
        if not ended or record(rest).fault:
            raise PositionError(f"{name}: play from there does not come to an end")
        _check_views(game, rest, f"{name}: at the end of play from there")
    _passed[mark] = None
    if len(_passed) > REMEMBERED:
        _passed.popitem(last=False)


def _go_on_plainly(game: Game, trial: np.ndarray, mask: np.ndarray, name: str, decisions: int) -> None:
    """From a running state, halted or not: somebody is asked, can do something, and play goes on."""
    state = record(trial)
    if state.seat < 0:
        plain.resume(game.tables, trial, mask)
    plain.play(game.tables, trial, mask, _KEY, 0)
    if state.over == RUNNING and not mask.any():
        asked = f"seat {int(state.seat)} is asked {game.decisions[state.decision]}" if state.seat >= 0 else "it halted"
        raise PositionError(f"{name}: {asked}, but nothing is legal there")
    plain.play(game.tables, trial, mask, _KEY, decisions)
    if state.fault:
        raise PositionError(f"{name}: play from there does not come to an end")


def _copy(states: np.ndarray) -> np.ndarray:
    """The state without what is left of its script: that is not part of what has to be possible."""
    copied: Any = states.copy()
    if not JIT:
        copied = copied.view(np.recarray)
    one = record(copied)
    one.script_pos[:] = 0
    one.script_end[:] = 0
    one.tracing = 0
    one.breakpoint = 0
    return copied


def _check_views(game: Game, states: np.ndarray, where: str) -> None:
    for seat in range(game.num_players):
        wrong = game.layout.out_of_bounds(_vector(game, states, seat))
        if wrong:
            raise PositionError(f"{where}: what seat {seat} would see is out of bounds: {', '.join(wrong)}")


def _vector(game: Game, states: np.ndarray, seat: int) -> np.ndarray:
    return np.frombuffer(game.view(states, seat).tobytes(), np.int16)
