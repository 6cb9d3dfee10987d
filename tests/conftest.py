"""For all tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output is as wide as into a file: pytest-xdist tells its workers of an 80-column terminal that is not there."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("LINES", raising=False)
