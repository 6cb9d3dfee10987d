"""The baseline of Toothead (section 10 of its specification): fight when the odds are good, take what can be taken.

It reads the view alone, and knows the cards of the standard deck by their place. With another deck it still makes legal
moves, but misjudges cards.
"""

from __future__ import annotations

from collections.abc import Sequence

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import Mask
from tooth_envs.games.toothead.cards import DOCKS, KINDS, LANES, MAX_SEATS
from tooth_envs.games.toothead.heuristic_odds import (
    DODGE,
    HIT_VALUE,
    JINX_RANK,
    SPEAR_RANK,
    WEAPON_WORTH,
    card_rating,
    edge,
    expected_die,
    hit_worth,
    weapon_gain,
)
from tooth_envs.games.toothead.state import ATTACK_PLUS, FIGHT_DICE_COUNT, STANDARD, Action, Decision, Token, TurnPhase
from tooth_envs.games.toothead.view import View

_KIND = {card.id: kind for kind, card in enumerate(STANDARD.bonfire)}
_DOCK = {card.id: dock for dock, card in enumerate(STANDARD.docks)}


def _kinds(words: str) -> tuple[int, ...]:
    return tuple(_KIND[word] for word in words.split())


_DOCKS_BY_WORTH = ("boulder", "berserker", "squirrel", "fang", "gambler", "leech", "joker", "magpie")
DOCK_ORDER = tuple(_DOCK[name] for name in _DOCKS_BY_WORTH)
WEAPONS = _kinds("axe chainsaw spear bone_club slingshot torch fishing_rod boomerang pan cactus pillow skunk")
GAINS = _kinds("mushrooms meat_hook big_bite dumpster_dive snoop pickpocket scavenge sugar_rush")
BEFORE_ATTACK = _kinds("war_paint rage ambush jinx")
DEFENCES = _kinds("iron_gut hideout shell")
DOCK_DEFENCES = _kinds("hideout shell")
BLOCK, COPYCAT, TRIP = _kinds("block copycat trip")
STITCHES, POWER_GRAB, POCKET_SWAP, BLOODLUST, TAUNT = _kinds("stitches power_grab pocket_swap bloodlust taunt")
NO_WAY, PLAY_DEAD, SCAPEGOAT, CANNED_FOOD = _kinds("no_way play_dead scapegoat canned_food")
CHILI, GOLDEN_TOOTH, LUCKY_BONE = _kinds("chili golden_tooth lucky_bone")
HICCUPS, STINK_BOMB, FOOD_POISONING = _kinds("hiccups stink_bomb food_poisoning")
MEAT_HOOK, RUST, BIG_BITE, SET_ON, SPRING_CLEAN, JINX = _kinds("meat_hook rust big_bite set_on spring_clean jinx")

CHANGES = ((HICCUPS, 2), (CHILI, 3), (STINK_BOMB, 4), (FOOD_POISONING, 6))
"""Specials that change a pool and by how much, the cheapest first."""

WORTH_ATTACKING = -4.0
LAST_SLICE_TARGET, MEAT_TARGET, OWN_LAST_SLICE = 1.0, 1.5, 1.5
BAD_CARD = 2.2
"""A card rated lower is exchanged."""
GOOD_FUEL = 5.0
"""A card rated higher is not burnt."""
LOSING = 0.5
LOSING_LAST = 3.0
FAR_BEHIND = -3.0
BONE_GAP = 4
NONE = -1


@compiled
def policy(view: View, mask: Mask, key: int) -> int:
    """Choose an action.

    Args:
        view: what the seat to act knows.
        mask: its legal actions.
        key: the random key of this decision (not used: the baseline is deterministic).
    """
    action = wanted(view, mask)
    if action >= 0 and mask[action]:
        return action
    for other in range(len(mask)):
        if mask[other]:
            return other
    return NONE


@compiled
def wanted(view: View, mask: Mask) -> int:
    """What it would like to do; if that is not legal, the first legal action is taken."""
    asked = view.decision
    if asked == Decision.TURN:
        return turn(view, mask)
    if asked == Decision.FTURN:
        return place_card(view, mask)
    if asked == Decision.LANE:
        return choose_lane(view, mask)
    if asked == Decision.FWIN:
        return after_dice(view, mask)
    if asked == Decision.ATTACKED:
        return defend(view, mask)
    if asked in (Decision.TARGET, Decision.TARGET2):
        return choose_target(view, mask)
    if asked in (Decision.DISCARD, Decision.GIVE):
        return lowest(view, mask)
    return wanted_otherwise(view, mask, asked)


