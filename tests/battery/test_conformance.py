"""What PettingZoo's tests do not look at: masks and legality both ways, digests, seeds, copies, caps, rewards."""

from __future__ import annotations

import pytest

from tests.cases import CASES, MAIN_CASES, Case, case_id
from tests.support import chosen, random_game
from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.events import events_since
from tooth_envs.engine.state import TERMINATED, TRUNCATED, record
from tooth_envs.envs.aec import TableEnv
from tooth_envs.errors import GameOver

every_case = pytest.mark.parametrize("case", CASES, ids=case_id)
every_game = pytest.mark.parametrize("case", MAIN_CASES, ids=case_id)


@every_game
def test_games_after_a_seeded_reset_differ_and_repeat(case: Case) -> None:
    runs = []
    for _ in range(2):
        env = TableEnv(case.game())
        env.reset(seed=9)
        seeds = [env.game_seed]
        for _ in range(20):
            env.reset()
            seeds.append(env.game_seed)
        runs.append(seeds)
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 21
    unseeded = TableEnv(case.game())
    unseeded.reset()
    other = TableEnv(case.game())
    other.reset()
    assert unseeded.game_seed != other.game_seed
    again = TableEnv(case.game())
    again.reset(seed=unseeded.game_seed)
    assert again.digest() == unseeded.digest()


@every_case
def test_the_step_cap_truncates_all_seats_without_reward(case: Case) -> None:
    lowest = None
    for cap in range(1, 200):
        try:
            game = case.game(max_steps=cap)
        except ValueError:
            continue  # a cap that the game's own length forbids
        lowest = cap
        break
    assert lowest is not None
    game = case.game(max_steps=lowest)
    game.tables.flags.writeable = True
    game.tables["max_steps"][0] = 1  # below what the options allow, so that the cap binds in every game
    game.tables.flags.writeable = False
    mask = game.new_mask()
    states = game.deal(2, mask)
    game.step(states, chosen(mask, 0), mask)
    assert not mask.any()
    env = TableEnv(game)
    env.reset(seed=2)
    env.step(chosen(env.observe(env.agent_selection)["action_mask"], 0))
    state = record(env.states())
    if state.over == TERMINATED:
        pytest.skip("this game ends with its first decision")
    assert state.over == TRUNCATED
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert abs(sum(env.rewards.values())) < 1e-9
    assert set(state.rank[: game.num_players]) <= set(range(1, game.num_players + 1))
    assert state.rank[: game.num_players].min() == 1


@every_case
def test_events_are_told_to_those_who_may_see_them(case: Case) -> None:
    game = case.game()
    hidden = 0
    for seed in range(3):
        written = 0
        for moment in random_game(game, seed, trace=True):
            for event in events_since(record(moment.states), written):
                assert game.describe_event(event, None)
                for seat in range(game.num_players):
                    if not event.visible_to(seat):
                        hidden += 1
                        assert game.describe_event(event, seat) is None
            written = int(record(moment.states).event_count)
    assert hidden or case not in MAIN_CASES, "a game without secrets proves nothing here"


@every_game
def test_the_end_of_a_game_in_pettingzoo_order(case: Case) -> None:
    env = TableEnv(case.game())
    for asked in (
        lambda: env.step(0),
        env.last,
        env.state,
        env.describe,
        env.to_dict,
        env.digest,
        env.states,
        lambda: env.observe("player_0"),
        TableEnv(case.game(), render_mode="ansi").render,
    ):
        with pytest.raises(GameOver, match="reset"):
            asked()
    env.reset(seed=4)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        returns[agent] += reward
        assert type(terminated) is bool
        assert type(reward) is float
        if terminated or truncated:
            with pytest.raises(GameOver):
                env.step(0)
            env.step(None)
        else:
            assert seen is not None
            env.step(chosen(seen["action_mask"], 1))
            for name, value in env.rewards.items():
                paid[name] += value
    assert env.agents == []
    assert returns == pytest.approx(paid)
    with pytest.raises(GameOver):
        env.step(None)
    for agent in env.possible_agents:
        assert not env.observe(agent)["action_mask"].any()


@every_game
def test_seats_can_be_swapped(case: Case) -> None:
    game = case.game()
    n = game.num_players
    plain, swapped = TableEnv(game), TableEnv(game)
    seats = [(i + 1) % n for i in range(n)]
    plain.reset(seed=8)
    swapped.reset(seed=8, options={"seats": seats})
    while not any(plain.terminations.values()):
        seat = plain.possible_agents.index(plain.agent_selection)
        assert seats[swapped.possible_agents.index(swapped.agent_selection)] == seat
        action = chosen(
            plain.observe(plain.agent_selection)["action_mask"], mix_python(8, 1, int(plain.states()["steps"][0]))
        )
        plain.step(action)
        swapped.step(action)
        for i, agent in enumerate(plain.possible_agents):
            assert swapped.rewards[agent] == plain.rewards[f"player_{seats[i]}"]
        assert plain.digest() == swapped.digest()


@every_game
def test_a_position_brings_its_seats_along(case: Case) -> None:
    game = case.game()
    seats = [(i + 1) % game.num_players for i in range(game.num_players)]
    env, again = TableEnv(game), TableEnv(game)
    env.reset(seed=8, options={"seats": seats})
    again.reset(seed=1, options={"position": env.to_dict()})
    assert again.agent_selection == env.agent_selection
    assert again.to_dict() == env.to_dict()
    assert again.to_dict()["player_seats"] == seats
    other = seats[::-1]
    again.reset(seed=1, options={"position": env.to_dict(), "seats": other})  # said outright, it comes first
    assert again.to_dict().get("player_seats", list(range(game.num_players))) == other


@every_game
def test_reset_options_are_checked_and_the_game_at_hand_survives(case: Case) -> None:
    env = TableEnv(case.game())
    env.reset(seed=1)
    before = env.digest()
    for options in (
        {"seats": [0] * env.game.num_players},
        {"seats": "0,1"},
        {"position": {"nonsense": 1}},
        {"position": {"base": "nowhere"}},
        {"script": {"dice": [1]}},
        {"script": {"die": [-1]}},
        {"script": {"any": list(range(2000))}},
    ):
        with pytest.raises(ValueError, match=r"nonsense|seats|base|script"):
            env.reset(seed=2, options=options)
        assert env.digest() == before
    for seed in (-1, 2**63, 1.5, "7", True):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)  # type: ignore[arg-type]
        assert env.digest() == before
    with pytest.warns(UserWarning, match="ignored"):
        env.reset(seed=1, options={"options": 1})
    assert env.digest() == before
