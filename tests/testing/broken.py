"""Kuhn poker, broken on purpose in one place at a time: which checks notice it.

Run as a program in plain Python, in a process of its own: it prints JSON, break -> names of checks that failed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tooth_agents.code import import_file

from tooth_envs.engine.compile import JIT
from tooth_envs.spec.game import Game
from tooth_envs.testing import CHECKS, Subject, run_check

SOURCE = Path(__file__).parents[1] / "kuhn.py"

BREAKS: dict[str, tuple[str, str, str]] = {
    # What is broken: (a text of kuhn.py, what stands there instead, a check that has to fail).
    "a legal action does nothing": ("    state.moves += 1\n", "    state.moves += action\n", "masks_and_legality"),
    "no action is legal": (
        "    mask[1] = 1\n",
        "    mask[1] = 1\n    mask[:] = state.moves == 0\n",
        "masks_and_legality",
    ),
    "the mask has strange numbers": ("    mask[1] = 1\n", "    mask[1] = 2\n", "masks_and_legality"),
    "legal remembers": (
        "    mask[1] = 1\n",
        "    mask[1] = len(_MEMORY) % 2\n    _MEMORY.append(1)\n",
        "masks_and_legality",
    ),
    "the deal ignores the seed": (
        "    state.card[:] = -1\n    adv",
        "    state.seed = 7\n    state.card[:] = -1\n    adv",
        "seeds",
    ),
    "rules keep a memory": (
        "    state.moves += 1\n",
        "    state.moves += 1\n    _MEMORY.append(1)\n    state.deck[0] = len(_MEMORY) % 2\n",
        "seeds",
    ),
    "rewards are too large": ("state.reward[winner] += won", "state.reward[winner] += won + 9", "rewards_and_ranks"),
    "rewards do not sum to zero": ("state.reward[1 - winner] -= won", "pass", "rewards_sum_to_zero"),
    "a reward is no number": (
        "state.reward[winner] += won",
        "state.reward[winner] = float('nan')",
        "rewards_and_ranks",
    ),
    "ranks begin at 2": ("state.rank[winner] = 1\n", "state.rank[winner] = 2\n", "rewards_and_ranks"),
    "ranks are dense after a tie": ("1 if truncated else 2", "3", "rewards_and_ranks"),
    "ranks come early": (
        "    state.moves += 1\n",
        "    state.moves += 1\n    state.rank[0] = 1\n",
        "rewards_and_ranks",
    ),
    "no ranks at the step cap": (
        "    state.rank[winner] = 1\n",
        "    state.rank[winner] = 0 if truncated else 1\n",
        "step_cap",
    ),
    "a field is out of its bounds": (
        "    state.moves += 1\n",
        "    state.moves += 1\n    state.deck[2] = 3\n",
        "bounds",
    ),
    "a view is out of its bounds": ("    out.seat = seat\n", "    out.seat = seat\n    out.card = 7\n", "bounds"),
    "a view shows the other card": (
        "out.card = state.card[seat]",
        "out.card = state.card[1 - seat]",
        "worlds_look_the_same",
    ),
    "the mask tells the other card": (
        "    mask[1] = 1\n",
        "    mask[1] = int(state.card[1 - state.seat] > 0)\n",
        "worlds_look_the_same",
    ),
    "resampling changes the own card": (
        "    state.card[1 - seat] = piles.draw(state, 0, state.deck)\n\n",
        (
            "    state.card[1 - seat] = piles.draw(state, 0, state.deck)\n"
            "    state.card[seat] = piles.draw(state, 0, state.deck)\n\n"
        ),
        "worlds_look_the_same",
    ),
    "resampling changes nothing": (
        "    state.deck[state.card[1 - seat]] += 1\n    state.card[1 - seat] = piles.draw(state, 0, state.deck)\n\n",
        "    state.deck[0] += 0\n\n",
        "worlds_look_the_same",
    ),
    "resampling never gives the truth": (
        "    state.card[1 - seat] = piles.draw(state, 0, state.deck)\n\n",
        (
            "    before = state.card[1 - seat]\n    state.deck[before] -= 1\n"
            "    state.card[1 - seat] = piles.draw(state, 0, state.deck)\n    state.deck[before] += 1\n\n"
        ),
        "worlds_can_be_played",
    ),
    "resampling leaves the world without a move": (
        "    state.card[1 - seat] = piles.draw(state, 0, state.deck)\n\n",
        "    state.card[1 - seat] = piles.draw(state, 0, state.deck)\n    state.moves = 99\n\n",
        "worlds_can_be_played",
    ),
    "resampling keeps what is to come": (
        "    state.card[1 - seat] = piles.draw(state, 0, state.deck)\n\n",
        (
            "    state.card[1 - seat] = piles.draw(state, 0, state.deck)\n    state.tracing = 1\n"
            "    events.emit(state, 0, 0, -1, 0, 0)\n\n"
        ),
        "worlds_have_chance_of_their_own",
    ),
    "view writes into the state": (
        "    out.seat = seat\n",
        "    out.seat = seat\n    state.bets[2] = 1\n",
        "secrets_in_views",
    ),
    "view remembers": (
        "    out.seat = seat\n",
        "    _MEMORY.append(1)\n    out.seat = len(_MEMORY) % 2\n",
        "secrets_in_views",
    ),
    "positions lose a field": (
        "    def write_position(self, state, position):\n        super().write_position(state, position)\n",
        (
            "    def write_position(self, state, position):\n        super().write_position(state, position)\n"
            "        state.bets[:] = 0\n"
        ),
        "positions",
    ),
    "positions come back with another card": (
        "    def write_position(self, state, position):\n        super().write_position(state, position)\n",
        (
            "    def write_position(self, state, position):\n        super().write_position(state, position)\n"
            "        state.card[:] = state.card[::-1].copy()\n"
        ),
        "positions",
    ),
    "an action has no words": (
        "    def reward_bounds(self):",
        "    def describe_action(self, view, action):\n        return ' '\n\n    def reward_bounds(self):",
        "descriptions",
    ),
    "an event is told to everybody": (
        "    def reward_bounds(self):",
        "    def describe_event(self, event, seat):\n        return 'told'\n\n    def reward_bounds(self):",
        "descriptions",
    ),
    "two actions have one name": (
        '    BET = "BET"\n\n\nclass EventKind',
        '    BET = "pass"\n\n\nclass EventKind',
        "names",
    ),
    "the layout depends on who looks": (
        "    def reward_bounds(self):",
        (
            "    def view_fields(self):\n        _MEMORY.append(1)\n        more = type(self).View.fields()\n"
            "        return more[::-1] if len(_MEMORY) % 2 else more\n\n    def reward_bounds(self):"
        ),
        "copies",
    ),
}


def failing(number: int, old: str, new: str, folder: Path) -> list[str]:
    """The checks that notice a break."""
    source = SOURCE.read_text(encoding="utf-8")
    assert source.count(old) >= 1, old
    source = source.replace(old, new, 1)
    name = f"kuhn_{number}"
    source = source.replace('"kuhn", "Kuhn Poker"', f'"{name}", "Kuhn Poker"')
    source = source.replace(
        "    moves: int = number(", f"    extra_{number}: int = number()\n    moves: int = number(", 1
    )
    source = source.replace("class Phase(Named)", "_MEMORY: list[int] = []\n\n\nclass Phase(Named)", 1)
    file = folder / f"{name}.py"
    file.write_text(source, encoding="utf-8")
    try:
        cls = import_file(file).Kuhn
    except ValueError:
        return ["names"]  # refused when it is registered
    assert issubclass(cls, Game)
    found = []
    for check in CHECKS.values():
        if run_check(check, Subject(cls.create(), 0.1), {}).outcome == "failed":
            found.append(check.name)
    return found


if __name__ == "__main__":
    assert not JIT, "run with NUMBA_DISABLE_JIT=1"
    with tempfile.TemporaryDirectory() as place:
        told = {
            what: failing(number, old, new, Path(place)) for number, (what, (old, new, _)) in enumerate(BREAKS.items())
        }
    sys.stdout.write(json.dumps(told))
