"""``tooth games``."""

from __future__ import annotations

from tooth_training.cli.app import app
from tooth_training.cli.words import (
    JsonPath,
)


@app.command("games", short_help="List the games.")
def games_command(json_path: JsonPath = None) -> None:
    """List the games: players, actions, and the sizes of views, observations and states under default options.

    \b
    Example:
      tooth games
    """
    import tooth_envs
    from tooth_training.cli.tables import JsonFile, console, games_data, print_games

    with JsonFile(json_path) as json_file:
        games = [tooth_envs.game(name) for name in tooth_envs.list_games()]
        if not json_file.quiet:
            print_games(games, console())
        json_file.write({"games": games_data(games)})
