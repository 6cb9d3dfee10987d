"""Where results are written, and what is read: links, pipes, devices, permissions, full disks, control characters."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tooth_envs.errors import ToothError
from tooth_envs.spec.files import control_in, output, own_append, own_lock, own_output, printable, read_bytes, read_text

ROOT = Path(__file__).resolve().parents[2]


def write(path: Path, text: str = "new") -> None:
    with output(path) as file:
        file.write(text)


def left(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("old")
    link, again = tmp_path / "link", tmp_path / "again"
    link.symlink_to(target)
    again.symlink_to("link")
    write(again)
    assert again.is_symlink()
    assert link.is_symlink()
    assert target.read_text() == "new"
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "made")
    write(dangling)
    assert dangling.is_symlink()
    assert (tmp_path / "made").read_text() == "new"
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(ToothError, match=r"loop: cannot be written: .*symbolic links"):
        write(loop)
    assert left(tmp_path) == {"target", "link", "again", "dangling", "made", "loop"}


def test_a_pipe_and_a_device_stay_what_they_are(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    write(pipe)
    reader.join(10)
    assert heard == ["new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    null = tmp_path / "null"
    null.symlink_to("/dev/null")
    write(null)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116
    with pytest.raises(ToothError, match="No space left"):
        write(Path("/dev/full"))
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)  # noqa: PTH116


def test_an_open_descriptor_is_written_after_what_it_has(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A path such as /dev/stdout opens a file anew, from its beginning; and a pipe has no name to be found by."""
    file = tmp_path / "file"
    with file.open("w") as kept:
        kept.write("first, ")
        kept.flush()
        link = tmp_path / "link"
        link.symlink_to(f"/dev/fd/{kept.fileno()}")
        write(Path(f"/dev/fd/{kept.fileno()}"), "second, ")
        write(link, "third")
    assert file.read_text() == "first, second, third"
    assert link.is_symlink()
    read, into = os.pipe()
    write(Path(f"/proc/self/fd/{into}"))
    assert os.read(read, 100) == b"new"
    with pytest.raises(ToothError, match="is open for reading alone"):
        write(Path(f"/dev/fd/{read}"))
    os.close(read)
    with pytest.raises(ToothError, match="Broken pipe"):
        write(Path(f"/dev/fd/{into}"))
    os.close(into)
    with pytest.raises(ToothError, match="cannot be written: Bad file descriptor"):
        write(Path(f"/dev/fd/{into}"))
    sys.stdout.write("table\n")
    write(Path("/dev/stdout"))
    assert capfd.readouterr().out == "table\nnew"


@pytest.mark.parametrize("case", ["closed folder", "mounted"])
def test_a_file_that_can_be_written_but_not_replaced(
    tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("what was there before")
    file.chmod(0o604)
    inode = file.stat().st_ino
    if case == "mounted":

        def busy(part: Path, target: Path) -> Path:
            raise OSError(16, "Device or resource busy")

        monkeypatch.setattr(Path, "replace", busy)
    else:
        may = os.access
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path and may(path, mode))
    write(file)
    assert file.read_text() == "new"
    assert file.stat().st_ino == inode
    assert stat.S_IMODE(file.stat().st_mode) == 0o604
    assert left(tmp_path) == {"file"}


