"""Checkpoints: what is written is read back; what is damaged, foreign or half-written is refused or never appears."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
import tooth_training.learning.checkpoint as module
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from sb3_contrib import MaskablePPO
from tooth_agents.checkpoint import find_checkpoint, list_checkpoints, load_network_agent, read_meta, read_network
from tooth_agents.load import load_agent
from tooth_agents.spec import json_digest
from tooth_training.learning.buffer import SeatRolloutBuffer
from tooth_training.learning.checkpoint import (
    contents,
    locked,
    prune,
    read_training,
    remove_unfinished,
    restore,
    restore_random,
    write_checkpoint,
)
from tooth_training.learning.config import config_from
from tooth_training.learning.policy import SeatPolicy, policy_tensors
from tooth_training.learning.vec_env import BatchVecEnv

from tests.kuhn import Kuhn
from tooth_envs.envs.batch import BatchEnv
from tooth_envs.errors import CheckpointError, ToothError
from tooth_envs.spec.registry import game as make_game

CONFIG = config_from(
    {
        "game": {"name": "kuhn"},
        "total_decisions": 1000,
        "network": {"hidden": [8]},
        "ppo": {"n_envs": 6, "n_steps": 8, "batch_size": 12},
    },
    "test",
)


def built(seed=0, game=None, config=CONFIG):
    env = BatchVecEnv(BatchEnv(game or Kuhn.create(), config.ppo.n_envs, num_threads=1))
    model = MaskablePPO(
        SeatPolicy,
        env,
        n_steps=config.ppo.n_steps,
        batch_size=12,
        n_epochs=2,
        rollout_buffer_class=SeatRolloutBuffer,
        policy_kwargs={"spec": config.network},
        seed=seed,
        device="cpu",
    )
    model.rollout_buffer.attach(env)
    return model, env


@pytest.fixture(scope="module")
def trained():
    """A model after two updates, with its environment."""
    model, env = built()
    model.learn(96)
    return model, env


@pytest.fixture
def saved(trained, tmp_path):
    """A run directory with one checkpoint."""
    random.seed(3)
    random.gauss(0, 1)
    files = contents(*trained, CONFIG, games=40, seconds=1.5, score=None)
    write_checkpoint(tmp_path / "run", 96, files)
    return tmp_path / "run"


def test_everything_is_read_back(trained, saved):
    model, env = trained
    state = read_training(find_checkpoint(saved))
    generators = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    random.random(), np.random.random(), torch.rand(1)  # noqa: NPY002
    other, other_env = built(seed=99)
    restore(state, other, other_env)
    restore_random(state, other.device)
    assert random.getstate() == generators[0]
    assert np.array_equal(np.random.get_state()[1], generators[1][1])  # noqa: NPY002
    assert np.random.get_state()[2:] == generators[1][2:]  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), generators[2])
    for name, tensor in policy_tensors(model.policy).items():
        assert torch.equal(tensor, policy_tensors(other.policy)[name])
    ours, theirs = model.policy.optimizer.state_dict(), other.policy.optimizer.state_dict()
    assert ours["param_groups"] == theirs["param_groups"]
    for index, slots in ours["state"].items():
        for slot, value in slots.items():
            assert torch.equal(value, theirs["state"][index][slot])
    assert len(ours["state"]) == 6
    np.testing.assert_array_equal(env.batch.states(), other_env.batch.states())
    np.testing.assert_array_equal(env.batch.episode, other_env.batch.episode)
    np.testing.assert_array_equal(model._last_obs, other._last_obs)
    assert (other.num_timesteps, other._n_updates) == (96, 4)
    assert (state.decisions, state.updates, state.finished_games, state.seconds) == (96, 4, 40, 1.5)
    for step in range(20):  # the games go on alike, new deals included
        actions = env.batch.random_actions(step).copy()
        np.testing.assert_array_equal(env.batch.step(actions)[0], other_env.batch.step(actions)[0])


def test_what_meta_says(saved):
    meta = read_meta(find_checkpoint(saved))
    assert meta.game.name == "kuhn"
    assert meta.game.num_players == (2,)
    assert meta.game.options["max_steps"] == 10
    assert meta.network.hidden == (8,)
    assert meta.config_digest == CONFIG.digest()
    assert meta.packages["torch"] == torch.__version__
    assert set(meta.files) == {
        "policy.safetensors",
        "optimizer.safetensors",
        "rng.safetensors",
        "training.json",
        "games.npy",
        "open.safetensors",
    }
    assert {path.name for path in find_checkpoint(saved).iterdir()} == {*meta.files, "meta.json"}


def test_agents_come_from_runs_and_checkpoints(trained, saved):
    model, _ = trained
    for path in (saved, saved / "checkpoints" / "000000000096", str(saved)):
        agent = load_network_agent(path, Kuhn.create(), greedy=True)
        assert agent.greedy
        tensors = policy_tensors(model.policy)
        assert torch.equal(agent.network.policy.weight, tensors["policy.weight"].double())
    assert load_agent(str(saved), Kuhn.create()).name == "run"
    assert load_agent(str(saved), Kuhn.create(max_steps=5)).name == "run"  # the same meaning, other options


def test_a_network_of_one_table_size_plays_at_another(tmp_path):
    washer = make_game("dragon_teeth_washer", num_players=4)
    config = config_from({**CONFIG.as_data(), "game": {"name": "dragon_teeth_washer"}}, "test")
    model, env = built(game=washer, config=config)
    env.reset()
    write_checkpoint(tmp_path, 0, contents(model, env, config, 0, 0.0, None))
    load_network_agent(tmp_path, make_game("dragon_teeth_washer", num_players=3))
    with pytest.raises(CheckpointError, match="plays dragon_teeth_washer, not kuhn"):
        load_network_agent(tmp_path, Kuhn.create())
    with pytest.raises(
        CheckpointError, match=r"trained on other observations of dragon_teeth_washer \(258 numbers, here"
    ):
        load_network_agent(tmp_path, make_game("dragon_teeth_washer", num_players=4, history=True))


def refused(saved, match, training=True):
    """Both readers, or only that of training, refuse a run's checkpoint."""
    directory = saved / "checkpoints" / "000000000096"
    with pytest.raises(CheckpointError, match=match):
        read_training(directory)
    if not training:
        with pytest.raises(CheckpointError, match=match):
            load_network_agent(saved, Kuhn.create())


