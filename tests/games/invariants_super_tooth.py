"""Invariants I1-I5, I7, I8, I10, I12-I15 of the specification, for any state of a game that was dealt and played.

Written from the specification alone: the rules' functions are not used. I6, I9, I11 and I16 compare moments of a game
and are tests of their own.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tooth_envs.engine.state import RUNNING, TERMINATED, TRUNCATED
from tooth_envs.games.super_tooth.game import SuperTooth

PLANTS, MEATS, EVENTS = range(6), range(6, 13), range(13, 23)
SUN, FOLIAGE, DASPLETOSAURUS, TRAVELER = 17, 20, 21, 22
NO_EVENT = ("MEAT_TARGET", "MEAT_PAY", "ROAM", "COLLECT", "BONUS", "EXCHANGE")
NO_MEAT = ("ROAM", "COLLECT", "BONUS", "EXCHANGE")
RESOLVED = {"EGG": 13, "QUETZ": 14, "VOLCANO": 15, "STAMPEDE_PASS": 19}
FIELDS = (
    *("over", "breakpoint", "seat", "decision", "rank", "reward", "turn", "active", "restarts", "volcano", "marker"),
    *("resolving", "target", "draw", "discard", "banished", "landscape", "lasting", "hand", "coins", "passing"),
    "known",
)


def check(game: SuperTooth, states: np.ndarray, history: Any = None) -> None:
    """Raise AssertionError if an invariant does not hold."""
    row = states.view(np.ndarray)[0]
    state = SimpleNamespace(**{name: row[name].tolist() for name in FIELDS})  # Python's numbers: quick, and never wrap
    n = game.num_players
    piles = (state.draw, state.discard, state.banished, state.landscape, state.lasting)
    total = [sum(counts) for counts in zip(*piles, strict=True)]
    for hand in state.hand:
        for species, count in enumerate(hand):
            assert count >= 0, "I2"
            total[species] += count
    if state.resolving >= 0:
        total[state.resolving] += 1
    assert total == list(game.cards.counts), f"I1: {total}"
    assert min(map(min, piles)) >= 0, "I1"
    assert not any(map(sum, state.hand[n:])), "I2: empty seats hold nothing"

    stays = {SUN: 1, FOLIAGE: 1, DASPLETOSAURUS: 1, TRAVELER: game.cards.counts[TRAVELER]}
    assert all(count <= stays.get(kind, 0) for kind, count in enumerate(state.lasting)), f"I3: {state.lasting}"
    if game.options.hot_sun_marker:
        assert state.lasting[SUN] == 0, "I3: the marker lies there instead"
    else:
        assert state.marker == 0, "I3: there is no marker"
    assert sum(state.landscape) <= 4, "I4"
    assert not any(state.banished[kind] for kind in EVENTS if kind != TRAVELER), "I5"
    assert 0 <= state.restarts <= 11, "I12"
    _check_knowledge(state, n)

    won = [seat for seat in range(n) if state.coins[seat] >= game.options.target()]
    gone = all(game.cards.counts[species] - state.banished[species] < 3 for species in PLANTS)
    assert (state.over == TERMINATED) == (bool(won) or (gone and state.over != TRUNCATED)), "I6, J30"
    assert len(won) <= 1, "J28: no ties"
    legal = np.flatnonzero(game.legal_mask(states)).tolist()
    if state.over == RUNNING:
        assert not any(state.rank), "ranks are known at the end"
        if state.breakpoint and state.seat < 0:
            return
        _check_decision(game, state, legal)
    else:
        assert not legal, "I10: nothing is legal at the end"
        assert state.seat == -1, "I10: nobody is asked at the end"
        order = [(state.coins[seat], sum(state.hand[seat])) for seat in range(n)]
        assert state.rank[:n] == [1 + sum(other > own for other in order) for own in order], "section 7"

    bound = game.reward_bounds()[1]
    assert abs(sum(state.reward)) <= 1e-9, f"I15: {state.reward}"
    assert all(abs(reward) <= bound + 1e-9 for reward in state.reward), "I15: bounds"


def _check_knowledge(state: SimpleNamespace, n: int) -> None:
    for observer in range(4):
        for place in range(3):
            known = state.known[observer][place]
            if observer < n and place < n - 1:
                hand = state.hand[(observer + place + 1) % n]
                assert all(0 <= k <= h for k, h in zip(known, hand, strict=True)), f"I14: {observer} of {place}"
            else:
                assert not any(known), "I14: of empty seats nothing is known"


def _check_decision(game: SuperTooth, state: SimpleNamespace, legal: list[int]) -> None:
    n = game.num_players
    decision = game.decisions[state.decision]
    names = {game.actions[action] for action in legal}
    land, hand, lasting = state.landscape, state.hand[state.seat], state.lasting
    plants = [kind for kind in PLANTS if land[kind]]
    assert state.resolving == RESOLVED.get(decision, -1), "I7"
    assert decision not in NO_EVENT or not any(land[kind] for kind in EVENTS), "I8"
    assert decision not in NO_MEAT or not any(land[kind] for kind in MEATS), "I8"
    assert len(legal) >= (2 if game.options.skip_forced else 1), "I10"
    assert (decision == "MEAT_PAY") == (state.target >= 0), "the target is there while it is paid"
    assert all(chosen < 0 for chosen in state.passing) or decision == "STAMPEDE_PASS", "I13"

    def choose(kinds: Any) -> set[str]:
        return {f"CHOOSE {CODES[kind]}" for kind in kinds}

    def payments(species: Any) -> set[str]:
        paid = {f"PAY_HAND {CODES[s]}" for s in species if hand[s]} | {
            f"PAY_LAND {CODES[s]}" for s in species if land[s]
        }
        return paid | ({"PAY_TRAVELER"} if lasting[TRAVELER] else set())

    expected: set[str]
    seat = state.active
    if decision == "EVENT_ORDER":
        expected = choose(kind for kind in EVENTS if land[kind])
    elif decision == "EGG":
        expected = choose(kind for kind in range(23) if state.discard[kind] and kind != 13)
    elif decision == "QUETZ":
        expected = {f"SEAT {offset}" for offset in range(n) if any(state.hand[(seat + offset) % n])}
    elif decision == "VOLCANO":
        seat = (seat + 1) % n
        expected = choose(kind for kind in range(23) if land[kind] or lasting[kind] or (kind == SUN and state.marker))
        assert state.volcano, "R25"
    elif decision == "STAMPEDE_PASS":
        seat = state.seat
        order = [(state.active + place) % n for place in range(n)]
        due = [other for other in order if any(state.hand[other])]
        assert not any(land), "J16"
        assert not any(lasting), "J16"
        assert not state.marker, "J16"
        chosen = due[: due.index(seat)]
        assert [other for other in range(n) if state.passing[other] >= 0] == sorted(chosen), "J16: one after the other"
        assert all(state.hand[other][state.passing[other]] for other in chosen), "R29"
        expected = choose(species for species in PLANTS if hand[species])
    elif decision == "MEAT_TARGET":
        expected = choose(kind for kind in MEATS if land[kind])
    elif decision == "MEAT_PAY":
        assert land[state.target] > 0, "R11"
        eaten = game.cards.prey[state.target - 6]
        expected = {"IGNORE"} | payments({*eaten, *game.cards.chases})
    elif decision == "ROAM":
        assert lasting[DASPLETOSAURUS], "J18"
        expected = choose(plants) | payments(game.cards.chases)
    elif decision == "COLLECT":
        expected = {f"TAKE {CODES[kind]} {number}" for kind in plants for number in range(1, land[kind] + 1)}
    elif decision == "BONUS":
        expected = choose(plants)
    else:
        sizes = (3, 4, 5, 6) if plants else (3, 5, 6)
        expected = {f"EXCHANGE {CODES[s]} {size}" for s in PLANTS for size in sizes if size <= hand[s]} | {"STOP"}
        assert expected != {"STOP"}, "EXCHANGE is asked if there is a set"
    assert names == expected, f"I10: {decision} offers {names}, not {expected}"
    assert state.seat == seat, "I10: whose turn it is"


CODES = [
    "tri",
    "igu",
    "ana",
    "par",
    "ank",
    "pro",
    "sar",
    "bar",
    "alb",
    "tar",
    "vel",
    "spi",
    "gig",
    "egg",
    "que",
    "vol",
    "rex",
    "sun",
    "ast",
    "sta",
    "fol",
    "das",
    "tim",
]
