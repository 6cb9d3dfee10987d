"""Words that the texts of all games share: who does what, as an observer or a spectator calls it."""

from __future__ import annotations

from tooth_envs.engine.events import Event


def capital(sentence: str) -> str:
    """With a capital letter first."""
    return sentence[:1].upper() + sentence[1:]


def third_person(verb: str) -> str:
    """A verb after "left 1": "plays", "passes", "gets bitten"; "are" and "have" change as a whole."""
    first, _, rest = verb.partition(" ")
    ending = "es" if first.endswith(("ss", "ch", "sh")) else "s"
    return f"{ {'are': 'is', 'have': 'has'}.get(first, first + ending) } {rest}".rstrip()


def who(place: int, verb: str = "") -> str:
    """A seat as an observer calls it, with a verb in the right form: "you play", "left 1 plays"."""
    if place == 0:
        return f"you {verb}".rstrip()
    return f"left {place} {third_person(verb)}" if verb else f"left {place}"


class Teller:
    """Calls seats as the one who is told an event does.

    Args:
        event: what is told.
        players: seats at the table.
        seat: who is told; None for a spectator, who calls seats by their numbers.
    """

    def __init__(self, event: Event, players: int, seat: int | None) -> None:
        self.event = event
        self.players = players
        self.seat = seat

    def called(self, other: int, verb: str = "") -> str:
        """A seat, with a verb in the right form."""
        if self.seat is None:
            return f"seat {other} {third_person(verb)}" if verb else f"seat {other}"
        return who((other - self.seat) % self.players, verb)

    def by(self, verb: str) -> str:
        """The event's seat and what it does, at the beginning of a sentence."""
        return capital(self.called(self.event.seat, verb))

    def winners(self, mask: int) -> list[int]:
        """The seats of a bit mask, in the order in which they are told: from the one who is told, clockwise."""
        start = self.seat or 0
        order = ((start + place) % self.players for place in range(self.players))
        return [other for other in order if mask >> other & 1]
