"""What the baseline of Toothead thinks of cards and fights (the estimates of section 10 of the specification)."""

from __future__ import annotations

from tooth_envs.engine.compile import compiled
from tooth_envs.games.toothead.cards import KINDS, LANES, SLICES, HitCard, WeaponCard
from tooth_envs.games.toothead.state import STANDARD, Token
from tooth_envs.games.toothead.view import View
from tooth_envs.games.toothead.vocabulary import SIDES

_BONFIRE = STANDARD.bonfire
_KIND = {card.id: kind for kind, card in enumerate(_BONFIRE)}
_ISLAND = {card.id: island for island, card in enumerate(STANDARD.islands)}
_DOCK = {card.id: dock for dock, card in enumerate(STANDARD.docks)}
_MEGA = [_BONFIRE[kind].id for kind in STANDARD.megas]
_WEAPON = [_BONFIRE[kind].id for kind in STANDARD.weapons]

WAR_PAINT_RANK, RAGE_RANK, SHELL_RANK, AMBUSH_RANK, JINX_RANK = (
    _MEGA.index(name) for name in ("war_paint", "rage", "shell", "ambush", "jinx")
)
PAN_RANK, SLINGSHOT_RANK, SPEAR_RANK = (_WEAPON.index(name) for name in ("pan", "slingshot", "spear"))
FANG, BOULDER, BERSERKER, GAMBLER = (_DOCK[name] for name in ("fang", "boulder", "berserker", "gambler"))
FULL_MOON, HIGH_TIDE, HEAT_WAVE, AMNESIA = (
    _ISLAND[name] for name in ("full_moon", "high_tide", "heat_wave", "amnesia")
)
BLOCK, DODGE, TRIP, SCRAMBLE, EYE_POKE, COPYCAT, FLURRY = (
    _KIND[name] for name in ("block", "dodge", "trip", "scramble", "eye_poke", "copycat", "flurry")
)
FIRST_HIT, FIRST_WEAPON = STANDARD.hits[0], STANDARD.weapons[0]
HITS, WEAPONS = len(STANDARD.hits), len(STANDARD.weapons)
HIT_VALUE = tuple(card.value for card in _BONFIRE if isinstance(card, HitCard))
WEAPON_SIDES = tuple(SIDES[card.die] for card in _BONFIRE if isinstance(card, WeaponCard))
ROLLED_IN_ATTACK = tuple(int(card.attack_die) for card in _BONFIRE if isinstance(card, WeaponCard))

WEAPON_WORTH = tuple(
    {
        "axe": 6.5,
        "chainsaw": 6.2,
        "spear": 5.8,
        "bone_club": 5.5,
        "slingshot": 5.0,
        "torch": 4.9,
        "fishing_rod": 4.6,
        "boomerang": 4.5,
        "pan": 4.4,
        "cactus": 4.3,
        "pillow": 3.5,
        "skunk": 3.0,
    }[name]
    for name in _WEAPON
)

_RATED = {
    9.0: "canned_food big_bite",
    7.0: "mushrooms iron_gut play_dead",
    6.0: "meat_hook food_poisoning",
    5.0: "hideout snoop stink_bomb scapegoat golden_tooth dumpster_dive",
    4.5: "scavenge pickpocket sugar_rush",
    4.0: "pocket_swap bloodlust chili stitches",
    3.5: "hiccups lucky_bone no_way",
    3.0: "power_grab",
}
_RATING = {name: rating for rating, names in _RATED.items() for name in names.split()}
_HIT_BONUS = {"dodge": 3.5, "block": 3.5, "trip": 3.5, "eye_poke": 1.5, "copycat": 1.5, "scramble": 1.5}
RATING = tuple(
    card.value + _HIT_BONUS.get(card.id, 0.0) if isinstance(card, HitCard) else _RATING.get(card.id, 2.5)
    for card in _BONFIRE
) + (2.5,) * (KINDS - len(_BONFIRE))
IN_HAND = tuple(
    card.value + {"dodge": 3.0, "block": 3.0, "trip": 2.0, "eye_poke": 2.5, "copycat": 2.5}.get(card.id, 0.0)
    for card in _BONFIRE
    if isinstance(card, HitCard)
)
"""What a hit in the own pocket is worth in a fight to come."""
MISSING = 0.9
"""What a token is worth for which there is no hit."""
TRIPPED = 2.5
"""What a fight token is worth."""


@compiled
def expected_die(sides: int) -> float:
    """The mean of a die."""
    return (sides + 1) / 2 if sides > 0 else 0.0


