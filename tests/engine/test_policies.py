from __future__ import annotations

import numpy as np
import pytest

from tooth_envs.engine import policies


def test_policies_of_another_shape_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "_policies", {})

    def policy(view: object, key: int) -> int:
        return 0

    with pytest.raises(ValueError, match=r"policy\(\) must take \(view, mask, key\)"):
        policies.register_policy(np.dtype([("a", "i2")]), policy)
    assert not policies._policies


def test_a_view_has_one_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "_policies", {})

    def one(view: object, mask: object, key: int) -> int:
        return 0

    def other(view: object, mask: object, key: int) -> int:
        return 1

    view = np.dtype([("a", "i2")])
    policies.register_policy(view, one)
    policies.register_policy(view, one)
    with pytest.raises(ValueError, match="another game has a view of the same dtype"):
        policies.register_policy(view, other)
