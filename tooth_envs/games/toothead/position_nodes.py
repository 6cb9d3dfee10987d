"""Whether what is being played in a position, and all that it interrupts, can come to stand there by the rules.

A node is a row of registers (state.py, REGISTERS). What each register may hold follows from the node's phase, from
what lies below it, and, for a card's effect, from the card's program: which of its instructions play can be at, and
whether a roll has singled out a seat or left a value by then.

=============  ====================  ==========================================================================
phase          lies upon             registers, others being blank
=============  ====================  ==========================================================================
rounds, setup  nothing               EXCHANGE: count, cards thrown away. EATING_WINDOW: at, seats that are done
TRICK...       TURN                  card; actor, the active seat; target, second: seats. TRICK_WINDOW: at, seats
                                     that are done
EFFECT         by trigger: PLACES    card, a source; trigger; at, an instruction; count, how far it has come;
                                     actor; target and second: see ``_check_effect``
DICE_WINDOW    EFFECT that rolls     actor, that effect's; at, who is next; count, passes in a row
ATTACK         TURN, or an EFFECT    actor, the attacker
 ... CLEAN_UP  that forces it        PLACING: second, the lane that FLIP is about. FIGHT_WINDOW: at, count as in
                                     DICE_WINDOW. FIGHT_START, OUTCOME, AFTERMATH: at, steps that are done
=============  ====================  ==========================================================================

An effect interrupts another one only if it is an event that a trick has turned up, and no card that works in a fight or
in a window interrupts anything. So six nodes are the most there can be: a turn, a trick, its effect, an event, its
fight or dice, a card that is used there (``MOST_NODES``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tooth_envs.engine import loops
from tooth_envs.engine.state import RUNNING, record
from tooth_envs.games.toothead import state as s
from tooth_envs.games.toothead.cards import DOCK_0, ISLAND_0, LANES, SOURCES, TO_SELF, TO_TWO
from tooth_envs.games.toothead.fight import _AFTER_SOURCES, _START_SOURCES
from tooth_envs.games.toothead.vocabulary import (
    ATTACKED,
    BRANCH,
    CONTEST,
    DICE,
    DIEWIN,
    DISCARD_CHOICE,
    DUEL,
    EAT,
    EATWIN,
    FORCE_ATTACK,
    FUEL,
    FWIN,
    HIT,
    HIT_CARD,
    JUMP,
    LOSE,
    MEGA,
    MINI,
    PLAY,
    PLAY_ISLAND,
    ROLL,
    SAVE,
    SELF,
    SPECIAL,
    START,
    TAKE_BIN,
    TAKE_POCKET,
    TGT,
    TRIGGERS,
    TURN,
    TURN_START,
    WEAPON,
    WIN,
)

if TYPE_CHECKING:
    from tooth_envs.games.toothead.game import Toothead

Demand = Callable[[Any, str], None]

MOST_NODES = 6
"""Nodes of the deepest play there is: see the head of this page. ``DEPTH`` has room for one more."""
EVENT, PERMANENT, DOCK = "event", "permanent", "dock"
PLACES: dict[int, tuple[tuple[int, ...], tuple[int | str, ...]]] = {
    PLAY: ((s.Phase.TRICK_END, s.Phase.TURN, s.Phase.EFFECT), (MINI, EVENT)),
    TURN: ((s.Phase.TURN,), (SPECIAL,)),
    TURN_START: ((s.Phase.TURN,), (DOCK,)),
    ATTACKED: ((s.Phase.ATTACK,), (SPECIAL, WEAPON)),
    START: ((s.Phase.FIGHT_START,), (WEAPON, MEGA, PERMANENT)),
    HIT: ((s.Phase.PLACING,), (HIT_CARD,)),
    DICE: ((s.Phase.FIGHT_WINDOW,), (WEAPON, DOCK)),
    FWIN: ((s.Phase.FIGHT_WINDOW,), (SPECIAL,)),
    SAVE: ((s.Phase.OUTCOME,), (WEAPON,)),
    WIN: ((s.Phase.AFTERMATH,), (WEAPON, HIT_CARD, MEGA, DOCK)),
    LOSE: ((s.Phase.AFTERMATH,), (WEAPON, HIT_CARD, MEGA, DOCK)),
    DIEWIN: ((s.Phase.DICE_WINDOW,), (SPECIAL,)),
    EATWIN: ((s.Phase.EATING_WINDOW,), (SPECIAL,)),
    EAT: ((s.Phase.EATING,), (SPECIAL,)),
}
"""Triggers of effects: the nodes in which they happen, and the types of cards that have them."""
_OF_FIGHTERS = (START, HIT, DICE, SAVE, WIN, LOSE)
_COUNTING = {DISCARD_CHOICE: 2, TAKE_POCKET: 2, TAKE_BIN: 2, FUEL: 1}
"""Instructions that count up to a number of theirs: its place in the instruction."""
_ROLLS = (ROLL, CONTEST, DUEL)
_TRICKS = range(s.Phase.TRICK, s.Phase.TRICK_END + 1)


class Node(NamedTuple):
    """The registers of a node."""

    phase: int
    at: int
    actor: int
    target: int
    second: int
    card: int
    count: int  # type: ignore[assignment]  # the register; a tuple's own count is not used
    trigger: int


def nodes_of(state: Any) -> list[Node]:
    """All nodes of a state, innermost last."""
    rows = [state.saved[depth].tolist() for depth in range(state.depth)]
    rows.append([int(state[name]) for name in s.REGISTERS])
    return [Node(*row) for row in rows]


def flows(tables: Any, source: int, trigger: int) -> dict[int, set[tuple[bool, int]]]:
    """The instructions of a program that play can come to, the place behind the last included.

    Returns:
        By instruction, what can have happened before: whether a CONTEST has found a seat, and the last roll (0: none).
    """
    start, stop = int(tables.starts[source, trigger]), int(tables.stops[source, trigger])
    found: dict[int, set[tuple[bool, int]]] = {start: {(False, 0)}}
    for place in range(start, stop):
        opcode, after = int(tables.code[place, 0]), int(tables.code[place, 4])
        steps = {BRANCH: (place + 1, after), TAKE_BIN: (place + 1, after), JUMP: (after,)}.get(opcode, (place + 1,))
        for contest, roll in found.get(place, ()):
            come = (contest or opcode == CONTEST, opcode if opcode in _ROLLS else roll)
            for step in steps:
                found.setdefault(step, set()).add(come)
    return found


def check_nodes(demand: Demand, game: Toothead, state: Any, nodes: list[Node]) -> None:
    """Demand that nodes can stand upon each other, and hold what they can hold."""
    demand(len(nodes) <= MOST_NODES, f"interrupted: {len(nodes) - 1} nodes are given; {MOST_NODES - 1} at most")
    for depth, node in enumerate(nodes):
        name = f"node {s.Phase.names()[node.phase]}"
        below = nodes[depth - 1] if depth > 0 else None
        seats = max(node.actor, node.target, node.second if node.phase in _TRICKS else -1)
        demand(seats < game.num_players, f"{name}: there are {game.num_players} seats")
        if below is None:
            demand(node.phase < s.Phase.TRICK, f"{name}: interrupts something")
            _check_base(demand, game, state, node, name)
        elif node.phase in _TRICKS:
            _check_trick(demand, game, state, node, below, name)
        elif node.phase == s.Phase.EFFECT:
            _check_effect(demand, game, state, nodes[: depth + 1], name)
        elif node.phase == s.Phase.DICE_WINDOW:
            _check_dice_window(demand, game, node, below, name)
        else:
            demand(node.phase >= s.Phase.ATTACK, f"{name}: interrupts nothing")
            _check_fighting(demand, game, state, node, below, name)
    _check_choice(demand, game, state, nodes[-1])


def _blank(demand: Demand, node: Node, name: str, *used: str) -> None:
    """Demand that no register holds anything, but for those that a node uses."""
    for register, value in zip(s.REGISTERS[1:], node[1:], strict=True):
        empty = 0 if register in ("at", "count", "trigger") else -1
        demand(register in used or value == empty, f"{name}: {register} means nothing there; give {empty}")


def _check_base(demand: Demand, game: Toothead, state: Any, node: Node, name: str) -> None:
    used: dict[int, str] = {s.Phase.EXCHANGE: "count", s.Phase.EATING_WINDOW: "at"}
    _blank(demand, node, name, *([used[node.phase]] if node.phase in used else []))
    demand(0 <= node.at <= game.num_players and node.count >= 0, f"{name}: at or count is out of range")
    if node.phase in (s.Phase.TURN, s.Phase.EXCHANGE):
        demand(state.active >= 0 or state.over, "active: is needed in a turn")
    if node.phase in (s.Phase.EATING_WINDOW, s.Phase.EATING, s.Phase.ROUND_END):
        demand(state.turn_phase == s.TurnPhase.EATING and state.active < 0, "turn_phase: EATING is needed there")
    if node.phase == s.Phase.EXCHANGE:
        demand(state.turn_phase == s.TurnPhase.DIGESTION, "turn_phase: the exchange is for DIGESTION (R16)")


def _check_trick(demand: Demand, game: Toothead, state: Any, node: Node, below: Node, name: str) -> None:
    tables = record(game.tables)
    demand(below.phase == s.Phase.TURN, f"{name}: a trick is played in a turn (R36)")
    demand(0 <= node.card < tables.kinds and tables.category[node.card] in (MINI, MEGA), f"{name}: card is no trick")
    demand(node.actor == state.active, f"{name}: actor is the active seat (R36)")
    _blank(
        demand, node, name, "actor", "target", "second", "card", *(["at"] if node.phase == s.Phase.TRICK_WINDOW else [])
    )
    demand(0 <= node.at < game.num_players and node.target >= -1 <= node.second, f"{name}: a register is out of range")
    two = tables.aims_at[node.card] == TO_TWO
    if node.phase == s.Phase.TRICK:
        demand(tables.aims_at[node.card] != TO_SELF, f"{name}: this trick chooses no target")
        demand(node.target < 0 or two, f"{name}: the target is still to be chosen; give -1")
        demand(node.second < 0, f"{name}: second is still to be chosen; give -1")
    else:
        demand(node.target >= 0, f"{name}: the target has been chosen")
        demand((node.second >= 0) == two, f"{name}: second is for two targets")
    if node.phase == s.Phase.TRICK_END:
        demand(tables.category[node.card] == MINI, f"{name}: a mini-trick works first")
    else:
        demand(state.alive[node.actor], f"{name}: its player lives")
        demand(node.target < 0 or state.alive[node.target], f"{name}: its target lives (J11)")
        demand(node.second < 0 or state.alive[node.second], f"{name}: its second target lives (J11)")


def _type_of(game: Toothead, card: int) -> int | str:
    """A card's type as ``PLACES`` knows it."""
    if card >= DOCK_0:
        return DOCK
    return game.cards.islands[card - ISLAND_0].type if card >= ISLAND_0 else int(record(game.tables).category[card])


