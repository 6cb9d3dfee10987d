"""Whole runs on Kuhn poker: what they leave behind, and that stopping and going on changes nothing."""

from __future__ import annotations

import csv
import errno
import io
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import tooth_training.learning.checkpoint
import tooth_training.learning.session as sessions
import tooth_training.learning.train as module
import torch
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tooth_agents.checkpoint import find_checkpoint, list_checkpoints, load_network_agent, read_meta
from tooth_training.learning.config import config_from, load_config
from tooth_training.learning.logs import read_progress
from tooth_training.learning.progress import duration
from tooth_training.learning.train import resume_config, train

from tests.kuhn import Kuhn
from tooth_envs.engine.state import record
from tooth_envs.errors import CheckpointError, OptionError, ToothError

ROLLOUT = 16 * 16


def settings(run: Path, *overrides: str, total: int = 8 * ROLLOUT):
    return config_from(
        {
            "game": {"name": "kuhn"},
            "total_decisions": total,
            "seed": 5,
            "run_dir": str(run),
            "num_threads": 1,
            "network": {"hidden": [16]},
            "ppo": {
                "n_envs": 16,
                "n_steps": 16,
                "batch_size": 64,
                "learning_rate": 1e-3,
                "ent_coef": 0.2,
                "ent_coef_final": 0.1,
            },
            "checkpoint": {"every": 2 * ROLLOUT, "keep": 3},
            "logging": {"tensorboard": False, "plot": False, "progress": "silent"},
            "evaluate_during": {"points": 2, "blocks": 5},
        },
        "test",
        overrides,
    )


def weights(run: Path) -> str:
    """Identifies the latest weights."""
    return read_meta(find_checkpoint(run)).files["policy.safetensors"].sha256


def everything(run: Path) -> dict[str, str]:
    """Identifies all that the next update would depend on."""
    files = read_meta(find_checkpoint(run)).files
    return {
        name: files[name].sha256
        for name in ("policy.safetensors", "optimizer.safetensors", "rng.safetensors", "games.npy", "open.safetensors")
    }


