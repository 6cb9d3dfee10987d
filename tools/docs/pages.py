"""All generated documentation: pages of games, and sections of pages written by hand.

A section stands between ``<!-- generated: NAME -->`` and ``<!-- end -->`` in README.md or docs/*.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from tooth_training.learning.config import TrainConfig

from tools.docs.data import read_data
from tools.docs.page import game_page, seats
from tools.docs.words import code, default, option_type, sentence, table
from tooth_envs.errors import ToothError
from tooth_envs.spec.files import output
from tooth_envs.spec.metadata import load_metadata
from tooth_envs.spec.registry import built_in, game_class

SECTION = re.compile(r"<!-- generated: (\w+) -->.*?<!-- end -->", re.DOTALL)


def page_file(root: Path, name: str) -> Path:
    """Where a game's page is."""
    return root / "docs" / "games" / f"{name}.md"


def games_table(root: Path, file: Path) -> str:
    """The built-in games, with links to their pages from a file."""
    rows = []
    for name in built_in():
        cls = game_class(name)
        game, answers = cls.create(), load_metadata(cls).answers
        link = Path(os.path.relpath(page_file(root, name), file.parent)).as_posix()
        numbers = (seats(cls), len(game.actions), game.layout.size)
        rows.append((f"[`{name}`]({link})", *numbers, answers.hidden, answers.summary))
    return table(("game", "seats", "actions", "observation", "hidden", "what it is"), rows)


def settings_table(root: Path, file: Path) -> str:
    """Every key of a training configuration."""
    return table(("key", "value", "default", "meaning"), _settings(TrainConfig, ""))


def is_model(kind: Any) -> bool:
    """Whether a type is a section of the configuration."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _settings(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        models = [part for part in (field.annotation, *get_args(field.annotation)) if is_model(part)]
        if models and field.annotation not in models:  # a section that may be left out
            yield code(prefix + name), "section or None", default(field), sentence(field.description or "")
        if models:
            yield from _settings(models[0], f"{prefix}{name}.")
        elif not field.description:
            raise ToothError(f"configuration: {prefix}{name} has no description, which its documentation needs")
        else:
            yield code(prefix + name), option_type(field), default(field), sentence(field.description)


SECTIONS: dict[str, Callable[[Path, Path], str]] = {"games": games_table, "settings": settings_table}
"""Name -> what makes the section, given the checkout's root and the file it stands in."""


def rendered(root: Path) -> dict[Path, str]:
    """Every file that is generated, wholly or in part, as it should be.

    Args:
        root: the checkout.

    Raises:
        ToothError: no checkout, a section of an unknown name, words that do not fit a game, or no measurements of it.
    """
    if not (root / "README.md").is_file() or not (root / "docs").is_dir():
        raise ToothError(
            f"{root}: has no README.md and docs/; run this in the root of a checkout, or give it by --root"
        )
    files = {}
    for name in built_in():
        cls = game_class(name)
        files[page_file(root, name)] = game_page(cls, read_data(root, cls))
    for file in (root / "README.md", *sorted((root / "docs").glob("*.md"))):
        text = file.read_text(encoding="utf-8")
        if text.count("<!-- generated: ") != len(SECTION.findall(text)):
            raise ToothError(f"{file}: a generated section has no <!-- end -->")
        for name in set(SECTION.findall(text)):
            if name not in SECTIONS:
                raise ToothError(f"{file}: no generated section is named {name!r}; there are {', '.join(SECTIONS)}")
            section = f"<!-- generated: {name} -->\n\n{SECTIONS[name](root, file)}\n\n<!-- end -->"
            files[file] = text = SECTION.sub(partial(_replaced, name, section), text)
    return files


def _replaced(name: str, section: str, found: re.Match[str]) -> str:
    return section if found[1] == name else found[0]


def differences(root: Path) -> list[Path]:
    """Generated files that are not as they should be: to be written, or pages of games that there are not."""
    files = rendered(root)
    wrong = [file for file, text in files.items() if not file.is_file() or file.read_text(encoding="utf-8") != text]
    return wrong + [file for file in sorted((root / "docs" / "games").glob("*.md")) if file not in files]


def write(root: Path) -> list[Path]:
    """Write every generated file that is not as it should be; returns them."""
    written = []
    for file, text in rendered(root).items():
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            with output(file) as page:
                page.write(text)
            written.append(file)
    return written
