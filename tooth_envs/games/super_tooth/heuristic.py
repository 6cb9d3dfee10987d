"""The baseline of Super Tooth (section 10 of its specification): one rule for each decision.

Where a rule leaves several actions equal, the first of the action table is taken.
"""

from __future__ import annotations

from tooth_envs.engine.chance import mix
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.loops import random_action
from tooth_envs.engine.records import Mask
from tooth_envs.games.super_tooth.cards import FIRST_EVENT, FIRST_MEAT, KINDS, MAX_SEATS, SPECIES, TRICERATOPS
from tooth_envs.games.super_tooth.state import COINS, LARGEST_TAKE, SETS, Action, Decision
from tooth_envs.games.super_tooth.view import View

VALUES = (0.0, 1.0, 2.5, 6.0, 7.0, 11.0, 15.0)
"""What so many equal cards in hand are worth; more than six are worth as much as six."""
FIRST_TRICERATOPS = 0.5
"""Further value of a Triceratops if none is held: it chases."""


@compiled
def policy(view: View, mask: Mask, key: int) -> int:
    """Choose an action.

    Args:
        view: what the seat to act knows.
        mask: its legal actions.
        key: the random key of this decision.
    """
    decision = view.decision
    if decision == Decision.COLLECT:
        return best_take(view, mask)
    if decision == Decision.EXCHANGE:
        return best_exchange(mask)
    if decision == Decision.MEAT_PAY:
        return best_payment(view, mask)
    if decision == Decision.BONUS:
        return most_held(view, mask)
    if decision == Decision.EGG:
        return best_fetch(view, mask)
    if decision == Decision.QUETZ:
        return fullest_hand(view, mask)
    if decision == Decision.VOLCANO:
        return most_wanted(view, mask)
    if decision in (Decision.STAMPEDE_PASS, Decision.ROAM):
        return least_held(view, mask, decision == Decision.ROAM)
    return random_action(mask, mix(key, 0, 0))  # the order of Events and of Meat-Eaters


@compiled
def worth(count: int) -> float:
    """Value of equal cards in hand."""
    return VALUES[min(count, len(VALUES) - 1)]


@compiled
def best_take(view: View, mask: Mask) -> int:
    """COLLECT: what adds most to the value of the hand."""
    choice = -1
    most = 0.0
    for species in range(SPECIES):
        held = int(view.hand[species])
        for number in range(1, LARGEST_TAKE + 1):
            action = Action.TAKE + LARGEST_TAKE * species + number - 1
            if mask[action]:
                gain = worth(held + number) - worth(held)
                if species == TRICERATOPS and held == 0:
                    gain += FIRST_TRICERATOPS
                if choice < 0 or gain > most:
                    choice = action
                    most = gain
    return choice


@compiled
def best_exchange(mask: Mask) -> int:
    """EXCHANGE: most coins, of equal ones the smaller set; never stop while there is a set.

    An exchange that wins the game is among those with most coins.
    """
    choice: int = Action.STOP
    most = 0
    for size in range(SETS):
        for species in range(SPECIES):
            action = Action.SET + SETS * species + size
            if mask[action] and COINS[size] > most:
                choice = action
                most = COINS[size]
    return choice


@compiled
def best_payment(view: View, mask: Mask) -> int:
    """MEAT_PAY: a Time Traveler, or else the card that is missed least; nothing, if nothing is left to collect then."""
    plants = 0
    for species in range(SPECIES):
        plants += int(view.landscape[species])
    if plants == 0:
        return Action.IGNORE
    if mask[Action.PAY_TRAVELER]:
        return Action.PAY_TRAVELER
    choice: int = Action.IGNORE
    least = 0.0
    for species in range(SPECIES):
        held = int(view.hand[species])
        if mask[Action.PAY_HAND + species]:
            cost = held + 0.5
            if choice == Action.IGNORE or cost < least:
                choice = Action.PAY_HAND + species
                least = cost
        if mask[Action.PAY_LAND + species] and plants > 1:
            cost = 1.0 + 0.6 * int(view.landscape[species]) + 0.5 * held
            if choice == Action.IGNORE or cost < least:
                choice = Action.PAY_LAND + species
                least = cost
    return choice


@compiled
def most_held(view: View, mask: Mask) -> int:
    """BONUS: the species held most."""
    choice = -1
    most = 0
    for species in range(SPECIES):
        if mask[Action.CHOOSE + species] and (choice < 0 or view.hand[species] > most):
            choice = Action.CHOOSE + species
            most = view.hand[species]
    return choice


@compiled
def best_fetch(view: View, mask: Mask) -> int:
    """EGG: the Plant-Eater with most copies in hand and L; else an Event; a Meat-Eater only if need be."""
    choice = -1
    most = 0
    for species in range(SPECIES):
        count = int(view.hand[species]) + int(view.landscape[species])
        if mask[Action.CHOOSE + species] and (choice < 0 or count > most):
            choice = Action.CHOOSE + species
            most = count
    if choice >= 0:
        return choice
    for kind in range(FIRST_EVENT, KINDS):
        if mask[Action.CHOOSE + kind]:
            return Action.CHOOSE + kind
    return first_meat(mask)


@compiled
def first_meat(mask: Mask) -> int:
    """The first Meat-Eater that can be chosen."""
    for kind in range(FIRST_MEAT, FIRST_EVENT):
        if mask[Action.CHOOSE + kind]:
            return Action.CHOOSE + kind
    return -1


@compiled
def fullest_hand(view: View, mask: Mask) -> int:
    """QUETZ: the opponent with most cards; the own hand only if all others are empty."""
    choice: int = Action.SEAT
    most = 0
    for place in range(1, MAX_SEATS):
        if mask[Action.SEAT + place] and view.hand_sizes[place] > most:
            choice = Action.SEAT + place
            most = view.hand_sizes[place]
    return choice


@compiled
def most_wanted(view: View, mask: Mask) -> int:
    """VOLCANO: the Plant-Eater that the active seat holds most, as far as is known, together with L."""
    choice = -1
    most = 0
    for species in range(SPECIES):
        count = int(view.known[view.active - 1, species]) + int(view.landscape[species])
        if mask[Action.CHOOSE + species] and (choice < 0 or count > most):
            choice = Action.CHOOSE + species
            most = count
    if choice >= 0:
        return choice
    for kind in range(SPECIES, KINDS):
        if mask[Action.CHOOSE + kind]:
            return Action.CHOOSE + kind
    return -1


@compiled
def least_held(view: View, mask: Mask, with_landscape: int) -> int:
    """STAMPEDE_PASS: the species held least. ROAM: let it eat the species with least in hand and L."""
    choice = -1
    least = 0
    for species in range(SPECIES):
        count = int(view.hand[species])
        if with_landscape:
            count += int(view.landscape[species])
        if mask[Action.CHOOSE + species] and (choice < 0 or count < least):
            choice = Action.CHOOSE + species
            least = count
    return choice
