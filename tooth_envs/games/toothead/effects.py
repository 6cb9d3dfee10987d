"""Carrying out what cards say: one instruction after the other, stopping where somebody has to decide (section 4.1).

``state.at`` is the next instruction, ``state.count`` how far the present one has come. An instruction that needs a
decision asks and stays; the answer moves ``count`` on, and the instruction is looked at again.
"""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.records import Mask, Numbers
from tooth_envs.engine.seats import ask, clockwise
from tooth_envs.games.toothead.cards import KINDS
from tooth_envs.games.toothead.dice import card_dice_done, change_card_die, reroll_card_die, roll_card_dice
from tooth_envs.games.toothead.fight import (
    ask_for_fuel,
    begin_attack,
    change_fight_die,
    end_attack,
    neutralize,
    restore,
    side_of,
)
from tooth_envs.games.toothead.island import gain, reveal_island, roll_island_die
from tooth_envs.games.toothead.machine import go_back
from tooth_envs.games.toothead.specials import can_redirect, card_dice, die_to_change
from tooth_envs.games.toothead.state import Action, Decision, EventKind, State, Tables
from tooth_envs.games.toothead.table import (
    add_card,
    arrives,
    attackable,
    change_by,
    change_meat,
    discard,
    discard_megas,
    discard_random,
    discard_weapon,
    draw,
    drop_card,
    feed,
    heal,
    learn,
    learn_pocket,
    lose_slice,
    make_meat,
    next_living,
    random_card,
    seen_leaving,
    settle_death,
    steal,
    swap_pockets,
    take_initiative,
)
from tooth_envs.games.toothead.tricks import in_bin
from tooth_envs.games.toothead.vocabulary import (
    ALL,
    ANY_DIE,
    BRANCH,
    CANCEL_ATTACK,
    CARD_DIE_MOD,
    CARD_DIE_REROLL,
    CONTEST,
    DISCARD_CHOICE,
    DISCARD_MEGAS,
    DISCARD_RANDOM,
    DISCARD_WEAPON,
    DRAW,
    DUEL,
    FEED,
    FORCE_ATTACK,
    FUEL,
    GAIN,
    GAIN_MEAT,
    HEAL,
    JUMP,
    KEEP_SLICE,
    MAX_DIE,
    NEUTRALIZE,
    OTHERS,
    PASS_CARDS,
    PLAY_ISLAND,
    REDIRECT_ATTACK,
    REROLL,
    RESTORE,
    ROLL,
    ROLL_ISLAND_DIE,
    SELF,
    SIDE_POOL,
    STEAL_MEAT,
    STEAL_RANDOM,
    SWAP_POCKETS,
    TAKE_BIN,
    TAKE_INITIATIVE,
    TAKE_POCKET,
    TAKE_SLICE,
    TGT,
    TO_LEFT,
)


@compiled
def meant(state: State, who: int) -> int:
    """The one seat that an instruction speaks of."""
    if who == SELF:
        return int(state.actor)
    return int(state.target) if who == TGT else int(state.second)


@compiled
def concerns(state: State, who: int, seat: int) -> bool:
    """Whether an instruction is about a seat. It is never about the dead (J58)."""
    if state.alive[seat] == 0:
        return False
    if who == ALL:
        return True
    if who == OTHERS:
        return seat != state.actor
    return seat == meant(state, who)


@compiled
def effect(tables: Tables, state: State) -> None:
    """Carry out the next instruction, or end."""
    if state.at >= tables.stops[state.card, state.trigger]:
        go_back(state)
        return
    code = tables.code[state.at]
    opcode = code[0]
    if opcode <= PLAY_ISLAND or opcode == JUMP:
        move_on(tables, state, opcode, code)
    elif opcode in (ROLL, CONTEST, DUEL, BRANCH):
        decide_by_dice(tables, state, opcode, code)
    elif opcode in (DISCARD_CHOICE, TAKE_POCKET, TAKE_BIN, PASS_CARDS):
        choose_cards(tables, state, opcode, code)
    elif opcode in (REDIRECT_ATTACK, SIDE_POOL, REROLL, MAX_DIE, CARD_DIE_MOD, CARD_DIE_REROLL, FUEL):
        choose_other(tables, state, opcode, code)
    else:
        simple(tables, state, opcode, code)