@compiled
def wanted_otherwise(view: View, mask: Mask, asked: int) -> int:
    """The smaller decisions."""
    if asked == Decision.DOCK:
        for place in range(DOCKS):
            if mask[Action.DOCK + DOCK_ORDER[place]]:
                return Action.DOCK + DOCK_ORDER[place]
    if asked == Decision.DRAWN:
        return play_drawn(view)
    if asked == Decision.TRICKWIN:
        return Action.CARD + NO_WAY if view.trick_target == 0 or view.trick_second == 0 else Action.PASS
    if asked in (Decision.EXCH, Decision.FUEL):
        worst = lowest(view, mask)
        if worst < 0:
            return Action.PASS
        limit = BAD_CARD if asked == Decision.EXCH else GOOD_FUEL
        return worst if mask[Action.PASS] == 0 or card_rating(view, worst - Action.CARD) < limit else Action.PASS
    if asked == Decision.PICK:
        return highest(view, mask)
    if asked == Decision.FLIP:
        # Every hit is turned up but one that is worth nothing.
        return Action.YES if view.context == DODGE or hit_worth(view, int(view.context)) >= 1.0 else Action.KEEP
    if asked == Decision.FSIDE:
        return Action.SEAT if view.context == CHILI else Action.SEAT + opponent(view)
    if asked == Decision.DIE:
        return choose_die(view, mask)
    if asked == Decision.EAT:
        return Action.EAT_MEAT if mask[Action.EAT_MEAT] else Action.CARD + CANNED_FOOD
    if asked == Decision.EATWIN and mask[Action.CARD + POWER_GRAB] and view.meat[0] == 0 and view.slices[0] == 1:
        return Action.CARD + POWER_GRAB
    return Action.PASS


# Cards


@compiled
def lowest(view: View, mask: Mask) -> int:
    """The lowest rated card that may be chosen, as an action."""
    best = NONE
    least = 1e9
    for kind in range(KINDS):
        if mask[Action.CARD + kind] and card_rating(view, kind) < least:
            best = Action.CARD + kind
            least = card_rating(view, kind)
    return best


@compiled
def highest(view: View, mask: Mask) -> int:
    """The highest rated card that may be chosen, as an action."""
    best = NONE
    most = -1e9
    for kind in range(KINDS):
        if mask[Action.CARD + kind] and card_rating(view, kind) > most:
            best = Action.CARD + kind
            most = card_rating(view, kind)
    return best


@compiled
def first_legal(mask: Mask, kinds: Sequence[int]) -> int:
    """The first card of a list that can be played, as an action; NONE if there is none."""
    for kind in kinds:
        if mask[Action.CARD + kind]:
            return Action.CARD + kind
    return NONE


@compiled
def bad_cards(view: View) -> int:
    """How many own cards are worth exchanging."""
    count = 0
    for kind in range(KINDS):
        if view.pocket[kind] > 0 and card_rating(view, kind) < BAD_CARD:
            count += int(view.pocket[kind])
    return count


# A turn


@compiled
def best_target(view: View) -> int:
    """The seat that is best attacked, partners left alone; 0 if there is none."""
    best = 0
    most = -1e9
    for place in range(1, MAX_SEATS):
        if view.attackable[place] and view.partner[place] == 0:
            gain = attack_value(view, place)
            if gain > most:
                best = place
                most = gain
    return best


@compiled
def attack_value(view: View, place: int) -> float:
    """The edge against a seat, and a little more for one that can be eliminated or has meat."""
    gain = edge(view, place, True)
    if view.slices[place] == 1:
        gain += LAST_SLICE_TARGET
    if view.meat[place] > 0:
        gain += MEAT_TARGET
    return gain


@compiled
def needed_edge(view: View) -> float:
    """How good the odds must be for an attack."""
    needed = 1.0 if view.meat[0] > 0 else 0.0
    return needed + OWN_LAST_SLICE if view.slices[0] == 1 else needed


