"""Names of agents, taken apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from tooth_agents.names import AgentName, parse_name

from tooth_envs.errors import OptionError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("heuristic", AgentName("heuristic")),
        ("runs/one:greedy", AgentName("runs/one", greedy=True)),
        ("runs/one:best", AgentName("runs/one", best=True)),
        ("runs/one:best:greedy", AgentName("runs/one", best=True, greedy=True)),
        ("runs/one:greedy:best", AgentName("runs/one", best=True, greedy=True)),
        ("mine=runs/one:greedy", AgentName("runs/one", "mine", greedy=True)),
        ("me=my_agents:First", AgentName("my_agents:First", "me")),
        (" random ", AgentName("random")),
    ],
)
def test_parts(text: str, expected: AgentName) -> None:
    assert parse_name(text) == expected


def test_code() -> None:
    assert parse_name("my.agents:First").code == ("my.agents", "First")
    assert parse_name("x=dir/agents.py:make:greedy").code == ("dir/agents.py", "make")
    assert parse_name("runs/one").code is None


def test_a_directory_may_look_like_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a=b", "run:greedy", "run:best"):
        (tmp_path / name).mkdir()
        assert parse_name(name) == AgentName(name)
    assert parse_name("run:greedy:greedy") == AgentName("run:greedy", greedy=True)


@pytest.mark.parametrize("wrong", ["", "  ", "a\0b", 3, None, ["random"]])
def test_no_name(wrong: object) -> None:
    with pytest.raises(OptionError, match="an agent is named by a text"):
        parse_name(wrong)  # type: ignore[arg-type]


def test_a_mark_twice() -> None:
    with pytest.raises(OptionError, match=":greedy is given twice"):
        parse_name("x:greedy:greedy")
