"""Options, the state record and the tables record of Dragon Teeth Washer, and the numbers that name things in them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tooth_envs.engine.enums import ActionGroup, Named
from tooth_envs.engine.payment import Payment
from tooth_envs.engine.records import Numbers, StateRecord, TablesRecord, number, numbers
from tooth_envs.engine.streams import Streams
from tooth_envs.errors import OptionError
from tooth_envs.games.dragon_teeth_washer.cards import CARDS, DRAGONS, MAX_SEATS, Setup, setup
from tooth_envs.spec import options

ROUNDS = 8
"""Most rounds in a game."""


class Phase(Named):
    """Nodes of the state machine (section 5 of the specification). The first and the last are automatic."""

    ROUND_START = "the investigator looks at the dragon"
    CLAIM = "the investigator makes a statement"
    LEAD = "the investigator plays a card face up"
    FOLLOW = "the others choose a card face down, one after the other"
    RESOLVE = "the dragon is turned up and the cards are scored"


class Decision(Named):
    """What a seat is asked."""

    CLAIM = "the investigator says something about the dragon, or stays silent"
    LEAD = "the investigator plays a card face up"
    FOLLOW = "a seat chooses the card that it plays face down"


class Claim(Named):
    """Statements about the dragon. RANK_0 + r names the dragon of rank r in the numeric game."""

    NOT_MADE = -1, "none has been made yet in this round"
    NONE = "none was asked for (J2, J14)"
    SILENT = "the investigator chose to say nothing (J3)"
    LOW = "the dragon is one of the low half"
    HIGH = "the dragon is one of the high half"
    RANK_0 = "the dragon is the lowest"


CLAIMS = (*Claim.names()[: Claim.RANK_0], *(f"RANK_{rank}" for rank in range(DRAGONS)))
"""Names of all statements, by number."""


class Action(ActionGroup):
    """The action table."""

    BRUSH = "BRUSH_{}", range(1, CARDS + 1)
    SAY = "CLAIM_{}", CLAIMS[Claim.SILENT :]


SAY = int(Action.SAY) - int(Claim.SILENT)
"""Action of a statement, less the statement's number."""


class Fate(Named):
    """How a card fared (R14-R16)."""

    SUCCESS = "it counts for its owner"
    BITTEN = "it counts against its owner"
    NOT_COUNTED = "it counts nothing"


class Honesty(Named):
    """Columns of ``honesty``: statements whose truth is known (J4)."""

    TRUE = "found true"
    FALSE = "found false"
    UNSAID = "left unsaid"


class EventKind(Named):
    """What is told, with what seat and arguments mean."""

    ROUND_STARTED = "seat: investigator; round"
    PEEKED = "seat: investigator, who alone sees it; value of the dragon"
    CLAIMED = "seat: investigator; statement"
    LED = "seat: investigator; card"
    CHOSE = "seat: the chooser"
    CHOSE_CARD = "seat: the chooser, who alone sees it; card"
    TURNED_UP = "seat: investigator; value of the dragon, round"
    SCORED = "seat: owner; card, points"
    GAME_OVER = "nobody's; bit mask of the winners, their score"


class Stream(Streams):
    """Chance streams."""

    FIRST = "who investigates first"
    DRAGONS = "the dragon of each round"


class Talk(Named):
    """What the investigator may say: the option ``claims`` in small letters."""

    NONE = "nothing"
    BINARY = "low or high"
    NUMERIC = "the dragon's rank"


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


class Tables(TablesRecord):
    """What the rules read: the deck as numbers, and the options that change rules."""

    shaping: float = number("", kind="f8")
    dragon: Numbers = numbers("value by rank; 0 where the set has none", (DRAGONS,))
    dragons: int = number("size of the set (m)")
    rounds: int = number("rounds of the game (R)")
    starting_hand: Numbers = numbers("bit mask of cards", (MAX_SEATS,))
    hand_size: int = number("cards of a starting hand (h)")
    largest_score: int = number("most points a seat can have (H)")
    talk: int = number("NO_TALK, BINARY or NUMERIC")
    silence: int = number("1: SILENT is offered")
    first: int = number("first investigator, or RANDOM_SEAT")
    payment: int = number("a Payment", of=Payment)


class State(StateRecord, seats=MAX_SEATS, streams=Stream, script=10, events=16):
    """A game in progress."""

    round_number: int = number("the round being played; the number of rounds once all are over", 0, "rounds")
    investigator: int = number("of that round", of="seat")
    pile: Numbers = numbers("by rank: 1 if the dragon is still in the face-down pile", (DRAGONS,))
    # One row per round. Those of finished rounds are public; of the round being played, the dragon is the
    # investigator's secret and the cards, but for the lead, are their owners'.
    seen: Numbers = numbers("rank of the dragon, -1 before it is looked at", (ROUNDS,), -1, "last rank")
    claim: Numbers = numbers("statement", (ROUNDS,), Claim.NOT_MADE, len(CLAIMS) - 1)
    card: Numbers = numbers("card played or chosen, -1 before", (ROUNDS, MAX_SEATS), -1, CARDS - 1)
    # Bit masks of cards. A hand no longer holds the card that lies on the table.
    hand: Numbers = numbers("cards in hand", (MAX_SEATS,), 0, 2**CARDS - 1)
    plus: Numbers = numbers("cards won", (MAX_SEATS,), 0, 2**CARDS - 1)
    minus: Numbers = numbers("cards lost", (MAX_SEATS,), 0, 2**CARDS - 1)
    zero: Numbers = numbers("cards that count nothing", (MAX_SEATS,), 0, 2**CARDS - 1)
    score: Numbers = numbers("points", (MAX_SEATS,), "-largest score", "largest score")
    honesty: Numbers = numbers("statements found TRUE, FALSE, UNSAID", (MAX_SEATS, 3), 0, ROUNDS)


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
    tables.talk = Talk[given.claims.upper()]
    tables.silence = given.allow_silence
    tables.first = options.seat_number(given.first_investigator)
    tables.payment = Payment[given.reward.upper()]


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
