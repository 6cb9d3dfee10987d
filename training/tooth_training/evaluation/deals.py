"""Deal blocks: the same deals, played by every rotation of every lineup.

A *side* is what wins or loses: a seat, or in team play a team, all of whose seats are held by one agent. A *lineup*
says which agent takes which side. All its distinct rotations are played, so that every agent gets every side's luck.
A *block* is one game seed (one deck, one sequence of dice) under all rotations of all lineups; it is the unit of which
evaluations take means and intervals.

Which lineups there are, for K agents and S sides:

==========  =========================================================================================================
K = 1       the agent alone on all sides (says nothing about strength; shows what each side is worth)
K >= S      every choice of S agents, each on one side, in the order in which they were named
1 < K < S   *one among the others*: each agent takes one side, and the other K - 1, in the order in which they were
            named from it onwards, fill the remaining sides cyclically, once from every start. For A and B at four
            seats: A B B B and B A A A. And *mixed* (can be left out): one side for each agent, the remaining sides
            filled cyclically by all of them, once from every start: A B A B and A B B A.
==========  =========================================================================================================

A lineup that is a rotation of an earlier one is not played again. Each lineup tells for which agents it is the
measure: those that hold one side there among others, so that with equal agents each would win 1/S of the games.

An agent's noise comes from (seed, block, lineup, rotation, seat, own decision) alone: results do not depend on how many
games are played side by side. Deals and keys are derived one-way (tooth_envs/engine/keys.py), so that a key tells an
agent nothing of any deal, and an agent's rows are in the order of their keys, which tells nothing either. (Duplicate
deals can be recognised all the same by an agent that keeps what it saw: agents are to hold no state.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
from tooth_agents.agent import Agent

from tooth_envs.engine import keys
from tooth_envs.engine.chance import mix
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.integers import integer_in
from tooth_envs.engine.records import Numbers
from tooth_envs.envs.asking import choose
from tooth_envs.envs.lockstep import Lockstep
from tooth_envs.envs.record import GameRecord, record_moves
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game

CHUNK = 4096
"""Games played side by side: bounds the memory that observations take."""

Progress = Callable[[int, int], None]
"""Told (games done, games in all)."""


@dataclass(frozen=True)
class Lineup:
    """Who plays which side.

    Attributes:
        kind: "alone", "one each", "one among the others" or "mixed".
        sides: per side the number of its agent, before rotation.
        measures: the agents whose headline results come from this lineup.
    """

    kind: str
    sides: tuple[int, ...]
    measures: tuple[int, ...]

    def rotations(self) -> list[tuple[int, ...]]:
        """All distinct rotations: in rotation r, side s has the agent that had side s - r."""
        count = len(self.sides)
        turned = [tuple(self.sides[(s - r) % count] for s in range(count)) for r in range(count)]
        return list(dict.fromkeys(turned))


def lineups(agents: int, sides: int, mixed: bool = True) -> list[Lineup]:
    """The lineups of one block (see the head of this file).

    Args:
        agents: how many agents there are (K).
        sides: seats at the table, or teams (S).
        mixed: also play the mixed lineups where 1 < K < S.
    """
    if agents == 1:
        return [Lineup("alone", (0,) * sides, (0,))]
    if agents >= sides:
        return [Lineup("one each", chosen, chosen) for chosen in combinations(range(agents), sides)]
    found: list[Lineup] = []
    for agent in range(agents):
        others = [(agent + 1 + i) % agents for i in range(agents - 1)]
        for start in range(agents - 1):
            filling = [others[(start + i) % (agents - 1)] for i in range(sides - 1)]
            _add(found, Lineup("one among the others", (agent, *filling), (agent,)))
    for start in range(agents if mixed else 0):
        filling = [(start + i) % agents for i in range(sides - agents)]
        _add(found, Lineup("mixed", (*range(agents), *filling), ()))
    return found


def _add(found: list[Lineup], new: Lineup) -> None:
    """Add a lineup, or, if it is a rotation of one found already, let that one measure its agents too."""
    for place, known in enumerate(found):
        if known.sides in new.rotations():
            found[place] = Lineup(known.kind, known.sides, tuple(dict.fromkeys((*known.measures, *new.measures))))
            return
    found.append(new)


@dataclass(frozen=True)
class Schedule:
    """The G games of every block.

    Attributes:
        lineups: the lineups.
        lineup: int64 [G], which of them each game has.
        rotation: int64 [G], and in which rotation.
        seating: int64 [G, S], the agent on each side.
    """

    lineups: tuple[Lineup, ...]
    lineup: np.ndarray
    rotation: np.ndarray
    seating: np.ndarray

    @property
    def games(self) -> int:
        """Games in a block."""
        return len(self.seating)


def schedule(agents: int, sides: int, mixed: bool = True) -> Schedule:
    """The games of a block; arguments as for ``lineups``."""
    chosen = lineups(agents, sides, mixed)
    rows = [(i, r, sides) for i, lineup in enumerate(chosen) for r, sides in enumerate(lineup.rotations())]
    return Schedule(
        tuple(chosen),
        np.array([row[0] for row in rows], np.int64),
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.int64),
    )


@compiled
def mix_rows(first: Numbers, second: Numbers, third: Numbers, out: Numbers) -> None:
    """out[i] = mix(first[i], second[i], third[i])."""
    for i in range(len(out)):
        out[i] = mix(first[i], second[i], third[i])


def mixed_rows(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> np.ndarray:
    """An independent key per row, int64 [N], from three int64 [N]."""
    out = np.empty(len(first), np.int64)
    mix_rows(
        np.ascontiguousarray(first, np.int64),
        np.ascontiguousarray(second, np.int64),
        np.ascontiguousarray(third, np.int64),
        out,
    )
    return out


def block_seeds(seed: int, blocks: int) -> np.ndarray:
    """The game seed of each block: int64 [blocks]."""
    return keys.derive_all(seed, keys.DEAL, ((block,) for block in range(blocks)))


def noise_keys(seed: int, blocks: int, plan: Schedule, players: int) -> np.ndarray:
    """The key of each seat's noise in each game: int64 [blocks * G, players], block by block."""
    games = list(zip(plan.lineup.tolist(), plan.rotation.tolist(), strict=True))
    return keys.seat_keys(seed, keys.AGENT, ((block, *game) for block in range(blocks) for game in games), players)


