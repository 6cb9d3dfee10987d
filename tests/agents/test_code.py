"""Agents of one's own: registered, from modules and from files; worlds and words for them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tooth_agents import code, describe_legal, describe_view, load_agent, load_agents, register_agent, registered_agents
from tooth_training.evaluation.evaluate import evaluate

import tooth_envs
from tests.kuhn import Kuhn
from tooth_envs.engine.state import record
from tooth_envs.envs.asking import MOST_WORLDS, choose, resampled, worlds_wanted
from tooth_envs.errors import OptionError, ToothError

SOURCE = """
class First:
    def __init__(self, game):
        self.game = game
    def act(self, observation, view, mask, key):
        return (mask != 0).argmax(axis=1)

def last(game):
    agent = First(game)
    agent.act = lambda observation, view, mask, key: mask.shape[1] - 1 - (mask[:, ::-1] != 0).argmax(axis=1)
    return agent

class Without:
    def act(self, observation, view, mask, key):
        return (mask != 0).argmax(axis=1)

class Nothing:
    pass

number = 3
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(code, "_registered", {})
    monkeypatch.setattr(code, "_files", {})
    for name in ("mine", "mine_too"):
        monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / f"{name}.py").write_text(SOURCE)
    return tmp_path


@pytest.mark.parametrize("base", ["mine", "mine.py", "./mine.py"])
def test_code_from_modules_and_files(place: Path, base: str) -> None:
    kuhn = Kuhn.create()
    for name in ("First", "last", "Without"):
        agent = load_agent(f"{base}:{name}", kuhn)
        assert agent.act(np.zeros((1, 1)), np.zeros(1), np.array([[1, 1]]), np.zeros(1, np.int64)) == (name == "last")
    report = evaluate(kuhn, load_agents([f"{base}:First", f"label={base}:Without"], kuhn), blocks=2, seed=1)
    assert list(report.agents) == [f"{base}:First", "label"]
    assert report.config["agents"] == {f"{base}:First": "First", "label": "Without"}, "no attribute name is needed"


@pytest.mark.parametrize("base", ["mine", "mine.py"])
def test_a_file_never_causes_code_to_be_imported(place: Path, base: str) -> None:
    kuhn = Kuhn.create()
    with pytest.raises(OptionError, match=f"does not import it; add --import {base} to the command"):
        load_agent(f"{base}:First", kuhn, may_import=False)
    assert "mine" not in sys.modules
    assert not code._files
    load_agent(f"{base}:First", kuhn)
    load_agent(f"{base}:First", kuhn, may_import=False)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("mine:Frist", "mine has no Frist"),
        ("mine:number", "number cannot be called"),
        ("mine:Nothing", "has no method act"),
        ("nowhere:First", "there is no module 'nowhere' here"),
        ("no-where:First", "'no-where' is no module, and no file"),
        ("none.py:First", "there is no such Python file"),
        ("mine:First:best", "only a run directory has a best checkpoint"),
        ("random:best", "only a run directory has a best checkpoint"),
    ],
)
def test_code_that_cannot_be_had(place: Path, name: str, reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        load_agent(name, Kuhn.create())


def test_registered_names(place: Path) -> None:
    import mine

    register_agent("first", mine.First)
    register_agent("first", mine.First)
    assert registered_agents() == ("first",)
    assert isinstance(load_agent("first", Kuhn.create(), may_import=False), mine.First)
    with pytest.raises(OptionError, match="unknown agent 'frist'; did you mean 'first'"):
        load_agent("frist", Kuhn.create())
    for name, reason in (("first", "registered already"), ("random", "the suite's own"), ("A b", "a letter first")):
        with pytest.raises(OptionError, match=reason):
            register_agent(name, mine.last)
    with pytest.raises(OptionError, match="cannot be called"):
        register_agent("other", 3)  # type: ignore[arg-type]


def test_labels() -> None:
    kuhn = Kuhn.create()
    assert list(load_agents(["random", "a=random", "random"], kuhn)) == ["random#1", "a", "random#2"]
    with pytest.raises(OptionError, match="the label 'a' is given twice"):
        load_agents(["a=random", "a=random"], kuhn)


class Curious:
    """Keeps what it is shown."""

    def __init__(self, wants: int) -> None:
        self.wants_worlds = wants
        self.seen: list[Any] = []

    def act(self, observation: Any, view: Any, mask: Any, key: Any, worlds: Any = None) -> Any:
        self.seen.append((np.array(view), np.array(key), worlds))
        return (mask != 0).argmax(axis=1)


@pytest.mark.parametrize("name", ["kuhn", "dragon_teeth_washer"])
def test_worlds_look_like_the_true_state_and_come_from_the_key(name: str) -> None:
    game = tooth_envs.game(name)
    agent = Curious(5)
    evaluate(game, {"curious": agent, "random": load_agent("random", game)}, blocks=1, seed=3)
    assert agent.seen
    different = 0
    for view, key, worlds in agent.seen:
        assert worlds.shape == (len(key), 5)
        for row in range(len(key)):
            for k in range(5):
                one = worlds[row, k : k + 1]
                seat = int(one["seat"][0])
                assert game.view(one, seat).tobytes() == view[row].tobytes()
                assert not one["tracing"][0]
            different += len({worlds[row, k].tobytes() for k in range(5)}) > 1
    assert different, "nothing varies"


def test_worlds_depend_on_nothing_that_is_hidden() -> None:
    """Two true states that look the same, and the same key: the same worlds."""
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    states = game.deal(1)
    while record(states).seat == record(states).investigator:
        mask = game.legal_mask(states)
        game.step(states, int(mask.argmax()))
    others = game.resample(states, int(record(states).seat), 77)
    assert others.tobytes() != states.tobytes()
    key = np.array([12345])
    assert resampled(game, states, 4, key).tobytes() == resampled(game, others, 4, key).tobytes()
    assert resampled(game, states, 4, key).tobytes() != resampled(game, states, 4, key + 1).tobytes()


def test_no_worlds_no_fifth_argument() -> None:
    game = Kuhn.create()
    states = game.deal(1)
    agent = Curious(0)
    choose(agent, game, lambda: pytest.fail("not wanted"), None, None, game.legal_mask(states)[None], None)  # type: ignore[arg-type]
    assert agent.seen[0][2] is None


@pytest.mark.parametrize("wrong", [-1, 2.5, "three", True, MOST_WORLDS + 1])
def test_wants_that_are_no_counts(wrong: Any) -> None:
    with pytest.raises(ToothError, match="agent Curious: wants_worlds is"):
        worlds_wanted(Curious(wrong))


def test_views_in_words() -> None:
    game = tooth_envs.game("dragon_teeth_washer")
    states = game.deal(4)
    view = np.array([game.view(states, int(record(states).seat))], game.layout.dtype)
    assert describe_view(game, view[0]) == game.describe(game.view(states, int(record(states).seat)))
    legal = describe_legal(game, view[0], game.legal_mask(states))
    assert [name for _, name, _ in legal] == game.legal_names(record(states))
    assert all(words for _, _, words in legal)