@compiled
def turn(view: View, mask: Mask) -> int:
    """TURN: the first thing that applies."""
    if mask[Action.CARD + STITCHES] and view.slices[0] <= 2:
        return Action.CARD + STITCHES
    for kind in WEAPONS:
        if mask[Action.CARD + kind] and weapon_gain(view, kind) > 0.5:
            return Action.CARD + kind
    action = first_legal(mask, GAINS)
    if action >= 0:
        return action
    if (
        mask[Action.CARD + POCKET_SWAP] and largest_pocket(view) >= view.pocket_size[0] + 1
    ):  # the card itself is not swapped
        return Action.CARD + POCKET_SWAP
    target = best_target(view)
    odds = edge(view, target, True) if target > 0 else -1e9  # what a victim is worth does not make it weaker
    if view.attacks > 0 and target > 0 and attack_value(view, target) > WORTH_ATTACKING:
        action = first_legal(mask, BEFORE_ATTACK)
        if action >= 0:
            return action
        if odds > needed_edge(view):
            return ATTACK_PLUS + target
    if mask[Action.BONUS_DIE]:
        return Action.BONUS_DIE
    if mask[Action.ISLAND]:
        return Action.ISLAND
    action = first_legal(mask, DEFENCES)
    if action >= 0:
        return action
    if mask[Action.CARD + BLOODLUST] and odds > 0.0:
        return Action.CARD + BLOODLUST
    if mask[Action.DRAW]:
        return Action.DRAW
    if mask[Action.EXCHANGE] and bad_cards(view) >= 2:
        return Action.EXCHANGE
    if mask[Action.CARD + POWER_GRAB] and view.turn_phase == TurnPhase.HUNGER:
        return Action.CARD + POWER_GRAB
    return Action.PASS


@compiled
def largest_pocket(view: View) -> int:
    """Cards of the fullest pocket of a seat that is no partner."""
    most = 0
    for place in range(1, MAX_SEATS):
        if view.alive[place] and view.partner[place] == 0:
            most = max(most, int(view.pocket_size[place]))
    return most


@compiled
def play_drawn(view: View) -> int:
    """DRAWN: weapons that improve, and tricks but for a taunt without an edge, and defences in Digestion."""
    kind = int(view.context)
    if kind in WEAPONS:
        return Action.YES if weapon_gain(view, kind) > 0.5 else Action.KEEP
    if kind == TAUNT:
        for place in range(1, MAX_SEATS):
            if view.alive[place] and view.partner[place] == 0 and edge(view, place, False) > 2.0:
                return Action.YES
        return Action.KEEP
    if kind in DOCK_DEFENCES and view.turn_phase == TurnPhase.DIGESTION:
        return Action.KEEP
    return Action.YES


@compiled
def choose_target(view: View, mask: Mask) -> int:
    """TARGET, TARGET2: whoever suits the card best."""
    card = int(view.context) if view.context >= 0 else int(view.trick)
    best = NONE
    most = -1e9
    for place in range(MAX_SEATS):
        if mask[Action.SEAT + place]:
            worth = target_worth(view, card, place)
            if place > 0 and view.partner[place]:
                worth -= 100.0
            if worth > most:
                best = Action.SEAT + place
                most = worth
    return best


@compiled
def target_worth(view: View, card: int, place: int) -> float:
    """How well a seat suits a card."""
    food = int(view.slices[place]) + int(view.meat[place])
    if card == MEAT_HOOK:
        return 1.0 * view.meat[place]
    if card == RUST:
        return WEAPON_WORTH[view.weapon[place]] if view.weapon[place] >= 0 else 0.0
    if card == BIG_BITE:
        return 1.0 * view.slices[place]
    if card == TAUNT:
        return edge(view, place, False)
    if card == SPRING_CLEAN:
        megas = 0
        for rank in range(view.megas.shape[1]):
            megas += int(view.megas[place, rank])
        if place == 0:
            return 50.0 if view.megas[0, JINX_RANK] > 0 else -1.0
        return 1.0 * megas
    if card == JINX:
        return attack_value(view, place)
    if card in (SET_ON, SCAPEGOAT):
        return 1.0 * food
    return 1.0 * view.pocket_size[place] if place > 0 else 1000.0  # on oneself what can be, thefts from the richest


@compiled
def defend(view: View, mask: Mask) -> int:
    """ATTACKED: with bad odds, the first way out that applies."""
    odds = edge(view, int(view.attacker), False)
    last = view.slices[0] == 1
    if odds < LOSING or (last and odds < LOSING_LAST):
        if mask[Action.CARD + PLAY_DEAD]:
            return Action.CARD + PLAY_DEAD
        if mask[Action.CARD + SCAPEGOAT]:
            return Action.CARD + SCAPEGOAT
        if mask[Action.CARD + STITCHES] and last:
            return Action.CARD + STITCHES
        if mask[Action.WEAPON] and odds < -1.0:
            return Action.WEAPON
        if mask[Action.BRIBE] and (last or odds < FAR_BEHIND):
            return Action.BRIBE
    return Action.YES


