"""A fight from the attack to the clean-up (section 2.10, J18-J32)."""

from __future__ import annotations

from tooth_envs.engine.chance import die
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.records import Mask
from tooth_envs.engine.seats import ask, clockwise
from tooth_envs.games.toothead.cards import DOCK_MEGAS, ISLAND_0, KINDS, LANES, TOOTHEAD_SIDES
from tooth_envs.games.toothead.machine import begin_effect, go_back, go_to, interrupt
from tooth_envs.games.toothead.pool import (
    dice_of,
    fighter,
    is_cancelled,
    is_live,
    others_of,
    pool_of,
    specialty_works,
    weapon_works,
)
from tooth_envs.games.toothead.specials import die_to_change, has_special, legal_specials, play_special
from tooth_envs.games.toothead.state import (
    Action,
    AttackState,
    Decision,
    EventKind,
    Phase,
    Side,
    State,
    Stream,
    Tables,
    Token,
)
from tooth_envs.games.toothead.table import (
    add_card,
    banned,
    can_draw,
    change_meat,
    clear_fight,
    discard,
    has_program,
    knack_of,
    lose_slice,
    mega_bans,
    settle_death,
    show_card,
    to_bin,
    top_card,
)
from tooth_envs.games.toothead.vocabulary import (
    ANY_ROLE,
    ATTACKED,
    BAN_BRIBE,
    DICE,
    FOR_ATTACKED,
    FWIN,
    HIT,
    HIT_CARD,
    LOSE,
    OPPOSITE,
    SAVE,
    START,
    WIN,
)

_START_SOURCES = 1 + DOCK_MEGAS
"""Things of one fighter that can work at the start: weapon, mega-tricks."""
_AFTER_SOURCES = 1 + LANES + DOCK_MEGAS + 1
"""Things of one fighter that can work after the fight: weapon, hits, mega-tricks, knack."""


@compiled
def side_of(state: State, seat: int) -> int:
    """A fighter's side."""
    return Side.ATTACKER if seat == state.attacker else Side.DEFENDER


# 1. The attack


@compiled
def begin_attack(state: State, attacker: int, defender: int) -> None:
    """R61: the target is named; J19, J20: what it costs is the caller's."""
    interrupt(state, Phase.ATTACK, attacker)
    state.attacker = attacker
    state.defender = defender
    emit(state, EventKind.ATTACKED, attacker, EVERYBODY, defender, 0)


@compiled
def attack_stage(state: State) -> None:
    """J18: the defender decides, until there is a fight or none."""
    if state.attack_state == AttackState.ENDED:
        emit(state, EventKind.ATTACK_OFF, state.attacker, EVERYBODY, state.defender, 0)
        clear_fight(state)
        go_back(state)
    else:
        ask(state, state.defender, Decision.ATTACKED)


@compiled
def end_attack(state: State) -> None:
    """CANCEL_ATTACK, or a bribe."""
    state.attack_state = AttackState.ENDED


@compiled
def legal_attacked(tables: Tables, state: State, mask: Mask) -> None:
    """ATTACKED."""
    seat = int(state.seat)
    mask[Action.YES] = 1
    if state.meat[seat] > 0:
        no_bribes = banned(tables, state, BAN_BRIBE) or mega_bans(
            tables, state, state.attacker, BAN_BRIBE, FOR_ATTACKED
        )
        mask[Action.BRIBE] = int(not no_bribes)
    if state.weapon[seat] >= 0 and has_program(tables, state.weapon[seat], ATTACKED):
        mask[Action.WEAPON] = int(specialty_works(tables, state, seat, state.attacker))
    legal_specials(tables, state, mask, ATTACKED)


@compiled
def answer_attack(tables: Tables, state: State, seat: int, action: int) -> None:
    """ATTACKED: fight, bribe (R59, J42), weapon or special."""
    if action == Action.YES:
        state.fighting = 1
        emit(state, EventKind.FIGHT_BEGAN, state.attacker, EVERYBODY, state.defender, 0)
        go_to(state, Phase.FIGHT_START)
    elif action == Action.BRIBE:
        emit(state, EventKind.BRIBED, seat, EVERYBODY, state.attacker, 0)
        change_meat(state, seat, -1)
        change_meat(state, state.attacker, 1)
        end_attack(state)
    elif action == Action.WEAPON:
        begin_effect(tables, state, state.weapon[seat], ATTACKED, seat, state.attacker)
    else:
        play_special(tables, state, seat, action - Action.CARD, ATTACKED)


