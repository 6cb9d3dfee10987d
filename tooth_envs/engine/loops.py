"""Compiled loops over games of any kind: step, deal, observe, batch, playout.

Everything that advances a game goes through ``step`` and ``start`` below, so that single, batched and search
use cannot differ. All loops take arrays; ``tables`` holds one row per variant (number of players, options).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tooth_envs.engine import protocol
from tooth_envs.engine.chance import mix, reseed, scaled
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import forget
from tooth_envs.engine.protocol import view as write_view  # numba refuses any attribute named "view"
from tooth_envs.engine.records import Mask, Numbers, StateRecord, TablesRecord
from tooth_envs.engine.state import RUNNING, TERMINATED, TRUNCATED
from tooth_envs.engine.streams import EngineStream

LONGEST_CHAIN = 10_000
"""Decisions without a choice in a row after which a game is truncated: rules that run in circles must not hang."""

MOST_DEALS = 1000
"""How often BatchEnv deals anew when games are over at once; if it always is so, the row stays without a decision."""

SCALED, CATEGORY = 0, 1
"""How a run of view entries becomes observation entries (spec/layout.py)."""


@compiled
def only_action(mask: Mask) -> int:
    """The one legal action, or -1 if there are several (or none)."""
    found = -1
    for action in range(len(mask)):
        if mask[action]:
            if found >= 0:
                return -1
            found = action
    return found


@compiled
def settle(tables: TablesRecord, state: StateRecord, mask: Mask) -> None:
    """Carry out decisions that leave no choice, end the game at the cap, and fill the mask of what is asked next."""
    mask[:] = 0
    forced = 0
    while state.over == RUNNING and state.seat >= 0:
        protocol.legal(tables, state, mask)
        if tables.skip_forced == 0 or (tables.always_ask >> state.decision) & 1:
            break
        action = only_action(mask)
        if action < 0:
            break
        mask[action] = 0
        protocol.apply(tables, state, action)
        forced += 1
        if forced == LONGEST_CHAIN and state.over == RUNNING:
            state.over = TRUNCATED
    if state.over == RUNNING and state.steps >= tables.max_steps:
        state.over = TRUNCATED
    if state.over != RUNNING:
        mask[:] = 0
        state.seat = -1
        state.decision = -1
        protocol.finish(tables, state, state.over == TRUNCATED)


@compiled
def start(tables: TablesRecord, state: StateRecord, mask: Mask) -> None:
    """From a record that holds seed, players and script to the first decision."""
    protocol.deal(tables, state)
    settle(tables, state, mask)


@compiled
def step(tables: TablesRecord, state: StateRecord, action: int, mask: Mask) -> None:
    """One decision of one game. ``action`` must be legal; afterwards rewards, ranks and mask are up to date.

    Rewards paid before the first decision, by the deal, stay and are paid with it.
    """
    if state.steps > 0:
        state.reward[:] = 0.0
    state.steps += 1
    protocol.apply(tables, state, action)
    settle(tables, state, mask)


@compiled
def resume(tables: TablesRecord, state: StateRecord, mask: Mask) -> None:
    """Go on from a phase in which play had halted, or that a position put into the record."""
    state.reward[:] = 0.0
    protocol.advance(tables, state)
    settle(tables, state, mask)


@compiled
def encode(codec: Numbers, vector: Numbers, out: Numbers) -> None:
    """Turn a view's numbers into an observation: float32 in [0, 1], or one-hot for categories."""
    for r in range(len(codec)):
        run = codec[r]
        source = run.source
        target = run.target
        count = run.count
        if run.kind == SCALED:
            # Slices and float32 throughout: so it becomes vector instructions. All these numbers are exact in float32.
            low = np.float32(run.low)
            width = np.float32(run.high - run.low)
            numbers = vector[source : source + count]
            places = out[target : target + count]
            for j in range(count):
                places[j] = (np.float32(numbers[j]) - low) / width
        else:
            classes = run.high + 1
            for k in range(count * classes):
                out[target + k] = 0.0
            for j in range(count):
                if 0 <= vector[source + j] < classes:  # nothing outside of the run is ever written
                    out[target + j * classes + vector[source + j]] = 1.0


