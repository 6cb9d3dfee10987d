"""Worlds that look the same to a seat: all that it cannot know is drawn anew."""

from __future__ import annotations

from tooth_envs.engine import chance, events, piles
from tooth_envs.engine.compile import compiled
from tooth_envs.games.toothead.cards import KINDS, LANES
from tooth_envs.games.toothead.pool import fighter
from tooth_envs.games.toothead.state import ASK_DRAWN, ASK_LANE, BITS, FACE_DOWN, PER_WORD, STREAM_HIDDEN
from tooth_envs.games.toothead.table import known_cards, learn


@compiled
def resample(tables, state, seat, seed):  # type: ignore[no-untyped-def]
    """For ``seat``: others' pockets but for what it can prove, their face-down cards, gifts and knowledge."""
    chance.reseed(state, seed)
    events.forget(state)
    state.steps = min(int(state.steps), 1)  # J14: how often others were asked; all that counts is that play has begun
    collect(state, seat)
    placing = int(fighter(state, state.to_place)) if state.decision == ASK_LANE else seat
    if placing != seat:
        choose_hit(tables, state, placing)
    for other in range(state.players):
        if other != seat:
            held = 0
            for kind in range(KINDS):
                held += int(state.pocket[other, kind])
            for _ in range(int(state.pocket_size[other]) - held):
                state.pocket[other, piles.draw(state, STREAM_HIDDEN, state.bonfire)] += 1
    for side in range(2):
        if state.fighting and fighter(state, side) != seat:
            for lane in range(LANES):
                if state.token[side, lane] == FACE_DOWN:
                    state.token_card[side, lane] = piles.draw(state, STREAM_HIDDEN, state.bonfire)
    if state.decision == ASK_DRAWN and state.active != seat:
        state.held = any_card(state, state.active)
    for other in range(state.players):
        if other != seat:
            if state.gift[other] >= 0:
                state.gift[other] = any_card(state, other)
            for third in range(state.players):
                if third != seat and third != other:
                    guess_knowledge(tables, state, seat, other, third)
    chance.reseed(state, chance.mix(seed, 1, 1))


@compiled
def collect(state, seat):  # type: ignore[no-untyped-def]
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
                if state.token[side, lane] == FACE_DOWN:
                    state.bonfire[state.token_card[side, lane]] += 1


@compiled
def choose_hit(tables, state, seat):  # type: ignore[no-untyped-def]
    """LANE of another seat: some hit that it may hold, in its pocket before the rest of that is drawn."""
    size = 0
    for kind in range(KINDS):
        size += int(state.pocket[seat, kind])
    unknown = int(state.pocket_size[seat] > size)
    hits = 0
    for place in range(tables.hit_kinds):
        kind = tables.hit_kind[place]
        hits += int(state.pocket[seat, kind]) + unknown * int(state.bonfire[kind])
    left = chance.pick(state, STREAM_HIDDEN, hits)
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
def any_card(state, seat):  # type: ignore[no-untyped-def]
    """A random card of a pocket; it stays there."""
    left = chance.pick(state, STREAM_HIDDEN, int(state.pocket_size[seat]))
    for kind in range(KINDS):
        left -= int(state.pocket[seat, kind])
        if left < 0:
            return kind
    return -1


@compiled
def guess_knowledge(tables, state, seat, other, third):  # type: ignore[no-untyped-def]
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
        left = chance.pick(state, STREAM_HIDDEN, open_cards)
        for kind in range(tables.kinds):
            left -= int(state.pocket[third, kind]) - int(known_cards(state, other, third, kind))
            if left < 0:
                learn(state, other, third, kind)
                break
