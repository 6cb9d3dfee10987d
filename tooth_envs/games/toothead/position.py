"""Positions in words: a state as a dict and back.

Keys, besides those of every game:

round, turn_phase, active, initiative      numbers, DIGESTION ... EATING, seats
first, place                               who began the phase (default: the initiative holder), turns begun in it
actions, attacks, islands, exchange, roll  what is left of the turn; by default the phase's allowance
extra, pocket_plays                        moves gained [actions, attacks, islands], cards played from the pocket
seats        per seat a mapping: slices, meat, dock, weapon, megas (in order), pocket, alive,
             eliminated (1: first), known (cards it can prove to be in each seat's pocket)
dock_order   who chooses a dock when
bonfire, bin, food, aside                  card ids; aside is out of play
island_deck, green, island_aside           island card ids; permanent: the one that works
created, eaten                             meat made by cards; slices and meat that have left play
node, interrupted                          what is being played, and what it interrupts, innermost last
held, gifts, card_dice                     cards and dice in the middle of something
fight        attacker, defender, tokens ("active", "neutralised", [kind, "up"], [kind, "down"]) and more
draws        ids of cards in the order in which chance gives them, whatever pile they come from
dice         faces of dice in the order in which they are rolled; the island die's in words

Only what differs from the frame is given: the frame is the beginning of seat 0's turn in round 1, with four slices
each, nobody with a dock, and all cards in bonfire and island deck. ``rest`` is for cards that are not mentioned:
"shuffled" (into bonfire or island deck, the default) or "aside".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tooth_envs.engine.chance import KINDS as SCRIPTS
from tooth_envs.engine.chance import set_script
from tooth_envs.engine.compile import plain
from tooth_envs.errors import OptionError, PositionError, ToothError
from tooth_envs.games.toothead.cards import (
    DOCK_0,
    DOCK_MEGAS,
    ISLAND_0,
    KINDS,
    LANES,
    MAX_SEATS,
    MOST_COPIES,
    SLICES,
)
from tooth_envs.games.toothead.position_check import check
from tooth_envs.games.toothead.position_nodes import MOST_NODES
from tooth_envs.games.toothead.state import (
    BITS,
    FACES,
    FIGHT_DICE_COUNT,
    MOST_CHANGE,
    MOST_MADE,
    PER_WORD,
    REGISTERS,
    TOKENS,
    Phase,
    Register,
    Token,
    TurnPhase,
)
from tooth_envs.games.toothead.table import clear_fight, known_cards
from tooth_envs.games.toothead.vocabulary import TRIGGERS
from tooth_envs.spec.reader import Reader as CommonReader
from tooth_envs.spec.validation import suggestion

if TYPE_CHECKING:
    from tooth_envs.games.toothead.game import Toothead

__all__ = ["KEYS", "blank_state", "check", "read", "reset_script", "write"]

known_by = plain(known_cards)

_NUMBERS = {
    "round": ("round_number", 1, 32000),
    "place": ("place", 0, MAX_SEATS),
    "actions": ("actions", 0, 999),
    "attacks": ("attacks", 0, 999),
    "islands": ("islands", 0, 999),
    "exchange": ("can_exchange", 0, 1),
    "roll": ("can_roll", 0, 1),
    "pocket_plays": ("pocket_plays", 0, 999),
    "created": ("created", 0, MOST_MADE),
    "eaten": ("eaten", 0, MOST_MADE + SLICES * MAX_SEATS),
}
"""Plain numbers: key -> field, smallest, largest."""
_SEATS = {"active": "active", "initiative": "initiative", "first": "first"}
_PILES = ("bonfire", "bin", "food", "aside")
_ISLANDS = ("island_deck", "green", "island_aside")
_SEAT_KEYS = ("slices", "meat", "dock", "weapon", "megas", "pocket", "alive", "eliminated", "known")
_FIGHT = {
    "cancelled": ("attack_state", (), 1),
    "fighting": ("fighting", (), 1),
    "stood": ("stood", (2,), 1),
    "to_place": ("to_place", (), 1),
    "unfuelled": ("unfuelled", (2,), 1),
    "faces": ("fight_face", (FIGHT_DICE_COUNT,), 12),
    "sides": ("fight_sides", (FIGHT_DICE_COUNT,), 12),
    "bonus_dice": ("bonus_dice", (2,), 12 * DOCK_MEGAS),
    "side_change": ("side_change", (2,), MOST_CHANGE),
    "knack_used": ("knack_used", (2,), 1),
    "weapon_used": ("weapon_used", (2,), 1),
    "slice_kept": ("slice_kept", (), 1),
    "winner": ("winner", (), 1),
}
"""Plain numbers of a fight: key -> field, shape, largest; winner and side_change may be negative."""
_FIGHT_KEYS = ("attacker", "defender", "tokens", "specials", "noted", *_FIGHT)
_IN_TURNS = ("TURN", "EXCHANGE", *Phase.names()[Phase.ATTACK :])
_NODE_KEYS = tuple(name for name in REGISTERS if name != "phase")

KEYS = (
    *("round", "turn_phase", "active", "initiative", "first", "place"),
    *("actions", "attacks", "islands", "exchange", "roll", "extra", "pocket_plays"),
    *("seats", "dock_order", *_PILES, *_ISLANDS, "permanent", "created", "eaten"),
    *("node", "interrupted", "held", "gifts", "card_dice", "fight", "draws", "dice"),
)


def blank_state(game: Toothead, state: Any) -> None:
    """Where positions start from: seat 0's turn in round 1, nobody asked yet, all cards in their piles."""
    state.seat = -1
    state.decision = -1
    state.phase = Phase.TURN
    state.round_number = 1
    state.turn_phase = TurnPhase.DIGESTION
    state.place = 1
    for name in ("actor", "target", "second", "card", "held", "permanent"):
        state[name] = -1
    for name in ("dock", "weapon", "dock_order", "gift"):
        state[name][:] = -1
    plain(clear_fight)(state)
    state.alive[: game.num_players] = 1
    state.slices[: game.num_players] = SLICES


