"""``tooth stats``."""

from __future__ import annotations

from typing import Annotated

import typer

from tooth_training.cli.app import app
from tooth_training.cli.words import (
    AGENT_HELP,
    LARGEST_SEED,
    SEED_HELP,
    GameName,
    GameOptions,
    JsonPath,
    NumPlayers,
    Preset,
    RecordPath,
    make_agents,
    make_game,
    progress_bar,
    recording,
)


@app.command(short_help="How long games last, how they end, what seats win.")
def stats(
    game: GameName,
    num_players: NumPlayers = None,
    games: Annotated[int, typer.Option("--games", "-g", help="How many games to play.")] = 10_000,
    agents: Annotated[
        str | None,
        typer.Option(
            "--agents",
            "-a",
            metavar="A,B,...",
            help=f"{AGENT_HELP} They keep their seats, from seat 0, repeated as needed. Default: random.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help=SEED_HELP)] = 0,
    json_path: JsonPath = None,
    record: RecordPath = None,
    preset: Preset = None,
    option: GameOptions = None,
) -> None:
    """Play many games and tell how long they last, how they end and what each seat wins.

    \b
    Examples:
      tooth stats dragon_teeth_washer --games 100000
      tooth stats dragon_teeth_washer -n 3 --agents heuristic --json stats.json
    """
    from tooth_training.cli.tables import JsonFile, console, print_stats
    from tooth_training.evaluation.stats import game_stats

    with recording(record) as keep, JsonFile(json_path) as json_file:
        made = make_game(game, num_players, option, preset)
        loaded = None if agents is None else make_agents(agents, made)
        with progress_bar("games") as progress:
            found = game_stats(made, games, seed, loaded, progress=progress, keep=keep)
        if not json_file.quiet:
            print_stats(found, console())
        json_file.write(found.to_dict())
