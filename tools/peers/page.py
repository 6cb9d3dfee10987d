"""The page of a comparison: Markdown, made of the results alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.peers.lane import Kind
from tools.peers.results import FROM_OTHERS, Comparison, Row, Spread, ratio, spread

BUSY = 0.25
"""Load average of the minute before, above which the page says that others were using the machine."""


@dataclass(frozen=True)
class Expectation:
    """What the suite is meant to reach.

    Attributes:
        text: of it, ending in what it is compared with.
        kind: which rows of ours. All of them are to reach it.
        others: keys of the rows it is to be faster than.
        times: by how many times.
    """

    text: str
    kind: Kind
    others: tuple[str, ...]
    times: float


def _openspiel(way: str) -> tuple[str, ...]:
    return tuple(f"openspiel_{game}_{way}" for game in ("kuhn_poker", "liars_dice", "hearts"))


EXPECTATIONS = (
    Expectation("TableEnv at least 4 times PettingZoo's tic-tac-toe", "table", ("pettingzoo_tictactoe",), 4.0),
    Expectation(
        "BatchEnv on one thread at least 20 times OpenSpiel's Python loop as documented",
        "batch_1",
        _openspiel("documented"),
        20.0,
    ),
    Expectation(
        "The same beside the leanest Python loop over OpenSpiel that we found", "batch_1", _openspiel("lean"), 20.0
    ),
    Expectation(
        "Training at least 10 times the documented path, at comparable network and PPO settings",
        "training",
        ("sb3_matched",),
        10.0,
    ),
    Expectation("Training at least 10 times the tutorial as it stands", "training", ("sb3_tutorial",), 10.0),
)

WAYS: dict[Kind, str] = {
    "table": "TableEnv",
    "batch_1": "BatchEnv, 1 thread",
    "batch": "BatchEnv, all threads",
    "playout": "compiled rules alone",
}


def render(results: Comparison) -> str:
    """The page.

    Args:
        results: of a run.

    Returns:
        Markdown, ending in a line break.
    """
    parts = [_opening(results), _expected(results), _training(results)]
    parts += [_game(results, row) for row in results.of("table")]
    parts += [_others(results), _what(results), _missing(results), _versions(results)]
    return "\n\n".join(part for part in parts if part) + "\n"


OPENING = """\
# Speed beside other libraries

Written by `make bench` (`python -m tools.peers --out docs/benchmarks.md`) from its numbers in `data/`, not
edited by hand.

- **Run:** {date}, all in one process on one machine, {repeats} rounds. Each round measures everything once, ours and
  others by turns, every second round in reverse. One measurement of playing takes {seconds:g} s; training takes a fixed
  number of decisions.
- **Machine:** {cpu}, {cores} cores ({usable} usable), {system}; load average in the minute before: {load}.
- **Threads:** playing uses one thread on both sides, except for our BatchEnv on all threads ({numba_threads}); training
  may use {threads} on both sides. The thread pools of numeric libraries are held to the same numbers.
- **Numbers:** decisions per second; a decision is one action of one seat, and chance is none. Median of the rounds
  (lowest–highest). Ratios are taken within each round, and their median, lowest and highest are told. A BatchEnv holds
  {num_envs:,} games.