def _check_effect(demand: Demand, game: Toothead, state: Any, nodes: list[Node], name: str) -> None:
    """An effect: ``nodes`` is the stack up to it."""
    tables = record(game.tables)
    node, below = nodes[-1], nodes[-2]
    trigger = node.trigger
    demand(0 <= node.card < SOURCES and node.actor >= 0, f"{name}: card and actor are needed")
    demand(trigger in PLACES, f"{name}: {TRIGGERS[trigger]} is no effect")
    phases, types = PLACES[trigger]
    demand(below.phase in phases, f"{name}: {TRIGGERS[trigger]} does not happen there")
    ways = flows(tables, node.card, trigger)
    demand(len(ways) > 1 and node.at in ways, f"{name}: at is no instruction of {TRIGGERS[trigger]}")
    kind = _type_of(game, node.card)
    demand(kind in types, f"{name}: {TRIGGERS[trigger]} is not for this card")
    if trigger != PLAY:
        demand(state.alive[node.actor], f"{name}: the actor lives")
    if trigger in (PLAY, TURN, TURN_START):
        demand(node.actor == state.active, f"{name}: actor is the active seat")
    target, seconds = -1, range(-1, 0)
    if trigger == PLAY:
        target, seconds = _check_played(demand, tables, node, below, kind, name)
    elif trigger in _OF_FIGHTERS:
        demand(node.actor in (state.attacker, state.defender), f"{name}: concerns the fighters")
        other = int(state.defender if node.actor == state.attacker else state.attacker)
        target = -1 if trigger == DICE else other
        seconds = range(LANES) if trigger == HIT else seconds
    elif trigger == ATTACKED and kind == WEAPON:
        demand(node.actor == state.defender, f"{name}: concerns the fighters")
        target = int(state.attacker)
    fits = any(_fits(game, node, target, seconds, contest, roll) for contest, roll in ways[node.at])
    demand(fits, f"{name}: target or second is not what it is there")
    _check_count(demand, tables, state, node, name)


