"""What lies on the table and moves over it: cards, meat, slices, the initiative token; and who knows of which card."""

from __future__ import annotations

from tooth_envs.engine import piles
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.seats import clockwise
from tooth_envs.engine.state import TERMINATED
from tooth_envs.games.toothead.cards import DOCK_0, ISLAND_0, KINDS, LANES, SLICES
from tooth_envs.games.toothead.machine import clear_registers
from tooth_envs.games.toothead.state import (
    BITS,
    MOST_CHANGE,
    MOST_MADE,
    PER_WORD,
    EventKind,
    Phase,
    Register,
    State,
    Stream,
    Tables,
    Token,
)
from tooth_envs.games.toothead.vocabulary import BAN_ATTACK, BAN_BE_ATTACKED, BAN_KNACK, FOR_ALL, FOR_SELF

_COUNT_MASK = (1 << BITS) - 1


# Seats


@compiled
def next_living(state: State, seat: int) -> int:
    """The next living seat clockwise; the seat itself if there is no other."""
    for places in range(1, state.players):
        other = clockwise(state, seat, places)
        if state.alive[other]:
            return other
    return int(seat)


@compiled
def living(state: State) -> int:
    """How many seats live."""
    count = 0
    for seat in range(state.players):
        count += int(state.alive[seat])
    return count


@compiled
def take_initiative(state: State, seat: int) -> None:
    """The token goes to a seat."""
    state.initiative = seat
    emit(state, EventKind.INITIATIVE, seat, EVERYBODY, 0, 0)


# What may not be done


@compiled
def banned(tables: Tables, state: State, what: int) -> bool:
    """Whether the active permanent forbids something to everybody (R53, J49)."""
    if state.permanent < 0:
        return False
    return (tables.bans[ISLAND_0 + state.permanent, FOR_ALL] & what) != 0


@compiled
def mega_bans(tables: Tables, state: State, seat: int, what: int, whom: int) -> bool:
    """Whether a mega-trick on a seat's dock forbids something to somebody (FOR_...)."""
    for place in range(state.mega_count[seat]):
        if tables.bans[state.mega[seat, place], whom] & what:
            return True
    return False


@compiled
def attackable(tables: Tables, state: State, attacker: int, defender: int) -> bool:
    """J22: whether a seat may attack another one."""
    if attacker == defender or state.alive[attacker] == 0 or state.alive[defender] == 0:
        return False
    if banned(tables, state, BAN_ATTACK | BAN_BE_ATTACKED):
        return False
    if mega_bans(tables, state, attacker, BAN_ATTACK, FOR_SELF):
        return False
    return not mega_bans(tables, state, defender, BAN_BE_ATTACKED, FOR_SELF)


@compiled
def knack_of(tables: Tables, state: State, seat: int) -> int:
    """The source of a seat's knack, -1 if none works now."""
    if state.dock[seat] < 0 or banned(tables, state, BAN_KNACK):
        return -1
    return DOCK_0 + int(state.dock[seat])


@compiled
def has_program(tables: Tables, source: int, trigger: int) -> bool:
    """Whether a source does something at a trigger."""
    return tables.stops[source, trigger] > tables.starts[source, trigger]


# Who knows of which card (section 6): a lower bound, per seat, of what every other seat holds


