"""Files of users, read with a limit and written whole or not at all; and text from files, shown harmlessly.

There are two kinds of places to write to. A file that a user named (``output``) is wherever its name leads: symbolic
links are followed, and a pipe or a device is written to as it is. A file of a run directory (``own_output``,
``own_append``) has a name of ours, in a folder that somebody else may have prepared: there a link, a pipe or a device
in its place is refused.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO

from tooth_envs.errors import OutputError, ToothError

_CONTROLS = ("Cc", "Zl", "Zp", "Cs")
_DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def is_control(character: str) -> bool:
    """Whether a character controls a terminal or the direction of writing; line breaks and tabs do not count."""
    return character in _DIRECTIONS or (unicodedata.category(character) in _CONTROLS and character not in "\n\t")


def printable(text: str) -> str:
    """Text for a terminal, in which control characters are spelled out (``\\x1b``).

    Text from files and of other programs could otherwise move the cursor, change colours or hide what follows.
    """
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode() if is_control(character) else character for character in text
    )


def control_in(data: Any, where: str = "") -> str | None:
    """The place of the first text with a control character in nested data, such as ``card[3].name``; None if there is
    none."""
    if isinstance(data, str):
        return (where or "text") if not data.isprintable() and any(map(is_control, data)) else None
    entries: Iterable[tuple[str, Any]] = ()
    if isinstance(data, Mapping):
        entries = ((f"{where}.{printable(str(key))}" if where else printable(str(key)), key) for key in data)
        for place, key in entries:
            found = control_in(key, place) or control_in(data[key], place)
            if found:
                return found
    elif isinstance(data, list | tuple):
        for number, entry in enumerate(data):
            found = control_in(entry, f"{where}[{number}]")
            if found:
                return found
    return None


def opened(path: str | Path, what: str, error: type[ToothError] = ToothError) -> BinaryIO:
    """A regular file, open for reading; links are followed.

    Args:
        path: the file.
        what: what the file should be, such as "a configuration".
        error: the class to raise.

    Raises:
        ToothError: of the given class: it is missing, cannot be read, or is no regular file (a pipe or a device may
            never end, or never begin).
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise error(f"{path}: there is no such file; give the path of {what}") from None
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except ValueError as problem:  # a NUL, or half a character
        raise error(f"{str(path)!r}: cannot be a path: {problem}") from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise error(f"{path}: is a folder; give the path of {what}")
    raise error(f"{path}: is no regular file; save {what} to a file first")


def read_bytes(path: str | Path, limit: int, what: str, error: type[ToothError] = ToothError) -> bytes:
    """The content of a regular file; links are followed.

    Args:
        path: the file.
        limit: bytes that are read at most.
        what: what the file should be, such as "a configuration".
        error: the class to raise.

    Raises:
        ToothError: of the given class: it is missing, no regular file (a pipe or a device may never end), or too large.
    """
    with opened(path, what, error) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise error(f"{path}: has {size:,} bytes, which is too large for {what} (at most {limit:,})")
        try:
            content = file.read(limit + 1)
        except OSError as problem:
            raise error(f"{path}: cannot be read: {problem.strerror or problem}") from None
    if len(content) > limit:
        raise error(f"{path}: grows while it is read; it is too large for {what} (at most {limit:,} bytes)")
    return content


def read_text(path: str | Path, limit: int, what: str, error: type[ToothError] = ToothError) -> str:
    """``read_bytes`` as UTF-8 text.

    Raises:
        ToothError: of the given class, see there; or it is no UTF-8.
    """
    try:
        return read_bytes(path, limit, what, error).decode("utf-8")
    except UnicodeDecodeError as problem:
        raise error(f"{path}: is no UTF-8 text (byte {problem.start})") from None


