"""Every game of the suite tells about itself: about.toml and rules.md fit the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kuhn import Kuhn
from tooth_envs.errors import ToothError
from tooth_envs.spec import metadata as module
from tooth_envs.spec.metadata import load_metadata
from tooth_envs.spec.options import Options
from tooth_envs.spec.registry import built_in, game_class

ABOUT = """
summary = "three cards and one bet"
turns = "in turn"
hidden = "the other card"
chance = "the deal"
[decisions]
BETTING = "bet, or not"
[actions]
"P*" = "pass"
"*" = "bet"
[rewards]
chips = "chips won"
[versions]
0 = "First version."
"""
RULES = "Two cards are dealt (R1).\n\n### More\n\nText.\n"


@pytest.mark.parametrize("name", built_in())
def test_words_fit_the_game(name: str) -> None:
    about = load_metadata(game_class(name))
    assert sorted(index for group in about.groups.values() for index in group) == list(
        range(len(game_class(name).actions))
    )
    assert "\n" not in about.answers.summary


@pytest.mark.parametrize("name", built_in())
def test_every_option_is_described(name: str) -> None:
    for option, field in game_class(name).Options.model_fields.items():
        common = Options.model_fields.get(option)
        assert field.description or (common is not None and common.description), option


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Kuhn poker's words, in a folder of their own."""
    monkeypatch.setattr(module, "folder_of", lambda cls: tmp_path)
    (tmp_path / "about.toml").write_text(ABOUT)
    (tmp_path / "rules.md").write_text(RULES)
    return tmp_path


def test_patterns_take_the_first_that_fits(folder: Path) -> None:
    about = load_metadata(Kuhn)
    assert about.groups == {"P*": (0,), "*": (1,)}
    assert about.rules == RULES.strip()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("BETTING", "BETING", "decisions: says nothing about BETTING"),
        ('BETTING = "bet, or not"', 'BETTING = "x"\nOTHER = "y"', "decisions: the game has no 'OTHER'"),
        ('"*" = "bet"', "", "actions: no pattern fits BET"),
        ('"P*" = "pass"', '"*S" = "x"\n"P*" = "pass"', r"'P\*' fits no action that no earlier pattern fits"),
        ('chips = "chips won"', "", "rewards: says nothing about chips"),
        ('0 = "First version."', '1 = "Another."', "versions: says nothing about 0"),
        ('hidden = "the other card"', "", "hidden: is missing"),
        ("summary", "sumary", "unknown key 'sumary'; did you mean 'summary'"),
        ('"in turn"', "7", "turns"),
        ('"in turn"', '"', "is not valid TOML"),
    ],
)
def test_words_that_do_not_fit(folder: Path, old: str, new: str, reason: str) -> None:
    (folder / "about.toml").write_text(ABOUT.replace(old, new))
    with pytest.raises(ToothError, match=f"(?s)^kuhn: about.toml: .*{reason}"):
        load_metadata(Kuhn)


@pytest.mark.parametrize(
    ("rules", "reason"), [("## Rules\n\n(R1)", "headings begin with ###"), ("None.", "cites no rule numbers")]
)
def test_rules_that_do_not_fit(folder: Path, rules: str, reason: str) -> None:
    (folder / "rules.md").write_text(rules)
    with pytest.raises(ToothError, match=reason):
        load_metadata(Kuhn)


def test_missing_words(folder: Path) -> None:
    (folder / "rules.md").unlink()
    with pytest.raises(ToothError, match=r"rules\.md cannot be read .*every game of the suite has one"):
        load_metadata(Kuhn)
