"""Options, the state record and the tables record of Super Tooth, and the numbers that name things in them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tooth_envs.engine.state import Field as RecordField
from tooth_envs.engine.state import StateField, state_dtype
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

# Phases (the loop of section 5). FETCH, SNATCH, ERUPT and PASS belong to Egg, Quetzalcoatlus, Volcano and Stampede.
(
    BEGIN_TURN,
    REVEAL,
    EVENTS,
    FETCH,
    SNATCH,
    ERUPT,
    PASS,
    RESTART,
    MEAT,
    PAY,
    ROAM,
    COLLECT,
    BONUS,
    EXCHANGE,
    END_TURN,
    TURN_END,
) = range(16)
PHASES = (
    "BEGIN_TURN",
    "REVEAL",
    "EVENTS",
    "FETCH",
    "SNATCH",
    "ERUPT",
    "PASS",
    "RESTART",
    "MEAT",
    "PAY",
    "ROAM",
    "COLLECT",
    "BONUS",
    "EXCHANGE",
    "END_TURN",
    "TURN_END",
)

# Decisions.
(
    ASK_EVENT,
    ASK_EGG,
    ASK_QUETZ,
    ASK_VOLCANO,
    ASK_PASS,
    ASK_TARGET,
    ASK_PAY,
    ASK_ROAM,
    ASK_COLLECT,
    ASK_BONUS,
    ASK_EXCHANGE,
) = range(11)
DECISIONS = (
    "EVENT_ORDER",
    "EGG",
    "QUETZ",
    "VOLCANO",
    "STAMPEDE_PASS",
    "MEAT_TARGET",
    "MEAT_PAY",
    "ROAM",
    "COLLECT",
    "BONUS",
    "EXCHANGE",
)

# Actions (section 5). CHOOSE + kind, PAY_HAND + species, PAY_LAND + species, TAKE + 4 species + (cards - 1),
# SET + 4 species + (cards - 3), SEAT + offset.
STOP = 0
IGNORE = 1
CHOOSE = 2
PAY_HAND = CHOOSE + KINDS
PAY_LAND = PAY_HAND + SPECIES
PAY_TRAVELER = PAY_LAND + SPECIES
TAKE = PAY_TRAVELER + 1
SET = TAKE + SPECIES * LARGEST_TAKE
SMALLEST_SET = 3
SETS = LARGEST_SET - SMALLEST_SET + 1
SEAT = SET + SPECIES * SETS
ACTIONS = (
    "STOP",
    "IGNORE",
    *(f"CHOOSE {code}" for code in CODES),
    *(f"PAY_HAND {code}" for code in CODES[:SPECIES]),
    *(f"PAY_LAND {code}" for code in CODES[:SPECIES]),
    "PAY_TRAVELER",
    *(f"TAKE {code} {number}" for code in CODES[:SPECIES] for number in range(1, LARGEST_TAKE + 1)),
    *(f"EXCHANGE {code} {number}" for code in CODES[:SPECIES] for number in range(SMALLEST_SET, LARGEST_SET + 1)),
    *(f"SEAT {offset}" for offset in range(MAX_SEATS)),
)
COINS = (1, 1, 2, 3)
"""What 3, 4, 5 and 6 equal cards bring (R19)."""

# Events that are told, with what their two arguments are.
TURN_BEGAN = 0  # seat: active; turn
REVEALED = 1  # seat: active; kind
RESHUFFLED = 2  # nobody's
RESOLVING = 3  # seat: active; kind: Egg, Quetzalcoatlus or Volcano
NO_EFFECT = 4  # seat: active; kind
STAYS = 5  # seat: active; kind
FETCHED = 6  # seat: active; kind
SNATCHED = 7  # seat: owner; species
ERUPTED = 8  # seat: left neighbour; kind
REDEALT = 9  # seat: active
BANISHED = 10  # seat: active
SWEPT = 11  # seat: active
CHOSE_PASS = 12  # seat: the chooser, who alone sees it; species
PASSED = 13  # seat: giver, whose left neighbour sees it too; species
HERD_PASSED = 14  # seat: active
IGNORED = 15  # seat: active; kind of Meat-Eater
PAID = 16  # seat: active; kind of card paid, where it came from
EATEN = 17  # seat: active; species
COLLECTED = 18  # seat: active; species, cards
TOOK_BONUS = 19  # seat: active; species
EXCHANGED = 20  # seat: active; species, cards
CLEANED_UP = 21  # seat: active
EXTINCT = 22  # nobody's
GAME_OVER = 23  # nobody's; bit mask of the winners
TOLD = (
    "TURN_BEGAN",
    "REVEALED",
    "RESHUFFLED",
    "RESOLVING",
    "NO_EFFECT",
    "STAYS",
    "FETCHED",
    "SNATCHED",
    "ERUPTED",
    "REDEALT",
    "BANISHED",
    "SWEPT",
    "CHOSE_PASS",
    "PASSED",
    "HERD_PASSED",
    "IGNORED",
    "PAID",
    "EATEN",
    "COLLECTED",
    "TOOK_BONUS",
    "EXCHANGED",
    "CLEANED_UP",
    "EXTINCT",
    "GAME_OVER",
)
FROM_HAND, FROM_LAND, FROM_LASTING = range(3)
"""Where a payment came from."""

# Chance streams: who begins, the draw pile, the card Quetzalcoatlus snatches, the cards T-Rex deals.
STREAM_FIRST, STREAM_DRAW, STREAM_SNATCH, STREAM_REDEAL = range(4)

MOST_RESTARTS = 10
"""J31."""

PAYMENTS = ("winner", "rank")
BY_WINNER, BY_RANK = range(2)

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


TABLES: list[RecordField] = [
    ("shaping", "f8"),
    ("copies", "i2", (KINDS,)),  # of each kind
    ("chases", "i2", (SPECIES,)),  # 1: has the chase-away icon
    ("pays", "i2", (FIRST_EVENT - FIRST_MEAT, SPECIES)),  # 1: the species feeds or chases the Meat-Eater
    ("coins_to_win", "i2"),
    ("edition", "i2"),
    ("use_marker", "i2"),  # 1: Hot Sun is shown by the marker (J6)
    ("max_turns", "i2"),
    ("first", "i2"),  # who begins, or RANDOM_SEAT
    ("payment", "i2"),  # BY_WINNER or BY_RANK
]

STATE = state_dtype(
    MAX_SEATS,
    streams=4,
    script=72,  # a whole box in a given order
    events=31,  # a turn and several that leave no choice; what is left of 1,024 bytes
    fields=[
        StateField("turn", (), 0, "max_turns", "its number, from 1"),
        StateField("active", (), 0, "last seat", "whose turn it is"),
        StateField("restarts", (), 0, MOST_RESTARTS + 1, "of this turn, by Asteroid or Stampede (J31)"),
        StateField("volcano", (), 0, 1, "1: at the end of this turn everything is cleaned up (J13)"),
        StateField("marker", (), 0, 1, "1: the double-sided Hot Sun card lies there (J6)"),
        StateField("resolving", (), -1, KINDS - 1, "kind of the Event being resolved, -1 if none"),
        StateField("target", (), -1, KINDS - 1, "kind of the Meat-Eater being paid, -1 if none"),
        # Piles, by kind. The Landscape of the rules is draw, discard, landscape and lasting.
        StateField("draw", (KINDS,), 0, "copies", "the face-down pile"),
        StateField("discard", (KINDS,), 0, "copies", "the discard pile"),
        StateField("banished", (KINDS,), 0, "copies", "out of the game"),
        StateField("landscape", (KINDS,), 0, "copies", "face up: L of the specification"),
        StateField("lasting", (KINDS,), 0, "copies", "Events that stay: X of the specification"),
        StateField("hand", (MAX_SEATS, SPECIES), 0, "copies", "cards in hand"),
        StateField("coins", (MAX_SEATS,), 0, "most coins", "coins won"),
        StateField("passing", (MAX_SEATS,), -1, SPECIES - 1, "species chosen in a Stampede, -1 if none: a secret"),
        # What each seat can prove of the hands of the seats 1, 2, 3 places to its left: K of section 6.
        StateField("known", (MAX_SEATS, MAX_SEATS - 1, SPECIES), 0, "copies", "cards proved to be in hands"),
    ],
)


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
    tables.payment = PAYMENTS.index(given.reward)
