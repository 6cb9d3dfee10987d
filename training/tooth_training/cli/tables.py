"""Results for people (tables on the terminal) and for programs (JSON files)."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rich import box
from rich.console import Console
from rich.table import Table

from tooth_envs.spec.files import Output, output
from tooth_envs.spec.game import Game
from tooth_training.evaluation.bench import BUSY, Bench
from tooth_training.evaluation.evaluate import FEW_BLOCKS, AgentResult, Report, Result
from tooth_training.evaluation.exploit import Exploitability
from tooth_training.evaluation.statistics import Estimate
from tooth_training.evaluation.stats import GameStats
from tooth_training.terminal import console as console

STDOUT = Path("-")
"""As a JSON file's path: write to standard output."""


def _table(columns: Sequence[str], left: int = 1) -> Table:
    """A table whose first ``left`` columns hold words and whose others hold numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(columns):
        if number < left:
            table.add_column(name, overflow="fold")
        else:
            table.add_column(name, justify="right")  # may wrap: a cropped number would be a wrong one
    return table


def short_labels(labels: Iterable[str], width: int) -> dict[str, str]:
    """Labels of agents as tables show them: long ones, such as paths, lose their middle, and stay distinct.

    Args:
        labels: the agents'.
        width: columns of the whole table; a label has up to a fifth of them, 12 at least.
    """
    room = max(12, width // 5)
    found: dict[str, str] = {}
    for label in labels:
        shown, number = label, 2
        if len(label) > room:
            tail = room - 1 - room // 3
            shown = f"{label[: room // 3]}…{label[-tail:]}"
            while shown in found.values():
                mark = f"~{number}"
                shown, number = f"{label[: room // 3]}…{label[-tail + len(mark) :]}{mark}", number + 1
        found[label] = shown
    return found


def _tell_short(shown: Mapping[str, str], out: Console) -> None:
    """What the shortened labels stand for."""
    for label, short in shown.items():
        if short != label:
            out.print(f"{short}: {label}", soft_wrap=True)


def _show(out: Console, title: str, table: Table) -> None:
    out.print(title, style="bold")
    out.print(table)


def interval(estimate: Estimate, digits: int = 3, percent: bool = False) -> str:
    """A mean with its interval: ``0.312 [0.290, 0.334]``, or ``31.2% [29.0, 33.4]``."""
    scale, unit = (100.0, "%") if percent else (1.0, "")
    digits = max(0, digits - 2) if percent else digits
    mean = f"{scale * estimate.mean:.{digits}f}{unit}"
    if estimate.low is None or estimate.high is None:
        return f"{mean} [no interval]"
    return f"{mean} [{scale * estimate.low:.{digits}f}, {scale * estimate.high:.{digits}f}]"


def verdict(estimate: Estimate, fair: float) -> str:
    """Where an interval lies: "above", "below" or "around" the fair value, "" if there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return "above" if estimate.low > fair else "below" if estimate.high < fair else "around"


def _results(result: Result | AgentResult) -> list[str]:
    return [interval(result.win_share, percent=True), interval(result.rank, 2), interval(result.reward)]


def _teams(teams: Sequence[int]) -> str:
    """Who plays with whom, "0 1 0 1"."""
    return " ".join(str(team) for team in teams)


def print_report(report: Report, out: Console) -> None:
    """An evaluation: headline, seats, lineups, pairs, and what was played."""
    fair, players, side = report.fair_share, report.num_players, report.side
    level = f"{100 * report.config['confidence']:g}% intervals over {report.blocks} deal blocks"
    share, rank = f"win share (fair {100 * fair:.1f}%)", f"rank (fair {report.fair_rank:g})"
    seats = f"{players} seats" if side == "seat" else f"{players} seats in teams {_teams(report.teams)}"
    out.print(f"{report.title}, {seats}: {report.blocks} blocks, {report.games} games, seed {report.seed}")
    out.print()
    shown = short_labels(report.agents, out.width)
    table = _table(["agent", "games", share, "", rank, "reward"])
    for agent in report.agents.values():
        numbers = _results(agent)
        table.add_row(shown[agent.label], str(agent.games), numbers[0], verdict(agent.win_share, fair), *numbers[1:])
    what = f"Agents, one {side} each among the others" if len(report.agents) > 1 else f"The agent in every {side}"
    _show(out, f"{what}; {level}", table)
    if len(report.agents) > 1:
        titles = [f"{side} {number}" for number in range(len(report.sides))]
        table = _table(["agent", *titles])
        for agent in report.agents.values():
            table.add_row(shown[agent.label], *(interval(held.win_share, percent=True) for held in agent.sides))
        _show(out, f"Win share by {side} held (fair {100 * fair:.1f}%)", table)
    table = _table([side, share, "", rank, "reward"])
    for number, held in enumerate(report.sides):
        numbers = _results(held)
        table.add_row(str(number), numbers[0], verdict(held.win_share, fair), *numbers[1:])
    _show(out, f"{side.capitalize()}s, whoever held them", table)
    if len(report.lineups) > 1:
        names = ["lineup (rotated)", "kind", f"one {side} of", "games", share, rank, "reward"]
        table = _table(names, left=3)
        for lineup in report.lineups:
            for place, (label, result) in enumerate(lineup.agents.items()):
                head = (
                    [", ".join(shown.get(side, side) for side in lineup.sides), lineup.kind] if place == 0 else ["", ""]
                )
                table.add_row(*head, shown.get(label, label), str(lineup.games), *_results(result))
        _show(out, "Lineups", table)
    if len(report.agents) > 1:
        table = _table([f"a {side} of", "ahead of", "games", "how often"], left=2)
        for pair in report.pairs:
            table.add_row(
                shown.get(pair.first, pair.first),
                shown.get(pair.second, pair.second),
                str(pair.games),
                interval(pair.ahead, percent=True),
            )
        _show(out, "Finishing ahead at the same table (ties half; fair 50%)", table)
    _tell_short(shown, out)
    for line in remarks(report):
        out.print(line)


