"""Options, the state record and the tables record of Dragon Teeth Washer, and the numbers that name things in them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tooth_envs.engine.state import Field as RecordField
from tooth_envs.engine.state import StateField, state_dtype
from tooth_envs.errors import OptionError
from tooth_envs.games.dragon_teeth_washer.cards import CARDS, DRAGONS, MAX_SEATS, Setup, setup
from tooth_envs.spec import options

ROUNDS = 8
"""Most rounds in a game."""

# Phases (section 5 of the specification). The first and the last are automatic.
ROUND_START, CLAIM, LEAD, FOLLOW, RESOLVE = range(5)
PHASES = ("ROUND_START", "CLAIM", "LEAD", "FOLLOW", "RESOLVE")

# Decisions.
ASK_CLAIM, ASK_LEAD, ASK_FOLLOW = range(3)
DECISIONS = ("CLAIM", "LEAD", "FOLLOW")

# Statements. NOT_MADE: none has been made yet in this round; NONE: none was asked for (J2, J14); SILENT: the
# investigator chose to say nothing (J3).
NOT_MADE, NONE, SILENT, LOW, HIGH, RANK_0 = range(-1, 5)
CLAIMS = ("NONE", "SILENT", "LOW", "HIGH", *(f"RANK_{rank}" for rank in range(DRAGONS)))

# Actions: playing card 0..7 is action 0..7, the statements from SILENT on follow.
SAY = CARDS - SILENT
"""Action of a statement, less the statement's number."""
ACTIONS = (*(f"BRUSH_{card + 1}" for card in range(CARDS)), *(f"CLAIM_{claim}" for claim in CLAIMS[SILENT:]))

# How a card fared (R14-R16).
SUCCESS, BITTEN, NOT_COUNTED = range(3)

# Columns of ``honesty``: statements whose truth is known (J4).
TRUE, FALSE, UNSAID = range(3)

# Events, with what their two arguments are.
ROUND_STARTED = 0  # seat: investigator; round
PEEKED = 1  # seat: investigator, who alone sees it; value of the dragon
CLAIMED = 2  # seat: investigator; statement
LED = 3  # seat: investigator; card
CHOSE = 4  # seat: the chooser
CHOSE_CARD = 5  # seat: the chooser, who alone sees it; card
TURNED_UP = 6  # seat: investigator; value of the dragon, round
SCORED = 7  # seat: owner; card, points
GAME_OVER = 8  # nobody's; bit mask of the winners, their score
EVENTS = ("ROUND_STARTED", "PEEKED", "CLAIMED", "LED", "CHOSE", "CHOSE_CARD", "TURNED_UP", "SCORED", "GAME_OVER")

# Chance streams.
STREAM_FIRST, STREAM_DRAGONS = range(2)

TALK = ("none", "binary", "numeric")
NO_TALK, BINARY, NUMERIC = range(3)
PAYMENTS = ("rank", "winner", "score")
BY_RANK, BY_WINNER, BY_SCORE = range(3)


def _tuple_of(value: Any, inner: Any) -> tuple[Any, ...] | None:
    """A list or tuple whose entries ``inner`` accepts, as a tuple; None if it is none."""
    if not isinstance(value, list | tuple) or not value:
        return None
    entries = tuple(inner(entry) for entry in value)
    return None if any(entry is None for entry in entries) else entries


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _hand(value: Any) -> tuple[Any, ...] | None:
    return _tuple_of(value, _whole)


def _hands(value: Any) -> Any:
    hands = _hand(value) or _tuple_of(value, _hand)
    if value is not None and hands is None:
        raise ValueError("give one tuple of card values for all seats, or one such tuple per seat")
    return hands


def _dragons(value: Any) -> Any:
    dragons = _hand(value)
    if value is not None and dragons is None:
        raise ValueError("give a tuple of dragon values, strictly increasing")
    return dragons


class Options(options.Options):
    """Options of Dragon Teeth Washer (section 11 of the specification)."""

    num_players: int = Field(default=4, ge=2, le=MAX_SEATS, description="seats at the table; 2 is a study game")
    rounds: int | None = Field(default=None, description="rounds; by default all that hands and dragons allow")
    hands: Annotated[tuple[int, ...] | tuple[tuple[int, ...], ...] | None, BeforeValidator(_hands)] = Field(
        default=None, description="starting hand of all seats, or one per seat; by default the deck's, 1 to 8"
    )
    dragons: Annotated[tuple[int, ...] | None, BeforeValidator(_dragons)] = Field(
        default=None, description="values of the dragon set; by default the deck's for this number of players"
    )
    claims: Literal["none", "binary", "numeric"] = Field(default="binary", description="what the investigator may say")
    allow_silence: bool = Field(default=True, description="the investigator may also say nothing")
    first_investigator: options.SeatOrRandom = Field(
        default="random", description="who investigates first: 'random' or a seat"
    )
    reward: Literal["rank", "winner", "score"] = Field(default="rank", description="how the final scores are paid")
    max_steps: int = Field(default=64, ge=1, le=2**31 - 1, description="decisions after which a game is truncated")

    def setup(self) -> Setup:
        """The cards of the game."""
        return setup(self.deck, self.num_players, self.hands, self.dragons, self.rounds)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        cards = self.setup()
        options.check_seat("first_investigator", self.first_investigator, self.num_players)
        longest = cards.rounds * (self.num_players + 1)
        if self.max_steps < longest:
            raise OptionError(f"max_steps is {self.max_steps}; a game can take {longest} decisions, give at least that")
        return self


