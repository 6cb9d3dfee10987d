"""A game's page: everything that the code and the measurements say about it, in the order in which people ask."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from tooth_training.evaluation.bench import BUSY

from tools.docs.words import (
    code,
    count,
    default,
    folded,
    interval,
    option_type,
    ranges,
    sentence,
    shortened,
    table,
)
from tooth_envs.errors import OptionError
from tooth_envs.spec.deck import Card, built_in, deck_file
from tooth_envs.spec.game import Game
from tooth_envs.spec.layout import Layout, ViewField
from tooth_envs.spec.metadata import Metadata, folder_of, load_metadata
from tooth_envs.spec.options import Options as CommonOptions

FEW_ACTIONS, FEW_CARDS = 12, 30
"""Longer lists are folded."""

ORIGINS = """The option `deck` also takes the path of a TOML file of your own in the same form. Every card says where it
comes from: the publisher's rulebook, a public source, or a reconstruction, which is ours."""

NOTICE = "<!-- Made by `python -m tools.docs --write`. Change the game, its about.toml or its rules.md instead. -->"


def game_page(cls: type[Game], data: Mapping[str, Any]) -> str:
    """The page of a game.

    Args:
        cls: the game's class.
        data: its measurements (training/docs/data.py).

    Raises:
        ToothError: its words do not fit it.
    """
    game, about = cls.create(), load_metadata(cls)
    parts = [
        f"{NOTICE}\n\n# {cls.title}\n\n{sentence(about.answers.summary)}",
        _facts(game, about, data),
        _use(game),
        f"## Rules\n\n{about.rules}",
        _decisions(cls, about),
        _actions(cls, about),
        _observation(game),
        _words(game),
        _rewards(game, about),
        _options(cls),
        _presets(cls),
        _deck(cls),
        _speed(data),
        _statistics(game, data),
        _told(data),
        _strength(data),
        _versions(cls, about),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def seats(cls: type[Game]) -> str:
    """How many can play."""
    return str(cls.max_players) if cls.min_players == cls.max_players else f"{cls.min_players}–{cls.max_players}"


def _facts(game: Game, about: Metadata, data: Mapping[str, Any]) -> str:
    answers, layout = about.answers, game.layout
    low, high = game.reward_bounds()
    whole = _with_history(game)
    more = f"; with `history=True` [{whole.size}]" if whole is not None else ""
    lengths = [
        f"{entry['length']['mean']:.4g} at {entry['num_players']} seats"
        for entry in data["statistics"]
        if _all_random(entry)
    ]
    speed = {entry["name"]: entry["median"] for entry in data["speed"]["rates"]}
    where = "one thread of a busy machine" if _busy(data) else "one thread"
    rows: list[tuple[str, str]] = [
        ("Seats", f"{seats(type(game))}; {game.num_players} by default"),
        ("Turns", sentence(answers.turns)),
        ("Hidden", sentence(answers.hidden)),
        ("Chance", sentence(answers.chance)),
        ("Length", f"decisions of random players: {', '.join(lengths)}"),
        ("Reward", f"zero-sum, {low:g} to {high:g} a game by default"),
        ("Actions", f"{len(game.actions)}, one flat table with a mask"),
        ("Observation", f"`float32` [{layout.size}] in [0, 1]{more}"),
        ("State", f"{game.state_dtype.itemsize} bytes, flat and copyable"),
        ("Agents", "random, heuristic, and what you train" if data["strength"] else "random, and what you train"),
        ("Speed", f"{count(speed['batch_1'])} decisions per second in a batch on {where} ([more](#speed))"),
        ("Ids", f"`tooth_envs/{game.name}-v{game.version}` in gymnasium and PettingZoo"),
    ]
    return table(("", ""), ((f"**{name}**", words) for name, words in rows))


def _with_history(game: Game) -> Layout | None:
    """The layout with the full history; None if the game has none, or refuses to have one."""
    try:
        layout = type(game).create(num_players=game.num_players, history=True).layout
    except OptionError:
        return None
    return layout if layout.size > game.layout.size else None


def _all_random(entry: Mapping[str, Any]) -> bool:
    return set(entry["agents"]) == {"random"}


def _use(game: Game) -> str:
    return f"""## Use

```python
import tooth_envs

env = tooth_envs.make("{game.name}", num_players={game.num_players})  # PettingZoo AEC
env.reset(seed=0)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    over = terminated or truncated
    env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

batch = tooth_envs.make_batch("{game.name}", num_envs=64)  # many games in NumPy arrays
observation, action_mask = batch.reset(seed=0)
```

At the terminal: `tooth play {game.name}`, `tooth stats {game.name}`, `tooth bench {game.name}`."""


def _decisions(cls: type[Game], about: Metadata) -> str:
    rows = [(number, code(name), sentence(about.answers.decisions[name])) for number, name in enumerate(cls.decisions)]
    return "## Decisions\n\nWhat a seat can be asked; its mask has the actions that are legal then.\n\n" + table(
        ("", "decision", "what is asked"), rows
    )


def _actions(cls: type[Game], about: Metadata) -> str:
    rows = []
    for pattern, indices in sorted(about.groups.items(), key=lambda group: group[1][0]):
        names = shortened([cls.actions[index] for index in indices], 3)
        rows.append((ranges(indices), names, sentence(about.answers.actions[pattern])))
    text = "## Actions\n\n" + table(("index", "name", "what it does"), rows)
    if len(rows) < len(cls.actions):
        listed = [f"{index:>5} {name}" for index, name in enumerate(cls.actions)]
        text += "\n\n" + folded(f"All {len(listed)} actions by index", "```text\n" + _columns(listed) + "\n```")
    return text


def _columns(entries: Sequence[str]) -> str:
    """Entries in reading order down columns, as many as fit a line."""
    width = max(map(len, entries)) + 2
    across = max(1, min(4, 100 // width))
    down = -(-len(entries) // across)
    rows = [entries[row::down] for row in range(down)]
    return "\n".join("".join(entry.ljust(width) for entry in row).rstrip() for row in rows)


def _field_row(entry: ViewField, first: int) -> tuple[object, ...]:
    where = str(first) if entry.width == 1 else f"{first}–{first + entry.width - 1}"
    shape = "×".join(map(str, entry.shape)) or "1"
    encoding = f"one-hot: {shortened(entry.names)}" if entry.category else "scaled"
    return where, code(entry.name), shape, entry.low, entry.high, encoding, sentence(entry.meaning)


def _observation(game: Game) -> str:
    layout = game.layout
    head = ("index", "field", "shape", "min", "max", "encoding", "meaning")
    text = f"""## Observation

A `float32` vector of {layout.size} numbers in [0, 1], made from the seat's *view*, which is all that it may know. A
first axis over seats is relative: 0 is the observer, the others follow clockwise; seats that nobody holds are zero.
*scaled* is (value − min) / (max − min); *one-hot* has a number for each value, all of them 0 for −1, none. Bounds are
those of the default options.

"""
    text += table(head, (_field_row(entry, layout.place(entry.name)[1]) for entry in layout.observed))
    whole = _with_history(game)
    if whole is not None:
        more = [entry for entry in whole.observed if entry.history]
        rows = [_field_row(entry, whole.place(entry.name)[1]) for entry in more]
        text += f"\n\nWith `history=True` there are {whole.size} numbers, these among them:\n\n{table(head, rows)}"
    return text


def _words(game: Game) -> str:
    states = game.deal(0)
    seat = int(states["seat"][0])
    view = game.view(states, seat)
    legal = [
        f"  {game.actions[action]}: {game.describe_action(view, int(action))}"
        for action in game.legal_mask(states).nonzero()[0]
    ]
    cut = legal[:FEW_ACTIONS] + ([f"  ... and {len(legal) - FEW_ACTIONS} more"] if len(legal) > FEW_ACTIONS else [])
    text = "\n".join([game.describe(view), "Legal actions:", *cut])
    return f"""## The same in words

`env.describe()` at the first decision of the game with seed 0, as people and language models get it:

```text
{text}
```"""


def _rewards(game: Game, about: Metadata) -> str:
    rows = []
    for value, words in about.answers.rewards.items():
        low, high = type(game).create(reward=value).reward_bounds()
        mark = " (default)" if value == game.options.reward else ""
        rows.append((code(f'"{value}"') + mark, words, f"{low:g}", f"{high:g}"))
    note = (
        "Every seat is paid when it earns something, whoever is to act; rewards of a step sum to zero over the seats. "
        "With `shaping`, what a seat gains on the way is paid too."
    )
    head = ("`reward`", "paid to each seat at the end", "least", "most")
    return f"## Rewards\n\n{note}\n\n{table(head, rows, 2)}"


def _options(cls: type[Game]) -> str:
    rows = []
    for name, field in cls.Options.model_fields.items():
        # A game that narrows a common option need not describe it again.
        told = field.description or CommonOptions.model_fields[name].description or ""
        rows.append((code(name), option_type(field), default(field), sentence(told)))
    note = f'Keyword arguments of `tooth_envs.make("{cls.name}", ...)` and its like; unknown ones are refused.'
    return f"## Options\n\n{note}\n\n" + table(("option", "value", "default", "meaning"), rows)


def _presets(cls: type[Game]) -> str:
    if not cls.presets:
        return ""
    rows = [
        (code(name), ", ".join(code(f"{key}={value!r}".replace("'", '"')) for key, value in values.items()))
        for name, values in cls.presets.items()
    ]
    note = f'Named sets of options: `tooth_envs.make("{cls.name}", preset="{next(iter(cls.presets))}")`.'
    return f"## Presets\n\n{note}\n\n" + table(("preset", "options"), rows)


def _deck(cls: type[Game]) -> str:
    folder = folder_of(cls)
    if not (folder / "deck.toml").exists():
        return ""
    text = "## Deck\n\n" + ORIGINS
    first = str(cls.Options.model_fields["deck"].default)
    for name in built_in(folder, first):
        path = deck_file(name, folder, first)
        file, content = path.name, tomllib.loads(path.read_text(encoding="utf-8"))
        cards: list[dict[str, Any]] = content["card"]
        origins = {card["provenance"]: 0 for card in cards}
        for card in cards:
            origins[card["provenance"]] += card["count"]
        total = f"{sum(origins.values())} cards of {len(cards)} kinds; " + ", ".join(
            f"{origin}: {number}" for origin, number in origins.items()
        )
        link = f"[{file}](../../tooth_envs/games/{cls.name}/{file})"
        text += f"\n\n**{code(content.get('name', name))}** ({link}): {sentence(content.get('about', ''))} {total}."
        listed = "\n\n".join(_cards(cards, kind) for kind in dict.fromkeys(card["type"] for card in cards))
        text += "\n\n" + (listed if len(cards) <= FEW_CARDS else folded("The cards", listed))
    return text


def _cards(cards: Sequence[Mapping[str, Any]], kind: str) -> str:
    chosen = [card for card in cards if card["type"] == kind]
    common = list(Card.model_fields)
    own = dict.fromkeys(key for card in chosen for key in card if key not in common)
    told = [key for key in ("count_provenance", "note") if any(card.get(key) for card in chosen)]
    columns = ["id", "name", "count", *own, "effect", "provenance", *told]
    return f"*{kind}*\n\n" + table(columns, ([_value(card.get(key, "")) for key in columns] for card in chosen))


def _value(value: Any) -> str:
    """A card's field: lists and tables within one line."""
    if isinstance(value, Mapping):
        return " ".join(f"{key} {_value(entry)}" for key, entry in value.items())
    if isinstance(value, list):
        return ", ".join(_value(entry) for entry in value)
    return re.sub(r"([<*])", r"\\\1", str(value)) if isinstance(value, str) else str(value)


def _how(data: Mapping[str, Any]) -> str:
    return f"`{data['command']}` at commit {data['commit'] or 'unknown'}"


def _busy(data: Mapping[str, Any]) -> bool:
    """Whether other programs used the machine while speed was measured."""
    load = data["speed"]["machine"]["load_average"]
    return load is not None and load > BUSY


def _speed(data: Mapping[str, Any]) -> str:
    speed, machine = data["speed"], data["speed"]["machine"]
    rows = [
        (entry["what"], entry["threads"], count(entry["median"]), f"{count(entry['low'])} – {count(entry['high'])}")
        for entry in speed["rates"]
    ]
    versions = ", ".join(f"{name} {speed['versions'][name]}" for name in ("python", "numpy", "numba"))
    busy = ""
    if _busy(data):
        busy = (
            f" Others used the machine meanwhile (load average {machine['load_average']} before): trust ratios at most."
        )
    return (
        f"## Speed\n\nDecisions per second at {speed['num_players']} seats, median and range of "
        f"{len(speed['rates'][0]['repeats'])} measurements of {speed['seconds']:g} s, on {machine['cpu']}, "
        f"{machine['usable_cores']} cores, {machine['system']}, {versions}.{busy} By {_how(data)}; "
        f"`tooth bench {data['game']}` gives yours.\n\n" + table(("what", "threads", "decisions/s", "range"), rows, 3)
    )


def _statistics(game: Game, data: Mapping[str, Any]) -> str:
    rows = []
    for entry in data["statistics"]:
        middle = entry["percentiles"]
        shares = " / ".join(f"{100 * seat['win_share']['mean']:.1f}" for seat in entry["seats"])
        rows.append(
            (
                entry["num_players"],
                ", ".join(dict.fromkeys(entry["agents"])),
                f"{entry['length']['mean']:.1f}",
                f"{middle['5']:g} – {middle['95']:g}",
                f"{100 * entry['truncated_share']['mean']:.1f} %",
                f"{100 * entry['shared_share']['mean']:.1f} %",
                f"{shares} %",
            )
        )
    first = data["statistics"][0]
    width = max(
        seat["win_share"]["high"] - seat["win_share"]["low"] for entry in data["statistics"] for seat in entry["seats"]
    )
    head = ("seats", "players", "decisions", "5–95 %", "step cap", "several winners", "win share by seat")
    return (
        f"## What games look like\n\n{first['games']:,} games each under default options, seed {first['seed']}, by "
        f"{_how(data)}. 95 % intervals of the win shares are within ±{50 * width:.1f} points.\n\n{table(head, rows, 5)}"
    )


def _told(data: Mapping[str, Any]) -> str:
    """What the game's own facts say (Game.metrics), if it has any and they were measured."""
    entries = [entry for entry in data["statistics"] if entry.get("numbers")]
    if not entries:
        return ""
    names = list(entries[0]["numbers"])
    titles = [(entry["num_players"], ", ".join(dict.fromkeys(entry["agents"]))) for entry in entries]
    rows = []
    for title, entry in zip(titles, entries, strict=True):
        numbers = (entry["numbers"][name] for name in names)
        cells = (f"{number['mean']['mean']:.2f} ({number['min']:g} – {number['max']:g})" for number in numbers)
        rows.append((*title, *cells))
    parts = [table(("seats", "players", *names), rows, len(names))]
    for group in entries[0]["groups"]:
        found = [entry["groups"][group] for entry in entries]
        labels = dict.fromkeys(label for entry in found for label in entry)
        head = (group, *(f"{seats}, {players}" for seats, players in titles))
        shares = [
            (label, *(f"{entry[label]['times_fair']['mean']:.2f}" if label in entry else "" for entry in found))
            for label in labels
        ]
        parts.append(f"Win share by {group}, as a multiple of the fair share:\n\n{table(head, shares, len(entries))}")
    return "\n\n".join(["Of the same games, per game, with the least and the most:", *parts])


def _strength(data: Mapping[str, Any]) -> str:
    if not data["strength"]:
        return ""
    rows = []
    for entry in data["strength"]:
        agent, fair = entry["agents"]["heuristic"], 100 / entry["num_players"]
        reward = interval(agent["reward"], digits=2)
        rows.append((entry["num_players"], f"{fair:.1f} %", interval(agent["win_share"], percent=True), reward))
    first = data["strength"][0]
    return (
        f"## Baseline\n\nOne heuristic player among random ones: {first['blocks']} deals, each played from every seat, "
        f"95 % intervals over deals, by {_how(data)}.\n\n"
        + table(("seats", "fair share", "win share", "reward"), rows, 3)
    )


def _versions(cls: type[Game], about: Metadata) -> str:
    rows = [(f"v{number}", sentence(words)) for number, words in reversed(about.answers.versions.items())]
    note = (
        "The number rises when the same seed and actions give another game, or a number comes to mean something else."
    )
    return f"## Versions\n\n{note}\n\n" + table(("version", "changes"), rows)
