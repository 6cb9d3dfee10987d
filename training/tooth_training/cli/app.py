"""The application itself: errors that a user can mend become one message, and modules may be imported first."""

from __future__ import annotations

import errno
import signal
import sys
import time
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

EXTRAS = {
    "rich": "cli",
    "yaml": "cli",
    "matplotlib": "train",
    "safetensors": "train",
    "sb3_contrib": "train",
    "stable_baselines3": "train",
    "tensorboard": "train",
    "threadpoolctl": "bench",
    "torch": "train",
}
"""Optional packages and the extra that installs them."""

USER_ERROR, INTERRUPTED = 2, 130
LONGEST_ERROR = 10_000
"""Letters of an error that are shown; what a file holds may be quoted in it."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What is wrong with a disk that takes no more."""


class ToothGroup(TyperGroup):
    """Commands whose expected errors are one message each."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("Interrupted.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except ModuleNotFoundError as problem:
            extra = EXTRAS.get((problem.name or "").partition(".")[0])
            if extra is None:
                raise
            _complain(f"this needs {problem.name}, which is not installed: pip install 'tooth-envs[{extra}]'")
        except OSError as problem:
            if problem.filename is not None:
                _complain(f"{problem.filename}: {problem.strerror}")
            if problem.errno not in FULL:
                raise
            _complain(f"standard output: cannot be written: {problem.strerror}")  # every other file has a name
        except ValueError as problem:
            if not _is_ours(problem):
                raise
            _complain(str(problem))


def _is_ours(problem: ValueError) -> bool:
    """Whether an error is the suite's own; without importing the suite only to find out."""
    errors = sys.modules.get("tooth_envs.errors")
    return errors is not None and isinstance(problem, errors.ToothError)


def _complain(message: str) -> NoReturn:
    if len(message) > LONGEST_ERROR:
        message = f"{message[:LONGEST_ERROR]}..."
    say(f"Error: {message}", err=True)
    raise typer.Exit(USER_ERROR)


def say(text: str, err: bool = False, nl: bool = True) -> None:
    """Text on the terminal. Names come from files, whose control characters are spelled out."""
    from tooth_envs.spec.files import printable

    typer.echo(printable(text), err=err, nl=nl)


def tell(text: str) -> None:
    """Lines of text for reading, broken between words where the terminal is narrower."""
    from tooth_training.terminal import broken, text_width

    say(broken(text, text_width()))


app = typer.Typer(
    cls=ToothGroup,
    name="tooth",
    help="Tabletop games about teeth and dragons: play them, measure them, train and evaluate agents.",
    epilog="tooth COMMAND --help explains a command and gives examples.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        from tooth_envs.version import __version__

        say(f"tooth-envs {__version__}")
        raise typer.Exit


@app.callback()
def before(
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="MODULE",
            help="Import a module, or a file that ends in .py, first: one of yours that registers a game or agent. "
            "Repeatable.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Tell the version and leave.")
    ] = False,
) -> None:
    """What comes before a command."""
    import importlib

    if modules:
        sys.path.insert(0, "")  # the folder where the command is given, as with python -m
    for module in modules or ():
        if module.endswith(".py"):
            from tooth_agents.code import import_file

            import_file(module)
            continue
        if not all(part.isidentifier() for part in module.split(".")):
            raise typer.BadParameter(f"{module!r} is no name of a module, such as my_game", param_hint="--import")
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as problem:
            if problem.name != module.partition(".")[0] and problem.name != module:
                raise
            raise typer.BadParameter(f"there is no module {module!r} here", param_hint="--import") from None


ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that end a command."""
UNWINDING = 3.0
"""Seconds that a command has to end in before another signal may interrupt it."""
_leaving: list[tuple[int, float]] = []
"""Signals that have ended this process's command, and when."""


def main() -> None:
    """The entry point of ``tooth``."""
    before = {number: signal.signal(number, _leave) for number in ENDING if signal.getsignal(number) == signal.SIG_DFL}
    try:
        app(prog_name="tooth")
    except KeyboardInterrupt:  # outside of any command
        sys.exit(INTERRUPTED)
    except BaseException:
        if not _leaving:
            raise
        sys.exit(128 + _leaving[-1][0])  # another error came of it, say in the middle of an import
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, frame: object) -> None:
    """End by unwinding, so that nothing half-written stays; the exit status is the shell's for this signal.

    Signals that follow at once (a terminal that closes sends two) do not disturb the unwinding.
    """
    if not _leaving or time.monotonic() - _leaving[-1][1] > UNWINDING:
        _leaving.append((number, time.monotonic()))
        raise SystemExit(128 + number)
