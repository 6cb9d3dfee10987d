"""Enums: numbers, names and meanings."""

from __future__ import annotations

import numpy as np

from tooth_envs.engine.compile import compiled
from tooth_envs.engine.enums import ActionGroup, Named


class Colour(Named):
    NOTHING = -1, "no colour"
    RED = "of blood"
    GREEN = "of grass"
    LATE = 7, "after a gap"
    LAST = "the next one"


class Action(ActionGroup):
    STOP = "STOP"
    PAY = "PAY {}", ("a", "b", "c")
    TAKE = "TAKE {} x{}", ("a", "b"), range(1, 4)
    END = "END"


@compiled
def coded(row):
    row[0] = Colour.GREEN
    row[1] = Action.TAKE + 3 * 1 + 2
    row[2] = Colour.LATE if row[0] == Colour.GREEN else Colour.RED
    row[3] = twice(Colour.LAST)


@compiled
def twice(number):
    return 2 * number


def test_members_are_numbered_in_order() -> None:
    assert [int(member) for member in Colour] == [-1, 0, 1, 7, 8]
    assert Colour.GREEN.meaning == "of grass"
    assert Colour.names() == ("RED", "GREEN", "LATE", "LAST")


def test_groups_of_actions_follow_each_other() -> None:
    names = ("STOP", "PAY a", "PAY b", "PAY c", "TAKE a x1", "TAKE a x2", "TAKE a x3", "TAKE b x1", "TAKE b x2")
    assert Action.table() == (*names, "TAKE b x3", "END")
    assert Action.total() == len(Action.table())
    for member in Action:
        assert Action.table()[member : member + member.count] == member.names()
    assert Action.PAY.names(("x", "y", "z")) == ("PAY x", "PAY y", "PAY z")


def test_members_are_integers_in_compiled_code_too() -> None:
    row = np.zeros(4, np.int16)
    coded(row)
    assert row.tolist() == [1, Action.table().index("TAKE b x3"), 7, 16]
