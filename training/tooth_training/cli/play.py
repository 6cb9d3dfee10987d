"""One game at the terminal: a person in one seat, agents in the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from tooth_agents.agent import Agent
from tooth_agents.human import HumanAgent, Quit

from tooth_envs.engine import keys
from tooth_envs.engine.events import events_since
from tooth_envs.engine.integers import integer_in
from tooth_envs.engine.state import RUNNING, TRUNCATED, record
from tooth_envs.envs.asking import choose
from tooth_envs.envs.record import GameRecord, Recorder
from tooth_envs.errors import IllegalAction, ToothError
from tooth_envs.spec.game import Game, checked_seed


def play_game(
    game: Game,
    others: Sequence[tuple[str, Agent]],
    seat: int,
    seed: int,
    read: Callable[[str], str],
    write: Callable[[str], None],
    keep: Callable[[GameRecord], None] | None = None,
) -> bool:
    """Play one game.

    Args:
        game: the game with its options.
        others: (label, agent) for the other seats, clockwise from the person's left; fewer are repeated cyclically.
        seat: the person's.
        seed: names the deal and the agents' noise.
        read, write: see HumanAgent.
        keep: given the record of the game, also of one that the person stopped.

    Returns:
        Whether the game came to its end; False if the person stopped.

    Raises:
        ToothError: no such seat, or too many agents.
    """
    players = game.num_players
    if not integer_in(seat, 0, players - 1):
        raise ToothError(f"{game.name}: there is no seat {seat}; seats are 0 to {players - 1}")
    if not others or len(others) > players - 1:
        raise ToothError(f"{game.name}: {len(others)} agents for {players - 1} other seats; name 1 to {players - 1}")
    seed = checked_seed(seed)
    person = HumanAgent(game, read, write)
    seated: list[tuple[str, Agent]] = [("you", person)] * players
    for place in range(players - 1):
        seated[(seat + 1 + place) % players] = others[place % len(others)]
    write(f"{game.title}, {players} seats, seed {seed}. Type help for help, quit to stop.")
    for number, (label, _) in enumerate(seated):
        left = (number - seat) % players
        partner = ", your partner" if game.teams[number] == game.teams[seat] else ""
        write(f"  seat {number}: {label}" + (f" ({left} to your left{partner})" if left else ""))
    mask = game.new_mask()
    states = game.deal(seed, mask, trace=True)
    notes = Recorder(game, states, [label for label, _ in seated])
    try:
        _run(game, states, mask, seated, seat, notes, write)
    except Quit:
        write("The game was stopped.")
        return False
    finally:
        if keep is not None:
            keep(notes.finished())
    return True


def _run(
    game: Game,
    states: np.ndarray,
    mask: np.ndarray,
    seated: Sequence[tuple[str, Agent]],
    seat: int,
    notes: Recorder,
    write: Callable[[str], None],
) -> None:
    state = record(states)
    seed = int(state.seed)
    decisions = keys.DecisionKeys(keys.seat_keys(seed, keys.AGENT, [()], game.num_players))
    table = np.zeros(1, np.int64)
    returns = np.zeros(game.num_players)
    told = tell(game, states, seat, 0, write)
    while state.over == RUNNING:
        actor = int(state.seat)
        view = np.array([game.view(states, actor)], game.layout.dtype)
        key = decisions.next(table, np.array([actor]))
        label, agent = seated[actor]
        action = int(
            choose(agent, game, lambda: states, game.observe(states, actor)[None], view, mask[None].copy(), key)[0]
        )
        try:
            game.step(states, action, mask)
        except IllegalAction as problem:
            raise ToothError(f"agent {label!r}: {problem}") from None
        notes.add(actor, action, states)
        returns += state.reward[: game.num_players]
        told = tell(game, states, seat, told, write)
    write("")
    write(game.describe(game.view(states, seat)))
    write("")
    for line in final_ranking(game, states, [label for label, _ in seated], returns):
        write(line)


def final_ranking(game: Game, states: np.ndarray, labels: Sequence[str], returns: np.ndarray) -> list[str]:
    """How a game ended, in lines: best seat first."""
    state = record(states)
    lines = ["Final ranking" + (" (the step cap ended the game)" if state.over == TRUNCATED else "")]
    for place in np.argsort(state.rank[: game.num_players], kind="stable"):
        lines.append(f"  {int(state.rank[place])}. seat {place} ({labels[place]}), reward {returns[place]:+.3g}")
    return lines


def tell(game: Game, states: np.ndarray, seat: int | None, since: int, write: Callable[[str], None]) -> int:
    """Tell a seat (None: someone who sees all) what it may know of the events since a count; the new count."""
    state = record(states)
    for event in events_since(state, since):
        words = game.describe_event(event, seat)
        if words:
            write(words)
    return int(state.event_count)
