"""Where compiled code is kept between processes: files that are verified before anything in them is used.

What numba compiles is kept as pickles with machine code in them. Loading one runs code, so that nothing is loaded that
somebody else could have written: every folder from the cache's root down, and the file itself, must belong to this
user (or to the administrator) and be writable by nobody else. That is checked on the opened descriptors, folder by
folder and without following links, so that nothing can be exchanged between check and use. A file begins with a digest
of its place and content, which is checked before the content is looked at: truncated or overwritten files are told from
good ones, and none is taken for another. A secret in the digest would add nothing: whoever can read it owns the files.

Nothing here raises because of the cache. What is wrong means: nothing is kept. It is said once a process, and the next
write puts a good file in the place of a damaged one.

On systems without POSIX permissions (Windows) the cache lies in the user's own profile, and the digest alone is
checked.
"""

# Files are opened relative to the descriptors of verified folders, which paths cannot do.
# ruff: noqa: PTH104, PTH105, PTH108, PTH118, PTH208

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import warnings
from collections.abc import Iterator
from pathlib import Path

MAGIC = b"tooth_envs compiled code 1\n"
LARGEST = 1 << 28
"""Bytes that no file of compiled code reaches; larger ones are not read."""

SUFFIX, UNFINISHED, ASIDE = ".nbc", ".unfinished", ".aside"
"""Ends of names: compiled code, a file that is being written, and what lay in the way of one."""

_POSIX = os.name == "posix" and os.open in os.supports_dir_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class CacheWarning(UserWarning):
    """Compiled code could not be loaded or kept. Results are not touched by it; compiling takes its time again."""


class Unusable(Exception):
    """A folder or file of the cache that is not used, and why."""


problems: list[str] = []
"""What was wrong with the cache in this process, in the order in which it was met; the first was also warned of."""


def complain(problem: str) -> None:
    """Note what is wrong, and warn of it if it is the first."""
    if problem in problems:
        return
    problems.append(problem)
    if len(problems) == 1:
        warnings.warn(f"cache of compiled code: {problem}", CacheWarning, stacklevel=2)