@compiled
def done(state: State) -> None:
    """On to the next instruction."""
    state.at += 1
    state.count = 0


# Instructions that need no decision


@compiled
def move_on(tables: Tables, state: State, opcode: int, code: Numbers) -> None:
    """GAIN, ROLL_ISLAND_DIE, PLAY_ISLAND, JUMP; the next instruction is set first: an island card interrupts."""
    done(state)
    if opcode == GAIN:
        gain(tables, state, code[1], code[2])
    elif opcode == ROLL_ISLAND_DIE:
        roll_island_die(tables, state, state.actor)
    elif opcode == PLAY_ISLAND:
        reveal_island(tables, state, state.actor)
    else:
        state.at = code[4]


@compiled
def simple(tables: Tables, state: State, opcode: int, code: Numbers) -> None:
    """Instructions about one seat or two, or about all of them in turn, clockwise from the active seat."""
    done(state)
    if opcode in (STEAL_RANDOM, SWAP_POCKETS, STEAL_MEAT, TAKE_SLICE, FORCE_ATTACK):
        between_two(tables, state, opcode, meant(state, code[1]), meant(state, code[2]), code[3])
    elif opcode in (HEAL, TAKE_INITIATIVE):
        for_one(state, opcode, meant(state, code[1]))
    elif opcode == CANCEL_ATTACK:
        end_attack(state)
    elif opcode == KEEP_SLICE:
        state.slice_kept = 1
    elif opcode == NEUTRALIZE:
        neutralize(state, 1 - side_of(state, state.actor), code[1], state.second)
    elif opcode == RESTORE:
        restore(state, side_of(state, state.actor))
    else:
        for places in range(state.players):
            seat = clockwise(state, state.active, places)
            if state.over == 0 and concerns(state, code[1], seat):
                for_each(tables, state, opcode, seat, code[2])


@compiled
def between_two(tables: Tables, state: State, opcode: int, one: int, other: int, number: int) -> None:
    """What goes from one seat to another, or between them; nothing if either is dead by now (J58), or both are one."""
    if one == other or state.alive[one] == 0 or state.alive[other] == 0:
        return
    if opcode == STEAL_RANDOM:
        steal_random(state, one, other, number)
    elif opcode == SWAP_POCKETS:
        emit(state, EventKind.SWAPPED, one, EVERYBODY, other, 0)
        swap_pockets(tables, state, one, other)
    elif opcode == STEAL_MEAT:
        stolen = min(int(number), int(state.meat[one]))
        change_meat(state, one, -stolen)
        change_meat(state, other, stolen)
    elif opcode == TAKE_SLICE:
        lose_slice(state, one)
        change_meat(state, other, 1)
        settle_death(tables, state, one)
    elif attackable(tables, state, one, other):
        begin_attack(state, one, other)


@compiled
def for_one(state: State, opcode: int, seat: int) -> None:
    """HEAL, TAKE_INITIATIVE: nothing if the seat is dead by now (J58)."""
    if state.alive[seat] == 0:
        return
    if opcode == HEAL:
        heal(state, seat)
    else:
        take_initiative(state, seat)


@compiled
def for_each(tables: Tables, state: State, opcode: int, seat: int, number: int) -> None:
    """What happens to each seat that an instruction is about. EAT_INSTEAD and the like need nothing done."""
    if opcode == DRAW:
        draw(state, seat, number)
    elif opcode == DISCARD_RANDOM:
        for _ in range(number):
            discard_random(state, seat)
    elif opcode == DISCARD_WEAPON:
        discard_weapon(state, seat)
    elif opcode == DISCARD_MEGAS:
        discard_megas(state, seat)
    elif opcode == GAIN_MEAT:
        make_meat(state, seat, number)
    elif opcode == FEED:
        feed(tables, state, seat)


@compiled
def steal_random(state: State, victim: int, thief: int, number: int) -> None:
    """STEAL_RANDOM: random cards change owner, one by one (R43, J51)."""
    for _ in range(number):
        kind = random_card(state, victim)
        if kind >= 0:
            steal(state, thief, victim, kind)


