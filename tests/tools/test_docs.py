"""Generated documentation is what the code says, and is made for games that come later too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import Field
from tooth_training.evaluation.stats import game_stats
from typer.testing import CliRunner

from tests.battery.test_about import ABOUT, RULES
from tests.kuhn import Kuhn
from tools.docs import data, page, pages, words
from tools.docs.__main__ import app
from tooth_envs.errors import OptionError, ToothError
from tooth_envs.spec import metadata as about
from tooth_envs.spec import registry
from tooth_envs.spec.validation import IntTuple, StrictModel

ROOT = Path(__file__).resolve().parents[2]


def test_pages_say_what_the_code_says() -> None:
    for file, text in pages.rendered(ROOT).items():
        assert file.read_text(encoding="utf-8") == text, f"{file}: run python -m tools.docs --write"
    assert pages.differences(ROOT) == []


def numbers(value: Any, path: str = "") -> dict[str, float]:
    """Every number in nested data, by its path."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return {key: number for name, entry in pairs for key, number in numbers(entry, f"{path}/{name}").items()}
    return {path: value} if isinstance(value, int | float) else {}


def test_statistics_on_pages_are_those_of_the_code() -> None:
    """They do not depend on the machine: random games are played again."""
    for name in registry.built_in():
        cls = registry.game_class(name)
        kept = data.read_data(ROOT, cls)["statistics"]
        assert {entry["num_players"] for entry in kept} == {game.num_players for game in data.table_sizes(cls)}
        for entry in kept:
            if set(entry["agents"]) == {"random"}:
                game = cls.create(num_players=entry["num_players"])
                again = game_stats(game, entry["games"], entry["seed"]).to_dict()
                assert numbers(again) == pytest.approx(numbers(entry)), f"python -m tools.docs --measure {name} --write"


def test_every_page_is_listed() -> None:
    """docs/README.md leads to all pages."""
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for file in (ROOT / "docs").rglob("*.md"):
        if file.name != "README.md":
            assert f"]({file.relative_to(ROOT / 'docs').as_posix()})" in text


def test_links_lead_somewhere() -> None:
    """Relative links and their anchors, in README.md and docs/."""
    for file in (ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)\s]+)\)", file.read_text(encoding="utf-8")):
            path, _, anchor = link.partition("#")
            if "://" in path:
                continue
            target = (file.parent / path).resolve() if path else file
            assert target.exists(), f"{file}: {link}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
                assert anchor in {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in headings}, link


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose only game is Kuhn poker, with words and measurements."""
    monkeypatch.setattr(pages, "built_in", lambda: {"kuhn": 0})
    monkeypatch.setattr(about, "folder_of", lambda cls: tmp_path)
    monkeypatch.setattr(page, "folder_of", lambda cls: tmp_path)
    monkeypatch.setattr(data, "GAMES", 200)
    (tmp_path / "about.toml").write_text(ABOUT)
    (tmp_path / "rules.md").write_text(RULES)
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("# Games\n\n<!-- generated: games -->\nold\n<!-- end -->\n\nThe end.\n")
    measured = CliRunner().invoke(
        app, ["--measure", "kuhn", "--repeats", "1", "--seconds", "0.01", "--root", str(tmp_path)]
    )
    assert measured.exit_code == 2, "there is no folder docs/data yet"
    assert "docs/data" in measured.stderr
    (tmp_path / "docs" / "data").mkdir()
    measured = CliRunner().invoke(
        app, ["--measure", "kuhn", "--repeats", "1", "--seconds", "0.01", "--root", str(tmp_path)]
    )
    assert measured.exit_code == 0, measured.output
    return tmp_path


def test_a_game_that_comes_later(checkout: Path) -> None:
    """No edit here or there: its words and its measurements are all that a page needs."""
    root = ["--root", str(checkout)]
    unwritten = CliRunner().invoke(app, [*root])
    assert unwritten.exit_code == 2
    assert "README.md" in unwritten.stderr
    assert "kuhn.md" in unwritten.stderr
    assert CliRunner().invoke(app, ["--write", *root]).exit_code == 0
    assert CliRunner().invoke(app, ["--check", *root]).exit_code == 0
    readme = (checkout / "README.md").read_text()
    assert readme.startswith("# Games\n\n<!-- generated: games -->\n\n| game |")
    assert readme.endswith("<!-- end -->\n\nThe end.\n")
    assert "| [`kuhn`](docs/games/kuhn.md) | 2 | 2 | 11 | the other card | three cards and one bet |" in readme
    text = (checkout / "docs" / "games" / "kuhn.md").read_text()
    assert "| 0–2 | `card` | 1 | 0 | 2 | one-hot: `JACK`, `QUEEN`, `KING` | The own card. |" in text
    assert '| `"chips"` (default) | chips won | -2 | 2 |' in text
    assert '| `reward` | `"chips"` | `"chips"` |' in text
    assert "| 2 | random |" in text
    assert "## Deck" not in text
    assert "## Presets" not in text
    assert "## Baseline" not in text
    (checkout / "docs" / "games" / "kuhn.md").write_text(text.replace("| 0–2 |", "| 0–3 |"))
    (checkout / "docs" / "games" / "gone.md").write_text("of a game that there is no more")
    assert {file.name for file in pages.differences(checkout)} == {"kuhn.md", "gone.md"}


DECK = """
about = "three cards"
[[card]]
id = "jack"
type = "card"
name = "Jack"
count = 2
costs = [1, 2]
effect = "none"
provenance = "rulebook"
[[card]]
id = "king"
type = "card"
name = "King"
count = 1
effect = [{ op = "win", by = 1 }, { op = "draw" }]
provenance = "own"
note = "a | b"
[[card]]
id = "moon"
type = "token"
name = "Moon"
count = 1
effect = "none"
provenance = "rulebook"
"""


def test_decks_of_any_kind(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards by type, with whatever fields they have; long decks are folded."""
    (checkout / "deck.toml").write_text(DECK)
    kept = data.read_data(checkout, Kuhn)
    text = page.game_page(Kuhn, kept)
    assert "Three cards. 4 cards of 3 kinds; rulebook: 3, own: 1." in text
    assert "| jack | Jack | 2 | 1, 2 | none | rulebook |  |" in text
    assert "| king | King | 1 |  | op win by 1, op draw | own | a \\| b |" in text
    assert "*token*\n\n| id | name | count | effect | provenance |" in text
    assert "<summary>The cards</summary>" not in text
    monkeypatch.setattr(page, "FEW_CARDS", 2)
    assert "<summary>The cards</summary>" in page.game_page(Kuhn, kept)