def _check_played(
    demand: Demand, tables: Any, node: Node, below: Node, kind: int | str, name: str
) -> tuple[int, range]:
    """What is played: a trick's effect, or an event; its first target, and the values of its second."""
    if below.phase == s.Phase.TRICK_END:
        demand(node.card == below.card, f"{name}: is another card's effect")
        return below.target, range(below.second, below.second + 1)
    demand(kind == EVENT, f"{name}: a trick is announced first")
    if below.phase == s.Phase.EFFECT:
        demand(_comes_from(tables, below, PLAY_ISLAND), f"{name}: no event is turned up there")
    return -1, range(-1, 0)


def _comes_from(tables: Any, node: Node, opcode: int) -> bool:
    """Whether the instruction that an effect has just carried out is of a kind that interrupts."""
    return bool(
        node.trigger == PLAY
        and node.at > tables.starts[node.card, node.trigger]
        and tables.code[node.at - 1, 0] == opcode
    )


def _fits(game: Toothead, node: Node, target: int, seconds: range, contest: bool, roll: int) -> bool:
    """Whether target and second are what they are after a contest or not, and after a roll or none."""
    values = {ROLL: range(s.MOST_CHANGE + s.LARGEST_DIE + 1), CONTEST: range(1, 2), DUEL: range(2)}.get(roll, seconds)
    right = 0 <= node.target < game.num_players if contest else node.target == target
    return right and node.second in values


