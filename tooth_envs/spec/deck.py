"""Decks as data: a game's cards are read from a TOML file, a built-in one or the user's own.

A deck file holds a name, the ``game`` it is for, a few words ``about`` it, and one entry of the list ``card`` for every
kind of card::

    name = "standard"
    game = "dragon_teeth_washer"
    card = [
      { id = "dragon_07", type = "dragon", name = "Giant Dragon 7", count = 1, value = 7, ... },
    ]

Each game says which types of card it has and which fields belong to them. Nothing in a file is executed.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import Field

from tooth_envs.errors import DeckError, shortened
from tooth_envs.spec.files import control_in, read_text
from tooth_envs.spec.validation import StrictModel, suggestion, validated

Provenance = Literal["rulebook", "public source", "reconstruction", "own"]
"""Where a card comes from; "own" is for the cards of custom decks."""


class Card(StrictModel):
    """What every card of every game has. A game's own kinds of card add their fields.

    Attributes:
        id: unique short name: small letters, digits and _, a letter first.
        type: the kind of card, which decides its other fields.
        name: what people call it.
        count: how many copies the deck holds.
        effect: what it does, in a sentence for people. What it does in play follows from its other fields.
        provenance: where the card comes from.
        count_provenance: where the number of its copies comes from, if from elsewhere.
        note: anything worth knowing about it.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    type: str
    name: str = Field(min_length=1)
    count: int = Field(ge=0, le=999)
    effect: str
    provenance: Provenance
    count_provenance: Provenance | None = None
    note: str = ""

    words: ClassVar[tuple[str, ...]] = ("name", "effect", "provenance", "count_provenance", "note")
    """Fields that are for people and change nothing in play."""

    digested_as: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Fields that go by another name in the digest: it stays what it was when a field is renamed."""


class Problems:
    """What is wrong with a deck, collected so that all of it is told at once."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note a DeckError that is raised inside, and go on after the block."""
        try:
            yield
        except DeckError as problem:
            self._lines += str(problem).split("\n")

    def tell(self) -> None:
        """Raise DeckError with all that was noted, one line each; nothing happens if there is nothing."""
        if self._lines:
            raise DeckError("\n".join(dict.fromkeys(self._lines)))


SIZE_LIMIT = 1 << 20
"""Bytes of the largest deck file that is read."""

HEAD = ("name", "game", "about")
"""Keys of a deck file besides its cards; all are texts, and none must be there."""

C = TypeVar("C", bound=Card)


