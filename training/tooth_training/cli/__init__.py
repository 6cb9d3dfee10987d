"""The command line, ``tooth``: one file a command, in commands/.

Nothing heavy is imported before a command needs it, so that ``tooth --help`` answers at once and commands without
networks need no torch. Errors that a user can mend are one message on standard error and exit status 2, as wrong
arguments are; Ctrl-C is 130.
"""

from __future__ import annotations

import sys

try:
    import typer as _typer  # noqa: F401
except ModuleNotFoundError as missing:  # pragma: no cover - the suite without its extra
    if missing.name != "typer":
        raise
    sys.stderr.write("tooth: the command line needs typer, which is not installed: pip install 'tooth-envs[cli]'\n")
    raise SystemExit(2) from None

from tooth_training.cli.app import app, main
from tooth_training.cli.commands import (
    bench,
    check,
    compile,
    deck,
    evaluate,
    exploit,
    games,
    new_game,
    play,
    replay,
    rules,
    stats,
    train,
    version,
)
from tooth_training.cli.words import make_agents, make_game

COMMANDS = (games, rules, play, replay, deck, train, evaluate, stats, exploit, bench, check, new_game, compile, version)
"""The modules of the commands; ``tooth --help`` lists them in the order they are imported in."""

__all__ = ["COMMANDS", "app", "main", "make_agents", "make_game"]
