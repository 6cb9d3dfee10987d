"""Dragon Teeth Washer: options, forced chance, events, words and positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.games.washer import NAME, follow, play_on, resolved, washer
from tests.support import random_game
from tooth_envs.engine.events import events_since
from tooth_envs.engine.state import digest, record
from tooth_envs.errors import OptionError, PositionError
from tooth_envs.spec.registry import game

# Forcing chance


def test_reset_options() -> None:
    """Section 5, test hook."""
    table = washer(num_players=3)
    order = (14, 7, 13, 8, 12, 9, 11, 10)
    script = table.reset_script({"first_investigator": 2, "dragon_order": order, "unknown": 1})
    assert script == {"pick": [2], "draw": [7, 0, 6, 1, 5, 2, 4, 3]}
    assert table.reset_script({}) == {}
    assert set(table.reset_keys) == {"first_investigator", "dragon_order"}
    states = table.deal(1, script=script)
    assert record(states).investigator == 2
    assert [table.cards.dragons[rank] for rank in play_on(table, states)] == list(order)
    fixed = washer(preset="trio")
    assert fixed.reset_script({"first_investigator": 0, "dragon_order": [6, 4, 5]}) == {"draw": [2, 0]}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"first_investigator": 3}, "first_investigator is 3; give a seat from 0 to 2"),
        ({"first_investigator": "random"}, "give a seat"),
        ({"first_investigator": True}, "give a seat"),
        ({"dragon_order": (7, 8, 9)}, "give 8 or more different dragons"),
        ({"dragon_order": (7, 7, 8, 9, 10, 11, 12, 13)}, "different"),
        ({"dragon_order": (6, 7, 8, 9, 10, 11, 12, 13)}, "dragon_order"),
        ({"dragon_order": 7}, "dragon_order"),
    ],
)
def test_impossible_reset_options(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        washer(num_players=3).reset_script(given)


def test_a_fixed_first_investigator_cannot_be_forced_otherwise() -> None:
    with pytest.raises(OptionError, match="make it with first_investigator='random'"):
        washer(num_players=3, first_investigator=1).reset_script({"first_investigator": 2})


# Options


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"num_players": 1}, "num_players"),
        ({"num_players": 6}, "num_players"),
        ({"num_players": "4"}, "num_players"),
        ({"rounds": 0}, "rounds is 0; give 1 to 8"),
        ({"rounds": 9}, "rounds is 9; give 1 to 8"),
        ({"rounds": 4, "hands": (1, 2, 3)}, "rounds is 4; give 1 to 3"),
        ({"rounds": 3, "dragons": (7, 8)}, "rounds is 3; give 1 to 2"),
        ({"hands": (1, 1, 2)}, "hands: .*not strictly increasing"),
        ({"hands": (3, 2)}, "hands: .*not strictly increasing"),
        ({"hands": (0, 2)}, "hands: 0 is not allowed; values are 1 to 8"),
        ({"hands": (2, 9)}, "hands: 9 is not allowed"),
        ({"hands": (2,)}, "hands: 1 cards are given; a hand has 2 to 8"),
        ({"hands": ()}, "hands"),
        ({"hands": "12"}, "hands: give one tuple"),
        ({"hands": ((1, 2), (1, 2))}, "hands: 2 hands are given for 4 players"),
        ({"num_players": 2, "hands": ((1, 2), (1, 2, 3))}, "hands: sizes 2 and 3 differ"),
        ({"num_players": 2, "hands": (1, (2, 3))}, "hands: give one tuple"),
        ({"dragons": (8, 7)}, "dragons: .*not strictly increasing"),
        ({"dragons": (7, 7)}, "dragons: .*not strictly increasing"),
        ({"dragons": (0, 7)}, "dragons: 0 is not allowed"),
        ({"dragons": (7, 32768)}, "dragons: 32768 is not allowed; values are 1 to 32767"),
        ({"dragons": tuple(range(7, 16))}, "dragons: 9 are given; give 1 to 8"),
        ({"dragons": ()}, "dragons"),
        ({"dragons": 7}, "dragons: give a tuple"),
        ({"dragons": (7.5, 8)}, "dragons: give a tuple"),
        ({"claims": "loud"}, "claims: .*'none', 'binary' or 'numeric'"),
        ({"allow_silence": 1}, "allow_silence"),
        ({"skip_forced": None}, "skip_forced"),
        ({"first_investigator": 4}, "first_investigator is 4; give 'random' or a seat from 0 to 3"),
        ({"first_investigator": -1}, "first_investigator"),
        ({"first_investigator": "s0"}, "first_investigator: give 'random'"),
        ({"first_investigator": True}, "first_investigator: give 'random'"),
        ({"reward": "points"}, "reward: .*'rank', 'winner' or 'score'"),
        ({"shaping": -0.1}, "shaping"),
        ({"shaping": float("nan")}, "shaping"),
        ({"max_steps": 39}, "max_steps is 39; a game can take 40 decisions"),
        ({"max_steps": 0}, "max_steps"),
        ({"silence": True}, "unknown key 'silence'.*allow_silence"),
        ({"preset": "tiny"}, "unknown preset 'tiny'.*tiny_duel"),
    ],
    ids=str,
)
def test_impossible_options(options: dict[str, Any], reason: str) -> None:
    """Section 11: anything else is a ValueError, and says what is allowed."""
    with pytest.raises(OptionError, match=f"{NAME}: (?s:.*){reason}") as caught:
        game(NAME, **options)
    assert isinstance(caught.value, ValueError)
    assert len(str(caught.value).splitlines()) == 1


def test_options_take_lists_and_presets_can_be_changed() -> None:
    """As YAML has them."""
    table = washer(num_players=2, hands=[[1, 3], [2, 4]], dragons=[3, 4])
    assert table.cards.hands == ((1, 3), (2, 4))
    assert table.cards.rounds == 2
    assert table.cards.largest_score == 6
    assert washer(preset="trio", claims="numeric").options.claims == "numeric"
    assert washer(preset="odd_even").cards.largest_score == 10


def test_largest_dragon_is_safe() -> None:
    """16-bit numbers end at the largest dragon that is allowed: nobody is bitten, nothing wraps."""
    table = washer(num_players=5, dragons=(1, 32767))
    assert resolved(table, (8, 8, 8, 8, 8), 32767) == [8] * 5
    assert resolved(table, (8, 8, 8, 8, 8), 1) == [-8] * 5
    states = table.from_dict({"at": "CLAIM", "dragon": 32767})
    assert table.layout.out_of_bounds(np.frombuffer(table.view(states, 0).tobytes(), np.int16)) == []
    assert table.observe(states, 0).max() == 1.0


# Events and words


def test_events_of_a_step_that_ends_the_game_fit_the_ring() -> None:
    """J14: two rounds are resolved and the winners named in one step, even with five seats."""
    table = washer(num_players=5)
    for seed in range(10):
        states = table.deal(seed, trace=True)
        count_before = 0
        while record(states).over == 0:
            count_before = int(record(states).event_count)
            table.step(states, int(np.flatnonzero(table.legal_mask(states))[-1]))
        written = int(record(states).event_count) - count_before
        happened = events_since(record(states), count_before)
        assert written == len(happened) <= len(record(states).events)
        kinds = [table.event_kinds[event.kind] for event in happened]
        assert kinds[:3] == ["CHOSE", "CHOSE_CARD", "TURNED_UP"]
        assert kinds.count("TURNED_UP") == 2
        assert kinds.count("SCORED") == 10
        assert kinds[-1] == "GAME_OVER"


def test_events_of_five_winners_fit_the_ring_too() -> None:
    table = washer(num_players=5)
    states = table.from_dict({"at": "CLAIM", "dragon": 13, "history": _alike(6)})
    record(states).tracing = 1
    follow(table, states, "CLAIM_LOW BRUSH_7 BRUSH_7 BRUSH_7 BRUSH_7")
    before = int(record(states).event_count)
    follow(table, states, "BRUSH_7")
    assert record(states).rank.tolist() == [1] * 5
    assert int(record(states).event_count) - before <= len(record(states).events)


def _alike(rounds: int) -> list[dict[str, Any]]:
    return [{"dragon": 14 + now, "claim": "LOW", "cards": [now + 1] * 5} for now in range(rounds)]


def test_events_are_told_to_those_who_may_know() -> None:
    table = washer(num_players=3, first_investigator=0, history=True)
    states = table.deal(3, trace=True, script={"draw": [2, 3]})
    follow(table, states, "CLAIM_HIGH BRUSH_2 BRUSH_7 BRUSH_8")
    happened = events_since(record(states), 0)
    told = {
        seat: [line for line in (table.describe_event(event, seat) for event in happened) if line]
        for seat in (0, 1, 2, None)
    }
    assert "You see the dragon: it is 9." in told[0]
    assert "You put down 7." in told[1]
    assert not any("see" in line or "9." in line for line in told[1][: told[1].index("The dragon is turned up: 9.")])
    assert not any("down 7" in line for line in told[0] + told[2])
    assert "Left 1 chooses a card, face down." in told[0]
    assert told[None][:6] == [
        "Round 1 of 8. Seat 0 investigates.",
        "Seat 0 sees the dragon: it is 9.",
        "Seat 0 says HIGH, a patient dragon (11 12 13 14).",
        "Seat 0 leads 2.",
        "Seat 1 chooses a card, face down.",
        "Seat 1 puts down 7.",
    ]
    assert told[2][-5:] == [
        "The dragon is turned up: 9.",
        "Left 1 succeeds with 2: +2.",
        "Left 2 succeeds with 7: +7.",
        "You get bitten with 8: -8.",
        "Round 2 of 8. Left 2 investigates.",
    ]


def test_the_end_in_words() -> None:
    table = washer(num_players=3, first_investigator=0)
    history = [{"dragon": 8 + now} for now in range(6)]
    for plus, line in (
        ([[], [8], []], "Left 2 wins with 11 points."),
        ([[], [8], [8]], "You and left 2 win with 11 points."),
        ([[8], [8], [8]], "You, left 1 and left 2 win with 11 points."),
    ):
        position = {"at": "CLAIM", "dragon": 14, "history": history, "plus": plus, "hands": [[1, 2]] * 3}
        states = table.from_dict(
            {**position, "zero": [[3, 4, 5, 6, 7] if pile else [3, 4, 5, 6, 7, 8] for pile in plus]}
        )
        record(states).tracing = 1
        follow(table, states, "CLAIM_LOW BRUSH_1 BRUSH_1 BRUSH_1")
        assert table.describe_event(events_since(record(states), 0)[-1], 2) == line


def test_a_view_in_words() -> None:
    table = washer(num_players=3, first_investigator=0, history=True)
    states = table.from_dict(
        {"at": "CLAIM", "dragon": 13, "history": [{"dragon": 9, "claim": "HIGH", "cards": [2, 7, 8]}]}
    )
    leader = table.describe(table.view(states, 1))
    assert "Round 2 of 8. You investigate. You have seen the dragon: it is 13." in leader
    assert "Dragons not turned up yet: 7 8 10 11 12 13 14" in leader
    assert "You: score 7; hand 1 2 3 4 5 6 8; succeeded 7; bitten none; not counted none" in leader
    assert "Left 1: score -8; hand 1 2 3 4 5 6 7; succeeded none; bitten 8" in leader
    assert "statements 0 true, 1 false, 0 left out" in leader
    assert "Round 1: left 2 investigates and says HIGH, a patient dragon (11 12 13 14); dragon 9;" in leader
    assert "cards: you 7, left 1 8, left 2 2." in leader
    follow(table, states, "CLAIM_SILENT BRUSH_4 BRUSH_1")
    follower = table.describe(table.view(states, 0))
    assert "Left 1 investigates. Left 1 said nothing. The lead is 4. Chosen, face down: left 2." in follower
    assert "13" not in follower.splitlines()[0]
    assert "You have chosen 1, face down." in table.describe(table.view(states, 2))
    for seat in range(3):
        assert table.explain(table.observe(states, seat)) == table.describe(table.view(states, seat))


def test_every_action_in_words() -> None:
    for claims in ("binary", "numeric"):
        table = washer(num_players=3, claims=claims)
        for moment in random_game(table, 4):
            view = table.view(moment.states, 0)
            said = [table.describe_action(view, action) for action in range(len(table.actions))]
            assert len(set(said)) == len(said)
    view = table.view(table.deal(0), 0)
    assert table.describe_action(view, 8) == "say nothing"
    assert table.describe_action(view, 13) == "say that the dragon is 9"
    small = washer(preset="trio_talk")
    view = small.view(small.deal(0), 0)
    assert small.describe_action(view, 9) == "say LOW, a short-tempered dragon (4 5)"
    assert small.describe_action(view, 10) == "say HIGH, a patient dragon (6)"


@pytest.mark.parametrize(
    ("options", "done", "action", "reason"),
    [
        ({}, "", "BRUSH_1", "R7, R8"),
        ({"claims": "none"}, "", "CLAIM_LOW", "R7: only the investigator speaks, before it leads; at LEAD"),
        ({}, "CLAIM_LOW BRUSH_1", "CLAIM_LOW", "at FOLLOW you play a card"),
        ({}, "", "CLAIM_RANK_1", "J2: RANK_1 is no statement with claims='binary'"),
        ({"claims": "numeric"}, "", "CLAIM_HIGH", "J2: HIGH is no statement with claims='numeric'"),
        (
            {"claims": "numeric", "dragons": (7, 8, 9)},
            "",
            "CLAIM_RANK_3",
            "J2: the set has 3 dragons, RANK_0 to RANK_2",
        ),
        ({"allow_silence": False}, "", "CLAIM_SILENT", "J3"),
        (
            {"claims": "numeric"},
            "CLAIM_SILENT BRUSH_1 BRUSH_1 BRUSH_1 BRUSH_1",
            "CLAIM_RANK_5",
            "J5: dragon 15 has been turned up already",
        ),
        (
            {},
            "CLAIM_LOW BRUSH_5 BRUSH_1 BRUSH_1 BRUSH_5 CLAIM_LOW BRUSH_2 BRUSH_2 BRUSH_2",
            "BRUSH_5",
            "R8, R20: you play a card of your hand; 5 was already played, you hold 1 2 3 4 6 7 8",
        ),
        ({"hands": (1, 3, 5)}, "CLAIM_LOW", "BRUSH_2", "R4, R8: .* 2 was never in it, you hold 1 3 5"),
    ],
)
def test_why_not(options: dict[str, Any], done: str, action: str, reason: str) -> None:
    table = washer(first_investigator=0, **options)
    rank = min(5, len(table.cards.dragons) - 1)
    states = table.deal(1, script={"draw": [rank]})
    follow(table, states, done)
    with pytest.raises(ValueError, match=reason):
        follow(table, states, action)


# Positions

ROUND = {"dragon": 7, "cards": [1, 2, 3], "claim": "LOW"}


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ({"history": 3}, "history: give a list of at most 8 rounds"),
        ({"history": [{"cards": [1, 2, 3]}]}, "dragon is missing"),
        ({"history": [{"dragon": 7, "limit": 3}]}, "history.*give a mapping"),
        ({"history": [{**ROUND, "points": [1, 2, 3]}, ROUND], "at": "ROUND_START"}, "turned up twice.*I2"),
        ({"history": [{**ROUND, "points": [1, 1, 3]}]}, "these cards earn .1, 2, 3.*R12-R18"),
        ({"history": [{**ROUND, "investigator": 1}]}, "it was seat 0's turn .I9"),
        ({"history": [{**ROUND, "claim": "MAYBE"}]}, "statements are NONE, SILENT"),
        ({"history": [ROUND], "round": 2}, "round: 2 is given, but history has 1"),
        ({"history": [ROUND], "plus": [[], [2], [3]], "at": "ROUND_START"}, "finished rounds make"),
        ({"history": [ROUND], "honesty": [[0, 1, 0], [0, 0, 0], [0, 0, 0]]}, "honesty.*J4"),
        ({"honesty": [[1, 0], [0, 0, 0], [0, 0, 0]]}, "honesty"),
        ({"history": [{"dragon": 7}], "at": "ROUND_START"}, "0 cards in its piles after 1 rounds .I3"),
        ({"dragon": 15}, "dragon: 15 is not in the dragon set .*R2"),
        ({"investigator": 3}, "investigator: 3"),
        ({"pile": [7, 8]}, "pile: .*I2"),
        ({"pile": 7}, "pile: 7 is given"),
        ({"rest": "aside"}, "rest: 'aside'.*every dragon of the set is in play, I2"),
        ({"rest": "on top"}, "rest: 'on top'"),
        ({"dragon_order": [7, 7]}, "each once .I2"),
        ({"dragon_order": [9], "dragon": 9}, "dragons of the pile"),
        ({"dragon_order": [9], "script": {"draw": [1]}}, "give one of them"),
        ({"dragon_order": 9}, "give a list"),
        ({"hands": [[1], [2], [3]]}, "I1"),
        ({"hands": [[1, 1], [2], [3]]}, "twice.*R4"),
        ({"hands": [1, 2, 3]}, "give a list of card values"),
        ({"hands": [[9], [], []]}, "hands: 9 is given; give an integer from 1 to 8"),
        ({"hands": [[1, 2, 3, 4, 5, 6, 7, 8]] * 4}, "one entry for each of 3 seats"),
        ({"minus": [[1], [], []]}, "minus: .*finished rounds make .*R19"),
        ({"history": [{"dragon": 7}], "plus": [[1]] * 3, "minus": [[1], [], []]}, "two places: .1.*I1"),
        ({"scores": [1, 0, 0]}, "scores: .*the piles make .0, 0, 0.*I4"),
        ({"at": "CLAIM"}, "give dragon .R6"),
        ({"at": "CLAIM", "dragon": 7, "claim": "LOW"}, "no statement has been made yet .R7"),
        ({"at": "LEAD", "dragon": 7}, "give claim .R7"),
        ({"at": "LEAD", "dragon": 7, "claim": "RANK_1"}, "RANK_1 cannot be made here"),
        ({"at": "LEAD", "dragon": 7, "claim": "NONE"}, "NONE cannot be made here"),
        ({"at": "LEAD", "dragon": 7, "claim": "LOW", "cards": [1, None, None]}, "0 cards are on the table, not 1"),
        ({"at": "FOLLOW", "dragon": 7, "claim": "LOW"}, "at FOLLOW the lead and not yet all"),
        ({"at": "FOLLOW", "dragon": 7, "claim": "LOW", "cards": [1, None, 2]}, "clockwise.*J10"),
        ({"at": "FOLLOW", "dragon": 7, "claim": "LOW", "cards": [1, 2, 3]}, "not yet all"),
        ({"at": "RESOLVE", "dragon": 7, "claim": "LOW", "cards": [1, 2, None]}, "3 cards are on the table, not 2"),
        ({"phase": "LEAD", "decision": "LEAD", "seat": 1, "dragon": 7, "claim": "LOW"}, "it is seat 0's turn"),
        ({"phase": "LEAD", "decision": "FOLLOW", "seat": 0, "dragon": 7, "claim": "LOW"}, "the decision is not FOLLOW"),
        ({"over": "terminated"}, "over after 8 rounds, not before"),
        ({"at": "DINNER"}, "phases are ROUND_START"),
        ({"dragons": [7]}, "unknown key 'dragons'"),
    ],
    ids=str,
)
def test_impossible_positions(position: dict[str, Any], reason: str) -> None:
    table = washer(num_players=3, first_investigator=0)
    with pytest.raises(PositionError, match=f"{NAME} position: (?s:.*){reason}"):
        table.from_dict(position)


def test_positions_of_other_configurations() -> None:
    silent = washer(num_players=3, claims="none")
    with pytest.raises(PositionError, match="no CLAIM with claims='none'"):
        silent.from_dict({"at": "CLAIM", "dragon": 7})
    history = [{"dragon": 7 + now, "cards": [now + 1] * 3} for now in range(7)]
    with pytest.raises(PositionError, match=r"round 7 leaves no choice.*J14"):
        washer(num_players=3).from_dict({"at": "CLAIM", "dragon": 14, "history": history})
    asked = washer(num_players=3, skip_forced=False).from_dict({"at": "CLAIM", "dragon": 14, "history": history})
    assert record(asked).seat == 1


def test_order_of_the_rest() -> None:
    """``rest`` and ``dragon_order``: which dragons come."""
    table = washer(num_players=3, first_investigator=0)
    history = [{"dragon": 9, "cards": [1, 1, 1]}]
    ascending = table.from_dict({"at": "ROUND_START", "history": history, "rest": "sorted"})
    assert play_on(table, ascending) == [2, 0, 1, 3, 4, 5, 6, 7]
    given = table.from_dict({"at": "ROUND_START", "history": history, "dragon_order": [14, 7]})
    assert play_on(table, given)[:3] == [2, 7, 0]
    orders = {
        tuple(play_on(table, table.from_dict({"at": "ROUND_START", "history": history, "seed": seed})))
        for seed in range(20)
    }
    assert len(orders) > 15


def test_a_deal_can_be_changed() -> None:
    """``base: deal``: what is given replaces what was dealt; the rest stays."""
    table = washer(num_players=3)
    dealt = table.deal(11)
    assert digest(table.from_dict({"base": "deal", "seed": 11})) == digest(dealt)
    other = next(value for value in table.cards.dragons if value != table.to_dict(dealt)["dragon"])
    changed = table.to_dict(table.from_dict({"base": "deal", "seed": 11, "dragon": other}))
    assert changed["dragon"] == other
    assert other not in changed["pile"]
    assert changed["investigator"] == table.to_dict(dealt)["investigator"]


@pytest.mark.parametrize("preset", ["trio_numeric", "odd_even_talk", None])
def test_positions_are_exact(preset: str | None) -> None:
    """A state comes back byte for byte."""
    table = washer(preset=preset) if preset else washer(num_players=5, skip_forced=False)
    for seed in range(5):
        for moment in random_game(table, seed):
            assert digest(table.from_dict(table.to_dict(moment.states))) == digest(moment.states)


def test_a_halted_game_with_a_script_goes_on_as_it_would() -> None:
    """What a position says about the future: where play halts, and the outcomes that are still forced."""
    table = washer(num_players=3, first_investigator=0)
    states = table.from_dict({"at": "ROUND_START", "halt": "RESOLVE", "dragon_order": [9, 14, 7]})
    follow(table, states, "CLAIM_LOW BRUSH_1 BRUSH_2 BRUSH_3")
    assert record(states).seat == -1
    again = table.from_dict(table.to_dict(states))
    for one in (states, again):
        assert table.to_dict(one)["script"] == {"draw": [7, 0]}
        table.resume(one)
        follow(table, one, "CLAIM_LOW BRUSH_1 BRUSH_2 BRUSH_3")
        assert record(one).phase == table.phases.index("RESOLVE"), "halted again"
        assert table.to_dict(one)["history"][0]["points"] == [1, 2, 3]
        assert table.to_dict(one)["dragon"] == 14
