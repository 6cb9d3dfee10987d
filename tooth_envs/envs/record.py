"""Records: a game as a line of a file, from which it can be played again, step by step and verified.

A record file is JSON Lines: one game per line, so that many games can be appended and read one at a time. A line
holds what the game was (suite, game, versions, options, digests of the deck and of the tables its rules read), how it
began (seed, script or position, who sat where), every action by name with a digest of the state after it, and how it
ended.
Replaying carries out the actions with today's rules and compares every digest; anything that differs is refused
with the reason, at the move where it shows.
"""

from __future__ import annotations

import copy
import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numba
import numpy as np
from pydantic import Field

from tooth_envs.engine.copies import Independent
from tooth_envs.engine.state import RUNNING, digest, record
from tooth_envs.errors import IllegalAction, ToothError
from tooth_envs.spec.files import opened, output, printable
from tooth_envs.spec.game import Game
from tooth_envs.spec.registry import game_class
from tooth_envs.spec.validation import StrictModel, validated

FORMAT = "tooth_envs record"
FORMAT_VERSION = 2
SHORT = 12
"""Hex digits of a state's digest that a move keeps."""
LONGEST_LINE = 16 * 2**20
"""Bytes; a longer line is no record of ours."""


class RecordError(ToothError):
    """A record file that cannot be read or does not replay."""


class Move(StrictModel):
    """One decision: the seat, the action's name, and the digest of the state after it."""

    seat: int = Field(ge=0)
    action: str
    state: str = Field(min_length=SHORT, max_length=SHORT)


class Ending(StrictModel):
    """How a game ended. ``returns`` are rewards over the whole game, per seat."""

    over: Literal["running", "terminated", "truncated"]
    rank: list[int]
    returns: list[float]


class GameRecord(StrictModel):
    """One game (see the head of this file)."""

    format: Literal["tooth_envs record"] = FORMAT  # type: ignore[assignment]
    format_version: int = FORMAT_VERSION
    suite: str
    versions: dict[str, str] = Field(description="of Python and packages; told, not compared")
    game: str
    game_version: int
    options: dict[str, Any]
    deck: str | None = Field(description="Game.deck_digest")
    tables: str = Field(description="Game.tables_digest")
    actions: str
    seed: int = Field(ge=0, lt=2**63)
    script: dict[str, list[int]] = Field(default_factory=dict)
    position: dict[str, Any] | None = None
    players: list[str]
    start: str = Field(min_length=SHORT, max_length=SHORT)
    moves: list[Move]
    end: Ending

    def line(self) -> str:
        """The record as one line of JSON, closed by a digest over itself."""
        data = self.model_dump(mode="json")
        data["digest"] = _digest_of(data)
        return json.dumps(data, separators=(",", ":"))


def _digest_of(data: Any) -> str:
    return hashlib.blake2b(json.dumps(data, sort_keys=True, separators=(",", ":")).encode(), digest_size=16).hexdigest()


def _short(states: np.ndarray) -> str:
    return digest(states)[:SHORT]


class Recorder(Independent):
    """Writes down one game while it is played.

    Args:
        game: the game with its options.
        states: the state as dealt (array of length 1).
        players: a label per seat.
        script: the chance outcomes the deal was given, if any.
        position: the position the game began from, if it was not dealt.
    """

    def __init__(
        self,
        game: Game,
        states: np.ndarray,
        players: Sequence[str],
        script: dict[str, list[int]] | None = None,
        position: dict[str, Any] | None = None,
    ) -> None:
        if len(players) != game.num_players:
            raise ToothError(f"record: {len(players)} labels for {game.num_players} seats")
        self.game = game
        self.players = [printable(label) for label in players]  # so that the record can be read back
        self.script = copy.deepcopy(script or {})
        self.seed = int(record(states).seed)
        self.position = None if position is None else {**copy.deepcopy(position), "seed": self.seed}
        self._start = _short(states)
        self._moves: list[Move] = []
        self._last = record(states.copy())
        self._returns = _paid_at_once(game, states)

    def add(self, seat: int, action: int, states: np.ndarray) -> None:
        """Note a decision; ``states`` is the state after it."""
        self._moves.append(Move(seat=seat, action=self.game.actions[action], state=_short(states)))
        self._returns += record(states).reward[: self.game.num_players]
        self._last = record(states.copy())

    def finished(self) -> GameRecord:
        """The record of the game so far."""
        n = self.game.num_players
        over = ("running", "terminated", "truncated")[self._last.over]
        rank = self._last.rank[:n].tolist()
        return GameRecord(
            suite=_suite_version(),
            versions={"python": platform.python_version(), "numpy": np.__version__, "numba": numba.__version__},
            game=self.game.name,
            game_version=self.game.version,
            options=self.game.options.model_dump(mode="json"),
            deck=self.game.deck_digest,
            tables=self.game.tables_digest,
            actions=_digest_of(list(self.game.actions)),
            seed=self.seed,
            script=self.script,
            position=copy.deepcopy(self.position),
            players=self.players,
            start=self._start,
            moves=self._moves,
            end=Ending(over=over, rank=rank, returns=self._returns.tolist()),  # type: ignore[arg-type]
        )


