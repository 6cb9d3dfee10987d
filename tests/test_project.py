"""What stands in the root of the repository, and the pages that list commands and versions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from tooth_training.cli import app
from typer.main import get_command

import tooth_envs

ROOT = Path(__file__).resolve().parents[1]


def test_every_command_has_a_row_in_python() -> None:
    listed = set(re.findall(r"^\| `tooth ([\w-]+)` \|", (ROOT / "docs" / "python.md").read_text(), re.MULTILINE))
    command = get_command(app)
    assert listed == set(command.commands)  # type: ignore[attr-defined]


def test_what_the_page_names_is_there() -> None:
    import importlib

    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    names = re.findall(r"`((?:tooth_envs|tooth_agents|tooth_training)(?:\.\w+)+)", page)
    assert len(names) > 12
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_the_version_is_in_one_place() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == tooth_envs.__version__
    assert f"## [{tooth_envs.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "dynamic" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", [".pre-commit-config.yaml", "CITATION.cff"])
def test_files_are_yaml(file: str) -> None:
    assert isinstance(yaml.safe_load((ROOT / file).read_text(encoding="utf-8")), dict)


def test_front_doors_are_light_and_complete() -> None:
    import tooth_agents
    import tooth_training

    for package in (tooth_agents, tooth_training, tooth_envs):
        for name in package.__all__:
            assert getattr(package, name) is not None
        with pytest.raises(AttributeError):
            _ = package.no_such_name
