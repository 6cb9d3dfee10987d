"""A person at a terminal as an agent: reads words, chooses by number or by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tooth_envs.spec.game import Game

HELP = """Choose an action by its number in the list (2 or #2) or by its name; case does not matter, and a beginning
will do if it fits only one legal action. Or: view (see the table again), help, help CARD (what a card does), quit."""


MOST_WRONG = 100
"""Answers in a row that choose nothing after which it is no person who answers."""


class Quit(Exception):
    """The person wants to stop."""


class HumanAgent:
    """A person. Shown the view of the seat that is to act, and nothing else.

    Args:
        game: what is played; gives the words.
        read: asks for a line, given a prompt; raises EOFError when there will be no more.
        write: shows text.
    """

    name = "human"

    def __init__(self, game: Game, read: Callable[[str], str], write: Callable[[str], None]) -> None:
        self.game = game
        self.read = read
        self.write = write

    def act(self, observation: np.ndarray, view: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        """See Agent.act. Asks for one row after the other.

        Raises:
            Quit: the person wants to stop, or there is no more input.
        """
        records = np.array(view).view(np.recarray)
        return np.array([self.choose(records[row], mask[row]) for row in range(len(mask))], np.int64)

    def choose(self, view: Any, mask: np.ndarray) -> int:
        """Show a view (one record) and its legal actions, and ask until one is chosen.

        Raises:
            Quit: the person wants to stop, there is no more input, or none that makes sense.
        """
        legal = [int(action) for action in np.flatnonzero(mask)]
        self._show(view, legal)
        before = ""
        for _ in range(MOST_WRONG):
            try:
                answer = self.read("Your action: ").strip()
            except EOFError:
                raise Quit from None
            insists, before = answer.isdecimal() and answer == before, answer
            match answer.lower():
                case "":
                    continue
                case "quit" | "exit" | "q":
                    raise Quit
                case "help" | "h" | "?":
                    self.write(HELP)
                case words if words.startswith(("help ", "? ")):
                    self.write(self.about(words.partition(" ")[2]))
                case "view" | "v":
                    self._show(view, legal)
                case _:
                    action, problem = self.understand(f"#{answer}" if insists else answer, legal)
                    if action is not None:
                        return action
                    self.write(problem)
        self.write(f"{MOST_WRONG} answers in a row chose nothing.")
        raise Quit

    def _show(self, view: Any, legal: list[int]) -> None:
        self.write("")
        self.write(self.game.describe(view))
        self.write("")
        width = max(len(self.game.actions[action]) for action in legal)
        for number, action in enumerate(legal, 1):
            words = self.game.describe_action(view, action)
            name = self.game.actions[action]
            self.write(f"{number:>3}  {name:<{width}}  {words if words != name else ''}".rstrip())

    def about(self, name: str) -> str:
        """What the deck says of a card, by its name or id."""
        cards = self.game.deck.cards if self.game.deck else ()
        word = _folded(name)
        for card in cards:
            if word in (_folded(card.name), _folded(card.id)):
                return f"{card.name} ({card.type}): {card.effect}"
        return f"There is no card {name.strip()!r} in this game."

    def understand(self, answer: str, legal: list[int]) -> tuple[int | None, str]:
        """What a person means: (an action, ""), or (None, what is wrong).

        Args:
            answer: a number from 1 in the list of legal actions, or an action's name or its beginning. A number that is
                also another action's own (2 where BRUSH_3 is second) must be written with #, or given twice.
            legal: the legal actions, in the order in which they are numbered.
        """
        number = answer.removeprefix("#")
        if number.isdecimal():
            if not 1 <= int(number) <= len(legal):
                return None, f"There is no number {number}: they go from 1 to {len(legal)}."
            chosen = legal[int(number) - 1]
            also = [action for action in legal if _folded(self.game.actions[action]).split("_")[-1] == number]
            if number == answer and also and chosen not in also:
                other, own = self.game.actions[also[0]], self.game.actions[chosen]
                return (
                    None,
                    f"Number {number} of the list is {own}. Type {number} again for that, or {other} if you mean it.",
                )
            return chosen, ""
        word = _folded(answer)
        names = {action: _folded(self.game.actions[action]) for action in legal}
        exact = [action for action, name in names.items() if name == word]
        fitting = exact or [action for action, name in names.items() if name.startswith(word)]
        if len(fitting) == 1:
            return fitting[0], ""
        if fitting:
            return None, f"{answer!r} could be " + ", ".join(self.game.actions[action] for action in fitting) + "."
        if any(_folded(name).startswith(word) for name in self.game.actions):
            return None, f"{answer!r} is not legal now."
        return None, f"There is no action {answer!r}. Type help for help."


def _folded(name: str) -> str:
    """Names are compared without regard to case, and to whether blanks, hyphens or underscores join words."""
    return "_".join(name.casefold().replace("-", " ").replace("_", " ").split())
