from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

import tooth_envs
from tests.kuhn import Kuhn
from tests.support import state_dtype
from tooth_envs.engine import protocol
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.records import TablesRecord, number, numbers
from tooth_envs.engine.state import digest, record
from tooth_envs.errors import GameOver, PositionError
from tooth_envs.spec import registry
from tooth_envs.spec.game import Game
from tooth_envs.spec.layout import ViewField
from tooth_envs.spec.options import Options


def test_registration_is_checked() -> None:
    functions = dict(Kuhn.functions)
    with pytest.raises(ValueError, match=r"lacks the function resample"):
        protocol.register("x", Kuhn.state_dtype, {k: v for k, v in functions.items() if k != "resample"})
    with pytest.raises(ValueError, match=r"resample\(\) must take \(tables, state, seat, seed\)"):
        protocol.register("x", Kuhn.state_dtype, {**functions, "resample": functions["view"]})
    with pytest.raises(ValueError, match="has no field"):
        protocol.register("x", np.dtype([("seed", "i8")]), functions)
    with pytest.raises(ValueError, match="same state dtype"):
        protocol.register("x", Kuhn.state_dtype, {**functions, "deal": lambda tables, state: None})
    protocol.register("kuhn", Kuhn.state_dtype, functions)  # again is no error


def test_games_are_registered_once_under_a_name() -> None:
    assert tooth_envs.register_game(Kuhn) is Kuhn
    assert "kuhn" in tooth_envs.list_games()

    class Other(Kuhn):
        pass

    with pytest.raises(ValueError, match=r"there already .* choose another name"):
        tooth_envs.register_game(Other)

    class Twice(Kuhn):
        name = "kuhn_twice"
        actions = ("PASS", "PASS")

    with pytest.raises(ValueError, match="same name"):
        tooth_envs.register_game(Twice)

    class Twins(Kuhn):
        name = "kuhn_twins"
        actions = ("BET", "bet")

    with pytest.raises(ValueError, match="same name"):
        tooth_envs.register_game(Twins)
    assert not {"kuhn_twice", "kuhn_twins"} & set(tooth_envs.list_games())
    with pytest.raises(tooth_envs.UnknownGame, match="did you mean 'kuhn'"):
        tooth_envs.game("khun")


