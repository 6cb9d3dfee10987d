"""What the ten kinds of Event do (R23-R32 and the table of section 4).

``begin`` takes an Event out of L into the ``resolving`` slot. Those that need nothing to be decided are carried out at
once; Egg, Quetzalcoatlus, Volcano and Stampede have a phase of their own, in which the ``..._or_ask`` functions run.
"""

from __future__ import annotations

from tooth_envs.engine.chance import pick
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.events import EVERYBODY, emit
from tooth_envs.engine.seats import ask, clockwise
from tooth_envs.engine.state import TERMINATED
from tooth_envs.games.super_tooth.cards import (
    ASTEROID,
    EGG,
    FIRST_EVENT,
    HOT_SUN,
    KINDS,
    QUETZALCOATLUS,
    SPECIES,
    STAMPEDE,
    T_REX,
    TRAVELER,
    VOLCANO,
)
from tooth_envs.games.super_tooth.moves import (
    clear_landscape,
    discard_from,
    forget,
    hand_size,
    lose,
    only_known_species,
)
from tooth_envs.games.super_tooth.state import SMALLEST_SET, Decision, EventKind, Phase, State, Stream, Tables


@compiled
def begin(tables: Tables, state: State, kind: int) -> None:
    """Begin to resolve an Event of L (R10)."""
    state.landscape[kind] -= 1
    state.resolving = kind
    if kind in (EGG, QUETZALCOATLUS, VOLCANO):
        emit(state, EventKind.RESOLVING, state.active, EVERYBODY, kind, 0)  # of the others, their effect is told
    if kind == EGG:
        state.phase = Phase.FETCH
    elif kind == QUETZALCOATLUS:
        state.phase = Phase.SNATCH
    elif kind == VOLCANO:
        state.volcano = 1
        state.phase = Phase.ERUPT
    elif kind == STAMPEDE:
        clear_landscape(state)  # J16: other Events of L go without effect
        emit(state, EventKind.SWEPT, state.active, EVERYBODY, 0, 0)
        state.phase = Phase.PASS
    elif kind == T_REX:
        redeal(state)
        conclude(state)
    elif kind == ASTEROID:
        banish(tables, state)
    else:
        lay_out(tables, state, kind)


@compiled
def conclude(state: State) -> None:
    """The resolved Event is discarded; on to the next."""
    state.discard[state.resolving] += 1
    state.resolving = -1
    state.phase = Phase.EVENTS


@compiled
def fizzle(state: State) -> None:
    """An Event that finds nothing to act on is discarded."""
    emit(state, EventKind.NO_EFFECT, state.active, EVERYBODY, state.resolving, 0)
    conclude(state)


# Egg (R23, J11)


@compiled
def fetch_or_ask(state: State) -> None:
    """Any discarded card but an Egg can be fetched."""
    for kind in range(KINDS):
        if kind != EGG and state.discard[kind] > 0:
            ask(state, state.active, Decision.EGG)
            return
    fizzle(state)


@compiled
def fetch(state: State, kind: int) -> None:
    """A discarded card takes the Egg's place."""
    state.discard[kind] -= 1
    state.landscape[kind] += 1
    emit(state, EventKind.FETCHED, state.active, EVERYBODY, kind, 0)
    conclude(state)


# Quetzalcoatlus (R24, J12)


@compiled
def snatch_or_ask(state: State) -> None:
    """Any hand that is not empty can be named."""
    for seat in range(state.players):
        if hand_size(state, seat) > 0:
            ask(state, state.active, Decision.QUETZ)
            return
    fizzle(state)


@compiled
def snatch(state: State, seat: int) -> None:
    """A random card of a hand goes face up into L."""
    species = random_card(state, Stream.SNATCH, seat)
    lose(state, seat, species, 1)
    state.landscape[species] += 1
    emit(state, EventKind.SNATCHED, seat, EVERYBODY, species, 0)
    conclude(state)


@compiled
def random_card(state: State, stream: int, seat: int) -> int:
    """The species of a card of a hand, every card with the same chance."""
    left = pick(state, stream, hand_size(state, seat))
    for species in range(SPECIES):
        if left < state.hand[seat, species]:
            return species
        left -= int(state.hand[seat, species])
    return -1


# Volcano (R25, J13). The clean-up at the end of the turn is in rules.py.


@compiled
def erupt_or_ask(state: State) -> None:
    """The left neighbour picks among all that lies face up."""
    if state.marker:
        ask(state, clockwise(state, state.active, 1), Decision.VOLCANO)
        return
    for kind in range(KINDS):
        if state.landscape[kind] > 0 or state.lasting[kind] > 0:
            ask(state, clockwise(state, state.active, 1), Decision.VOLCANO)
            return
    fizzle(state)


@compiled
def erupt(state: State, kind: int) -> None:
    """A card is consumed: of L rather than of X; Hot Sun may be the marker (J6)."""
    if state.landscape[kind] > 0:
        discard_from(state, state.landscape, kind)
    elif state.lasting[kind] > 0:
        discard_from(state, state.lasting, kind)
    else:
        state.marker = 0
    emit(state, EventKind.ERUPTED, clockwise(state, state.active, 1), EVERYBODY, kind, 0)
    conclude(state)


