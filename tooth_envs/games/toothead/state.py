"""Options, the state record and the tables record of Toothead, and the numbers that name things in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tooth_envs.engine.state import Field as RecordField
from tooth_envs.engine.state import StateField, state_dtype
from tooth_envs.errors import OptionError
from tooth_envs.games.toothead import cards as decks
from tooth_envs.games.toothead.cards import (
    CODE,
    DOCK_MEGAS,
    DOCKS,
    ISLANDS,
    KINDS,
    LANES,
    MAX_SEATS,
    MOST_COPIES,
    SLICES,
    SOURCES,
    Setup,
    setup,
)
from tooth_envs.games.toothead.vocabulary import MOST_NUMBER, TRIGGERS
from tooth_envs.spec import options
from tooth_envs.spec.validation import AsTuple, suggestion

# Phases: the nodes of the state machine. Those from TRICK on interrupt another one, which goes on afterwards.
PHASES = (
    # Setup (R5-R9).
    "SETUP",
    "DOCKS",
    "DEAL",
    # Rounds (R14-R26).
    "PHASE_START",
    "NEXT_TURN",
    "TURN",
    "EXCHANGE",
    "EATING_WINDOW",
    "EATING",
    "ROUND_END",
    # A trick that is being played (J11, J12).
    "TRICK",
    "TRICK_WINDOW",
    "TRICK_EFFECT",
    "TRICK_END",
    # Instructions of a card, and card dice on the table (J15).
    "EFFECT",
    "DICE_WINDOW",
    # A fight (section 2.10).
    "ATTACK",
    "FIGHT_START",
    "PLACING",
    "FIGHT_DICE",
    "FIGHT_WINDOW",
    "OUTCOME",
    "AFTERMATH",
    "CLEAN_UP",
)
(
    SETUP,
    CHOOSE_DOCKS,
    DEAL,
    PHASE_START,
    NEXT_TURN,
    IN_TURN,
    EXCHANGE,
    EATING_WINDOW,
    EATING,
    ROUND_END,
    TRICK,
    TRICK_WINDOW,
    TRICK_EFFECT,
    TRICK_END,
    EFFECT,
    DICE_WINDOW,
    ATTACK,
    FIGHT_START,
    PLACING,
    FIGHT_DICE,
    FIGHT_WINDOW,
    OUTCOME,
    AFTERMATH,
    CLEAN_UP,
) = range(len(PHASES))

# Decisions (section 5.2).
DECISIONS = (
    "DOCK",
    "TURN",
    "DRAWN",
    "TARGET",
    "TARGET2",
    "TRICKWIN",
    "DIEWIN",
    "DIESEAT",
    "EXCH",
    "DISCARD",
    "GIVE",
    "PICK",
    "ATTACKED",
    "FUEL",
    "FTURN",
    "LANE",
    "FLIP",
    "FWIN",
    "FSIDE",
    "DIE",
    "EATWIN",
    "EAT",
)
(
    ASK_DOCK,
    ASK_TURN,
    ASK_DRAWN,
    ASK_TARGET,
    ASK_TARGET2,
    ASK_TRICKWIN,
    ASK_DIEWIN,
    ASK_DIESEAT,
    ASK_EXCH,
    ASK_DISCARD,
    ASK_GIVE,
    ASK_PICK,
    ASK_ATTACKED,
    ASK_FUEL,
    ASK_FTURN,
    ASK_LANE,
    ASK_FLIP,
    ASK_FWIN,
    ASK_FSIDE,
    ASK_DIE,
    ASK_EATWIN,
    ASK_EAT,
) = range(len(DECISIONS))

# Actions (section 5.3). Numbers of lanes, seats and cards are added to the first of their group.
FIGHT_DICE_COUNT = 4
_WORDS = ("PASS", "YES", "KEEP", "DRAW", "ISLAND", "BONUS_DIE", "EXCHANGE", "BRIBE", "WEAPON", "KNACK")
PASS, YES, KEEP, DRAW, ISLAND, BONUS_DIE, DO_EXCHANGE, BRIBE, USE_WEAPON, USE_KNACK, EAT_MEAT, EAT_SLICE = range(12)
LANE = EAT_SLICE + 1
FDRAW = LANE + LANES
DIE = FDRAW + LANES
ATTACK_PLUS = DIE + FIGHT_DICE_COUNT - 1  # ATTACK_PLUS + k attacks the seat k places clockwise
SEAT_PLUS = ATTACK_PLUS + MAX_SEATS
DOCK = SEAT_PLUS + MAX_SEATS
CARD = DOCK + DOCKS
NUM_ACTIONS = CARD + KINDS


def action_names(cards: Setup) -> tuple[str, ...]:
    """The action table with a deck's names for its cards and docks."""
    docks = [card.id for card in cards.docks]
    kinds = [card.id for card in cards.bonfire]
    return (
        *_WORDS,
        "EAT_MEAT",
        "EAT_SLICE",
        *(f"LANE {lane + 1}" for lane in range(LANES)),
        *(f"FDRAW {lane + 1}" for lane in range(LANES)),
        *(f"DIE {place}" for place in range(FIGHT_DICE_COUNT)),
        *(f"ATTACK+{place}" for place in range(1, MAX_SEATS)),
        *(f"SEAT+{place}" for place in range(MAX_SEATS)),
        *(f"DOCK {docks[dock] if dock < len(docks) else dock}" for dock in range(DOCKS)),
        *(f"CARD {kinds[kind] if kind < len(kinds) else kind}" for kind in range(KINDS)),
    )


