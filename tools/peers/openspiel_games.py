"""OpenSpiel's compiled games, driven from Python in two ways.

The documented way: the state's own methods, as the library's Python example calls them; tensors and masks come as
lists, and chance is drawn with NumPy's ``choice``. The lean way: a reused Observation, whose NumPy buffer the library
fills in place, and chance drawn by adding up probabilities: the fastest we found without leaving Python.

Chance events take time and do not count as decisions.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import partial
from itertools import compress

import numpy as np
from tooth_training.evaluation.bench import time_games

from tools.peers.lane import Lane, Ready

OBSERVATION, INFORMATION = "observation_tensor", "information_state_tensor"

GAMES = {
    "kuhn_poker": ("Kuhn poker", OBSERVATION),
    "liars_dice": ("Liar's dice", OBSERVATION),
    "hearts": ("Hearts", INFORMATION),  # has no observation tensor
}

DOCUMENTED = (
    "the state's {tensor}() and legal_actions_mask(), a random one of legal_actions(), apply_action; chance by numpy's "
    "choice with the outcomes' probabilities, as in the library's example; new states included"
)
LEAN = (
    "one reused Observation filled in place (the {tensor}) and legal_actions_mask(), a random action of the mask, "
    "apply_action; chance by adding up probabilities; new states included"
)


def lanes() -> list[Lane]:
    """Every game in both ways."""
    return [
        Lane(
            key=f"openspiel_{game}_{way}",
            ours=False,
            kind="play",
            game=game,
            title=f"{title}, {way}",
            library="OpenSpiel",
            what=what.format(tensor=tensor),
            threads=1,
            packages=("open-spiel", "numpy"),
            prepare=partial(prepare, game, tensor),
        )
        for game, (title, tensor) in GAMES.items()
        for way, what, prepare in (("documented", DOCUMENTED, _documented), ("lean", LEAN, _lean))
    ]


def _documented(name: str, tensor: str) -> Ready:
    import pyspiel

    game = pyspiel.load_game(name)
    take = getattr(pyspiel.State, tensor)
    chance, numpy_chance = random.Random(0), np.random.default_rng(0)

    def play() -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, probabilities = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(numpy_chance.choice(actions, p=probabilities)))
                continue
            take(state, state.current_player())
            state.legal_actions_mask()
            state.apply_action(chance.choice(state.legal_actions()))
            decisions += 1
        return decisions

    size = getattr(game, f"{tensor}_size")()
    return Ready(partial(time_games, play), size, game.num_distinct_actions(), game.num_players())


def _lean(name: str, tensor: str) -> Ready:
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    kind = pyspiel.IIGObservationType(
        perfect_recall=tensor == INFORMATION, public_info=True, private_info=pyspiel.PrivateInfoType.SINGLE_PLAYER
    )
    observation = make_observation(game, kind)
    every = range(game.num_distinct_actions())
    chance = random.Random(0)

    def play() -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(drawn(state.chance_outcomes(), chance.random()))
                continue
            observation.set_from(state, state.current_player())
            legal = list(compress(every, state.legal_actions_mask()))
            state.apply_action(legal[int(chance.random() * len(legal))])
            decisions += 1
        return decisions

    return Ready(partial(time_games, play), len(observation.tensor), len(every), game.num_players())


def drawn(outcomes: Iterable[tuple[int, float]], number: float) -> int:
    """The outcome that a number falls on.

    Args:
        outcomes: each with its probability; at least one.
        number: drawn uniformly from 0 to 1.
    """
    for action, probability in outcomes:  # noqa: B007 - if rounding leaves a rest, it is the last one's
        number -= probability
        if number < 0.0:
            break
    return action
