"""The command line, ``tooth``: games, play, train, evaluate, stats, exploit, replay, bench, deck, compile,
docs, version.

Nothing heavy is imported before a command needs it, so that ``tooth --help`` answers at once and commands without
networks need no torch. Errors that a user can mend are one message on standard error and exit status 2, as wrong
arguments are; Ctrl-C is 130.
"""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

try:
    import typer
    from typer.core import TyperGroup
except ModuleNotFoundError as missing:  # pragma: no cover - the suite without its extra
    if missing.name != "typer":
        raise
    sys.stderr.write("tooth: the command line needs typer, which is not installed: pip install 'tooth-envs[cli]'\n")
    raise SystemExit(2) from None

if TYPE_CHECKING:
    from agents.agent import Agent
    from tooth_envs.games.game import Game
    from tooth_envs.record import GameRecord
    from training.deals import Progress

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
            if problem.filename is None:
                raise
            _complain(f"{problem.filename}: {problem.strerror}")
        except ValueError as problem:
            if not _is_ours(problem):
                raise
            _complain(str(problem))


def _is_ours(problem: ValueError) -> bool:
    """Whether an error is the suite's own; without importing the suite only to find out."""
    errors = sys.modules.get("tooth_envs.errors")
    return errors is not None and isinstance(problem, errors.ToothError)


def _complain(message: str) -> None:
    typer.echo(f"Error: {message}", err=True)
    raise typer.Exit(USER_ERROR)


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


@app.callback()
def before(
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="MODULE",
            help="Import a module first, such as one of yours that registers a game or agent. Repeatable.",
        ),
    ] = None,
) -> None:
    """What comes before a command."""
    import importlib

    if modules:
        sys.path.insert(0, "")  # the folder where the command is given, as with python -m
    for module in modules or ():
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as problem:
            if problem.name != module.partition(".")[0] and problem.name != module:
                raise
            raise typer.BadParameter(f"there is no module {module!r} here", param_hint="--import") from None


GameName = Annotated[str, typer.Argument(metavar="GAME", help="Short name of a game; tooth games lists them.")]
NumPlayers = Annotated[int | None, typer.Option("--num-players", "-n", help="Seats at the table; default: the game's.")]
GameOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="An option of the game, its value as YAML has it. May be repeated.",
    ),
]
Preset = Annotated[
    str | None, typer.Option("--preset", "-p", metavar="NAME", help="One of the game's named sets of options.")
]
JsonPath = Annotated[
    Path | None,
    typer.Option(
        "--json", metavar="FILE", help="Also write the results as JSON; - is standard output, without tables."
    ),
]
RecordPath = Annotated[
    Path | None,
    typer.Option(
        "--record", metavar="FILE", help="Also write every game to FILE (JSON Lines), for tooth replay. Takes longer."
    ),
]
LARGEST_SEED = 2**63 - 1
SEED_HELP = "Names the deals and all choices: the same seed gives the same results."

AGENT_HELP = (
    "Agents: random, heuristic (where the game has one), or the directory of a run or checkpoint; DIR:greedy takes its "
    "likeliest actions. Separated by commas."
)


# What commands share.


def make_game(name: str, num_players: int | None, options: Sequence[str] | None, preset: str | None = None) -> Game:
    """A game from the command line's words.

    Raises:
        ToothError: an unknown game, an option that is no KEY=VALUE, or what the game refuses.
    """
    import tooth_envs
    from tooth_envs.errors import OptionError

    values: dict[str, Any] = {}
    for word in options or ():
        key, equals, text = word.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise OptionError(f"--option {word!r}: write KEY=VALUE, for example max_steps=100")
        if key in values:
            raise OptionError(f"--option {word!r}: {key} is given twice")
        from training.config import parse_yaml

        values[key] = parse_yaml(text, f"--option {word!r}")
    if num_players is not None:
        if "num_players" in values:
            raise OptionError("give num_players once: as --num-players or as --option")
        values["num_players"] = num_players
    if preset is not None:
        if "preset" in values:
            raise OptionError("give the preset once: as --preset or as --option")
        values["preset"] = preset
    return tooth_envs.game(name, **values)


