"""The baseline of Super Tooth against section 10 of its specification: every rule, and its strength."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tooth_agents.basic import HeuristicAgent, RandomAgent
from tooth_training.evaluation.evaluate import evaluate
from tooth_training.evaluation.stats import game_stats

from tests.games.super_tooth import tooth
from tests.support import random_moments
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.state import record


def answers(position: dict[str, Any], keys: int = 1, **options: Any) -> set[str]:
    """What the baseline does in a position, under several keys."""
    table = tooth(**{"num_players": 3, **options})
    states = table.from_dict(position)
    view = np.frombuffer(table.view(states, int(record(states).seat)).tobytes(), table.layout.dtype).repeat(keys)
    mask = table.legal_mask(states)[None].repeat(keys, axis=0)
    actions = HeuristicAgent(table).act(np.zeros((keys, 0)), view, mask, np.arange(keys))
    return {table.actions[action] for action in actions}


def hand(**counts: int) -> list[dict[str, int]]:
    """The first seat's hand; the others have none."""
    return [counts, {}, {}]


@pytest.mark.parametrize(
    ("held", "land", "action"),
    [
        ({}, {"igu": 1, "ana": 2}, "TAKE ana 2"),  # 2.5 beats 1
        ({"igu": 2}, {"igu": 1, "ana": 2}, "TAKE igu 1"),  # 6 - 2.5 = 3.5
        ({}, {"igu": 1, "ana": 3}, "TAKE ana 3"),
        ({"igu": 2, "ana": 1}, {"igu": 1, "ana": 2}, "TAKE ana 2"),  # 5 beats 3.5
        ({"igu": 3}, {"igu": 1, "ana": 1}, "TAKE igu 1"),  # 1 and 1: the first of the table
        ({"ana": 3}, {"igu": 1, "ana": 1}, "TAKE igu 1"),
        ({"ana": 4}, {"igu": 2, "ana": 1}, "TAKE ana 1"),  # 11 - 7 = 4
        ({"ana": 5}, {"igu": 2, "ana": 1}, "TAKE ana 1"),  # 15 - 11 = 4
        ({"ana": 6}, {"igu": 1, "ana": 1}, "TAKE igu 1"),  # a seventh adds nothing
        ({}, {"tri": 1, "igu": 1}, "TAKE tri 1"),
        ({}, {"tri": 1, "igu": 2}, "TAKE igu 2"),  # 2.5 beats 1.5
        ({"tri": 1, "ana": 1}, {"tri": 1, "ana": 1}, "TAKE tri 1"),  # 1.5 each, and no chaser is missing
        ({"igu": 1}, {"tri": 1, "igu": 1}, "TAKE tri 1"),  # 1.5 each with the icon
        ({"tri": 3, "igu": 1}, {"tri": 1, "igu": 1}, "TAKE igu 1"),  # 1.5 beats 1: the icon counts once
    ],
    ids=str,
)
def test_collect(held: dict[str, int], land: dict[str, int], action: str) -> None:
    assert answers({"at": "COLLECT", "hands": hand(**held), "landscape": land}) == {action}


@pytest.mark.parametrize(
    ("held", "coins", "action"),
    [
        ({"igu": 3}, 0, "EXCHANGE igu 3"),
        ({"igu": 4}, 0, "EXCHANGE igu 3"),  # one coin too: the smaller set
        ({"igu": 5}, 0, "EXCHANGE igu 5"),
        ({"igu": 6, "ana": 5}, 0, "EXCHANGE igu 6"),
        ({"igu": 3, "ana": 5}, 0, "EXCHANGE ana 5"),
        ({"igu": 3, "ana": 5}, 2, "EXCHANGE ana 5"),
        ({"ana": 3, "pro": 3}, 1, "EXCHANGE ana 3"),
    ],
    ids=str,
)
def test_exchange(held: dict[str, int], coins: int, action: str) -> None:
    position = {"at": "EXCHANGE", "hands": hand(**held), "landscape": {"par": 1}, "coins": [coins, 0, 0]}
    assert answers(position) == {action}


