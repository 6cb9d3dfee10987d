from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from tooth_agents.basic import RandomAgent
from tooth_agents.human import HumanAgent, Quit
from tooth_training.cli.play import play_game

import tooth_envs
from tests.kuhn import Kuhn
from tests.probe import Probe
from tooth_envs.errors import ToothError
from tooth_envs.spec.game import Game


class Always:
    """Takes one action whatever happens."""

    def __init__(self, action: int) -> None:
        self.name = f"always {action}"
        self.action = action

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        return np.full(len(mask), self.action)


def sit_down(
    game: Game, answers: Sequence[str], seat: int = 0, seed: int = 5, others: Any = None, keep: Any = None
) -> tuple[bool, list[str]]:
    """Play with typed answers, then end of input; (whether the game ended, what was shown)."""
    left: Iterator[str] = iter(answers)
    shown: list[str] = []

    def read(prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    others = [("bot", Always(1))] if others is None else others
    return play_game(game, others, seat, seed, read, lambda text: shown.extend(text.split("\n")), keep), shown


@pytest.fixture
def kuhn() -> Kuhn:
    return Kuhn.create()


def test_cards_can_be_looked_up(kuhn: Kuhn) -> None:
    game = tooth_envs.game("toothead", num_players=2)
    _, shown = sit_down(game, ["help iron GUT", "? fang", "help No Way!", "help nothing", "quit"])
    assert "Iron Gut (mega): You eat nothing in the next Eating Phase. The card is eaten." in " ".join(shown)
    assert "No Way! (special): Cancels a trick that another seat has just played." in " ".join(shown)
    assert "Fang (dock): 3 more when attacking." in " ".join(shown)
    assert "There is no card 'nothing' in this game." in " ".join(shown)
    _, shown = sit_down(kuhn, ["help king"])
    assert "There is no card 'king' in this game." in " ".join(shown)


def test_partners_are_told_at_the_table() -> None:
    _, shown = sit_down(Probe.create(num_players=3, teams=True), ["quit"], seat=1)
    assert shown[1:4] == [
        "  seat 0: bot (2 to your left)",
        "  seat 1: you",
        "  seat 2: bot (1 to your left, your partner)",
    ]


def test_a_whole_game(kuhn: Kuhn) -> None:
    ended, shown = sit_down(kuhn, ["2"])
    assert ended
    cards = kuhn.deal(5)["card"][0]
    assert cards.tolist() == [2, 0]
    text = "\n".join(shown)
    assert "Kuhn Poker, 2 seats, seed 5" in text
    assert "  seat 0: you" in shown
    assert "  seat 1: bot (1 to your left)" in shown
    assert [line for line in shown if line.startswith("BET")] == ["BET seat 0 0 0", "BET seat 1 0 0"]
    assert shown[-3:] == ["Final ranking", "  1. seat 0 (you), reward +2", "  2. seat 1 (bot), reward -2"]


def test_the_other_seat_may_begin(kuhn: Kuhn) -> None:
    ended, shown = sit_down(kuhn, ["pass"], seat=1)
    assert ended
    assert shown[-2:] == ["  1. seat 0 (bot), reward +1", "  2. seat 1 (you), reward -1"]


def test_nothing_hidden_is_shown(kuhn: Kuhn) -> None:
    # Events that only the other seat may see are left out, and so is everything but the own view.
    for seat in (0, 1):
        _, shown = sit_down(kuhn, ["1", "1"], seat=seat, seed=8)
        assert any(line.startswith(f"DEALT seat {seat}") for line in shown)
        assert not any(line.startswith(f"DEALT seat {1 - seat}") for line in shown)


def test_worlds_that_look_alike_are_told_alike() -> None:
    # Two deals that differ for seat 0 in nothing it may know, until the first round is resolved.
    game = tooth_envs.game("dragon_teeth_washer", num_players=3, first_investigator=1, claims="none")
    others = [("bot", Always(0)), ("bot", Always(0))]
    told: dict[int, list[str]] = {}
    for seed in range(40):
        dragon = int(game.view(game.deal(seed), 1)["known"])
        _, shown = sit_down(game, [], seed=seed, others=others)
        told.setdefault(dragon, []).append("\n".join(shown[1:]))
    assert len(told) > 1
    assert len({text for texts in told.values() for text in texts}) == 1


def test_events_and_end_are_told_in_words() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    ended, shown = sit_down(game, ["#1"] * 30, others=[("a", RandomAgent()), ("b", RandomAgent())])
    assert ended
    assert shown[-4] == "Final ranking"
    assert sorted(line.split("(")[1].split(")")[0] for line in shown[-3:]) == ["a", "b", "you"]
    assert any("dragon" in line for line in shown)


def test_agents_noise_comes_from_the_seed() -> None:
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    first, again, other = (
        sit_down(game, ["#1"] * 30, seed=seed, others=[("a", RandomAgent())])[1][1:] for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("word", ["quit", "QUIT", "exit", "q"])
def test_quitting(kuhn: Kuhn, word: str) -> None:
    ended, shown = sit_down(kuhn, [word, "1", "1", "1"])
    assert not ended
    assert shown[-1] == "The game was stopped."


def test_the_end_of_input_stops_the_game(kuhn: Kuhn) -> None:
    assert sit_down(kuhn, [])[0] is False


def test_help_view_and_mistakes_ask_again(kuhn: Kuhn) -> None:
    ended, shown = sit_down(kuhn, ["", "help", "view", "3", "0", "nonsense", "BET"])
    assert ended
    assert sum("Choose an action by its number" in line for line in shown) == 1
    assert sum(line == "  2  BET" for line in shown) == 2
    assert "There is no number 3: they go from 1 to 2." in shown
    assert "There is no number 0: they go from 1 to 2." in shown
    assert "There is no action 'nonsense'. Type help for help." in shown


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("1", 2),
        ("2", 9),
        ("#3", 10),
        ("BRUSH_3", 2),
        ("brush 3", 2),
        ("brush-3", 2),
        ("b", 2),
        ("claim_h", 10),
        ("claim high", 10),
        ("Claim L", 9),
    ],
)
def test_actions_are_understood(answer: str, meant: int) -> None:
    game = tooth_envs.game("dragon_teeth_washer")
    human = HumanAgent(game, input, lambda text: None)
    assert human.understand(answer, [2, 9, 10]) == (meant, "")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("3", "Number 3 of the list is CLAIM_HIGH. Type 3 again for that, or BRUSH_3"),
        ("#4", "no number 4"),
        ("claim", "could be CLAIM_LOW, CLAIM_HIGH"),
        ("brush_4", "is not legal now"),
        ("BRUSH_33", "no action 'BRUSH_33'"),
        ("4", "no number 4: they go from 1 to 3"),
    ],
)
def test_what_is_not_understood_is_explained(answer: str, problem: str) -> None:
    game = tooth_envs.game("dragon_teeth_washer")
    action, told = HumanAgent(game, input, lambda text: None).understand(answer, [2, 9, 10])
    assert action is None
    assert problem in told


