"""Options, the state record and the tables record of Super Tooth, and the numbers that name things in them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tooth_envs.engine.enums import ActionGroup, Named
from tooth_envs.engine.payment import Payment
from tooth_envs.engine.records import Numbers, StateRecord, TablesRecord, number, numbers
from tooth_envs.engine.streams import Streams
from tooth_envs.games.super_tooth.cards import (
    CODES,
    FIRST_DECK,
    FIRST_EVENT,
    FIRST_MEAT,
    KINDS,
    LARGEST_SET,
    MAX_SEATS,
    SPECIES,
    Setup,
    setup,
)
from tooth_envs.spec import options

CAPACITY = 3
"""Face-up cards of the Landscape (R8); one more under the Hot Sun."""
LARGEST_TAKE = CAPACITY + 1


class Phase(Named):
    """Nodes of the loop of section 5. FETCH, SNATCH, ERUPT and PASS belong to single Events."""

    BEGIN_TURN = "the turn begins"
    REVEAL = "cards are turned over until the Landscape is full"
    EVENTS = "face-up Events take effect, one after the other"
    FETCH = "Egg: a card of the discard pile takes its place"
    SNATCH = "Quetzalcoatlus: a card is taken from a hand"
    ERUPT = "Volcano: the left neighbour removes a card"
    PASS = "Stampede: every seat passes a card on"
    RESTART = "the Landscape is filled anew, and the turn goes on from there"
    MEAT = "Meat-Eaters are dealt with"
    PAY = "one Meat-Eater is paid, or the turn given up to it"
    ROAM = "the roaming Daspletosaurus eats, or is chased away"
    COLLECT = "Plant-Eaters of one species are taken"
    BONUS = "further Plant-Eaters are taken"
    EXCHANGE = "sets are handed in for coins"
    END_TURN = "what is left of the turn is cleaned up"
    TURN_END = "the next seat's turn, or the end of the game"


class Decision(Named):
    """What a seat is asked (section 5 of the specification)."""

    EVENT_ORDER = "the active seat chooses which Event is resolved next"
    EGG = "the active seat chooses the discarded card that takes the Egg's place"
    QUETZ = "the active seat names the hand that loses a random card to the Landscape"
    VOLCANO = "the left neighbour of the active seat chooses the face-up card that is lost"
    STAMPEDE_PASS = "every seat with cards chooses, in secret, which one goes to its left neighbour"
    MEAT_TARGET = "the active seat chooses which Meat-Eater it deals with next"
    MEAT_PAY = "the active seat pays a card to feed or chase the Meat-Eater, or gives up its turn"
    ROAM = "the active seat chooses what the roaming Daspletosaurus eats, or chases it away"
    COLLECT = "the active seat takes Plant-Eaters of one species"
    BONUS = "the active seat takes one further Plant-Eater, owed to Foliage or to an exchange of four cards"
    EXCHANGE = "the active seat hands in a set for coins, or stops"


COINS = (1, 1, 2, 3)
"""What 3, 4, 5 and 6 equal cards bring (R19)."""
SMALLEST_SET = 3
SETS = LARGEST_SET - SMALLEST_SET + 1


class Action(ActionGroup):
    """The action table (section 5 of the specification)."""

    STOP = "STOP"
    IGNORE = "IGNORE"
    CHOOSE = "CHOOSE {}", CODES
    PAY_HAND = "PAY_HAND {}", CODES[:SPECIES]
    PAY_LAND = "PAY_LAND {}", CODES[:SPECIES]
    PAY_TRAVELER = "PAY_TRAVELER"
    TAKE = "TAKE {} {}", CODES[:SPECIES], range(1, LARGEST_TAKE + 1)
    SET = "EXCHANGE {} {}", CODES[:SPECIES], range(SMALLEST_SET, LARGEST_SET + 1)
    SEAT = "SEAT {}", range(MAX_SEATS)


class EventKind(Named):
    """What is told, with what seat and arguments mean."""

    TURN_BEGAN = "seat: active; turn"
    REVEALED = "seat: active; kind"
    RESHUFFLED = "nobody's"
    RESOLVING = "seat: active; kind: Egg, Quetzalcoatlus or Volcano"
    NO_EFFECT = "seat: active; kind"
    STAYS = "seat: active; kind"
    FETCHED = "seat: active; kind"
    SNATCHED = "seat: owner; species"
    ERUPTED = "seat: left neighbour; kind"
    REDEALT = "seat: active"
    BANISHED = "seat: active"
    SWEPT = "seat: active"
    CHOSE_PASS = "seat: the chooser, who alone sees it; species"
    PASSED = "seat: giver, whose left neighbour sees it too; species"
    HERD_PASSED = "seat: active"
    IGNORED = "seat: active; kind of Meat-Eater"
    PAID = "seat: active; kind of card paid, where it came from"
    EATEN = "seat: active; species"
    COLLECTED = "seat: active; species, cards"
    TOOK_BONUS = "seat: active; species"
    EXCHANGED = "seat: active; species, cards"
    CLEANED_UP = "seat: active"
    EXTINCT = "nobody's"
    GAME_OVER = "nobody's; bit mask of the winners"


class Source(Named):
    """Where a payment came from."""

    HAND = "the own hand"
    LAND = "the face-up cards"
    LASTING = "a Time Traveler, which belongs to nobody"


class Stream(Streams):
    """Chance streams."""

    FIRST = "who begins"
    DRAW = "the draw pile"
    SNATCH = "the card that Quetzalcoatlus snatches"
    REDEAL = "the cards that T-Rex deals"


MOST_RESTARTS = 10
"""J31."""


MOST_COINS_TO_WIN = 12
"""Coins in the box."""
MOST_COINS_AT_ONCE = max(COINS)


class Options(options.Options):
    """Options of Super Tooth (section 3 of the specification)."""

    lacks: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "history": "a view of this game holds all that a careful player could remember (section 6 of its "
            "specification), so leave the option out"
        }
    )
    history: ClassVar[bool] = False  # type: ignore[misc]
    num_players: int = Field(default=4, ge=2, le=MAX_SEATS, description="seats at the table")
    deck: str = Field(default=FIRST_DECK, description="'prepub62', 'gamewright72', or the path of a deck file")
    coins_to_win: int | None = Field(
        default=None, ge=1, le=MOST_COINS_TO_WIN, description="by default 3; with two seats 4, in gamewright72 5"
    )
    first_seat: options.SeatOrRandom = Field(default="random", description="who begins: 'random' or a seat")
    hot_sun_marker: bool = Field(default=False, description="play with the double-sided Hot Sun card (J6)")
    reward: Literal["winner", "rank"] = Field(default="winner", description="how the result is paid")
    max_steps: int = Field(default=2000, ge=1, le=2**31 - 1, description="decisions after which a game is truncated")
    max_turns: int = Field(default=1000, ge=1, le=32766, description="turns after which a game is truncated")

    def setup(self) -> Setup:
        """The cards of the game."""
        return setup(self.deck)

    def target(self) -> int:
        """Coins that win the game (J4)."""
        if self.coins_to_win is not None:
            return self.coins_to_win
        if self.num_players > 2:
            return 3
        return 5 if self.deck == "gamewright72" else 4

    @model_validator(mode="after")
    def _fits(self) -> Self:
        self.setup()
        options.check_seat("first_seat", self.first_seat, self.num_players)
        return self


class Tables(TablesRecord):
    """What the rules read: the deck as numbers, and the options that change rules."""

    shaping: float = number("", kind="f8")
    copies: Numbers = numbers("of each kind", (KINDS,))
    chases: Numbers = numbers("1: has the chase-away icon", (SPECIES,))
    pays: Numbers = numbers("1: the species feeds or chases the Meat-Eater", (FIRST_EVENT - FIRST_MEAT, SPECIES))
    coins_to_win: int = number("")
    edition: int = number("")
    use_marker: int = number("1: Hot Sun is shown by the marker (J6)")
    max_turns: int = number("")
    first: int = number("who begins, or RANDOM_SEAT")
    payment: int = number("a Payment", of=Payment)


class State(StateRecord, seats=MAX_SEATS, streams=Stream, script=72, events=31):
    """A game in progress."""

    turn: int = number("its number, from 1", 0, "max_turns")
    active: int = number("whose turn it is", of="seat")
    restarts: int = number("of this turn, by Asteroid or Stampede (J31)", 0, MOST_RESTARTS + 1)
    volcano: int = number("1: at the end of this turn everything is cleaned up (J13)")
    marker: int = number("1: the double-sided Hot Sun card lies there (J6)")
    resolving: int = number("kind of the Event being resolved, -1 if none", -1, KINDS - 1)
    target: int = number("kind of the Meat-Eater being paid, -1 if none", -1, KINDS - 1)
    # Piles, by kind. The Landscape of the rules is draw, discard, landscape and lasting.
    draw: Numbers = numbers("the face-down pile", (KINDS,), 0, "copies")
    discard: Numbers = numbers("the discard pile", (KINDS,), 0, "copies")
    banished: Numbers = numbers("out of the game", (KINDS,), 0, "copies")
    landscape: Numbers = numbers("face up: L of the specification", (KINDS,), 0, "copies")
    lasting: Numbers = numbers("Events that stay: X of the specification", (KINDS,), 0, "copies")
    hand: Numbers = numbers("cards in hand", (MAX_SEATS, SPECIES), 0, "copies")
    coins: Numbers = numbers("coins won", (MAX_SEATS,), 0, "most coins")
    passing: Numbers = numbers("species chosen in a Stampede, -1 if none: a secret", (MAX_SEATS,), -1, SPECIES - 1)
    # What each seat can prove of the hands of the seats 1, 2, 3 places to its left: K of section 6.
    known: Numbers = numbers("cards proved to be in hands", (MAX_SEATS, MAX_SEATS - 1, SPECIES), 0, "copies")


def fill_tables(given: Options, cards: Setup, tables: Any) -> None:
    """The numbers that the rules read."""
    tables.shaping = given.shaping
    tables.copies[:] = cards.counts
    tables.chases[list(cards.chases)] = 1
    for meat, prey in enumerate(cards.prey):
        tables.pays[meat, list(prey)] = 1
        tables.pays[meat, list(cards.chases)] = 1
    tables.coins_to_win = given.target()
    tables.edition = cards.edition
    tables.use_marker = given.hot_sun_marker
    tables.max_turns = given.max_turns
    tables.first = options.seat_number(given.first_seat)
    tables.payment = Payment[given.reward.upper()]