@pytest.mark.parametrize(
    "name", ["policy.safetensors", "optimizer.safetensors", "rng.safetensors", "training.json", "games.npy"]
)
def test_damaged_files(saved, name):
    path = saved / "checkpoints" / "000000000096" / name
    whole = path.read_bytes()
    ours = name != "policy.safetensors"
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    path.write_bytes(flipped)
    refused(saved, rf"{name}: was changed or damaged after it was written", ours)
    path.write_bytes(whole[:-1])
    refused(saved, rf"{name}: has {len(whole) - 1} bytes instead of {len(whole)}", ours)
    path.unlink()
    refused(saved, rf"{name}: is missing; the checkpoint is incomplete", ours)
    path.mkdir()
    refused(saved, rf"{name}: is a folder; give the path of a checkpoint's file", ours)
    path.rmdir()
    path.write_bytes(whole)
    read_training(path.parent)


def test_damaged_meta(saved):
    path = saved / "checkpoints" / "000000000096" / "meta.json"
    whole = path.read_text()
    for text, match in [
        (whole.replace('"hidden"', '"hidder"'), "its digest differs"),
        (whole.replace("96", "97", 1), "its digest differs"),
        (whole[: len(whole) // 2], "is damaged"),
        ("[]", "no JSON object"),
        ('{"a": NaN}', "is no JSON number"),
        ("{}", "is not the description of a tooth_envs checkpoint"),
        ("[" * 100_000, "is damaged"),
        (
            whole.replace('"format_version": 1', '"format_version": 2'),
            "has format version 2, but this release reads version 1",
        ),
        (" " * ((4 << 20) + 1), "too large for a checkpoint's file"),
    ]:
        path.write_text(text)
        refused(saved, match, training=False)
    path.write_bytes(b"\xff\xfe")
    refused(saved, "is damaged", training=False)


def rewritten(saved, **changes):
    """Change meta.json and give it a valid digest again: what someone could do who knows the format."""
    path = saved / "checkpoints" / "000000000096" / "meta.json"
    data = json.loads(path.read_text())
    data.pop("digest")
    for key, value in changes.items():
        node = data
        *parents, last = key.split("__")
        for parent in parents:
            node = node[parent]
        node[last] = value
    path.write_text(json.dumps({**data, "digest": json_digest(data)}))


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"extra": 1}, "unknown key 'extra'"),
        ({"game__num_actions": "two"}, "game.num_actions: input should be a valid integer"),
        ({"network__hidden": [9]}, r"tensor .* is torch.float32 \[.*\], but the network needs"),
        ({"network__hidden": [8, 8]}, "tensor trunk.2.bias is missing"),
        ({"network__hidden": [10**9]}, "widths of layers"),
        ({"network__layer_norm": True}, "tensor trunk.1.bias is missing"),
        ({"game__observation_size": 10**12}, r"the network needs torch.float32 \[8, 1000000000000\]"),
        ({"files": {}}, "lists no policy.safetensors"),
    ],
)
def test_a_meta_that_does_not_fit_its_files(saved, changes, match):
    rewritten(saved, **changes)
    directory = find_checkpoint(saved)

    def read():
        read_network(directory, read_meta(directory))

    with pytest.raises(CheckpointError, match=match):
        read()


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"game__name": "super_tooth"}, "plays super_tooth, not kuhn"),
        ({"game__version": 7}, "was trained on version 7 of kuhn; this release has version 0"),
        ({"game__actions": "0" * 64}, "another action table of kuhn"),
        ({"game__layout": "0" * 32}, "other observations of kuhn"),
        ({"game__deck": "abc"}, "another deck of kuhn"),
    ],
)
def test_checkpoints_of_something_else(saved, changes, match):
    rewritten(saved, **changes)
    with pytest.raises(CheckpointError, match=match):
        load_network_agent(saved, Kuhn.create())