# Instructions that roll card dice


@compiled
def has_rollers(state: State, opcode: int) -> bool:
    """Whether all who roll live (J58), and a duel is between two."""
    if opcode == CONTEST:
        return True
    if opcode == DUEL and (state.actor == state.target or state.alive[state.target] == 0):
        return False
    return state.alive[state.actor] != 0


@compiled
def decide_by_dice(tables: Tables, state: State, opcode: int, code: Numbers) -> None:
    """ROLL, CONTEST, DUEL roll, open the window (dice.py) and leave their value in ``second``; BRANCH looks at it."""
    if opcode == BRANCH:
        if code[1] <= state.second and state.second <= code[2]:
            done(state)
        else:
            state.at = code[4]
    elif state.count == 0 and not has_rollers(state, opcode):
        state.second = 0  # no effect
        done(state)
    elif state.count == 0:
        state.count = 1
        roll_card_dice(tables, state, opcode, code)
    else:
        done(state)
        card_dice_done(tables, state, opcode, code)


# Instructions that let seats choose cards


@compiled
def choose_cards(tables: Tables, state: State, opcode: int, code: Numbers) -> None:
    """Ask for the next card, as long as there is one to choose."""
    if opcode == PASS_CARDS:
        giver = next_giver(state)
        if giver >= 0:
            ask(state, giver, Decision.GIVE)
        else:
            pass_gifts(state, code[1])
            done(state)
    elif opcode == DISCARD_CHOICE:
        seat = meant(state, code[1])
        if state.alive[seat] and state.count < code[2] and state.pocket_size[seat] > 0:
            ask(state, seat, Decision.DISCARD)
        else:
            done(state)  # R41
    elif opcode == TAKE_POCKET:
        victim = meant(state, code[1])
        if (
            victim != state.actor
            and state.alive[state.actor]
            and state.count < code[2]
            and state.pocket_size[victim] > 0
        ):
            if state.count == 0:
                learn_pocket(tables, state, state.actor, victim)
                emit(state, EventKind.LOOKED, state.actor, EVERYBODY, victim, 0)
            ask(state, state.actor, Decision.PICK)
        else:
            done(state)
    elif state.alive[state.actor] and state.count < code[2] and in_bin(tables, state, code[1]):
        ask(state, state.actor, Decision.PICK)
    else:
        taken = state.count > 0
        after = code[4]
        done(state)
        if taken:
            state.at = after


@compiled
def next_giver(state: State) -> int:
    """J54: the next seat, clockwise from the active one, that has yet to choose a card to pass on; -1 if none."""
    for places in range(state.players):
        seat = clockwise(state, state.active, places)
        if state.alive[seat] and state.pocket_size[seat] > 0 and state.gift[seat] < 0:
            return seat
    return -1


@compiled
def neighbour(state: State, seat: int, direction: int) -> int:
    """The next living seat to the left or to the right."""
    if direction == TO_LEFT:
        return next_living(state, seat)
    for places in range(1, state.players):
        other = clockwise(state, seat, int(state.players) - places)
        if state.alive[other]:
            return other
    return int(seat)


@compiled
def pass_gifts(state: State, direction: int) -> None:
    """J54: all chosen cards move at once."""
    for seat in range(state.players):  # all leave before any arrives: what is known of a giver is what stays there
        if state.gift[seat] >= 0:
            drop_card(state, seat, state.gift[seat])
            seen_leaving(state, seat, neighbour(state, seat, direction), state.gift[seat])
    for places in range(state.players):
        seat = clockwise(state, state.active, places)
        if state.gift[seat] >= 0:
            taker = neighbour(state, seat, direction)
            arrives(state, seat, taker, state.gift[seat])
            emit(state, EventKind.GAVE, seat, EVERYBODY, taker, 0)
            emit(state, EventKind.GAVE_CARD, seat, (1 << int(seat)) | (1 << int(taker)), taker, state.gift[seat])
    for seat in range(state.players):
        state.gift[seat] = -1


