from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tooth_envs
from tests.kuhn import Kuhn
from tooth_envs.errors import IllegalAction, ToothError
from tooth_envs.tree import CHANCE, OVER, Node


def walk(node: Node, odds: float = 1.0) -> list[tuple[Node, float]]:
    """All nodes with the probability that chance lets play come there."""
    found = [(node, odds)]
    if node.player == CHANCE:
        for outcome, p in node.chance():
            found += walk(node.child(outcome), odds * p)
    else:
        for action in node.legal():
            found += walk(node.child(action), odds)
    return found


def test_kuhn_is_the_tree_of_the_books() -> None:
    nodes = walk(Node(Kuhn.create()))
    kinds = Counter("chance" if n.player == CHANCE else "over" if n.player == OVER else "decision" for n, _ in nodes)
    assert kinds == {"chance": 4, "over": 30, "decision": 24}
    for seat in range(2):
        assert len({n.information_state(seat) for n, _ in nodes if n.player == seat}) == 6
    deals = [odds for n, odds in nodes if n.depth == 0 and n.player >= 0]
    assert len(deals) == 6
    assert deals == pytest.approx([1 / 6] * 6)
    for node, _ in nodes:
        assert abs(node.returns.sum()) < 1e-12
        if node.player == OVER:
            assert sorted(np.abs(node.returns).tolist()) in ([1, 1], [2, 2])
            assert node.legal() == []


@pytest.mark.parametrize(
    ("preset", "histories", "decisions", "information"),
    [("tiny_duel", 8, 6, (2, 2)), ("quartet", 96, 45, (3, 2, 2, 2)), ("small_duel", 216, 174, (57, 57))],
)
def test_presets_have_the_specified_size(
    preset: str, histories: int, decisions: int, information: tuple[int, ...]
) -> None:
    """The table of section 11 of the game's specification; histories of observation give the same partition."""
    nodes = [node for node, _ in walk(Node(tooth_envs.game("dragon_teeth_washer", preset=preset)))]
    assert sum(node.player == OVER for node in nodes) == histories
    assert sum(node.player >= 0 for node in nodes) == decisions
    for seat, count in enumerate(information):
        assert len({node.information_state(seat) for node in nodes if node.player == seat}) == count


def test_nodes_do_not_change() -> None:
    root = Node(Kuhn.create())
    node = root.child(0).child(1)
    before = (node.states.tobytes(), node.information_state(0), node.returns.tolist())
    node.child(0).child(1)
    node.child(1)
    assert (node.states.tobytes(), node.information_state(0), node.returns.tolist()) == before
    with pytest.raises(ToothError, match="there are 3"):
        root.child(3)
    with pytest.raises(IllegalAction):
        node.child(7)


def test_an_own_action_is_remembered_even_if_no_view_shows_it() -> None:
    """Perfect recall comes from the histories, not from what the view happens to hold."""
    node = Node(Kuhn.create()).child(0).child(1)
    after = [node.child(action) for action in (0, 1)]
    assert after[0].information_state(0) != after[1].information_state(0)
    assert after[0].information_state(1) != after[1].information_state(1)
