from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import cfr, exploitability  # noqa: E402

import tests.kuhn  # noqa: E402
import tests.probe  # noqa: E402
from tooth_envs.adapters.openspiel import OpenSpielGame, load, register  # noqa: E402
from tooth_envs.errors import OptionError  # noqa: E402

assert tests.kuhn.Kuhn.name == "kuhn"
assert tests.probe.Probe.name == "probe"

slow = pytest.mark.slow


def count_ends(state: object) -> int:
    """Terminal histories below a state, by pyspiel's interface alone."""
    if state.is_terminal():
        return 1
    return sum(count_ends(state.child(action)) for action in state.legal_actions())


@pytest.mark.parametrize(
    ("name", "options", "histories", "information", "nash_conv"),
    [
        ("kuhn", {}, 30, [6, 6], 11 / 12),
        ("dragon_teeth_washer", {"preset": "tiny_duel"}, 8, [2, 2], 1 / 2),
        ("dragon_teeth_washer", {"preset": "tiny_duel", "reward": "score"}, 8, [2, 2], 3 / 16),
        ("dragon_teeth_washer", {"preset": "small_duel"}, 216, [57, 57], 7 / 6),
        ("dragon_teeth_washer", {"preset": "odd_even"}, 432, [76, 111], 35 / 24),
        ("dragon_teeth_washer", {"preset": "quartet"}, 96, [3, 2, 2, 2], 13 / 24),
        ("dragon_teeth_washer", {"preset": "quartet", "reward": "winner"}, 96, [3, 2, 2, 2], 11 / 24),
        pytest.param("dragon_teeth_washer", {"preset": "small_duel_talk"}, 864, [225, 330], 7 / 6, marks=slow),
        pytest.param("dragon_teeth_washer", {"preset": "odd_even_talk"}, 1728, [300, 654], 35 / 24, marks=slow),
        pytest.param("dragon_teeth_washer", {"preset": "trio"}, 1296, [165, 165, 165], 23 / 16, marks=slow),
        pytest.param("dragon_teeth_washer", {"preset": "trio_talk"}, 11664, [1470, 1953, 1467], 91 / 108, marks=slow),
    ],
)
def test_uniform_play(
    name: str, options: dict[str, str], histories: int, information: list[int], nash_conv: float
) -> None:
    """Numbers of the specification (section 11), and of the literature for Kuhn, by OpenSpiel's own algorithms.

    Presets left out: duel_four, trio_numeric and trio_four are too large for OpenSpiel's Python algorithms.
    """
    game = load(name, **options)
    assert count_ends(game.new_initial_state()) == histories
    uniform = policy.TabularPolicy(game)
    assert [len(states) for states in uniform.states_per_player] == information
    assert exploitability.nash_conv(game, uniform) == pytest.approx(nash_conv, abs=1e-9)


def test_cfr_solves_kuhn() -> None:
    game = load("kuhn")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < 0.01


def test_the_usual_contract() -> None:
    register()
    register()
    game = pyspiel.load_game('tooth_dragon_teeth_washer(preset=trio,options={"claims":"binary"})')
    assert game.num_players() == 3
    assert game.max_chance_outcomes() == 8
    dice = random.Random(3)
    for _ in range(5):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                assert sum(p for _, p in outcomes) == pytest.approx(1)
                state.apply_action(dice.choice(outcomes)[0])
                continue
            player = state.current_player()
            legal = state.legal_actions()
            assert legal == sorted(legal)
            assert state.legal_actions((player + 1) % 3) == []
            tensor = np.array(state.observation_tensor(player))
            assert tensor.min() >= 0
            assert tensor.max() <= 1
            assert state.observation_string(player)
            twin = state.clone()
            assert twin.information_state_string(player) == state.information_state_string(player)
            action = dice.choice(legal)
            twin.apply_action(action)
            assert state.legal_actions() == legal, "a clone's step changed the original"
            state.apply_action(action)
            assert str(twin.history()) == str(state.history())
        assert sum(state.returns()) == pytest.approx(0)
        assert max(state.returns()) <= game.max_utility()


