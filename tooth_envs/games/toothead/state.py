"""Options, the state record and the tables record of Toothead, and the numbers that name things in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tooth_envs.engine.enums import ActionGroup, Named
from tooth_envs.engine.payment import Payment
from tooth_envs.engine.records import Numbers, StateRecord, number, numbers
from tooth_envs.engine.streams import Streams
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


class Phase(Named):
    """Nodes of the state machine. Those from TRICK on interrupt another one, which goes on afterwards."""

    # Setup (R5-R9).
    SETUP = "who begins is rolled for"
    DOCKS = "docks are chosen or dealt"
    DEAL = "slices and cards are dealt"
    # Rounds (R14-R26).
    PHASE_START = "a phase of the round begins"
    NEXT_TURN = "the next seat's turn in this phase begins"
    TURN = "the active seat makes its moves"
    EXCHANGE = "cards are put aside for the exchange"
    EATING_WINDOW = "specials before the eating"
    EATING = "the seats eat"
    ROUND_END = "the initiative moves on"
    # A trick that is being played (J11, J12).
    TRICK = "a trick is announced and its target chosen"
    TRICK_WINDOW = "others may cancel it"
    TRICK_EFFECT = "it takes effect"
    TRICK_END = "its card goes where it belongs"
    # Instructions of a card, and card dice on the table (J15).
    EFFECT = "instructions of a card are carried out"
    DICE_WINDOW = "card dice lie on the table and may be changed"
    # A fight (section 2.10).
    ATTACK = "an attack is declared, and may be avoided"
    FIGHT_START = "tokens are laid out"
    PLACING = "cards are put on tokens"
    FIGHT_DICE = "the dice of the fight are rolled"
    FIGHT_WINDOW = "the fight may be changed after its dice"
    OUTCOME = "the pools are compared"
    AFTERMATH = "what follows for winner and loser"
    CLEAN_UP = "the fight's cards are cleared away"


class Decision(Named):
    """What a seat is asked (section 5.2)."""

    DOCK = "at the beginning, choose the dock and its knack"
    TURN = "the active seat makes a move, or ends its turn"
    DRAWN = "the active seat plays the trick or weapon it has just drawn, or keeps it"
    TARGET = "choose the seat a card is played on"
    TARGET2 = "choose whom the first target is to attack"
    TRICKWIN = "another seat may cancel the trick"
    DIEWIN = "a seat may play a special on a card die"
    DIESEAT = "choose whose card die is meant"
    EXCH = "discard another card for the exchange, or stop"
    DISCARD = "choose a card to be discarded"
    GIVE = "choose, in secret, the card that goes to the left"
    PICK = "take a card from the pocket or the bin that lies open"
    ATTACKED = "the defender fights, or gets out of it"
    FUEL = "discard a card as fuel for the weapon, or none"
    FTURN = "a fighter puts a card on a fight token, or stands"
    LANE = "choose the token for the hit"
    FLIP = "turn the drawn hit up, or leave it face down"
    FWIN = "a fighter or an onlooker changes the fight after its dice, or passes"
    FSIDE = "choose the fighter a special is played on"
    DIE = "choose a die of the fight"
    EATWIN = "play a special before the eating, or pass"
    EAT = "eat meat or give up a slice, or eat a can"


FIGHT_DICE_COUNT = 4


class Action(ActionGroup):
    """The action table (section 5.3). Docks and cards have the names of an instance's deck (``action_names``)."""

    PASS = "PASS"
    YES = "YES"
    KEEP = "KEEP"
    DRAW = "DRAW"
    ISLAND = "ISLAND"
    BONUS_DIE = "BONUS_DIE"
    EXCHANGE = "EXCHANGE"
    BRIBE = "BRIBE"
    WEAPON = "WEAPON"
    KNACK = "KNACK"
    EAT_MEAT = "EAT_MEAT"
    EAT_SLICE = "EAT_SLICE"
    LANE = "LANE {}", range(1, LANES + 1)
    FDRAW = "FDRAW {}", range(1, LANES + 1)
    DIE = "DIE {}", range(FIGHT_DICE_COUNT)
    ATTACK = "ATTACK+{}", range(1, MAX_SEATS)
    SEAT = "SEAT+{}", range(MAX_SEATS)
    DOCK = "DOCK {}", range(DOCKS)
    CARD = "CARD {}", range(KINDS)


ATTACK_PLUS = int(Action.ATTACK) - 1
"""ATTACK_PLUS + k attacks the seat k places clockwise."""


