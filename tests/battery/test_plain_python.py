"""The rules as plain Python and as compiled code are the same rules, bit for bit, step by step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import CASES
from tests.plain_play import fingerprints
from tooth_envs.engine.compile import JIT

GAMES = 3


@pytest.mark.skipif(not JIT, reason="compares with compiled code")
def test_plain_python_equals_compiled() -> None:
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-m", "tests.plain_play", str(GAMES)],
        cwd=root,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    plain = json.loads(ran.stdout)
    for number, case in enumerate(CASES):
        compiled = fingerprints(number, GAMES)
        assert len(plain[str(number)]) == len(compiled)
        for step, (mine, other) in enumerate(zip(compiled, plain[str(number)], strict=True)):
            assert mine == other, f"{case.id}: line {step}"
