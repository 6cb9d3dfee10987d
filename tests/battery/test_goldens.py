"""Committed playthroughs: any change of rules, views, words or chance shows up as a difference."""

from __future__ import annotations

import pytest

from tests.cases import CASES, Case, case_id
from tests.goldens import FOLDER, path_of, playthrough


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_playthrough(case: Case) -> None:
    kept = path_of(case)
    assert kept.exists(), f"{kept.name} is missing: write it with python -m tests.goldens"
    mine, golden = playthrough(case).splitlines(), kept.read_text(encoding="utf-8").splitlines()
    for number, (one, other) in enumerate(zip(mine, golden, strict=False), start=1):
        assert one == other, f"{kept.name} line {number}"
    assert len(mine) == len(golden)


def test_no_playthrough_is_left_over() -> None:
    assert {path.name for path in FOLDER.glob("*.txt")} == {path_of(case).name for case in CASES}
