"""Games written to a file, one JSON object a line; read again, every step is verified."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tooth_training import game_stats

import tooth_envs
from tooth_envs.envs.record import Replay, read_records, record_file


def main(games: int = 5) -> None:
    """Record random games, and replay them."""
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.jsonl"
        with record_file(path) as keep:
            game_stats(game, games, seed=1, keep=keep)
        for number, record in enumerate(read_records(path), 1):
            replay = Replay(record, f"game {number}")
            replay.run()
            print(f"game {number}: seed {record.seed}, {replay.at} moves, nothing differs")


if __name__ == "__main__":
    main()
