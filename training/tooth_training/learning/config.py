"""What to train, and how: YAML files as frozen models.

Unknown keys, wrong types and impossible combinations are refused with the path of the key. A value is changed
for one run with an override such as ``ppo.learning_rate=1.0e-4``, whose right side is YAML too. Nothing in a file
or an override is executed.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import yaml
from pydantic import Field, model_validator
from tooth_agents.spec import NetworkSpec, json_digest

import tooth_training
from tooth_envs.errors import OptionError, UnknownGame, shortened
from tooth_envs.spec.files import printable, read_text
from tooth_envs.spec.game import Game
from tooth_envs.spec.metadata import folder_of
from tooth_envs.spec.registry import game_class, list_games
from tooth_envs.spec.validation import AsTuple, IntTuple, StrictModel, validated

Names = Annotated[tuple[str, ...], AsTuple]

SIZE_LIMIT = 1 << 17
"""Bytes of the largest configuration file that is read."""


class GameConfig(StrictModel):
    """Which game, under which options."""

    name: str = Field(description="short name, as in tooth_envs.game(name)")
    preset: str | None = Field(default=None, description="a named set of options")
    options: dict[str, Any] = Field(
        default_factory=dict,
        description="the game's options; num_players may be a list of table sizes, which then share the batch",
    )


class PPOConfig(StrictModel):
    """Proximal policy optimisation over the decisions of all seats."""

    learning_rate: float = Field(default=3e-4, gt=0, le=1, description="of Adam, at the beginning")
    schedule: Literal["linear", "constant"] = Field(default="linear", description="learning rate: to 0, or as it is")
    n_envs: int = Field(default=256, ge=1, le=1_000_000, description="games played side by side")
    n_steps: int = Field(default=64, ge=2, description="decisions per game in one rollout")
    batch_size: int = Field(
        default=2048,
        ge=2,
        description="decisions per gradient step; a rollout is cut into equal parts of about this size",
    )
    n_epochs: int = Field(default=3, ge=1, le=100, description="passes over a rollout")
    gamma: float = Field(default=1.0, gt=0, le=1, description="discount per own decision")
    gae_lambda: float = Field(default=0.95, ge=0, le=1, description="1: returns alone; 0: the next value alone")
    clip_range: float = Field(default=0.2, gt=0, description="how far an update may move a probability, as a ratio")
    ent_coef: float = Field(default=0.1, ge=0, description="weight of the policy's entropy")
    ent_coef_final: float | None = Field(default=None, ge=0, description="its value at the end, reached linearly")
    vf_coef: float = Field(default=0.5, ge=0, description="weight of the value's error")
    max_grad_norm: float = Field(default=0.5, gt=0, description="longer gradients are shortened to this")
    target_kl: float | None = Field(default=None, gt=0, description="an update ends early beyond 1.5 times this")
    normalize_advantage: bool = Field(default=True, description="to mean 0 and deviation 1 in each batch")


class WarmStartConfig(StrictModel):
    """Imitating an agent before PPO begins (training/imitation.py)."""

    agent: str = Field(default="heuristic", description="by name or directory; it plays all seats")
    decisions: int = Field(ge=1, description="its decisions to learn from, rounded up to whole rollouts")
    learning_rate: float = Field(default=1e-3, gt=0, le=1, description="to 0, linearly")
    batch_size: int = Field(default=512, ge=2, description="decisions per gradient step")
    n_epochs: int = Field(default=1, ge=1, le=100, description="how often each rollout is learnt")
    ent_coef: float = Field(default=0.01, ge=0, description="weight of the policy's entropy, against overconfidence")


class CheckpointConfig(StrictModel):
    """When to save, and what to keep."""

    every: int = Field(default=500_000, ge=1, description="decisions between two checkpoints")
    keep: int = Field(default=3, ge=1, description="how many of the latest are kept, besides the best")


class LoggingConfig(StrictModel):
    """What a run writes besides checkpoints."""

    tensorboard: bool = Field(default=True, description="event files in tensorboard/")
    plot: bool = Field(default=True, description="draw learning_curve.png")
    progress: Literal["auto", "bar", "lines", "silent"] = Field(
        default="auto", description="auto: a bar on a terminal, lines elsewhere"
    )


class EvaluateConfig(StrictModel):
    """The match that follows training."""

    opponents: Names | None = Field(
        default=None,
        description="agents by name or directory; None: random, and the heuristic if the game has one; []: no matches",
    )
    blocks: int = Field(default=200, ge=0, description="deals, each played in every seating; 0: no matches")
    num_players: IntTuple | None = Field(default=None, description="table sizes; None: those of training")
    greedy: bool = Field(default=False, description="take the likeliest action instead of drawing from the policy")
    seed: int | None = Field(
        default=None, ge=0, lt=2**63, description="names the deals; None: drawn from the operating system, and told"
    )


class EvaluateDuringConfig(StrictModel):
    """Small matches while training, for the learning curve."""

    points: int = Field(default=5, ge=0, le=1000, description="how many in a run, evenly spaced; 0: none")
    blocks: int = Field(default=50, ge=0, description="deals, each played in every seating; 0: no matches")
    opponents: Names | None = Field(
        default=None, description="None: random, and the heuristic if the game has one; []: no matches"
    )
    num_players: int | None = Field(default=None, description="table size; None: the first of training")
    greedy: bool = Field(default=False, description="take the likeliest action instead of drawing from the policy")
    seed: int | None = Field(
        default=None, ge=0, lt=2**63, description="names the deals; None: follows from the run's seed"
    )


class TrainConfig(StrictModel):
    """One training run."""

    game: GameConfig
    total_decisions: int = Field(
        ge=1, le=10**15, description="decisions of all seats together; rounded up to whole rollouts"
    )
    seed: int = Field(default=0, ge=0, lt=2**32, description="of deals, first weights, choices and minibatches")
    run_dir: str = Field(
        default="runs/run", min_length=1, max_length=4096, description="a number is appended if it is taken"
    )
    num_threads: int | None = Field(
        default=None,
        ge=1,
        le=1024,
        description="of torch; None: all that this process may use, noted at the beginning and kept by resuming",
    )
    device: str = Field(
        default="cpu", pattern=r"^(auto|cpu|cuda(:\d+)?)$", description="of the network: auto, cpu, cuda or cuda:0"
    )
    network: NetworkSpec = NetworkSpec()
    ppo: PPOConfig = PPOConfig()
    warm_start: WarmStartConfig | None = Field(default=None, description="None: from random weights")
    checkpoint: CheckpointConfig = CheckpointConfig()
    logging: LoggingConfig = LoggingConfig()
    evaluate: EvaluateConfig = EvaluateConfig()
    evaluate_during: EvaluateDuringConfig = EvaluateDuringConfig()

    @model_validator(mode="after")
    def _combinations(self) -> TrainConfig:
        ppo = self.ppo
        if ppo.batch_size > self.rollout:
            raise ValueError(
                f"ppo.batch_size is {ppo.batch_size}, but a rollout holds only ppo.n_envs * ppo.n_steps = "
                f"{self.rollout} decisions; lower batch_size or raise n_envs or n_steps"
            )
        tables = self.table_sizes()
        if tables is not None and not all(type(size) is int for size in tables):
            raise ValueError(f"game.options.num_players is {list(tables)}; give a number of seats, or a list of them")
        if tables is not None and len(tables) > ppo.n_envs:
            raise ValueError(
                f"ppo.n_envs is {ppo.n_envs}, but game.options.num_players lists {len(tables)} table sizes; "
                "every size needs at least one game"
            )
        if tables is not None and len(set(tables)) != len(tables):
            raise ValueError(f"game.options.num_players lists a table size twice: {list(tables)}")
        return self

    @property
    def rollout(self) -> int:
        """Decisions in one rollout."""
        return self.ppo.n_envs * self.ppo.n_steps

    def table_sizes(self) -> tuple[Any, ...] | None:
        """What ``num_players`` lists; None if the game's own default is taken."""
        given = self.game.options.get("num_players")
        if given is None:
            return None
        return tuple(given) if isinstance(given, list | tuple) else (given,)

    def game_at(self, players: int | None, where: str = "configuration") -> Game:
        """The game at one table size.

        Args:
            players: how many seats; None: the game's own default.
            where: what messages begin with.

        Raises:
            UnknownGame, OptionError: with the path of the key.
        """
        try:
            cls = game_class(self.game.name)
        except UnknownGame as problem:
            raise UnknownGame(f"{where}: game.name: {problem}") from None
        options = {key: value for key, value in self.game.options.items() if key != "num_players"}
        if players is not None:
            options["num_players"] = players
        if "preset" in options:
            raise OptionError(f"{where}: game.options.preset: a preset is no option; give it as game.preset")
        try:
            return cls.create(self.game.preset, **options)
        except OptionError as problem:
            raise OptionError(_with_path(str(problem), cls.name, where)) from None

    def games(self, where: str = "configuration") -> tuple[Game, ...]:
        """The game, once per table size of training.

        Raises:
            UnknownGame, OptionError: with the path of the key.
        """
        tables = self.table_sizes()
        games = [self.game_at(players, where) for players in ((None,) if tables is None else tables)]
        if not games:
            raise OptionError(f"{where}: game.options.num_players: an empty list; give at least one table size")
        for other in games[1:]:
            if other.layout.digest != games[0].layout.digest:
                raise OptionError(
                    f"{where}: game.options.num_players: observations of these table sizes differ in meaning"
                )
        most = max(game.num_players for game in games)
        if self.ppo.n_steps <= most:
            raise OptionError(
                f"{where}: ppo.n_steps is {self.ppo.n_steps}, but must be larger than the number of seats ({most}): "
                "each seat's last decision in a rollout cannot be learnt from"
            )
        return tuple(games)

    def check(self, where: str = "configuration") -> None:
        """See that every game it speaks of exists.

        Raises:
            UnknownGame, OptionError: with the path of the key.
        """
        self.games(where)
        if self.evaluate_during.num_players is not None:
            self.game_at(self.evaluate_during.num_players, f"{where}: evaluate_during.num_players")
        for players in self.evaluate.num_players or ():
            self.game_at(players, f"{where}: evaluate.num_players")

    def as_data(self) -> dict[str, Any]:
        """The configuration as JSON- and YAML-ready data; ``config_from`` reads it back."""
        return self.model_dump(mode="json")

    def digest(self) -> str:
        """Identifies the settings, wherever the run is written."""
        return json_digest(self.model_dump(mode="json", exclude={"run_dir"}))


