"""What a network looks like, as data: part of configurations and checkpoints. Needs no torch."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import Field, field_validator

from tooth_envs.spec.validation import IntTuple, StrictModel

WIDEST = 8192
"""Neurons that a layer may have: a bound on what a file can make a loader allocate."""


class NetworkSpec(StrictModel):
    """The layers between observation and heads (agents/network.py)."""

    hidden: IntTuple = Field(default=(256, 256), min_length=1, max_length=16, description="widths of the shared layers")
    layer_norm: bool = Field(default=False, description="normalise each layer's sums before its ReLU")

    @field_validator("hidden")
    @classmethod
    def _widths(cls, hidden: tuple[int, ...]) -> tuple[int, ...]:
        if not all(1 <= width <= WIDEST for width in hidden):
            raise ValueError(f"widths of layers are 1 to {WIDEST}")
        return hidden


def json_digest(data: Any) -> str:
    """sha256 of data as canonical JSON."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