def _paid_at_once(game: Game, states: np.ndarray) -> np.ndarray:
    """Returns before the first decision: rewards of the deal are paid with it, but for a game that is over already."""
    paid = np.array(record(states).reward[: game.num_players], np.float64)
    return paid if record(states).over != RUNNING else np.zeros(game.num_players)


def _suite_version() -> str:
    import tooth_envs

    return tooth_envs.__version__


def record_game(
    game: Game,
    seed: int,
    choose: Callable[[np.ndarray, np.ndarray], int | None],
    players: Sequence[str],
    script: dict[str, list[int]] | None = None,
) -> GameRecord:
    """Play a game and write it down.

    Args:
        game: the game with its options.
        seed: names the deal.
        choose: given the state (array of length 1) and the mask, the action; None stops.
        players: a label per seat.
        script: chance outcomes to use first.

    Raises:
        IllegalAction, ScriptError: an action or an outcome that cannot be.
    """
    mask = game.new_mask()
    states = game.deal(seed, mask, script=script)
    recorder = Recorder(game, states, players, script)
    while record(states).over == RUNNING:
        seat = int(record(states).seat)
        action = choose(states, mask)
        if action is None:
            break
        game.step(states, int(action), mask)
        recorder.add(seat, int(action), states)
    return recorder.finished()


def record_moves(
    game: Game, seed: int, actions: Iterable[int], players: Sequence[str], script: dict[str, list[int]] | None = None
) -> GameRecord:
    """The record of a game whose actions are known: it is played again from its seed to take the digests."""
    left = iter(actions)
    return record_game(game, seed, lambda states, mask: next(left, None), players, script)


@contextmanager
def record_file(path: str | Path) -> Iterator[Callable[[GameRecord], None]]:
    """A file to write records to, one call a game (see ``files.output``): it appears when the block ends, whole; after
    an error, not at all, and a file that was there is untouched.

    Raises:
        RecordError: the file cannot be written. This is found before the block is entered, unless the disk fills.
    """
    with output(path, RecordError) as file:

        def write(one: GameRecord) -> None:
            file.write(one.line() + "\n")

        yield write


def write_records(path: str | Path, records: Iterable[GameRecord]) -> int:
    """Write games to a file (see ``record_file``).

    Returns:
        How many games were written.

    Raises:
        RecordError: the file cannot be written; what was there is untouched.
    """
    count = 0
    with record_file(path) as write:
        for one in records:
            write(one)
            count += 1
    return count


def read_records(path: str | Path) -> Iterator[GameRecord]:
    """The games of a record file, one after the other.

    Raises:
        RecordError: naming file, line and reason.
    """
    with opened(path, "a record file", RecordError) as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            where = f"{path} line {number}"
            if len(line) > LONGEST_LINE:
                raise RecordError(f"{where}: longer than {LONGEST_LINE} bytes; not a record")
            if line.strip():
                yield _parsed(line, where)
        if not number:
            raise RecordError(f"{path}: is empty")


def _parsed(line: bytes, where: str) -> GameRecord:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as problem:  # ValueError: also a number of thousands of digits
        raise RecordError(f"{where}: is not JSON ({problem}); the file is cut off or no record") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise RecordError(f"{where}: is not a game record (its 'format' is not {FORMAT!r})")
    if data.get("format_version") != FORMAT_VERSION:
        raise RecordError(
            f"{where}: has record format {data.get('format_version')!r}, but this version reads {FORMAT_VERSION}"
        )
    if data.pop("digest", None) != _digest_of(data):
        raise RecordError(f"{where}: was changed after it was written (its digest differs)")
    return validated(GameRecord, data, where, RecordError)


