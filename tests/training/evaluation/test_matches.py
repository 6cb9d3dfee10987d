from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tooth_agents.basic import RandomAgent
from tooth_training.cli import app
from tooth_training.cli.tables import print_matches
from tooth_training.evaluation.matches import evaluate_run
from tooth_training.learning.config import TrainConfig, config_from
from typer.testing import CliRunner

from tests.kuhn import Kuhn
from tooth_envs.errors import ToothError

GAME = "dragon_teeth_washer"


def configured(**evaluate: Any) -> TrainConfig:
    game = {"name": GAME, "options": {"num_players": [3, 4], "claims": "none"}}
    return config_from({"game": game, "total_decisions": 1, "evaluate": {"blocks": 3, **evaluate}}, "test")


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, bool]]:
    """Random agents in place of checkpoints; what was asked for."""
    asked: list[tuple[str, int, bool]] = []

    def load(spec: str, game: Kuhn, greedy: bool = False, may_import: bool = True) -> RandomAgent:
        asked.append((spec, game.num_players, greedy))
        return RandomAgent()

    monkeypatch.setattr("tooth_training.evaluation.matches.load_agent", load)
    return asked


def test_every_opponent_is_met_at_every_table_size(loaded: list[tuple[str, int, bool]]) -> None:
    told: list[tuple[int, int]] = []
    run = Path("runs/x")
    reports = evaluate_run(configured(greedy=True), run, lambda done, total: told.append((done, total)))
    assert [(report.num_players, *report.agents) for report in reports] == [
        (3, "x", "random"),
        (3, "x", "heuristic"),
        (4, "x", "random"),
        (4, "x", "heuristic"),
    ]
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert loaded[:2] == [("runs/x", 3, True), ("random", 3, False)]  # only the run is greedy
    for report in reports:
        assert (report.blocks, report.options["claims"]) == (3, "none")
        assert [lineup.kind for lineup in report.lineups] == ["one among the others"] * 2
        assert report.config["greedy"] is True
        assert report.config["run"] == "runs/x"


def test_opponents_and_table_sizes_can_be_chosen(loaded: list[tuple[str, int, bool]]) -> None:
    reports = evaluate_run(configured(opponents=["random"], num_players=[5], seed=7), Path("random"))
    assert [(report.num_players, report.seed, *report.agents) for report in reports] == [
        (5, 7, "random (trained)", "random")
    ]


def test_the_table_has_both_sides_beside_the_fair_share(loaded: list[tuple[str, int, bool]]) -> None:
    out = io.StringIO()
    print_matches(evaluate_run(configured(opponents=["random"]), Path("x")), Console(file=out, width=160))
    rows = [line.split() for line in out.getvalue().splitlines()]
    starts = [row[:4] for row in rows if row[:1] in (["x"], ["random"])]
    assert starts == [[*pair, size, "3"] for size in ("3", "4") for pair in (["x", "random"], ["random", "x"])]
    assert "33.3%" in out.getvalue()
    assert "25.0%" in out.getvalue()
    assert "too narrow to trust" in out.getvalue()


class Trainer:
    """In place of tooth_training.learning.train: notes what it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[tuple[Any, Any]] = []

    def train(self, config: TrainConfig, resume: Path | None = None) -> Path:
        self.asked.append((config, resume))
        return self.folder

    def resume_config(self, run: str, overrides: list[str] | None = None) -> TrainConfig:
        return config_from(configured(opponents=["random"]).as_data(), run, overrides or [])


@pytest.fixture
def trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: list[tuple[str, int, bool]]) -> Trainer:
    pytest.importorskip("sb3_contrib")
    stand_in = Trainer(tmp_path)
    monkeypatch.setattr("tooth_training.learning.train.train", stand_in.train)
    monkeypatch.setattr("tooth_training.learning.train.resume_config", stand_in.resume_config)
    return stand_in


def test_train_trains_evaluates_and_prints(trainer: Trainer, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"game: {{name: {GAME}}}\ntotal_decisions: 100\nevaluate: {{blocks: 2}}\n")
    result = CliRunner().invoke(app, ["train", str(file), "--set", "seed=5", "--set", "evaluate.blocks=4"])
    assert result.exit_code == 0, result.output
    (config, resume), *rest = trainer.asked
    assert (config.seed, config.evaluate.blocks, config.total_decisions, resume, rest) == (5, 4, 100, None, [])
    assert "heuristic" in result.stdout
    data = json.loads((tmp_path / "evaluation.json").read_text())
    assert [match["blocks"] for match in data["matches"]] == [4, 4]


def test_train_goes_on_with_a_run(trainer: Trainer, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["train", "--resume", "runs/x", "--set", "total_decisions=9"])
    assert result.exit_code == 0, result.output
    (config, resume), *_ = trainer.asked
    assert (config.total_decisions, resume) == (9, Path("runs/x"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give a configuration, or a run to --resume"),
        (["quickstart", "--set", "sed=1"], "unknown key 'sed'; did you mean 'seed'?"),
        (["quickstart", "--set", "seed"], "write key=value"),
    ],
)
def test_wrong_training_is_refused(trainer: Trainer, words: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["train", *words])
    assert result.exit_code == 2
    assert message in result.stderr
    assert trainer.asked == []


def test_an_interrupted_training_is_status_130(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tooth_training.learning.train.train", interrupted)
    assert CliRunner().invoke(app, ["train", "quickstart"]).exit_code == 130


def test_a_failing_training_is_one_message(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: object, **more: object) -> None:
        raise ToothError("weights diverged")

    monkeypatch.setattr("tooth_training.learning.train.train", failing)
    result = CliRunner().invoke(app, ["train", "quickstart"])
    assert (result.exit_code, result.stderr) == (2, "Error: weights diverged\n")


@pytest.mark.parametrize("change", [{"opponents": []}, {"blocks": 0}])
def test_matches_can_be_switched_off(change: dict[str, Any], loaded: list[tuple[str, int, bool]]) -> None:
    assert evaluate_run(configured(**change), Path("runs/x")) == []
    assert loaded == []
