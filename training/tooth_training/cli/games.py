"""Commands about games: games, play, replay, deck."""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path
from typing import Annotated

import typer

from tooth_training.cli.app import INTERRUPTED, ToothGroup, app, say
from tooth_training.cli.words import (
    AGENT_HELP,
    LARGEST_SEED,
    GameName,
    GameOptions,
    JsonPath,
    NumPlayers,
    Preset,
    RecordPath,
    make_agents,
    make_game,
    recording,
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
            play_game(made, list(others.items()), seat, number, input, say, keep)
        except KeyboardInterrupt:
            say("\nThe game was stopped.")
            stopped = True
        else:
            stopped = False
    if stopped:
        raise typer.Exit(INTERRUPTED)


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

    show(Replay(pick(file, number), f"{file} game {number}"), seat, say, views, wait if pause else lambda: None)


deck_app = typer.Typer(
    cls=ToothGroup,
    help="""Deck files: check one, or copy a built-in one to start from.

    \b
    Examples:
      tooth deck copy dragon_teeth_washer my_deck.toml
      tooth deck check my_deck.toml
    """,
    no_args_is_help=True,
)
app.add_typer(deck_app, name="deck", short_help="Check deck files; copy built-in ones.")


@deck_app.command("check", short_help="Check a deck file.")
def deck_check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The deck file (.toml).")],
    game: Annotated[
        str | None, typer.Option("--game", metavar="GAME", help="Which game's; default: what the file says.")
    ] = None,
) -> None:
    """Check a deck file: what is wrong is told with the file, the card and the field; else what the deck holds.

    \b
    Example:
      tooth deck check my_deck.toml
    """
    from tooth_training.cli.decks import check_deck

    found = check_deck(file, game)
    say(f"{file}: a deck for {found.game}, named {found.name!r}; digest {found.digest}")
    for kind, (entries, cards) in found.types.items():
        say(f"  {kind}: {entries} kinds, {cards} cards")
    say("  " + ", ".join(f"{count} {source}" for source, count in found.provenance.items()))
    for players, reason in found.tables.items():
        say(f"  {players} players: " + ("can be used" if reason is None else f"cannot be used: {reason}"))


@deck_app.command("copy", short_help="Copy a built-in deck to a new file.")
def deck_copy(
    game: GameName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new file (.toml).")],
    deck: Annotated[str | None, typer.Option("--deck", metavar="NAME", help="Which one; default: the usual.")] = None,
) -> None:
    """Copy a built-in deck to a new file, to start a deck of your own from.

    \b
    Example:
      tooth deck copy dragon_teeth_washer my_deck.toml
      tooth play dragon_teeth_washer -o deck=my_deck.toml
    """
    from tooth_training.cli.decks import copy_deck

    copy_deck(game, file, deck)
    say(f"Wrote {file}.")
