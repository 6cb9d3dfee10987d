"""``Game``: what is known about a game outside compiled code.

A game is a subclass with a few class attributes (names, dtypes, compiled functions) and words for people; an
instance binds it to options and owns the ``tables`` that its rules read. Environments, agents and tools are
written against this class alone.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from tooth_envs.engine import loops, plain
from tooth_envs.engine.chance import FAULT_ENDLESS, FAULTS, script_left, set_script
from tooth_envs.engine.compile import JIT
from tooth_envs.engine.enums import ActionGroup, Named
from tooth_envs.engine.events import Event
from tooth_envs.engine.integers import as_python, integer
from tooth_envs.engine.protocol import tables_dtype
from tooth_envs.engine.records import StateRecord, TablesRecord
from tooth_envs.engine.state import HEADER, RUNNING, digest, record, zeros
from tooth_envs.errors import (
    GameFault,
    GameOver,
    IllegalAction,
    OptionError,
    PositionError,
    ScriptError,
    ToothError,
    shortened,
)
from tooth_envs.spec.deck import Deck
from tooth_envs.spec.layout import Layout, ViewField, ViewRecord
from tooth_envs.spec.metrics import GameMetrics
from tooth_envs.spec.options import Options as CommonOptions
from tooth_envs.spec.validation import suggestion, validated
from tooth_envs.spec.vetting import check_bounds, check_play

POSITION_KEYS = ("base", "seed", "script", "rest", "at", "halt", "steps")
"""Keys of a position that mean the same in every game (see ``Game.from_dict``)."""


class Game:
    """One game under given options.

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
        self.deck = self.read_deck(options.deck)
        self.tables = zeros(self.tables_dtype, 1)
        tables = record(self.tables)
        tables.always_ask = sum(1 << self.decisions.index(name) for name in self.asked)
        try:
            tables.players = options.num_players
            tables.max_steps = options.max_steps
            tables.skip_forced = options.skip_forced
            tables.history = options.history
            self.fill_tables(tables)
        except OverflowError as problem:
            raise OptionError(f"{self.name}: an option is too large for the numbers of the rules ({problem})") from None
        self.tables.flags.writeable = False
        self.layout = Layout(self.view_fields(), options.history)
        self.blank = zeros(self.state_dtype, 1)
        record(self.blank).players = options.num_players
        self.blank.flags.writeable = False

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

    def why_not(self, state: Any, action: int) -> str:
        """Why an action of the table is illegal now, with the rule's number."""
        return f"legal now: {', '.join(self.legal_names(state))}"

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

    def check_asked(self, state: Any) -> None:
        """For ``check_position``: raise PositionError unless play, going on from a record's phase, stops as it says.

        For games in which asking again asks the same: what a phase does before a decision is nothing but asking.
        """
        again = self.new_states()
        again[0] = state
        other = record(again)
        other.seat, other.decision, other.breakpoint = -1, -1, 0
        loops.resume_one(self.tables, again, self.new_mask())
        other.breakpoint, other.reward[:] = state.breakpoint, state.reward
        given = self.new_states()
        given[0] = state
        if digest(again) != digest(given):
            asked = f"{self.decisions[other.decision]} of seat {int(other.seat)}" if other.seat >= 0 else "nothing"
            raise PositionError(
                f"{self.name} position: at {self.phases[state.phase]} {asked} is asked, not what the position says; "
                "leave them out and give 'at'"
            )

    # Playing one game. States are arrays of length 1.

    def new_states(self, count: int = 1) -> np.ndarray:
        """Blank states, not dealt."""
        states = zeros(self.state_dtype, count)
        states[:] = self.blank[0]
        return states

    def new_mask(self) -> np.ndarray:
        """An all-zero mask (int8)."""
        return np.zeros(len(self.actions), np.int8)

    def deal(
        self,
        seed: int,
        mask: np.ndarray | None = None,
        script: Mapping[str, Sequence[int]] | None = None,
        trace: bool = False,
    ) -> np.ndarray:
        """A new game at its first decision.

        Args:
            seed: names the deal and all later chance; 0 .. 2**63 - 1.
            mask: if given, filled with what is legal.
            script: chance outcomes to use first, per kind (engine/chance.py).
            trace: write events.

        Raises:
            ScriptError: a scripted outcome cannot happen.
        """
        states = self.new_states()
        state = record(states)
        state.seed = checked_seed(seed)
        state.tracing = trace
        if script is not None:
            set_script(state, script)
        loops.start_one(self.tables, states, self.new_mask() if mask is None else mask)
        self.check_fault(state)
        return states

    def legal_mask(self, states: np.ndarray) -> np.ndarray:
        """What the seat to act may do (int8 [A]); all zero when nobody is asked."""
        mask = self.new_mask()
        loops.legal_one(self.tables, states, mask)
        return mask

    def step(self, states: np.ndarray, action: int, mask: np.ndarray | None = None) -> None:
        """Carry out a decision; ``mask``, if given, becomes what is legal next.

        Raises:
            IllegalAction, GameOver, ScriptError: nothing has changed.
        """
        self.check_action(states, action, self.legal_mask(states))
        before = states.copy() if record(states).script_end.any() else None
        loops.step_one(self.tables, states, int(action), self.new_mask() if mask is None else mask)
        try:
            self.check_fault(record(states))
        except ScriptError:
            if before is not None:
                states[0] = before[0]
            raise

    def check_fault(self, state: Any) -> None:
        """Raise ScriptError if a scripted outcome could not happen, and GameFault if the rules did not come back."""
        if state.fault == FAULT_ENDLESS:
            raise GameFault(
                f"{self.name}: {FAULTS[state.fault]} after {int(state.steps)} decisions of the game with seed "
                f"{int(state.seed)}, and the game was cut off; this is a defect of its rules, or of the deck"
            )
        if state.fault:
            raise ScriptError(
                f"{self.name} script: {FAULTS[state.fault]}; outcomes are used in the order in which chance is asked"
            )

    def check_action(self, states: np.ndarray, action: Any, mask: np.ndarray) -> None:
        """Raise IllegalAction (or GameOver) unless an action is legal under the mask."""
        state = record(states)
        if state.over != RUNNING:
            raise GameOver(f"{self.name}: the game is over; reset it before stepping again")
        if state.seat < 0:
            raise GameOver(f"{self.name}: play is halted before {self.phases[state.phase]}; resume it first")
        number = integer(action)
        if number is None:
            name, reason = "no action", f"give the index of an action, an integer from 0 to {len(self.actions) - 1}"
        elif not 0 <= number < len(self.actions):
            name, reason = "no action", f"actions are 0 to {len(self.actions) - 1}"
        elif mask[number]:
            return
        else:
            name, reason = self.actions[number], self.why_not(state, number)
        raise IllegalAction(action, name, int(state.seat), self.decisions[state.decision], reason)

    def view(self, states: np.ndarray, seat: int) -> Any:
        """What a seat may know, as a record with named fields."""
        vectors = np.zeros((1, self.layout.length), np.int16)
        views = views_of(vectors, self.layout)
        loops.view_one(self.tables, states, seat, views, vectors)
        return vectors[0].view(self.layout.dtype).view(np.recarray)[0]

    def observe(self, states: np.ndarray, seat: int) -> np.ndarray:
        """A seat's observation: float32 [layout.size] in [0, 1]."""
        vectors = np.zeros((1, self.layout.length), np.int16)
        out = np.zeros(self.layout.size, np.float32)
        loops.observe_one(self.tables, states, seat, views_of(vectors, self.layout), vectors, self.layout.codec, out)
        return out

    def resample(self, states: np.ndarray, seat: int, seed: int) -> np.ndarray:
        """A world that looks the same to ``seat``: a copy in which everything it cannot know is drawn anew."""
        world = states.copy()
        loops.resample_one(self.tables, world, seat, checked_seed(seed))
        return world

    # Words.

    def legal_names(self, state: Any) -> list[str]:
        """Names of the actions that are legal in a state (one record)."""
        states = self.new_states()
        states[0] = state
        return [self.actions[action] for action in np.flatnonzero(self.legal_mask(states))]

    def action_index(self, name: str) -> int:
        """The index of an action by its name (case does not matter).

        Raises:
            ToothError: no action has this name.
        """
        word = name.strip().lower() if isinstance(name, str) else None
        for index, known in enumerate(self.actions):
            if known.lower() == word:
                return index
        hint = suggestion(name, list(self.actions))
        raise ToothError(f"{self.name}: no action is named {shortened(name)}{hint}")

    def explain(self, observation: np.ndarray) -> str:
        """An observation turned back into words."""
        return self.describe(self.layout.as_record(self.layout.decode(observation)))

    # Positions.

    def to_dict(self, states: np.ndarray) -> dict[str, Any]:
        """The whole state in words, JSON-ready. ``from_dict`` builds an equal state from it."""
        state = record(states)
        position: dict[str, Any] = {
            "base": "blank",
            "seed": int(state.seed),
            "steps": int(state.steps),
            "phase": self.phases[state.phase] if self.phases else None,
            "decision": self.decisions[state.decision] if state.decision >= 0 else None,
            "seat": int(state.seat),
            "over": ("running", "terminated", "truncated")[state.over],
            "rank": state.rank[: self.num_players].tolist(),
            "reward": state.reward[: self.num_players].tolist(),
            "ticks": state.ticks.tolist(),
        }
        if state.breakpoint:
            position["halt"] = self.phases[abs(int(state.breakpoint)) - 1]
        if script_left(state):
            position["script"] = script_left(state)
        position.update(self.read_position(state))
        return position

    def from_dict(self, position: Mapping[str, Any], mask: np.ndarray | None = None) -> np.ndarray:
        """Build a state from a full or partial description.

        Keys of every game: ``base`` ("blank": the game's empty frame, the default; "deal": a deal from ``seed``),
        ``seed``, ``script`` (outcomes per kind), ``rest`` (what becomes of cards not mentioned), ``at`` (the phase
        where automatic play resumes), ``halt`` (a phase before which it stops), ``steps``; and those that
        ``to_dict`` reports. All others are the game's own (``position_keys``).

        Returns:
            An array with one state; ``mask``, if given, is filled with what is legal in it.

        Raises:
            PositionError, ScriptError: with the key and the reason.
        """
        where = f"{self.name} position"
        if not isinstance(position, Mapping):
            raise PositionError(f"{where}: is {shortened(position)}; give a dict, as to_dict() does")
        position = as_python(dict(position))
        reported = ("phase", "decision", "seat", "over", "rank", "reward", "ticks")
        known = [*POSITION_KEYS, *reported, *self.position_keys()]
        for key in position:
            if key not in known:
                raise PositionError(
                    f"{where}: unknown key {shortened(key)}{suggestion(key, known)} Known: {', '.join(known)}"
                )
        base = position.get("base", "blank")
        if base not in ("blank", "deal"):
            raise PositionError(f"{where}: base is {shortened(base)}; give 'blank' or 'deal'")
        for key in ("at", "halt"):
            if position.get(key) is not None and position[key] not in self.phases:
                raise PositionError(
                    f"{where}: {key} is {shortened(position[key])}; phases are {', '.join(self.phases)}"
                )
        mask = self.new_mask() if mask is None else mask
        script = position.get("script")
        if base == "deal":
            states = self.deal(self._position_seed(position), mask, script=script)
            state = record(states)
        else:
            states = self.new_states()
            state = record(states)
            state.seed = self._position_seed(position)
            self.blank_state(state)
            if script:
                set_script(state, script)
        if "steps" in position:
            state.steps = self._position_count(position, "steps")
        self.write_position(state, position)
        if position.get("halt") is not None:
            state.breakpoint = 1 + self.phases.index(position["halt"])
        if position.get("at") is not None:
            state.phase = self.phases.index(position["at"])
            if state.breakpoint == 1 + state.phase:
                state.breakpoint = -state.breakpoint
            check_bounds(self, states)
            self.check_position(state)
            try:
                plain.resume(self.tables, states, mask)
            except plain.PlainError as problem:
                raise PositionError(f"{where}: the rules cannot go on from {position['at']} ({problem})") from None
            self.check_fault(state)
            check_bounds(self, states)
        else:
            self._restore_header(state, position)
            check_bounds(self, states)
            self.check_position(state)
            self.check_reward(states)
            self._check_rank(states, position)
        self._place_halt(state)
        check_play(self, states)
        loops.legal_one(self.tables, states, mask)
        return states

    def check_reward(self, states: np.ndarray) -> None:
        """Raise PositionError if a state from outside (array of length 1) would pay something of its own.

        What a running game has earned is paid already, but for what the deal pays, which comes with the first decision.
        """
        state = record(states)
        if state.over != RUNNING or state.steps > 0 or not state.reward.any():
            return
        dealt = record(self.deal(int(state.seed)))
        if dealt.over != RUNNING or not np.array_equal(dealt.reward, state.reward):
            raise PositionError(
                f"{self.name} position: reward is {state.reward[: self.num_players].tolist()}, but before the first "
                "decision nothing has been earned; leave it out"
            )

    def resume(self, states: np.ndarray, mask: np.ndarray | None = None) -> None:
        """Go on with a game that halted at a phase. It halts again when play comes to that phase from another one."""
        state = record(states)
        if state.seat >= 0 or state.over != RUNNING:
            raise GameOver(f"{self.name}: the game is not halted")
        state.breakpoint = -abs(int(state.breakpoint))  # let this phase pass once: engine/protocol.py, at_breakpoint
        loops.resume_one(self.tables, states, self.new_mask() if mask is None else mask)

    def _position_seed(self, position: Mapping[str, Any]) -> int:
        try:
            return checked_seed(position.get("seed", 0))
        except ValueError as problem:
            raise PositionError(f"{self.name} position: {problem}") from None

    def _position_count(self, position: Mapping[str, Any], key: str) -> int:
        value = integer(position[key])
        if value is None or not 0 <= value < 2**31:
            raise PositionError(f"{self.name} position: {key} is {shortened(position[key])}; give an integer from 0")
        return value

    def _restore_header(self, state: Any, position: Mapping[str, Any]) -> None:
        """Fields of the header that ``to_dict`` reports, when no automatic play sets them."""
        where = f"{self.name} position"
        endings = ("running", "terminated", "truncated")
        if position.get("phase") is not None:
            state.phase = self._position_word(position, "phase", self.phases)
        if "decision" in position:
            none = position["decision"] is None
            state.decision = -1 if none else self._position_word(position, "decision", self.decisions)
        if "over" in position:
            state.over = self._position_word(position, "over", endings)
        if "seat" in position:
            seat = position["seat"]
            if isinstance(seat, bool) or not isinstance(seat, int) or not -1 <= seat < self.num_players:
                raise PositionError(f"{where}: seat is {shortened(seat)}; seats are 0 to {self.num_players - 1}")
            if seat >= 0 and state.over != RUNNING:
                raise PositionError(f"{where}: seat is {seat}, but the game is over and nobody is asked; give -1")
            state.seat = seat
        if state.over != RUNNING and "seat" not in position:
            state.seat = -1
        if (state.seat >= 0) != (state.decision >= 0):
            raise PositionError(
                f"{where}: seat is {int(state.seat)} and decision {position.get('decision')!r}; give who is asked and "
                "what, or neither"
            )
        for key, count in (("rank", self.num_players), ("reward", self.num_players), ("ticks", len(state.ticks))):
            if key in position:
                state[key][:count] = self._position_numbers(position, key, count)
        if state.over == RUNNING and state.rank.any():
            raise PositionError(f"{where}: rank is given, but ranks are known when the game is over")

    def _place_halt(self, state: Any) -> None:
        """Settle whether play has gone on from a position's halt; the sign of ``halt`` is not told by ``to_dict``."""
        halt = abs(int(state.breakpoint))
        if state.over == RUNNING and state.seat < 0 and halt != 1 + state.phase:
            raise PositionError(
                f"{self.name} position: seat is -1, but the game is neither over nor halted before its phase; give "
                "'at', the phase where play goes on, or who is asked"
            )
        asked_there = state.seat >= 0 and halt - 1 in (int(state.phase), *self.interrupted(state))
        state.breakpoint = -halt if asked_there else halt

    def _check_rank(self, states: np.ndarray, position: Mapping[str, Any]) -> None:
        """Ranks at the end are what the rules make of it; they may be left out."""
        if record(states).over == RUNNING:
            return
        again = states.copy()
        record(again).rank[:] = 0
        try:
            plain.finish(self.tables, again)
        except plain.PlainError as problem:
            raise PositionError(f"{self.name} position: over: the rules cannot end it there ({problem})") from None
        if "rank" not in position:
            record(states).rank[:] = record(again).rank
        given, made = (record(one).rank[: self.num_players].tolist() for one in (states, again))
        if given != made:
            raise PositionError(f"{self.name} position: rank is {given}, but the rules make it {made}")

    def _position_word(self, position: Mapping[str, Any], key: str, known: Sequence[str]) -> int:
        value = position[key]
        if not isinstance(value, str) or value not in known:
            hint = suggestion(value, list(known))
            raise PositionError(f"{self.name} position: {key} is {shortened(value)}{hint} One of: {', '.join(known)}")
        return known.index(value)

    def _position_numbers(self, position: Mapping[str, Any], key: str, count: int) -> list[float]:
        values = position[key]
        kinds = (int, float) if key == "reward" else (int,)
        if (
            not isinstance(values, list | tuple)
            or len(values) != count
            or any(isinstance(value, bool) or not isinstance(value, kinds) for value in values)
            or any(not -(2**15) < value < 2**15 if key != "ticks" else not 0 <= value < 2**31 for value in values)
        ):
            what = "numbers" if key == "reward" else "whole numbers"
            raise PositionError(f"{self.name} position: {key} is {shortened(values)}; give {count} {what}")
        return list(values)


def _restored(cls: type[Game], options: CommonOptions, tables_digest: str) -> Game:
    """A pickled game; refused if a deck file, or the suite, has changed since."""
    game = cls(options)
    if game.tables_digest != tables_digest:
        raise OptionError(
            f"{cls.name}: was pickled with other numbers in its rules: the deck {options.deck!r} or the suite has "
            "changed since; make the game anew"
        )
    return game


def checked_seed(seed: Any) -> int:
    """A seed as a Python int.

    Raises:
        OptionError: not an integer from 0 to 2**63 - 1.
    """
    number = integer(seed)
    if number is None or not 0 <= number < 2**63:
        raise OptionError(f"seed is {shortened(seed)}; give an integer from 0 to 2**63 - 1")
    return number


def views_of(vectors: np.ndarray, layout: Layout) -> np.ndarray:
    """View records sharing the memory of int16 vectors [N, length]."""
    views = vectors.view(layout.dtype).reshape(len(vectors))
    return views if JIT else views.view(np.recarray)
