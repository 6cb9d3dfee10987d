"""What is particular to Toothead. The worked positions are data; the battery plays every game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.games.invariants_toothead import check
from tests.games.tooth import asked, begin, facts, fight, follow, toothead
from tests.support import random_game
from tooth_envs.engine import loops
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.events import events_since
from tooth_envs.engine.state import TERMINATED, TRUNCATED, record
from tooth_envs.games.toothead.game import Toothead
from tooth_envs.games.toothead.state import EventKind

seats_counts = pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7, 8])


# The frame


def test_action_table() -> None:
    """Section 5.3: 107 actions, in this order; section 5.2: 22 decisions."""
    words = ["PASS", "YES", "KEEP", "DRAW", "ISLAND", "BONUS_DIE"]
    words += ["EXCHANGE", "BRIBE", "WEAPON", "KNACK", "EAT_MEAT", "EAT_SLICE"]
    names = [*words, *(f"LANE {n}" for n in (1, 2, 3)), *(f"FDRAW {n}" for n in (1, 2, 3))]
    names += [*(f"DIE {n}" for n in range(4)), *(f"ATTACK+{n}" for n in range(1, 8)), *(f"SEAT+{n}" for n in range(8))]
    names += [f"DOCK {card.id}" for card in toothead().cards.docks]
    names += [f"CARD {card.id}" for card in toothead().cards.bonfire]
    assert list(Toothead.actions) == names
    assert len(names) == 107
    assert [names.index(name) for name in ("ATTACK+1", "SEAT+0", "DOCK fang", "CARD mushrooms")] == [22, 29, 37, 45]
    assert [names.index(name) for name in ("CARD jab", "CARD pan", "CARD canned_food")] == [69, 83, 95]
    assert len(Toothead.decisions) == 22


def test_deck_totals() -> None:
    """R3, section 4.9."""
    cards = toothead().cards
    totals: dict[str, int] = {}
    for card in (*cards.bonfire, *cards.islands, *cards.docks):
        totals[card.type] = totals.get(card.type, 0) + card.count
    assert totals == {
        "mini": 32,
        "mega": 16,
        "hit": 48,
        "weapon": 24,
        "special": 21,
        "event": 14,
        "permanent": 10,
        "dock": 8,
    }
    assert (len(cards.bonfire), len(cards.islands), len(cards.docks)) == (62, 16, 8)
    assert all(card.provenance in ("rulebook", "reconstruction") for card in (*cards.bonfire, *cards.islands))


def test_sizes() -> None:
    """A state stays below 8 KiB; one layout for every number of seats."""
    assert Toothead.state_dtype.itemsize < 8192
    assert len({toothead(num_players=players).layout.digest for players in range(2, 9)}) == 1
    assert toothead().layout.size == 1863


@seats_counts
def test_setup(players: int) -> None:
    """R6, R7, R9, J56: everybody begins equally often; five cards; docks that differ."""
    table = toothead(num_players=players, dock_mode="random")
    firsts, docks = np.zeros(8, int), np.zeros(8, int)
    for seed in range(400):
        states = table.deal(seed)
        state = record(states)
        firsts[state.initiative] += 1
        assert sorted(state.dock[:players]) == sorted(set(state.dock[:players].tolist()))
        docks[state.dock[:players]] += 1
        assert asked(table, states)[1] == state.initiative
        drawn = [1 if state.dock[state.initiative] == 5 and seat == state.initiative else 0 for seat in range(players)]
        assert [int(size) for size in state.pocket_size[:players]] == [5 + extra for extra in drawn]  # squirrel: J48
    assert np.all(abs(firsts[:players] - 400 / players) < 5 * np.sqrt(400 / players))
    assert np.all(abs(docks - 400 * players / 8) < 5 * np.sqrt(400))


def test_given_docks() -> None:
    table = toothead(num_players=3, dock_mode=["magpie", "fang", "leech"])
    assert [facts(table, table.deal(1), f"seats.{seat}.dock") for seat in range(3)] == ["magpie", "fang", "leech"]


# Statistics


SPECIFIED = {2: (90, 3.0, 183), 3: (170, 3.9, 320), 4: (250, 4.5, 358), 6: (400, 5.2, 560), 8: (550, 5.6, 746)}
"""Section 1: decisions and rounds of random play, and the longest seen (3 and 6 seats: measured)."""


@pytest.mark.skipif(not JIT, reason="many games")
@pytest.mark.parametrize("players", SPECIFIED)
def test_random_play(players: int) -> None:
    """Length, rounds and eliminations of random play; no seat and no dock is out of the ordinary."""
    table = toothead(num_players=players, dock_mode="random")
    states, mask = table.new_states(), table.new_mask()
    length, rank, cut = np.zeros(1, int), np.zeros((1, 8), int), np.zeros(1, bool)
    lengths, rounds, wins = [], [], np.zeros(players)
    dock_wins, dock_games = np.zeros(8), np.zeros(8)
    games = 400
    for number in range(games):
        loops.random_games(table.tables, table.blank, states, 11, number, 1, mask, length, rank, cut)
        state = record(states)
        lengths.append(int(length[0]))
        rounds.append(int(state.round_number))
        winner = int(np.flatnonzero(rank[0] == 1)[0])
        wins[winner] += 1
        dock_wins[state.dock[winner]] += 1
        dock_games[state.dock[:players]] += 1
        assert state.alive[:players].sum() == 1
        assert not cut[0]
        assert state.round_number <= (4 * players + 7 + 4) / 2, "why it always ends (section 7)"
    decisions, mean_rounds, longest = SPECIFIED[players]
    # Four standard errors, and what "about" leaves open in the figures: a hundredth, and a tenth of a round.
    assert abs(np.mean(lengths) - decisions) < 4 * np.std(lengths) / np.sqrt(games) + 0.01 * decisions
    assert abs(np.mean(rounds) - mean_rounds) < 4 * np.std(rounds) / np.sqrt(games) + 0.1
    assert max(lengths) < 1.15 * longest
    assert np.all(abs(wins / games - 1 / players) < 5 * np.sqrt(1 / players / games))
    share = dock_wins / dock_games * players
    assert share.min() > 0.3
    assert share.max() < 2.2


# Turns and phases


@pytest.mark.parametrize("options", [{"num_players": 3}, {"num_players": 6, "dock_mode": "random"}])
def test_turn_order(options: dict[str, Any]) -> None:
    """I12, J5: in every phase each seat alive at its place has one turn, clockwise from the holder at its beginning."""
    table = toothead(**options)
    players = table.num_players
    for seed in range(6):
        holder, order, phases, written = -1, [], [], 0
        alive = [True] * players
        for moment in random_game(table, seed, trace=True):
            state = record(moment.states)
            for event in events_since(state, written):
                if event.kind == EventKind.INITIATIVE:
                    holder = event.seat
                elif event.kind == EventKind.ELIMINATED:
                    alive[event.seat] = False
                elif event.kind == EventKind.PHASE_BEGAN:
                    phases.append((event.second, event.first))
                    order = [(holder + place) % players for place in range(players)]
                elif event.kind == EventKind.TURN_BEGAN:
                    while order and order[0] != event.seat:
                        assert not alive[order.pop(0)], "a living seat was passed over"
                    assert order, "a seat has a second turn, or one out of order"
                    order.pop(0)
            written = int(state.event_count)
        assert phases[:5] == [(1, 0), (1, 1), (1, 2), (1, 3), (2, 0)], "R14"
        assert phases == sorted(phases)


def test_initiative_passes_when_its_holder_dies_in_a_fight() -> None:
    """R26, J5: the token moves at once; the phase goes on in its old order, the next one begins with the new holder."""
    table = toothead(num_players=4)
    seats: list[dict[str, Any]] = [{}, {"slices": 1}, {}, {}]
    states = begin(table, seats, turn_phase="HUNGER", initiative=1, first=3, active=0, dice=[6, 1], bonfire=["jab"])
    follow(table, states, "ATTACK+1", "PASS", "PASS")
    assert facts(table, states, "initiative", "seats.1.alive") == [2, False]
    follow(table, states, "PASS")
    assert asked(table, states) == ("TURN", 2), "seat 1 is dead, seat 2 had its place after it"
    follow(table, states, "PASS")
    assert facts(table, states, "turn_phase") == "DIGESTION"
    assert facts(table, states, "round") == 2
    assert asked(table, states) == ("TURN", 3), "eating: seat 2 has held the token, it passes on to seat 3"


def test_a_token_that_is_grabbed_by_a_seat_that_dies_next() -> None:
    """R26: seat 0 takes the token and is bitten to death by its own taunt; the token goes to its left."""
    table = toothead(num_players=3)
    states = begin(
        table,
        [{"slices": 1, "pocket": ["power_grab", "taunt"]}, {}, {}],
        initiative=2,
        active=0,
        dice=[6, 1],
    )
    follow(table, states, "CARD power_grab", "CARD taunt", "SEAT+1", "PASS", "PASS")
    assert facts(table, states, "initiative", "seats.0.alive", "over") == [1, False, "running"]
    assert asked(table, states) == ("TURN", 1)


# Death in the middle of an effect


def test_the_active_seat_dies_of_its_own_island_card() -> None:
    """J35: an excursion reveals a volcano that kills the player; the card is cleared away and its turn is over."""
    table = toothead(num_players=3)
    seats = [{"slices": 1, "pocket": ["excursion", "jab"], "dock": "fang"}, {}, {}]
    states = begin(table, seats, island_deck=["volcano"], dice=[1, 5, 5])
    follow(table, states, "CARD excursion")
    assert facts(table, states, "seats.0.alive", "bin", "interrupted") == [False, ["excursion", "jab"], []]
    assert asked(table, states) == ("TURN", 1)


def test_a_game_that_ends_inside_an_effect_drops_the_rest() -> None:
    """J55: the volcano kills the last opponent; the excursion that revealed it goes to the bin."""
    table = toothead(num_players=2)
    states = begin(
        table, [{"pocket": ["excursion"]}, {"slices": 1, "pocket": ["jab"]}], island_deck=["volcano"], dice=[3, 2]
    )
    follow(table, states, "CARD excursion")
    assert facts(table, states, "over", "bin", "rank") == ["terminated", ["excursion", "jab"], [1, 2]]


def test_a_fight_inside_a_trick_ends_the_game() -> None:
    """J20, J31, J55: set_on makes one seat kill the other member of its own team; the survivors win."""
    table = toothead(num_players=3, teams=[0, 1, 0])
    seats = [{"pocket": ["set_on"]}, {"slices": 1, "pocket": ["kick"]}, {"weapon": "axe"}]
    states = begin(table, seats, dice=[9, 6, 1])
    follow(table, states, "CARD set_on", "SEAT+2", "CARD kick", "LANE 1")
    assert facts(table, states, "over", "rank", "reward") == ["terminated", [1, 3, 1], [0.5, -1.0, 0.5]]
    assert facts(table, states, "bin") == ["set_on", "kick"]


def test_the_loser_dies_only_after_the_effects_of_the_fight() -> None:
    """J31 (4) before (6): a cactus still strikes back for its dead owner."""
    table = toothead(num_players=3)
    seats = [{"pocket": ["rust", "snoop"]}, {"slices": 1, "weapon": "cactus"}, {}]
    states = fight(table, seats, dice=[6, 1, 1], draws=["rust", "snoop"])
    assert facts(table, states, "seats.1.alive", "seats.0.pocket", "bin") == [False, [], ["snoop", "rust", "cactus"]]


def test_starvation_in_order() -> None:
    """R22, R23: two starve one after the other, counted in that order; the third has won before it eats."""
    table = toothead(num_players=4, reward="rank")
    seats = [{"slices": 1}, {"slices": 1}, {"slices": 1}, {"slices": 1}]
    states = begin(table, seats, at="EATING_WINDOW", initiative=2)
    assert facts(table, states, "rank") == [3, 2, 1, 4]
    assert facts(table, states, "reward") == pytest.approx([-1 / 3, 1 / 3, 1, -1])


def test_blocks_do_not_cancel_each_other() -> None:
    """J27: a block is always live; a hit opposite a block is not, wherever it comes first."""
    table = toothead(num_players=2)
    seats = [{"pocket": ["block", "kick", "chili"]}, {"pocket": ["block", "block"]}]
    states = fight(table, seats, dice=[1, 1])
    follow(table, states, "CARD block", "LANE 1", "CARD block", "LANE 1", "CARD kick", "LANE 2", "CARD block", "LANE 2")
    assert table.view(states, 0).pool.tolist() == [1 + 1, 1 + 1 + 1]


def test_a_hit_opposite_a_block_does_nothing_when_it_is_placed() -> None:
    """J27: a trip that comes after the block is cancelled, one that came before it is not undone."""
    table = toothead(num_players=2)
    seats = [{"pocket": ["block", "jab"]}, {"pocket": ["trip", "slap"]}]
    states = fight(table, seats, dice=[1, 1])
    follow(table, states, "CARD block", "LANE 1", "CARD trip", "LANE 1")
    assert facts(table, states, "fight.tokens.0.1", "fight.tokens.0.2") == ["active", "active"]
    states = fight(table, [seats[1], seats[0]], dice=[1, 1])
    follow(table, states, "CARD trip", "LANE 1")
    assert facts(table, states, "fight.tokens.1.0") == "neutralised"


# Ties and dice


def test_a_tie_of_all_is_rolled_again_by_those_tied_only() -> None:
    """J16: three tie, two of them tie again; modifiers of the first roll are forgotten."""
    table = toothead(num_players=4)
    states = begin(
        table,
        [{}, {}, {"pocket": ["hiccups"]}, {}],
        turn_phase="APPETITE",
        island_deck=["whale"],
        dice=[9, 9, 11, 3, 5, 2, 5, 1, 4],
    )
    follow(table, states, "ISLAND", "CARD hiccups", "SEAT+0")  # 9, 9, 11 - 2, 3; then 5, 2, 5; then 1 against 4
    assert [facts(table, states, f"seats.{seat}.meat") for seat in range(4)] == [0, 0, 1, 0]


def test_dice_below_zero_are_equal() -> None:
    """R54, J15: 1 - 2 and 2 - 4 both count as 0, so the two seats roll again."""
    table = toothead(num_players=3)
    seats = [{"meat": 1}, {"meat": 1, "pocket": ["hiccups"]}, {"meat": 1, "pocket": ["stink_bomb"]}]
    states = begin(table, seats, turn_phase="APPETITE", island_deck=["volcano"], dice=[1, 2, 6, 3, 5])
    follow(table, states, "ISLAND", "CARD hiccups", "SEAT+2", "CARD stink_bomb", "SEAT+2")
    assert [facts(table, states, f"seats.{seat}.meat") for seat in range(3)] == [0, 1, 1]


def test_the_dice_window_opens_again_for_everybody_after_a_special() -> None:
    """J15: also for the seat that played last, and only those are asked that hold something."""
    table = toothead(num_players=3)
    seats = [{"pocket": ["mushrooms", "chili"]}, {"pocket": ["hiccups", "lucky_bone"]}, {"pocket": ["stink_bomb"]}]
    states = begin(table, seats, dice=[6, 5])
    follow(table, states, "CARD mushrooms")
    trail = []
    for name in ("CARD hiccups", "PASS", "CARD lucky_bone", "PASS"):
        trail.append(asked(table, states))
        follow(table, states, name)
    assert trail == [("DIEWIN", 1), ("DIEWIN", 2), ("DIEWIN", 1), ("DIEWIN", 2)]
    assert facts(table, states, "seats.0.meat") == 1, "6, rolled again: 5, less 2"


def test_a_duel_of_zero_has_no_effect() -> None:
    """R55, J17."""
    table = toothead(num_players=2)
    seats = [{"pocket": ["big_bite"]}, {"slices": 1, "pocket": ["food_poisoning"]}]
    states = begin(table, seats, dice=[5, 1])
    follow(table, states, "CARD big_bite", "CARD food_poisoning", "SEAT+1")
    assert facts(table, states, "seats.1.alive", "seats.0.meat") == [True, 0]


def test_setup_ties_in_teams() -> None:
    """J3: every group of equal rolls is settled within itself, the higher group first."""
    table = toothead(num_players=5, teams=[0, 1, 0, 1, 1])
    # 9: seats 1, 3, 4 roll 2, 2, 7; seats 1, 3 roll 1, 1, then 3, 6. 4: seats 0, 2 roll 6, 8.
    script = table.reset_script({"dice": [4, 9, 4, 9, 9, 2, 2, 7, 1, 1, 3, 6, 6, 8]})
    states = table.deal(3, script=script)
    assert facts(table, states, "dock_order") == [4, 3, 1, 2, 0]


# Reading and choosing cards


def known(table: Toothead, states: np.ndarray, seat: int, other: int) -> list[str]:
    return facts(table, states, f"seats.{seat}.known.{other}")  # type: ignore[no-any-return]


def test_who_knows_of_stolen_cards() -> None:
    """Section 6: thief and victim see a stolen card; third parties lose what they knew of the victim."""
    table = toothead(num_players=3)
    seats = [{"pocket": ["pickpocket"]}, {"pocket": ["kick", "axe", "rust"]}, {"known": [[], ["kick", "axe"], []]}]
    states = begin(table, seats, draws=["axe", "rust"], bonfire=["jab"])
    follow(table, states, "CARD pickpocket")
    assert known(table, states, 1, 0) == ["rust", "axe"]
    assert known(table, states, 0, 1) == []
    assert known(table, states, 2, 1) == []
    assert known(table, states, 2, 0) == []


def test_who_knows_of_a_pocket_that_was_looked_into() -> None:
    table = toothead(num_players=3)
    seats = [{"pocket": ["snoop", "jab"]}, {"pocket": ["kick", "axe", "rust"]}, {"known": [[], ["kick"], []]}]
    states = begin(table, seats, bonfire=["slap"])
    follow(table, states, "CARD snoop")
    assert known(table, states, 0, 1) == ["rust", "kick", "axe"]
    follow(table, states, "CARD axe")
    assert known(table, states, 0, 1) == ["rust", "kick"]
    assert known(table, states, 1, 0) == ["axe"]
    assert known(table, states, 2, 1) == []


def test_what_is_taken_from_the_bin_and_discarded_face_up_is_known_to_all() -> None:
    table = toothead(num_players=3)
    seats = [{"pocket": ["dumpster_dive", "jab"], "known": [[], [], []]}, {}, {"known": [["jab"], [], []]}]
    states = begin(table, seats, bin=["kick", "axe"], bonfire=["slap"])
    follow(table, states, "CARD dumpster_dive", "CARD axe")
    assert known(table, states, 1, 0) == ["axe"]
    assert known(table, states, 2, 0) == ["jab", "axe"]
    follow(table, states, "EXCHANGE", "CARD jab")
    assert known(table, states, 2, 0) == known(table, states, 1, 0) == []


def test_who_knows_after_pockets_were_swapped() -> None:
    table = toothead(num_players=3)
    seats = [{"pocket": ["pocket_swap", "jab"]}, {"pocket": ["kick", "axe"]}, {"known": [["jab"], ["axe"], []]}]
    states = begin(table, seats, bonfire=["slap"])
    follow(table, states, "CARD pocket_swap", "SEAT+1")
    assert known(table, states, 0, 1) == ["jab"]
    assert known(table, states, 1, 0) == ["kick", "axe"]
    assert known(table, states, 2, 0) == ["axe"]
    assert known(table, states, 2, 1) == ["jab"]


def test_who_knows_of_passed_cards() -> None:
    """J54: a seat knows what it gave; nobody else is sure of a giver's pocket any more."""
    table = toothead(num_players=3)
    seats: list[dict[str, Any]] = [
        {"pocket": ["kick", "jab"], "known": [[], ["axe"], []]},
        {"pocket": ["axe", "rust"], "known": [["jab"], [], []]},
        {"pocket": [], "known": [["jab"], ["axe"], []]},
    ]
    states = begin(table, seats, turn_phase="APPETITE", island_deck=["monkeys"], bonfire=["slap"])
    follow(table, states, "ISLAND", "CARD kick", "CARD axe")
    assert facts(table, states, "seats.1.pocket") == ["rust", "kick"]
    assert known(table, states, 0, 1) == ["kick"]
    assert known(table, states, 1, 0) == ["jab"], "it saw what came out of that pocket"
    assert known(table, states, 2, 0) == []
    assert known(table, states, 1, 2) == ["axe"]
    assert known(table, states, 2, 1) == []