- **Games differ.** Each library plays games of its own, whose rules, observations and lengths are not ours: the ratios
  say how much more a decision costs there, not how the same game would run."""

BUSY_NOTE = "**Other programs were using the machine during this run: trust its ratios more than its rates.**"
PLAIN_NOTE = "**numba's compiler was switched off: ours ran as plain Python.**"


def _opening(results: Comparison) -> str:
    machine = results.machine
    parts = [
        OPENING.format(
            date=results.date,
            repeats=results.repeats,
            seconds=results.seconds,
            cpu=machine.cpu,
            cores=machine.cores,
            usable=machine.usable_cores,
            system=machine.system,
            load=_load(machine.load_average),
            numba_threads=machine.numba_threads,
            threads=results.threads,
            num_envs=results.num_envs,
        )
    ]
    if machine.load_average is None or machine.load_average > BUSY:
        parts.append(BUSY_NOTE)
    if not machine.compiled:
        parts.append(PLAIN_NOTE)
    return "\n\n".join(parts)


def _load(load: float | None) -> str:
    return "unknown" if load is None else f"{load:g}"


# Expectations.


def _expected(results: Comparison) -> str:
    lines = ["## What was expected", ""]
    for expectation in EXPECTATIONS:
        lines.append(f"- **{expectation.text}:** {verdict(results, expectation)}")
    return "\n".join(lines)


def verdict(results: Comparison, expectation: Expectation) -> str:
    """Whether an expectation is reached, in words, with the pairs that decide it."""
    reached: list[tuple[Spread, str]] = []
    short: list[tuple[Spread, str]] = []
    unknown: list[str] = []
    rows = {row.key: row for row in results.rows}
    for mine in results.of(expectation.kind):
        for key in expectation.others:
            other = rows.get(key)
            found = None if other is None else ratio(mine, other)
            name = f"{mine.title} beside {key if other is None else other.title}"
            if found is None:
                unknown.append(name)
            else:
                (reached if found.median >= expectation.times else short).append((found, name))
    sentences = []
    if short:
        told = "; ".join(f"{name} {_told(found)}" for found, name in sorted(short, key=lambda pair: pair[0].median))
        sentences.append(f"**not reached** by {told}.")
    if reached:
        lowest, name = min(reached, key=lambda pair: pair[0].median)
        who = "Reached by the others" if short else "reached"
        sentences.append(f"{who}; the closest is {name}, {_told(lowest)}.")
        unsteady = [name for found, name in reached if found.low < expectation.times]
        if unsteady:
            sentences.append(f"Not in every round: {'; '.join(unsteady)}.")
    if unknown:
        sentences.append(f"Not known, because not measured: {'; '.join(unknown)}.")
    if not sentences:
        return "not known: nothing of ours was measured."
    return " ".join(sentences)


# Tables.


def _training(results: Comparison) -> str:
    parts = ["## Training"]
    for mine in results.of("training"):
        rows = [[f"ours: {mine.title}", str(mine.threads), _rate(mine), ""]]
        for other in results.others("training"):
            rows.append([_name(other), str(other.threads), _rate(other), _cell(ratio(mine, other))])
        parts.append(_table(["training", "threads", "decisions/s", "ours, times as fast"], rows))
    return "\n\n".join(parts) if len(parts) > 1 else ""


def _game(results: Comparison, table: Row) -> str:
    """One of our games: its rates, and its ratios to everyone else's."""
    mine = {kind: row for kind in WAYS for row in results.of(kind) if row.game == table.game}
    size = ""
    if table.seats is not None:
        size = f"{table.seats} seats, {table.observation} numbers observed, {table.actions} actions.\n\n"
    rates = _table(
        ["ours", "threads", "decisions/s"], [[WAYS[kind], str(row.threads), _rate(row)] for kind, row in mine.items()]
    )
    compared = [kind for kind in mine if kind in FROM_OTHERS]
    ratios = _table(
        ["times as fast as", *(WAYS[kind] for kind in compared)],
        [[_name(other), *(_cell(ratio(mine[kind], other)) for kind in compared)] for other in results.others("table")],
    )
    return f"## {table.title}\n\n{size}{rates}\n\n{ratios}"


def _others(results: Comparison) -> str:
    rows = [
        [
            _name(row),
            _number(row.seats),
            _number(row.observation),
            _number(row.actions),
            str(row.threads),
            _rate(row),
        ]
        for row in results.others("table")
    ]
    return "## The others, playing\n\n" + _table(
        ["library and game", "seats", "numbers observed", "actions", "threads", "decisions/s"], rows
    )


def _what(results: Comparison) -> str:
    """What each kind of row does per decision, told once for rows that do the same."""
    told: dict[str, list[str]] = {}
    for row in results.rows:
        name = WAYS.get(row.kind, "training") if row.ours else f"{row.library}, {row.title}"
        names = told.setdefault(row.what, [])
        if name not in names:
            names.append(name)
    lines = [f"- **{'; '.join(names)}:** {what}." for what, names in told.items()]
    return "\n".join(["## What each does per decision", "", *lines])


def _missing(results: Comparison) -> str:
    lines = [f"- {row.library}, {row.title}: {row.problem}" for row in results.rows if row.problem is not None]
    return "\n".join(["## Not measured", "", *lines]) if lines else ""


def _versions(results: Comparison) -> str:
    told = ", ".join(f"{name} {version or '(not installed)'}" for name, version in results.versions.items())
    return f"## Versions\n\n{told}."


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] + ["---:"] * (len(columns) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _name(row: Row) -> str:
    return f"{row.library}: {row.title}"


def _rate(row: Row) -> str:
    if not row.rates:
        return "not measured"
    return _told(spread(row.rates))


def _cell(found: Spread | None) -> str:
    return "not measured" if found is None else _told(found)


def _told(found: Spread) -> str:
    return f"{_figures(found.median)} ({_figures(found.low)}–{_figures(found.high)})"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _figures(value: float) -> str:
    """Three figures, in full: 0.123, 4.56, 78.9, 12,300."""
    if value >= 999.5:
        digits = max(0, len(str(int(value))) - 3)
        return f"{round(value, -digits):,.0f}"
    return f"{value:#.3g}".rstrip(".")
