"""What must be known before the first deal of a run: its directory, its configuration, its opponents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tooth_agents.checkpoint import CHECKPOINTS, find_checkpoint, list_checkpoints
from tooth_agents.load import agent_names, load_agent

from tooth_envs.errors import CheckpointError, OptionError, ToothError
from tooth_envs.spec.files import own_output, printable
from tooth_envs.spec.game import Game
from tooth_training.learning.checkpoint import (
    TrainingState,
    read_training,
)
from tooth_training.learning.config import TrainConfig, config_from, config_text

CONFIG = "config.yaml"


def read_run(path: Path) -> tuple[Path, TrainingState]:
    directory = find_checkpoint(path)
    run = directory.resolve().parent.parent if directory == path else path
    if directory.resolve().parent.name != CHECKPOINTS:
        raise CheckpointError(f"{path}: is a checkpoint outside of a run; give the run's directory to resume it")
    latest = list_checkpoints(run)[-1]
    if directory.resolve() != latest.resolve():
        raise CheckpointError(
            f"{path}: is not the latest checkpoint of {run}; a run goes on from its latest ({latest.name}). "
            "Remove the later ones to go back"
        )
    return run, read_training(directory)


def resumed_config(config: TrainConfig | None, run: Path, state: TrainingState) -> TrainConfig:
    begun = config_from(state.meta.config, f"{run}: its configuration")
    if config is None:
        return begun
    if config.num_threads is None:
        config = config.model_copy(update={"num_threads": begun.num_threads})
    for path in ("game", "network", "seed", "ppo.n_envs", "warm_start"):
        old: Any = begun
        new: Any = config
        for part in path.split("."):
            old, new = getattr(old, part), getattr(new, part)
        if old != new:
            raise OptionError(
                f"{run}: was begun with {path} = {_words(old)} and cannot go on with {_words(new)}; begin a new run"
            )
    done = state.meta.counters["decisions"]
    if config.total_decisions < min(done, begun.total_decisions):
        raise OptionError(
            f"{run}: total_decisions is {config.total_decisions}, but {done} are done; give more, or begin a new run"
        )
    return config


def _words(value: Any) -> str:
    return str(value.model_dump(mode="json") if hasattr(value, "model_dump") else value)


def check_device(device: str) -> None:
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise OptionError(f"device is {device!r}, but torch finds no CUDA device here; use device=cpu or device=auto")


def watch_opponents(config: TrainConfig, game: Game) -> tuple[str, ...]:
    """Opponents of the evaluations while training; each is loaded once to see that it can be."""
    named = config.evaluate_during.opponents
    chosen = agent_names(game) if named is None else tuple(dict.fromkeys(named))
    for name in chosen:
        _loaded("evaluate_during.opponents", name, game)
    return chosen


def check_agents(config: TrainConfig, games: tuple[Game, ...]) -> None:
    """An agent that cannot be had is better known before hours of training than after."""
    for name in config.evaluate.opponents or ():
        _loaded("evaluate.opponents", name, games[0])
    if config.warm_start is not None:
        _loaded("warm_start.agent", config.warm_start.agent, games[0])


def _loaded(key: str, name: str, game: Game) -> None:
    try:
        load_agent(name, game, may_import=False)
    except OptionError as problem:
        raise OptionError(f"{key}: {problem}") from None


def claim_directory(wanted: Path) -> Path:
    """A new or empty directory: the wanted one, or with the first free number appended."""
    candidate, number = wanted, 1
    while True:
        try:
            candidate.mkdir(parents=True)
            return candidate
        except FileExistsError:
            if not candidate.is_dir():
                raise ToothError(f"run_dir: {candidate}: is there and is no directory; give another name") from None
            if not any(candidate.iterdir()):
                return candidate
        except (OSError, ValueError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else problem
            raise ToothError(f"run_dir: {printable(str(candidate))}: cannot be made: {reason}") from None
        if wanted.name in ("", ".."):  # no number can be appended to these
            raise ToothError(f"run_dir: {wanted}: is not empty; give the name of a new folder")
        number += 1
        candidate = wanted.with_name(f"{wanted.name}-{number}")


def save_config(config: TrainConfig, run: Path) -> None:
    with own_output(run / CONFIG) as file:
        file.write(config_text(config))