def test_a_drawn_card_that_is_played_does_not_unsettle_what_is_known() -> None:
    """A second axe, drawn and played at once, leaves the one known to be in the pocket."""
    table = toothead(num_players=2)
    states = begin(table, [{"pocket": ["axe"]}, {"known": [["axe"], []]}], bonfire=["axe"])
    follow(table, states, "DRAW", "YES")
    assert known(table, states, 1, 0) == ["axe"]
    assert facts(table, states, "seats.0.weapon") == "axe"


# The end


def test_the_ring_of_events_holds_every_step() -> None:
    """Nothing that happened in one step is lost."""
    table = toothead(num_players=8, dock_mode="random")
    capacity, most = len(record(table.blank).events), 0
    for seed in range(3):
        written = 0
        for moment in random_game(table, seed, trace=True):
            count = int(record(moment.states).event_count)
            most = max(most, count - written)
            written = count
    assert 20 < most < 0.7 * capacity


def test_the_step_cap_ranks_like_the_round_limit() -> None:
    """J40: a game that is cut off is ranked and paid."""
    table = toothead(num_players=3, max_steps=40)
    mask = table.new_mask()
    states = table.deal(4, mask)
    total = np.zeros(8)
    while record(states).over == 0:
        table.step(states, int(np.flatnonzero(mask)[-1]), mask)
        total += record(states).reward
    state = record(states)
    assert state.over == TRUNCATED
    assert state.steps == 40
    keys = [(int(state.slices[n] + state.meat[n]), int(state.slices[n]), int(state.pocket_size[n])) for n in range(3)]
    for seat in range(3):
        assert state.rank[seat] == 1 + sum(key > keys[seat] for key in keys)
    assert abs(total.sum()) < 1e-9