def make_agents(words: str, game: Game, greedy: bool = False, only: int | None = None) -> dict[str, Agent]:
    """Agents by label. What is named several times is labelled NAME#1, NAME#2, ...

    Args:
        words: agents separated by commas; ``DIR:greedy`` for one greedy checkpoint.
        game: what they are to play.
        greedy: all checkpoints take their likeliest action.
        only: how many must be named; None for any number.

    Raises:
        ToothError: an agent that cannot be had.
    """
    from agents.load import load_agent
    from tooth_envs.errors import OptionError

    specs = [word.strip() for word in words.split(",")]
    if not all(specs):
        raise OptionError(f"--agents {words!r}: write names separated by commas, for example random,heuristic")
    if only is not None and len(specs) != only:
        raise OptionError(f"--agent {words!r}: names {len(specs)} agents; give {only}")
    agents: dict[str, Agent] = {}
    for place, spec in enumerate(specs):
        label = f"{spec}#{specs[: place + 1].count(spec)}" if specs.count(spec) > 1 else spec
        path, mark, _ = spec.rpartition(":greedy") if spec.endswith(":greedy") else (spec, "", "")
        agents[label] = load_agent(path, game, greedy or bool(mark))
    return agents


@contextlib.contextmanager
def recording(path: Path | None) -> Iterator[Callable[[GameRecord], None] | None]:
    """Where games are to be kept; None where they are not."""
    from tooth_envs.record import record_file

    if path is None:
        yield None
        return
    with record_file(path) as write:
        yield write


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """A bar on standard error while something runs, if that is a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from training.tables import console

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    out = console(stderr=True)
    with Bar(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


# Commands.


@app.command("games", short_help="List the games.")
def games_command(json_path: JsonPath = None) -> None:
    """List the games: players, actions, and the sizes of views, observations and states under default options.

    \b
    Example:
      tooth games
    """
    import tooth_envs
    from training.tables import JsonFile, console, games_data, print_games

    with JsonFile(json_path) as json_file:
        games = [tooth_envs.game(name) for name in tooth_envs.games()]
        json_file.write({"games": games_data(games)})
        if not json_file.quiet:
            print_games(games, console())


@app.command(short_help="Play a game here, in words.")
def play(
    game: GameName,
    num_players: NumPlayers = None,
    seat: Annotated[int, typer.Option("--seat", "-s", help="Your seat, from 0.")] = 0,
    agents: Annotated[
        str | None,
        typer.Option(
            "--agents",
            "-a",
            metavar="A,B,...",
            help=f"{AGENT_HELP} They sit clockwise from your left, repeated as needed. "
            "Default: heuristic where there is one, else random.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=LARGEST_SEED, help="Names the deal; default: a new one, which is told.")
    ] = None,
    record: RecordPath = None,
    preset: Preset = None,
    option: GameOptions = None,
) -> None:
    """Play a game here, in words, against agents. You are told what your seat may know and nothing else.

    \b
    Examples:
      tooth play dragon_teeth_washer
      tooth play dragon_teeth_washer -n 3 --seat 1 --agents heuristic,random --seed 7
    """
    from agents.basic import has_heuristic
    from training.play import play_game

    made = make_game(game, num_players, option, preset)
    others = make_agents(agents or ("heuristic" if has_heuristic(made) else "random"), made)
    number = secrets.randbits(32) if seed is None else seed
    with recording(record) as keep:
        try:
            play_game(made, list(others.items()), seat, number, input, typer.echo, keep)
        except KeyboardInterrupt:
            typer.echo("\nThe game was stopped.")
            stopped = True
        else:
            stopped = False
    if stopped:
        raise typer.Exit(INTERRUPTED)


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
    from training.config import load_config

    if config is None and resume is None:
        raise typer.BadParameter("give a configuration, or a run to --resume", param_hint="CONFIG")
    settings = load_config(config, changes or []) if config is not None else None
    from training.matches import evaluate_run
    from training.tables import JsonFile, console, print_matches
    from training.train import resume_config
    from training.train import train as run_training

    if settings is None:
        settings = resume_config(str(resume), changes)
    folder = run_training(settings, resume=resume)
    with progress_bar("matches") as progress:
        reports = evaluate_run(settings, folder, progress)
    with JsonFile(folder / "evaluation.json") as json_file:
        json_file.write({"matches": [report.to_dict() for report in reports]})
    print_matches(reports, console())


@app.command(short_help="Compare agents on duplicate deals.")
def evaluate(
    game: GameName,
    agents: Annotated[str, typer.Option("--agents", "-a", metavar="A,B,...", help=AGENT_HELP)],
    num_players: NumPlayers = None,
    blocks: Annotated[
        int, typer.Option("--blocks", "-b", help="Deals. Each is played by all seat rotations of all lineups.")
    ] = 200,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help=SEED_HELP)] = 0,
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
    from training.evaluate import evaluate as compare
    from training.tables import JsonFile, console, print_report

    with JsonFile(json_path) as json_file:
        made = make_game(game, num_players, option, preset)
        loaded = make_agents(agents, made, greedy)
        with recording(record) as keep, progress_bar("games") as progress:
            noted = {"greedy": greedy}
            report = compare(made, loaded, blocks, seed, mixed=mixed, progress=progress, config=noted, keep=keep)
        json_file.write(report.to_dict())
        if not json_file.quiet:
            print_report(report, console())


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
    from training.stats import game_stats
    from training.tables import JsonFile, console, print_stats

    with JsonFile(json_path) as json_file:
        made = make_game(game, num_players, option, preset)
        loaded = None if agents is None else make_agents(agents, made)
        with recording(record) as keep, progress_bar("games") as progress:
            found = game_stats(made, games, seed, loaded, progress=progress, keep=keep)
        json_file.write(found.to_dict())
        if not json_file.quiet:
            print_stats(found, console())


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

    NashConv, the sum of the gains over seats, is 0 in an equilibrium.

    \b
    Examples:
      tooth exploit dragon_teeth_washer --preset odd_even --agent heuristic
      tooth exploit dragon_teeth_washer --preset trio -a runs/trio:greedy
    """
    from training.exploit import exploit as measure
    from training.tables import JsonFile, console, print_exploitability

    with JsonFile(json_path) as json_file:
        made = make_game(game, num_players, option, preset)
        ((label, loaded),) = make_agents(agent, made, only=1).items()
        with progress_bar("nodes") as progress:
            found = measure(made, loaded, label, seed, draws, max_nodes, progress)
        json_file.write(found.to_dict())
        if not json_file.quiet:
            print_exploitability(found, console())


