"""The whole tree of a small game, by replay; exact values of the uniform policy and of best responses to it.

Chance is enumerated with the ``ANY`` script (engine/chance.py): a step is replayed with one outcome more for every
request that no script answered. What a seat knows at a decision is its view with the full history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tooth_envs.engine import loops
from tooth_envs.engine.chance import set_script
from tooth_envs.engine.state import RUNNING, record
from tooth_envs.spec.game import Game, views_of

DENOMINATOR = 10_000
"""Rewards are fractions with smaller denominators than this, so that floats give them back exactly."""


@dataclass(slots=True)
class Node:
    """A node of the tree. Chance: ``odds`` per child. Decision: ``seat`` and ``known``. End: ``returns`` per seat."""

    children: list[Node]
    odds: list[Fraction] | None = None
    seat: int = -1
    known: bytes = b""
    returns: tuple[Fraction, ...] | None = None


def tree(game: Game) -> Node:
    """All of a game, from the deal on. The game must have been made with ``history=True``."""
    assert game.options.history, "information states need the full history"

    def deal(states: np.ndarray) -> None:
        loops.start_one(game.tables, states, game.new_mask())

    return _after(game, game.new_states(), deal, (0.0,) * game.num_players)


def _after(game: Game, before: np.ndarray, act: Callable[[np.ndarray], None], returns: tuple[float, ...]) -> Node:
    """What follows an act: one node, or a chance node above all that can happen."""
    found = list(_outcomes(before, act, (), Fraction(1)))
    if len(found) == 1:
        return _node(game, found[0][0], returns)
    return Node([_node(game, states, returns) for states, _ in found], odds=[odds for _, odds in found])


def _outcomes(
    before: np.ndarray, act: Callable[[np.ndarray], None], script: tuple[int, ...], odds: Fraction
) -> Iterator[tuple[np.ndarray, Fraction]]:
    states = before.copy()
    state = record(states)
    state.open_count = 0
    set_script(state, {"any": script})
    act(states)
    assert state.fault == 0
    if state.open_count == 0:
        yield states, odds
        return
    for outcome in range(state.open_count):
        yield from _outcomes(before, act, (*script, outcome), odds / int(state.open_count))


def _node(game: Game, states: np.ndarray, returns: tuple[float, ...]) -> Node:
    state = record(states)
    returns = tuple(total + float(state.reward[seat]) for seat, total in enumerate(returns))
    if state.over != RUNNING:
        return Node([], returns=tuple(Fraction(total).limit_denominator(DENOMINATOR) for total in returns))
    seat = int(state.seat)
    mask = game.new_mask()
    loops.legal_one(game.tables, states, mask)
    vectors = np.zeros((1, game.layout.length), np.int16)
    loops.view_one(game.tables, states, seat, views_of(vectors, game.layout), vectors)
    scratch = game.new_mask()
    children = []
    for action in np.flatnonzero(mask):

        def act(copy: np.ndarray, action: int = int(action)) -> None:
            loops.step_one(game.tables, copy, action, scratch)

        children.append(_after(game, states, act, returns))
    return Node(children, seat=seat, known=bytes([state.decision]) + vectors.tobytes())


@dataclass(frozen=True)
class Counts:
    """How large a tree is: ends, decision nodes, and information states per seat."""

    histories: int
    decisions: int
    information: tuple[int, ...]


def count(root: Node, players: int) -> Counts:
    """Count the nodes of a tree."""
    histories = decisions = 0
    known: list[set[bytes]] = [set() for _ in range(players)]
    left = [root]
    while left:
        node = left.pop()
        left.extend(node.children)
        histories += node.returns is not None
        if node.seat >= 0:
            decisions += 1
            known[node.seat].add(node.known)
    return Counts(histories, decisions, tuple(len(states) for states in known))


Policy = dict[bytes, list[float]]
"""Per information state, the chance of each legal action; states that are missing are played uniformly."""


def value(root: Node, seat: int, policy: Policy | None = None) -> Fraction | float:
    """Expected return of a seat when all play a policy (default: uniform, exactly)."""
    return _Evaluation(root, seat, policy or {}, respond=False).value(root)


def best_response(root: Node, seat: int, policy: Policy | None = None) -> Fraction | float:
    """Expected return of a seat that plays its best against others who play a policy (default: uniform, exactly)."""
    return _Evaluation(root, seat, policy or {}, respond=True).value(root)


def nash_conv(root: Node, players: int) -> Fraction | float:
    """Sum over seats of what a best response to the uniform policy gains."""
    return sum((best_response(root, seat) - value(root, seat) for seat in range(players)), Fraction(0))


def solve(root: Node, rounds: int) -> Policy:
    """A policy close to equilibrium in a zero-sum game of two seats, by CFR+ (Tammelin, arXiv 1407.5042)."""
    regret: dict[bytes, list[float]] = {}
    total: Policy = {}

    def strategy(node: Node) -> list[float]:
        gains = regret.setdefault(node.known, [0.0] * len(node.children))
        positive = sum(gains)
        return [gain / positive for gain in gains] if positive > 0 else [1 / len(gains)] * len(gains)

    def walk(node: Node, seat: int, own: float, others: float, weight: int) -> float:
        if node.returns is not None:
            return float(node.returns[seat])
        if node.seat < 0:
            odds = [float(chance) for chance in node.odds or ()]
            return sum(
                p * walk(child, seat, own, others * p, weight) for p, child in zip(odds, node.children, strict=True)
            )
        probabilities = current[node.known] if node.known in current else strategy(node)
        current[node.known] = probabilities
        if node.seat != seat:
            return sum(
                p * walk(child, seat, own, others * p, weight)
                for p, child in zip(probabilities, node.children, strict=True)
            )
        values = [
            walk(child, seat, own * p, others, weight) for p, child in zip(probabilities, node.children, strict=True)
        ]
        mean = sum(p * one for p, one in zip(probabilities, values, strict=True))
        gains = gained.setdefault(node.known, [0.0] * len(values))
        shares = total.setdefault(node.known, [0.0] * len(values))
        for action, one in enumerate(values):
            gains[action] += others * (one - mean)
            shares[action] += weight * own * probabilities[action]
        return mean

    for step in range(1, rounds + 1):
        for seat in range(2):
            current: Policy = {}
            gained: dict[bytes, list[float]] = {}
            walk(root, seat, 1.0, 1.0, step)
            for known, gains in gained.items():
                regret[known] = [max(0.0, old + new) for old, new in zip(regret[known], gains, strict=True)]
    return {known: [share / sum(shares) for share in shares] for known, shares in total.items() if sum(shares) > 0}


class _Evaluation:
    def __init__(self, root: Node, seat: int, policy: Policy, respond: bool) -> None:
        self.seat = seat
        self.policy = policy
        self.respond = respond
        self.values: dict[int, Any] = {}
        self.choices: dict[bytes, int] = {}
        # Per information state of the seat: its nodes, with the chance that the others and luck lead there.
        self.members: dict[bytes, list[tuple[Node, Any]]] = defaultdict(list)
        left: list[tuple[Node, Any]] = [(root, Fraction(1))]
        while left:
            node, reach = left.pop()
            if node.seat == seat:
                self.members[node.known].append((node, reach))
            for child, odds in zip(node.children, self.odds(node), strict=True):
                left.append((child, reach * (1 if node.seat == seat else odds)))

    def odds(self, node: Node) -> list[Any]:
        if node.odds is not None:
            return node.odds
        return self.policy.get(node.known) or [Fraction(1, len(node.children) or 1)] * len(node.children)

    def value(self, node: Node) -> Any:
        if node.returns is not None:
            return node.returns[self.seat]
        if id(node) not in self.values:
            if self.respond and node.seat == self.seat:
                found = self.value(node.children[self.choice(node.known)])
            else:
                found = sum(
                    odds * self.value(child) for odds, child in zip(self.odds(node), node.children, strict=True)
                )
            self.values[id(node)] = found
        return self.values[id(node)]

    def choice(self, known: bytes) -> int:
        if known not in self.choices:
            members = self.members[known]
            actions = range(len(members[0][0].children))
            worth = [sum(reach * self.value(node.children[action]) for node, reach in members) for action in actions]
            self.choices[known] = worth.index(max(worth))
        return self.choices[known]
