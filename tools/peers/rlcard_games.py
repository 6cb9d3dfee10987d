"""RLCard's own loop: ``reset`` and ``step``, which return the next seat's state with its legal actions."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from tooth_training.evaluation.bench import time_games

from tools.peers.lane import Lane, Ready

GAMES = {"leduc-holdem": "Leduc hold'em", "uno": "Uno"}
WHAT = "env.step with the state it extracts (observation and legal actions), a random legal action; resets included"


def lanes() -> list[Lane]:
    """Leduc hold'em and Uno."""
    return [
        Lane(
            key=f"rlcard_{game.replace('-', '_')}",
            ours=False,
            kind="play",
            game=game,
            title=title,
            library="RLCard",
            what=WHAT,
            threads=1,
            packages=("rlcard", "numpy"),
            prepare=partial(_prepare, game),
        )
        for game, title in GAMES.items()
    ]


def _prepare(name: str) -> Ready:
    import rlcard

    env = rlcard.make(name, config={"seed": 0})
    state, _ = env.reset()
    return Ready(partial(_play, env), state["obs"].size, env.num_actions, env.num_players)


def _play(env: Any, seconds: float) -> float:
    chance = random.Random(0)

    def play() -> int:
        decisions = 0
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(chance.random() * len(legal))])
            decisions += 1
        return decisions

    return time_games(play, seconds)
