"""States from outside: bounds, the plain twins of compiled rules, vetting, and loops that end."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tooth_envs
from tests.cases import CASES, MAIN_CASES, Case, case_id
from tests.support import random_game
from tooth_envs.engine import loops, plain
from tooth_envs.engine.chance import FAULT_ENDLESS, mix_python
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.state import RUNNING, TRUNCATED, StateField, declared, digest, record, violations
from tooth_envs.envs.aec import TableEnv
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.envs.lockstep import Lockstep
from tooth_envs.errors import GameFault, PositionError, ToothError
from tooth_envs.spec.vetting import check_bounds, check_play

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_what_play_comes_to_is_accepted_from_a_file(case: Case) -> None:
    """The games of a batch. (Positions: tests/battery/test_conformance.py.)"""
    game = case.game()
    batch = BatchEnv(game, 3, 1)
    batch.reset(5)
    for key in range(7):
        batch.step(batch.random_actions(key))
    other = BatchEnv(game, 3, 1)
    other.restore(batch.snapshot(), foreign=True)
    for key in range(7):
        for one in (batch, other):
            one.step(one.random_actions(key))
        assert batch.observation.tobytes() == other.observation.tobytes()


@pytest.mark.parametrize("case", MAIN_CASES, ids=case_id)
def test_every_field_out_of_its_bounds_is_refused_by_name(case: Case) -> None:
    """In a batch's games, as a file would bring them; nothing has changed afterwards."""
    game = case.game()
    batch = BatchEnv(game, 2, 1)
    batch.reset(3)
    snapshot, before = batch.snapshot(), batch.observation.copy()
    limits = game.limits()
    refused = 0
    for entry in declared(game.state_dtype):
        kind = snapshot["states"][entry.name].dtype
        for bound, step in ((entry.low, -1), (entry.high, 1)):
            sign = -1 if isinstance(bound, str) and bound.startswith("-") else 1
            number = sign * limits[bound.removeprefix("-")] if isinstance(bound, str) else bound
            least, most = (-1e300, 1e300) if kind.kind == "f" else (np.iinfo(kind).min, np.iinfo(kind).max)
            if not least < number + step < most:
                continue
            changed = {name: array.copy() for name, array in snapshot.items()}
            changed["states"][entry.name].reshape(2, -1)[1, -1] = number + step
            with pytest.raises(ToothError) as told:
                batch.restore(changed, foreign=True)
            refused += 1
            if entry.name not in ("players", "over", "seat", "breakpoint", "fault", "tracing", "script_end"):
                assert entry.name in str(told.value)
                assert "is possible" in str(told.value)
    assert refused >= 20
    assert batch.observation.tobytes() == before.tobytes()
    batch.step(batch.random_actions(0))


def test_violations_name_row_field_and_place() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    states = game.new_states(3)
    states["seat"][:] = 0
    assert not list(violations(states, game.limits()))
    states["card"][2, 1, 4] = 9
    states["hand"][1, 0] = -1
    found = {one.field: one for one in violations(states, game.limits())}
    assert set(found) == {"card", "hand"}
    assert (found["card"].row, found["card"].place, found["card"].value) == (2, (1, 4), 9)
    assert str(found["hand"]) == "hand[0] is -1; from 0 to 255 is possible"
    with pytest.raises(PositionError, match=r"these: row [12]: "):
        check_bounds(game, states, "these", range(len(states)))
    assert StateField("x").low == 0


@pytest.mark.skipif(not JIT, reason="compares with compiled code")
@pytest.mark.parametrize("case", MAIN_CASES, ids=case_id)
def test_the_plain_twins_play_the_same_game(case: Case) -> None:
    game = case.game()
    for seed in range(3):
        mask, other = game.new_mask(), game.new_mask()
        states = game.deal(seed, mask)
        twin = states.copy()
        plain.play(game.tables, twin, other, 11, 30)
        loops.legal_one(game.tables, states, mask)
        for decision in range(30):
            if record(states).over or not mask.any():
                break
            legal = np.flatnonzero(mask)
            action = int(legal[mix_python(11, 0, decision) % len(legal)])
            loops.step_one(game.tables, states, action, mask)
        assert digest(states) == digest(twin)
        assert mask.tolist() == other.tolist()


