"""Words for people and language models: a view, an action, an event, and why an action is illegal."""

from __future__ import annotations

from typing import Any

from tooth_envs.engine.events import Event
from tooth_envs.games.dragon_teeth_washer.cards import CARDS, Setup
from tooth_envs.games.dragon_teeth_washer.position import values_of
from tooth_envs.games.dragon_teeth_washer.state import CLAIMS, SAY, Claim, Decision, EventKind, Options
from tooth_envs.spec.wording import Teller, capital, who


def listed(values: Any, empty: str = "none") -> str:
    """Numbers separated by blanks."""
    return " ".join(str(int(value)) for value in values) or empty


def meaning(dragons: tuple[int, ...], claim: int) -> str:
    """What a statement says about the dragon, with the values that would make it true (J4)."""
    if claim in (Claim.NONE, Claim.NOT_MADE):
        return "no statement"
    if claim == Claim.SILENT:
        return "nothing"
    if claim >= Claim.RANK_0:
        return f"that the dragon is {dragons[claim - Claim.RANK_0]}"
    half = (len(dragons) + 1) // 2
    if claim == Claim.LOW:
        return f"LOW, a short-tempered dragon ({listed(dragons[:half])})"
    return f"HIGH, a patient dragon ({listed(dragons[half:])})"


def describe(cards: Setup, view: Any) -> str:
    """A view in words."""
    dragons = tuple(int(value) for value in view.dragon if value)
    lines = [_now(cards, dragons, view)]
    unseen = [value for rank, value in enumerate(dragons) if view.unseen[rank]]
    lines.append(f"Dragons not turned up yet: {listed(unseen)} (all: {listed(dragons)}).")
    for place in range(len(view.present)):
        if view.present[place]:
            lines.append(_seat(view, place))
    if view.past_done.any():
        lines.extend(_past(dragons, view, then) for then in range(len(view.past_done)) if view.past_done[then])
    return "\n".join(lines)


def _now(cards: Setup, dragons: tuple[int, ...], view: Any) -> str:
    if view.round_number < 0:
        return f"All {cards.rounds} rounds are over."
    parts = [f"Round {int(view.round_number) + 1} of {cards.rounds}."]
    leader = int(view.investigator)
    parts.append(capital(who(leader, "investigate")) + ".")
    if view.known >= 0:
        parts.append(f"You have seen the dragon: it is {dragons[view.known]}.")
    if view.claim not in (Claim.NOT_MADE, Claim.NONE):
        parts.append(f"{capital(who(leader))} said {meaning(dragons, int(view.claim))}.")
    if view.lead >= 0:
        parts.append(f"The lead is {int(view.lead) + 1}.")
    if view.own >= 0 and leader != 0:
        parts.append(f"You have chosen {int(view.own) + 1}, face down.")
    hidden = [place for place in range(1, len(view.chosen)) if view.chosen[place] and place != leader]
    if hidden:
        parts.append(f"Chosen, face down: {', '.join(who(place) for place in hidden)}.")
    if view.decision >= 0:
        task = ("the investigator's statement", "the lead", "a card, face down")[view.decision]
        parts.append(f"To be decided: {task}.")
    return " ".join(parts)


def _seat(view: Any, place: int) -> str:
    def cards(name: str) -> str:
        return listed(card + 1 for card in range(CARDS) if view[name][place, card])

    honesty = (
        f"{int(view.true_said[place])} true, {int(view.false_said[place])} false, {int(view.unsaid[place])} left out"
    )
    return (
        f"{capital(who(place))}: score {int(view.score[place])}; hand {cards('hand')}; succeeded {cards('plus')}; "
        f"bitten {cards('minus')}; not counted {cards('zero')}; statements {honesty}."
    )


