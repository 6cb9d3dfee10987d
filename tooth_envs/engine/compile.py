"""``@compiled``: numba's njit with an on-disk cache that notices every change that matters.

Numba's own cache looks only at the file of the function itself, so a change in a called file would go
unnoticed. Here the cache folder's name holds a digest of all sources of ``tooth_envs`` and of the
package (or single file) that the function belongs to, and of other packages whose compiled functions it
imports, next to the versions of numba and Python; code that changed is compiled afresh. Numba's global
``CACHE_DIR`` stays untouched. What the files look like and which are trusted is in engine/store.py.

With ``NUMBA_DISABLE_JIT=1`` the decorator returns the function itself: the same rules as plain Python.

Environment variable ``TOOTH_CACHE_DIR`` moves the cache; the default is the platform's user cache folder.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast, overload

import numba
from numba import config, njit, types
from numba.core.caching import _Cache as NumbaCache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from tooth_envs.engine.store import SUFFIX, Store, complain

F = TypeVar("F", bound=Callable[..., Any])

JIT: bool = not config.DISABLE_JIT  # type: ignore[attr-defined]
"""False when numba's compiler is switched off for this process (``NUMBA_DISABLE_JIT=1``)."""

_PACKAGE = Path(__file__).resolve().parent.parent


def cache_root() -> Path:
    """The folder that holds compiled code of every version of the sources."""
    chosen = os.environ.get("TOOTH_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "tooth_envs"


@cache
def source_digest(root: Path) -> str:
    """Digest of one Python file, or of all Python files below a folder (16 hex digits)."""
    files = sorted(root.rglob("*.py")) if root.is_dir() else [root]
    total = hashlib.sha256()
    for file in files:
        name = file.relative_to(root).as_posix() if root.is_dir() else file.name
        content = file.read_bytes()
        total.update(f"{name}:{len(content)}:".encode())
        total.update(content)
    return total.hexdigest()[:16]


def source_root(module_name: str, file: str) -> Path:
    """What a function's cache depends on besides ``tooth_envs``: its top-level package, or its one file."""
    path = Path(file).resolve()
    package = module_name.partition(".")[0]
    module = sys.modules.get(package)
    if module is not None and module.__file__ is not None and hasattr(module, "__path__"):
        root = Path(module.__file__).resolve().parent
        if root in path.parents:
            return root
    return path


def cache_folder(module_name: str, file: str, used: Iterable[str] = ()) -> Path:
    """Where the compiled form of a module's functions lives, for the sources as they are now.

    ``used`` are the cache folders of compiled functions of other packages that the module has imported.
    """
    digest = source_digest(_PACKAGE)
    root = source_root(module_name, file)
    if root != _PACKAGE:
        parts = [digest, source_digest(root), *sorted(used)]
        digest = hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]
    version = f"py{sys.version_info[0]}{sys.version_info[1]}-numba{numba.__version__}"
    return cache_root() / f"{version}-{digest}"


_folders: dict[str, str] = {}
"""Cache folder by the name of each module that has compiled functions."""


def _used_folders(function: Callable[..., Any]) -> set[str]:
    """Cache folders of the other packages whose compiled functions a function's module has imported."""
    found = set()
    for value in function.__globals__.values():
        if isinstance(value, ModuleType):
            name = value.__name__
        elif isinstance(value, Dispatcher):
            name = value.py_func.__module__
        else:
            continue
        if name in _folders and name.partition(".")[0] not in ("tooth_envs", function.__module__.partition(".")[0]):
            found.add(_folders[name])
    return found


