"""What an agent is, and where its randomness comes from.

An agent maps a batch of decisions to actions. Its noise comes from the keys it is given, one per decision,
and from nothing else, so results do not depend on batch size, order or number of workers. Agents hold no state
between decisions; what a seat remembers of the game is in its view.

An agent may also have a method ``probabilities(observation, view, mask)`` that tells its policy as float64 [N, A], zero
where illegal, each row adding up to 1. Exact methods use it; for agents without it they draw actions.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Agent(Protocol):
    """Chooses actions."""

    name: str

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        """Choose one legal action per row.

        Args:
            observation: float32 [N, D], what each seat to act observes.
            view: records [N] with named int16 fields, the same in words and numbers (``game.layout``).
            mask: int8 [N, A], legal actions; no row is all zero.
            key: int64 [N], a random key per decision.

        Returns:
            int64 [N].
        """
        ...
