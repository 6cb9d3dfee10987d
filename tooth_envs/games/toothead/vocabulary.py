"""The words that card effects are written in, and their translation into numbers (section 4.1 of the specification).

An effect is a clause "TRIGGER: OPCODE(arguments); OPCODE(arguments)". A trigger may be narrowed ("LOSE as DEFENDER",
"TURN_START(DIGESTION, HUNGER)"), and several triggers may share a clause ("TURN, EATWIN: HEAL(SELF)"). Three opcodes
that roll card dice carry what follows in braces: ``ROLL(D6){1-2: ...; 3-6: ...}``, ``CONTEST(D6, LOW){...}`` and
``DUEL(D12, TOOTHEAD){...}``; "&" joins several steps of one branch. ``TAKE_BIN(weapon, 1) else DRAW(SELF, 1)`` gives a
step for when there is nothing to take.

Clauses that work while a card lies somewhere (STATIC, DOCK) become columns of numbers that the rules look up; all
others become instructions that the rules carry out one by one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from tooth_envs.spec.validation import suggestion

# Triggers. SAVE is a LOSE clause that keeps the slice: it comes before the slice is due.
(
    PLAY,
    ATTACKED,
    START,
    HIT,
    DICE,
    WIN,
    LOSE,
    SAVE,
    EAT,
    TURN_START,
    TURN,
    TRICKWIN,
    DIEWIN,
    FWIN,
    EATWIN,
) = range(15)
TRIGGERS = (
    "PLAY",
    "ATTACKED",
    "START",
    "HIT",
    "DICE",
    "WIN",
    "LOSE",
    "SAVE",
    "EAT",
    "TURN_START",
    "TURN",
    "TRICKWIN",
    "DIEWIN",
    "FWIN",
    "EATWIN",
)
STANDING = ("STATIC", "DOCK")

# Instructions. The last three are made by the translation.
INSTRUCTIONS = (
    "GAIN",
    "ROLL_ISLAND_DIE",
    "PLAY_ISLAND",
    "DRAW",
    "DISCARD_CHOICE",
    "DISCARD_RANDOM",
    "STEAL_RANDOM",
    "TAKE_POCKET",
    "TAKE_BIN",
    "SWAP_POCKETS",
    "PASS_CARDS",
    "DISCARD_WEAPON",
    "DISCARD_MEGAS",
    "GAIN_MEAT",
    "STEAL_MEAT",
    "FEED",
    "TAKE_SLICE",
    "HEAL",
    "TAKE_INITIATIVE",
    "ROLL",
    "CONTEST",
    "DUEL",
    "FORCE_ATTACK",
    "CANCEL_ATTACK",
    "REDIRECT_ATTACK",
    "NEUTRALIZE",
    "RESTORE",
    "REROLL",
    "MAX_DIE",
    "FUEL",
    "KEEP_SLICE",
    "SIDE_POOL",
    "CARD_DIE_MOD",
    "CANCEL_TRICK",
    "EAT_INSTEAD",
    "SKIP_EAT",
    "FOOD_PILE",
    "BRANCH",
    "JUMP",
    "CARD_DIE_REROLL",
)
(
    GAIN,
    ROLL_ISLAND_DIE,
    PLAY_ISLAND,
    DRAW,
    DISCARD_CHOICE,
    DISCARD_RANDOM,
    STEAL_RANDOM,
    TAKE_POCKET,
    TAKE_BIN,
    SWAP_POCKETS,
    PASS_CARDS,
    DISCARD_WEAPON,
    DISCARD_MEGAS,
    GAIN_MEAT,
    STEAL_MEAT,
    FEED,
    TAKE_SLICE,
    HEAL,
    TAKE_INITIATIVE,
    ROLL,
    CONTEST,
    DUEL,
    FORCE_ATTACK,
    CANCEL_ATTACK,
    REDIRECT_ATTACK,
    NEUTRALIZE,
    RESTORE,
    REROLL,
    MAX_DIE,
    FUEL,
    KEEP_SLICE,
    SIDE_POOL,
    CARD_DIE_MOD,
    CANCEL_TRICK,
    EAT_INSTEAD,
    SKIP_EAT,
    FOOD_PILE,
    BRANCH,
    JUMP,
    CARD_DIE_REROLL,
) = range(len(INSTRUCTIONS))

# Arguments.
SELF, TGT, TGT2, ALL, OTHERS = range(5)
WHO = {"SELF": SELF, "TGT": TGT, "OPP": TGT, "FOUND": TGT, "TGT2": TGT2, "ALL": ALL, "OTHERS": OTHERS}
"""FOUND is the seat that a CONTEST singles out; OPP is the other fighter."""
ONE = {name: who for name, who in WHO.items() if who not in (ALL, OTHERS)}
MEANING = {
    "TGT": "TGT is a chosen seat, and this card chooses none here",
    "TGT2": "TGT2 is a second chosen seat, and this card chooses none here",
    "OPP": "OPP is the other fighter, and here is no fight",
    "FOUND": "FOUND is the seat that a CONTEST singles out, and stands in its braces",
}
"""Why a seat's name cannot be used somewhere."""
FIGHT_TRIGGERS = ("START", "HIT", "WIN", "LOSE")
"""At these there is another fighter."""
GAIN_ACTION, GAIN_ATTACK, GAIN_ISLAND = range(3)
MOVES = {"action": GAIN_ACTION, "attack": GAIN_ATTACK, "island": GAIN_ISLAND}
BAN_ATTACK, BAN_BE_ATTACKED, BAN_BRIBE, BAN_WEAPON, BAN_SPECIALTY, BAN_KNACK, BAN_SPECIAL = (1 << i for i in range(7))
BANS = {
    "attack": BAN_ATTACK,
    "be_attacked": BAN_BE_ATTACKED,
    "bribe": BAN_BRIBE,
    "weapon": BAN_WEAPON,
    "weapon_specialty": BAN_SPECIALTY,
    "knack": BAN_KNACK,
    "special": BAN_SPECIAL,
}
FOR_ALL, FOR_SELF, FOR_OPP, FOR_ATTACKED = range(4)
BANNED = {"ALL": FOR_ALL, "SELF": FOR_SELF, "OPP": FOR_OPP, "ATTACKED": FOR_ATTACKED}
LOW, HIGH = range(2)
EXTREMES = {"LOW": LOW, "HIGH": HIGH}
TO_RIGHT, TO_LEFT = range(2)
DIRECTIONS = {"right": TO_RIGHT, "left": TO_LEFT}
AT_START, OPPOSITE = range(2)
NEUTRALIZING = {"START": AT_START, "OPPOSITE": OPPOSITE}
OWN_WEAPON, OWN_TOOTHEAD, OPP_WEAPON, OPP_TOOTHEAD, ANY_DIE = range(5)
DIES = {
    "own_weapon": OWN_WEAPON,
    "own_toothead": OWN_TOOTHEAD,
    "opp_weapon": OPP_WEAPON,
    "opp_toothead": OPP_TOOTHEAD,
    "any": ANY_DIE,
}
ANY_ROLE, AS_ATTACKER, AS_DEFENDER = range(3)
ROLES = {"any": ANY_ROLE, "attack": AS_ATTACKER, "defence": AS_DEFENDER}
SIDES = {"D6": 6, "D8": 8, "D10": 10, "D12": 12}
TOOTHEAD_DIE = 0
"""Stands for the sides of a seat's Toothead die."""
TYPES = ("mini", "mega", "hit", "weapon", "special")
MINI, MEGA, HIT_CARD, WEAPON, SPECIAL = range(5)
FILTERS = {"any": -1, **{name: number for number, name in enumerate(TYPES)}}
TURN_PHASES = ("DIGESTION", "APPETITE", "HUNGER")
COUNTERS = ("own_live_hits", "lost_slices")
ROLLS = ("ROLL", "CONTEST", "DUEL")
"""Opcodes that roll card dice; braces follow."""

