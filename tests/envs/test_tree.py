from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tooth_envs
from tests.kuhn import Kuhn
from tests.probe import Probe
from tooth_envs.envs.tree import CHANCE, OVER, Node
from tooth_envs.errors import IllegalAction, ToothError


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


def test_chance_that_goes_on_and_on_is_told_from_a_script() -> None:
    """Toothead's seats roll for the beginning until they differ: there is no end to the tree."""
    node = Node(tooth_envs.game("toothead", num_players=2))
    for _ in range(128):
        node = node.child(0)
    with pytest.raises(ToothError, match=r"one step asks chance for 129 outcomes.*too large to be unfolded"):
        node.child(0)


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


def after(node: Node, *choices: int) -> Node:
    for choice in choices:
        node = node.child(choice)
    return node


def test_an_own_action_is_remembered_even_if_no_view_shows_it() -> None:
    """Perfect recall comes from the histories, not from what the view happens to hold."""
    root = Node(Probe.create(kind="windows", length=4)).child(1)
    first = [after(root, action) for action in (0, 1)]
    assert len({node.game.view(node.states, 0).tobytes() for node in first}) == 1
    assert first[0].information_state(0) != first[1].information_state(0)
    assert first[0].information_state(1) == first[1].information_state(1), "that is not its own"
    later = {after(root, *choices).information_state(0) for choices in ((0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1))}
    assert len(later) == 4, "the first action is still known after the second"
    assert len({after(root, 0, other, 0).information_state(0) for other in (0, 1)}) == 1


def test_what_passed_unseen_leaves_no_trace() -> None:
    """A seat whose view stayed as it was cannot tell how many turns of others were skipped."""
    root = Node(Probe.create(num_players=3, kind="windows", length=6))
    again = []  # where the first seat has its second turn
    for second, third in ((0, 0), (0, 1), (1, 0), (1, 1)):
        node = after(root, second, third, 1, *[0] * (second + third))
        assert (node.player, node.depth) == (0, 1 + second + third)
        again.append(node.information_state(0))
    assert len(set(again)) == 1
    assert after(root, 1, 1).information_state(1) != after(root, 0, 1).information_state(1)
    assert after(root, 1, 1, 0).information_state(2) == after(root, 1, 1).information_state(2)


def test_strings_tell_seats_apart_and_changes_of_the_view() -> None:
    root = Node(Probe.create(num_players=3, length=3))
    assert len({root.information_state(seat) for seat in range(3)}) == 3, "all see the same, but are not the same"
    rolled = [after(root, 0, outcome) for outcome in (0, 3, 5)]
    for seat in range(3):
        assert len({node.information_state(seat) for node in rolled}) == 3
    twice = [after(node, 0, 0) for node in rolled]  # the same view again, by different ways
    for seat in range(3):
        assert len({node.game.view(node.states, seat).tobytes() for node in twice}) == 1
        assert len({node.information_state(seat) for node in twice}) == 3


def test_outcomes_that_lead_to_one_state_are_joined() -> None:
    node = Node(Probe.create(length=2)).child(1)
    assert node.player == CHANCE
    assert [outcome for outcome, _ in node.chance()] == [0, 3, 5]
    assert [p for _, p in node.chance()] == pytest.approx([1 / 2, 1 / 3, 1 / 6])
    assert [node.child(outcome).returns.tolist() for outcome in (2, 4, 5)] == [[0, 0], [1, -1], [2, -2]]


@pytest.mark.parametrize("deal_pays", [False, True])
def test_rewards_along_a_history_add_up_to_the_returns(deal_pays: bool) -> None:
    def check(node: Node, total: np.ndarray) -> None:
        total = total + node.last_rewards
        if node.player == CHANCE or node.depth == 0:
            assert not node.last_rewards.any(), "what the deal pays is paid with the first decision"
        assert total.tolist() == node.returns.tolist()
        for choice in [outcome for outcome, _ in node.chance()] or node.legal():
            check(node.child(choice), total)
        if node.player == OVER:
            ends.append(total.tolist())

    ends: list[list[float]] = []
    check(Node(Probe.create(length=2, deal_pays=deal_pays)), np.zeros(2))
    # Each of two dice pays its mover, the end the seat that the kept numbers name, and the deal the first.
    mine = sorted(
        first - second + (1 if (a + b) % 2 == 0 else -1) + deal_pays
        for first in range(3)
        for second in range(3)
        for a in range(2)
        for b in range(2)
    )
    assert sorted(ends) == [[value, -value] for value in mine]
    over = Node(Probe.create(length=0, deal_pays=deal_pays))
    assert over.player == OVER
    assert over.returns.tolist() == over.last_rewards.tolist() == [1 + deal_pays, -1 - deal_pays]
