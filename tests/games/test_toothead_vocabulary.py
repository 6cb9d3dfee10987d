"""Toothead with decks of one's own: the vocabulary (section 4.1) beyond what the standard deck says in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.tooth import asked, begin, facts, fight, follow, toothead, with_deck


def test_fuel_of_several_cards_is_paid_in_full(tmp_path: Path) -> None:
    """FUEL(n): n cards or none; who has fewer is not asked."""
    table = toothead(num_players=2, deck=with_deck(tmp_path, ("START: FUEL(1)", "START: FUEL(2)")))
    seats = [{"weapon": "chainsaw", "pocket": ["rust", "taunt", "snoop"]}, {}]
    states = fight(table, seats, dice=[9, 1, 1])
    follow(table, states, "CARD rust")
    assert asked(table, states) == ("FUEL", 0), "half a payment"
    assert table.view(states, 0).chosen == 1
    assert table.legal_names(states[0]) == ["CARD snoop", "CARD taunt"]
    follow(table, states, "CARD taunt", "PASS", "PASS")
    assert facts(table, states, "bin", "seats.0.meat", "seats.0.pocket") == [["rust", "taunt"], 1, ["snoop"]]
    states = fight(table, [{"weapon": "chainsaw", "pocket": ["rust"]}, {}], dice=[1, 6])
    assert facts(table, states, "seats.1.meat") == 1, "the weapon die has not been rolled"


@pytest.mark.parametrize(("change", "meat"), [("+9", 1), ("-2", 0)])
def test_a_card_die_may_count_more_than_its_faces(tmp_path: Path, change: str, meat: int) -> None:
    """ROLL: the branch with the highest face is for everything above it too."""
    changes = [("DIEWIN: CARD_DIE_MOD(-2)", f"DIEWIN: CARD_DIE_MOD({change})")]
    table = toothead(num_players=2, deck=with_deck(tmp_path, *changes))
    states = begin(table, [{"pocket": ["mushrooms"]}, {"pocket": ["hiccups"]}], dice=[4])
    follow(table, states, "CARD mushrooms", "CARD hiccups")
    assert facts(table, states, "seats.0.meat") == meat


AFTER_DEATH = (
    "STEAL_RANDOM(TGT, SELF, 2)",
    "SWAP_POCKETS(SELF, TGT)",
    "STEAL_MEAT(TGT, SELF, 1)",
    "TAKE_SLICE(TGT, SELF)",
    "TAKE_SLICE(SELF, TGT)",
    "TAKE_INITIATIVE(SELF)",
    "FORCE_ATTACK(SELF, TGT)",
    "HEAL(SELF)",
    "DRAW(SELF, 1)",
    "GAIN_MEAT(SELF, 1)",
    "TAKE_POCKET(TGT, 1)",
    "TAKE_BIN(any, 1)",
)


@pytest.mark.parametrize("step", AFTER_DEATH)
def test_the_rest_of_an_effect_is_nothing_to_the_dead(tmp_path: Path, step: str) -> None:
    """J35, J58: a fight that a card brings about kills its player; what the card does next finds nobody."""
    both = f"PLAY: FORCE_ATTACK(TGT, SELF); {step}"
    table = toothead(num_players=3, deck=with_deck(tmp_path, ("PLAY: FORCE_ATTACK(TGT, SELF)", both)))
    seats = [{"slices": 1, "pocket": ["taunt"]}, {"pocket": ["snoop", "rust"], "meat": 2}, {}]
    states = begin(table, seats, dice=[6, 1])
    follow(table, states, "CARD taunt", "SEAT+1")
    assert facts(table, states, "seats.0.alive", "seats.1.meat", "seats.1.slices", "initiative") == [False, 3, 4, 1]
    assert facts(table, states, "seats.1.pocket", "bin") == [["snoop", "rust"], ["taunt"]]
    assert asked(table, states) == ("TURN", 1)


def test_a_mega_trick_may_ban_the_opponents_specialty(tmp_path: Path) -> None:
    """BAN(weapon_specialty, OPP) works from a dock as it does from a weapon (J32)."""
    change = ("DOCK: POOL(2, any)", "DOCK: BAN(weapon_specialty, OPP)")
    table = toothead(num_players=2, deck=with_deck(tmp_path, change))
    results = []
    for megas in ([], ["war_paint"]):
        states = fight(table, [{"megas": megas, "pocket": ["chili"]}, {"weapon": "pan"}], dice=[5, 1, 1])
        results.append(table.view(states, 0).pool.tolist())
    assert results == [[5, 5], [5, 2]]


def test_the_loser_of_a_fight_chooses_before_it_is_eliminated(tmp_path: Path) -> None:
    """J31: elimination comes last, so for a while a seat lives without slices; that can be written and read, too."""
    change = ("LOSE: DISCARD_RANDOM(OPP, 2)", "LOSE: DISCARD_CHOICE(SELF, 30)")
    table = toothead(num_players=3, deck=with_deck(tmp_path, change))
    pocket = ["jab"] * 5 + ["slap"] * 6 + ["punch"] * 3
    seats = [{"slices": 1, "weapon": "cactus", "pocket": pocket}, {"weapon": "axe"}, {}]
    states = fight(table, seats, dice=[1, 1, 10, 6])
    follow(table, states, "PASS")
    for number in range(len(pocket) - 3):
        assert asked(table, states) == ("DISCARD", 0), number
        assert facts(table, states, "seats.0.slices", "seats.0.alive", "seats.1.meat") == [0, True, 1]
        again = table.from_dict(table.to_dict(states))
        assert table.to_dict(again) == table.to_dict(states)
        follow(table, states, next(name for name in table.legal_names(states[0]) if name.startswith("CARD")))
    assert facts(table, states, "seats.0.alive", "seats.0.pocket") == [False, []]
