"""Worked positions: the form they are written in, and the one runner for all games.

``tests/positions/<game>.yaml`` is a list of entries:

name, cites   what the position is called, and the rules it shows
options       options of the game (``preset`` included)
given         a position (``Game.from_dict``), or
reset         a deal: ``seed``, ``script``, and the game's own reset options
for           values for placeholders: a mapping name -> list (every combination), or a list of mappings.
              "$name" stands for the value itself, "...$name..." for its text
steps         what happens: a list of mappings with these keys, carried out in the order written
worlds        positions laid over ``given``: the entry is played in each of them, and afterwards the seats of
same_view     ... see the same in all worlds (view, observation, mask if it is theirs), and those of
other_view    ... do not

Steps:

do       an action or a list of actions, by name
refuse   an action, or a list of them, that must be refused and change nothing
ask      what is asked now: ``decision``, ``seat`` and ``legal`` (all legal actions, in any order)
is       facts: keys of ``Game.to_dict``; "a.0.b" goes into lists and mappings, "a.*.b" through all of a list
sees     ``seat`` and ``is``: fields of its view; categories by name, null for none
script   outcomes to use from here on, per kind of chance
next     true: go on from where play has halted

Numbers are compared to within 1e-12; "2/3" is a fraction.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tooth_envs.engine.chance import set_script
from tooth_envs.engine.state import digest, record
from tooth_envs.errors import IllegalAction
from tooth_envs.spec.game import Game
from tooth_envs.spec.registry import game

FOLDER = Path(__file__).parent / "positions"
ENTRY_KEYS = {"name", "cites", "options", "given", "reset", "for", "steps", "worlds", "same_view", "other_view"}
EXACT = 1e-12


def entries(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """All entries of a game's file, placeholders filled in, each with an id."""
    for entry in yaml.safe_load((FOLDER / f"{name}.yaml").read_text()):
        unknown = set(entry) - ENTRY_KEYS
        assert not unknown, f"{entry.get('name')}: unknown keys {unknown}"
        assert ("given" in entry) != ("reset" in entry), f"{entry['name']}: give either given or reset"
        for values in _cases(entry.get("for")):
            tag = ",".join(f"{key}={value}" for key, value in values.items() if not isinstance(value, list | dict))
            yield f"{entry['name']}[{tag}]" if tag else entry["name"], _filled(entry, values)


def _cases(given: Any) -> list[dict[str, Any]]:
    if given is None:
        return [{}]
    if isinstance(given, list):
        return given
    return [dict(zip(given, chosen, strict=True)) for chosen in itertools.product(*given.values())]