@pytest.mark.parametrize("imported", [True, False])
def test_the_name_of_a_built_in_game_is_taken(imported: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    name = next(iter(registry.built_in()))
    own = tooth_envs.game_class(name)
    if not imported:
        monkeypatch.delitem(registry._registered, name)
    impostor = type(own.__name__, (Kuhn,), {"name": name})
    with pytest.raises(ValueError, match=rf"{name}.* there already"):
        tooth_envs.register_game(impostor)
    assert tooth_envs.game_class(name) is own


def test_tables_follow_the_sources() -> None:
    """The name of one field holds a digest of the game's files, so stale loops are never loaded."""
    names = [name for name in Kuhn.tables_dtype.names or () if name.startswith("source_")]
    assert len(names) == 1
    here = sys.modules[__name__]
    assert protocol.tables_dtype("kuhn", [here], TablesRecord) != protocol.tables_dtype(
        "kuhn", [sys.modules["tests.kuhn"]], TablesRecord
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"LIMIT": 3}, {"LIMIT": 4}),
        ({"LIMIT": 3}, {"OTHER": 3}),
        ({"RATE": 0.5}, {"RATE": 0.25}),
        ({"PAIRS": ((1, 2), (3, 4))}, {"PAIRS": ((1, 2), (3, 5))}),
        ({"SIDES": np.int16(4)}, {"SIDES": np.int16(6)}),
        ({"ROW": np.array([1, 2])}, {"ROW": np.array([1, 3])}),
    ],
)
def test_tables_follow_constants_that_come_from_elsewhere(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Compiled code freezes them, and the file they were imported from is none of the game's."""

    def mark(constants: dict[str, Any]) -> Any:
        module = ModuleType("somewhere")
        module.__file__ = __file__
        vars(module).update(constants)
        return protocol.tables_dtype("kuhn", [module], TablesRecord)

    assert mark(before) == mark(before)
    assert mark(before) != mark(after)
    assert mark({**before, "words": "a", "names": ("a", "b")}) == mark({**before, "words": "b", "names": ("c", "d")})


def test_states_without_a_game_are_refused() -> None:
    from tooth_envs.engine import loops
    from tooth_envs.engine.state import zeros

    stranger = zeros(state_dtype(2, 1, 1, 1, stranger=number("")), 1)
    game = tooth_envs.game("kuhn")
    with pytest.raises(Exception, match=r"register_game|stranger"):
        loops.legal_one(game.tables, stranger, game.new_mask())


def test_play_halts_before_a_phase_and_goes_on() -> None:
    game = tooth_envs.game("kuhn")
    mask = game.new_mask()
    states = game.from_dict({"card": [2, 0], "at": "BETTING", "halt": "BETTING"}, mask)
    assert mask.all(), "the phase it starts at lets it pass once"
    game.step(states, 1, mask)
    state = record(states)
    assert (state.seat, state.over) == (1, 0), "a halt that was passed is not met again within its phase"
    assert mask.any()
    game.step(states, 0, mask)
    assert state.over == 1
    assert state.reward.tolist() == [1.0, -1.0]
    with pytest.raises(GameOver, match="not halted"):
        game.resume(states)


FORCED = state_dtype(2, 1, 1, 1, countdown=number(""), log=numbers("", (8,)))


@compiled
def forced_advance(tables, state):
    if state.countdown == 0:
        state.over = 1
    else:
        state.seat = state.countdown % 2
        state.decision = state.countdown % 3


@compiled
def forced_deal(tables, state):
    state.countdown = 6
    forced_advance(tables, state)


@compiled
def forced_legal(tables, state, mask):
    mask[state.countdown % 2] = 1
    if state.countdown == 1:
        mask[:] = 1


@compiled
def forced_apply(tables, state, action):
    state.log[state.countdown] = 1 + action
    state.countdown -= 1
    forced_advance(tables, state)


@compiled
def all_first(tables, state, truncated):
    state.rank[:] = 1


@compiled
def no_view(tables, state, seat, out):
    out.log = state.log[0]


@compiled
def nothing_hidden(tables, state, seat, seed):
    state.seed = seed


class Countdown(Game):
    """Six decisions with one legal action each but the last; decision 0 is asked all the same."""

    name, title = "countdown", "Countdown"
    min_players = max_players = 2
    Options = Options
    actions, decisions, phases, asked = ("A", "B"), ("ZERO", "ONE", "TWO"), ("ONLY",), ("ZERO",)
    state_dtype, tables_dtype = FORCED, protocol.tables_dtype("countdown", [sys.modules[__name__]], TablesRecord)
    functions: ClassVar = {
        "deal": forced_deal,
        "legal": forced_legal,
        "apply": forced_apply,
        "advance": forced_advance,
        "finish": all_first,
        "view": no_view,
        "resample": nothing_hidden,
    }

    def view_fields(self):
        return [ViewField("log", "nothing", 0, 1)]


def test_forced_decisions_are_settled_by_the_engine() -> None:
    """With a mask of one action the engine goes on by itself, unless the decision is always asked."""
    tooth_envs.register_game(Countdown)
    game = tooth_envs.game("countdown")
    mask = game.new_mask()
    states = game.deal(0, mask)
    state = record(states)
    assert (state.countdown, state.decision, mask.tolist(), state.steps) == (6, 0, [1, 0], 0), "6 % 3 is always asked"
    game.step(states, 0, mask)
    assert (state.countdown, state.decision, mask.tolist(), state.steps) == (3, 0, [0, 1], 1), "5 and 4 were settled"
    assert state.log.tolist() == [0, 0, 0, 0, 1, 2, 1, 0]
    game.step(states, 1, mask)
    assert (state.countdown, mask.tolist(), state.steps) == (1, [1, 1], 2), "2 was settled, 1 leaves a choice"
    game.step(states, 0, mask)
    assert state.over == 1
    asked = tooth_envs.game("countdown", skip_forced=False)
    states = asked.deal(0, mask)
    for left in range(6, 0, -1):
        assert record(states).countdown == left
        asked.step(states, left % 2, mask)
    assert record(states).over == 1


def test_positions_are_checked() -> None:
    game = tooth_envs.game("kuhn")
    for position, words in [
        ({"card": [1, 2], "bts": [0, 0, 0]}, "did you mean 'bets'"),
        ({"base": "full"}, "base"),
        ({"at": "FLOP"}, "phases are DEAL, BETTING"),
        ({"seed": -1}, "seed"),
        ({"steps": -1}, "steps"),
        ({"card": [1, 2, 3]}, "card"),
        ({"card": ["king", "queen"]}, "card"),
        ({"seat": 5}, "seat"),
        ({"decision": "FOLD"}, "FOLD|tuple"),
        ({"rank": [1]}, "rank"),
    ]:
        with pytest.raises(PositionError, match=words):
            game.from_dict(position)
    dealt = game.from_dict({"base": "deal", "seed": 4})
    assert digest(dealt) == digest(game.deal(4))
    scripted = game.from_dict({"base": "deal", "script": {"draw": [2, 0]}})
    assert record(scripted).card.tolist() == [2, 0]