TURN_PHASES = ("DIGESTION", "APPETITE", "HUNGER", "EATING")
DIGESTION, APPETITE, HUNGER, EATING_PHASE = range(4)
"""The phases of a round (R14)."""

TOKENS = ("active", "neutralised", "face_down", "face_up")
ACTIVE, NEUTRALISED, FACE_DOWN, FACE_UP = range(4)

# Fight dice (J29): weapon and Toothead die of a side are 2 * side and 2 * side + 1.
ATTACKER, DEFENDER = range(2)

# Faces of the island die (J46).
FACES = ("action", "attack", "island", "none")
NO_FACE = 3

# What a cancelled or redirected attack comes to.
ATTACK_STANDS, ATTACK_ENDED = range(2)

PAYMENTS = ("winner", "rank")
BY_WINNER, BY_RANK = range(2)
DRAFT, RANDOM_DOCKS, GIVEN_DOCKS = range(3)

# Chance streams. Dice and stolen or lost cards have one per seat.
STREAM_SETUP, STREAM_DOCKS, STREAM_BONFIRE, STREAM_ISLANDS, STREAM_ISLAND_DIE, STREAM_HIDDEN = range(6)
STREAM_DICE = 6
STREAM_POCKET = STREAM_DICE + MAX_SEATS
STREAMS = STREAM_POCKET + MAX_SEATS

