"""``tooth evaluate``."""

from __future__ import annotations

from typing import Annotated

import typer

from tooth_training.cli.app import app
from tooth_training.cli.words import (
    AGENT_HELP,
    DRAWN_SEED_HELP,
    LARGEST_SEED,
    GameName,
    GameOptions,
    JsonPath,
    NumPlayers,
    Preset,
    RecordPath,
    make_agents,
    make_game,
    progress_bar,
    recording,
)


@app.command(short_help="Compare agents on duplicate deals.")
def evaluate(
    game: GameName,
    agents: Annotated[str, typer.Option("--agents", "-a", metavar="A,B,...", help=AGENT_HELP)],
    num_players: NumPlayers = None,
    blocks: Annotated[
        int, typer.Option("--blocks", "-b", help="Deals. Each is played by all seat rotations of all lineups.")
    ] = 200,
    seed: Annotated[int | None, typer.Option(min=0, max=LARGEST_SEED, help=DRAWN_SEED_HELP)] = None,
    greedy: Annotated[bool, typer.Option("--greedy", help="Checkpoints take their likeliest action.")] = False,
    mixed: Annotated[
        bool, typer.Option("--mixed/--no-mixed", help="Also play mixed lineups where agents are fewer than seats.")
    ] = True,
    json_path: JsonPath = None,
    record: RecordPath = None,
    preset: Preset = None,
    option: GameOptions = None,
) -> None:
    """Compare agents on duplicate deals, with 95% intervals.

    A block is one deal, played by every seat rotation of every lineup. The first table gives, for each agent, the
    results of ONE seat of it among the others, to be compared with the fair win share 1 / seats. Intervals come from a
    bootstrap over blocks.

    \b
    Lineups for K agents at P seats:
      K >= P     every choice of P agents, one seat each
      K < P      each agent in one seat, the others filling the rest in turn, from
                 every start (A,B at 4 seats: A B B B and B A A A); and mixed ones:
                 one seat each, the rest filled in turn by all (A B A B, A B B A)
      K = 1      the agent in every seat: what is each seat worth?

    \b
    Examples:
      tooth evaluate dragon_teeth_washer --agents heuristic,random
      tooth evaluate dragon_teeth_washer -a runs/a,runs/a:greedy,heuristic -n 3 -b 1000 --json out.json
    """
    from tooth_training.cli.tables import JsonFile, console, print_report
    from tooth_training.evaluation.evaluate import evaluate as compare

    with recording(record) as keep, JsonFile(json_path) as json_file:
        made = make_game(game, num_players, option, preset)
        loaded = make_agents(agents, made, greedy)
        with progress_bar("games") as progress:
            noted = {"greedy": greedy}
            report = compare(made, loaded, blocks, seed, mixed=mixed, progress=progress, config=noted, keep=keep)
        if not json_file.quiet:
            print_report(report, console())
        json_file.write(report.to_dict())