@app.command(short_help="Tell recorded games again, verified step by step.")
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What --record wrote.")],
    number: Annotated[int, typer.Option("--game", "-g", help="Which of the file's games, from 1.")] = 1,
    seat: Annotated[
        int | None, typer.Option("--seat", "-s", help="Tell what this seat could know; default: everything.")
    ] = None,
    views: Annotated[bool, typer.Option("--views", help="Also show what the seat to act saw and could do.")] = False,
    pause: Annotated[bool, typer.Option("--pause", help="Wait for Enter after every move.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only verify all games of the file, without words.")] = False,
) -> None:
    """Tell a recorded game again, step by step in words, as one seat could know it or for someone who sees all.

    The game is played again by today's rules, and the state after every move is compared with the recorded one: what
    differs is refused, with the move and the reason.

    \b
    Examples:
      tooth stats dragon_teeth_washer --games 20 --record games.jsonl
      tooth replay games.jsonl --game 3 --seat 0 --views
      tooth replay games.jsonl --check
    """
    from tooth_envs.record import Replay
    from training.replay import pick, show, verify

    if check:
        count = 0
        for count in verify(file):  # noqa: B007
            pass
        typer.echo(f"{file}: {count} games replayed, and nothing differs.")
        return

    def wait() -> None:
        with contextlib.suppress(EOFError):
            input()

    show(Replay(pick(file, number), f"{file} game {number}"), seat, typer.echo, views, wait if pause else lambda: None)


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
        json_file.write(result.to_dict())
        if not json_file.quiet:
            print_bench(result, console())


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

    from tooth_envs.registry import BUILT_IN
    from training.peers.page import render
    from training.peers.results import data_path, load
    from training.tables import JsonFile, WholeFile

    numbers = None if out is None or source is not None else data_path(out)
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
    if not json_file.quiet:
        written = [str(path) for path in (out, numbers) if path is not None]
        typer.echo(f"Written: {', '.join(written)}." if written else text, nl=bool(written))


