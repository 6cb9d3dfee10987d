"""What is particular to Dragon Teeth Washer. The worked positions are data; the battery plays every game."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.enumerate_game import Counts, best_response, count, nash_conv, solve, tree
from tests.games.invariants_dragon_teeth_washer import check
from tests.games.washer import follow, play_on, resolved, washer
from tests.support import random_game
from tooth_envs.engine import loops
from tooth_envs.engine.state import TERMINATED, TRUNCATED, record
from tooth_envs.games.dragon_teeth_washer.game import DragonTeethWasher

SETS = {2: range(4, 12), 3: range(7, 15), 4: range(10, 18), 5: range(13, 21)}
seats = pytest.mark.parametrize("players", [3, 4, 5])


# The frame


def test_action_table() -> None:
    """Section 5: 19 actions, the same for every configuration."""
    names = [f"BRUSH_{value}" for value in range(1, 9)]
    names += ["CLAIM_SILENT", "CLAIM_LOW", "CLAIM_HIGH", *(f"CLAIM_RANK_{rank}" for rank in range(8))]
    assert list(DragonTeethWasher.actions) == names
    assert DragonTeethWasher.decisions == ("CLAIM", "LEAD", "FOLLOW")


def test_sizes() -> None:
    """Section 6: 258 numbers, 528 more with the history; small states; one layout for every number of seats."""
    assert DragonTeethWasher.state_dtype.itemsize < 512
    assert washer().layout.size == 258
    assert washer(history=True).layout.size == 258 + 528
    assert len({washer(num_players=players).layout.digest for players in (2, 3, 4, 5)}) == 1


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_setup(players: int) -> None:
    """P21 and J1: the set of the player count, full hands, and every first investigator and dragon equally often."""
    table = washer(num_players=players)
    assert table.cards.dragons == tuple(SETS[players])
    assert table.cards.hands == ((1, 2, 3, 4, 5, 6, 7, 8),) * players
    firsts, dragons = np.zeros(5, int), np.zeros(8, int)
    for seed in range(1600):
        states = table.deal(seed)
        state = record(states)
        firsts[state.investigator] += 1
        dragons[state.seen[0]] += 1
        if seed < 20:
            check(table, states)
            assert sorted([*table.to_dict(states)["pile"], table.to_dict(states)["dragon"]]) == list(SETS[players])
    assert np.all(abs(firsts[:players] - 1600 / players) < 5 * np.sqrt(1600 / players))
    assert not firsts[players:].any()
    assert np.all(abs(dragons - 200) < 5 * np.sqrt(200))


LENGTHS = {
    (True, True): (28, 35, 42),
    (True, False): (32, 40, 48),
    (False, True): (21, 28, 35),
    (False, False): (24, 32, 40),
}


@seats
@pytest.mark.parametrize(("talk", "skip"), LENGTHS)
def test_length_of_whole_games(players: int, talk: bool, skip: bool) -> None:
    """P35: the twelve numbers of section 7."""
    for claims in ("binary", "numeric") if talk else ("none",):
        table = washer(num_players=players, claims=claims, skip_forced=skip)
        for seed in range(5):
            *_, last = random_game(table, seed)
            assert record(last.states).steps == LENGTHS[talk, skip][players - 3]
            assert record(last.states).over == TERMINATED


@pytest.mark.parametrize(
    ("players", "mean", "success", "bitten", "idle", "shared"),
    [(3, 2.7, 0.68, 0.29, 0.03, 0.12), (4, 4.4, 0.69, 0.27, 0.04, 0.13), (5, 5.6, 0.70, 0.25, 0.05, 0.15)],
)
def test_random_play(players: int, mean: float, success: float, bitten: float, idle: float, shared: float) -> None:
    """Section 7: what 3,000 random games look like."""
    table = washer(num_players=players)
    states, mask = table.new_states(), table.new_mask()
    lengths, ranks, cut = np.zeros(1, int), np.zeros((1, 5), int), np.zeros(1, bool)
    scores, fates, ties = 0, np.zeros(3), 0
    for number in range(3000):
        loops.random_games(table.tables, table.blank, states, 3, number, 1, mask, lengths, ranks, cut)
        row = states.view(np.ndarray)[0]
        scores += int(row["score"].sum())
        fates += [sum(int(hand).bit_count() for hand in row[pile]) for pile in ("plus", "minus", "zero")]
        ties += int((ranks[0] == 1).sum() > 1)
    assert abs(scores / 3000 / players - mean) < 0.3
    assert np.abs(fates / fates.sum() - [success, bitten, idle]).max() < 0.02
    assert abs(ties / 3000 - shared) < 0.03


# Counting


def counted(cards: tuple[int, ...], limit: int) -> list[int]:
    """The procedure of section 2."""
    total, closed, points = 0, False, {}
    for value in sorted(set(cards)):
        if closed:
            points[value] = 0
            continue
        total += value * cards.count(value)
        closed = total > limit
        points[value] = -value if closed else value
    return [points[card] for card in cards]


def test_every_round_of_three_seats() -> None:
    """R12-R18, I5-I8: all cards under small and large dragons, and the direction in which a dragon's value works."""
    dragons = (2, 5, 7, 9, 12, 15, 18, 24)
    table = washer(num_players=3, dragons=dragons, rounds=1)
    for cards in itertools.combinations_with_replacement(range(1, 9), 3):
        before = None
        for limit in dragons:
            points = resolved(table, cards, limit)
            assert points == counted(cards, limit)
            fates = [1 if point < 0 else 2 * (point > 0) for point in points]  # not counted, bitten, success
            assert before is None or all(new >= old for new, old in zip(fates, before, strict=True)), "I8"
            before = fates


