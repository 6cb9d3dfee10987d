"""What a seat may know (section 6 of the specification): the layout of a view, and writing it."""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
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
    ASK_DIE,
    ASK_DIESEAT,
    ASK_DISCARD,
    ASK_DRAWN,
    ASK_EXCH,
    ASK_FLIP,
    ASK_FSIDE,
    ASK_FUEL,
    ASK_LANE,
    ASK_PICK,
    ASK_TARGET,
    BITS,
    DECISIONS,
    EATING_PHASE,
    EFFECT,
    FACE_DOWN,
    FACE_UP,
    FIGHT_DICE_COUNT,
    PER_WORD,
    REG_ACTOR,
    REG_CARD,
    REG_PHASE,
    REG_SECOND,
    REG_TARGET,
    TOKENS,
    TRICK,
    TRICK_END,
    TURN_PHASES,
    Options,
)
from tooth_envs.games.toothead.table import attackable, clockwise, knack_of
from tooth_envs.games.toothead.vocabulary import TAKE_POCKET
from tooth_envs.spec.layout import ViewField

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


def padded(words: list[str], size: int, name: str) -> tuple[str, ...]:
    """A name for every value that the data can have."""
    return (*words, *(f"{name}_{number}" for number in range(len(words), size)))


def view_fields(options: Options, cards: Setup) -> list[ViewField]:
    """The layout of a view. A first axis of MAX_SEATS is relative seats, one of 2 is attacker and defender."""
    ids = [card.id for card in cards.bonfire]
    kinds = padded(ids, KINDS, "kind")
    weapons = padded([ids[kind] for kind in cards.weapons], WEAPON_KINDS, "weapon")
    hits = padded([ids[kind] for kind in cards.hits], HIT_KINDS, "hit")
    islands = padded([card.id for card in cards.islands], ISLANDS, "island")
    docks = padded([card.id for card in cards.docks], DOCKS, "dock")
    total = sum(card.count for card in cards.bonfire)
    isles = sum(card.count for card in cards.islands)
    copies = max(card.count for card in cards.bonfire)
    island_copies = max(card.count for card in cards.islands)
    moves = options.extra_cap + 2
    seats, sides = (MAX_SEATS,), (2,)
    last = MAX_SEATS - 1

    def seat(name: str, meaning: str) -> ViewField:
        return ViewField(name, meaning, -1, last, names=SEATS)

    def cards_of(name: str, meaning: str, *axes: int) -> ViewField:
        return ViewField(name, meaning, 0, copies, (*axes, KINDS))

    return [
        # Numbers of cards, all on one scale.
        cards_of("pocket", "own pocket"),
        cards_of("bin", "the bin"),
        cards_of("unseen", "bonfire cards that may be anywhere the observer cannot see"),
        cards_of("review", "the pocket or bin that the observer takes a card from now"),
        cards_of("known", "cards that the observer can prove to be in each pocket", MAX_SEATS),
        ViewField("megas", "mega-tricks on each dock, by kind", 0, copies, (MAX_SEATS, MEGA_KINDS)),
        ViewField("food", "cards in the food pile, by kind of food", 0, copies, (FOOD_KINDS,)),
        ViewField("green", "island cards on the green space", 0, island_copies, (ISLANDS,)),
        ViewField("islands_left", "island cards in the island deck", 0, island_copies, (ISLANDS,)),
        ViewField("island_size", "cards in the island deck", 0, isles),
        ViewField("pocket_size", "cards in each pocket", 0, total, seats),
        ViewField("bonfire_size", "cards in the bonfire", 0, total),
        # The round.
        ViewField("decision", "what the observer is asked", -1, len(DECISIONS) - 1, names=DECISIONS),
        ViewField("turn_phase", "phase of the round", 0, len(TURN_PHASES) - 1, names=TURN_PHASES),
        ViewField("round_number", "number of the round, from 1", 0, options.max_rounds),
        seat("active", "whose turn it is"),
        ViewField("living", "living seats", 0, MAX_SEATS),
        ViewField("actions", "actions left in this turn", 0, moves),
        ViewField("attacks", "attacks left in this turn", 0, moves),
        ViewField("islands", "island cards that may still be played in this turn", 0, moves),
        ViewField("extra", "extra actions, attacks and islands gained in this turn", 0, moves, (3,)),
        ViewField("can_exchange", "1: the exchange is still to come"),
        ViewField("can_roll", "1: the island die may still be rolled"),
        ViewField("free_plays", "pocket cards that the knack of the active seat still plays for nothing", 0, MOST_FREE),
        ViewField("permanent", "the island card that works", -1, ISLANDS - 1, names=islands),
        # What is being played.
        ViewField("event", "the event being carried out", -1, ISLANDS - 1, names=islands),
        ViewField("trick", "the trick being played", -1, KINDS - 1, names=kinds),
        seat("trick_player", "who plays it"),
        seat("trick_target", "its target"),
        seat("trick_second", "its second target"),
        ViewField("context", "the card that the observer's decision is about", -1, KINDS - 1, names=kinds),
        ViewField("chosen", "cards the observer has chosen so far for what it is asked now", 0, MOST_CHOSEN),
        # Seats.
        ViewField("present", "seats that play", shape=seats),
        ViewField("alive", "living seats", shape=seats),
        ViewField("partner", "seats of the observer's team, itself included", shape=seats),
        ViewField("holder", "who holds the initiative token", shape=seats),
        ViewField("moved", "seats that have begun their turn of this phase, or have eaten", shape=seats),
        ViewField("attackable", "seats that the observer could attack, if it had an attack left", shape=seats),
        ViewField("slices", "slices", -1, SLICES, seats, tuple(f"SLICES_{n}" for n in range(SLICES + 1))),
        ViewField("meat", "meat", 0, MOST_MEAT, seats),
        ViewField("few_meat", "meat, up to 5", -1, FEW_MEAT, seats, tuple(f"MEAT_{n}" for n in range(FEW_MEAT + 1))),
        ViewField("sides", "sides of the Toothead die", 0, LARGEST_DIE, seats),
        ViewField("weapon", "weapon", -1, WEAPON_KINDS - 1, seats, weapons),
        ViewField("dock", "dock", -1, DOCKS - 1, seats, docks),
        # The fight.
        seat("attacker", "who attacks"),
        seat("defender", "who is attacked"),
        ViewField("fighting", "1: the attack has become a fight"),
        ViewField("token", "fight tokens; none without a fight", -1, len(TOKENS) - 1, (2, LANES), TOKENS),
        ViewField("face_up", "hits that lie face up", -1, HIT_KINDS - 1, (2, LANES), hits),
        ViewField("own_down", "the observer's own face-down cards", -1, KINDS - 1, (LANES,), kinds),
        ViewField("fight_sides", "sides of the fight dice (0: not rolled)", 0, LARGEST_DIE, (FIGHT_DICE_COUNT,)),
        ViewField("fight_face", "faces of the fight dice", 0, LARGEST_DIE, (FIGHT_DICE_COUNT,)),
        ViewField(
            "fight_value", "what the fight dice count, weapon bonus included", 0, MOST_VALUE, (FIGHT_DICE_COUNT,)
        ),
        ViewField("bonus_dice", "sum of extra dice", 0, MOST_BONUS, sides),
        ViewField("side_change", "sum of specials", -MOST_CHANGE, MOST_CHANGE, sides),
        ViewField("pool", "pools, once the dice are rolled", 0, MOST_POOL, sides),
        ViewField("stood", "sides that place no more cards", shape=sides),
        ViewField("knack_used", "sides that have used their knack", shape=sides),
        ViewField("weapon_used", "sides that have used their weapon's specialty", shape=sides),
        ViewField("unfuelled", "sides whose weapon die is not rolled for want of fuel", shape=sides),
        # Card dice.
        ViewField("die_sides", "sides of card dice (0: none)", 0, LARGEST_DIE, seats),
        ViewField("die_face", "their faces", 0, LARGEST_DIE, seats),
        ViewField("die_change", "their changes by specials", -MOST_CHANGE, MOST_CHANGE, seats),
        ViewField("die_value", "their values", 0, MOST_VALUE, seats),
    ]