class Replay(Independent):
    """A recorded game, played again.

    Args:
        game_record: the record.
        where: what to call it in messages.

    Attributes:
        game: the game with the record's options.
        states: the state now (array of length 1).
        at: how many moves have been carried out.
        returns: float64 [num_players], rewards so far.

    Raises:
        RecordError: the game is unknown, or its version, options, tables, actions or deal are not the record's.
    """

    def __init__(self, game_record: GameRecord, where: str = "record") -> None:
        self.record = game_record
        self.where = where
        try:
            cls = game_class(game_record.game)
        except ToothError as problem:
            raise RecordError(f"{where}: {problem}") from None
        if cls.version != game_record.game_version:
            raise self._refused(
                f"was played with version {game_record.game_version} of {cls.name}, but this is version {cls.version}"
            )
        try:
            self.game = cls.create(**game_record.options)
        except ToothError as problem:
            raise RecordError(f"{where}: its options are not valid any more: {problem}") from None
        if self.game.deck_digest != game_record.deck:
            raise self._refused(f"was played with another deck than {self.game.options.deck!r} holds now")
        if _digest_of(list(self.game.actions)) != game_record.actions:
            raise self._refused("was played with another action table")
        if self.game.tables_digest != game_record.tables:
            raise self._refused("was played with other numbers in its rules, under the same options and deck")
        if len(game_record.players) != self.game.num_players:
            raise self._refused(f"names {len(game_record.players)} players, but its game has {self.game.num_players}")
        self.at = 0
        self.mask = self.game.new_mask()
        try:
            if game_record.position is not None:
                self.states = self.game.from_dict(game_record.position, self.mask)
            else:
                self.states = self.game.deal(game_record.seed, self.mask, game_record.script, trace=True)
        except ToothError as problem:
            raise RecordError(f"{where}: its beginning cannot be set up: {problem}") from None
        record(self.states).tracing = 1
        self.returns = _paid_at_once(self.game, self.states)
        if _short(self.states) != game_record.start:
            raise self._refused("begins differently with these rules: the deal is not the recorded one")
        if self.finished:
            self._compare_end()

    def _refused(self, reason: str) -> RecordError:
        return RecordError(f"{self.where}: {reason} (recorded by tooth_envs {self.record.suite})")

    @property
    def finished(self) -> bool:
        """Whether all recorded moves have been carried out."""
        return self.at == len(self.record.moves)

    def step(self) -> Move:
        """Carry out the next move and compare.

        Raises:
            RecordError: the move is not possible, or leads elsewhere; or there is none left.
        """
        if self.finished:
            raise RecordError(f"{self.where}: all its {self.at} moves have been played")
        move = self.record.moves[self.at]
        place = f"move {self.at + 1} ({move.action} by seat {move.seat})"
        state = record(self.states)
        if state.over != RUNNING or state.seat != move.seat:
            raise self._refused(f"{place}: it is not that seat's turn")
        try:
            self.game.step(self.states, self.game.action_index(move.action), self.mask)
        except IllegalAction as problem:
            raise self._refused(f"{place}: {problem}") from None
        except ValueError as problem:
            raise self._refused(f"{place}: {problem}") from None
        if _short(self.states) != move.state:
            raise self._refused(f"{place}: leads to another state with these rules")
        self.at += 1
        self.returns += record(self.states).reward[: self.game.num_players]
        if self.finished:
            self._compare_end()
        return move

    def run(self) -> None:
        """Carry out all that is left.

        Raises:
            RecordError: see ``step``.
        """
        while not self.finished:
            self.step()

    def _compare_end(self) -> None:
        state, end = record(self.states), self.record.end
        n = self.game.num_players
        if len(end.rank) != n or len(end.returns) != n:
            raise self._refused(f"its end tells {len(end.rank)} ranks and {len(end.returns)} returns for {n} seats")
        same = (
            ("running", "terminated", "truncated")[state.over] == end.over
            and state.rank[:n].tolist() == end.rank
            and np.allclose(self.returns, end.returns, rtol=0, atol=1e-9)
        )
        if not same:
            raise self._refused("its end is not the recorded one")
