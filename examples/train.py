"""A short training run from Python, and the matches after it. (For real runs: tooth train quickstart.)"""

from __future__ import annotations

import sys
import tempfile

from tooth_training import evaluate_run, load_config, train


def main(decisions: int = 20_000) -> None:
    """The quickstart's configuration, cut short."""
    with tempfile.TemporaryDirectory() as folder:
        changes = (
            f"total_decisions={decisions}",
            f"run_dir={folder}/run",
            "evaluate.blocks=20",
            "logging.progress=lines",
        )
        config = load_config(
            "quickstart", [*changes, "evaluate_during.points=0", "ppo.n_envs=64", "ppo.batch_size=512"]
        )
        run = train(config)
        for report in evaluate_run(config, run):
            print({label: round(result.win_share.mean, 3) for label, result in report.agents.items()})


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