@pytest.mark.parametrize(
    ("held", "land", "lasting", "action"),
    [
        ({"ana": 1, "tri": 1}, {"sar": 1}, {}, "IGNORE"),  # nothing could be collected
        ({}, {"sar": 1, "ana": 1}, {}, "IGNORE"),  # nor here, once it is paid
        ({"ana": 1}, {"sar": 1, "igu": 1}, {"tim": 1}, "PAY_TRAVELER"),
        ({"ana": 1}, {"sar": 1}, {"tim": 1}, "IGNORE"),
        ({"ana": 1}, {"sar": 1, "igu": 1}, {}, "PAY_HAND ana"),
        ({"ana": 2, "tri": 1}, {"sar": 1, "igu": 1}, {}, "PAY_HAND tri"),  # 1.5 against 2.5
        ({"ana": 1, "tri": 2}, {"sar": 1, "igu": 1}, {}, "PAY_HAND ana"),
        ({"ana": 1}, {"sar": 1, "igu": 1, "ana": 1}, {}, "PAY_HAND ana"),  # 1.5 against 1 + 0.6 + 0.5
        ({"ana": 3}, {"sar": 1, "igu": 1, "ana": 1}, {}, "PAY_LAND ana"),  # 3.5 against 3.1
        ({"ana": 2}, {"sar": 1, "igu": 1, "ana": 1}, {}, "PAY_HAND ana"),  # 2.5 against 2.6
        ({"ana": 2}, {"sar": 1, "igu": 1, "tri": 1}, {}, "PAY_LAND tri"),  # 2.5 against 1.6
        ({"ana": 4}, {"sar": 1, "ana": 2}, {}, "PAY_LAND ana"),  # 4.5 against 1 + 1.2 + 2
        ({}, {"sar": 1, "ana": 2}, {}, "PAY_LAND ana"),
        ({"ana": 1}, {"sar": 1, "ana": 1}, {}, "PAY_HAND ana"),  # paid from L, nothing would be left
        ({"ana": 4}, {"sar": 1, "ana": 1}, {}, "PAY_HAND ana"),
    ],
    ids=str,
)
def test_payment(held: dict[str, int], land: dict[str, int], lasting: dict[str, int], action: str) -> None:
    position = {"at": "MEAT", "hands": hand(**held), "landscape": land, "lasting": lasting}
    assert answers(position, skip_forced=False) == {action}


@pytest.mark.parametrize(
    ("position", "action"),
    [
        ({"at": "BONUS", "landscape": {"igu": 1, "par": 1}, "hands": hand(par=2, igu=1)}, "CHOOSE par"),
        ({"at": "BONUS", "landscape": {"igu": 1, "par": 1}, "hands": hand(pro=2)}, "CHOOSE igu"),
        (
            {"at": "EVENTS", "landscape": {"egg": 1, "par": 1}, "discard": {"igu": 1, "par": 1, "rex": 1, "sar": 1}},
            "CHOOSE par",
        ),
        (
            {
                "at": "EVENTS",
                "landscape": {"egg": 1, "par": 1},
                "discard": {"igu": 1, "par": 1, "rex": 1, "sar": 1},
                "hands": hand(igu=2),
            },
            "CHOOSE igu",
        ),
        ({"at": "EVENTS", "landscape": {"egg": 1}, "discard": {"sar": 1, "rex": 1}}, "CHOOSE rex"),
        ({"at": "EVENTS", "landscape": {"egg": 1}, "discard": {"sar": 1, "bar": 1}}, "CHOOSE sar"),
        ({"at": "EVENTS", "landscape": {"que": 1}, "hands": [{"igu": 5}, {"tri": 1}, {"ana": 2}]}, "SEAT 2"),
        ({"at": "EVENTS", "landscape": {"que": 1}, "hands": [{"igu": 5}, {"tri": 2}, {"ana": 2}]}, "SEAT 1"),
        ({"at": "EVENTS", "landscape": {"sta": 1}, "hands": hand(igu=2, par=1, pro=2)}, "CHOOSE par"),
        (
            {
                "at": "ROAM",
                "landscape": {"igu": 1, "par": 1, "pro": 1},
                "lasting": {"das": 1, "tim": 1},
                "hands": hand(igu=2, par=1, pro=2),
            },
            "CHOOSE par",
        ),
        (
            {
                "at": "ROAM",
                "landscape": {"igu": 2, "par": 1},
                "lasting": {"das": 1},
                "hands": hand(tri=1, par=1),
            },
            "CHOOSE igu",
        ),
        (
            {"at": "ROAM", "landscape": {"igu": 2, "par": 1}, "lasting": {"das": 1}, "hands": hand(tri=1)},
            "CHOOSE par",
        ),
    ],
    ids=str,
)
def test_other_decisions(position: dict[str, Any], action: str) -> None:
    assert answers(position) == {action}