# 2. The start


@compiled
def start_stage(tables: Tables, state: State) -> None:
    """R62, J23: the permanent, then the attacker's weapon and mega-tricks, then the defender's."""
    while state.at < 2 + 2 * _START_SOURCES:
        step = int(state.at)
        state.at += 1
        side = step if step < 2 else (step - 2) // _START_SOURCES
        source = start_source(tables, state, side, step)
        if source >= 0 and has_program(tables, source, START):
            seat = fighter(state, side)
            begin_effect(tables, state, source, START, seat, fighter(state, 1 - side))
            return
    go_to(state, Phase.PLACING)


@compiled
def start_source(tables: Tables, state: State, side: int, step: int) -> int:
    """What works at a step of the start, -1 for nothing."""
    if step < 2:
        return ISLAND_0 + int(state.permanent) if state.permanent >= 0 else -1
    seat = fighter(state, side)
    place = (step - 2) % _START_SOURCES - 1
    if place < 0:
        works = specialty_works(tables, state, seat, fighter(state, 1 - side))
        return int(state.weapon[seat]) if works else -1
    return int(state.mega[seat, place]) if place < state.mega_count[seat] else -1


@compiled
def neutralize(state: State, side: int, how: int, lane: int) -> None:
    """NEUTRALIZE, J23: a token that is active and empty can take no card any more (R66)."""
    chosen = -1
    if how == OPPOSITE:
        for other in range(LANES - 1, -1, -1):
            if state.token[side, other] == Token.ACTIVE:
                chosen = other
        if state.token[side, lane] == Token.ACTIVE:
            chosen = int(lane)
    else:
        for other in range(LANES):
            if state.token[side, other] == Token.ACTIVE:
                chosen = other
    if chosen >= 0:
        state.token[side, chosen] = Token.NEUTRALISED
        emit(state, EventKind.TOKEN_OUT, fighter(state, side), EVERYBODY, chosen, 0)


@compiled
def restore(state: State, side: int) -> None:
    """RESTORE: the lowest-numbered neutralised token can be used again."""
    for lane in range(LANES):
        if state.token[side, lane] == Token.NEUTRALISED:
            state.token[side, lane] = Token.ACTIVE
            emit(state, EventKind.TOKEN_BACK, fighter(state, side), EVERYBODY, lane, 0)
            return


@compiled
def ask_for_fuel(state: State, number: int) -> None:
    """FUEL: offered to who has enough cards; without it the weapon die is not rolled."""
    if state.count == 0 and state.pocket_size[state.actor] < number:
        state.unfuelled[side_of(state, state.actor)] = 1
        state.at += 1
    elif state.count == number:
        state.at += 1
        state.count = 0
    else:
        ask(state, state.actor, Decision.FUEL)


@compiled
def legal_fuel(state: State, mask: Mask) -> None:
    """FUEL: any card, or none (once begun, it is paid in full)."""
    mask[Action.PASS] = int(state.count == 0)
    for kind in range(KINDS):
        mask[Action.CARD + kind] = int(state.pocket[state.seat, kind] > 0)


@compiled
def give_fuel(state: State, seat: int, action: int) -> None:
    """FUEL."""
    if action == Action.PASS:
        state.unfuelled[side_of(state, seat)] = 1
        state.at += 1
    else:
        discard(state, seat, action - Action.CARD)
        emit(state, EventKind.FUELLED, seat, EVERYBODY, action - Action.CARD, 0)
        state.count += 1


# 3. Placing cards


@compiled
def can_place(tables: Tables, state: State, side: int) -> bool:
    """J26: whether a fighter can put a card on a token."""
    if state.stood[side]:
        return False
    free = False
    for lane in range(LANES):
        if state.token[side, lane] == Token.ACTIVE:
            free = True
    if not free:
        return False
    return can_draw(state) or holds_hit(tables, state, fighter(state, side))


@compiled
def holds_hit(tables: Tables, state: State, seat: int) -> bool:
    """Whether a pocket has a hit."""
    for place in range(tables.hit_kinds):
        if state.pocket[seat, tables.hit_kind[place]]:
            return True
    return False


