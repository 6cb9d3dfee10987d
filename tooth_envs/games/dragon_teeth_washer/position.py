"""Positions in words: a state as a dict and back, with what makes a position impossible.

Keys, besides those of every game:

investigator   seat, of the round being played
round          its number; the number of rounds once all are over (follows from history)
dragon         value of the dragon looked at in this round, null before
claim          statement of this round: NONE, SILENT, LOW, HIGH or RANK_k; null before it is made
cards          per seat, the card on the table (lead or face-down choice), null before
history        finished rounds, oldest first: dragon, and as far as known claim, cards, investigator, points
hands, plus, minus, zero   per seat, card values
scores, honesty            per seat, points; statements found [true, false, left out]
pile           dragons of the face-down pile, in any order
dragon_order   values of the next dragons, top of the pile first

Only what differs from the frame is given. The frame is the beginning of round 0 with full hands and a full pile.
Piles, scores and records follow from a complete history; without one, cards that are mentioned nowhere were not
counted (zero pile). Hands and pile are what is left. ``rest`` is for the pile: "shuffled" (the default) or "sorted",
which turns the dragons up in ascending order; "aside" is refused, because every dragon of the set is in play (I2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tooth_envs.engine.chance import set_script
from tooth_envs.engine.state import RUNNING, TERMINATED
from tooth_envs.errors import OptionError, PositionError
from tooth_envs.games.dragon_teeth_washer.cards import CARDS, Setup
from tooth_envs.games.dragon_teeth_washer.state import CLAIMS, Claim, Decision, Honesty, Options, Phase
from tooth_envs.spec import reader
from tooth_envs.spec.options import scripted_seat, seat_number

KEYS = (
    "round",
    "investigator",
    "dragon",
    "claim",
    "cards",
    "history",
    "hands",
    "plus",
    "minus",
    "zero",
    "scores",
    "honesty",
    "pile",
    "dragon_order",
)
_ROUND_KEYS = ("investigator", "dragon", "claim", "cards", "points")


def points(cards: Sequence[int], limit: int) -> list[int]:
    """What each of the cards of a round brings under a dragon: the closed form of R12-R18."""
    earned = []
    for value in cards:
        lower = sum(other for other in cards if other < value)
        group = value * sum(1 for other in cards if other == value)
        earned.append(value if lower + group <= limit else -value if lower <= limit else 0)
    return earned


def truth(claim: int, rank: int, dragons: int) -> int | None:
    """The column of ``honesty`` that a statement about the dragon of a rank belongs to; None if to none (J4)."""
    if claim < Claim.SILENT:
        return None
    if claim == Claim.SILENT:
        return Honesty.UNSAID
    low = 2 * rank < dragons
    true = low == (claim == Claim.LOW) if claim < Claim.RANK_0 else claim - Claim.RANK_0 == rank
    return Honesty.TRUE if true else Honesty.FALSE


def values_of(mask: int) -> list[int]:
    """The card values in a bit mask."""
    return [card + 1 for card in range(CARDS) if int(mask) >> card & 1]


def mask_of(values: Sequence[int]) -> int:
    """The bit mask of card values."""
    return sum(1 << (value - 1) for value in values)


def forced(options: Options, cards: Setup, now: int) -> bool:
    """J14: whether the engine plays a round."""
    return options.skip_forced and cards.hand_size - now == 1


def blank_state(options: Options, cards: Setup, state: Any) -> None:
    """Where positions start from: the beginning of round 0, nobody asked yet."""
    state.seat = -1
    state.decision = -1
    state.phase = Phase.ROUND_START
    state.investigator = max(0, seat_number(options.first_investigator))
    state.seen[:] = -1
    state.claim[:] = Claim.NOT_MADE
    state.card[:] = -1
    state.pile[: len(cards.dragons)] = 1
    for seat, hand in enumerate(cards.hands):
        state.hand[seat] = mask_of(hand)


def reset_script(options: Options, cards: Setup, given: Mapping[str, Any]) -> dict[str, list[int]]:
    """The chance outcomes that ``reset(options=...)`` asks for."""
    script: dict[str, list[int]] = {}
    seat = given.get("first_investigator")
    if seat is not None:
        picks = scripted_seat("first_investigator", seat, options.first_investigator, options.num_players)
        if picks:
            script["pick"] = picks
    order = given.get("dragon_order")
    if order is not None:
        values = list(order) if isinstance(order, list | tuple) else []
        if not set(values) <= set(cards.dragons) or len(set(values)) < max(len(values), cards.rounds):
            raise OptionError(
                f"reset option dragon_order is {order!r}; give {cards.rounds} or more different dragons of "
                f"{list(cards.dragons)}, the first to come first"
            )
        script["draw"] = [cards.dragons.index(value) for value in values[: cards.rounds]]
    return script


# From a state to words.


def read(cards: Setup, players: int, state: Any) -> dict[str, Any]:
    """The game's own part of a position."""
    now = int(state.round_number)
    playing = now < cards.rounds
    seats = range(players)

    def card(then: int, seat: int) -> int | None:
        return int(state.card[then, seat]) + 1 if state.card[then, seat] >= 0 else None

    def claim(then: int) -> str | None:
        return CLAIMS[state.claim[then]] if state.claim[then] >= 0 else None

    def dragon(then: int) -> int | None:
        return cards.dragons[state.seen[then]] if state.seen[then] >= 0 else None

    history = []
    for then in range(now):
        played = [card(then, seat) for seat in seats]
        known = [value for value in played if value is not None]
        limit = dragon(then)
        history.append(
            {
                "investigator": first_of(state, cards, players, then),
                "dragon": limit,
                "claim": claim(then),
                "cards": played,
                "points": points(known, limit) if len(known) == players and limit is not None else None,
            }
        )
    return {
        "round": now,
        "investigator": int(state.investigator),
        "dragon": dragon(now) if playing else None,
        "claim": claim(now) if playing else None,
        "cards": [card(now, seat) if playing else None for seat in seats],
        "history": history,
        "hands": [values_of(state.hand[seat]) for seat in seats],
        "plus": [values_of(state.plus[seat]) for seat in seats],
        "minus": [values_of(state.minus[seat]) for seat in seats],
        "zero": [values_of(state.zero[seat]) for seat in seats],
        "scores": [int(state.score[seat]) for seat in seats],
        "honesty": [[int(count) for count in state.honesty[seat]] for seat in seats],
        "pile": [value for rank, value in enumerate(cards.dragons) if state.pile[rank]],
    }


