"""Where text for people goes."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import Any

from rich.console import Console
from rich.text import Text

from tooth_envs.spec.files import printable

PLAIN_WIDTH = 140
"""Columns when the output is a file or a pipe, which have no width of their own."""


class _Console(Console):
    """A console that spells out control characters of what it is given; those that it writes itself stay."""

    def render_str(self, text: str, **how: Any) -> Text:
        """See Console: every text comes by here, alone or from a table's cell."""
        return super().render_str(printable(text), **how)


def console(stderr: bool = False) -> Console:
    """Where tables go. Labels are printed as they are: no markup, no emoji, no colouring of numbers."""
    made = _Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PLAIN_WIDTH
    return made


NARROWEST = 40
"""Columns below which text is not broken any further."""


def text_width() -> int | None:
    """Columns that lines of text may have; None where nobody looks at it: in a file or a pipe."""
    if "COLUMNS" not in os.environ and not sys.stdout.isatty():
        return None
    return max(NARROWEST, shutil.get_terminal_size().columns)


def broken(text: str, width: int | None) -> str:
    """Text whose lines are broken between words where they are too long; what follows is indented below them.

    Args:
        text: any number of lines.
        width: columns; None leaves the text as it is. Words longer than a line stay whole.
    """
    if width is None:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        indent = " " * min(len(line) - len(line.lstrip()) + 4, width // 2)
        wrapper = textwrap.TextWrapper(
            width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
        )
        lead = line[: len(line) - len(line.lstrip())]
        wrapper.initial_indent = lead
        lines += wrapper.wrap(line.lstrip()) if len(line) > width else [line]
    return "\n".join(lines)
