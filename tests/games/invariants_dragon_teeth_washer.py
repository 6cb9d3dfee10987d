"""Invariants I1-I7, I9, I10, I12 and I13 of the specification, for any state of a game that was dealt and played.

Written from the specification alone: the rules' functions are not used. I8, I11 and I14-I16 compare several games and
are tests of their own.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tooth_envs.engine.state import RUNNING, TERMINATED
from tooth_envs.games.dragon_teeth_washer.game import DragonTeethWasher

NONE, SILENT, LOW, HIGH, RANK_0 = range(5)
CLAIM_ACTIONS = range(8, 19)
FIELDS = (
    *("over", "seat", "decision", "steps", "rank", "reward"),
    *(
        "round_number",
        "investigator",
        "pile",
        "seen",
        "claim",
        "card",
        "hand",
        "plus",
        "minus",
        "zero",
        "score",
        "honesty",
    ),
)


def check(game: DragonTeethWasher, states: np.ndarray, history: Any = None) -> None:
    """Raise AssertionError if an invariant does not hold."""
    row = states.view(np.ndarray)[0]
    state = SimpleNamespace(**{name: row[name].tolist() for name in FIELDS})  # Python's numbers: quick, and never wrap
    players = game.num_players
    rounds = game.cards.rounds
    done = state.round_number
    over = state.over != RUNNING
    assert (state.over == TERMINATED) == (done == rounds), "the game ends after its last round"

    table = state.card[done][:players] if done < rounds else [-1] * players
    for seat in range(players):
        hand, plus, minus, zero = (_cards(mask[seat]) for mask in (state.hand, state.plus, state.minus, state.zero))
        laid = [table[seat] + 1] if table[seat] >= 0 else []
        everything = hand + laid + plus + minus + zero
        assert sorted(everything) == list(game.cards.hands[seat]), f"I1: seat {seat} has {everything}"
        assert len(plus) + len(minus) + len(zero) == done, f"I3: piles of seat {seat}"
        assert len(hand) == game.cards.hand_size - done - len(laid), f"I3: hand of seat {seat}"
        assert state.score[seat] == sum(plus) - sum(minus), f"I4: score of seat {seat}"
        assert abs(state.score[seat]) <= game.cards.largest_score, "I4"

    seen = [rank for rank in state.seen if rank >= 0]
    pile = [rank for rank in range(8) if state.pile[rank]]
    assert set(state.pile) <= {0, 1}, "I2"
    assert sorted(seen + pile) == list(range(len(game.cards.dragons))), "I2: dragons are lost or doubled"
    assert len(seen) == done + (done < rounds), "I2: one dragon per round begun"

    first = state.investigator - min(done, rounds - 1)
    if game.options.first_investigator != "random":
        assert first % players == game.options.first_investigator, "I9: the first investigator"
    honesty = [[0, 0, 0] for _ in range(5)]
    for now in range(done):
        cards = [card + 1 for card in state.card[now][:players]]
        limit = game.cards.dragons[state.seen[now]]
        fates = [_fate(cards, limit, value) for value in cards]
        _check_round(cards, limit, fates)
        for seat, (value, fate) in enumerate(zip(cards, fates, strict=True)):
            piles = {1: state.plus, -1: state.minus, 0: state.zero}
            assert piles[fate][seat] >> (value - 1) & 1, f"I7: {value} of seat {seat} lies in the wrong pile"
        claim = state.claim[now]
        assert claim >= NONE, "I9: one statement per round"
        if claim == SILENT:
            honesty[(first + now) % players][2] += 1
        elif claim > SILENT:
            honesty[(first + now) % players][not _true(claim, state.seen[now], len(game.cards.dragons))] += 1
    assert honesty == state.honesty, "J4: the record of statements"

    _check_turn(game, state, np.flatnonzero(game.legal_mask(states)).tolist(), table)

    bound = max(abs(limit) for limit in game.reward_bounds())
    assert abs(sum(state.reward)) <= 1e-9, f"I12: rewards {state.reward} do not sum to 0"
    assert all(abs(reward) <= bound + 1e-9 for reward in state.reward), "I12: bounds"
    assert not any(state.reward[players:]), "I12: empty seats earn nothing"
    assert over or not any(state.rank), "ranks are known at the end"
    assert state.steps <= rounds * (players + 1), "I13"


def _cards(mask: int) -> list[int]:
    return [bit + 1 for bit in range(8) if mask >> bit & 1]


def _fate(cards: list[int], limit: int, value: int) -> int:
    """The closed form of section 2 (I7): 1 success, -1 bitten, 0 not counted."""
    lower = sum(card for card in cards if card < value)
    group = value * cards.count(value)
    if lower + group <= limit:
        return 1
    return -1 if lower <= limit else 0


def _check_round(cards: list[int], limit: int, fates: list[int]) -> None:
    by_fate = {fate: [card for card, own in zip(cards, fates, strict=True) if own == fate] for fate in (1, -1, 0)}
    success, bitten, idle = by_fate[1], by_fate[-1], by_fate[0]
    assert sum(success) <= limit, "I5: what succeeded fits"
    assert len(set(bitten)) <= 1, "I6: one value at most is bitten"
    if bitten:
        assert sum(success) + sum(bitten) > limit, "I5: what was bitten does not fit"
        assert max(success, default=0) < bitten[0] < min(idle, default=99), "I5: order"
        assert bitten[0] not in success + idle, "I6: equal cards fare equally"
    else:
        assert len(success) == len(cards), "I5: nobody bitten, all succeed"


def _true(claim: int, rank: int, dragons: int) -> bool:
    if claim >= RANK_0:
        return claim - RANK_0 == rank
    return (2 * rank >= dragons) == (claim == HIGH)


def _check_turn(game: DragonTeethWasher, state: SimpleNamespace, legal: list[int], table: list[int]) -> None:
    if state.over != RUNNING:
        assert not legal, "I10: nothing is legal at the end"
        assert state.seat == -1, "I10: nobody is asked at the end"
        return
    players = game.num_players
    done = state.round_number
    order = [(state.investigator + place) % players for place in range(players)]
    laid = [table[seat] >= 0 for seat in order]
    count = sum(laid)
    decision = game.decisions[state.decision]
    assert laid == [place < count for place in range(players)], "J10: cards are laid in order"
    assert state.seat == order[count], "I10: whose turn it is"
    assert legal, "I10: something is legal"
    assert not (game.options.skip_forced and game.cards.hand_size - done == 1), "J14: a forced round is not asked"
    if decision == "CLAIM":
        assert count == 0, "I10: CLAIM comes first"
        assert state.claim[done] == -1, "I10: CLAIM comes once"
        assert game.options.claims != "none", "J2"
        assert set(legal) <= set(CLAIM_ACTIONS), "I10: CLAIM offers statements"
        numbers = {11 + rank for rank in range(len(game.cards.dragons)) if rank not in state.seen[:done]}
        offered = {9, 10} if game.options.claims == "binary" else numbers
        assert set(legal) == offered | ({8} if game.options.allow_silence else set()), "J2, J3, J5"
    else:
        assert state.claim[done] >= NONE, "I9: the statement comes before the lead"
        assert (state.claim[done] == NONE) == (game.options.claims == "none"), "J2: NONE is not SILENT"
        assert decision == ("LEAD" if count == 0 else "FOLLOW"), "I10: LEAD, then FOLLOW"
        assert legal == [value - 1 for value in _cards(state.hand[state.seat])], "I10: cards in hand"
