"""What the checks of a game have found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


class CheckFailed(AssertionError):
    """A check of a game has failed; the text names the checks and says why."""


class Skipped(Exception):
    """A check does not apply to a game; the text says why."""


@dataclass(frozen=True)
class Result:
    """One check under one set of options.

    Attributes:
        check: its name. options: the game's.
        outcome: passed, failed, or skipped because it does not apply.
        message: why it failed, with the seed and step where it can be seen again; or why it was skipped.
    """

    check: str
    options: Mapping[str, Any]
    outcome: Literal["passed", "failed", "skipped"]
    message: str = ""


@dataclass
class Report:
    """All results.

    Attributes:
        game: its short name.
        results: in the order of the checks, one after the other for every set of options.
    """

    game: str
    results: list[Result] = field(default_factory=list)

    @property
    def failures(self) -> list[Result]:
        """What has failed."""
        return [result for result in self.results if result.outcome == "failed"]

    @property
    def ok(self) -> bool:
        """Whether nothing has failed."""
        return not self.failures

    def raise_failures(self) -> None:
        """Raise CheckFailed if something has failed."""
        if not self.ok:
            raise CheckFailed(str(self))

    def __str__(self) -> str:
        lines = []
        for result in self.results:
            options = ", ".join(f"{key}={value}" for key, value in result.options.items()) or "default options"
            lines.append(f"{result.outcome:<7}  {result.check}  ({options})")
            if result.message:
                lines += [f"           {line}" for line in result.message.splitlines()]
        count = {
            outcome: sum(r.outcome == outcome for r in self.results) for outcome in ("passed", "failed", "skipped")
        }
        lines.append(f"{self.game}: " + ", ".join(f"{number} {outcome}" for outcome, number in count.items()))
        return "\n".join(lines)
