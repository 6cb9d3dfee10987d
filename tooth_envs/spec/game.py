"""``Game``: what is known about a game outside compiled code.

A game is a subclass with a few class attributes (names, dtypes, compiled functions) and words for people; an
instance binds it to options and owns the ``tables`` that its rules read. Environments, agents and tools are
written against this class alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tooth_envs.engine import loops, plain
from tooth_envs.engine.chance import script_left, set_script
from tooth_envs.engine.integers import as_python, integer
from tooth_envs.engine.state import RUNNING, digest, record
from tooth_envs.errors import (
    GameOver,
    PositionError,
    shortened,
)
from tooth_envs.spec.playing import Playing, checked_seed, views_of
from tooth_envs.spec.validation import suggestion
from tooth_envs.spec.vetting import check_bounds, check_play

__all__ = ["POSITION_KEYS", "Game", "checked_seed", "views_of"]

POSITION_KEYS = ("base", "seed", "script", "rest", "at", "halt", "steps")
"""Keys of a position that mean the same in every game (see ``Game.from_dict``)."""


class Game(Playing):
    """One game under given options: what it declares (declaration.py), playing it (playing.py), and positions."""

    def check_asked(self, state: Any) -> None:
        """For ``check_position``: raise PositionError unless play, going on from a record's phase, stops as it says.

        For games in which asking again asks the same: what a phase does before a decision is nothing but asking.
        """
        again = self.new_states()
        again[0] = state
        other = record(again)
        other.seat, other.decision, other.breakpoint = -1, -1, 0
        loops.resume_one(self.tables, again, self.new_mask())
        other.breakpoint, other.reward[:] = state.breakpoint, state.reward
        given = self.new_states()
        given[0] = state
        if digest(again) != digest(given):
            asked = f"{self.decisions[other.decision]} of seat {int(other.seat)}" if other.seat >= 0 else "nothing"
            raise PositionError(
                f"{self.name} position: at {self.phases[state.phase]} {asked} is asked, not what the position says; "
                "leave them out and give 'at'"
            )

    def to_dict(self, states: np.ndarray) -> dict[str, Any]:
        """The whole state in words, JSON-ready. ``from_dict`` builds an equal state from it."""
        state = record(states)
        position: dict[str, Any] = {
            "base": "blank",
            "seed": int(state.seed),
            "steps": int(state.steps),
            "phase": self.phases[state.phase] if self.phases else None,
            "decision": self.decisions[state.decision] if state.decision >= 0 else None,
            "seat": int(state.seat),
            "over": ("running", "terminated", "truncated")[state.over],
            "rank": state.rank[: self.num_players].tolist(),
            "reward": state.reward[: self.num_players].tolist(),
            "ticks": state.ticks.tolist(),
        }
        if state.breakpoint:
            position["halt"] = self.phases[abs(int(state.breakpoint)) - 1]
        if script_left(state):
            position["script"] = script_left(state)
        position.update(self.read_position(state))
        return position

    def from_dict(self, position: Mapping[str, Any], mask: np.ndarray | None = None) -> np.ndarray:
        """Build a state from a full or partial description.

        Keys of every game: ``base`` ("blank": the game's empty frame, the default; "deal": a deal from ``seed``),
        ``seed``, ``script`` (outcomes per kind), ``rest`` (what becomes of cards not mentioned), ``at`` (the phase
        where automatic play resumes), ``halt`` (a phase before which it stops), ``steps``; and those that
        ``to_dict`` reports. All others are the game's own (``position_keys``).

        Returns:
            An array with one state; ``mask``, if given, is filled with what is legal in it.

        Raises:
            PositionError, ScriptError: with the key and the reason.
        """
        where = f"{self.name} position"
        if not isinstance(position, Mapping):
            raise PositionError(f"{where}: is {shortened(position)}; give a dict, as to_dict() does")
        position = as_python(dict(position))
        reported = ("phase", "decision", "seat", "over", "rank", "reward", "ticks")
        known = [*POSITION_KEYS, *reported, *self.position_keys()]
        for key in position:
            if key not in known:
                raise PositionError(
                    f"{where}: unknown key {shortened(key)}{suggestion(key, known)} Known: {', '.join(known)}"
                )
        base = position.get("base", "blank")
        if base not in ("blank", "deal"):
            raise PositionError(f"{where}: base is {shortened(base)}; give 'blank' or 'deal'")
        for key in ("at", "halt"):
            if position.get(key) is not None and position[key] not in self.phases:
                raise PositionError(
                    f"{where}: {key} is {shortened(position[key])}; phases are {', '.join(self.phases)}"
                )
        mask = self.new_mask() if mask is None else mask
        script = position.get("script")
        if base == "deal":
            states = self.deal(self._position_seed(position), mask, script=script)
            state = record(states)
        else:
            states = self.new_states()
            state = record(states)
            state.seed = self._position_seed(position)
            self.blank_state(state)
            if script:
                set_script(state, script)
        if "steps" in position:
            state.steps = self._position_count(position, "steps")
        self.write_position(state, position)
        if position.get("halt") is not None:
            state.breakpoint = 1 + self.phases.index(position["halt"])
        if position.get("at") is not None:
            state.phase = self.phases.index(position["at"])
            if state.breakpoint == 1 + state.phase:
                state.breakpoint = -state.breakpoint
            check_bounds(self, states)
            self.check_position(state)
            try:
                plain.resume(self.tables, states, mask)
            except plain.PlainError as problem:
                raise PositionError(f"{where}: the rules cannot go on from {position['at']} ({problem})") from None
            self.check_fault(state)
            check_bounds(self, states)
        else:
            self._restore_header(state, position)
            check_bounds(self, states)
            self.check_position(state)
            self.check_reward(states)
            self._check_rank(states, position)
        self._place_halt(state)
        check_play(self, states)
        loops.legal_one(self.tables, states, mask)
        return states

    def check_reward(self, states: np.ndarray) -> None:
        """Raise PositionError if a state from outside (array of length 1) would pay something of its own.

        What a running game has earned is paid already, but for what the deal pays, which comes with the first decision.
        """
        state = record(states)
        if state.over != RUNNING or state.steps > 0 or not state.reward.any():
            return
        dealt = record(self.deal(int(state.seed)))
        if dealt.over != RUNNING or not np.array_equal(dealt.reward, state.reward):
            raise PositionError(
                f"{self.name} position: reward is {state.reward[: self.num_players].tolist()}, but before the first "
                "decision nothing has been earned; leave it out"
            )

    def resume(self, states: np.ndarray, mask: np.ndarray | None = None) -> None:
        """Go on with a game that halted at a phase. It halts again when play comes to that phase from another one."""
        state = record(states)
        if state.seat >= 0 or state.over != RUNNING:
            raise GameOver(f"{self.name}: the game is not halted")
        state.breakpoint = -abs(int(state.breakpoint))  # let this phase pass once: engine/protocol.py, at_breakpoint
        loops.resume_one(self.tables, states, self.new_mask() if mask is None else mask)

    def _position_seed(self, position: Mapping[str, Any]) -> int:
        try:
            return checked_seed(position.get("seed", 0))
        except ValueError as problem:
            raise PositionError(f"{self.name} position: {problem}") from None

    def _position_count(self, position: Mapping[str, Any], key: str) -> int:
        value = integer(position[key])
        if value is None or not 0 <= value < 2**31:
            raise PositionError(f"{self.name} position: {key} is {shortened(position[key])}; give an integer from 0")
        return value

    def _restore_header(self, state: Any, position: Mapping[str, Any]) -> None:
        """Fields of the header that ``to_dict`` reports, when no automatic play sets them."""
        where = f"{self.name} position"
        endings = ("running", "terminated", "truncated")
        if position.get("phase") is not None:
            state.phase = self._position_word(position, "phase", self.phases)
        if "decision" in position:
            none = position["decision"] is None
            state.decision = -1 if none else self._position_word(position, "decision", self.decisions)
        if "over" in position:
            state.over = self._position_word(position, "over", endings)
        if "seat" in position:
            seat = position["seat"]
            if isinstance(seat, bool) or not isinstance(seat, int) or not -1 <= seat < self.num_players:
                raise PositionError(f"{where}: seat is {shortened(seat)}; seats are 0 to {self.num_players - 1}")
            if seat >= 0 and state.over != RUNNING:
                raise PositionError(f"{where}: seat is {seat}, but the game is over and nobody is asked; give -1")
            state.seat = seat
        if state.over != RUNNING and "seat" not in position:
            state.seat = -1
        if (state.seat >= 0) != (state.decision >= 0):
            raise PositionError(
                f"{where}: seat is {int(state.seat)} and decision {position.get('decision')!r}; give who is asked and "
                "what, or neither"
            )
        for key, count in (("rank", self.num_players), ("reward", self.num_players), ("ticks", len(state.ticks))):
            if key in position:
                state[key][:count] = self._position_numbers(position, key, count)
        if state.over == RUNNING and state.rank.any():
            raise PositionError(f"{where}: rank is given, but ranks are known when the game is over")

    def _place_halt(self, state: Any) -> None:
        """Settle whether play has gone on from a position's halt; the sign of ``halt`` is not told by ``to_dict``."""
        halt = abs(int(state.breakpoint))
        if state.over == RUNNING and state.seat < 0 and halt != 1 + state.phase:
            raise PositionError(
                f"{self.name} position: seat is -1, but the game is neither over nor halted before its phase; give "
                "'at', the phase where play goes on, or who is asked"
            )
        asked_there = state.seat >= 0 and halt - 1 in (int(state.phase), *self.interrupted(state))
        state.breakpoint = -halt if asked_there else halt

    def _check_rank(self, states: np.ndarray, position: Mapping[str, Any]) -> None:
        """Ranks at the end are what the rules make of it; they may be left out."""
        if record(states).over == RUNNING:
            return
        again = states.copy()
        record(again).rank[:] = 0
        try:
            plain.finish(self.tables, again)
        except plain.PlainError as problem:
            raise PositionError(f"{self.name} position: over: the rules cannot end it there ({problem})") from None
        if "rank" not in position:
            record(states).rank[:] = record(again).rank
        given, made = (record(one).rank[: self.num_players].tolist() for one in (states, again))
        if given != made:
            raise PositionError(f"{self.name} position: rank is {given}, but the rules make it {made}")

    def _position_word(self, position: Mapping[str, Any], key: str, known: Sequence[str]) -> int:
        value = position[key]
        if not isinstance(value, str) or value not in known:
            hint = suggestion(value, list(known))
            raise PositionError(f"{self.name} position: {key} is {shortened(value)}{hint} One of: {', '.join(known)}")
        return known.index(value)

    def _position_numbers(self, position: Mapping[str, Any], key: str, count: int) -> list[float]:
        values = position[key]
        kinds = (int, float) if key == "reward" else (int,)
        if (
            not isinstance(values, list | tuple)
            or len(values) != count
            or any(isinstance(value, bool) or not isinstance(value, kinds) for value in values)
            or any(not -(2**15) < value < 2**15 if key != "ticks" else not 0 <= value < 2**31 for value in values)
        ):
            what = "numbers" if key == "reward" else "whole numbers"
            raise PositionError(f"{self.name} position: {key} is {shortened(values)}; give {count} {what}")
        return list(values)