def test_a_whole_name_wins_over_longer_ones() -> None:
    game = tooth_envs.game("dragon_teeth_washer")
    human = HumanAgent(game, input, lambda text: None)
    human.game = _Renamed(("BITE", "BITE_HARD"))  # type: ignore[assignment]
    assert human.understand("bite", [0, 1]) == (0, "")
    assert human.understand("bit", [0, 1])[0] is None


class _Renamed:
    def __init__(self, actions: tuple[str, ...]) -> None:
        self.actions = actions


def test_a_person_is_an_agent(kuhn: Kuhn) -> None:
    answers = iter(["2", "1"])
    human = HumanAgent(kuhn, lambda prompt: next(answers), lambda text: None)
    view = np.zeros(2, kuhn.layout.dtype)
    mask = np.ones((2, 2), np.int8)
    assert human.act(np.zeros((2, 1), np.float32), view, mask, np.zeros(2, np.int64)).tolist() == [1, 0]


def test_a_person_can_leave(kuhn: Kuhn) -> None:
    human = HumanAgent(kuhn, lambda prompt: "quit", lambda text: None)
    with pytest.raises(Quit):
        human.act(np.zeros((1, 1)), np.zeros(1, kuhn.layout.dtype), np.ones((1, 2), np.int8), np.zeros(1, np.int64))


def test_a_number_that_means_two_things_counts_when_it_is_given_twice() -> None:
    game = tooth_envs.game("dragon_teeth_washer")
    mask = np.zeros(len(game.actions), np.int8)
    mask[[2, 9, 10]] = 1
    for answers, meant in ((["3", "3"], 10), (["3", "2"], 9), (["x", "x", "3", "claim", "3", "3"], 10)):
        left = iter(answers)
        human = HumanAgent(game, lambda prompt, left=left: next(left), lambda text: None)
        assert human.choose(game.view(game.deal(1), 0), mask) == meant
        assert next(left, None) is None


def test_who_never_makes_sense_is_no_person(kuhn: Kuhn) -> None:
    told: list[str] = []
    human = HumanAgent(kuhn, lambda prompt: "nonsense", told.append)
    with pytest.raises(Quit):
        human.act(np.zeros((1, 1)), np.zeros(1, kuhn.layout.dtype), np.ones((1, 2), np.int8), np.zeros(1, np.int64))
    assert told.count("There is no action 'nonsense'. Type help for help.") == 100
    assert told[-1] == "100 answers in a row chose nothing."


@pytest.mark.parametrize("seat", [-1, 2])
def test_no_such_seat(kuhn: Kuhn, seat: int) -> None:
    with pytest.raises(ToothError, match=f"no seat {seat}; seats are 0 to 1"):
        sit_down(kuhn, [], seat=seat)


@pytest.mark.parametrize("count", [0, 2])
def test_agents_must_fit_the_table(kuhn: Kuhn, count: int) -> None:
    with pytest.raises(ToothError, match=f"{count} agents for 1 other seats"):
        sit_down(kuhn, [], others=[("bot", Always(1))] * count)


def test_an_agents_illegal_action_is_named(kuhn: Kuhn) -> None:
    with pytest.raises(ToothError, match=r"agent 'cheat': illegal action 7"):
        sit_down(kuhn, ["1"], others=[("cheat", Always(7))])