@compiled
def known_cards(state: State, seat: int, other: int, kind: int) -> int:
    """How many cards of a kind a seat can prove to be in another's pocket."""
    return (state.known[seat, other, kind // PER_WORD] >> (BITS * (kind % PER_WORD))) & _COUNT_MASK


@compiled
def learn(state: State, seat: int, other: int, kind: int) -> None:
    """A seat has seen a card go into another's pocket."""
    if seat != other and known_cards(state, seat, other, kind) < _COUNT_MASK:
        state.known[seat, other, kind // PER_WORD] += 1 << (BITS * (int(kind) % PER_WORD))


@compiled
def unlearn(state: State, seat: int, other: int, kind: int) -> None:
    """A seat has seen a card leave another's pocket."""
    if known_cards(state, seat, other, kind) > 0:
        state.known[seat, other, kind // PER_WORD] -= 1 << (BITS * (int(kind) % PER_WORD))


@compiled
def forget_pocket(state: State, seat: int, other: int) -> None:
    """A card left a pocket unseen: nothing in it is certain any more."""
    state.known[seat, other, :] = 0


@compiled
def learn_pocket(tables: Tables, state: State, seat: int, other: int) -> None:
    """A seat sees all that another holds."""
    state.known[seat, other, :] = 0
    for kind in range(tables.kinds):
        if state.pocket[other, kind]:
            state.known[seat, other, kind // PER_WORD] += int(state.pocket[other, kind]) << (BITS * (kind % PER_WORD))


# Cards


@compiled
def add_card(state: State, seat: int, kind: int) -> None:
    """A card goes into a pocket."""
    state.pocket[seat, kind] += 1
    state.pocket_size[seat] += 1


@compiled
def drop_card(state: State, seat: int, kind: int) -> None:
    """A card leaves a pocket; who knows of it is left to the caller."""
    state.pocket[seat, kind] -= 1
    state.pocket_size[seat] -= 1


@compiled
def show_card(state: State, seat: int, kind: int) -> None:
    """A card leaves a pocket face up."""
    drop_card(state, seat, kind)
    for other in range(state.players):
        unlearn(state, other, seat, kind)


@compiled
def to_bin(state: State, kind: int) -> None:
    """A card goes to the bin (R40)."""
    state.bin[kind] += 1
    state.bin_size += 1


@compiled
def to_food(tables: Tables, state: State, kind: int) -> None:
    """A card has been eaten (J36)."""
    if tables.food_recycles:
        to_bin(state, kind)
    else:
        state.food[kind] += 1


@compiled
def discard(state: State, seat: int, kind: int) -> None:
    """A pocket card goes to the bin, face up (J41)."""
    show_card(state, seat, kind)
    to_bin(state, kind)
    emit(state, EventKind.DISCARDED, seat, EVERYBODY, kind, 0)


@compiled
def can_draw(state: State) -> bool:
    """J7: whether a draw would yield a card."""
    return state.bonfire_size > 0 or state.bin_size > 0


@compiled
def top_card(state: State) -> int:
    """J7: take the top card of the bonfire, after shuffling the bin into an empty one (R42); -1 if there is none."""
    if state.bonfire_size == 0:
        if state.bin_size == 0:
            return -1
        piles.pour(state.bin, state.bonfire)
        state.bonfire_size = state.bin_size
        state.bin_size = 0
    state.bonfire_size -= 1
    return piles.draw(state, Stream.BONFIRE, state.bonfire)


@compiled
def draw(state: State, seat: int, number: int) -> int:
    """Draw cards into a pocket, one by one; returns the last one's kind, -1 if none came."""
    drawn = -1
    for _ in range(number):
        kind = top_card(state)
        if kind >= 0:
            drawn = int(kind)
            add_card(state, seat, kind)
            emit(state, EventKind.DREW, seat, EVERYBODY, 1, 0)
            emit(state, EventKind.DREW_CARD, seat, 1 << int(seat), kind, 0)
    return drawn


@compiled
def random_card(state: State, seat: int) -> int:
    """J51: a random card leaves a pocket; its kind, or -1. Who knows of it is left to the caller."""
    if state.pocket_size[seat] == 0:
        return -1
    state.pocket_size[seat] -= 1
    return piles.draw(state, Stream.POCKET + int(seat), state.pocket[seat])


@compiled
def discard_random(state: State, seat: int) -> None:
    """A random pocket card goes to the bin."""
    kind = random_card(state, seat)
    if kind >= 0:
        for other in range(state.players):
            unlearn(state, other, seat, kind)
        to_bin(state, kind)
        emit(state, EventKind.DISCARDED, seat, EVERYBODY, kind, 0)


@compiled
def seen_leaving(state: State, giver: int, taker: int, kind: int) -> None:
    """A card has left a pocket for another one: only the two seats know which (section 6)."""
    for other in range(state.players):
        if other == taker:
            unlearn(state, other, giver, kind)
        elif other != giver:
            forget_pocket(state, other, giver)


@compiled
def arrives(state: State, giver: int, taker: int, kind: int) -> None:
    """A card from one pocket goes into another, and its old owner knows."""
    add_card(state, taker, kind)
    learn(state, giver, taker, kind)


@compiled
def steal(state: State, thief: int, victim: int, kind: int) -> None:
    """A card that has left the victim's pocket is taken by the thief."""
    seen_leaving(state, victim, thief, kind)
    arrives(state, victim, thief, kind)
    emit(state, EventKind.STOLE, thief, EVERYBODY, victim, 0)
    emit(state, EventKind.STOLE_CARD, thief, (1 << int(thief)) | (1 << int(victim)), victim, kind)


@compiled
def swap_pockets(tables: Tables, state: State, one: int, other: int) -> None:
    """Whole pockets change owners: each knows what it gave away, third parties keep what they know."""
    if one == other:
        return
    for kind in range(KINDS):
        kept = state.pocket[one, kind]
        state.pocket[one, kind] = state.pocket[other, kind]
        state.pocket[other, kind] = kept
    kept = state.pocket_size[one]
    state.pocket_size[one] = state.pocket_size[other]
    state.pocket_size[other] = kept
    for seat in range(state.players):
        for word in range(state.known.shape[2]):
            packed = state.known[seat, one, word]
            state.known[seat, one, word] = state.known[seat, other, word]
            state.known[seat, other, word] = packed
    learn_pocket(tables, state, one, other)
    learn_pocket(tables, state, other, one)
    state.known[one, one, :] = 0
    state.known[other, other, :] = 0


@compiled
def discard_weapon(state: State, seat: int) -> None:
    """The weapon on a dock goes to the bin, if there is one."""
    if state.weapon[seat] >= 0:
        emit(state, EventKind.LOST_WEAPON, seat, EVERYBODY, state.weapon[seat], 0)
        to_bin(state, state.weapon[seat])
        state.weapon[seat] = -1


@compiled
def lay_mega(state: State, seat: int, kind: int) -> None:
    """A mega-trick comes onto a dock (R44)."""
    state.mega[seat, state.mega_count[seat]] = kind
    state.mega_count[seat] += 1


@compiled
def remove_mega(state: State, seat: int, place: int) -> int:
    """A mega-trick leaves a dock; returns its kind. The others keep their order."""
    kind = int(state.mega[seat, place])
    last = int(state.mega_count[seat]) - 1
    for later in range(place, last):
        state.mega[seat, later] = state.mega[seat, later + 1]
    state.mega[seat, last] = 0
    state.mega_count[seat] = last
    return kind


@compiled
def discard_megas(state: State, seat: int) -> None:
    """All mega-tricks on a dock go to the bin."""
    while state.mega_count[seat] > 0:
        kind = remove_mega(state, seat, 0)
        to_bin(state, kind)
        emit(state, EventKind.LOST_MEGA, seat, EVERYBODY, kind, 0)


# Meat and slices


@compiled
def change_meat(state: State, seat: int, number: int) -> None:
    """Meat comes or goes."""
    if number != 0:
        state.meat[seat] += number
        emit(state, EventKind.MEAT, seat, EVERYBODY, number, 0)


@compiled
def make_meat(state: State, seat: int, number: int) -> None:
    """A card makes meat, as long as there is some in the supply (J37)."""
    made = min(int(number), MOST_MADE - int(state.created))
    if made > 0:
        change_meat(state, seat, made)
        state.created += made


@compiled
def change_by(before: int, number: int) -> int:
    """How far a special's number changes what others have changed before, within the bounds."""
    return min(max(int(before) + int(number), -MOST_CHANGE), MOST_CHANGE) - int(before)


@compiled
def lose_slice(state: State, seat: int) -> None:
    """One slice less; whether that eliminates the seat is looked at by ``settle_death``."""
    state.slices[seat] -= 1
    emit(state, EventKind.LOST_SLICE, seat, EVERYBODY, state.slices[seat], 0)


@compiled
def can_heal(state: State, seat: int) -> bool:
    """HEAL needs meat and a slice that is gone."""
    return state.meat[seat] >= 1 and state.slices[seat] < SLICES


@compiled
def heal(state: State, seat: int) -> None:
    """Meat becomes a slice."""
    if can_heal(state, seat):
        state.meat[seat] -= 1
        state.slices[seat] += 1
        emit(state, EventKind.HEALED, seat, EVERYBODY, 0, 0)


@compiled
def feed(tables: Tables, state: State, seat: int) -> None:
    """A seat discards meat, or a slice if it has none."""
    state.eaten += 1
    if state.meat[seat] > 0:
        change_meat(state, seat, -1)
    else:
        lose_slice(state, seat)
        settle_death(tables, state, seat)


@compiled
def settle_death(tables: Tables, state: State, seat: int) -> None:
    """R33, R34: a seat without slices is eliminated. R1, R2: that may end the game."""
    if state.alive[seat] == 0 or state.slices[seat] > 0:
        return
    state.alive[seat] = 0
    state.eliminated[seat] = int(state.players) - living(state)
    emit(state, EventKind.ELIMINATED, seat, EVERYBODY, 0, 0)
    state.bin_size += state.pocket_size[seat]
    piles.pour(state.pocket[seat], state.bin)
    state.pocket_size[seat] = 0
    for other in range(state.players):
        forget_pocket(state, other, seat)
    discard_weapon(state, seat)
    discard_megas(state, seat)
    state.eaten += state.meat[seat]
    state.meat[seat] = 0
    if one_team_left(tables, state):
        if state.initiative == seat and living(state) > 0:
            take_initiative(state, next_living(state, seat))
        end_game(state)
    elif state.initiative == seat:
        take_initiative(state, next_living(state, seat))  # R26


@compiled
def one_team_left(tables: Tables, state: State) -> bool:
    """Whether all living seats belong to one team."""
    team = -1
    for seat in range(state.players):
        if state.alive[seat]:
            if team >= 0 and tables.team[seat] != team:
                return False
            team = int(tables.team[seat])
    return True


@compiled
def end_game(state: State) -> None:
    """J55: what was going on is dropped; cards that lay on the table for it go to the bin."""
    state.over = TERMINATED
    if state.phase >= Phase.TRICK and state.phase <= Phase.TRICK_END:
        to_bin(state, state.card)
    for depth in range(state.depth):
        if Phase.TRICK <= state.saved[depth, Register.PHASE] <= Phase.TRICK_END:
            to_bin(state, state.saved[depth, Register.CARD])
        state.saved[depth, :] = 0
    state.depth = 0
    clear_registers(state)
    state.phase = Phase.TURN
    for side in range(2):
        for lane in range(LANES):
            if state.token_card[side, lane] >= 0:
                to_bin(state, state.token_card[side, lane])
    clear_fight(state)
    state.gift[:] = -1
    state.die_sides[:] = 0
    state.die_face[:] = 0
    state.die_change[:] = 0


@compiled
def clear_fight(state: State) -> None:
    """The fight is over; its specials go to the bin (R74). Cards on tokens have been seen to."""
    for kind in range(KINDS):
        if state.fight_specials[kind]:
            state.bin_size += state.fight_specials[kind]
            state.bin[kind] += state.fight_specials[kind]
            state.fight_specials[kind] = 0
    state.attacker = -1
    state.defender = -1
    state.attack_state = 0
    state.fighting = 0
    state.token[:, :] = Token.ACTIVE
    state.token_card[:, :] = -1
    state.stood[:] = 0
    state.to_place = 0
    state.unfuelled[:] = 0
    state.fight_face[:] = 0
    state.fight_sides[:] = 0
    state.bonus_dice[:] = 0
    state.side_change[:] = 0
    state.knack_used[:] = 0
    state.weapon_used[:] = 0
    state.slice_kept = 0
    state.winner = -1
    state.noted[:] = -1