def print_matches(reports: Sequence[Report], out: Console) -> None:
    """Matches of two agents each: what one seat (or team) of either wins among those of the other."""
    columns = [
        "one seat of" if all(report.side == "seat" for report in reports) else "one side of",
        "among",
        "seats",
        "blocks",
        "win share",
        "fair",
        "",
        "rank (fair)",
        "reward",
    ]
    table = _table(columns, left=2)
    shown = short_labels((label for report in reports for label in report.agents), out.width)
    for report in reports:
        labels = list(report.agents)
        for label, other in (labels, labels[::-1]):
            agent = report.agents[label]
            share, rank, reward = _results(agent)
            seats = str(report.num_players)
            if report.side == "team":
                seats += f" in teams {_teams(report.teams)}"
            counts = (seats, str(report.blocks))
            fair = (f"{100 * report.fair_share:.1f}%", verdict(agent.win_share, report.fair_share))
            table.add_row(shown[label], shown[other], *counts, share, *fair, f"{rank} ({report.fair_rank:g})", reward)
    _show(out, "Duplicate deals, 95% intervals over blocks", table)
    _tell_short(shown, out)
    for line in dict.fromkeys(line for report in reports for line in remarks(report)[2:]):
        out.print(line)


def remarks(report: Report) -> list[str]:
    """What to know before believing the numbers."""
    length = report.length
    ends = (
        f"Decisions per game: {interval(length.mean, 1)}, from {length.min} to {length.max}. Ended by the step cap: "
        f"{report.truncated}. Illegal actions: {report.illegal}."
    )
    distinct = (
        f"Distinct games: {report.distinct_games} of {report.games} (same deal and same actions count once); distinct "
        f"sequences of actions: {report.distinct_lines}."
    )
    lines = [ends, distinct]
    if len(report.agents) == 1:
        lines.append(f"An agent alone is fair by construction; what differs is what the {report.side}s are worth.")
    if report.blocks == 1:
        lines.append("One block tells nothing about chance: there are no intervals. Give more blocks.")
    elif report.blocks < FEW_BLOCKS:
        lines.append(f"With fewer than {FEW_BLOCKS} blocks the intervals are too narrow to trust.")
    return lines


def print_stats(stats: GameStats, out: Console) -> None:
    """Statistics of a game."""
    players, fair = stats.num_players, 100 * stats.fair_share
    seats = f"{players} seats" if 1 + max(stats.teams) == players else f"{players} seats in teams {_teams(stats.teams)}"
    out.print(f"{stats.title}, {seats}: {stats.games} games by {', '.join(stats.agents)}, seed {stats.seed}")
    out.print()
    table = _table(["mean", "min", *(f"{p}%" for p in stats.percentiles), "max"], left=0)
    middle = (f"{value:g}" for value in stats.percentiles.values())
    table.add_row(interval(stats.length, 2), str(stats.length_min), *middle, str(stats.length_max))
    _show(out, "Decisions per game", table)
    table = _table(["", "games", "share, 95% interval"])
    table.add_row("by the rules", str(stats.terminated), f"{100 * stats.terminated / stats.games:.1f}%")
    table.add_row("by the step cap", str(stats.truncated), interval(stats.truncated_share, percent=True))
    table.add_row("with several winners", "", interval(stats.shared_share, percent=True))
    _show(out, "Ends", table)
    names = ["seat", "agent", "wins", f"win share (fair {fair:.1f}%)", f"rank (fair {(players + 1) / 2:g})"]
    table = _table(names, left=2)
    for seat in stats.seats:
        table.add_row(
            str(seat.seat),
            seat.agent,
            f"{seat.wins:.1f}",
            interval(seat.win_share, percent=True),
            interval(seat.rank, 2),
        )
    _show(out, "Seats (tied winners split the game), 95% intervals", table)
    if stats.numbers:
        table = _table(["", "mean", "min", "max"])
        for name, number in stats.numbers.items():
            table.add_row(name, interval(number.mean, 2), f"{number.min:g}", f"{number.max:g}")
        _show(out, "Per game, 95% intervals", table)
    for name, groups in stats.groups.items():
        table = _table([name, "seats", "wins", f"win share (fair {fair:.1f}%)", "times fair"])
        for label, group in groups.items():
            numbers = (interval(group.win_share, percent=True), interval(group.times_fair, 2))
            table.add_row(label, str(group.seats), f"{group.wins:.1f}", *numbers)
        _show(out, f"Seats by {name}, 95% intervals", table)