class Output:
    """A text file that is being written. Only errors of writing it become the suite's: not those of the work around it.

    Args:
        file: where the text goes.
        named: what the file is called in errors.
        error: the class to raise.
    """

    def __init__(self, file: IO[str], named: str | Path, error: type[ToothError]) -> None:
        self._file = file
        self._named = named
        self._error = error

    def write(self, text: str) -> int:
        """Add text.

        Raises:
            ToothError: of the given class: the disk is full, or the like.
        """
        try:
            return self._file.write(text)
        except OSError as problem:
            raise _unwritable(self._named, problem, self._error) from None

    def write_bytes(self, content: bytes) -> None:
        """Add bytes.

        Raises:
            ToothError: as ``write``.
        """
        try:
            self._file.flush()
            self._file.buffer.write(content)  # type: ignore[attr-defined]
        except OSError as problem:
            raise _unwritable(self._named, problem, self._error) from None

    def fileno(self) -> int:
        """The file's descriptor."""
        return self._file.fileno()


@contextlib.contextmanager
def output(path: str | Path, error: type[ToothError] = OutputError) -> Iterator[Output]:
    """A text file of a user's, to be written in the block.

    A regular file appears when the block ends, whole, with the permissions that a file of this name had; after an error
    it is as it was. A symbolic link stays, and its target is written. A pipe, a device or an open descriptor
    (``/dev/stdout``, ``/dev/fd/3``) is written to when the block ends, and is nothing else afterwards than before. So
    is a file that may be written but not replaced, since its folder is closed to us or it is mounted by itself: it has
    its new content at the end of the block, but could be left half-written by a disk that fills at that moment.

    Raises:
        ToothError: of the given class: it cannot be written. Found before the block is entered, unless the disk fills.
    """
    try:
        descriptor = _descriptor(path)
        if descriptor is not None and not _takes_text(descriptor):
            raise error(f"{printable(str(path))}: is open for reading alone; choose another place")
        status = _status(path)
        target = Path(os.path.realpath(path))
    except ToothError:
        raise
    except (OSError, ValueError) as problem:
        raise _unwritable(path, problem, error) from None
    if status is not None and stat.S_ISDIR(status.st_mode):
        raise error(f"{printable(str(path))}: is a folder; give the path of a file")
    if descriptor is not None:
        with _straight(path, partial(_of_descriptor, descriptor), error) as file:
            yield file
        return
    if status is not None and not os.access(path, os.W_OK):
        raise error(f"{printable(str(path))}: cannot be written: it is write-protected; choose another place")
    replaced = status is None or (stat.S_ISREG(status.st_mode) and os.access(target.parent, os.W_OK | os.X_OK))
    if not replaced:
        with _straight(path, partial(_overwritten, path), error) as file:
            yield file
        return
    with _whole(target, status, error, path) as file:
        yield file


@contextlib.contextmanager
def own_output(path: Path, error: type[ToothError] = OutputError) -> Iterator[Output]:
    """A text file of a run directory, to be written in the block; it appears whole, or is as it was.

    Raises:
        ToothError: of the given class: something that is no regular file has its name, or it cannot be written.
    """
    refuse_strange(path, error)
    with _whole(path, None, error, path) as file:
        yield file


def own_append(path: Path, error: type[ToothError] = OutputError) -> IO[str]:
    """A text file of a run directory, opened to be added to, and made if need be.

    Raises:
        ToothError: as ``own_output``.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.fdopen(_own_descriptor(path, flags, error), "a", newline="", encoding="utf-8")


def own_lock(path: Path, error: type[ToothError] = ToothError) -> int:
    """A descriptor of a run directory's lock file, which is made if need be; to be closed by the caller.

    Raises:
        ToothError: as ``own_output``.
    """
    return _own_descriptor(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, error)


def _own_descriptor(path: Path, flags: int, error: type[ToothError]) -> int:
    refuse_strange(path, error)
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as problem:
        raise _unwritable(path, problem, error) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # put there since it was looked at
        os.close(descriptor)
        raise _strange(path, error)
    return descriptor


def refuse_strange(path: Path, error: type[ToothError] = ToothError, folder: bool = False) -> None:
    """Refuse what lies in a run directory under a name of ours and is not what we put there.

    Args:
        path: the file, or the folder.
        error: the class to raise.
        folder: whether it should be a folder.

    Raises:
        ToothError: of the given class: a symbolic link, a pipe, a device, or a folder where a file should be.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    except OSError as problem:
        raise _unwritable(path, problem, error) from None
    if not (stat.S_ISDIR(mode) if folder else stat.S_ISREG(mode)):
        raise _strange(path, error)


