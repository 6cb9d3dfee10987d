"""Our own lanes: the games in all ways of playing them, and the training of the quickstart configuration."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tooth_training.evaluation.bench import ways_to_play

from tools.peers.lane import Kind, Lane, Ready
from tooth_envs.spec.game import Game

SUITE = "tooth_envs"
CONFIG = "quickstart"
ROLLOUTS = 3
"""Rollouts of one measurement of training; the first warms up and does not count."""

PLAYED: tuple[Kind, ...] = ("table", "batch_1", "batch", "playout")


def lanes(games: Sequence[Game], num_envs: int, threads: int) -> list[Lane]:
    """Ours.

    Args:
        games: each is measured in every way of playing.
        num_envs: rows of the batches.
        threads: how many training may use.
    """
    return [lane for game in games for lane in _playing(game, num_envs)] + [_training(threads)]


def _playing(game: Game, num_envs: int) -> list[Lane]:
    ways = ways_to_play(game, num_envs)

    def ready(kind: Kind) -> Ready:
        measure = ways[kind].measure
        return Ready(lambda seconds: measure(seconds)[0], game.layout.size, len(game.actions), game.num_players)

    return [
        Lane(
            key=f"{game.name}_{kind}",
            ours=True,
            kind=kind,
            game=game.name,
            title=game.title,
            library=SUITE,
            what=ways[kind].what,
            threads=ways[kind].threads,
            packages=("numpy", "numba", "pettingzoo"),
            prepare=partial(ready, kind),
        )
        for kind in PLAYED
    ]


def _training(threads: int) -> Lane:
    return Lane(
        key="training",
        ours=True,
        kind="training",
        game=CONFIG,
        title=f"configs/{CONFIG}.yaml",
        library=SUITE,
        what=f"`tooth train {CONFIG}` on our batch through sb3-contrib's MaskablePPO, collection and optimisation; "
        f"{ROLLOUTS} rollouts, of which the first is not timed, nor are logging and checkpoints between them",
        threads=threads,
        packages=("numpy", "numba", "torch", "stable_baselines3", "sb3_contrib"),
        prepare=partial(_ready_to_train, threads),
    )


def _ready_to_train(threads: int) -> Ready:
    from tooth_training.learning.config import load_config

    game = load_config(CONFIG).games()[0]
    return Ready(lambda _: _training_rate(threads), game.layout.size, len(game.actions), game.num_players)


def _training_rate(threads: int) -> float:
    """Decisions per second of a new run, which is thrown away; by the run's own log, as every run keeps it."""
    from tooth_training.learning.config import load_config
    from tooth_training.learning.logs import CSV
    from tooth_training.learning.train import train

    with tempfile.TemporaryDirectory() as folder:
        config = load_config(
            CONFIG,
            [
                f"total_decisions={ROLLOUTS * load_config(CONFIG).rollout}",
                f"run_dir={Path(folder) / 'run'}",
                f"num_threads={threads}",
                "warm_start=null",
                "evaluate_during.points=0",
                "logging.tensorboard=false",
                "logging.plot=false",
                "logging.progress=silent",
            ],
        )
        with (train(config) / CSV).open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    first, last = rows[0], rows[-1]
    decisions = int(last["decisions"]) - int(first["decisions"])
    return decisions / (float(last["seconds"]) - float(first["seconds"]))
