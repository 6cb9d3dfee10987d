"""Positions in words: a state as a dict and back, with what makes a position impossible.

Keys, besides those of every game. Cards are called by their codes (``tri``, ``igu``, ... as in the names of actions);
piles and hands are mappings code -> number, in which kinds without cards are left out.

active               seat whose turn it is
turn                 its number, from 1
restarts             how often it started over (J31)
volcano              whether everything is cleaned up at its end (J13)
marker               whether the double-sided Hot Sun card lies there (J6)
resolving, target    the Event being resolved, the Meat-Eater to be paid; null if none
hands                per seat, a hand
coins                per seat
landscape            face-up cards (L); lasting: those that stay (X)
discard, banished    piles
draw                 the draw pile; by default all cards that are nowhere else
top                  codes of the next cards to be turned over, the first one first
passing              per seat, the species chosen in a Stampede, null before
known                per seat, what it can prove of the hand of every seat (null for its own); by default all of it,
                     because cards are collected before all eyes
draw_size, winner    facts; if given, they must be true

Only what differs from the frame is given. The frame is the first turn of seat 0 (or of ``first_seat``), before anything
is turned over. ``rest`` is for cards that are mentioned nowhere: "shuffled" (the default) and "sorted" put them into
the draw pile below ``top``, the latter in the order of their kinds; "aside" banishes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tooth_envs.engine.chance import set_script
from tooth_envs.engine.state import RUNNING, TERMINATED
from tooth_envs.errors import OptionError, PositionError
from tooth_envs.games.super_tooth.cards import (
    CODES,
    DASPLETOSAURUS,
    EGG,
    FIRST_EVENT,
    FIRST_MEAT,
    FOLIAGE,
    HOT_SUN,
    QUETZALCOATLUS,
    SPECIES,
    STAMPEDE,
    TRAVELER,
    VOLCANO,
    Setup,
)
from tooth_envs.games.super_tooth.state import MOST_RESTARTS, SMALLEST_SET, Options, Phase
from tooth_envs.spec import reader
from tooth_envs.spec.options import scripted_seat, seat_number

PILES = ("draw", "discard", "banished", "landscape", "lasting")
NUMBERS = ("active", "turn", "restarts")
FLAGS = ("volcano", "marker")
KEYS = (
    *NUMBERS,
    *FLAGS,
    "resolving",
    "target",
    "hands",
    "coins",
    *PILES,
    "top",
    "passing",
    "known",
    "draw_size",
    "winner",
)
LARGEST_LANDSCAPE = 4
MOST = 32767
"""The records' numbers have 16 bits."""


def blank_state(options: Options, cards: Setup, state: Any) -> None:
    """Where positions start from: the first turn, nothing turned over."""
    state.seat = -1
    state.decision = -1
    state.phase = Phase.BEGIN_TURN
    state.active = max(0, seat_number(options.first_seat))
    state.turn = 1
    state.resolving = -1
    state.target = -1
    state.passing[:] = -1
    state.draw[:] = cards.counts


def reset_script(options: Options, cards: Setup, given: Mapping[str, Any]) -> dict[str, list[int]]:
    """The chance outcomes that ``reset(options=...)`` asks for."""
    script: dict[str, list[int]] = {}
    if given.get("first_seat") is not None:
        picks = scripted_seat("first_seat", given["first_seat"], options.first_seat, options.num_players)
        if picks:
            script["pick"] = picks
    if given.get("top") is not None:
        top = given["top"]
        if not isinstance(top, list | tuple) or not all(code in CODES for code in top):
            raise OptionError(f"reset option top is {top!r}; give a list of codes, of {', '.join(CODES)}")
        kinds = [CODES.index(code) for code in top]
        for kind in kinds:
            if kinds.count(kind) > cards.counts[kind]:
                raise OptionError(
                    f"reset option top has {CODES[kind]} {kinds.count(kind)} times, but the deck has "
                    f"{cards.counts[kind]} of them"
                )
        script["draw"] = kinds
    return script


# From a state to words.


