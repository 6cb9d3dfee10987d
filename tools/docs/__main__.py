"""Check or write the documentation that is made from the code: ``python -m tools.docs``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from tooth_training.cli.app import ToothGroup, say

app = typer.Typer(cls=ToothGroup, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def docs(
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
      python -m tools.docs --check
      python -m tools.docs --measure dragon_teeth_washer --write
    """
    from tooth_training.cli.tables import JsonFile

    from tools.docs import data, pages
    from tooth_envs.errors import OptionError

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
                "docs: not what the code says (python -m tools.docs --write mends it; pages of games that are gone are "
                f"to be removed by hand): {', '.join(map(str, wrong))}"
            )
        say("The documentation is what the code says.")


if __name__ == "__main__":
    app(prog_name="python -m tools.docs")
