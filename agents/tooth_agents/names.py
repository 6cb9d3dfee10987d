"""How agents are named, on the command line, in YAML and in Python.

random, heuristic           those that need no training
NAME                        what ``register_agent`` has made known
module:Name, file.py:Name   a class or function of one's own, called with the game
DIR                         a run directory (its latest checkpoint), or a checkpoint
DIR:best                    the run's checkpoint with the best score while training
AGENT:greedy                a network that takes its likeliest action
label=AGENT                 any of these under a label of its own
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tooth_envs.errors import OptionError, shortened

_LABEL = re.compile(r"(?P<label>[\w.+-]{1,80})=(?P<rest>.+)", re.DOTALL)
_CODE = re.compile(r"(?P<place>[^:]+):(?P<name>[A-Za-z_]\w*)")


@dataclass(frozen=True)
class AgentName:
    """A name, taken apart.

    Attributes:
        base: without label and marks.
        label: what to call the agent in results; None if none was given.
        best, greedy: whether these marks were given.
    """

    base: str
    label: str | None = None
    best: bool = False
    greedy: bool = False

    @property
    def code(self) -> tuple[str, str] | None:
        """(module or file, name in it) if the agent is code of one's own."""
        found = _CODE.fullmatch(self.base)
        if found is None or Path(self.base).exists():
            return None
        return found["place"], found["name"]


def parse_name(text: str) -> AgentName:
    """Take a name apart.

    Raises:
        OptionError: it is no name.
    """
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise OptionError(f"an agent is named by a text such as 'heuristic', but {shortened(text)} was given")
    base, label = text.strip(), None
    found = _LABEL.fullmatch(base)
    if found is not None and not Path(base).exists():
        label, base = found["label"], found["rest"].strip()
    marks = {"best": False, "greedy": False}
    while not Path(base).exists():
        rest, colon, mark = base.rpartition(":")
        if not colon or mark not in marks:
            break
        if marks[mark]:
            raise OptionError(f"agent {text!r}: :{mark} is given twice")
        marks[mark], base = True, rest
    return AgentName(base, label, **marks)