def in_words(counts: Iterable[int]) -> dict[str, int]:
    """A pile or a hand."""
    return {code: int(count) for code, count in zip(CODES, counts, strict=False) if count}


def code_of(kind: int) -> str | None:
    """A kind's code; None for -1."""
    return CODES[kind] if kind >= 0 else None


def read(options: Options, players: int, state: Any) -> dict[str, Any]:
    """The game's own part of a position."""
    seats = range(players)
    return {
        **{key: int(state[key]) for key in NUMBERS},
        **{key: bool(state[key]) for key in FLAGS},
        "resolving": code_of(int(state.resolving)),
        "target": code_of(int(state.target)),
        "hands": [in_words(state.hand[seat]) for seat in seats],
        "coins": state.coins[:players].tolist(),
        **{key: in_words(state[key]) for key in PILES},
        "passing": [code_of(int(state.passing[seat])) for seat in seats],
        "known": [
            [None if other == seat else in_words(state.known[seat, (other - seat) % players - 1]) for other in seats]
            for seat in seats
        ],
        **facts(options, players, state),
    }


def facts(options: Options, players: int, state: Any) -> dict[str, Any]:
    """What follows from the rest."""
    winners = [seat for seat in range(players) if state.coins[seat] >= options.target()]
    return {"draw_size": int(sum(state.draw)), "winner": winners[0] if winners else None}


# From words to a state.


class Reader(reader.Reader):
    """Reads cards and piles."""

    def kind(self, key: str, value: Any, low: int, high: int) -> int:
        """A kind from ``low`` to below ``high`` by its code; -1 for null."""
        if value is None:
            return -1
        if not isinstance(value, str) or value not in CODES[low:high]:
            raise self.refuse(key, f"{value!r} is given; give one of {', '.join(CODES[low:high])}, or null")
        return CODES.index(value)

    def pile(self, key: str, value: Any, kinds: int = len(CODES)) -> list[int]:
        """Counts by kind."""
        if not isinstance(value, Mapping):
            raise self.refuse(key, f"{value!r} is given; give a mapping of codes to numbers, as {{igu: 2}}")
        counts = [0] * kinds
        for code, count in value.items():
            counts[self.kind(key, code if code is not None else "", 0, kinds)] = self.whole(
                f"{key}.{code}", count, 0, MOST
            )
        return counts

    def flag(self, key: str, value: Any) -> bool:
        """True or false."""
        if not isinstance(value, bool):
            raise self.refuse(key, f"{value!r} is given; give true or false")
        return value


def write(where: str, options: Options, cards: Setup, state: Any, position: Mapping[str, Any]) -> None:
    """Write the game's own keys of a position into a record that holds the frame or a deal."""
    read_as = Reader(where, options.num_players)
    players = options.num_players
    bounds = {"active": (0, players - 1), "turn": (0, options.max_turns), "restarts": (0, MOST_RESTARTS + 1)}
    for key in NUMBERS:
        if key in position:
            state[key] = read_as.whole(key, position[key], *bounds[key])
    for key in FLAGS:
        if key in position:
            state[key] = read_as.flag(key, position[key])
    if "resolving" in position:
        state.resolving = read_as.kind("resolving", position["resolving"], FIRST_EVENT, len(CODES))
    if "target" in position:
        state.target = read_as.kind("target", position["target"], FIRST_MEAT, FIRST_EVENT)
    if "hands" in position:
        for seat, hand in enumerate(read_as.per_seat("hands", position["hands"])):
            state.hand[seat] = read_as.pile("hands", hand, SPECIES)
    if "coins" in position:
        state.coins[:players] = [
            read_as.whole("coins", number, 0, MOST) for number in read_as.per_seat("coins", position["coins"])
        ]
    for key in PILES:
        if key in position:
            state[key] = read_as.pile(key, position[key])
    if "passing" in position:
        state.passing[:players] = [
            read_as.kind("passing", code, 0, SPECIES) for code in read_as.per_seat("passing", position["passing"])
        ]
    _write_known(read_as, state, position)
    _write_draw(read_as, cards, state, position)
    for key, fact in facts(options, players, state).items():
        if key in position and (position[key] != fact or isinstance(position[key], bool)):
            raise read_as.refuse(key, f"{position[key]!r} is given, but it is {fact}")