def _filled(part: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(part, dict):
        return {key: _filled(value, values) for key, value in part.items() if key != "for"}
    if isinstance(part, list):
        return [_filled(value, values) for value in part]
    if isinstance(part, str) and "$" in part:
        if part[1:] in values:
            return values[part[1:]]
        for key in sorted(values, key=len, reverse=True):
            part = part.replace(f"${key}", str(values[key]))
        assert "$" not in part, f"no value for the placeholder in {part!r}"
    return part


def play(name: str, entry: Mapping[str, Any]) -> None:
    """Play one entry; AssertionError if anything is not as written."""
    table = game(name, **entry.get("options", {}))
    worlds = [_begin(table, entry, world) for world in entry.get("worlds", [{}])]
    for states in worlds:
        for number, step in enumerate(entry.get("steps", ())):
            for key, value in step.items():
                assert key in STEPS, f"step {number}: unknown key {key!r}; known: {', '.join(STEPS)}"
                STEPS[key](table, states, value, f"step {number}, {key}")
    if "worlds" in entry:
        assert entry.get("same_view") or entry.get("other_view"), "worlds are there to be compared"
        assert len({digest(states) for states in worlds}) == len(worlds), "the worlds do not differ"
    for seat in entry.get("same_view", ()):
        for form in zip(*(_seen(table, states, seat) for states in worlds), strict=True):
            assert len(set(form)) == 1, f"seat {seat} can tell the worlds apart"
    for seat in entry.get("other_view", ()):
        views = {_seen(table, states, seat)[0] for states in worlds}
        assert len(views) == len(worlds), f"seat {seat} cannot tell the worlds apart"


def _begin(table: Game, entry: Mapping[str, Any], world: Mapping[str, Any]) -> np.ndarray:
    if "given" in entry:
        return table.from_dict({**entry["given"], **world})
    reset = dict(entry["reset"])
    seed, script = reset.pop("seed", 0), reset.pop("script", {})
    unknown = set(reset) - set(table.reset_keys)
    assert not unknown, f"unknown reset options {unknown}"
    return table.deal(seed, script={**script, **table.reset_script(reset)})


def _seen(table: Game, states: np.ndarray, seat: int) -> tuple[bytes, bytes, bytes]:
    """Everything that reaches a seat: view, observation, mask."""
    mask = table.legal_mask(states) if record(states).seat == seat else table.new_mask()
    return table.view(states, seat).tobytes(), table.observe(states, seat).tobytes(), mask.tobytes()


def _do(table: Game, states: np.ndarray, names: str | list[str], where: str) -> None:
    for name in [names] if isinstance(names, str) else names:
        table.step(states, table.action_index(name))


def _refuse(table: Game, states: np.ndarray, names: str | list[str], where: str) -> None:
    for name in [names] if isinstance(names, str) else names:
        before = digest(states)
        with pytest.raises(IllegalAction):
            table.step(states, table.action_index(name))
        assert digest(states) == before, f"{where}: {name} was refused but changed something"


def _ask(table: Game, states: np.ndarray, expected: Mapping[str, Any], where: str) -> None:
    state = record(states)
    assert set(expected) <= {"decision", "seat", "legal"}, f"{where}: unknown key"
    asked = table.decisions[state.decision] if state.decision >= 0 else None
    if "decision" in expected:
        assert asked == expected["decision"], f"{where}: {asked} is asked"
    if "seat" in expected:
        assert state.seat == expected["seat"], f"{where}: seat {state.seat} is asked"
    if "legal" in expected:
        legal = [table.actions[action] for action in np.flatnonzero(table.legal_mask(states))]
        assert sorted(legal) == sorted(expected["legal"]), f"{where}: legal are {legal}"


def _is(table: Game, states: np.ndarray, expected: Mapping[str, Any], where: str) -> None:
    _compare(table.to_dict(states), expected, where)


def _sees(table: Game, states: np.ndarray, expected: Mapping[str, Any], where: str) -> None:
    assert set(expected) == {"seat", "is"}, f"{where}: give seat and is"
    view = table.view(states, expected["seat"])
    words = {}
    for field in table.layout.fields:
        values = np.asarray(view[field.name]).tolist()
        words[field.name] = _named(values, field.names) if field.category else values
    _compare(words, expected["is"], where)


def _named(values: Any, names: Sequence[str]) -> Any:
    if isinstance(values, list):
        return [_named(value, names) for value in values]
    return names[values] if values >= 0 else None


def _script(table: Game, states: np.ndarray, script: Mapping[str, Any], where: str) -> None:
    set_script(record(states), script)


def _next(table: Game, states: np.ndarray, value: bool, where: str) -> None:
    assert value is True, f"{where}: write true"
    table.resume(states)


STEPS: dict[str, Callable[[Game, np.ndarray, Any, str], None]] = {
    "do": _do,
    "refuse": _refuse,
    "ask": _ask,
    "is": _is,
    "sees": _sees,
    "script": _script,
    "next": _next,
}


def _compare(facts: Mapping[str, Any], expected: Mapping[str, Any], where: str) -> None:
    for path, value in expected.items():
        found = _at(facts, path.split("."), f"{where}: {path}")
        assert _equal(found, value), f"{where}: {path} is {found}, not {value}"


def _at(facts: Any, path: Sequence[str], where: str) -> Any:
    if not path:
        return facts
    first, *rest = path
    if first == "*":
        return [_at(part, rest, where) for part in facts]
    if isinstance(facts, Mapping):
        assert first in facts, f"{where}: there is no {first!r}; there are {', '.join(facts)}"
        return _at(facts[first], rest, where)
    return _at(facts[int(first)], rest, where)


def _equal(found: Any, expected: Any) -> bool:
    if isinstance(expected, Mapping):
        return (
            isinstance(found, Mapping)
            and found.keys() == expected.keys()
            and all(_equal(found[key], value) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(found) == len(expected)
            and all(_equal(part, value) for part, value in zip(found, expected, strict=True))
        )
    if isinstance(expected, str) and "/" in expected:
        expected = float(Fraction(expected))
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        return isinstance(found, int | float) and not isinstance(found, bool) and abs(found - expected) <= EXACT
    return type(found) is type(expected) and found == expected