@dataclass(frozen=True)
class Played:
    """What became of M games with P seats (or sides, see ``by_side``).

    Attributes:
        rank: int64 [M, P], competition ranks. reward: float64 [M, P], returns. length: int64 [M], decisions.
        truncated: bool [M], ended by the step cap.
        line: int64 [M], a hash of who did what in which order, without the deal.
    """

    rank: np.ndarray
    reward: np.ndarray
    length: np.ndarray
    truncated: np.ndarray
    line: np.ndarray

    def by_side(self, teams: Sequence[int]) -> Played:
        """The same games told by sides: ranks of teams, and the mean return of their members.

        Args:
            teams: per seat the number of its team, from 0; as many teams as seats change nothing.
        """
        of_seat = np.array(teams)
        first = [int(np.flatnonzero(of_seat == team)[0]) for team in range(of_seat.max() + 1)]
        best = self.rank[:, first]  # the members of a team share its rank
        rank = 1 + (best[:, None, :] < best[:, :, None]).sum(axis=2)
        reward = np.stack([self.reward[:, of_seat == team].mean(axis=1) for team in range(len(first))], axis=1)
        return replace(self, rank=rank, reward=reward)

    @property
    def win_share(self) -> np.ndarray:
        """float64 [M, P]: 1 for the winner; tied winners split it."""
        first = self.rank == 1
        return first / first.sum(axis=1, keepdims=True)

    @property
    def place(self) -> np.ndarray:
        """float64 [M, P]: ranks in which tied seats share the mean of their places (1, 1, 3 becomes 1.5, 1.5, 3)."""
        ahead = (self.rank[:, None, :] < self.rank[:, :, None]).sum(axis=2)
        equal = (self.rank[:, None, :] == self.rank[:, :, None]).sum(axis=2)
        return ahead + (equal + 1) / 2.0


