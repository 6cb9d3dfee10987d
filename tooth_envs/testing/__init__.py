"""The conformance battery for games: ``check_game(MyGame)``, or ``tooth check MODULE`` in a shell.

It needs nothing but the core's dependencies. Each check names what it requires; one that fails says why, with the seed
and the step where it can be seen again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tooth_envs.errors import OptionError, ToothError
from tooth_envs.spec.game import Game
from tooth_envs.spec.registry import game_class, register_game
from tooth_envs.spec.validation import suggestion
from tooth_envs.testing import check_environments, check_rules, check_secrets
from tooth_envs.testing.report import CheckFailed, Report, Result, Skipped
from tooth_envs.testing.subject import CHECKS, Check, Subject

__all__ = ["CHECKS", "Check", "CheckFailed", "Report", "Result", "Subject", "check_game", "run_check"]

_MODULES = (check_rules, check_secrets, check_environments)
"""Importing them has filled CHECKS."""


def check_game(
    game: type[Game] | Game | str,
    variants: Sequence[Mapping[str, Any]] | None = None,
    checks: Iterable[str] | None = None,
    leave_out: Iterable[str] = (),
    effort: float = 1.0,
    invariants: Callable[[Game, np.ndarray], None] | None = None,
    strict: bool = True,
    progress: Callable[[Result], None] | None = None,
) -> Report:
    """Check that a game keeps what every part of the suite relies on.

    Args:
        game: the class, a game with its options, or a registered name.
        variants: sets of options to check, if a class or name is given; None: the smallest table, the default, and the
            largest.
        checks: names of checks (``CHECKS``); None: all.
        leave_out: names of checks that are not made, such as ``rewards_sum_to_zero`` for a game of another kind.
        effort: how many games are played, 1.0 as usual.
        invariants: called with (game, states) after every step; raises AssertionError if something cannot be.
        strict: raise at the end if something failed.
        progress: told every result.

    Returns:
        The report, if nothing failed or ``strict`` is False.

    Raises:
        CheckFailed: naming every check that failed, and why.
        OptionError: there is no check of a name.
    """
    wanted = _known(CHECKS if checks is None else checks)
    without = set(_known(leave_out))
    report: Report | None = None
    for options, one in _variants(game, variants):
        report = report or Report(one.name)
        for name in wanted:
            if name not in without:
                result = run_check(CHECKS[name], Subject(one, effort, invariants), options)
                report.results.append(result)
                if progress is not None:
                    progress(result)
    assert report is not None
    if strict:
        report.raise_failures()
    return report


def run_check(check: Check, subject: Subject, options: Mapping[str, Any]) -> Result:
    """One check of one game. Whatever it raises is the reason why it failed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # numbers that wrap in plain Python
            check.run(subject)
    except Skipped as reason:
        return Result(check.name, options, "skipped", str(reason))
    except Exception as problem:
        if isinstance(problem, AssertionError):
            message = str(problem) or "an assertion failed"
        else:
            message = f"{type(problem).__name__}: {problem}"
        return Result(check.name, options, "failed", f"{check.about}\n{message}")
    return Result(check.name, options, "passed")


def _known(names: Iterable[str]) -> list[str]:
    chosen = list(names)
    for name in chosen:
        if name not in CHECKS:
            hint = suggestion(name, list(CHECKS))
            raise OptionError(f"there is no check {name!r}{hint} Checks: {', '.join(CHECKS)}")
    return chosen


def _variants(
    game: type[Game] | Game | str, variants: Sequence[Mapping[str, Any]] | None
) -> Iterable[tuple[Mapping[str, Any], Game]]:
    if isinstance(game, Game):
        return [({}, game)]
    cls = game_class(game) if isinstance(game, str) else game
    register_game(cls)
    if variants is not None:
        return [(options, cls.create(**options)) for options in variants]
    sizes = dict.fromkeys([cls.min_players, None, cls.max_players])
    found: list[tuple[Mapping[str, Any], Game]] = []
    for size in sizes:
        options: dict[str, Any] = {} if size is None else {"num_players": size}
        try:
            made = cls.create(**options)
        except ToothError:
            if size is None:
                raise
            continue  # the default options do not fit a table of this size
        if all(made.options != other.options for _, other in found):
            found.append((options, made))
    return found
