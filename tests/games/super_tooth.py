"""Small helpers of the tests of Super Tooth."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from tooth_envs.games.super_tooth.game import SuperTooth, cards
from tooth_envs.spec.game import Game
from tooth_envs.spec.registry import game

PREPUB = {
    "tri": 6,
    "igu": 7,
    "ana": 7,
    "par": 6,
    "ank": 6,
    "pro": 6,
    "sar": 3,
    "bar": 2,
    "alb": 2,
    "tar": 2,
    "vel": 2,
    "egg": 2,
    "que": 2,
    "vol": 1,
    "rex": 1,
    "sun": 1,
    "ast": 1,
    "sta": 1,
    "fol": 1,
    "das": 1,
    "tim": 2,
}
"""Cards of the usual deck by code."""

NAME = "super_tooth"


def tooth(**options: object) -> SuperTooth:
    """The game under options."""
    made = game(NAME, **options)
    assert isinstance(made, SuperTooth)
    return made


def follow(table: Game, states: np.ndarray, *names: str) -> None:
    """Carry out actions by name."""
    for name in names:
        table.step(states, table.action_index(name))


def deck_file(folder: Path, counts: dict[str, int]) -> str:
    """The standard deck with other numbers of copies."""
    text = (Path(cards.__file__).parent / "deck.toml").read_text()
    for kind, count in counts.items():
        text, changed = re.subn(rf'(id = "{kind}".*?count = )\d+', rf"\g<1>{count}", text)
        assert changed == 1, kind
    file = folder / "changed.toml"
    file.write_text(text)
    return str(file)
