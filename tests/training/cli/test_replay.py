from __future__ import annotations

import json
from pathlib import Path

import pytest
from tooth_agents.basic import RandomAgent
from tooth_training.cli.replay import pick, show, verify
from tooth_training.evaluation.evaluate import evaluate
from tooth_training.evaluation.stats import game_stats

import tooth_envs
from tests.kuhn import Kuhn
from tests.training.cli.test_cli import refused, tooth
from tests.training.cli.test_play import sit_down
from tooth_envs.envs.record import GameRecord, RecordError, Replay, read_records, record_moves, write_records
from tooth_envs.errors import ToothError

GAME = "dragon_teeth_washer"


def told(one: GameRecord, seat: int | None = None, views: bool = False) -> list[str]:
    lines: list[str] = []
    show(Replay(one), seat, lambda text: lines.extend(text.split("\n")), views)
    return lines


def kuhn_game() -> GameRecord:
    kept: list[GameRecord] = []
    game_stats(Kuhn.create(), 1, 4, keep=kept.append)
    return kept[0]


def test_a_game_in_words() -> None:
    one = kuhn_game()
    everything = told(one)
    assert everything[:3] == [
        "Kuhn Poker, 2 seats, seed " + f"{one.seed}, played with tooth_envs {one.suite}.",
        "  seat 0: random",
        "  seat 1: random",
    ]
    assert [line for line in everything if line.startswith("DEALT")] == everything[3:5]
    assert [line.split()[1:4] for line in everything if line.lstrip()[:1].isdigit() and " random: " in line] == [
        ["seat", str(move.seat), "random:"] for move in one.moves
    ]
    assert any(line.startswith("Final ranking") for line in everything)
    assert sorted(line.split(".")[1].split(",")[0].strip() for line in everything[-2:]) == [
        "seat 0 (random)",
        "seat 1 (random)",
    ]


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_is_told_what_it_may_know(seat: int) -> None:
    lines = told(kuhn_game(), seat, views=True)
    assert [line for line in lines if line.startswith("DEALT")] == [
        line for line in lines if line.startswith(f"DEALT seat {seat}")
    ]
    assert not any(f"  seat {1 - seat} random: " in line for line in lines)
    assert any(f"  seat {seat} random: " in line for line in lines)
    assert any(line.startswith("Legal: ") for line in lines)


def test_worlds_that_look_alike_are_told_alike() -> None:
    # The investigator alone knows the dragon: another seat is told the same until the dragon is turned up.
    game = tooth_envs.game(GAME, num_players=3, claims="none", first_investigator=0)
    texts, dragons = set(), set()
    for seed in range(12):
        one = record_moves(game, seed, [game.action_index("BRUSH_3"), game.action_index("BRUSH_5")], ["a", "b", "c"])
        texts.add("\n".join(told(one, 2, views=True)[1:]))
        dragons.add(next(line for line in told(one) if "sees the dragon" in line))
    assert len(dragons) > 1
    assert len(texts) == 1
    text = texts.pop()
    assert "The record ends here; the game was not over." in text
    assert "puts down" not in text, "another seat's face-down card was told"
    assert "puts down" in "\n".join(told(one))


def test_stats_keeps_the_games_it_counts() -> None:
    game = tooth_envs.game(GAME, num_players=3)
    for agents in (None, {"a": RandomAgent(), "b": RandomAgent()}):
        kept: list[GameRecord] = []
        found = game_stats(game, 25, 7, agents, chunk=10, keep=kept.append)
        assert len(kept) == 25
        assert sum(len(one.moves) for one in kept) / 25 == pytest.approx(found.length.mean)
        for seat in range(3):
            wins = sum((one.end.rank[seat] == 1) / sum(rank == 1 for rank in one.end.rank) for one in kept)
            assert wins == pytest.approx(found.seats[seat].wins)
            assert {one.players[seat] for one in kept} == {found.seats[seat].agent}
        for one in kept:
            Replay(one).run()
    assert found == game_stats(game, 25, 7, {"a": RandomAgent(), "b": RandomAgent()}, chunk=10)


