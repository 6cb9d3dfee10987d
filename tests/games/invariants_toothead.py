"""What of invariants I1-I13 a single state can show, for any state of a game that was dealt and played.

Written from the specification alone: the rules' functions are not used. I12 and I14 compare several moments or
worlds and are tests of their own.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tooth_envs.engine.state import RUNNING, TERMINATED
from tooth_envs.games.toothead.game import Toothead

KINDS, SEATS, LANES = 62, 8, 3
ACTIVE, NEUTRALISED, FACE_DOWN, FACE_UP = range(4)
TRICK_PHASES = ("TRICK", "TRICK_WINDOW", "TRICK_EFFECT", "TRICK_END")
FIELDS = (
    *("over", "seat", "decision", "phase", "depth", "saved", "steps", "rank", "reward", "round_number", "turn_phase"),
    *("first", "place", "active", "initiative", "actions", "attacks", "islands", "can_exchange", "can_roll", "extra"),
    *("alive", "eliminated", "slices", "meat", "dock", "weapon", "mega_count", "mega", "pocket_size", "pocket"),
    *("bonfire_size", "bin_size", "bonfire", "bin", "food", "aside", "island_deck", "green", "island_aside"),
    *("permanent", "created", "eaten", "card", "held", "gift", "die_sides", "die_face", "die_change"),
    *("attacker", "defender", "fighting", "token", "token_card", "fight_face", "fight_sides", "fight_specials"),
    *("known", "pocket_plays", "bonus_dice", "side_change", "winner"),
)

PASS, YES, KEEP, DRAW, ISLAND, BONUS_DIE, EXCHANGE, BRIBE, WEAPON, KNACK, EAT_MEAT, EAT_SLICE = range(12)
LANE, FDRAW, DIE = range(12, 15), range(15, 18), range(18, 22)
ATTACK, SEAT, DOCK, CARD = range(22, 29), range(29, 37), range(37, 45), range(45, 107)
OPTIONS: dict[str, tuple[Any, ...]] = {
    "DOCK": (*DOCK,),
    "TURN": (PASS, DRAW, ISLAND, BONUS_DIE, EXCHANGE, *ATTACK, *CARD),
    "DRAWN": (KEEP, YES),
    "TARGET": (*SEAT,),
    "TARGET2": (*SEAT,),
    "TRICKWIN": (PASS, *CARD),
    "DIEWIN": (PASS, *CARD),
    "DIESEAT": (*SEAT,),
    "EXCH": (PASS, *CARD),
    "DISCARD": (*CARD,),
    "GIVE": (*CARD,),
    "PICK": (*CARD,),
    "ATTACKED": (YES, BRIBE, WEAPON, *CARD),
    "FUEL": (PASS, *CARD),
    "FTURN": (PASS, *FDRAW, *CARD),
    "LANE": (*LANE,),
    "FLIP": (KEEP, YES),
    "FWIN": (PASS, KNACK, WEAPON, *CARD),
    "FSIDE": (*SEAT,),
    "DIE": (*DIE,),
    "EATWIN": (PASS, *CARD),
    "EAT": (EAT_MEAT, EAT_SLICE, *CARD),
}
"""Section 5.2: what each decision may offer."""


def check(game: Toothead, states: np.ndarray, dealt: bool = True) -> None:
    """Raise AssertionError if an invariant does not hold. ``dealt``: the game began with a deal (I2 needs that)."""
    row = states.view(np.ndarray)[0]
    state = SimpleNamespace(**{name: row[name].tolist() for name in FIELDS})  # Python's numbers: quick, and never wrap
    players = game.num_players
    seats = range(players)
    _check_cards(game, state, players)
    if dealt:
        total = sum(state.slices[seat] + state.meat[seat] for seat in seats)
        assert total + state.eaten == 4 * players + state.created, "I2: slices and meat"
    for seat in range(SEATS):
        alive = state.alive[seat]
        dying = (
            state.winner >= 0 and seat == (state.defender, state.attacker)[state.winner]
        )  # J31: eliminated last of all
        assert alive == (seat < players and state.slices[seat] >= 1) or (alive and dying), (
            f"I4: seat {seat} lives without slices, or not"
        )
        assert 0 <= state.slices[seat] <= 4, "I4"
        assert state.meat[seat] >= 0, "I4"
        assert state.pocket_size[seat] == sum(state.pocket[seat]), f"pocket of seat {seat}"
        assert min(state.pocket[seat]) >= 0, "I1"
        if not alive:
            assert state.pocket_size[seat] == state.mega_count[seat] == state.meat[seat] == 0, (
                "I4: the dead own nothing"
            )
            assert state.weapon[seat] == -1, "I4"
        _check_knowledge(state, seat, players)
    docks = [state.dock[seat] for seat in seats if state.dock[seat] >= 0]
    assert len(set(docks)) == len(docks), "J56: a dock is given twice"
    _check_teams(game, state, players)
    _check_fight(game, state)
    _check_turn(game, state, players)
    _check_decision(game, state, np.flatnonzero(game.legal_mask(states)).tolist())
    assert abs(sum(state.reward)) <= 1e-9, f"I13: rewards {state.reward} do not sum to 0"
    if game.options.shaping == 0.0:
        assert all(abs(reward) <= 1 + 1e-9 for reward in state.reward), "I13: bounds"
    assert not any(state.reward[players:]), "I13: empty seats earn nothing"
    assert state.over != RUNNING or not any(state.rank), "ranks are known at the end"


def _check_cards(game: Toothead, state: SimpleNamespace, players: int) -> None:
    types = [card.type for card in game.cards.bonfire]
    counts = [0] * KINDS
    piles = (state.bonfire, state.bin, state.food, state.aside, state.fight_specials, *state.pocket)
    for pile in piles:
        for kind, number in enumerate(pile):
            counts[kind] += number
            assert number >= 0, "I1"
    singles: list[int] = []
    for seat in range(players):
        if state.weapon[seat] >= 0:
            singles.append(state.weapon[seat])
            assert types[state.weapon[seat]] == "weapon", "I6: weapons in weapon slots"
        megas = state.mega[seat][: state.mega_count[seat]]
        assert all(types[kind] == "mega" for kind in megas), "I6: mega-tricks on docks"
        singles += megas
    singles += [card for side in state.token_card for card in side if card >= 0]
    for phase, card in [(state.phase, state.card), *((row[0], row[5]) for row in state.saved[: state.depth])]:
        if game.phases[phase] in TRICK_PHASES:
            singles.append(card)
            assert types[card] in ("mini", "mega"), "only tricks are announced"
    for kind in singles:
        counts[kind] += 1
    expected = [card.count for card in game.cards.bonfire]
    assert counts == expected + [0] * (KINDS - len(expected)), "I1: cards are lost or doubled"
    assert state.bonfire_size == sum(state.bonfire), "size of the bonfire"
    assert state.bin_size == sum(state.bin), "size of the bin"
    for island, card in enumerate(game.cards.islands):
        places = (state.island_deck[island], state.green[island], state.island_aside[island])
        assert min(places) >= 0, "I3"
        assert sum(places) == card.count, f"I3: {card.id}"
    if state.permanent >= 0:
        assert game.cards.islands[state.permanent].type == "permanent", "I3"
        assert state.green[state.permanent] > 0, "I3: the permanent lies on the green space"


def _check_knowledge(state: SimpleNamespace, seat: int, players: int) -> None:
    """Section 6: what a seat can prove is true."""
    for other in range(SEATS):
        for kind in range(KINDS if any(state.known[seat][other]) else 0):
            known = state.known[seat][other][kind // 15] >> (4 * (kind % 15)) & 15
            if other == seat or other >= players or seat >= players:
                assert known == 0, f"seat {seat} knows of seat {other}"
            assert known <= state.pocket[other][kind], f"seat {seat} believes {kind} of seat {other}"


def _check_teams(game: Toothead, state: SimpleNamespace, players: int) -> None:
    teams = game.options.team_of_seats()
    living = {teams[seat] for seat in range(players) if state.alive[seat]}
    assert living, "I11: somebody lives"
    ended = len(living) == 1 or state.round_number >= game.options.max_rounds
    if state.over == TERMINATED:
        assert ended, "I11: the game is over too soon"
        if len(living) == 1:
            winners = {seat for seat in range(players) if state.rank[seat] == 1}
            assert {teams[seat] for seat in winners} == living, "R1, R2: who wins"
            assert len(winners) == sum(team in living for team in teams), "J57: all members win"
    elif state.over == RUNNING:
        assert len(living) > 1, "I11: the game goes on too long"
    if state.turn_phase != 3 or state.place or state.round_number > 1:
        assert state.alive[state.initiative], "I5: the holder lives"
    gone = sorted(state.eliminated[seat] for seat in range(players) if not state.alive[seat])
    assert gone == list(range(1, len(gone) + 1)), "one seat is eliminated at a time"
    assert not any(state.eliminated[seat] for seat in range(players) if state.alive[seat]), "the living"


def _check_fight(game: Toothead, state: SimpleNamespace) -> None:
    for seat in range(SEATS):
        assert 0 <= state.die_face[seat] <= state.die_sides[seat] <= 12, "I8: card dice"
    for face, sides in zip(state.fight_face, state.fight_sides, strict=True):
        assert 0 <= face <= sides <= 12, "I8: fight dice"
        assert (face > 0) == (sides > 0), "I8"
    if state.attacker >= 0:
        assert state.attacker != state.defender, "I7"
        assert state.alive[state.attacker], "I7"
        assert state.alive[state.defender], "I7"
    else:
        assert state.defender == -1, "I7"
    if not state.fighting:
        assert state.token == [[ACTIVE] * LANES] * 2, "I7: tokens without a fight"
        assert state.token_card == [[-1] * LANES] * 2, "I7"
        assert not any(state.fight_specials), "I7"
        assert not any(state.fight_face), "I7"
        assert not any(state.side_change + state.bonus_dice), "I7"
    for tokens, cards in zip(state.token, state.token_card, strict=True):
        for token, card in zip(tokens, cards, strict=True):
            assert (card >= 0) == (token in (FACE_DOWN, FACE_UP)), "I7: one card on a token that has one"
            assert token != FACE_UP or game.cards.bonfire[card].type == "hit", "I7: face-up cards are hits"


def _check_turn(game: Toothead, state: SimpleNamespace, players: int) -> None:
    numbers = (state.actions, state.attacks, state.islands, state.can_exchange, state.can_roll)
    assert min(numbers) >= 0, "I9"
    assert max(state.can_exchange, state.can_roll) <= 1, "I9"
    assert max(state.extra) <= game.options.extra_cap, "I9, J38"
    assert 0 <= state.place <= players, "I12"
    if state.over != RUNNING:
        return
    if state.active >= 0:
        assert state.turn_phase < 3, "I12: no turns in the Eating Phase"
        assert (state.first + state.place - 1) % players == state.active, "I12: order of turns"
        untouched = state.actions == 2 and not any(state.extra) and not state.pocket_plays and state.depth == 0
        if untouched and state.turn_phase == 0 and state.place == 1 and game.phases[state.phase] == "TURN":
            assert not any(state.mega_count), "I6: no mega-tricks between rounds"
    else:
        assert numbers == (0, 0, 0, 0, 0), "moves without a turn"


def _check_decision(game: Toothead, state: SimpleNamespace, legal: list[int]) -> None:
    if state.over != RUNNING:
        assert not legal, "I10: nothing is legal at the end"
        assert state.seat == -1, "I10: nobody is asked at the end"
        return
    if state.seat < 0:
        return  # halted
    decision = game.decisions[state.decision]
    assert state.alive[state.seat], "I10: the dead are not asked"
    assert len(legal) >= (2 if game.options.skip_forced else 1), f"I10: {decision} leaves no choice"
    assert set(legal) <= set(OPTIONS[decision]), f"I10: {decision} offers {legal}"
    types = [card.type for card in game.cards.bonfire]
    for action in legal:
        if action in CARD and decision != "PICK":
            assert state.pocket[state.seat][action - 45] > 0, "I10: a card that is not held"
        if action in CARD and decision.endswith("WIN"):
            assert types[action - 45] == "special", "I10: windows are for specials"
        if action in ATTACK:
            assert state.alive[(state.seat + action - 21) % game.num_players], "I10: an attack on the dead"
