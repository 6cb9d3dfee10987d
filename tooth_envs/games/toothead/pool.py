"""Fight pools: what counts for a fighter when the dice have been rolled (R68-R71, J27, J30, J32)."""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.games.toothead.cards import ISLAND_0, LANES, SLICES
from tooth_envs.games.toothead.state import Side, State, Tables, Token
from tooth_envs.games.toothead.table import banned, knack_of, mega_bans
from tooth_envs.games.toothead.vocabulary import BAN_SPECIALTY, BAN_WEAPON, FOR_OPP


@compiled
def fighter(state: State, side: int) -> int:
    """The seat of a side."""
    return int(state.attacker) if side == Side.ATTACKER else int(state.defender)


@compiled
def weapon_works(tables: Tables, state: State, seat: int) -> bool:
    """Whether a seat has a weapon that is not forbidden altogether."""
    return state.weapon[seat] >= 0 and not banned(tables, state, BAN_WEAPON)


@compiled
def specialty_works(tables: Tables, state: State, seat: int, other: int) -> bool:
    """J32: whether the specialty of a fighter's weapon works against the other. A ban is not itself banned."""
    if not weapon_works(tables, state, seat) or banned(tables, state, BAN_SPECIALTY):
        return False
    if state.weapon[other] >= 0 and tables.bans[state.weapon[other], FOR_OPP] & BAN_SPECIALTY:
        return False
    return not mega_bans(tables, state, other, BAN_SPECIALTY, FOR_OPP)


@compiled
def is_cancelled(tables: Tables, state: State, side: int, lane: int) -> bool:
    """J27: whether the face-up hit opposite cancels what lies here. A hit that cancels is never cancelled."""
    if state.token[1 - side, lane] != Token.FACE_UP or tables.cancels[state.token_card[side, lane]]:
        return False
    return tables.cancels[state.token_card[1 - side, lane]] != 0


@compiled
def is_live(tables: Tables, state: State, side: int, lane: int) -> bool:
    """J27: whether a face-up hit counts."""
    return state.token[side, lane] == Token.FACE_UP and not is_cancelled(tables, state, side, lane)


@compiled
def hits_of(tables: Tables, state: State, side: int) -> int:
    """The sum of a side's live hits."""
    live = 0
    for lane in range(LANES):
        live += int(is_live(tables, state, side, lane))
    total = 0
    for lane in range(LANES):
        if is_live(tables, state, side, lane):
            kind = state.token_card[side, lane]
            if tables.copies_hit[kind]:
                if state.token[1 - side, lane] == Token.FACE_UP:
                    total += int(tables.hit_value[state.token_card[1 - side, lane]])
            else:
                total += int(tables.hit_value[kind])
            total += int(tables.per_hit[kind]) * live + int(tables.pool[kind, side])
    return total


@compiled
def weapon_of(tables: Tables, state: State, side: int) -> int:
    """Weapon die and the bonus of the specialty; nothing if the other side ignores weapons."""
    for lane in range(LANES):
        if is_live(tables, state, 1 - side, lane) and tables.ignores_weapon[state.token_card[1 - side, lane]]:
            return 0
    seat = fighter(state, side)
    total = int(state.fight_face[2 * side])
    if specialty_works(tables, state, seat, fighter(state, 1 - side)):
        total += int(tables.pool[state.weapon[seat], side])
    return total


@compiled
def toothead_die(tables: Tables, state: State, side: int) -> int:
    """R54: the Toothead die as changed by mega-tricks and by live hits of the other side, never below 0."""
    seat = fighter(state, side)
    other = fighter(state, 1 - side)
    total = int(state.fight_face[2 * side + 1])
    for place in range(state.mega_count[seat]):
        total += int(tables.own_die[state.mega[seat, place]])
    for place in range(state.mega_count[other]):
        total += int(tables.opp_die[state.mega[other, place]])
    for lane in range(LANES):
        if is_live(tables, state, 1 - side, lane):
            total += int(tables.opp_die[state.token_card[1 - side, lane]])
        if is_live(tables, state, side, lane):
            total += int(tables.own_die[state.token_card[side, lane]])
    return max(0, total)


@compiled
def standing_bonus(tables: Tables, state: State, seat: int, side: int) -> int:
    """What mega-tricks, knack and island add for a seat in a role, hits, dice and weapon aside."""
    total = 0
    lost = max(0, SLICES - 1 - int(state.slices[seat]))
    for place in range(state.mega_count[seat]):
        kind = state.mega[seat, place]
        total += int(tables.pool[kind, side]) + int(tables.per_slice[kind]) * lost
    knack = knack_of(tables, state, seat)
    if knack >= 0:
        total += int(tables.pool[knack, side]) + int(tables.per_slice[knack]) * lost
    if state.permanent >= 0:
        total += int(tables.pool[ISLAND_0 + state.permanent, side])
    return total


@compiled
def dice_of(tables: Tables, state: State, side: int) -> int:
    """What a side's dice count, weapon bonus included."""
    return weapon_of(tables, state, side) + toothead_die(tables, state, side) + int(state.bonus_dice[side])


@compiled
def others_of(tables: Tables, state: State, side: int) -> int:
    """What a side has besides dice: hits, mega-tricks, knack, island and specials."""
    total = hits_of(tables, state, side) + standing_bonus(tables, state, fighter(state, side), side)
    return total + int(state.side_change[side])


@compiled
def pool_of(tables: Tables, state: State, side: int) -> int:
    """J30: a side's pool; R71: never below 0."""
    return max(0, dice_of(tables, state, side) + others_of(tables, state, side))
