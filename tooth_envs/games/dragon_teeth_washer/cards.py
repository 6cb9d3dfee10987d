"""The cards: deck.toml and the options that change it, turned into the numbers of a game.

A toothbrush of value v is card v - 1, everywhere in the rules; sets of them (hands, piles) are bit masks. A dragon is
known by its rank, 0 for the smallest of the game's set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Literal

from pydantic import Field

from tooth_envs.errors import DeckError, OptionError
from tooth_envs.spec.deck import Card, Deck, load_deck
from tooth_envs.spec.validation import IntTuple

MAX_SEATS = 5
CARDS = 8
"""Toothbrushes in a set; their values are 1 to 8."""
DRAGONS = 8
"""Most dragons in a game."""
LARGEST_DRAGON = 32767
"""Views hold 16-bit numbers."""


class WasherCard(Card):
    """Any card; ``does`` repeats what its type says."""

    digested_as: ClassVar[Mapping[str, str]] = MappingProxyType({"does": "effect"})


class DragonCard(WasherCard):
    """A dragon: the limit of the round in which it is turned up (R14, R15)."""

    type: Literal["dragon"]
    does: Literal["limit"] = "limit"
    count: int = Field(ge=0, le=1)
    value: int = Field(ge=1, le=LARGEST_DRAGON)
    used_with: IntTuple


class BrushCard(WasherCard):
    """A toothbrush, of which every seat has one (R4): counted in ascending order, it wins or loses its value (R18)."""

    type: Literal["toothbrush"]
    does: Literal["brush"] = "brush"
    value: int = Field(ge=1, le=CARDS)


@dataclass(frozen=True)
class Setup:
    """The cards of one game.

    Attributes:
        hands: the values of every seat's starting hand, ascending.
        dragons: the values of the dragon set, ascending; the place in it is a dragon's rank.
        rounds: how many are played (R of the specification).
        largest_score: most points a seat can have (H of the specification).
    """

    hands: tuple[tuple[int, ...], ...]
    dragons: tuple[int, ...]
    rounds: int
    largest_score: int

    @property
    def hand_size(self) -> int:
        """Cards of a starting hand (h of the specification)."""
        return len(self.hands[0])


def setup(
    deck: str,
    num_players: int,
    hands: tuple[int, ...] | tuple[tuple[int, ...], ...] | None,
    dragons: tuple[int, ...] | None,
    rounds: int | None,
) -> Setup:
    """What a game is played with. Given hands and dragons take the place of the deck's.

    Raises:
        DeckError: the deck cannot be used, or not with this number of players.
        OptionError: hands, dragons or rounds do not fit.
    """
    loaded = read_deck(deck)
    if dragons is None:
        dragons = deck_dragons(loaded, num_players)
    if hands is None:
        hands = deck_hand(loaded, num_players)
    check_ascending("dragons", dragons, 1, LARGEST_DRAGON)
    if not 1 <= len(dragons) <= DRAGONS:
        raise OptionError(f"dragons: {len(dragons)} are given; give 1 to {DRAGONS} of them")
    each = hands_of_seats(hands, num_players)
    most = min(len(each[0]), len(dragons))
    if rounds is None:
        rounds = most
    if not 1 <= rounds <= most:
        raise OptionError(
            f"rounds is {rounds}; give 1 to {most}, because a round needs a card of every hand and a dragon"
        )
    largest_score = max(sum(sorted(hand)[-rounds:]) for hand in each)
    return Setup(each, tuple(dragons), rounds, largest_score)


def read_deck(deck: str) -> Deck:
    """A deck by name or path, read and checked.

    Raises:
        DeckError: it is no deck of this game.
    """
    loaded = load_deck(deck, Path(__file__).parent, {"dragon": DragonCard, "toothbrush": BrushCard})
    check_sets(loaded)
    return loaded


def deck_dragons(deck: Deck, num_players: int) -> tuple[int, ...]:
    """The dragon set that a deck has for a number of players (R2)."""
    cards = [card for card in deck.of(DragonCard) if card.count and num_players in card.used_with]
    if not cards:
        raise DeckError(
            f"{deck.source}: no dragon is used with {num_players} players; write {num_players} into used_with of 1 to "
            f"{DRAGONS} dragons, or give the option dragons"
        )
    return tuple(sorted(card.value for card in cards))


def deck_hand(deck: Deck, num_players: int) -> tuple[int, ...]:
    """The starting hand that a deck gives to every seat (R4)."""
    cards = [card for card in deck.of(BrushCard) if card.count]
    for card in cards:
        if card.count < num_players:
            raise DeckError(
                f"{deck.source}: card {card.id!r}: count is {card.count}, but {num_players} players need one each; "
                f"give {num_players} or more (0 leaves the card out), or give the option hands"
            )
    if len(cards) < 2:
        raise DeckError(f"{deck.source}: a hand needs 2 toothbrushes or more; add some, or give the option hands")
    return tuple(sorted(card.value for card in cards))


def check_sets(deck: Deck) -> None:
    """What one card's fields cannot tell: dragons and toothbrushes of a deck together."""
    for card in deck.of(DragonCard):
        for players in card.used_with:
            if not 2 <= players <= MAX_SEATS:
                raise DeckError(
                    f"{deck.source}: card {card.id!r}: used_with has {players}; numbers of players are 2 to {MAX_SEATS}"
                )
    for players in range(2, MAX_SEATS + 1):
        used = [card for card in deck.of(DragonCard) if card.count and players in card.used_with]
        if len(used) > DRAGONS:
            raise DeckError(
                f"{deck.source}: card {used[DRAGONS].id!r}: used_with has {players}, which makes {len(used)} dragons "
                f"for {players} players; a set holds {DRAGONS} at most"
            )
        _check_different(deck, used, f"in the set for {players} players")
    _check_different(deck, [card for card in deck.of(BrushCard) if card.count], "among the toothbrushes")


