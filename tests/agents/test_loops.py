from __future__ import annotations

import numpy as np
import pytest

from agents import loops


def test_policies_from_elsewhere_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled loops are kept on disk and only the package's own heuristics are part of their mark."""
    monkeypatch.setattr(loops, "_policies", {})

    def policy(view: object, mask: object, key: int) -> int:
        return 0

    with pytest.raises(ValueError, match=r"policy policy of module .*only heuristics in agents/heuristic/"):
        loops.register_policy(np.dtype([("a", "i2")]), policy)
    policy.__module__ = "agents_of_mine.heuristic"
    with pytest.raises(ValueError, match="only heuristics in agents/heuristic/"):
        loops.register_policy(np.dtype([("a", "i2")]), policy)
    assert not loops._policies


def test_a_view_has_one_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_policies", {})

    def one(view: object, mask: object, key: int) -> int:
        return 0

    def other(view: object, mask: object, key: int) -> int:
        return 1

    one.__module__ = other.__module__ = "agents.heuristic.test"
    view = np.dtype([("a", "i2")])
    loops.register_policy(view, one)
    loops.register_policy(view, one)
    with pytest.raises(ValueError, match="another game has a view of the same dtype"):
        loops.register_policy(view, other)