class _Cache(NumbaCache):
    """One function's compiled forms on disk. Whatever is wrong there, numba is told that nothing was kept.

    Numba's own cache has an index file and files with code; two processes that write at once can leave an index
    that names the other's code. Here a file's name says what it is for.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        file = inspect.getfile(function)
        folder = cache_folder(function.__module__, file, _used_folders(function))
        _folders[function.__module__] = folder.name
        self._function = function
        self._store = Store(folder.parent, folder.name, function.__module__)
        self._base = f"{function.__qualname__}-{function.__code__.co_firstlineno}"
        self.enable()

    @property
    def cache_path(self) -> str:
        return str(self._store.path)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        self._store.remove(self._base + ".")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature, or None."""
        target_context.refresh()
        name = self._name(sig, target_context.codegen())
        if name is None:
            return None
        content = self._store.load(name)
        if content is None:
            return None
        try:
            # The store has verified that the file is whole and our own: nothing else is ever unpickled.
            modules, code = pickle.loads(content)  # noqa: S301
            if any(module not in sys.modules for module in modules):
                return None  # of a module that has another name by now: loading must not import it once more
            return CompileResult._rebuild(target_context, *pickle.loads(code))  # noqa: S301
        except Exception as problem:
            place = self._store.path / name
            complain(f"{place} cannot be loaded ({type(problem).__name__}: {problem}); compiled anew")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature, if it can be kept."""
        name = self._name(sig, data.codegen)
        if name is None or data.library.has_dynamic_globals or any(not loop.can_cache for loop in data.lifted):
            return
        try:
            reduced = data._reduce()
            environments = [data.environment, *(reduced[-1] or ())]  # the last part: those of functions it calls
            modules = sorted({one.globals["__name__"] for one in environments if one is not None})
            content = dumps((modules, dumps(reduced)))
        except Exception as problem:
            complain(f"{self._function.__qualname__}: compiled code cannot be kept ({problem})")
            return
        self._store.save(name, content)

    def _name(self, sig: Any, codegen: Any) -> str | None:
        """The file for a signature, processor and compiler settings; None if it is good for this process only."""
        settings = (config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT)  # type: ignore[attr-defined]
        key = repr((sig, codegen.magic_tuple(), settings, self._function.__code__.co_code))
        if not self._enabled or self._function.__closure__ or " at 0x" in key:
            return None
        return f"{self._base}.{hashlib.blake2b(key.encode(), digest_size=12).hexdigest()}{SUFFIX}"


def _cache_of(function: Callable[..., Any]) -> _Cache | None:
    """None where nothing can be kept: code typed in a console has no file to take a digest of."""
    if not Path(inspect.getfile(function)).is_file():
        return None
    try:
        return _Cache(function)
    except (OSError, RuntimeError) as problem:  # no home folder, sources that cannot be read
        complain(f"there is no place for it ({problem}); compiled in memory. TOOTH_CACHE_DIR names one")
        return None


def plain(function: F) -> F:
    """A compiled function as ordinary Python: quicker for one call on one record, which numba is slow to recognise."""
    return cast(F, getattr(function, "py_func", function))


def _wide(kind: Any) -> Any:
    """What an argument is passed as: 64 bits for every signed integer, constants and members of enums included."""
    plain: Any = types.unliteral(kind)
    return types.int64 if plain in types.signed_domain or isinstance(plain, types.IntEnumMember) else plain


def _widen_calls(dispatcher: Any) -> None:
    """Compile a function once for all widths of integers, and not anew for every constant it is called with.

    Rules call small functions with fields of 16 bits, results of 64 and constants in all combinations.
    """
    resolve = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return resolve(tuple(_wide(arg) for arg in args), {name: _wide(arg) for name, arg in kws.items()})

    dispatcher.get_call_template = get_call_template


@overload
def compiled(function: F) -> F: ...
@overload
def compiled(*, nogil: bool = False) -> Callable[[F], F]: ...
def compiled(function: F | None = None, *, nogil: bool = False) -> F | Callable[[F], F]:
    """Compile a module-level function on first use and remember the result on disk.

    Args:
        function: the function, when the decorator is used without arguments.
        nogil: let go of Python's lock while it runs, so that several threads can run it (engine/threads.py).

    Returns:
        The numba dispatcher, or the function itself when the compiler is switched off.
    """

    def decorate(target: F) -> F:
        if not JIT:
            return target
        dispatcher: Any = njit(nogil=nogil)(target)
        _widen_calls(dispatcher)
        kept = _cache_of(target)
        if kept is not None:
            dispatcher._cache = kept
        return cast(F, dispatcher)

    return decorate if function is None else decorate(function)