def replaced(saved, name, data):
    """Another content for a file, with digests that fit."""
    from hashlib import sha256

    path = saved / "checkpoints" / "000000000096" / name
    path.write_bytes(data)
    meta = json.loads((path.parent / "meta.json").read_text())
    meta["files"][name] = {"bytes": len(data), "sha256": sha256(data).hexdigest()}
    meta.pop("digest")
    (path.parent / "meta.json").write_text(json.dumps({**meta, "digest": json_digest(meta)}))


def test_tensors_that_do_not_fit(saved):
    path = saved / "checkpoints" / "000000000096" / "policy.safetensors"
    tensors = load_tensors(path.read_bytes())
    weight = tensors["policy.weight"]
    for change, match in [
        ({"policy.weight": weight.double()}, r"policy.weight is torch.float64"),
        ({"policy.weight": weight.reshape(-1)}, r"policy.weight is torch.float32 \[16\]"),
        ({"policy.weight": torch.full_like(weight, torch.nan)}, "holds numbers that are not finite"),
        ({"backdoor": weight.clone()}, "tensor backdoor is unknown"),
    ]:
        replaced(saved, "policy.safetensors", save_tensors({**tensors, **change}))
        with pytest.raises(CheckpointError, match=match):
            load_network_agent(saved, Kuhn.create())
    for garbage in (b"", b"\x00" * 7, b"\xff" * 64, b"\x80\x04\x95cposix\nsystem\n"):
        replaced(saved, "policy.safetensors", garbage)
        with pytest.raises(CheckpointError, match="is no safetensors file"):
            load_network_agent(saved, Kuhn.create())


