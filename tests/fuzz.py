"""A fuzzer of everything that enters the rules from outside: positions, states, scripts and decks.

Run as a program, in its own process: with ``NUMBA_DISABLE_JIT=1`` Python finds every index that is out of bounds, with
``NUMBA_BOUNDSCHECK=1`` compiled code does. Whatever is given is refused with an error of the suite's own, or can be
played: views stay within their bounds, and a position comes back equal. A hang ends the process with a traceback.

    python -m tests.fuzz GAME CASES SEED
"""

from __future__ import annotations

import contextlib
import copy
import faulthandler
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
from tooth_training.cli.compiling import compile_game

import tests.kuhn
import tests.probe
import tooth_envs
from tests.cases import ENTRIES
from tests.support import random_game
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.state import RUNNING, declared, digest, record
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.errors import ScriptError, ToothError
from tooth_envs.spec.game import Game

assert tests.kuhn.Kuhn.name == "kuhn"
assert tests.probe.Probe.name == "probe"

HANG = 120
"""Seconds after which a case is taken to hang."""
PLAYED = 40
"""Decisions that an accepted state is played on by."""
NUMBERS = (
    -(2**63),
    -(2**31),
    -32769,
    -32768,
    -100,
    -2,
    -1,
    0,
    1,
    2,
    3,
    7,
    8,
    16,
    62,
    99,
    999,
    5000,
    30000,
    32767,
    2**31 - 1,
)
VALUES: tuple[Any, ...] = (*NUMBERS, None, True, 0.5, "", "x", [], {}, [0], [[1]], {"a": 1}, 2**70, float("nan"))


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of nested lists and dicts."""
    keys = list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield data, key
        yield from places(data[key])


def mutated(position: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """A position with one to three things changed, exchanged or left out."""
    changed = copy.deepcopy(position)
    for _ in range(int(rng.integers(1, 4))):
        found = list(places(changed))
        if not found:
            return changed
        holder, key = found[rng.integers(len(found))]
        match int(rng.integers(5)):
            case 0:
                del holder[key]
            case 1 | 2:
                holder[key] = VALUES[rng.integers(len(VALUES))]
            case 3 if isinstance(holder[key], int):
                holder[key] = int(holder[key]) + int(rng.integers(-2, 3))
            case _:
                other, place = found[rng.integers(len(found))]
                holder[key] = copy.deepcopy(other[place])
    return changed


def play_on(game: Game, states: np.ndarray, rng: np.random.Generator) -> None:
    """Random legal actions; every view within its bounds."""
    state = record(states)
    for _ in range(PLAYED):
        for seat in range(game.num_players):
            vector = np.frombuffer(game.view(states, seat).tobytes(), np.int16)
            assert not game.layout.out_of_bounds(vector), game.layout.out_of_bounds(vector)
        if state.over != RUNNING:
            return
        if state.seat < 0:
            game.resume(states)
            continue
        legal = np.flatnonzero(game.legal_mask(states))
        assert len(legal), "nobody can do anything"
        game.step(states, int(legal[rng.integers(len(legal))]))


def fuzz_positions(game: Game, rng: np.random.Generator) -> str:
    """One changed position."""
    moments = [moment.states.copy() for moment in islice(random_game(game, int(rng.integers(50))), 120)]
    position = mutated(game.to_dict(moments[rng.integers(len(moments))]), rng)
    if rng.integers(3) == 0 and game.phases:
        position["at"] = game.phases[rng.integers(len(game.phases))]
    if rng.integers(8) == 0 and game.phases:
        position["halt"] = game.phases[rng.integers(len(game.phases))]
    try:
        states = game.from_dict(position)
    except ToothError:
        return "refused"
    if not record(states).script_end.any():
        assert digest(game.from_dict(game.to_dict(states))) == digest(states), "it does not come back equal"
    with contextlib.suppress(ScriptError):
        play_on(game, states, rng)
    return "played"


def fuzz_states(game: Game, rng: np.random.Generator) -> str:
    """A batch's games with one or two numbers changed, as a tampered file would have them."""
    batch = BatchEnv(game, 2, 1)
    batch.reset(int(rng.integers(1000)))
    for _ in range(int(rng.integers(30))):
        batch.step(batch.random_actions(int(rng.integers(1000))))
    snapshot = batch.snapshot()
    for _ in range(int(rng.integers(1, 3))):
        fields = [entry for entry in declared(game.state_dtype) if entry.kind != "f8"]
        entry = fields[rng.integers(len(fields))]
        values = snapshot["states"][entry.name][:1].reshape(-1)
        limits = np.iinfo(values.dtype)
        number = NUMBERS[rng.integers(len(NUMBERS))]
        values[rng.integers(len(values))] = min(max(number, int(limits.min)), int(limits.max))
        snapshot["states"][entry.name][:1] = values.reshape(snapshot["states"][entry.name][:1].shape)
    other = BatchEnv(game, 2, 1)
    try:
        other.restore(snapshot, foreign=True)
    except ToothError:
        return "refused"
    for key in range(PLAYED):
        other.step(other.random_actions(key))
        assert (other.observation >= 0).all()
        assert (other.observation <= 1).all()
    return "played"