def first_of(state: Any, cards: Setup, players: int, then: int) -> int:
    """Who investigated in a finished round (R21); after the last round, nobody follows."""
    latest = min(int(state.round_number), cards.rounds - 1)
    return (int(state.investigator) - latest + then) % players


# From words to a state.


class Reader(reader.Reader):
    """Reads cards, dragons and statements."""

    def __init__(self, where: str, cards: Setup, players: int) -> None:
        super().__init__(where, players)
        self.cards = cards

    def rank(self, key: str, value: Any) -> int:
        """-1 for null."""
        if value is None:
            return -1
        if isinstance(value, bool) or value not in self.cards.dragons:
            raise self.refuse(key, f"{value!r} is not in the dragon set {list(self.cards.dragons)} (R2)")
        return self.cards.dragons.index(value)

    def claim(self, key: str, value: Any) -> int:
        """NOT_MADE for null."""
        if value is None:
            return Claim.NOT_MADE
        if value not in CLAIMS:
            raise self.refuse(key, f"{value!r} is given; statements are {', '.join(CLAIMS)}")
        return CLAIMS.index(value)

    def table(self, key: str, value: Any) -> list[int]:
        """Cards by seat; -1 for null."""
        return [-1 if card is None else self.whole(key, card, 1, CARDS) - 1 for card in self.per_seat(key, value)]

    def hands(self, key: str, value: Any) -> list[int]:
        """Bit masks by seat."""
        masks = []
        for seat, entry in enumerate(self.per_seat(key, value)):
            if not isinstance(entry, list | tuple):
                raise self.refuse(key, f"{entry!r} is given for seat {seat}; give a list of card values")
            listed = [self.whole(key, card, 1, CARDS) for card in entry]
            if len(set(listed)) < len(listed):
                raise self.refuse(key, f"seat {seat} has a card twice; every seat has one card of each value (R4)")
            masks.append(mask_of(listed))
        return masks


