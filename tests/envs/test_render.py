"""Frames: one size for all, in every form."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import tooth_envs
from tests.support import chosen
from tooth_envs.envs.render import HEIGHT, WIDTH, picture
from tooth_envs.errors import OptionError


@pytest.mark.parametrize("lines", [0, 1, 30, 80, 500])
def test_every_text_gives_a_frame_of_one_size(lines: int) -> None:
    frame = picture("\n".join(f"line {number} " + "word " * 12 for number in range(lines)))
    assert frame.shape == (HEIGHT, WIDTH, 3)
    assert frame.dtype == np.uint8
    assert lines == 0 or len(np.unique(frame.reshape(-1, 3), axis=0)) > 5, "an empty picture"


@pytest.mark.parametrize("name", tooth_envs.list_games())
def test_gymnasium_makes_frames(name: str) -> None:
    env = gymnasium.make(f"tooth_envs/{name}-v0", render_mode="rgb_array")
    observation, _ = env.reset(seed=1)
    frames = [env.render()]
    for step in range(5):
        observation, _, terminated, truncated, _ = env.step(chosen(observation["action_mask"], step))
        frames.append(env.render())
        if terminated or truncated:
            break
    assert {frame.shape for frame in frames} == {(HEIGHT, WIDTH, 3)}


def test_a_video_is_recorded(tmp_path: object) -> None:
    env = gymnasium.wrappers.RenderCollection(
        gymnasium.make("tooth_envs/dragon_teeth_washer-v0", render_mode="rgb_array")
    )
    observation, _ = env.reset(seed=2)
    env.step(chosen(observation["action_mask"], 0))
    assert len({frame.shape for frame in env.render()}) == 1


def test_a_single_seat_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    env = tooth_envs.make_single("dragon_teeth_washer", render_mode="human")
    observation, _ = env.reset(seed=1)
    env.step(chosen(observation["action_mask"], 0))
    told = capsys.readouterr().out
    assert told.count("\n\n") >= 2
    with pytest.raises(OptionError, match="render_mode is 'video'; give None or one of"):
        tooth_envs.make_single("dragon_teeth_washer", render_mode="video")
