"""Options that every game has. A game's own model extends this one."""

from __future__ import annotations

from pydantic import Field

from tooth_envs.validation import StrictModel


class Options(StrictModel):
    """Constructor options common to all games."""

    num_players: int = Field(default=2, description="seats at the table")
    reward: str = Field(default="rank", description="how the final ranking is paid")
    shaping: float = Field(default=0.0, ge=0.0, description="factor of the per-step reward, 0 for none")
    max_steps: int = Field(default=1000, ge=1, le=2**31 - 1, description="decisions after which a game is truncated")
    skip_forced: bool = Field(default=True, description="decisions that leave no choice are taken by the engine")
    deck: str = Field(default="standard", description="a built-in deck's name, or the path of a deck file")
    history: bool = Field(default=False, description="observations also hold the full public history")
