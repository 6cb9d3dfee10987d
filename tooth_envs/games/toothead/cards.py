"""The cards: deck.toml turned into the read-only numbers of a game.

A bonfire card is known by its kind, its place among the bonfire cards of the deck file; an island card and a dock by
theirs. Everything that has an effect is a *source*: the kinds first, then island cards, then docks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from tooth_envs.engine.records import Numbers, TablesRecord, number, numbers
from tooth_envs.errors import DeckError
from tooth_envs.games.toothead.vocabulary import (
    ALLOWED,
    ANY_ROLE,
    AS_ATTACKER,
    AS_DEFENDER,
    EAT,
    FOOD_PILE,
    MEGA,
    MOST_NUMBER,
    SIDES,
    SKIP_EAT,
    TRIGGERS,
    TYPES,
    EffectError,
    Program,
    program_of,
)
from tooth_envs.spec.deck import Card, Deck, Problems, load_deck
from tooth_envs.spec.validation import AsTuple

MAX_SEATS = 8
SLICES = 4
"""Slices of a new seat (R10)."""
LANES = 3
"""Fight tokens of a fighter (R62)."""
POCKET = 5
"""Cards dealt to each seat (R9)."""

# Capacities of the data (J45). An action table, a view and a state are made for these.
KINDS = 62
ISLANDS = 16
DOCKS = 8
WEAPON_KINDS = 16
MEGA_KINDS = 12
HIT_KINDS = 20
SPECIAL_KINDS = 20
FOOD_KINDS = 6
DOCK_MEGAS = 20
"""Mega-trick cards in a deck: so many can lie on one dock."""
MOST_COPIES = 15
"""Copies of a bonfire card."""
CODE = 400
"""Instructions of all cards together."""

ISLAND_0 = KINDS
DOCK_0 = KINDS + ISLANDS
SOURCES = KINDS + ISLANDS + DOCKS

TOOTHEAD_SIDES = (0, 12, 10, 8, 6)
"""Sides of the Toothead die by slices (R13)."""

# Whom a trick is played on, and what that seat must have (table 4.3).
TARGETS = ("SELF", "ALLY", "OPP", "ANY", "TWO")
TO_SELF, TO_ALLY, TO_OPP, TO_ANY, TO_TWO = range(5)
NEEDS = ("nothing", "pocket", "weapon", "meat", "megas", "may_attack_me")
NEEDS_NOTHING, NEEDS_POCKET, NEEDS_WEAPON, NEEDS_MEAT, NEEDS_MEGAS, NEEDS_MAY_ATTACK_ME = range(6)

Words = Annotated[tuple[str, ...], AsTuple]
Die = Literal["D6", "D8", "D10", "D12"]


class ToothCard(Card):
    """Any card or dock; ``effect`` says in words what ``program`` says in the vocabulary (vocabulary.py)."""

    program: Words = ()

    def compiled(self) -> Program:
        """The program, translated. Raises EffectError."""
        return program_of(self.program, self.type, self.chosen)

    @property
    def chosen(self) -> int:
        """How many seats are chosen when it is played."""
        return 0


class BonfireCard(ToothCard):
    """A card of the bonfire."""

    count: int = Field(ge=0, le=MOST_COPIES)


class TrickCard(BonfireCard):
    """A trick: mini (R43) or mega (R44)."""

    type: Literal["mini", "mega"]
    target: Literal["SELF", "ALLY", "OPP", "ANY", "TWO"]
    needs: Literal["nothing", "pocket", "weapon", "meat", "megas", "may_attack_me"] = "nothing"

    @property
    def chosen(self) -> int:
        if self.type == "mega":
            return 0  # what it does, it does later
        return {"SELF": 0, "TWO": 2}.get(self.target, 1)


class HitCard(BonfireCard):
    """A hit (R47)."""

    type: Literal["hit"]
    value: int = Field(ge=0, le=20)


class WeaponCard(BonfireCard):
    """A weapon: a die and a specialty (R49); ``attack_die`` says whether the die is rolled in attack (R57)."""

    type: Literal["weapon"]
    die: Die
    attack_die: bool = True


class SpecialCard(BonfireCard):
    """A special (R45). The triggers of its program are the windows in which it can be played (J13)."""

    type: Literal["special"]


class IslandCard(ToothCard):
    """An island card: it works once (event) or until the next one appears (permanent, R53)."""

    type: Literal["event", "permanent"]
    count: int = Field(ge=0, le=99)


class DockCard(ToothCard):
    """A dock; its program is the knack (R12)."""

    type: Literal["dock"]
    count: int = Field(ge=1, le=1)


MODELS: dict[str, type[Card]] = {
    "mini": TrickCard,
    "mega": TrickCard,
    "hit": HitCard,
    "weapon": WeaponCard,
    "special": SpecialCard,
    "event": IslandCard,
    "permanent": IslandCard,
    "dock": DockCard,
}


@dataclass(frozen=True)
class Setup:
    """The cards of a game, each list in the deck file's order.

    Attributes:
        source: where they come from, the beginning of every error message about them.
        bonfire, islands, docks: the cards.
        weapons, megas, hits, foods: kinds of bonfire cards that are such; foods are those that leave the game when
            eaten (J36).
        programs: by source.
    """

    source: str
    bonfire: tuple[BonfireCard, ...]
    islands: tuple[IslandCard, ...]
    docks: tuple[DockCard, ...]
    weapons: tuple[int, ...]
    megas: tuple[int, ...]
    hits: tuple[int, ...]
    foods: tuple[int, ...]
    programs: dict[int, Program]

    def name_of(self, source: int) -> str:
        """What people call a card or dock."""
        return self.card_of(source).name

    def card_of(self, source: int) -> ToothCard:
        """The card or dock of a source."""
        if source >= DOCK_0:
            return self.docks[source - DOCK_0]
        return self.islands[source - ISLAND_0] if source >= ISLAND_0 else self.bonfire[source]


def read_deck(deck: str) -> Deck:
    """A deck by name or path, read and checked.

    Raises:
        DeckError: naming file, card and field.
    """
    loaded = load_deck(deck, Path(__file__).parent, MODELS)
    _arranged(loaded)
    return loaded


def setup(deck: str) -> Setup:
    """What a game is played with.

    Raises:
        DeckError: the deck cannot be used.
    """
    return _arranged(load_deck(deck, Path(__file__).parent, MODELS))


def _arranged(loaded: Deck) -> Setup:
    bonfire = loaded.of(BonfireCard)
    islands, docks = loaded.of(IslandCard), loaded.of(DockCard)
    problems = Problems()
    for what, cards, most in (
        ("kinds of bonfire cards", bonfire, KINDS),
        ("kinds of island cards", islands, ISLANDS),
        ("docks", docks, DOCKS),
    ):
        with problems.noted():
            _limit(loaded, what, cards, most)
    programs: dict[int, Program] = {}
    for first, cards in ((0, bonfire), (ISLAND_0, islands), (DOCK_0, docks)):
        for place, card in enumerate(cards):
            with problems.noted():
                programs[first + place] = _program(loaded, card)
    problems.tell()
    kinds = {name: [kind for kind, card in enumerate(bonfire) if card.type == name] for name in TYPES}
    foods = [kind for kind in range(len(bonfire)) if _is_food(programs[kind])]
    for name, most in (
        ("weapon", WEAPON_KINDS),
        ("mega", MEGA_KINDS),
        ("hit", HIT_KINDS),
        ("special", SPECIAL_KINDS),
    ):
        with problems.noted():
            _limit(loaded, f"kinds of type {name}", [bonfire[kind] for kind in kinds[name]], most)
    with problems.noted():
        _limit(loaded, "kinds with FOOD_PILE", [bonfire[kind] for kind in foods], FOOD_KINDS)
    with problems.noted():
        _check_sums(loaded, bonfire, islands, programs)
    for card, program in zip([*bonfire, *islands, *docks], programs.values(), strict=True):
        with problems.noted():
            _check_standing(loaded, card, program)
    problems.tell()
    return Setup(
        loaded.source,
        tuple(bonfire),
        tuple(islands),
        tuple(docks),
        tuple(kinds["weapon"]),
        tuple(kinds["mega"]),
        tuple(kinds["hit"]),
        tuple(foods),
        programs,
    )


def _program(deck: Deck, card: ToothCard) -> Program:
    where = f"{deck.source}: card {card.id!r}: program"
    try:
        program = card.compiled()
    except EffectError as problem:
        raise DeckError(f"{where}: {problem}") from None
    if card.type == "mega" and isinstance(card, TrickCard) and card.target == "TWO":
        raise DeckError(
            f"{deck.source}: card {card.id!r}: target: a mega-trick lies on one dock; give SELF, ALLY, OPP or ANY"
        )
    if isinstance(card, TrickCard) and card.needs == "pocket" and card.target in ("SELF", "ALLY", "ANY"):
        raise DeckError(
            f"{deck.source}: card {card.id!r}: needs: whoever plays the last card has no pocket left; "
            "'pocket' goes with target = 'OPP'"
        )
    if card.type == "special" and not card.program:
        raise DeckError(
            f"{where}: is empty; a special needs a window in which it can be played: {', '.join(ALLOWED['special'])}"
        )
    return program


def _is_food(program: Program) -> bool:
    return any(row[0] == FOOD_PILE for clause in program.clauses.values() for row in clause.code)


def _limit(deck: Deck, what: str, cards: Sequence[ToothCard], most: int) -> None:
    if len(cards) > most:
        raise DeckError(
            f"{deck.source}: card {cards[most].id!r}: there are {len(cards)} {what}; {most} at most: leave some out"
        )


def _check_sums(
    deck: Deck, bonfire: Sequence[BonfireCard], islands: Sequence[IslandCard], programs: dict[int, Program]
) -> None:
    for what, cards in (("bonfire", bonfire), ("island", islands)):
        if sum(card.count for card in cards) < 1:
            raise DeckError(f"{deck.source}: has no {what} card; give some a count above 0")
    megas = [card for card in bonfire if card.type == "mega"]
    if sum(card.count for card in megas) > DOCK_MEGAS:
        raise DeckError(
            f"{deck.source}: card {megas[-1].id!r}: count: there are {sum(card.count for card in megas)} mega-trick "
            f"cards; {DOCK_MEGAS} at most: lower the counts"
        )
    total = sum(len(clause.code) for program in programs.values() for clause in program.clauses.values())
    if total > CODE:
        raise DeckError(f"{deck.source}: all programs together have {total} instructions; {CODE} at most: shorten some")


def _check_standing(deck: Deck, card: ToothCard, program: Program) -> None:
    """What a card adds while it lies there is a number like any other, in whatever pieces it is written."""
    sums: dict[tuple[str, int], int] = {}
    for opcode, arguments in program.standing:
        if opcode == "POOL":
            for role in (AS_ATTACKER, AS_DEFENDER):
                if arguments[1] in (ANY_ROLE, role):
                    sums[opcode, role] = sums.get((opcode, role), 0) + arguments[0]
        elif opcode in ("POOL_PER", "DIE_MOD"):
            which, number = reversed(arguments) if opcode == "POOL_PER" else arguments
            sums[opcode, which] = sums.get((opcode, which), 0) + number
    for (opcode, _), number in sums.items():
        if abs(number) > MOST_NUMBER:
            raise DeckError(
                f"{deck.source}: card {card.id!r}: program: {opcode} adds up to {number}; from -{MOST_NUMBER} to "
                f"{MOST_NUMBER} is possible: write less"
            )


class DeckTables(TablesRecord):
    """The deck as numbers."""

    # Bonfire cards, by kind.
    kinds: int = number("")
    copies: Numbers = numbers("", (KINDS,))
    category: Numbers = numbers("MINI, MEGA, HIT_CARD, WEAPON or SPECIAL", (KINDS,))
    hit_value: Numbers = numbers("", (KINDS,))
    weapon_die: Numbers = numbers("sides", (KINDS,))
    attack_die: Numbers = numbers("1: rolled in attack too", (KINDS,))
    aims_at: Numbers = numbers("TO_SELF ... TO_TWO", (KINDS,))
    needs: Numbers = numbers("", (KINDS,))
    rank_in_type: Numbers = numbers("place among the kinds of its type", (KINDS,))
    food_rank: Numbers = numbers("place among the kinds that are food, -1 for others", (KINDS,))
    hit_kinds: int = number("")
    hit_kind: Numbers = numbers("", (HIT_KINDS,))
    special_kinds: int = number("")
    special_kind: Numbers = numbers("", (SPECIAL_KINDS,))
    # Island cards and docks.
    islands: int = number("")
    island_copies: Numbers = numbers("", (ISLANDS,))
    island_permanent: Numbers = numbers("", (ISLANDS,))
    docks: int = number("")
    # Programs, by source.
    code: Numbers = numbers("opcode, three arguments, place to jump to", (CODE, 5))
    starts: Numbers = numbers("first instruction of a clause ...", (SOURCES, len(TRIGGERS)))
    stops: Numbers = numbers("... and the place after the last; equal if there is none", (SOURCES, len(TRIGGERS)))
    narrowed: Numbers = numbers("", (SOURCES, len(TRIGGERS)))
    to_food: Numbers = numbers("1: used up here, the card goes to the food pile", (SOURCES, len(TRIGGERS)))
    skips_eating: Numbers = numbers("", (KINDS,))
    # Standing effects, by source.
    pool: Numbers = numbers("as attacker, as defender", (SOURCES, 2))
    pool_die: Numbers = numbers("", (SOURCES,))
    per_hit: Numbers = numbers("", (SOURCES,))
    per_slice: Numbers = numbers("", (SOURCES,))
    own_die: Numbers = numbers("", (SOURCES,))
    opp_die: Numbers = numbers("", (SOURCES,))
    bans: Numbers = numbers("bit mask of BAN_..., for whom", (SOURCES, 4))
    cancels: Numbers = numbers("", (SOURCES,))
    copies_hit: Numbers = numbers("", (SOURCES,))
    ignores_weapon: Numbers = numbers("", (SOURCES,))
    free_plays: Numbers = numbers("", (SOURCES,))
    exchange_rate: Numbers = numbers("", (SOURCES,))
    exchange_bonus: Numbers = numbers("", (SOURCES,))
    exchange_most: Numbers = numbers("", (SOURCES,))


def fill_tables(cards: Setup, tables: Any) -> None:
    """The deck as numbers."""
    tables.kinds, tables.islands, tables.docks = len(cards.bonfire), len(cards.islands), len(cards.docks)
    tables.food_rank[:] = -1
    of_type: dict[str, list[int]] = {name: [] for name in TYPES}
    for kind, card in enumerate(cards.bonfire):
        tables.copies[kind] = card.count
        tables.category[kind] = TYPES.index(card.type)
        tables.rank_in_type[kind] = len(of_type[card.type])
        of_type[card.type].append(kind)
        if isinstance(card, HitCard):
            tables.hit_value[kind] = card.value
        elif isinstance(card, WeaponCard):
            tables.weapon_die[kind] = SIDES[card.die]
            tables.attack_die[kind] = card.attack_die
        elif isinstance(card, TrickCard):
            tables.aims_at[kind] = TARGETS.index(card.target)
            tables.needs[kind] = NEEDS.index(card.needs)
    tables.hit_kinds, tables.special_kinds = len(of_type["hit"]), len(of_type["special"])
    tables.hit_kind[: len(of_type["hit"])] = of_type["hit"]
    tables.special_kind[: len(of_type["special"])] = of_type["special"]
    for rank, kind in enumerate(cards.foods):
        tables.food_rank[kind] = rank
    for island, card_ in enumerate(cards.islands):
        tables.island_copies[island] = card_.count
        tables.island_permanent[island] = card_.type == "permanent"
    place = 0
    for source, program in cards.programs.items():
        for trigger, clause in program.clauses.items():
            tables.starts[source, trigger] = place
            tables.stops[source, trigger] = place + len(clause.code)
            tables.narrowed[source, trigger] = clause.narrowed
            tables.to_food[source, trigger] = program.has(trigger, FOOD_PILE)
            for row in clause.code:
                tables.code[place] = (*row[:4], row[4] + tables.starts[source, trigger])
                place += 1
        if source < KINDS:
            tables.skips_eating[source] = TYPES[MEGA] == cards.bonfire[source].type and program.has(EAT, SKIP_EAT)
        for opcode, arguments in program.standing:
            _stand(tables, source, opcode, arguments)


def _stand(tables: Any, source: int, opcode: str, arguments: tuple[int, ...]) -> None:
    """Add one standing effect to the columns."""
    columns = {
        "CANCEL_OPPOSITE": "cancels",
        "COPY_OPPOSITE": "copies_hit",
        "IGNORE_WEAPON": "ignores_weapon",
        "POOL_DIE": "pool_die",
        "FREE_PLAY": "free_plays",
    }
    if opcode in columns:
        tables[columns[opcode]][source] = arguments[0] if arguments else 1
    elif opcode == "POOL":
        number, role = arguments
        if role in (ANY_ROLE, AS_ATTACKER):
            tables.pool[source, 0] += number
        if role in (ANY_ROLE, AS_DEFENDER):
            tables.pool[source, 1] += number
    elif opcode == "POOL_PER":
        (tables.per_slice if arguments[1] else tables.per_hit)[source] += arguments[0]
    elif opcode == "DIE_MOD":
        (tables.opp_die if arguments[0] else tables.own_die)[source] += arguments[1]
    elif opcode == "BAN":
        tables.bans[source, arguments[1]] |= arguments[0]
    elif opcode == "EXCHANGE_RATE":
        tables.exchange_rate[source], tables.exchange_bonus[source], tables.exchange_most[source] = arguments
    else:
        raise AssertionError(f"{opcode} is no standing effect")
