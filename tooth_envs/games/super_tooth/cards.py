"""The cards: the 23 kinds, and what a deck file says about them, turned into the numbers of a game.

A card is known by its kind, 0 to 22: six species of Plant-Eater, seven kinds of Meat-Eater, ten kinds of Event. Any
pile is an array of counts by kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import model_validator

from tooth_envs.errors import DeckError
from tooth_envs.spec.deck import Card, Deck, Problems, load_deck
from tooth_envs.spec.validation import AsTuple, suggestion

MAX_SEATS = 4


class Kind(NamedTuple):
    """A kind of card: the id of its entry in a deck, the code by which actions and positions call it, and its type."""

    id: str
    code: str
    type: str


PLANTS = (
    Kind("triceratops", "tri", "plant"),
    Kind("iguanodon", "igu", "plant"),
    Kind("anatosaurus", "ana", "plant"),
    Kind("parasaurolophus", "par", "plant"),
    Kind("ankylosaurus", "ank", "plant"),
    Kind("protoceratops", "pro", "plant"),
)
MEATS = (
    Kind("sarcosuchus", "sar", "meat"),
    Kind("baryonyx", "bar", "meat"),
    Kind("albertosaurus", "alb", "meat"),
    Kind("tarbosaurus", "tar", "meat"),
    Kind("velociraptor", "vel", "meat"),
    Kind("spinosaurus", "spi", "meat"),
    Kind("giganotosaurus", "gig", "meat"),
)
EVENTS = (
    Kind("egg", "egg", "event"),
    Kind("quetzalcoatlus", "que", "event"),
    Kind("volcano", "vol", "event"),
    Kind("t_rex", "rex", "event"),
    Kind("hot_sun", "sun", "event"),
    Kind("asteroid", "ast", "event"),
    Kind("stampede", "sta", "event"),
    Kind("foliage", "fol", "event"),
    Kind("daspletosaurus", "das", "event"),
    Kind("time_traveler", "tim", "event"),
)
ALL = PLANTS + MEATS + EVENTS
CODES = tuple(kind.code for kind in ALL)

SPECIES = len(PLANTS)
FIRST_MEAT = SPECIES
FIRST_EVENT = FIRST_MEAT + len(MEATS)
KINDS = len(ALL)
EGG, QUETZALCOATLUS, VOLCANO, T_REX, HOT_SUN, ASTEROID, STAMPEDE, FOLIAGE, DASPLETOSAURUS, TRAVELER = range(
    FIRST_EVENT, KINDS
)
TRICERATOPS = 0

EFFECTS = ("fetch", "snatch", "erupt", "redeal", "widen", "banish", "sweep", "extra", "roam", "chase")
"""What each Event does, in the order of EVENTS. A deck's entry repeats it, so that the file can be read alone."""

FIRST_DECK = "prepub62"
EDITIONS = ("prepub62", "gamewright72")
"""Built-in decks, as ``edition`` in a view numbers them; any other deck is the next number."""

LARGEST_SET = 6
"""Most cards of an exchange (R19)."""

Species = Literal["triceratops", "iguanodon", "anatosaurus", "parasaurolophus", "ankylosaurus", "protoceratops"]


class SuperCard(Card):
    """Any card; ``does`` names what it does in play, which follows from its type, and of an Event from its id."""

    digested_as: ClassVar[Mapping[str, str]] = MappingProxyType({"does": "effect"})


class PlantCard(SuperCard):
    """A species of Plant-Eater: collected, fed to Meat-Eaters and exchanged; with the icon, it chases them (R14)."""

    type: Literal["plant"]
    does: Literal["collect"] = "collect"
    chases: bool = False


class MeatCard(SuperCard):
    """A kind of Meat-Eater: nothing can be collected until it is fed with its prey or chased away (R11-R14)."""

    type: Literal["meat"]
    does: Literal["block"] = "block"
    prey: Annotated[tuple[Species, ...], AsTuple]


