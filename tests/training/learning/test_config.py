"""Configurations: what is read, what is refused, and how it is said."""

from __future__ import annotations

import re

import pytest
import yaml
from tooth_training.learning.config import (
    TrainConfig,
    apply_override,
    built_in_configs,
    config_from,
    config_text,
    load_config,
    parse_yaml,
)

import tests.kuhn  # noqa: F401 (registers the game)
from tooth_envs.errors import OptionError, UnknownGame

KUHN = "game: {name: kuhn}\ntotal_decisions: 1000\n"


def load(tmp_path, text, *overrides):
    path = tmp_path / "c.yaml"
    path.write_text(text)
    return load_config(path, overrides)


def refused(tmp_path, text, *overrides):
    with pytest.raises(OptionError) as caught:
        load(tmp_path, text, *overrides)
    return str(caught.value).replace(str(tmp_path / "c.yaml"), "FILE")


def test_defaults_and_round_trip(tmp_path):
    config = load(tmp_path, KUHN + "network: {hidden: [8, 4]}\nevaluate: {opponents: [random], num_players: [2]}\n")
    assert config.network.hidden == (8, 4)
    assert config.evaluate.opponents == ("random",)
    assert config.ppo.gamma == 1.0
    assert config.rollout == config.ppo.n_envs * config.ppo.n_steps
    (tmp_path / "again.yaml").write_text(config_text(config))
    again = load_config(tmp_path / "again.yaml")
    assert again == config
    assert again.digest() == config.digest()
    assert config_from(config.as_data(), "data") == config


def test_digest_tells_settings_apart_but_not_places(tmp_path):
    one = load(tmp_path, KUHN)
    assert load(tmp_path, KUHN, "run_dir=elsewhere").digest() == one.digest()
    assert load(tmp_path, KUHN, "ppo.gamma=0.99").digest() != one.digest()
    assert load(tmp_path, KUHN, "game.options.max_steps=9").digest() != one.digest()


@pytest.mark.parametrize("name", built_in_configs())
def test_shipped_configurations_are_valid(name):
    config = load_config(name)
    assert config.games()
    assert len(built_in_configs()) >= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pqo: {gamma: 0.9}", "FILE: unknown key 'pqo'; did you mean 'ppo'? Known here: game, total_decisions"),
        ("ppo: {learning_rat: 0.1}", "unknown key 'ppo.learning_rat'; did you mean 'learning_rate'?"),
        (
            "ppo: {learning_rate: 1e-4}",
            "ppo.learning_rate: input should be a valid number, but '1e-4' was given as text",
        ),
        ("ppo: {learning_rate: 1e-4}", "write 1.0e-4 or 0.0001"),
        ("ppo: {n_envs: 12.5}", "ppo.n_envs: input should be a valid integer"),
        ("ppo: {n_envs: yes}", "ppo.n_envs: input should be a valid integer, but True was given"),
        ("ppo: {gamma: 1.5}", "ppo.gamma: input should be less than or equal to 1, but 1.5 was given"),
        ("ppo: {gamma: .nan}", "ppo.gamma: input should be a finite number"),
        ("ppo: {schedule: quadratic}", "ppo.schedule: input should be 'linear' or 'constant'"),
        ("ppo: 3", "ppo: "),
        ("network: {hidden: []}", "network.hidden: "),
        ("network: {hidden: [8, 0]}", "network.hidden: widths of layers are 1 to 8192"),
        ("network: {hidden: [8, x]}", "network.hidden.1: input should be a valid integer, but 'x' was given"),
        ("logging: {progress: off}", "logging.progress: input should be 'auto', 'bar', 'lines' or 'silent', but False"),
        ("device: gpu", "device: "),
        ("seed: -1", "seed: "),
        ("checkpoint: {keep: 0}", "checkpoint.keep: input should be greater than or equal to 1"),
        ("evaluate: {opponents: random}", "evaluate.opponents: "),
    ],
)
def test_wrong_values_name_the_path(tmp_path, text, message):
    assert message in refused(tmp_path, KUHN + text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ppo: {batch_size: 4096, n_envs: 8, n_steps: 8}", "ppo.batch_size is 4096, but a rollout holds only"),
        ("ppo: {n_steps: 2, n_envs: 2048}", "ppo.n_steps is 2, but must be larger than the number of seats (2)"),
    ],
)
def test_impossible_combinations(tmp_path, text, message):
    said = refused(tmp_path, KUHN + text)
    assert message in said
    assert said.startswith("FILE: ")
    assert "{'" not in said  # no dump of a whole section


def test_game_and_its_options(tmp_path):
    total = "\ntotal_decisions: 10"
    assert "game: is missing" in refused(tmp_path, total)
    assert "total_decisions: is missing" in refused(tmp_path, "game: {name: kuhn}")
    with pytest.raises(UnknownGame, match=r"game.name: unknown game 'khn'"):
        load(tmp_path, "game: {name: khn}" + total)
    said = refused(tmp_path, "game: {name: kuhn, options: {max_step: 3}}" + total)
    assert said.startswith("FILE: unknown key 'game.options.max_step'; did you mean 'max_steps'?")
    said = refused(tmp_path, "game: {name: kuhn, options: {max_steps: many}}" + total)
    assert said.startswith("FILE: game.options.max_steps: input should be a valid integer, but 'many' was given")
    said = refused(tmp_path, "game: {name: kuhn, options: {num_players: 3}}" + total)
    assert said.startswith("FILE: game.options.num_players: ")
    assert "game.preset: " in refused(tmp_path, "game: {name: kuhn, preset: tiny}" + total)
    said = refused(tmp_path, "game: {name: kuhn, options: {cls: 3}}" + total)
    assert "game.options" in said


