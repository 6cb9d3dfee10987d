"""The baseline of Dragon Teeth Washer against its specification (section 10), computed the long way round."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from tests.support import random_game
from tooth_envs.engine import loops
from tooth_envs.engine.chance import mix, mix_python
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.protocol import view as write_view
from tooth_envs.engine.state import RUNNING, record
from tooth_envs.games.dragon_teeth_washer import heuristic as heuristic
from tooth_envs.spec.game import Game, views_of
from tooth_envs.spec.registry import game

NAME = "dragon_teeth_washer"


# Not ``@compiled``: a cache of these would not notice that the policy has changed.


@njit
def choose_one(views, mask, key):
    return heuristic.policy(views[0], mask, key)


@njit
def one_game(tables, blanks, states, mask, views, vectors, seed, seat, totals):
    """One seat by the baseline, the others at random; adds its reward and its share of the win to ``totals``."""
    states[0] = blanks[0]
    states[0].seed = seed
    loops.start(tables[0], states[0], mask)
    while states[0].over == RUNNING:
        key = mix(seed, 99, states[0].steps)
        if states[0].seat == seat:
            vectors[0, :] = 0
            write_view(tables[0], states[0], seat, views[0])
            action = heuristic.policy(views[0], mask, key)
        else:
            action = loops.random_action(mask, key)
        loops.step(tables[0], states[0], action, mask)
    totals[0] += states[0].reward[seat]
    if states[0].rank[seat] == 1:
        winners = 0
        for other in range(states[0].players):
            winners += int(states[0].rank[other] == 1)
        totals[1] += 1.0 / winners


def choose(table: Game, states: np.ndarray, key: int) -> int:
    """What the baseline does for the seat to act."""
    vectors = np.zeros((1, table.layout.length), np.int16)
    views = views_of(vectors, table.layout)
    loops.view_one(table.tables, states, int(record(states).seat), views, vectors)
    return int(choose_one(views, table.legal_mask(states), key))


# The long way round: every combination of the others' cards, as exact fractions.


def points(card: int, others: tuple[int, ...], limit: int) -> int:
    lower = sum(other for other in others if other < card)
    group = card * (1 + others.count(card))
    return card if lower + group <= limit else -card if lower <= limit else 0


def expected(card: int, hands: list[list[int]], weights: dict[int, Fraction]) -> Fraction:
    total = Fraction(0)
    combinations = list(itertools.product(*hands))
    for others in combinations:
        total += sum(weight * points(card, others, limit) for limit, weight in weights.items())
    return total / len(combinations) / sum(weights.values())


def values(table: Any, states: np.ndarray) -> dict[int, tuple[Fraction, Fraction]]:
    """(E_now, E_future) of every card in the hand of the seat to act."""
    position = table.to_dict(states)
    seat, leader, cards = position["seat"], position["investigator"], position["cards"]
    hands = [
        sorted([*hand, card]) if card and other != leader else hand
        for other, (hand, card) in enumerate(zip(position["hands"], cards, strict=True))
    ]
    unseen = [*position["pile"], position["dragon"]]
    others = [hand for other, hand in enumerate(hands) if other != seat]
    later = dict.fromkeys(unseen, Fraction(1))
    if seat == leader:
        now, present = {position["dragon"]: Fraction(1)}, others
    else:
        now = beliefs(table, position, unseen)
        present = [[cards[leader]] if other == leader else hand for other, hand in enumerate(hands) if other != seat]
    later_hands = [hand for hand in others if hand]
    return {
        card: (expected(card, present, now), expected(card, later_hands, later)) for card in position["hands"][seat]
    }


def beliefs(table: Any, position: dict[str, Any], unseen: list[int]) -> dict[int, Fraction]:
    true, false, _ = position["honesty"][position["investigator"]]
    p = Fraction(1 + true, 2 + true + false)
    claim = position["claim"]
    weights = {}
    for limit in unseen:
        rank = table.cards.dragons.index(limit)
        if claim.startswith("RANK"):
            weights[limit] = p if claim == f"RANK_{rank}" else (1 - p) / max(1, len(unseen) - 1)
        elif claim in ("LOW", "HIGH"):
            large = 2 * rank >= len(table.cards.dragons)
            weights[limit] = p if large == (claim == "HIGH") else 1 - p
        else:
            weights[limit] = Fraction(1)
    return weights


LAST_BUT_ONE = {
    "at": "LEAD",
    "claim": "LOW",
    "investigator": 0,
    "history": [{"dragon": value} for value in (7, 9, 10, 11, 12, 14)],
    "hands": [[3, 8], [2, 7], [1, 6]],
}


@pytest.mark.parametrize(
    ("dragon", "now", "future", "lead"),
    [(13, {3: 3, 8: -4}, {3: 3, 8: -5}, 8), (8, {8: -6}, {8: -5}, 3)],
)
def test_worked_position(dragon: int, now: dict[int, int], future: dict[int, int], lead: int) -> None:
    """P48."""
    table = game(NAME, num_players=3)
    states = table.from_dict({**LAST_BUT_ONE, "dragon": dragon})
    worth = values(table, states)
    assert {card: worth[card][0] for card in now} == now
    assert {card: worth[card][1] for card in future} == future
    assert choose(table, states, 0) == lead - 1


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2},
        {"num_players": 3, "claims": "numeric"},
        {"num_players": 4},
        {"num_players": 4, "claims": "none"},
        {"num_players": 5, "hands": (2, 3, 5, 8), "dragons": (6, 9, 14, 15, 19)},
        {"preset": "odd_even_talk"},
        {"preset": "trio_numeric"},
    ],
    ids=str,
)
def test_cards_are_chosen_by_exact_expectation(options: dict[str, Any]) -> None:
    """The chosen card has the largest E_now - E_future, the lowest of equals, wherever random play gets."""
    table = game(NAME, **options)
    tried = 0
    for seed in range(8):
        for moment in random_game(table, seed):
            state = record(moment.states)
            if moment.action < 0 or table.decisions[state.decision] == "CLAIM":
                continue
            if sum(int(hand).bit_count() for hand in state.hand) > 20:
                continue  # too many combinations for the long way
            worth = {card: now - future for card, (now, future) in values(table, moment.states).items()}
            best = min(card for card in worth if worth[card] == max(worth.values()))
            assert choose(table, moment.states, seed) == best - 1
            tried += 1
    assert tried >= 20


def test_five_full_hands() -> None:
    """The largest distribution there is."""
    table = game(NAME, num_players=5, first_investigator=0)
    for dragon in (13, 20):
        states = table.from_dict({"at": "LEAD", "dragon": dragon, "claim": "SILENT"})
        worth = {card: now - future for card, (now, future) in values(table, states).items()}
        assert choose(table, states, 0) + 1 == max(worth, key=lambda card: (worth[card], -card))
        table.step(states, 4)
        worth = {card: now - future for card, (now, future) in values(table, states).items()}
        assert choose(table, states, 0) + 1 == max(worth, key=lambda card: (worth[card], -card))


@pytest.mark.parametrize(
    ("dragon", "truth"), [(10, "CLAIM_LOW"), (13, "CLAIM_LOW"), (14, "CLAIM_HIGH"), (17, "CLAIM_HIGH")]
)
def test_statements(dragon: int, truth: str) -> None:
    """It tells the truth seven times in ten, else the opposite."""
    table = game(NAME, num_players=4)
    states = table.from_dict({"at": "CLAIM", "dragon": dragon})
    said = [table.actions[choose(table, states, mix_python(1, 2, key))] for key in range(2000)]
    assert set(said) == {"CLAIM_LOW", "CLAIM_HIGH"}
    assert abs(said.count(truth) / 2000 - 0.7) < 0.05


def test_numeric_statements() -> None:
    """A lie is any other number on offer; with none left, it tells the truth."""
    table = game(NAME, num_players=3, claims="numeric", skip_forced=False)
    history = [{"dragon": value, "cards": [card] * 3} for card, value in enumerate((7, 9, 10, 11), 1)]
    states = table.from_dict({"at": "CLAIM", "dragon": 13, "history": history})
    said = [table.actions[choose(table, states, mix_python(3, 4, key))] for key in range(3000)]
    assert set(said) == {f"CLAIM_RANK_{rank}" for rank in (1, 5, 6, 7)}
    assert abs(said.count("CLAIM_RANK_6") / 3000 - 0.7) < 0.05
    for rank in (1, 5, 7):
        assert abs(said.count(f"CLAIM_RANK_{rank}") / 3000 - 0.1) < 0.03
    history += [{"dragon": value, "cards": [card] * 3} for card, value in enumerate((8, 12, 13), 5)]
    last = table.from_dict({"at": "CLAIM", "dragon": 14, "history": history})
    assert {choose(table, last, key) for key in range(50)} == {table.action_index("CLAIM_RANK_7")}


@pytest.mark.skipif(not JIT, reason="thousands of games")
@pytest.mark.parametrize(("players", "reward", "share"), [(3, 0.51, 0.63), (4, 0.41, 0.48), (5, 0.34, 0.36)])
def test_strength(players: int, reward: float, share: float) -> None:
    """The measured numbers of section 10, whose error at 2,000 games is about 0.017 and 0.011."""
    table = game(NAME, num_players=players)
    states, mask = table.new_states(), table.new_mask()
    vectors = np.zeros((1, table.layout.length), np.int16)
    views = views_of(vectors, table.layout)
    totals = np.zeros(2)
    for number in range(8000):
        seat = number % players
        one_game(table.tables, table.blank, states, mask, views, vectors, mix_python(5, 6, number), seat, totals)
    assert abs(totals[0] / 8000 - reward) < 0.05
    assert abs(totals[1] / 8000 - share) < 0.035


def trace() -> list[int]:
    """The baseline's choices in all seats, in a few games of several kinds."""
    actions = []
    for options in ({"num_players": 3}, {"num_players": 5}, {"num_players": 2, "claims": "numeric"}):
        table = game(NAME, **options)
        mask = table.new_mask()
        states = table.deal(12, mask)
        while record(states).over == RUNNING:
            actions.append(choose(table, states, mix_python(9, 9, len(actions))))
            table.step(states, actions[-1], mask)
    return actions


@pytest.mark.skipif(not JIT, reason="compares with compiled code")
def test_plain_python_chooses_the_same() -> None:
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", str(Path(__file__))],
        cwd=root,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert json.loads(ran.stdout) == trace()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(trace()))