# From a state to words


def read(game: Toothead, state: Any) -> dict[str, Any]:
    """The game's own part of a position."""
    words = _Words(game)
    seats = range(game.num_players)
    position: dict[str, Any] = {
        "round": int(state.round_number),
        "turn_phase": TurnPhase.names()[state.turn_phase],
        **{key: int(state[name]) if state[name] >= 0 else None for key, name in _SEATS.items()},
        **{key: int(state[name]) for key, (name, _, _) in _NUMBERS.items() if key != "round"},
        "extra": state.extra.tolist(),
        "seats": [words.seat(state, seat) for seat in seats],
        "dock_order": [int(seat) for seat in state.dock_order if seat >= 0],
        **{key: words.pile(state[key]) for key in _PILES},
        **{key: words.islands(state[key]) for key in _ISLANDS},
        "permanent": words.island(state.permanent),
        "node": words.node([int(state[name]) for name in REGISTERS]),
        "interrupted": [words.node(state.saved[depth].tolist()) for depth in range(state.depth)],
        "held": words.card(state.held),
        "gifts": [words.card(state.gift[seat]) for seat in seats],
        "card_dice": [
            [int(state[name][seat]) for name in ("die_sides", "die_face", "die_change")]
            if state.die_sides[seat] > 0
            else None
            for seat in seats
        ],
        "fight": words.fight(state) if state.attacker >= 0 else None,
    }
    return position