def action_names(cards: Setup) -> tuple[str, ...]:
    """The action table with a deck's names for its cards and docks."""
    words = {
        Action.DOCK: padded([card.id for card in cards.docks], DOCKS),
        Action.CARD: padded([card.id for card in cards.bonfire], KINDS),
    }
    return tuple(name for group in Action for name in group.names(*([words[group]] if group in words else group.axes)))


def padded(words: Sequence[str], size: int, name: str = "") -> tuple[str, ...]:
    """A name for every value that the data can have."""
    return (*words, *(f"{name}{number}" for number in range(len(words), size)))


class TurnPhase(Named):
    """The phases of a round (R14)."""

    DIGESTION = "cards may be exchanged"
    APPETITE = "the seats take a turn each"
    HUNGER = "the seats take a turn each, and may roll the island die"
    EATING = "every seat eats"


class Token(Named):
    """What a fight token is."""

    ACTIVE = "nothing lies on it yet"
    NEUTRALISED = "nothing can be put on it"
    FACE_DOWN = "a card lies on it face down"
    FACE_UP = "a hit lies on it face up"


TOKENS = tuple(name.lower() for name in Token.names())


class Side(Named):
    """Sides of a fight. Its dice (J29): weapon and Toothead die of a side are 2 * side and 2 * side + 1."""

    ATTACKER = "who attacks"
    DEFENDER = "who is attacked"


class Face(Named):
    """Faces of the island die (J46): the option ``island_die`` in small letters."""

    ACTION = "one action more"
    ATTACK = "one attack more"
    ISLAND = "an island card may be played"
    NONE = "nothing"


FACES = tuple(name.lower() for name in Face.names())


class AttackState(Named):
    """What a cancelled or redirected attack comes to."""

    STANDS = "it goes on"
    ENDED = "there is no fight"


class DockMode(Named):
    """How seats come to their docks."""

    DRAFT = "they choose"
    RANDOM = "docks are dealt"
    GIVEN = "the option names them"


class Stream(Streams):
    """Chance streams."""

    SETUP = "who begins"
    DOCKS = "docks that are dealt"
    BONFIRE = "the bonfire"
    ISLANDS = "the island deck"
    ISLAND_DIE = "the island die"
    HIDDEN = "resampling"
    DICE = "the dice of a seat", MAX_SEATS
    POCKET = "cards that a seat loses at random", MAX_SEATS


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


class Register(Named):
    """Fields of the node being played. When it is interrupted, they are saved in ``saved``, in this order."""

    PHASE = "the node"
    AT = "place in a program"
    ACTOR = "whose card or move it is"
    TARGET = "the first seat it is aimed at"
    SECOND = "the second seat, or a number; each node's own"
    CARD = "the source"
    COUNT = "a number; each node's own"
    TRIGGER = "the clause of the source"


REGISTERS = tuple(name.lower() for name in Register.names())


