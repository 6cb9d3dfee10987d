"""Intervals for what evaluations and statistics report.

Games of one deal block share their deal, so they are not independent; blocks are. Intervals of evaluations are
therefore percentile intervals of a cluster bootstrap over blocks (Efron and Tibshirani, "An Introduction to the
Bootstrap", 1993, chapter 13; Cameron, Gelbach and Miller, "Bootstrap-based improvements for inference with clustered
errors", 2008, on resampling whole clusters). Plain counts over independent games have Wilson's score interval
(Wilson, JASA 22, 1927).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

RESAMPLES = 10_000
CONFIDENCE = 0.95

_DRAWS_AT_ONCE = 4_000_000  # block numbers drawn at a time: 32 MB


@dataclass(frozen=True)
class Estimate:
    """A mean and its interval; ``low`` and ``high`` are None where the data cannot tell (a single block or game)."""

    mean: float
    low: float | None
    high: float | None


def cluster_bootstrap(
    values: np.ndarray, seed: int, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> list[Estimate]:
    """Means over blocks with percentile intervals.

    Args:
        values: float64 [B, S], S statistics of each of B blocks; every block weighs the same.
        seed: names the resampling; equal input and seed give equal intervals.
        resamples: how many times B blocks are drawn with replacement. All statistics share the draws.
        confidence: the probability that an interval is meant to have, such as 0.95.

    Returns:
        One Estimate per statistic. With one block the interval is undefined (None). It has no width if all blocks
        agree. With few blocks (under about 30) percentile intervals are too narrow.
    """
    values = np.asarray(values, np.float64)
    blocks = len(values)
    # Differences from the first block: where all blocks are equal they are exactly zero, and so is the width.
    base = values[0]
    differences = values - base
    means = base + differences.mean(axis=0)
    if blocks == 1:
        return [Estimate(float(mean), None, None) for mean in means]
    generator = np.random.default_rng(seed)
    parts = []
    at_once = max(1, _DRAWS_AT_ONCE // blocks)
    for first in range(0, resamples, at_once):
        rows = min(at_once, resamples - first)
        drawn = generator.integers(0, blocks, size=(rows, blocks))
        drawn += np.arange(rows)[:, None] * blocks
        weights = np.bincount(drawn.reshape(-1), minlength=rows * blocks).reshape(rows, blocks)
        parts.append(weights.astype(np.float64) @ differences / blocks)
    tail = (1.0 - confidence) / 2.0
    low, high = base + np.quantile(np.concatenate(parts), [tail, 1.0 - tail], axis=0)
    return [Estimate(float(m), float(a), float(b)) for m, a, b in zip(means, low, high, strict=True)]


def _normal_quantile(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2.0)


def wilson(successes: float, trials: int, confidence: float = CONFIDENCE) -> Estimate:
    """A share of independent games with Wilson's score interval.

    Args:
        successes: how many; fractions (a shared win) are allowed and make the interval wider than need be.
        trials: out of how many, at least 1.
        confidence: the probability that the interval is meant to have.
    """
    z = _normal_quantile(confidence)
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return Estimate(share, float(max(0.0, middle - half)), float(min(1.0, middle + half)))


def normal_mean(values: np.ndarray, confidence: float = CONFIDENCE) -> Estimate:
    """The mean of many independent numbers with the normal interval, mean +- z s / sqrt(n).

    Args:
        values: numbers [N]; the interval is undefined (None) for one.
        confidence: the probability that the interval is meant to have.
    """
    values = np.asarray(values, np.float64)
    mean = float(values.mean())
    if len(values) == 1:
        return Estimate(mean, None, None)
    half = _normal_quantile(confidence) * float(values.std(ddof=1)) / float(np.sqrt(len(values)))
    return Estimate(mean, mean - half, mean + half)