class _Words:
    """Turns numbers of a state into words."""

    def __init__(self, game: Toothead) -> None:
        self.players = game.num_players
        self.ids = [card.id for card in game.cards.bonfire]
        self.isles = [card.id for card in game.cards.islands]
        self.docks = [card.id for card in game.cards.docks]

    def card(self, kind: int) -> str | None:
        return self.ids[kind] if kind >= 0 else None

    def island(self, island: int) -> str | None:
        return self.isles[island] if island >= 0 else None

    def pile(self, counts: Any) -> list[str]:
        return [name for name, count in zip(self.ids, counts) for _ in range(int(count))]

    def islands(self, counts: Any) -> list[str]:
        return [name for island, name in enumerate(self.isles) for _ in range(int(counts[island]))]

    def seat(self, state: Any, seat: int) -> dict[str, Any]:
        known = [
            [known_by(state, seat, other, kind) for kind in range(KINDS)] if state.known[seat, other].any() else []
            for other in range(self.players)
        ]
        return {
            "slices": int(state.slices[seat]),
            "meat": int(state.meat[seat]),
            "dock": self.docks[state.dock[seat]] if state.dock[seat] >= 0 else None,
            "weapon": self.card(state.weapon[seat]),
            "megas": [self.ids[kind] for kind in state.mega[seat][: state.mega_count[seat]]],
            "pocket": self.pile(state.pocket[seat]),
            "alive": bool(state.alive[seat]),
            "eliminated": int(state.eliminated[seat]),
            "known": [self.pile(counts) for counts in known],
        }

    def source(self, source: int) -> str | None:
        if source < ISLAND_0:
            return self.card(source)
        if source >= DOCK_0:
            return self.docks[source - DOCK_0]
        return self.isles[source - ISLAND_0]

    def node(self, row: list[int]) -> dict[str, Any]:
        node: dict[str, Any] = dict(zip(REGISTERS, row, strict=True))
        node["phase"] = Phase.names()[node["phase"]]
        node["card"] = self.source(node["card"])
        node["trigger"] = TRIGGERS[node["trigger"]]
        return node

    def fight(self, state: Any) -> dict[str, Any]:
        tokens: list[list[Any]] = []
        for side in range(2):
            tokens.append([])
            for lane in range(LANES):
                token = int(state.token[side][lane])
                if token in (Token.FACE_DOWN, Token.FACE_UP):
                    up = "up" if token == Token.FACE_UP else "down"
                    tokens[side].append([self.card(state.token_card[side][lane]), up])
                else:
                    tokens[side].append(TOKENS[token])
        return {
            "attacker": int(state.attacker),
            "defender": int(state.defender),
            "tokens": tokens,
            "specials": self.pile(state.fight_specials),
            "noted": [self.card(kind) for kind in state.noted],
            **{key: np.asarray(state[name]).tolist() for key, (name, _, _) in _FIGHT.items()},
        }


# From words to a state


class Reader(CommonReader):
    """The words of Toothead's positions."""

    def __init__(self, game: Toothead) -> None:
        super().__init__(f"{game.name} position", game.num_players)
        self.ids = [card.id for card in game.cards.bonfire]
        self.isles = [card.id for card in game.cards.islands]
        self.docks = [card.id for card in game.cards.docks]
        self.sources = {
            **{name: kind for kind, name in enumerate(self.ids)},
            **{name: ISLAND_0 + island for island, name in enumerate(self.isles)},
            **{name: DOCK_0 + dock for dock, name in enumerate(self.docks)},
        }

    def seat(self, key: str, value: Any) -> int:
        return -1 if value is None else self.whole(key, value, 0, self.players - 1)

    def word(self, key: str, value: Any, known: Sequence[str]) -> int:
        """The place of a word in a list; -1 for null."""
        if value is None:
            return -1
        if not isinstance(value, str) or value not in known:
            hint = suggestion(value, list(known))
            raise self.refuse(key, f"{value!r} is not known{hint} One of: {', '.join(known)}")
        return known.index(value)

    def entries(self, key: str, value: Any, length: int | None = None) -> list[Any]:
        if not isinstance(value, list | tuple) or (length is not None and len(value) != length):
            raise self.refuse(key, f"{value!r} is given; give a list" + (f" of {length}" if length is not None else ""))
        return list(value)

    def mapping(self, key: str, value: Any, known: Sequence[str]) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise self.refuse(key, f"{value!r} is given; give a mapping with some of {', '.join(known)}")
        for name in value:
            if name not in known:
                hint = suggestion(name, list(known))
                raise self.refuse(f"{key}.{name}", f"is not known{hint} Known: {', '.join(known)}")
        return dict(value)

    def cards(self, key: str, value: Any, known: Sequence[str], size: int) -> list[int]:
        """Card ids as counts by kind."""
        counts = [0] * size
        for entry in self.entries(key, value):
            place = self.word(key, entry, known)
            if place < 0:
                raise self.refuse(key, "null is no card")
            counts[place] += 1
        if max(counts) > 99:
            raise self.refuse(key, "there are not so many copies of any card")
        return counts

    def bonfire_cards(self, key: str, value: Any) -> list[int]:
        return self.cards(key, value, self.ids, KINDS)


