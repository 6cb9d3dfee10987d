"""Playing one game: dealing, legal actions, steps, views, worlds, words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tooth_envs.engine import loops
from tooth_envs.engine.chance import FAULT_ENDLESS, FAULTS, set_script
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.integers import integer
from tooth_envs.engine.state import RUNNING, record, zeros
from tooth_envs.errors import (
    GameFault,
    GameOver,
    IllegalAction,
    OptionError,
    ScriptError,
    ToothError,
    shortened,
)
from tooth_envs.spec.declaration import Declaration
from tooth_envs.spec.layout import Layout
from tooth_envs.spec.validation import suggestion


class Playing(Declaration):
    """A game that can be played. States are arrays of length 1."""

    def new_states(self, count: int = 1) -> np.ndarray:
        """Blank states, not dealt."""
        states = zeros(self.state_dtype, count)
        states[:] = self.blank[0]
        return states

    def new_mask(self) -> np.ndarray:
        """An all-zero mask (int8)."""
        return np.zeros(len(self.actions), np.int8)

    def deal(
        self,
        seed: int,
        mask: np.ndarray | None = None,
        script: Mapping[str, Sequence[int]] | None = None,
        trace: bool = False,
    ) -> np.ndarray:
        """A new game at its first decision.

        Args:
            seed: names the deal and all later chance; 0 .. 2**63 - 1.
            mask: if given, filled with what is legal.
            script: chance outcomes to use first, per kind (engine/chance.py).
            trace: write events.

        Raises:
            ScriptError: a scripted outcome cannot happen.
        """
        states = self.new_states()
        state = record(states)
        state.seed = checked_seed(seed)
        state.tracing = trace
        if script is not None:
            set_script(state, script)
        loops.start_one(self.tables, states, self.new_mask() if mask is None else mask)
        self.check_fault(state)
        return states

    def legal_mask(self, states: np.ndarray) -> np.ndarray:
        """What the seat to act may do (int8 [A]); all zero when nobody is asked."""
        mask = self.new_mask()
        loops.legal_one(self.tables, states, mask)
        return mask

    def step(self, states: np.ndarray, action: int, mask: np.ndarray | None = None) -> None:
        """Carry out a decision; ``mask``, if given, becomes what is legal next.

        Raises:
            IllegalAction, GameOver, ScriptError: nothing has changed.
        """
        self.check_action(states, action, self.legal_mask(states))
        before = states.copy() if record(states).script_end.any() else None
        loops.step_one(self.tables, states, int(action), self.new_mask() if mask is None else mask)
        try:
            self.check_fault(record(states))
        except ScriptError:
            if before is not None:
                states[0] = before[0]
            raise

    def check_fault(self, state: Any) -> None:
        """Raise ScriptError if a scripted outcome could not happen, and GameFault if the rules did not come back."""
        if state.fault == FAULT_ENDLESS:
            raise GameFault(
                f"{self.name}: {FAULTS[state.fault]} after {int(state.steps)} decisions of the game with seed "
                f"{int(state.seed)}, and the game was cut off; this is a defect of its rules, or of the deck"
            )
        if state.fault:
            raise ScriptError(
                f"{self.name} script: {FAULTS[state.fault]}; outcomes are used in the order in which chance is asked"
            )

    def check_action(self, states: np.ndarray, action: Any, mask: np.ndarray) -> None:
        """Raise IllegalAction (or GameOver) unless an action is legal under the mask."""
        state = record(states)
        if state.over != RUNNING:
            raise GameOver(f"{self.name}: the game is over; reset it before stepping again")
        if state.seat < 0:
            raise GameOver(f"{self.name}: play is halted before {self.phases[state.phase]}; resume it first")
        number = integer(action)
        if number is None:
            name, reason = "no action", f"give the index of an action, an integer from 0 to {len(self.actions) - 1}"
        elif not 0 <= number < len(self.actions):
            name, reason = "no action", f"actions are 0 to {len(self.actions) - 1}"
        elif mask[number]:
            return
        else:
            name, reason = self.actions[number], self.why_not(state, number)
        raise IllegalAction(action, name, int(state.seat), self.decisions[state.decision], reason)

    def view(self, states: np.ndarray, seat: int) -> Any:
        """What a seat may know, as a record with named fields."""
        vectors = np.zeros((1, self.layout.length), np.int16)
        views = views_of(vectors, self.layout)
        loops.view_one(self.tables, states, seat, views, vectors)
        return vectors[0].view(self.layout.dtype).view(np.recarray)[0]

    def observe(self, states: np.ndarray, seat: int) -> np.ndarray:
        """A seat's observation: float32 [layout.size] in [0, 1]."""
        vectors = np.zeros((1, self.layout.length), np.int16)
        out = np.zeros(self.layout.size, np.float32)
        loops.observe_one(self.tables, states, seat, views_of(vectors, self.layout), vectors, self.layout.codec, out)
        return out

    def resample(self, states: np.ndarray, seat: int, seed: int) -> np.ndarray:
        """A world that looks the same to ``seat``: a copy in which everything it cannot know is drawn anew."""
        world = states.copy()
        loops.resample_one(self.tables, world, seat, checked_seed(seed))
        return world

    def legal_names(self, state: Any) -> list[str]:
        """Names of the actions that are legal in a state (one record)."""
        states = self.new_states()
        states[0] = state
        return [self.actions[action] for action in np.flatnonzero(self.legal_mask(states))]

    def why_not(self, state: Any, action: int) -> str:
        """Why an action of the table is illegal now, with the rule's number."""
        return f"legal now: {', '.join(self.legal_names(state))}"

    def action_index(self, name: str) -> int:
        """The index of an action by its name (case does not matter).

        Raises:
            ToothError: no action has this name.
        """
        word = name.strip().lower() if isinstance(name, str) else None
        for index, known in enumerate(self.actions):
            if known.lower() == word:
                return index
        hint = suggestion(name, list(self.actions))
        raise ToothError(f"{self.name}: no action is named {shortened(name)}{hint}")

    def explain(self, observation: np.ndarray) -> str:
        """An observation turned back into words."""
        return self.describe(self.layout.as_record(self.layout.decode(observation)))


def checked_seed(seed: Any) -> int:
    """A seed as a Python int.

    Raises:
        OptionError: not an integer from 0 to 2**63 - 1.
    """
    number = integer(seed)
    if number is None or not 0 <= number < 2**63:
        raise OptionError(f"seed is {shortened(seed)}; give an integer from 0 to 2**63 - 1")
    return number


def views_of(vectors: np.ndarray, layout: Layout) -> np.ndarray:
    """View records sharing the memory of int16 vectors [N, length]."""
    views = vectors.view(layout.dtype).reshape(len(vectors))
    return views if JIT else views.view(np.recarray)