@compiled
def placing_stage(tables: Tables, state: State) -> None:
    """R63: the fighters take turns, the attacker first, until neither can or wants to go on."""
    if not can_place(tables, state, state.to_place):
        state.to_place = 1 - state.to_place
        if not can_place(tables, state, state.to_place):
            go_to(state, Phase.FIGHT_DICE)
            return
    ask(state, fighter(state, state.to_place), Decision.FTURN)


@compiled
def legal_placing(tables: Tables, state: State, mask: Mask) -> None:
    """FTURN: a hit of the pocket, the top card of the bonfire, or no more cards."""
    mask[Action.PASS] = 1
    if can_draw(state):
        for lane in range(LANES):
            mask[Action.FDRAW + lane] = int(state.token[state.to_place, lane] == Token.ACTIVE)
    for place in range(tables.hit_kinds):
        kind = tables.hit_kind[place]
        mask[Action.CARD + kind] = int(state.pocket[state.seat, kind] > 0)


@compiled
def place_card(tables: Tables, state: State, seat: int, action: int) -> None:
    """FTURN."""
    side = int(state.to_place)
    if action == Action.PASS:
        state.stood[side] = 1
        emit(state, EventKind.STOOD, seat, EVERYBODY, 0, 0)
        state.to_place = 1 - side
    elif action < Action.CARD:
        lane = action - Action.FDRAW
        kind = int(top_card(state))
        state.token[side, lane] = Token.FACE_DOWN
        state.token_card[side, lane] = kind
        emit(state, EventKind.FACE_DOWN, seat, EVERYBODY, lane, 0)
        emit(state, EventKind.DREW_CARD, seat, 1 << int(seat), kind, 0)
        if tables.category[kind] == HIT_CARD:
            state.second = lane
            ask(state, seat, Decision.FLIP)  # R65
        else:
            state.to_place = 1 - side
    else:
        state.held = action - Action.CARD  # in the pocket until it lies on a token
        ask(state, seat, Decision.LANE)


@compiled
def legal_lanes(state: State, mask: Mask) -> None:
    """LANE."""
    for lane in range(LANES):
        mask[Action.LANE + lane] = int(state.token[state.to_place, lane] == Token.ACTIVE)


@compiled
def choose_lane(tables: Tables, state: State, seat: int, action: int) -> None:
    """LANE: the hit leaves the pocket."""
    kind = int(state.held)
    state.held = -1
    show_card(state, seat, kind)
    turn_up(tables, state, kind, action - Action.LANE)


@compiled
def legal_flip(mask: Mask) -> None:
    """FLIP."""
    mask[Action.YES] = 1
    mask[Action.KEEP] = 1


@compiled
def flip(tables: Tables, state: State, action: int) -> None:
    """FLIP: the drawn hit counts as one from the pocket, or stays face down."""
    lane = int(state.second)
    state.second = -1
    if action == Action.YES:
        turn_up(tables, state, int(state.token_card[state.to_place, lane]), lane)
    else:
        state.to_place = 1 - state.to_place


@compiled
def turn_up(tables: Tables, state: State, kind: int, lane: int) -> None:
    """A hit lies face up; what it does then happens unless the hit opposite cancels it (J27)."""
    side = int(state.to_place)
    seat = fighter(state, side)
    state.token[side, lane] = Token.FACE_UP
    state.token_card[side, lane] = kind
    emit(state, EventKind.PLACED, seat, EVERYBODY, kind, lane)
    state.to_place = 1 - side
    if has_program(tables, kind, HIT) and not is_cancelled(tables, state, side, lane):
        begin_effect(tables, state, kind, HIT, seat, fighter(state, 1 - side))
        state.second = lane


# Dice, and the window after them


