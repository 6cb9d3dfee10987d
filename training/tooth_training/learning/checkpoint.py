"""Saving the whole state of a run, and going on from it. The format is described in agents/checkpoint.py.

A checkpoint is written into a temporary directory beside its place, every file is flushed to the disk, and only then
is the directory renamed: there are complete checkpoints and nothing else, whenever the power goes or the disk is full.
It holds all that the next update depends on: weights, optimiser, random generators, every game in progress, counters.
Checkpoints are taken between updates alone, where no rollout is pending.
"""

from __future__ import annotations

import io
import json
import os
import platform
import random
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numba
import numpy as np
import sb3_contrib
import stable_baselines3
import torch
from pydantic import Field
from safetensors.torch import save
from sb3_contrib import MaskablePPO
from tooth_agents.checkpoint import (
    CHECKPOINTS,
    META,
    POLICY,
    FileEntry,
    Meta,
    best_checkpoint,
    check_tensors,
    game_entry,
    list_checkpoints,
    parse_json,
    read_file,
    read_meta,
    read_tensors,
)
from tooth_agents.spec import json_digest

import tooth_envs
from tooth_envs.errors import CheckpointError, ToothError, shortened
from tooth_envs.spec.files import own_lock, refuse_strange
from tooth_envs.spec.validation import StrictModel, validated
from tooth_training.learning.buffer import SeatRolloutBuffer
from tooth_training.learning.config import TrainConfig
from tooth_training.learning.policy import SeatPolicy, load_tensors, network_name, policy_tensors
from tooth_training.learning.vec_env import BatchVecEnv

OPTIMIZER = "optimizer.safetensors"
RNG = "rng.safetensors"
TRAINING = "training.json"
GAMES = "games.npy"
OPEN = "open.safetensors"

HEADER_LIMIT = 1 << 20
"""Bytes of the longest header of games.npy that is parsed: it names every field of a state."""


class TrainingEntry(StrictModel):
    """training.json: what is not an array."""

    param_groups: list[dict[str, Any]]
    numpy_position: int = Field(ge=0, le=624)
    numpy_has_gauss: int
    numpy_gauss: float
    python_version: int
    python_gauss: float | None
    batch_seed: int = Field(ge=0, lt=2**63)
    tables: list[str] = Field(description="Game.tables_digest per table size")
    seconds: float = Field(ge=0)


@dataclass(frozen=True)
class TrainingState:
    """A checkpoint, read and verified.

    Attributes:
        directory, meta: where it is and what it says.
        decisions, updates: counters of MaskablePPO. games: how many were finished.
        seconds: time trained so far.
    """

    directory: Path
    meta: Meta
    policy: dict[str, torch.Tensor]
    optimizer: dict[str, torch.Tensor]
    rng: dict[str, torch.Tensor]
    entry: TrainingEntry
    games: np.ndarray
    open_decisions: dict[str, torch.Tensor]

    @property
    def decisions(self) -> int:
        return self.meta.counters["decisions"]

    @property
    def updates(self) -> int:
        return self.meta.counters["updates"]

    @property
    def finished_games(self) -> int:
        return self.meta.counters["games"]

    @property
    def seconds(self) -> float:
        return self.entry.seconds


def packages() -> dict[str, str]:
    """Versions that a run depends on."""
    return {
        "python": platform.python_version(),
        "tooth_envs": tooth_envs.__version__,
        "numpy": np.__version__,
        "numba": numba.__version__,
        "torch": str(torch.__version__),
        "stable_baselines3": stable_baselines3.__version__,
        "sb3_contrib": sb3_contrib.__version__,
    }


# Writing.


def _optimizer_tensors(policy: SeatPolicy) -> dict[str, torch.Tensor]:
    names = [network_name(name) for name, _ in policy.named_parameters()]
    return {
        f"{names[index]}/{slot}": torch.as_tensor(value).detach().cpu().clone().contiguous()
        for index, slots in policy.optimizer.state_dict()["state"].items()
        for slot, value in slots.items()
    }


