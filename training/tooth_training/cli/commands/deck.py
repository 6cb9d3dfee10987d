"""``tooth deck check`` and ``tooth deck copy``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tooth_training.cli.app import ToothGroup, app, say
from tooth_training.cli.words import (
    GameName,
)

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
    from tooth_envs.spec.deck_files import check_deck

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
    from tooth_envs.spec.deck_files import copy_deck

    copy_deck(game, file, deck)
    say(f"Wrote {file}.")
