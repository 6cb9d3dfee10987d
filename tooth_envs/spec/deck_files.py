"""Deck files for people: checked, with what they hold told; and the built-in ones copied, to start one's own from."""

from __future__ import annotations

import inspect
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tooth_envs
from tooth_envs.errors import DeckError, ToothError, UnknownGame
from tooth_envs.spec.deck import SIZE_LIMIT, deck_file, read_content
from tooth_envs.spec.files import output, read_text
from tooth_envs.spec.game import Game


@dataclass(frozen=True)
class DeckCheck:
    """What a deck file holds and what it is good for.

    Attributes:
        game: the game it was checked for. name, file: what the deck calls itself, and where it is.
        digest: see Deck.digest.
        types: per type of card, how many entries there are and how many cards they make.
        provenance: how many cards come from where.
        tables: per number of players, None if the deck can be used, else the reason why not.
    """

    game: str
    name: str
    file: str
    digest: str
    types: Mapping[str, tuple[int, int]]
    provenance: Mapping[str, int]
    tables: Mapping[int, str | None]


def check_deck(file: str, game: str | None = None) -> DeckCheck:
    """Check a deck file for a game.

    Args:
        file: its path; it ends in .toml.
        game: short name; None: what the file's key ``game`` says.

    Raises:
        DeckError: naming file, card and field. UnknownGame: there is no such game.
    """
    if not file.endswith(".toml"):
        raise DeckError(f"deck {file}: deck files end in .toml; rename it")
    try:
        cls = tooth_envs.game_class(game or _game_of(file))
    except UnknownGame as problem:
        if game is not None:
            raise
        raise DeckError(f"deck {file}: game: {problem}") from None
    deck = cls.read_deck(file)
    if deck is None:
        raise DeckError(f"deck {file}: {cls.title} has no cards")
    types: dict[str, tuple[int, int]] = {}
    for card in deck.cards:
        entries, cards = types.get(card.type, (0, 0))
        types[card.type] = (entries + 1, cards + card.count)
    provenance = Counter[str]()
    for card in deck.cards:
        provenance[card.provenance] += card.count
    tables = {players: _why_not(cls, file, players) for players in range(cls.min_players, cls.max_players + 1)}
    if all(tables.values()):
        raise DeckError(f"deck {file}: cannot be used with any number of players: {next(iter(tables.values()))}")
    return DeckCheck(cls.name, deck.name, file, deck.digest, types, dict(provenance.most_common()), tables)


def _game_of(file: str) -> str:
    content = read_content(Path(file).expanduser(), f"deck {file}")
    name = content.get("game")
    if not isinstance(name, str):
        raise DeckError(
            f'deck {file}: does not say which game it is for; write game = "NAME" at its top, or give --game '
            f"({', '.join(tooth_envs.list_games())})"
        )
    return name


def _why_not(cls: type[Game], file: str, players: int) -> str | None:
    try:
        cls.create(num_players=players, deck=file)
    except ToothError as problem:
        return str(problem)
    return None


def copy_deck(game: str, file: Path, deck: str | None = None) -> None:
    """Write a built-in deck to a new file.

    Args:
        game: short name.
        file: where to; it must not exist.
        deck: the built-in deck's name; None for the game's default.

    Raises:
        DeckError: no such deck, or the file is there already or cannot be written.
    """
    cls = tooth_envs.game_class(game)
    first = str(cls.Options.model_fields["deck"].default)
    source = deck_file(first if deck is None else deck, Path(inspect.getfile(cls)).parent, first)
    if file.suffix != ".toml":
        raise DeckError(f"{file}: deck files end in .toml; give it such a name")
    if os.path.lexists(file):
        raise DeckError(f"{file}: is there already; give another name")
    text = read_text(source, SIZE_LIMIT, "a deck", DeckError)
    with output(file, DeckError) as out:
        out.write(text)
