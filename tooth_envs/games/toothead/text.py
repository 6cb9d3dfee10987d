"""Words for people and language models: a view, an action, an event, and why an action is illegal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tooth_envs.engine.events import Event
from tooth_envs.games.toothead import state as s
from tooth_envs.games.toothead.cards import DOCK_0, ISLAND_0, LANES, MAX_SEATS
from tooth_envs.games.toothead.vocabulary import HIT_CARD, SPECIAL
from tooth_envs.spec.wording import Teller, capital, who

if TYPE_CHECKING:
    from tooth_envs.games.toothead.game import Toothead

TASKS = {
    "DOCK": "choose a dock",
    "TURN": "make a move, or end your turn",
    "DRAWN": "play the card you have drawn, or keep it",
    "TARGET": "choose a target",
    "TARGET2": "choose whom the first target is to attack",
    "TRICKWIN": "cancel the trick, or let it happen",
    "DIEWIN": "play a special on a card die, or pass",
    "DIESEAT": "choose whose die",
    "EXCH": "discard a card for the exchange, or stop",
    "DISCARD": "discard a card",
    "GIVE": "choose a card to pass on",
    "PICK": "take a card",
    "ATTACKED": "fight, or get out of it",
    "FUEL": "discard a card as fuel, or none",
    "FTURN": "put a card on a fight token, or stand",
    "LANE": "choose a token",
    "FLIP": "turn the drawn hit up, or leave it face down",
    "FWIN": "change the fight, or pass",
    "FSIDE": "choose a fighter",
    "DIE": "choose a die of the fight",
    "EATWIN": "play a special before eating, or pass",
    "EAT": "eat",
}
"""What each decision asks, in words."""
ALLOWANCE = (("actions", "action"), ("attacks", "attack"), ("islands", "island card"))
MOVES = ("action", "attack", "island card")
FIGHT_DICE = (
    "the attacker's weapon die",
    "the attacker's Toothead die",
    "the defender's weapon die",
    "the defender's Toothead die",
)


def counted(number: int, noun: str) -> str:
    """ "1 card", "2 cards", "no cards"."""
    if noun.endswith(("slice", "action", "attack", "card", "token")) and number != 1:
        noun += "s"
    return f"{number or 'no'} {noun}"


def listed(parts: Iterable[str], empty: str = "none") -> str:
    return ", ".join(parts) or empty


def cards_in(names: Iterable[str], counts: Any) -> str:
    """A pile in words, "2 Jab, Axe"."""
    return listed(f"{int(n)} {name}" if n > 1 else name for name, n in zip(names, counts) if n > 0)


# A view


def describe(game: Toothead, view: Any) -> str:
    """A view in words, several lines."""
    names = [card.name for card in game.cards.bonfire]
    lines = [_now(game, view)]
    if view.trick >= 0:
        line = f"{capital(who(int(view.trick_player), 'play'))} {names[view.trick]}"
        if view.trick_target >= 0:
            line += f" on {who(int(view.trick_target))}"
        if view.trick_second >= 0:
            line += f", to attack {who(int(view.trick_second))}"
        lines.append(line + ".")
    if view.attacker >= 0:
        lines.extend(_fight(game, view))
    dice = [
        f"{who(place)} D{int(view.die_sides[place])} shows {int(view.die_face[place])}"
        + (f" {int(view.die_change[place]):+d}" if view.die_change[place] else "")
        for place in range(MAX_SEATS)
        if view.die_sides[place] > 0
    ]
    if dice:
        lines.append(f"Card dice: {listed(dice)}.")
    lines.extend(_seat(game, view, place) for place in range(MAX_SEATS) if view.present[place])
    lines.append(f"Your pocket: {cards_in(names, view.pocket)}.")
    if view.review.any():
        lines.append(f"You may take one of: {cards_in(names, view.review)}.")
    if view.permanent >= 0:
        card = game.cards.islands[view.permanent]
        lines.append(f"On the island: {card.name}. {card.effect}")
    eaten = [names[kind] for kind in game.cards.foods]
    piles = f"Bin: {cards_in(names, view.bin)}. Eaten: {cards_in(eaten, view.food)}."
    lines.append(f"Bonfire: {int(view.bonfire_size)} cards. {piles}")
    isles = [card.name for card in game.cards.islands]
    lines.append(
        f"Island cards to come: {cards_in(isles, view.islands_left)}. Green space: {cards_in(isles, view.green)}."
    )
    return "\n".join(lines)


def _now(game: Toothead, view: Any) -> str:
    parts = [f"Round {int(view.round_number)}, {s.TurnPhase.names()[view.turn_phase].capitalize()} Phase."]
    if view.active >= 0:
        left = [counted(int(view[name]), noun) for name, noun in ALLOWANCE if view[name]]
        left += ["the exchange"] * int(view.can_exchange) + ["the island die"] * int(view.can_roll)
        whose = "Your turn" if view.active == 0 else f"The turn of {who(int(view.active))}"
        parts.append(f"{whose}, with {listed(left, 'nothing')} left.")
    if view.decision >= 0:
        about = f" ({game.cards.bonfire[view.context].name})" if view.context >= 0 else ""
        parts.append(f"You are to {TASKS[s.Decision.names()[view.decision]]}{about}.")
    return " ".join(parts)


def _seat(game: Toothead, view: Any, place: int) -> str:
    name = capital(who(place))
    if not view.alive[place]:
        return f"{name}: eliminated."
    parts = []
    if view.dock[place] >= 0:
        parts.append(game.cards.docks[view.dock[place]].name)
    parts.append(f"{counted(int(view.slices[place]), 'slice')} (D{int(view.sides[place])})")
    parts.append(f"{int(view.meat[place])} meat")
    weapon = game.cards.bonfire[game.cards.weapons[view.weapon[place]]].name if view.weapon[place] >= 0 else "no weapon"
    parts.append(weapon)
    if view.megas[place].any():
        parts.append(cards_in([game.cards.bonfire[kind].name for kind in game.cards.megas], view.megas[place]))
    parts.append(counted(int(view.pocket_size[place]), "card"))
    if view.known[place].any():
        parts.append(f"among them {cards_in([card.name for card in game.cards.bonfire], view.known[place])}")
    if view.holder[place]:
        parts.append("holds the initiative")
    if place and view.partner[place]:
        parts.append("your partner")
    return f"{name}: {', '.join(parts)}."


def _fight(game: Toothead, view: Any) -> list[str]:
    fighters = [int(view.attacker), int(view.defender)]
    if not view.fighting:
        return [f"{capital(who(fighters[0], 'attack'))} {who(fighters[1])}."]
    lines = [f"A fight: {who(fighters[0])} against {who(fighters[1])}."]
    for side, place in enumerate(fighters):
        tokens = []
        for lane in range(LANES):
            word = s.TOKENS[view.token[side, lane]].replace("_", " ") if view.token[side, lane] >= 0 else "none"
            if view.face_up[side, lane] >= 0:
                word = game.cards.bonfire[game.cards.hits[view.face_up[side, lane]]].name
            elif word == "face down" and place == 0 and view.own_down[lane] >= 0:
                word = f"{game.cards.bonfire[view.own_down[lane]].name} (face down)"
            tokens.append(f"{lane + 1} {word}")
        parts = [f"tokens {listed(tokens)}"]
        for number, noun in ((2 * side, "weapon die"), (2 * side + 1, "Toothead die")):
            if view.fight_face[number] > 0:
                parts.append(f"{noun} {int(view.fight_face[number])} (counts {int(view.fight_value[number])})")
        for key, noun in (("bonus_dice", "extra dice"), ("side_change", "specials")):
            if view[key][side]:
                parts.append(f"{noun} {int(view[key][side]):+d}")
        for key, words in (("stood", "stands"), ("unfuelled", "has no fuel")):
            if view[key][side]:
                parts.append(words)
        if view.fight_face[1] > 0:
            parts.append(f"pool {int(view.pool[side])}")
        lines.append(f"{('Attacker', 'Defender')[side]}, {who(place)}: {'; '.join(parts)}.")
    return lines


# An action


def describe_action(game: Toothead, view: Any, action: int) -> str:
    """An action in words, as the seat that sees ``view`` would say it."""
    asked = s.Decision.names()[view.decision] if view.decision >= 0 else ""
    if action >= s.Action.CARD:
        kind = action - s.Action.CARD
        if kind >= len(game.cards.bonfire):
            return f"card {kind}, which this deck lacks"
        card = game.cards.bonfire[kind]
        verbs = {
            "EXCH": "discard",
            "DISCARD": "discard",
            "GIVE": "pass on",
            "PICK": "take",
            "FUEL": "burn",
            "EAT": "eat",
        }
        if asked in verbs:
            return f"{verbs[asked]} {card.name}"
        return f"play {card.name}: {_small(card.effect)}"
    if action >= s.Action.DOCK:
        dock = action - s.Action.DOCK
        if dock >= len(game.cards.docks):
            return f"dock {dock}, which this deck lacks"
        return f"take {game.cards.docks[dock].name}: {_small(game.cards.docks[dock].effect)}"
    if action >= s.Action.SEAT:
        return f"choose {'yourself' if action == s.Action.SEAT else who(action - s.Action.SEAT)}"
    if action > s.ATTACK_PLUS:
        return f"attack {who(action - s.ATTACK_PLUS)}"
    if action >= s.Action.DIE:
        return f"choose {FIGHT_DICE[action - s.Action.DIE]}"
    if action >= s.Action.FDRAW:
        return f"draw a card onto token {action - s.Action.FDRAW + 1}"
    if action >= s.Action.LANE:
        return f"put it on token {action - s.Action.LANE + 1}"
    return _word(asked, action)


def _small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _word(asked: str, action: int) -> str:
    """Actions whose meaning the decision tells."""
    if action == s.Action.PASS:
        return {"TURN": "end your turn", "EXCH": "stop discarding and draw", "FTURN": "stand", "FUEL": "no fuel"}.get(
            asked, "pass"
        )
    if action == s.Action.YES:
        return {"ATTACKED": "fight", "DRAWN": "play it", "FLIP": "turn it up"}.get(asked, "yes")
    if action == s.Action.KEEP:
        return {"DRAWN": "keep it", "FLIP": "leave it face down"}.get(asked, "keep")
    words: dict[int, str] = {
        s.Action.DRAW: "draw a card",
        s.Action.ISLAND: "play an island card",
        s.Action.BONUS_DIE: "roll the island die",
        s.Action.EXCHANGE: "exchange cards",
        s.Action.BRIBE: "give 1 meat to the attacker",
        s.Action.WEAPON: "use the specialty of your weapon",
        s.Action.KNACK: "use your knack",
        s.Action.EAT_MEAT: "eat 1 meat",
        s.Action.EAT_SLICE: "give up a slice",
    }
    return words[action]


# An event


def event_words(game: Toothead, event: Event, seat: int | None) -> str:
    """An event in words, for a seat that may see it or for a spectator."""
    teller = Teller(event, game.num_players, seat)
    words = _EVENTS[event.kind](game, event, teller.by, teller.called)
    return f"{words}."


Words = Callable[["Toothead", Event, Callable[[str], str], Callable[..., str]], str]


def _kind(game: Toothead, kind: int) -> str:
    return game.cards.bonfire[kind].name


def _island(game: Toothead, island: int) -> str:
    return game.cards.name_of(ISLAND_0 + island)


def _played(game: Toothead, e: Event, by: Any, called: Any) -> str:
    target = f" on {called(e.second)}" if e.second >= 0 and e.second != e.seat else ""
    return by(f"play {_kind(game, e.first)}{target}")


def _die_changed(game: Toothead, e: Event, by: Any, called: Any) -> str:
    return f"The card die of {called(e.seat)} " + (f"now shows {e.first}" if e.second else f"counts {e.first:+d}")


def _fight_die(game: Toothead, e: Event, by: Any, called: Any) -> str:
    die = f"an extra die of {called(e.seat)}" if e.first < 0 else FIGHT_DICE[e.first]
    return capital(f"{die} shows {e.second}")


def _fight_over(game: Toothead, e: Event, by: Any, called: Any) -> str:
    result = f"{max(e.first, e.second)} against {min(e.first, e.second)}"
    return f"The fight is a tie, {result}" if e.seat < 0 else by(f"win the fight, {result}")


def _game_over(game: Toothead, e: Event, by: Any, called: Any) -> str:
    return f"The game is over. First: {listed(called(n) for n in range(game.num_players) if e.first >> n & 1)}"


_EVENTS: dict[int, Words] = {
    s.EventKind.INITIATIVE: lambda game, e, by, called: by("take the initiative"),
    s.EventKind.TOOK_DOCK: lambda game, e, by, called: by(f"take the dock {game.cards.name_of(DOCK_0 + e.first)}"),
    s.EventKind.DEALT: lambda game, e, by, called: by(f"begin with {counted(e.first, 'card')}"),
    s.EventKind.PHASE_BEGAN: lambda game, e, by, called: (
        f"Round {e.second}: {s.TurnPhase.names()[e.first].capitalize()} Phase"
    ),
    s.EventKind.TURN_BEGAN: lambda game, e, by, called: by("begin a turn"),
    s.EventKind.DREW: lambda game, e, by, called: by("draw a card"),
    s.EventKind.DREW_CARD: lambda game, e, by, called: by(f"get {_kind(game, e.first)}"),
    s.EventKind.PLAYED: _played,
    s.EventKind.CANCELLED: lambda game, e, by, called: by(f"cancel {_kind(game, e.first)}"),
    s.EventKind.DISCARDED: lambda game, e, by, called: by(f"discard {_kind(game, e.first)}"),
    s.EventKind.STOLE: lambda game, e, by, called: by(f"take a card of {called(e.first)}"),
    s.EventKind.STOLE_CARD: lambda game, e, by, called: by(f"get {_kind(game, e.second)} from {called(e.first)}"),
    s.EventKind.LOOKED: lambda game, e, by, called: by(f"look into the pocket of {called(e.first)}"),
    s.EventKind.TOOK: lambda game, e, by, called: by(f"take {_kind(game, e.first)} from the bin"),
    s.EventKind.SWAPPED: lambda game, e, by, called: by(f"exchange pockets with {called(e.first)}"),
    s.EventKind.GAVE: lambda game, e, by, called: by(f"pass a card to {called(e.first)}"),
    s.EventKind.GAVE_CARD: lambda game, e, by, called: by(f"give {_kind(game, e.second)} to {called(e.first)}"),
    s.EventKind.GAINED: lambda game, e, by, called: by(f"gain {counted(e.second, MOVES[e.first])}"),
    s.EventKind.ISLAND_DIE: lambda game, e, by, called: by(f"roll the island die: {s.FACES[e.first]}"),
    s.EventKind.ISLAND_CARD: lambda game, e, by, called: by(f"reveal {_island(game, e.first)}"),
    s.EventKind.MEAT: lambda game, e, by, called: by(f"{'gain' if e.first > 0 else 'lose'} {abs(e.first)} meat"),
    s.EventKind.HEALED: lambda game, e, by, called: by("turn meat back into a slice"),
    s.EventKind.ROLLED: lambda game, e, by, called: by(f"roll {e.first} on a D{e.second}"),
    s.EventKind.CHANGED_DIE: _die_changed,
    s.EventKind.LOST_WEAPON: lambda game, e, by, called: by(f"lose the weapon {_kind(game, e.first)}"),
    s.EventKind.LOST_MEGA: lambda game, e, by, called: by(f"lose {_kind(game, e.first)} from the dock"),
    s.EventKind.ATTACKED: lambda game, e, by, called: by(f"attack {called(e.first)}"),
    s.EventKind.ATTACK_OFF: lambda game, e, by, called: f"The attack of {called(e.seat)} on {called(e.first)} is off",
    s.EventKind.BRIBED: lambda game, e, by, called: by(f"bribe {called(e.first)}"),
    s.EventKind.REDIRECTED: lambda game, e, by, called: by(f"redirect the attack to {called(e.first)}"),
    s.EventKind.FIGHT_BEGAN: lambda game, e, by, called: by(f"fight {called(e.first)}"),
    s.EventKind.TOKEN_OUT: lambda game, e, by, called: f"Token {e.first + 1} of {called(e.seat)} is neutralised",
    s.EventKind.TOKEN_BACK: lambda game, e, by, called: f"Token {e.first + 1} of {called(e.seat)} is active again",
    s.EventKind.PLACED: lambda game, e, by, called: by(f"put {_kind(game, e.first)} on token {e.second + 1}"),
    s.EventKind.FACE_DOWN: lambda game, e, by, called: by(f"put a card face down on token {e.first + 1}"),
    s.EventKind.STOOD: lambda game, e, by, called: by("stand"),
    s.EventKind.FUELLED: lambda game, e, by, called: by(f"use {_kind(game, e.first)} as fuel"),
    s.EventKind.FIGHT_DIE: _fight_die,
    s.EventKind.SIDE_CHANGED: lambda game, e, by, called: f"The pool of {called(e.seat)} changes by {e.first:+d}",
    s.EventKind.COUNTED: lambda game, e, by, called: by(f"count {e.first} for dice, {e.second} for hits and all else"),
    s.EventKind.FIGHT_OVER: _fight_over,
    s.EventKind.LOST_SLICE: lambda game, e, by, called: by(f"have {counted(e.first, 'slice')} left"),
    s.EventKind.ATE: lambda game, e, by, called: by(f"eat {('meat', 'a slice', 'a card instead', 'nothing')[e.first]}"),
    s.EventKind.WORKED: lambda game, e, by, called: by(f"have {game.cards.name_of(e.first)} at work"),
    s.EventKind.ELIMINATED: lambda game, e, by, called: by("are eliminated"),
    s.EventKind.GAME_OVER: _game_over,
}


# Why not


def why_not(game: Toothead, state: Any, action: int) -> str:
    """Why the seat to act cannot do this now, with the rule's number."""
    asked = s.Decision.names()[state.decision]
    legal = f"legal now: {listed(game.legal_names(state))}"
    seat = int(state.seat)
    if action >= s.Action.CARD:
        return f"{_why_not_card(game, state, asked, action - s.Action.CARD)}; {legal}"
    reasons: dict[int, str] = {
        s.Action.DRAW: "R28, J7: drawing takes an action, and a card in bonfire or bin",
        s.Action.ISLAND: "R17, R19: no island card may be played now",
        s.Action.BONUS_DIE: "R18, J46: the island die is rolled once, in the Hunger Phase",
        s.Action.EXCHANGE: "R16, J9: the exchange is for the Digestion Phase, once, with enough cards",
        s.Action.BRIBE: "R59, J18: a bribe takes meat, and an attacker who accepts bribes",
        s.Action.WEAPON: "J18, J29: your weapon has no use here, it is spent, or it is banned",
        s.Action.KNACK: "J29: your knack has no use here, it is spent, or it is banned",
        s.Action.EAT_MEAT: "R22: there is no meat to eat",
        s.Action.EAT_SLICE: "R32: whoever has meat eats meat",
    }
    if asked in ("TURN", "ATTACKED", "EAT", "FWIN") and action in reasons:
        return f"{reasons[action]}; {legal}"
    if asked == "TURN" and s.ATTACK_PLUS < action < s.Action.SEAT:
        if action - s.ATTACK_PLUS >= game.num_players:
            return f"there are {game.num_players} seats; {legal}"
        if state.attacks == 0:
            return f"R30: no attack is left in this turn; {legal}"
        return f"J22: {who(action - s.ATTACK_PLUS)} cannot be attacked; {legal}"
    return f"section 5.2: at {asked} seat {seat} decides something else; {legal}"


def _why_not_card(game: Toothead, state: Any, asked: str, kind: int) -> str:
    if kind >= len(game.cards.bonfire):
        return f"J45: this deck has {len(game.cards.bonfire)} kinds of cards, numbered from 0"
    card = game.cards.bonfire[kind]
    if asked == "PICK":
        return f"J52: {card.id} is not among the cards you may take"
    if state.pocket[state.seat][kind] == 0:
        return f"{card.id} is not in your pocket"
    category = np.asarray(game.tables["category"])[0][kind]
    if category == SPECIAL:
        return f"J13: {card.id} cannot be played at {asked} now"
    if category == HIT_CARD and asked == "TURN":
        return f"R39: {card.id} is a hit, for fights only"
    if asked == "TURN" and state.actions == 0:
        return f"R36, R37: no action is left for {card.id}"
    if asked == "TURN":
        return f"J10: {card.id} would have no effect now"
    return f"section 5.2: {card.id} has no use at {asked}"
