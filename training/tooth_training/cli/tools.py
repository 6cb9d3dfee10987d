"""Commands about the suite: bench, compile, version."""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer

from tooth_training.cli.app import app, say
from tooth_training.cli.words import (
    GameName,
    GameOptions,
    JsonPath,
    NumPlayers,
    Preset,
    make_game,
    progress_bar,
)


@app.command(short_help="Time a game on this machine.")
def bench(
    name: GameName,
    num_players: NumPlayers = None,
    repeats: Annotated[int, typer.Option(help="Measurements of each kind; the median counts.")] = 5,
    seconds: Annotated[float, typer.Option(help="Length of one measurement.")] = 1.0,
    envs: Annotated[int, typer.Option(help="Games in the batch.")] = 4096,
    json_path: JsonPath = None,
    preset: Preset = None,
    option: GameOptions = None,
) -> None:
    """Time a game: the compiled rules alone, the batch, and one table through PettingZoo's interface.

    \b
    Example:
      tooth bench dragon_teeth_washer --json bench.json
    """
    from tooth_training.cli.tables import JsonFile, console, print_bench
    from tooth_training.evaluation.bench import bench as measure

    with JsonFile(json_path) as json_file:
        made = make_game(name, num_players, option, preset)
        with progress_bar("measuring") as progress:
            result = measure(made, repeats, seconds, envs, progress)
        if not json_file.quiet:
            print_bench(result, console())
        json_file.write(result.to_dict())


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


@app.command(short_help="Tell the versions in use.")
def version() -> None:
    """Tell the versions of the suite and of what it stands on."""
    import platform
    from importlib import metadata

    import tooth_envs

    say(f"tooth-envs {tooth_envs.__version__}")
    say(f"python {platform.python_version()}")
    for package in ("numpy", "numba", "gymnasium", "pettingzoo", "pydantic", "torch", "sb3-contrib"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            say(f"{package} {metadata.version(package)}")