@compiled
def roll_fight_dice(tables: Tables, state: State) -> None:
    """R67, J28: weapon die, Toothead die and extra dice of the attacker, then of the defender."""
    for side in range(2):
        seat = fighter(state, side)
        weapon = int(state.weapon[seat])
        if (
            weapon_works(tables, state, seat)
            and (side == Side.DEFENDER or tables.attack_die[weapon])
            and state.unfuelled[side] == 0
        ):
            roll_fight_die(state, seat, 2 * side, tables.weapon_die[weapon])
        roll_fight_die(state, seat, 2 * side + 1, TOOTHEAD_SIDES[state.slices[seat]])
        for place in range(state.mega_count[seat]):
            sides = tables.pool_die[state.mega[seat, place]]
            if sides > 0:
                face = die(state, Stream.DICE + seat, sides)
                state.bonus_dice[side] += face
                emit(state, EventKind.FIGHT_DIE, seat, EVERYBODY, -1, face)
    go_to(state, Phase.FIGHT_WINDOW)


@compiled
def roll_fight_die(state: State, seat: int, place: int, sides: int) -> None:
    """One die of the fight."""
    state.fight_sides[place] = sides
    state.fight_face[place] = die(state, Stream.DICE + seat, sides)
    emit(state, EventKind.FIGHT_DIE, seat, EVERYBODY, place, state.fight_face[place])


