"""What a seat may know (section 6 of the specification): the layout of a view, and writing it."""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import Numbers
from tooth_envs.engine.seats import clockwise, relative
from tooth_envs.games.toothead.cards import (
    DOCK_0,
    DOCKS,
    FOOD_KINDS,
    HIT_KINDS,
    ISLAND_0,
    ISLANDS,
    KINDS,
    LANES,
    MAX_SEATS,
    MEGA_KINDS,
    SLICES,
    TOOTHEAD_SIDES,
    WEAPON_KINDS,
    Setup,
)
from tooth_envs.games.toothead.effects import meant
from tooth_envs.games.toothead.pool import fighter, pool_of, toothead_die, weapon_of
from tooth_envs.games.toothead.state import (
    BITS,
    FIGHT_DICE_COUNT,
    PER_WORD,
    TOKENS,
    Decision,
    Options,
    Phase,
    Register,
    State,
    Tables,
    Token,
    TurnPhase,
    padded,
)
from tooth_envs.games.toothead.table import attackable, knack_of
from tooth_envs.games.toothead.vocabulary import TAKE_POCKET
from tooth_envs.spec.layout import ViewField, ViewRecord, category, shown

SEATS = ("OWN", *(f"LEFT_{place}" for place in range(1, MAX_SEATS)))
"""Names of seats as the observer counts them: itself, then clockwise."""

# Largest values shown; anything beyond looks like them.
MOST_MEAT = 40
FEW_MEAT = 5
MOST_VALUE = 24
MOST_CHANGE = 30
MOST_BONUS = 60
MOST_POOL = 100
MOST_CHOSEN = 20
MOST_FREE = 10
LARGEST_DIE = 12

_COUNT_MASK = (1 << BITS) - 1


SLICE_NAMES = tuple(f"SLICES_{n}" for n in range(SLICES + 1))
MEAT_NAMES = tuple(f"MEAT_{n}" for n in range(FEW_MEAT + 1))


