"""Self-play training: stable-baselines3's MaskablePPO over all seats of a batch of games.

Everything but learning itself - the log, small evaluations, checkpoints, stopping - happens between two updates, where
no rollout is pending, so that a run that was stopped or killed goes on from its latest checkpoint as if nothing had
been.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from tooth_agents.checkpoint import CHECKPOINTS, check_game, find_checkpoint, list_checkpoints
from tooth_agents.load import agent_names, load_agent
from tooth_agents.network import NetworkAgent

from tooth_envs.engine.compile import JIT
from tooth_envs.engine.keys import WATCH, derive
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.errors import CheckpointError, OptionError, ToothError
from tooth_envs.spec.files import own_output, printable
from tooth_envs.spec.game import Game
from tooth_training.evaluation.evaluate import evaluate
from tooth_training.learning.buffer import SeatRolloutBuffer
from tooth_training.learning.checkpoint import (
    TrainingState,
    contents,
    locked,
    prune,
    read_training,
    remove_unfinished,
    restore,
    restore_random,
    write_checkpoint,
)
from tooth_training.learning.config import TrainConfig, WarmStartConfig, config_from, config_text
from tooth_training.learning.imitation import imitate
from tooth_training.learning.logs import COLUMNS, RunLog, evaluation_columns, plot
from tooth_training.learning.policy import SeatPolicy, export_network
from tooth_training.learning.progress import Reporter, reporter
from tooth_training.learning.vec_env import BatchVecEnv

CONFIG = "config.yaml"
GAMES_PER_THREAD = 1024
"""Games for which another thread of the engine pays; waking it costs as much as stepping a few hundred games."""

PLOT_EVERY = 60.0
"""Seconds between two drawings of the learning curve while a run goes on."""

_TRAIN_VALUES = {
    "kl": "train/approx_kl",
    "clip_fraction": "train/clip_fraction",
    "policy_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "explained_variance": "train/explained_variance",
    "learning_rate": "train/learning_rate",
}


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
        run, state = _read_run(Path(resume))
        config = _resumed_config(config, run, state)
    elif config is None:
        raise OptionError("train: give a configuration, or a run to resume")
    config.check()
    games = config.games()
    if state is not None:
        check_game(state.meta, games[0], state.directory)
    _check_device(config.device)
    opponents = _opponents(config, games[0]) if config.evaluate_during.points and config.evaluate_during.blocks else ()
    _known_beforehand(config, games)
    if state is None:
        run = _claim_directory(Path(config.run_dir))
    threads = config.num_threads or available_threads()
    config = config.model_copy(update={"num_threads": threads})  # sums depend on it: part of the run from here on
    with locked(run), random_states_kept(), torch_threads(threads), _Interruption() as interruption:
        remove_unfinished(run)
        _save_config(config, run)
        session = _Session(config, games, run, state, opponents, threads, interruption, console)
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
    run, state = _read_run(Path(run))
    return _resumed_config(config_from(state.meta.config, str(run), overrides or ()), run, state)


# What must be known before the first deal.


def _read_run(path: Path) -> tuple[Path, TrainingState]:
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


def _resumed_config(config: TrainConfig | None, run: Path, state: TrainingState) -> TrainConfig:
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


def _check_device(device: str) -> None:
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise OptionError(f"device is {device!r}, but torch finds no CUDA device here; use device=cpu or device=auto")


def available_threads() -> int:
    """How many threads this process may run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _opponents(config: TrainConfig, game: Game) -> tuple[str, ...]:
    """Opponents of the evaluations while training; each is loaded once to see that it can be."""
    named = config.evaluate_during.opponents
    chosen = agent_names(game) if named is None else tuple(dict.fromkeys(named))
    for name in chosen:
        _loaded("evaluate_during.opponents", name, game)
    return chosen


def _known_beforehand(config: TrainConfig, games: tuple[Game, ...]) -> None:
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


def _claim_directory(wanted: Path) -> Path:
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


def _save_config(config: TrainConfig, run: Path) -> None:
    with own_output(run / CONFIG) as file:
        file.write(config_text(config))


# What belongs to the process and is given back as it was.


@contextlib.contextmanager
def random_states_kept() -> Iterator[None]:
    """The process's generators are afterwards as they were.

    Around a run: stable-baselines3 seeds them, and whoever called us gets theirs back. Within a run, around all that
    only watches it: a network built for an evaluation draws its first weights, which must not change what is learnt.
    """
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    on_devices = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
        torch.set_rng_state(states[2])
        if on_devices is not None:
            torch.cuda.set_rng_state_all(on_devices)


