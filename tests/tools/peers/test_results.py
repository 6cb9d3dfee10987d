from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.peers.results import Comparison, Row, Spread, data_path, load, ratio, spread
from tooth_envs.errors import ToothError


def row(key: str, rates: tuple[float, ...] = (), **more: Any) -> Row:
    more = {"ours": False, "kind": "play", "problem": None if rates else "is away", **more}
    return Row(key=key, game=key, title=key, library="theirs", what="plays", threads=1, rates=rates, **more)


def comparison(*rows: Row, repeats: int = 3, **more: Any) -> Comparison:
    machine = {
        "cpu": "a processor",
        "cores": 2,
        "usable_cores": 2,
        "numba_threads": 2,
        "load_average": 0.1,
        "system": "Linux x86_64",
        "compiled": True,
    }
    given = {"machine": machine, "versions": {"python": "3.11.7", "gone": None}, **more}
    data = {"date": "2026-01-02", "repeats": repeats, "seconds": 1.0, "num_envs": 8, "threads": 2, **given}
    return Comparison(rows=rows, **data)


def test_ratios_are_taken_round_by_round() -> None:
    # The machine was twice as slow in the last round, for both: the ratio does not notice.
    ours, other = row("a", (8.0, 10.0, 4.0)), row("b", (4.0, 2.0, 2.0))
    assert ratio(ours, other) == Spread(2.0, 2.0, 5.0)
    assert ratio(other, ours) == Spread(0.5, 0.2, 0.5)


def test_there_is_no_ratio_with_what_was_not_measured() -> None:
    assert ratio(row("a", (1.0,)), row("b")) is None
    assert ratio(row("a"), row("b", (1.0,))) is None


def test_spread() -> None:
    assert spread([5.0, 1.0, 2.0, 3.0]) == Spread(2.5, 1.0, 5.0)


def test_rows_are_compared_with_their_like() -> None:
    ours = [
        row(kind, (1.0,) * 3, ours=True, kind=kind) for kind in ("table", "batch_1", "batch", "playout", "training")
    ]
    plays, learns = row("plays", (1.0,) * 3), row("learns", (1.0,) * 3, kind="training")
    results = comparison(*ours, plays, learns)
    assert results.of("batch") == [ours[2]]
    assert results.others("table") == results.others("batch_1") == results.others("batch") == [plays]
    assert results.others("training") == [learns]
    assert results.others("playout") == []  # makes no observations, so it is like nothing of theirs


def test_results_survive_json(tmp_path: Path) -> None:
    results = comparison(row("a", (1.0, 2.0, 3.0)), row("b"))
    file = tmp_path / "results.json"
    file.write_text(json.dumps(results.model_dump(mode="json")))
    assert load(file) == results


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": None}, "rows: input should be a valid tuple"),
        ({"date": 5}, "date: input should be a valid string"),
        ({"format": 2}, "format"),
        ({"speed": 1}, "unknown key 'speed'"),
        ({"repeats": 2}, "row a: has 3 rates, not one for each of 2 rounds"),
    ],
)
def test_wrong_files_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    data = comparison(row("a", (1.0, 2.0, 3.0))).model_dump(mode="json")
    file = tmp_path / "results.json"
    file.write_text(json.dumps({**data, **change}))
    with pytest.raises(ToothError) as caught:
        load(file)
    assert message in str(caught.value)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [("[]", "holds no results"), ("{", "is no JSON"), (None, "there is no such file"), ("\x00", "no JSON")],
)
def test_other_files_are_refused(text: str | None, message: str, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ToothError, match=message):
        load(file)


def test_a_row_has_rates_or_a_reason() -> None:
    for wrong in ({"rates": (), "problem": None}, {"rates": (1.0,), "problem": "is away"}, {"rates": (0.0,)}):
        with pytest.raises(ValueError, match="rates"):
            row("a", **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="same key"):
        comparison(row("a"), row("a"))


def test_numbers_are_kept_beside_the_page() -> None:
    assert data_path(Path("docs/benchmarks.md")) == Path("docs/data/benchmarks.json")