def script_of(reader: Reader, given: Mapping[str, Any], faces: Sequence[int]) -> dict[str, list[int]]:
    """Draws and dice in words as chance outcomes."""
    script: dict[str, list[int]] = {}
    if given.get("draws") is not None:
        names = [*reader.ids, *reader.isles]
        places = [reader.word("draws", name, names) for name in reader.entries("draws", given["draws"])]
        if -1 in places:
            raise reader.refuse("draws", "null is no card")
        script["draw"] = [place if place < len(reader.ids) else place - len(reader.ids) for place in places]
    if given.get("dice") is not None:
        script["die"] = []
        for face in reader.entries("dice", given["dice"]):
            if isinstance(face, str):
                number = reader.word("dice", face, FACES)
                if number not in faces:
                    raise reader.refuse("dice", f"the island die has no face {face!r}")
                script["die"].append(list(faces).index(number) + 1)
            else:
                script["die"].append(reader.whole("dice", face, 1, 12))
    return script


def _faces(game: Toothead) -> list[int]:
    return [int(face) for face in game.tables["island_die"][0]]


def reset_script(game: Toothead, given: Mapping[str, Any]) -> dict[str, list[int]]:
    """The chance outcomes that ``reset(options=...)`` asks for."""
    try:
        return script_of(Reader(game), given, _faces(game))
    except PositionError as problem:
        raise OptionError(str(problem).replace("position:", "reset option:", 1)) from None


def write(game: Toothead, state: Any, position: Mapping[str, Any]) -> None:
    """Write the game's own keys of a position into a record that holds the frame or a deal."""
    reader = Reader(game)
    dealt = position.get("base") == "deal"
    _write_numbers(reader, state, position)
    if "seats" in position:
        for seat, entry in enumerate(reader.entries("seats", position["seats"], reader.players)):
            _write_seat(reader, state, seat, reader.mapping(f"seats.{seat}", entry, _SEAT_KEYS))
    if "dock_order" in position:
        order = reader.entries("dock_order", position["dock_order"])
        if len(order) > reader.players:
            raise reader.refuse("dock_order", f"{order} is given; give each seat once")
        state.dock_order[:] = -1
        state.dock_order[: len(order)] = [reader.whole("dock_order", seat, 0, reader.players - 1) for seat in order]
    _write_nodes(reader, state, position)
    _write_middle(reader, state, position)
    _write_piles(game, reader, state, position, dealt)
    script = script_of(reader, position, _faces(game))
    given = position.get("script") or {}
    for kind in script:
        if kind in given or SCRIPTS[0] in given:
            raise reader.refuse("script", f"{kind} is given in words too; give it once")
    if script:
        try:
            set_script(state, {**given, **script})
        except ToothError as problem:
            raise reader.refuse("draws", str(problem)) from None