def test_table_sizes(tmp_path):
    text = "game: {name: kuhn, options: {num_players: %s}}\ntotal_decisions: 10\n"
    text += "ppo: {n_envs: %d, n_steps: 9, batch_size: 4}"
    assert [game.num_players for game in load(tmp_path, text % ("[2]", 4)).games()] == [2]
    assert "lists a table size twice" in refused(tmp_path, text % ("[2, 2]", 4))
    assert "ppo.n_envs is 1, but game.options.num_players lists 2 table sizes" in refused(
        tmp_path, text % ("[2, 3]", 1)
    )
    assert "empty list" in refused(tmp_path, text % ("[]", 1))
    games = load(tmp_path, (text % ("[3, 4, 5]", 4)).replace("kuhn", "dragon_teeth_washer")).games()
    assert [game.num_players for game in games] == [3, 4, 5]
    assert len({game.layout.digest for game in games}) == 1
    for key in ("evaluate.num_players=[2, 3]", "evaluate_during.num_players=3"):
        said = refused(tmp_path, text % ("[2]", 4), key)
        assert said.startswith(f"FILE with --set: {key.split('=')[0]}: game.options.num_players: ")


def test_overrides(tmp_path):
    config = load(tmp_path, KUHN, "ppo.n_envs=32", "ppo.learning_rate=1.0e-3", "network.hidden=[4]", "run_dir=x=y")
    assert (config.ppo.n_envs, config.ppo.learning_rate, config.network.hidden) == (32, 1e-3, (4,))
    assert config.run_dir == "x=y"
    assert load(tmp_path, KUHN, "evaluate.num_players=").evaluate.num_players is None
    assert load(tmp_path, KUHN, " seed = 5 ").seed == 5
    assert "unknown key 'ppo.n_env'; did you mean 'n_envs'?" in refused(tmp_path, KUHN, "ppo.n_env=3")
    assert "write 1.0e-4" in refused(tmp_path, KUHN, "ppo.learning_rate=1e-4")
    for wrong in ("ppo.n_envs", "=3", "ppo..n_envs=3", ""):
        assert "write key=value" in refused(tmp_path, KUHN, wrong)
    assert "seed is a value, it has no keys below it" in refused(tmp_path, KUHN + "seed: 1", "seed.x=3")
    assert "--set 'seed=[1'" in refused(tmp_path, KUHN, "seed=[1")
    data = {"ppo": {"n_envs": 1}}
    config_data = dict(data)
    apply_override(config_data, "game.name=kuhn")
    assert config_data["game"] == {"name": "kuhn"}


def test_overrides_leave_the_given_data_alone():
    data = {"game": {"name": "kuhn"}, "total_decisions": 5, "ppo": {"n_envs": 9, "n_steps": 9, "batch_size": 9}}
    config_from(data, "data", ["ppo.n_envs=10", "game.options.max_steps=3"])
    assert data == {"game": {"name": "kuhn"}, "total_decisions": 5, "ppo": {"n_envs": 9, "n_steps": 9, "batch_size": 9}}


def test_yaml_is_data_and_every_key_counts_once(tmp_path):
    assert "line 4: key 'seed' is given twice" in refused(tmp_path, KUHN + "seed: 1\nseed: 2")
    assert "line 3: key 'gamma' is given twice" in refused(tmp_path, KUHN + "ppo: {gamma: 0.9, gamma: 1.0}")
    for text in ("x: !!python/object/apply:os.system ['true']", "x: !!python/name:os.system"):
        assert "is no plain data" in refused(tmp_path, KUHN + text)
    assert "line 3" in refused(tmp_path, KUHN + "a: [1")
    assert "must hold keys and values" in refused(tmp_path, "- 1")
    assert "must hold keys and values" in refused(tmp_path, "")
    merged = parse_yaml("a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}", "text")
    assert merged["b"] == {"p": 1, "q": 3}
    deep = "[" * 5000
    with pytest.raises(OptionError):
        parse_yaml(deep, "text")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(OptionError, match=r"no such file; give .* \(a YAML file, or one of .*quickstart"):
        load_config(tmp_path / "none.yaml")
    with pytest.raises(OptionError, match=r"is a folder; give .* \(a YAML file, or one of "):
        load_config(tmp_path)
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OptionError, match="no UTF-8 text"):
        load_config(tmp_path / "binary.yaml")
    (tmp_path / "large.yaml").write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(OptionError, match="too large"):
        load_config(tmp_path / "large.yaml")


def test_every_key_is_described_or_plain():
    """The written form is what a reader learns the keys from; it stays plain YAML."""
    config = TrainConfig(game={"name": "kuhn"}, total_decisions=10)
    text = yaml.safe_dump(config.as_data())
    assert not re.search(r"!!|&|\*", text)
