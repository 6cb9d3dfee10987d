"""What commands share: their common arguments, and games and agents from words."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tooth_training.cli.app import say

if TYPE_CHECKING:
    from tooth_agents.agent import Agent

    from tooth_envs.envs.record import GameRecord
    from tooth_envs.spec.game import Game
    from tooth_training.evaluation.deals import Progress

GameName = Annotated[str, typer.Argument(metavar="GAME", help="Short name of a game; tooth games lists them.")]
NumPlayers = Annotated[int | None, typer.Option("--num-players", "-n", help="Seats at the table; default: the game's.")]
GameOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="An option of the game, its value as YAML has it. May be repeated.",
    ),
]
Preset = Annotated[
    str | None, typer.Option("--preset", "-p", metavar="NAME", help="One of the game's named sets of options.")
]
JsonPath = Annotated[
    Path | None,
    typer.Option(
        "--json", metavar="FILE", help="Also write the results as JSON; - is standard output, without tables."
    ),
]
RecordPath = Annotated[
    Path | None,
    typer.Option(
        "--record", metavar="FILE", help="Also write every game to FILE (JSON Lines), for tooth replay. Takes longer."
    ),
]
LARGEST_SEED = 2**63 - 1
SEED_HELP = "Names the deals and all choices: the same seed gives the same results."
DRAWN_SEED_HELP = f"{SEED_HELP} Default: drawn from the operating system, and told."

AGENT_HELP = (
    "Agents: random, heuristic (where the game has one), or the directory of a run or checkpoint; DIR:greedy takes its "
    "likeliest actions. Separated by commas."
)


def make_game(name: str, num_players: int | None, options: Sequence[str] | None, preset: str | None = None) -> Game:
    """A game from the command line's words.

    Raises:
        ToothError: an unknown game, an option that is no KEY=VALUE, or what the game refuses.
    """
    import tooth_envs
    from tooth_envs.errors import OptionError

    values: dict[str, Any] = {}
    for word in options or ():
        key, equals, text = word.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise OptionError(f"--option {word!r}: write KEY=VALUE, for example max_steps=100")
        if key in values:
            raise OptionError(f"--option {word!r}: {key} is given twice")
        from tooth_training.learning.config import parse_yaml

        values[key] = parse_yaml(text, f"--option {word!r}")
    if num_players is not None:
        if "num_players" in values:
            raise OptionError("give num_players once: as --num-players or as --option")
        values["num_players"] = num_players
    if preset is not None:
        if "preset" in values:
            raise OptionError("give the preset once: as --preset or as --option")
        values["preset"] = preset
    return tooth_envs.game(name, **values)


def make_agents(words: str, game: Game, greedy: bool = False, only: int | None = None) -> dict[str, Agent]:
    """Agents by label. What is named several times is labelled NAME#1, NAME#2, ...

    Args:
        words: agents separated by commas, each as tooth_agents/names.py says.
        game: what they are to play.
        greedy: all checkpoints take their likeliest action.
        only: how many must be named; None for any number.

    Raises:
        ToothError: an agent that cannot be had.
    """
    from tooth_agents.load import load_agents

    from tooth_envs.errors import OptionError

    specs = [word.strip() for word in words.split(",")]
    if not all(specs):
        raise OptionError(f"--agents {words!r}: write names separated by commas, for example random,heuristic")
    if only is not None and len(specs) != only:
        raise OptionError(f"--agent {words!r}: names {len(specs)} agents; give {only}")
    return load_agents(specs, game, greedy)


@contextlib.contextmanager
def recording(path: Path | None) -> Iterator[Callable[[GameRecord], None] | None]:
    """Where games are to be kept; None where they are not.

    A disk that fills does not end what is being measured: it is told when the block ends. Nor are the records lost
    when another file of results cannot be written in the block.
    """
    from tooth_envs.envs.record import RecordError, record_file
    from tooth_envs.errors import OutputError

    if path is None:
        yield None
        return
    problem: RecordError | None = None
    another: OutputError | None = None

    def keep(one: GameRecord) -> None:
        nonlocal problem
        if problem is None:
            try:
                write(one)
            except RecordError as found:
                problem = found

    with record_file(path) as write:
        try:
            yield keep
        except OutputError as found:
            another = found
        if problem is not None:
            raise problem
    if another is not None:
        raise another


@contextlib.contextmanager
def progress_bar(what: str, every: int | None = None) -> Iterator[Progress]:
    """A bar on standard error while something runs, if that is a terminal; else a line for every ``every`` done."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from tooth_training.cli.tables import console

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    out = console(stderr=True)
    if every is not None and not out.is_terminal:
        told = 0

        def line(done: int, total: int) -> None:
            nonlocal told
            if done // every > told:
                told = done // every
                say(f"{what}: {done:,} of {total:,} known so far", err=True)

        yield line
        return
    with Bar(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
