"""The end of a game: ranks from scores, and what they pay.

Every game calls ``rank_by`` and a ``pay_`` function from ``finish``. Where their specifications differ, the
difference is an argument.
"""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.enums import Named
from tooth_envs.engine.records import Numbers, StateRecord


class Payment(Named):
    """What the final rewards follow: the option ``reward`` in small letters."""

    RANK = "the places, evenly spaced"
    WINNER = "first place alone"
    SCORE = "the distance from the mean score"


class Split(Named):
    """What n seats pay the k who share first place."""

    STAKES = "each seat's stake of 1 / (n - 1) goes into a pot, which the first share evenly"
    ONE = "the others together lose 1, the first together win it"
    EACH = "each of the first wins up to 1 from the others, who lose it together, up to 1 each"


@compiled
def rank_by(state: StateRecord, scores: Numbers) -> None:
    """Competition ranks: 1 and the number of seats with a higher score."""
    for seat in range(state.players):
        better = 0
        for other in range(state.players):
            better += int(scores[other] > scores[seat])
        state.rank[seat] = 1 + better


@compiled
def winners(state: StateRecord) -> int:
    """The seats that are ranked first, as a bit mask."""
    mask = 0
    for seat in range(state.players):
        mask |= int(state.rank[seat] == 1) << seat
    return mask


@compiled
def pay_rank(state: StateRecord) -> None:
    """1 for first place down to -1 for last, in even steps; tied seats share the mean of their places."""
    n = int(state.players)
    for seat in range(n):
        worse = 0
        for other in range(n):
            worse += int(state.rank[other] > state.rank[seat])
        state.reward[seat] += (worse - int(state.rank[seat]) + 1) / (n - 1)


@compiled
def pay_winner(state: StateRecord, split: int) -> None:
    """Pay first place. Where a tie includes everybody, nobody gets anything.

    Args:
        split: a ``Split``.
    """
    n = int(state.players)
    first = 0
    for seat in range(n):
        first += int(state.rank[seat] == 1)
    if first == n:
        return
    won = 0.0
    lost = 0.0
    if split == Split.STAKES:
        won = (n / first - 1.0) / (n - 1)
        lost = 1.0 / (n - 1)
    elif split == Split.ONE:
        won = 1.0 / first
        lost = 1.0 / (n - first)
    else:
        won = min(1.0, (n - first) / first)
        lost = min(1.0, first / (n - first))
    for seat in range(n):
        state.reward[seat] += won if state.rank[seat] == 1 else -lost


@compiled
def pay_score(state: StateRecord, scores: Numbers, scale: int) -> None:
    """Pay the distance from the mean score, in units of ``scale``."""
    n = int(state.players)
    total = 0
    for seat in range(n):
        total += int(scores[seat])
    for seat in range(n):
        state.reward[seat] += (int(scores[seat]) - total / n) / scale
