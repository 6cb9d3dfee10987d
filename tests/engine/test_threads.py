"""Loops over rows on several threads."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

from tooth_envs.engine.threads import FEWEST_ROWS, available_threads, over_rows


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("rows", [1, FEWEST_ROWS - 1, 2 * FEWEST_ROWS, 5 * FEWEST_ROWS + 3])
def test_every_row_is_done_once(rows: int, threads: int) -> None:
    done = np.zeros(rows, int)
    parts = []

    def loop(first: int, end: int, add: int) -> None:
        parts.append(threading.get_ident())
        done[first:end] += add

    over_rows(loop, rows, threads, 3)
    assert (done == 3).all()
    assert len(parts) == max(1, min(threads, rows // FEWEST_ROWS))
    assert parts.count(threading.get_ident()) == 1, "this thread does its share"


@pytest.mark.parametrize("broken", [0, 1])
def test_an_error_comes_through_when_all_parts_have_ended(broken: int) -> None:
    ended = []

    def loop(first: int, end: int) -> None:
        if (first > 0) == broken:
            raise ValueError("broken")
        time.sleep(0.05)
        ended.append(first)

    with pytest.raises(ValueError, match="broken"):
        over_rows(loop, 2 * FEWEST_ROWS, 2)
    assert len(ended) == 1


def test_a_forked_process_makes_threads_of_its_own() -> None:
    over_rows(lambda first, end: None, 2 * FEWEST_ROWS, 2)
    child = os.fork()
    if child == 0:
        over_rows(lambda first, end: None, 2 * FEWEST_ROWS, 2)  # hangs if it waits for the parent's threads
        os._exit(0)
    for _ in range(100):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert ended
    assert status == 0


def test_there_is_a_thread() -> None:
    assert available_threads() >= 1