@contextlib.contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """torch computes on this many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _Interruption:
    """Turns Ctrl-C and SIGTERM into a wish to stop after the update; the second one stops at once."""

    def __init__(self) -> None:
        self.wanted: int | None = None
        self.news: Reporter | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: object) -> None:
        if self.wanted is not None:
            self.leave(number)
        self.wanted = number
        if self.news is not None:
            self.news.say("Stopping after this update, with a checkpoint. (Once more: at once, without.)")

    @staticmethod
    def leave(number: int) -> None:
        """End the program as the signal would have."""
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)


class _Stop(Exception):
    """Leaves stable-baselines3's loop between two updates."""


class _Caught(KVWriter):
    """Takes what MaskablePPO logs."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """See KVWriter."""
        self.values = dict(key_values)

    def close(self) -> None:
        """See KVWriter."""


class _Session(BaseCallback):
    """One process's part of a run: from its beginning, or a checkpoint, to the end or to an interruption."""

    def __init__(
        self,
        config: TrainConfig,
        games: tuple[Game, ...],
        run: Path,
        state: TrainingState | None,
        opponents: tuple[str, ...],
        threads: int,
        interruption: _Interruption,
        console: Console | None,
    ) -> None:
        super().__init__()
        self._config = config
        self._games = games
        self._run = run
        self._state = state
        self._opponents = opponents
        self._interruption = interruption
        self._begun_at = state.decisions if state else 0
        rollouts = max(0, -(-(config.total_decisions - self._begun_at) // config.rollout))
        self._total = self._begun_at + rollouts * config.rollout
        self._finished_games = state.finished_games if state else 0
        self._seconds = state.seconds if state else 0.0
        self._saved_at = self._begun_at
        self._boundary = self._begun_at
        self._plotted = time.monotonic()
        most = int(numba.config.NUMBA_NUM_THREADS) if JIT else 1  # type: ignore[attr-defined]
        numba_threads = min(threads, most, max(1, config.ppo.n_envs // GAMES_PER_THREAD))
        self._env = BatchVecEnv(BatchEnv(games, config.ppo.n_envs, numba_threads))
        self._model = self._build()
        self._caught = _Caught()
        self._model.set_logger(Logger(None, [self._caught]))
        columns = {**COLUMNS, **evaluation_columns(opponents)}
        with random_states_kept():
            self._log = RunLog(run, columns, config.logging.tensorboard, state.decisions if state else None)
            self._news = reporter(config.logging.progress, self._total, self._begun_at, console)
        interruption.news = self._news

    def _build(self) -> MaskablePPO:
        ppo = self._config.ppo
        model = MaskablePPO(
            SeatPolicy,
            self._env,
            learning_rate=self._learning_rate,
            n_steps=ppo.n_steps,
            batch_size=ppo.batch_size,
            n_epochs=ppo.n_epochs,
            gamma=ppo.gamma,
            gae_lambda=ppo.gae_lambda,
            clip_range=ppo.clip_range,
            normalize_advantage=ppo.normalize_advantage,
            ent_coef=ppo.ent_coef,
            vf_coef=ppo.vf_coef,
            max_grad_norm=ppo.max_grad_norm,
            rollout_buffer_class=SeatRolloutBuffer,
            target_kl=ppo.target_kl,
            policy_kwargs={"spec": self._config.network},
            seed=self._config.seed,
            device=self._config.device,
        )
        assert isinstance(model.rollout_buffer, SeatRolloutBuffer)
        model.rollout_buffer.attach(self._env)
        return model

    # Schedules. Stable-baselines3 asks after collecting, when the rollout's own share of the way is already behind: the
    # last update would have a learning rate of 0 (below 0 if the total were no multiple of a rollout).

    def _way_left(self, progress_remaining: float) -> float:
        return min(1.0, max(0.0, progress_remaining + self._config.rollout / self._total))

    def _learning_rate(self, progress_remaining: float) -> float:
        ppo = self._config.ppo
        return ppo.learning_rate * (self._way_left(progress_remaining) if ppo.schedule == "linear" else 1.0)

    def _entropy_coefficient(self, progress_remaining: float) -> float:
        ppo = self._config.ppo
        if ppo.ent_coef_final is None:
            return ppo.ent_coef
        left = self._way_left(progress_remaining)
        return ppo.ent_coef * left + ppo.ent_coef_final * (1.0 - left)

    def run_to_end(self) -> None:
        """Learn what is left.

        Raises:
            as ``train``.
        """
        config = self._config
        try:
            self._news.say(self._opening())
            self._warn_of_threads()
            if self._total > self._begun_at:
                self._compile()
                if self._state is None and config.warm_start is not None:
                    self._warm_start(config.warm_start)
                with contextlib.suppress(_Stop):
                    self._model.learn(
                        self._total - self._begun_at,
                        self,
                        log_interval=None,  # type: ignore[arg-type]
                        reset_num_timesteps=self._state is None,
                    )
            self._draw()
            if self._interruption.wanted is not None and self._saved_at < self._total:
                self._news.say(
                    f"Stopped at {self._saved_at:,} decisions. Resume with: tooth train --resume {self._run}"
                )
                self._interruption.leave(self._interruption.wanted)
            rate = (self._total - self._begun_at) / max(
                self._seconds - (self._state.seconds if self._state else 0.0), 1e-9
            )
            self._news.say(
                f"{config.game.name}: {self._total:,} decisions trained, {rate:,.0f}/s; results in {self._run}"
            )
        finally:
            self._news.close()
            self._log.close()

    def _compile(self) -> None:
        """Have the compiled loops ready before the clock runs; what is played here is forgotten."""
        started = time.perf_counter()
        batch = self._env.batch
        batch.reset(0)
        batch.step(batch.random_actions(0))
        assert isinstance(self._model.rollout_buffer, SeatRolloutBuffer)
        self._model.rollout_buffer.warm_up()
        spent = time.perf_counter() - started
        if spent > 2.0:
            self._news.say(f"Compiled in {spent:.0f} s; the next run finds it done.")
        if self._state is not None:
            restore(self._state, self._model, self._env)

    def _warm_start(self, settings: WarmStartConfig) -> None:
        started = time.perf_counter()
        told = 0

        def go_on(done: int, total: int, agreement: float) -> bool:
            nonlocal told
            if 5 * done // total > told:
                told = 5 * done // total
                self._news.say(f"{done:>12,} decisions of {settings.agent} imitated: agreement {agreement:.3f}")
            return self._interruption.wanted is None

        teacher = load_agent(settings.agent, self._games[0], may_import=False)
        found = imitate(self._model, self._env, teacher, settings, self._config.seed, go_on)
        self._env.take_tally()
        if not found.finished and self._interruption.wanted is not None:
            self._news.say("Stopped during the warm start: there is no checkpoint yet; begin again.")
            self._interruption.leave(self._interruption.wanted)
        self._check_weights(0)
        self._news.say(
            f"Warm start: {found.decisions:,} decisions of {settings.agent} imitated in "
            f"{time.perf_counter() - started:.0f} s; at the end the network chose as it did in "
            f"{100 * found.agreement:.1f}% of its choices"
        )

    def _opening(self) -> str:
        config = self._config
        tables = ", ".join(str(game.num_players) for game in self._games)
        weights = sum(parameter.numel() for parameter in self._model.policy.parameters())
        where = f" from {self._begun_at:,}" if self._state else ""
        return (
            f"{self._games[0].title} ({tables} seats): training{where} to {self._total:,} decisions, "
            f"{config.ppo.n_envs} games at once, {weights:,} weights, {torch.get_num_threads()} threads; {self._run}"
        )

    def _warn_of_threads(self) -> None:
        if self._state is None:
            return
        before, now = self._state.meta.config.get("num_threads"), self._config.num_threads
        if before is not None and before != now:
            self._news.say(
                f"This run was computed on {before} threads and goes on with {now}: sums are added up in another "
                f"order, so it does not repeat bit for bit what it would have become (num_threads={before} would)."
            )

    # Called by stable-baselines3.

    def _on_training_start(self) -> None:
        if self._state is not None:
            restore_random(self._state, self._model.device)
        elif self._opponents:
            with random_states_kept():
                self._log.write({"decisions": 0, "updates": 0, "games": 0, "seconds": 0.0, **self._evaluate()})
        self._since = time.perf_counter()

    def _on_rollout_start(self) -> None:
        if self._model.num_timesteps > self._boundary:
            self._between_updates()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        left = 1.0 - self._model.num_timesteps / self._total
        self._model.ent_coef = self._entropy_coefficient(left)

    def _on_training_end(self) -> None:
        self._between_updates()

    # Between two updates.

    def _between_updates(self) -> None:
        decisions = self._model.num_timesteps
        spent = time.perf_counter() - self._since
        self._seconds += spent
        self._check_weights(decisions)
        with random_states_kept():
            row = self._row(decisions, (decisions - self._boundary) / spent)
            evaluated = self._evaluate() if self._evaluation_due(decisions) else {}
            self._boundary = decisions
            self._log.write({**row, **evaluated})
            self._news.update(decisions, row["decisions_per_second"], row["entropy"], row["kl"])
        stop = self._interruption.wanted is not None
        last = decisions >= self._total
        if evaluated or stop or last or decisions - self._saved_at >= self._config.checkpoint.every:
            self._save(decisions, evaluated)
        if stop and not last:
            raise _Stop
        self._since = time.perf_counter()

    def _check_weights(self, decisions: int) -> None:
        if not all(bool(torch.isfinite(parameter).all()) for parameter in self._model.policy.parameters()):
            raise ToothError(
                f"{self._run}: training diverged before {decisions:,} decisions (weights are not finite); earlier "
                "checkpoints are intact. Lower ppo.learning_rate or set ppo.target_kl"
            )

    def _row(self, decisions: int, rate: float) -> dict[str, float]:
        self._model.logger.dump(decisions)
        learnt = self._caught.values
        tally = self._env.take_tally()
        self._finished_games += tally.games
        games = max(tally.games, 1)
        nothing = float("nan")
        told = tally.games > 0 and tally.typical
        return {
            "decisions": decisions,
            "updates": -(-decisions // self._config.rollout),
            "games": self._finished_games,
            "seconds": self._seconds,
            "decisions_per_second": rate,
            "game_length": tally.decisions / games if told else nothing,
            "games_truncated": tally.truncated / games if told else nothing,
            "first_seat_return": float(tally.returns[0]) / games if told else nothing,
            "entropy": -float(learnt.get("train/entropy_loss", nothing)),
            **{name: float(learnt.get(key, nothing)) for name, key in _TRAIN_VALUES.items()},
            "ent_coef": self._model.ent_coef,
        }

    def _evaluation_due(self, decisions: int) -> bool:
        points = self._config.evaluate_during.points if self._opponents else 0
        return points > 0 and decisions * points // self._total > self._boundary * points // self._total

    def _evaluate(self) -> dict[str, float]:
        """Small matches against each opponent: columns of the log."""
        settings = self._config.evaluate_during
        game = self._games[0]
        if settings.num_players is not None:
            game = self._config.game_at(settings.num_players)
        policy = self._model.policy
        assert isinstance(policy, SeatPolicy)
        agent = NetworkAgent(export_network(policy), settings.greedy)
        seed = derive(self._config.seed, WATCH) if settings.seed is None else settings.seed
        found = {}
        for name in self._opponents:
            opponent = load_agent(name, game, may_import=False)
            result = evaluate(
                game, {agent.name: agent, f"opponent {name}": opponent}, settings.blocks, seed, mixed=False
            ).agents[agent.name]
            share = result.win_share
            found[f"win_share_vs_{name}"] = share.mean
            if share.low is not None and share.high is not None:
                found[f"win_share_low_vs_{name}"] = share.low
                found[f"win_share_high_vs_{name}"] = share.high
            found[f"reward_vs_{name}"] = result.reward.mean
        shares = ", ".join(f"{found[f'win_share_vs_{name}']:.3f} against {name}" for name in self._opponents)
        self._news.say(
            f"{self._model.num_timesteps:>12,} decisions: win share {shares} (fair {1 / (1 + max(game.teams)):.3f})"
        )
        return found

    def _save(self, decisions: int, evaluated: Mapping[str, float]) -> None:
        rewards = [value for name, value in evaluated.items() if name.startswith("reward_vs_")]
        score = min(rewards) if rewards else None
        files = contents(self._model, self._env, self._config, self._finished_games, self._seconds, score)
        write_checkpoint(self._run, decisions, files)
        self._saved_at = decisions
        prune(self._run, self._config.checkpoint.keep)
        if time.monotonic() - self._plotted > PLOT_EVERY:
            self._draw()

    def _draw(self) -> None:
        if self._config.logging.plot:
            tables = ", ".join(str(game.num_players) for game in self._games)
            compared_at = self._config.evaluate_during.num_players or self._games[0].num_players
            with random_states_kept():
                plot(self._run, f"{self._games[0].title}, {tables} seats: {self._run.name}", 1 / compared_at)
            self._plotted = time.monotonic()
