"""A recorded game, told again in words, for one seat or for someone who sees all; every step is verified."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from tooth_envs.engine.integers import integer_in
from tooth_envs.engine.state import RUNNING, record
from tooth_envs.envs.record import GameRecord, RecordError, Replay, read_records
from tooth_envs.errors import ToothError
from tooth_training.cli.play import final_ranking, tell


def pick(path: str | Path, number: int) -> GameRecord:
    """Game ``number`` (from 1) of a record file.

    Raises:
        RecordError: a file that cannot be read, or with fewer games.
    """
    if number < 1:
        raise RecordError(f"{path}: there is no game {number}; they count from 1")
    count = 0
    for count, one in enumerate(islice(read_records(path), number), 1):
        if count == number:
            return one
    raise RecordError(f"{path}: there is no game {number}; it holds {count}")


def verify(path: str | Path) -> Iterator[int]:
    """Replay all games of a file without words; yields how many have been verified so far.

    Raises:
        RecordError: naming the file, the game, the move and the reason.
    """
    for count, one in enumerate(read_records(path), 1):
        Replay(one, f"{path} game {count}").run()
        yield count


def _places(players: int, seat: int) -> str:
    """Which seats a seat's own words mean: "you are seat 2, left 1 is seat 0"."""
    others = (f"left {place} is seat {(seat + place) % players}" for place in range(1, players))
    return ", ".join([f"you are seat {seat}", *others])


def _by_number(words: str, players: int, seat: int) -> str:
    """What a seat does, in its words, with the seats it names called by their numbers as events call them."""
    return re.sub(r"\bleft (\d+)\b", lambda found: f"seat {(seat + int(found[1])) % players}", words)


def show(
    replay: Replay,
    seat: int | None,
    write: Callable[[str], None],
    views: bool = False,
    pause: Callable[[], None] = lambda: None,
) -> None:
    """Tell a game step by step.

    Args:
        replay: the game, at its beginning.
        seat: told is what this seat may know: events it may see, its own choices. None: everything. Moves are
            numbered only for who sees all: how many others chose, and declined in secret, must not be counted.
        write: shows text.
        views: also show the view of the seat to act before each of its choices (only ``seat``'s, if one is given).
        pause: called after every move; told to one seat, after every line instead: two events may come with one move,
            or with two if a silent one lay between them.

    Raises:
        RecordError: the game does not replay; what came before has been told.
        ToothError: no such seat.
    """
    game, one = replay.game, replay.record
    if seat is not None and not integer_in(seat, 0, game.num_players - 1):
        raise ToothError(f"{replay.where}: there is no seat {seat}; seats are 0 to {game.num_players - 1}")
    seed = f", seed {one.seed}" if seat is None else ""  # it names all that a seat must not know
    write(f"{game.title}, {game.num_players} seats{seed}, played with tooth_envs {one.suite}.")
    for number, label in enumerate(one.players):
        write(f"  seat {number}: {label}")
    told = tell(game, replay.states, seat, 0, write)
    while not replay.finished:
        actor = int(record(replay.states).seat)
        view = game.view(replay.states, actor)
        shown = seat is None or seat == actor
        if views and shown:
            legal = ", ".join(game.legal_names(record(replay.states)))
            write(f"\nSeat {actor} sees ({_places(game.num_players, actor)}):\n{game.describe(view)}\nLegal: {legal}")
        move = replay.step()
        lines: list[str] = []
        if shown:
            words = game.describe_action(view, game.action_index(move.action))
            if seat is None:
                words = _by_number(words, game.num_players, actor)
            named = move.action if words == move.action else f"{move.action} ({words})"
            place = f"{replay.at:>4}" if seat is None else ""
            lines.append(f"{place}  seat {actor} {one.players[actor]}: {named}")
        heard: list[str] = []
        told = tell(game, replay.states, seat, told, heard.append)
        lines += [f"      {words}" for words in heard]
        for line in lines:
            write(line)
            if seat is not None:
                pause()
        if seat is None:
            pause()
    write("")
    if record(replay.states).over == RUNNING:
        after = f", after {replay.at} moves" if seat is None else ""
        write(f"The record ends here{after}; the game was not over.")
        return
    for line in final_ranking(game, replay.states, one.players, replay.returns):
        write(line)