_NUMBER = "number"
_ARGUMENTS: dict[str, tuple[dict[str, int] | str, ...]] = {
    "GAIN": (MOVES, _NUMBER),
    "ROLL_ISLAND_DIE": (),
    "PLAY_ISLAND": (),
    "DRAW": (WHO, _NUMBER),
    "DISCARD_CHOICE": (ONE, _NUMBER),
    "DISCARD_RANDOM": (WHO, _NUMBER),
    "STEAL_RANDOM": (ONE, ONE, _NUMBER),
    "TAKE_POCKET": (ONE, _NUMBER),
    "TAKE_BIN": (FILTERS, _NUMBER),
    "SWAP_POCKETS": (ONE, ONE),
    "PASS_CARDS": (DIRECTIONS, _NUMBER),
    "DISCARD_WEAPON": (WHO,),
    "DISCARD_MEGAS": (WHO,),
    "GAIN_MEAT": (WHO, _NUMBER),
    "STEAL_MEAT": (ONE, ONE, _NUMBER),
    "FEED": (WHO,),
    "TAKE_SLICE": (ONE, ONE),
    "HEAL": (ONE,),
    "TAKE_INITIATIVE": (ONE,),
    "ROLL": (SIDES,),
    "CONTEST": (SIDES, EXTREMES),
    "DUEL": (SIDES, {**SIDES, "TOOTHEAD": TOOTHEAD_DIE}),
    "FORCE_ATTACK": (ONE, ONE),
    "CANCEL_ATTACK": (),
    "REDIRECT_ATTACK": (),
    "NEUTRALIZE": (NEUTRALIZING,),
    "RESTORE": (),
    "REROLL": (DIES,),
    "MAX_DIE": (DIES,),
    "FUEL": (_NUMBER,),
    "KEEP_SLICE": (),
    "SIDE_POOL": (_NUMBER,),
    "CARD_DIE_MOD": (_NUMBER,),
    "CANCEL_TRICK": (),
    "EAT_INSTEAD": (),
    "SKIP_EAT": (),
    "FOOD_PILE": (),
    # Standing effects.
    "POOL": (_NUMBER, ROLES),
    "POOL_DIE": (SIDES,),
    "POOL_PER": (_NUMBER, {name: number for number, name in enumerate(COUNTERS)}),
    "DIE_MOD": ({"own": 0, "opp": 1}, _NUMBER),
    "BAN": (BANS, BANNED),
    "CANCEL_OPPOSITE": (),
    "COPY_OPPOSITE": (),
    "IGNORE_WEAPON": (),
    "FREE_PLAY": (_NUMBER,),
    "EXCHANGE_RATE": (_NUMBER, _NUMBER, _NUMBER),
}
"""Every opcode with what each of its arguments may be."""