def test_evaluate_keeps_the_games_it_counts() -> None:
    kept: list[GameRecord] = []
    game = tooth_envs.game(GAME, num_players=3)
    report = evaluate(game, {"a": RandomAgent(), "b": RandomAgent()}, 4, 3, chunk=7, keep=kept.append)
    assert len(kept) == report.games
    assert len({one.seed for one in kept}) == 4
    returns = [one.end.returns[one.players.index("a")] for one in kept if one.players.count("a") == 1]
    lone = [one for one in kept if one.players.count("a") == 1]
    assert report.agents["a"].games == len(lone)
    assert report.agents["a"].reward.mean == pytest.approx(sum(returns) / len(returns))
    for one in kept:
        Replay(one).run()


def test_play_keeps_finished_and_stopped_games() -> None:
    for answers, moves, over in ((["bet"], 2, "terminated"), ([], 0, "running")):
        kept: list[GameRecord] = []
        game = Kuhn.create()
        ended, _ = sit_down(game, answers, keep=kept.append)
        assert ended == (over == "terminated")
        assert (len(kept[0].moves), kept[0].end.over) == (moves, over)
        assert kept[0].players == ["you", "bot"]
        Replay(kept[0]).run()


def test_a_record_that_differs_is_told_up_to_there(tmp_path: Path) -> None:
    one = kuhn_game()
    moves = [move.model_dump() for move in one.moves]
    moves[1]["state"] = "0" * 12
    wrong = GameRecord.model_validate({**one.model_dump(), "moves": moves})
    lines: list[str] = []
    with pytest.raises(RecordError, match=r"move 2 .*leads to another state"):
        show(Replay(wrong), None, lines.append)
    assert sum(" random: " in line for line in lines) == 1
    path = tmp_path / "games.jsonl"
    write_records(path, [one, wrong])
    with pytest.raises(RecordError, match=r"games.jsonl game 2: move 2"):
        list(verify(path))
    assert pick(path, 2) == wrong
    for number, words in ((0, "count from 1"), (3, "it holds 2")):
        with pytest.raises(RecordError, match=words):
            pick(path, number)
    for seat in (-1, 2, True):
        with pytest.raises(ToothError, match="there is no seat"):
            show(Replay(one), seat, lines.append)


def test_the_commands(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert tooth("stats", "kuhn", "-g", "3", "--record", str(path)).exit_code == 0
    assert [one.players for one in read_records(path)] == [["random", "random"]] * 3
    assert tooth("replay", str(path), "--check").stdout == f"{path}: 3 games replayed, and nothing differs.\n"
    second = tooth("replay", str(path), "--game", "2", "--views")
    assert second.stdout.splitlines() == told(pick(path, 2), views=True)
    one_seat = tooth("replay", str(path), "--seat", "1", "--pause", input="\n" * 9)
    assert one_seat.stdout.splitlines() == told(pick(path, 1), 1)
    assert tooth("evaluate", "kuhn", "-a", "random", "-b", "2", "--record", str(path)).exit_code == 0
    assert len(list(read_records(path))) == 2
    assert tooth("play", "kuhn", "--seed", "3", "--record", str(path), input="bet\nbet\nbet\n").exit_code == 0
    assert next(read_records(path)).seed == 3
    before = path.read_bytes()
    refused(tooth("stats", "kuhn", "-g", "0", "--record", str(path)), "games is 0")
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]
    refused(tooth("stats", "kuhn", "--record", str(tmp_path)), "is a folder")
    refused(tooth("replay", str(path), "--game", "5"), "it holds 1")
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "seed": 4}))
    refused(tooth("replay", str(path)), "was changed after it was written")


def test_a_stopped_game_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.jsonl"

    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    result = tooth("play", "kuhn", "--record", str(path))
    assert result.exit_code == 130
    assert next(read_records(path)).end.over == "running"
