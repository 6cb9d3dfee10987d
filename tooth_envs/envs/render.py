"""Text as a picture, for ``render_mode="rgb_array"`` (extra [render])."""

from __future__ import annotations

import textwrap

import numpy as np

from tooth_envs.errors import OptionError

WIDTH, MARGIN, FONT_SIZE = 960, 16, 16


def picture(text: str) -> np.ndarray:
    """Lines of text drawn dark on light: uint8 [H, W, 3]; W is fixed, H follows the number of lines."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise OptionError("render_mode 'rgb_array' needs Pillow: pip install 'tooth-envs[render]'") from None
    font = ImageFont.load_default(FONT_SIZE)
    columns = (WIDTH - 2 * MARGIN) // max(1, round(font.getlength("0")))
    lines: list[str] = []
    for line in text.splitlines():
        lines.extend(textwrap.wrap(line, columns, subsequent_indent="    ", drop_whitespace=False) or [""])
    step = FONT_SIZE + 6
    image = Image.new("RGB", (WIDTH, 2 * MARGIN + step * max(1, len(lines))), (250, 248, 240))
    draw = ImageDraw.Draw(image)
    for row, line in enumerate(lines):
        draw.text((MARGIN, MARGIN + row * step), line, fill=(30, 30, 40), font=font)
    return np.asarray(image, np.uint8)
