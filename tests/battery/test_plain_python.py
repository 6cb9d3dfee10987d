"""The rules as plain Python and as compiled code are the same rules, bit for bit, step by step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import CASES, ENTRIES
from tests.plain_play import fingerprints
from tooth_envs.engine.compile import JIT

MOMENTS = 60
"""Moments of each case; games are played out, so it has at least one whole game."""


@pytest.mark.skipif(not JIT, reason="compares with compiled code")
@pytest.mark.parametrize("name", ENTRIES)
def test_plain_python_equals_compiled(name: str) -> None:
    numbers = [number for number, case in enumerate(CASES) if case.name == name]
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-m", "tests.plain_play", str(MOMENTS), *map(str, numbers)],
        cwd=root,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    plain = json.loads(ran.stdout)
    for number in numbers:
        compiled = fingerprints(number, MOMENTS)
        assert len(plain[str(number)]) == len(compiled)
        for step, (mine, other) in enumerate(zip(compiled, plain[str(number)], strict=True)):
            assert mine == other, f"{CASES[number].id}: line {step}"