@dataclass(frozen=True)
class Deck:
    """A deck file's content, validated.

    Attributes:
        name: what the deck calls itself.
        source: where it was read from, the beginning of every error message about it.
        cards: in the file's order.
    """

    name: str
    source: str
    cards: tuple[Card, ...]

    @property
    def digest(self) -> str:
        """Identifies the cards as they play: all their fields but those that are words for people (32 hex digits)."""
        cards = [
            {card.digested_as.get(name, name): value for name, value in fields.items()}
            for card, fields in ((card, card.model_dump(mode="json", exclude=set(card.words))) for card in self.cards)
        ]
        text = json.dumps(cards, sort_keys=True, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def of(self, kind: type[C]) -> list[C]:
        """The cards of one kind, in the file's order."""
        return [card for card in self.cards if isinstance(card, kind)]


_read: ContextVar[dict[tuple[str, Path], Deck] | None] = ContextVar("_read", default=None)
"""Decks that were read while one game is being made."""


@contextmanager
def reading_once() -> Iterator[None]:
    """While the block runs, a deck file is read once: options are checked against the cards that are played with."""
    if _read.get() is not None:
        yield
        return
    token = _read.set({})
    try:
        yield
    finally:
        _read.reset(token)


def built_in(folder: Path, first: str = "standard") -> list[str]:
    """Names of the decks in a game's folder: deck.toml goes by the name ``first``, deck_other.toml is "other"."""
    names = [file.stem.removeprefix("deck_") for file in sorted(folder.glob("deck_*.toml"))]
    return [first, *names]


def deck_file(deck: str, folder: Path, first: str = "standard") -> Path:
    """Where a deck is read from; arguments as for ``load_deck``.

    Raises:
        DeckError: no built-in deck has this name.
    """
    if deck.endswith(".toml"):
        return Path(deck).expanduser()
    known = built_in(folder, first)
    if deck not in known:
        raise DeckError(
            f"deck: no built-in deck is named {shortened(deck)}{suggestion(deck, known)} "
            f"Built-in: {', '.join(known)}; a deck of your own is given as the path of a .toml file"
        )
    return folder / ("deck.toml" if deck == first else f"deck_{deck}.toml")


def load_deck(deck: str, folder: Path, kinds: Mapping[str, type[Card]], first: str = "standard") -> Deck:
    """Read and validate a deck.

    Args:
        deck: the name of a built-in deck, or the path of a deck file (it ends in .toml).
        folder: the game's folder, where its built-in decks are.
        kinds: the model of the cards of each type.
        first: what the game calls its deck.toml.

    Raises:
        DeckError: naming the file, the card, the field and what to do, one line for each problem.
    """
    known = _read.get()
    if known is None:
        return _loaded(deck, folder, kinds, first)
    if (deck, folder) not in known:
        known[deck, folder] = _loaded(deck, folder, kinds, first)
    return known[deck, folder]


def _loaded(deck: str, folder: Path, kinds: Mapping[str, type[Card]], first: str) -> Deck:
    file = deck_file(deck, folder, first)
    source = f"deck {file}"
    content = read_content(file, source)
    for key in content:
        if key not in HEAD and key != "card":
            hint = suggestion(key, [*HEAD, "card"])
            raise DeckError(f"{source}: unknown key {shortened(key)}{hint} Known here: {', '.join(HEAD)}, card")
    hidden = control_in({key: content.get(key) for key in HEAD})
    if hidden:
        raise DeckError(f"{source}: {hidden}: has a control character, which could change what a terminal shows")
    for key in HEAD:
        if not isinstance(content.get(key, ""), str):
            raise DeckError(f"{source}: {key} is {shortened(content[key])}; give a text in quotes")
    if content.get("game", folder.name) != folder.name:
        raise DeckError(f"{source}: is a deck of {content['game']}, not of {folder.name}")
    entries = content.get("card")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise DeckError(f"{source}: needs the list 'card' with one entry for every kind of card")
    problems = Problems()
    cards: list[Card] = []
    for place, entry in enumerate(entries):
        with problems.noted():
            cards.append(_card(entry, place, source, kinds))
    for field in ("id", "name"):
        seen: set[str] = set()
        for card in cards:
            value = getattr(card, field)
            with problems.noted():
                if value in seen and (field == "id" or [other.id for other in cards].count(card.id) == 1):
                    raise DeckError(
                        f"{source}: card {card.id!r}: {field}: {shortened(value)} is used twice; "
                        f"give every card its own {field} (copies are given by count)"
                    )
            seen.add(value)
    problems.tell()
    return Deck(name=content.get("name", file.stem), source=source, cards=tuple(cards))


def read_content(file: Path, source: str) -> dict[str, Any]:
    """What a deck file holds, not checked beyond being TOML.

    Raises:
        DeckError: naming the file and the reason.
    """
    text = read_text(file, SIZE_LIMIT, "a deck", DeckError)
    try:
        return tomllib.loads(text)
    except ValueError as problem:  # also of a number of thousands of digits
        raise DeckError(f"{source}: is not valid TOML: {problem}") from None
    except RecursionError:
        raise DeckError(
            f"{source}: is nested too deeply; the list 'card' holds entries, and no list in lists"
        ) from None


def _card(entry: dict[str, Any], place: int, source: str, kinds: Mapping[str, type[Card]]) -> Card:
    title = repr(entry["id"]) if isinstance(entry.get("id"), str) else f"number {place + 1}"
    where = f"{source}: card {title}"
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in kinds:
        given = "is missing." if kind is None else f"is {shortened(kind)}{suggestion(kind, list(kinds))}"
        raise DeckError(f"{where}: type {given} Types of this game: {', '.join(kinds)}")
    return validated(kinds[kind], entry, where, DeckError)