deck_app = typer.Typer(
    cls=ToothGroup,
    help="""Deck files: check one, or copy a built-in one to start from.

    \b
    Examples:
      tooth deck copy dragon_teeth_washer my_deck.toml
      tooth deck check my_deck.toml
    """,
    no_args_is_help=True,
)
app.add_typer(deck_app, name="deck", short_help="Check deck files; copy built-in ones.")


@deck_app.command("check", short_help="Check a deck file.")
def deck_check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The deck file (.toml).")],
    game: Annotated[
        str | None, typer.Option("--game", metavar="GAME", help="Which game's; default: what the file says.")
    ] = None,
) -> None:
    """Check a deck file: what is wrong is told with the file, the card and the field; else what the deck holds.

    \b
    Example:
      tooth deck check my_deck.toml
    """
    from training.decks import check_deck

    found = check_deck(file, game)
    typer.echo(f"{file}: a deck for {found.game}, named {found.name!r}; digest {found.digest}")
    for kind, (entries, cards) in found.types.items():
        typer.echo(f"  {kind}: {entries} kinds, {cards} cards")
    typer.echo("  " + ", ".join(f"{count} {source}" for source, count in found.provenance.items()))
    for players, reason in found.tables.items():
        typer.echo(f"  {players} players: " + ("can be used" if reason is None else f"cannot be used: {reason}"))


@deck_app.command("copy", short_help="Copy a built-in deck to a new file.")
def deck_copy(
    game: GameName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new file (.toml).")],
    deck: Annotated[str | None, typer.Option("--deck", metavar="NAME", help="Which one; default: the usual.")] = None,
) -> None:
    """Copy a built-in deck to a new file, to start a deck of your own from.

    \b
    Example:
      tooth deck copy dragon_teeth_washer my_deck.toml
      tooth play dragon_teeth_washer -o deck=my_deck.toml
    """
    from training.decks import copy_deck

    copy_deck(game, file, deck)
    typer.echo(f"Wrote {file}.")


@app.command("compile", short_help="Compile games ahead of their first use.")
def compile_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Games; default: all.")] = None,
    clear: Annotated[
        bool, typer.Option("--clear", help="Only remove compiled code of other versions of the sources.")
    ] = False,
) -> None:
    """Compile games ahead of their first use, which otherwise takes some seconds.

    \b
    Examples:
      tooth compile
      tooth compile --clear
    """
    import tooth_envs
    from training.compile import clear_old, compile_game

    if clear:
        folders, freed = clear_old()
        typer.echo(f"Removed {folders} folders, {freed / 1e6:.1f} MB.")
        return
    for name in names or tooth_envs.games():
        typer.echo(f"{name}: {compile_game(tooth_envs.game(name)):.1f} s")


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
            json_file.write(data.measure(name, repeats, seconds, lambda what: typer.echo(f"measuring {what}")))
        typer.echo(f"wrote {file}")
    if write:
        for file in pages.write(root):
            typer.echo(f"wrote {file}")
    elif check or not measure:
        wrong = pages.differences(root)
        if wrong:
            raise OptionError(
                "docs: not what the code says (tooth docs --write mends it; pages of games that are gone are to be "
                f"removed by hand): {', '.join(map(str, wrong))}"
            )
        typer.echo("The documentation is what the code says.")


@app.command(short_help="Tell the versions in use.")
def version() -> None:
    """Tell the versions of the suite and of what it stands on."""
    import platform
    from importlib import metadata

    import tooth_envs

    typer.echo(f"tooth-envs {tooth_envs.__version__}")
    typer.echo(f"python {platform.python_version()}")
    for package in ("numpy", "numba", "gymnasium", "pettingzoo", "pydantic", "torch", "sb3-contrib"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            typer.echo(f"{package} {metadata.version(package)}")


def main() -> None:
    """The entry point of ``tooth``."""
    try:
        app(prog_name="tooth")
    except KeyboardInterrupt:  # outside of any command
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
