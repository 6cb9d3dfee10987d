"""What is measured: one lane for each way in which a library, or we, play or learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["playout", "batch_1", "batch", "table", "play", "training"]
"""Of ours: compiled rules alone, batch on one thread and on all, one table. Of others: playing. Of both: training."""


@dataclass(frozen=True)
class Ready:
    """A lane that can be measured.

    Attributes:
        measure: seconds to decisions per second. Training takes its own fixed number of decisions instead.
        observation: numbers that the acting seat observes.
        actions: size of the action space.
        seats: at the table.
    """

    measure: Callable[[float], float]
    observation: int
    actions: int
    seats: int


@dataclass(frozen=True)
class Lane:
    """One thing to measure.

    Attributes:
        key: short name, unique.
        ours: whether it is this suite or another library.
        kind: what it is compared with: ours that play with others that play, training with training.
        game: the short name of ours, or the other library's name of its game.
        title: of the game.
        library: who plays it.
        what: what is done per decision.
        threads: how many it may use.
        packages: the distributions that it runs on.
        prepare: builds it. May raise anything if it cannot be had here.
    """

    key: str
    ours: bool
    kind: Kind
    game: str
    title: str
    library: str
    what: str
    threads: int
    packages: tuple[str, ...]
    prepare: Callable[[], Ready]
