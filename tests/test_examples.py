"""Every script in examples/ runs, and the table lists them all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
SHORT = {"batch_loop": "60", "own_agent": "2", "searcher": "1", "lengths_and_wins": "50", "train": "2000"}
"""Arguments with which the longer ones take seconds."""


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_runs(name: str, tmp_path: Path) -> None:
    path = os.pathsep.join(map(str, (ROOT, ROOT / "agents", ROOT / "training")))
    ran = subprocess.run(
        [sys.executable, str(ROOT / "examples" / f"{name}.py"), *SHORT.get(name, "").split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert ran.stdout.strip(), "it shows nothing"


def test_the_table_lists_them_all() -> None:
    listed = re.findall(r"^\| \[(\w+)\.py\]\(\1\.py\)", (ROOT / "examples" / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == SCRIPTS