_AFTER = {
    *("DRAW", "DISCARD_CHOICE", "DISCARD_RANDOM", "STEAL_RANDOM", "TAKE_POCKET", "TAKE_BIN", "DISCARD_WEAPON"),
    *("DISCARD_MEGAS", "GAIN_MEAT", "STEAL_MEAT", "TAKE_INITIATIVE"),
}
_EFFECTS = {
    *_AFTER,
    *("GAIN", "ROLL_ISLAND_DIE", "SWAP_POCKETS", "PASS_CARDS", "FEED", "TAKE_SLICE", "HEAL"),
    *("ROLL", "CONTEST", "DUEL", "FORCE_ATTACK"),
}
_OWN = {"DRAW", "GAIN_MEAT", "HEAL", "TAKE_INITIATIVE"}
_FIGHTER = {"POOL", "POOL_DIE", "POOL_PER", "DIE_MOD", "BAN"}

ALLOWED: dict[str, dict[str, set[str]]] = {
    "mini": {"PLAY": {*_EFFECTS, "PLAY_ISLAND", "FOOD_PILE"}},
    "mega": {
        "STATIC": _FIGHTER,
        "START": {"NEUTRALIZE"},
        "WIN": _AFTER,
        "LOSE": _AFTER,
        "EAT": {"SKIP_EAT", "FOOD_PILE"},
    },
    "hit": {
        "STATIC": {"POOL", "POOL_PER", "DIE_MOD", "CANCEL_OPPOSITE", "COPY_OPPOSITE", "IGNORE_WEAPON"},
        "HIT": {"NEUTRALIZE", "RESTORE"},
        "WIN": _AFTER,
        "LOSE": _AFTER,
    },
    "weapon": {
        "STATIC": {"POOL", "BAN"},
        "ATTACKED": {"DISCARD_WEAPON", "CANCEL_ATTACK"},
        "START": {"NEUTRALIZE", "FUEL"},
        "DICE": {"REROLL"},
        "WIN": _AFTER,
        "LOSE": {*_AFTER, "KEEP_SLICE"},
    },
    "special": {
        "TURN": {*_OWN, "GAIN"},
        "TRICKWIN": {"CANCEL_TRICK"},
        "DIEWIN": {"CARD_DIE_MOD", "REROLL"},
        "ATTACKED": {*_OWN, "CANCEL_ATTACK", "REDIRECT_ATTACK"},
        "FWIN": {"SIDE_POOL", "MAX_DIE", "REROLL"},
        "EATWIN": _OWN,
        "EAT": {"EAT_INSTEAD", "FOOD_PILE"},
    },
    "event": {"PLAY": _EFFECTS},
    "permanent": {"STATIC": {"POOL", "BAN"}, "START": {"NEUTRALIZE"}},
    "dock": {
        "STATIC": {"POOL", "POOL_PER", "FREE_PLAY", "EXCHANGE_RATE"},
        "DICE": {"REROLL"},
        "WIN": _AFTER,
        "LOSE": _AFTER,
        "TURN_START": {"DRAW", "GAIN", "GAIN_MEAT"},
    },
}
"""What each type of card may do, by trigger."""