TABLES: list[RecordField] = [
    ("shaping", "f8"),
    ("dragon", "i2", (DRAGONS,)),  # value by rank; 0 where the set has none
    ("dragons", "i2"),  # size of the set (m)
    ("rounds", "i2"),  # rounds of the game (R)
    ("starting_hand", "i2", (MAX_SEATS,)),  # bit mask of cards
    ("hand_size", "i2"),  # cards of a starting hand (h)
    ("largest_score", "i2"),  # most points a seat can have (H)
    ("talk", "i2"),  # NO_TALK, BINARY or NUMERIC
    ("silence", "i2"),  # 1: SILENT is offered
    ("first", "i2"),  # first investigator, or RANDOM_SEAT
    ("payment", "i2"),  # BY_RANK, BY_WINNER or BY_SCORE
]

STATE = state_dtype(
    MAX_SEATS,
    streams=2,
    script=10,  # the first investigator and every round's dragon, with one to spare
    events=16,  # a step that resolves two rounds and ends the game (J14) writes so many with five seats
    fields=[
        StateField("round_number", (), 0, "rounds", "the round being played; the number of rounds once all are over"),
        StateField("investigator", (), 0, "last seat", "of that round"),
        StateField("pile", (DRAGONS,), 0, 1, "by rank: 1 if the dragon is still in the face-down pile"),
        # One row per round. Those of finished rounds are public; of the round being played, the dragon is the
        # investigator's secret and the cards, but for the lead, are their owners'.
        StateField("seen", (ROUNDS,), -1, "last rank", "rank of the dragon, -1 before it is looked at"),
        StateField("claim", (ROUNDS,), NOT_MADE, len(CLAIMS) - 1, "statement"),
        StateField("card", (ROUNDS, MAX_SEATS), -1, CARDS - 1, "card played or chosen, -1 before"),
        # Bit masks of cards. A hand no longer holds the card that lies on the table.
        StateField("hand", (MAX_SEATS,), 0, 2**CARDS - 1, "cards in hand"),
        StateField("plus", (MAX_SEATS,), 0, 2**CARDS - 1, "cards won"),
        StateField("minus", (MAX_SEATS,), 0, 2**CARDS - 1, "cards lost"),
        StateField("zero", (MAX_SEATS,), 0, 2**CARDS - 1, "cards that count nothing"),
        StateField("score", (MAX_SEATS,), "-largest score", "largest score", "points"),
        StateField("honesty", (MAX_SEATS, 3), 0, ROUNDS, "statements found TRUE, FALSE, UNSAID"),
    ],
)


def fill_tables(given: Options, cards: Setup, tables: Any) -> None:
    """The numbers that the rules read."""
    tables.shaping = given.shaping
    tables.dragon[: len(cards.dragons)] = cards.dragons
    tables.dragons = len(cards.dragons)
    tables.rounds = cards.rounds
    for seat, hand in enumerate(cards.hands):
        tables.starting_hand[seat] = sum(1 << (value - 1) for value in hand)
    tables.hand_size = cards.hand_size
    tables.largest_score = cards.largest_score
    tables.talk = TALK.index(given.claims)
    tables.silence = given.allow_silence
    tables.first = options.seat_number(given.first_investigator)
    tables.payment = PAYMENTS.index(given.reward)


def _study(
    num_players: int, hands: Any, dragons: tuple[int, ...], rounds: int, claims: str, **more: Any
) -> dict[str, Any]:
    game = {"num_players": num_players, "hands": hands, "dragons": dragons, "rounds": rounds, "claims": claims}
    return {**game, "first_investigator": 0, **more}


_ODD_EVEN = ((1, 3, 5), (2, 4, 6))

PRESETS: dict[str, dict[str, Any]] = {
    "tiny_duel": _study(2, (1, 2), (2, 3), 1, "none"),
    "small_duel": _study(2, (1, 2, 3), (3, 4, 5), 2, "none"),
    "small_duel_talk": _study(2, (1, 2, 3), (3, 4, 5), 2, "binary", allow_silence=False),
    "odd_even": _study(2, _ODD_EVEN, (4, 5, 6, 7), 2, "none"),
    "odd_even_talk": _study(2, _ODD_EVEN, (4, 5, 6, 7), 2, "binary", allow_silence=False),
    "duel_four": _study(2, (1, 2, 3, 4), (3, 4, 5, 6), 4, "binary", allow_silence=False),
    "trio": _study(3, (1, 2, 3), (4, 5, 6), 2, "none"),
    "trio_talk": _study(3, (1, 2, 3), (4, 5, 6), 3, "binary"),
    "trio_numeric": _study(3, (1, 2, 3), (4, 5, 6, 8), 2, "numeric"),
    "trio_four": _study(3, (1, 2, 3, 4), (5, 6, 7, 8), 2, "binary"),
    "quartet": _study(4, (1, 2), (4, 5, 6), 2, "none"),
}
"""The exactly solvable sub-games of section 11."""
