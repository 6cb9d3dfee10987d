"""Worlds that look the same to a seat: all that it cannot know is drawn anew."""

from __future__ import annotations

from tooth_envs.engine import chance, piles
from tooth_envs.engine.compile import compiled
from tooth_envs.games.toothead.cards import KINDS, LANES
from tooth_envs.games.toothead.pool import fighter
from tooth_envs.games.toothead.state import BITS, PER_WORD, Decision, State, Stream, Tables, Token
from tooth_envs.games.toothead.table import known_cards, learn


@compiled
def resample(tables: Tables, state: State, seat: int, seed: int) -> None:
    """For ``seat``: others' pockets but for what it can prove, their face-down cards, gifts and knowledge."""
    state.steps = min(int(state.steps), 1)  # J14: how often others were asked; all that counts is that play has begun
    collect(state, seat)
    placing = int(fighter(state, state.to_place)) if state.decision == Decision.LANE else seat
    if placing != seat:
        choose_hit(tables, state, placing)
    for other in range(state.players):
        if other != seat:
            held = 0
            for kind in range(KINDS):
                held += int(state.pocket[other, kind])
            for _ in range(int(state.pocket_size[other]) - held):
                state.pocket[other, piles.draw(state, Stream.HIDDEN, state.bonfire)] += 1
    for side in range(2):
        if state.fighting and fighter(state, side) != seat:
            for lane in range(LANES):
                if state.token[side, lane] == Token.FACE_DOWN:
                    state.token_card[side, lane] = piles.draw(state, Stream.HIDDEN, state.bonfire)
    if state.decision == Decision.DRAWN and state.active != seat:
        state.held = any_card(state, state.active)
    for other in range(state.players):
        if other != seat:
            if state.gift[other] >= 0:
                state.gift[other] = any_card(state, other)
            for third in range(state.players):
                if third != seat and third != other:
                    guess_knowledge(tables, state, seat, other, third)


@compiled
def collect(state: State, seat: int) -> None:
    """All cards that a seat cannot place go back into the bonfire."""
    for other in range(state.players):
        if other != seat:
            for kind in range(KINDS):
                known = int(known_cards(state, seat, other, kind))
                state.bonfire[kind] += int(state.pocket[other, kind]) - known
                state.pocket[other, kind] = known
    for side in range(2):
        if state.fighting and fighter(state, side) != seat:
            for lane in range(LANES):
                if state.token[side, lane] == Token.FACE_DOWN:
                    state.bonfire[state.token_card[side, lane]] += 1


@compiled
def choose_hit(tables: Tables, state: State, seat: int) -> None:
    """LANE of another seat: some hit that it may hold, in its pocket before the rest of that is drawn."""
    size = 0
    for kind in range(KINDS):
        size += int(state.pocket[seat, kind])
    unknown = int(state.pocket_size[seat] > size)
    hits = 0
    for place in range(tables.hit_kinds):
        kind = tables.hit_kind[place]
        hits += int(state.pocket[seat, kind]) + unknown * int(state.bonfire[kind])
    left = chance.pick(state, Stream.HIDDEN, hits)
    for place in range(tables.hit_kinds):
        kind = int(tables.hit_kind[place])
        left -= int(state.pocket[seat, kind]) + unknown * int(state.bonfire[kind])
        if left < 0:
            state.held = kind
            break
    if state.pocket[seat, state.held] == 0:
        state.bonfire[state.held] -= 1
        state.pocket[seat, state.held] = 1


@compiled
def any_card(state: State, seat: int) -> int:
    """A random card of a pocket; it stays there."""
    left = chance.pick(state, Stream.HIDDEN, int(state.pocket_size[seat]))
    for kind in range(KINDS):
        left -= int(state.pocket[seat, kind])
        if left < 0:
            return kind
    return -1


@compiled
def guess_knowledge(tables: Tables, state: State, seat: int, other: int, third: int) -> None:
    """What another seat knows of a third one's new pocket: as many cards as before, first those ``seat`` knows too."""
    number = 0
    shared = 0
    if not state.known[other, third].any():
        return
    for kind in range(tables.kinds):
        known = int(known_cards(state, other, third, kind))
        number += known
        both = min(known, int(known_cards(state, seat, third, kind)))
        shared += both
        state.known[other, third, kind // PER_WORD] -= (known - both) << (BITS * (kind % PER_WORD))
    for _ in range(number - shared):
        open_cards = 0
        for kind in range(tables.kinds):
            open_cards += int(state.pocket[third, kind]) - int(known_cards(state, other, third, kind))
        left = chance.pick(state, Stream.HIDDEN, open_cards)
        for kind in range(tables.kinds):
            left -= int(state.pocket[third, kind]) - int(known_cards(state, other, third, kind))
            if left < 0:
                learn(state, other, third, kind)
                break