def test_the_round_limit() -> None:
    """J39: after max_rounds the game is over by its rules."""
    table = toothead(num_players=4, max_rounds=1)
    for seed in range(5):
        *_, last = random_game(table, seed)
        assert record(last.states).over == TERMINATED
        assert record(last.states).round_number == 1


@pytest.mark.parametrize("options", [{"num_players": 3}, {"num_players": 5, "teams": (0, 1, 0, 1, 1)}])
def test_shaping_adds_up_to_nothing(options: dict[str, Any]) -> None:
    """Section 7: potentials begin and end at 0, so that returns are those without shaping."""
    plain, shaped = toothead(**options), toothead(**options, shaping=0.3)
    for seed in range(4):
        returns = []
        steps = []
        for table in (plain, shaped):
            rewards = [record(moment.states).reward.copy() for moment in random_game(table, seed)]
            returns.append(np.sum(rewards, axis=0))
            steps.append(np.count_nonzero([np.abs(reward).sum() > 1e-9 for reward in rewards]))
        assert returns[0] == pytest.approx(returns[1], abs=1e-9)
        assert steps[1] > steps[0]


def test_extra_moves_end_with_the_turn() -> None:
    """J38: the counts of one turn are not those of the next."""
    table = toothead(num_players=2)
    states = begin(table, [{"pocket": ["sugar_rush"]}, {"pocket": ["sugar_rush"]}], bonfire=["jab"])
    follow(table, states, "CARD sugar_rush")
    assert facts(table, states, "extra", "actions") == [[2, 0, 0], 3]
    follow(table, states, "PASS")
    assert facts(table, states, "extra", "actions", "active") == [[0, 0, 0], 2, 1]
    check(table, states, dealt=False)
