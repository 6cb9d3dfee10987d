"""The layout of a view: what each number means, its bounds, and how it becomes an observation.

A view is a record of int16 fields. A ``ViewField`` is either scaled to [0, 1] in the observation,
(v - low) / (high - low), or a category: one-hot over 0 .. high, all zero for -1 ("none").
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tooth_envs.engine.loops import CATEGORY, SCALED
from tooth_envs.engine.state import record_dtype, zeros

_CODEC = np.dtype(
    [("kind", "i4"), ("source", "i4"), ("target", "i4"), ("count", "i4"), ("low", "i4"), ("high", "i4")], align=True
)


@dataclass(frozen=True)
class ViewField:
    """One named part of a view.

    Attributes:
        name: field name in the view record.
        meaning: what it tells, in words; a first axis over seats is relative (0 is the observer, then clockwise).
        low, high: smallest and largest value.
        shape: array shape, () for a single number.
        names: for a category, the word for each value; its observation is one-hot.
        history: only filled and observed with the option ``history``.
    """

    name: str
    meaning: str
    low: int = 0
    high: int = 1
    shape: tuple[int, ...] = ()
    names: tuple[str, ...] = field(default=())
    history: bool = False

    @property
    def category(self) -> bool:
        """Whether the observation is one-hot."""
        return bool(self.names)

    @property
    def count(self) -> int:
        """How many numbers the field has in the view."""
        return int(np.prod(self.shape, dtype=int))

    @property
    def width(self) -> int:
        """How many numbers it has in the observation."""
        return self.count * (self.high + 1 if self.category else 1)


def _check_field(entry: ViewField) -> None:
    if entry.category:
        if entry.low not in (-1, 0) or len(entry.names) != entry.high + 1:
            raise ValueError(f"category {entry.name!r}: low is 0 or -1, and every value up to high has a name")
    elif not entry.low < entry.high:
        raise ValueError(f"view field {entry.name!r}: low must be below high")
    if not -32768 <= entry.low <= entry.high <= 32767:
        raise ValueError(f"view field {entry.name!r}: bounds must fit 16 bits")


class Layout:
    """All fields of a game's view, under given options.

    Attributes:
        fields: every field of the view record, in order.
        dtype: the view record (int16 fields only).
        length: numbers in the view.
        size: numbers in the observation.
        codec: runs for the compiled encoder.
        digest: changes with fields, their order, shapes, bounds and names of values, but not with how ``meaning`` is
            worded: when the same field comes to mean something else, the game's version has to change.
    """

    def __init__(self, fields: Sequence[ViewField], history: bool) -> None:
        self.fields = tuple(fields)
        self.history = history
        self.length = sum(entry.count for entry in self.fields)
        runs: list[list[int]] = []
        source = target = 0
        self._places: dict[str, tuple[int, int]] = {}
        for entry in self.fields:
            _check_field(entry)
            if history or not entry.history:
                run = [CATEGORY if entry.category else SCALED, source, target, entry.count, entry.low, entry.high]
                last = runs[-1] if runs else [-1] * 6
                if run[0] == SCALED == last[0] and run[4:] == last[4:] and source == last[1] + last[3]:
                    last[3] += entry.count  # neighbours with equal bounds are encoded in one go
                else:
                    runs.append(run)
                self._places[entry.name] = (source, target)
                target += entry.width
            source += entry.count
        self.size = target
        shown = [(history or not entry.history, entry) for entry in self.fields for _ in range(entry.count)]
        self._low = np.array([entry.low if seen else -32768 for seen, entry in shown], np.int16)
        self._high = np.array([entry.high if seen else 32767 for seen, entry in shown], np.int16)
        self._low.flags.writeable = self._high.flags.writeable = False
        self.codec = zeros(_CODEC, len(runs))
        self.codec[:] = [tuple(run) for run in runs]
        self.codec.flags.writeable = False
        self.dtype = np.dtype([(f.name, "i2", f.shape) if f.shape else (f.name, "i2") for f in self.fields])
        record_dtype([(f.name, "i2", f.shape) for f in self.fields])  # the same guards for names as in states
        rows = [{key: value for key, value in row.items() if key != "meaning"} for row in self.table()]
        self.digest = hashlib.blake2b(json.dumps(rows).encode(), digest_size=16).hexdigest()

    @property
    def observed(self) -> tuple[ViewField, ...]:
        """The fields that are part of the observation."""
        return tuple(entry for entry in self.fields if entry.name in self._places)

    def place(self, name: str) -> tuple[int, int]:
        """Where a field begins: (in the view, in the observation)."""
        return self._places[name]

    def table(self) -> list[dict[str, Any]]:
        """One row per observed field: name, shape, low, high, names, meaning and first index in the observation."""
        return [
            {
                "name": entry.name,
                "shape": list(entry.shape),
                "low": entry.low,
                "high": entry.high,
                "names": list(entry.names),
                "meaning": entry.meaning,
                "first": self._places[entry.name][1],
                "width": entry.width,
            }
            for entry in self.observed
        ]

    def decode(self, observation: np.ndarray) -> np.ndarray:
        """The view vector (int16) that an observation was made from; fields not observed are zero.

        Raises:
            ValueError: the observation has the wrong length, or numbers that are not finite.
        """
        flat = np.asarray(observation, dtype=np.float64).reshape(-1)
        if flat.shape != (self.size,):
            raise ValueError(f"an observation of this game has {self.size} numbers, but {flat.size} were given")
        if not np.isfinite(flat).all():
            raise ValueError("an observation's numbers are from 0 to 1, but some given ones are not finite")
        vector = np.zeros(self.length, np.int16)
        for entry in self.observed:
            source, target = self._places[entry.name]
            part = flat[target : target + entry.width]
            if entry.category:
                hot = part.reshape(entry.count, entry.high + 1)
                values = np.where(hot.any(axis=1), hot.argmax(axis=1), -1)
            else:
                values = np.rint(part * (entry.high - entry.low) + entry.low)
            vector[source : source + entry.count] = values
        return vector

    def as_record(self, vector: np.ndarray) -> Any:
        """A view vector as a record with named fields (a copy)."""
        return np.array(vector, np.int16).view(self.dtype).view(np.recarray)[0]

    def as_arrays(self, view: Any) -> dict[str, np.ndarray]:
        """The structured observation: every observed field by name, as int16 arrays."""
        return {entry.name: np.array(view[entry.name], np.int16) for entry in self.observed}

    def out_of_bounds(self, vector: np.ndarray) -> list[str]:
        """Names of fields holding a value outside their declared bounds."""
        wrong = (vector < self._low) | (vector > self._high)
        if not wrong.any():
            return []
        names = []
        source = 0
        for entry in self.fields:
            if wrong[source : source + entry.count].any():
                names.append(entry.name)
            source += entry.count
        return names


@dataclass(frozen=True)
class Shown:
    """What a ``ViewRecord`` says about one field; ``shown`` and ``category`` make it.

    Texts in place of bounds and names stand for numbers and names that depend on options and deck
    (``ViewRecord.fields``).
    """

    meaning: str
    low: int | str
    high: int | str
    shape: tuple[int, ...]
    names: Sequence[str] | str
    history: bool


def shown(
    meaning: str, low: int | str = 0, high: int | str = 1, shape: tuple[int, ...] = (), *, history: bool = False
) -> Any:
    """Declare a field of a view that is scaled to [0, 1] in the observation (arguments as of ``ViewField``)."""
    return Shown(meaning, low, high, shape, (), history)


def category(
    meaning: str, names: Sequence[str] | str, low: int = -1, shape: tuple[int, ...] = (), *, history: bool = False
) -> Any:
    """Declare a field of a view that is one-hot in the observation: a name for every value from 0 on; -1 is none."""
    return Shown(meaning, low, -1, shape, names, history)


class ViewRecord:
    """The layout of a game's views as a class: its annotations are what rules and heuristics see of a view.

        class View(ViewRecord):
            hand: Numbers = shown("cards in hand, by rank", 0, "copies", (3,))
            active: int = category("whose turn it is", SEATS)

    No object of the class is ever made.
    """

    @classmethod
    def fields(
        cls, numbers: Mapping[str, int] | None = None, names: Mapping[str, Sequence[str]] | None = None
    ) -> list[ViewField]:
        """The fields in the order they are written.

        Args:
            numbers: what bounds given by name stand for; "-name" is the negative.
            names: what names of values given by name stand for.
        """
        numbers, words = numbers or {}, names or {}

        def bound(given: int | str) -> int:
            if isinstance(given, str):
                return -numbers[given[1:]] if given.startswith("-") else numbers[given]
            return given

        found = []
        for name, entry in vars(cls).items():
            if isinstance(entry, Shown):
                values = tuple(words[entry.names] if isinstance(entry.names, str) else entry.names)
                high = len(values) - 1 if values else bound(entry.high)
                found.append(ViewField(name, entry.meaning, bound(entry.low), high, entry.shape, values, entry.history))
        return found
