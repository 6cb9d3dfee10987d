"""The baseline of Dragon Teeth Washer (section 10 of its specification): expected points of a card now, less later.

What a card of value v brings depends on two numbers: L, the sum of all lower cards of the round, and k, how many
play v (the closed form of section 2). Their distribution is computed exactly, by adding the other seats one at a time,
each playing any card of its known hand with the same chance. ``ways[L, k]`` counts in how many ways they can fall.
"""

from __future__ import annotations

import numpy as np

from tooth_envs.engine.chance import mix, scaled
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import Mask, Numbers
from tooth_envs.games.dragon_teeth_washer.cards import CARDS, DRAGONS, MAX_SEATS
from tooth_envs.games.dragon_teeth_washer.state import SAY, Claim, Decision
from tooth_envs.games.dragon_teeth_washer.view import View

HONESTY = 0.7
"""How often it tells the truth about the dragon."""

LARGEST_LOWER = (MAX_SEATS - 1) * (CARDS - 1)
LARGEST_SUM = MAX_SEATS * CARDS
TIE = 1e-9
"""Advantages closer than this are equal: the lower card is played."""


@compiled
def policy(view: View, mask: Mask, key: int) -> int:
    """Choose an action.

    Args:
        view: what the seat to act knows.
        mask: its legal actions.
        key: the random key of this decision.
    """
    if view.decision == Decision.CLAIM:
        return statement(view, mask, key)
    return best_card(view, mask)


@compiled
def statement(view: View, mask: Mask, key: int) -> int:
    """The truth with probability ``HONESTY``, else the opposite (numeric: any other offered value). Never silent."""
    honest = scaled(mix(key, 0, 0), 1000) < 1000 * HONESTY
    known = int(view.known)
    if mask[SAY + Claim.LOW]:
        dragons = 0
        for rank in range(DRAGONS):
            dragons += int(view.dragon[rank] > 0)
        large = 2 * known >= dragons  # J4
        return SAY + (Claim.HIGH if large == honest else Claim.LOW)
    others = 0
    for rank in range(DRAGONS):
        others += int(mask[SAY + Claim.RANK_0 + rank] != 0 and rank != known)
    if honest or others == 0:
        return SAY + Claim.RANK_0 + known
    left = scaled(mix(key, 0, 1), others)
    for rank in range(DRAGONS):
        if mask[SAY + Claim.RANK_0 + rank] != 0 and rank != known:
            if left == 0:
                return SAY + Claim.RANK_0 + rank
            left -= 1
    return SAY + Claim.SILENT


@compiled
def best_card(view: View, mask: Mask) -> int:
    """The card whose expected points now exceed those in an average coming round by most; ties: the lowest."""
    now = np.zeros(LARGEST_SUM + 1)  # chance that this round's dragon is x or more
    later = np.zeros(LARGEST_SUM + 1)  # the same for any dragon not turned up yet
    ways = np.zeros((LARGEST_LOWER + 1, MAX_SEATS + 1))
    weigh_dragons(view, now, later)
    leading = view.decision == Decision.LEAD
    leader = int(view.investigator)
    choice = -1
    most = 0.0
    for card in range(CARDS):
        if mask[card] == 0:
            continue
        value = card + 1
        ways[:, :] = 0.0
        ways[0, 1] = 1.0
        total = 1.0
        seats = 0
        for place in range(1, MAX_SEATS):
            if view.present[place] and (leading or place != leader):
                total *= add_seat(view.hand[place], value, ways, seats)
                seats += 1
        if leading:
            gain = expected(ways, seats, value, now, 0, 0) / total
        else:
            lead = int(view.lead) + 1
            lower = lead if lead < value else 0
            equal = 1 if lead == value else 0
            gain = expected(ways, seats, value, now, lower, equal) / total
            total *= add_seat(view.hand[leader], value, ways, seats)
            seats += 1
        gain -= expected(ways, seats, value, later, 0, 0) / total
        if choice < 0 or gain > most + TIE:
            choice = card
            most = gain
    return choice


@compiled
def weigh_dragons(view: View, now: Numbers, later: Numbers) -> None:
    """How likely each sum is safe: in this round, as far as the observer can tell, and in an average coming one."""
    dragons = 0
    unseen = 0
    for rank in range(DRAGONS):
        dragons += int(view.dragon[rank] > 0)
        unseen += int(view.unseen[rank])
    claim = int(view.claim)
    leader = int(view.investigator)
    true = int(view.true_said[leader])
    belief = (1.0 + true) / (2.0 + true + int(view.false_said[leader]))
    sum_now = 0.0
    for rank in range(dragons):
        if view.unseen[rank] == 0:
            continue
        if view.known >= 0:
            weight = 1.0 if rank == view.known else 0.0
        elif claim >= Claim.RANK_0:
            weight = belief if rank == claim - Claim.RANK_0 else (1.0 - belief) / max(1, unseen - 1)
        elif claim >= Claim.LOW:
            agrees = (2 * rank >= dragons) == (claim == Claim.HIGH)
            weight = belief if agrees else 1.0 - belief
        else:
            weight = 1.0
        sum_now += weight
        for x in range(min(int(view.dragon[rank]), LARGEST_SUM) + 1):
            now[x] += weight
            later[x] += 1.0
    for x in range(LARGEST_SUM + 1):
        now[x] /= sum_now
        later[x] /= unseen


@compiled
def add_seat(hand: Numbers, value: int, ways: Numbers, seats: int) -> int:
    """One more seat plays any card of a hand, besides ``seats`` others; returns how many cards it can choose from."""
    above = 0
    cards = 0
    for card in range(CARDS):
        if hand[card]:
            cards += 1
            above += int(card + 1 > value)
    if cards == 0:
        return 1  # a hand that is used up adds nothing
    equal = int(hand[value - 1])
    for lower in range((seats + 1) * (value - 1), -1, -1):  # downwards: what is read has not been changed yet
        for group in range(seats + 2, 0, -1):
            count = above * ways[lower, group] + equal * ways[lower, group - 1]
            for card in range(min(value - 1, lower)):
                if hand[card]:
                    count += ways[lower - card - 1, group]
            ways[lower, group] = count
    return cards


@compiled
def expected(ways: Numbers, seats: int, value: int, safe: Numbers, more_lower: int, more_equal: int) -> float:
    """Points of a card, summed over all ways the others can fall, with cards that are known to lie there."""
    points = 0.0
    for lower in range(seats * (value - 1) + 1):
        for group in range(1, seats + 2):
            if ways[lower, group] > 0.0:
                below = lower + more_lower
                # success if below + group <= d, bitten if only below <= d
                whole = below + (group + more_equal) * value
                points += ways[lower, group] * (2.0 * safe[whole] - safe[below])
    return points * value
