"""What pages say about speed, length and strength: measured by one command, kept as data with how it was measured."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tooth_agents.basic import has_heuristic
from tooth_agents.load import load_agent
from tooth_training.evaluation.bench import bench
from tooth_training.evaluation.evaluate import evaluate, plain
from tooth_training.evaluation.stats import game_stats

from tooth_envs.errors import OptionError, ToothError
from tooth_envs.spec.game import Game
from tooth_envs.spec.registry import game_class

GAMES, BLOCKS, SEED = 20_000, 500, 0
"""Games of the statistics, deal blocks of the comparison, and the seed of both."""

Say = Callable[[str], None]


def data_file(root: Path, name: str) -> Path:
    """Where a game's measurements are kept."""
    return root / "docs" / "data" / f"{name}.json"


def table_sizes(cls: type[Game]) -> list[Game]:
    """The game under default options, once for every number of seats that it allows."""
    found = []
    for players in range(cls.min_players, cls.max_players + 1):
        try:
            found.append(cls.create(num_players=players))
        except OptionError:
            continue  # say, only even numbers
    return found


def measure(name: str, repeats: int, seconds: float, say: Say) -> dict[str, Any]:
    """Measure a game: speed at its default number of seats; statistics and the heuristic's strength at every number.

    Args:
        name: the game.
        repeats, seconds: see tooth_training.evaluation.bench.bench.
        say: told what is being measured.

    Returns:
        JSON-ready data; all but speed is the same wherever it is measured.
    """
    cls = game_class(name)
    say(f"{name}: speed")
    speed = bench(cls.create(), repeats, seconds).to_dict()
    statistics, strength = [], []
    for game in table_sizes(cls):
        say(f"{name}: {game.num_players} seats")
        statistics.append(game_stats(game, GAMES, SEED).to_dict())
        if has_heuristic(game):
            heuristic = {"heuristic": load_agent("heuristic", game)}
            statistics.append(game_stats(game, GAMES, SEED, heuristic).to_dict())
            report = evaluate(game, {**heuristic, "random": load_agent("random", game)}, BLOCKS, SEED, mixed=False)
            keys = ("num_players", "seed", "blocks", "games", "agents", "versions")
            strength.append({key: plain(getattr(report, key)) for key in keys})
    return {
        "game": name,
        "version": cls.version,
        "command": f"python -m tools.docs --measure {name}",
        "commit": commit(),
        "speed": speed,
        "statistics": statistics,
        "strength": strength,
    }


def commit() -> str | None:
    """The commit of the checkout that this code runs from, "-dirty" if files differ from it; None outside of one."""
    words = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        ran = subprocess.run(words, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return ran.stdout.strip() or None


def read_data(root: Path, cls: type[Game]) -> dict[str, Any]:
    """A game's measurements.

    Raises:
        ToothError: none, or of another version of the game.
    """
    file = data_file(root, cls.name)
    remedy = f"measure it: python -m tools.docs --measure {cls.name}"
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["version"] != cls.version:
            raise ToothError(f"{file}: is of version {data['version']} of the game, not {cls.version}; {remedy}")
    except (OSError, ValueError, KeyError, TypeError) as problem:
        if isinstance(problem, ToothError):
            raise
        raise ToothError(f"{file}: cannot be read ({problem!r}); {remedy}") from None
    return dict(data)
