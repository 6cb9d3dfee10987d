"""What ``render`` gives: text, printed text, or a picture of the text (extra [render])."""

from __future__ import annotations

import sys
import textwrap

import numpy as np

from tooth_envs.errors import OptionError
from tooth_envs.spec.files import printable

RENDER_MODES = ("ansi", "rgb_array", "human")


def rendered(text: str, mode: str) -> str | np.ndarray | None:
    """A text in a render mode: itself, a picture of it, or None after it has been printed."""
    if mode == "human":
        sys.stdout.write(printable(text) + "\n\n")
        sys.stdout.flush()
        return None
    return text if mode == "ansi" else picture(text)


WIDTH, HEIGHT, MARGIN = 960, 720, 16
LARGEST_FONT, SMALLEST_FONT = 16, 5
"""Sizes of the text, in pixels: as large as it fits."""


def picture(text: str) -> np.ndarray:
    """Lines of text drawn dark on light.

    Returns:
        uint8 [720, 960, 3]: all frames have this size. Long texts are drawn smaller. One that does not fit at the
        smallest size ends with a line that says how much is missing.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise OptionError("render_mode 'rgb_array' needs Pillow: pip install 'tooth-envs[render]'") from None
    for size in range(LARGEST_FONT, SMALLEST_FONT - 1, -1):
        font = ImageFont.load_default(size)
        step = size + max(2, size // 3)
        columns = (WIDTH - 2 * MARGIN) // max(1, round(font.getlength("0")))
        rows = (HEIGHT - 2 * MARGIN) // step
        lines = _lines(text, columns)
        if len(lines) <= rows:
            break
    else:
        lines[rows - 1 :] = [f"... {len(lines) - rows + 1} more lines"]
    image = Image.new("RGB", (WIDTH, HEIGHT), (250, 248, 240))
    draw = ImageDraw.Draw(image)
    for row, line in enumerate(lines):
        draw.text((MARGIN, MARGIN + row * step), line, fill=(30, 30, 40), font=font)
    return np.asarray(image, np.uint8)


def _lines(text: str, columns: int) -> list[str]:
    lines: list[str] = []
    for line in text.splitlines():
        lines.extend(textwrap.wrap(line, columns, subsequent_indent="    ", drop_whitespace=False) or [""])
    return lines
