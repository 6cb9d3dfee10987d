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

from tooth_envs.errors import ToothError


def check_batch(
    name: str,
    observation: np.ndarray | None,
    view: np.ndarray | None,
    mask: np.ndarray,
    key: np.ndarray | None = None,
) -> None:
    """What an agent is asked must be answerable.

    Args:
        name: the agent's, the beginning of messages.
        observation, view, mask, key: see ``Agent.act``; None for what the agent does not look at.

    Raises:
        ToothError: they are not of one batch, or a row has no legal action.
    """
    arrays = {"mask": mask, "observation": observation, "view": view, "key": key}
    for what, array in arrays.items():
        if array is not None and not isinstance(array, np.ndarray):
            raise ToothError(f"{name}: {what} is a {type(array).__name__}; give an array")
    shapes = {what: list(np.shape(array)) for what, array in arrays.items() if array is not None}
    if (
        len(shapes["mask"]) != 2
        or len({shape[:1] == [len(mask)] for shape in shapes.values()}) != 1
        or (key is not None and key.ndim != 1)
    ):
        raise ToothError(
            f"{name}: " + ", ".join(f"{what} {shape}" for what, shape in shapes.items()) + " do not belong together: "
            "give mask [N, actions], observation [N, numbers], view [N] and key [N]"
        )
    if key is not None and key.dtype.kind not in "iu":
        raise ToothError(f"{name}: key is {key.dtype}; give integers")
    legal = (mask != 0).any(axis=1)
    if not legal.all():
        raise ToothError(
            f"{name}: row {int(legal.argmin())} of the mask has no legal action, so there is nothing to choose"
        )


@runtime_checkable
class Agent(Protocol):
    """Chooses actions. Any object with this method is an agent; ``name`` and ``wants_worlds`` are optional.

    ``name`` is a text for reports. ``wants_worlds`` is a number K: ``act`` is then given a fifth argument, records
    [N, K] of worlds that look like the true state to the seat that decides (tooth_envs/envs/asking.py).
    """

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