class View(ViewRecord):
    """The layout of a view. A first axis of MAX_SEATS is relative seats, one of 2 is attacker and defender."""

    # Numbers of cards, all on one scale.
    pocket: Numbers = shown("own pocket", 0, "copies", (KINDS,))
    bin: Numbers = shown("the bin", 0, "copies", (KINDS,))
    unseen: Numbers = shown("bonfire cards that may be anywhere the observer cannot see", 0, "copies", (KINDS,))
    review: Numbers = shown("the pocket or bin that the observer takes a card from now", 0, "copies", (KINDS,))
    known: Numbers = shown("cards that the observer can prove to be in each pocket", 0, "copies", (MAX_SEATS, KINDS))
    megas: Numbers = shown("mega-tricks on each dock, by kind", 0, "copies", (MAX_SEATS, MEGA_KINDS))
    food: Numbers = shown("cards in the food pile, by kind of food", 0, "copies", (FOOD_KINDS,))
    green: Numbers = shown("island cards on the green space", 0, "island copies", (ISLANDS,))
    islands_left: Numbers = shown("island cards in the island deck", 0, "island copies", (ISLANDS,))
    island_size: int = shown("cards in the island deck", 0, "island cards")
    pocket_size: Numbers = shown("cards in each pocket", 0, "cards", (MAX_SEATS,))
    bonfire_size: int = shown("cards in the bonfire", 0, "cards")
    # The round.
    decision: int = category("what the observer is asked", Decision.names())
    turn_phase: int = category("phase of the round", TurnPhase.names(), 0)
    round_number: int = shown("number of the round, from 1", 0, "rounds")
    active: int = category("whose turn it is", SEATS)
    living: int = shown("living seats", 0, MAX_SEATS)
    actions: int = shown("actions left in this turn", 0, "moves")
    attacks: int = shown("attacks left in this turn", 0, "moves")
    islands: int = shown("island cards that may still be played in this turn", 0, "moves")
    extra: Numbers = shown("extra actions, attacks and islands gained in this turn", 0, "moves", (3,))
    can_exchange: int = shown("1: the exchange is still to come")
    can_roll: int = shown("1: the island die may still be rolled")
    free_plays: int = shown("pocket cards that the knack of the active seat still plays for nothing", 0, MOST_FREE)
    permanent: int = category("the island card that works", "islands")
    # What is being played.
    event: int = category("the event being carried out", "islands")
    trick: int = category("the trick being played", "kinds")
    trick_player: int = category("who plays it", SEATS)
    trick_target: int = category("its target", SEATS)
    trick_second: int = category("its second target", SEATS)
    context: int = category("the card that the observer's decision is about", "kinds")
    chosen: int = shown("cards the observer has chosen so far for what it is asked now", 0, MOST_CHOSEN)
    # Seats.
    present: Numbers = shown("seats that play", shape=(MAX_SEATS,))
    alive: Numbers = shown("living seats", shape=(MAX_SEATS,))
    partner: Numbers = shown("seats of the observer's team, itself included", shape=(MAX_SEATS,))
    holder: Numbers = shown("who holds the initiative token", shape=(MAX_SEATS,))
    moved: Numbers = shown("seats that have begun their turn of this phase, or have eaten", shape=(MAX_SEATS,))
    attackable: Numbers = shown("seats that the observer could attack, if it had an attack left", shape=(MAX_SEATS,))
    slices: Numbers = category("slices", SLICE_NAMES, -1, (MAX_SEATS,))
    meat: Numbers = shown("meat", 0, MOST_MEAT, (MAX_SEATS,))
    few_meat: Numbers = category("meat, up to 5", MEAT_NAMES, -1, (MAX_SEATS,))
    sides: Numbers = shown("sides of the Toothead die", 0, LARGEST_DIE, (MAX_SEATS,))
    weapon: Numbers = category("weapon", "weapons", -1, (MAX_SEATS,))
    dock: Numbers = category("dock", "docks", -1, (MAX_SEATS,))
    # The fight.
    attacker: int = category("who attacks", SEATS)
    defender: int = category("who is attacked", SEATS)
    fighting: int = shown("1: the attack has become a fight")
    token: Numbers = category("fight tokens; none without a fight", TOKENS, -1, (2, LANES))
    face_up: Numbers = category("hits that lie face up", "hits", -1, (2, LANES))
    own_down: Numbers = category("the observer's own face-down cards", "kinds", -1, (LANES,))
    fight_sides: Numbers = shown("sides of the fight dice (0: not rolled)", 0, LARGEST_DIE, (FIGHT_DICE_COUNT,))
    fight_face: Numbers = shown("faces of the fight dice", 0, LARGEST_DIE, (FIGHT_DICE_COUNT,))
    fight_value: Numbers = shown("what the fight dice count, weapon bonus included", 0, MOST_VALUE, (FIGHT_DICE_COUNT,))
    bonus_dice: Numbers = shown("sum of extra dice", 0, MOST_BONUS, (2,))
    side_change: Numbers = shown("sum of specials", -MOST_CHANGE, MOST_CHANGE, (2,))
    pool: Numbers = shown("pools, once the dice are rolled", 0, MOST_POOL, (2,))
    stood: Numbers = shown("sides that place no more cards", shape=(2,))
    knack_used: Numbers = shown("sides that have used their knack", shape=(2,))
    weapon_used: Numbers = shown("sides that have used their weapon's specialty", shape=(2,))
    unfuelled: Numbers = shown("sides whose weapon die is not rolled for want of fuel", shape=(2,))
    # Card dice.
    die_sides: Numbers = shown("sides of card dice (0: none)", 0, LARGEST_DIE, (MAX_SEATS,))
    die_face: Numbers = shown("their faces", 0, LARGEST_DIE, (MAX_SEATS,))
    die_change: Numbers = shown("their changes by specials", -MOST_CHANGE, MOST_CHANGE, (MAX_SEATS,))
    die_value: Numbers = shown("their values", 0, MOST_VALUE, (MAX_SEATS,))


def view_fields(options: Options, cards: Setup) -> list[ViewField]:
    """The layout with the deck's names and bounds."""
    ids = [card.id for card in cards.bonfire]
    names = {
        "kinds": padded(ids, KINDS, "kind_"),
        "weapons": padded([ids[kind] for kind in cards.weapons], WEAPON_KINDS, "weapon_"),
        "hits": padded([ids[kind] for kind in cards.hits], HIT_KINDS, "hit_"),
        "islands": padded([card.id for card in cards.islands], ISLANDS, "island_"),
        "docks": padded([card.id for card in cards.docks], DOCKS, "dock_"),
    }
    numbers = {
        "cards": sum(card.count for card in cards.bonfire),
        "island cards": sum(card.count for card in cards.islands),
        "copies": max(card.count for card in cards.bonfire),
        "island copies": max(card.count for card in cards.islands),
        "moves": options.extra_cap + 2,
        "rounds": options.max_rounds,
    }
    return View.fields(numbers, names)


@compiled
def within(value: int, low: int, high: int) -> int:
    """A value, or the bound it is beyond."""
    return min(max(int(value), low), high)


