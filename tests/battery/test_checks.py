"""The public conformance battery (tooth_envs/testing) over every game under every variant."""

from __future__ import annotations

import pytest

from tests.cases import CASES, Case, case_id
from tooth_envs.testing import CHECKS, Subject, run_check


@pytest.mark.parametrize("case", CASES, ids=case_id)
@pytest.mark.parametrize("name", CHECKS)
def test_check(name: str, case: Case) -> None:
    result = run_check(CHECKS[name], Subject(case.game(), invariants=case.check()), case.options)
    assert result.outcome != "failed", result.message
    if result.outcome == "skipped":
        pytest.skip(result.message)
