"""Agents by name."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from tooth_agents.load import agent_names, load_agent

from tests.kuhn import Kuhn
from tooth_envs.errors import CheckpointError, OptionError
from tooth_envs.spec.registry import game


def test_names():
    washer = game("dragon_teeth_washer")
    assert agent_names(washer) == ("random", "heuristic")
    assert agent_names(Kuhn.create()) == ("random",)
    assert load_agent("random", washer).name == "random"
    assert load_agent("heuristic", washer).name == "heuristic"
    assert load_agent("random", washer) is not load_agent("random", washer)


def test_what_cannot_be_had(tmp_path):
    washer = game("dragon_teeth_washer")
    with pytest.raises(
        OptionError, match=r"unknown agent 'heuristc'; did you mean 'heuristic'\? Give random, heuristic"
    ):
        load_agent("heuristc", washer)
    with pytest.raises(OptionError, match=r"unknown agent 'runs/none'\. Give random, heuristic, module:Class"):
        load_agent("runs/none", washer)
    with pytest.raises(OptionError, match="kuhn has no heuristic"):
        load_agent("heuristic", Kuhn.create())
    with pytest.raises(CheckpointError, match="is not a checkpoint"):
        load_agent(str(tmp_path), washer)


def test_without_torch(tmp_path):
    """random and heuristic need none; a checkpoint says what to install."""
    code = textwrap.dedent(
        f"""
        import sys
        sys.modules["torch"] = None
        from tooth_agents.load import load_agent
        from tooth_envs.errors import ToothError
        from tooth_envs.spec.registry import game
        washer = game("dragon_teeth_washer")
        load_agent("random", washer), load_agent("heuristic", washer)
        try:
            load_agent({str(tmp_path)!r}, washer)
        except ToothError as problem:
            print(problem)
        """
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "a checkpoint needs torch, which is not installed: pip install 'tooth-envs[train]'" in said