@compiled
def within(value, low, high):  # type: ignore[no-untyped-def]
    """A value, or the bound it is beyond."""
    return min(max(int(value), low), high)


@compiled
def relative(state, seat, other):  # type: ignore[no-untyped-def]
    """A seat as another one counts it; -1 stays."""
    return (int(other) - int(seat)) % int(state.players) if other >= 0 else -1


@compiled
def view(tables, state, seat, out):  # type: ignore[no-untyped-def]
    """Write what ``seat`` may know into a zeroed record. Who is asked is shown to that seat alone (J14)."""
    view_piles(state, seat, out)
    view_round(tables, state, seat, out)
    view_seats(tables, state, seat, out)
    view_fight(tables, state, seat, out)
    view_dice(state, seat, out)


@compiled
def view_piles(state, seat, out):  # type: ignore[no-untyped-def]
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
def view_round(tables, state, seat, out):  # type: ignore[no-untyped-def]
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
    if state.phase >= TRICK and state.phase <= TRICK_END:
        view_trick(state, seat, out, state.card, state.actor, state.target, state.second)
    for depth in range(state.depth):
        row = state.saved[depth]
        view_event(out, row[REG_PHASE], row[REG_CARD])
        if TRICK <= row[REG_PHASE] <= TRICK_END:
            view_trick(state, seat, out, row[REG_CARD], row[REG_ACTOR], row[REG_TARGET], row[REG_SECOND])
    out.context = -1
    if state.seat == seat:
        view_decision(tables, state, out)


