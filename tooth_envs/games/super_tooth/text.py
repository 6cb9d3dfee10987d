"""Words for people and language models: a view, an action, an event, and why an action is illegal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tooth_envs.engine.events import Event
from tooth_envs.games.super_tooth.cards import (
    ASTEROID,
    DASPLETOSAURUS,
    EGG,
    FIRST_EVENT,
    FIRST_MEAT,
    FOLIAGE,
    HOT_SUN,
    KINDS,
    SPECIES,
    STAMPEDE,
    T_REX,
    TRAVELER,
    Setup,
)
from tooth_envs.games.super_tooth.state import (
    COINS,
    LARGEST_TAKE,
    SETS,
    SMALLEST_SET,
    Action,
    Decision,
    EventKind,
    Source,
)
from tooth_envs.spec.wording import Teller, capital, who

LASTING = (HOT_SUN, FOLIAGE, DASPLETOSAURUS, TRAVELER)
"""What a view's ``lasting`` counts."""

_ORIGINS: dict[int, str] = {Source.HAND: " from hand", Source.LAND: " from the Landscape"}

TASKS: dict[int, str] = {
    Decision.EVENT_ORDER: "the Event to be resolved next",
    Decision.EGG: "the discarded card that takes the Egg's place",
    Decision.QUETZ: "whose hand loses a random card",
    Decision.VOLCANO: "the face-up card that the Volcano consumes",
    Decision.STAMPEDE_PASS: "the card you pass to your left, in secret",
    Decision.MEAT_TARGET: "the Meat-Eater to be dealt with next",
    Decision.MEAT_PAY: "how to get rid of the Meat-Eater",
    Decision.ROAM: "what the Daspletosaurus eats, or what chases it away",
    Decision.COLLECT: "what you collect",
    Decision.BONUS: "the Plant-Eater you take as well",
    Decision.EXCHANGE: "which set you exchange, if any",
}


def counted(cards: Setup, counts: Iterable[int], kinds: Iterable[int] | None = None) -> str:
    """Cards by name and number."""
    places = range(KINDS) if kinds is None else kinds
    listed = [
        cards.names[kind] if count == 1 else f"{int(count)} {cards.names[kind]}"
        for kind, count in zip(places, counts, strict=False)
        if count
    ]
    return ", ".join(listed) or "none"


def coins(number: int) -> str:
    return f"{number} coin" if number == 1 else f"{number} coins"


def describe(cards: Setup, view: Any) -> str:
    """A view in words."""
    seats = int(view.players) + 2
    lines = [_now(cards, view)]
    lines.append(f"Face up: {counted(cards, view.landscape)}. Lasting: {counted(cards, view.lasting, LASTING)}.")
    lines.append(f"Draw pile, {int(view.draw_size)} in unknown order: {counted(cards, view.draw)}.")
    lines.append(f"Discarded: {counted(cards, view.discard)}. Banished: {counted(cards, view.banished)}.")
    for place in range(seats):
        lines.append(_seat(cards, view, place))
    if seats > 2:
        lines.append(f"All other hands together: {counted(cards, view.others)}.")
    return "\n".join(lines)


def _now(cards: Setup, view: Any) -> str:
    place = int(view.active)
    parts = [f"It is {'your turn' if place == 0 else f'the turn of {who(place)}'}."]
    if view.restarts:
        parts.append(f"It started over {'once' if view.restarts == 1 else f'{int(view.restarts)} times'}.")
    if view.resolving >= 0:
        parts.append(f"{cards.names[FIRST_EVENT + int(view.resolving)]} is being resolved.")
    if view.target >= 0:
        prey = counted(cards, [1] * SPECIES, cards.prey[view.target]) if cards.prey[view.target] else "nothing"
        parts.append(f"{cards.names[FIRST_MEAT + int(view.target)]} must be dealt with; it eats {prey}.")
    if view.volcano:
        parts.append("A Volcano will clear everything at the end of the turn.")
    if view.deciding:
        parts.append(f"You decide {TASKS[int(view.decision)]}.")
    elif view.decider >= 0:
        parts.append(f"{capital(who(int(view.decider), 'decide'))}.")
    return " ".join(parts)