def rows(run: Path) -> list[dict[str, str]]:
    """progress.csv without what depends on the clock."""
    with (run / "progress.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    for row in table:
        del row["seconds"], row["decisions_per_second"]
    return table


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """A run without interruption."""
    return train(settings(tmp_path_factory.mktemp("straight") / "run"))


def test_a_run_and_what_it_leaves(tmp_path):
    said = io.StringIO()
    config = settings(
        tmp_path / "run", "logging.tensorboard=true", "logging.plot=true", "logging.progress=lines", "checkpoint.keep=2"
    )
    run = train(config, console=Console(file=said, width=200))
    assert run == tmp_path / "run"
    assert load_config(run / "config.yaml") == config
    progress = read_progress(run / "progress.csv")
    assert progress["decisions"] == [ROLLOUT * update for update in range(9)]
    assert progress["updates"] == list(range(9))
    for name in (
        "entropy",
        "kl",
        "value_loss",
        "explained_variance",
        "game_length",
        "decisions_per_second",
        "clip_fraction",
    ):
        assert np.isnan(progress[name][0])
        first = 2 if name == "game_length" else 1
        assert np.isfinite(progress[name][first:]).all(), name
    # In the first rollout the short games end first: what games are like is told from the second on.
    assert np.isnan(progress["game_length"][1])
    assert np.isnan(progress["games_truncated"][1])
    assert 2.0 <= min(progress["game_length"][2:]) <= max(progress["game_length"][2:]) <= 3.0
    assert progress["games_truncated"][2:] == [0.0] * 7
    assert progress["games"] == sorted(progress["games"])
    assert progress["seconds"] == sorted(progress["seconds"])
    assert 0.0 < progress["entropy"][-1] <= np.log(2) + 1e-6
    for name in ("win_share_vs_random", "win_share_low_vs_random", "win_share_high_vs_random", "reward_vs_random"):
        assert [index for index, value in enumerate(progress[name]) if np.isfinite(value)] == [0, 4, 8], name
    assert [int(path.name) for path in list_checkpoints(run)][-2:] == [6 * ROLLOUT, 8 * ROLLOUT]
    assert len(list_checkpoints(run)) <= 3
    assert (run / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    events = EventAccumulator(str(run / "tensorboard"))
    events.Reload()
    scalars = events.Scalars("train/entropy")
    assert [point.step for point in scalars] == [ROLLOUT * update for update in range(1, 9)]
    assert [point.step for point in events.Scalars("evaluation/win_share_vs_random")] == [0, 4 * ROLLOUT, 8 * ROLLOUT]
    text = said.getvalue()
    assert "Kuhn Poker (2 seats): training to 2,048 decisions" in text
    assert "win share" in text
    assert "entropy" in text
    assert str(run) in text
    agent = load_network_agent(run, Kuhn.create())
    assert agent.name == "run"


def test_the_same_seed_gives_the_same_run(straight, tmp_path):
    again = train(settings(tmp_path / "again"))
    assert everything(again) == everything(straight)
    assert rows(again) == rows(straight)
    other = train(settings(tmp_path / "other", "seed=6"))
    assert weights(other) != weights(straight)


@pytest.mark.parametrize(
    "changes",
    [
        ["evaluate_during.points=0"],
        ["evaluate_during.points=8", "evaluate_during.blocks=7", "evaluate_during.seed=3"],
        ["evaluate_during.greedy=true", "evaluate_during.opponents=[random, random]"],
        ["logging.tensorboard=true", "logging.plot=true", "logging.progress=lines"],
        [f"checkpoint.every={ROLLOUT}", "checkpoint.keep=1"],
    ],
)
def test_watching_a_run_does_not_change_it(straight, tmp_path, monkeypatch, changes):
    """Evaluating, logging, drawing and saving use none of its random numbers."""
    monkeypatch.setattr(sessions, "PLOT_EVERY", 0.0)
    watched = train(settings(tmp_path / "run", *changes), console=Console(file=io.StringIO()))
    assert everything(watched) == everything(straight)


def test_threads_belong_to_the_run(tmp_path, monkeypatch):
    """The number is noted when a run begins, and resuming keeps it unless another one is given, which is told."""
    monkeypatch.setattr(module, "available_threads", lambda: 2)
    used = []
    real = module.torch_threads
    monkeypatch.setattr(module, "torch_threads", lambda count: used.append(count) or real(count))
    run = train(settings(tmp_path / "run", "num_threads=null", total=ROLLOUT))
    assert load_config(run / "config.yaml").num_threads == 2
    monkeypatch.setattr(module, "available_threads", lambda: 1)
    said = io.StringIO()
    console = Console(file=said, width=400)
    more = [f"total_decisions={2 * ROLLOUT}", "logging.progress=lines"]
    train(module.resume_config(run, more), resume=run, console=console)
    train(settings(run, "num_threads=null", "logging.progress=lines", total=3 * ROLLOUT), resume=run, console=console)
    assert used == [2, 2, 2]
    assert "threads and goes on with" not in said.getvalue()
    train(
        module.resume_config(run, [f"total_decisions={4 * ROLLOUT}", "num_threads=1", *more[1:]]),
        resume=run,
        console=console,
    )
    assert used[3:] == [1]
    assert "computed on 2 threads and goes on with 1" in said.getvalue()


def test_schedules_run_from_the_first_value_to_the_last(straight):
    progress = read_progress(straight / "progress.csv")
    rate, entropy = progress["learning_rate"][1:], progress["ent_coef"][1:]
    np.testing.assert_allclose(rate, [1e-3 * left / 8 for left in range(8, 0, -1)], rtol=1e-4)
    np.testing.assert_allclose(entropy, [0.1 + 0.1 * left / 8 for left in range(8, 0, -1)], rtol=1e-4)


def test_the_total_is_rounded_up_and_no_rate_is_negative(tmp_path):
    run = train(settings(tmp_path / "run", "evaluate_during.points=0", total=2 * ROLLOUT + 1))
    progress = read_progress(run / "progress.csv")
    assert progress["decisions"] == [ROLLOUT, 2 * ROLLOUT, 3 * ROLLOUT]
    assert min(progress["learning_rate"]) > 0
    assert "win_share_vs_random" not in progress


class Killed(BaseException):
    """Stands for the power going off."""


@pytest.mark.parametrize("at", [1, 2, 3])
def test_going_on_is_exact(straight, tmp_path, monkeypatch, at):
    """Killed right after the at-th checkpoint and two updates beyond it: the same weights, games and log in the end."""
    real, writes = sessions.write_checkpoint, []
    later = []

    def counted(*args):
        writes.append(real(*args))
        return writes[-1]

    def killed(self, decisions):
        if len(writes) == at:
            later.append(decisions)
            if len(later) == 2:
                raise Killed

    monkeypatch.setattr(sessions, "write_checkpoint", counted)
    monkeypatch.setattr(sessions.Session, "_check_weights", killed)
    with pytest.raises(Killed):
        train(settings(tmp_path / "run"))
    monkeypatch.undo()
    run = tmp_path / "run"
    before = int(find_checkpoint(run).name)
    assert 0 < before < later[-1] <= 8 * ROLLOUT
    random.seed(77), np.random.seed(77), torch.manual_seed(77)  # noqa: NPY002
    assert train(None, resume=run) == run
    assert everything(run) == everything(straight)
    assert rows(run) == rows(straight)
    assert read_meta(find_checkpoint(run)).counters == read_meta(find_checkpoint(straight)).counters


def test_events_of_a_resumed_run_occur_once(tmp_path, monkeypatch):
    def killed(self, decisions):
        if decisions == 4 * ROLLOUT:
            raise Killed

    config = settings(tmp_path / "run", "logging.tensorboard=true", "evaluate_during.points=0")
    monkeypatch.setattr(sessions.Session, "_check_weights", killed)
    with pytest.raises(Killed):
        train(config)
    monkeypatch.undo()
    assert int(find_checkpoint(tmp_path / "run").name) == 2 * ROLLOUT  # the log is an update ahead
    train(config, resume=tmp_path / "run")
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    events.Reload()
    assert [point.step for point in events.Scalars("train/kl")] == [ROLLOUT * update for update in range(1, 9)]


def test_kill_in_the_middle_of_saving(straight, tmp_path):
    """kill -9 while the second checkpoint is being written, in a process of its own."""
    run = tmp_path / "run"
    code = textwrap.dedent(
        f"""
        import os, signal
        from pathlib import Path
        from tests.training.learning.test_train import settings
        from tooth_training.learning.train import train
        real, count = os.fsync, 0
        def fsync(descriptor):
            global count
            count += 1
            if count == 6 + 2 + 1 + 4:  # all of the first checkpoint, the log's beginning, half of the second
                os.kill(os.getpid(), signal.SIGKILL)
            real(descriptor)
        os.fsync = fsync
        train(settings(Path({str(run)!r})))
        """
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    folder = run / "checkpoints"
    assert sorted(path.name for path in folder.iterdir()) == [f".unfinished-{4 * ROLLOUT:012d}", f"{2 * ROLLOUT:012d}"]
    load_network_agent(run, Kuhn.create())
    train(None, resume=run)
    assert not list(folder.glob(".unfinished*"))
    assert everything(run) == everything(straight)
    assert rows(run) == rows(straight)


@pytest.mark.parametrize(("number", "leaves"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)])
def test_signals_save_and_stop(straight, tmp_path, monkeypatch, number, leaves):
    run, handler = tmp_path / "run", signal.getsignal(number)
    real = sessions.Session._on_rollout_end

    def interrupted(self):
        real(self)
        if self._model.num_timesteps == 3 * ROLLOUT:
            os.kill(os.getpid(), number)

    monkeypatch.setattr(sessions.Session, "_on_rollout_end", interrupted)
    said = io.StringIO()
    with pytest.raises(leaves):
        train(settings(run, "logging.progress=lines"), console=Console(file=said, width=200))
    monkeypatch.undo()
    assert signal.getsignal(number) is handler
    assert int(find_checkpoint(run).name) == 3 * ROLLOUT
    assert "Stopping after this update" in said.getvalue()
    assert f"--resume {run}" in said.getvalue()
    train(resume_config(run, ["logging.progress=silent"]), resume=run)
    assert everything(run) == everything(straight)
    assert rows(run) == rows(straight)


def test_a_second_signal_stops_at_once(tmp_path, monkeypatch):
    def interrupted(self):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(sessions.Session, "_on_rollout_end", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(settings(tmp_path / "run"))
    assert list_checkpoints(tmp_path / "run") == []


def test_a_full_disk_is_one_clear_error(straight, tmp_path, monkeypatch):
    run, real = tmp_path / "run", tooth_training.learning.checkpoint._write_durably
    written = []

    def full(path, data):
        written.append(path)
        if len(written) > 6 + 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(path, data)

    monkeypatch.setattr(tooth_training.learning.checkpoint, "_write_durably", full)
    with pytest.raises(CheckpointError, match=r"could not be saved \(No space left on device\)"):
        train(settings(run))
    monkeypatch.undo()
    assert [path.name for path in (run / "checkpoints").iterdir()] == [f"{2 * ROLLOUT:012d}"]
    train(None, resume=run)
    assert everything(run) == everything(straight)


@pytest.mark.parametrize("kind", ["link", "dangling", "pipe"])
@pytest.mark.parametrize(
    "name",
    [
        *(".lock", "config.yaml", "progress.csv", "learning_curve.png", "evaluation.json", "tensorboard"),
        *("config.yaml.new", "progress.csv.new"),
    ],
)
def test_a_run_that_somebody_else_prepared(straight, tmp_path, name, kind):
    """Nothing is written through a link, and nothing waits for a pipe; names that are not ours are let alone."""
    run, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    shutil.copytree(straight, run)
    place = run / name
    place.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(elsewhere)
        if kind == "link":
            elsewhere.write_text("precious")
    if name.endswith(".new"):
        train(None, resume=run)
    else:
        with pytest.raises(ToothError, match=rf"{re.escape(name)}: is a symbolic link, a pipe .*; remove it"):
            train(None, resume=run)
    assert elsewhere.exists() == (kind == "link")
    assert kind != "link" or elsewhere.read_text() == "precious"
    assert not list(run.glob(".*.part"))


def test_checkpoints_are_not_written_through_a_link(straight, tmp_path):
    run, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    shutil.copytree(straight, run)
    (run / "checkpoints").rename(elsewhere)
    (run / "checkpoints").symlink_to(elsewhere)
    before = sorted(elsewhere.iterdir())
    with pytest.raises(ToothError, match=r"is a symbolic link|outside of a run"):
        train(settings(run, total=12 * ROLLOUT), resume=run)
    assert sorted(elsewhere.iterdir()) == before


def test_a_log_that_cannot_be_written_is_one_clear_error(tmp_path, monkeypatch):
    def full(self, row):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(csv.DictWriter, "writerow", full)
    with pytest.raises(ToothError, match=r"progress.csv: cannot be written.*No space left on device"):
        train(settings(tmp_path / "run"))


def test_a_finished_run_can_be_extended(tmp_path):
    run = train(settings(tmp_path / "run", total=2 * ROLLOUT))
    done = everything(run)
    assert train(None, resume=run) == run  # nothing left
    assert everything(run) == done
    with pytest.raises(OptionError, match=f"total_decisions is 30, but {2 * ROLLOUT} are done; give more"):
        train(resume_config(run, ["total_decisions=30"]), resume=run)
    assert everything(run) == done
    longer = resume_config(run, [f"total_decisions={4 * ROLLOUT}", "ppo.ent_coef=0.3", "checkpoint.keep=9"])
    train(longer, resume=run)
    progress = read_progress(run / "progress.csv")
    assert progress["decisions"] == [ROLLOUT * update for update in range(5)]
    assert load_config(run / "config.yaml") == longer
    assert resume_config(run) == longer
    assert int(find_checkpoint(run).name) == 4 * ROLLOUT


@pytest.mark.parametrize(
    ("override", "path"),
    [
        ("network.hidden=[17]", "network"),
        ("game.options.max_steps=9", "game"),
        ("seed=6", "seed"),
        ("ppo.n_envs=8", "ppo.n_envs"),
    ],
)
def test_what_a_run_began_with_stays(straight, override, path):
    before = weights(straight)
    with pytest.raises(OptionError, match=rf"was begun with {path} = .* and cannot go on with"):
        resume_config(straight, [override])
    with pytest.raises(OptionError, match=rf"was begun with {path} = "):
        train(settings(straight, override), resume=straight)
    assert weights(straight) == before


def test_resuming_means_the_latest_checkpoint(straight, tmp_path):
    oldest, *_, latest = list_checkpoints(straight)
    assert oldest != latest
    assert train(None, resume=latest) == straight.resolve()
    with pytest.raises(CheckpointError, match="is not the latest checkpoint"):
        train(None, resume=oldest)
    with pytest.raises(CheckpointError, match="is not a checkpoint"):
        train(None, resume=tmp_path)
    lone = tmp_path / "lone"
    lone.symlink_to(latest)
    with pytest.raises(OptionError, match="give a configuration, or a run to resume"):
        train(None)


def test_a_taken_directory_gets_a_number(tmp_path):
    first = train(settings(tmp_path / "a" / "run", total=1))
    second = train(settings(tmp_path / "a" / "run", total=1))
    assert (first.name, second.name) == ("run", "run-2")
    (tmp_path / "a" / "run-3").mkdir()
    assert train(settings(tmp_path / "a" / "run", total=1)).name == "run-3"  # empty ones are free
    (tmp_path / "file").write_text("")
    with pytest.raises(ToothError, match="cannot be made"):
        train(settings(tmp_path / "file" / "run"))
    with pytest.raises(ToothError, match="is there and is no directory"):
        train(settings(tmp_path / "file"))
    assert (tmp_path / "file").read_text() == ""


def test_the_process_gets_back_what_it_lent(tmp_path):
    random.seed(1), np.random.seed(1), torch.manual_seed(1)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state()  # noqa: NPY002
    threads = torch.get_num_threads()
    train(settings(tmp_path / "run", "num_threads=1", total=1))
    assert torch.get_num_threads() == threads
    assert random.getstate() == before[0]
    assert np.random.get_state()[1].tolist() == before[1]  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), before[2])


def test_what_cannot_work_is_said_before_training(tmp_path):
    with pytest.raises(OptionError, match=r"evaluate\.opponents: .*kuhn has no heuristic"):
        train(settings(tmp_path / "run", "evaluate.opponents=[heuristic]"))
    with pytest.raises(OptionError, match=r"evaluate_during\.opponents: unknown agent 'heuristik'"):
        train(settings(tmp_path / "run", "evaluate_during.opponents=[heuristik]"))
    if not torch.cuda.is_available():
        with pytest.raises(OptionError, match="torch finds no CUDA device"):
            train(settings(tmp_path / "run", "device=cuda"))
    assert not (tmp_path / "run").exists()


def test_diverged_weights_stop_a_run(tmp_path, monkeypatch):
    real = sessions.Session._on_rollout_end

    def poisoned(self):
        real(self)
        if self._model.num_timesteps == 3 * ROLLOUT:
            with torch.no_grad():
                self._model.policy.value_net.bias.fill_(torch.nan)

    monkeypatch.setattr(sessions.Session, "_on_rollout_end", poisoned)
    with pytest.raises(ToothError, match="training diverged before 768 decisions"):
        train(settings(tmp_path / "run"))
    assert int(find_checkpoint(tmp_path / "run").name) == 2 * ROLLOUT


def test_the_best_checkpoint_is_kept(tmp_path, monkeypatch):
    scores = iter([0.0, 0.9, 0.1, 0.2, 0.3])

    def scored(self):
        return {"reward_vs_random": next(scores)}

    monkeypatch.setattr(sessions.Session, "_evaluate", scored)
    run = train(settings(tmp_path / "run", "evaluate_during.points=4", "checkpoint.keep=1"))
    assert [int(path.name) for path in list_checkpoints(run)] == [2 * ROLLOUT, 8 * ROLLOUT]
    assert read_meta(list_checkpoints(run)[0]).score == 0.9


def test_an_unfinished_line_of_the_log_is_dropped(tmp_path):
    run = train(settings(tmp_path / "run", total=2 * ROLLOUT))
    with (run / "progress.csv").open("a") as file:
        file.write("768,3,")
    train(resume_config(run, [f"total_decisions={3 * ROLLOUT}"]), resume=run)
    assert read_progress(run / "progress.csv")["decisions"] == [0, ROLLOUT, 2 * ROLLOUT, 3 * ROLLOUT]


@pytest.mark.parametrize("kind", ["bar", "auto"])
def test_a_terminal_gets_a_bar(tmp_path, kind):
    said = io.StringIO()
    console = Console(file=said, width=160, force_terminal=True)
    train(settings(tmp_path / "run", f"logging.progress={kind}", total=4 * ROLLOUT), console=console)
    text = said.getvalue()
    assert "1024/1024" in text
    assert "━" in text
    assert "entropy 0." in text
    assert "win share" in text


def test_words_for_time():
    assert [duration(seconds) for seconds in (0, 59.6, 61, 3600, 7325)] == [
        "0 s",
        "1 min 00 s",
        "1 min 01 s",
        "1 h 00 min",
        "2 h 02 min",
    ]


# The gate: does it learn to play?


def nash_conv(agent) -> float:
    """How much the two seats together could gain by best responses, exactly (all pure responses are tried)."""
    game = Kuhn.create()
    bet: dict[tuple[int, tuple[int, ...]], float] = {}
    for deal in itertools.permutations(range(3), 2):
        for moves in ((), (0,), (1,), (0, 1)):
            states = game.deal(0, script={"draw": list(deal)})
            for action in moves:
                game.step(states, action)
            seat = int(record(states).seat)
            logits = agent.logits(game.observe(states, seat)[None])[0]
            bet[deal[seat], moves] = float(1 / (1 + np.exp(logits[0] - logits[1])))
    sets = ([(c, m) for c in range(3) for m in ((), (0, 1))], [(c, m) for c in range(3) for m in ((0,), (1,))])

    def value(policies) -> float:
        """Expected chips of seat 0."""

        def play(deal, moves, pot) -> float:
            if moves in ((0, 0), (1, 1), (0, 1, 1)):
                return min(pot) if deal[0] > deal[1] else -min(pot)
            if moves in ((1, 0), (0, 1, 0)):
                return 1.0 if pot[0] > pot[1] else -1.0
            seat = len(moves) % 2
            chance = policies[seat][deal[seat], moves]
            total = 0.0
            for action, weight in ((0, 1 - chance), (1, chance)):
                if weight:
                    paid = tuple(chips + (action if own == seat else 0) for own, chips in enumerate(pot))
                    total += weight * play(deal, (*moves, action), paid)
            return total

        deals = list(itertools.permutations(range(3), 2))
        return sum(play(deal, (), (1, 1)) for deal in deals) / len(deals)

    gains = 0.0
    for seat in range(2):
        best = -np.inf
        for choice in itertools.product((0.0, 1.0), repeat=6):
            policies = [bet, bet]
            policies[seat] = dict(zip(sets[seat], choice, strict=True))
            best = max(best, value(policies) * (1 if seat == 0 else -1))
        gains += best
    return gains  # the game is zero-sum: what the policy itself earns cancels


def test_learns_kuhn_poker(tmp_path):
    class Uniform:
        def logits(self, observation):
            return np.zeros((len(observation), 2))

    assert nash_conv(Uniform()) == pytest.approx(0.916667, abs=1e-5)  # a known value, so the measure is right
    config = settings(
        tmp_path / "run",
        "network.hidden=[64, 64]",
        "ppo.n_envs=128",
        "ppo.n_steps=64",
        "ppo.batch_size=1024",
        "ppo.n_epochs=4",
        "ppo.ent_coef_final=0.2",
        "evaluate_during.points=0",
        "checkpoint.every=1000000",
        total=400_000,
    )
    run = train(config)
    assert nash_conv(load_network_agent(run, Kuhn.create())) < 0.25


def test_meta_is_plain_json(straight):
    text = (find_checkpoint(straight) / "meta.json").read_text()
    assert json.loads(text)["counters"]["decisions"] == 8 * ROLLOUT
