"""Golden playthroughs: one random game per variant as text. ``python -m tests.goldens`` writes them anew."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

from tests.cases import CASES, Case
from tests.support import random_game
from tooth_envs.engine.events import events_since
from tooth_envs.engine.state import digest, record

FOLDER = Path(__file__).parent / "goldens"
SEED = 2026


def path_of(case: Case) -> Path:
    """Where a case's playthrough is kept."""
    return FOLDER / (re.sub(r"[^A-Za-z0-9_=.-]+", "_", case.id) + ".txt")


def playthrough(case: Case) -> str:
    """The whole game: every decision, mask and event, and the views of the moments to be looked at closely."""
    game = case.game()
    layout = game.layout
    lines = [
        f"game {game.name} v{game.version}, seed {SEED}",
        f"options {game.options.model_dump()}",
        f"view {layout.length} numbers, observation {layout.size}, actions {len(game.actions)}",
        "",
    ]
    written = 0
    for number, moment in enumerate(random_game(game, SEED, trace=True)):
        close = number % case.stride == 0
        state = record(moment.states)
        for event in events_since(state, written):
            public = game.describe_event(event, None)
            private = [seat for seat in range(game.num_players) if not event.visible_to(seat)]
            lines.append(f"  * {public}" + (f"  (not seen by {private})" if private else ""))
        written = int(state.event_count)
        lines.append(f"step {state.steps} state {digest(moment.states)}")
        for seat in range(game.num_players if close else 0):
            observation = np.rint(game.observe(moment.states, seat) * 1000).astype(int)
            lines.append(
                f"  seat {seat} observation sum {observation.sum()} weighted {observation @ np.arange(layout.size)}"
            )
        if moment.action >= 0:
            view = game.view(moment.states, int(state.seat))
            lines.append(f"  seat {state.seat} decides {game.decisions[state.decision]}: {game.legal_names(state)}")
            lines.append(f"  -> {game.actions[moment.action]}: {game.describe_action(view, moment.action)}")
            if close:
                lines.extend("  | " + line for line in game.describe(view).splitlines())
        else:
            n = game.num_players
            lines.append(f"over: {state.over}, ranks {state.rank[:n].tolist()}, rewards {state.reward[:n].tolist()}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for case in CASES:
        path_of(case).write_text(playthrough(case), encoding="utf-8")
        sys.stdout.write(f"{path_of(case).name}\n")