def test_games_that_refuse_a_history(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = Kuhn.create

    def refusing(preset: str | None = None, **options: Any) -> Kuhn:
        if options.get("history"):
            raise OptionError("kuhn: the view holds it all")
        return create(preset, **options)

    monkeypatch.setattr(Kuhn, "create", refusing)
    text = page.game_page(Kuhn, data.read_data(checkout, Kuhn))
    assert "| **Observation** | `float32` [11] in [0, 1] |" in text
    assert "With `history=True`" not in text


def test_a_busy_machine_is_told(checkout: Path) -> None:
    kept = data.read_data(checkout, Kuhn)
    for load, told in ((0.1, False), (3.5, True), (None, False)):
        kept["speed"]["machine"]["load_average"] = load
        text = page.game_page(Kuhn, kept)
        assert ("of a busy machine" in text) == told
        assert ("(load average 3.5 before)" in text) == told


def test_sections_that_cannot_be(checkout: Path) -> None:
    before = (checkout / "README.md").read_text()
    (checkout / "README.md").write_text(before.replace("games -->", "gmaes -->"))
    with pytest.raises(ToothError, match="no generated section is named 'gmaes'"):
        pages.write(checkout)
    (checkout / "README.md").write_text(before.replace("<!-- end -->", ""))
    with pytest.raises(ToothError, match="has no <!-- end -->"):
        pages.write(checkout)
    assert not (checkout / "docs" / "games").exists(), "nothing is half-written"


def test_measurements_that_cannot_be(checkout: Path) -> None:
    file = data.data_file(checkout, "kuhn")
    kept = json.loads(file.read_text())
    for content, reason in (
        (
            json.dumps({**kept, "version": 3}),
            "is of version 3 of the game, not 0; measure it: python -m tools.docs --measure kuhn",
        ),
        ("[]", "cannot be read"),
        ("{", "cannot be read"),
    ):
        file.write_text(content)
        with pytest.raises(ToothError, match=reason):
            data.read_data(checkout, Kuhn)
    file.unlink()
    with pytest.raises(ToothError, match="measure it"):
        data.read_data(checkout, Kuhn)


def test_no_checkout(tmp_path: Path) -> None:
    refused = CliRunner().invoke(app, ["--root", str(tmp_path)])
    assert refused.exit_code == 2
    assert "run this in the root of a checkout" in refused.stderr
    refused = CliRunner().invoke(app, ["--write", "--check"])
    assert refused.exit_code == 2
    assert "not both" in refused.stderr


class Settings(StrictModel):
    """Every kind of option that a page has to name."""

    word: Literal["a", "b"] = "a"
    share: float = Field(default=0.5, gt=0, le=1)
    seed: int = Field(default=0, ge=0, lt=2**63)
    sizes: IntTuple | None = None
    most: int | None = Field(default=None, ge=1, le=9)
    hidden: IntTuple = (1, 2)
    needed: str


def test_types_and_defaults_in_words() -> None:
    fields = Settings.model_fields
    assert {name: words.option_type(field) for name, field in fields.items()} == {
        "word": '`"a"`, `"b"`',
        "share": "float > 0, ≤ 1",
        "seed": "int ≥ 0",
        "sizes": "tuple of int or None",
        "most": "int ≥ 1, ≤ 9 or None",
        "hidden": "tuple of int",
        "needed": "str",
    }
    shown = {name: words.default(field) for name, field in fields.items()}
    assert shown == {
        "word": '`"a"`',
        "share": "`0.5`",
        "seed": "`0`",
        "sizes": "`None`",
        "most": "`None`",
        "hidden": "`[1, 2]`",
        "needed": "required",
    }


def test_small_pieces() -> None:
    assert words.ranges([0, 1, 2, 5, 7, 8]) == "0–2, 5, 7–8"
    assert words.cell("a | b\nc") == "a \\| b c"
    assert [words.count(value) for value in (12_140_000, 36_400, 999.4)] == ["12.1 million", "36.4 thousand", "999"]
    assert [words.sentence(text) for text in ("to go on", "auto: a bar.", "face-up, or not")] == [
        "To go on.",
        "auto: a bar.",
        "Face-up, or not.",
    ]
    assert words.shortened(["A", "B", "C", "D"], 3) == "`A`, `B`, … `D`"
    assert words.table(("a", "b"), [(1, 2)], 1) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"
    assert words.interval({"mean": 0.3121, "low": 0.29, "high": 0.334}, percent=True) == "31.2 % [29.0, 33.4]"
    assert words.interval({"mean": 1.5, "low": None, "high": None}, digits=2) == "1.50"
