"""Commands about the suite: bench, compile, docs, version."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from training.cli.app import app, say
from training.cli.words import (
    GameOptions,
    JsonPath,
    NumPlayers,
    Preset,
    make_game,
    progress_bar,
)


@app.command(short_help="Time a game on this machine.")
def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="GAME", help="Short name of a game; with --peers any number.")
    ] = None,
    num_players: NumPlayers = None,
    repeats: Annotated[int, typer.Option(help="Measurements of each kind; the median counts.")] = 5,
    seconds: Annotated[float, typer.Option(help="Length of one measurement.")] = 1.0,
    envs: Annotated[int, typer.Option(help="Games in the batch.")] = 4096,
    json_path: JsonPath = None,
    preset: Preset = None,
    option: GameOptions = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="Beside other libraries, by turns; no GAME: all built-in games.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="With --peers: the page; its numbers go to data/ beside it."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="The page of numbers measured before, without measuring."),
    ] = None,
    date: Annotated[str | None, typer.Option(help="With --peers: the date to tell; default: today.")] = None,
) -> None:
    """Time a game: the compiled rules alone, the batch, and one table through PettingZoo's interface.

    With --peers, the games and training are timed beside other libraries (extra: bench), as a page of Markdown.

    \b
    Examples:
      tooth bench dragon_teeth_washer --json bench.json
      tooth bench --peers --out docs/benchmarks.md
      tooth bench --from docs/data/benchmarks.json --out docs/benchmarks.md
    """
    if peers or source is not None:
        if num_players is not None or preset is not None or option:
            raise typer.BadParameter("with --peers, games are timed under their default options")
        _bench_peers(names, repeats, seconds, envs, json_path, out, source, date)
        return
    if out is not None or date is not None:
        raise typer.BadParameter("--out and --date belong to --peers")
    if names is None or len(names) != 1:
        raise typer.BadParameter("give one game (or --peers)", param_hint="GAME")
    from training.bench import bench as measure
    from training.tables import JsonFile, console, print_bench

    with JsonFile(json_path) as json_file:
        made = make_game(names[0], num_players, option, preset)
        with progress_bar("measuring") as progress:
            result = measure(made, repeats, seconds, envs, progress)
        if not json_file.quiet:
            print_bench(result, console())
        json_file.write(result.to_dict())


def _bench_peers(
    names: Sequence[str] | None,
    repeats: int,
    seconds: float,
    envs: int,
    json_path: Path | None,
    out: Path | None,
    source: Path | None,
    date: str | None,
) -> None:
    import datetime

    from tooth_envs.errors import OutputError
    from tooth_envs.registry import BUILT_IN
    from training.peers.page import render
    from training.peers.results import data_path, load
    from training.tables import JsonFile, WholeFile

    numbers = None if out is None or source is not None else data_path(out)
    text = ""
    try:
        with WholeFile(out) as page, JsonFile(json_path) as json_file:
            if numbers is not None:
                numbers.parent.mkdir(exist_ok=True)
            with JsonFile(numbers) as numbers_file:
                if source is None:
                    from training.peers.compare import compare

                    games = [make_game(name, None, None, None) for name in names or BUILT_IN]
                    today = date or datetime.datetime.now(datetime.UTC).date().isoformat()
                    with progress_bar("measuring") as progress:
                        results = compare(games, today, repeats, seconds, envs, progress)
                else:
                    results = load(source)
                text = render(results)
                data = results.model_dump(mode="json")
                numbers_file.write(data)
                json_file.write(data)
                page.write_text(text)
    except OutputError:
        say(text, nl=False)  # measured for long: told all the same
        raise
    if not json_file.quiet:
        written = [str(path) for path in (out, numbers) if path is not None]
        say(f"Written: {', '.join(written)}." if written else text, nl=bool(written))


@app.command("compile", short_help="Compile games ahead of their first use.")
def compile_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Games; default: all.")] = None,
    clear: Annotated[
        bool,
        typer.Option(
            "--clear",
            help="Only remove compiled code of other versions of the sources, and what is damaged or unfinished.",
        ),
    ] = False,
) -> None:
    """Compile games ahead of their first use, which otherwise takes from seconds to a minute.

    Damaged files in the cache are replaced by good ones, and told.

    \b
    Examples:
      tooth compile
      tooth compile --clear
    """
    import tooth_envs
    from tooth_envs.engine import store
    from training.compile import clear_old, compile_game

    if clear:
        cleared = clear_old()
        say(
            f"Removed {cleared.folders} folders of other versions and {cleared.files} damaged or unfinished files, "
            f"{cleared.freed / 1e6:.1f} MB."
        )
        return
    for name in names or tooth_envs.games():
        say(f"{name}: {compile_game(tooth_envs.game(name)):.1f} s")
    for problem in store.problems:
        say(f"cache: {problem}")


@app.command("docs", short_help="Check or write the documentation made from the code.")
def docs_command(
    write: Annotated[bool, typer.Option("--write", help="Write what is not as it should be.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Fail if anything is not as it should be (the default).")
    ] = False,
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", metavar="GAME", help="First measure a game anew for its page. May be repeated."),
    ] = None,
    root: Annotated[Path, typer.Option("--root", metavar="DIR", help="The checkout.")] = Path(),
    repeats: Annotated[int, typer.Option(min=1, help="With --measure: repeats of each timing.")] = 5,
    seconds: Annotated[float, typer.Option(help="With --measure: length of one timing.")] = 1.0,
) -> None:
    """Check or write the documentation that is made from the code: docs/games/ and sections of other pages.

    \b
    Examples:
      tooth docs --check
      tooth docs --measure dragon_teeth_washer --write
    """
    from tooth_envs.errors import OptionError
    from training.docs import data, pages
    from training.tables import JsonFile

    if write and check:
        raise OptionError("docs: give --write or --check, not both")
    for name in measure or ():
        file = data.data_file(root, name)
        with JsonFile(file) as json_file:
            json_file.write(data.measure(name, repeats, seconds, lambda what: say(f"measuring {what}")))
        say(f"wrote {file}")
    if write:
        for file in pages.write(root):
            say(f"wrote {file}")
    elif check or not measure:
        wrong = pages.differences(root)
        if wrong:
            raise OptionError(
                "docs: not what the code says (tooth docs --write mends it; pages of games that are gone are to be "
                f"removed by hand): {', '.join(map(str, wrong))}"
            )
        say("The documentation is what the code says.")


@app.command(short_help="Tell the versions in use.")
def version() -> None:
    """Tell the versions of the suite and of what it stands on."""
    import platform
    from importlib import metadata

    import tooth_envs

    say(f"tooth-envs {tooth_envs.__version__}")
    say(f"python {platform.python_version()}")
    for package in ("numpy", "numba", "gymnasium", "pettingzoo", "pydantic", "torch", "sb3-contrib"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            say(f"{package} {metadata.version(package)}")
