"""``tooth check``."""

from __future__ import annotations

from typing import Annotated

import typer

from tooth_training.cli.app import app, say


@app.command("check", short_help="Check a game of your own, or one of the suite.")
def check_command(
    game: Annotated[
        str,
        typer.Argument(metavar="GAME", help="MODULE or MODULE:Class, a file that ends in .py, or a game's short name."),
    ],
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="CHECK", help="Make this check alone. Repeatable.")
    ] = None,
    leave_out: Annotated[
        list[str] | None, typer.Option("--leave-out", metavar="CHECK", help="Do not make this check. Repeatable.")
    ] = None,
    effort: Annotated[float, typer.Option(min=0.01, max=1000, help="How many games are played; 1 as usual.")] = 1.0,
) -> None:
    """Check that a game keeps what every part of the suite relies on.

    Every check is told; one that fails says why, with the seed and step where it can be seen again. The exit status is
    1 if one fails. The game is checked at its smallest, its usual and its largest table.

    \b
    Examples:
      tooth check my_game
      tooth check my_package.games:MyGame --only positions
      tooth check super_tooth --effort 0.2
    """
    from tooth_envs.testing import Result, check_game
    from tooth_training.cli.outside import find_game

    def tell(result: Result) -> None:
        options = ", ".join(f"{key}={value}" for key, value in result.options.items())
        say(f"{result.outcome:<7}  {result.check}" + (f"  ({options})" if options else ""))
        for line in result.message.splitlines() if result.outcome != "passed" else ():
            say(f"           {line}")

    report = check_game(find_game(game), None, only, leave_out or (), effort, strict=False, progress=tell)
    failed = len(report.failures)
    say(f"{report.game}: {len(report.results)} checks made, {failed} failed.")
    if failed:
        raise typer.Exit(1)