def _check_different(deck: Deck, cards: list[DragonCard] | list[BrushCard], where: str) -> None:
    owner: dict[int, str] = {}
    for card in cards:
        if card.value in owner:
            raise DeckError(
                f"{deck.source}: card {card.id!r}: value: {card.value} is also the value of "
                f"{owner[card.value]!r}; values {where} must differ"
            )
        owner[card.value] = card.id


def check_ascending(option: str, values: tuple[int, ...], low: int, high: int) -> None:
    """Refuse values out of bounds or not strictly increasing."""
    for value in values:
        if not low <= value <= high:
            raise OptionError(f"{option}: {value} is not allowed; values are {low} to {high}")
    if any(values[i] >= values[i + 1] for i in range(len(values) - 1)):
        raise OptionError(f"{option}: {list(values)} is not strictly increasing; sort the values and give each once")


def hands_of_seats(
    hands: tuple[int, ...] | tuple[tuple[int, ...], ...], num_players: int
) -> tuple[tuple[int, ...], ...]:
    """One starting hand per seat, from one for all or one for each."""
    each: list[tuple[int, ...]] = [hand for hand in hands if isinstance(hand, tuple)]
    if not each:
        each = [tuple(value for value in hands if isinstance(value, int))] * num_players
    if len(each) != num_players:
        raise OptionError(
            f"hands: {len(each)} hands are given for {num_players} players; give one hand for all, or one per seat"
        )
    for hand in each:
        check_ascending("hands", hand, 1, CARDS)
    sizes = sorted({len(hand) for hand in each})
    if len(sizes) > 1:
        raise OptionError(f"hands: sizes {sizes[0]} and {sizes[-1]} differ; give every seat the same number of cards")
    if not 2 <= sizes[0] <= CARDS:
        raise OptionError(f"hands: {sizes[0]} cards are given; a hand has 2 to {CARDS}")
    return tuple(each)
