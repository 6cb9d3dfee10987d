"""GameMetrics: what can be counted of games that are over, besides how long they were and who won."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Groups:
    """Groups that seats belong to, such as the seats with a certain character.

    Attributes:
        names: the groups.
        member: int [M, P], the number of the group that each seat of each game belongs to; -1: to none.
    """

    names: tuple[str, ...]
    member: np.ndarray


@dataclass(frozen=True)
class GameMetrics:
    """Metrics of M games with P seats. Names of numbers and groups are the same for all games under the same options.

    Attributes:
        numbers: name -> numbers [M]. What happened or not is 1 or 0: its mean is a share of the games.
        groups: name -> what the seats of each game belonged to.
    """

    numbers: Mapping[str, np.ndarray] = field(default_factory=dict)
    groups: Mapping[str, Groups] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.numbers or self.groups)


def joined(parts: list[GameMetrics]) -> GameMetrics:
    """The facts of several lots of games, at least one, as those of one lot."""
    first = parts[0]
    return GameMetrics(
        {name: np.concatenate([part.numbers[name] for part in parts]) for name in first.numbers},
        {
            name: Groups(groups.names, np.concatenate([part.groups[name].member for part in parts]))
            for name, groups in first.groups.items()
        },
    )