# Tyrannosaurus Rex (R26, J14)


@compiled
def redeal(state: State) -> None:
    """All hands are pooled and dealt out again, from the left neighbour on; nobody knows what the others got.

    The active seat is dealt to last: its hand holds the pool, and what the others did not draw is its own.
    """
    active = state.active
    for seat in range(state.players):
        if seat != active:
            for species in range(SPECIES):
                state.hand[active, species] += state.hand[seat, species]
                state.hand[seat, species] = 0
    total = hand_size(state, active)
    for place in range(1, state.players):
        seat = clockwise(state, active, place)
        number = total // state.players + int(place <= total % state.players)
        for _ in range(number):
            species = random_card(state, Stream.REDEAL, active)
            state.hand[active, species] -= 1
            state.hand[seat, species] += 1
    state.known[:, :, :] = 0
    emit(state, EventKind.REDEALT, active, EVERYBODY, 0, 0)


# Hot Sun, Foliage, Roaming Daspletosaurus, Time Traveler (R27, R30-R32, J6, J8)


@compiled
def lay_out(tables: Tables, state: State, kind: int) -> None:
    """It stays face up, outside L (J7). All but Time Travelers lie there once."""
    if kind == HOT_SUN and tables.use_marker:
        state.marker = 1
        emit(state, EventKind.STAYS, state.active, EVERYBODY, kind, 0)
        conclude(state)
    elif kind != TRAVELER and state.lasting[kind] > 0:
        fizzle(state)
    else:
        state.lasting[kind] += 1
        state.resolving = -1
        emit(state, EventKind.STAYS, state.active, EVERYBODY, kind, 0)
        state.phase = Phase.EVENTS


# Asteroid (R28, J15)


@compiled
def banish(tables: Tables, state: State) -> None:
    """Plant-Eaters and Meat-Eaters of L are gone for good, and so are Time Travelers; the turn starts over."""
    for kind in range(FIRST_EVENT):
        state.banished[kind] += state.landscape[kind]
        state.landscape[kind] = 0
    state.banished[TRAVELER] += state.lasting[TRAVELER]
    state.lasting[TRAVELER] = 0
    clear_landscape(state)  # J15: other Events go without effect; Hot Sun, Foliage, Daspletosaurus, the marker go too
    emit(state, EventKind.BANISHED, state.active, EVERYBODY, 0, 0)
    conclude(state)
    state.phase = Phase.RESTART
    for species in range(SPECIES):
        if tables.copies[species] - state.banished[species] >= SMALLEST_SET:
            return
    emit(state, EventKind.EXTINCT, -1, EVERYBODY, 0, 0)  # J30: nobody can make a set any more
    state.over = TERMINATED


# Stampede (R29, J16)


@compiled
def pass_or_ask(state: State) -> None:
    """Every seat with cards chooses one in secret, the active seat first; then all move at once."""
    seat = state.active
    for _ in range(state.players):
        if state.passing[seat] < 0 and hand_size(state, seat) > 0:
            ask(state, seat, Decision.STAMPEDE_PASS)
            return
        seat = clockwise(state, seat, 1)
    pass_on(state)
    conclude(state)
    state.phase = Phase.RESTART


@compiled
def choose_pass(state: State, species: int) -> None:
    """The seat to act chooses a card of its hand."""
    state.passing[state.seat] = species
    emit(state, EventKind.CHOSE_PASS, state.seat, 1 << state.seat, species, 0)


@compiled
def pass_on(state: State) -> None:
    """The chosen cards go to the left; giver and receiver know them."""
    for observer in range(state.players):
        learn_from_passes(state, observer)
    emit(state, EventKind.HERD_PASSED, state.active, EVERYBODY, 0, 0)
    for seat in range(state.players):
        species = state.passing[seat]
        if species >= 0:
            receiver = clockwise(state, seat, 1)
            state.hand[seat, species] -= 1
            state.hand[receiver, species] += 1
            emit(state, EventKind.PASSED, seat, 1 << seat | 1 << receiver, species, 0)
    state.passing[:] = -1


@compiled
def learn_from_passes(state: State, observer: int) -> None:
    """What an observer can prove afterwards (section 6); the hands have not changed yet.

    From the last seat to the first, so that a card arrives where the departure has been reckoned already.
    """
    for place in range(state.players - 2, -1, -1):
        seat = clockwise(state, observer, place + 1)
        passed = state.passing[seat]
        if passed < 0:
            continue
        if place == state.players - 2:  # its left is the observer, who saw the card
            forget(state, observer, place, passed, 1)
            continue
        only = only_known_species(state, observer, place, hand_size(state, seat))
        if only >= 0:
            forget(state, observer, place, only, 1)
            state.known[observer, place + 1, only] += 1
        else:
            for species in range(SPECIES):
                forget(state, observer, place, species, 1)
    if state.passing[observer] >= 0:
        state.known[observer, 0, state.passing[observer]] += 1