class EventKind(Named):
    """What is told, with what seat and arguments mean."""

    INITIATIVE = "seat: new holder"
    TOOK_DOCK = "seat: owner; dock"
    DEALT = "seat: owner; number of cards"
    PHASE_BEGAN = "seat: -1; phase of the round, round"
    TURN_BEGAN = "seat: whose turn"
    DREW = "seat: who; number of cards"
    DREW_CARD = "seat: who alone sees it; kind"
    PLAYED = "seat: who; kind, target or -1"
    CANCELLED = "seat: who cancels; kind of the trick"
    DISCARDED = "seat: whose card; kind"
    STOLE = "seat: who; from whom"
    STOLE_CARD = "seat: who; from whom, kind (seen by both)"
    LOOKED = "seat: who; at whose pocket"
    TOOK = "seat: who; kind taken from the bin"
    SWAPPED = "seat: who; with whom"
    GAVE = "seat: who; to whom"
    GAVE_CARD = "seat: who; to whom, kind (seen by both)"
    GAINED = "seat: who; kind of move, number"
    ISLAND_DIE = "seat: who; face"
    ISLAND_CARD = "seat: who; island card"
    MEAT = "seat: who; change of meat"
    HEALED = "seat: who"
    ROLLED = "seat: who; face, sides"
    CHANGED_DIE = "seat: whose die; change or new face, 1 if rolled again"
    LOST_WEAPON = "seat: whose; kind"
    LOST_MEGA = "seat: whose dock; kind"
    ATTACKED = "seat: attacker; defender"
    ATTACK_OFF = "seat: attacker; defender"
    BRIBED = "seat: defender; attacker"
    REDIRECTED = "seat: old defender; new one"
    FIGHT_BEGAN = "seat: attacker; defender"
    TOKEN_OUT = "seat: whose token; lane"
    TOKEN_BACK = "seat: whose token; lane"
    PLACED = "seat: who; kind, lane"
    FACE_DOWN = "seat: who; lane"
    STOOD = "seat: who"
    FUELLED = "seat: who; kind"
    FIGHT_DIE = "seat: who; place of the die, face"
    SIDE_CHANGED = "seat: whose side; change of the pool"
    COUNTED = "seat: fighter; what its dice count, and what hits and all else do"
    FIGHT_OVER = "seat: winner, -1 for a tie; pools of attacker and defender"
    LOST_SLICE = "seat: who; slices left"
    ATE = "seat: who; 0 meat, 1 slice, 2 a card instead, 3 nothing"
    WORKED = "seat: whose; source (cards.py) that does something by itself, or is put to use"
    ELIMINATED = "seat: who"
    GAME_OVER = "seat: -1; bit mask of the winners, round"


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
    island_die: Annotated[tuple[Literal["action", "attack", "island", "none"], ...], AsTuple] = Field(
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


class Tables(decks.DeckTables):
    """What the rules read: the deck as numbers, and the options that change rules."""

    shaping: float = number("", kind="f8")
    team_play: int = number("")
    team: Numbers = numbers("", (MAX_SEATS,))
    dock_mode: int = number("")
    given_dock: Numbers = numbers("", (MAX_SEATS,))
    payment: int = number("a Payment", of=Payment)
    max_rounds: int = number("")
    extra_cap: int = number("")
    food_recycles: int = number("")
    third_parties: int = number("")
    island_die: Numbers = numbers("", (ISLAND_DIE_FACES,))


class State(StateRecord, seats=MAX_SEATS, streams=Stream, script=128, events=200):
    """A game in progress."""

    known: Numbers = numbers(
        "what [seat] can prove of the pocket of [other seat]",
        (MAX_SEATS, MAX_SEATS, KNOWN_WORDS),
        0,
        2 ** (BITS * PER_WORD) - 1,
        kind="i8",
    )
    # The round.
    round_number: int = number("from 1", 0, "max rounds")
    turn_phase: int = number("DIGESTION ... EATING", of=TurnPhase)
    first: int = number("who begins this phase, or the Eating Phase's windows", -1, of="seat")
    place: int = number("turns of this phase that have begun, or seats that have eaten", 0, "players")
    active: int = number("whose turn it is", -1, of="seat")
    initiative: int = number("", -1, of="seat")
    actions: int = number("", 0, "most moves")
    attacks: int = number("", 0, "most moves")
    islands: int = number("island cards that may be played", 0, "most moves")
    can_exchange: int = number("")
    can_roll: int = number("the island die")
    extra: Numbers = numbers("moves gained in this turn, by kind", (3,), 0, "extra cap")
    pocket_plays: int = number("tricks and weapons played from the pocket in this turn", 0, "cards")
    # Seats.
    alive: Numbers = numbers("", (MAX_SEATS,))
    eliminated: Numbers = numbers(
        "1 for the first to be eliminated, and so on; 0 for others", (MAX_SEATS,), 0, "players"
    )
    slices: Numbers = numbers("", (MAX_SEATS,), 0, SLICES)
    meat: Numbers = numbers("", (MAX_SEATS,), 0, MOST_MEAT)
    dock: Numbers = numbers("-1: none yet", (MAX_SEATS,), -1, DOCKS - 1)
    weapon: Numbers = numbers("kind, -1: none", (MAX_SEATS,), -1, KINDS - 1)
    mega_count: Numbers = numbers("", (MAX_SEATS,), 0, DOCK_MEGAS)
    mega: Numbers = numbers("kinds in the order they were played", (MAX_SEATS, DOCK_MEGAS), 0, KINDS - 1)
    pocket_size: Numbers = numbers("", (MAX_SEATS,), 0, "cards")
    pocket: Numbers = numbers("", (MAX_SEATS, KINDS), 0, MOST_COPIES)
    dock_order: Numbers = numbers("who chooses a dock when; -1 beyond the last seat", (MAX_SEATS,), -1, "last seat")
    # Piles.
    bonfire_size: int = number("", 0, "cards")
    bin_size: int = number("", 0, "cards")
    bonfire: Numbers = numbers("", (KINDS,), 0, MOST_COPIES)
    bin: Numbers = numbers("", (KINDS,), 0, MOST_COPIES)
    food: Numbers = numbers("", (KINDS,), 0, MOST_COPIES)
    aside: Numbers = numbers("out of play in a worked position", (KINDS,), 0, MOST_COPIES)
    island_deck: Numbers = numbers("", (ISLANDS,), 0, MOST_COPIES)
    green: Numbers = numbers("", (ISLANDS,), 0, MOST_COPIES)
    island_aside: Numbers = numbers("", (ISLANDS,), 0, MOST_COPIES)
    permanent: int = number("the island card that works, -1: none", -1, ISLANDS - 1)
    created: int = number("meat made by cards (J37)", 0, MOST_MADE)
    eaten: int = number("slices and meat that left play", 0, MOST_MEAT)
    # The node being played: see REGISTERS. Their meaning is each node's own.
    at: int = number("", 0, CODE)
    actor: int = number("", -1, of="seat")
    target: int = number("", -1, of="seat")
    second: int = number("", -1, MOST_CHANGE + LARGEST_DIE)
    card: int = number("", -1, SOURCES - 1)
    count: int = number("", 0, MOST_NUMBER)
    trigger: int = number("", 0, len(TRIGGERS) - 1)
    depth: int = number("", 0, DEPTH)
    saved: Numbers = numbers("", (DEPTH, len(REGISTERS)), -1, MOST_CHANGE + LARGEST_DIE)
    # Things in the middle of something.
    held: int = number("kind drawn (DRAWN) or to be placed (LANE), still in the pocket; -1: none", -1, KINDS - 1)
    gift: Numbers = numbers("cards chosen to be passed on, -1: none", (MAX_SEATS,), -1, KINDS - 1)
    die_sides: Numbers = numbers("card dice; 0: the seat rolls none", (MAX_SEATS,), 0, LARGEST_DIE)
    die_face: Numbers = numbers("", (MAX_SEATS,), 0, LARGEST_DIE)
    die_change: Numbers = numbers("", (MAX_SEATS,), -MOST_CHANGE, MOST_CHANGE)
    # The fight.
    attacker: int = number("-1: no fight", -1, of="seat")
    defender: int = number("", -1, of="seat")
    attack_state: int = number("")
    fighting: int = number("1 from the laying out of tokens to the clean-up")
    token: Numbers = numbers("", (2, LANES), of=Token)
    token_card: Numbers = numbers("-1: none", (2, LANES), -1, KINDS - 1)
    stood: Numbers = numbers("", (2,))
    to_place: int = number("side whose turn it is to place a card")
    unfuelled: Numbers = numbers("", (2,))
    fight_face: Numbers = numbers("0: not rolled", (FIGHT_DICE_COUNT,), 0, LARGEST_DIE)
    fight_sides: Numbers = numbers("", (FIGHT_DICE_COUNT,), 0, LARGEST_DIE)
    bonus_dice: Numbers = numbers("", (2,), 0, MOST_BONUS)
    side_change: Numbers = numbers("by specials", (2,), -MOST_CHANGE, MOST_CHANGE)
    knack_used: Numbers = numbers("", (2,))
    weapon_used: Numbers = numbers("", (2,))
    slice_kept: int = number("")
    winner: int = number("side, -1: tie or not decided", -1, 1)
    noted: Numbers = numbers("weapons whose specialty works after the fight, -1: none", (2,), -1, KINDS - 1)
    fight_specials: Numbers = numbers("", (KINDS,), 0, MOST_COPIES)


def fill_tables(given: Options, cards: Setup, tables: Any) -> None:
    """The numbers that the rules read."""
    tables.shaping = given.shaping
    tables.team_play = given.teams is not None
    tables.team[:] = -1
    tables.team[: given.num_players] = given.team_of_seats()
    docks = given.given_docks(cards)
    tables.dock_mode = DockMode.GIVEN if docks else DockMode.RANDOM if given.dock_mode == "random" else DockMode.DRAFT
    tables.given_dock[: len(docks)] = docks
    tables.payment = Payment[given.reward.upper()]
    tables.max_rounds = given.max_rounds
    tables.extra_cap = given.extra_cap
    tables.food_recycles = given.food_recycles
    tables.third_parties = given.third_party_specials
    tables.island_die[:] = [Face[face.upper()] for face in given.island_die]
    decks.fill_tables(cards, tables)


STANDARD = setup("standard")
assert Path(STANDARD.source.removeprefix("deck ")).name == "deck.toml"
ACTIONS = action_names(STANDARD)
