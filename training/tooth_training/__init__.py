"""Self-play training, evaluation, statistics and the command line.

docs/python.md says which function does what each command does. The names below are imported when they are first used:
measuring needs no torch, training does.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tooth_training.evaluation.bench import bench
    from tooth_training.evaluation.evaluate import evaluate
    from tooth_training.evaluation.exploit import exploit
    from tooth_training.evaluation.matches import evaluate_run
    from tooth_training.evaluation.stats import game_stats
    from tooth_training.learning.config import TrainConfig, config_from, load_config
    from tooth_training.learning.train import resume_config, train

# Threads of numerical libraries wait by spinning unless told otherwise before they are loaded. On a machine that also
# does other work, every small matrix product then waits for a thread that is not running. Measured, decisions/s of the
# quickstart with two threads on two cores: idle 39,000 spinning and 30,000 sleeping (25,000 with one thread); with two
# busy neighbours 500 to 3,000 spinning and 9,000 to 12,000 sleeping. On an idle machine, OMP_WAIT_POLICY=ACTIVE pays.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

_HOMES = {
    "TrainConfig": "learning.config",
    "bench": "evaluation.bench",
    "config_from": "learning.config",
    "evaluate": "evaluation.evaluate",
    "evaluate_run": "evaluation.matches",
    "exploit": "evaluation.exploit",
    "game_stats": "evaluation.stats",
    "load_config": "learning.config",
    "resume_config": "learning.train",
    "train": "learning.train",
}
"""Public name -> the module that has it."""

__all__ = [
    "TrainConfig",
    "bench",
    "config_from",
    "evaluate",
    "evaluate_run",
    "exploit",
    "game_stats",
    "load_config",
    "resume_config",
    "train",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