@compiled
def change_fight_die(state: State, place: int, to_most: int) -> None:
    """REROLL, MAX_DIE: another face; what changes the die otherwise stays."""
    if place < 0:
        return
    seat = fighter(state, place // 2)
    if to_most:
        state.fight_face[place] = state.fight_sides[place]
    else:
        state.fight_face[place] = die(state, Stream.DICE + seat, state.fight_sides[place])
    emit(state, EventKind.FIGHT_DIE, seat, EVERYBODY, place, state.fight_face[place])


@compiled
def window_seat(state: State, place: int) -> int:
    """J29: attacker, defender, then the others clockwise from the attacker."""
    if place < 2:
        return fighter(state, place)
    places = place - 1
    if places >= (int(state.defender) - int(state.attacker)) % int(state.players):
        places += 1
    return clockwise(state, state.attacker, places)


@compiled
def fight_window(tables: Tables, state: State) -> None:
    """J29: seats are asked in turn until all have passed since the last thing that was used."""
    while state.count < state.players:
        seat = window_seat(state, int(state.at))
        if may_use(tables, state, seat):
            ask(state, seat, Decision.FWIN)
            return
        state.at = (state.at + 1) % state.players
        state.count += 1
    go_to(state, Phase.OUTCOME)


@compiled
def may_use(tables: Tables, state: State, seat: int) -> bool:
    """Whether a seat can do anything in the window."""
    if seat == state.attacker or seat == state.defender:
        if knack_helps(tables, state, seat) or weapon_helps(tables, state, seat):
            return True
    elif tables.third_parties == 0:
        return False
    return has_special(tables, state, seat, FWIN)


@compiled
def changes_die(tables: Tables, state: State, seat: int, source: int) -> bool:
    """Whether a source has an optional use after the dice, and the die it is about was rolled."""
    if source < 0 or not has_program(tables, source, DICE):
        return False
    return die_to_change(state, seat, tables.code[tables.starts[source, DICE], 1]) >= 0


@compiled
def knack_helps(tables: Tables, state: State, seat: int) -> bool:
    """KNACK: once per fight."""
    if state.knack_used[side_of(state, seat)]:
        return False
    return changes_die(tables, state, seat, knack_of(tables, state, seat))


@compiled
def weapon_helps(tables: Tables, state: State, seat: int) -> bool:
    """WEAPON: once per fight, if the specialty works."""
    side = side_of(state, seat)
    if state.weapon_used[side] or not specialty_works(tables, state, seat, fighter(state, 1 - side)):
        return False
    return changes_die(tables, state, seat, int(state.weapon[seat]))


@compiled
def legal_fight_window(tables: Tables, state: State, mask: Mask) -> None:
    """FWIN."""
    seat = int(state.seat)
    mask[Action.PASS] = 1
    if seat == state.attacker or seat == state.defender:
        mask[Action.KNACK] = int(knack_helps(tables, state, seat))
        mask[Action.WEAPON] = int(weapon_helps(tables, state, seat))
    legal_specials(tables, state, mask, FWIN)


@compiled
def in_fight_window(tables: Tables, state: State, seat: int, action: int) -> None:
    """FWIN: pass, or use something, after which everybody may again."""
    state.at = (state.at + 1) % state.players
    state.count = state.count + 1 if action == Action.PASS else 0
    if action == Action.KNACK:
        state.knack_used[side_of(state, seat)] = 1
        begin_effect(tables, state, knack_of(tables, state, seat), DICE, seat, -1)
    elif action == Action.WEAPON:
        state.weapon_used[side_of(state, seat)] = 1
        begin_effect(tables, state, state.weapon[seat], DICE, seat, -1)
    elif action >= Action.CARD:
        play_special(tables, state, seat, action - Action.CARD, FWIN)


# 4. After the fight


@compiled
def outcome(tables: Tables, state: State) -> None:
    """R69-R72, J31 (1) and (2): who wins, the slice, and which weapons work now."""
    if state.at == 0:
        pools = pool_of(tables, state, Side.ATTACKER), pool_of(tables, state, Side.DEFENDER)
        if pools[0] != pools[1]:
            state.winner = Side.ATTACKER if pools[0] > pools[1] else Side.DEFENDER
        for side in range(2):
            dice, others = dice_of(tables, state, side), others_of(tables, state, side)
            emit(state, EventKind.COUNTED, fighter(state, side), EVERYBODY, dice, others)
        won = int(fighter(state, state.winner)) if state.winner >= 0 else -1
        emit(state, EventKind.FIGHT_OVER, won, EVERYBODY, pools[0], pools[1])
        if state.winner < 0:
            go_to(state, Phase.CLEAN_UP)
            return
        state.at = 1
        loser = fighter(state, 1 - state.winner)
        weapon = int(state.weapon[loser])
        saves = weapon >= 0 and has_program(tables, weapon, SAVE) and fits_role(tables, weapon, SAVE, 1 - state.winner)
        if saves and specialty_works(tables, state, loser, fighter(state, state.winner)):
            begin_effect(tables, state, weapon, SAVE, loser, fighter(state, state.winner))
        return
    if state.slice_kept == 0:
        lose_slice(state, fighter(state, 1 - state.winner))
        change_meat(state, fighter(state, state.winner), 1)
    for side in range(2):
        seat = fighter(state, side)
        if specialty_works(tables, state, seat, fighter(state, 1 - side)):
            state.noted[side] = state.weapon[seat]
    go_to(state, Phase.AFTERMATH)


@compiled
def fits_role(tables: Tables, source: int, trigger: int, side: int) -> bool:
    """Whether a clause works for a side."""
    role = tables.narrowed[source, trigger]
    return role == ANY_ROLE or role == side + 1


@compiled
def aftermath(tables: Tables, state: State) -> None:
    """R73, J31 (3) and (4): the winner's weapon, hits, mega-tricks and knack, then the loser's."""
    while state.at < 2 * _AFTER_SOURCES:
        step = int(state.at)
        state.at += 1
        won = step < _AFTER_SOURCES
        side = int(state.winner) if won else 1 - int(state.winner)
        trigger = WIN if won else LOSE
        source = after_source(tables, state, side, step % _AFTER_SOURCES)
        if source >= 0 and has_program(tables, source, trigger) and fits_role(tables, source, trigger, side):
            begin_effect(tables, state, source, trigger, fighter(state, side), fighter(state, 1 - side))
            return
    go_to(state, Phase.CLEAN_UP)


@compiled
def after_source(tables: Tables, state: State, side: int, place: int) -> int:
    """What of a fighter works at a step after the fight, -1 for nothing."""
    if place == 0:
        return int(state.noted[side])
    seat = fighter(state, side)
    place -= 1
    if place < LANES:
        return int(state.token_card[side, place]) if is_live(tables, state, side, place) else -1
    place -= LANES
    if place < DOCK_MEGAS:
        return int(state.mega[seat, place]) if place < state.mega_count[seat] else -1
    return knack_of(tables, state, seat)


@compiled
def clean_up(tables: Tables, state: State) -> None:
    """R74, J31 (5) and (6): cards leave the table; a loser without slices is eliminated."""
    for side in range(2):
        for lane in range(LANES):
            kind = int(state.token_card[side, lane])
            if state.token[side, lane] == Token.FACE_UP:
                to_bin(state, kind)
            elif state.token[side, lane] == Token.FACE_DOWN:
                add_card(state, fighter(state, side), kind)
    loser = int(fighter(state, 1 - state.winner)) if state.winner >= 0 else -1
    clear_fight(state)
    go_back(state)
    if loser >= 0:
        settle_death(tables, state, loser)