@dataclass
class Clause:
    """A trigger with its instructions, rows of (opcode, three arguments, place to jump to) counted from its start.

    Attributes:
        narrowed: for WIN, LOSE and SAVE the role in which it works, for TURN_START a bit mask of phases.
    """

    narrowed: int = 0
    code: list[tuple[int, int, int, int, int]] = field(default_factory=list)


@dataclass
class Program:
    """What one card does.

    Attributes:
        clauses: by trigger.
        standing: what it does while it lies somewhere, by opcode: a list of arguments for every use.
    """

    clauses: dict[int, Clause] = field(default_factory=dict)
    standing: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)

    def has(self, trigger: int, opcode: int) -> bool:
        """Whether a clause contains an instruction."""
        return trigger in self.clauses and any(row[0] == opcode for row in self.clauses[trigger].code)


class EffectError(ValueError):
    """A text that is no effect; says why."""


MOST_NUMBER = 99
"""Largest number in a program."""
MOST_TEXT = 400
"""Characters of a clause."""
MOST_CLAUSES = 8
"""Clauses of a card."""


@dataclass(frozen=True)
class Place:
    """Where a step stands.

    Attributes:
        kind: the card's type. trigger: of the clause.
        chosen: how many seats the card has chosen when it is played.
        decided_by: the opcode in whose braces the step is, if any.
    """

    kind: str
    trigger: str
    chosen: int
    decided_by: str = ""

    def knows(self, who: str) -> bool:
        """Whether there is a seat of this name."""
        if who == "TGT":
            return self.chosen > 0
        if who == "TGT2":
            return self.chosen > 1
        if who == "OPP":
            return self.trigger in FIGHT_TRIGGERS
        return who != "FOUND" or self.decided_by == "CONTEST"


def usage(opcode: str) -> str:
    """An opcode with what each argument may be: ``GAIN(action | attack | island, number)``."""
    return f"{opcode}({', '.join(_choices(expected) for expected in _ARGUMENTS[opcode])})"


def _choices(expected: dict[str, int] | str) -> str:
    if expected is WHO:
        return "whom"
    if expected is ONE:
        return "seat"
    return expected if isinstance(expected, str) else " | ".join(expected)


_STEP = re.compile(r"\s*([A-Z_]+)\s*(?:\(([^(){}]*)\))?\s*")
_TRIGGER = re.compile(r"\s*([A-Z_]+)\s*(?:as\s+(ATTACKER|DEFENDER)|\(([^()]*)\))?\s*")


def program_of(texts: tuple[str, ...], kind: str, chosen: int = 0) -> Program:
    """Translate the clauses of a card of a type.

    Args:
        texts: the clauses.
        kind: the type.
        chosen: how many seats are chosen when the card is played (TGT, TGT2).

    Raises:
        EffectError: the text is not in the vocabulary, or not for this type of card.
    """
    program = Program()
    if len(texts) > MOST_CLAUSES:
        raise EffectError(f"there are {len(texts)} clauses; {MOST_CLAUSES} at most")
    for text in texts:
        if len(text) > MOST_TEXT:
            raise EffectError(f"{text[:20] + '...'!r} has {len(text)} characters; {MOST_TEXT} at most")
        before, colon, after = text.partition(":")
        if not colon:
            raise EffectError(f"{text!r} has no trigger; write TRIGGER: OPCODE(arguments)")
        for word in _split(before, ","):
            _clause(program, word, after.strip(), kind, chosen)
    return program