def _seat(cards: Setup, view: Any, place: int) -> str:
    begin = f"{capital(who(place))}: {coins(int(view.coins[place]))} of {int(view.coins_to_win)}"
    if place == 0:
        return f"{begin}; hand {counted(cards, view.hand)}."
    size, unknown = int(view.hand_sizes[place]), int(view.unknown[place - 1])
    if not size:
        return f"{begin}; no cards."
    known = counted(cards, view.known[place - 1])
    cards_held = "1 card" if size == 1 else f"{size} cards"
    parts = ([] if known == "none" else [known]) + ([f"{unknown} unknown"] if unknown else [])
    return f"{begin}; {cards_held}: {', '.join(parts)}."


def describe_action(cards: Setup, view: Any, action: int) -> str:
    """An action in words."""
    names = cards.names
    if action == Action.STOP:
        return "exchange nothing more and end the turn"
    if action == Action.IGNORE:
        return "ignore the Meat-Eater: all face-up cards are discarded and the turn ends"
    if action < Action.PAY_HAND:
        return _chosen(names[action - Action.CHOOSE], int(view.decision))
    if action < Action.PAY_LAND:
        return f"pay {names[action - Action.PAY_HAND]} from your hand"
    if action < Action.PAY_TRAVELER:
        return f"pay {names[action - Action.PAY_LAND]} from the Landscape"
    if action == Action.PAY_TRAVELER:
        return "chase with the Time Traveler"
    if action < Action.SET:
        return f"collect {(action - Action.TAKE) % LARGEST_TAKE + 1} {names[(action - Action.TAKE) // LARGEST_TAKE]}"
    if action < Action.SEAT:
        number = (action - Action.SET) % SETS + SMALLEST_SET
        more = " and a card of the Landscape" if number == 4 else ""
        return (
            f"exchange {number} {names[(action - Action.SET) // SETS]} for {coins(COINS[number - SMALLEST_SET])}{more}"
        )
    place = action - Action.SEAT
    return f"take a random card from {'your own hand' if place == 0 else who(place)}"


def _chosen(name: str, decision: int) -> str:
    words: dict[int, str] = {
        Decision.EVENT_ORDER: f"resolve {name}",
        Decision.EGG: f"fetch {name} from the discard pile",
        Decision.VOLCANO: f"let the Volcano consume {name}",
        Decision.STAMPEDE_PASS: f"pass {name} to your left",
        Decision.MEAT_TARGET: f"deal with {name}",
        Decision.ROAM: f"let the Daspletosaurus eat {name}",
        Decision.BONUS: f"take {name} as well",
    }
    return words.get(decision, f"choose {name}")


def event_words(cards: Setup, players: int, event: Event, seat: int | None) -> str | None:
    """An event in words, for a seat that may see it or for a spectator."""
    first, second = event.first, event.second
    teller = Teller(event, players, seat)
    called, by = teller.called, teller.by
    kind = event.kind
    if kind == EventKind.GAME_OVER:
        winners = teller.winners(first)
        if len(winners) == 1:
            return f"{capital(called(winners[0], 'win'))}."
        return f"{capital(', '.join(called(other) for other in winners[:-1]))} and {called(winners[-1])} share the win."
    if kind == EventKind.TURN_BEGAN:
        return f"Turn {first}: {called(event.seat)}."
    if kind == EventKind.RESHUFFLED:
        return "The discard pile is shuffled and becomes the draw pile."
    if kind == EventKind.EXTINCT:
        return "No species has three cards left: the game ends."
    if kind == EventKind.REDEALT:
        return f"{cards.names[T_REX]}: all hands are shuffled together and dealt out again."
    if kind == EventKind.BANISHED:
        return (
            f"{cards.names[ASTEROID]}: all face-up cards go, Plant-Eaters, Meat-Eaters and lasting Time Travelers for "
            "good. The turn starts over."
        )
    if kind == EventKind.SWEPT:
        return f"{cards.names[STAMPEDE]}: all face-up cards are discarded."
    if kind == EventKind.HERD_PASSED:
        return "Every hand has passed a card to the left."
    if kind == EventKind.CLEANED_UP:
        return "The Volcano clears the Landscape; everything is shuffled into a new draw pile."
    name = cards.names[first]
    if kind == EventKind.PASSED:
        return f"{by('pass')} {name} to {called((event.seat + 1) % players)}."
    if kind == EventKind.SNATCHED:
        owner = "your hand" if event.seat == seat else f"the hand of {called(event.seat)}"
        return f"{name} is drawn from {owner}."
    if kind == EventKind.PAID:
        origin = _ORIGINS.get(second, "")
        return f"{by('pay')} {name}{origin}."
    if kind == EventKind.EXCHANGED:
        return f"{by('exchange')} {second} {name} for {coins(COINS[second - SMALLEST_SET])}."
    if kind == EventKind.COLLECTED:
        return f"{by('collect')} {second} {name}."
    simple: dict[int, str] = {
        EventKind.REVEALED: f"{name} is turned over.",
        EventKind.RESOLVING: f"{by('resolve')} {name}.",
        EventKind.NO_EFFECT: f"{name} has no effect.",
        EventKind.STAYS: f"{name} stays.",
        EventKind.FETCHED: f"{by('fetch')} {name} from the discard pile.",
        EventKind.ERUPTED: f"{by('let')} the Volcano consume {name}.",
        EventKind.CHOSE_PASS: f"{by('choose')} {name}, to be passed to the left.",
        EventKind.IGNORED: f"{by('ignore')} {name}: the face-up cards are discarded.",
        EventKind.EATEN: f"The Daspletosaurus eats {name}.",
        EventKind.TOOK_BONUS: f"{by('take')} {name} as well.",
    }
    return simple[kind]


