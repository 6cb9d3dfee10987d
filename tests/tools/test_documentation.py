"""What the documentation shows works: every block of Python in README.md and docs/ is run, page by page, in order.

A block after the comment ``<!-- slow -->`` runs with the slow tests alone; no later block may need it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tooth_envs.spec.registry import built_in

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(<!-- slow -->\n+)?^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if BLOCK.search(page.read_text(encoding="utf-8"))
]
EXAMPLES = ROOT / "docs" / "examples.md"
ADDING = ROOT / "docs" / "adding-a-game.md"
SLOW_PAGES = [page for page in PAGES if "<!-- slow -->" in page.read_text(encoding="utf-8")]


def blocks(page: Path, slow: bool) -> list[str]:
    """A page's blocks of Python."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [code for mark, code in found if slow or not mark]


def run(page: Path, folder: Path, code: str) -> str:
    """Run a page's code as one file, in a process and a folder of their own; what it printed."""
    file = folder / f"{page.stem.replace('-', '_')}.py"
    file.write_text(code, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    if page == ADDING:
        environment["NUMBA_DISABLE_JIT"] = "1"  # as the page advises; compiling the game anew would take a minute
    ran = subprocess.run(
        [sys.executable, file.name], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, f"{page}:\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_run(page: Path, tmp_path: Path) -> None:
    run(page, tmp_path, "\n\n".join(blocks(page, slow=False)))


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW_PAGES, ids=lambda page: page.stem)
def test_slow_blocks_run(page: Path, tmp_path: Path) -> None:
    run(page, tmp_path, "\n\n".join(blocks(page, slow=True)))


def code_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def test_the_walk_through_builds_the_game_that_the_battery_tests() -> None:
    """The first blocks are tests/kuhn.py, but for empty lines; those that follow use it."""
    page = code_lines("\n".join(blocks(ADDING, slow=True)))
    game = code_lines((ROOT / "tests" / "kuhn.py").read_text(encoding="utf-8"))
    assert page[: len(game)] == game
    assert page[len(game)].startswith("import ")


def test_every_built_in_game_has_the_files_that_the_walk_through_lists() -> None:
    listed = re.findall(r"^\| `([^`]*<game>[^`]*)` \|", ADDING.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(listed) > 10
    for name in built_in():
        for file in listed:
            assert (ROOT / file.replace("<game>", name)).is_file(), f"{name}: {file}"


CREDIT = """
from tooth_envs.engine.state import zeros
from tooth_training.learning.buffer import ENDED, OPEN, seat_advantages

steps = rollout()
credit = credit_of(steps).numpy().reshape(T, N)
*_, seat, reward, over = (np.stack(column) for column in zip(*steps))
expected, valid = np.zeros((T, N), np.float32), np.zeros((T, N), np.bool_)
ends = np.where(over, ENDED, 0).astype(np.int8)
opened = zeros(OPEN, N * reward.shape[-1])
seat_advantages(seat, reward, ends, np.zeros((T, N), np.float32), 1.0, 1.0, expected, valid, opened)
known = ~np.isnan(credit)
assert np.allclose(credit[known], expected[known], atol=1e-6)
print(known.mean(), np.abs(credit[known]).mean())
"""


def test_the_credit_of_the_example_is_that_of_training(tmp_path: Path) -> None:
    """With rewards on the way, and games that the rollout cuts off."""
    torch = "\n\n".join(code for code in blocks(EXAMPLES, slow=False) if "torch" in code)
    changed = torch.replace("N, T = 512, 70", "N, T = 64, 50").replace("num_players=4", "num_players=4, shaping=0.5")
    assert changed.count("shaping") == 1
    share, size = map(float, run(EXAMPLES, tmp_path, f"import tooth_envs\n{changed}\n{CREDIT}").split())
    assert share == pytest.approx(0.4), "of decisions 50 to 99, those before 70 belong to games that end"
    assert size > 0.1
