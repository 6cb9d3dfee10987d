"""tooth_envs: card-and-dice games for reinforcement-learning research. See README.md."""

from __future__ import annotations

from tooth_envs.registry import game, games, register_game

__version__ = "0.1.0"

__all__ = ["__version__", "game", "games", "register_game"]
