"""The learning curve."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from tooth_training.learning import logs


@pytest.mark.parametrize("last", [2_000, 10_000, 200_000, 950_000, 2_000_000, 20_000_000])
def test_labels_of_steps_do_not_overlap(last: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["decisions", *logs._PANELS]
    rows = [",".join([str(last * step // 8), *("0.5" for _ in logs._PANELS)]) for step in range(9)]
    (tmp_path / logs.CSV).write_text("\n".join([",".join(names), *rows]) + "\n")
    drawn: list[FigureCanvasAgg] = []

    class Kept(FigureCanvasAgg):
        def __init__(self, figure: object) -> None:
            super().__init__(figure)  # type: ignore[arg-type]
            drawn.append(self)

    monkeypatch.setattr("matplotlib.backends.backend_agg.FigureCanvasAgg", Kept)
    assert logs.plot(tmp_path, "a run") is not None
    canvas = drawn[0]
    canvas.draw()
    renderer = canvas.get_renderer()
    labels = 0
    for axis in canvas.figure.axes:
        low, high = axis.get_xlim()
        shown = [
            label
            for place, label in zip(axis.get_xticks(), axis.get_xticklabels(), strict=True)
            if low <= place <= high and label.get_text()
        ]
        labels += len(shown)
        for one, other in pairwise(shown):
            assert one.get_window_extent(renderer).x1 < other.get_window_extent(renderer).x0, f"{one} {other}"
    assert labels >= 3 * len(canvas.figure.axes)