@pytest.mark.parametrize("players", [2, 4, 5])
def test_random_rounds(players: int) -> None:
    """R12-R18 with groups of all sizes; seats are alike (I8)."""
    table = washer(num_players=players, dragons=(3, 6, 9, 11, 14, 17, 20, 40))
    rng = np.random.default_rng(players)
    for _ in range(300):
        cards = tuple(int(card) for card in rng.integers(1, 9, players))
        limit = int(rng.choice(table.cards.dragons))
        points = resolved(table, cards, limit)
        assert points == counted(cards, limit)
        order = rng.permutation(players)
        assert resolved(table, tuple(cards[seat] for seat in order), limit) == [points[seat] for seat in order]


# Talk


@seats
def test_statements_change_nothing(players: int) -> None:
    """I14: the same cards with other statements give the same dragons, turns, masks and scores."""
    table = washer(num_players=players, claims="numeric", skip_forced=False)
    for seed in range(10):
        games = [table.deal(seed), table.deal(seed)]
        masks = [table.legal_mask(states) for states in games]
        rng = np.random.default_rng(seed)
        while record(games[0]).over == 0:
            asked = [(int(record(states).seat), int(record(states).decision)) for states in games]
            assert asked[0] == asked[1]
            if asked[0][1] == 0:
                actions = [int(rng.choice(np.flatnonzero(mask))) for mask in masks]
            else:
                assert np.array_equal(*masks)
                actions = [int(rng.choice(np.flatnonzero(masks[0])))] * 2
            for states, action, mask in zip(games, actions, masks, strict=True):
                table.step(states, action, mask)
        for name in ("seen", "card", "score", "plus", "minus", "zero", "rank", "reward", "pile"):
            assert np.array_equal(games[0][name], games[1][name]), name
        assert not np.array_equal(games[0]["claim"], games[1]["claim"])


@pytest.mark.parametrize("hands", [(1, 2, 3, 4, 5, 6, 7, 8), (2, 3, 7)])
def test_copying_ties(hands: tuple[int, ...]) -> None:
    """I15: two seats with equal hands; whoever copies the lead loses nothing."""
    table = washer(num_players=2, hands=hands)
    rng = np.random.default_rng(2)
    for seed in range(50):
        states = table.deal(seed)
        while record(states).over == 0:
            state = record(states)
            if table.decisions[state.decision] == "FOLLOW":
                action = int(state.card[state.round_number, state.investigator])
            else:
                action = int(rng.choice(np.flatnonzero(table.legal_mask(states))))
            table.step(states, action)
            assert state.score[0] == state.score[1] or table.decisions[state.decision] == "FOLLOW"
        assert record(states).rank[:2].tolist() == [1, 1]


# Sub-games, exactly

PRESETS = {  # number of seats, hands, dragons, rounds, claims, allow_silence (None: does not matter)
    "tiny_duel": (2, (1, 2), (2, 3), 1, "none", None),
    "small_duel": (2, (1, 2, 3), (3, 4, 5), 2, "none", None),
    "small_duel_talk": (2, (1, 2, 3), (3, 4, 5), 2, "binary", False),
    "odd_even": (2, ((1, 3, 5), (2, 4, 6)), (4, 5, 6, 7), 2, "none", None),
    "odd_even_talk": (2, ((1, 3, 5), (2, 4, 6)), (4, 5, 6, 7), 2, "binary", False),
    "duel_four": (2, (1, 2, 3, 4), (3, 4, 5, 6), 4, "binary", False),
    "trio": (3, (1, 2, 3), (4, 5, 6), 2, "none", None),
    "trio_talk": (3, (1, 2, 3), (4, 5, 6), 3, "binary", True),
    "trio_numeric": (3, (1, 2, 3), (4, 5, 6, 8), 2, "numeric", True),
    "trio_four": (3, (1, 2, 3, 4), (5, 6, 7, 8), 2, "binary", True),
    "quartet": (4, (1, 2), (4, 5, 6), 2, "none", None),
}


