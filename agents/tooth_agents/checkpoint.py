"""Checkpoints: the format, and reading and verifying what an agent needs. (training/checkpoint.py writes them.)

A checkpoint is a directory:

=====================  ==============================================================================================
meta.json              format and its version, game, digests of layout and action table, network, counters, the
                       configuration, versions of packages, and size and sha256 of every other file; its own digest
policy.safetensors     the tensors of ``PolicyNetwork``
optimizer.safetensors  the optimiser's tensors (training only)
rng.safetensors        states of the random generators that are arrays (training only)
training.json          everything else that training goes on from (training only)
games.npy              the games in progress, one record per row (training only)
open.safetensors       decisions whose outcome is not known yet (training only)
=====================  ==============================================================================================

Reading runs no code from the files: JSON, safetensors, and ``.npy`` without pickle. Sizes are checked before
reading, digests before parsing, and names, shapes and dtypes against a freshly built network before use; what is
unknown is refused. Digests find damage, not malice: whoever can write the directory can write a digest.

A run directory has ``checkpoints/<decisions>``, twelve digits each; wherever a checkpoint is wanted, a run
directory stands for its latest one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal

import torch
from pydantic import Field
from safetensors import SafetensorError
from safetensors.torch import load

from tooth_agents.network import NetworkAgent, PolicyNetwork
from tooth_agents.spec import NetworkSpec, json_digest
from tooth_envs.errors import CheckpointError
from tooth_envs.spec.files import read_bytes
from tooth_envs.spec.game import Game
from tooth_envs.spec.validation import IntTuple, StrictModel, validated

FORMAT: Final = "tooth_envs checkpoint"
FORMAT_VERSION = 1

META = "meta.json"
POLICY = "policy.safetensors"
CHECKPOINTS = "checkpoints"

_NAME = re.compile(r"\d{12}")
META_LIMIT = 4 << 20
FILE_LIMIT = 4 << 30
"""Bytes that a loader is willing to read: of meta.json, of any other file."""


class FileEntry(StrictModel):
    """What a file must be."""

    bytes: int = Field(ge=0, le=FILE_LIMIT)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class GameEntry(StrictModel):
    """Which game a checkpoint plays. The digests tell what its observations and actions mean."""

    name: str
    version: int
    options: dict[str, Any] = Field(description="all options but the number of players")
    num_players: IntTuple = Field(description="sizes of the tables trained at; other sizes can be played")
    layout: str
    observation_size: int = Field(ge=1)
    actions: str
    num_actions: int = Field(ge=1)
    deck: str | None


class Meta(StrictModel):
    """meta.json, its own digest left out."""

    format: Literal["tooth_envs checkpoint"] = FORMAT
    format_version: int = FORMAT_VERSION
    game: GameEntry
    network: NetworkSpec
    counters: dict[str, int] = Field(description="decisions, updates, ...")
    score: float | None = Field(description="mean reward against the hardest opponent of the last evaluation, if any")
    config: dict[str, Any]
    config_digest: str
    packages: dict[str, str]
    files: dict[str, FileEntry]


def game_entry(*games: Game) -> GameEntry:
    """The description of one or more variants of a game that differ in their number of players alone."""
    first = games[0]
    return GameEntry(
        name=first.name,
        version=first.version,
        options=first.options.model_dump(mode="json", exclude={"num_players"}),
        num_players=tuple(game.num_players for game in games),
        layout=first.layout.digest,
        observation_size=first.layout.size,
        actions=json_digest(list(first.actions)),
        num_actions=len(first.actions),
        deck=first.deck_digest,
    )


def list_checkpoints(run: Path) -> list[Path]:
    """The checkpoints of a run directory, oldest first. Unfinished ones are never among them."""
    folder = run / CHECKPOINTS
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_dir())


def best_checkpoint(saved: Sequence[Path]) -> Path | None:
    """The one of some checkpoints with the best score; None if none has one. Damaged ones do not count."""
    scores = {}
    for path in saved:
        try:
            score = read_meta(path).score
        except CheckpointError:
            continue
        if score is not None:
            scores[path] = score
    return max(scores, key=lambda path: (scores[path], path.name), default=None)


def find_checkpoint(path: Path | str, best: bool = False) -> Path:
    """The checkpoint directory that a path means: itself, or the latest of a run directory.

    Args:
        path: the directory.
        best: of a run directory, the one with the best score instead of the latest.

    Raises:
        CheckpointError: there is none.
    """
    path = Path(path)
    if (path / META).exists():
        if best:
            raise CheckpointError(f"{path}: is one checkpoint; :best chooses among those of a run directory")
        return path
    saved = list_checkpoints(path)
    if saved and best:
        found = best_checkpoint(saved)
        if found is None:
            raise CheckpointError(
                f"{path}: no checkpoint has a score, because nothing was evaluated while training "
                "(evaluate_during.points); leave out :best"
            )
        return found
    if saved:
        return saved[-1]
    if not path.exists():
        raise CheckpointError(f"{path}: there is no such directory; give a run directory or one of its checkpoints")
    if not path.is_dir():
        raise CheckpointError(f"{path}: is a file; give a run directory or one of its checkpoints")
    raise CheckpointError(
        f"{path}: is not a checkpoint (no {META}) and not a run with checkpoints (no {CHECKPOINTS}/<decisions>)"
    )


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")


def parse_json(content: bytes, where: str) -> dict[str, Any]:
    """A JSON object.

    Raises:
        CheckpointError: it is not one.
    """
    try:
        data = json.loads(content.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as problem:
        raise CheckpointError(f"{where}: is damaged: {problem}") from None
    if not isinstance(data, dict):
        raise CheckpointError(f"{where}: is damaged: no JSON object")
    return data


def _content(path: Path, limit: int) -> bytes:
    if not path.exists():
        raise CheckpointError(f"{path}: is missing; the checkpoint is incomplete, use another one")
    return read_bytes(path, limit, "a checkpoint's file", CheckpointError)


def read_meta(directory: Path) -> Meta:
    """Read and verify meta.json.

    Raises:
        CheckpointError: missing, damaged, not ours, or of another format version.
    """
    path = directory / META
    data = parse_json(_content(path, META_LIMIT), str(path))
    if data.get("format") != FORMAT:
        raise CheckpointError(f"{path}: is not the description of a tooth_envs checkpoint")
    version = data.get("format_version")
    if version != FORMAT_VERSION:
        raise CheckpointError(
            f"{path}: has format version {version!r}, but this release reads version {FORMAT_VERSION}; "
            "use the release that wrote it"
        )
    digest = data.pop("digest", None)
    try:
        intact = digest == json_digest(data)
    except ValueError:
        intact = False
    if not intact:
        raise CheckpointError(f"{path}: was changed or damaged after it was written (its digest differs)")
    return validated(Meta, data, str(path), CheckpointError)


def read_file(directory: Path, meta: Meta, name: str) -> bytes:
    """The content of a file, after size and digest were found right.

    Raises:
        CheckpointError: missing, truncated or changed.
    """
    path = directory / name
    entry = meta.files.get(name)
    if entry is None:
        raise CheckpointError(f"{directory}: its {META} lists no {name}; the checkpoint is not complete")
    content = _content(path, FILE_LIMIT)
    if len(content) != entry.bytes:
        raise CheckpointError(
            f"{path}: has {len(content)} bytes instead of {entry.bytes}: cut off or changed; use another checkpoint"
        )
    if hashlib.sha256(content).hexdigest() != entry.sha256:
        raise CheckpointError(f"{path}: was changed or damaged after it was written (its sha256 differs)")
    return content


def read_tensors(directory: Path, meta: Meta, name: str) -> dict[str, torch.Tensor]:
    """The tensors of a safetensors file, on the CPU.

    Raises:
        CheckpointError: missing, truncated, changed, or not a safetensors file.
    """
    content = read_file(directory, meta, name)
    try:
        return dict(load(content))
    except (SafetensorError, ValueError, KeyError, TypeError) as problem:
        raise CheckpointError(f"{directory / name}: is no safetensors file: {problem}") from None


def check_tensors(tensors: dict[str, torch.Tensor], expected: dict[str, torch.Tensor], where: str) -> None:
    """Compare names, shapes and dtypes, and require finite numbers.

    Raises:
        CheckpointError: with the first tensor that does not fit.
    """
    for name in sorted(expected.keys() - tensors.keys()):
        raise CheckpointError(f"{where}: tensor {name} is missing")
    for name in sorted(tensors.keys() - expected.keys()):
        raise CheckpointError(f"{where}: tensor {name} is unknown to the network that {META} describes")
    for name, tensor in tensors.items():
        own = expected[name]
        if tensor.shape != own.shape or tensor.dtype != own.dtype:
            raise CheckpointError(
                f"{where}: tensor {name} is {tensor.dtype} {list(tensor.shape)}, "
                f"but the network needs {own.dtype} {list(own.shape)}"
            )
        if not bool(torch.isfinite(tensor).all()):
            raise CheckpointError(
                f"{where}: tensor {name} holds numbers that are not finite; use an earlier checkpoint"
            )


def check_game(meta: Meta, game: Game, where: Path) -> None:
    """Require that a game's observations and actions mean what the checkpoint's network learnt.

    Options such as the number of players may differ as long as that is so.

    Raises:
        CheckpointError: another game, version, layout, action table or deck.
    """
    own, theirs = game_entry(game), meta.game
    if theirs.name != own.name:
        raise CheckpointError(f"{where}: plays {theirs.name}, not {own.name}")
    if theirs.version != own.version:
        raise CheckpointError(
            f"{where}: was trained on version {theirs.version} of {own.name}; this release has version {own.version}"
        )
    if theirs.deck != own.deck:
        raise CheckpointError(f"{where}: was trained with another deck of {own.name}; give the game the same deck")
    if theirs.actions != own.actions or theirs.num_actions != own.num_actions:
        raise CheckpointError(f"{where}: was trained with another action table of {own.name}; train anew")
    if theirs.layout != own.layout or theirs.observation_size != own.observation_size:
        raise CheckpointError(
            f"{where}: was trained on other observations of {own.name} ({theirs.observation_size} numbers, here "
            f"{own.observation_size}; options then: {theirs.options}); give the game the same options, or train anew"
        )


def read_network(directory: Path, meta: Meta) -> PolicyNetwork:
    """The policy as a fresh module, on the CPU.

    Raises:
        CheckpointError: the file or a tensor is not what meta.json and the network's shape say.
    """
    where = str(directory / POLICY)
    tensors = read_tensors(directory, meta, POLICY)
    with torch.device("meta"):  # shapes alone: nothing is allocated on a file's word
        network = PolicyNetwork(meta.game.observation_size, meta.game.num_actions, meta.network)
    check_tensors(tensors, network.state_dict(), where)
    network.load_state_dict(tensors, assign=True)
    return network


def load_network_agent(path: Path | str, game: Game, greedy: bool = False, best: bool = False) -> NetworkAgent:
    """The agent saved in a checkpoint, or in the latest checkpoint of a run directory.

    Args:
        path: the directory.
        game: what it is to play; it may have another number of players than in training.
        greedy: take the likeliest action instead of drawing from the policy.
        best: of a run directory, the checkpoint with the best score instead of the latest.

    Raises:
        CheckpointError: no checkpoint, a damaged one, or one of something else.
    """
    directory = find_checkpoint(path, best)
    meta = read_meta(directory)
    check_game(meta, game, directory)
    return NetworkAgent(read_network(directory, meta), greedy, name=Path(path).name or "network")
