"""Nothing reaches a seat but through its view: redraw all that it cannot know, and it must see the same."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from tests.cases import CASES, ENTRIES, Case, case_id
from tests.support import chosen, random_game, spread_moments
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.state import RUNNING, record

every_case = pytest.mark.parametrize("case", CASES, ids=case_id)


def hidden_part(game, states) -> str:  # type: ignore[no-untyped-def]
    """The game's own fields of a state, seed and places in streams left out."""
    return json.dumps(game.read_position(record(states)), sort_keys=True)


@every_case
def test_a_resampled_world_looks_the_same(case: Case) -> None:
    game = case.game()
    worlds_seen: dict[str, int] = {}
    n = game.num_players
    for number, (seed, moment) in enumerate(spread_moments(game, 300)):
        if moment.action < 0:
            continue
        acting = int(record(moment.states).seat)
        for seat in range(n) if n < 4 else {acting, number % n, (acting + 1) % n}:  # large tables: by turns
            view = game.view(moment.states, seat)
            before = (
                view.tobytes(),
                game.observe(moment.states, seat).tobytes(),
                game.describe(view),
                game.legal_mask(moment.states).tobytes() if seat == acting else b"",
            )
            for k in range(4 if n < 4 else 2):
                world = game.resample(moment.states, seat, mix_python(seed, seat, k))
                there = game.view(world, seat)
                after = (
                    there.tobytes(),
                    game.observe(world, seat).tobytes(),
                    game.describe(there),
                    game.legal_mask(world).tobytes() if seat == acting else b"",
                )
                assert after == before, f"seat {seat} can tell the worlds apart"
                state = record(world)
                assert not state.script_end.any()
                assert not state.open_count
                worlds_seen[hidden_part(game, world)] = 1
                if hidden_part(game, world) != hidden_part(game, moment.states):
                    worlds_seen["varied"] = worlds_seen.get("varied", 0) + 1
    assert worlds_seen.get("varied", 0) > 0, "resample() leaves the hidden part as it is"


@pytest.mark.parametrize("name", ENTRIES)
def test_every_secret_is_drawn_anew(name: str) -> None:
    """That the hidden part varies as a whole is not enough: a secret left as it is would be open to a searcher."""
    missing = set(ENTRIES[name].secrets)
    assert missing, "declare what the game hides"
    for case, seed in itertools.product((case for case in CASES if case.name == name), range(4)):
        game = case.game()
        for moment in random_game(game, seed):
            truth = record(moment.states)
            for seat in range(game.num_players if moment.action >= 0 and missing else 0):
                for k in range(4):
                    world = record(game.resample(moment.states, seat, mix_python(seed, seat, k)))
                    missing -= {field for field in missing if not np.array_equal(world[field], truth[field])}
        if not missing:
            return
    assert not missing, "resample() leaves these as they are"


@every_case
def test_the_truth_is_among_the_worlds_and_worlds_can_be_played(case: Case) -> None:
    game, check = case.game(), case.check()
    for number, (seed, moment) in enumerate(spread_moments(game, 100)):
        if moment.action < 0 or number % 5:
            continue
        seat = int(record(moment.states).seat)
        truth = hidden_part(game, moment.states)
        found = {hidden_part(game, game.resample(moment.states, seat, k)) for k in range(400)}
        few = len(found) < 40
        if few:
            assert truth in found, "the true world can never be drawn"
        world = game.resample(moment.states, seat, seed)
        check(game, world)
        mask = game.legal_mask(world)
        while record(world).over == RUNNING:
            game.step(world, chosen(mask, int(record(world).steps)), mask)
            check(game, world)


@every_case
def test_a_world_does_not_remember_what_happened_in_the_true_one(case: Case) -> None:
    """Events of a traced game hold dealt cards and face-down choices: a searcher's world must come without them."""
    game = case.game()
    for moment in random_game(game, 3, trace=True):
        if moment.action >= 0:
            assert record(moment.states).event_count
            world = record(game.resample(moment.states, int(record(moment.states).seat), 1))
            assert not world.events.any()
            assert not world.event_count


@every_case
def test_the_future_of_a_world_is_not_the_true_future(case: Case) -> None:
    """A searcher must not be able to read coming chance from its worlds: their seeds are their own."""
    game = case.game()
    states = game.deal(5)
    worlds = [game.resample(states, int(record(states).seat), k) for k in range(5)]
    seeds = {int(record(world).seed) for world in worlds}
    assert len(seeds) == 5
    assert int(record(states).seed) not in seeds
    assert np.array_equal(states, game.deal(5)), "resample() changed the original"
