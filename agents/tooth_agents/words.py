"""What an agent is shown, in words: for language models, logs and people."""

from __future__ import annotations

import numpy as np

from tooth_envs.spec.game import Game


def describe_view(game: Game, view: np.ndarray | np.void) -> str:
    """A view in words, several lines.

    Args:
        game: the game with its options.
        view: one record, such as ``view[i]`` of those given to ``act``.
    """
    return game.describe(_record(game, view))


def describe_legal(game: Game, view: np.ndarray | np.void, mask: np.ndarray) -> list[tuple[int, str, str]]:
    """The legal actions: (number, name, what it does, in words).

    Args:
        game, view: as for ``describe_view``.
        mask: int8 [A], such as ``mask[i]`` of those given to ``act``.
    """
    record = _record(game, view)
    return [
        (int(action), game.actions[action], game.describe_action(record, int(action)))
        for action in np.flatnonzero(mask)
    ]


def _record(game: Game, view: np.ndarray | np.void) -> np.ndarray:
    vector = np.frombuffer(np.asarray(view, game.layout.dtype).tobytes(), np.int16)
    record: np.ndarray = game.layout.as_record(vector)
    return record