@compiled
def view(tables: Tables, state: State, seat: int, out: View) -> None:
    """Write what ``seat`` may know into a zeroed record. Who is asked is shown to that seat alone (J14)."""
    view_piles(state, seat, out)
    view_round(tables, state, seat, out)
    view_seats(tables, state, seat, out)
    view_fight(tables, state, seat, out)
    view_dice(state, seat, out)


@compiled
def view_piles(state: State, seat: int, out: View) -> None:
    """Own cards, open piles, and what is left of the deck."""
    out.pocket[:] = state.pocket[seat]
    out.bin[:] = state.bin
    # What is not seen: the bonfire, cards in pockets that cannot be proved to be there, others' face-down cards.
    out.unseen[:] = state.bonfire
    for place in range(1, state.players):
        other = clockwise(state, seat, place)
        if state.pocket_size[other] > 0:
            pocket = state.pocket[other]
            unseen = out.unseen
            for kind in range(KINDS):
                unseen[kind] += pocket[kind]
            for word in range(state.known.shape[2]):
                packed = int(state.known[seat, other, word])
                kind = word * PER_WORD
                while packed > 0:
                    number = packed & _COUNT_MASK
                    out.known[place, kind] = number
                    out.unseen[kind] -= number
                    packed >>= BITS
                    kind += 1
    out.green[:] = state.green
    out.islands_left[:] = state.island_deck
    size = 0
    for island in range(ISLANDS):
        size += int(state.island_deck[island])
    out.island_size = size
    out.bonfire_size = state.bonfire_size


@compiled
def view_round(tables: Tables, state: State, seat: int, out: View) -> None:
    """Round, turn, and the trick being played."""
    out.decision = state.decision if state.seat == seat else -1
    out.turn_phase = state.turn_phase
    out.round_number = state.round_number
    out.active = relative(state, seat, state.active)
    out.actions = state.actions
    out.attacks = state.attacks
    out.islands = state.islands
    out.extra[:] = state.extra
    out.can_exchange = state.can_exchange
    out.can_roll = state.can_roll
    out.free_plays = free_plays(tables, state)
    out.permanent = state.permanent
    for kind in range(tables.kinds):
        if tables.food_rank[kind] >= 0:
            out.food[tables.food_rank[kind]] = state.food[kind]
    out.trick = -1
    out.trick_player = -1
    out.trick_target = -1
    out.trick_second = -1
    out.event = -1
    view_event(out, state.phase, state.card)
    if state.phase >= Phase.TRICK and state.phase <= Phase.TRICK_END:
        view_trick(state, seat, out, state.card, state.actor, state.target, state.second)
    for depth in range(state.depth):
        row = state.saved[depth]
        view_event(out, row[Register.PHASE], row[Register.CARD])
        if Phase.TRICK <= row[Register.PHASE] <= Phase.TRICK_END:
            view_trick(
                state, seat, out, row[Register.CARD], row[Register.ACTOR], row[Register.TARGET], row[Register.SECOND]
            )
    out.context = -1
    if state.seat == seat:
        view_decision(tables, state, out)


@compiled
def view_trick(state: State, seat: int, out: View, kind: int, player: int, target: int, second: int) -> None:
    """The trick being played, its player and its targets."""
    out.trick = kind
    out.trick_player = relative(state, seat, player)
    out.trick_target = relative(state, seat, target)
    out.trick_second = relative(state, seat, second)


@compiled
def view_event(out: View, phase: int, source: int) -> None:
    """The event being carried out: what the card dice on the table are about, or the gifts."""
    if phase == Phase.EFFECT and ISLAND_0 <= source < DOCK_0 and out.permanent != source - ISLAND_0:
        out.event = source - ISLAND_0


@compiled
def free_plays(tables: Tables, state: State) -> int:
    """J47: what is left of the free plays of the active seat."""
    if state.active < 0:
        return 0
    knack = knack_of(tables, state, state.active)
    return within(tables.free_plays[knack] - state.pocket_plays, 0, MOST_FREE) if knack >= 0 else 0


