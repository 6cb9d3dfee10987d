"""What a game declares: class attributes, options bound to an instance, and what a game fills in."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from tooth_envs.engine.enums import ActionGroup, Named
from tooth_envs.engine.events import Event
from tooth_envs.engine.protocol import tables_dtype
from tooth_envs.engine.records import StateRecord, TablesRecord
from tooth_envs.engine.state import HEADER, record, zeros
from tooth_envs.errors import (
    OptionError,
    PositionError,
    shortened,
)
from tooth_envs.spec.deck import Deck, reading_once
from tooth_envs.spec.layout import Layout, ViewField, ViewRecord
from tooth_envs.spec.metrics import GameMetrics
from tooth_envs.spec.options import Options as CommonOptions
from tooth_envs.spec.validation import suggestion, validated


class Declaration:
    """What is known about a game under given options; ``Game`` adds playing it and positions.

    Class attributes a game sets:
        name, title, version: short name (as in ``tooth_envs/<name>-v<version>``), name for people, version.
        min_players, max_players: seats it can have; spaces are sized for ``max_players``.
        Options, presets: the options model, and named sets of options.
        actions: name of every action, by index (those of an instance may follow its deck). decisions, phases,
            event_kinds: names by number.
        State, Tables, View: the records of a game in progress, of what its rules read (engine/records.py), and of what
            a seat may know (spec/layout.py). From them follow ``state_dtype`` and ``tables_dtype``.
        Phase, Decision, EventKind, Action: enums (engine/enums.py), from which ``phases``, ``decisions``,
            ``event_kinds`` and ``actions`` follow.
        functions: the compiled functions (engine/protocol.py).
        asked: decisions that are asked even when only one action is legal.
        max_chance_outcomes: at least as many as one request to chance can have (exact methods want a bound).
        reset_keys: keys of ``reset(options=...)`` that are the game's own, turned into a script by ``reset_script``.

    Attributes:
        options: the validated options.
        deck: the cards of the deck that the options name; None for a game without cards.
        tables: one record (array of length 1) that the rules read. Nothing can be written to it: copies share it.
        layout: what a view holds and how it is observed.
        blank: one empty state record with the number of players filled in (array of length 1).
    """

    name: ClassVar[str]
    title: ClassVar[str]
    version: ClassVar[int] = 0
    min_players: ClassVar[int]
    max_players: ClassVar[int]
    Options: ClassVar[type[CommonOptions]]
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    actions: tuple[str, ...]
    decisions: ClassVar[tuple[str, ...]]
    phases: ClassVar[tuple[str, ...]] = ()
    event_kinds: ClassVar[tuple[str, ...]] = ()
    asked: ClassVar[tuple[str, ...]] = ()
    Phase: ClassVar[type[Named]]
    Decision: ClassVar[type[Named]]
    EventKind: ClassVar[type[Named]]
    Action: ClassVar[type[ActionGroup]]
    View: ClassVar[type[ViewRecord]]
    State: ClassVar[type[StateRecord]]
    Tables: ClassVar[type[TablesRecord]] = TablesRecord
    state_dtype: ClassVar[np.dtype[Any]]
    tables_dtype: ClassVar[np.dtype[Any]]
    functions: ClassVar[Mapping[str, Callable[..., Any]]]
    reset_keys: ClassVar[tuple[str, ...]] = ()
    max_chance_outcomes: ClassVar[int] = 1024

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        own = vars(cls)
        for enum, names in (("Phase", "phases"), ("Decision", "decisions"), ("EventKind", "event_kinds")):
            if enum in own and names not in own:
                setattr(cls, names, own[enum].names())
        if "Action" in own and "actions" not in own:
            cls.actions = cls.Action.table()
        if "State" in own and "state_dtype" not in own:
            cls.state_dtype = cls.State.dtype
        if "functions" in own and "tables_dtype" not in own:
            modules = {function.__module__: sys.modules[function.__module__] for function in cls.functions.values()}
            cls.tables_dtype = tables_dtype(cls.name, modules.values(), cls.Tables)

    def __init__(self, options: CommonOptions) -> None:
        self.options = options
        self.num_players = options.num_players
        with reading_once():
            self.deck = self.read_deck(options.deck)
            self.tables = self._filled_tables()
            self.layout = Layout(self.view_fields(), options.history)
        self.blank = zeros(self.state_dtype, 1)
        record(self.blank).players = options.num_players
        self.blank.flags.writeable = False

    def _filled_tables(self) -> np.ndarray:
        options = self.options
        made = zeros(self.tables_dtype, 1)
        tables = record(made)
        tables.always_ask = sum(1 << self.decisions.index(name) for name in self.asked)
        try:
            tables.players = options.num_players
            tables.max_steps = options.max_steps
            tables.skip_forced = options.skip_forced
            tables.history = options.history
            self.fill_tables(tables)
        except OverflowError as problem:
            raise OptionError(f"{self.name}: an option is too large for the numbers of the rules ({problem})") from None
        made.flags.writeable = False
        return made

    @classmethod
    def create(cls, /, preset: str | None = None, **options: Any) -> Self:
        """The game under options; a preset's values come first, given ones override them.

        Raises:
            OptionError: an unknown preset, option or value, naming what is allowed.
        """
        values: dict[str, Any] = {}
        if preset is not None:
            if not isinstance(preset, str) or preset not in cls.presets:
                hint = suggestion(preset, list(cls.presets))
                raise OptionError(
                    f"{cls.name}: unknown preset {shortened(preset)}{hint} Presets: {', '.join(cls.presets) or 'none'}"
                )
            values.update(cls.presets[preset])
        values.update(options)
        with reading_once():
            return cls(validated(cls.Options, values, cls.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.options, self.tables_digest)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # never changed

    @property
    def tables_digest(self) -> str:
        """Identifies every number the rules read: the deck in use and the options that change rules."""
        total = hashlib.blake2b(digest_size=16)
        for name in self.tables_dtype.names or ():
            if not name.startswith("source_") and name != "filler":
                total.update(f"{name}:".encode())
                total.update(np.ascontiguousarray(self.tables[name]).tobytes())
        return total.hexdigest()

    @property
    def deck_digest(self) -> str | None:
        """Identifies the cards as they play (see ``Deck.digest``); None for a game without cards."""
        return None if self.deck is None else self.deck.digest

    @classmethod
    def policy(cls) -> Callable[..., Any] | None:
        """The game's heuristic, ``policy(view, mask, key)`` (engine/policies.py); None if it has none.

        It is one of the game's ``functions``, or in the module ``heuristic`` beside the game's ``game``.
        """
        if "policy" in cls.functions:
            return cls.functions["policy"]
        package, _, module = cls.__module__.rpartition(".")
        if module != "game" or importlib.util.find_spec(f"{package}.heuristic") is None:
            return None
        found: Callable[..., Any] = importlib.import_module(f"{package}.heuristic").policy
        return found

    # What a game fills in.

    @property
    def teams(self) -> tuple[int, ...]:
        """The team of every seat, numbered from 0 in the order of their first seats. Alone, every seat is a team."""
        return tuple(range(self.num_players))

    @classmethod
    def read_deck(cls, deck: str) -> Deck | None:
        """The deck of a name or path, read and checked as far as the file alone tells.

        Raises:
            DeckError: naming the file, the card, the field and what to do.
        """
        return None

    def fill_tables(self, tables: Any) -> None:
        """Write deck and options into the tables record (the engine's own fields are filled already)."""

    def view_fields(self) -> Sequence[ViewField]:
        """The fields of a view, in order.

        Names, shapes and order must not depend on options. Bounds may, but not on ``num_players``: tables of all sizes
        share batches and networks. By default they are those of ``View``, with the bounds named in ``limits``.
        """
        return self.View.fields({name: int(value) for name, value in self.limits().items()})

    def reward_bounds(self) -> tuple[float, float]:
        """Smallest and largest return of a seat over a game."""
        return -1.0 - self.options.shaping, 1.0 + self.options.shaping

    def limits(self) -> dict[str, float]:
        """The numbers that bounds of the state's fields may name (engine/state.py, ``StateField``).

        A game adds its own. Those of every game: players, last seat, last phase, phases, last decision, max_steps, and
        the least and the largest reward.
        """
        least, largest = self.reward_bounds()
        return {
            "players": self.num_players,
            "last seat": self.num_players - 1,
            "last phase": max(len(self.phases) - 1, 0),
            "phases": len(self.phases),
            "last decision": len(self.decisions) - 1,
            "max_steps": self.options.max_steps,
            "least reward": least - 1e-9,
            "largest reward": largest + 1e-9,
        }

    def metrics(self, states: np.ndarray) -> GameMetrics:
        """What statistics tell of games that are over, from their last states [M] (M may be 0); most games: nothing."""
        return GameMetrics()

    def describe(self, view: Any) -> str:
        """A view in words, several lines."""
        return "\n".join(
            f"{entry.name}: {np.asarray(view[entry.name]).tolist()}  ({entry.meaning})"
            for entry in self.layout.observed
        )

    def describe_action(self, view: Any, action: int) -> str:
        """An action in words, as the seat that sees ``view`` would say it."""
        return self.actions[action]

    def describe_event(self, event: Event, seat: int | None) -> str | None:
        """An event in words for a seat (None: for a spectator who sees all); None if the seat may not see it."""
        return self.event_words(event, seat) if seat is None or event.visible_to(seat) else None

    def event_words(self, event: Event, seat: int | None) -> str | None:
        """Words for an event that the seat may see, or None for one not worth telling. Games override this one."""
        return f"{self.event_kinds[event.kind]} seat {event.seat} {event.first} {event.second}"

    def reset_script(self, options: Mapping[str, Any]) -> dict[str, list[int]]:
        """Chance outcomes that the game's own reset options (``reset_keys``) stand for, as a script.

        Raises:
            OptionError: a value that cannot be.
        """
        return {}

    def position_keys(self) -> tuple[str, ...]:
        """Keys of a position that are the game's own."""
        return tuple(name for name in self.state_dtype.names or () if name not in HEADER and name != "filler")

    def blank_state(self, state: Any) -> None:
        """Fill the frame that positions with ``base: blank`` start from."""

    def write_position(self, state: Any, position: Mapping[str, Any]) -> None:
        """Write the game's own keys of a position into a record, or raise PositionError."""
        for key in self.position_keys():
            if key in position:
                try:
                    target = np.asarray(state[key])
                    state[key] = np.asarray(position[key], dtype=target.dtype).reshape(target.shape)
                except (TypeError, ValueError, OverflowError) as problem:
                    raise PositionError(f"{self.name} position: {key}: {problem}") from None

    def read_position(self, state: Any) -> dict[str, Any]:
        """The game's own part of a state, in words, JSON-ready; ``write_position`` reads it back."""
        return {key: np.asarray(state[key]).tolist() for key in self.position_keys()}

    def interrupted(self, state: Any) -> Sequence[int]:
        """Phases that the one at hand interrupts, and that go on when it is over; most games have none."""
        return ()

    def check_position(self, state: Any) -> None:
        """Raise PositionError if a record is no possible state of the game."""


def _restored(cls: type[Declaration], options: CommonOptions, tables_digest: str) -> Declaration:
    """A pickled game; refused if a deck file, or the suite, has changed since."""
    game = cls(options)
    if game.tables_digest != tables_digest:
        raise OptionError(
            f"{cls.name}: was pickled with other numbers in its rules: the deck {options.deck!r} or the suite has "
            "changed since; make the game anew"
        )
    return game
