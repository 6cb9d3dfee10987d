"""How long games last, and what each seat wins, with intervals."""

from __future__ import annotations

import sys

from tooth_training import game_stats

import tooth_envs


def main(games: int = 2000) -> None:
    """Random play at tables of two, three and four."""
    for players in (2, 3, 4):
        stats = game_stats(tooth_envs.game("super_tooth", num_players=players), games, seed=1)
        shares = ", ".join(f"{share.mean:.3f}" for share in (seat.win_share for seat in stats.seats))
        print(f"{players} seats: {stats.length.mean:.1f} decisions a game; win share by seat: {shares}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