def _with_path(message: str, game: str, where: str) -> str:
    """A game's complaints about its options, with the path they have in a configuration."""
    lines = []
    for line in message.splitlines():
        rest = line.removeprefix(f"{game}: ")
        if rest.startswith("unknown preset"):
            lines.append(f"{where}: game.preset: {rest}")
        elif rest.startswith("unknown key '"):
            lines.append(f"{where}: " + rest.replace("'", "'game.options.", 1))
        elif rest.split(":", 1)[0].replace(".", "").isidentifier():
            lines.append(f"{where}: game.options.{rest}")
        else:
            lines.append(f"{where}: game.options: {rest}")
    return "\n".join(lines)


DEEPEST, MOST_NODES = 50, 5_000
"""Bounds of YAML that is read: levels of nesting, and nodes once every alias is written out."""

_PLAIN = {
    yaml.MappingNode: ("map",),
    yaml.SequenceNode: ("seq",),
    yaml.ScalarNode: ("null", "bool", "int", "float", "str", "merge"),
}
"""Tags of plain data."""
_SCHEMA = "tag:yaml.org,2002:"


class _Refused(yaml.MarkedYAMLError):
    """What YAML allows and a configuration does not."""

    def __init__(self, problem: str, mark: Any) -> None:
        super().__init__(None, None, problem, mark)


