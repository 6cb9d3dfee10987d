"""A game in words for people: about.toml and rules.md in its folder. Pages of the documentation are made from them.

about.toml answers in a line each what somebody who looks for a game asks first, and says what every decision, action,
reward and version of the game means. It is checked against the code, so that nothing is missing or left over.
rules.md tells the rules in our own words, with the numbers of rules (R1) and rulings (J1) that errors and code cite.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pydantic import Field

from tooth_envs.errors import ToothError
from tooth_envs.spec.validation import StrictModel, suggestion, validated

if TYPE_CHECKING:
    from tooth_envs.spec.game import Game

ABOUT, RULES = "about.toml", "rules.md"


class Answers(StrictModel):
    """What about.toml holds.

    Attributes:
        summary: what the game is, for a table of games.
        turns: who decides when; whether choices are made at the same time, in teams, against the clock.
        hidden: what a seat does not know. chance: what is left to it.
        decisions: every decision of the game and what is being asked.
        actions: patterns (``BRUSH_*``) of names of actions, and what these do; the first that fits counts.
        rewards: every value of the option ``reward`` and what it pays.
        versions: what each version changed, the latest last.
    """

    summary: str = Field(min_length=1)
    turns: str = Field(min_length=1)
    hidden: str = Field(min_length=1)
    chance: str = Field(min_length=1)
    decisions: dict[str, str]
    actions: dict[str, str]
    rewards: dict[str, str]
    versions: dict[str, str]


@dataclass(frozen=True)
class Metadata:
    """A game in words.

    Attributes:
        answers: about.toml, checked against the game.
        rules: rules.md, Markdown whose headings begin at the third level.
        groups: pattern -> indices of the actions it stands for, in the file's order.
    """

    answers: Answers
    rules: str
    groups: Mapping[str, tuple[int, ...]]


def folder_of(cls: type[Game]) -> Path:
    """The folder of a game's package: deck, words and rules."""
    return Path(sys.modules[cls.__module__].__file__ or "").parent


def load_metadata(cls: type[Game]) -> Metadata:
    """Read a game's words and check that they fit the game.

    Raises:
        ToothError: a file that is missing or wrong, with what to do.
    """
    folder = folder_of(cls)
    source = f"{cls.name}: {ABOUT}"
    try:
        data = tomllib.loads(_read(cls, folder / ABOUT))
    except tomllib.TOMLDecodeError as problem:
        raise ToothError(f"{source}: is not valid TOML: {problem}") from None
    answers = validated(Answers, data, source, ToothError)
    _same(f"{source}: decisions", answers.decisions, cls.decisions)
    _same(f"{source}: rewards", answers.rewards, _reward_values(cls))
    _same(f"{source}: versions", answers.versions, [str(number) for number in range(cls.version + 1)])
    return Metadata(answers, _rules(cls, folder), _groups(source, answers.actions, cls.actions))


def _read(cls: type[Game], file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ToothError(f"{cls.name}: {file} cannot be read ({problem}); every game of the suite has one") from None


def _reward_values(cls: type[Game]) -> tuple[str, ...]:
    annotation: Any = cls.Options.model_fields["reward"].annotation
    return get_args(annotation) or (str(cls.Options.model_fields["reward"].default),)


def _same(where: str, given: Iterable[str], wanted: Iterable[str]) -> None:
    given, wanted = list(given), list(wanted)
    for name in wanted:
        if name not in given:
            raise ToothError(f"{where}: says nothing about {name}")
    for name in given:
        if name not in wanted:
            raise ToothError(f"{where}: the game has no {name!r}{suggestion(name, wanted)}")


def _groups(source: str, patterns: Mapping[str, str], actions: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {pattern: [] for pattern in patterns}
    for index, action in enumerate(actions):
        fitting = [pattern for pattern in patterns if fnmatchcase(action, pattern)]
        if not fitting:
            raise ToothError(f"{source}: actions: no pattern fits {action}")
        found[fitting[0]].append(index)
    for pattern, indices in found.items():
        if not indices:
            raise ToothError(f"{source}: actions: {pattern!r} fits no action that no earlier pattern fits")
    return {pattern: tuple(indices) for pattern, indices in found.items()}


def read_rules(cls: type[Game]) -> str:
    """A game's rules.md: Markdown whose headings begin at the third level.

    Raises:
        ToothError: the file is missing or wrong, with what to do.
    """
    return _rules(cls, folder_of(cls))


def _rules(cls: type[Game], folder: Path) -> str:
    text = _read(cls, folder / RULES).strip()
    if re.search(r"^#{1,2} ", text, re.MULTILINE):
        raise ToothError(f"{cls.name}: {RULES}: headings begin with ###, because the text becomes part of a page")
    if not re.search(r"\bR\d+\b", text):
        raise ToothError(f"{cls.name}: {RULES}: cites no rule numbers; write (R1) after what rule R1 says")
    return text