def _strange(path: Path, error: type[ToothError]) -> ToothError:
    return error(
        f"{path}: is a symbolic link, a pipe or the like, which a run does not write to; remove it, or use another "
        "run directory"
    )


def _unwritable(path: str | Path, problem: Exception, error: type[ToothError]) -> ToothError:
    reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
    return error(f"{printable(str(path))}: cannot be written: {reason}; choose another place")


def _status(path: str | Path) -> os.stat_result | None:
    """What a path leads to; None: nothing yet."""
    try:
        return Path(path).stat()
    except FileNotFoundError:
        return None


def _descriptor(path: str | Path) -> int | None:
    """The open descriptor that a path such as ``/dev/stdout`` stands for, also through links; None if it is none.

    Such a path opens what the descriptor is open for once more, from its beginning: what was printed before would be
    overwritten, and a pipe has no name that it could be found by.
    """
    here = Path(path)
    for _ in range(40):  # as many links as the system follows
        folder = os.path.realpath(here.parent)
        if folder in (f"/proc/{os.getpid()}/fd", "/dev/fd") and here.name.isdecimal():
            return int(here.name)
        place = Path(folder, here.name)
        if not place.is_symlink():
            return None
        here = Path(folder, place.readlink())
    return None


def _takes_text(descriptor: int) -> bool:
    import fcntl  # not on every system, but where paths stand for descriptors

    return fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY


def _of_descriptor(descriptor: int) -> IO[str]:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # it may be closed
            stream.flush()  # what was printed before comes first
    return os.fdopen(os.dup(descriptor), "w", encoding="utf-8", newline="")


def _overwritten(path: str | Path) -> IO[str]:
    # What is there is opened and nothing made: in a folder for everybody a file of somebody else is opened only so.
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC), "w", encoding="utf-8", newline="")


@contextlib.contextmanager
def _straight(path: str | Path, opening: Callable[[], IO[str]], error: type[ToothError]) -> Iterator[Output]:
    """What the block writes goes to what ``opening`` opens when the block ends, and nowhere after an error."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as kept:
        yield Output(kept, path, error)
        try:
            _pour(kept, opening)
        except OSError as problem:
            raise _unwritable(path, problem, error) from None


def _pour(kept: IO[str], opening: Callable[[], IO[str]]) -> None:
    kept.seek(0)
    with opening() as file:
        shutil.copyfileobj(kept, file, 1 << 20)


@contextlib.contextmanager
def _whole(target: Path, before: os.stat_result | None, error: type[ToothError], named: str | Path) -> Iterator[Output]:
    """A file beside the target that takes its place when the block ends.

    Args:
        target: its place.
        before: of the file that is there, whose owner and permissions are kept; None: a new file's, as everywhere.
        error: the class to raise.
        named: what the file is called in errors.
    """
    # Named before it is made, so that no signal can come between making it and knowing what to remove.
    part = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.part")
    mode = 0o666 if before is None else 0o600
    try:
        try:
            handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        except OSError as problem:
            raise _unwritable(named, problem, error) from None
        file = os.fdopen(handle, "w+", encoding="utf-8", newline="")
        try:
            yield Output(file, named, error)
            try:
                file.flush()
                os.fsync(file.fileno())
                if before is not None:
                    with contextlib.suppress(OSError):
                        os.fchown(file.fileno(), before.st_uid, before.st_gid)
                    os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
                try:
                    part.replace(target)
                except OSError as problem:
                    # Mounted by itself, or somebody else's in a folder for everybody: written to, but not replaced.
                    if problem.errno not in (errno.EBUSY, errno.EPERM, errno.EACCES) or before is None:
                        raise
                    _pour(file, partial(_overwritten, target))
            except OSError as problem:
                raise _unwritable(named, problem, error) from None
        finally:
            with contextlib.suppress(OSError):  # what could not be flushed
                file.close()
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
