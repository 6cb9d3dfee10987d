from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import tooth_envs
from tests.cases import CASES, Case, case_id
from tests.support import random_game
from tooth_envs.engine.state import digest, record
from tooth_envs.errors import ToothError
from tooth_envs.games.dragon_teeth_washer import cards
from tooth_envs.record import (
    FORMAT_VERSION,
    GameRecord,
    Recorder,
    RecordError,
    Replay,
    _digest_of,
    read_records,
    record_moves,
    write_records,
)


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


def test_what_differs_is_refused_with_the_reason() -> None:
    case = CASES[3]
    one = played(case, 1)
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
        ({"end": {**one.end.model_dump(), "rank": [4] * case.game().num_players}}, "end is not the recorded one"),
    ]
    for changes, words in wrong:
        with pytest.raises(RecordError, match=words):
            Replay(altered(one, **changes), "file line 1").run()
    with pytest.raises(ToothError, match="labels"):
        Recorder(case.game(), case.game().deal(1), ["only one"])


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
    with pytest.raises(RecordError, match="cannot be read"):
        list(read_records(tmp_path / "none"))


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
    with pytest.raises(RecordError, match="cannot be written"):
        write_records(tmp_path / "no" / "games.jsonl", [one])
    with pytest.raises(RecordError, match="is a folder"):
        write_records(tmp_path, [one])