class Store:
    """The files of one module's compiled functions.

    Args:
        root: the cache's root; it may be reached through links.
        parts: names of the folders below it.

    Nothing is created or looked at before it is needed.
    """

    def __init__(self, root: Path, *parts: str) -> None:
        self.root, self.parts = root, parts

    @property
    def path(self) -> Path:
        """The folder of the files."""
        return self.root.joinpath(*self.parts)

    def load(self, name: str) -> bytes | None:
        """The content of a file, verified; None if there is none that can be used."""
        try:
            with self._opened(create=False) as folder:
                return self._read(folder, name)
        except FileNotFoundError:
            return None
        except Unusable as problem:
            complain(f"{problem}; compiled in memory")
        except OSError as problem:
            complain(f"{self.path / name} cannot be read ({problem.strerror or problem}); compiled in memory")
        return None

    def save(self, name: str, content: bytes) -> bool:
        """Keep a file, wholly or not at all; whether it was kept."""
        try:
            with self._opened(create=True) as folder:
                self._write(folder, name, content)
            return True
        except Unusable as problem:
            complain(f"{problem}; compiled in memory")
        except OSError as problem:
            complain(
                f"{self.path} cannot be written ({problem.strerror or problem}); code that is compiled now is not "
                "kept for the next process. TOOTH_CACHE_DIR names another folder"
            )
        return False

    def remove(self, prefix: str) -> None:
        """Remove the files whose names begin so."""
        with contextlib.suppress(OSError, Unusable), self._opened(create=False) as folder:
            for name in os.listdir(folder):
                if name.startswith(prefix) and name.endswith(SUFFIX):
                    with contextlib.suppress(OSError):
                        self._unlink(folder, name)

    def damage(self, name: str) -> str | None:
        """Why a file cannot be used; None if it can."""
        try:
            with self._opened(create=False) as folder:
                self._read(folder, name)
        except (Unusable, OSError) as problem:
            return str(problem)
        return None

    # Below: a folder is a descriptor where that can be had, else a path.

    @contextlib.contextmanager
    def _opened(self, create: bool) -> Iterator[int | str]:
        if not _POSIX:
            if create:
                self.path.mkdir(parents=True, exist_ok=True)
            yield str(self.path)
            return
        if create and not self.root.exists():
            self.root.mkdir(mode=0o755, parents=True, exist_ok=True)
        place = self.root
        folder = os.open(place, _FOLDER)
        try:
            _check(os.fstat(folder), place)
            for part in self.parts:
                place = place / part
                inner = self._below(folder, part, place, create)
                os.close(folder)
                folder = inner
                _check(os.fstat(folder), place)
            yield folder
        finally:
            os.close(folder)

    def _below(self, folder: int, part: str, place: Path, create: bool) -> int:
        for again in (True, False):
            try:
                return os.open(part, _FOLDER | _NO_LINK, dir_fd=folder)
            except OSError as problem:
                if not create or not again:
                    if problem.errno in (errno.ENOTDIR, errno.ELOOP):
                        raise Unusable(f"{place} is no folder") from None
                    raise
                if problem.errno in (errno.ENOTDIR, errno.ELOOP):
                    _aside(folder, part)
                elif problem.errno != errno.ENOENT:
                    raise
                with contextlib.suppress(FileExistsError):  # another process was quicker
                    os.mkdir(part, 0o755, dir_fd=folder)
        raise AssertionError("the second try returns or raises")

    def _read(self, folder: int | str, name: str) -> bytes:
        place = self.path / name
        try:
            file = self._open(folder, name, _FILE)
        except OSError as problem:
            if problem.errno in (errno.ELOOP, errno.ENXIO):
                raise Unusable(f"{place} is no regular file") from None
            raise
        try:
            about = os.fstat(file)
            if not stat.S_ISREG(about.st_mode):
                raise Unusable(f"{place} is no regular file")
            _check(about, place)
            if about.st_size > LARGEST:
                raise Unusable(f"{place} is damaged ({about.st_size} bytes)")
            with os.fdopen(file, "rb", closefd=False) as stream:
                whole = stream.read(LARGEST + 1)
        finally:
            os.close(file)
        start = len(MAGIC) + _DIGEST
        if not whole.startswith(MAGIC) or whole[len(MAGIC) : start] != self._digest(name, whole[start:]):
            raise Unusable(f"{place} is damaged")
        return whole[start:]

    def _write(self, folder: int | str, name: str, content: bytes) -> None:
        passing = f"{name}.{secrets.token_hex(8)}{UNFINISHED}"
        file = self._open(folder, passing, _NEW)
        try:
            with os.fdopen(file, "wb") as stream:
                stream.write(MAGIC + self._digest(name, content) + content)
            try:
                self._replace(folder, passing, name)
            except OSError as problem:
                if problem.errno not in (errno.EISDIR, errno.ENOTEMPTY, errno.EEXIST):
                    raise
                _aside(folder, name)  # a folder in the file's place
                self._replace(folder, passing, name)
        except BaseException:
            with contextlib.suppress(OSError):
                self._unlink(folder, passing)
            raise

    def _digest(self, name: str, content: bytes) -> bytes:
        total = hashlib.blake2b("/".join((*self.parts, name)).encode() + b"\0", digest_size=_DIGEST)
        total.update(content)
        return total.digest()

    def _open(self, folder: int | str, name: str, flags: int) -> int:
        if isinstance(folder, int):
            return os.open(name, flags, 0o644, dir_fd=folder)
        return os.open(os.path.join(folder, name), flags, 0o644)

    def _replace(self, folder: int | str, old: str, new: str) -> None:
        if isinstance(folder, int):
            os.replace(old, new, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            os.replace(os.path.join(folder, old), os.path.join(folder, new))

    def _unlink(self, folder: int | str, name: str) -> None:
        if isinstance(folder, int):
            os.unlink(name, dir_fd=folder)
        else:
            os.unlink(os.path.join(folder, name))


_DIGEST = 32


def _check(about: os.stat_result, place: Path) -> None:
    """Refuse what somebody else could have written. In a sticky folder others can exchange nothing that is ours."""
    if not _POSIX:
        return
    if about.st_uid not in (os.geteuid(), 0):
        raise Unusable(
            f"{place} belongs to another user (number {about.st_uid}) and is not used; TOOTH_CACHE_DIR names another "
            "folder"
        )
    sticky = stat.S_ISDIR(about.st_mode) and about.st_mode & stat.S_ISVTX
    if about.st_mode & 0o022 and not sticky:
        raise Unusable(f"{place} can be written by other users and is not used; chmod go-w {place} mends that")


def _aside(folder: int | str, name: str) -> None:
    """Move away what lies where a file or folder belongs; ``tooth compile --clear`` removes it."""
    away = f"{name}.{secrets.token_hex(8)}{ASIDE}"
    if isinstance(folder, int):
        os.rename(name, away, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.rename(os.path.join(folder, name), os.path.join(folder, away))
