"""``tooth rules``."""

from __future__ import annotations

from tooth_training.cli.app import app, say
from tooth_training.cli.words import GameName


@app.command(short_help="Tell the rules of a game.")
def rules(name: GameName) -> None:
    """Tell the rules of a game in our own words, with the numbers of rules (R1) and rulings (J1) that errors cite.

    \b
    Example:
      tooth rules super_tooth
    """
    from rich.markdown import Markdown

    import tooth_envs
    from tooth_envs.spec.metadata import read_rules
    from tooth_training.terminal import console

    cls = tooth_envs.game_class(name)
    text = f"# {cls.title}\n\n{read_rules(cls)}\n"
    out = console()
    if out.is_terminal:
        out.print(Markdown(text))
    else:
        say(text, nl=False)