def test_permissions_are_kept_and_new_files_follow_the_mask(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    file.chmod(0o640)
    write(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    before = os.umask(0o027)
    try:
        write(tmp_path / "fresh")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640


def test_after_an_error_everything_is_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")

    def interrupted() -> None:
        with output(file) as out:
            out.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(FileNotFoundError), output(file):
        (tmp_path / "another").read_text()  # an error of the work, not of writing: it stays what it is
    assert file.read_text() == "old"
    assert left(tmp_path) == {"file"}
    for wrong, reason in ((tmp_path, "is a folder"), (tmp_path / "none" / "file", "No such file"), ("a\0b", "null")):
        with pytest.raises(ToothError, match=reason):
            write(wrong)  # type: ignore[arg-type]


def test_a_full_disk_leaves_the_old_file_and_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "file"
    file.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    for place in (file, tmp_path / "fresh"):
        with pytest.raises(ToothError, match=f"{place.name}: cannot be written: No space left"):
            write(place)
    assert file.read_text() == "old"
    assert left(tmp_path) == {"file"}


def strange(path: Path, kind: str) -> None:
    if kind == "link":
        path.symlink_to(path.with_name("elsewhere"))
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
@pytest.mark.parametrize(
    "use",
    [lambda path: own_output(path).__enter__(), own_append, own_lock],
    ids=["output", "append", "lock"],
)
def test_in_a_run_directory_nothing_strange_is_written_to(
    tmp_path: Path, kind: str, use: Callable[[Path], object]
) -> None:
    """Nothing hangs, nothing is followed, and what lies there stays."""
    path = tmp_path / "file"
    strange(path, kind)
    with pytest.raises(ToothError, match=r"file: is a symbolic link, a pipe or the like.*remove it"):
        use(path)
    assert left(tmp_path) == {"file"}


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, reason in (
        (pipe, "is no regular file; save a thing to a file first"),
        (Path("/dev/zero"), "is no regular file"),
        (tmp_path, "is a folder"),
        (tmp_path / "none", "there is no such file; give the path of a thing"),
        ("a\0b", "cannot be a path"),
        ("\udcff" * 3, "cannot be a path|no such file"),
        ("x" * 5000, "name too long"),
    ):
        with pytest.raises(ToothError, match=rf"(?i){reason}"):
            read_bytes(path, 10, "a thing")
    large = tmp_path / "large"
    large.write_bytes(b"x" * 11)
    with pytest.raises(ToothError, match="has 11 bytes, which is too large for a thing"):
        read_bytes(large, 10, "a thing")
    large.write_bytes(b"\xff")
    with pytest.raises(ToothError, match=r"is no UTF-8 text \(byte 0\)"):
        read_text(large, 10, "a thing")
    (tmp_path / "link").symlink_to(large)
    assert read_bytes(tmp_path / "link", 10, "a thing") == b"\xff"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text\n\twith lines", None),
        ("Dragon’s – ✓ 龍", None),
        ("red \x1b[31m", r"red \x1b[31m"),
        ("\x07\x9b2J\x7f", r"\x07\x9b2J\x7f"),
        ("a\rb", r"a\rb"),
        ("evil\u202etxt", r"evil\u202etxt"),
        ("half \ud800", r"half \ud800"),
    ],
)
def test_control_characters_are_spelled_out(text: str, shown: str | None) -> None:
    assert printable(text) == (text if shown is None else shown)
    assert (control_in({"a": [1, {"b": text}]}) is None) == (shown is None)
    if shown is not None:
        assert control_in({"a": [1, {"b": text}]}) == "a[1].b"
        assert control_in({text: 1}) == shown


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_part(tmp_path: Path, number: int) -> None:
    words = ["stats", "dragon_teeth_washer", "-g", "100000000", "--json", "out.json", "--record", "out.jsonl"]
    # Tests may run under nohup, and a signal that is ignored stays so in the processes it starts.
    heard = f"import runpy, signal; signal.signal({int(number)}, signal.SIG_DFL)"
    process = subprocess.Popen(
        [sys.executable, "-c", f"{heard}; runpy.run_module('tooth_training.cli', run_name='__main__')", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        end = time.monotonic() + 60
        while len(left(tmp_path)) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        assert len(left(tmp_path)) == 2, "it has begun to write"
        process.send_signal(number)
        process.send_signal(number)  # a terminal that closes sends two
        told = process.communicate(timeout=30)[1]
        assert process.returncode == 128 + number, told
    finally:
        process.kill()
    assert left(tmp_path) == set()
