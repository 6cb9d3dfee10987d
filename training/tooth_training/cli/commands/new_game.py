"""``tooth new-game``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tooth_training.cli.app import app, say


@app.command("new-game", short_help="Write the beginning of a game of your own.")
def new_game(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its short name: small letters, digits and _.")],
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Where its folder is made; default: here.")
    ] = Path(),
) -> None:
    """Write a small game that works, as a folder to start from: rules, view, words, heuristic, configuration, tests.

    It passes ``tooth check``, trains and plays. docs/adding-a-game.md says what is in which file.

    \b
    Examples:
      tooth new-game my_game
      tooth check my_game
      tooth --import my_game play my_game
      tooth --import my_game train my_game
    """
    from tooth_training.cli.skeleton import write_skeleton

    for file in write_skeleton(name, folder):
        say(f"wrote {file}")
    say(f"Try: tooth check {name}, tooth --import {name} play {name}, tooth --import {name} train {name}")
