"""Chance: named random streams that are the same everywhere, and scripts that replace them.

A random number is ``mix(seed, stream, tick)``: a hash of the game's seed, of the stream's number and of how
many numbers the stream has given. There is no hidden generator, so Python, compiled and batched play agree,
and a game's dice do not depend on how many cards were drawn. The hash is two rounds of SplitMix64's
finaliser (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).

``below`` is the only primitive: dice, picks, draws and shuffles are built on it.

A script is a queue of outcomes per kind, used up before chance is asked: ``DIE`` holds faces (1-based),
``PICK`` indices, ``DRAW`` card kinds, and ``ANY`` answers the next request of whatever kind by its index
among the equally likely outcomes. When a request is not scripted, the first such request is noted in
``open_kind`` and ``open_count``: exact methods enumerate chance by replaying with one more ``ANY`` outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tooth_envs.engine.compile import JIT, compiled
from tooth_envs.engine.integers import integer_in
from tooth_envs.engine.records import Numbers, StateRecord
from tooth_envs.errors import ScriptError, shortened

ANY, DIE, PICK, DRAW = 0, 1, 2, 3
KINDS = ("any", "die", "pick", "draw")

FAULTS = (
    "",
    "a scripted outcome is out of range",
    "a scripted card is not in the pile it is drawn from",
    "the rules did not come to a decision",
)
"""What ``state.fault`` means. A fault never stops compiled code; whoever set the script checks for it."""
FAULT_ENDLESS = 3
"""A loop inside the rules went on for longer than any game can; the game was cut off there."""

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB

_GOLDEN_64 = np.uint64(_GOLDEN)
_MIX_1_64 = np.uint64(_MIX_1)
_MIX_2_64 = np.uint64(_MIX_2)


def _finalise_python(z: int) -> int:
    z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
    z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
    return z ^ (z >> 31)


def mix_python(seed: int, stream: int, tick: int) -> int:
    """``mix`` with Python's integers, for plain Python and to test the compiled one against."""
    z = _finalise_python((int(seed) + _GOLDEN * (int(stream) + 1)) & _MASK)
    z = _finalise_python((z + _GOLDEN * (int(tick) + 1)) & _MASK)
    return z >> 1


@compiled
def _finalise_compiled(z: Any) -> Any:
    z = (z ^ (z >> np.uint64(30))) * _MIX_1_64
    z = (z ^ (z >> np.uint64(27))) * _MIX_2_64
    return z ^ (z >> np.uint64(31))


@compiled
def mix_compiled(seed: int, stream: int, tick: int) -> Any:
    z = _finalise_compiled(np.uint64(seed) + _GOLDEN_64 * (np.uint64(stream) + np.uint64(1)))
    z = _finalise_compiled(z + _GOLDEN_64 * (np.uint64(tick) + np.uint64(1)))
    return np.int64(z >> np.uint64(1))


mix = mix_compiled if JIT else mix_python
"""mix(seed, stream, tick) -> an integer in 0 .. 2**63 - 1, uniform and reproducible."""


@compiled
def scaled(number: int, n: int) -> int:
    """Map a number from ``mix`` to 0 .. n - 1. Off uniform by at most n / 2**32: for agents, not for rules."""
    return ((number >> 31) * int(n)) >> 32


@compiled
def _random_below(state: StateRecord, stream: int, n: int) -> int:
    # Lemire's multiply-and-reject (ACM TOMACS 29, 2019): exactly uniform.
    n = int(n)  # in plain Python n may be a NumPy integer too small for the product
    while True:
        number = mix(state.seed, stream, state.ticks[stream]) >> 31
        state.ticks[stream] += 1
        product = number * n
        low = product & 0xFFFFFFFF
        if low >= n or low >= (4294967296 - n) % n:
            return product >> 32


@compiled
def scripted(state: StateRecord, kind: int) -> int:
    """The next scripted outcome of this kind, used up; -1 if there is none. Negative outcomes are refused earlier."""
    position = state.script_pos[kind]
    if position >= state.script_end[kind]:
        return -1
    state.script_pos[kind] += 1
    return state.script[position]


