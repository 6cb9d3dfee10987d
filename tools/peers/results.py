"""The results of a comparison: what was measured, on what, and the ratios; as JSON has them and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tools.peers.lane import Kind
from tooth_envs.errors import ToothError
from tooth_envs.spec.files import read_text
from tooth_envs.spec.validation import AsTuple, StrictModel, validated

SIZE_LIMIT = 1 << 22
"""Bytes of the largest file of results that is read."""

FROM_OTHERS: dict[Kind, Kind] = {"table": "play", "batch_1": "play", "batch": "play", "training": "training"}
"""Ways of ours -> the lanes of others that they are compared with. Playout makes no observations: with none."""

Rate = Annotated[float, Field(gt=0)]


class Machine(StrictModel):
    """What it ran on. ``load_average`` is that of the minute before."""

    cpu: str
    cores: int
    usable_cores: int
    numba_threads: int
    load_average: float | None
    system: str
    compiled: bool


class Row(StrictModel):
    """One lane: its decisions per second in every round, or the reason why there are none."""

    key: str
    ours: bool
    kind: Kind
    game: str
    title: str
    library: str
    what: str
    threads: int
    seats: int | None = None
    observation: int | None = None
    actions: int | None = None
    rates: Annotated[tuple[Rate, ...], AsTuple] = ()
    problem: str | None = None

    @model_validator(mode="after")
    def _measured_or_not(self) -> Row:
        if (self.problem is None) != bool(self.rates):
            raise ValueError(f"row {self.key}: has either rates or a problem")
        return self


class Comparison(StrictModel):
    """All rows of one run.

    Attributes:
        date: as given, for people.
        repeats: rounds; ``rates[i]`` of all rows are from round i.
        seconds: length of one measurement of playing.
        num_envs: rows of our batches.
        threads: what training, on both sides, and our batch "on all threads" may use.
        machine, versions: what it ran on; a package that was not there has no version.
        rows: ours first.
    """

    format: Literal[1] = 1
    date: str
    repeats: int = Field(ge=1)
    seconds: float = Field(gt=0)
    num_envs: int = Field(ge=1)
    threads: int = Field(ge=1)
    machine: Machine
    versions: dict[str, str | None]
    rows: Annotated[tuple[Row, ...], AsTuple]

    @model_validator(mode="after")
    def _whole(self) -> Comparison:
        keys = [row.key for row in self.rows]
        if len(set(keys)) != len(keys):
            raise ValueError("two rows have the same key")
        for row in self.rows:
            if row.rates and len(row.rates) != self.repeats:
                raise ValueError(
                    f"row {row.key}: has {len(row.rates)} rates, not one for each of {self.repeats} rounds"
                )
        return self

    def of(self, kind: Kind) -> list[Row]:
        """Our rows of one kind."""
        return [row for row in self.rows if row.ours and row.kind == kind]

    def others(self, kind: Kind) -> list[Row]:
        """The rows of others that ours of a kind are compared with."""
        return [row for row in self.rows if not row.ours and row.kind == FROM_OTHERS.get(kind)]


@dataclass(frozen=True)
class Spread:
    """Median, lowest and highest over the rounds."""

    median: float
    low: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Median, lowest and highest of at least one value."""
    return Spread(median(values), min(values), max(values))


def ratio(row: Row, other: Row) -> Spread | None:
    """How many times faster a row is than another, round by round; None if one of them was not measured."""
    if not row.rates or not other.rates:
        return None
    return spread([mine / theirs for mine, theirs in zip(row.rates, other.rates, strict=True)])


def data_path(page: Path) -> Path:
    """Where the numbers of a page are kept: ``data/NAME.json`` beside it."""
    return page.parent / "data" / f"{page.stem}.json"


def load(path: Path) -> Comparison:
    """Read the results of a run.

    Raises:
        ToothError: it cannot be read or is no such file, one line per problem.
    """
    text = read_text(path, SIZE_LIMIT, "the JSON file that a comparison wrote")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise ToothError(f"{path}: is no JSON: {problem}") from None
    if not isinstance(data, dict):
        raise ToothError(f"{path}: holds no results of a comparison; give the JSON file that one wrote")
    return validated(Comparison, data, str(path), ToothError)