def test_quetzalcoatlus_takes_from_itself_only_if_there_is_nobody_else() -> None:
    position = {"at": "EVENTS", "landscape": {"que": 1}, "hands": hand(igu=2)}
    assert answers(position, skip_forced=False) == {"SEAT 0"}


@pytest.mark.parametrize(
    ("active", "hands", "known", "action"),
    [
        (0, [{"ana": 2}, {"igu": 5}, {}], None, "CHOOSE ana"),  # 2 + 1 beats 0 + 2
        (0, [{"ana": 1}, {"igu": 5}, {}], None, "CHOOSE igu"),  # 0 + 2 and 1 + 1: the first of the table
        (2, [{}, {}, {"pro": 3, "ana": 2}], None, "CHOOSE ana"),  # pro does not lie there
        (0, [{"ana": 2}, {}, {}], [[None, {}, {}], [{}, None, {}], [{}, {}, None]], "CHOOSE igu"),  # not known
    ],
    ids=str,
)
def test_volcano(active: int, hands: list[dict[str, int]], known: Any, action: str) -> None:
    """What the active seat holds most, as far as can be proved, with L."""
    position = {"at": "EVENTS", "active": active, "landscape": {"vol": 1, "igu": 2, "ana": 1}, "hands": hands}
    assert answers(position if known is None else {**position, "known": known}) == {action}


def test_volcano_without_plants() -> None:
    position = {"at": "EVENTS", "landscape": {"vol": 1, "sar": 1}, "lasting": {"sun": 1}}
    assert answers(position) == {"CHOOSE sar"}


def test_what_is_random() -> None:
    """The order of Events and of Meat-Eaters."""
    events = answers({"at": "EVENTS", "landscape": {"rex": 1, "egg": 1, "que": 1}}, keys=200)
    assert events == {"CHOOSE rex", "CHOOSE egg", "CHOOSE que"}
    assert answers({"at": "MEAT", "landscape": {"sar": 1, "vel": 1}}, keys=200) == {"CHOOSE sar", "CHOOSE vel"}
    same = answers({"at": "COLLECT", "landscape": {"igu": 1, "ana": 1}}, keys=200)
    assert len(same) == 1


@pytest.mark.parametrize("options", [{"num_players": 4}, {"num_players": 2, "deck": "gamewright72"}], ids=str)
def test_it_plays_by_the_rules(options: dict[str, Any]) -> None:
    table = tooth(skip_forced=False, **options)
    agent = HeuristicAgent(table)
    for seed, moment in random_moments(table, 1500):
        if moment.action >= 0:
            seat = int(record(moment.states).seat)
            view = np.frombuffer(table.view(moment.states, seat).tobytes(), table.layout.dtype)
            action = int(agent.act(np.zeros((1, 0)), view, moment.mask[None], np.array([seed]))[0])
            assert moment.mask[action], table.actions[action]


@pytest.mark.skipif(not JIT, reason="thousands of games")
@pytest.mark.parametrize(("players", "share", "length"), [(2, 0.97, 53), (3, 0.92, 58), (4, 0.88, 82)])
def test_strength(players: int, share: float, length: float) -> None:
    """Section 10: wins against random players; section 1: how long it plays against itself."""
    table = tooth(num_players=players)
    agents = {"heuristic": HeuristicAgent(table), "random": RandomAgent()}
    report = evaluate(table, agents, 600, 3, mixed=False)
    assert abs(report.agents["heuristic"].win_share.mean - share) < 0.035
    stats = game_stats(table, 1500, 3, {"heuristic": HeuristicAgent(table)})
    assert abs(stats.length.mean - length) < 3