def why_not(cards: Setup, state: Any, action: int) -> str:
    """Why the seat to act cannot do this now, with the rule's number."""
    decision = int(state.decision)
    ranges: dict[int, tuple[tuple[int, int], ...]] = {
        Decision.EXCHANGE: ((Action.STOP, Action.STOP + 1), (Action.SET, Action.SEAT)),
        Decision.COLLECT: ((Action.TAKE, Action.SET),),
        Decision.MEAT_PAY: ((Action.IGNORE, Action.IGNORE + 1), (Action.PAY_HAND, Action.TAKE)),
        Decision.ROAM: ((Action.CHOOSE, Action.TAKE),),
        Decision.QUETZ: ((Action.SEAT, len(Action.table())),),
    }
    fitting = ranges.get(decision, ((Action.CHOOSE, Action.PAY_HAND),))
    if not any(low <= action < high for low, high in fitting):
        return f"section 5: it is no answer to {Decision.names()[decision]}"
    if action >= Action.SEAT:
        if action - Action.SEAT >= state.players:
            return f"J12: there are {int(state.players)} seats"
        return "J12: that hand is empty"
    if action >= Action.SET:
        return _no_exchange(cards, state, (action - Action.SET) // SETS, (action - Action.SET) % SETS + SMALLEST_SET)
    if action >= Action.TAKE:
        species = (action - Action.TAKE) // LARGEST_TAKE
        return f"R16: L holds {int(state.landscape[species])} {cards.names[species]}"
    if action == Action.PAY_TRAVELER:
        return "R32: no Time Traveler lies there"
    if action >= Action.PAY_HAND:
        species = (action - Action.PAY_HAND) % SPECIES
        name = cards.names[species]
        if decision == Decision.MEAT_PAY and species not in (*cards.prey[state.target - FIRST_MEAT], *cards.chases):
            return f"R13, R14: {name} neither feeds nor chases {cards.names[state.target]}"
        if decision == Decision.ROAM and species not in cards.chases:
            return f"J18, J21: {name} has no chase-away icon"
        place = "your hand" if action < Action.PAY_LAND else "L"
        return f"J22: there is no {name} in {place}"
    return _no_choice(cards.names[action - Action.CHOOSE], action - Action.CHOOSE, decision)


def _no_exchange(cards: Setup, state: Any, species: int, number: int) -> str:
    held = int(state.hand[state.seat, species])
    if held < number:
        return f"R19: it takes {number} {cards.names[species]}, you hold {held}"
    return "J27: four cards are exchanged only if L has a Plant-Eater to take"


def _no_choice(name: str, kind: int, decision: int) -> str:
    if decision == Decision.EGG:
        return "J11: an Egg cannot fetch an Egg" if kind == EGG else f"J11: no {name} is in the discard pile"
    reasons: dict[int, str] = {
        Decision.EVENT_ORDER: f"R10: no {name} to be resolved is in L",
        Decision.VOLCANO: f"J13: no {name} lies face up",
        Decision.STAMPEDE_PASS: f"R29: no {name} is in your hand",
        Decision.MEAT_TARGET: f"J20: {name} is no Meat-Eater of L",
        Decision.ROAM: f"J18: {name} is no Plant-Eater of L",
        Decision.BONUS: f"J17, J27: {name} is no Plant-Eater of L",
    }
    return reasons[decision]
