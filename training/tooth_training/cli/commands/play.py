"""``tooth play``."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from tooth_training.cli.app import INTERRUPTED, app, say, tell
from tooth_training.cli.words import (
    AGENT_HELP,
    LARGEST_SEED,
    GameName,
    GameOptions,
    NumPlayers,
    Preset,
    RecordPath,
    make_agents,
    make_game,
    recording,
)


@app.command(short_help="Play a game here, in words.")
def play(
    game: GameName,
    num_players: NumPlayers = None,
    seat: Annotated[int, typer.Option("--seat", "-s", help="Your seat, from 0.")] = 0,
    agents: Annotated[
        str | None,
        typer.Option(
            "--agents",
            "-a",
            metavar="A,B,...",
            help=f"{AGENT_HELP} They sit clockwise from your left, repeated as needed. "
            "Default: heuristic where there is one, else random.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=LARGEST_SEED, help="Names the deal; default: a new one, which is told.")
    ] = None,
    record: RecordPath = None,
    preset: Preset = None,
    option: GameOptions = None,
) -> None:
    """Play a game here, in words, against agents. You are told what your seat may know and nothing else.

    \b
    Examples:
      tooth play dragon_teeth_washer
      tooth play dragon_teeth_washer -n 3 --seat 1 --agents heuristic,random --seed 7
    """
    from tooth_agents.basic import has_heuristic

    from tooth_training.cli.play import play_game

    made = make_game(game, num_players, option, preset)
    usual = "heuristic" if has_heuristic(made) else "random"
    others = make_agents(usual if agents is None else agents, made)
    number = secrets.randbits(32) if seed is None else seed
    with recording(record) as keep:
        try:
            play_game(made, list(others.items()), seat, number, input, tell, keep)
        except KeyboardInterrupt:
            say("\nThe game was stopped.")
            stopped = True
        else:
            stopped = False
    if stopped:
        raise typer.Exit(INTERRUPTED)