# A fight


@compiled
def own_side(view: View) -> int:
    """0 as attacker, 1 as defender, -1 as an onlooker."""
    if view.attacker == 0:
        return 0
    return 1 if view.defender == 0 else -1


@compiled
def opponent(view: View) -> int:
    """The other fighter, as a relative seat."""
    return int(view.defender) if view.attacker == 0 else int(view.attacker)


@compiled
def place_card(view: View, mask: Mask) -> int:
    """FTURN: the best hit, else a card of the bonfire."""
    best = NONE
    most = 0.5
    for kind in range(KINDS):
        if mask[Action.CARD + kind]:
            worth = hit_worth(view, kind)
            if worth > most:
                best = Action.CARD + kind
                most = worth
    if best >= 0:
        return best
    for lane in range(LANES):
        if mask[Action.FDRAW + lane]:
            return Action.FDRAW + lane
    return Action.PASS


@compiled
def choose_lane(view: View, mask: Mask) -> int:
    """LANE: what cancels or copies opposite the best hit, what trips opposite an empty token."""
    side = own_side(view)
    kind = int(view.context)
    best = NONE
    most = -1e9
    for lane in range(LANES):
        if mask[Action.LANE + lane]:
            worth = -0.1 * lane
            if kind in (BLOCK, COPYCAT) and view.token[1 - side, lane] == Token.FACE_UP:
                worth += 1.0 + HIT_VALUE[view.face_up[1 - side, lane]]
            elif kind == TRIP and view.token[1 - side, lane] == Token.ACTIVE:
                worth += 1.0
            if worth > most:
                best = Action.LANE + lane
                most = worth
    return best


@compiled
def after_dice(view: View, mask: Mask) -> int:
    """FWIN: a fighter who is not ahead looks for what turns the fight; the cheapest first."""
    side = own_side(view)
    if side < 0:
        return Action.PASS
    gap = int(view.pool[1 - side]) - int(view.pool[side])
    if gap < 0:
        return Action.PASS
    own, other = 2 * side, 2 * (1 - side)
    if mask[Action.KNACK] and better_rolled(view, own + 1, 1, gap):
        return Action.KNACK
    if mask[Action.WEAPON]:
        rerolls_own = view.weapon[0] == SPEAR_RANK
        if better_rolled(view, own if rerolls_own else other + 1, 1 if rerolls_own else -1, gap):
            return Action.WEAPON
    for kind, change in CHANGES:
        if mask[Action.CARD + kind] and gap < change:
            return Action.CARD + kind
    if mask[Action.CARD + GOLDEN_TOOTH] and gap < best_raise(view, side):
        return Action.CARD + GOLDEN_TOOTH
    if mask[Action.CARD + LUCKY_BONE] and gap <= BONE_GAP:
        return Action.CARD + LUCKY_BONE
    return Action.PASS


@compiled
def better_rolled(view: View, place: int, sign: int, gap: int) -> bool:
    """Whether a die is bad enough to be rolled again: a tie may get worse by it, a fight that is lost may not.

    ``sign`` is 1 for an own die, -1 for one of the opponent.
    """
    face, sides = view.fight_face[place], view.fight_sides[place]
    if gap > 0:
        return face < sides if sign > 0 else face > 1
    return sign * (expected_die(sides) - face) > 0.0


@compiled
def best_raise(view: View, side: int) -> int:
    """How much an own die can gain by showing its highest face."""
    most = 0
    for place in range(2 * side, 2 * side + 2):
        if view.fight_face[place] > 0:
            most = max(most, int(view.fight_sides[place]) - int(view.fight_face[place]))
    return most


@compiled
def choose_die(view: View, mask: Mask) -> int:
    """DIE: the own die that can gain most; to roll again, perhaps the opponent's best one."""
    side = own_side(view)
    best = NONE
    most = -1e9
    for place in range(FIGHT_DICE_COUNT):
        if mask[Action.DIE + place]:
            sides, face = int(view.fight_sides[place]), int(view.fight_face[place])
            gain = (sides if view.context == GOLDEN_TOOTH else expected_die(sides)) - face
            if place // 2 != side:
                gain = -gain
            if gain > most:
                best = Action.DIE + place
                most = gain
    return best
