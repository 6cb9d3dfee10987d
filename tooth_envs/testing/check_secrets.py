"""Checks of what a seat may know: nothing reaches it but through its view."""

from __future__ import annotations

import json

import numpy as np

from tooth_envs.engine.chance import mix_python
from tooth_envs.engine.state import RUNNING, record
from tooth_envs.spec.game import Game
from tooth_envs.testing.play import chosen, random_game, spread_moments
from tooth_envs.testing.subject import Subject, check, require


def hidden_part(game: Game, states: np.ndarray) -> str:
    """The game's own fields of a state, seed and places in streams left out."""
    return json.dumps(game.read_position(record(states)), sort_keys=True)


@check
def worlds_look_the_same(subject: Subject) -> None:
    """A seat cannot tell a resampled world from the true one, by view, observation, words or mask; the rest varies."""
    game = subject.game
    n = game.num_players
    worlds = varied = 0
    for number, (seed, moment) in enumerate(spread_moments(game, subject.some(300))):
        if moment.action < 0:
            continue
        acting = int(record(moment.states).seat)
        true = moment.states.tobytes()
        for seat in range(n) if n < 4 else {acting, number % n, (acting + 1) % n}:  # large tables: by turns
            where = f"seed {seed}, step {int(record(moment.states).steps)}, seat {seat}"
            before = _seen(game, moment.states, seat, acting)
            for k in range(4 if n < 4 else 2):
                world = game.resample(moment.states, seat, mix_python(seed, seat, k))
                require(moment.states.tobytes() == true, f"{where}: resample() changes the state it was given")
                after = _seen(game, world, seat, acting)
                for what, one, other in zip(("view", "observation", "words", "mask"), before, after, strict=True):
                    require(one == other, f"{where}: the {what} differs in a resampled world: it leaks what is hidden")
                state = record(world)
                require(not state.script_end.any() and not state.open_count, f"{where}: a script is left in the world")
                worlds += 1
                varied += hidden_part(game, world) != hidden_part(game, moment.states)
    require(worlds == 0 or varied > 0, "resample() leaves the hidden part as it is")


def _seen(game: Game, states: np.ndarray, seat: int, acting: int) -> tuple[bytes, bytes, str, bytes]:
    view = game.view(states, seat)
    mask = game.legal_mask(states).tobytes() if seat == acting else b""
    return view.tobytes(), game.observe(states, seat).tobytes(), game.describe(view), mask


@check
def worlds_can_be_played(subject: Subject) -> None:
    """The true state is among the worlds where these are few, and every world can be played to its end."""
    game = subject.game
    for number, (seed, moment) in enumerate(spread_moments(game, subject.some(100))):
        if moment.action < 0 or number % 5:
            continue
        where = f"seed {seed}, step {int(record(moment.states).steps)}"
        seat = int(record(moment.states).seat)
        found = {hidden_part(game, game.resample(moment.states, seat, k)) for k in range(400)}
        if len(found) < 40:
            require(hidden_part(game, moment.states) in found, f"{where}: the true world can never be drawn")
        world = game.resample(moment.states, seat, seed)
        mask = game.legal_mask(world)
        if subject.invariants is not None:
            subject.invariants(game, world)
        while record(world).over == RUNNING:
            require(mask.any(), f"{where}: in a resampled world, a seat has no legal action")
            game.step(world, chosen(mask, int(record(world).steps)), mask)
            if subject.invariants is not None:
                subject.invariants(game, world)


@check
def worlds_have_chance_of_their_own(subject: Subject) -> None:
    """A world tells neither what happened in the true game nor what chance will bring there."""
    game = subject.game
    for moment in random_game(game, 3, trace=True):
        if moment.action >= 0:
            world = record(game.resample(moment.states, int(record(moment.states).seat), 1))
            require(not world.events.any() and not world.event_count, "a world holds events of the true game")
    states = game.deal(5)
    if record(states).over:
        return
    drawn = {int(record(game.resample(states, int(record(states).seat), k)).seed) for k in range(5)}
    require(len(drawn) == 5, "worlds from different keys have the same chance to come")
    require(int(record(states).seed) not in drawn, "a world has the true game's chance to come")


@check
def secrets_in_views(subject: Subject) -> None:
    """Views do not write into the state, and do not depend on who looked before."""
    game = subject.game
    for seed, moment in spread_moments(game, subject.some(100)):
        true = moment.states.tobytes()
        views = [game.view(moment.states, seat).tobytes() for seat in range(game.num_players)]
        again = [game.view(moment.states, seat).tobytes() for seat in reversed(range(game.num_players))]
        where = f"seed {seed}, step {int(record(moment.states).steps)}"
        require(views == again[::-1], f"{where}: a view differs when it is written again")
        require(moment.states.tobytes() == true, f"{where}: view() changes the state")
