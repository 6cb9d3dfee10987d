from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools.peers.page import EXPECTATIONS, Expectation, _figures, render, verdict
from tools.peers.results import Comparison, Machine, Row, data_path, load

PAGE = Path(__file__).resolve().parents[3] / "docs" / "benchmarks.md"

TABLE = Expectation("TableEnv", "table", ("theirs",), 4.0)


def row(key: str, *rates: float, **more: Any) -> Row:
    words = {"game": key, "title": key.title(), "library": "Lib", "what": f"what {key} does"}
    given = {"ours": False, "kind": "play", **words, **more}
    return Row(key=key, threads=1, rates=rates, problem=None if rates else "needs x, not here", **given)


def mine(key: str, *rates: float, kind: str = "table", **more: Any) -> Row:
    return row(key, *rates, ours=True, kind=kind, library="tooth_envs", **more)


def results(*rows: Row, load_average: float | None = 0.0, compiled: bool = True) -> Comparison:
    machine = Machine(
        cpu="a processor",
        cores=4,
        usable_cores=3,
        numba_threads=2,
        load_average=load_average,
        system="Linux x86_64",
        compiled=compiled,
    )
    versions = {"python": "3.11.7", "lost": None}
    return Comparison(
        date="2026-01-02",
        repeats=2,
        seconds=0.5,
        num_envs=4096,
        threads=3,
        machine=machine,
        versions=versions,
        rows=rows,
    )


def test_the_page_is_what_its_numbers_give() -> None:
    """After a change of words: python -m tools.peers --from docs/data/benchmarks.json --out docs/benchmarks.md"""
    found = load(data_path(PAGE))
    assert PAGE.read_text(encoding="utf-8") == render(found)
    assert {key for wish in EXPECTATIONS for key in wish.others} <= {entry.key for entry in found.rows}


def test_everything_measured_is_on_the_page() -> None:
    text = render(
        results(
            mine("g_table", 1000.0, 3000.0, game="g", title="Game", seats=4, observation=258, actions=19),
            mine("g_batch_1", 20_000.0, 40_000.0, kind="batch_1", game="g", title="Game"),
            mine("g_playout", 9e6, 9e6, kind="playout", game="g", title="Game"),
            mine("training", 600.0, 700.0, kind="training", title="a.yaml"),
            row("theirs", 100.0, 200.0),
            row("away"),
            row("learner", 60.0, 50.0, kind="training"),
        )
    )
    for line in (
        "- **Run:** 2026-01-02, all in one process on one machine, 2 rounds.",
        "a processor, 4 cores (3 usable), Linux x86_64; load average in the minute before: 0.",
        "## Game\n\n4 seats, 258 numbers observed, 19 actions.",
        "| TableEnv | 1 | 2,000 (1,000–3,000) |",
        "| compiled rules alone | 1 | 9,000,000 (9,000,000–9,000,000) |",
        "| times as fast as | TableEnv | BatchEnv, 1 thread |",
        "| Lib: Theirs | 12.5 (10.0–15.0) | 200 (200–200) |",
        "| Lib: Away | not measured | not measured |",
        "| ours: a.yaml | 1 | 650 (600–700) |  |",
        "| Lib: Learner | 1 | 55.0 (50.0–60.0) | 12.0 (10.0–14.0) |",
        "- **Lib, Theirs:** what theirs does.",
        "## Not measured\n\n- Lib, Away: needs x, not here",
        "python 3.11.7, lost (not installed).",
    ):
        assert line in text, line
    assert text.endswith(".\n")
    assert "Other programs" not in text
    assert "switched off" not in text


def test_lines_are_told_once() -> None:
    both = [row(name, 1.0, 1.0, what="the same") for name in ("one", "two")]
    text = render(results(mine("a", 1.0, 1.0, what="ours"), mine("b", 1.0, 1.0, what="ours"), *both))
    assert "- **Lib, One; Lib, Two:** the same." in text
    assert "- **TableEnv:** ours." in text
    assert "## Not measured" not in text


@pytest.mark.parametrize("load_average", [None, 1.5])
def test_a_busy_machine_is_told(load_average: float | None) -> None:
    assert "Other programs were using the machine" in render(results(load_average=load_average))


def test_plain_python_is_told() -> None:
    assert "ours ran as plain Python" in render(results(compiled=False))


def test_every_game_of_ours_has_its_section_and_its_verdict() -> None:
    found = results(
        mine("a_table", 50.0, 50.0, game="a", title="Alpha"),
        mine("b_table", 30.0, 30.0, game="b", title="Beta"),
        row("theirs", 10.0, 10.0),
    )
    assert "## Alpha" in render(found)
    assert "## Beta" in render(found)
    assert verdict(found, TABLE) == (
        "**not reached** by Beta beside Theirs 3.00 (3.00–3.00). "
        "Reached by the others; the closest is Alpha beside Theirs, 5.00 (5.00–5.00)."
    )


def test_verdicts() -> None:
    other = row("theirs", 10.0, 10.0)
    assert (
        verdict(results(mine("g", 80.0, 80.0), other), TABLE)
        == "reached; the closest is G beside Theirs, 8.00 (8.00–8.00)."
    )
    assert (
        verdict(results(mine("g", 39.0, 39.0), other), TABLE) == "**not reached** by G beside Theirs 3.90 (3.90–3.90)."
    )
    assert verdict(results(mine("g", 40.0, 40.0), other), TABLE).startswith("reached;")
    assert verdict(results(mine("g", 30.0, 90.0), other), TABLE).endswith("Not in every round: G beside Theirs.")
    assert verdict(results(mine("g", 80.0, 80.0), row("theirs")), TABLE) == (
        "Not known, because not measured: G beside Theirs."
    )
    assert verdict(results(mine("g"), other), TABLE) == "Not known, because not measured: G beside Theirs."
    assert verdict(results(mine("g", 80.0, 80.0)), TABLE) == "Not known, because not measured: G beside theirs."
    assert verdict(results(other), TABLE) == "not known: nothing of ours was measured."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1234, "0.123"),
        (9.999, "10.0"),
        (12.34, "12.3"),
        (99.96, "100"),
        (999.4, "999"),
        (999.6, "1,000"),
        (1234.0, "1,230"),
        (9996.0, "10,000"),
        (3_456_789.0, "3,460,000"),
    ],
)
def test_figures(value: float, text: str) -> None:
    assert _figures(value) == text
