"""Time the games beside other libraries, as a page of Markdown: ``python -m tools.peers``."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated

import typer
from tooth_training.cli.app import ToothGroup, say
from tooth_training.cli.words import JsonPath, make_game, progress_bar

app = typer.Typer(cls=ToothGroup, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def peers(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Games; default: the suite's.")] = None,
    repeats: Annotated[int, typer.Option(help="Measurements of each kind; the median counts.")] = 5,
    seconds: Annotated[float, typer.Option(help="Length of one measurement.")] = 1.0,
    envs: Annotated[int, typer.Option(help="Games in the batch.")] = 4096,
    json_path: JsonPath = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The page; its numbers go to data/ beside it.")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="The page of numbers measured before, without measuring."),
    ] = None,
    date: Annotated[str | None, typer.Option(help="The date to tell; default: today.")] = None,
) -> None:
    """Time the games and training beside other libraries (extra: bench), as a page of Markdown.

    \b
    Examples:
      python -m tools.peers --out docs/benchmarks.md
      python -m tools.peers --from docs/data/benchmarks.json --out docs/benchmarks.md
    """
    from tooth_training.cli.tables import JsonFile, WholeFile

    from tools.peers.page import render
    from tools.peers.results import data_path, load
    from tooth_envs.errors import OutputError
    from tooth_envs.spec.registry import built_in

    numbers = None if out is None or source is not None else data_path(out)
    text = ""
    try:
        with WholeFile(out) as page, JsonFile(json_path) as json_file:
            if numbers is not None:
                numbers.parent.mkdir(exist_ok=True)
            with JsonFile(numbers) as numbers_file:
                if source is None:
                    from tools.peers.compare import compare

                    games = [make_game(name, None, None, None) for name in names or built_in()]
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


if __name__ == "__main__":
    app(prog_name="python -m tools.peers")
