"""Self-play training: stable-baselines3's MaskablePPO over all seats of a batch of games.

Everything but learning itself - the log, small evaluations, checkpoints, stopping - happens between two updates, where
no rollout is pending, so that a run that was stopped or killed goes on from its latest checkpoint as if nothing had
been.
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from tooth_agents.checkpoint import check_game

from tooth_envs.engine.threads import available_threads
from tooth_envs.errors import OptionError
from tooth_training.learning.beginning import (
    check_agents,
    check_device,
    claim_directory,
    read_run,
    resumed_config,
    save_config,
    watch_opponents,
)
from tooth_training.learning.checkpoint import (
    locked,
    remove_unfinished,
)
from tooth_training.learning.config import TrainConfig, config_from
from tooth_training.learning.process import Interruption, random_states_kept, torch_threads
from tooth_training.learning.session import Session


def train(config: TrainConfig | None, resume: Path | str | None = None, console: Console | None = None) -> Path:
    """Train by a configuration, or go on with a run.

    Args:
        config: what to train; None, only with ``resume``: what the run was begun with.
        resume: a run directory. Game, network, seed, number of games and warm start must be those that it was begun
            with; the rest may differ, for example a larger ``total_decisions``.
        console: where progress is shown; None: standard error.

    Returns:
        the run's directory.

    Raises:
        ToothError: a setting that does not work here, a checkpoint that cannot be read or written, or diverged weights.
        KeyboardInterrupt, SystemExit: stopped by Ctrl-C or SIGTERM, after a checkpoint was saved.
    """
    state = None
    if resume is not None:
        run, state = read_run(Path(resume))
        config = resumed_config(config, run, state)
    elif config is None:
        raise OptionError("train: give a configuration, or a run to resume")
    config.check()
    games = config.games()
    if state is not None:
        check_game(state.meta, games[0], state.directory)
    check_device(config.device)
    opponents = (
        watch_opponents(config, games[0]) if config.evaluate_during.points and config.evaluate_during.blocks else ()
    )
    check_agents(config, games)
    if state is None:
        run = claim_directory(Path(config.run_dir))
    threads = config.num_threads or available_threads()
    config = config.model_copy(update={"num_threads": threads})  # sums depend on it: part of the run from here on
    with locked(run), random_states_kept(), torch_threads(threads), Interruption() as interruption:
        remove_unfinished(run)
        save_config(config, run)
        session = Session(config, games, run, state, opponents, threads, interruption, console)
        session.run_to_end()
    return run


def resume_config(run: Path | str, overrides: list[str] | None = None) -> TrainConfig:
    """The configuration that a run was last trained by, with changes.

    Args:
        run: a run directory.
        overrides: ``key.sub=value`` each.

    Raises:
        CheckpointError, OptionError: no checkpoint to go on from, or a change that does not work.
    """
    run, state = read_run(Path(run))
    return resumed_config(config_from(state.meta.config, str(run), overrides or ()), run, state)