class EventCard(SuperCard):
    """A kind of Event (R23-R32)."""

    type: Literal["event"]
    does: Literal["fetch", "snatch", "erupt", "redeal", "widen", "banish", "sweep", "extra", "roam", "chase"]

    @model_validator(mode="before")
    @classmethod
    def _known(cls, data: Any) -> Any:
        """What an Event does follows from its id, where the file does not repeat it."""
        if isinstance(data, dict) and "does" not in data:
            found = [does for kind, does in zip(EVENTS, EFFECTS, strict=True) if kind.id == data.get("id")]
            return {**data, "does": found[0]} if found else data
        return data


@dataclass(frozen=True)
class Setup:
    """The cards of one game, by kind.

    Attributes:
        edition: 0, 1: the built-in decks; 2: a deck of one's own.
        counts: copies of each kind.
        names: what people call each kind.
        chases: species with the chase-away icon.
        prey: per kind of Meat-Eater, the species it eats.
    """

    edition: int
    counts: tuple[int, ...]
    names: tuple[str, ...]
    chases: tuple[int, ...]
    prey: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """Cards of the whole deck."""
        return sum(self.counts)

    @property
    def plants(self) -> int:
        """Plant-Eaters of the whole deck."""
        return sum(self.counts[:SPECIES])


def read_deck(deck: str) -> Deck:
    """A deck by name or path, read and checked.

    Raises:
        DeckError: it is no deck of this game.
    """
    kinds: dict[str, type[Card]] = {"plant": PlantCard, "meat": MeatCard, "event": EventCard}
    loaded = load_deck(deck, Path(__file__).parent, kinds, FIRST_DECK)
    check(loaded)
    return loaded


def setup(deck: str) -> Setup:
    """What a game is played with.

    Raises:
        DeckError: the deck cannot be used.
    """
    loaded = read_deck(deck)
    by_id = {card.id: card for card in loaded.cards}
    cards = [by_id.get(kind.id) for kind in ALL]
    ids = [kind.id for kind in PLANTS]
    return Setup(
        edition=EDITIONS.index(deck) if deck in EDITIONS else len(EDITIONS),
        counts=tuple(card.count if card else 0 for card in cards),
        names=tuple(
            card.name if card else kind.id.replace("_", " ").title() for card, kind in zip(cards, ALL, strict=True)
        ),
        chases=tuple(place for place, card in enumerate(cards) if isinstance(card, PlantCard) and card.chases),
        prey=tuple(
            tuple(sorted(ids.index(species) for species in card.prey)) if isinstance(card, MeatCard) else ()
            for card in cards[FIRST_MEAT:FIRST_EVENT]
        ),
    )


def check(deck: Deck) -> None:
    """What one card's fields cannot tell: the kinds are the game's own, and somebody can win."""
    problems = Problems()
    for card in deck.cards:
        with problems.noted():
            _check_card(card, f"{deck.source}: card {card.id!r}")
    with problems.noted():
        if not any(isinstance(card, PlantCard) and card.count >= 3 for card in deck.cards):
            raise DeckError(
                f"{deck.source}: no Plant-Eater has 3 or more copies, so nobody can ever win; add some (R19)"
            )
    problems.tell()


def _check_card(card: Card, where: str) -> None:
    types = {kind.id: kind.type for kind in ALL}
    effects = {kind.id: effect for kind, effect in zip(EVENTS, EFFECTS, strict=True)}
    if card.id not in types:
        raise DeckError(
            f"{where}: id: there is no such kind{suggestion(card.id, list(types))} A deck may leave out kinds and "
            f"change names, counts, prey and icons; kinds are {', '.join(types)}"
        )
    if card.type != types[card.id]:
        raise DeckError(f"{where}: type is {card.type!r}; this kind is {types[card.id]!r}")
    if isinstance(card, EventCard) and card.does != effects[card.id]:
        raise DeckError(f"{where}: does is {card.does!r}; this Event's is {effects[card.id]!r}")
    if isinstance(card, MeatCard) and len(set(card.prey)) < len(card.prey):
        raise DeckError(f"{where}: prey has a species twice; give each once")