def _write_numbers(reader: Reader, state: Any, position: Mapping[str, Any]) -> None:
    for key, (name, low, high) in _NUMBERS.items():
        if key in position:
            state[name] = reader.whole(key, position[key], low, high)
    if "turn_phase" in position:
        state.turn_phase = reader.word("turn_phase", position["turn_phase"], TurnPhase.names())
        if state.turn_phase < 0:
            raise reader.refuse("turn_phase", f"is null; give one of {', '.join(TurnPhase.names())}")
    for key, name in _SEATS.items():
        if key in position:
            state[name] = reader.seat(key, position[key])
    at = position.get("at")
    if at in ("EATING_WINDOW", "EATING", "ROUND_END"):
        state.turn_phase = TurnPhase.EATING
        if "place" not in position:
            state.place = 0
    if at is not None and at not in _IN_TURNS and "active" not in position and "node" not in position:
        state.active = -1
    if "initiative" in position and "first" not in position and "node" not in position:
        state.first = state.initiative
    if at is not None and position.get("base", "blank") == "blank" and "node" not in position:
        _allow(reader, state, position, Phase.names().index(at))
    if "extra" in position:
        state.extra[:] = [
            reader.whole("extra", number, 0, 999) for number in reader.entries("extra", position["extra"], 3)
        ]


def _allow(reader: Reader, state: Any, position: Mapping[str, Any], phase: int) -> None:
    """The allowance and the place in the turn order that go without saying."""
    if (
        phase not in (Phase.EATING_WINDOW, Phase.EATING, Phase.PHASE_START)
        and "place" not in position
        and state.active >= 0
    ):
        state.place = (int(state.active) - int(state.first)) % reader.players + 1
    full = {
        "actions": 1 + (state.turn_phase == TurnPhase.DIGESTION),
        "attacks": int(state.turn_phase in (TurnPhase.APPETITE, TurnPhase.HUNGER)),
        "islands": int(state.turn_phase == TurnPhase.APPETITE),
        "exchange": int(state.turn_phase == TurnPhase.DIGESTION),
        "roll": int(state.turn_phase == TurnPhase.HUNGER),
    }
    for key, number in full.items():
        if key not in position:
            state[_NUMBERS[key][0]] = number if phase == Phase.TURN else 0


