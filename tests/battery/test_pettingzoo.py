"""PettingZoo's, gymnasium's and stable-baselines3's own tests, over seats, seeds and variants."""

from __future__ import annotations

import copy
import pickle
import warnings
import zlib
from functools import partial

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, render_test
from tooth_agents.basic import RandomAgent

import tooth_envs
from tests.cases import CASES, MAIN_CASES, Case, case_id
from tests.support import chosen
from tooth_envs.engine.chance import mix_python
from tooth_envs.envs.aec import TableEnv
from tooth_envs.envs.parallel import ParallelTable
from tooth_envs.envs.single_seat import SingleSeatEnv
from tooth_envs.errors import GameOver, IllegalAction, ToothError

every_case = pytest.mark.parametrize("case", CASES, ids=case_id)
every_game = pytest.mark.parametrize("case", MAIN_CASES, ids=case_id)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@every_game
def test_render(case: Case) -> None:
    def make(render_mode: str | None = None) -> TableEnv:
        return TableEnv(case.game(), render_mode=render_mode)

    render_test(make)
    env = make("rgb_array")
    env.reset(seed=0)
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 5, "an empty picture"
    env = make("ansi")
    env.reset(seed=0)
    seen = set()
    while not any(env.terminations.values()):
        text = env.render()
        assert isinstance(text, str)
        assert "Legal actions" in text
        seen.add(text)
        env.step(chosen(env.observe(env.agent_selection)["action_mask"], 1))
    assert env.render()
    assert len(seen) > 1
    with pytest.raises(ValueError, match="render_mode"):
        TableEnv(case.game(), render_mode="video")


@every_case
def test_parallel(case: Case) -> None:
    parallel_api_test(ParallelTable(TableEnv(case.game())), num_cycles=300)
    table, twin = TableEnv(case.game()), ParallelTable(TableEnv(case.game()))
    total_paid = 0
    for seed in range(3):
        table.reset(seed=seed)
        seen, _ = twin.reset(seed=seed)
        paid = 0
        while twin.agents:
            mover = table.agent_selection
            assert [agent for agent in seen if seen[agent]["action_mask"].any()] == [mover]
            action = chosen(seen[mover]["action_mask"], mix_python(seed, 1, int(table.states()["steps"][0])))
            with pytest.raises(IllegalAction):
                twin.step({})
            table.step(action)
            seen, rewards, terminations, truncations, _ = twin.step({mover: action})
            assert rewards == table.rewards
            paid += any(rewards.values())
            assert terminations == table.terminations
            assert truncations == table.truncations
        total_paid += paid
        with pytest.raises(GameOver):
            twin.step({})
    assert total_paid, "a test without rewards proves little"


@every_case
def test_single_seat(case: Case) -> None:
    from stable_baselines3.common.env_checker import check_env as sb3_check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = SingleSeatEnv(case.game())
        # Their random actions take no notice of masks, so both checkers get an environment where they are repaired.
        check_env(_Repaired(env), skip_render_check=True)
        sb3_check_env(_Repaired(SingleSeatEnv(case.game())))
    for seat in (0, case.game().num_players - 1):
        env = SingleSeatEnv(case.game(), opponents=_Looking(), seat=seat)
        table = TableEnv(case.game())
        agent = f"player_{seat}"
        for seed in range(4):
            seen, info = env.reset(seed=seed)
            assert info["seat"] == seat
            table.reset(seed=env.game_seed)
            owed, over = 0.0, False  # what the seat has earned since its last step
            total = 0.0
            while not over:
                owed += _play_others(table, agent)
                assert np.array_equal(env.action_masks(), seen["action_mask"] == 1)
                _same(seen, table.observe(agent))
                bad = np.flatnonzero(seen["action_mask"] == 0)
                if len(bad):
                    with pytest.raises(IllegalAction):
                        env.step(int(bad[0]))
                action = chosen(seen["action_mask"], seed)
                seen, reward, terminated, truncated, info = env.step(action)
                table.step(action)
                owed += table.rewards[agent]
                owed += _play_others(table, agent)
                assert reward == pytest.approx(owed)
                owed = 0.0
                assert (terminated, truncated) == (table.terminations[agent], table.truncations[agent])
                total += reward
                over = terminated or truncated
            _same(seen, table.observe(agent))
            low, high = env.game.reward_bounds()
            assert low <= total <= high
            assert info["rank"] == table.states()["rank"][0, seat]
            with pytest.raises(GameOver):
                env.step(0)


