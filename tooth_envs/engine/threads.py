"""Compiled loops over rows, on several threads.

A loop takes the first row and the one after the last, lets go of Python's lock (``compiled(nogil=True)``), and treats
every row for itself, so results do not depend on how the rows are shared out. Ordinary threads do this as fast as
numba's parallel loops, which have to be compiled a second time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any

FEWEST_ROWS = 64
"""Rows that are worth a thread of their own."""

_pools: list[ThreadPoolExecutor] = []
"""One pool, made when it is first needed. Threads do not survive a fork: a child makes its own."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)


def available_threads() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def over_rows(loop: Callable[..., Any], rows: int, threads: int, *arguments: Any) -> None:
    """Call ``loop(first, end, *arguments)`` for all rows, in up to ``threads`` parts at the same time.

    All parts have ended when this returns or raises.
    """
    parts = max(1, min(threads, rows // FEWEST_ROWS))
    if parts == 1:
        loop(0, rows, *arguments)
        return
    if not _pools:
        _pools.append(ThreadPoolExecutor(thread_name_prefix="tooth-rows"))
    own, *shares = pairwise(rows * part // parts for part in range(parts + 1))
    others = [_pools[0].submit(loop, *share, *arguments) for share in shares]
    try:
        loop(*own, *arguments)
    finally:
        wait(others)
    for other in others:
        other.result()