# What seats can prove about the pockets of others (section 6): counts of kinds, packed into words.
BITS = 4
"""Bits of a count: MOST_COPIES fits."""
PER_WORD = 15
"""Counts in one signed 64-bit word."""
KNOWN_WORDS = -(-KINDS // PER_WORD)

# Bounds of what cards can drive, far above anything that the standard deck reaches.
MOST_MADE = 9999
"""Meat that cards make in one game: beyond it the supply is empty (J37)."""
MOST_CHANGE = 999
"""What specials change a card die, or a fighter's pool, by at most, up or down."""
MOST_MEAT = MOST_MADE + SLICES * MAX_SEATS
LARGEST_DIE = 12
MOST_BONUS = 240
"""Sum of a side's extra dice: as many as there can be, each of the largest."""

DEPTH = 7
"""Room for nodes that are interrupted at one time. Five can be: turn, trick, its effect, event, dice or a fight
(position_nodes.py)."""
REGISTERS = ("phase", "at", "actor", "target", "second", "card", "count", "trigger")
"""Fields that belong to the node being played; when it is interrupted, they are saved in ``saved``."""
REG_PHASE, REG_AT, REG_ACTOR, REG_TARGET, REG_SECOND, REG_CARD, REG_COUNT, REG_TRIGGER = range(len(REGISTERS))

# Events, with what their two arguments are.
EVENTS = (
    "INITIATIVE",  # seat: new holder
    "TOOK_DOCK",  # seat: owner; dock
    "DEALT",  # seat: owner; number of cards
    "PHASE_BEGAN",  # seat: -1; phase of the round, round
    "TURN_BEGAN",  # seat: whose turn
    "DREW",  # seat: who; number of cards
    "DREW_CARD",  # seat: who alone sees it; kind
    "PLAYED",  # seat: who; kind, target or -1
    "CANCELLED",  # seat: who cancels; kind of the trick
    "DISCARDED",  # seat: whose card; kind
    "STOLE",  # seat: who; from whom
    "STOLE_CARD",  # seat: who; from whom, kind (seen by both)
    "LOOKED",  # seat: who; at whose pocket
    "TOOK",  # seat: who; kind taken from the bin
    "SWAPPED",  # seat: who; with whom
    "GAVE",  # seat: who; to whom
    "GAVE_CARD",  # seat: who; to whom, kind (seen by both)
    "GAINED",  # seat: who; kind of move, number
    "ISLAND_DIE",  # seat: who; face
    "ISLAND_CARD",  # seat: who; island card
    "MEAT",  # seat: who; change of meat
    "HEALED",  # seat: who
    "ROLLED",  # seat: who; face, sides
    "CHANGED_DIE",  # seat: whose die; change or new face, 1 if rolled again
    "LOST_WEAPON",  # seat: whose; kind
    "LOST_MEGA",  # seat: whose dock; kind
    "ATTACKED",  # seat: attacker; defender
    "ATTACK_OFF",  # seat: attacker; defender
    "BRIBED",  # seat: defender; attacker
    "REDIRECTED",  # seat: old defender; new one
    "FIGHT_BEGAN",  # seat: attacker; defender
    "TOKEN_OUT",  # seat: whose token; lane
    "TOKEN_BACK",  # seat: whose token; lane
    "PLACED",  # seat: who; kind, lane
    "FACE_DOWN",  # seat: who; lane
    "STOOD",  # seat: who
    "FUELLED",  # seat: who; kind
    "FIGHT_DIE",  # seat: who; place of the die, face
    "SIDE_CHANGED",  # seat: whose side; change of the pool
    "COUNTED",  # seat: fighter; what its dice count, and what hits and all else do
    "FIGHT_OVER",  # seat: winner, -1 for a tie; pools of attacker and defender
    "LOST_SLICE",  # seat: who; slices left
    "ATE",  # seat: who; 0 meat, 1 slice, 2 a card instead, 3 nothing
    "WORKED",  # seat: whose; source (cards.py) that does something by itself, or is put to use
    "ELIMINATED",  # seat: who
    "GAME_OVER",  # seat: -1; bit mask of the winners, round
)
(
    E_INITIATIVE,
    E_TOOK_DOCK,
    E_DEALT,
    E_PHASE_BEGAN,
    E_TURN_BEGAN,
    E_DREW,
    E_DREW_CARD,
    E_PLAYED,
    E_CANCELLED,
    E_DISCARDED,
    E_STOLE,
    E_STOLE_CARD,
    E_LOOKED,
    E_TOOK,
    E_SWAPPED,
    E_GAVE,
    E_GAVE_CARD,
    E_GAINED,
    E_ISLAND_DIE,
    E_ISLAND_CARD,
    E_MEAT,
    E_HEALED,
    E_ROLLED,
    E_CHANGED_DIE,
    E_LOST_WEAPON,
    E_LOST_MEGA,
    E_ATTACKED,
    E_ATTACK_OFF,
    E_BRIBED,
    E_REDIRECTED,
    E_FIGHT_BEGAN,
    E_TOKEN_OUT,
    E_TOKEN_BACK,
    E_PLACED,
    E_FACE_DOWN,
    E_STOOD,
    E_FUELLED,
    E_FIGHT_DIE,
    E_SIDE_CHANGED,
    E_COUNTED,
    E_FIGHT_OVER,
    E_LOST_SLICE,
    E_ATE,
    E_WORKED,
    E_ELIMINATED,
    E_GAME_OVER,
) = range(len(EVENTS))


def _teams(value: Any) -> Any:
    value = tuple(value) if isinstance(value, list) else value
    whole = value if isinstance(value, tuple) else (value,)
    if value is not None and any(isinstance(part, bool) or not isinstance(part, int) for part in whole):
        raise ValueError("give null, a number of teams, or one team's id per seat, a whole number")
    if any(not -(2**63) <= part < 2**63 for part in whole if part is not None):
        raise ValueError("a team's id has up to 64 bits; give smaller ones")
    return value


def _docks(value: Any) -> Any:
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return tuple(value)
    if value not in ("draft", "random"):
        raise ValueError("give 'draft', 'random', or one dock's id per seat")
    return value


Face = Literal["action", "attack", "island", "none"]


class Options(options.Options):
    """Constructor options (section 3 of the specification)."""

    lacks: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "history": "this game has none to add; its view holds all that a perfect memory could tell, but for the "
            "order of events"
        }
    )
    history: ClassVar[bool] = False  # type: ignore[misc]
    num_players: int = Field(default=4, ge=2, le=MAX_SEATS, description="seats at the table")
    teams: Annotated[int | tuple[int, ...] | None, BeforeValidator(_teams)] = Field(
        default=None,
        description="a number of teams (seat i is in team i mod it), or any whole number per seat, one a team (J1)",
    )
    dock_mode: Annotated[str | tuple[str, ...], BeforeValidator(_docks)] = Field(
        default="draft", description="docks are chosen ('draft'), dealt ('random'), or given by id per seat"
    )
    reward: Literal["winner", "rank"] = Field(default="winner", description="how the final ranking is paid")
    max_rounds: int = Field(default=40, ge=1, le=1000, description="rounds after which the game ends (J39)")
    max_steps: int = Field(default=20000, ge=1, le=2**31 - 1, description="decisions after which it is cut off (J40)")
    extra_cap: int = Field(default=8, ge=0, le=99, description="extra moves of a kind in one turn (J38)")
    food_recycles: bool = Field(default=False, description="eaten cards go to the bin instead of out of play (J36)")
    third_party_specials: bool = Field(default=True, description="onlookers may play specials in a fight (J29)")
    island_die: Annotated[tuple[Face, ...], AsTuple] = Field(
        default=("action", "action", "attack", "attack", "island", "none"), description="faces of the island die (J46)"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        n = self.num_players
        if isinstance(self.teams, int) and not 2 <= self.teams <= n:
            raise OptionError(f"teams is {self.teams}; give 2 to {n} teams for {n} seats")
        if isinstance(self.teams, tuple):
            if len(self.teams) != n:
                raise OptionError(f"teams: {len(self.teams)} are given for {n} seats; give one team per seat")
            if len(set(self.teams)) < 2:
                raise OptionError(f"teams is {list(self.teams)}; give two teams or more, each a number of its own")
        if len(self.island_die) != ISLAND_DIE_FACES:
            raise OptionError(f"island_die: {len(self.island_die)} faces are given; the die has {ISLAND_DIE_FACES}")
        cards = self.cards()
        if len(cards.docks) < n:
            raise OptionError(f"{cards.source}: has {len(cards.docks)} docks for {n} seats; give one more per seat")
        self.given_docks(cards)
        return self

    def cards(self) -> Setup:
        """The deck. Raises DeckError."""
        return setup(self.deck)

    def given_docks(self, cards: Setup) -> list[int]:
        """The docks that ``dock_mode`` gives to the seats, empty if they are chosen or dealt."""
        if isinstance(self.dock_mode, str):
            return []
        known = [card.id for card in cards.docks]
        for name in self.dock_mode:
            if name not in known:
                raise OptionError(f"dock_mode: no dock is called {name!r}{suggestion(name, known)} {', '.join(known)}")
        if len(self.dock_mode) != self.num_players or len(set(self.dock_mode)) != self.num_players:
            raise OptionError(
                f"dock_mode: {list(self.dock_mode)} is given for {self.num_players} seats; give each a dock of its own"
            )
        return [known.index(name) for name in self.dock_mode]

    def team_of_seats(self) -> list[int]:
        """A team per seat, numbered from 0 in the order of their first seats; without teams, every seat is its own."""
        if isinstance(self.teams, tuple):
            order = list(dict.fromkeys(self.teams))
            return [order.index(team) for team in self.teams]
        return [seat % (self.teams or self.num_players) for seat in range(self.num_players)]


ISLAND_DIE_FACES = 6

TABLES: list[RecordField] = [
    ("shaping", "f8"),
    ("team_play", "i2"),
    ("team", "i2", (MAX_SEATS,)),
    ("dock_mode", "i2"),
    ("given_dock", "i2", (MAX_SEATS,)),
    ("payment", "i2"),
    ("max_rounds", "i2"),
    ("extra_cap", "i2"),
    ("food_recycles", "i2"),
    ("third_parties", "i2"),
    ("island_die", "i2", (ISLAND_DIE_FACES,)),
    *decks.TABLES,
]

STATE = state_dtype(
    MAX_SEATS,
    streams=STREAMS,
    script=128,
    events=200,
    fields=[
        StateField(
            "known",
            (MAX_SEATS, MAX_SEATS, KNOWN_WORDS),
            0,
            2 ** (BITS * PER_WORD) - 1,
            "what [seat] can prove of the pocket of [other seat]",
            kind="i8",
        ),
        # The round.
        StateField("round_number", (), 0, "max rounds", "from 1"),
        StateField("turn_phase", (), 0, len(TURN_PHASES) - 1, "DIGESTION ... EATING_PHASE"),
        StateField("first", (), -1, "last seat", "who begins this phase, or the Eating Phase's windows"),
        StateField("place", (), 0, "players", "turns of this phase that have begun, or seats that have eaten"),
        StateField("active", (), -1, "last seat", "whose turn it is"),
        StateField("initiative", (), -1, "last seat"),
        StateField("actions", (), 0, "most moves"),
        StateField("attacks", (), 0, "most moves"),
        StateField("islands", (), 0, "most moves", "island cards that may be played"),
        StateField("can_exchange", (), 0, 1),
        StateField("can_roll", (), 0, 1, "the island die"),
        StateField("extra", (3,), 0, "extra cap", "moves gained in this turn, by kind"),
        StateField("pocket_plays", (), 0, "cards", "tricks and weapons played from the pocket in this turn"),
        # Seats.
        StateField("alive", (MAX_SEATS,), 0, 1),
        StateField(
            "eliminated", (MAX_SEATS,), 0, "players", "1 for the first to be eliminated, and so on; 0 for others"
        ),
        StateField("slices", (MAX_SEATS,), 0, SLICES),
        StateField("meat", (MAX_SEATS,), 0, MOST_MEAT),
        StateField("dock", (MAX_SEATS,), -1, DOCKS - 1, "-1: none yet"),
        StateField("weapon", (MAX_SEATS,), -1, KINDS - 1, "kind, -1: none"),
        StateField("mega_count", (MAX_SEATS,), 0, DOCK_MEGAS),
        StateField("mega", (MAX_SEATS, DOCK_MEGAS), 0, KINDS - 1, "kinds in the order they were played"),
        StateField("pocket_size", (MAX_SEATS,), 0, "cards"),
        StateField("pocket", (MAX_SEATS, KINDS), 0, MOST_COPIES),
        StateField("dock_order", (MAX_SEATS,), -1, "last seat", "who chooses a dock when; -1 beyond the last seat"),
        # Piles.
        StateField("bonfire_size", (), 0, "cards"),
        StateField("bin_size", (), 0, "cards"),
        StateField("bonfire", (KINDS,), 0, MOST_COPIES),
        StateField("bin", (KINDS,), 0, MOST_COPIES),
        StateField("food", (KINDS,), 0, MOST_COPIES),
        StateField("aside", (KINDS,), 0, MOST_COPIES, "out of play in a worked position"),
        StateField("island_deck", (ISLANDS,), 0, MOST_COPIES),
        StateField("green", (ISLANDS,), 0, MOST_COPIES),
        StateField("island_aside", (ISLANDS,), 0, MOST_COPIES),
        StateField("permanent", (), -1, ISLANDS - 1, "the island card that works, -1: none"),
        StateField("created", (), 0, MOST_MADE, "meat made by cards (J37)"),
        StateField("eaten", (), 0, MOST_MEAT, "slices and meat that left play"),
        # The node being played: see REGISTERS. Their meaning is each node's own.
        StateField("at", (), 0, CODE),
        StateField("actor", (), -1, "last seat"),
        StateField("target", (), -1, "last seat"),
        StateField("second", (), -1, MOST_CHANGE + LARGEST_DIE),
        StateField("card", (), -1, SOURCES - 1),
        StateField("count", (), 0, MOST_NUMBER),
        StateField("trigger", (), 0, len(TRIGGERS) - 1),
        StateField("depth", (), 0, DEPTH),
        StateField("saved", (DEPTH, len(REGISTERS)), -1, MOST_CHANGE + LARGEST_DIE),
        # Things in the middle of something.
        StateField(
            "held", (), -1, KINDS - 1, "kind drawn (DRAWN) or to be placed (LANE), still in the pocket; -1: none"
        ),
        StateField("gift", (MAX_SEATS,), -1, KINDS - 1, "cards chosen to be passed on, -1: none"),
        StateField("die_sides", (MAX_SEATS,), 0, LARGEST_DIE, "card dice; 0: the seat rolls none"),
        StateField("die_face", (MAX_SEATS,), 0, LARGEST_DIE),
        StateField("die_change", (MAX_SEATS,), -MOST_CHANGE, MOST_CHANGE),
        # The fight.
        StateField("attacker", (), -1, "last seat", "-1: no fight"),
        StateField("defender", (), -1, "last seat"),
        StateField("attack_state", (), 0, 1),
        StateField("fighting", (), 0, 1, "1 from the laying out of tokens to the clean-up"),
        StateField("token", (2, LANES), 0, len(TOKENS) - 1),
        StateField("token_card", (2, LANES), -1, KINDS - 1, "-1: none"),
        StateField("stood", (2,), 0, 1),
        StateField("to_place", (), 0, 1, "side whose turn it is to place a card"),
        StateField("unfuelled", (2,), 0, 1),
        StateField("fight_face", (FIGHT_DICE_COUNT,), 0, LARGEST_DIE, "0: not rolled"),
        StateField("fight_sides", (FIGHT_DICE_COUNT,), 0, LARGEST_DIE),
        StateField("bonus_dice", (2,), 0, MOST_BONUS),
        StateField("side_change", (2,), -MOST_CHANGE, MOST_CHANGE, "by specials"),
        StateField("knack_used", (2,), 0, 1),
        StateField("weapon_used", (2,), 0, 1),
        StateField("slice_kept", (), 0, 1),
        StateField("winner", (), -1, 1, "side, -1: tie or not decided"),
        StateField("noted", (2,), -1, KINDS - 1, "weapons whose specialty works after the fight, -1: none"),
        StateField("fight_specials", (KINDS,), 0, MOST_COPIES),
    ],
)


def fill_tables(given: Options, cards: Setup, tables: Any) -> None:
    """The numbers that the rules read."""
    tables.shaping = given.shaping
    tables.team_play = given.teams is not None
    tables.team[:] = -1
    tables.team[: given.num_players] = given.team_of_seats()
    docks = given.given_docks(cards)
    tables.dock_mode = GIVEN_DOCKS if docks else RANDOM_DOCKS if given.dock_mode == "random" else DRAFT
    tables.given_dock[: len(docks)] = docks
    tables.payment = PAYMENTS.index(given.reward)
    tables.max_rounds = given.max_rounds
    tables.extra_cap = given.extra_cap
    tables.food_recycles = given.food_recycles
    tables.third_parties = given.third_party_specials
    tables.island_die[:] = [FACES.index(face) for face in given.island_die]
    decks.fill_tables(cards, tables)


STANDARD = setup("standard")
assert Path(STANDARD.source.removeprefix("deck ")).name == "deck.toml"
ACTIONS = action_names(STANDARD)
