"""A game in words: what a language model or a person would be told, and would answer."""

from __future__ import annotations

import numpy as np
from tooth_agents import describe_legal, describe_view

import tooth_envs
from tooth_envs.engine.state import record


def answer(told: str, names: list[str]) -> str:
    """Stands for a language model: it is given the text, and answers with the name of an action."""
    return names[len(told) % len(names)]


def main(decisions: int = 4) -> None:
    """The first decisions of a game of Super Tooth."""
    game = tooth_envs.game("super_tooth", num_players=3)
    mask = game.new_mask()
    states = game.deal(seed=5, mask=mask)
    for _ in range(decisions):
        view = np.array(game.view(states, int(record(states).seat)))
        legal = describe_legal(game, view, mask)
        told = describe_view(game, view) + "\nYou may:\n" + "\n".join(f"- {name}: {words}" for _, name, words in legal)
        print(f"Seat {int(record(states).seat)} is told:\n{told}")
        name = answer(told, [name for _, name, _ in legal])
        print(f"It answers: {name}\n")
        game.step(states, game.action_index(name), mask)


if __name__ == "__main__":
    main()
