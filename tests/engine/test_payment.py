"""Ranks from scores, and what they pay."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import state_dtype
from tooth_envs.engine import payment
from tooth_envs.engine.compile import plain
from tooth_envs.engine.payment import Split
from tooth_envs.engine.state import record, zeros

DTYPE = state_dtype(5, 1, 1, 1)


def ended(*scores: int) -> tuple[object, np.ndarray]:
    state = record(zeros(DTYPE, 1))
    state.players = len(scores)
    numbers = np.zeros(5, np.int64)
    numbers[: len(scores)] = scores
    plain(payment.rank_by)(state, numbers)
    return state, numbers


def paid(state: object) -> list[float]:
    return state.reward[: state.players].tolist()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [((3, 1, 2), [1, 3, 2]), ((5, 5, 1, 5), [1, 1, 4, 1]), ((0, 0), [1, 1]), ((-1, -3, -1), [1, 3, 1])],
)
def test_ranks_are_competition_ranks(scores: tuple[int, ...], ranks: list[int]) -> None:
    state, _ = ended(*scores)
    assert state.rank[: len(scores)].tolist() == ranks  # type: ignore[attr-defined]
    assert plain(payment.winners)(state) == sum(1 << seat for seat, rank in enumerate(ranks) if rank == 1)


@pytest.mark.parametrize(
    ("scores", "rewards"), [((3, 1, 2), [1, -1, 0]), ((5, 5, 1, 0), [2 / 3, 2 / 3, -1 / 3, -1]), ((2, 2, 2), [0, 0, 0])]
)
def test_places_are_evenly_spaced(scores: tuple[int, ...], rewards: list[float]) -> None:
    state, _ = ended(*scores)
    plain(payment.pay_rank)(state)
    assert paid(state) == rewards


@pytest.mark.parametrize(
    ("split", "scores", "rewards"),
    [
        (Split.STAKES, (4, 1, 1, 1), [1, -1 / 3, -1 / 3, -1 / 3]),
        (Split.STAKES, (4, 4, 1, 1), [1 / 3, 1 / 3, -1 / 3, -1 / 3]),
        (Split.ONE, (4, 1, 1, 1), [1, -1 / 3, -1 / 3, -1 / 3]),
        (Split.ONE, (4, 4, 1, 1), [0.5, 0.5, -0.5, -0.5]),
        (Split.EACH, (4, 1, 1, 1), [1, -1 / 3, -1 / 3, -1 / 3]),
        (Split.EACH, (4, 4, 1, 1), [1, 1, -1, -1]),
        (Split.EACH, (4, 4, 4, 1), [1 / 3, 1 / 3, 1 / 3, -1]),
        *((split, (2, 2, 2), [0, 0, 0]) for split in Split),
    ],
)
def test_first_place_is_paid_by_the_others(split: Split, scores: tuple[int, ...], rewards: list[float]) -> None:
    state, _ = ended(*scores)
    plain(payment.pay_winner)(state, split)
    assert paid(state) == pytest.approx(rewards)
    assert sum(paid(state)) == pytest.approx(0)


def test_scores_are_paid_by_their_distance_from_the_mean() -> None:
    state, scores = ended(6, 2, 1)
    plain(payment.pay_score)(state, scores, 10)
    assert paid(state) == pytest.approx([0.3, -0.1, -0.2])