def _write_known(read_as: Reader, state: Any, position: Mapping[str, Any]) -> None:
    seats = range(read_as.players)
    if "known" in position:
        rows = [read_as.per_seat("known", row) for row in read_as.per_seat("known", position["known"])]
    elif "hands" in position:
        rows = [[in_words(state.hand[other]) for other in seats] for _ in seats]
    else:
        return
    for seat in seats:
        for other in seats:
            if other != seat:
                place = (other - seat) % read_as.players - 1
                state.known[seat, place] = read_as.pile("known", rows[seat][other], SPECIES)


def elsewhere(state: Any) -> np.ndarray:
    """Per kind, the cards that are not in the draw pile."""
    total = np.zeros(len(CODES), np.int64)
    for key in PILES[1:]:
        total += state[key]
    total[:SPECIES] += state.hand.sum(axis=0)
    if state.resolving >= 0:
        total[state.resolving] += 1
    return total


def _write_draw(read_as: Reader, cards: Setup, state: Any, position: Mapping[str, Any]) -> None:
    """The draw pile, and in which order it will come."""
    top_codes = position.get("top", [])
    if not isinstance(top_codes, list | tuple) or None in top_codes:
        raise read_as.refuse("top", f"{top_codes!r} is given; give a list of codes")
    top = [read_as.kind("top", code, 0, len(CODES)) for code in top_codes]
    rest = position.get("rest", "shuffled")
    if rest not in ("shuffled", "sorted", "aside"):
        raise read_as.refuse("rest", f"{rest!r} is given; give 'shuffled', 'sorted' or 'aside'")
    left = np.array(cards.counts) - elsewhere(state)
    short = [CODES[kind] for kind in np.flatnonzero(left < 0)]
    if short:
        raise read_as.refuse(short[0], f"there are more than the deck's {cards.counts[CODES.index(short[0])]} (I1)")
    if "draw" in position:
        if state.draw.tolist() != left.tolist():
            raise read_as.refuse("draw", f"{position['draw']} is given, but {in_words(left)} are left of the deck (I1)")
    else:
        state.draw[:] = left
    below = state.draw - np.bincount(top, minlength=len(CODES))
    missing = [CODES[kind] for kind in np.flatnonzero(below < 0)]
    if missing:
        raise read_as.refuse("top", f"there are not so many {missing[0]} in the draw pile (I1)")
    if rest == "aside":
        state.draw -= below
        state.banished += below
    elif rest == "sorted":
        top += [kind for kind in range(len(CODES)) for _ in range(below[kind])]
    if top:
        script = dict(position.get("script") or {})
        if "draw" in script or "any" in script:
            raise read_as.refuse("top", "the order is given, and so are draws in script; give one of them")
        if sum(map(len, script.values())) + len(top) > len(state.script):
            raise read_as.refuse("rest", f"the order of {len(top)} cards is too long; {len(state.script)} can be kept")
        set_script(state, {**script, "draw": top})


# What makes a position impossible.

_LASTING = (HOT_SUN, FOLIAGE, DASPLETOSAURUS, TRAVELER)
_RESOLVED_IN: dict[int, int] = {
    Phase.FETCH: EGG,
    Phase.SNATCH: QUETZALCOATLUS,
    Phase.ERUPT: VOLCANO,
    Phase.PASS: STAMPEDE,
}