def _clause(program: Program, word: str, steps: str, kind: str, chosen: int) -> None:
    found = _TRIGGER.fullmatch(word)
    known = list(ALLOWED[kind])
    name = found.group(1) if found else word.strip()
    name = "STATIC" if name in STANDING else name
    if found is None or name not in known:
        hint = suggestion(name, known)
        raise EffectError(f"{word.strip()!r} is no trigger of type {kind}{hint} Triggers: {', '.join(known)}")
    role, phases = found.group(2), found.group(3)
    if role and name not in ("WIN", "LOSE"):
        raise EffectError(f"{word.strip()!r}: only WIN and LOSE are narrowed to a role; write {name}")
    if phases is not None and name != "TURN_START":
        raise EffectError(f"{word.strip()!r}: only TURN_START is narrowed to phases; write {name}")
    place = Place(kind, name, chosen)
    if name == "STATIC":
        for step in _split(steps, ";"):
            opcode, arguments, rest = _parse(step, place)
            if rest:
                raise _not_understood(step, rest)
            if opcode == "EXCHANGE_RATE" and (arguments[0] < 1 or arguments[2] % arguments[0]):
                raise EffectError(
                    f"{step.strip()!r}: cards are exchanged in groups; give a rate of at least 1, and as most cards a "
                    "multiple of it, or 0 for any number"
                )
            program.standing.append((opcode, arguments))
        return
    clause = Clause()
    for step in _split(steps, ";"):
        clause.code.extend(_translate(step, place, len(clause.code)))
    trigger = TRIGGERS.index(name)
    if role:
        clause.narrowed = AS_ATTACKER if role == "ATTACKER" else AS_DEFENDER
    if name == "TURN_START":
        wanted = [phase.strip() for phase in phases.split(",")] if phases else list(TURN_PHASES)
        for phase in wanted:
            if phase not in TURN_PHASES:
                raise EffectError(f"{word.strip()!r}: {phase!r} is no phase with turns: {', '.join(TURN_PHASES)}")
        clause.narrowed = sum(1 << TURN_PHASES.index(phase) for phase in set(wanted))
    if any(row[0] == KEEP_SLICE for row in clause.code):
        trigger = SAVE
    if trigger in program.clauses:
        raise EffectError(f"trigger {name} is used twice; write its steps into one clause, separated by ';'")
    program.clauses[trigger] = clause


