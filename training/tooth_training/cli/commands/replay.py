"""``tooth replay``."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from tooth_training.cli.app import app, say, tell


@app.command(short_help="Tell recorded games again, verified step by step.")
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What --record wrote.")],
    number: Annotated[int, typer.Option("--game", "-g", help="Which of the file's games, from 1.")] = 1,
    seat: Annotated[
        int | None, typer.Option("--seat", "-s", help="Tell what this seat could know; default: everything.")
    ] = None,
    views: Annotated[bool, typer.Option("--views", help="Also show what the seat to act saw and could do.")] = False,
    pause: Annotated[
        bool, typer.Option("--pause", help="Wait for Enter after every move; with --seat, after every line.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Only verify all games of the file, without words.")] = False,
) -> None:
    """Tell a recorded game again, step by step in words, as one seat could know it or for someone who sees all.

    The game is played again by today's rules, and the state after every move is compared with the recorded one: what
    differs is refused, with the move and the reason. Told to one seat, moves have no numbers and others' silent
    choices take no time: they must not be counted.

    \b
    Examples:
      tooth stats dragon_teeth_washer --games 20 --record games.jsonl
      tooth replay games.jsonl --game 3 --seat 0 --views
      tooth replay games.jsonl --check
    """
    from tooth_envs.envs.record import Replay
    from tooth_training.cli.replay import pick, show, verify

    if check:
        count = 0
        for count in verify(file):  # noqa: B007
            pass
        say(f"{file}: {count} games replayed, and nothing differs.")
        return

    def wait() -> None:
        with contextlib.suppress(EOFError):
            input()

    show(Replay(pick(file, number), f"{file} game {number}"), seat, tell, views, wait if pause else lambda: None)
