"""A game as an explicit tree: decisions, chance with probabilities, and what each seat has observed.

For exact methods on small configurations. Chance is enumerated by replay: a step is carried out with a script
of the outcomes chosen so far, and if the rules ask chance once more, the node is a chance node with as many
equally likely outcomes as were asked for. Rules, views and rewards are the engine's own.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from tooth_envs.engine import loops
from tooth_envs.engine.chance import set_script
from tooth_envs.engine.state import RUNNING, digest, record
from tooth_envs.errors import ScriptError, ToothError
from tooth_envs.spec.game import Game

CHANCE, OVER = -1, -2
"""Values of ``Node.player`` where no seat decides."""


class Node:
    """One point of a game. Nodes are never changed; ``child`` makes new ones.

    Attributes:
        game: the game with its options.
        player: the seat to act, CHANCE, or OVER.
        states: the state (array of length 1, at every call a new copy); at a chance node, the one before the step that
            asks chance.
        returns: float64 [num_players], rewards up to here; not to be written to.
        last_rewards: float64 [num_players], rewards of the step that led here; likewise.
        depth: decisions taken so far.
    """

    __slots__ = (
        "_action",
        "_histories",
        "_open",
        "_outcomes",
        "_states",
        "_views",
        "depth",
        "game",
        "last_rewards",
        "player",
        "returns",
    )

    def __init__(self, game: Game) -> None:
        """The root: nothing has been dealt."""
        self.game = game
        self._states = game.new_states()
        self.returns = np.zeros(game.num_players)
        self.last_rewards = np.zeros(game.num_players)
        self.depth = 0
        self._histories: tuple[bytes, ...] = (b"",) * game.num_players
        self._views: tuple[bytes, ...] = (b"",) * game.num_players
        self._action: int | None = None
        self._outcomes: tuple[int, ...] = ()
        self._open = 0
        self._run(self)

    def __copy__(self) -> Node:
        return self  # never changed

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        return self

    @property
    def states(self) -> np.ndarray:
        """A copy of the state (see the head of the class)."""
        return self._states.copy()

    def _copy(self) -> Node:
        node = object.__new__(Node)
        for name in Node.__slots__:
            setattr(node, name, getattr(self, name))
        return node

    def _run(self, origin: Node) -> None:
        """Carry out the pending step with the outcomes chosen so far; stay at a chance node if that is not enough.

        ``origin`` is the node before the step: its state, returns and histories are what the step starts from.
        """
        trial = origin._states.copy()
        state = record(trial)
        state.open_count = 0
        if self._outcomes:
            self._script(state)
        mask = self.game.new_mask()
        if self._action is None:
            loops.start_one(self.game.tables, trial, mask)
        else:
            loops.step_one(self.game.tables, trial, self._action, mask)
        self.game.check_fault(state)
        if state.open_count:
            self.player = CHANCE
            self._open = int(state.open_count)
            self.last_rewards = np.zeros(self.game.num_players)
            return
        set_script(state, {})
        n = self.game.num_players
        self._open = 0
        self._states = trial
        dealt = self._action is None
        self.last_rewards = np.zeros(n) if dealt and state.over == RUNNING else np.array(state.reward[:n])
        self.last_rewards.flags.writeable = False
        self.returns = origin.returns + self.last_rewards  # what the deal pays is paid with the first decision
        self.returns.flags.writeable = False
        self.player = int(state.seat) if state.over == RUNNING else OVER
        views = tuple(self.game.view(trial, seat).tobytes() for seat in range(n))
        histories = []
        for seat, past in enumerate(origin._histories):
            own = not dealt and seat == origin.player_before
            if not own and views[seat] == origin._views[seat]:
                histories.append(past)  # it noticed nothing: how many steps passed must not be told either
                continue
            total = hashlib.blake2b(past, digest_size=12)
            total.update(f"{self._action};".encode() if own else b";")
            total.update(views[seat])
            histories.append(total.digest())
        self._histories, self._views = tuple(histories), views

    def _script(self, state: Any) -> None:
        try:
            set_script(state, {"any": self._outcomes})
        except ScriptError:
            raise ToothError(
                f"{self.game.name}: one step asks chance for {len(self._outcomes)} outcomes, which is more than a tree "
                "can have between two decisions; this configuration is too large to be unfolded"
            ) from None

    @property
    def player_before(self) -> int:
        """The seat whose decision the pending step carries out."""
        return int(record(self._states).seat)

    def legal(self) -> list[int]:
        """Legal actions of the seat to act, ascending."""
        if self.player < 0:
            return []
        return [int(action) for action in np.flatnonzero(self.game.legal_mask(self._states))]

    def chance(self) -> list[tuple[int, float]]:
        """Outcomes of a chance node and their probabilities; outcomes that lead to equal states are joined."""
        if self.player != CHANCE:
            return []
        joined: dict[str, list[int]] = {}
        for outcome in range(self._open):
            child = self.child(outcome)
            key = f"more {outcome}" if child.player == CHANCE else digest(child._states)
            joined.setdefault(key, []).append(outcome)
        return [(outcomes[0], len(outcomes) / self._open) for outcomes in joined.values()]

    def child(self, choice: int) -> Node:
        """The node after an action, or after a chance outcome.

        Raises:
            ToothError: the game is over, or the choice is not possible here.
        """
        node = self._copy()
        if self.player == CHANCE:
            if not 0 <= choice < self._open:
                raise ToothError(f"{self.game.name}: chance outcome {choice}; there are {self._open} from 0")
            node._outcomes = (*self._outcomes, choice)
        else:
            self.game.check_action(self._states, choice, self.game.legal_mask(self._states))
            node._action = choice
            node._outcomes = ()
            node.depth = self.depth + 1
        node._run(self)
        return node

    def information_state(self, seat: int) -> str:
        """Everything a seat has seen and done up to here, as a short unique string (perfect recall).

        Two points of the tree have the same string if and only if the seat's own actions, and the changes of its view
        between them, were the same. Steps at which it neither acted nor saw anything change do not count.
        """
        return f"seat {seat}: {self._histories[seat].hex()}"