def fuzz_scripts(game: Game, rng: np.random.Generator) -> str:
    """A deal under a script of anything."""
    kinds = ("any", "die", "pick", "draw", "x")
    script = {
        kinds[rng.integers(len(kinds))]: [VALUES[rng.integers(len(VALUES))] for _ in range(int(rng.integers(12)))]
        for _ in range(int(rng.integers(1, 4)))
    }
    if rng.integers(2):
        script = {kind: [int(rng.integers(1, 3)) for _ in range(30)] for kind in ("die", "pick")}
    try:
        states = game.deal(int(rng.integers(1000)), script=script)
        play_on(game, states, rng)
    except ToothError:
        return "refused"
    return "played"


def fuzz_decks(game: Game, rng: np.random.Generator) -> str:
    """A deck with numbers and words of its cards changed."""
    source = (Path(tooth_envs.__file__).parent / "games" / game.name / "deck.toml").read_text(encoding="utf-8")
    words = sorted(set(re.findall(r"\b[A-Z_]{3,}\b", source))) or ["X"]
    lines = source.split("\n")
    for _ in range(int(rng.integers(1, 6))):
        row = int(rng.integers(len(lines)))
        numbers = list(re.finditer(r"\b\d+\b", lines[row]))
        names = list(re.finditer(r"\b[A-Z_]{3,}\b", lines[row]))
        if numbers and rng.integers(3):
            at = numbers[rng.integers(len(numbers))]
            lines[row] = lines[row][: at.start()] + str(NUMBERS[rng.integers(4, len(NUMBERS))]) + lines[row][at.end() :]
        elif names:
            at = names[rng.integers(len(names))]
            lines[row] = lines[row][: at.start()] + words[rng.integers(len(words))] + lines[row][at.end() :]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deck.toml"
        file.write_text("\n".join(lines), encoding="utf-8")
        try:
            made = tooth_envs.game(game.name, num_players=game.num_players, deck=str(file))
        except ToothError:
            return "refused"
        play_on(made, made.deal(int(rng.integers(1000))), rng)
    return "played"


WAYS: dict[str, Callable[[Game, np.random.Generator], str]] = {
    "positions": fuzz_positions,
    "states": fuzz_states,
    "scripts": fuzz_scripts,
    "decks": fuzz_decks,
}


def run(name: str, cases: int, seed: int) -> dict[str, dict[str, int]]:
    """Fuzz one game; how many cases were refused and played, by way."""
    tally: dict[str, dict[str, int]] = {way: {"refused": 0, "played": 0} for way in WAYS}
    games = [tooth_envs.game(name, **options) for options in ENTRIES[name].variants]
    if JIT:
        compile_game(games[0])  # the watchdog times cases, not compilation
    for case in islice(count(), cases):
        rng = np.random.default_rng([seed, case])
        game = games[rng.integers(len(games))]
        for way, fuzz in WAYS.items():
            if way == "decks" and game.deck is None:
                continue
            faulthandler.dump_traceback_later(HANG, exit=True)
            try:
                tally[way][fuzz(game, rng)] += 1
            except Exception:
                sys.stderr.write(f"{name}: {way}: case {case} of seed {seed}, {game.options}\n")
                raise
    faulthandler.cancel_dump_traceback_later()
    return tally


if __name__ == "__main__":
    print(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))  # noqa: T201
