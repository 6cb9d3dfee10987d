from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from tooth_training.evaluation.bench import machine

import tools.peers.compare as module
from tests.kuhn import Kuhn
from tools.peers.compare import alternating, compare, measure, reason, versions
from tools.peers.lane import Lane, Ready
from tooth_envs.errors import ToothError

Step = float | Exception


def lane(key: str, *answers: Step, ours: bool = False, log: list[str] | None = None, training: bool = False) -> Lane:
    """A lane that gives these answers, one a measurement, the warm-up's 1.0 before them."""
    coming = iter((1.0, *answers))

    def answer(seconds: float) -> float:
        if log is not None and seconds > 0.0:
            log.append(key)
        given = next(coming)
        if isinstance(given, Exception):
            raise given
        return given

    kind = "training" if training else "table" if ours else "play"
    ready = Ready(answer, observation=7, actions=3, seats=2)
    return Lane(key, ours, kind, key, key, "lib", "what", 1, ("numpy",), lambda: ready)  # type: ignore[arg-type]


def failing(key: str, problem: Callable[[], Exception], ours: bool = False) -> Lane:
    def prepare() -> Ready:
        raise problem()

    return replace(lane(key, ours=ours), prepare=prepare)


def wrapped() -> Exception:
    """An import that failed inside a library which says so in words of its own."""
    problem = RuntimeError("install the extra")
    problem.__cause__ = ModuleNotFoundError("no", name="absent.part")
    return problem


def test_ours_and_others_take_turns_and_every_second_round_is_reversed() -> None:
    log: list[str] = []
    lanes = [lane(f"o{i}", 1.0, 1.0, 1.0, ours=True, log=log) for i in range(3)]
    lanes += [lane(f"p{i}", 1.0, 1.0, 1.0, log=log) for i in range(3)]
    lanes.insert(1, lane("oT", 1.0, 1.0, 1.0, ours=True, log=log, training=True))
    lanes.append(lane("pT", 1.0, 1.0, 1.0, log=log, training=True))
    seen: list[tuple[int, int]] = []
    rows = measure(lanes, 3, 0.5, lambda done, total: seen.append((done, total)))
    once = ["o0", "p0", "o1", "p1", "o2", "p2", "oT", "pT"]
    assert log == once + once[::-1] + once
    assert [row.key for row in rows] == [entry.key for entry in lanes]
    assert seen == [(number, 24) for number in range(1, 25)]


def test_few_others_are_spread_among_many_of_ours() -> None:
    lanes = [lane(f"o{i}", ours=True) for i in range(6)] + [lane("p0"), lane("p1")]
    assert [entry.key for entry in alternating(lanes)] == ["o0", "o1", "p0", "o2", "o3", "o4", "p1", "o5"]


def test_rates_are_kept_round_by_round() -> None:
    (row,) = measure([lane("p", 5.0, 3.0)], 2, 0.5)
    assert (row.rates, row.observation, row.actions, row.seats, row.problem) == ((5.0, 3.0), 7, 3, 2, None)


@pytest.mark.parametrize(
    ("lane", "problem"),
    [
        (failing("p", lambda: ModuleNotFoundError("no", name="absent")), "needs absent, which is not installed"),
        (failing("p", wrapped), "needs absent, which is not installed"),
        (failing("p", lambda: RuntimeError("broken\n  twice")), "RuntimeError: broken twice"),
        (lane("p", 2.0, OSError("later")), "OSError: later"),  # what was measured before is no result either
        (lane("p", 2.0, math.nan), "ToothError: nan decisions per second were measured"),
        (lane("p", math.inf, 2.0), "ToothError: inf decisions per second were measured"),
        (lane("p", 0.0, 2.0), "ToothError: 0.0 decisions per second were measured"),
    ],
)
def test_another_library_that_fails_is_a_row_with_the_reason(lane: Lane, problem: str) -> None:
    row, fine = measure([lane, globals()["lane"]("fine", 1.0, 1.0)], 2, 0.5)
    assert (row.rates, row.problem, row.observation) == ((), problem, None)
    assert fine.rates == (1.0, 1.0)


def test_long_reasons_are_cut() -> None:
    assert len(reason(RuntimeError("x" * 1000))) == module.PROBLEM_LENGTH


def test_what_goes_wrong_on_our_side_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        measure([lane("o", ZeroDivisionError(), ours=True)], 1, 0.5)
    for ours in module.OWN:
        with pytest.raises(ModuleNotFoundError):
            measure([failing("o", lambda: ModuleNotFoundError("no", name=f"{ours}.part"), ours=True)], 1, 0.5)  # noqa: B023


def test_our_training_without_torch_is_a_row_with_the_reason() -> None:
    (row,) = measure([failing("o", lambda: ModuleNotFoundError("no", name="torch"), ours=True)], 1, 0.5)
    assert row.problem == "needs torch, which is not installed"


def test_a_comparison_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def lanes(*arguments: object) -> list[Lane]:
        asked.append(arguments)
        return [lane("o", 4.0, 4.0, ours=True), failing("p", RuntimeError)]

    monkeypatch.setattr(module, "all_lanes", lanes)
    kuhn = Kuhn.create()
    found = compare([kuhn], "some day", repeats=2, seconds=0.25, num_envs=16)
    usable = machine()["usable_cores"]
    assert asked == [([kuhn], 16, usable)]
    assert (found.date, found.repeats, found.seconds, found.num_envs) == ("some day", 2, 0.25, 16)
    assert (found.threads, found.machine.usable_cores) == (usable, usable)
    assert found.versions.keys() == {"python", "tooth-envs", "numpy"}
    assert [bool(row.rates) for row in found.rows] == [True, False]


def test_a_package_that_is_not_there_has_no_version() -> None:
    found = versions(["numpy", "no-such-package", "numpy"])
    assert list(found) == ["python", "tooth-envs", "numpy", "no-such-package"]
    assert found["numpy"]
    assert found["no-such-package"] is None


@pytest.mark.parametrize("change", [{"repeats": 0}, {"num_envs": 0}, {"seconds": 0.0}, {"seconds": float("nan")}])
def test_impossible_requests_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ToothError, match="at least 1 repeat"):
        compare([], "some day", **change)  # type: ignore[arg-type]
