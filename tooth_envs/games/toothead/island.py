"""Island cards, the island die, and the extra moves that they and other cards bring (R19, R51-R53, J38, J46, J59)."""

from __future__ import annotations

from tooth_envs.engine import piles
from tooth_envs.engine.chance import die
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.games.toothead.cards import ISLAND_0
from tooth_envs.games.toothead.machine import begin_effect
from tooth_envs.games.toothead.state import ISLAND_DIE_FACES, EventKind, Face, State, Stream, Tables
from tooth_envs.games.toothead.vocabulary import GAIN_ACTION, GAIN_ATTACK, PLAY

MOST_ALLOWED = 2
"""Most moves of a kind that a turn begins with (R15)."""


@compiled
def gain(tables: Tables, state: State, move: int, number: int) -> None:
    """GAIN: extra moves for the active seat in this turn, up to the cap (J38)."""
    left = state.actions if move == GAIN_ACTION else state.attacks if move == GAIN_ATTACK else state.islands
    # In a position there may be more left than a turn begins with; what is left stays in its bounds all the same.
    room = min(int(tables.extra_cap) - int(state.extra[move]), int(tables.extra_cap) + MOST_ALLOWED - int(left))
    granted = min(int(number), room)
    if granted <= 0:
        return
    state.extra[move] += granted
    if move == GAIN_ACTION:
        state.actions += granted
    elif move == GAIN_ATTACK:
        state.attacks += granted
    else:
        state.islands += granted
    emit(state, EventKind.GAINED, state.active, EVERYBODY, move, granted)


@compiled
def roll_island_die(tables: Tables, state: State, seat: int) -> None:
    """R19, J46: an extra move of the kind that the die shows, or nothing."""
    face = tables.island_die[die(state, Stream.ISLAND_DIE, ISLAND_DIE_FACES) - 1]
    emit(state, EventKind.ISLAND_DIE, seat, EVERYBODY, face, 0)
    if face != Face.NONE:
        gain(tables, state, face, 1)


@compiled
def reveal_island(tables: Tables, state: State, seat: int) -> None:
    """R51-R53: the old permanent ends, the next island card is turned up, an event happens at once."""
    state.permanent = -1
    if piles.size(state.island_deck) == 0:
        piles.pour(state.green, state.island_deck)  # J59
    island = piles.draw(state, Stream.ISLANDS, state.island_deck)
    if island < 0:
        return
    state.green[island] += 1
    emit(state, EventKind.ISLAND_CARD, seat, EVERYBODY, island, 0)
    if tables.island_permanent[island]:
        state.permanent = island
    else:
        begin_effect(tables, state, ISLAND_0 + island, PLAY, seat, -1)