def check(where: str, options: Options, cards: Setup, state: Any) -> None:
    """Raise PositionError if a record is no possible state of the game."""

    def demand(holds: bool, reason: str) -> None:
        if not holds:
            raise PositionError(f"{where}: {reason}")

    players = options.num_players
    total = elsewhere(state) + state.draw
    for kind, code in enumerate(CODES):
        demand(total[kind] == cards.counts[kind], f"{code}: {total[kind]} cards of {cards.counts[kind]} are there (I1)")
        if kind not in _LASTING:
            demand(state.lasting[kind] == 0, f"lasting: {code} does not stay (R27, R30-R32)")
        elif kind != TRAVELER:
            demand(state.lasting[kind] <= 1, f"lasting: {code} can lie there once (J8)")
    if options.hot_sun_marker:
        demand(state.lasting[HOT_SUN] == 0, "lasting: with hot_sun_marker the marker lies there instead of sun (J6)")
    else:
        demand(state.marker == 0, "marker: there is none with hot_sun_marker=False (J6)")
    size = int(sum(state.landscape))
    demand(size <= LARGEST_LANDSCAPE, f"landscape: {size} cards are face up; there are 4 at most (R8)")
    for seat in range(players):
        for place in range(players - 1):
            other = (seat + place + 1) % players
            for species in range(SPECIES):
                demand(
                    state.known[seat, place, species] <= state.hand[other, species],
                    f"known: seat {seat} knows of more {CODES[species]} than seat {other} has (I14)",
                )
        chosen = int(state.passing[seat])
        demand(
            chosen < 0 or state.phase == Phase.PASS, f"passing: nothing is passed at {Phase.names()[state.phase]} (I13)"
        )
        demand(chosen < 0 or state.hand[seat, chosen] > 0, f"passing: seat {seat} has no {CODES[max(0, chosen)]} (R29)")
    won = facts(options, players, state)["winner"] is not None
    if state.over == RUNNING:
        demand(not won, f"coins: with {options.target()} the game is over (R21)")
        _check_phase(demand, state)
    elif state.over == TERMINATED:
        enough = any(cards.counts[s] - state.banished[s] >= SMALLEST_SET for s in range(SPECIES))
        demand(won or not enough, "the game ends when somebody has the coins to win, or no set is left (R21, J30)")


def _clockwise(state: Any) -> list[int]:
    """All seats, from the active one on."""
    return [int(state.active + place) % int(state.players) for place in range(int(state.players))]


def _check_phase(demand: Any, state: Any) -> None:
    """Whether the cards fit the phase that play is in."""
    phase = int(state.phase)
    name = Phase.names()[phase]
    resolving = code_of(int(state.resolving))
    expected = code_of(_RESOLVED_IN.get(phase, -1))
    demand(resolving == expected, f"resolving: at {name} it is {expected}, not {resolving} (I7)")
    target = int(state.target)
    if phase == Phase.PAY:
        demand(target >= 0 and state.landscape[target] > 0, f"target: at {name} a Meat-Eater of L is paid (R11)")
    else:
        demand(target < 0, f"target: at {name} no Meat-Eater is paid (R11)")
    late = (Phase.ROAM, Phase.COLLECT, Phase.BONUS, Phase.EXCHANGE, Phase.END_TURN, Phase.TURN_END)
    if phase in (Phase.MEAT, Phase.PAY, *late):
        demand(not any(state.landscape[FIRST_EVENT:]), f"landscape: at {name} there is no Event (I8)")
    if phase in late:
        demand(not any(state.landscape[FIRST_MEAT:FIRST_EVENT]), f"landscape: at {name} there is no Meat-Eater (I8)")
    if phase == Phase.ERUPT:
        demand(bool(state.volcano), "volcano: at ERUPT it is true (R25)")
    if phase == Phase.PASS:
        swept = not any(state.landscape) and not any(state.lasting) and not state.marker
        demand(swept, "landscape, lasting, marker: at PASS all of it has been swept away (J16)")
        holders = [seat for seat in _clockwise(state) if any(state.hand[seat])]
        chosen = [bool(state.passing[seat] >= 0) for seat in holders]
        demand(chosen == sorted(chosen, reverse=True), "passing: seats choose clockwise, from active on (J16)")
    if phase == Phase.BONUS:
        demand(any(state.landscape[:SPECIES]), "landscape: at BONUS there is a Plant-Eater to take (J17, J27)")