def write(where: str, options: Options, cards: Setup, state: Any, position: Mapping[str, Any]) -> None:
    """Write the game's own keys of a position into a record that holds the frame or a deal."""
    players = options.num_players
    read_as = Reader(where, cards, players)
    seats = range(players)
    complete = _write_history(read_as, state, position)
    now = int(state.round_number)
    _write_round(read_as, options, state, position)

    start = [mask_of(hand) for hand in cards.hands]
    table = [
        1 << int(state.card[now, seat]) if now < cards.rounds and state.card[now, seat] >= 0 else 0 for seat in seats
    ]
    for key in ("plus", "minus", "zero"):
        if key in position:
            given = read_as.hands(key, position[key])
            if complete and given != state[key][:players].tolist():
                made = [values_of(mask) for mask in state[key][:players]]
                raise read_as.refuse(key, f"{position[key]} is given, but the finished rounds make {made} (R19)")
            state[key][:players] = given
    if "hands" in position:
        state.hand[:players] = read_as.hands("hands", position["hands"])
    else:
        for seat in seats:
            spent = int(state.plus[seat] | state.minus[seat] | state.zero[seat]) | table[seat]
            state.hand[seat] = start[seat] & ~spent
    for seat in seats:
        if not complete and "zero" not in position:
            known = int(state.plus[seat] | state.minus[seat] | state.hand[seat]) | table[seat]
            state.zero[seat] = start[seat] & ~known
        state.score[seat] = sum(values_of(state.plus[seat])) - sum(values_of(state.minus[seat]))
    if "scores" in position:
        given = read_as.per_seat("scores", position["scores"])
        if given != state.score[:players].tolist():
            reason = f"{given} is given, but the piles make {state.score[:players].tolist()} (I4)"
            raise read_as.refuse("scores", reason)
    _write_pile(read_as, state, position)


def _write_history(read_as: Reader, state: Any, position: Mapping[str, Any]) -> bool:
    """Finished rounds, and what follows from them; True if nothing of them is unknown."""
    cards, players = read_as.cards, read_as.players
    rows = position.get("history", [])
    if not isinstance(rows, list | tuple) or len(rows) > cards.rounds:
        raise read_as.refuse("history", f"give a list of at most {cards.rounds} rounds")
    now = len(rows)
    if "round" in position and read_as.whole("round", position["round"], 0, cards.rounds) != now:
        raise read_as.refuse("round", f"{position['round']} is given, but history has {now} finished rounds")
    state.round_number = now
    if "investigator" in position:
        state.investigator = read_as.whole("investigator", position["investigator"], 0, players - 1)
    else:
        state.investigator = (int(state.investigator) + min(now, cards.rounds - 1)) % players
    complete = True
    for then, row in enumerate(rows):
        key = f"history[{then}]"
        if not isinstance(row, Mapping) or not set(row) <= set(_ROUND_KEYS):
            raise read_as.refuse(key, f"{row!r} is given; give a mapping with keys of {', '.join(_ROUND_KEYS)}")
        state.seen[then] = read_as.rank(f"{key}.dragon", row.get("dragon"))
        if state.seen[then] < 0:
            raise read_as.refuse(key, "dragon is missing; the dragons of finished rounds are known (R11)")
        state.claim[then] = read_as.claim(f"{key}.claim", row.get("claim"))
        played = read_as.table(f"{key}.cards", row.get("cards", [None] * players))
        state.card[then, :players] = played
        leader = first_of(state, cards, players, then)
        if row.get("investigator", leader) != leader:
            raise read_as.refuse(key, f"investigator is {row['investigator']!r}, but it was seat {leader}'s turn (I9)")
        column = truth(int(state.claim[then]), int(state.seen[then]), len(cards.dragons))
        if column is not None:
            state.honesty[leader, column] += 1
        if -1 in played:
            complete = False
            continue
        earned = points([card + 1 for card in played], cards.dragons[state.seen[then]])
        if row.get("points") is not None and read_as.per_seat(f"{key}.points", row["points"]) != earned:
            raise read_as.refuse(key, f"points are {row['points']}, but these cards earn {earned} (R12-R18)")
        for seat, (card, gain) in enumerate(zip(played, earned, strict=True)):
            pile = state.plus if gain > 0 else state.minus if gain < 0 else state.zero
            pile[seat] |= 1 << card
    if "honesty" in position:
        _write_honesty(read_as, state, position)
    return complete