def _rng_tensors(device: torch.device) -> dict[str, torch.Tensor]:
    tensors = {
        "torch": torch.get_rng_state().clone(),
        "numpy": torch.from_numpy(np.random.get_state()[1].astype(np.int64)),  # type: ignore[index] # noqa: NPY002
        "python": torch.tensor(random.getstate()[1], dtype=torch.int64),
    }
    if device.type == "cuda":
        tensors["cuda"] = torch.cuda.get_rng_state(device).clone()
    return tensors


def _games_bytes(snapshot: Mapping[str, np.ndarray]) -> bytes:
    states, returns = snapshot["states"], snapshot["returns"]
    rows = np.zeros(
        len(states), np.dtype([("state", states.dtype), ("episode", "i8"), ("returns", "f8", returns.shape[1:])])
    )
    rows["state"], rows["episode"], rows["returns"] = states, snapshot["episode"], returns
    out = io.BytesIO()
    np.save(out, rows, allow_pickle=False)
    return out.getvalue()


def contents(
    model: MaskablePPO, env: BatchVecEnv, config: TrainConfig, games: int, seconds: float, score: float | None
) -> dict[str, bytes]:
    """Every file of a checkpoint.

    Args:
        model, env: between two updates.
        config: what the run is trained by.
        games, seconds: games finished and time spent so far.
        score: of the evaluation at this very point, if there was one.
    """
    policy = model.policy
    assert isinstance(policy, SeatPolicy)
    snapshot = env.batch.snapshot()
    numpy_state: Any = np.random.get_state()  # noqa: NPY002 (the generator that stable-baselines3 uses)
    python_state = random.getstate()
    training = {
        "param_groups": [
            {key: value for key, value in group.items() if key != "params"}
            for group in policy.optimizer.state_dict()["param_groups"]
        ],
        "numpy_position": int(numpy_state[2]),
        "numpy_has_gauss": int(numpy_state[3]),
        "numpy_gauss": float(numpy_state[4]),
        "python_version": python_state[0],
        "python_gauss": python_state[2],
        "batch_seed": int(snapshot["seed"]),
        "tables": snapshot["tables"].tolist(),
        "seconds": seconds,
    }
    files = {
        POLICY: save(policy_tensors(policy)),
        OPTIMIZER: save(_optimizer_tensors(policy)),
        RNG: save(_rng_tensors(model.device)),
        TRAINING: _json(training),
        GAMES: _games_bytes(snapshot),
        OPEN: save({name: torch.from_numpy(array) for name, array in _buffer(model).open_decisions().items()}),
    }
    meta = Meta(
        game=game_entry(*env.batch.games),
        network=config.network,
        counters={"decisions": model.num_timesteps, "updates": model._n_updates, "games": games},
        score=score,
        config=config.as_data(),
        config_digest=config.digest(),
        packages=packages(),
        files={name: FileEntry(bytes=len(data), sha256=sha256(data).hexdigest()) for name, data in files.items()},
    ).model_dump(mode="json")
    return {**files, META: _json({**meta, "digest": json_digest(meta)})}


def _buffer(model: MaskablePPO) -> SeatRolloutBuffer:
    return cast(SeatRolloutBuffer, model.rollout_buffer)


def _json(data: Any) -> bytes:
    return (json.dumps(data, indent=1, allow_nan=False) + "\n").encode()


