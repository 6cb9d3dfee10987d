"""What a run writes down: progress.csv, TensorBoard events and learning_curve.png.

One row per update, written between updates. When a run goes on from a checkpoint, rows later than it are dropped, so
that every number of decisions occurs once.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tooth_envs.errors import ToothError
from tooth_envs.spec.files import own_append, own_output, read_text, refuse_strange

PROGRESS_LIMIT = 1 << 30
"""Bytes of the longest progress.csv that is read."""

CSV = "progress.csv"
TENSORBOARD = "tensorboard"
PLOT = "learning_curve.png"
EVALUATION = "evaluation.json"

COLUMNS = {
    "decisions": "time",
    "updates": "time",
    "games": "time",
    "seconds": "time",
    "decisions_per_second": "time",
    "game_length": "games",
    "games_truncated": "games",
    "first_seat_return": "games",
    "entropy": "train",
    "kl": "train",
    "clip_fraction": "train",
    "policy_loss": "train",
    "value_loss": "train",
    "explained_variance": "train",
    "learning_rate": "train",
    "ent_coef": "train",
}
"""Columns of progress.csv, and the group each is shown in by TensorBoard.

decisions, updates (passes over a rollout) and games: since the beginning of the run. seconds: time trained.
decisions_per_second: of this row, collecting and learning together. game_length: mean decisions of games that ended.
games_truncated: share of them ended by the step cap. first_seat_return: mean return of seat 0, what sitting there is
worth in self-play. entropy: of the policy over legal actions, in nats. kl: approximate divergence of the update.
"""


def evaluation_columns(opponents: Sequence[str]) -> dict[str, str]:
    """Columns of the small matches against each opponent: win share with its interval, and mean reward."""
    return {
        f"{measure}_vs_{opponent}": "evaluation"
        for opponent in opponents
        for measure in ("win_share", "win_share_low", "win_share_high", "reward")
    }


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise ToothError(
            f"{path}: cannot be written ({problem.strerror or problem}); checkpoints saved so far are intact: "
            "make room, then resume the run"
        ) from problem


class RunLog:
    """Appends rows to progress.csv and to TensorBoard.

    Args:
        run: the run directory.
        columns: name -> TensorBoard's group.
        tensorboard: whether to write events.
        resume_at: decisions of the checkpoint a run goes on from; rows beyond it are dropped. None: a new run.
    """

    def __init__(self, run: Path, columns: Mapping[str, str], tensorboard: bool, resume_at: int | None = None) -> None:
        self._path = run / CSV
        self._groups = dict(columns)
        self._writer: Any = None
        kept: list[dict[str, str]] = []
        names = list(columns)
        for path, folder in ((self._path, False), (run / TENSORBOARD, True), (run / PLOT, False)):
            refuse_strange(path, folder=folder)
        refuse_strange(run / EVALUATION)  # written after training: better known before
        if resume_at is not None and self._path.exists():
            old, rows = _read_rows(self._path)
            names = [*old, *(name for name in names if name not in old)]
            kept = [row for row in rows if int(row["decisions"]) <= resume_at]
        with _writing(self._path), own_output(self._path) as fresh:
            table = csv.DictWriter(fresh, names, restval="")
            table.writeheader()
            table.writerows(kept)
        self._file = own_append(self._path)
        self._table = csv.DictWriter(self._file, names, restval="")
        if tensorboard:
            from torch.utils.tensorboard import SummaryWriter

            with _writing(run / TENSORBOARD):
                purge = None if resume_at is None else resume_at + 1
                self._writer = SummaryWriter(str(run / TENSORBOARD), purge_step=purge)

    def write(self, values: Mapping[str, float | int]) -> None:
        """Append one row; columns not given stay empty, and numbers that are not finite too.

        Raises:
            ToothError: the disk is full, or the like.
        """
        shown = {name: value for name, value in values.items() if math.isfinite(value)}
        with _writing(self._path):
            self._table.writerow({name: _short(value) for name, value in shown.items()})
            self._file.flush()
            if self._writer is not None:
                step = int(values["decisions"])
                for name, value in shown.items():
                    if name != "decisions":
                        self._writer.add_scalar(f"{self._groups.get(name, 'other')}/{name}", value, step)
                self._writer.flush()

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _short(value: float | int) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _read_rows(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Header and rows; a last row that a killed process left unfinished is dropped."""
    table = csv.reader(read_text(path, PROGRESS_LIMIT, "a run's progress").splitlines())
    try:
        names = next(table, [])
        rows = [dict(zip(names, row, strict=True)) for row in table if len(row) == len(names)]
    except csv.Error as problem:
        raise ToothError(f"{path}: is damaged ({problem}); remove it, and a resumed run begins a new one") from None
    return names, [row for row in rows if row.get("decisions", "").isdigit()]