def play(
    game: Game,
    agents: Sequence[Agent],
    labels: Sequence[str],
    seating: np.ndarray,
    seeds: np.ndarray,
    noise: np.ndarray,
    chunk: int = CHUNK,
    progress: Progress | None = None,
    keep: Callable[[GameRecord], None] | None = None,
    ended: Callable[[np.ndarray], None] | None = None,
) -> Played:
    """Play M games to their ends.

    Args:
        game: the game with its options.
        agents, labels: the agents, and what to call them in errors.
        seating: int64 [M, P], per game and seat the number of its agent.
        seeds: int64 [M], game seeds. noise: int64 [M, P], the key of each seat's noise in each game.
        chunk: games played side by side; results do not depend on it.
        progress: told how far it is, after each chunk.
        keep: given the record of every game, in order. Without it no records are made, which is faster.
        ended: given the last states of all games, in order, chunk by chunk.

    Raises:
        ToothError: an agent chose an illegal action, or returned something that is no batch of actions.
    """
    if not integer_in(chunk, 1, 2**31 - 1):
        raise ToothError(f"chunk is {chunk!r}; give an integer from 1")
    games, players = seating.shape
    played = Played(
        np.zeros((games, players), np.int64),
        np.zeros((games, players)),
        np.zeros(games, np.int64),
        np.zeros(games, np.bool_),
        np.zeros(games, np.int64),
    )
    for first in range(0, games, chunk):
        part = slice(first, min(first + chunk, games))
        batch = Lockstep(game, seeds[part])
        moves: list[list[int]] | None = None if keep is None else [[] for _ in range(part.stop - first)]
        _play_out(batch, agents, labels, seating[part], noise[part], played.line[part], moves)
        played.rank[part] = batch.rank[:, :players]
        played.reward[part] = batch.returns[:, :players]
        played.length[part] = batch.steps
        played.truncated[part] = batch.truncated
        if ended is not None:
            ended(batch.states())
        if keep is not None and moves is not None:
            for row, actions in enumerate(moves, first):
                seated = [labels[agent] for agent in seating[row]]
                keep(record_moves(game, int(seeds[row]), actions, seated))
        if progress is not None:
            progress(part.stop, games)
    if (played.rank < 1).any() or not (played.rank == 1).any(axis=1).all():
        raise ToothError(f"{game.name}: a game ended without a rank for every seat and a winner")
    return played


def _play_out(
    batch: Lockstep,
    agents: Sequence[Agent],
    labels: Sequence[str],
    seating: np.ndarray,
    noise: np.ndarray,
    line: np.ndarray,
    moves: list[list[int]] | None,
) -> None:
    """Play one batch to its end; ``line`` becomes the hashes of its games, ``moves`` is given their actions."""
    # One call for each distinct agent, even if it goes by several labels.
    same_as = [next(j for j, other in enumerate(agents) if other is agent) for agent in agents]
    player = np.array(same_as, np.int64)[seating]
    actions = np.zeros(len(seating), np.int64)
    decisions = keys.DecisionKeys(noise)
    while True:
        rows = np.flatnonzero(batch.running)
        if len(rows) == 0:
            return
        seats = batch.seat[rows].astype(np.int64)
        to_act = player[rows, seats]
        key = decisions.next(rows, seats)
        for number in np.unique(to_act):
            own = np.flatnonzero(to_act == number)
            own = own[np.argsort(key[own], kind="stable")]  # neighbours would be one deal, seen from several seats
            at = rows[own]
            chosen = choose(
                agents[number],
                batch.game,
                partial(batch.states_at, at),
                batch.observation[at],
                batch.view[at],
                batch.mask[at],
                key[own],
            )
            actions[at] = _checked(chosen, len(at), labels[number])
        batch.step(actions)
        if batch.refused.any():
            _illegal(batch, actions, labels, seating)
        line[rows] = mixed_rows(line[rows], seats, actions[rows])
        if moves is not None:
            for row in rows:
                moves[row].append(int(actions[row]))


def _checked(chosen: object, count: int, label: str) -> np.ndarray:
    actions = np.asarray(chosen)
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise ToothError(
            f"agent {label!r} was asked for {count} actions, one integer per row, but returned "
            f"{actions.dtype} {actions.shape}"
        )
    return actions.astype(np.int64)


def _illegal(batch: Lockstep, actions: np.ndarray, labels: Sequence[str], seating: np.ndarray) -> None:
    refused = np.flatnonzero(batch.refused)
    row = int(refused[0])
    seat, action = int(batch.seat[row]), int(actions[row])
    names = batch.game.actions
    name = names[action] if 0 <= action < len(names) else "no action"
    legal = ", ".join(names[index] for index in np.flatnonzero(batch.mask[row]))
    raise ToothError(
        f"agent {labels[int(seating[row, seat])]!r} chose the illegal action {action} ({name}) in seat {seat} at "
        f"decision {int(batch.steps[row])} of the game with seed {int(batch.seeds[row])}; legal: {legal}. "
        f"Illegal actions among the {len(actions)} games played side by side: {len(refused)}. Nothing is reported."
    )