class _Loader(yaml.SafeLoader):
    """Plain data only, and no key twice in one mapping (YAML's own loader keeps the last silently).

    Aliases are counted as if written out, since a few hundred bytes of aliases of aliases stand for billions of nodes.
    Dates are texts, and sets, bytes and the like are refused: no setting has such a value.
    """

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        first: [entry for entry in known if entry[0] not in (f"{_SCHEMA}timestamp", f"{_SCHEMA}value")]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = self._nodes = 0

    def fetch_flow_collection_start(self, token: Any) -> None:
        """An opening bracket; the scanner looks far ahead, and its time grows with the square of the open ones."""
        self._within_bounds(self.flow_level, 0, self.get_mark())
        super().fetch_flow_collection_start(token)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """A node, unless there are too many already: to read them takes time."""
        self._depth += 1
        self._nodes += 1
        self._within_bounds(self._depth, self._nodes, self.peek_event().start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def _within_bounds(self, depth: int, nodes: int, mark: Any) -> None:
        if depth > DEEPEST:
            raise _Refused(f"it is nested more than {DEEPEST} levels deep", mark)
        if nodes > MOST_NODES:
            raise _Refused(f"with its aliases written out it has more than {MOST_NODES:,} entries", mark)

    def get_single_data(self) -> Any:
        node = self.get_single_node()
        if node is None:
            return None
        self._weigh(node, {}, ())
        return self.construct_document(node)

    def _weigh(self, node: yaml.Node, known: dict[int, int], above: tuple[int, ...]) -> int:
        """Nodes below and including one, aliases written out."""
        if id(node) in above:
            raise _Refused("it contains itself", node.start_mark)
        if id(node) not in known:
            self._check_tag(node)
            parts: list[yaml.Node] = []
            if isinstance(node, yaml.MappingNode):
                parts = [part for pair in node.value for part in pair]
            elif isinstance(node, yaml.SequenceNode):
                parts = node.value
            known[id(node)] = 1 + sum(self._weigh(part, known, (*above, id(node))) for part in parts)
        self._within_bounds(1 + len(above), known[id(node)], node.start_mark)
        return known[id(node)]

    def _check_tag(self, node: yaml.Node) -> None:
        """Refuse a tag that is not of plain data, or of other data than the node's (``!!int x``)."""
        tag = node.tag.removeprefix(_SCHEMA)
        if tag not in _PLAIN[type(node)] or not node.tag.startswith(_SCHEMA):
            raise _Refused(f"{node.tag!r} is no plain data; write texts, numbers, lists and mappings", node.start_mark)
        if isinstance(node, yaml.ScalarNode) and tag != "str":
            found = self.resolve(yaml.ScalarNode, node.value, (True, False)).removeprefix(_SCHEMA)
            if found != tag and (tag, found) != ("float", "int"):
                raise _Refused(f"{shortened(node.value)} is no {tag}", node.start_mark)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            if isinstance(key_node, yaml.ScalarNode) and key_node.tag != f"{_SCHEMA}merge":
                if key_node.value in seen:
                    raise _Refused(f"key {key_node.value!r} is given twice", key_node.start_mark)
                seen.add(key_node.value)
        return super().construct_mapping(node, deep)


def parse_yaml(text: str, where: str) -> Any:
    """YAML as plain data.

    Raises:
        OptionError: no YAML, a repeated key, or anything but plain data; with the line.
    """
    if len(text) > SIZE_LIMIT:
        raise OptionError(f"{where}: has {len(text):,} characters, where at most {SIZE_LIMIT:,} are read")
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as problem:
        line = f"line {problem.problem_mark.line + 1}: " if problem.problem_mark else ""
        raise OptionError(f"{where}: {line}{printable(str(problem.problem or problem.context))}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise OptionError(f"{where}: {printable(str(problem))}") from None


def apply_override(data: dict[str, Any], override: str) -> None:
    """Change nested data by ``key.sub=value``.

    Raises:
        OptionError: not of this form, or a path through something that has no keys.
    """
    key, equals, text = override.partition("=")
    parts = [part.strip() for part in key.split(".")]
    if not equals or not all(parts):
        raise OptionError(f"--set {override!r}: write key=value, for example ppo.learning_rate=1.0e-4")
    node = data
    for depth, part in enumerate(parts[:-1]):
        child = node.get(part)
        if child is None:
            child = node[part] = {}
        if not isinstance(child, dict):
            raise OptionError(f"--set {override!r}: {'.'.join(parts[: depth + 1])} is a value, it has no keys below it")
        node = child
    node[parts[-1]] = parse_yaml(text, f"--set {override!r}")


def config_from(data: Mapping[str, Any], where: str, overrides: Sequence[str] = ()) -> TrainConfig:
    """A validated configuration from data and overrides.

    Args:
        data: as ``TrainConfig.as_data`` gives it.
        where: what messages begin with.
        overrides: ``key.sub=value`` each.

    Raises:
        OptionError: one line per problem.
    """
    changed: dict[str, Any] = _copied(data)
    for override in overrides:
        apply_override(changed, override)
    config = validated(TrainConfig, changed, where)
    config.check(where)
    return config


def _copied(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {key: _copied(value) for key, value in data.items()}
    return [_copied(value) for value in data] if isinstance(data, list | tuple) else data


def configs_folder() -> Path:
    """Where the configurations are that the suite ships: in the package, or beside it in a checkout."""
    package = Path(tooth_training.__file__).parent
    inside = package / "configs"
    return inside if inside.is_dir() else package.parents[1] / "configs"


def built_in_configs() -> list[str]:
    """Names of the configurations that the suite ships."""
    return sorted(file.stem for file in configs_folder().glob("*.yaml"))


def config_of_game(name: str) -> Path | None:
    """The configuration that a game brings along, NAME.yaml in its folder; of the suite's own, see configs_folder()."""
    if name not in list_games():
        return None
    file = folder_of(game_class(name)) / f"{name}.yaml"
    return file if file.is_file() else None


def load_config(path: Path | str, overrides: Sequence[str] = ()) -> TrainConfig:
    """Read a configuration.

    Args:
        path: a YAML file, the name of a configuration that the suite ships, or a game's that has one in its folder.
        overrides: ``key.sub=value`` each, applied to the file's content before it is checked.

    Raises:
        OptionError: no such file, or what is wrong in it, one line per problem.
    """
    source = Path(path)
    if not os.path.lexists(source) and str(path) in built_in_configs():
        return load_config(configs_folder() / f"{path}.yaml", overrides)
    if (not os.path.lexists(source) or source.is_dir()) and (own := config_of_game(str(path))) is not None:
        return load_config(own, overrides)
    what = f"a configuration (a YAML file, or one of {', '.join(built_in_configs())})"
    data = parse_yaml(read_text(source, SIZE_LIMIT, what, OptionError), str(path))
    if not isinstance(data, dict):
        raise OptionError(f"{path}: must hold keys and values at its top level, beginning with game:")
    return config_from(data, f"{path} with --set" if overrides else str(path), overrides)


def config_text(config: TrainConfig) -> str:
    """A configuration as YAML, which ``load_config`` reads back."""
    return str(yaml.safe_dump(config.as_data(), sort_keys=False, allow_unicode=True))