def test_plain_twins_find_what_is_out_of_bounds() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    states = game.deal(1)
    states["round_number"] = 99
    with pytest.raises(plain.PlainError, match="IndexError"):
        plain.play(game.tables, states, game.new_mask(), 0, 5)


# Rewards, ranks and halts of positions.


def test_a_positions_own_reward_is_not_paid() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    position = game.to_dict(game.deal(3))
    for reward in ([0.5, -0.5, 0.0], [1e9, 0, 0], [float("nan"), 0, 0]):
        with pytest.raises(PositionError, match="reward"):
            game.from_dict({**position, "reward": reward})
    probe = tooth_envs.game("probe", num_players=3, deal_pays=True)
    dealt = probe.deal(3)
    assert digest(probe.from_dict(probe.to_dict(dealt))) == digest(dealt), "what the deal owes is still owed"
    later = next(moment for moment in random_game(game, 3) if record(moment.states).steps == 3)
    env = TableEnv(game)
    env.reset(seed=1, options={"position": {**game.to_dict(later.states), "reward": [0.5, -0.5, 0.0]}})
    env.step(int(env.last()[0]["action_mask"].argmax()))
    assert not any(env.rewards.values()), "what was earned before it is not paid again"


def test_ranks_of_a_position_are_those_of_the_rules() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    *_, last = random_game(game, 3)
    position = game.to_dict(last.states)
    without = {key: value for key, value in position.items() if key != "rank"}
    assert digest(game.from_dict(without)) == digest(last.states)
    with pytest.raises(PositionError, match=r"rank is \[3, 3, 3\], but the rules make it"):
        game.from_dict({**position, "rank": [3, 3, 3]})


def test_a_halt_is_met_once_until_play_has_left_the_phase() -> None:
    """FOLLOW asks two seats in a row; the halt before it comes once a round."""
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    position = {**game.to_dict(game.deal(3)), "halt": "FOLLOW"}
    states = game.from_dict(position)
    state = record(states)
    halted = followers = 0
    while state.over == RUNNING:
        if state.seat < 0:
            halted += 1
            game.resume(states)
            continue
        followers += game.decisions[state.decision] == "FOLLOW"
        assert digest(game.from_dict(game.to_dict(states))) == digest(states), "halts come back, passed or not"
        game.step(states, int(game.legal_mask(states).argmax()))
    rounds = int(state.round_number)
    assert followers >= 2 * (rounds - 1) > 4
    assert halted in (rounds - 1, rounds), "the last cards may play themselves"


def test_decisions_without_anything_to_do_are_refused() -> None:
    game = tooth_envs.game("probe", num_players=3)
    for seat, decision in ((-1, "KEEP"), (0, None)):
        with pytest.raises(
            PositionError, match=rf"seat is {seat} and decision {decision!r}; give who is asked and what"
        ):
            game.from_dict({"turn": 3, "asked": [1, 1, 1], "seat": seat, "decision": decision})


def test_a_running_game_in_which_nobody_is_asked_is_refused() -> None:
    """Unless it is halted there."""
    for case in MAIN_CASES:
        game = case.game()
        position = {**game.to_dict(game.deal(3)), "seat": -1, "decision": None}
        with pytest.raises(PositionError, match="seat is -1, but the game is neither over nor halted before its phase"):
            game.from_dict(position)
        for other in game.phases:
            if other != position["phase"]:
                with pytest.raises(PositionError, match="neither over nor halted before its phase"):
                    game.from_dict({**position, "halt": other})


def test_halted_games_are_played_on_before_they_are_accepted() -> None:
    """Resuming them is compiled code, too."""
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    states = game.from_dict({**game.to_dict(game.deal(3)), "halt": "FOLLOW"})
    while record(states).seat >= 0:
        game.step(states, int(game.legal_mask(states).argmax()))
    check_play(game, states)
    states["round_number"] = 99
    with pytest.raises(PositionError, match="the rules cannot go on from it"):
        check_play(game, states)


def test_halts_that_nobody_asked_about_come_back() -> None:
    """Play that began at the halt, and is in another phase, or over, when the position is ready."""
    for name, position in (
        ("kuhn", {"card": [0, 1], "at": "DEAL", "halt": "DEAL"}),
        ("probe", {"turn": 4, "asked": [2, 1, 1], "kept": [2, 0, 1], "at": "TURN", "halt": "TURN"}),
    ):
        game = tooth_envs.game(name)
        states = game.from_dict(position)
        assert digest(game.from_dict(game.to_dict(states))) == digest(states)


