"""A run from its first update to its last.

The log, small evaluations, checkpoints and stopping happen between two updates, where no rollout is pending.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from tooth_agents.load import load_agent
from tooth_agents.network import NetworkAgent

from tooth_envs.engine.compile import JIT
from tooth_envs.engine.keys import WATCH, derive
from tooth_envs.engine.threads import available_threads
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game
from tooth_training.evaluation.evaluate import evaluate
from tooth_training.learning.buffer import SeatRolloutBuffer
from tooth_training.learning.checkpoint import (
    TrainingState,
    contents,
    prune,
    restore,
    restore_random,
    write_checkpoint,
)
from tooth_training.learning.config import TrainConfig, WarmStartConfig
from tooth_training.learning.imitation import imitate
from tooth_training.learning.logs import COLUMNS, RunLog, evaluation_columns, plot
from tooth_training.learning.policy import SeatPolicy, export_network
from tooth_training.learning.process import Interruption, random_states_kept
from tooth_training.learning.progress import reporter
from tooth_training.learning.vec_env import BatchVecEnv

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


class Stop(Exception):
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


class Session(BaseCallback):
    """One process's part of a run: from its beginning, or a checkpoint, to the end or to an interruption."""

    def __init__(
        self,
        config: TrainConfig,
        games: tuple[Game, ...],
        run: Path,
        state: TrainingState | None,
        opponents: tuple[str, ...],
        threads: int,
        interruption: Interruption,
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
        most = available_threads() if JIT else 1
        engine_threads = min(threads, most, max(1, config.ppo.n_envs // GAMES_PER_THREAD))
        self._env = BatchVecEnv(BatchEnv(games, config.ppo.n_envs, engine_threads))
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
                with contextlib.suppress(Stop):
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
            raise Stop
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