@compiled
def strength(view: View, place: int, attacking: int) -> int:
    """What a seat brings into a fight, its cards aside."""
    total = expected_die(view.sides[place])
    weapon = int(view.weapon[place])
    if weapon >= 0 and view.permanent != HEAT_WAVE:
        if not attacking or ROLLED_IN_ATTACK[weapon % WEAPONS]:
            total += expected_die(WEAPON_SIDES[weapon % WEAPONS])
        if weapon == PAN_RANK and not attacking:
            total += 3.0
        if weapon == SLINGSHOT_RANK:
            total += 1.5
    megas = view.megas[place]
    total += 2.0 * megas[WAR_PAINT_RANK] + 3.5 * megas[RAGE_RANK] + 1.5 * megas[AMBUSH_RANK] - 2.0 * megas[JINX_RANK]
    if not attacking:
        total += 4.0 * megas[SHELL_RANK]
    if view.permanent != AMNESIA:
        if view.dock[place] == FANG and attacking:
            total += 3.0
        elif view.dock[place] == BOULDER and not attacking:
            total += 2.0
        elif view.dock[place] == BERSERKER:
            total += max(0, SLICES - 1 - int(view.slices[place]))
        elif view.dock[place] == GAMBLER:
            total += int(view.sides[place]) / 8  # what rolling the lower half again adds to the mean
    if view.permanent == (FULL_MOON if attacking else HIGH_TIDE):
        total += 2.0
    return total


@compiled
def own_hand(view: View) -> float:
    """The three best hits of the own pocket, with something for each that is missing."""
    total = 0.0
    left = LANES
    before = 1e9
    while left > 0:
        best = 0.0
        copies = 0
        for hit in range(HITS):
            if view.pocket[FIRST_HIT + hit] > 0 and best < IN_HAND[hit] < before:
                best = IN_HAND[hit]
        if best == 0.0:
            return total + MISSING * left
        for hit in range(HITS):
            if IN_HAND[hit] == best:
                copies += int(view.pocket[FIRST_HIT + hit])
        used = min(copies, left)
        total += best * used
        left -= used
        before = best
    return total


@compiled
def edge(view: View, place: int, attacking: int) -> float:
    """How much stronger the observer is than another seat, as attacker or as defender."""
    other = 2.6 * min(3.0, 0.5 + 0.34 * view.pocket_size[place])
    return strength(view, 0, attacking) + own_hand(view) - strength(view, place, not attacking) - other


@compiled
def weapon_gain(view: View, kind: int) -> float:
    """How much better a weapon is than the own one."""
    own = WEAPON_WORTH[view.weapon[0] % WEAPONS] if view.weapon[0] >= 0 else 0.0
    return WEAPON_WORTH[(kind - FIRST_WEAPON) % WEAPONS] - own


@compiled
def card_rating(view: View, kind: int) -> float:
    """What a card in the pocket is worth."""
    if FIRST_WEAPON <= kind < FIRST_WEAPON + WEAPONS:
        return max(0.5, weapon_gain(view, kind))
    return RATING[kind]


@compiled
def hit_worth(view: View, kind: int) -> float:
    """What a hit would add in the fight that is going on."""
    if not FIRST_HIT <= kind < FIRST_HIT + HITS:
        return 0.0
    side = 0 if view.attacker == 0 else 1
    best = 0
    free = 0
    lost = 0
    live = 0
    for lane in range(LANES):
        if view.token[1 - side, lane] == Token.FACE_UP and view.token[side, lane] == Token.ACTIVE:
            best = max(best, int(HIT_VALUE[view.face_up[1 - side, lane] % HITS]))
        free += int(view.token[1 - side, lane] == Token.ACTIVE)
        lost += int(view.token[side, lane] == Token.NEUTRALISED)
        live += int(view.token[side, lane] == Token.FACE_UP)
    value = 1.0 * HIT_VALUE[kind - FIRST_HIT]
    if kind == BLOCK:
        return value + best
    if kind == COPYCAT:
        return 1.0 * best
    if kind == DODGE:
        return weapon_threat(view)
    if kind == TRIP and free > 0:
        return value + TRIPPED
    if kind == SCRAMBLE and lost > 0:
        return value + TRIPPED
    if kind == EYE_POKE:
        return value + 2.5
    if kind == FLURRY:
        return value + live + 1
    return value


@compiled
def weapon_threat(view: View) -> float:
    """What the opponent's weapon is expected to add."""
    place = int(view.defender) if view.attacker == 0 else int(view.attacker)
    weapon = int(view.weapon[place])
    if weapon < 0 or view.permanent == HEAT_WAVE:
        return 0.0
    attacking = view.attacker == place
    total = 0.0
    if not attacking or ROLLED_IN_ATTACK[weapon % WEAPONS]:
        total += expected_die(WEAPON_SIDES[weapon % WEAPONS])
    return total + 3.0 if weapon == PAN_RANK and not attacking else total