@compiled
def observe(
    tables: TablesRecord, state: StateRecord, seat: int, view: Any, vector: Numbers, codec: Numbers, out: Numbers
) -> None:
    """A seat's view and observation. ``vector`` is the view's own memory as int16."""
    vector[:] = 0
    write_view(tables, state, seat, view)
    encode(codec, vector, out)


@compiled
def resample(tables: TablesRecord, state: StateRecord, seat: int, seed: int) -> None:
    """Draw anew what a seat cannot know; later chance is another game's, and no event tells what really happened."""
    reseed(state, seed)
    forget(state)
    protocol.resample(tables, state, seat, seed)
    reseed(state, mix(seed, 1, 1))


# Entry points for one game: arrays of length one, because numba recognises arrays faster than records.


@compiled
def start_one(tables: Numbers, states: Numbers, mask: Mask) -> None:
    start(tables[0], states[0], mask)


@compiled
def step_one(tables: Numbers, states: Numbers, action: int, mask: Mask) -> None:
    step(tables[0], states[0], action, mask)


@compiled
def resume_one(tables: Numbers, states: Numbers, mask: Mask) -> None:
    resume(tables[0], states[0], mask)


@compiled
def legal_one(tables: Numbers, states: Numbers, mask: Mask) -> None:
    """The mask of the seat to act; zero if nobody is asked."""
    mask[:] = 0
    if states[0].over == RUNNING and states[0].seat >= 0:
        protocol.legal(tables[0], states[0], mask)


@compiled
def observe_one(
    tables: Numbers, states: Numbers, seat: int, views: Numbers, vectors: Numbers, codec: Numbers, out: Numbers
) -> None:
    observe(tables[0], states[0], seat, views[0], vectors[0], codec, out)


@compiled
def view_one(tables: Numbers, states: Numbers, seat: int, views: Numbers, vectors: Numbers) -> None:
    vectors[0, :] = 0
    write_view(tables[0], states[0], seat, views[0])


@compiled
def resample_one(tables: Numbers, states: Numbers, seat: int, seed: int) -> None:
    resample(tables[0], states[0], seat, seed)


@compiled
def resample_rows(tables: Numbers, states: Numbers, keys: Numbers, worlds: Numbers) -> None:
    """Worlds for the seat to act in every row: as many for each as ``worlds`` has rows for, each from its own key."""
    count = len(worlds) // max(1, len(states))
    for i in range(len(states)):
        for k in range(count):
            worlds[i * count + k] = states[i]
            resample(tables[0], worlds[i * count + k], states[i].seat, mix(keys[i], EngineStream.WORLD, k))


@compiled
def step_and_observe_one(
    tables: Numbers,
    states: Numbers,
    action: int,
    mask: Mask,
    views: Numbers,
    vectors: Numbers,
    codec: Numbers,
    out: Numbers,
) -> None:
    """Step, and the observation of the seat to act next (unchanged if the game is over)."""
    step(tables[0], states[0], action, mask)
    if states[0].seat >= 0:
        observe(tables[0], states[0], states[0].seat, views[0], vectors[0], codec, out)


# Many games.


@compiled
def deal_row(
    tables: Numbers, blanks: Numbers, states: Numbers, variant: Numbers, i: int, seed: int, episode: Numbers, mask: Mask
) -> None:
    """Deal row i of a batch: its seed depends on (seed, row, episode) alone.

    A game that is over before anybody was asked has nothing to show: the next episode is dealt instead.
    """
    for _ in range(MOST_DEALS):
        states[i] = blanks[variant[i]]
        states[i].seed = mix(mix(seed, EngineStream.EPISODE, i), EngineStream.EPISODE, episode[i])
        start(tables[variant[i]], states[i], mask)
        if states[i].over == RUNNING:
            return
        episode[i] += 1


