from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tooth_envs
import tooth_envs.envs.record
from tests.cases import CASES, Case, case_id
from tests.kuhn import Kuhn
from tests.probe import Probe
from tests.support import random_game
from tooth_envs.engine.state import digest, record
from tooth_envs.envs.aec import TableEnv
from tooth_envs.envs.record import (
    FORMAT_VERSION,
    GameRecord,
    Recorder,
    RecordError,
    Replay,
    _digest_of,
    read_records,
    record_file,
    record_moves,
    write_records,
)
from tooth_envs.errors import ToothError
from tooth_envs.games.dragon_teeth_washer import cards


def played(case: Case, seed: int) -> GameRecord:
    game = case.game()
    moments = [(moment.states.copy(), moment.action) for moment in random_game(game, seed)]
    recorder = Recorder(game, moments[0][0], [f"p{i}" for i in range(game.num_players)])
    for (states, action), (after, _) in itertools.pairwise(moments):
        recorder.add(int(record(states).seat), action, after)
    return recorder.finished()


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_records_replay(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = [played(case, seed) for seed in range(3)]
    assert write_records(path, games) == 3
    again = list(read_records(path))
    assert again == games
    for seed, one in enumerate(again):
        replay = Replay(one)
        replay.run()
        assert replay.finished
        final = [digest(moment.states) for moment in random_game(case.game(), seed)][-1]
        assert digest(replay.states) == final
        assert one.end.over == "terminated"
        actions = [replay.game.action_index(move.action) for move in one.moves]
        assert record_moves(case.game(), seed, actions, one.players) == one


def altered(one: GameRecord, **changes: object) -> GameRecord:
    return GameRecord.model_validate({**one.model_dump(), **changes})


def false_ends(end: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What an end might say that is not so: each rank and each return alone, and the kind of end."""
    yield {"over": "truncated"}
    for key in ("rank", "returns"):
        for seat in range(len(end[key])):
            yield {key: [value + (place == seat) for place, value in enumerate(end[key])]}


def test_what_differs_is_refused_with_the_reason() -> None:
    case = next(case for case in CASES if case.options == {"num_players": 4})
    one = played(case, 1)
    end = one.end.model_dump()
    moves = [move.model_dump() for move in one.moves]
    wrong = [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game_version": 9}, "version 9"),
        ({"options": {**one.options, "rounds": 99}}, "options are not valid any more"),
        ({"options": {**one.options, "max_steps": 65}}, "other numbers in its rules"),
        ({"tables": "0" * 32}, "other numbers in its rules"),
        ({"deck": "0" * 32}, "another deck than 'standard' holds now"),
        ({"deck": None}, "another deck"),
        ({"actions": "0" * 32}, "another action table"),
        ({"seed": one.seed + 1}, "the deal is not the recorded one"),
        ({"players": ["a"]}, "names 1 players"),
        ({"moves": [{**moves[0], "action": "CLAIM_RANK_0"}, *moves[1:]]}, r"move 1 \(CLAIM_RANK_0 .*illegal"),
        ({"moves": [{**moves[0], "action": "JUMP"}, *moves[1:]]}, "no action is named 'JUMP'"),
        ({"moves": [{**moves[0], "seat": (moves[0]["seat"] + 1) % 4}, *moves[1:]]}, "not that seat's turn"),
        ({"moves": [{**moves[0], "state": "0" * 12}, *moves[1:]]}, "leads to another state"),
        *(({"end": {**end, **false}}, "end is not the recorded one") for false in false_ends(end)),
    ]
    for changes, words in wrong:
        with pytest.raises(RecordError, match=words):
            Replay(altered(one, **changes), "file line 1").run()
    with pytest.raises(ToothError, match="labels"):
        Recorder(case.game(), case.game().deal(1), ["only one"])


def test_a_scripted_deal_replays() -> None:
    script = {"draw": [2, 0]}
    one = record_moves(Kuhn.create(), 1, [1, 1], ["a", "b"], script)
    assert one.script == script
    replay = Replay(one)
    replay.run()
    assert record(replay.states).card.tolist() == [2, 0]
    assert replay.returns.tolist() == [2.0, -2.0]
    with pytest.raises(RecordError, match=r"table 3: its beginning cannot be set up: .*not in the pile"):
        Replay(altered(one, script={"draw": [2, 2]}), "table 3")


@pytest.mark.parametrize("seeded", [True, False])
def test_a_game_from_a_position_replays(seeded: bool) -> None:
    """Dice rolled later must be the same ones, so the seed belongs to the record even if the position has none."""
    game = Probe.create(num_players=3, length=8)
    position: dict[str, Any] = {"turn": 2, "asked": [1, 1, 0], "kept": [1, 0, 0], "seat": 2, "decision": "KEEP"}
    if seeded:
        position["seed"] = 77
    env = TableEnv(game)
    env.reset(seed=5, options={"position": position})
    assert env.game_seed == (77 if seeded else 5)
    recorder = Recorder(game, env.states(), ["a", "b", "c"], position=position)
    while not any(env.terminations.values()):
        seat = int(env.states()["seat"][0])
        env.step(1)
        recorder.add(seat, 1, env.states())
    one = recorder.finished()
    assert one.position is not None
    assert one.position.items() >= position.items()
    assert len(one.moves) == 6
    replay = Replay(one)
    replay.run()
    assert digest(replay.states) == env.digest()
    with pytest.raises(RecordError, match="its beginning cannot be set up"):
        Replay(altered(one, position={**position, "turns": 2}))


def test_rewards_count_from_the_deal_on() -> None:
    """What the deal and the first decision pay is part of the returns, and nothing twice."""
    game = Probe.create(length=3, deal_pays=True)
    one = record_moves(game, 1, [1, 0, 0], ["a", "b"], {"die": [6, 1, 4]})
    # The deal pays 1, the dice 2, nothing and 1, all of them to the first seat; the second wins the end.
    assert one.end.returns == [3.0, -3.0]
    replay = Replay(one)
    assert replay.returns.tolist() == [0, 0]
    replay.step()
    assert replay.returns.tolist() == [3.0, -3.0]
    replay.run()
    assert replay.returns.tolist() == one.end.returns


def test_games_without_moves_and_steps_past_the_end() -> None:
    over = record_moves(Probe.create(length=0, deal_pays=True), 1, [], ["a", "b"])
    assert over.end.model_dump() == {"over": "terminated", "rank": [1, 2], "returns": [2.0, -2.0]}
    begun = record_moves(Kuhn.create(), 1, [], ["a", "b"])
    assert begun.end.model_dump() == {"over": "running", "rank": [0, 0], "returns": [0.0, 0.0]}
    for one in (over, begun):
        replay = Replay(one)
        assert replay.finished
        assert replay.returns.tolist() == one.end.returns
        with pytest.raises(RecordError, match="moves"):
            replay.step()
        for false in false_ends(one.end.model_dump()):
            with pytest.raises(RecordError, match="end is not the recorded one"):
                Replay(altered(one, end={**one.end.model_dump(), **false}))
    short = record_moves(Kuhn.create(), 1, [1, 0], ["a", "b"])
    replay = Replay(short)
    replay.run()
    with pytest.raises(RecordError, match="moves"):
        replay.step()
    assert replay.at == 2


def test_a_changed_deck_is_noticed(tmp_path: Path) -> None:
    deck = tmp_path / "mine.toml"
    text = (Path(cards.__file__).parent / "deck.toml").read_text()
    deck.write_text(text)
    game = tooth_envs.game("dragon_teeth_washer", num_players=3, deck=str(deck))
    assert game.deck_digest == tooth_envs.game("dragon_teeth_washer", num_players=4).deck_digest
    one = record_moves(game, 1, [], ["a", "b", "c"])
    assert one.deck == game.deck_digest
    # The five-seat set alone differs: this game's tables do not, so that the deck's own digest has to tell.
    deck.write_text(text.replace("used_with = [4, 5]", "used_with = [4]", 1))
    with pytest.raises(RecordError, match=r"another deck than '.*mine\.toml' holds now"):
        Replay(one)
    deck.write_text(text.replace('name = "', 'name = "New '))
    Replay(one).run()


def test_broken_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    one = played(CASES[0], 1)
    line = one.line()
    data = json.loads(line)
    longer = {**data, "suite": "9"}
    newer = {**data, "format_version": FORMAT_VERSION + 1}
    extra = {key: value for key, value in data.items() if key != "digest"}
    extra["spare"] = 1
    extra["digest"] = _digest_of(extra)
    for content, words in [
        (line[: len(line) // 2], "line 1: is not JSON"),
        (line + "\n" + "[]", "line 2: is not a game record"),
        (json.dumps(longer), "was changed after it was written"),
        (json.dumps(newer), f"has record format {FORMAT_VERSION + 1}"),
        (json.dumps(extra), "unknown key 'spare'"),
        ("", "is empty"),
        ("\x00\xff", "is not JSON"),
    ]:
        path.write_text(content, encoding="latin-1")
        with pytest.raises(RecordError, match=words):
            list(read_records(path))
    with pytest.raises(RecordError, match="there is no such file; give the path of a record file"):
        list(read_records(tmp_path / "none"))


def test_lines_may_be_written_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of keys means nothing; sizes that no record has are refused before they are read."""
    path = tmp_path / "games.jsonl"
    one = played(CASES[0], 1)
    turned = dict(reversed(json.loads(one.line()).items()))
    path.write_text(json.dumps(turned, indent=None))
    assert list(read_records(path)) == [one]
    path.write_text(one.line().replace(f'"seed":{one.seed},', f'"seed":{"9" * 5000},'))
    with pytest.raises(RecordError, match="line 1: is not JSON"):
        list(read_records(path))
    path.write_text(one.line() + "\n")
    monkeypatch.setattr(tooth_envs.envs.record, "LONGEST_LINE", len(one.line()) + 1)
    assert list(read_records(path)) == [one]
    monkeypatch.setattr(tooth_envs.envs.record, "LONGEST_LINE", len(one.line()))
    with pytest.raises(RecordError, match=r"line 1: longer than \d+ bytes"):
        list(read_records(path))


def test_writing_leaves_a_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    one = played(CASES[0], 1)
    write_records(path, [one])

    def fails():  # type: ignore[no-untyped-def]
        yield one
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="middle"):
        write_records(path, fails())
    assert list(read_records(path)) == [one]
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]
    with record_file(path) as write:
        write(one)
        # Beside its target, because only within one file system is replacing a file all or nothing.
        assert [entry.name for entry in tmp_path.iterdir() if entry != path and ".games.jsonl." in entry.name]
    assert path.stat().st_mode & 0o777 == 0o644
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]
    with pytest.raises(RecordError, match="cannot be written"):
        write_records(tmp_path / "no" / "games.jsonl", [one])
    with pytest.raises(RecordError, match="is a folder"):
        write_records(tmp_path, [one])