class _Looking:
    """Opponents who go by what they see, so that a test can play them too."""

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        return np.array([chosen(mask[0], zlib.crc32(observation[0].tobytes()))])


def _play_others(table: TableEnv, agent: str) -> float:
    """Let the others act at a table up to the agent's next turn or the end; what it earned by that."""
    earned = 0.0
    while table.agent_selection != agent and not any((*table.terminations.values(), *table.truncations.values())):
        seen = table.observe(table.agent_selection)
        table.step(chosen(seen["action_mask"], zlib.crc32(seen["observation"].tobytes())))
        earned += table.rewards[agent]
    return earned


def _same(seen: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert seen.keys() == other.keys()
    for name, value in seen.items():
        assert value.tobytes() == other[name].tobytes()


class _Repaired(gymnasium.ActionWrapper):  # type: ignore[type-arg]
    def action(self, action: int) -> int:
        masks = self.env.unwrapped.action_masks()  # type: ignore[attr-defined]
        legal = np.flatnonzero(masks)
        return int(legal[int(action) % len(legal)]) if len(legal) else int(action)


def test_single_seat_takes_the_rewards_of_others_turns() -> None:
    """Against opponents that fold, the learner wins in their turn: that reward must arrive with its own last step."""

    class Passive:
        def act(self, observation, view, mask, key):  # type: ignore[no-untyped-def]
            return np.zeros(len(mask), np.int64)

    env = SingleSeatEnv(tooth_envs.game("kuhn"), opponents=Passive(), seat=0)
    env.reset(seed=0)
    assert env.step(1)[1:3] == (1.0, True)
    with pytest.raises(ValueError, match="opponents"):
        SingleSeatEnv(tooth_envs.game("kuhn"), opponents=[Passive(), Passive()])
    with pytest.raises(ValueError, match="seat"):
        SingleSeatEnv(tooth_envs.game("kuhn"), seat=2)


@every_game
def test_copies_of_a_single_seat_go_on_alike_and_apart(case: Case) -> None:
    env = SingleSeatEnv(case.game())
    seen, _ = env.reset(seed=2)
    for steps in range(12):
        action = chosen(seen["action_mask"], mix_python(4, 1, steps))
        twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        theirs = [twin.step(action) for twin in twins]
        masks = env.action_masks().copy()
        assert masks.tobytes() == (seen["action_mask"] == 1).tobytes(), "stepping a copy changed the original"
        own = env.step(action)
        for twin, told in zip(twins, theirs, strict=True):
            _same(told[0], own[0])
            assert told[1:] == own[1:]
            again, info = twin.reset()
            assert twin.game_seed != env.game_seed
        seen = own[0]
        if own[2] or own[3]:
            seen, own_info = env.reset()
            _same(again, seen)
            assert info == own_info


def test_single_seats_are_paid_for_the_deal_with_their_first_step() -> None:
    for seat, dealt in ((0, 1.0), (1, -0.5), (2, -0.5)):
        game = tooth_envs.game("probe", num_players=3, kind="windows", length=6, deal_pays=True)
        env = SingleSeatEnv(game, seat=seat)
        env.reset(seed=3)
        assert env.step(0)[1] == dealt
        assert env.step(0)[1] in (1.0, -0.5), "the end's alone"


def test_reset_options_of_a_single_seat_are_those_of_a_table() -> None:
    game = tooth_envs.game("probe", num_players=3, length=6)
    env, table = SingleSeatEnv(game, seat=0), TableEnv(game)
    for options in (
        {"script": {"die": [6, 4, 1]}},
        {"position": {"turn": 3, "asked": [1, 1, 1], "seat": 0, "decision": "KEEP"}},
    ):
        seen, _ = env.reset(seed=5, options=options)
        table.reset(seed=5, options=options)
        assert env.game_seed == table.game_seed
        _same(seen, table.observe("player_0"))
        assert env.step(1)[0]["observation"].any()
    env.reset(seed=5, options={"script": {"die": [6, 4, 1]}})
    assert env.step(0)[1] == 2 - 0.5, "the own six, and a share of the next seat's four"
    with pytest.warns(UserWarning, match="'seat' is ignored"):
        env.reset(seed=5, options={"seat": 1})
    with pytest.warns(UserWarning, match="'seats' is ignored"):
        env.reset(seed=5, options={"seats": [2, 1, 0]})


def test_an_opponent_that_cannot_act_is_refused() -> None:
    game = tooth_envs.game("probe", num_players=3)
    for opponents in (3, [RandomAgent(), object()]):
        with pytest.raises(ToothError, match="has no method act"):
            SingleSeatEnv(game, opponents)  # type: ignore[arg-type]


def test_numbers_of_players_may_be_numpys() -> None:
    assert tooth_envs.make_batch("probe", 2, np.int64(3)).num_players.tolist() == [3, 3]
    assert tooth_envs.make_batch("probe", 2, [np.int64(2), 3]).num_players.tolist() == [2, 3]


def test_a_refused_reset_of_a_single_seat_leaves_the_game_at_hand_as_it_was() -> None:
    env = SingleSeatEnv(tooth_envs.game("probe", num_players=3, length=6))
    env.reset(seed=6)
    kept = copy.deepcopy(env)
    for bad in ({"position": {"nonsense": 1}}, {"script": {"dice": [1]}}, {"script": {"any": list(range(20))}}, 3):
        with pytest.raises(ToothError, match=r"nonsense|dice|outcomes|dict"):
            env.reset(seed=7, options=bad)  # type: ignore[arg-type]
    assert (env.seat, env.game_seed) == (kept.seat, kept.game_seed), "the game at hand goes on unharmed"
    while True:
        own, theirs = env.step(0), kept.step(0)
        _same(own[0], theirs[0])
        assert own[1:] == theirs[1:]
        if own[2]:
            break
    assert env.reset()[1] == kept.reset()[1]


def test_a_deal_that_is_refused_does_not_touch_the_mask_of_the_game_at_hand() -> None:
    """A die or card that cannot be is found only after the deal has been carried out."""
    env = SingleSeatEnv(tooth_envs.game("dragon_teeth_washer", num_players=3, first_investigator=0), seat=0)
    seen, _ = env.reset(seed=1)
    env.step(chosen(seen["action_mask"], 0))
    before = env.action_masks()
    assert not np.array_equal(before, seen["action_mask"] == 1)
    with pytest.raises(ToothError, match="script"):
        env.reset(seed=2, options={"script": {"draw": [99]}})
    assert np.array_equal(env.action_masks(), before)


def test_bad_seeds_of_a_single_seat_are_refused_as_a_tables_are() -> None:
    env = SingleSeatEnv(tooth_envs.game("kuhn"))
    for seed in (-1, 2**63, 1.5, "7", True):
        with pytest.raises(ToothError, match="give an integer from 0"):
            env.reset(seed=seed)  # type: ignore[arg-type]


def test_the_seed_of_a_single_seats_position_is_told() -> None:
    env = SingleSeatEnv(tooth_envs.game("probe"), seat=0)
    env.reset(seed=5, options={"position": {"seat": 0, "decision": "KEEP", "seed": 44}})
    assert env.game_seed == 44


def test_an_illegal_action_of_an_opponent_gives_the_game_up() -> None:
    """The learner's own step has been carried out by then: nothing half done may be played on."""

    class Breaking:
        broken = False

        def act(self, observation, view, mask, key):  # type: ignore[no-untyped-def]
            return np.full(len(mask), 99 if self.broken else 0)

    opponent = Breaking()
    env = SingleSeatEnv(tooth_envs.game("probe", num_players=3, length=6), opponents=opponent, seat=1)
    env.reset(seed=0)
    opponent.broken = True
    with pytest.raises(ToothError, match=r"Breaking.*99.*reset"):
        env.step(0)
    for _ in range(2):
        with pytest.raises(GameOver, match="reset"):
            env.step(0)
    with pytest.raises(ToothError, match=r"Breaking.*99"):
        env.reset(seed=0)
    with pytest.raises(GameOver, match="reset"):
        env.step(0)
    opponent.broken = False
    env.reset(seed=0)
    assert env.game_seed == 0
    assert env.step(0)[2:4] == (False, False)


def test_an_impossible_die_of_the_learners_own_turn_leaves_its_game_whole() -> None:
    game = tooth_envs.game("probe", num_players=2, length=4)
    env = SingleSeatEnv(game, seat=0)
    env.reset(seed=1, options={"script": {"die": [9]}})
    for _ in range(2):
        with pytest.raises(ToothError, match="out of range"):
            env.step(0)
    assert env.action_masks().all()


def test_an_impossible_die_of_an_opponents_turn_gives_the_game_up() -> None:
    """The learner's own step has been carried out by then."""
    env = SingleSeatEnv(tooth_envs.game("probe", num_players=2, length=4), seat=0)
    env.reset(seed=1, options={"script": {"die": [1, 9]}})
    with pytest.raises(ToothError, match="out of range"):
        env.step(0)
    with pytest.raises(GameOver, match="reset"):
        env.step(0)


def test_a_seat_that_is_never_asked_is_refused() -> None:
    for options in ({"length": 0}, {"length": 1}):
        env = SingleSeatEnv(tooth_envs.game("probe", **options), seat=1)
        with pytest.raises(ToothError, match=r"probe.*nothing to decide"):
            env.reset(seed=1)
        with pytest.raises(GameOver, match="reset"):
            env.step(0)


def test_a_deal_that_is_over_pays_and_ends_every_seat() -> None:
    table = TableEnv(tooth_envs.game("probe", length=0, deal_pays=True))
    table.reset(seed=1)
    with pytest.raises(GameOver):
        table.step(0)
    earned = {}
    for agent in table.agent_iter():
        _, earned[agent], terminated, truncated, _ = table.last()
        assert (terminated, truncated) == (True, False)
        table.step(None)
    assert earned == {"player_0": 2.0, "player_1": -2.0}


@every_game
def test_registries(case: Case) -> None:
    env_id = f"tooth_envs/{case.name}-v{tooth_envs.game_class(case.name).version}"
    single = gymnasium.make(env_id)
    seen, _ = single.reset(seed=1)
    assert single.observation_space.contains(seen)
    table = pettingzoo.make("aec", env_id, **case.options)
    assert isinstance(table, TableEnv)
    assert table.game.options == case.game().options
    assert isinstance(pettingzoo.make("parallel", env_id), ParallelTable)


def test_modules_of_the_built_in_games() -> None:
    from importlib import import_module

    from tooth_envs.spec.registry import built_in

    for name in built_in():
        cls = tooth_envs.game_class(name)
        assert cls.version == built_in()[name]
        module = import_module(f"tooth_envs.{name}_v{cls.version}")
        env = module.env(num_players=cls.max_players)
        assert isinstance(env, TableEnv)
        assert isinstance(module.raw_env(render_mode="ansi"), TableEnv)
        assert isinstance(module.parallel_env(), ParallelTable)
        assert str(env) == f"{name}_v{cls.version}"
        assert isinstance(module.env, partial)