def _write_seat(reader: Reader, state: Any, seat: int, entry: Mapping[str, Any]) -> None:
    where = f"seats.{seat}"
    for key, most in (("slices", SLICES), ("meat", MOST_MADE + SLICES * MAX_SEATS), ("eliminated", MAX_SEATS)):
        if key in entry:
            state[key][seat] = reader.whole(f"{where}.{key}", entry[key], 0, most)
    if "alive" in entry:
        if not isinstance(entry["alive"], bool):
            raise reader.refuse(f"{where}.alive", f"{entry['alive']!r} is given; give true or false")
        state.alive[seat] = entry["alive"]
        if not entry["alive"] and "slices" not in entry:
            state.slices[seat] = 0
    if "dock" in entry:
        state.dock[seat] = reader.word(f"{where}.dock", entry["dock"], reader.docks)
    if "weapon" in entry:
        state.weapon[seat] = reader.word(f"{where}.weapon", entry["weapon"], reader.ids)
    if "megas" in entry:
        kinds = [reader.word(f"{where}.megas", name, reader.ids) for name in reader.entries(where, entry["megas"])]
        if len(kinds) > DOCK_MEGAS or -1 in kinds:
            raise reader.refuse(f"{where}.megas", f"give up to {DOCK_MEGAS} card ids")
        state.mega[seat][:] = 0
        state.mega[seat][: len(kinds)] = kinds
        state.mega_count[seat] = len(kinds)
    if "pocket" in entry:
        counts = reader.bonfire_cards(f"{where}.pocket", entry["pocket"])
        state.pocket[seat][:] = counts
        state.pocket_size[seat] = sum(counts)
    if "known" in entry:
        for other, names in enumerate(reader.entries(f"{where}.known", entry["known"], reader.players)):
            counts = reader.bonfire_cards(f"{where}.known", names)
            if max(counts) > MOST_COPIES:
                raise reader.refuse(f"{where}.known", "there are not so many copies of any card")
            state.known[seat, other, :] = 0
            for kind, count in enumerate(counts):
                state.known[seat, other, kind // PER_WORD] += count << (BITS * (kind % PER_WORD))


def _write_nodes(reader: Reader, state: Any, position: Mapping[str, Any]) -> None:
    if "interrupted" in position:
        nodes = reader.entries("interrupted", position["interrupted"])
        if len(nodes) >= MOST_NODES:
            raise reader.refuse("interrupted", f"{len(nodes)} nodes are given; {MOST_NODES - 1} at most")
        state.saved[:] = 0
        state.depth = len(nodes)
        for depth, node in enumerate(nodes):
            state.saved[depth][:] = _node(reader, f"interrupted.{depth}", node)
    if "node" in position:
        for name, value in zip(REGISTERS, _node(reader, "node", position["node"]), strict=True):
            state[name] = value
    elif "interrupted" not in position and position.get("at") is not None:
        for name in _NODE_KEYS:
            state[name] = 0 if name in ("at", "count", "trigger") else -1
        if Phase.names().index(position["at"]) >= Phase.ATTACK:
            # A fight interrupts the attacker's turn.
            state.saved[0][:] = [Phase.TURN, 0, -1, -1, -1, -1, 0, 0]
            state.depth = 1


def _node(reader: Reader, key: str, given: Any) -> list[int]:
    node = reader.mapping(key, given, REGISTERS)
    row = []
    for name in REGISTERS:
        value = node.get(name)
        if name == "phase":
            row.append(max(0, reader.word(f"{key}.phase", value, Phase.names())))
        elif name == "card":
            place = reader.word(f"{key}.card", value, list(reader.sources))
            row.append(place if place < 0 else list(reader.sources.values())[place])
        elif name == "trigger":
            row.append(max(0, reader.word(f"{key}.trigger", value, TRIGGERS)))
        else:
            row.append(reader.whole(f"{key}.{name}", value, -1, 999))
    return row


def _write_middle(reader: Reader, state: Any, position: Mapping[str, Any]) -> None:
    """Things in the middle of something."""
    if "held" in position:
        state.held = reader.word("held", position["held"], reader.ids)
    if "gifts" in position:
        gifts = reader.entries("gifts", position["gifts"], reader.players)
        state.gift[: reader.players] = [reader.word("gifts", name, reader.ids) for name in gifts]
    if "card_dice" in position:
        for seat, entry in enumerate(reader.entries("card_dice", position["card_dice"], reader.players)):
            die = [0, 0, 0] if entry is None else reader.entries("card_dice", entry, 3)
            for name, value, low, high in zip(
                ("die_sides", "die_face", "die_change"), die, (0, 0, -MOST_CHANGE), (12, 12, MOST_CHANGE), strict=True
            ):
                state[name][seat] = reader.whole("card_dice", value, low, high)
    if position.get("fight") is not None:
        _write_fight(reader, state, reader.mapping("fight", position["fight"], _FIGHT_KEYS), position.get("at"))
    if "permanent" in position:
        state.permanent = reader.word("permanent", position["permanent"], reader.isles)


def _write_fight(reader: Reader, state: Any, fight: Mapping[str, Any], at: str | None) -> None:
    state.attacker = reader.seat("fight.attacker", fight.get("attacker"))
    state.defender = reader.seat("fight.defender", fight.get("defender"))
    for key, (name, shape, most) in _FIGHT.items():
        if key in fight:
            low = {"winner": -1, "side_change": -MOST_CHANGE}.get(key, 0)
            if shape:
                state[name][:] = [
                    reader.whole(f"fight.{key}", number, low, most)
                    for number in reader.entries(f"fight.{key}", fight[key], shape[0])
                ]
            else:
                state[name] = reader.whole(f"fight.{key}", fight[key], low, most)
    if at is not None and "fighting" not in fight:
        state.fighting = Phase.names().index(at) > Phase.ATTACK
    if "specials" in fight:
        state.fight_specials[:] = reader.bonfire_cards("fight.specials", fight["specials"])
    if "noted" in fight:
        noted = reader.entries("fight.noted", fight["noted"], 2)
        state.noted[:] = [reader.word("fight.noted", name, reader.ids) for name in noted]
    for side, lanes in enumerate(reader.entries("fight.tokens", fight.get("tokens", [["active"] * LANES] * 2), 2)):
        for lane, token in enumerate(reader.entries("fight.tokens", lanes, LANES)):
            if isinstance(token, list | tuple):
                kind, up = reader.entries("fight.tokens", token, 2)
                state.token_card[side][lane] = reader.word("fight.tokens", kind, reader.ids)
                state.token[side][lane] = Token.FACE_DOWN + max(0, reader.word("fight.tokens", up, ("down", "up")))
            else:
                state.token_card[side][lane] = -1
                state.token[side][lane] = max(0, reader.word("fight.tokens", token, TOKENS[: Token.FACE_DOWN]))


def _write_piles(game: Toothead, reader: Reader, state: Any, position: Mapping[str, Any], dealt: bool) -> None:
    """Piles that are given, and what becomes of the cards that are not mentioned."""
    for key in _PILES:
        if key in position:
            state[key][:] = reader.bonfire_cards(key, position[key])
    for key in _ISLANDS:
        if key in position:
            state[key][:] = reader.cards(key, position[key], reader.isles, len(state.green))
    if state.permanent >= 0 and "green" not in position and not dealt:
        state.green[state.permanent] = 1
    rest = position.get("rest", "shuffled")
    if rest not in ("shuffled", "aside"):
        raise reader.refuse("rest", f"{rest!r} is given; give 'shuffled' or 'aside' (for an order, give draws)")
    tables = game.tables.view(np.recarray)[0]
    open_cards = tables.copies - cards_in_play(state)
    if open_cards.min() < 0:
        kind = int(open_cards.argmin())
        raise reader.refuse(
            "cards", f"{reader.ids[kind]} is given {-open_cards[kind]} times more often than the deck has it (I1)"
        )
    (state.bonfire if rest == "shuffled" else state.aside)[:] += open_cards
    open_islands = tables.island_copies - state.island_deck - state.green - state.island_aside
    if open_islands.min() < 0:
        island = int(open_islands.argmin())
        raise reader.refuse("island_deck", f"{reader.isles[island]} is given more often than the deck has it (I3)")
    (state.island_deck if rest == "shuffled" else state.island_aside)[:] += open_islands
    state.bonfire_size, state.bin_size = state.bonfire.sum(), state.bin.sum()


def cards_in_play(state: Any) -> np.ndarray:
    """How many copies of each kind are somewhere (I1)."""
    counts = state.bonfire + state.bin + state.food + state.aside + state.fight_specials
    counts = counts + state.pocket.sum(axis=0, dtype=np.int16)
    places = [*state.weapon.tolist(), *state.token_card.ravel().tolist()]
    for seat in range(len(state.mega)):
        places.extend(state.mega[seat][: state.mega_count[seat]].tolist())
    rows = [[int(state[name]) for name in REGISTERS], *state.saved[: state.depth].tolist()]
    places.extend(row[Register.CARD] for row in rows if Phase.names()[row[0]].startswith("TRICK"))
    for kind in places:
        if 0 <= kind < KINDS:
            counts[kind] += 1
    return counts
