"""How a run shows itself: a bar on a terminal, plain lines elsewhere (files, CI)."""

from __future__ import annotations

import time
from typing import Literal, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tooth_training.terminal import console as standard

LINES_EVERY = 10.0
"""Seconds between plain lines."""


class Reporter(Protocol):
    """Told how far a run is."""

    def update(self, decisions: int, rate: float, entropy: float, kl: float) -> None:
        """After every update: decisions so far, decisions per second, entropy and KL of the update."""

    def say(self, text: str) -> None:
        """One line of news."""

    def close(self) -> None:
        """The run is over."""


class Silent:
    """Shows nothing."""

    def update(self, decisions: int, rate: float, entropy: float, kl: float) -> None:
        """See Reporter."""

    def say(self, text: str) -> None:
        """See Reporter."""

    def close(self) -> None:
        """See Reporter."""


class Lines:
    """A plain line every few seconds.

    Args:
        total: decisions of the whole run.
        console: where to.
        every: seconds between lines.
    """

    def __init__(self, total: int, console: Console, every: float = LINES_EVERY) -> None:
        self._total = total
        self._console = console
        self._every = every
        self._last = -every

    def update(self, decisions: int, rate: float, entropy: float, kl: float) -> None:
        """See Reporter."""
        now = time.monotonic()
        if now - self._last < self._every and decisions < self._total:
            return
        self._last = now
        left = (self._total - decisions) / rate if rate > 0 else 0.0
        self.say(
            f"{decisions:>12,} / {self._total:,} decisions  {rate:>8,.0f}/s  {duration(left)} left  "
            f"entropy {entropy:.3f}  KL {kl:.4f}"
        )

    def say(self, text: str) -> None:
        """See Reporter."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """See Reporter."""


class Bar:
    """A live bar.

    Args:
        total: decisions of the whole run.
        done: decisions trained before.
        console: a terminal.
    """

    def __init__(self, total: int, done: int, console: Console) -> None:
        self._progress = Progress(
            TextColumn("training"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[news]}"),
            TimeElapsedColumn(),
            TextColumn("<"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._progress.add_task("", total=total, completed=done, news="")
        self._progress.start()

    def update(self, decisions: int, rate: float, entropy: float, kl: float) -> None:
        """See Reporter."""
        news = f"{rate:,.0f}/s  entropy {entropy:.3f}  KL {kl:.4f}"
        self._progress.update(self._task, completed=decisions, news=news)

    def say(self, text: str) -> None:
        """See Reporter."""
        self._progress.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        """See Reporter."""
        self._progress.stop()


def duration(seconds: float) -> str:
    """A length of time in words, such as 1 h 02 min."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def reporter(
    kind: Literal["auto", "bar", "lines", "silent"], total: int, done: int, console: Console | None = None
) -> Reporter:
    """What ``logging.progress`` of a configuration asks for.

    Args:
        kind: "auto" is a bar on a terminal and lines elsewhere.
        total, done: decisions of the whole run, and of them trained before.
        console: where to; None: standard error, so that standard output stays free for results.
    """
    console = console or standard(stderr=True)
    if kind == "silent":
        return Silent()
    if kind == "bar" or (kind == "auto" and console.is_terminal):
        return Bar(total, done, console)
    return Lines(total, console)
