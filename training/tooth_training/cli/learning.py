"""Commands about agents: train, evaluate, stats, exploit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tooth_training.cli.app import app
from tooth_training.cli.words import (
    AGENT_HELP,
    DRAWN_SEED_HELP,
    LARGEST_SEED,
    SEED_HELP,
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


@app.command(short_help="Train an agent by self-play.")
def train(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONFIG]",
            help="A YAML file, or the name of a configuration that the suite ships. May be left out with --resume.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change one setting, e.g. ppo.learning_rate=1.0e-4. Repeatable."
        ),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="DIR", help="Go on with a run that was stopped.")
    ] = None,
) -> None:
    """Train an agent by self-play as a configuration says, then evaluate it and print the table.

    Ctrl-C stops after the current update, with a checkpoint; --resume goes on from there. The matches that follow,
    against each opponent alone on duplicate deals, are also written to evaluation.json in the run's directory.

    \b
    Examples:
      tooth train quickstart
      tooth train configs/quickstart.yaml --set seed=3 --set total_decisions=200000
      tooth train --resume runs/quickstart --set total_decisions=2000000
    """
    from tooth_training.learning.config import load_config

    if config is None and resume is None:
        raise typer.BadParameter("give a configuration, or a run to --resume", param_hint="CONFIG")
    settings = load_config(config, changes or []) if config is not None else None
    from tooth_envs.spec.files import own_output
    from tooth_training.cli.tables import console, json_text, print_matches
    from tooth_training.evaluation.matches import evaluate_run
    from tooth_training.learning.logs import EVALUATION
    from tooth_training.learning.train import resume_config
    from tooth_training.learning.train import train as run_training

    if settings is None:
        settings = resume_config(str(resume), changes)
    folder = run_training(settings, resume=resume)
    with progress_bar("matches") as progress:
        reports = evaluate_run(settings, folder, progress)
    print_matches(reports, console())
    with own_output(folder / EVALUATION) as file:
        file.write(json_text({"matches": [report.to_dict() for report in reports]}))


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


@app.command(short_help="How long games last, how they end, what seats win.")
def stats(
    game: GameName,
    num_players: NumPlayers = None,
    games: Annotated[int, typer.Option("--games", "-g", help="How many games to play.")] = 10_000,
    agents: Annotated[
        str | None,
        typer.Option(
            "--agents",
            "-a",
            metavar="A,B,...",
            help=f"{AGENT_HELP} They keep their seats, from seat 0, repeated as needed. Default: random.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help=SEED_HELP)] = 0,
    json_path: JsonPath = None,
    record: RecordPath = None,
    preset: Preset = None,
    option: GameOptions = None,
) -> None:
    """Play many games and tell how long they last, how they end and what each seat wins.

    \b
    Examples:
      tooth stats dragon_teeth_washer --games 100000
      tooth stats dragon_teeth_washer -n 3 --agents heuristic --json stats.json
    """
    from tooth_training.cli.tables import JsonFile, console, print_stats
    from tooth_training.evaluation.stats import game_stats

    with recording(record) as keep, JsonFile(json_path) as json_file:
        made = make_game(game, num_players, option, preset)
        loaded = None if agents is None else make_agents(agents, made)
        with progress_bar("games") as progress:
            found = game_stats(made, games, seed, loaded, progress=progress, keep=keep)
        if not json_file.quiet:
            print_stats(found, console())
        json_file.write(found.to_dict())


@app.command(short_help="NashConv of an agent on a small configuration, exactly.")
def exploit(
    game: GameName,
    agent: Annotated[str, typer.Option("--agent", "-a", metavar="A", help=AGENT_HELP.replace("Agents: ", "One of "))],
    num_players: NumPlayers = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Where an agent's draws come from.")] = 0,
    draws: Annotated[
        int, typer.Option(help="Actions drawn per information state from an agent that cannot tell its probabilities.")
    ] = 1000,
    max_nodes: Annotated[int, typer.Option(min=1, help="Nodes at which unfolding the game stops.")] = 1_000_000,
    json_path: JsonPath = None,
    preset: Preset = None,
    option: GameOptions = None,
) -> None:
    """Unfold a small configuration of a game and compute what best responses gain against an agent in every seat.

    NashConv, the sum of the gains over seats, is 0 in an equilibrium. What is far too large is refused at once, by an
    estimate of its size; standard error tells how far unfolding is.

    \b
    Examples:
      tooth exploit dragon_teeth_washer --preset odd_even --agent heuristic
      tooth exploit dragon_teeth_washer --preset trio -a runs/trio:greedy
    """
    from tooth_training.cli.tables import JsonFile, console, print_exploitability
    from tooth_training.evaluation.exploit import exploit as measure

    with JsonFile(json_path) as json_file:
        made = make_game(game, num_players, option, preset)
        ((label, loaded),) = make_agents(agent, made, only=1).items()
        with progress_bar("nodes", every=50_000) as progress:
            found = measure(made, loaded, label, seed, draws, max_nodes, progress)
        if not json_file.quiet:
            print_exploitability(found, console())
        json_file.write(found.to_dict())