def _past(dragons: tuple[int, ...], view: Any, then: int) -> str:
    played = [f"{who(place)} {int(card) + 1}" for place, card in enumerate(view.past_card[then]) if card >= 0]
    return (
        f"Round {then + 1}: {who(int(view.past_investigator[then]), 'investigate')} and "
        f"{'say' if view.past_investigator[then] == 0 else 'says'} {meaning(dragons, int(view.past_claim[then]))}; "
        f"dragon {dragons[view.past_dragon[then]]}; cards: {', '.join(played)}."
    )


def describe_action(cards: Setup, view: Any, action: int) -> str:
    """An action in words."""
    if action >= CARDS:
        claim = action - SAY
        if claim >= Claim.RANK_0 + len(cards.dragons):
            return f"say {CLAIMS[claim]}, a dragon that this set lacks"
        return f"say {meaning(cards.dragons, claim)}"
    if view.decision == Decision.LEAD:
        return f"lead {action + 1}, face up"
    return f"choose {action + 1}, face down"


def event_words(cards: Setup, players: int, event: Event, seat: int | None) -> str | None:
    """An event in words, for a seat that may see it or for a spectator."""
    first, second = event.first, event.second
    teller = Teller(event, players, seat)
    called, by = teller.called, teller.by
    if event.kind == EventKind.ROUND_STARTED:
        return f"Round {first + 1} of {cards.rounds}. {by('investigate')}."
    if event.kind == EventKind.PEEKED:
        return f"{by('see')} the dragon: it is {first}."
    if event.kind == EventKind.CLAIMED:
        return f"{by('say')} {meaning(cards.dragons, first)}."
    if event.kind == EventKind.LED:
        return f"{by('lead')} {first + 1}."
    if event.kind == EventKind.CHOSE:
        return f"{by('choose')} a card, face down."
    if event.kind == EventKind.CHOSE_CARD:
        return f"{by('put')} down {first + 1}."
    if event.kind == EventKind.TURNED_UP:
        return f"The dragon is turned up: {first}."
    if event.kind == EventKind.SCORED:
        if second == 0:
            return f"{by('play')} {first + 1}, which is not counted: 0."
        fate = f"{by('succeed')} with" if second > 0 else f"{by('get')} bitten with"
        return f"{fate} {first + 1}: {second:+d}."
    if event.kind == EventKind.GAME_OVER:
        winners = teller.winners(first)
        if len(winners) == 1:
            return capital(f"{called(winners[0], 'win')} with {second} points.")
        names = [called(other) for other in winners]
        return capital(f"{', '.join(names[:-1])} and {names[-1]} win with {second} points.")
    raise ValueError(f"no event of this game has kind {event.kind}")


def why_not(options: Options, cards: Setup, state: Any, action: int) -> str:
    """Why the seat to act cannot do this now, with the rule's number."""
    if action < CARDS:
        if state.decision == Decision.CLAIM:
            return "R7, R8: the investigator first makes a statement, or keeps silent, and then leads a card"
        value = action + 1
        if value not in cards.hands[state.seat]:
            return f"R4, R8: you play a card of your hand; {value} was never in it, you hold {_held(state)}"
        return f"R8, R20: you play a card of your hand; {value} was already played, you hold {_held(state)}"
    if state.decision != Decision.CLAIM:
        return (
            f"R7: only the investigator speaks, before it leads; at {Decision.names()[state.decision]} you play a card"
        )
    claim = action - SAY
    if claim == Claim.SILENT:
        return "J3: with allow_silence=False the investigator has to say something"
    if claim in (Claim.LOW, Claim.HIGH) or options.claims != "numeric":
        return f"J2: {CLAIMS[claim]} is no statement with claims={options.claims!r}"
    rank = claim - Claim.RANK_0
    if rank >= len(cards.dragons):
        return f"J2: the set has {len(cards.dragons)} dragons, RANK_0 to RANK_{len(cards.dragons) - 1}"
    return f"J5: dragon {cards.dragons[rank]} has been turned up already"


def _held(state: Any) -> str:
    return listed(values_of(state.hand[state.seat]))