@compiled
def view_decision(tables: Tables, state: State, out: View) -> None:
    """What only the seat to act sees: the card it decides about, and the cards it may take one of."""
    asked = state.decision
    if asked in (Decision.EXCH, Decision.DISCARD, Decision.PICK, Decision.FUEL):
        out.chosen = within(state.count, 0, MOST_CHOSEN)
    if asked in (Decision.DRAWN, Decision.LANE):
        out.context = state.held
    elif asked == Decision.FLIP:
        out.context = state.token_card[state.to_place, state.second]
    elif asked in (Decision.DIESEAT, Decision.FSIDE, Decision.DIE, Decision.TARGET):
        if state.card < KINDS:
            out.context = state.card
    elif asked == Decision.PICK:
        code = tables.code[state.at]
        if code[0] == TAKE_POCKET:
            out.review[:] = state.pocket[meant(state, code[1])]
        else:
            for kind in range(KINDS):
                if code[1] < 0 or tables.category[kind] == code[1]:
                    out.review[kind] = state.bin[kind]


@compiled
def view_seats(tables: Tables, state: State, seat: int, out: View) -> None:
    """Docks and what belongs to them."""
    living = 0
    for place in range(len(out.present)):
        if place >= state.players:
            out.slices[place] = -1
            out.few_meat[place] = -1
            out.weapon[place] = -1
            out.dock[place] = -1
            continue
        other = clockwise(state, seat, place)
        out.present[place] = 1
        out.alive[place] = state.alive[other]
        living += int(state.alive[other])
        out.partner[place] = int(tables.team[other] == tables.team[seat])
        out.holder[place] = int(state.initiative == other)
        out.attackable[place] = int(attackable(tables, state, seat, other))
        out.slices[place] = state.slices[other]
        out.meat[place] = within(state.meat[other], 0, MOST_MEAT)
        out.few_meat[place] = within(state.meat[other], 0, FEW_MEAT)
        out.sides[place] = TOOTHEAD_SIDES[state.slices[other]]
        out.weapon[place] = tables.rank_in_type[state.weapon[other]] if state.weapon[other] >= 0 else -1
        out.dock[place] = state.dock[other]
        out.pocket_size[place] = state.pocket_size[other]
        for number in range(state.mega_count[other]):
            out.megas[place, tables.rank_in_type[state.mega[other, number]]] += 1
    out.living = living
    for done in range(state.place):
        # In a phase with turns the first seat begins; in the Eating Phase it eats last.
        turn = done + 1 if state.turn_phase == TurnPhase.EATING else done
        out.moved[relative(state, seat, clockwise(state, state.first, turn))] = 1


@compiled
def view_fight(tables: Tables, state: State, seat: int, out: View) -> None:
    """The attack or fight that is going on."""
    out.attacker = relative(state, seat, state.attacker)
    out.defender = relative(state, seat, state.defender)
    out.fighting = state.fighting
    out.token[:, :] = -1
    out.face_up[:, :] = -1
    out.own_down[:] = -1
    if state.fighting == 0:
        return
    rolled = state.fight_face[1] > 0
    for side in range(2):
        for lane in range(LANES):
            out.token[side, lane] = state.token[side, lane]
            if state.token[side, lane] == Token.FACE_UP:
                out.face_up[side, lane] = tables.rank_in_type[state.token_card[side, lane]]
            elif state.token[side, lane] == Token.FACE_DOWN and fighter(state, side) == seat:
                out.own_down[lane] = state.token_card[side, lane]
            elif state.token[side, lane] == Token.FACE_DOWN:
                out.unseen[state.token_card[side, lane]] += 1
        out.bonus_dice[side] = within(state.bonus_dice[side], 0, MOST_BONUS)
        out.side_change[side] = within(state.side_change[side], -MOST_CHANGE, MOST_CHANGE)
        out.stood[side] = state.stood[side]
        out.knack_used[side] = state.knack_used[side]
        out.weapon_used[side] = state.weapon_used[side]
        out.unfuelled[side] = state.unfuelled[side]
        if rolled:
            out.fight_value[2 * side] = within(weapon_of(tables, state, side), 0, MOST_VALUE)
            out.fight_value[2 * side + 1] = within(toothead_die(tables, state, side), 0, MOST_VALUE)
            out.pool[side] = within(pool_of(tables, state, side), 0, MOST_POOL)
    out.fight_sides[:] = state.fight_sides
    out.fight_face[:] = state.fight_face


@compiled
def view_dice(state: State, seat: int, out: View) -> None:
    """Card dice on the table."""
    for other in range(state.players):
        if state.die_sides[other] > 0:
            place = relative(state, seat, other)
            out.die_sides[place] = state.die_sides[other]
            out.die_face[place] = state.die_face[other]
            out.die_change[place] = within(state.die_change[other], -MOST_CHANGE, MOST_CHANGE)
            out.die_value[place] = within(int(state.die_face[other]) + int(state.die_change[other]), 0, MOST_VALUE)