def _split(text: str, mark: str) -> list[str]:
    """Parts between marks that are in no bracket."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "({") - (letter in ")}")
        if letter == mark and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def _not_understood(step: str, rest: str) -> EffectError:
    return EffectError(f"{step.strip()!r}: {rest!r} is not understood; steps are separated by ';'")


def _parse(step: str, place: Place) -> tuple[str, tuple[int, ...], str]:
    """An opcode, its arguments as numbers, and what follows them."""
    found = _STEP.match(step)
    if found is None:
        raise EffectError(f"{step.strip()!r} is no step; write OPCODE(arguments)")
    opcode, inner = found.group(1), found.group(2)
    known = sorted(_ARGUMENTS)
    if opcode not in _ARGUMENTS:
        raise EffectError(f"unknown opcode {opcode!r}{suggestion(opcode, known)} Opcodes: {', '.join(known)}")
    if opcode not in ALLOWED[place.kind][place.trigger]:
        fitting = ", ".join(sorted(ALLOWED[place.kind][place.trigger]))
        raise EffectError(f"{opcode} cannot be used by type {place.kind} at {place.trigger}; there are {fitting}")
    expected = _ARGUMENTS[opcode]
    if inner is None and step[found.end() :].startswith("("):
        raise EffectError(f"{step.strip()!r}: its bracket is not closed; write {usage(opcode)}")
    given = [part.strip() for part in inner.split(",")] if inner and inner.strip() else []
    if len(given) != len(expected):
        raise EffectError(f"{opcode} takes {len(expected)} arguments, not {len(given)}; write {usage(opcode)}")
    for word, may_be in zip(given, expected, strict=True):
        if (may_be is WHO or may_be is ONE) and word in WHO and not place.knows(word):
            there = [who for who in may_be if place.knows(who)]
            raise EffectError(f"{opcode}: {MEANING[word]}; there are {', '.join(there)}")
    numbers = tuple(_argument(opcode, *pair) for pair in zip(given, expected, strict=True))
    return opcode, numbers, step[found.end() :].strip()


def _argument(opcode: str, word: str, expected: dict[str, int] | str) -> int:
    if isinstance(expected, dict):
        if word not in expected:
            raise EffectError(
                f"{opcode}: {word!r} is no argument{suggestion(word, list(expected))} One of: {', '.join(expected)}"
            )
        return expected[word]
    low = -MOST_NUMBER if opcode in ("SIDE_POOL", "CARD_DIE_MOD", "DIE_MOD", "POOL", "POOL_PER") else 0
    if not re.fullmatch(r"[+-]?\d{1,2}", word) or int(word) < low:
        raise EffectError(f"{opcode}: {word!r} is given; give a whole number from {low} to {MOST_NUMBER}")
    return int(word)


def _translate(step: str, place: Place, start: int) -> list[tuple[int, int, int, int, int]]:
    """The instructions of one step; ``start`` is the place of the first."""
    opcode, arguments, rest = _parse(step, place)
    code = INSTRUCTIONS.index(opcode)
    if opcode == "PASS_CARDS" and arguments[1] != 1:
        raise EffectError(f"PASS_CARDS passes 1 card, not {arguments[1]}; write 1")
    if code == REROLL and place.trigger == "DIEWIN":
        if arguments != (ANY_DIE,):
            raise EffectError("REROLL: at DIEWIN there are no fight dice; write REROLL(any)")
        code = CARD_DIE_REROLL
    first, second, third, *_ = (*arguments, 0, 0, 0)
    if opcode in ROLLS:
        if place.decided_by:
            raise EffectError(
                f"{place.decided_by}: one roll cannot follow from another; take {opcode} out of the braces"
            )
        fitting, needed = {
            "DUEL": ((1,), "a card with one chosen seat, the opponent"),
            "CONTEST": ((0,), "a card that chooses no seat"),
            "ROLL": ((0, 1), "a card that does not choose two seats"),
        }[opcode]
        if place.chosen not in fitting:
            raise EffectError(f"{opcode} needs {needed}; change the card's target")
        if not (rest.startswith("{") and rest.endswith("}")):
            raise EffectError(f"{opcode} is followed by what it decides, in braces; write {usage(opcode)}{{...}}")
        return _branches(opcode, code, first, second, rest[1:-1], replace(place, decided_by=opcode), start)
    rows = [(code, first, second, third, 0)]
    if code == TAKE_BIN:
        if rest.startswith("else "):
            rows += _translate(rest[5:], place, start + 1)
            rest = ""
        rows[0] = (code, first, second, third, start + len(rows))
    if rest:
        raise _not_understood(step, rest)
    return rows


def _branches(
    opcode: str, code: int, first: int, second: int, inner: str, place: Place, start: int
) -> list[tuple[int, int, int, int, int]]:
    """A roll and what it decides. BRANCH (low, high, next branch) guards the steps up to a JUMP to the end."""
    rows: list[tuple[int, int, int, int, int]] = [(code, first, second, 0, 0)]
    covered: set[int] = set()
    for part in _split(inner, ";"):
        low, high, steps = 1, MOST_NUMBER, part
        if opcode == "ROLL":
            found = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*:(.*)", part, re.DOTALL)
            if found is None:
                raise EffectError(f"ROLL: {part.strip()!r} is no branch; write low-high: steps")
            low, high = int(found.group(1)), int(found.group(2) or found.group(1))
            if not 1 <= low <= high <= first or covered & set(range(low, high + 1)):
                raise EffectError(
                    f"ROLL: {low}-{high} is no range; faces go from 1 to {first}, and each may be in one branch only"
                )
            covered |= set(range(low, high + 1))
            high = high if high < first else MOST_NUMBER  # a special may raise the die above its faces
            steps = found.group(3)
        elif covered:
            raise EffectError(f"{opcode} decides one thing; join steps with '&'")
        else:
            covered = {0}
        guard = len(rows)
        rows.append((BRANCH, low, high, 0, 0))
        for inner_step in _split(steps, "&"):
            rows.extend(_translate(inner_step, place, start + len(rows)))
        rows.append((JUMP, 0, 0, 0, 0))
        rows[guard] = (BRANCH, low, high, 0, start + len(rows))
    end = start + len(rows)
    return [(row[0], *row[1:4], end) if row[0] == JUMP else row for row in rows]