def test_presets() -> None:
    """The table of section 11."""
    assert set(DragonTeethWasher.presets) == set(PRESETS)
    for name, (players, hands, dragons, rounds, claims, silence) in PRESETS.items():
        table = washer(preset=name)
        assert table.num_players == players, name
        assert table.cards.hands == (hands if isinstance(hands[0], tuple) else (hands,) * players), name
        assert table.cards.dragons == dragons, name
        assert table.cards.rounds == rounds, name
        assert table.options.claims == claims, name
        assert silence is None or table.options.allow_silence is silence, name
        assert table.options.first_investigator == 0, name
        assert table.options.skip_forced, name


PRESET_COUNTS = {
    "tiny_duel": Counts(8, 6, (2, 2)),
    "small_duel": Counts(216, 174, (57, 57)),
    "small_duel_talk": Counts(864, 783, (225, 330)),
    "odd_even": Counts(432, 340, (76, 111)),
    "odd_even_talk": Counts(1728, 1548, (300, 654)),
    "trio": Counts(1296, 1173, (165, 165, 165)),
    "trio_talk": Counts(11664, 10812, (1470, 1953, 1467)),
    "quartet": Counts(96, 45, (3, 2, 2, 2)),
    "duel_four": Counts(110592, 100268, (42252, 28808)),
}
NASH_CONV = {
    "tiny_duel": ("1/2", "1/2", "3/16"),
    "small_duel": ("7/6", "7/6", "41/180"),
    "small_duel_talk": ("7/6", "7/6", "41/180"),
    "odd_even": ("35/24", "35/24", "11/32"),
    "odd_even_talk": ("35/24", "35/24", "11/32"),
    "trio": ("23/16", "161/144", "401/810"),
    "trio_talk": ("91/108", "22/27", "65/216"),
    "quartet": ("13/24", "11/24", "13/48"),
}


def histories(table: DragonTeethWasher) -> int:
    """The formula of section 11."""
    dragons, hand = len(table.cards.dragons), table.cards.hand_size
    silence = int(table.options.allow_silence)
    total = 1
    for now in range(table.cards.rounds):
        said = {"none": 1, "binary": 2 + silence, "numeric": dragons - now + silence}[table.options.claims]
        if table.options.skip_forced and hand - now == 1:
            said = 1
        total *= (dragons - now) * said * (hand - now) ** table.num_players
    return total


@pytest.mark.parametrize("reward", ["rank", "winner", "score"])
@pytest.mark.parametrize("preset", NASH_CONV)
def test_enumeration(preset: str, reward: str) -> None:
    """P46: sizes, and what best responses gain against uniform play, as exact fractions."""
    table = washer(preset=preset, reward=reward, history=True)
    root = tree(table)
    counts = count(root, table.num_players)
    assert counts == PRESET_COUNTS[preset]
    assert counts.histories == histories(table)
    assert str(nash_conv(root, table.num_players)) == NASH_CONV[preset][("rank", "winner", "score").index(reward)]


@pytest.mark.slow
def test_enumeration_of_duel_four() -> None:
    """P46."""
    table = washer(preset="duel_four", history=True)
    counts = count(tree(table), 2)
    assert counts == PRESET_COUNTS["duel_four"]
    assert counts.histories == histories(table)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["trio_numeric", "trio_four"])
def test_enumeration_of_the_larger_trios(preset: str) -> None:
    """P46: for these the specification gives the formula only."""
    table = washer(preset=preset, history=True)
    assert count(tree(table), 3).histories == histories(table)


def test_enumeration_with_a_random_first_investigator() -> None:
    """Section 11: n times as many histories."""
    table = washer(preset="quartet", first_investigator="random", history=True)
    assert count(tree(table), 4).histories == 4 * 96


@pytest.mark.parametrize(
    ("preset", "reward", "expected"),
    [
        ("small_duel", "rank", 0.0),
        ("small_duel_talk", "rank", 0.0),
        ("odd_even", "rank", -0.055556),
        ("odd_even_talk", "rank", -0.055556),
        ("odd_even", "score", 0.042222),
        ("odd_even_talk", "score", 0.042222),
    ],
)
def test_values_of_two_seat_games(preset: str, reward: str, expected: float) -> None:
    """I16: talk does not change the value. Best responses to a nearly optimal policy enclose it."""
    root = tree(washer(preset=preset, reward=reward, history=True))
    policy = solve(root, 100)
    low, high = -best_response(root, 1, policy), best_response(root, 0, policy)
    assert low - 1e-6 <= expected <= high + 1e-6
    assert high - low < 0.002


