"""``tooth train``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tooth_training.cli.app import app, say
from tooth_training.cli.words import (
    progress_bar,
)


@app.command(short_help="Train an agent by self-play.")
def train(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONFIG]",
            help="A YAML file, or the name of a configuration that the suite ships. May be left out with --resume.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change one setting, e.g. ppo.learning_rate=1.0e-4. Repeatable."
        ),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="DIR", help="Go on with a run that was stopped.")
    ] = None,
) -> None:
    """Train an agent by self-play as a configuration says, then evaluate it and print the table.

    Ctrl-C stops after the current update, with a checkpoint; --resume goes on from there. The matches that follow,
    against each opponent alone on duplicate deals, are also written to evaluation.json in the run's directory.

    \b
    Examples:
      tooth train quickstart
      tooth train configs/quickstart.yaml --set seed=3 --set total_decisions=200000
      tooth train --resume runs/quickstart --set total_decisions=2000000
    """
    from tooth_training.learning.config import load_config

    if config is None and resume is None:
        raise typer.BadParameter("give a configuration, or a run to --resume", param_hint="CONFIG")
    settings = load_config(config, changes or []) if config is not None else None
    from tooth_envs.spec.files import own_output
    from tooth_training.cli.tables import console, json_text, print_matches
    from tooth_training.evaluation.matches import evaluate_run
    from tooth_training.learning.logs import EVALUATION
    from tooth_training.learning.train import resume_config
    from tooth_training.learning.train import train as run_training

    if settings is None:
        settings = resume_config(str(resume), changes)
    folder = run_training(settings, resume=resume)
    with progress_bar("matches") as progress:
        reports = evaluate_run(settings, folder, progress)
    if not reports:
        say(f"No matches: evaluate names no opponents, or no blocks. tooth evaluate plays some with {folder}.")
        return
    print_matches(reports, console())
    with own_output(folder / EVALUATION) as file:
        file.write(json_text({"matches": [report.to_dict() for report in reports]}))