@compiled
def view_trick(state, seat, out, kind, player, target, second):  # type: ignore[no-untyped-def]
    """The trick being played, its player and its targets."""
    out.trick = kind
    out.trick_player = relative(state, seat, player)
    out.trick_target = relative(state, seat, target)
    out.trick_second = relative(state, seat, second)


@compiled
def view_event(out, phase, source):  # type: ignore[no-untyped-def]
    """The event being carried out: what the card dice on the table are about, or the gifts."""
    if phase == EFFECT and ISLAND_0 <= source < DOCK_0 and out.permanent != source - ISLAND_0:
        out.event = source - ISLAND_0


@compiled
def free_plays(tables, state):  # type: ignore[no-untyped-def]
    """J47: what is left of the free plays of the active seat."""
    if state.active < 0:
        return 0
    knack = knack_of(tables, state, state.active)
    return within(tables.free_plays[knack] - state.pocket_plays, 0, MOST_FREE) if knack >= 0 else 0


@compiled
def view_decision(tables, state, out):  # type: ignore[no-untyped-def]
    """What only the seat to act sees: the card it decides about, and the cards it may take one of."""
    asked = state.decision
    if asked in (ASK_EXCH, ASK_DISCARD, ASK_PICK, ASK_FUEL):
        out.chosen = within(state.count, 0, MOST_CHOSEN)
    if asked in (ASK_DRAWN, ASK_LANE):
        out.context = state.held
    elif asked == ASK_FLIP:
        out.context = state.token_card[state.to_place, state.second]
    elif asked in (ASK_DIESEAT, ASK_FSIDE, ASK_DIE, ASK_TARGET):
        if state.card < KINDS:
            out.context = state.card
    elif asked == ASK_PICK:
        code = tables.code[state.at]
        if code[0] == TAKE_POCKET:
            out.review[:] = state.pocket[meant(state, code[1])]
        else:
            for kind in range(KINDS):
                if code[1] < 0 or tables.category[kind] == code[1]:
                    out.review[kind] = state.bin[kind]


@compiled
def view_seats(tables, state, seat, out):  # type: ignore[no-untyped-def]
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
        turn = done + 1 if state.turn_phase == EATING_PHASE else done
        out.moved[relative(state, seat, clockwise(state, state.first, turn))] = 1


@compiled
def view_fight(tables, state, seat, out):  # type: ignore[no-untyped-def]
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
            if state.token[side, lane] == FACE_UP:
                out.face_up[side, lane] = tables.rank_in_type[state.token_card[side, lane]]
            elif state.token[side, lane] == FACE_DOWN and fighter(state, side) == seat:
                out.own_down[lane] = state.token_card[side, lane]
            elif state.token[side, lane] == FACE_DOWN:
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
def view_dice(state, seat, out):  # type: ignore[no-untyped-def]
    """Card dice on the table."""
    for other in range(state.players):
        if state.die_sides[other] > 0:
            place = relative(state, seat, other)
            out.die_sides[place] = state.die_sides[other]
            out.die_face[place] = state.die_face[other]
            out.die_change[place] = within(state.die_change[other], -MOST_CHANGE, MOST_CHANGE)
            out.die_value[place] = within(int(state.die_face[other]) + int(state.die_change[other]), 0, MOST_VALUE)
