from __future__ import annotations

from pathlib import Path

import pytest

import tooth_envs
from tests.kuhn import Kuhn
from tests.training.cli.test_cli import refused, tooth
from tooth_envs.errors import DeckError
from tooth_envs.spec.deck_files import check_deck, copy_deck

GAMES = [name for name in tooth_envs.list_games() if tooth_envs.game(name).deck is not None]
GAME = "dragon_teeth_washer"


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    file = tmp_path / "mine.toml"
    copy_deck(GAME, file)
    return file


@pytest.mark.parametrize("name", GAMES)
def test_a_copied_deck_is_the_game_itself(name: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    copy_deck(name, file)
    found = check_deck(str(file))
    game = tooth_envs.game(name)
    assert game.deck is not None
    assert (found.game, found.digest) == (name, game.deck_digest)
    assert sum(cards for _, cards in found.types.values()) == sum(card.count for card in game.deck.cards)
    assert sum(found.provenance.values()) == sum(card.count for card in game.deck.cards)
    assert set(found.tables) == set(range(game.min_players, game.max_players + 1))
    assert set(found.tables.values()) == {None}
    assert tooth_envs.game(name, deck=str(file)).deck_digest == game.deck_digest


def test_a_deck_for_some_tables_only(deck: Path) -> None:
    deck.write_text(deck.read_text().replace(", 5]", "]").replace("used_with = [5]", "used_with = []"))
    tables = check_deck(str(deck)).tables
    assert [tables[players] for players in (2, 3)] == [None, None]
    assert "no dragon is used with 5 players" in str(tables[5])


def test_digests_follow_what_plays(deck: Path) -> None:
    before = check_deck(str(deck)).digest
    text = deck.read_text()
    deck.write_text(text.replace("Giant Dragon 7", "Seven"))
    assert check_deck(str(deck)).digest == before
    deck.write_text(text.replace("value = 20", "value = 21"))
    assert check_deck(str(deck)).digest != before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("value = 20,", "value = 0,", r"mine\.toml: card 'dragon_20': value"),
        ("count = 1, value = 20", "count = -1, value = 20", r"mine\.toml: card 'dragon_20': count"),
        ('type = "dragon", name = "Giant Dragon 20"', 'type = "drgon", name = "X"', "type is 'drgon'; did you mean"),
        ('game = "dragon_teeth_washer"', 'game = "kuhn"', "Kuhn Poker has no cards"),
        ('game = "dragon_teeth_washer"', 'game = "washer"', r"mine\.toml: game: unknown game 'washer'"),
        ('game = "dragon_teeth_washer"', "", "does not say which game it is for"),
        ('game = "dragon_teeth_washer"', "game = 3", "does not say which game it is for"),
        ('name = "standard"', "name = ", "is not valid TOML"),
        ("used_with = ", "used_wiht = ", "did you mean 'used_with'"),
    ],
)
def test_what_is_wrong_is_named(deck: Path, old: str, new: str, words: str) -> None:
    assert old in deck.read_text()
    deck.write_text(deck.read_text().replace(old, new))
    with pytest.raises(ValueError, match=words):
        check_deck(str(deck))


def test_a_deck_of_another_game_is_refused(deck: Path) -> None:
    deck.write_text(deck.read_text().replace(f'game = "{GAME}"', 'game = "kuhn"'))
    with pytest.raises(DeckError, match=f"is a deck of kuhn, not of {GAME}"):
        tooth_envs.game(GAME, deck=str(deck))
    with pytest.raises(DeckError, match="Kuhn Poker has no cards"):
        check_deck(str(deck), Kuhn.name)


def test_the_commands(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    assert tooth("deck", "copy", GAME, str(file)).stdout == f"Wrote {file}.\n"
    result = tooth("deck", "check", str(file))
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:4] == [
        "  dragon: 17 kinds, 17 cards",
        "  toothbrush: 8 kinds, 40 cards",
        "  54 rulebook, 3 reconstruction",
    ]
    assert result.stdout.splitlines()[-1] == "  5 players: can be used"
    refused(tooth("deck", "copy", GAME, str(file)), "is there already")
    refused(tooth("deck", "copy", GAME, str(tmp_path / "mine.txt")), "end in .toml")
    refused(tooth("deck", "copy", GAME, str(tmp_path / "no" / "mine.toml")), "cannot be written")
    refused(
        tooth("deck", "copy", GAME, str(tmp_path / "b.toml"), "--deck", "other"), "no built-in deck is named 'other'"
    )
    refused(tooth("deck", "check", str(tmp_path / "none.toml")), "there is no such file")
    refused(tooth("deck", "check", str(tmp_path / "none")), "end in .toml")