@compiled(nogil=True)
def batch_reset(
    first: int,
    end: int,
    tables: Numbers,
    blanks: Numbers,
    variant: Numbers,
    states: Numbers,
    seed: int,
    episode: Numbers,
    legal: Numbers,
    views: Numbers,
    vectors: Numbers,
    codec: Numbers,
    observation: Numbers,
) -> None:
    for i in range(first, end):
        episode[i] = 0
        deal_row(tables, blanks, states, variant, i, seed, episode, legal[i])
        observe(tables[variant[i]], states[i], max(0, states[i].seat), views[i], vectors[i], codec, observation[i])


@compiled(nogil=True)
def batch_step(
    first: int,
    end: int,
    tables: Numbers,
    blanks: Numbers,
    variant: Numbers,
    states: Numbers,
    actions: Numbers,
    seed: int,
    episode: Numbers,
    legal: Numbers,
    views: Numbers,
    vectors: Numbers,
    codec: Numbers,
    observation: Numbers,
    reward: Numbers,
    returns: Numbers,
    terminated: Numbers,
    truncated: Numbers,
    refused: Numbers,
    final_observation: Numbers,
    final_rank: Numbers,
    final_return: Numbers,
    final_steps: Numbers,
    final_fault: Numbers,
) -> None:
    for i in range(first, end):
        action = actions[i]
        reward[i, :] = 0.0
        terminated[i] = False
        truncated[i] = False
        refused[i] = False
        if action < 0 or action >= legal.shape[1] or legal[i, action] == 0:
            refused[i] = True
        else:
            table = tables[variant[i]]
            mover = states[i].seat
            step(table, states[i], action, legal[i])
            for seat in range(reward.shape[1]):
                reward[i, seat] = states[i].reward[seat]
                returns[i, seat] += states[i].reward[seat]
            if states[i].over != RUNNING:
                terminated[i] = states[i].over == TERMINATED
                truncated[i] = states[i].over == TRUNCATED
                observe(table, states[i], mover, views[i], vectors[i], codec, final_observation[i])
                for seat in range(reward.shape[1]):
                    final_rank[i, seat] = states[i].rank[seat]
                    final_return[i, seat] = returns[i, seat]
                    returns[i, seat] = 0.0
                final_steps[i] = states[i].steps
                final_fault[i] = states[i].fault
                episode[i] += 1
                deal_row(tables, blanks, states, variant, i, seed, episode, legal[i])
            observe(table, states[i], max(0, states[i].seat), views[i], vectors[i], codec, observation[i])


@compiled
def batch_observe(
    tables: Numbers,
    variant: Numbers,
    states: Numbers,
    legal: Numbers,
    views: Numbers,
    vectors: Numbers,
    codec: Numbers,
    observation: Numbers,
) -> None:
    """Masks and observations of the seats to act, for states put into the batch from outside."""
    for i in range(len(states)):
        legal[i, :] = 0
        protocol.legal(tables[variant[i]], states[i], legal[i])
        observe(tables[variant[i]], states[i], states[i].seat, views[i], vectors[i], codec, observation[i])


@compiled(nogil=True)
def lockstep_deal(
    first: int,
    end: int,
    tables: Numbers,
    blanks: Numbers,
    states: Numbers,
    seeds: Numbers,
    legal: Numbers,
    returns: Numbers,
    views: Numbers,
    vectors: Numbers,
    codec: Numbers,
    observation: Numbers,
) -> None:
    """Deal one game per given seed, to be played to its end without a new deal."""
    for i in range(first, end):
        states[i] = blanks[0]
        states[i].seed = seeds[i]
        start(tables[0], states[i], legal[i])
        if states[i].over != RUNNING:  # otherwise what the deal pays is paid with the first decision
            for seat in range(returns.shape[1]):
                returns[i, seat] = states[i].reward[seat]
        if states[i].seat >= 0:
            observe(tables[0], states[i], states[i].seat, views[i], vectors[i], codec, observation[i])