def print_bench(result: Bench, out: Console) -> None:
    """A benchmark."""
    machine = result.machine
    out.print(
        f"{result.title}, {result.num_players} seats. State {result.state_bytes} bytes, view {result.view_numbers} "
        f"numbers, observation {result.observation_size} numbers, {result.actions} actions."
    )
    out.print(
        f"{machine['cpu']}, {machine['cores']} cores ({machine['usable_cores']} usable), {machine['system']}; "
        + ", ".join(f"{name} {result.versions[name]}" for name in ("python", "numpy", "numba"))
        + ("" if machine["compiled"] else "; the compiler is switched off")
    )
    out.print()
    columns = ["", "what", "threads", "decisions/s", "lowest", "highest", "ratio"]
    repeats = len(result.rates[0].repeats)
    table = _table(columns, left=2)
    for rate in result.rates:
        numbers = (f"{value:,.0f}" for value in (rate.median, rate.low, rate.high))
        table.add_row(rate.name, rate.what, str(rate.threads), *numbers, f"{rate.ratio:.3g}")
    _show(out, f"Median of {repeats} measurements of {result.seconds:g} s", table)
    load = machine["load_average"]
    if load is not None and load > BUSY:
        out.print(
            f"Load average before the measurements: {load}. Others were using this machine; trust ratios at most."
        )


def print_exploitability(found: Exploitability, out: Console) -> None:
    """NashConv and what it is made of."""
    out.print(f"{found.title}, {found.num_players} seats, all held by {found.agent}")
    out.print(
        f"{found.histories:,} terminal histories, {found.decisions:,} decision nodes, information states by seat: "
        + ", ".join(f"{states:,}" for states in found.information_states)
    )
    out.print()
    table = _table(["seat", "value", "best response", "gain"])
    for seat, (value, best) in enumerate(zip(found.value, found.best_response, strict=True)):
        table.add_row(str(seat), f"{value:.6f}", f"{best:.6f}", f"{best - value:.6f}")
    _show(out, "Expected returns: all play the agent's policy; one seat plays its best response to it", table)
    out.print(f"NashConv {found.nash_conv:.6f} (exploitability, per seat: {found.exploitability:.6f})")
    if found.draws:
        out.print(
            f"The agent does not tell its probabilities: they were estimated from {found.draws} draws per information "
            "state. Where it never chooses at random, that is exact."
        )


def games_data(games: Sequence[Game]) -> list[dict[str, Any]]:
    """The games there are, under their default options, as JSON has them."""
    return [
        {
            "game": game.name,
            "title": game.title,
            "version": game.version,
            "min_players": game.min_players,
            "max_players": game.max_players,
            "num_players": game.num_players,
            "actions": len(game.actions),
            "view": game.layout.length,
            "observation": game.layout.size,
            "state_bytes": game.state_dtype.itemsize,
        }
        for game in games
    ]


def print_games(games: Sequence[Game], out: Console) -> None:
    """The games there are, under their default options."""
    columns = ["game", "title", "players", "default", "actions", "view", "observation", "state bytes"]
    table = _table(columns, left=2)
    for row in games_data(games):
        fewest, most = row["min_players"], row["max_players"]
        players = f"{fewest}-{most}" if fewest < most else str(most)
        numbers = (f"{row[name]:,}" for name in ("actions", "view", "observation", "state_bytes"))
        table.add_row(row["game"], row["title"], players, str(row["num_players"]), *numbers)
    _show(out, "Games", table)


def json_text(data: Mapping[str, Any]) -> str:
    """Data as a JSON file has it."""
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


class WholeFile:
    """A text file of a user's that appears whole or not at all (``tooth_envs.spec.files.output``).

    Entering checks that the file can be written, before the work whose result it will hold. Without a path nothing
    happens.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._open = contextlib.ExitStack()
        self._file: Output | None = None

    def __enter__(self) -> Self:
        if self.path is not None:
            self._file = self._open.enter_context(output(self.path))
        return self

    def write_text(self, text: str) -> None:
        """Write the result: it is there once the block ends."""
        if self._file is not None:
            self._file.write(text)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)


class JsonFile(WholeFile):
    """A WholeFile of JSON; with ``-`` as its path the result goes to standard output."""

    def __enter__(self) -> Self:
        return self if self.quiet else super().__enter__()

    def write(self, data: Mapping[str, Any]) -> None:
        """Write the result."""
        text = json_text(data)
        if self.quiet:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            self.write_text(text)

    @property
    def quiet(self) -> bool:
        """Whether standard output is taken by the JSON, so that tables must not go there."""
        return self.path == STDOUT
