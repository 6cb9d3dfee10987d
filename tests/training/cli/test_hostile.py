"""Hostile words and files: one clear error, at once, and never a traceback of something else."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.table import Table
from tooth_training.learning.checkpoint import _like
from tooth_training.learning.config import config_from, load_config, parse_yaml
from tooth_training.terminal import console

import tests.kuhn
import tooth_envs
from tests.training.cli.test_cli import ROOT, tooth
from tooth_envs.engine.state import record as record_of
from tooth_envs.envs.record import read_records, record_game, write_records
from tooth_envs.errors import ToothError

assert tests.kuhn.Kuhn.name == "kuhn"

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)
ITSELF = "a: &a [*a]\n"
DEEP = "a: " + "[" * 60 + "]" * 60
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 10)}]}}\n" for level in range(1, 10)
)
DIGITS = "a: " + "9" * 10_000
YAMLS = {
    "aliases of aliases": LAUGHS,
    "itself": ITSELF,
    "deep": DEEP,
    "merges of merges": MERGES,
    "digits": DIGITS,
    "long lists": "- x\n" * 30_000,
    "long texts": "a: " + "x" * 200_000,
    "brackets": "[" * 100_000,
    "braces": "{" * 5000,
    "keys of keys": "? " * 2000,
}


@pytest.mark.parametrize("name", YAMLS)
def test_yaml_that_would_never_end(name: str, tmp_path: Path) -> None:
    began = time.process_time()
    with pytest.raises(ToothError, match=r"^here: "):
        parse_yaml(YAMLS[name], "here")
    file = tmp_path / "config.yaml"
    file.write_text(YAMLS[name])
    with pytest.raises(ToothError, match=r"config\.yaml: "):
        load_config(file)
    assert time.process_time() - began < 2.0


def test_a_few_aliases_are_welcome() -> None:
    assert parse_yaml("a: &a [1, 2]\nb: [*a, *a]\n", "here") == {"a": [1, 2], "b": [[1, 2], [1, 2]]}


TAGS = (
    *("int", "float", "bool", "null", "str", "seq", "map"),
    *("timestamp", "binary", "omap", "pairs", "set", "value", "merge", "python/name:os.system"),
)
PLAIN = {int, float, bool, type(None), str, list, dict}


def plain(data: Any) -> bool:
    if isinstance(data, dict):
        return all(type(key) in PLAIN and plain(value) for key, value in data.items())
    return all(map(plain, data)) if isinstance(data, list) else type(data) in PLAIN


@pytest.mark.parametrize("tag", ["", "! ", "!own ", *(f"!!{tag} " for tag in TAGS)])
def test_yaml_gives_plain_data_or_an_error(tag: str) -> None:
    for value in (
        *('""', "x", '"-"', "_", "0b", "0x", "1:2:3", "é", ".inf", "~", "=", "<<", '"\\0"', "2020-99-99", "2020-01-01"),
        *("2001-12-14t21:59:43.10-99:99", "[1]", "[]", "{}", "{a: 1}", "{? [1, 2] : 3}", "[[1, 2]]", "[a: b]"),
    ):
        with contextlib.suppress(ToothError):
            assert plain(parse_yaml(f"a: {tag}{value}", "here")), (tag, value)
    assert parse_yaml("a: !!float 3\nb: !!str 3\nc: !!int 0x1f", "here") == {"a": 3.0, "b": "3", "c": 31}


NAMES = ("name", "cls", "self", "preset", "options", "num_envs", "render_mode", "tooth_game", "__class__", "")
VALUES: tuple[Any, ...] = (3, "x", None, [], [[3]], {}, {"a": 1}, 1.5, float("nan"), "\x1b[2J", 10**30, b"x", object())


def complaint(make: Callable[[], object]) -> str:
    """What the suite says against it; "" if it is accepted. Any other error fails the test."""
    try:
        make()
    except ToothError as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("name", NAMES)
def test_names_of_options_are_nothing_but_names(name: str) -> None:
    for value in VALUES:
        for make in (tooth_envs.game, tooth_envs.make, tooth_envs.make_parallel, tooth_envs.make_single):
            said = complaint(lambda make=make, value=value: make("kuhn", **{name: value}))
            if said:
                assert "kuhn" in said
            else:
                assert value is None, "None stands for: not given"
                assert name in ("preset", "render_mode")


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_of_options_are_checked_before_they_are_used(value: Any) -> None:
    for game in ("kuhn", "dragon_teeth_washer", "super_tooth", "toothead"):
        cls = tooth_envs.game_class(game)
        for option in cls.Options.model_fields:
            said = complaint(lambda game=game, option=option: tooth_envs.game(game, **{option: value}))
            if said:
                assert game in said or option in said
            else:
                assert type(value) in (int, float, type(None), str, tuple), "nothing else is a value of an option"
        with pytest.raises(ToothError):
            tooth_envs.make_batch(game, 2, num_players=[[value]])


@pytest.mark.parametrize(
    "words",
    [
        ["games", "--json", "a\0b"],
        ["play", "kuhn", "-o", "name=3"],
        ["play", "kuhn", "-o", "cls=3"],
        ["stats", "kuhn", "-o", "self=1"],
        ["stats", "kuhn", "-o", f"x={ITSELF}"],
        ["stats", "kuhn", "-o", "max_steps=[[3]]"],
        ["stats", "kuhn", "-o", "max_steps={1: 2}"],
        ["stats", "kuhn", "-o", "max_steps=2020-01-01"],
        ["stats", "kuhn", "-o", "max_steps=!!python/object:os.system {}"],
        ["train", "quickstart", "--set", "game.options.num_players=[[3]]"],
        ["train", "quickstart", "--set", "game.options.cls=1"],
        ["train", "quickstart", "--set", "game.options.preset=trio"],
        ["train", "quickstart", "--set", "run_dir=."],
        ["play", "kuhn", "-a", ""],
        ["deck", "copy", "dragon_teeth_washer", "never.toml", "--deck", ""],
        ["stats", "kuhn", "--json", ""],
        ["stats", "kuhn", "--json", "/dev/fd/99"],
        ["stats", "kuhn", "-o", "max_steps=!!bool x"],
        ["train", "quickstart", "--set", 'run_dir="a\\0b"'],
        ["train", "quickstart", "--set", f"a={ITSELF}"],
        ["train", "quickstart", "--set", "a." * 3000 + "b=1"],
        ["train", "/dev/zero"],
        ["train", "."],
        ["train", "x" * 5000],
        ["replay", "/dev/zero"],
        ["bench", "--from", "/dev/zero"],
        ["replay", "."],
        ["deck", "check", "/dev/zero.toml"],
        ["evaluate", "kuhn", "-a", "random,\x1b[31m"],
        ["--import", "../x", "games"],
        ["--import", "", "games"],
        ["--import", "a..b", "games"],
        ["--import", ".a", "games"],
        ["--import", "a b", "games"],
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_the_command_line(words: list[str]) -> None:
    began = time.monotonic()
    result = tooth(*words)
    assert result.exit_code == 2, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    assert "\x1b" not in result.output
    assert time.monotonic() - began < 20.0


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    for name, words in (("a.yaml", ["train"]), ("a.jsonl", ["replay"]), ("a.toml", ["deck", "check"])):
        pipe = tmp_path / name
        os.mkfifo(pipe)
        result = tooth(*words, str(pipe))
        assert result.exit_code == 2
        assert "no regular file" in result.output


@pytest.mark.parametrize("full", ["--json", "--record"])
def test_results_are_told_and_kept_when_a_file_cannot_be_written(full: str, tmp_path: Path) -> None:
    """Neither file of results takes the other one, or the tables, with it."""
    file = tmp_path / "file"
    other = "--json" if full == "--record" else "--record"
    result = tooth("stats", "kuhn", "-g", "300", full, "/dev/full", other, str(file))
    assert result.exit_code == 2
    assert "seat" in result.output
    assert "/dev/full: cannot be written: No space left" in result.output
    if full == "--json":
        assert len(list(read_records(file))) == 300
    else:
        assert json.loads(file.read_text())["games"] == 300
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("words", [["games", "--json", "-"], ["version"]], ids=" ".join)
def test_standard_output_that_takes_nothing(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        found = subprocess.run(
            [sys.executable, "-m", "tooth_training.cli", *words],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert found.returncode == 2
    assert found.stderr == "Error: standard output: cannot be written: No space left on device\n"


def test_control_characters_of_names_are_spelled_out(tmp_path: Path) -> None:
    hostile = tmp_path / "\x1b[31m\udcff\u202e.toml"
    result = tooth("deck", "copy", "dragon_teeth_washer", str(hostile))
    assert result.exit_code == 0, result.exception
    for words in (["deck", "check", str(hostile)], ["deck", "copy", "dragon_teeth_washer", str(hostile)]):
        result = tooth(*words)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert r"\x1b[31m\udcff\u202e.toml" in result.output.replace("\n", "")
        assert "\x1b" not in result.output
    out = io.StringIO()
    shown = console()
    shown.file = out
    table = Table("\x1b[2Jhead")
    table.add_row("\x1b[31mcell")
    shown.print("\x1b[31mtext", style="bold")
    shown.print(table)
    assert "\x1b" not in out.getvalue()
    for text in (r"\x1b[31mtext", r"\x1b[2Jhead", r"\x1b[31mcell"):
        assert text in out.getvalue()


def test_decks(tmp_path: Path) -> None:
    source = (Path(tooth_envs.__file__).parent / "games" / "dragon_teeth_washer" / "deck.toml").read_text()
    file = tmp_path / "deck.toml"
    for before, after, reason in (
        ("count = 1", "count = " + "9" * 10_000, "is not valid TOML: Exceeds the limit"),
        ('name = "', 'name = "\\u001b[2J', "has a control character"),
        ('about = "', 'about = "\\u202e', "about: has a control character"),
        ("count = 1", "count = nan", "count: "),
        ("count = 1", "count = 2020-01-01", "count: "),
    ):
        changed = source.replace(before, after, 1)
        assert changed != source
        file.write_text(changed)
        result = tooth("deck", "check", str(file))
        assert result.exit_code == 2, result.output
        assert reason in result.output
        assert len(result.output) < 2000
        assert "\x1b" not in result.output


def saved(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    game = tooth_envs.game("dragon_teeth_washer", num_players=3)
    one = record_game(game, 3, lambda states, mask: int(mask.argmax()), ["a", "b", "c"])
    return tmp_path / "games.jsonl", one.model_dump(mode="json")


def test_a_record_of_players_with_strange_names_can_be_read_back(tmp_path: Path) -> None:
    game = tooth_envs.game("kuhn")
    one = record_game(game, 3, lambda states, mask: int(mask.argmax()), ["\x1b[31mred", "half \udcff"])
    write_records(tmp_path / "games.jsonl", [one])
    (again,) = read_records(tmp_path / "games.jsonl")
    assert again.players == [r"\x1b[31mred", r"half \udcff"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data["end"].update(returns=[0.0]), "3 ranks and 1 returns for 3 seats"),
        (lambda data: data["end"].update(rank=[1]), "1 ranks and 3 returns for 3 seats"),
        (lambda data: data["options"].update(cls=1), "unknown key 'cls'"),
        (lambda data: data["options"].update(preset=["x"]), "unknown preset"),
        (lambda data: data["options"].update({"": 1}), "unknown key"),
        (lambda data: data["players"].__setitem__(0, "\x1b[31mred"), "players[0]: has a control character"),
        (lambda data: data.update(position={"history": [{"points": 1}]}), "history[0]"),
        (lambda data: data.update(position={"history": [{"dragon": 9, "cards": [1, 2, 3], "points": 1}]}), "points"),
        (lambda data: data.update(script={"die": [10**30]}), "script"),
        (lambda data: data.update(seed=10**30), "seed"),
    ],
)
def test_resealed_records(change: Any, reason: str, tmp_path: Path) -> None:
    from tooth_envs.envs.record import _digest_of

    file, data = saved(tmp_path)
    change(data)
    file.write_text(json.dumps({**data, "digest": _digest_of(data)}) + "\n")
    result = tooth("replay", str(file))
    assert result.exit_code == 2, result.output
    assert reason in result.output
    assert "\x1b" not in result.output


def test_resealed_groups_of_an_optimiser() -> None:
    for own, good, bad in (
        (0.001, [0.5, 1, 0], ["x", None, True, -1.0, float("nan"), float("inf"), [1.0]]),
        ((0.9, 0.999), [[0.5, 0.5]], [[0.5], ["a", 1.0], 0.5, [0.5, None], [0.5, 1.0]]),
        (False, [True], [0, "no", None]),
        (None, [None], [True, 1.0]),
    ):
        assert all(_like(own, value) for value in good)
        assert not any(_like(own, value) for value in bad)


SHARED: Any = "x"
for _ in range(12):
    SHARED = [SHARED] * 10  # small, and endless once it is written out
LOOP: list[Any] = []
LOOP.append(LOOP)
ENDLESS = (SHARED, LOOP, {"a": LOOP}, 10**5000, [[[10**5000]]], np.array([1, 2]), np.array("x"), "x" * 10**6, b"\xff")


@pytest.mark.parametrize("place", range(len(ENDLESS)))
def test_values_without_an_end(place: int) -> None:
    """At every door of Python, at once, and told briefly."""
    value = ENDLESS[place]
    env, batch = tooth_envs.make("kuhn"), tooth_envs.make_batch("kuhn", 2)
    env.reset(seed=1)
    batch.reset(1)
    game = env.game
    position = game.to_dict(env.states())
    for door in (
        lambda: tooth_envs.game(value),
        lambda: tooth_envs.game("kuhn", preset=value),
        lambda: tooth_envs.game("kuhn", max_steps=value),
        lambda: tooth_envs.make("kuhn", render_mode=value),
        lambda: tooth_envs.make("kuhn", render_seat=value),
        lambda: tooth_envs.make_single("kuhn", seat=value),
        lambda: tooth_envs.make_single("kuhn", opponents=value),
        lambda: tooth_envs.make_batch("kuhn", 2, num_players=[value]),
        lambda: env.reset(seed=value),
        lambda: env.reset(options={"script": value}),
        lambda: env.reset(options={"seats": value}),
        lambda: env.reset(options={"position": {**position, "rank": value}}),
        lambda: env.step(value),
        lambda: env.observe(value),
        lambda: batch.step([value, value]),
        lambda: game.from_dict(value),
        lambda: game.from_dict({**position, "base": value}),
        lambda: game.deal(1, script=value),
        lambda: game.action_index(value),
    ):
        began = time.process_time()
        with pytest.raises(ToothError) as caught:
            door()
        assert time.process_time() - began < 2.0
        assert len(str(caught.value)) < 2000


def test_a_configuration_in_python() -> None:
    game = {"name": "dragon_teeth_washer", "options": {"cls": 1}}
    with pytest.raises(ToothError, match=r"game\.options\.cls"):
        config_from({"game": game, "total_decisions": 10_000}, "here")
    loop: list[Any] = []
    loop.append(loop)
    for value in (loop, {"a": loop}):
        with pytest.raises(ToothError):
            tooth_envs.game("kuhn", max_steps=value)
    env = tooth_envs.make("kuhn")
    for options in (
        {"script": loop},
        {"position": {"seat": loop}},
        {"seats": loop},
        {"position": {"script": {"die": loop}}},
    ):
        with pytest.raises(ToothError):
            env.reset(seed=1, options=options)
    env.reset(seed=1)
    assert record_of(env.states()).over == 0
