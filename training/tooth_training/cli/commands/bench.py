"""``tooth bench``."""

from __future__ import annotations

from typing import Annotated

import typer

from tooth_training.cli.app import app
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