def _write_honesty(read_as: Reader, state: Any, position: Mapping[str, Any]) -> None:
    known = state.honesty[: read_as.players].tolist()
    given = [
        [read_as.whole("honesty", count, 0, len(CLAIMS)) for count in entry]
        if isinstance(entry, list | tuple) and len(entry) == 3
        else [-1]
        for entry in read_as.per_seat("honesty", position["honesty"])
    ]
    now = int(state.round_number)
    open_rounds = [0] * read_as.players  # whose statement is not known
    for then in range(now):
        if state.claim[then] == Claim.NOT_MADE:
            open_rounds[first_of(state, read_as.cards, read_as.players, then)] += 1
    for seat, counts in enumerate(given):
        more = [count - least for count, least in zip(counts, known[seat], strict=False)]
        if len(counts) != 3 or min(more) < 0 or sum(more) > open_rounds[seat]:
            raise read_as.refuse("honesty", f"{counts} is given for seat {seat}, but history makes {known[seat]} (J4)")
    state.honesty[: read_as.players] = given


def _write_round(read_as: Reader, options: Options, state: Any, position: Mapping[str, Any]) -> None:
    """The round being played."""
    now = int(state.round_number)
    if now == read_as.cards.rounds:
        for key in ("dragon", "claim"):
            if position.get(key) is not None:
                raise read_as.refuse(key, "all rounds are over")
        if any(card is not None for card in position.get("cards", ())):
            raise read_as.refuse("cards", "all rounds are over")
        return
    if "dragon" in position:
        state.seen[now] = read_as.rank("dragon", position["dragon"])
    elif now > 0:
        state.seen[now] = -1
    phase = position.get("at") or position.get("phase")
    no_statement = options.claims == "none" or forced(options, read_as.cards, now)
    if "claim" in position:
        state.claim[now] = read_as.claim("claim", position["claim"])
    elif no_statement and phase in ("LEAD", "FOLLOW", "RESOLVE"):
        state.claim[now] = Claim.NONE
    if "cards" in position:
        state.card[now, : read_as.players] = read_as.table("cards", position["cards"])


def _write_pile(read_as: Reader, state: Any, position: Mapping[str, Any]) -> None:
    """The dragons that nobody has looked at yet, and how they will come."""
    dragons = read_as.cards.dragons
    out = {int(rank) for rank in state.seen if rank >= 0}
    left = [rank for rank in range(len(dragons)) if rank not in out]
    state.pile[:] = 0
    state.pile[left] = 1
    if "pile" in position:
        given = position["pile"]
        if not isinstance(given, list | tuple):
            raise read_as.refuse("pile", f"{given!r} is given; give a list of dragon values")
        if sorted(read_as.rank("pile", value) for value in given) != left:
            expected = [dragons[rank] for rank in left]
            raise read_as.refuse("pile", f"{list(given)} is given, but {expected} are left of the set (I2)")
    rest = position.get("rest", "shuffled")
    if rest not in ("shuffled", "sorted"):
        why = " (every dragon of the set is in play, I2)" if rest == "aside" else ""
        raise read_as.refuse("rest", f"{rest!r} is given; give 'shuffled' or 'sorted'{why}")
    order = position.get("dragon_order", [dragons[rank] for rank in left] if rest == "sorted" else None)
    if order is None:
        return
    script = dict(position.get("script") or {})
    if "draw" in script or "any" in script:
        raise read_as.refuse("dragon_order", "is given, and so are draws in script; give one of them")
    if not isinstance(order, list | tuple):
        raise read_as.refuse("dragon_order", f"{order!r} is given; give a list of dragon values")
    ranks = [read_as.rank("dragon_order", value) for value in order]
    if len(set(ranks)) < len(ranks) or not set(ranks) <= set(left):
        raise read_as.refuse("dragon_order", f"{list(order)} is given; give dragons of the pile, each once (I2)")
    set_script(state, {**script, "draw": ranks})


# What makes a position impossible.