# Rewards


@seats
@pytest.mark.parametrize("reward", ["rank", "winner", "score"])
def test_shaping_adds_up(players: int, reward: str) -> None:
    """Section 7: over a game, shaping sums to its factor times the 'score' reward."""
    plain = washer(num_players=players, reward=reward)
    shaped = washer(num_players=players, reward=reward, shaping=0.75)
    by_score = washer(num_players=players, reward="score")
    for seed in range(10):
        totals = [
            sum(record(moment.states).reward.copy() for moment in random_game(table, seed))
            for table in (plain, shaped, by_score)
        ]
        assert totals[1] == pytest.approx(totals[0] + 0.75 * totals[2], abs=1e-12)
        low, high = shaped.reward_bounds()
        assert low <= totals[1].min() <= totals[1].max() <= high


def test_nothing_is_paid_at_the_cap() -> None:
    """Section 7: it cannot be reached by play, so a position is put there; what was face down stays so."""
    table = washer(num_players=4, shaping=1.0)
    position = {"at": "FOLLOW", "dragon": 12, "claim": "LOW", "cards": [5, 3, None, None], "steps": 63}
    worlds = [table.from_dict({**position, "cards": [5, card, None, None]}) for card in (3, 8)]
    for states in worlds:
        follow(table, states, "BRUSH_1")
        assert record(states).over == TRUNCATED
        assert not record(states).reward.any()
        assert record(states).rank[:4].tolist() == [1, 1, 1, 1]
    for seat in (0, 2, 3):
        assert table.observe(worlds[0], seat).tobytes() == table.observe(worlds[1], seat).tobytes()
    last = table.from_dict({"at": "RESOLVE", "dragon": 12, "claim": "LOW", "cards": [5, 3, 1, 2], "steps": 64})
    assert record(last).over == TRUNCATED
    assert record(last).score[:4].tolist() == [5, 3, 1, 2]
    assert record(last).rank[:4].tolist() == [1, 2, 4, 3]
    assert not record(last).reward.any(), "not even for the round"


# Hidden worlds


def test_hidden_worlds_are_uniform() -> None:
    """Section 5 (f): dragon and face-down cards are redrawn with equal chances, and nothing else changes."""
    table = washer(num_players=4, first_investigator=0)
    history = [{"dragon": 10, "cards": [1, 1, 2, 8], "claim": "LOW"}]
    states = table.from_dict(
        {"at": "FOLLOW", "history": history, "dragon": 12, "claim": "HIGH", "cards": [None, 5, 6, 7]}
    )
    dragons, second, third = np.zeros(8, int), np.zeros(9, int), np.zeros(9, int)
    for seed in range(2100):
        world = table.resample(states, 0, seed)
        check(table, world)
        state = record(world)
        dragons[state.seen[1]] += 1
        second[state.card[1, 2] + 1] += 1
        third[state.card[1, 3] + 1] += 1
        assert state.card[1, 1] == 4, "the lead is open"
        assert table.view(world, 0).tobytes() == table.view(states, 0).tobytes()
    assert dragons[0] == 0, "turned up already"
    assert np.all(abs(dragons[1:] - 300) < 5 * np.sqrt(300))
    assert second[2] == 0, "played already"
    assert np.all(abs(second[[1, 3, 4, 5, 6, 7, 8]] - 300) < 5 * np.sqrt(300))
    assert third[8] == 0, "played already"
    assert np.all(abs(third[1:8] - 300) < 5 * np.sqrt(300))


def test_hidden_worlds_keep_what_a_seat_knows() -> None:
    """The investigator knows the dragon, a chooser its card; a world tells nothing of what happened."""
    table = washer(num_players=4, first_investigator=0)
    states = table.deal(8, trace=True)
    follow(table, states, "CLAIM_LOW BRUSH_5 BRUSH_3")
    dragon = int(record(states).seen[0])
    for seed in range(50):
        world = record(table.resample(states, 0, seed))
        assert world.seen[0] == dragon
        assert not world.events.any()
        assert record(table.resample(states, 1, seed)).card[0, 1] == 2
    later = {tuple(play_on(table, table.resample(states, 0, seed))) for seed in range(20)}
    assert len(later) > 10, "the dragons to come are open"