@compiled
def legal_cards(tables: Tables, state: State, mask: Mask) -> None:
    """DISCARD, GIVE: own cards. PICK: cards of the pocket or bin that is looked at."""
    if state.decision == Decision.PICK:
        code = tables.code[state.at]
        for kind in range(KINDS):
            if code[0] == TAKE_POCKET:
                mask[Action.CARD + kind] = int(state.pocket[meant(state, code[1]), kind] > 0)
            else:
                fits = code[1] < 0 or tables.category[kind] == code[1]
                mask[Action.CARD + kind] = int(fits and state.bin[kind] > 0)
    else:
        for kind in range(KINDS):
            mask[Action.CARD + kind] = int(state.pocket[state.seat, kind] > 0)


@compiled
def chosen_card(tables: Tables, state: State, seat: int, decision: int, action: int) -> None:
    """DISCARD, GIVE, PICK: a card was chosen."""
    kind = action - Action.CARD
    if decision == Decision.GIVE:
        state.gift[seat] = kind
        return
    state.count += 1
    if decision == Decision.DISCARD:
        discard(state, seat, kind)
    elif tables.code[state.at, 0] == TAKE_POCKET:
        victim = meant(state, tables.code[state.at, 1])
        drop_card(state, victim, kind)
        steal(state, seat, victim, kind)
    else:
        state.bin[kind] -= 1
        state.bin_size -= 1
        add_card(state, seat, kind)
        for other in range(state.players):
            learn(state, other, seat, kind)
        emit(state, EventKind.TOOK, seat, EVERYBODY, kind, 0)


# Instructions that let a seat choose something else


@compiled
def choose_other(tables: Tables, state: State, opcode: int, code: Numbers) -> None:
    """A new defender, a side, a die, fuel."""
    if opcode == FUEL:
        ask_for_fuel(state, code[1])
    elif state.count > 0:
        done(state)
    elif opcode == REDIRECT_ATTACK:
        if can_redirect(tables, state):
            ask(state, state.actor, Decision.TARGET)
        else:
            done(state)
    elif opcode == SIDE_POOL:
        ask(state, state.actor, Decision.FSIDE)
    elif opcode in (CARD_DIE_MOD, CARD_DIE_REROLL):
        if card_dice(state) > 0:
            ask(state, state.actor, Decision.DIESEAT)
        else:
            done(state)
    elif code[1] == ANY_DIE:
        ask(state, state.actor, Decision.DIE)
    else:
        done(state)
        change_fight_die(state, die_to_change(state, state.actor, code[1]), opcode == MAX_DIE)


@compiled
def legal_seats(tables: Tables, state: State, mask: Mask) -> None:
    """TARGET of a redirected attack, DIESEAT, FSIDE."""
    for places in range(state.players):
        seat = clockwise(state, state.seat, places)
        if state.decision == Decision.DIESEAT:
            fits = state.die_sides[seat] > 0
        elif state.decision == Decision.FSIDE:
            fits = seat == state.attacker or seat == state.defender
        else:
            fits = seat != state.defender and attackable(tables, state, state.attacker, seat)
        mask[Action.SEAT + places] = int(fits)


@compiled
def legal_dice(state: State, mask: Mask) -> None:
    """DIE: the dice of the fight that have been rolled."""
    for place in range(len(state.fight_face)):
        mask[Action.DIE + place] = int(state.fight_face[place] > 0)


@compiled
def chosen_other(tables: Tables, state: State, seat: int, decision: int, action: int) -> None:
    """TARGET of a redirected attack, DIESEAT, FSIDE, DIE: something was chosen."""
    code = tables.code[state.at]
    done(state)
    if decision == Decision.DIE:
        change_fight_die(state, action - Action.DIE, code[0] == MAX_DIE)
        return
    other = clockwise(state, seat, action - Action.SEAT)
    if decision == Decision.DIESEAT:
        if code[0] == CARD_DIE_MOD:
            change_card_die(state, other, code[1])
        else:
            reroll_card_die(state, other)
    elif decision == Decision.FSIDE:
        side = side_of(state, other)
        change = change_by(state.side_change[side], code[1])
        state.side_change[side] += change
        emit(state, EventKind.SIDE_CHANGED, other, EVERYBODY, change, 0)
    else:
        emit(state, EventKind.REDIRECTED, state.defender, EVERYBODY, other, 0)
        state.defender = other