def test_copies_and_pickles_keep_their_options() -> None:
    game = load("dragon_teeth_washer", preset="odd_even_talk")
    own = game.game.options
    loaded = pyspiel.load_game(str(game))
    for other in (loaded, pickle.loads(pickle.dumps(game)), pickle.loads(pickle.dumps(loaded)), copy.deepcopy(game)):
        assert other.game.options == own
        assert str(other) == str(game)
    state = game.new_initial_state()
    while not state.is_terminal():
        for other in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state), state.clone()):
            assert other.get_game().game.options == own
            assert other.history() == state.history()
            assert other.legal_actions() == state.legal_actions()
            assert other.is_chance_node() or other.information_state_string() == state.information_state_string()
        state.apply_action(state.legal_actions()[-1])


def test_bad_options_are_refused() -> None:
    with pytest.raises(OptionError, match="did you mean 'trio'"):
        load("dragon_teeth_washer", preset="triio")


def test_what_the_game_declares() -> None:
    game = load("probe", num_players=3, length=2, max_steps=2)
    kind = game.get_type()
    assert kind.utility == pyspiel.GameType.Utility.ZERO_SUM
    assert kind.reward_model == pyspiel.GameType.RewardModel.REWARDS
    assert (kind.min_num_players, kind.max_num_players, game.num_players()) == (2, 3, 3)
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-5.0, 5.0, 0.0)
    assert (game.num_distinct_actions(), game.max_game_length()) == (2, 2)
    outcomes: set[int] = set()

    def walk(state: object, decisions: int, paid: np.ndarray) -> None:
        paid = paid + state.rewards()
        assert paid.tolist() == state.returns()
        if state.is_terminal():
            assert decisions == game.max_game_length()
            assert game.min_utility() <= paid.min() <= paid.max() <= game.max_utility()
            return
        if state.is_chance_node():
            assert not any(state.rewards())
            outcomes.update(outcome for outcome, _ in state.chance_outcomes())
        for action in state.legal_actions():
            walk(state.child(action), decisions + (not state.is_chance_node()), paid)

    walk(game.new_initial_state(), 0, np.zeros(3))
    assert outcomes == {0, 3, 5}
    assert max(outcomes) < game.max_chance_outcomes()


def test_every_player_is_told_its_own() -> None:
    """Strings and tensors are the asked player's, not those of whoever is to act."""
    game = load("kuhn")
    state = game.new_initial_state().child(2).child(0).child(1)
    node = state.node
    assert state.current_player() == 1
    recall = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))
    plain = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=False))
    for player in range(2):
        assert state.information_state_string(player) == node.information_state(player)
        recall.set_from(state, player)
        assert (recall.tensor.size, recall.dict) == (0, {})
        assert recall.string_from(state, player) == node.information_state(player)
        seen = node.game.observe(node.states, player)
        assert state.observation_tensor(player) == seen.tolist()
        plain.set_from(state, player)
        assert plain.tensor.tolist() == plain.dict["observation"].tolist() == seen.tolist()
        words = node.game.describe(node.game.view(node.states, player))
        assert plain.string_from(state, player) == state.observation_string(player) == words
        assert state._legal_actions(player) == ([0, 1] if player == 1 else [])
    assert state.information_state_string() == node.information_state(1)
    assert state.observation_tensor(0) != state.observation_tensor(1)
    assert state.information_state_string(0) != state.information_state_string(1)
    with pytest.raises(OptionError, match="no parameters"):
        game.make_py_observer(None, {"depth": 1})


@pytest.mark.parametrize("options", ["[1]", "3", "{", "null"])
def test_options_that_are_no_json_object_are_refused(options: str) -> None:
    with pytest.raises(OptionError, match="JSON object"):
        OpenSpielGame("kuhn", {"options": options})
