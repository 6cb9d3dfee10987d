"""The beginning of a game, written from the templates in tooth_training/skeleton."""

from __future__ import annotations

import keyword
import os
import re
import shutil
from pathlib import Path

import tooth_training
from tooth_envs.errors import OptionError, OutputError
from tooth_envs.spec.files import output
from tooth_envs.spec.registry import list_games

TEMPLATES = Path(tooth_training.__file__).parent / "skeleton"


def write_skeleton(name: str, folder: Path) -> list[Path]:
    """Write a game's folder.

    Args:
        name: the game's short name, and the folder's.
        folder: where it is made.

    Returns:
        The files.

    Raises:
        OptionError: a name that cannot be one, is a game's, or whose folder is there already.
        OutputError: a file cannot be written; nothing is left.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,40}", name) or keyword.iskeyword(name):
        raise OptionError(
            f"new-game {name!r}: write small letters, digits and _, a letter first, and no Python keyword"
        )
    if name in list_games():
        raise OptionError(f"new-game {name!r}: there is a game of this name; choose another")
    target = folder / name
    if os.path.lexists(target):
        raise OptionError(f"{target}: is there already; choose another name, or remove it")
    title = name.replace("_", " ").title()
    words = {"__NAME__": name, "__TITLE__": title, "__CLASS__": title.replace(" ", "")}
    written = []
    try:
        target.mkdir(parents=True)
        for template in sorted(TEMPLATES.glob("*.tmpl")):
            text = template.read_text(encoding="utf-8")
            for mark, word in words.items():
                text = text.replace(mark, word)
            kept = template.name.removesuffix(".tmpl")
            file = target / {"config.yaml": f"{name}.yaml", "test.py": f"test_{name}.py"}.get(kept, kept)
            with output(file, OutputError) as out:
                out.write(text)
            written.append(file)
    except OSError as problem:
        shutil.rmtree(target, ignore_errors=True)
        raise OutputError(f"{target}: cannot be written: {problem.strerror or problem}") from None
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return written