def test_damaged_games_of_a_batch_are_told_by_row() -> None:
    """By the batch's own row, for every kind of damage, tables of several sizes included."""
    games = [tooth_envs.game("dragon_teeth_washer", num_players=n) for n in (3, 4)]
    batch = BatchEnv(games, 8, 1)
    batch.reset(1)
    for field, value, match in (
        ("score", 30000, r"row 5: score\[0\] is 30000"),
        ("hand", 1, "row 5 of the snapshot: .* the cards of seat 0 are"),
        ("reward", 0.5, "row 5 of the snapshot: .* before the first decision nothing has been earned"),
        ("rank", 1, "row 5 of the snapshot: rank is given"),
    ):
        snapshot = batch.snapshot()
        snapshot["states"][field][5] = value
        with pytest.raises(ToothError, match=match):
            BatchEnv(games, 8, 1).restore(snapshot, foreign=True)


# Loops that do not end.


def endless(game: tooth_envs.Game) -> np.ndarray:
    """A state in a phase that no rule goes on from: refused from outside, and a fault if it came up all the same."""
    states = game.deal(1)
    states["phase"] = 99
    states["seat"] = -1
    return states


def test_rules_that_run_in_circles_are_a_fault() -> None:
    game = tooth_envs.game("toothead", num_players=2)
    states = endless(game)
    loops.resume_one(game.tables, states, game.new_mask())
    state = record(states)
    assert (state.fault, state.over, state.seat) == (FAULT_ENDLESS, TRUNCATED, -1)
    with pytest.raises(GameFault, match=r"toothead: the rules did not come to a decision after 0 decisions .* seed 1"):
        game.check_fault(state)


@pytest.mark.parametrize("form", ["step", "table", "batch", "lockstep"])
def test_a_fault_is_told_in_every_form(form: str) -> None:
    """Put into the record, it comes out as an error when the game is over."""
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)

    def play() -> None:
        if form == "step":
            states, mask = game.deal(1), game.new_mask()
            states["fault"] = FAULT_ENDLESS
            game.step(states, int(game.legal_mask(states).argmax()), mask)
        elif form == "table":
            env = TableEnv(game)
            env.reset(seed=1)
            env._states["fault"] = FAULT_ENDLESS
            while env.agents:
                env.step(int(env.last()[0]["action_mask"].argmax()))
        elif form == "batch":
            batch = BatchEnv(game, 2, 1)
            batch.reset(1)
            batch._states["fault"][1] = FAULT_ENDLESS
            for key in range(60):
                batch.step(batch.random_actions(key))
        else:
            games = Lockstep(game, [1, 2])
            games._states["fault"][1] = FAULT_ENDLESS
            while games.running.any():
                games.step(games.mask.argmax(axis=1))

    with pytest.raises(GameFault, match="the rules did not come to a decision"):
        play()


# The fuzzer.


def fuzz(name: str, cases: int, seed: int, timeout: int, **environment: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", name, str(cases), str(seed)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    tally: dict[str, Any] = ast.literal_eval(done.stdout.strip().split("\n")[-1])
    return tally


@pytest.mark.parametrize(
    ("name", "cases"), [("kuhn", 40), ("probe", 40), ("dragon_teeth_washer", 20), ("super_tooth", 12), ("toothead", 5)]
)
def test_a_little_fuzz(name: str, cases: int) -> None:
    tally = fuzz(name, cases, 1, 200, NUMBA_DISABLE_JIT="1")
    assert sum(tally["positions"].values()) == sum(tally["states"].values()) == cases


@pytest.mark.slow
@pytest.mark.parametrize("name", [case.name for case in MAIN_CASES])
@pytest.mark.parametrize("seed", [2, 3])
def test_much_fuzz_with_checks_of_bounds(name: str, seed: int) -> None:
    tally = fuzz(name, 600, seed, 3000, NUMBA_BOUNDSCHECK="1")
    assert tally["positions"]["refused"] > 100
    assert tally["states"]["played"] > 10