def test_training_files_that_do_not_fit(saved):
    directory = saved / "checkpoints" / "000000000096"
    good = directory.parent.parent / "good"
    shutil.copytree(directory, good)

    def tried(match):
        model, env = built(seed=1)
        before = {name: tensor.clone() for name, tensor in policy_tensors(model.policy).items()}
        with pytest.raises(CheckpointError, match=match):
            restore(read_training(directory), model, env)
        for name, tensor in policy_tensors(model.policy).items():
            assert torch.equal(tensor, before[name])  # refused before anything was changed
        shutil.rmtree(directory)
        shutil.copytree(good, directory)

    optimizer = load_tensors((directory / "optimizer.safetensors").read_bytes())
    optimizer.pop("value.bias/step")
    replaced(saved, "optimizer.safetensors", save_tensors(optimizer))
    tried("tensor value.bias/step is missing")
    entry = json.loads((directory / "training.json").read_text())
    for change, match in [
        ({"param_groups": []}, "has 0 parameter groups, not 1"),
        ({"param_groups": [{"lr": "fast"}]}, "key 'lr' is 'fast'"),
        ({"param_groups": [{"hook": 1}]}, "key 'hook' is unknown"),
        ({"param_groups": [{"params": [1]}]}, "key 'params' is unknown"),
        ({"numpy_position": 9999}, "numpy_position"),
        ({"run": "rm"}, "unknown key 'run'"),
    ]:
        replaced(saved, "training.json", json.dumps({**entry, **change}).encode())
        tried(match)
    rows = np.load(directory / "games.npy")
    for data, match in [
        (b"", "is no array file"),
        (b"\x93NUMPY\x01\x00", "is no array file"),
        (_npy(rows[:3]), "snapshot's states does not fit this batch"),
        (_npy(np.zeros(6)), "does not hold the games of a run"),
    ]:
        replaced(saved, "games.npy", data)
        tried(match)
    other = rows.copy()
    other["state"]["players"] = 1
    replaced(saved, "games.npy", _npy(other))
    tried("numbers of players are not this batch's")
    for field, value, match in [
        ("moves", 30000, r"row 1: moves is 30000; from 0 to 3 is possible"),
        ("card", -9, r"row 1: card\[0\] is -9"),
        ("phase", 5000, "row 1: phase is 5000"),
        ("seed", -1, "row 1: seed is -1"),
        ("seat", 77, "no seat is to act"),
        ("fault", 3, "halted, scripted or traced"),
    ]:  # sealed again: refused with row and field before compiled code sees it
        other = rows.copy()
        places = other["state"][field]
        places[(1, 0) if places.ndim > 1 else 1] = value
        replaced(saved, "games.npy", _npy(other))
        tried(match)
    other = rows.copy()
    other["returns"][0] = 1e6
    replaced(saved, "games.npy", _npy(other))
    tried("returns are none that the game can pay")


