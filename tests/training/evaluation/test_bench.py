from __future__ import annotations

import io
import itertools
import json

import pytest
import tooth_training.evaluation.bench
from rich.console import Console
from tooth_training.cli.tables import print_bench
from tooth_training.evaluation.bench import Bench, bench

from tests.kuhn import Kuhn
from tooth_envs.engine.compile import JIT
from tooth_envs.errors import ToothError


@pytest.fixture(scope="module")
def result() -> Bench:
    return bench(Kuhn.create(), repeats=3, seconds=0.01, num_envs=16)


def test_everything_is_measured_several_times(result: Bench) -> None:
    assert [rate.name for rate in result.rates] == [
        "playout",
        "batch_1",
        "batch_1_step",
        "batch",
        "batch_step",
        "table",
    ]
    for rate in result.rates:
        assert len(rate.repeats) == 3
        assert rate.low == min(rate.repeats) > 0
        assert rate.high == max(rate.repeats)
        assert rate.median == sorted(rate.repeats)[1]
        assert rate.ratio == rate.median / result.rates[0].median
    by_name = {rate.name: rate for rate in result.rates}
    assert by_name["batch_1"].threads == by_name["playout"].threads == by_name["table"].threads == 1
    for whole, part in (("batch", "batch_step"), ("batch_1", "batch_1_step")):
        for with_choice, alone in zip(by_name[whole].repeats, by_name[part].repeats, strict=True):
            assert alone > with_choice  # the same decisions in a part of the time


def test_sizes_and_machine_are_described(result: Bench) -> None:
    kuhn = Kuhn.create()
    assert result.state_bytes == kuhn.state_dtype.itemsize
    assert (result.view_numbers, result.observation_size, result.actions) == (5, kuhn.layout.size, 2)
    machine = result.machine
    assert machine["cpu"]
    assert 1 <= machine["usable_cores"] <= machine["cores"]
    assert machine["compiled"] == JIT
    assert {"python", "numpy", "numba", "tooth_envs"} <= result.versions.keys()


def test_results_survive_json_and_print(result: Bench) -> None:
    data = result.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    out = io.StringIO()
    print_bench(result, Console(file=out, width=160, markup=False, highlight=False))
    text = out.getvalue()
    for words in ("playout", "TableEnv", f"State {result.state_bytes} bytes", "Median of 3", result.machine["cpu"]):
        assert words in text


def test_rates_are_decisions_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    # A clock on which every look takes a second: a call of the compiled loop lasts one, choosing and stepping one each.
    clock = itertools.count()
    monkeypatch.setattr(tooth_training.evaluation.bench.time, "perf_counter", lambda: float(next(clock)))
    rates = {rate.name: rate.median for rate in bench(Kuhn.create(), repeats=1, seconds=1.0, num_envs=16).rates}
    assert rates["playout"] == 1000
    assert (rates["batch_1"], rates["batch_1_step"], rates["batch"], rates["batch_step"]) == (8, 16, 8, 16)
    assert rates["table"] in (2, 3)  # one game of Kuhn poker


@pytest.mark.parametrize("change", [{"repeats": 0}, {"num_envs": 0}, {"seconds": 0.0}, {"seconds": float("nan")}])
def test_impossible_requests_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ToothError, match="at least 1 repeat"):
        bench(Kuhn.create(), **change)  # type: ignore[arg-type]
