"""Checks of the rules: what is legal, seeds, rewards, bounds, and the same rules in plain Python."""

from __future__ import annotations

import re
from typing import get_args

import numpy as np

from tooth_envs.engine import loops, plain
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.state import RUNNING, TERMINATED, TRUNCATED, digest, record, violations
from tooth_envs.errors import IllegalAction, ToothError
from tooth_envs.spec.layout import Layout
from tooth_envs.spec.options import Options
from tooth_envs.testing.play import chosen, random_game, random_moments, spread_moments
from tooth_envs.testing.subject import Subject, check, raising, require, skip


@check
def names(subject: Subject) -> None:
    """Actions, decisions, phases and events have names, each its own; every option is described."""
    game = subject.game
    for what in ("actions", "decisions", "phases", "event_kinds"):
        given = getattr(game, what)
        require(all(isinstance(name, str) and name.strip() for name in given), f"{what}: a name is empty: {given}")
        require(len({name.casefold() for name in given}) == len(given), f"{what}: a name is there twice: {given}")
    require(game.decisions, "decisions: there is none")
    for option, field in type(game).Options.model_fields.items():
        common = Options.model_fields.get(option)
        told = field.description or (common is not None and common.description)
        require(told or len(get_args(field.annotation)) == 1, f"option {option}: has no description")


@check
def masks_and_legality(subject: Subject) -> None:
    """An action is legal exactly if the mask has it; what is illegal is refused by name and changes nothing."""
    game = subject.game
    for seed, moment in spread_moments(game, subject.some(300)):
        where = f"seed {seed}, step {int(record(moment.states).steps)}"
        if moment.action < 0:
            require(not moment.mask.any(), f"{where}: the game is over, but the mask is not empty")
            continue
        require(set(np.unique(moment.mask)) <= {0, 1}, f"{where}: the mask has other numbers than 0 and 1")
        require(np.array_equal(game.legal_mask(moment.states), moment.mask), f"{where}: legal() does not repeat itself")
        before = digest(moment.states)
        for action in range(len(game.actions)):
            trial = moment.states.copy()
            name = game.actions[action]
            if moment.mask[action]:
                game.step(trial, action)
                trial["steps"] -= 1
                require(digest(trial) != before, f"{where}: {name} is legal, but changes nothing")
            else:
                with raising(IllegalAction, f"{where}: {name}", name):
                    game.step(trial, action)
                require(digest(trial) == before, f"{where}: {name} is refused, but has changed the state")


@check
def seeds(subject: Subject) -> None:
    """One seed is one game, whatever is played in between; other seeds are other games."""
    game = subject.game

    def fingerprint(seed: int) -> list[str]:
        return [digest(moment.states) for moment in random_game(game, seed)]

    alone = fingerprint(3)
    require(fingerprint(3) == alone, "seed 3 gives two different games")
    finals = {fingerprint(seed)[-1] for seed in range(30)}
    require(len(finals) > 5, f"30 seeds end in only {len(finals)} different states: is the seed used?")
    mixed, others = [], random_game(game, 4)
    for moment in random_game(game, 3):  # another game goes on between all steps
        next(others, None)
        mixed.append(digest(moment.states))
    require(mixed == alone, "seed 3 gives another game when a second one is played beside it: rules keep no memory")


@check
def rewards_and_ranks(subject: Subject) -> None:
    """Rewards stay within reward_bounds; ranks are competition ranks, given at the end; play ends by the rules."""
    game = subject.game
    low, high = game.reward_bounds()
    for seed in range(subject.some(40)):
        total = np.zeros(game.max_players)
        state = None
        for moment in random_game(game, seed):
            state = record(moment.states)
            if state.steps or state.over:
                total += state.reward  # what the deal pays is shown before the first decision, and paid with it
            require(np.isfinite(state.reward).all(), f"seed {seed}: a reward is not finite: {state.reward}")
            if state.over == RUNNING:
                require(not state.rank.any(), f"seed {seed}, step {int(state.steps)}: ranks before the end")
        assert state is not None
        require(state.over == TERMINATED, f"seed {seed}: random play ends by the step cap, not by the rules")
        within = low - 1e-9 <= total.min() and total.max() <= high + 1e-9
        require(within, f"seed {seed}: returns {total.tolist()} are not within reward_bounds {low} to {high}")
        ranks = state.rank[: game.num_players]
        expected = [1 + int(np.sum(ranks < rank)) for rank in ranks]
        require(ranks.tolist() == expected, f"seed {seed}: ranks {ranks.tolist()} are no competition ranks: {expected}")
        beyond = [state.rank[game.num_players :].any(), total[game.num_players :].any()]
        require(not any(beyond), f"seed {seed}: an empty seat has a rank or a reward")


