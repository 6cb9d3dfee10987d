"""Where text for people goes."""

from __future__ import annotations

import os
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