def check(where: str, options: Options, cards: Setup, state: Any) -> None:
    """Raise PositionError if a record is no possible state of the game."""

    def demand(holds: bool, reason: str) -> None:
        if not holds:
            raise PositionError(f"{where}: {reason}")

    players = options.num_players
    now = int(state.round_number)
    playing = now < cards.rounds
    seen = [int(rank) for rank in state.seen if rank >= 0]
    demand(len(set(seen)) == len(seen), "a dragon is turned up twice; every dragon comes once (I2)")
    for seat in range(players):
        card = int(state.card[now, seat]) if playing else -1
        parts = [int(state[key][seat]) for key in ("hand", "plus", "minus", "zero")]
        parts.append(1 << card if card >= 0 else 0)
        union = 0
        for part in parts:
            demand(not union & part, f"a card of seat {seat} is in two places: {values_of(union & part)} (I1)")
            union |= part
        demand(
            union == mask_of(cards.hands[seat]),
            f"the cards of seat {seat} are {values_of(union)}, but it began with {list(cards.hands[seat])} (I1)",
        )
        piled = sum(len(values_of(part)) for part in parts[1:4])
        demand(piled == now, f"seat {seat} has {piled} cards in its piles after {now} rounds (I3)")
    if state.over == TERMINATED or not playing:
        demand(
            not playing and state.over == TERMINATED, f"the game is over after {cards.rounds} rounds, not before (R22)"
        )
        return
    _check_phase(demand, options, cards, state)


def _check_phase(demand: Any, options: Options, cards: Setup, state: Any) -> None:
    """Whether the round being played fits the phase that play is in."""
    now = int(state.round_number)
    phase = int(state.phase)
    name = Phase.names()[phase]
    leader = int(state.investigator)
    order = [(leader + place) % options.num_players for place in range(options.num_players)]
    played = [state.card[now, seat] >= 0 for seat in order]
    claim = int(state.claim[now])
    automatic = forced(options, cards, now)
    demand(
        phase in (Phase.ROUND_START, Phase.RESOLVE) or not automatic,
        f"round {now} leaves no choice and has no {name} (J14)",
    )
    demand(
        phase == Phase.ROUND_START or state.seen[now] >= 0,
        f"at {name} the investigator has seen a dragon; give dragon (R6)",
    )
    if phase in (Phase.ROUND_START, Phase.CLAIM):
        demand(claim == Claim.NOT_MADE, f"at {name} no statement has been made yet (R7)")
        demand(phase == Phase.ROUND_START or options.claims != "none", "there is no CLAIM with claims='none' (J2)")
    else:
        demand(
            claim != Claim.NOT_MADE,
            f"at {name} the investigator has made its statement or kept silent; give claim (R7)",
        )
        demand(
            claim in _possible_claims(options, cards, state, automatic),
            f"claim: {CLAIMS[claim]} cannot be made here (J2, J3, J5, J14)",
        )
    expected = {Phase.ROUND_START: 0, Phase.CLAIM: 0, Phase.LEAD: 0, Phase.RESOLVE: len(played)}
    count = sum(played)
    if phase == Phase.FOLLOW:
        demand(0 < count < len(played), "at FOLLOW the lead and not yet all other cards are on the table (R9)")
    else:
        demand(
            count == expected[Phase(phase)],
            f"at {name} {expected[Phase(phase)]} cards are on the table, not {count} (R8-R11)",
        )
    demand(played == sorted(played, reverse=True), "cards are laid clockwise, from the investigator on (J10)")
    if state.over == RUNNING and state.seat >= 0:
        actor = order[count] if phase in (Phase.CLAIM, Phase.LEAD, Phase.FOLLOW) else -1
        demand(state.seat == actor, f"at {name} it is seat {actor}'s turn, not seat {int(state.seat)}'s")
        demand(
            Decision.names()[state.decision] == name,
            f"at {name} the decision is not {Decision.names()[state.decision]}",
        )


def _possible_claims(options: Options, cards: Setup, state: Any, automatic: bool) -> set[int]:
    """Statements that could have been made in this round."""
    if automatic or options.claims == "none":
        return {Claim.NONE}
    silence = {Claim.SILENT} if options.allow_silence else set()
    if options.claims == "binary":
        return silence | {Claim.LOW, Claim.HIGH}
    turned_up = {int(rank) for rank in state.seen[: state.round_number]}
    return silence | {Claim.RANK_0 + rank for rank in range(len(cards.dragons)) if rank not in turned_up}