@check
def rewards_sum_to_zero(subject: Subject) -> None:
    """What some win others lose, at every step. (Games of another kind are checked without this.)"""
    for seed, moment in random_moments(subject.game, subject.some(400)):
        total = float(record(moment.states).reward.sum())
        where = f"seed {seed}, step {int(record(moment.states).steps)}"
        require(abs(total) < 1e-9, f"{where}: rewards sum to {total:g}")


@check
def step_cap(subject: Subject) -> None:
    """At the step cap a game is truncated, with ranks."""
    game = subject.again()
    game.tables.flags.writeable = True
    game.tables["max_steps"][0] = 1  # below what options may allow, so that the cap binds in every game
    game.tables.flags.writeable = False
    mask = game.new_mask()
    states = game.deal(2, mask)
    game.step(states, chosen(mask, 0), mask)
    state = record(states)
    if state.over == TERMINATED:
        skip("this game ends with its first decision")
    require(state.over == TRUNCATED, "a game goes on beyond max_steps")
    require(not mask.any(), "a truncated game has a mask")
    require(state.rank[: game.num_players].min() == 1, "finish() gives no ranks at the step cap")


@check
def bounds(subject: Subject) -> None:
    """Numbers of states and views stay within their declared bounds."""
    game = subject.game
    limits = game.limits()
    for seed, moment in random_moments(game, subject.some(400)):
        where = f"seed {seed}, step {int(record(moment.states).steps)}"
        for found in violations(moment.states, limits):
            raise AssertionError(f"{where}: state: {found}")
        for seat in range(game.num_players):
            view = np.frombuffer(game.view(moment.states, seat).tobytes(), np.int16)
            wrong = game.layout.out_of_bounds(view)
            require(not wrong, f"{where}: view of seat {seat}: {', '.join(wrong)} out of bounds")


@check
def layouts_of_all_tables(subject: Subject) -> None:
    """Observations mean the same at tables of all sizes, so that one network can play at all of them."""
    layouts: list[Layout] = []
    cls = type(subject.game)
    for count in range(cls.min_players, cls.max_players + 1):
        try:
            layouts.append(cls.create(num_players=count).layout)
        except ToothError:
            continue  # an option of this table size that the defaults do not fit
    require(len({layout.digest for layout in layouts}) == 1, "the layout depends on num_players")


@check
def invariants(subject: Subject) -> None:
    """The game's own invariants hold after every step."""
    if subject.invariants is None:
        skip("none were given")
    for seed, moment in random_moments(subject.game, subject.some(10_000)):
        try:
            subject.invariants(subject.game, moment.states)
        except AssertionError as problem:
            where = f"seed {seed}, step {int(record(moment.states).steps)}"
            raise AssertionError(f"{where}: {problem}") from problem


@check
def plain_python(subject: Subject) -> None:
    """The compiled rules and the same functions as plain Python play the same games, bit for bit."""
    if not JIT:
        skip("the compiler is switched off: everything here is plain Python")
    game = subject.game
    step, legal = plain.twin(loops.step_one), plain.twin(loops.legal_one)
    start = plain.twin(loops.start_one)
    tables = game.tables.view(np.recarray)
    moments = subject.some(60)
    for seed in range(3):
        mask, other = game.new_mask(), game.new_mask()
        states = game.deal(seed, mask)
        twin = game.new_states().view(np.recarray)
        twin["seed"] = seed
        start(tables, twin, other)
        for number in range(moments):
            where = f"seed {seed}, step {int(record(states).steps)}"
            require(digest(twin) == digest(states), f"{where}: plain Python has another state than compiled code")
            legal(tables, twin, other)
            require(np.array_equal(mask, other), f"{where}: plain Python has another mask than compiled code")
            if record(states).over:
                break
            action = chosen(mask, 7 * number + seed)
            game.step(states, action, mask)
            step(tables, twin, action, other)


@check
def descriptions(subject: Subject) -> None:
    """Views, actions and events have words; an event is told to those alone who may see it."""
    from tooth_envs.engine.events import events_since

    game = subject.game
    for seed in range(3):
        written = 0
        for moment in random_game(game, seed, trace=True):
            state = record(moment.states)
            where = f"seed {seed}, step {int(state.steps)}"
            for event in events_since(state, written):
                require(game.describe_event(event, None), f"{where}: event {event} has no words")
                for seat in range(game.num_players):
                    if not event.visible_to(seat):
                        told = game.describe_event(event, seat)
                        require(told is None, f"{where}: seat {seat} is told what it may not see: {told}")
            written = int(state.event_count)
            if moment.action >= 0 and state.steps < 40:
                view = game.view(moment.states, int(state.seat))
                require(game.describe(view).strip(), f"{where}: describe() says nothing")
                for action in np.flatnonzero(moment.mask):
                    words = game.describe_action(view, int(action))
                    require(words.strip(), f"{where}: {game.actions[action]} has no words")
                    require(not re.search(r"[\x00-\x09\x0b-\x1f]", words), f"{where}: words have control characters")