def read_progress(path: Path) -> dict[str, list[float]]:
    """progress.csv by column; empty cells are NaN."""
    names, rows = _read_rows(path)
    return {name: [float(row[name]) if row[name] else math.nan for row in rows] for name in names}


_PANELS = {
    "entropy": "policy entropy (nats)",
    "kl": "approximate KL of an update",
    "value_loss": "value loss",
    "explained_variance": "explained variance of the value",
    "game_length": "decisions per game",
}


def plot(run: Path, title: str, fair_share: float | None = None) -> Path | None:
    """Draw learning_curve.png from progress.csv.

    Args:
        run: the run directory.
        title: above the panels.
        fair_share: the win share of equal agents, drawn as a line.

    Returns:
        the picture's path, or None if nothing has been logged.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure  # no pyplot: it keeps global state and looks for a display
    from matplotlib.ticker import EngFormatter, MaxNLocator

    columns = read_progress(run / CSV)
    steps = columns.get("decisions", [])
    if not steps:
        return None
    figure = Figure(figsize=(12, 6.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 3).flatten()
    _plot_evaluations(axes[0], columns, steps, fair_share)
    for axis, (name, label) in zip(axes[1:], _PANELS.items(), strict=True):
        axis.plot(steps, columns.get(name, [math.nan] * len(steps)), linewidth=1)
        axis.set_title(label, fontsize=10)
    axes[4].set_ylim(min(0.0, *_lowest(columns["explained_variance"])), 1.0)
    for axis in axes:
        axis.set_xlabel("decisions")
        axis.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
        axis.xaxis.set_major_formatter(EngFormatter(sep=" "))  # 500 k, 2 M
        axis.grid(alpha=0.3)
    figure.suptitle(title)
    path = run / PLOT
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=110, metadata={"Software": None})
    with own_output(path) as file:
        file.write_bytes(drawn.getvalue())
    return path


def _lowest(values: Sequence[float]) -> list[float]:
    finite = [value for value in values if math.isfinite(value)]
    return [max(-1.0, min(finite))] if finite else [0.0]


def _plot_evaluations(
    axis: Any, columns: Mapping[str, list[float]], steps: list[float], fair_share: float | None
) -> None:
    axis.set_title("win share of one seat (95% interval)", fontsize=10)
    for name, values in columns.items():
        opponent = name.removeprefix("win_share_vs_")
        points = [index for index, value in enumerate(values) if math.isfinite(value)]
        if opponent == name or not points:
            continue
        x = [steps[index] for index in points]
        y = [values[index] for index in points]
        low = [columns[f"win_share_low_vs_{opponent}"][index] for index in points]
        high = [columns[f"win_share_high_vs_{opponent}"][index] for index in points]
        axis.plot(x, y, marker="o", markersize=3, label=f"against {opponent}")
        axis.fill_between(x, low, high, alpha=0.2)
    if fair_share is not None:
        axis.axhline(fair_share, color="grey", linestyle="--", linewidth=1, label="fair share")
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=8)
    axis.set_ylim(0.0, 1.0)
