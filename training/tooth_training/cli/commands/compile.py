"""``tooth compile``."""

from __future__ import annotations

from typing import Annotated

import typer

from tooth_training.cli.app import app, say


@app.command("compile", short_help="Compile games ahead of their first use.")
def compile_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Games; default: all.")] = None,
    clear: Annotated[
        bool,
        typer.Option(
            "--clear",
            help="Only remove compiled code of other versions of the sources, and what is damaged or unfinished.",
        ),
    ] = False,
) -> None:
    """Compile games ahead of their first use, which otherwise takes from seconds to a minute.

    Damaged files in the cache are replaced by good ones, and told.

    \b
    Examples:
      tooth compile
      tooth compile --clear
    """
    import tooth_envs
    from tooth_envs.engine import store
    from tooth_training.cli.compiling import clear_old, compile_game

    if clear:
        cleared = clear_old()
        say(
            f"Removed {cleared.folders} folders of other versions and {cleared.files} damaged or unfinished files, "
            f"{cleared.freed / 1e6:.1f} MB."
        )
        return
    for name in names or tooth_envs.list_games():
        say(f"{name}: {compile_game(tooth_envs.game(name)):.1f} s")
    for problem in store.problems:
        say(f"cache: {problem}")