@compiled(nogil=True)
def lockstep_step(
    first: int,
    end: int,
    tables: Numbers,
    states: Numbers,
    actions: Numbers,
    legal: Numbers,
    refused: Numbers,
    returns: Numbers,
    views: Numbers,
    vectors: Numbers,
    codec: Numbers,
    observation: Numbers,
) -> None:
    """One decision in every game that is not over."""
    for i in range(first, end):
        refused[i] = False
        if states[i].over != RUNNING:
            continue
        action = actions[i]
        if action < 0 or action >= legal.shape[1] or legal[i, action] == 0:
            refused[i] = True
            continue
        step(tables[0], states[i], action, legal[i])
        for seat in range(returns.shape[1]):
            returns[i, seat] += states[i].reward[seat]
        if states[i].seat >= 0:
            observe(tables[0], states[i], states[i].seat, views[i], vectors[i], codec, observation[i])


@compiled
def random_rows(masks: Numbers, keys: Numbers, actions: Numbers) -> None:
    """A random legal action per row, each from its own key; -1 where none is legal."""
    for i in range(len(actions)):
        actions[i] = random_action(masks[i], mix(keys[i], 0, 0))


@compiled
def random_action(mask: Mask, number: int) -> int:
    """A legal action chosen uniformly by a number from ``chance.mix``; -1 if none is legal."""
    count = 0
    for action in range(len(mask)):
        count += int(mask[action])
    if count == 0:
        return -1
    left = scaled(number, count)
    for action in range(len(mask)):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return -1


@compiled
def random_actions(masks: Numbers, key: int, actions: Numbers) -> None:
    """A random legal action per row, from (key, row); -1 where none is legal."""
    for i in range(len(actions)):
        actions[i] = random_action(masks[i], mix(key, i, 0))


@compiled
def random_games(
    tables: Numbers,
    blanks: Numbers,
    states: Numbers,
    seed: int,
    first: int,
    count: int,
    mask: Mask,
    lengths: Numbers,
    ranks: Numbers,
    truncated: Numbers,
) -> None:
    """Play whole games with random legal actions, one after the other.

    Game g (first <= g < first + count) is dealt from (seed, g) and its choices come from the same. Written per
    game: number of decisions, rank per seat, whether the cap ended it. The games take turns in ``states``: with
    ``count`` of them, all last states are kept.
    """
    for g in range(count):
        i = g % len(states)
        states[i] = blanks[0]
        states[i].seed = mix(seed, EngineStream.EPISODE, first + g)
        choices = mix(seed, EngineStream.CHOICES, first + g)
        start(tables[0], states[i], mask)
        while states[i].over == RUNNING:
            step(tables[0], states[i], random_action(mask, mix(choices, 0, states[i].steps)), mask)
        lengths[g] = states[i].steps
        truncated[g] = states[i].over == TRUNCATED
        for seat in range(ranks.shape[1]):
            ranks[g, seat] = states[i].rank[seat]


@compiled
def play_out(tables: Numbers, states: Numbers, key: int, mask: Mask) -> bool:
    """From a state to its game's end by random legal actions: whether it came there."""
    legal_one(tables, states, mask)
    while states[0].over == RUNNING:
        action = random_action(mask, mix(key, 0, states[0].steps))
        if action < 0:
            return False
        step(tables[0], states[0], action, mask)
    return True


@compiled
def playout(tables: Numbers, blanks: Numbers, states: Numbers, seed: int, decisions: int, mask: Mask) -> int:
    """The benchmark's loop: random play without observations, game after game. Returns the number of games ended."""
    games = 0
    states[0] = blanks[0]
    states[0].seed = mix(seed, EngineStream.EPISODE, games)
    start(tables[0], states[0], mask)
    for d in range(decisions):
        if states[0].over == RUNNING:  # else it was over before anybody was asked
            step(tables[0], states[0], random_action(mask, mix(seed, 0, d)), mask)
        if states[0].over != RUNNING:
            games += 1
            states[0] = blanks[0]
            states[0].seed = mix(seed, EngineStream.EPISODE, games)
            start(tables[0], states[0], mask)
    return games