def _npy(array):
    import io

    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def test_pickled_games_are_never_loaded(saved):
    import io

    out = io.BytesIO()
    np.save(out, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    replaced(saved, "games.npy", out.getvalue())
    with pytest.raises(CheckpointError, match="Object arrays cannot be loaded"):
        read_training(find_checkpoint(saved))


def test_random_states_that_do_not_fit(saved):
    directory = saved / "checkpoints" / "000000000096"
    rng = load_tensors((directory / "rng.safetensors").read_bytes())
    before = random.getstate(), torch.get_rng_state()
    for change in ({"torch": rng["torch"][:9]}, {"numpy": rng["numpy"][:9]}, {"python": rng["python"][:9]}):
        replaced(saved, "rng.safetensors", save_tensors({**rng, **change}))
        with pytest.raises(CheckpointError, match="does not take its saved state"):
            restore_random(read_training(directory), torch.device("cpu"))
    random.setstate(before[0])
    torch.set_rng_state(before[1])


def test_paths_without_a_checkpoint(tmp_path):
    for path, match in [
        (tmp_path, "is not a checkpoint .no meta.json. and not a run with checkpoints"),
        (tmp_path / "none", "there is no such directory"),
        (Path(__file__), "is a file"),
    ]:
        with pytest.raises(CheckpointError, match=match):
            find_checkpoint(path)
    (tmp_path / "checkpoints" / ".unfinished-000000000005").mkdir(parents=True)
    (tmp_path / "checkpoints" / "notes").mkdir()
    assert list_checkpoints(tmp_path) == []


# Writing.


def files_of(trained):
    return contents(*trained, CONFIG, games=0, seconds=0.0, score=None)


def no_space(*args, **kwargs):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("place", ["mkdir", "open", "write", "flush of the last file", "folder", "rename"])
def test_a_full_disk_leaves_earlier_checkpoints(trained, saved, monkeypatch, place):
    before = sorted(path.relative_to(saved) for path in saved.rglob("*"))
    files = files_of(trained)
    if place == "mkdir":
        monkeypatch.setattr(Path, "mkdir", no_space)
    elif place == "open":
        monkeypatch.setattr(Path, "open", no_space)
    elif place == "rename":
        monkeypatch.setattr(Path, "rename", no_space)
    elif place == "folder":
        monkeypatch.setattr(module, "_sync_folder", no_space)
    else:
        real, calls = os.fsync, []

        def fsync(descriptor):
            calls.append(descriptor)
            if len(calls) == (1 if place == "write" else len(files)):
                no_space()
            real(descriptor)

        monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(CheckpointError) as caught:
        write_checkpoint(saved, 192, files)
    said = str(caught.value)
    assert str(saved / "checkpoints" / "000000000192") in said
    assert "No space left on device" in said
    assert "MB" in said
    assert "Earlier checkpoints are intact" in said
    monkeypatch.undo()
    assert sorted(path.relative_to(saved) for path in saved.rglob("*")) == before
    read_training(find_checkpoint(saved))
    assert write_checkpoint(saved, 192, files).name == "000000000192"  # and with room again, it goes on
    assert find_checkpoint(saved).name == "000000000192"


def test_an_interruption_while_saving_leaves_nothing_half_written(trained, saved, monkeypatch):
    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_checkpoint(saved, 192, files_of(trained))
    assert [path.name for path in (saved / "checkpoints").iterdir()] == ["000000000096"]


def test_leftovers_of_a_killed_process_are_no_checkpoints(trained, saved):
    half = saved / "checkpoints" / ".unfinished-000000000192"
    half.mkdir()
    (half / "meta.json").write_text("{}")
    assert find_checkpoint(saved).name == "000000000096"
    remove_unfinished(saved)
    assert not half.exists()
    half.mkdir()
    (half / "meta.json").write_text("{}")
    write_checkpoint(saved, 192, files_of(trained))
    assert not half.exists()


def test_nothing_is_overwritten(trained, saved):
    with pytest.raises(CheckpointError, match="exists already"):
        write_checkpoint(saved, 96, files_of(trained))
    read_training(find_checkpoint(saved))


def test_the_latest_and_the_best_are_kept(trained, tmp_path):
    for decisions, score in [(1, 0.1), (2, 0.5), (3, None), (4, 0.3), (5, None), (6, 0.2)]:
        write_checkpoint(tmp_path, decisions, contents(*trained, CONFIG, games=0, seconds=0.0, score=score))
    prune(tmp_path, 2)
    assert [int(path.name) for path in list_checkpoints(tmp_path)] == [2, 5, 6]
    assert len(list((tmp_path / "checkpoints").iterdir())) == 3
    (tmp_path / "checkpoints" / "000000000002" / "meta.json").write_text("?")
    prune(tmp_path, 1)
    assert [int(path.name) for path in list_checkpoints(tmp_path)] == [6]
    prune(tmp_path, 1)
    assert [int(path.name) for path in list_checkpoints(tmp_path)] == [6]


def test_one_process_at_a_time(tmp_path):
    refusal = pytest.raises(ToothError, match="another process is training in this directory")
    with locked(tmp_path), refusal, locked(tmp_path):
        pass
    with locked(tmp_path):
        pass