def _check_count(demand: Demand, tables: Any, state: Any, node: Node, name: str) -> None:
    """How far an instruction has come."""
    opcode, most = -1, 0
    if node.at < tables.stops[node.card, node.trigger]:
        code = tables.code[node.at]
        opcode = int(code[0])
        most = int(code[_COUNTING[opcode]]) if opcode in _COUNTING else int(opcode in _ROLLS)
    demand(0 <= node.count <= most, f"{name}: count is out of range")
    if opcode == FUEL and node.count > 0:
        demand(state.pocket_size[node.actor] >= most - node.count, f"{name}: no card is left to fuel with")
    if opcode == DUEL and node.count > 0:
        demand(node.target >= 0 and node.actor != node.target, f"{name}: a duel is between two")
        demand(state.alive[node.actor] and state.alive[node.target], f"{name}: a duel is between the living")
    if opcode == ROLL and node.count > 0:
        demand(state.alive[node.actor], f"{name}: the dead roll no dice (J58)")


def _check_dice_window(demand: Demand, game: Toothead, node: Node, below: Node, name: str) -> None:
    tables = record(game.tables)
    demand(below.phase == s.Phase.EFFECT, f"{name}: belongs to an effect")
    inside = below.at < tables.stops[below.card, below.trigger]
    rolls = inside and tables.code[below.at, 0] in _ROLLS and below.count == 1
    demand(rolls and node.actor == below.actor, f"{name}: no card dice are rolled there")
    _blank(demand, node, name, "at", "actor", "count")
    players = game.num_players
    demand(0 <= node.at < players and 0 <= node.count <= players, f"{name}: at or count is out of range")


def _check_fighting(demand: Demand, game: Toothead, state: Any, node: Node, below: Node, name: str) -> None:
    tables = record(game.tables)
    demand(below.phase in (s.Phase.TURN, s.Phase.EFFECT), f"{name}: a fight belongs to a turn or a card")
    demand(node.actor in (-1, state.attacker), f"{name}: actor is the attacker")
    if below.phase == s.Phase.EFFECT:
        demand(_comes_from(tables, below, FORCE_ATTACK), f"{name}: no such card provokes fights")
        who = int(tables.code[below.at - 1, 1])
        forced = below.actor if who == SELF else below.target if who == TGT else below.second
        demand(state.attacker == forced, "fight.attacker: is not the seat that must attack")
    counting = (s.Phase.FIGHT_WINDOW, s.Phase.OUTCOME, s.Phase.AFTERMATH, s.Phase.CLEAN_UP)
    used: dict[int, list[str]] = {
        s.Phase.PLACING: ["second"],
        s.Phase.FIGHT_START: ["at"],
        **{phase: ["at", "count"] for phase in counting},
    }
    _blank(demand, node, name, "actor", *used.get(node.phase, []))
    places: dict[int, int] = {
        s.Phase.FIGHT_START: 2 + 2 * _START_SOURCES,
        s.Phase.FIGHT_WINDOW: game.num_players - 1,
        s.Phase.OUTCOME: 1,
        s.Phase.AFTERMATH: 2 * _AFTER_SOURCES,
    }
    demand(0 <= node.at <= places.get(node.phase, 0), f"{name}: at is out of range")
    demand(0 <= node.count <= game.num_players, f"{name}: count is out of range")
    flipping = node.phase == s.Phase.PLACING and (state.decision == s.Decision.FLIP or state.over != RUNNING)
    lanes = range(-1, LANES) if flipping else range(-1, 0)
    demand(node.second in lanes, f"{name}: second is the lane that FLIP is about")


def _check_choice(demand: Demand, game: Toothead, state: Any, node: Node) -> None:
    """Decisions that are always asked have something to choose from."""
    if state.over != RUNNING or node.phase not in (s.Phase.TRICK, s.Phase.EXCHANGE):
        return
    asked = (
        s.Decision.EXCH
        if node.phase == s.Phase.EXCHANGE
        else s.Decision.TARGET
        if node.target < 0
        else s.Decision.TARGET2
    )
    seat = int(state.active)
    there = game.new_states()
    there[0] = state
    record(there).seat, record(there).decision = seat, asked
    mask = game.new_mask()
    loops.legal_one(game.tables, there, mask)
    demand(
        mask.any(),
        f"node {s.Phase.names()[node.phase]}: seat {seat} has nothing to choose from for {s.Decision.names()[asked]}",
    )
