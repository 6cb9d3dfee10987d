from __future__ import annotations

import numpy as np
import pytest
from tooth_training.evaluation import statistics
from tooth_training.evaluation.statistics import Estimate, cluster_bootstrap, normal_mean, wilson


def test_bootstrap_is_what_its_name_says() -> None:
    values = np.random.default_rng(5).normal(size=(12, 3))
    drawn = np.random.default_rng(7).integers(0, 12, size=(500, 12))
    means = np.array([values[rows].mean(axis=0) for rows in drawn])
    found = cluster_bootstrap(values, seed=7, resamples=500, confidence=0.9)
    for column, estimate in enumerate(found):
        assert estimate.mean == pytest.approx(values[:, column].mean())
        assert estimate.low == pytest.approx(np.quantile(means[:, column], 0.05))
        assert estimate.high == pytest.approx(np.quantile(means[:, column], 0.95))


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    generator = np.random.default_rng(0)
    held = 0
    for repeat in range(400):
        low, high = _bounds(cluster_bootstrap(generator.exponential(size=(80, 1)), repeat, resamples=1000)[0])
        held += low <= 1.0 <= high
    assert 0.89 <= held / 400 <= 0.98


def test_more_blocks_make_narrower_intervals() -> None:
    values = np.random.default_rng(1).normal(size=(1600, 1))
    narrow, wide = (_bounds(cluster_bootstrap(part, 3)[0]) for part in (values, values[:100]))
    assert (wide[1] - wide[0]) / (narrow[1] - narrow[0]) == pytest.approx(4.0, rel=0.25)


def test_equal_blocks_give_no_width_at_all() -> None:
    third = 1 / 3
    assert cluster_bootstrap(np.full((17, 1), third), 0) == [Estimate(third, third, third)]


def test_one_block_has_no_interval() -> None:
    assert cluster_bootstrap(np.array([[0.25, 2.0]]), 0) == [Estimate(0.25, None, None), Estimate(2.0, None, None)]


def test_the_seed_decides_the_draws() -> None:
    values = np.random.default_rng(2).normal(size=(40, 2))
    assert cluster_bootstrap(values, 1) == cluster_bootstrap(values, 1)
    assert cluster_bootstrap(values, 1) != cluster_bootstrap(values, 2)


def test_memory_is_bounded_without_changing_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).normal(size=(50, 1))
    whole = _bounds(cluster_bootstrap(values, 1)[0])
    monkeypatch.setattr(statistics, "_DRAWS_AT_ONCE", 333)
    parts = _bounds(cluster_bootstrap(values, 1)[0])
    assert parts == pytest.approx(whole, abs=0.02)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(8, 10, 0.4901, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962)],
)
def test_wilson_against_published_values(successes: float, trials: int, low: float, high: float) -> None:
    estimate = wilson(successes, trials)
    assert estimate.mean == successes / trials
    assert _bounds(estimate) == pytest.approx((low, high), abs=1e-4)


def test_normal_mean() -> None:
    assert normal_mean(np.array([3.0])) == Estimate(3.0, None, None)
    estimate = normal_mean(np.array([1.0, 2.0, 3.0, 4.0]))
    half = 1.959964 * np.sqrt(5 / 3) / 2
    assert (estimate.low, estimate.mean, estimate.high) == pytest.approx((2.5 - half, 2.5, 2.5 + half))


def _bounds(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high