@compiled
def random_index(state: StateRecord, stream: int, kind: int, n: int) -> int:
    """An unscripted request: note it if it is the first, then ask chance. n >= 1."""
    if state.open_count == 0:
        state.open_kind = kind
        state.open_count = n
    if n == 1:
        state.ticks[stream] += 1
        return 0
    return _random_below(state, stream, n)


@compiled
def below(state: StateRecord, stream: int, kind: int, n: int) -> int:
    """A uniform index in 0 .. n - 1 from a stream, or the next scripted one (``ANY`` first, then ``kind``)."""
    outcome = scripted(state, ANY)
    if outcome < 0:
        outcome = scripted(state, kind)
        if outcome >= 0 and kind == DIE:
            outcome = outcome - 1
            if outcome < 0:
                outcome = n  # face 0 does not exist
    if outcome < 0:
        return random_index(state, stream, kind, n)
    if outcome >= n:
        state.fault = 1
        return 0
    return outcome


@compiled
def die(state: StateRecord, stream: int, sides: int) -> int:
    """Roll a die: 1 .. sides."""
    return below(state, stream, DIE, sides) + 1


@compiled
def pick(state: StateRecord, stream: int, n: int) -> int:
    """Choose one of n things at random: its index."""
    return below(state, stream, PICK, n)


@compiled
def shuffle(state: StateRecord, stream: int, values: Numbers, count: int) -> None:
    """Bring the first ``count`` entries of an array into random order (Fisher-Yates, from the end)."""
    for i in range(count - 1, 0, -1):
        j = below(state, stream, PICK, i + 1)
        kept = values[i]
        values[i] = values[j]
        values[j] = kept


@compiled
def reseed(state: StateRecord, seed: int) -> None:
    """Forget script and place in every stream, and continue with another seed (used by ``resample``)."""
    state.seed = seed
    state.ticks[:] = 0
    state.script_pos[:] = 0
    state.script_end[:] = 0
    state.script[:] = 0
    state.fault = 0
    state.open_kind = 0
    state.open_count = 0


def set_script(state: Any, script: Mapping[str, Sequence[int]]) -> None:
    """Fill a state's queues (plain Python; ``state`` is one record).

    Args:
        state: the record; outcomes it still holds are dropped.
        script: per kind ("any", "die", "pick", "draw") the outcomes in the order they will be used.

    Raises:
        ScriptError: an unknown kind, an outcome that is no integer in 0 .. 32767, or more than the record holds.
    """
    if not isinstance(script, Mapping):
        raise ScriptError(f"script is {shortened(script)}; give the outcomes per kind, as {{'die': [6, 1]}}")
    unknown = [kind for kind in script if kind not in KINDS]
    if unknown:
        raise ScriptError(f"script: unknown kind {shortened(unknown[0])}; kinds are {', '.join(KINDS)}")
    queue: list[int] = []
    bounds = []
    for kind in KINDS:
        given = script.get(kind, ())
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise ScriptError(f"script: {kind} is {shortened(given)}; give a list of outcomes")
        outcomes = list(given)
        for place, outcome in enumerate(outcomes):
            if not integer_in(outcome, 0, 32767):
                raise ScriptError(f"script: {kind}[{place}] is {shortened(outcome)}; give an integer from 0 to 32767")
        bounds.append((len(queue), len(queue) + len(outcomes)))
        queue.extend(int(outcome) for outcome in outcomes)
    if len(queue) > len(state.script):
        raise ScriptError(f"script: {len(queue)} outcomes, but a state holds {len(state.script)}; shorten the script")
    state.script[:] = 0
    state.script[: len(queue)] = queue
    for kind_index, (start, end) in enumerate(bounds):
        state.script_pos[kind_index] = start
        state.script_end[kind_index] = end


def script_left(state: Any) -> dict[str, list[int]]:
    """The outcomes that a state's script still holds, per kind; kinds without any are left out."""
    left = {}
    for index, kind in enumerate(KINDS):
        outcomes = state.script[state.script_pos[index] : state.script_end[index]].tolist()
        if outcomes:
            left[kind] = outcomes
    return left