def _write_durably(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_checkpoint(run: Path, decisions: int, files: Mapping[str, bytes]) -> Path:
    """Write a complete checkpoint, or nothing.

    Args:
        run: the run directory.
        decisions: how many were trained; names the checkpoint.
        files: as ``contents`` gives them.

    Returns:
        the checkpoint's directory.

    Raises:
        CheckpointError: it could not be written; earlier checkpoints are as they were.
    """
    folder = run / CHECKPOINTS
    refuse_strange(folder, CheckpointError, folder=True)
    final = folder / f"{decisions:012d}"
    unfinished = folder / f".unfinished-{final.name}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if final.exists():
            raise CheckpointError(f"{final}: exists already; a run does not write over its checkpoints")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        for name, data in files.items():
            _write_durably(unfinished / name, data)
        _sync_folder(unfinished)
        unfinished.rename(final)
        _sync_folder(folder)
    except OSError as problem:
        shutil.rmtree(unfinished, ignore_errors=True)
        size = sum(len(data) for data in files.values())
        raise CheckpointError(
            f"{final}: could not be saved ({problem.strerror or problem}); it needs {size / 1e6:.1f} MB. Earlier "
            f"checkpoints are intact: make room or fix the folder, then go on with: tooth train --resume {run}"
        ) from problem
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return final


def prune(run: Path, keep: int) -> None:
    """Remove all checkpoints but the latest ``keep`` and the one with the best score."""
    saved = list_checkpoints(run)
    if len(saved) <= keep:
        return
    best = best_checkpoint(saved)  # what is damaged from outside may go
    for path in saved[:-keep]:
        if path != best:
            # Renamed first: a removal that is interrupted leaves nothing that looks like a checkpoint.
            doomed = path.with_name(f".unfinished-removal-{path.name}")
            try:
                path.rename(doomed)
            except OSError:
                continue  # it stays, which does no harm
            shutil.rmtree(doomed, ignore_errors=True)


def remove_unfinished(run: Path) -> None:
    """Remove what a killed process left of a checkpoint it was writing or removing."""
    folder = run / CHECKPOINTS
    refuse_strange(folder, CheckpointError, folder=True)
    if folder.is_dir():
        for path in folder.glob(".unfinished-*"):
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Hold a run directory: one process trains in it at a time.

    Raises:
        ToothError: another one does.
    """
    try:
        import fcntl
    except ImportError:  # no such locks on this system: nothing guards against a second process
        yield
        return
    descriptor = own_lock(run / ".lock")
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ToothError(f"{run}: another process is training in this directory; wait for it or stop it") from None
        yield
    finally:
        os.close(descriptor)


# Reading.


def read_training(directory: Path) -> TrainingState:
    """Read and verify every file of a checkpoint. Nothing is changed.

    Raises:
        CheckpointError: something is missing, damaged or unknown.
    """
    meta = read_meta(directory)
    for counter in ("decisions", "updates", "games"):
        if meta.counters.get(counter, -1) < 0:
            raise CheckpointError(f"{directory / META}: counter {counter} is missing")
    where = directory / TRAINING
    data = parse_json(read_file(directory, meta, TRAINING), str(where))
    return TrainingState(
        directory=directory,
        meta=meta,
        policy=read_tensors(directory, meta, POLICY),
        optimizer=read_tensors(directory, meta, OPTIMIZER),
        rng=read_tensors(directory, meta, RNG),
        entry=validated(TrainingEntry, data, str(where), CheckpointError),
        games=_read_games(directory, meta),
        open_decisions=read_tensors(directory, meta, OPEN),
    )


def _read_games(directory: Path, meta: Meta) -> np.ndarray:
    content = read_file(directory, meta, GAMES)
    try:
        rows = np.load(io.BytesIO(content), allow_pickle=False, max_header_size=HEADER_LIMIT)
    except (ValueError, EOFError, SyntaxError, TypeError) as problem:
        raise CheckpointError(f"{directory / GAMES}: is no array file: {problem}") from None
    if not isinstance(rows, np.ndarray) or rows.ndim != 1 or rows.dtype.names != ("state", "episode", "returns"):
        raise CheckpointError(f"{directory / GAMES}: does not hold the games of a run")
    return rows


def restore(state: TrainingState, model: MaskablePPO, env: BatchVecEnv) -> None:
    """Put everything but the random generators into a freshly built model and environment.

    Raises:
        CheckpointError: something does not fit them.
    """
    policy = model.policy
    assert isinstance(policy, SeatPolicy)
    check_tensors(state.policy, policy_tensors(policy), str(state.directory / POLICY))
    optimizer = _optimizer_state(state, policy)
    try:
        observation = env.restore(
            {
                "seed": np.array(state.entry.batch_seed, np.int64),
                "states": np.ascontiguousarray(state.games["state"]),
                "episode": state.games["episode"],
                "returns": state.games["returns"],
                "tables": np.array(state.entry.tables),
            },
            foreign=True,
        )
    except ToothError as problem:
        raise CheckpointError(f"{state.directory / GAMES}: {problem}") from None
    try:
        _buffer(model).restore_open({name: tensor.numpy() for name, tensor in state.open_decisions.items()})
    except ToothError as problem:
        raise CheckpointError(f"{state.directory / OPEN}: {problem}") from None
    load_tensors(policy, state.policy)
    policy.optimizer.load_state_dict(optimizer)
    model.num_timesteps = state.decisions
    model._n_updates = state.updates
    model._last_obs = observation
    model._last_episode_starts = np.zeros(env.num_envs, np.bool_)


def _optimizer_state(state: TrainingState, policy: SeatPolicy) -> dict[str, Any]:
    """A state dict for the policy's optimiser, every tensor checked against its parameter."""
    where = state.directory / OPTIMIZER
    parameters = {network_name(name): parameter for name, parameter in policy.named_parameters()}
    slots: dict[int, dict[str, torch.Tensor]] = {}
    if state.optimizer:
        expected = {}
        for name, parameter in parameters.items():
            expected[f"{name}/step"] = torch.zeros((), dtype=torch.float32)
            for slot in ("exp_avg", "exp_avg_sq"):
                expected[f"{name}/{slot}"] = parameter.detach().cpu()
        check_tensors(state.optimizer, expected, str(where))
        for index, name in enumerate(parameters):
            slots[index] = {slot: state.optimizer[f"{name}/{slot}"] for slot in ("step", "exp_avg", "exp_avg_sq")}
    fresh = policy.optimizer.state_dict()["param_groups"]
    saved = state.entry.param_groups
    if len(saved) != len(fresh):
        raise CheckpointError(f"{state.directory / TRAINING}: has {len(saved)} parameter groups, not {len(fresh)}")
    groups = []
    for own, theirs in zip(fresh, saved, strict=True):
        for key, value in theirs.items():
            if key not in own or key == "params":
                raise CheckpointError(
                    f"{state.directory / TRAINING}: parameter group key {key!r} is unknown to this torch"
                )
            if not _like(own[key], value):
                raise CheckpointError(
                    f"{state.directory / TRAINING}: parameter group key {key!r} is {shortened(value)}, where "
                    f"{own[key]!r} or the like is expected; the checkpoint was changed"
                )
        kept = {key: tuple(value) if isinstance(own[key], tuple) else value for key, value in theirs.items()}
        groups.append({**own, **kept})
    return {"state": slots, "param_groups": groups}


def _like(own: Any, given: Any) -> bool:
    """Whether a setting of an optimiser's parameter group can stand where ours does: its kind, and finite from 0.

    Pairs are the rates at which Adam forgets, which are less than 1.
    """
    if own is None or isinstance(own, bool):
        return type(given) is type(own)
    if isinstance(own, tuple):
        return (
            isinstance(given, list)
            and len(given) == len(own)
            and all(_like(mine, theirs) and theirs < 1 for mine, theirs in zip(own, given, strict=True))
        )
    if isinstance(own, int | float):
        return isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given < 1e9
    return False


def restore_random(state: TrainingState, device: torch.device) -> None:
    """Set the process's random generators to where they were. To be done last, right before learning goes on.

    Raises:
        CheckpointError: a generator does not take its state.
    """
    where = state.directory / RNG
    entry = state.entry
    try:
        torch.set_rng_state(state.rng["torch"])
        numbers = state.rng["numpy"].numpy().astype(np.uint32)
        np.random.set_state(  # noqa: NPY002
            ("MT19937", numbers, entry.numpy_position, entry.numpy_has_gauss, entry.numpy_gauss)
        )
        random.setstate((entry.python_version, tuple(state.rng["python"].tolist()), entry.python_gauss))
        if device.type == "cuda" and "cuda" in state.rng:
            torch.cuda.set_rng_state(state.rng["cuda"], device)
    except (KeyError, IndexError, ValueError, TypeError, RuntimeError) as problem:
        raise CheckpointError(f"{where}: a random generator does not take its saved state: {problem}") from None
