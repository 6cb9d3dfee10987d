"""Deck files: what the shared loader refuses, and the decks of Dragon Teeth Washer."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import tooth_envs
from tests.support import random_game
from tooth_envs.engine.state import TERMINATED, record
from tooth_envs.errors import DeckError, OptionError
from tooth_envs.games.dragon_teeth_washer import cards
from tooth_envs.spec.deck import Card, Deck, built_in, load_deck
from tooth_envs.spec.deck_files import copy_deck
from tooth_envs.spec.registry import game

NAME = "dragon_teeth_washer"
FOLDER = Path(cards.__file__).parent
KINDS = {"dragon": cards.DragonCard, "toothbrush": cards.BrushCard}


def standard() -> Deck:
    return load_deck("standard", FOLDER, KINDS)


def test_the_box() -> None:
    """Section 4: 14 dragons and 40 toothbrushes of the rulebook, and their sums."""
    dragons = [card for card in standard().of(cards.DragonCard) if card.provenance == "rulebook"]
    brushes = standard().of(cards.BrushCard)
    assert [card.value for card in dragons] == list(range(7, 21))
    assert [card.id for card in dragons] == [f"dragon_{value:02}" for value in range(7, 21)]
    assert sum(card.count * card.value for card in dragons) == 189
    for players, total in ((3, 84), (4, 108), (5, 132)):
        assert sum(card.value for card in dragons if players in card.used_with) == total
    assert [card.value for card in brushes] == list(range(1, 9))
    assert sum(card.count for card in brushes) == 40
    assert sum(card.count * card.value for card in brushes) == 180
    assert {card.provenance for card in brushes} == {"rulebook"}


def test_only_the_set_for_two_has_reconstructed_cards() -> None:
    """J16."""
    others = [card for card in standard().of(cards.DragonCard) if card.provenance != "rulebook"]
    assert [(card.value, card.used_with, card.provenance) for card in others] == [
        (value, (2,), "reconstruction") for value in (4, 5, 6)
    ]


def brush(number: int, **more: Any) -> dict[str, Any]:
    entry = {"id": f"brush_{number}", "type": "toothbrush", "name": f"Brush {number}", "count": 5, "value": number}
    return {**entry, "effect": "brush", "provenance": "own", **more}


def dragon(number: int, **more: Any) -> dict[str, Any]:
    entry = {"id": f"dragon_{number}", "type": "dragon", "name": f"Dragon {number}", "count": 1, "value": number}
    return {**entry, "effect": "limit", "used_with": [2, 3], "provenance": "own", **more}


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(toml(entry) for entry in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def write(folder: Path, entries: list[dict[str, Any]], head: str = 'name = "mine"\n') -> str:
    file = folder / "mine.toml"
    file.write_text(head + "card = [\n" + "".join(f"  {toml(entry)},\n" for entry in entries) + "]\n")
    return str(file)


GOOD = [brush(2), brush(3, count=3), brush(7), dragon(5), dragon(9, used_with=[3]), dragon(11), dragon(30, count=0)]


def test_a_deck_of_ones_own(tmp_path: Path) -> None:
    """Values, counts, names and sets may change; the game plays with them."""
    table = game(NAME, deck=write(tmp_path, GOOD), num_players=3)
    assert table.cards.hands == ((2, 3, 7),) * 3  # type: ignore[attr-defined]
    assert table.cards.dragons == (5, 9, 11)  # type: ignore[attr-defined]
    *_, last = random_game(table, 1)
    assert record(last.states).over == TERMINATED
    two = game(NAME, deck=write(tmp_path, GOOD), num_players=2)
    assert two.cards.dragons == (5, 11)  # type: ignore[attr-defined]
    assert two.cards.rounds == 2  # type: ignore[attr-defined]


def test_a_pickled_game_does_not_come_back_with_another_deck(tmp_path: Path) -> None:
    table = game(NAME, deck=write(tmp_path, GOOD), num_players=3)
    kept = pickle.dumps(table)
    write(tmp_path, [{**entry, "name": entry["name"] + "!"} for entry in GOOD])
    assert pickle.loads(kept).tables_digest == table.tables_digest, "names are not played with"
    for changed in ([*GOOD[:3], dragon(6), *GOOD[4:]], GOOD[1:], [*GOOD, dragon(12)]):
        write(tmp_path, changed)
        with pytest.raises(OptionError, match=r"mine\.toml.*changed"):
            pickle.loads(kept)
    (tmp_path / "mine.toml").unlink()
    with pytest.raises(DeckError, match="no such file"):
        pickle.loads(kept)
    write(tmp_path, GOOD)
    assert pickle.loads(kept).cards == table.cards  # type: ignore[attr-defined]


def test_options_go_before_the_deck(tmp_path: Path) -> None:
    deck = write(tmp_path, GOOD)
    table = game(NAME, deck=deck, num_players=4, hands=(1, 2), dragons=(3, 4, 5))
    assert table.cards.hands == ((1, 2),) * 4  # type: ignore[attr-defined]
    assert table.cards.dragons == (3, 4, 5)  # type: ignore[attr-defined]
    with pytest.raises(DeckError, match="no dragon is used with 4 players; write 4 into used_with"):
        game(NAME, deck=deck, num_players=4, hands=(1, 2))
    with pytest.raises(DeckError, match="'brush_3': count is 3, but 4 players need one each"):
        game(NAME, deck=deck, num_players=4, dragons=(3, 4, 5))


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([brush(2), brush(9)], "card 'brush_9': value: .*less than or equal to 8"),
        ([brush(2, colour="red")], "card 'brush_2': unknown key 'colour'"),
        ([brush(2, conut=3)], "card 'brush_2': unknown key 'conut'; did you mean 'count'"),
        ([brush(2), brush(2)], "card 'brush_2': id: 'brush_2' is used twice"),
        ([brush(2), brush(3, name="Brush 2")], "card 'brush_3': name: 'Brush 2' is used twice"),
        ([brush(2), brush(3, value=2)], "card 'brush_3': value: 2 is also the value of 'brush_2'"),
        ([brush(2, count=-1)], "card 'brush_2': count"),
        ([brush(2, type="comb")], "card 'brush_2': type is 'comb'.*dragon, toothbrush"),
        ([brush(2, type="dragonn")], "did you mean 'dragon'"),
        ([brush(2, does="limit")], "card 'brush_2': does"),
        ([brush(2, provenance="a dream")], "card 'brush_2': provenance"),
        ([{"type": "dragon"}], "card number 1: id: is missing"),
        ([{key: value for key, value in brush(2).items() if key != "type"}], "card 'brush_2': type is missing"),
        ([{key: value for key, value in brush(2).items() if key != "value"}], "card 'brush_2': value: is missing"),
        ([dragon(5, value="five")], "card 'dragon_5': value: .*'five' was given"),
        ([dragon(5, value=0)], "card 'dragon_5': value"),
        ([dragon(5, value=40000)], "card 'dragon_5': value: .*32767"),
        ([dragon(5, count=2)], "card 'dragon_5': count: .*less than or equal to 1"),
        ([dragon(5, used_with=[6])], "card 'dragon_5': used_with has 6; numbers of players are 2 to 5"),
        ([dragon(5), dragon(6, value=5)], "card 'dragon_6': value: 5 is also the value of 'dragon_5'"),
        ([dragon(value) for value in range(1, 10)], "card 'dragon_9': used_with has 2, which makes 9 dragons"),
        ([brush(2), dragon(5)], "a hand needs 2 toothbrushes or more"),
        ([brush(2), brush(3)], "no dragon is used with 3 players"),
        ([], "needs the list 'card'"),
    ],
    ids=str,
)
def test_impossible_cards(tmp_path: Path, entries: list[dict[str, Any]], reason: str) -> None:
    """File, card and field are named, with what to do."""
    deck = write(tmp_path, entries)
    with pytest.raises(DeckError, match=f"(?s)^deck {deck}: .*{reason}"):
        game(NAME, deck=deck, num_players=3)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"card = [", "is not valid TOML"),
        (b"\xff\xfe", "is no UTF-8 text"),
        (b'card = "all"', "needs the list 'card'"),
        (b"card = [1]", "needs the list 'card'"),
        (b"name = 3\ncard = []", "name is 3; give a text"),
        (b'title = "x"\ncard = []', "unknown key 'title'"),
        (b"cards = []", "unknown key 'cards'; did you mean 'card'"),
    ],
)
def test_impossible_files(tmp_path: Path, content: bytes, reason: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    with pytest.raises(DeckError, match=f"{file}: {reason}"):
        game(NAME, deck=str(file))


def test_missing_decks(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match=r"none\.toml: there is no such file"):
        game(NAME, deck=str(tmp_path / "none.toml"))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(DeckError, match=r"folder\.toml: "):
        game(NAME, deck=str(tmp_path / "folder.toml"))
    with pytest.raises(DeckError, match="no built-in deck is named 'standart'; did you mean 'standard'"):
        game(NAME, deck="standart")
    with pytest.raises(OptionError, match=r"deck: .*7 was given"):
        game(NAME, deck=7)


def test_other_built_in_decks(tmp_path: Path) -> None:
    """A file deck_NAME.toml next to deck.toml is a built-in deck of that name."""
    write(tmp_path, GOOD)
    (tmp_path / "mine.toml").rename(tmp_path / "deck_short.toml")
    assert built_in(tmp_path) == ["standard", "short"]
    assert [card.id for card in load_deck("short", tmp_path, KINDS).cards] == [entry["id"] for entry in GOOD]


BUILT_IN = {
    ("dragon_teeth_washer", "standard"): "bf956919de4e927ef796db1efb54d2d3",
    ("super_tooth", "prepub62"): "9253a2d576ab9eec5e0baf6a9cd11fe5",
    ("super_tooth", "gamewright72"): "7cdc9b113be7f1835591427dc794ae98",
    ("toothead", "standard"): "32ada2c7a4034bcfb0f3574aa44ef8ce",
}


@pytest.mark.parametrize(("game", "deck"), BUILT_IN)
def test_digests_of_built_in_decks_stay(game: str, deck: str) -> None:
    """Records and checkpoints name them: a card that plays otherwise is another deck, a reworded one is not."""
    found = tooth_envs.game(game, deck=deck).deck
    assert found is not None
    assert found.digest == BUILT_IN[game, deck]
    reworded = [card.model_copy(update=dict.fromkeys(card.words, "x")) for card in found.cards]
    assert Deck(found.name, found.source, tuple(reworded)).digest == found.digest
    first = found.cards[0]
    changed = (first.model_copy(update={"count": first.count + 1}), *found.cards[1:])
    assert Deck(found.name, found.source, changed).digest != found.digest


@pytest.mark.parametrize("name", tooth_envs.list_games())
def test_every_card_says_what_it_does(name: str) -> None:
    deck = tooth_envs.game(name).deck
    if deck is not None:
        assert all(card.effect.endswith(".") for card in deck.cards), "a sentence, not a code word"


def test_the_page_says_which_fields_the_digest_leaves_out() -> None:
    page = (Path(__file__).parents[2] / "docs" / "decks.md").read_text(encoding="utf-8")
    sentence = next(line for line in page.split("\n\n") if "do not change the digest" in line)
    assert set(re.findall(r"`(\w+)`", sentence)) == set(Card.words)


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    entries = [dragon(7, value=0), brush(2, does="limit"), brush(3, count=-1)]
    with pytest.raises(DeckError) as told:
        tooth_envs.game("dragon_teeth_washer", deck=write(tmp_path, entries))
    lines = str(told.value).split("\n")
    assert [re.findall(r"card '(\w+)': (\w+)", line)[0] for line in lines] == [
        ("dragon_7", "value"),
        ("brush_2", "does"),
        ("brush_3", "count"),
    ]


@pytest.mark.parametrize("name", [name for name in tooth_envs.list_games() if tooth_envs.game(name).deck is not None])
def test_a_deck_file_is_read_once_for_a_game(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options are checked against the very cards that are played with, whatever becomes of the file meanwhile."""
    from tooth_envs.spec import deck as module

    file = tmp_path / "mine.toml"
    copy_deck(name, file)
    real, read = module.read_content, []
    monkeypatch.setattr(module, "read_content", lambda *words: read.append(words) or real(*words))
    made = tooth_envs.game(name, deck=str(file))
    assert len(read) == 1
    again = pickle.loads(pickle.dumps(made))
    assert len(read) == 2
    assert again.deck_digest == made.deck_digest
    tooth_envs.game(name, deck=str(file))
    assert len(read) == 3, "nothing is remembered from one game to the next"
